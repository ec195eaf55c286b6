//! Processor time of a process's threads while they run, by their names.

use crate::child::{carried_by, memory_of, times};
use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(100);
/// How the names of threads that drive load begin.
const LOAD: &str = "load-";

/// Clock ticks that each thread has used, by its number and name.
type Used = BTreeMap<(u32, String), u64>;

/// What threads used, look by look.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks(Vec<(f64, Used)>);

/// Looks at a process at once, and then until it ends; at the one that it carries, where it only does that.
pub(super) fn watch(pid: u32) -> JoinHandle<Looks> {
    let began = Instant::now();
    let look = move || Some((began.elapsed().as_secs_f64(), carried_by(pid).and_then(used)?));
    let mut looks = Vec::from_iter(look());
    std::thread::spawn(move || {
        // One that has ended and is not buried has no memory.
        while memory_of(pid, "VmRSS:").is_some() {
            std::thread::sleep(LOOK);
            looks.extend(look());
        }
        Looks(looks)
    })
}

fn used(pid: u32) -> Option<Used> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
    let one = |thread: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).ok()?;
        Some(((thread.file_name().to_str()?.parse().ok()?, name(&stat)?), own_ticks(&stat)?))
    };
    Some(threads.filter_map(one).collect())
}

/// The name in brackets, which may hold brackets itself.
fn name(stat: &str) -> Option<String> {
    let (_, rest) = stat.split_once('(')?;
    rest.rsplit_once(')').map(|(name, _)| name.to_owned())
}

/// Of the thread itself, in user mode and in the kernel.
fn own_ticks(stat: &str) -> Option<u64> {
    times(stat).map(|[user, kernel, ..]| user + kernel)
}

impl Looks {
    /// Processor seconds of threads whose names begin so while load was driven, and how long that was, seconds; none where no
    /// load was seen.
    pub(super) fn under_load(&self, prefix: &str, ticks_per_s: f64) -> Option<(f64, f64)> {
        let has_load = |(_, used): &&(f64, Used)| used.keys().any(|(_, name)| name.starts_with(LOAD));
        let (from, first) = self.0.iter().find(has_load)?;
        let (to, _) = self.0.iter().rev().find(has_load)?;
        // A thread that comes and goes in between has what it had when it was seen last.
        let mut most: BTreeMap<&(u32, String), u64> = BTreeMap::new();
        for (_, used) in self.0.iter().filter(|(at, _)| (from..=to).contains(&at)) {
            for (thread, ticks) in used.iter().filter(|((_, name), _)| name.starts_with(prefix)) {
                let known = most.entry(thread).or_default();
                *known = (*known).max(*ticks);
            }
        }
        let before = |thread: &(u32, String)| first.get(thread).copied().unwrap_or_default();
        let ticks: u64 = most.into_iter().map(|(thread, ticks)| ticks.saturating_sub(before(thread))).sum();
        (to > from).then(|| (ticks as f64 / ticks_per_s, to - from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "42 (live (x) y) S 1 42 42 0 -1 4194304 100 0 0 0 7 5 2 1 20 0 3 0 100 1000 10";

    #[test]
    fn a_thread_has_a_name_and_a_time_of_its_own() {
        assert_eq!((name(STAT).as_deref(), own_ticks(STAT)), (Some("live (x) y"), Some(12)));
        assert_eq!((name("42"), own_ticks("42 (a) S")), (None, None));
    }

    #[test]
    fn only_time_under_load_counts() {
        let look = |at: f64, of: &[(u32, &str, u64)]| {
            (at, of.iter().map(|(thread, name, ticks)| ((*thread, (*name).to_owned()), *ticks)).collect::<Used>())
        };
        let looks = Looks(vec![
            look(0.0, &[(1, "main", 5), (2, "live-read", 90)]),
            look(1.0, &[(1, "main", 6), (2, "live-read", 100), (3, "load-0", 0)]),
            look(2.0, &[(1, "main", 7), (2, "live-read", 101), (3, "load-0", 60), (4, "live-serve", 3)]),
            look(3.0, &[(1, "main", 7), (3, "load-0", 90), (5, "live-judge", 6)]),
            look(11.0, &[(1, "main", 8), (2, "live-read", 110), (3, "load-0", 300), (4, "live-serve", 20)]),
            look(12.0, &[(1, "main", 90), (2, "live-read", 200), (4, "live-serve", 99)]),
        ]);
        assert_eq!(looks.under_load("live-read", 100.0), Some((0.1, 10.0)));
        // What has gone meanwhile counts with what it had.
        assert_eq!(looks.under_load("live", 100.0), Some((0.36, 10.0)));
        assert_eq!(looks.under_load("load-", 100.0), Some((3.0, 10.0)));
        assert_eq!(Looks::default().under_load("load-", 100.0), None);
    }

    #[test]
    fn a_process_is_looked_at_to_its_end() {
        let mut child = std::process::Command::new("sleep").arg("0.3").spawn().unwrap();
        let watched = watch(child.id());
        child.wait().unwrap();
        let looks = watched.join().unwrap();
        assert!(looks.0.iter().flat_map(|(_, used)| used.keys()).any(|(_, name)| name == "sleep"), "{looks:?}");
    }
}
