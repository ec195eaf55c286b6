//! Texts of `/proc` as numbers, besides those of `processes`. Whatever a text lacks is `None`; nothing
//! panics. Source: proc(5).

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

#[cfg(test)]
mod tests {
    use super::*;
    use processes::{listening, own_endpoint, stat};
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "(1 \\(|Pss:|SwapPss:|read_bytes: |Max open files|http://)?[0-9a-zA-Z \\n():/é\\[\\].]{0,120}") {
            let _ = (stat(&text), smaps_rollup(&text), io(&text), descriptors_limit(&text), own_endpoint(&text));
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
