//! The processes of a database server on this machine: processor time and memory, from `/proc`.
//!
//! A PostgreSQL server is one process, the postmaster, whose children serve one connection each or do its chores, and
//! which waits for every child that ends. So what its children have used is either theirs or already the postmaster's.
//! A MariaDB server is one process of many threads.

use clock::Clock;
use processes::Identity;
use std::collections::BTreeMap;
use terms::Nanos;

/// The server's processes.
pub(crate) struct Server {
    pub(crate) pid: u32,
    /// Start, in clock ticks since the machine started: with the id it names a process once and for all.
    start: u64,
    ticks_per_second: f64,
    /// The sample before, with the most clock ticks seen so far.
    before: Option<(Nanos, u64)>,
}

/// What `/proc/PID/stat` tells.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    parent: u32,
    /// Processor time of its own and of children that it has waited for, clock ticks.
    ticks: u64,
    start: u64,
}

impl Server {
    /// The server by one of its processes that serves a connection: its parent. `title` is what only that process's
    /// title holds, so that one of another machine or container with the same id is not taken for it.
    pub(crate) fn find(backend: u32, title: &str) -> Option<Self> {
        let command = std::fs::read(format!("/proc/{backend}/cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let own = stat(backend)?;
        let server = stat(own.parent)?;
        if !command.contains(title) || own.name != server.name {
            return None;
        }
        let ticks_per_second = rustix::param::clock_ticks_per_second() as f64;
        Some(Self { pid: own.parent, start: server.start, ticks_per_second, before: None })
    }

    /// The server by one of its threads, which serves a connection. `names` are what such a server's process is called:
    /// a number that means something else on this machine is not taken for it.
    pub(crate) fn of_thread(thread: u32, names: &[&str]) -> Option<Self> {
        let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
        let pid = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()?;
        let own = stat(pid).filter(|own| names.contains(&own.name.as_str()))?;
        let ticks_per_second = rustix::param::clock_ticks_per_second() as f64;
        Some(Self { pid, start: own.start, ticks_per_second, before: None })
    }

    /// Which process of this machine it is.
    pub(crate) fn identity(&self) -> Identity {
        Identity { pid: self.pid, start: self.start }
    }

    /// Cores used since the sample before (none at the first), and bytes in use; `None` when the server is gone. `taken` is
    /// when the sample bears to have been taken, and what `clock` showed then: the server has answered since, sometimes for
    /// longer than the time before.
    pub(crate) fn sample(&mut self, taken: (Nanos, Nanos), clock: &Clock) -> Option<(Option<f64>, f64)> {
        let at = taken.0 + (clock.now() - taken.1);
        // The postmaster is read first: a child that ends meanwhile is then missing once, never counted twice.
        let own = stat(self.pid).filter(|own| own.start == self.start)?;
        let members = children(self.pid);
        let ticks = members.values().fold(own.ticks, |sum, child| sum.saturating_add(child.ticks));
        let cores = self.before.and_then(|(then, before)| {
            let seconds = (at - then).as_secs_f64();
            (seconds > 0.0).then(|| ticks.saturating_sub(before) as f64 / self.ticks_per_second / seconds)
        });
        let most = self.before.map_or(ticks, |(_, before)| before.max(ticks));
        self.before = Some((at, most));
        let status = |pid: &u32| memory(&std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?);
        let used = joined(std::iter::once(&self.pid).chain(members.keys()).filter_map(status));
        Some((cores, used as f64))
    }
}

/// Resident memory of one process, bytes: its own, and what it shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Memory {
    own: u64,
    shared: u64,
    files: u64,
}

/// The processes' own memory, and once what they share: the greatest part of it that one of them has touched.
fn joined(all: impl Iterator<Item = Memory>) -> u64 {
    let sum = all.fold(Memory::default(), |sum, one| Memory {
        own: sum.own.saturating_add(one.own),
        shared: sum.shared.max(one.shared),
        files: sum.files.max(one.files),
    });
    sum.own.saturating_add(sum.shared).saturating_add(sum.files)
}

/// Reads `/proc/PID/status`. Source: proc(5).
fn memory(text: &str) -> Option<Memory> {
    let bytes = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    Some(Memory { own: bytes("RssAnon")?, shared: bytes("RssShmem")?, files: bytes("RssFile")? })
}

fn stat(pid: u32) -> Option<Stat> {
    parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `/proc/PID/stat`. The name in brackets can hold anything: what follows its last bracket counts. Source: proc(5).
fn parse(text: &str) -> Option<Stat> {
    let (head, rest) = text.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let fields: Vec<_> = rest.split_ascii_whitespace().collect();
    // Field n of proc(5) stands at n - 3.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let ticks = [14, 15, 16, 17].into_iter().try_fold(0u64, |sum, field| Some(sum.saturating_add(number(field)?)))?;
    Some(Stat { name: name.to_owned(), parent: u32::try_from(number(4)?).ok()?, ticks, start: number(22)? })
}

/// The processes whose parent this is; one that ends meanwhile is missing.
fn children(parent: u32) -> BTreeMap<u32, Stat> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, stat(pid)?))).filter(|(_, stat)| stat.parent == parent).collect()
}

