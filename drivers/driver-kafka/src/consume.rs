//! One slot: one consumer, held open, with the records that come to it.
//!
//! As with every held connection that only listens, a record that is due waits in the engine, under the key of its task,
//! until one comes or its time is over. A cluster that is away ends nothing: the client goes on trying, as a real
//! consumer's would, and what is due meanwhile is missing.

mod arrival;
mod inbox;
mod order;
mod reader;

use crate::config::{Listening, Share};
use crate::session::Common;
use crate::{CONNECT, Counter, RECORD};
use arrival::Flow;
use contract::{Account, Cancel, Early, Failure, Interest, Notice, Recorder, Task};
use inbox::{Inbox, News};
pub(crate) use order::Groups;
use order::Offsets;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use terms::Outcome;

/// Notices that are kept until somebody asks for them.
const NOTICES_MAX: usize = 64;
/// Tenths of a second that consumers may take to leave their group, all together.
const LEAVING_MAX: u32 = 50;
/// Partitions that a notice names.
const NAMED_MAX: usize = 32;

/// An exchange with what is known of its topic.
pub(crate) struct Topic {
    pub(crate) listening: Listening,
    partitions: usize,
    /// Of the group, if it is read by one.
    offsets: Option<Arc<Offsets>>,
}

impl Topic {
    /// Asks for it before the load.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn ready(listening: Listening, groups: &Groups) -> Result<Self, Failure> {
        let partitions = reader::partitions(&listening)?;
        let offsets = match &listening.share {
            Share::Group(name) => {
                Some(groups.offsets((listening.access.brokers(), &listening.topic, name), partitions))
            }
            Share::Own(_) => None,
        };
        Ok(Self { listening, partitions, offsets })
    }
}

/// What the consumers of a load thread leave behind for it.
#[derive(Default)]
pub(crate) struct Wake {
    notices: RefCell<Vec<Notice>>,
    /// Of consumers, whose threads end by themselves and are waited for at the end.
    inboxes: RefCell<Vec<Arc<Inbox>>>,
}

impl Wake {
    pub(crate) fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.notices.borrow_mut())
    }

    fn tell(&self, kind: &'static str, subject: &str, text: String) {
        let mut notices = self.notices.borrow_mut();
        if notices.len() < NOTICES_MAX {
            notices.push(Notice { kind, subject: subject.to_owned(), text });
        }
    }
}

impl Drop for Wake {
    fn drop(&mut self) {
        // A member that leaves tells its group, which else waits for it. Where no broker is left to tell, none is told.
        self.inboxes.borrow_mut().drain(..).fold(LEAVING_MAX, |left, inbox| inbox.wait_until_left(left));
    }
}

/// The consumer of a slot.
#[derive(Default)]
pub(crate) struct Consumer {
    /// None before the opening, and once it is over.
    held: Option<Held>,
    /// How a record ends that comes due while there is none.
    lost: Option<Outcome>,
}

struct Held {
    /// Its opening.
    task: Task,
    inbox: Arc<Inbox>,
    came: VecDeque<News>,
    account: Account,
    flow: Flow,
    is_open: bool,
    partitions: Vec<i32>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.inbox.close();
    }
}

impl Consumer {
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    pub(crate) fn connect(&mut self, task: &Task, common: &Common, recorder: &mut Recorder) -> Interest {
        let Some(topic) = common.topic(task.exchange) else {
            // The engine hands out only what `build` was given; a wrong number must not be silent.
            recorder.close(task, CONNECT, Outcome::BadStudy, task.units, 0);
            return Interest::Gone;
        };
        (self.held, self.lost) = (None, None);
        let begun = Inbox::new().and_then(|inbox| {
            let inbox = Arc::new(inbox);
            recorder.attach(inbox.bell())?;
            reader::start(&topic.listening, &inbox)?;
            common.wake.inboxes.borrow_mut().push(inbox.clone());
            Ok(inbox)
        });
        let Ok(inbox) = begun else {
            self.lost = Some(Outcome::NoResource);
            recorder.close(task, CONNECT, Outcome::NoResource, task.units, 0);
            return Interest::Gone;
        };
        let own = || Arc::new(Offsets::new(topic.partitions));
        self.held = Some(Held {
            task: *task,
            inbox,
            came: VecDeque::new(),
            account: Account::new(topic.listening.expect.unwrap_or_default()),
            flow: Flow::new(recorder.now(), topic.offsets.clone().unwrap_or_else(own)),
            is_open: false,
            partitions: Vec::new(),
        });
        Interest::Io { read: true, write: false }
    }

    /// A record is due.
    pub(crate) fn begin(&mut self, task: &Task, common: &Common, recorder: &mut Recorder) -> Interest {
        recorder.started(task);
        let key = recorder.key(task);
        let within = common.topic(task.exchange).map(|topic| topic.listening.within);
        recorder.expect(task, RECORD, key, within.unwrap_or_default());
        if within.is_none() {
            recorder.close_awaited(key, Outcome::BadStudy);
            return Interest::Idle;
        }
        let Some(held) = &mut self.held else {
            recorder.close_awaited(key, self.lost.unwrap_or(Outcome::Reset));
            return Interest::Gone;
        };
        match held.account.take_early(0, |task| recorder.is_awaited(recorder.key(task))) {
            Some(Early::Came { outcome, time, bytes }) => recorder.close_awaited_after(key, outcome, time, bytes),
            Some(Early::Lost) => recorder.close_awaited(key, Outcome::Missing),
            None => held.account.wait(task, |task| recorder.is_awaited(recorder.key(task))),
        }
        Interest::Idle
    }

