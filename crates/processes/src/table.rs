//! The processes of this machine at one moment.

use std::collections::BTreeMap;

/// All processes of the machine at one moment, by id.
pub type Scan = BTreeMap<u32, Stat>;

/// What `/proc/PID/stat` tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Short name, at most 15 characters.
    pub name: String,
    /// Id of the parent.
    pub parent: u32,
    /// Processor time of its own, clock ticks.
    pub own: Ticks,
    /// Processor time of children that have ended and been waited for, theirs included.
    pub children: Ticks,
    pub threads: u64,
    /// Clock ticks since the machine started; with the id it names a process once and for all.
    pub start: u64,
    /// Address space, bytes.
    pub reserved: u64,
    /// Resident set, pages. The kernel brings it up to date in batches, so it lags by some dozen pages a thread.
    pub resident_pages: u64,
}

/// Processor time in user and system mode, clock ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    /// In user mode.
    pub user: u64,
    /// In system mode.
    pub system: u64,
}

/// Reads every process that can be seen. One scan serves all instances.
///
/// # Errors
/// `/proc` that cannot be read.
pub fn scan() -> std::io::Result<Scan> {
    let entries = std::fs::read_dir("/proc")?;
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // A process may end while the scan goes on: it is then not there.
    Ok(pids.filter_map(|pid| Some((pid, stat_of(pid)?))).collect())
}

/// What a process is now; `None` for one that has ended.
pub fn stat_of(pid: u32) -> Option<Stat> {
    stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `/proc/PID/stat`; `None` for a process that has ended and only waits to be reaped.
///
/// The name in brackets can hold anything, brackets and blanks included: what follows its last bracket counts.
pub fn stat(text: &str) -> Option<Stat> {
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn member(parent: u32, start: u64) -> Stat {
        let (own, children) = (Ticks::default(), Ticks::default());
        Stat { name: String::new(), parent, own, children, threads: 1, start, reserved: 0, resident_pages: 0 }
    }

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
}
