//! Texts of `/proc` as numbers. Whatever a text lacks is `None` or left out; nothing panics. Source: proc(5), and the
//! kernel's Documentation/admin-guide/iostats.rst for disks.

use std::collections::BTreeMap;

/// Bytes of a sector in `/proc/diskstats`, whatever the disk's own are (include/linux/types.h of the kernel).
const SECTOR_BYTES: u64 = 512;

/// Processor time of all cores since the machine started, in clock ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticks {
    /// User mode, niced and guests included.
    pub(crate) user: u64,
    /// Kernel, interrupts included.
    pub(crate) system: u64,
    pub(crate) idle: u64,
    /// Idle with something waiting for a disk.
    pub(crate) iowait: u64,
    /// Taken by other guests of the same host.
    pub(crate) steal: u64,
}

/// `/proc/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) ticks: Option<Ticks>,
    pub(crate) interrupts: Option<u64>,
    pub(crate) context_switches: Option<u64>,
    pub(crate) running: Option<u64>,
    pub(crate) blocked: Option<u64>,
}

/// Reads `/proc/stat`.
pub(crate) fn stat(text: &str) -> Stat {
    let first = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.split_ascii_whitespace().next());
    let number = |name: &str| first(name)?.parse().ok();
    Stat {
        ticks: text.lines().find_map(|line| ticks(line.strip_prefix("cpu ")?)),
        interrupts: number("intr "),
        context_switches: number("ctxt "),
        running: number("procs_running "),
        blocked: number("procs_blocked "),
    }
}

/// `user nice system idle iowait irq softirq steal guest guest_nice`; guest time is part of user and nice already.
fn ticks(fields: &str) -> Option<Ticks> {
    let all: Vec<u64> = fields.split_ascii_whitespace().take(8).map_while(|field| field.parse().ok()).collect();
    let field = |index: usize| all.get(index).copied();
    let or_none = |index: usize| field(index).unwrap_or_default();
    Some(Ticks {
        user: field(0)?.saturating_add(field(1)?),
        system: field(2)?.saturating_add(or_none(5)).saturating_add(or_none(6)),
        idle: field(3)?,
        iowait: or_none(4),
        steal: or_none(7),
    })
}

/// `/proc/pressure/cpu`: microseconds since the start of the machine in which at least one task waited for a processor.
/// Source: the kernel's Documentation/accounting/psi.rst; not every kernel has it.
pub(crate) fn pressure(text: &str) -> Option<u64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split_ascii_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()
}

/// A value of `/proc/meminfo`, in bytes.
pub(crate) fn memory(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// A value of `/proc/vmstat`.
pub(crate) fn vmstat(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

/// The load average over one minute.
pub(crate) fn load1(text: &str) -> Option<f64> {
    text.split_ascii_whitespace().next()?.parse().ok().filter(|load: &f64| load.is_finite() && *load >= 0.0)
}

/// What a disk has done since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disk {
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
    /// Milliseconds in which it had something to do.
    pub(crate) busy_ms: u64,
}

/// Reads `/proc/diskstats`: `major minor name reads merged sectors ms writes merged sectors ms in-flight busy-ms …`.
pub(crate) fn disks(text: &str, is_counted: impl Fn(&str) -> bool) -> BTreeMap<String, Disk> {
    let disk = |line: &str| {
        let fields: Vec<_> = line.split_ascii_whitespace().take(13).collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let name = *fields.get(2)?;
        let bytes = |index: usize| Some(number(index)?.saturating_mul(SECTOR_BYTES));
        let disk = Disk { read_bytes: bytes(5)?, written_bytes: bytes(9)?, busy_ms: number(12)? };
        is_counted(name).then(|| (name.to_owned(), disk))
    };
    text.lines().filter_map(disk).collect()
}

/// What a network interface has carried since it came up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interface {
    pub(crate) received_bytes: u64,
    pub(crate) sent_bytes: u64,
}

/// Reads `/proc/net/dev`: `name: bytes packets errs drop fifo frame compressed multicast bytes …`.
pub(crate) fn interfaces(text: &str) -> BTreeMap<String, Interface> {
    let interface = |line: &str| {
        // A name may hold colons itself, as aliases do.
        let (name, counts) = line.rsplit_once(':')?;
        let counts: Vec<_> = counts.split_ascii_whitespace().collect();
        let number = |index: usize| counts.get(index)?.parse().ok();
        Some((name.trim().to_owned(), Interface { received_bytes: number(0)?, sent_bytes: number(8)? }))
    };
    text.lines().filter_map(interface).collect()
}

