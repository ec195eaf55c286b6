//! The driver `job`: starts work of the system by one request, and asks for it until it is done.
//!
//! A slot holds one HTTP session, which carries out the parts: the start, and one poll after the other. Between polls
//! the engine wakes the session by the clock; whatever happens on the idle connection meanwhile is the HTTP session's.

pub(crate) mod part;

use crate::common::Common;
use crate::config::{Exchange, job};
use crate::driver;
use crate::endpoint::Endpoint;
use crate::session::{Ended, HttpSession};
use contract::{
    BuildContext, Cancel, Destination, Driver, Failure, Interest, Mistake, Mistakes, Notice, Recorder, Session,
    Settings, Slot, Task,
};
use http_wire::{Counted, found, say};
use part::JobAnswer;
use std::rc::Rc;
use terms::{Nanos, Outcome};

/// Times that a job was asked for.
const COUNT_POLLS: u8 = Counted::NAMES.len() as u8;
/// The words of `http`, and its own.
pub(crate) const MESSAGES: contract::Catalogues = &[
    ("en", concat!(include_str!("../messages/en.ftl"), include_str!("../messages/job.en.ftl"))),
    ("nl", concat!(include_str!("../messages/nl.ftl"), include_str!("../messages/job.nl.ftl"))),
    ("da", concat!(include_str!("../messages/da.ftl"), include_str!("../messages/job.da.ftl"))),
];

/// The counters of the HTTP session, and that of the polls.
pub(crate) const COUNTERS: &[&str] = &{
    let mut names = ["polls"; Counted::NAMES.len() + 1];
    let (session, _) = names.split_at_mut(Counted::NAMES.len());
    session.copy_from_slice(&Counted::NAMES);
    names
};

/// Builds the driver for all jobs of a study. Job n of the study is the parts 2n, its start, and 2n + 1, its poll.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let (mut endpoints, mut parts, mut every) = (Vec::new(), Vec::new(), Vec::new());
    for settings in all {
        if settings.operation != "http" {
            let what = format!("`job` has no operation `{}`", settings.operation);
            mistakes.push(Mistake::at(settings.node.place, "study::unknown-operation", what));
            continue;
        }
        let Some(read) = job::read(settings, &mut endpoints, context, &mut mistakes) else { continue };
        let number = usize::from(settings.number);
        if every.len() <= number {
            every.resize(number + 1, Nanos::SECOND);
            parts.resize_with(2 * (number + 1), || None);
        }
        every[number] = read.every;
        parts[start_of(number)] = Some(read.start);
        parts[poll_of(number)] = Some(read.poll);
    }
    mistakes.into_result()?;
    Ok(Box::new(JobDriver { endpoints, parts, every: every.into(), common: None }))
}

fn start_of(number: usize) -> usize {
    2 * number
}

fn poll_of(number: usize) -> usize {
    2 * number + 1
}

struct JobDriver {
    endpoints: Vec<Endpoint>,
    parts: Vec<Option<Exchange>>,
    every: Rc<[Nanos]>,
    common: Option<Rc<Common>>,
}

impl Driver for JobDriver {
    fn set_up(&mut self) -> Result<(), Failure> {
        if self.common.is_none() {
            self.common = Some(Common::new(std::mem::take(&mut self.parts), &self.endpoints)?);
        }
        Ok(())
    }

    fn destinations(&self) -> Vec<Destination> {
        driver::destinations(&self.parts, &self.endpoints, |part| part / 2)
    }

    fn notices(&self) -> Vec<Notice> {
        self.common.as_ref().map_or_else(Vec::new, |common| common.shared.take_news())
    }

    fn session(&self, slot: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        let http = HttpSession::new(common.clone(), slot);
        let phase = Phase::Free;
        Box::new(JobSession {
            common,
            http,
            every: self.every.clone(),
            task: None,
            phase,
            address: Vec::new(),
            polls: 0,
            state: String::new(),
        })
    }
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Free,
    /// The request that starts it is under way.
    Starting,
    /// The next poll is due then.
    Waiting(Nanos),
    /// A poll is under way that was due then.
    Polling(Nanos),
}