/// Reads a text and leaves the result.
#[cfg(feature = "fuzz")]
pub(crate) fn parsed(text: &str) {
    let _ = (parse(text), memory(text), joined([memory(text), memory(text)].into_iter().flatten()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_of_stat_is_read_by_its_last_bracket() {
        // The form of proc(5), with figures of our own.
        let line =
            "42 (post) gres)) S 7 42 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 999 1000 50 18446744073709551615";
        let read = parse(line).unwrap();
        assert_eq!(read, Stat { name: "post) gres)".into(), parent: 7, ticks: 100, start: 999 });
        for text in ["", ")", "(a)", "1 (a) S", "1 (a) S x 1 1"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_shared_counts_once() {
        let text = |own: u64, shared: u64| {
            format!("Name:\tx\nRssAnon:\t {own} kB\nRssFile:\t 10 kB\nRssShmem:\t {shared} kB\n")
        };
        let all: Vec<Memory> = [(100, 5000), (50, 300)].iter().filter_map(|(o, s)| memory(&text(*o, *s))).collect();
        assert_eq!(joined(all.into_iter()), (100 + 50 + 5000 + 10) * 1024);
        assert_eq!(memory("RssAnon: 1 MB"), None);
    }

    /// The query of one sample takes 0.6 s, that of the next nothing: 0.4 s lie between the two readings.
    #[test]
    fn cores_are_of_the_time_between_two_readings() {
        let (own, clock) = (stat(std::process::id()).unwrap(), Clock::simulated());
        let before = own.ticks.saturating_sub(20);
        let mut server = Server { pid: std::process::id(), start: own.start, ticks_per_second: 100.0, before: None };
        clock.advance_to(Nanos::from_millis(600));
        server.sample((Nanos::from_secs(7), Nanos::ZERO), &clock).unwrap();
        server.before = server.before.map(|(at, _)| (at, before));
        clock.advance_to(Nanos::from_millis(1000));
        let (cores, _) = server.sample((Nanos::from_secs(8), Nanos::from_millis(1000)), &clock).unwrap();
        let ticks = server.before.unwrap().1 - before;
        assert!((cores.unwrap() - ticks as f64 / 100.0 / 0.4).abs() < 1e-9, "{cores:?}");
    }

    #[test]
    fn a_process_with_another_title_is_not_taken() {
        let own = std::process::id();
        assert!(Server::find(own, "surely not in this command line").is_none());
        assert!(Server::find(u32::MAX, "").is_none());
        assert!(Server::of_thread(own, &["mariadbd"]).is_none() && Server::of_thread(u32::MAX, &[]).is_none());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,120}") {
            let _ = (parse(&text), memory(&text));
        }
    }
}
