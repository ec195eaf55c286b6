//! One instance over time: which process it is, its tree, what of its memory can be read.

use crate::allowed;
use crate::cgroup;
use crate::disk;
use crate::facts;
use crate::metrics::Metric;
use crate::parse;
use crate::tree::Tree;
use clock::Clock;
use contract::{Event, Facts, Samples, Watched};
use processes::{Endpoint, Identity, Scan};
use terms::Nanos;

/// Least time between two readings of the proportional set size. A little below a second, so that a sample that comes
/// a little early still has it.
pub(crate) const PSS_EVERY: Nanos = Nanos::from_millis(900);

/// A reading may take this part of one core on average: one part in so many.
pub(crate) const PSS_SHARE: i64 = 20;

/// Time between two searches for a process that does not exist.
const SEARCH_EVERY: Nanos = Nanos::from_secs(5);

/// What the machine is like.
pub(crate) struct Machine {
    pub(crate) ticks_per_second: f64,
    pub(crate) page_bytes: u64,
    pub(crate) memory_bytes: u64,
    /// For measuring what readings cost.
    pub(crate) clock: Clock,
}

/// An instance that is watched.
pub(crate) struct Instance {
    pub(crate) name: String,
    /// Where it listens, when that is on this machine.
    endpoint: Option<Endpoint>,
    root: Option<Root>,
    /// The sample before, of the same root.
    before: Option<(Nanos, Tree)>,
    /// Short name of the process that is gone; only one of that name is taken for it again.
    gone: Option<String>,
    next_search: Nanos,
    next_pss: Nanos,
    pss: Pss,
    pub(crate) pss_cost: Cost,
}

struct Root {
    identity: Identity,
    name: String,
    limit: Option<(u64, String)>,
}

/// Whether the proportional set size can be read. Decided at the first reading and kept: `used` never changes its
/// meaning within a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pss {
    Untried,
    Read,
    Refused(String),
}

/// What readings cost, in time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    count: i64,
    sum: Nanos,
    most: Nanos,
}

impl Cost {
    pub(crate) fn add(&mut self, took: Nanos) {
        self.count += 1;
        self.sum += took;
        self.most = self.most.max(took);
    }

    /// `mean 1.2ms, most 3ms, of 60`; `None` when there were none.
    pub(crate) fn in_words(&self) -> Option<String> {
        (self.count > 0).then(|| format!("mean {}, most {}, of {}", self.sum / self.count, self.most, self.count))
    }
}

impl Instance {
    pub(crate) fn new(watched: &Watched, machine: &Machine) -> Self {
        let mut made = Self {
            name: watched.name.clone(),
            endpoint: watched.url.as_deref().and_then(processes::own_endpoint),
            root: None,
            before: None,
            gone: None,
            next_search: Nanos(i64::MIN),
            next_pss: Nanos(i64::MIN),
            pss: Pss::Untried,
            pss_cost: Cost::default(),
        };
        if let Some(pid) = watched.pid {
            // The start time is taken now, while the id is surely still that of the process meant.
            match processes::stat_of(pid) {
                // One that is gone by now is told as gone at the first sample.
                Some(stat) => made.set_root(Identity { pid, start: stat.start }, stat.name, machine),
                None => {
                    made.root = Some(Root { identity: Identity { pid, start: 0 }, name: "?".to_owned(), limit: None })
                }
            }
        }
        made
    }

    /// Whether there is or was a process to watch, or a way to find one.
    pub(crate) fn can_be_watched(&self) -> bool {
        self.root.is_some() || self.gone.is_some() || self.endpoint.is_some()
    }

    /// Why a process that is to be watched is not; `None` for an instance that has none on this machine.
    fn why_missing(&self) -> Option<String> {
        match (&self.gone, self.endpoint.as_ref().map(|endpoint| endpoint.port)) {
            (Some(name), _) => Some(format!("its process (`{name}`) is gone")),
            (None, Some(port)) => Some(format!("no process was found that listens on port {port}")),
            (None, None) => None,
        }
    }

    fn set_root(&mut self, identity: Identity, name: String, machine: &Machine) {
        let limit = cgroup::memory_limit(identity.pid, machine.memory_bytes);
        self.root = Some(Root { identity, name, limit });
        self.before = None;
    }