/// One job at a time.
struct JobSession {
    common: Rc<Common>,
    http: HttpSession,
    /// By number of the exchange, time between polls.
    every: Rc<[Nanos]>,
    task: Option<Task>,
    phase: Phase,
    /// Path at which the job in hand is asked for.
    address: Vec<u8>,
    polls: u64,
    /// What was found last where `poll` looks.
    state: String,
}

impl Session for JobSession {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        self.task = Some(*task);
        self.phase = Phase::Starting;
        self.polls = 0;
        self.state.clear();
        let interest = self.http.begin_part(task, start_of(usize::from(task.exchange)), &[], recorder);
        self.go_on(interest, recorder)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        match self.phase {
            Phase::Free | Phase::Starting | Phase::Polling(_) => {
                let interest = self.http.ready(recorder);
                self.go_on(interest, recorder)
            }
            Phase::Waiting(due) if recorder.now() < due => {
                // Something happened on the idle connection; the poll is due when it was.
                self.http.ready(recorder);
                Interest::WakeAt(due)
            }
            Phase::Waiting(due) => self.poll(due, recorder),
        }
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        self.http.cancel(why, recorder);
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        self.close(outcome, 0, recorder);
    }
}

impl JobSession {
    fn poll(&mut self, due: Nanos, recorder: &mut Recorder) -> Interest {
        let Some(task) = self.task else { return Interest::Idle };
        self.phase = Phase::Polling(due);
        self.polls += 1;
        recorder.count(COUNT_POLLS, 1);
        let interest = self.http.begin_part(&task, poll_of(usize::from(task.exchange)), &self.address, recorder);
        self.go_on(interest, recorder)
    }

    /// Looks whether the part in hand has ended, and what follows from that.
    fn go_on(&mut self, interest: Interest, recorder: &mut Recorder) -> Interest {
        let Some(Ended { outcome, bytes, told }) = self.http.take_end() else { return interest };
        let next = match told {
            _ if outcome != Outcome::Ok => None,
            JobAnswer::At(address) => {
                self.address = address;
                Some(recorder.now())
            }
            JobAnswer::Running(state) => {
                self.state = state;
                match self.phase {
                    Phase::Polling(due) => Some(due),
                    _ => None,
                }
            }
            _ => None,
        };
        let Some((from, task)) = next.zip(self.task) else {
            self.close(outcome, bytes, recorder);
            return interest;
        };
        let every = self.every.get(usize::from(task.exchange)).copied().unwrap_or(Nanos::SECOND);
        // Polls lie on a grid from the start's answer on. One that took longer than its interval is followed at once.
        let due = (from + every).max(recorder.now());
        self.phase = Phase::Waiting(due);
        Interest::WakeAt(due)
    }

    /// Ends the job, the one way out.
    fn close(&mut self, outcome: Outcome, bytes: u64, recorder: &mut Recorder) {
        let was_waiting = matches!(self.phase, Phase::Waiting(_));
        self.phase = Phase::Free;
        let Some(task) = self.task.take() else { return };
        if was_waiting {
            let (polls, state) = (self.polls, &self.state);
            recorder.note(outcome, &mut |note| match polls {
                0 => say(note, format_args!("the job had not been asked for yet")),
                _ => {
                    let state = found(note, state);
                    say(note, format_args!("the job had been asked for {polls} times; it was at `{state}`"));
                }
            });
        }
        if outcome != Outcome::Ok {
            let poll = self.common.exchanges.get(poll_of(usize::from(task.exchange))).and_then(Option::as_ref);
            poll.into_iter()
                .flat_map(|poll| poll.compiled.capture_slots())
                .for_each(|slot| recorder.capture(slot, None));
        }
        recorder.close(&task, 0, outcome, task.units, bytes);
    }
}
