//! The system as it runs: who it is, whether it still lives, and how it ended.

use crate::address::Address;
use crate::ask::{Answer, Asker};
use crate::identity::{self, Identity, Wrong};
use crate::listener::{Spot, Tables};
use crate::process::Process;
use crate::replica::{Ended, Event, Placed, Started};
use crate::{LaunchError, alive, listener, log};
use clock::Clock;
use std::collections::{BTreeSet, HashSet};
use study::Instance;
use terms::Nanos;

/// How often the identity is asked for when a question is not answered at all.
const QUESTIONS_MAX: u32 = 3;

/// Pause between two such questions.
const QUESTION_PAUSE: Nanos = Nanos::from_millis(200);

/// Grace for everything together when the run is left without [`Launched::stop`], as after a panic.
const GRACE_OF_DROP: Nanos = Nanos::from_secs(2);

/// Looks in a row at which nothing listens before an instance is said to be gone: the table changes while it is read.
const DEAF_LOOKS: u32 = 2;

/// The system as it runs. Dropping it ends every process that was started.
pub struct Launched {
    pub(crate) running: Vec<Running>,
    clock: Clock,
}

pub(crate) struct Running {
    pub(crate) started: Started,
    pub(crate) instance: Instance,
    pub(crate) replica: u32,
    /// Where it answers HTTP.
    pub(crate) url: Option<Address>,
    /// Asks it.
    pub(crate) asker: Asker,
    pub(crate) process: Option<Process>,
    pub(crate) is_told_a_port: bool,
    /// Its listening sockets, where they can be seen.
    sockets: HashSet<u64>,
    /// Where one of them hangs, where that can be seen.
    spot: Option<Spot>,
    /// Looks in a row at which nothing listened.
    deaf_looks: u32,
    is_reported_gone: bool,
}

/// Outcome of asking for an identity.
pub(crate) enum Identified {
    /// It is the one meant, and tells this.
    Yes(Identity),
    /// The study names nothing to ask.
    NotAsked,
}

impl Launched {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { running: Vec::new(), clock }
    }

    /// What was started, in order of start.
    pub fn started(&self) -> impl Iterator<Item = &Started> {
        self.running.iter().map(|running| &running.started)
    }

    /// Where everything answers, in order of start.
    pub fn placed(&self) -> Vec<Placed> {
        self.started().map(|started| started.placed.clone()).collect()
    }

    /// What died or was restarted since the last look; each once. Cheap enough for once a second: while nothing
    /// changes it costs some microseconds an instance, and it asks nobody. Only where sockets of other users' processes
    /// cannot be seen are the socket tables read, once for all.
    pub fn check(&mut self) -> Vec<Event> {
        let at = self.clock.now();
        let mut tables = None;
        self.running.iter_mut().filter_map(|running| running.check(at, &mut tables)).collect()
    }

    /// How many other replicas of the same instance still live, as far as [`Launched::check`] has seen. `replica` is the
    /// subject of an event.
    pub fn survivors(&self, replica: &str) -> usize {
        let Some(gone) = self.running.iter().find(|running| running.name() == replica) else { return 0 };
        let lives = |other: &&Running| {
            other.instance.name == gone.instance.name && other.name() != replica && !other.is_known_gone()
        };
        self.running.iter().filter(lives).count()
    }

    /// Asks everybody again who they are: whoever answers otherwise than at the start is an event. Instances known to
    /// be gone are not asked.
    pub fn identify_again(&mut self) -> Vec<Event> {
        let mut events = self.check();
        for running in &self.running {
            events.extend(running.identify_again(&self.clock));
        }
        events
    }

    /// Ends these instances, last first, each with the grace of the study, and forgets them.
    pub(crate) fn end_some(&mut self, names: &BTreeSet<String>) -> Vec<Ended> {
        let clock = self.clock.clone();
        let is_one = |running: &Running| names.contains(&running.instance.name);
        let mut some: Vec<Running> = self.running.extract_if(.., |running| is_one(running)).collect();
        some.iter_mut().rev().filter_map(|running| running.end(&clock)).collect()
    }

    /// Ends what was started, last first, each with the grace of the study. Instances that ran already are left alone.
    pub fn stop(mut self) -> Vec<Ended> {
        let clock = self.clock.clone();
        let end = |running: &mut Running| running.end(&clock);
        self.running.iter_mut().rev().filter_map(end).collect()
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        let processes = || self.running.iter().filter_map(|running| running.process.as_ref());
        processes().for_each(Process::ask_to_end);
        let deadline = self.clock.now() + GRACE_OF_DROP;
        for process in self.running.iter_mut().filter_map(|running| running.process.as_mut()) {
            process.end(&self.clock, deadline);
        }
    }
}