    /// Adds the values of this moment; nothing when the process is gone.
    pub(crate) fn sample(&mut self, at: Nanos, scan: &Scan, machine: &Machine, out: &mut Samples) {
        let instance = out.instance(&self.name);
        if self.root.is_none() {
            self.search(at, scan, machine, instance, out);
        }
        let Some(root) = &self.root else {
            if let Some(why) = self.why_missing() {
                out.missing(instance, why);
            }
            return;
        };
        let empty = Tree::default();
        let before = self.before.as_ref().map_or(&empty, |(_, tree)| tree);
        let Some(mut tree) = Tree::find(root.identity, before, scan) else {
            let text = format!("process {} (`{}`) of `{}` is gone", root.identity.pid, root.name, self.name);
            out.missing(instance, text.clone());
            out.event(at, instance, Event { kind: "gone", text });
            self.gone = Some(root.name.clone());
            (self.root, self.before) = (None, None);
            self.next_search = at + SEARCH_EVERY;
            return;
        };
        for (identity, member) in &mut tree.members {
            let text = std::fs::read_to_string(format!("/proc/{}/io", identity.pid));
            member.disk = text.ok().and_then(|text| parse::io(&text));
        }
        let mut values = levels(&tree, scan, machine);
        values.extend(root.limit.as_ref().map(|(limit, _)| (Metric::Limit, *limit as f64)));
        if let Some((before_at, before)) = &self.before {
            let seconds = (at - *before_at).as_secs_f64();
            values.extend(rates(before, &tree, seconds, machine.ticks_per_second));
        }
        values.extend(self.memory(at, &tree, &values, machine));
        for (metric, value) in values {
            out.value(at, instance, metric as u16, value);
        }
        self.before = Some((at, tree));
    }

    /// Looks for the process by its port; one that comes after another is a restart.
    fn search(&mut self, at: Nanos, scan: &Scan, machine: &Machine, instance: u32, out: &mut Samples) {
        let Some(endpoint) = self.endpoint.clone().filter(|_| at >= self.next_search) else { return };
        self.next_search = at + SEARCH_EVERY;
        let Some(found) = processes::listener(&endpoint, scan) else { return };
        let name = scan.get(&found.pid).map(|stat| stat.name.clone()).unwrap_or_default();
        match &self.gone {
            Some(gone) if *gone != name => return,
            Some(_) => {
                let text = format!("`{}` runs again, as process {} (`{name}`): it was restarted", self.name, found.pid);
                out.event(at, instance, Event { kind: "restart", text });
            }
            None => {}
        }
        self.gone = None;
        if processes::is_proxy(&name) {
            let text =
                format!("what listens for `{}` is process {} (`{name}`){}", self.name, found.pid, facts::ONLY_PROXY);
            out.event(at, instance, Event { kind: "proxy", text });
        }
        self.set_root(found, name, machine);
    }

    /// `pss`, `swap` and `used`. Where the proportional set size is read, but not at this sample, there is no `used`.
    fn memory(&mut self, at: Nanos, tree: &Tree, levels: &[(Metric, f64)], machine: &Machine) -> Vec<(Metric, f64)> {
        if matches!(self.pss, Pss::Refused(_)) {
            let rss = levels.iter().find(|(metric, _)| *metric == Metric::Rss);
            return rss.map(|(_, rss)| (Metric::Used, *rss)).into_iter().collect();
        }
        if at < self.next_pss {
            return Vec::new();
        }
        let began = machine.clock.now();
        let read = pss(tree);
        let took = machine.clock.now() - began;
        self.pss_cost.add(took);
        self.next_pss = at + PSS_EVERY.max(took * PSS_SHARE);
        match read {
            Ok((pss, swap)) => {
                self.pss = Pss::Read;
                vec![(Metric::Pss, pss as f64), (Metric::Used, pss as f64), (Metric::Swap, swap as f64)]
            }
            Err(why) if self.pss == Pss::Untried => {
                self.pss = Pss::Refused(why);
                self.memory(at, tree, levels, machine)
            }
            Err(_) => Vec::new(),
        }
    }

