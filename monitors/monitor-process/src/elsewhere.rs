//! Process trees of another machine, over ssh, or of this one where a node chooses them.
//!
//! Memory, descriptors and disks are those of the processes that an instance had at the sample before, as far as they are
//! still there: which they are, only the answer says. One that is new is looked into from the next sample on.
//! For facts before the first sample, which name the disk of their data, they are looked for by themselves.

mod disks;

use crate::facts;
use crate::instance::{PSS_EVERY, PSS_SHARE, Pss};
use crate::metrics::Metric;
use crate::parse;
use crate::tree::{Member, Tree};
use contract::{BuildContext, Event, FactKind, Facts, Failure, Machine, Mistakes, Monitor, MonitorSettings, Samples};
use processes::{Identity, Scan};
use remote::{Change, Chosen, Moment, Sampled, Told};
use terms::Nanos;

/// What Linux counts processor time in, unless `getconf` there says otherwise: in ticks a second, and in bytes of a page.
const UNITS: (f64, f64) = (100.0, 4096.0);

/// Processes of an instance that are looked into one by one. Of more, none is: a part would pass for the whole.
const MEMBERS_MAX: usize = 64;

/// Processes of all instances that are looked into. Each adds some 70 bytes to a question, which a pipe has to hold: 64 KiB.
const LOOKED_INTO_MAX: usize = 256;

/// Readings of the proportional set size that fail one after another before it counts as refused: the first may have met a
/// process that was just ending.
const FAILED_MAX: u8 = 2;

/// Longest wait for what is asked once, and for all questions about disks together.
const ONCE: Nanos = Nanos::from_secs(4);

/// Watches process trees of another machine.
pub(crate) struct Elsewhere {
    name: String,
    there: Sampled,
    instances: Vec<Instance>,
    /// Ticks a second and bytes of a page, once they are known.
    units: Option<(f64, f64)>,
    descriptors: Descriptors,
}

/// How open descriptors are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Descriptors {
    /// Since Linux 6.2 the size of `/proc/PID/fd` is their number.
    BySize,
    /// Before that, by their names, of which there may be ten thousands.
    ByName,
}

struct Instance {
    chosen: Chosen,
    before: Option<(Moment, Tree)>,
    pss: Pss,
    /// How often it could not be read since it was last.
    failed: u8,
    /// When it is to be read again.
    next_pss: Nanos,
    asked: Asked,
}

/// What was asked of an instance.
#[derive(Debug, Default)]
struct Asked {
    /// Its processes that are looked into.
    members: Vec<Identity>,
    /// Why none is, where it has some.
    too_many: Option<String>,
    /// Whether their proportional set size is read.
    pss: bool,
}

impl Elsewhere {
    pub(crate) fn build(
        settings: &MonitorSettings,
        machine: &Machine,
        context: &BuildContext<'_>,
    ) -> Result<Self, Mistakes> {
        let chosen = remote::chosen(settings, context)?;
        let instances = chosen.into_iter().map(Instance::new).collect();
        let there = Sampled::new(machine, settings.every);
        let (name, descriptors) = (settings.name.clone(), Descriptors::BySize);
        Ok(Self { name, there, instances, units: None, descriptors })
    }

    /// What is asked: all processes, and of those that belonged to an instance at the sample before what is in their files.
    fn question(&mut self, at: Nanos) -> String {
        let mut files = processes_and(self.instances.iter().filter_map(|instance| instance.chosen.path()));
        let mut pids = Vec::new();
        for instance in &mut self.instances {
            instance.ask(at, LOOKED_INTO_MAX - pids.len());
            for Identity { pid, .. } in &instance.asked.members {
                pids.push(*pid);
                files += &format!(" /proc/{pid}/io");
                if instance.asked.pss {
                    files += &format!(" /proc/{pid}/smaps_rollup");
                }
            }
        }
        self.descriptors.question(&pids) + &remote::lines_of(&files)
    }