impl Running {
    pub(crate) fn new(
        instance: Instance,
        replica: u32,
        url: Option<Address>,
        asker: Asker,
        started: Started,
        process: Option<Process>,
        is_told_a_port: bool,
    ) -> Self {
        let (sockets, spot, deaf_looks, is_reported_gone) = (HashSet::new(), None, 0, false);
        Self {
            started,
            instance,
            replica,
            url,
            asker,
            process,
            is_told_a_port,
            sockets,
            spot,
            deaf_looks,
            is_reported_gone,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.started.placed.name
    }

    /// Ended, or deaf for so long that it was reported.
    fn is_known_gone(&self) -> bool {
        self.is_reported_gone || self.deaf_looks >= DEAF_LOOKS
    }

    /// Error with the last lines of its log.
    pub(crate) fn not_ready(&self, text: String) -> LaunchError {
        let tail = self.last_lines();
        LaunchError::NotReady { instance: self.name().to_owned(), text, tail }
    }

    /// What it wrote last.
    fn last_lines(&self) -> Vec<String> {
        self.process.iter().for_each(Process::wait_for_log);
        self.started.log.as_deref().map(log::tail).unwrap_or_default()
    }

    /// Error that names whoever listens on its port.
    pub(crate) fn stranger(&self, sockets: &HashSet<u64>) -> LaunchError {
        let found = match listener::holder(sockets).map(|pid| (pid, alive::name(pid).unwrap_or_default())) {
            Some((pid, name)) => format!("process {pid} (`{name}`) listens there"),
            None => "a process of somebody else listens there".to_owned(),
        };
        self.not_meant(&self.started.placed.url, Wrong { expected: "our own process should listen".to_owned(), found })
    }

    fn not_meant(&self, address: &str, wrong: Wrong) -> LaunchError {
        LaunchError::NotTheOneMeant {
            instance: self.name().to_owned(),
            address: address.to_owned(),
            expected: wrong.expected,
            found: wrong.found,
        }
    }

    /// Waits a moment; shorter when its process ends.
    pub(crate) fn pause(&self, clock: &Clock, pause: Nanos) {
        match &self.process {
            Some(process) => process.wait(pause),
            None => clock.sleep_until(clock.now() + pause),
        }
    }

    /// Address of a path of the study, which may also be an address of its own.
    fn address(&self, path: &str) -> Result<Address, String> {
        if Address::is_whole(path) {
            return Address::parse(path);
        }
        let url = self
            .url
            .as_ref()
            .ok_or_else(|| format!("`{path}` needs an address that begins with `http://` or `https://`"))?;
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Address::parse(&Address { path, ..url.clone() }.to_string())
    }

    /// Where to ask for readiness, if anything can be asked.
    pub(crate) fn ready_url(&self) -> Option<Result<Address, String>> {
        self.instance.ready.as_deref().map(|path| self.address(path))
    }

    pub(crate) fn remember_sockets(&mut self) {
        if let Some(url) = self.url.as_ref().filter(|url| url.is_loopback()) {
            self.sockets = listener::inodes(url.port);
            self.find_spot();
        }
    }

    fn find_spot(&mut self) {
        self.spot = match &self.process {
            Some(process) => Spot::find(&self.sockets, alive::tree(process.id())),
            None => Spot::find(&self.sockets, alive::all()),
        };
    }

    /// Whether the process that was started has not ended.
    fn is_alive(&self) -> bool {
        self.process.as_ref().is_some_and(|process| process.exit().is_none())
    }

    /// Whether the process that was started listens on its port; `None` when that cannot be seen.
    fn is_listener(&self) -> Option<bool> {
        let (process, url) = (self.process.as_ref()?, self.url.as_ref()?);
        let sockets = listener::inodes(url.port);
        if sockets.is_empty() {
            return None;
        }
        listener::is_held_by(&sockets, &alive::tree(process.id()))
    }

    /// Asks who it is.
    pub(crate) fn identify(&self, clock: &Clock) -> Result<Identified, LaunchError> {
        let is_ours = self.process.is_some();
        let is_listener = self.is_listener();
        if is_listener == Some(false) {
            let port = self.url.as_ref().map_or(0, |url| url.port);
            return Err(self.stranger(&listener::inodes(port)));
        }
        if is_ours && self.instance.ready.is_none() {
            // Nothing can be asked; the process itself is the one that was started.
            return Ok(Identified::Yes(Identity::new()));
        }
        if self.instance.identity.is_empty() || (!is_ours && !self.instance.is_expected()) {
            return Ok(if is_listener == Some(true) { Identified::Yes(Identity::new()) } else { Identified::NotAsked });
        }
        let url = match self.address(&self.instance.identity) {
            Ok(url) => url,
            Err(found) => {
                let expected = "its identity should be asked for".to_owned();
                return Err(self.not_meant(&self.started.placed.url, Wrong { expected, found }));
            }
        };
        let address = url.to_string();
        let answer = self.ask(&url, clock).map_err(|found| LaunchError::Silent {
            instance: self.name().to_owned(),
            address: address.clone(),
            found,
        })?;
        self.compare(&answer, is_listener == Some(true))
            .map(Identified::Yes)
            .map_err(|wrong| self.not_meant(&address, wrong))
    }

    /// A started process that owns the listening socket is proven to be ours by the kernel; then an identity without
    /// a nonce, or none at all, is accepted. One that tells *another* nonce never is.
    fn compare(&self, answer: &Answer, is_proven: bool) -> Result<Identity, Wrong> {
        let signs = &self.instance.signs;
        let text = self.instance.contains.as_deref();
        identity::check_signs(answer, signs, text)?;
        if let Some(text) = text.filter(|_| signs.header.is_none()) {
            identity::check_contained(answer, text, signs.status.is_some())?;
        }
        let found = match identity::read(answer, &self.instance.identity) {
            Ok(found) => found,
            // A text tells no fields, and none are expected.
            Err(_) if self.instance.expect.is_empty() && (is_proven || self.instance.is_expected()) => Identity::new(),
            Err(wrong) => return Err(wrong),
        };
        if let Some(process) = &self.process {
            let is_nonce_told = identity::check_nonce(&found, &self.started.nonce)?;
            if !is_nonce_told && !is_proven {
                return Err(Wrong {
                    expected: "it should tell the `nonce` in `$LOADPROOF_NONCE`".to_owned(),
                    found: "it tells none, and who listens on its port cannot be seen".to_owned(),
                });
            }
            let tree = alive::tree(process.id());
            identity::check_pid(&found, |pid| tree.contains(&pid))?;
        }
        identity::check_expected(&found, &self.instance.expect)?;
        Ok(found)
    }

    /// Asks, again if there is no answer at all: a server that is just ready may still refuse a connection.
    fn ask(&self, address: &Address, clock: &Clock) -> Result<Answer, String> {
        let mut failure = String::new();
        for question in 0..QUESTIONS_MAX {
            if question > 0 {
                clock.sleep_until(clock.now() + QUESTION_PAUSE);
            }
            match self.asker.get(address, clock) {
                Ok(answer) => return Ok(answer),
                Err(why) => failure = why,
            }
        }
        Err(failure)
    }

    /// Only somebody who answers can be another one. Where nobody does, the instance is gone, whether its process or its
    /// socket went first; and where the kernel says that our own process still listens, it is only slow.
    fn identify_again(&self, clock: &Clock) -> Option<Event> {
        if !self.started.is_identified || self.is_known_gone() {
            return None;
        }
        let event = |kind, text| Some(Event { at: clock.now(), kind, subject: self.name().to_owned(), text });
        match self.identify(clock) {
            Ok(Identified::NotAsked) => None,
            Ok(Identified::Yes(now)) => {
                let change = identity::changed(&self.started.identity, &now)?;
                event("restart", format!("`{}` was restarted: {change}", self.name()))
            }
            Err(LaunchError::Silent { .. }) if self.is_alive() && self.is_listener() == Some(true) => None,
            Err(LaunchError::Silent { found, .. }) => {
                event("gone", format!("`{}` no longer answered at the end of the run: {found}", self.name()))
            }
            Err(error) => event("identity", error.to_string()),
        }
    }

    fn check(&mut self, at: Nanos, tables: &mut Option<Tables>) -> Option<Event> {
        if self.is_reported_gone {
            return None;
        }
        let subject = self.name().to_owned();
        if let Some(exit) = self.process.as_ref().and_then(Process::exit) {
            self.is_reported_gone = true;
            let tail = self.last_lines();
            let last = tail.last().map(|line| format!("; it wrote last: {line}")).unwrap_or_default();
            return Some(Event { at, kind: "gone", text: format!("`{subject}` {exit}{last}"), subject });
        }
        let port = self.url.as_ref()?.port;
        if self.sockets.is_empty() || self.spot.as_ref().is_some_and(Spot::is_unchanged) {
            return None;
        }
        let sockets = tables.get_or_insert_with(Tables::read).inodes(port);
        if sockets.is_empty() {
            self.deaf_looks += 1;
            let text = format!("`{subject}` no longer listens on port {port}");
            return (self.deaf_looks == DEAF_LOOKS).then_some(Event { at, kind: "gone", subject, text });
        }
        self.deaf_looks = 0;
        let is_new = sockets.is_disjoint(&self.sockets);
        self.sockets = sockets;
        if is_new || self.spot.is_some() {
            self.find_spot();
        }
        let text = format!("`{subject}` listens on port {port} with a new socket: it was restarted");
        is_new.then_some(Event { at, kind: "restart", subject, text })
    }

    fn end(&mut self, clock: &Clock) -> Option<Ended> {
        let mut process = self.process.take()?;
        process.ask_to_end();
        let (text, is_in_time) = process.end(clock, clock.now() + self.instance.stop);
        Some(Ended { name: self.name().to_owned(), pid: process.id(), text, is_in_time })
    }
}
