//! A machine that is asked, over connections that come and go.

use crate::link::{Link, Waited};
use crate::offset::Offset;
use crate::shared::{Shared, State};
use crate::why::{self, Why};
use clock::Clock;
use contract::{Failure, Machine, Mistakes};
use std::path::PathBuf;
use std::sync::Arc;
use terms::Nanos;

/// How long a first connection may take: name, line, keys and login.
const FIRST_PATIENCE: Nanos = Nanos::from_secs(15);

/// Least time between two attempts to connect.
const ATTEMPTS_APART: Nanos = Nanos::from_secs(5);

/// What has not answered for so long is not waited for: the connection is given up.
const SILENT_MAX: Nanos = Nanos::from_secs(20);

/// Between two looks whether a connection is there.
const LOOK_EVERY: Nanos = Nanos::from_millis(5);

/// How often the clock there is asked for; the quickest answer counts.
const CLOCK_ROUNDS: usize = 5;

/// Another machine. It is connected when it is first asked, and again when a connection was lost. All that ask one machine
/// share a connection, in which each has a shell of its own.
pub struct Remote {
    machine: Machine,
    program: PathBuf,
    clock: Clock,
    link: Option<Link>,
    /// The connection that others use as well; none where each has its own.
    shared: Option<Arc<Shared>>,
    shares: bool,
    /// When the last attempt to connect began.
    attempt: Option<Nanos>,
    /// Why there is no connection.
    why: Why,
}

/// What was answered, and when it was so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    /// From the call of [`Remote::ask`] to the middle of question and answer.
    pub after: Nanos,
    /// By how much at most what was told lies before or behind that: half of the way there and back.
    pub within: Nanos,
}

impl Remote {
    /// A machine that is not connected yet.
    pub fn new(machine: &Machine) -> Self {
        Self::by("ssh".into(), machine)
    }

    pub(crate) fn by(program: PathBuf, machine: &Machine) -> Self {
        let (machine, clock, why) = (machine.clone(), Clock::system(), Why::not_yet());
        let shares = !machine.is_here;
        Self { machine, program, clock, link: None, shared: None, shares, attempt: None, why }
    }

    /// The same with a connection of its own.
    #[cfg(test)]
    pub(crate) fn alone(self) -> Self {
        Self { shares: false, ..self }
    }

    /// The machine's name or address.
    pub fn host(&self) -> &str {
        &self.machine.host
    }

    /// `ssh://user@host:port`, as the study has it.
    pub fn url(&self) -> String {
        self.machine.url()
    }

    /// Connects, and makes sure that there is a `/proc` to be read.
    ///
    /// # Errors
    /// Why that cannot be, at the machine's place in the study, with what to type.
    pub fn reach(&mut self) -> Result<(), Mistakes> {
        let wrong = |why: &Why, machine: &Machine| Mistakes::from(why.mistake(machine));
        match self.ask("[ -r /proc/stat ] && echo there", FIRST_PATIENCE) {
            Ok(answer) if answer.text.trim() == "there" => Ok(()),
            Ok(_) => Err(wrong(&Why::no_proc(), &self.machine)),
            Err(_) => Err(wrong(&self.why, &self.machine)),
        }
    }

    /// Asks a line of shell, without input and without what it prints as errors, and waits at most so long. What a
    /// question changes there, such as a variable, the next one finds.
    ///
    /// # Errors
    /// One sentence: why there is no answer now.
    pub fn ask(&mut self, command: &str, patience: Nanos) -> Result<Answer, Failure> {
        let began = self.clock.now();
        let until = began + patience;
        // What is waited for from before comes first, and nobody wants it any more.
        self.connect(began, until)?;
        self.awaited(until)?;
        let sent = self.clock.now();
        if let Some(link) = &mut self.link {
            link.ask(command, sent);
        }
        let text = self.awaited(until)?;
        let within = (self.clock.now() - sent) / 2;
        Ok(Answer { text, after: sent - began + within, within })
    }

    /// How far the wall clock there is ahead of the one here.
    ///
    /// # Errors
    /// A machine that does not answer, or not with a time.
    pub fn offset(&mut self, patience: Nanos) -> Result<Offset, Failure> {
        let mut best: Option<Offset> = None;
        let until = self.clock.now() + patience;
        for _ in 0..CLOCK_ROUNDS {
            let answer = self.ask("date +%s.%N", until - self.clock.now())?;
            let here = self.clock.wall() - answer.within;
            let found = Offset::of(&answer.text, here, answer.within);
            best = [best, found].into_iter().flatten().min_by_key(|offset| offset.within);
        }
        best.ok_or_else(|| Failure::new(format!("`date` of `{}` tells no time", self.url())))
    }

    /// The connection that is shared, once it is there: what `ssh` is told of it. `None` where there can be none, and
    /// everybody connects for themselves.
    ///
    /// # Errors
    /// A machine that does not answer, or not yet.
    fn shared(&mut self, began: Nanos, until: Nanos) -> Result<Option<String>, Failure> {
        if !self.shares {
            return Ok(None);
        }
        self.shared = Shared::to(&self.program, &self.machine);
        let Some(shared) = &self.shared else { return Ok(None) };
        loop {
            let now = self.clock.now();
            match shared.state() {
                State::There => return Ok(Some(shared.option())),
                // A second attempt would hear the same.
                State::Gone(words) if why::is_told(&words) && !shared.is_of_socket(&words) => {
                    self.attempt = Some(began);
                    return Err(self.lost(why::of(&words)));
                }
                State::Gone(_) => return Ok(None),
                State::Coming if now >= until => {
                    self.why = Why::silent(shared.age());
                    return Err(self.failure());
                }
                State::Coming => self.clock.sleep_until(now + LOOK_EVERY),
            }
        }
    }

    fn connect(&mut self, now: Nanos, until: Nanos) -> Result<(), Failure> {
        if self.link.is_some() {
            return Ok(());
        }
        if self.attempt.is_some_and(|attempt| now - attempt < ATTEMPTS_APART) {
            return Err(self.failure());
        }
        let shared = self.shared(now, until)?;
        self.attempt = Some(now);
        match Link::open(&self.program, &self.machine, shared, &self.clock) {
            Ok(link) => {
                self.link = Some(link);
                Ok(())
            }
            Err(error) => Err(self.lost(Why::no_program(&self.program, &error))),
        }
    }

    /// The answer to what was asked last; empty when nothing was.
    fn awaited(&mut self, until: Nanos) -> Result<String, Failure> {
        let Some(link) = &mut self.link else { return Err(self.failure()) };
        let Some(since) = link.since() else { return Ok(String::new()) };
        match link.wait(until, &self.clock) {
            Waited::Answer(text) => Ok(text),
            Waited::Gone(words) => Err(self.lost(why::of(&words))),
            Waited::NotYet => {
                let silent = self.clock.now() - since;
                self.why = Why::silent(silent);
                if silent >= SILENT_MAX { Err(self.lost(Why::silent(silent))) } else { Err(self.failure()) }
            }
        }
    }

    fn lost(&mut self, why: Why) -> Failure {
        self.link = None;
        self.why = why;
        self.failure()
    }

    fn failure(&self) -> Failure {
        Failure::new(format!("`{}` {}", self.machine.url(), self.why.text))
    }
}
