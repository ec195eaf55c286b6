//! Texts of `/proc` as numbers. Whatever a text lacks is `None`; nothing panics. Source: proc(5).

/// What `/proc/PID/stat` tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// Short name, at most 15 characters.
    pub(crate) name: String,
    pub(crate) parent: u32,
    /// Processor time of its own, clock ticks.
    pub(crate) own: Ticks,
    /// Processor time of children that have ended and been waited for, theirs included.
    pub(crate) children: Ticks,
    pub(crate) threads: u64,
    /// Clock ticks since the machine started; with the id it names a process once and for all.
    pub(crate) start: u64,
    /// Address space, bytes.
    pub(crate) reserved: u64,
    /// Resident set, pages. The kernel brings it up to date in batches, so it lags by some dozen pages a thread.
    pub(crate) resident_pages: u64,
}

/// Processor time in user and system mode, clock ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticks {
    pub(crate) user: u64,
    pub(crate) system: u64,
}

/// Reads `/proc/PID/stat`; `None` for a process that has ended and only waits to be reaped.
///
/// The name in brackets can hold anything, brackets and blanks included: what follows its last bracket counts.
pub(crate) fn stat(text: &str) -> Option<Stat> {
    let (head, rest) = text.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let fields: Vec<_> = rest.split_ascii_whitespace().collect();
    // Field n of proc(5) stands at n - 3.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let ticks = |user: usize, system: usize| Some(Ticks { user: number(user)?, system: number(system)? });
    if matches!(*fields.first()?, "Z" | "X" | "x") {
        return None;
    }
    Some(Stat {
        name: name.to_owned(),
        parent: u32::try_from(number(4)?).ok()?,
        own: ticks(14, 15)?,
        children: ticks(16, 17)?,
        threads: number(20)?,
        start: number(22)?,
        reserved: number(23)?,
        resident_pages: number(24)?,
    })
}

/// Proportional set size and what of it is swapped out, bytes, from `/proc/PID/smaps_rollup`.
pub(crate) fn smaps_rollup(text: &str) -> Option<(u64, u64)> {
    let bytes = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    Some((bytes("Pss")?, bytes("SwapPss").unwrap_or_default()))
}

/// Bytes read from and written to disks, from `/proc/PID/io`.
pub(crate) fn io(text: &str) -> Option<(u64, u64)> {
    let bytes = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.parse().ok());
    Some((bytes("read_bytes")?, bytes("write_bytes")?))
}

/// Soft limit on open descriptors, from `/proc/PID/limits`.
pub(crate) fn descriptors_limit(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("Max open files")?.split_ascii_whitespace().next())
}

/// Inodes of the sockets that listen on a port, from a table such as `/proc/net/tcp`: local address in field 2, state in
/// field 4 (`0A` is LISTEN), inode in field 10.
pub(crate) fn listening(table: &str, port: u16) -> Vec<u64> {
    let inode = |line: &str| {
        let fields: Vec<_> = line.split_ascii_whitespace().take(10).collect();
        let (_, local) = fields.get(1)?.rsplit_once(':')?;
        let is_meant = *fields.get(3)? == "0A" && u16::from_str_radix(local, 16).ok()? == port;
        if is_meant { fields.get(9)?.parse().ok() } else { None }
    };
    table.lines().filter_map(inode).collect()
}

/// The port of `http://host:port…`, when the host is this machine's loopback interface.
pub(crate) fn loopback_port(url: &str) -> Option<u16> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (authority, if scheme == "https" { 443 } else { 80 }),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback =
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback.then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_process_as_the_kernel_writes_it() {
        let text = "4711 (a) R (b c) S 17 4711 4711 0 -1 4194560 9146 70 2 0 157 35 5 6 20 0 9 0 88120 2363392 1688 \
            18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
        let expected = Stat {
            name: "a) R (b c".to_owned(),
            parent: 17,
            own: Ticks { user: 157, system: 35 },
            children: Ticks { user: 5, system: 6 },
            threads: 9,
            start: 88_120,
            reserved: 2_363_392,
            resident_pages: 1688,
        };
        assert_eq!(stat(text), Some(expected));
        assert_eq!(stat(&text.replace(") S 17", ") Z 17")), None, "a zombie has ended");
        assert_eq!(stat("4711 (cut) S 17"), None);
        assert_eq!(stat(")("), None);
    }

    #[test]
    fn memory_and_disk() {
        // From a Linux 6.18 machine, shortened, with swap put in.
        let text = "55b69898b000-7fff9456a000 ---p 00000000 00:00 0                          [rollup]\n\
            Rss:                1688 kB\nPss:                 348 kB\nPss_Dirty:           112 kB\nSwap:                  8 kB\nSwapPss:               4 kB\n";
        assert_eq!(smaps_rollup(text), Some((348 * 1024, 4096)));
        assert_eq!(smaps_rollup(""), None);
        let text = "rchar: 7689\nwchar: 713\nsyscr: 14\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 0\n";
        assert_eq!(io(text), Some((4096, 8192)));
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
            Max open files            1024                 524288               files     \n";
        assert_eq!(descriptors_limit(text), Some("1024"));
    }

    #[test]
    fn addresses_on_this_machine() {
        for (url, port) in [
            ("http://127.0.0.1:8080/x", Some(8080)),
            ("http://localhost:9", Some(9)),
            ("http://[::1]:7/", Some(7)),
            ("http://[::1]/", Some(80)),
            ("https://127.0.0.1", Some(443)),
            ("http://10.0.0.1:80", None),
            ("http://shop.example:80", None),
            ("127.0.0.1:80", None),
            ("http://127.0.0.1:99999", None),
        ] {
            assert_eq!(loopback_port(url), port, "{url}");
        }
        let line =
            "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1\n";
        assert_eq!(listening(line, 8080), [4711]);
        assert!(listening(&line.replace(" 0A ", " 01 "), 8080).is_empty());
    }

    proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "(1 \\(|Pss:|SwapPss:|read_bytes: |Max open files|http://)?[0-9a-zA-Z \\n():/é\\[\\].]{0,120}") {
            let _ = (stat(&text), smaps_rollup(&text), io(&text), descriptors_limit(&text), loopback_port(&text));
            let _ = listening(&text, 80);
        }

        #[test]
        fn any_name_leaves_the_numbers_alone(name in "\\PC{0,15}", ticks in 0u64..1 << 50) {
            let text = format!("1 ({name}) S 2 3 4 0 -1 0 0 0 0 0 {ticks} 2 3 4 20 0 5 0 6 7 8");
            prop_assert_eq!(stat(&text).unwrap().own.user, ticks);
            prop_assert_eq!(stat(&text).unwrap().name, name);
        }
    }
}
