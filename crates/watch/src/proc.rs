//! What `/proc` tells about this process and its machine; parsers take texts, so that tests need no machine.

use std::collections::HashSet;

/// Processor time and run-queue delay of a thread of this process so far, in seconds; `None` when there is no such
/// thread, or the kernel does not count it.
///
/// Run-queue delay is time in which the thread could have run and did not, because others had the cores. The kernel
/// brings both up to date when the thread is switched or at a timer tick, so they lag by up to some milliseconds. Costs
/// one short file: for once a second and thread.
pub fn thread_times(tid: u32) -> Option<(f64, f64)> {
    schedstat(&std::fs::read_to_string(format!("/proc/self/task/{tid}/schedstat")).ok()?)
}

/// `CPU-NANOSECONDS RUN-QUEUE-NANOSECONDS SLICES` (Documentation/scheduler/sched-stats.rst of the kernel), in seconds.
pub(crate) fn schedstat(text: &str) -> Option<(f64, f64)> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let (cpu, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((cpu as f64 / 1e9, waited as f64 / 1e9))
}

/// Processor time of a process in user and system mode, in clock ticks, from its `stat` (proc(5), fields 14 and 15).
/// The name in brackets can hold anything; what follows its last bracket counts.
pub(crate) fn stat_ticks(text: &str) -> Option<u64> {
    let fields: Vec<_> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let (user, system): (u64, u64) = (fields.get(11)?.parse().ok()?, fields.get(12)?.parse().ok()?);
    user.checked_add(system)
}

/// A value in `kB` of a text such as `/proc/self/status` or `/proc/meminfo`, in bytes.
pub(crate) fn kilobytes(text: &str, name: &str) -> Option<f64> {
    let value = field(text, name)?.strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    Some(value as f64 * 1024.0)
}

/// A whole number of a text such as `/proc/self/status`.
pub(crate) fn number(text: &str, name: &str) -> Option<u64> {
    field(text, name)?.parse().ok()
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

/// Clock ticks of all cores together since the machine started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MachineTicks {
    /// What the programs of this machine were counted for, all together.
    pub(crate) programs: u64,
    /// Stolen by other guests of the same host.
    pub(crate) stolen: u64,
    pub(crate) all: u64,
}

/// From `/proc/stat` (proc(5)): user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user time
/// already.
///
/// A kernel that measures interrupts (`CONFIG_IRQ_TIME_ACCOUNTING`) takes their time from the programs that they interrupt,
/// and has some in `irq`. Another one counts it for those programs, and only here, tick by tick, as `softirq`; its `irq`
/// stays at 0 (kernel/sched/cputime.c).
pub(crate) fn machine_ticks(text: &str) -> Option<MachineTicks> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_ascii_whitespace().take(8).map_while(|word| word.parse().ok()).collect();
    let &[user, nice, system, _, _, irq, softirq, stolen] = ticks.as_slice() else { return None };
    let sum = |ticks: &[u64]| ticks.iter().fold(0, |sum: u64, ticks| sum.saturating_add(*ticks));
    let programs = sum(&[user, nice, system, if irq == 0 { softirq } else { 0 }]);
    Some(MachineTicks { programs, stolen, all: sum(&ticks) })
}

/// TCP sockets in use, and closed ones that wait, from `/proc/net/sockstat`. Both ends of a connection count where
/// both are on this machine.
pub(crate) fn sockstat(text: &str) -> Option<(u64, u64)> {
    let words: Vec<_> = text.lines().find_map(|line| line.strip_prefix("TCP:"))?.split_ascii_whitespace().collect();
    let value = |name| words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1)?.parse().ok());
    Some((value("inuse")?, value("tw")?))
}

/// First and last port for outgoing connections, from `ip_local_port_range`.
pub(crate) fn port_range(text: &str) -> Option<(u16, u16)> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    let (first, last) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    (first <= last).then_some((first, last))
}