    /// Ids of its processes as they are now.
    fn members(&self, root: Identity) -> Vec<u32> {
        let before = self.before.as_ref().map(|(_, tree)| tree.clone()).unwrap_or_default();
        let tree = processes::scan().ok().and_then(|scan| Tree::find(root, &before, &scan));
        tree.into_iter().flat_map(|tree| tree.members.into_keys()).map(|member| member.pid).collect()
    }

    /// What the instance is: never its command line, which may hold secrets.
    pub(crate) fn facts(&self, ticks_per_second: f64, out: &mut Facts) {
        let Some(root) = &self.root else {
            let text = match (&self.gone, self.endpoint.as_ref().map(|endpoint| endpoint.port)) {
                (Some(name), _) => format!("gone (`{name}`)"),
                (None, Some(port)) => format!("none found that listens on port {port}"),
                (None, None) => "none on this machine; it cannot be watched from here".to_owned(),
            };
            return out.fact(&self.name, &facts::PROCESS, text);
        };
        let pid = root.identity.pid;
        let what = if processes::is_proxy(&root.name) { facts::ONLY_PROXY } else { "" };
        out.fact(&self.name, &facts::PROCESS, format!("{pid} (`{}`){what}", root.name));
        out.fact(&self.name, &facts::LINEAGE, processes::lineage(root.identity));
        if let Ok(file) = std::fs::read_link(format!("/proc/{pid}/exe")) {
            out.fact(&self.name, &facts::EXECUTABLE, file.display().to_string());
        }
        for (kind, value) in allowed::captured(pid, root.identity.start, ticks_per_second) {
            out.fact(&self.name, &kind, value);
        }
        match &root.limit {
            Some((limit, group)) => out.fact(&self.name, &facts::MEMORY_LIMIT, format!("{limit} bytes, of `{group}`")),
            None => out.fact(&self.name, &facts::MEMORY_LIMIT, facts::NO_LIMIT),
        }
        for (kind, value) in disk::captured(&self.members(root.identity)) {
            out.fact(&self.name, &kind, value);
        }
        match &self.pss {
            Pss::Untried => {}
            Pss::Read => out.fact(&self.name, &facts::MEMORY_USED, "proportional set size (PSS)"),
            Pss::Refused(why) => {
                out.fact(&self.name, &facts::MEMORY_USED, format!("resident set size (RSS), since {why}"))
            }
        }
        if let Some(cost) = self.pss_cost.in_words() {
            out.fact(&self.name, &facts::PSS_COST, cost);
        }
    }
}

/// What needs no sample before.
fn levels(tree: &Tree, scan: &Scan, machine: &Machine) -> Vec<(Metric, f64)> {
    let stats = || tree.members.keys().filter_map(|member| scan.get(&member.pid));
    let pages: u64 = stats().map(|stat| stat.resident_pages).sum();
    let mut values = vec![
        (Metric::Rss, pages as f64 * machine.page_bytes as f64),
        (Metric::Reserved, stats().map(|stat| stat.reserved as f64).sum()),
        (Metric::Threads, stats().map(|stat| stat.threads as f64).sum()),
        (Metric::Processes, tree.members.len() as f64),
    ];
    let descriptors: Vec<u64> = tree.members.keys().filter_map(|member| descriptors(member.pid)).collect();
    if !descriptors.is_empty() {
        values.push((Metric::Descriptors, descriptors.iter().sum::<u64>() as f64));
    }
    values
}

/// Growth over the real time between two samples, `seconds` apart.
fn rates(before: &Tree, now: &Tree, seconds: f64, ticks_per_second: f64) -> Vec<(Metric, f64)> {
    if seconds <= 0.0 {
        return Vec::new();
    }
    let grown = now.growth(before);
    let cores = |ticks: u64| ticks as f64 / ticks_per_second / seconds;
    let (user, system) = (cores(grown.user), cores(grown.system));
    let mut values = vec![(Metric::Cpu, user + system), (Metric::User, user), (Metric::System, system)];
    if let Some((read, written)) = now.disk_growth(before) {
        values.extend([(Metric::Read, read as f64 / seconds), (Metric::Write, written as f64 / seconds)]);
    }
    values
}

