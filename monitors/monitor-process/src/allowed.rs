//! What a process is and may use, captured once: since when it runs, threads, processors, limits.

use crate::facts::{ADDRESS_SPACE_LIMIT, DESCRIPTORS_LIMIT, PROCESSORS, STARTED, THREADS};
use crate::{cgroup, parse};
use contract::FactKind;
use terms::{Nanos, iso};

/// Facts with values, in the order in which they are reported; what cannot be read is left out.
pub(crate) fn captured(pid: u32, start_ticks: u64, ticks_per_second: f64) -> Vec<(FactKind, String)> {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let (status, limits) = (read("status"), read("limits"));
    let machine = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let mut captured = Vec::new();
    captured.extend(since(&machine, start_ticks, ticks_per_second).map(|text| (STARTED, text)));
    captured.extend(field(&status, "Threads").map(|text| (THREADS, text.to_owned())));
    if let Some(list) = field(&status, "Cpus_allowed_list") {
        let quota = cgroup::cpu_limit(pid).map_or_else(String::new, |(limit, group)| {
            format!("; at most {} cores' time, of `{group}`", limit as f64 / 1000.0)
        });
        captured.push((PROCESSORS, format!("{} ({list}){quota}", count(list))));
    }
    if let Some(limit) = parse::descriptors_limit(&limits) {
        captured.push((DESCRIPTORS_LIMIT, limit.to_owned()));
    }
    captured.extend(address_space(&limits).map(|bytes| (ADDRESS_SPACE_LIMIT, format!("{bytes} bytes"))));
    captured
}

/// The start of a process: that of the machine (`btime` of `/proc/stat`, whole seconds), and the ticks since.
fn since(machine: &str, ticks: u64, ticks_per_second: f64) -> Option<String> {
    let booted: i64 = machine.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    let after = ticks as f64 / ticks_per_second;
    let at = Nanos(booted.checked_mul(Nanos::SECOND.0)?.checked_add(Nanos::from_secs_f64(after).0)?);
    (after.is_finite() && booted > 0 && at.0 > 0).then(|| iso::seconds(at))
}

/// A field of `/proc/PID/status`.
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

/// How many processors a list such as `0-3,8` names.
fn count(list: &str) -> u64 {
    let size = |part: &str| {
        let (from, to) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
        let (from, to) = (from.parse::<u64>().ok()?, to.parse::<u64>().ok()?);
        to.checked_sub(from)?.checked_add(1)
    };
    list.split(',').filter_map(size).fold(0, u64::saturating_add)
}

/// Soft limit on the address space, bytes; `None` when there is none. From `/proc/PID/limits`.
fn address_space(limits: &str) -> Option<u64> {
    limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?
        .split_ascii_whitespace()
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_of_processors_are_counted() {
        assert_eq!([count("0-3,8"), count("5"), count("0-1"), count(""), count("3-1")], [5, 1, 2, 0, 0]);
    }

    #[test]
    fn the_start_is_that_of_the_machine_and_the_ticks_since() {
        // 1 700 000 000 is 2023-11-14T22:13:20Z.
        assert_eq!(since("cpu 1\nbtime 1700000000\n", 150, 100.0).unwrap(), "2023-11-14T22:13:21Z");
        assert_eq!(since("btime x\n", 1, 100.0), None);
        assert_eq!(since("btime 1700000000\n", 1, 0.0), None);
    }

    #[test]
    fn this_process_has_processors_and_limits() {
        let stat = processes::stat_of(std::process::id()).unwrap();
        let captured = captured(std::process::id(), stat.start, 100.0);
        for kind in [STARTED, THREADS, PROCESSORS, DESCRIPTORS_LIMIT] {
            assert!(captured.iter().any(|(known, _)| *known == kind), "{kind:?}: {captured:?}");
        }
        assert_eq!(address_space("Max address space         unlimited            unlimited            bytes\n"), None);
        assert_eq!(
            address_space("Max address space         1048576              unlimited            bytes\n"),
            Some(1 << 20)
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-zA-Z0-9 :,\\-\\n]{0,80}", ticks in any::<u64>()) {
            let _ = (count(&text), since(&text, ticks, 100.0), since(&format!("btime {text}"), ticks, 100.0));
            let _ = (field(&text, "Threads"), address_space(&text));
        }
    }
}
