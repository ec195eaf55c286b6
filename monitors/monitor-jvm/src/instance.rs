//! One instance: its process tree, the Java virtual machines in it, and where each one's figures come from.

use crate::config::From;
use crate::facts;
use crate::jvm::Jvm;
use crate::locate::{self, PerfFile};
use crate::perf_data::{Table, Unreadable};
use crate::printing::{Printed, Printing};
use crate::reading::Reading;
use clock::Clock;
use contract::{Event, FactKind, Facts, Samples, Watched};
use processes::{Endpoint, Identity, Scan};
use std::collections::{BTreeMap, BTreeSet};
use terms::Nanos;

/// Time between two searches while no machine is known; a little less than a second, so that each sample has one.
const SEARCH_EVERY: Nanos = Nanos::from_millis(900);
/// Time between two searches for further ones.
const LOOK_EVERY: Nanos = Nanos::from_secs(5);
/// Searches after which a Java program without perf data is taken for one that has none.
const PATIENCE: u32 = 5;
/// Times that `jstat` is started for one machine.
const STARTS_MAX: u32 = 3;
/// Machines that are watched in one instance.
const MACHINES_MAX: usize = 16;

/// What all instances share.
pub(crate) struct Setting {
    pub(crate) from: From,
    pub(crate) every: Nanos,
    pub(crate) clock: Clock,
    pub(crate) ticks_per_second: f64,
    /// Start of the machine, seconds since 1970; `None` when it cannot be read.
    pub(crate) booted: Option<i64>,
}

impl Setting {
    /// When a process started, seconds since 1970.
    fn started(&self, process: Identity) -> Option<i64> {
        let after = process.start as f64 / self.ticks_per_second;
        self.booted.filter(|_| after.is_finite()).map(|booted| booted.saturating_add(after as i64))
    }
}

/// An instance that is watched.
pub(crate) struct Instance {
    name: String,
    /// Whether its process was started for the run, so that its end is told by whoever started it.
    is_started: bool,
    endpoint: Option<Endpoint>,
    root: Option<Identity>,
    members: BTreeSet<Identity>,
    machines: Vec<Machine>,
    /// Slots whose machine is gone: one that comes again is a restart.
    gone: BTreeSet<usize>,
    /// Java programs of which nothing can be read yet: searches so far.
    waiting: BTreeMap<Identity, u32>,
    /// How often `jstat` was started for each.
    starts: BTreeMap<Identity, u32>,
    next_search: Nanos,
    /// Why there is no machine.
    pub(crate) why: String,
}

struct Machine {
    identity: Identity,
    slot: usize,
    name: String,
    source: Source,
    jvm: Jvm,
    facts: Vec<(FactKind, String)>,
}

enum Source {
    PerfData(PerfFile),
    Jstat(Printing),
}

