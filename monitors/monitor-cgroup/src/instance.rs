//! One instance over time: its group or container, the reading before, what was told of it.

use crate::docker::{About, Container};
use crate::facts::{
    CPU_LIMIT, FROM_DOCKER, FROM_FILES, GROUP, IMAGE, MEMORY_LIMIT, NO_LIMIT, NOT_TOLD, SHARED, SOURCE,
};
use crate::group::{Group, Tree, network_of};
use crate::reading::Reading;
use clock::Clock;
use contract::{Event, Facts, Samples, Watched};
use processes::Endpoint;
use terms::Nanos;

/// Time between two searches for a group that does not exist.
const SEARCH_EVERY: Nanos = Nanos::from_secs(5);

/// What all instances are watched with.
pub(crate) struct Setting {
    pub(crate) clock: Clock,
    pub(crate) ticks_per_second: f64,
    /// What one look at a container may take.
    pub(crate) patience: Nanos,
}

/// Where the figures come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Process(Tree),
    Path(Tree, String),
    Docker(Container),
}

/// An instance that is watched.
pub(crate) struct Instance {
    pub(crate) name: String,
    source: Source,
    pid: Option<u32>,
    /// Whether its process was started for the run.
    is_started: bool,
    /// Where it listens, when that is on this machine.
    endpoint: Option<Endpoint>,
    pub(crate) group: Option<Group>,
    about: About,
    before: Option<(Nanos, Reading)>,
    next_search: Nanos,
    was_oom_killed: bool,
    /// The instance before it whose group it shares: the figures are there.
    pub(crate) shared_with: Option<String>,
    /// Why there is no sample.
    pub(crate) why: String,
}

impl Instance {
    pub(crate) fn new(watched: &Watched, source: Source) -> Self {
        Self {
            name: watched.name.clone(),
            source,
            pid: watched.pid,
            is_started: watched.pid.is_some(),
            endpoint: watched.url.as_deref().and_then(processes::own_endpoint),
            group: None,
            about: About::default(),
            before: None,
            next_search: Nanos(i64::MIN),
            was_oom_killed: false,
            shared_with: None,
            why: String::new(),
        }
    }

    /// Whether it has to have a group: it is named, or the instance runs on this machine. One that runs elsewhere has none
    /// that could be missing.
    pub(crate) fn is_expected(&self) -> bool {
        self.is_started || self.endpoint.is_some() || !matches!(self.source, Source::Process(_))
    }

    /// Looks for the group, at most every few seconds.
    pub(crate) fn find(&mut self, at: Nanos, setting: &Setting) {
        if self.group.is_some() || at < self.next_search {
            return;
        }
        self.next_search = at + SEARCH_EVERY;
        let process = self.process();
        let found = match &self.source {
            Source::Path(tree, path) => tree.at(path),
            Source::Process(tree) => match process {
                Some(pid) => tree.of_process(pid),
                None => Err("none is a process of this machine; name its group with `path`".to_owned()),
            },
            Source::Docker(container) => match container.about(setting.patience, &setting.clock) {
                Ok(about) => {
                    self.about = about;
                    return;
                }
                Err(why) => Err(why),
            },
        };
        match found {
            Ok(group) => self.group = Some(group),
            Err(why) => self.why = format!("`{}`: {why}", self.name),
        }
    }

    /// The process of the instance. One that was found by its port is kept, since looking for it costs milliseconds.
    fn process(&mut self) -> Option<u32> {
        self.pid = self.pid.filter(|pid| processes::stat_of(*pid).is_some());
        if self.pid.is_none() {
            self.pid = processes::listener(self.endpoint.as_ref()?, &processes::scan().ok()?).map(|found| found.pid);
        }
        self.pid
    }

    fn read(&self, setting: &Setting) -> Result<Reading, String> {
        match (&self.source, &self.group) {
            (Source::Docker(container), _) => container.read(&self.about, setting.patience, &setting.clock),
            (_, None) => Err(String::new()),
            (Source::Process(tree) | Source::Path(tree, _), Some(group)) => {
                let mut reading = group.read(setting.ticks_per_second);
                if reading.is_empty() {
                    return Err("its control group is gone".to_owned());
                }
                reading.network = self.pid.and_then(|pid| network_of(&tree.proc, pid));
                Ok(reading)
            }
        }
    }

