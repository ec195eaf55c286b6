//! Starting: in order of need, each instance ready and identified before the next.

use crate::address::Address;
use crate::ask::Asker;
use crate::instance::prepare;
use crate::keeper::LogKeeper;
use crate::launched::{Identified, Launched, Running};
use crate::order::order;
use crate::ports::Held;
use crate::process::{Process, Recipe};
use crate::replica::{Ended, PerReplica, Placed, Resolve, Started};
use crate::{LaunchError, alive, listener, log, program, settings};
use clock::Clock;
use contract::{Mistake, Mistakes};
use http_wire::ProxySettings;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use study::Instance;
use terms::Nanos;

/// The interface that started instances listen on.
pub(crate) const HOST: &str = "127.0.0.1";

/// How often an instance is started with other ports when somebody else took the first ones.
const ATTEMPTS_MAX: u32 = 4;

/// Pauses between two questions for readiness: short first, since a small server is ready in milliseconds.
const PAUSE_FIRST: Nanos = Nanos::from_millis(5);
const PAUSE_MAX: Nanos = Nanos::from_millis(100);

/// A wait beyond this is told.
const PATIENT: Nanos = Nanos::from_secs(3);
/// What can be done about a wait.
const WAYS_OUT: &str = "`ready: PATH` names what answers 2xx once it is ready, `ready: none` waits for its port alone, \
                        `tls: { ca: FILE }` asks over TLS, `ready_within: 30s` waits less";

/// Where things are, and how long to wait.
#[derive(Clone)]
pub struct Options<'a> {
    /// The folder of the `loadproof` binary: programs are looked for there first, then on the PATH.
    pub program_folder: PathBuf,
    /// A folder of this run for the instances' files; made if it is missing.
    pub scratch: PathBuf,
    /// The folder for what the instances write, one file each (`lookup.1.log`); made if it is missing.
    pub log_folder: PathBuf,
    /// The run's clock.
    pub clock: Clock,
    /// Longest wait until an instance is ready, where the study does not say.
    pub ready_within: Nanos,
    /// Who looks through what the instances write, before it is in their logs; without one they write themselves.
    pub log_keeper: Option<LogKeeper>,
    /// Tells the user what a longer wait is for.
    pub say: &'a dyn Fn(&str),
    /// Set by somebody else to stop waiting, as on Ctrl-C.
    pub interrupted: Arc<AtomicBool>,
}

impl Options<'_> {
    /// Waits up to two minutes, in which a database can be filled, and cannot be interrupted.
    pub fn new(program_folder: PathBuf, scratch: PathBuf, log_folder: PathBuf, clock: Clock) -> Self {
        let ready_within = Nanos::from_secs(120);
        Self {
            program_folder,
            scratch,
            log_folder,
            clock,
            ready_within,
            log_keeper: None,
            say: &|_| {},
            interrupted: Arc::default(),
        }
    }
}

/// Starts these instances in order of need, waits until each is ready, and makes sure that it is the one meant.
/// Instances that run already are only asked. No address is contacted that the study does not name.
///
/// `base` is the folder in which they start, the study's.
///
/// # Errors
/// [`LaunchError`]; whatever had been started by then is ended again.
pub fn start_instances(
    instances: &[Instance],
    base: &Path,
    resolve: &Resolve<'_>,
    options: &Options<'_>,
) -> Result<Launched, LaunchError> {
    let mut launched = Launched::new(options.clock.clone());
    start_some(instances, &|_| true, base, resolve, options, &mut launched)?;
    Ok(launched)
}

/// Ends these instances, last first, each with the grace of the study, then starts them anew as `instances` has them, in
/// order of need. The others go on.
///
/// `instances` are all of the system; `names` those that are to be started anew. Returns how the old ones ended.
///
/// # Errors
/// [`LaunchError`]; what could be started goes on, and what had been ended stays so.
pub fn renew(
    launched: &mut Launched,
    instances: &[Instance],
    names: &BTreeSet<String>,
    base: &Path,
    resolve: &Resolve<'_>,
    options: &Options<'_>,
) -> Result<Vec<Ended>, LaunchError> {
    let ended = launched.end_some(names);
    start_some(instances, &|name| names.contains(name), base, resolve, options, launched)?;
    Ok(ended)
}