impl Instance {
    pub(crate) fn new(watched: &Watched) -> Self {
        // The start time is taken now, while the id is surely still that of the process meant.
        let root = watched.pid.map(|pid| Identity { pid, start: processes::stat_of(pid).map_or(0, |stat| stat.start) });
        Self {
            name: watched.name.clone(),
            is_started: watched.pid.is_some(),
            endpoint: watched.url.as_deref().and_then(processes::own_endpoint),
            root,
            members: BTreeSet::new(),
            machines: Vec::new(),
            gone: BTreeSet::new(),
            waiting: BTreeMap::new(),
            starts: BTreeMap::new(),
            next_search: Nanos(i64::MIN),
            why: format!("`{}` has no process on this machine", watched.name),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a machine of it was read, and is gone.
    pub(crate) fn had_machine(&self) -> bool {
        !self.gone.is_empty()
    }

    /// Adds the values of this moment; whether there were any, or rows of them are still on their way.
    pub(crate) fn sample(&mut self, at: Nanos, setting: &Setting, out: &mut Samples) -> bool {
        self.leave(at, setting, out);
        self.search(at, setting, out);
        let now = setting.clock.now();
        let (mut is_read, mut ended) = (false, None);
        for (place, machine) in self.machines.iter_mut().enumerate() {
            match machine.read(at, now, out) {
                Ok(()) => is_read = true,
                Err(why) => {
                    let is_printing = matches!(machine.source, Source::Jstat(_));
                    self.why = format!("`{}`: {why}", machine.name);
                    ended = ended.or(is_printing.then_some(place));
                }
            }
        }
        if let Some(place) = ended {
            // A `jstat` that has ended is started again at the next search, a few times.
            let machine = self.machines.remove(place);
            let instance = out.instance(&machine.name);
            out.event(at, instance, Event { kind: "jstat", text: self.why.clone() });
        }
        is_read
    }

    /// Lets go of machines that have ended.
    fn leave(&mut self, at: Nanos, setting: &Setting, out: &mut Samples) {
        let is_there = |one: Identity| processes::stat_of(one.pid).is_some_and(|stat| stat.start == one.start);
        let is_root_there = self.root.is_some_and(is_there);
        let (stay, gone) = self.machines.drain(..).partition(|machine| is_there(machine.identity));
        self.machines = stay;
        for machine in gone {
            let Machine { identity, name, slot, .. } = machine;
            self.why = format!("the Java virtual machine of `{name}`, process {}, is gone", identity.pid);
            // The end of a process that was started for the run is told by whoever started it.
            if is_root_there || !self.is_started {
                let instance = out.instance(&name);
                out.event(at, instance, Event { kind: "gone", text: self.why.clone() });
            }
            self.gone.insert(slot);
            self.next_search = setting.clock.now() + SEARCH_EVERY;
        }
        if self.root.is_some() && !is_root_there && !self.is_started {
            self.root = None;
        }
    }

    /// Looks for machines in the tree of the instance.
    fn search(&mut self, at: Nanos, setting: &Setting, out: &mut Samples) {
        let now = setting.clock.now();
        if now < self.next_search {
            return;
        }
        let Ok(scan) = processes::scan() else {
            self.why = "`/proc` cannot be read".to_owned();
            return;
        };
        self.root = self.root.or_else(|| processes::listener(self.endpoint.as_ref()?, &scan));
        self.members = self.family(&scan);
        for member in self.members.clone() {
            let is_known = self.machines.iter().any(|machine| machine.identity == member);
            if !is_known && self.machines.len() < MACHINES_MAX {
                self.attach(member, at, setting, out);
            }
        }
        self.next_search = now + if self.machines.is_empty() { SEARCH_EVERY } else { LOOK_EVERY };
    }

    fn family(&mut self, scan: &Scan) -> BTreeSet<Identity> {
        let found = self.root.and_then(|root| processes::family(root, &self.members, scan));
        if self.machines.is_empty() {
            self.why = match (&found, self.endpoint.as_ref().map(|endpoint| endpoint.port)) {
                (Some(_), _) => format!(
                    "no process of `{}` is a Java virtual machine whose figures can be read (one of another user, or \
                     started with `-XX:-UsePerfData`)",
                    self.name
                ),
                (None, Some(port)) => format!("no process of this machine listens on port {port} for `{}`", self.name),
                (None, None) => format!("`{}` has no process on this machine", self.name),
            };
        }
        found.unwrap_or_default()
    }

    /// Takes a process for a machine when it is one.
    fn attach(&mut self, process: Identity, at: Nanos, setting: &Setting, out: &mut Samples) {
        let file = PerfFile::of(process.pid, setting.started(process));
        let table = match file.as_ref().map(PerfFile::read) {
            Some(Ok(table)) => Some(table),
            Some(Err(Unreadable::NotReady)) => return,
            Some(Err(why)) => return self.fall_back(process, &why.to_string(), at, setting, out),
            None if locate::is_java(process.pid) => {
                let tries = self.waiting.entry(process).or_default();
                *tries += 1;
                // A machine that has only just been started has no file yet.
                if *tries < PATIENCE {
                    return;
                }
                return self.fall_back(process, "it has none that can be found", at, setting, out);
            }
            None => return,
        };
        let (Some(file), Some(table)) = (file, table) else { return };
        // A machine that has no heap yet is looked at again.
        if Reading::of(&table).is_none() {
            return;
        }
        match setting.from {
            From::PerfData => self.add(process, Source::PerfData(file), Some(&table), at, out),
            From::Jstat => self.start_jstat(process, Some(&table), at, setting, out),
        }
    }

    /// Uses `jstat` where perf data was meant to be read, and says so.
    fn fall_back(&mut self, process: Identity, why: &str, at: Nanos, setting: &Setting, out: &mut Samples) {
        let is_first = !self.starts.contains_key(&process);
        if is_first && setting.from == From::PerfData {
            let text = format!(
                "perf data of `{}`, process {}, cannot be read: {why}; `jstat` is tried instead",
                self.name, process.pid
            );
            let instance = out.instance(&self.name);
            out.event(at, instance, Event { kind: "fallback", text });
        }
        self.start_jstat(process, None, at, setting, out);
    }

    fn start_jstat(
        &mut self,
        process: Identity,
        table: Option<&Table>,
        at: Nanos,
        setting: &Setting,
        out: &mut Samples,
    ) {
        let starts = self.starts.entry(process).or_default();
        if *starts >= STARTS_MAX {
            return;
        }
        *starts += 1;
        // A little faster than samples are taken, so that each finds a row.
        match Printing::start(process.pid, setting.every / 5 * 4, &setting.clock) {
            Ok(printing) => self.add(process, Source::Jstat(printing), table, at, out),
            Err(why) => {
                let instance = out.instance(&self.name);
                self.why = format!("`{}`: {why}", self.name);
                out.event(at, instance, Event { kind: "jstat", text: self.why.clone() });
            }
        }
    }

    fn add(&mut self, identity: Identity, source: Source, table: Option<&Table>, at: Nanos, out: &mut Samples) {
        let is_free = |slot: &usize| !self.machines.iter().any(|machine| machine.slot == *slot);
        let slot = (1..).find(is_free).unwrap_or(1);
        let name = if slot == 1 { self.name.clone() } else { format!("{}/{slot}", self.name) };
        let mut captured = table.map(facts::captured).unwrap_or_default();
        captured.push((facts::PROCESS, identity.pid.to_string()));
        let from = match source {
            Source::PerfData(_) => facts::FROM_PERF_DATA,
            Source::Jstat(_) => facts::FROM_JSTAT,
        };
        captured.push((facts::SOURCE, from.to_owned()));
        if let Some(max) = table.and_then(Reading::of).and_then(|reading| reading.heap_max) {
            captured.push((facts::HEAP_MAXIMUM, format!("{max:.0} bytes")));
        }
        if self.gone.remove(&slot) {
            let text = format!("the Java virtual machine of `{name}` runs again, as process {}", identity.pid);
            let instance = out.instance(&name);
            out.event(at, instance, Event { kind: "restart", text });
        }
        self.waiting.remove(&identity);
        self.machines.push(Machine { identity, slot, name, source, jvm: Jvm::default(), facts: captured });
    }

    /// What the machines are, and why there is none.
    pub(crate) fn facts(&mut self, setting: &Setting, out: &mut Facts) {
        if self.machines.is_empty() {
            self.search(Nanos::ZERO, setting, &mut Samples::default());
        }
        if self.machines.is_empty() {
            out.fact(&self.name, &facts::MACHINE, format!("none: {}", self.why));
        }
        for machine in &self.machines {
            for (kind, value) in &machine.facts {
                out.fact(&machine.name, kind, value.clone());
            }
            if !machine.facts.iter().any(|(kind, _)| *kind == facts::HEAP_MAXIMUM)
                && let Some(max) = machine.jvm.heap_max()
            {
                out.fact(&machine.name, &facts::HEAP_MAXIMUM, format!("{max:.0} bytes"));
            }
        }
    }
}

impl Machine {
    /// Hands over what has come since the last time.
    fn read(&mut self, at: Nanos, now: Nanos, out: &mut Samples) -> Result<(), String> {
        let instance = out.instance(&self.name);
        match &mut self.source {
            Source::PerfData(file) => {
                let table = file.read().map_err(|why| format!("perf data cannot be read: {why}"))?;
                let reading = Reading::of(&table).ok_or("its perf data tells of no heap")?;
                self.jvm.take(at, reading, &self.name, instance, out);
            }
            Source::Jstat(printing) => {
                for printed in printing.taken() {
                    match printed {
                        Printed::Maxima(heap, old) => self.jvm.set_maxima(heap, old),
                        // The run's clock and the one that stamps run alike, from different origins.
                        Printed::Row(stamp, row) => {
                            self.jvm.take(at - (now - stamp), row.reading, &self.name, instance, out);
                        }
                        Printed::Ended(why) => return Err(format!("`jstat` has ended: {why}")),
                    }
                }
            }
        }
        Ok(())
    }
}