    pub(crate) fn ready(&mut self, common: &Common, recorder: &mut Recorder) -> Interest {
        let Some(held) = &mut self.held else { return Interest::Gone };
        let Some(topic) = common.topic(held.task.exchange) else { return Interest::Gone };
        let mut came = std::mem::take(&mut held.came);
        held.inbox.take(&mut came);
        let mut failed = None;
        for news in came.drain(..) {
            match news {
                News::Record(record) => {
                    held.flow.arrive(&record, &topic.listening, (&held.task, &mut held.account), recorder)
                }
                News::Failed(outcome, why) => failed = Some((outcome, why)),
                news => held.hear(news, &topic.listening, &common.wake, recorder),
            }
        }
        held.came = came;
        if let Some((outcome, why)) = failed {
            return self.lose(outcome, &why, &topic.listening, common, recorder);
        }
        if held.is_open { Interest::Idle } else { Interest::Io { read: true, write: false } }
    }

    pub(crate) fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        if self.held.as_ref().is_some_and(|held| held.is_open) {
            return;
        }
        let Some(held) = self.held.take() else { return };
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        self.lost = Some(outcome);
        recorder.close(&held.task, CONNECT, outcome, held.task.units, 0);
    }

    /// The load is over.
    pub(crate) fn disconnect(&mut self) {
        self.held = None;
    }

    /// It is over: what waited for it ends with it.
    fn lose(
        &mut self,
        outcome: Outcome,
        why: &str,
        listening: &Listening,
        common: &Common,
        recorder: &mut Recorder,
    ) -> Interest {
        self.lost = Some(outcome);
        let Some(mut held) = self.held.take() else { return Interest::Gone };
        if !held.is_open {
            recorder.note(outcome, &mut |note| note.add(why.as_bytes()));
            recorder.close(&held.task, CONNECT, outcome, held.task.units, 0);
            return Interest::Gone;
        }
        recorder.count(Counter::Lost as u8, 1);
        common.wake.tell("broker", &listening.name, format!("consuming `{}` is over: {why}", listening.topic));
        recorder.note_awaited(recorder.key(&held.task), outcome, &mut |note| note.add(why.as_bytes()));
        while let Some(task) = held.account.lose() {
            let key = recorder.key(&task);
            if recorder.is_awaited(key) {
                recorder.close_awaited(key, outcome);
            }
        }
        Interest::Gone
    }
}

impl Held {
    /// What happened to the consumer.
    fn hear(&mut self, news: News, listening: &Listening, wake: &Wake, recorder: &mut Recorder) {
        match news {
            News::Assigned(partitions) => {
                self.partitions.extend(partitions);
                self.partitions.sort_unstable();
                self.partitions.dedup();
                if !self.is_open {
                    self.is_open = true;
                    recorder.close(&self.task, CONNECT, Outcome::Ok, self.task.units, 0);
                    if let Share::Own(_) = listening.share {
                        return;
                    }
                }
                self.tell_of_share(listening, wake, recorder);
            }
            News::Revoked(partitions) => {
                self.partitions.retain(|partition| !partitions.contains(partition));
                // An eager group takes all away to give them anew: what it gives is told.
                if self.partitions.is_empty() && !partitions.is_empty() {
                    return;
                }
                self.tell_of_share(listening, wake, recorder);
            }
            News::Down(why) => {
                recorder.count(Counter::Lost as u8, 1);
                let (topic, broker) = (&listening.topic, listening.access.brokers());
                let text = format!(
                    "no broker of `{topic}` can be reached ({broker}): {why}; the consumer goes on trying, and what is due \
                     meanwhile is missing"
                );
                wake.tell("broker", &listening.name, text);
            }
            News::Record(_) | News::Failed(..) => {}
        }
    }

    fn tell_of_share(&self, listening: &Listening, wake: &Wake, recorder: &mut Recorder) {
        let Share::Group(group) = &listening.share else { return };
        recorder.count(Counter::Rebalances as u8, 1);
        let names: Vec<String> = self.partitions.iter().take(NAMED_MAX).map(ToString::to_string).collect();
        let more = if self.partitions.len() > NAMED_MAX { ", …" } else { "" };
        let (topic, number) = (&listening.topic, self.task.row + 1);
        let text = match self.partitions.len() {
            0 => format!("consumer {number} of the group `{group}` has no partition of `{topic}`: there are too few"),
            1 => format!("consumer {number} of the group `{group}` has partition {} of `{topic}`", names.join(", ")),
            count => format!(
                "consumer {number} of the group `{group}` has {count} partitions of `{topic}`: {}{more}",
                names.join(", ")
            ),
        };
        wake.tell("rebalance", &listening.name, text);
    }
}