/// A value of a text of `name<separator>value` lines, quotes taken off: `/proc/cpuinfo`, `/etc/os-release`.
pub(crate) fn value<'a>(text: &'a str, name: &str, separator: char) -> Option<&'a str> {
    let value = |line: &'a str| {
        let (key, value) = line.split_once(separator)?;
        (key.trim() == name).then(|| value.trim().trim_matches('"'))
    };
    text.lines().find_map(value).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pressure_as_the_kernel_writes_it() {
        let text = "some avg10=12.03 avg60=6.12 avg300=5.95 total=14147230340\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
        assert_eq!(pressure(text), Some(14_147_230_340));
        for other in ["", "full avg10=0.00 total=7\n", "some avg10=0.00\n", "some total=-1\n"] {
            assert_eq!(pressure(other), None, "{other}");
        }
    }

    #[test]
    fn processor_times_as_the_kernel_writes_them() {
        // From a Linux 6.18 machine with two cores, steal and guest times put in.
        let text = "cpu  29477 3 6185 457953 1443 10 66 44 5 0\ncpu0 13710 0 2443 231182 165 0 10 18 0 0\n\
            intr 341206 0 0 17\nctxt 511478\nbtime 1795232446\nprocesses 12654\nprocs_running 6\nprocs_blocked 1\n";
        let found = stat(text);
        let ticks = Ticks { user: 29_480, system: 6261, idle: 457_953, iowait: 1443, steal: 44 };
        assert_eq!(found.ticks, Some(ticks));
        assert_eq!((found.interrupts, found.context_switches), (Some(341_206), Some(511_478)));
        assert_eq!((found.running, found.blocked), (Some(6), Some(1)));
        // Linux 2.4 had four fields.
        assert_eq!(stat("cpu  1 2 3 4\n").ticks, Some(Ticks { user: 3, system: 3, idle: 4, iowait: 0, steal: 0 }));
        assert_eq!(stat("cpu  1 2\n"), Stat::default());
    }

    #[test]
    fn memory_and_load() {
        let text = "MemTotal:       24682416 kB\nMemFree:        24257300 kB\nMemAvailable:   24301084 kB\nHugePages_Total:       0\n";
        assert_eq!(memory(text, "MemTotal"), Some(24_682_416 * 1024));
        assert_eq!(memory(text, "Mem"), None);
        assert_eq!(memory(text, "HugePages_Total"), None, "a count, not a size");
        assert_eq!(memory("MemTotal: 99999999999999999999 kB", "MemTotal"), None);
        assert_eq!(load1("0.19 0.13 0.10 4/95 12642\n"), Some(0.19));
        assert_eq!(load1("nan 0 0"), None);
        assert_eq!(vmstat("oom_kill 3\noom_kill_other 9\n", "oom_kill"), Some(3));
    }

    #[test]
    fn disks_and_interfaces() {
        let text = "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n \
            254       0 vda 66871 11656 8977938 61361 14640 36374 4888736 13613 0 17900 75538 5240 75 646936 514 1428 49\n";
        let disk = Disk { read_bytes: 8_977_938 * 512, written_bytes: 4_888_736 * 512, busy_ms: 17_900 };
        assert_eq!(disks(text, |name| name == "vda"), BTreeMap::from([("vda".to_owned(), disk)]));
        let text = "Inter-|   Receive                                                |  Transmit\n \
            face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    \
            lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0\n  \
            eth0:304626697    9385    0    0    0     0          0         0   568250    5661    0    0    0     0       0          0\n";
        let found = interfaces(text);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["eth0", "lo"]);
        assert_eq!(found["eth0"], Interface { received_bytes: 304_626_697, sent_bytes: 568_250 });
    }

    #[test]
    fn named_values() {
        let text = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nEMPTY=\n";
        assert_eq!(value(text, "PRETTY_NAME", '='), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(value(text, "EMPTY", '='), None);
        assert_eq!(
            value("processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\n", "model name", ':'),
            Some("Some CPU @ 2.0GHz")
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_them_panic(
            text in "((cpu |intr |ctxt |MemTotal:|oom_kill |eth0:| 8 0 vda |model name:)?[0-9a-z kB:.é\\-]{0,80}\\n?){0,4}"
        ) {
            let _ = (stat(&text), memory(&text, "MemTotal"), load1(&text), disks(&text, |_| true), interfaces(&text));
            let _ = (vmstat(&text, "oom_kill"), value(&text, "model name", ':'));
        }

        #[test]
        fn numbers_come_back(ticks in prop::collection::vec(0u64..1 << 40, 10)) {
            let line = ticks.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
            let found = stat(&format!("cpu  {line}\n")).ticks.unwrap();
            let all = found.user + found.system + found.idle + found.iowait + found.steal;
            prop_assert_eq!(all, ticks[..8].iter().sum::<u64>());
        }
    }
}