    fn units(&mut self) -> (f64, f64) {
        if self.units.is_none() {
            let answer = self.there.remote.ask("getconf CLK_TCK; getconf PAGESIZE", ONCE);
            self.units = answer.ok().map(|answer| units(&answer.text));
        }
        self.units.unwrap_or(UNITS)
    }

    /// The facts on the disk of each instance.
    fn disks(&mut self) -> Vec<Vec<(FactKind, String)>> {
        let mut left = ONCE;
        let remote = &mut self.there.remote;
        let mut ask = |question: &str| {
            let answer = remote.ask(question, left).ok()?;
            // The whole of the time that it took.
            left = left - answer.after - answer.within;
            Some(answer.text)
        };
        // Before the first sample nobody has said yet which processes there are.
        if self.instances.iter().all(|instance| instance.chosen.members().is_empty()) {
            let paths = self.instances.iter().filter_map(|instance| instance.chosen.path());
            let answer = ask(&remote::lines_of(&processes_and(paths))).unwrap_or_default();
            let files = remote::files(&answer).into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
            let scan = remote::scan(&files);
            for instance in &mut self.instances {
                instance.chosen.find(&scan, &files);
            }
        }
        let pids = |instance: &Instance| instance.chosen.members().iter().map(|member| member.pid).collect();
        let pids: Vec<Vec<u32>> = self.instances.iter().map(pids).collect();
        disks::captured(&pids, &mut ask)
    }
}

/// The state of every process, and some files besides.
fn processes_and(paths: impl Iterator<Item = String>) -> String {
    paths.fold("/proc/[0-9]*/stat".to_owned(), |files, path| files + " " + &path)
}

impl Descriptors {
    /// Asks for those of each process, as a line of the file `/proc/PID/fd`.
    fn question(self, pids: &[u32]) -> String {
        if pids.is_empty() {
            return String::new();
        }
        let each = |part: &dyn Fn(&u32) -> String| pids.iter().map(part).collect::<String>();
        match self {
            Self::BySize => format!("stat -c %n:%s{}; ", each(&|pid| format!(" /proc/{pid}/fd"))),
            // The shell counts by itself, without a process for each.
            Self::ByName => {
                let pids = each(&|pid| format!(" {pid}"));
                format!(
                    "for p in{pids}; do set -- /proc/$p/fd/*; if [ -h \"$1\" ]; then echo /proc/$p/fd:$#; fi; done; "
                )
            }
        }
    }

    /// What that answer says of one process; `None` where they cannot be seen, or not in that way.
    fn of(told: &Told, pid: u32) -> Option<u32> {
        told.files.get(&format!("/proc/{pid}/fd"))?.trim().parse().ok().filter(|count| *count > 0)
    }
}

/// Two numbers, as `getconf` prints them.
fn units(text: &str) -> (f64, f64) {
    let mut numbers = text.lines().map(|line| line.trim().parse::<u32>().ok().filter(|number| *number > 0));
    let mut next = |or: f64| numbers.next().flatten().map_or(or, f64::from);
    (next(UNITS.0), next(UNITS.1))
}

impl Monitor for Elsewhere {
    fn ready(&mut self) -> Result<(), Mistakes> {
        self.there.remote.reach()
    }