/// Adds the local ports within a range that a table such as `/proc/net/tcp` names; a port that serves several
/// connections counts once.
pub(crate) fn local_ports(table: &str, range: (u16, u16), into: &mut HashSet<u16>) {
    let port = |line: &str| {
        let (_, port) = line.split_ascii_whitespace().nth(1)?.rsplit_once(':')?;
        u16::from_str_radix(port, 16).ok()
    };
    into.extend(table.lines().filter_map(port).filter(|port| (range.0..=range.1).contains(port)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_of_a_real_machine() {
        // From a Linux 6.18 machine with two cores.
        assert_eq!(schedstat("658620 47190 1\n"), Some((0.000_658_620, 0.000_047_190)));
        assert_eq!(schedstat("0 0 0\n"), Some((0.0, 0.0)));
        let stat = "42 (a) R (b) S 1 42 42 0 -1 4194304 111 222 0 0 70 35 5 6 20 0 9 0 8812 1 2 3";
        assert_eq!(stat_ticks(stat), Some(105));
        let cpu = "cpu  29477 0 6185 457953 1443 0 66 44 7 0\ncpu0 13710 0 2443 231182 165 0 10 18 0 0\n";
        let all = 29_477 + 6185 + 457_953 + 1443 + 66 + 44;
        assert_eq!(machine_ticks(cpu), Some(MachineTicks { programs: 29_477 + 6185 + 66, stolen: 44, all }));
        let measured = cpu.replace("1443 0 66", "1443 9 66");
        let ticks = MachineTicks { programs: 29_477 + 6185, stolen: 44, all: all + 9 };
        assert_eq!(machine_ticks(&measured), Some(ticks), "a kernel that measures interrupts");
        assert_eq!(machine_ticks("cpu  29477 0 6185 457953\n"), None, "a kernel that counts no steal");
        let sockets = "sockets: used 16\nTCP: inuse 21 orphan 0 tw 400 alloc 1 mem 139\nUDP: inuse 0 mem 0\n";
        assert_eq!(sockstat(sockets), Some((21, 400)));
        assert_eq!(port_range("32768\t60999\n"), Some((32_768, 60_999)));
        assert_eq!(port_range("5 4"), None);
        let status = "Name:\tx\nVmRSS:\t    1688 kB\nThreads:\t3\n";
        assert_eq!((kilobytes(status, "VmRSS"), number(status, "Threads")), (Some(1_728_512.0), Some(3)));
        assert_eq!(kilobytes(status, "VmRS"), None);
    }

    #[test]
    fn ports_count_once_and_only_within_the_range() {
        let line =
            |port: u16, state: &str| format!("   0: 0100007F:{port:04X} 0100007F:1F90 {state} 0:0 0:0 0 0 0 1\n");
        let table = [
            "  sl  local_address\n".into(),
            line(40_000, "01"),
            line(40_000, "06"),
            line(40_001, "01"),
            line(8080, "0A"),
        ];
        let mut ports = HashSet::new();
        local_ports(&table.concat(), (32_768, 60_999), &mut ports);
        assert_eq!(ports, HashSet::from([40_000, 40_001]));
    }

    #[test]
    fn this_thread_has_times() {
        let tid = rustix::thread::gettid().as_raw_pid() as u32;
        let clock = clock::Clock::system();
        // It counts when the next tick has come, or when others take the core.
        while thread_times(tid).is_some_and(|(cpu, _)| cpu == 0.0) {
            assert!(clock.now() < terms::Nanos::from_secs(20));
        }
        let (cpu, waited) = thread_times(tid).expect("Linux counts it");
        assert!(cpu > 0.0 && waited >= 0.0);
        assert_eq!(thread_times(u32::MAX), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "(cpu |TCP:|VmRSS:|Threads:|\\) )?[0-9a-zA-Z: ()\\n\\t-]{0,120}") {
            let _ = (schedstat(&text), stat_ticks(&text), machine_ticks(&text), sockstat(&text), port_range(&text));
            let _ = (kilobytes(&text, "VmRSS"), number(&text, "Threads"));
            local_ports(&text, (1, 65_535), &mut HashSet::new());
        }
    }
}