/// Starts those of the instances that are wanted, in order of need.
fn start_some(
    instances: &[Instance],
    is_wanted: &dyn Fn(&str) -> bool,
    base: &Path,
    resolve: &Resolve<'_>,
    options: &Options<'_>,
    launched: &mut Launched,
) -> Result<(), LaunchError> {
    let ordered = order(instances)?;
    for folder in [&options.scratch, &options.log_folder] {
        std::fs::create_dir_all(folder).map_err(|error| {
            Mistake::nowhere("launch::folder", format!("the folder `{}` cannot be made: {error}", folder.display()))
        })?;
    }
    let base = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    let given = launched.placed().into_iter().flat_map(|placed| placed.ports).map(|(_, port)| port).collect();
    let mut starter = Starter { base, resolve, options, given };
    for index in ordered.into_iter().filter(|index| is_wanted(&instances[*index].name)) {
        starter.start_all(&instances[index], launched)?;
    }
    Ok(())
}

struct Starter<'a> {
    base: &'a Path,
    resolve: &'a Resolve<'a>,
    options: &'a Options<'a>,
    /// Ports given out so far; an instance may not be listening on its own yet.
    given: Vec<u16>,
}

/// Why a replica is not ready.
enum Trouble {
    /// Somebody else has its port: worth another attempt.
    PortTaken(LaunchError),
    Fatal(LaunchError),
}