    fn facts(&mut self, out: &mut Facts) {
        let (ticks, _) = self.units();
        let disks = self.disks();
        for (Instance { chosen, pss, .. }, disk) in self.instances.iter().zip(disks) {
            out.fact(&chosen.name, &facts::PROCESS, format!("{} of `{}`", chosen.in_words(), self.there.remote.url()));
            for (kind, value) in disk {
                out.fact(&chosen.name, &kind, value);
            }
            let used = match pss {
                Pss::Untried => continue,
                Pss::Read => "proportional set size (PSS)".to_owned(),
                Pss::Refused(why) => format!("resident set size (RSS), since {why}"),
            };
            out.fact(&chosen.name, &facts::MEMORY_USED, used);
        }
        out.fact(&self.name, &facts::RATES, facts::REAL_TIME);
        out.fact(&self.name, &facts::TICKS, ticks.to_string());
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let units = self.units();
        let question = self.question(at);
        let first = self.instances.first().map_or("", |instance| instance.chosen.name.as_str());
        let number = out.instance(first);
        let told = self.there.sample(&question, at, number, out)?;
        let mut asked = self.instances.iter().flat_map(|one| &one.asked.members).peekable();
        if asked.peek().is_some() && asked.all(|one| Descriptors::of(&told, one.pid).is_none()) {
            self.descriptors = Descriptors::ByName;
        }
        let scan = remote::scan(&told.files);
        for instance in &mut self.instances {
            instance.sample(&told, &scan, units, out);
        }
        if self.instances.iter().all(|instance| instance.chosen.members().is_empty()) {
            let names: Vec<String> = self.instances.iter().map(|instance| instance.chosen.in_words()).collect();
            return Err(Failure::new(format!("{} are not on `{}`", names.join(", "), self.there.remote.url())));
        }
        Ok(())
    }
}

impl Instance {
    fn new(chosen: Chosen) -> Self {
        let (before, pss, next_pss) = (None, Pss::Untried, Nanos(i64::MIN));
        Self { chosen, before, pss, failed: 0, next_pss, asked: Asked::default() }
    }

    /// Decides what is asked of it; at most `left` processes are looked into.
    fn ask(&mut self, at: Nanos, left: usize) {
        let members = self.chosen.members();
        let too_many = match members.len() {
            count if count > MEMBERS_MAX => Some(format!("it has more than {MEMBERS_MAX} processes")),
            count if count > left => Some(format!("all instances have more than {LOOKED_INTO_MAX} processes")),
            _ => None,
        };
        let members: Vec<Identity> = members.iter().copied().filter(|_| too_many.is_none()).collect();
        let pss = !members.is_empty() && at >= self.next_pss && !matches!(self.pss, Pss::Refused(_));
        self.asked = Asked { members, too_many, pss };
    }

    fn sample(&mut self, told: &Told, scan: &Scan, units: (f64, f64), out: &mut Samples) {
        let (number, at) = (out.instance(&self.chosen.name), told.moment.at);
        let was_there = self.before.is_some();
        match self.chosen.find(scan, &told.files) {
            Change::Same => {}
            Change::Gone => {
                let text = format!("{} are gone", self.chosen.in_words());
                out.event(at, number, Event { kind: "gone", text });
            }
            Change::New => {
                if was_there {
                    let text = format!("{} are others than before", self.chosen.in_words());
                    out.event(at, number, Event { kind: "restart", text });
                }
                self.before = None;
            }
        }
        // What was asked of a process that has gone since may be another's by now.
        self.asked.members.retain(|identity| self.chosen.members().contains(identity));
        if self.chosen.members().is_empty() {
            return out.missing(number, format!("{} are not there", self.chosen.in_words()));
        }
        for (metric, value) in self.values(told, scan, units) {
            out.value(at, number, metric as u16, value);
        }
    }