/// Proportional set size and its swapped part, of all members; a member that has just ended holds nothing.
fn pss(tree: &Tree) -> Result<(u64, u64), String> {
    /// "No such process": the answer for one that has ended since the scan.
    const ENDED: i32 = 3;
    let (mut all, mut all_swapped) = (0u64, 0u64);
    for member in tree.members.keys() {
        let path = format!("/proc/{}/smaps_rollup", member.pid);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let (pss, swapped) = parse::smaps_rollup(&text).unwrap_or_default();
                all = all.saturating_add(pss);
                all_swapped = all_swapped.saturating_add(swapped);
            }
            Err(error) if error.raw_os_error() == Some(ENDED) => {}
            Err(_) if !std::path::Path::new(&format!("/proc/{}/stat", member.pid)).exists() => {}
            Err(error) => return Err(format!("`smaps_rollup` cannot be read: {error}")),
        }
    }
    Ok((all, all_swapped))
}

/// Open descriptors of a process; `None` when they may not be seen.
fn descriptors(pid: u32) -> Option<u64> {
    let path = format!("/proc/{pid}/fd");
    // Since Linux 6.2 the folder's size is their number, which spares reading ten thousand entries.
    let size = std::fs::metadata(&path).ok()?.len();
    if size > 0 { Some(size) } else { Some(std::fs::read_dir(&path).ok()?.count() as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Event;

    fn machine() -> Machine {
        Machine { ticks_per_second: 100.0, page_bytes: 4096, memory_bytes: u64::MAX, clock: Clock::system() }
    }

    #[test]
    fn a_process_of_the_same_name_at_the_same_port_is_a_restart_and_another_is_not() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let watched = Watched { name: "shop".into(), pid: None, url: Some(url) };
        let (machine, mut samples) = (machine(), Samples::default());
        let mut instance = Instance::new(&watched, &machine);
        let here = processes::scan().unwrap();
        let (mut without, mut renamed) = (here.clone(), here.clone());
        without.remove(&std::process::id());
        renamed.get_mut(&std::process::id()).unwrap().name = "stranger".into();
        let mut told = |second: i64, scan: &Scan| -> (usize, Vec<&'static str>) {
            instance.sample(Nanos::from_secs(second), scan, &machine, &mut samples);
            let (values, events) = samples.take();
            (values.len(), events.into_iter().map(|(_, _, event): (_, _, Event)| event.kind).collect())
        };
        assert!(told(0, &here).0 > 5);
        assert_eq!(told(1, &without), (0, vec!["gone"]));
        assert_eq!(told(2, &here), (0, vec![]), "the search is not made at every sample");
        assert_eq!(told(6, &renamed), (0, vec![]), "somebody else has the port now");
        assert_eq!(told(7, &here), (0, vec![]));
        let (values, events) = told(11, &here);
        assert_eq!(events, ["restart"]);
        assert!(values > 5);
        assert_eq!(told(12, &here).1, Vec::<&str>::new());
    }

    #[test]
    fn a_tree_without_reading_rights_uses_the_resident_set_all_along() {
        let (machine, mut samples) = (machine(), Samples::default());
        let watched = Watched { name: "shop".into(), pid: Some(std::process::id()), url: None };
        let mut instance = Instance::new(&watched, &machine);
        instance.pss = Pss::Refused("it is another user's".into());
        for second in 0..3 {
            let scan = processes::scan().unwrap();
            instance.sample(Nanos::from_secs(second), &scan, &machine, &mut samples);
            let (values, _) = samples.take();
            let of = |metric: Metric| values.iter().find(|one| one.metric == metric as u16).map(|one| one.value);
            assert!(of(Metric::Used).is_some() && of(Metric::Used) == of(Metric::Rss) && of(Metric::Pss).is_none());
        }
        let mut facts = Facts::default();
        instance.facts(100.0, &mut facts);
        assert!(facts.0.iter().any(|fact| fact.2 == "resident set size (RSS), since it is another user's"));
    }

    #[test]
    fn costs_in_words() {
        let mut cost = Cost::default();
        assert_eq!(cost.in_words(), None);
        cost.add(Nanos::from_millis(1));
        cost.add(Nanos::from_millis(3));
        assert_eq!(cost.in_words().unwrap(), "mean 2ms, most 3ms, of 2");
    }
}