    /// Adds the values of this moment; false when there are none, and `why` says why.
    pub(crate) fn sample(&mut self, at: Nanos, setting: &Setting, out: &mut Samples) -> bool {
        self.find(at, setting);
        if self.shared_with.is_some() {
            return true;
        }
        let number = out.instance(&self.name);
        let reading = match self.read(setting) {
            Ok(reading) => reading,
            Err(why) => {
                if !why.is_empty() {
                    self.why = format!("`{}`: {why}", self.name);
                }
                (self.group, self.before) = (None, None);
                self.ended(at, setting, number, out);
                return false;
            }
        };
        reading.add_to(self.before.as_ref(), at, number, out);
        let killed = self.before.as_ref().map_or(0, |(_, before)| reading.killed_since(before));
        if killed > 0 {
            let text =
                format!("for lack of memory the kernel killed processes of the group of `{}`: {killed}", self.name);
            out.event(at, number, Event { kind: "oom_kill", text });
        }
        (self.before, self.was_oom_killed) = (Some((at, reading)), false);
        true
    }

    /// A container that has ended may have been killed for lack of memory: Docker says so when asked.
    fn ended(&mut self, at: Nanos, setting: &Setting, number: u32, out: &mut Samples) {
        let Source::Docker(container) = &self.source else { return };
        let Ok(about) = container.about(setting.patience, &setting.clock) else { return };
        if about.was_oom_killed && !about.is_running && !std::mem::replace(&mut self.was_oom_killed, true) {
            let text = format!("container `{}` of `{}` was killed for lack of memory", container.name, self.name);
            out.event(at, number, Event { kind: "oom_kill", text });
        }
    }

    /// What the group is now.
    pub(crate) fn facts(&mut self, setting: &Setting, out: &mut Facts) {
        self.find(Nanos(i64::MAX / 2), setting);
        self.next_search = Nanos(i64::MIN);
        let name = &self.name.clone();
        let place = match (&self.source, &self.group) {
            (Source::Docker(container), _) => format!("container `{}`", container.name),
            (_, Some(group)) => group.folders().join(", "),
            (_, None) => self.why.clone(),
        };
        out.fact(name, &GROUP, place);
        let is_docker = matches!(self.source, Source::Docker(_));
        out.fact(name, &SOURCE, if is_docker { FROM_DOCKER } else { FROM_FILES });
        if !self.about.image.is_empty() {
            out.fact(name, &IMAGE, self.about.image.clone());
        }
        if let Some(other) = &self.shared_with {
            out.fact(name, &SHARED, format!("`{other}`, whose figures are those of both"));
        }
        let Ok(reading) = self.read(setting) else { return };
        let cores = reading.cpu_limit.map_or(NO_LIMIT.to_owned(), |cores| format!("{cores} cores"));
        out.fact(name, &CPU_LIMIT, cores);
        let bytes = reading.memory_limit.map_or(NO_LIMIT.to_owned(), |bytes| format!("{bytes} bytes"));
        out.fact(name, &MEMORY_LIMIT, bytes);
        let not_told = not_told(&reading);
        if !not_told.is_empty() {
            out.fact(name, &NOT_TOLD, not_told.join(", "));
        }
    }
}

/// Metrics whose source is missing.
fn not_told(reading: &Reading) -> Vec<&'static str> {
    let is_told = [
        ("cpu", reading.cpu_s.is_some()),
        ("throttled", reading.periods.is_some()),
        ("memory", reading.memory.is_some()),
        ("oom_kills", reading.oom_kills.is_some()),
        ("cpu_pressure", reading.some_us[0].is_some()),
        ("memory_pressure", reading.some_us[1].is_some()),
        ("io_pressure", reading.some_us[2].is_some()),
        ("tasks", reading.tasks.is_some()),
        ("read, write", reading.disk.is_some()),
        ("net_in, net_out", reading.network.is_some()),
    ];
    is_told.into_iter().filter(|(_, is_told)| !is_told).map(|(name, _)| name).collect()
}