    /// What is known of it now; rates since the sample before.
    fn values(&mut self, told: &Told, scan: &Scan, (ticks, page): (f64, f64)) -> Vec<(Metric, f64)> {
        let tree = self.tree(told, scan);
        let sum = |part: fn(&processes::Stat) -> u64| {
            tree.members.keys().filter_map(|one| scan.get(&one.pid)).map(|stat| part(stat) as f64).sum::<f64>()
        };
        let resident = sum(|stat| stat.resident_pages) * page;
        let mut values = vec![
            (Metric::Rss, resident),
            (Metric::Reserved, sum(|stat| stat.reserved)),
            (Metric::Threads, sum(|stat| stat.threads)),
            (Metric::Processes, tree.members.len() as f64),
        ];
        let descriptors = self.asked.members.iter().filter_map(|one| Descriptors::of(told, one.pid));
        let descriptors: Vec<f64> = descriptors.map(f64::from).collect();
        if !descriptors.is_empty() {
            values.push((Metric::Descriptors, descriptors.iter().sum()));
        }
        values.extend(self.memory(told, scan, resident));
        let since = self.before.as_ref().and_then(|(before, _)| told.moment.since(before));
        if let Some((seconds, (_, before))) = since.zip(self.before.as_ref()) {
            let grown = tree.growth(before);
            let cores = |grown: u64| grown as f64 / ticks / seconds;
            let (user, system) = (cores(grown.user), cores(grown.system));
            values.extend([(Metric::Cpu, user + system), (Metric::User, user), (Metric::System, system)]);
            if let Some((read, written)) = tree.disk_growth(before) {
                values.extend([(Metric::Read, read as f64 / seconds), (Metric::Write, written as f64 / seconds)]);
            }
        }
        self.before = Some((told.moment, tree));
        values
    }

    fn tree(&self, told: &Told, scan: &Scan) -> Tree {
        let disk = |identity: &Identity| {
            let io = told.files.get(&format!("/proc/{}/io", identity.pid))?;
            parse::io(io).filter(|_| self.asked.members.contains(identity))
        };
        let member = |identity: &Identity| {
            let stat = scan.get(&identity.pid)?;
            let processes::Stat { own, children, parent, .. } = *stat;
            Some((*identity, Member { own, children, disk: disk(identity), parent }))
        };
        Tree { members: self.chosen.members().iter().filter_map(member).collect() }
    }

    /// `pss`, `swap` and `used`, which never changes from one kind to the other.
    fn memory(&mut self, told: &Told, scan: &Scan, resident: f64) -> Vec<(Metric, f64)> {
        let read = self.asked.pss.then(|| pss(&self.asked.members, told, scan)).flatten();
        if let Some(Ok((pss, swap))) = read {
            (self.pss, self.failed) = (Pss::Read, 0);
            // Question and answer took as long as the reading did, or longer.
            self.next_pss = told.moment.at + PSS_EVERY.max(told.moment.within * 2 * PSS_SHARE);
            return vec![(Metric::Pss, pss as f64), (Metric::Used, pss as f64), (Metric::Swap, swap as f64)];
        }
        if self.pss == Pss::Untried {
            self.failed += u8::from(read.is_some());
            let refused = read.and_then(Result::err).filter(|_| self.failed >= FAILED_MAX);
            if let Some(why) = self.asked.too_many.clone().or(refused) {
                self.pss = Pss::Refused(why);
            }
        }
        match self.pss {
            Pss::Refused(_) => vec![(Metric::Used, resident)],
            Pss::Untried | Pss::Read => Vec::new(),
        }
    }
}

/// Proportional set size and its swapped part, of all processes asked for that have memory: what has ended and was not yet
/// waited for has none. `None` where none of them is there any more.
fn pss(asked: &[Identity], told: &Told, scan: &Scan) -> Option<Result<(u64, u64), String>> {
    let has_memory = |one: &&Identity| scan.get(&one.pid).is_some_and(|stat| stat.reserved > 0);
    let read = |one: &Identity| parse::smaps_rollup(told.files.get(&format!("/proc/{}/smaps_rollup", one.pid))?);
    let all: Vec<Option<(u64, u64)>> = asked.iter().filter(has_memory).map(read).collect();
    if all.is_empty() {
        return None;
    }
    let sum = all.into_iter().try_fold((0u64, 0u64), |(pss, swapped), one| {
        let (own, own_swapped) = one?;
        Some((pss.saturating_add(own), swapped.saturating_add(own_swapped)))
    });
    Some(sum.ok_or_else(|| "`smaps_rollup` of all of its processes cannot be read there".to_owned()))
}

/// Takes a text for every answer, and leaves the result.
#[cfg(feature = "fuzz")]
pub(crate) use disks::parsed;

#[cfg(test)]
mod tests;