impl Starter<'_> {
    /// Starts all replicas of an instance at once, then waits for each.
    fn start_all(&mut self, instance: &Instance, launched: &mut Launched) -> Result<(), LaunchError> {
        let placed = launched.placed();
        if instance.start.is_none() {
            let running = self.adopt(instance, &placed)?;
            launched.running.push(running);
            let running = launched.running.last_mut().expect("pushed above");
            return self.make_sure(running).map_err(|trouble| match trouble {
                Trouble::PortTaken(error) | Trouble::Fatal(error) => error,
            });
        }
        let first = launched.running.len();
        for replica in 1..=instance.replicas.max(1) {
            let running = self.spawn(instance, replica, &placed)?;
            launched.running.push(running);
        }
        for index in first..launched.running.len() {
            for attempt in 1.. {
                match self.make_sure(&mut launched.running[index]) {
                    Ok(()) => break,
                    Err(Trouble::PortTaken(_)) if attempt < ATTEMPTS_MAX => {
                        let replica = launched.running[index].replica;
                        // The old process ends as its place is taken.
                        launched.running[index] = self.spawn(instance, replica, &placed)?;
                    }
                    Err(Trouble::PortTaken(error) | Trouble::Fatal(error)) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// An instance that runs already.
    fn adopt(&self, instance: &Instance, placed: &[Placed]) -> Result<Running, LaunchError> {
        let node = instance.url.as_ref().ok_or_else(|| {
            Mistake::at(
                instance.place,
                "launch::no-start",
                format!("`{}` has neither `start` nor `url`", instance.name),
            )
            .hint("write `start: program --port $(port)`, or `url: http://…` for what runs already")
        })?;
        let per = PerReplica { name: &instance.name, replica: 1, host: "", ports: &[], nonce: "", faults: "", placed };
        let address = (self.resolve)(instance, &per, node)?;
        let address = address.trim_end_matches('/').to_owned();
        let url = settings::adopted(instance, &address, node.place)?;
        let proxy = settings::proxy(instance, self.base, &|node| (self.resolve)(instance, &per, node))?;
        let asker = self.asker(instance, proxy)?;
        let host = url.as_ref().map(|url| url.host.clone()).unwrap_or_default();
        let ports = url.as_ref().map(|url| ("port".to_owned(), url.port)).into_iter().collect();
        let placed = Placed {
            name: instance.name.clone(),
            instance: instance.name.clone(),
            replica: None,
            host,
            ports,
            url: address,
            pid: None,
        };
        let started = Started {
            placed,
            command: String::new(),
            nonce: String::new(),
            identity: BTreeMap::new(),
            is_identified: false,
            faults: Vec::new(),
            log: None,
        };
        Ok(Running::new(instance.clone(), 1, url, asker, started, None, false))
    }

    /// Starts one replica on free ports.
    fn spawn(&mut self, instance: &Instance, replica: u32, placed: &[Placed]) -> Result<Running, LaunchError> {
        let has_several = instance.replicas > 1 || instance.written.replicas.is_some();
        let name = if has_several { format!("{}.{replica}", instance.name) } else { instance.name.clone() };
        let not_ready = |text: String| LaunchError::NotReady { instance: name.clone(), text, tail: Vec::new() };
        let names = if instance.ports.is_empty() { vec!["port".to_owned()] } else { instance.ports.clone() };
        let held = Held::find(&names, &self.given).map_err(|error| not_ready(format!("has no free port: {error}")))?;
        let nonce = nonce().map_err(|error| not_ready(format!("has no nonce: `/dev/urandom`: {error}")))?;
        let per =
            PerReplica { name: &name, replica, host: HOST, ports: &held.ports, nonce: &nonce, faults: "", placed };
        let prepared = prepare(instance, &per, self.resolve)?;
        let search = std::env::var_os("PATH");
        let program = program::find(&prepared.words[0], &self.options.program_folder, self.base, search.as_deref());
        let program = program.map_err(|why| {
            Mistake::at(instance.place, "launch::no-program", format!("`{}` cannot be started: {why}", instance.name))
                .hint("build it (`cargo build --release`), or write the path of the program in `start`")
        })?;
        let mut environment = prepared.environment;
        let own = [
            ("LOADPROOF_NONCE", nonce.clone()),
            ("LOADPROOF_PARENT_PID", std::process::id().to_string()),
            ("LOADPROOF_INSTANCE", name.clone()),
        ];
        environment.extend(own.map(|(name, value)| (name.to_owned(), value)));
        let log = self.options.log_folder.join(format!("{}.log", file_name(&name)));
        // Ports are let go at the last moment.
        let ports = held.release();
        self.given.extend(ports.iter().map(|(_, port)| *port));
        let recipe = Recipe {
            program,
            arguments: &prepared.words[1..],
            environment: &environment,
            cores: &instance.cores,
            folder: self.base,
            log: &log,
            keeper: self.options.log_keeper.as_ref(),
        };
        let process = Process::start(&recipe).map_err(not_ready)?;
        let is_tls = instance.tls.is_some();
        let url = Address { is_tls, host: HOST.to_owned(), port: ports[0].1, path: "/".to_owned() };
        let asker = self.asker(instance, None)?;
        let placed = Placed {
            name: name.clone(),
            instance: instance.name.clone(),
            replica: has_several.then_some(replica),
            host: HOST.to_owned(),
            url: url.origin(),
            ports,
            pid: Some(process.id()),
        };
        let started = Started {
            placed,
            command: prepared.shown,
            nonce,
            identity: BTreeMap::new(),
            is_identified: false,
            faults: prepared.faults,
            log: Some(log),
        };
        Ok(Running::new(instance.clone(), replica, Some(url), asker, started, Some(process), prepared.is_told_a_port))
    }

    /// What asks an instance.
    fn asker(&self, instance: &Instance, proxy: Option<ProxySettings>) -> Result<Asker, Mistake> {
        let mut mistakes = Mistakes::default();
        let settings = settings::tls(instance, self.base, &mut mistakes);
        match mistakes.0.into_iter().next() {
            None => Ok(Asker::new(settings, proxy, instance.signs.header.clone())),
            Some(first) => Err(first),
        }
    }

    /// Waits until it is ready, then asks who it is.
    fn make_sure(&self, running: &mut Running) -> Result<(), Trouble> {
        self.wait_until_ready(running)?;
        match running.identify(&self.options.clock).map_err(Trouble::Fatal)? {
            Identified::Yes(identity) => {
                running.started.identity = identity;
                running.started.is_identified = true;
            }
            Identified::NotAsked => {}
        }
        running.remember_sockets();
        Ok(())
    }

    fn wait_until_ready(&self, running: &Running) -> Result<(), Trouble> {
        let clock = &self.options.clock;
        let begun = clock.now();
        let within = running.instance.ready_within.unwrap_or(self.options.ready_within);
        let deadline = begun + within;
        let mut is_told = false;
        let mut pause = PAUSE_FIRST;
        loop {
            if self.options.interrupted.load(Ordering::Relaxed) {
                return Err(Trouble::Fatal(LaunchError::Interrupted { instance: running.name().to_owned() }));
            }
            let is_late = clock.now() >= deadline;
            self.look_for_trouble(running)?;
            match look(running, clock) {
                Ok(()) => return self.look_for_trouble(running),
                Err(seen) if is_late => {
                    let text = format!("was not ready within {within}: {seen}; look at its log; {WAYS_OUT}");
                    return Err(Trouble::Fatal(running.not_ready(text)));
                }
                Err(seen) => {
                    if !is_told && clock.now() - begun >= PATIENT {
                        is_told = true;
                        let name = running.name();
                        (self.options.say)(&format!("waiting up to {within} for `{name}`: {seen}; {WAYS_OUT}"));
                    }
                    running.pause(clock, pause.min(deadline - clock.now()));
                }
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Whether the process ended, or a stranger listens on its port.
    fn look_for_trouble(&self, running: &Running) -> Result<(), Trouble> {
        let (Some(process), Some(url)) = (&running.process, &running.url) else { return Ok(()) };
        if let Some(exit) = process.exit() {
            let error = running.not_ready(format!("{exit} before it was ready"));
            let LaunchError::NotReady { tail, .. } = &error else { return Err(Trouble::Fatal(error)) };
            let is_taken = log::says_address_in_use(tail);
            return Err(if is_taken { Trouble::PortTaken(error) } else { Trouble::Fatal(error) });
        }
        let sockets = listener::inodes(url.port);
        if sockets.is_empty() || listener::is_held_by(&sockets, &alive::tree(process.id())) != Some(false) {
            return Ok(());
        }
        // A process that just came or went may have been missed between the two readings.
        running.pause(&self.options.clock, PAUSE_FIRST);
        let sockets = listener::inodes(url.port);
        if sockets.is_empty() || listener::is_held_by(&sockets, &alive::tree(process.id())) != Some(false) {
            return Ok(());
        }
        Err(Trouble::PortTaken(running.stranger(&sockets)))
    }
}

/// Whether it is ready now; else what is seen instead.
fn look(running: &Running, clock: &Clock) -> Result<(), String> {
    let Some(url) = running.ready_url() else {
        // Nothing can be asked. One that was told a port can at least be expected to listen.
        return match (&running.process, &running.url) {
            (Some(_), Some(url)) if running.is_told_a_port && listener::inodes(url.port).is_empty() => {
                Err(format!("it does not listen on its port {}", url.port))
            }
            _ => Ok(()),
        };
    };
    let url = url?;
    let answer = running.asker.get(&url, clock).map_err(|why| format!("`{url}`: {why}"))?;
    if answer.is_success() { Ok(()) } else { Err(format!("`{url}` answers with status {}", answer.status)) }
}

/// 16 random bytes as hexadecimal digits.
fn nonce() -> std::io::Result<String> {
    use std::io::Read;
    let mut bytes = [0u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The name with everything that could lead out of a folder replaced.
fn file_name(name: &str) -> String {
    let is_harmless = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = name.chars().map(|c| if is_harmless(c) { c } else { '_' }).collect();
    if name.starts_with('.') { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_differ_and_file_names_stay_in_their_folder() {
        assert_ne!(nonce().unwrap(), nonce().unwrap());
        assert_eq!(nonce().unwrap().len(), 32);
        assert_eq!(file_name("lookup.1"), "lookup.1");
        assert_eq!(file_name("../x"), "_.._x");
    }
}
