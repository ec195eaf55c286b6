//! One exchange at a time: its records are handed over, and it ends when the last of them is acknowledged.

use crate::config::Exchange;
use crate::consume::{Consumer, Topic, Wake};
use crate::producer::{Producer, Ticket};
use crate::replies::{Hearing, Inbox, Replies, id, place_of};
use crate::slot::Mailbox;
use crate::{Counter, REPLY};
use contract::{Cancel, Interest, Recorder, Session, Task};
use std::rc::Rc;
use std::sync::Arc;
use terms::Outcome;

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    pub(crate) exchanges: Vec<Option<Ready>>,
    /// By number, those that are consumed.
    pub(crate) topics: Vec<Option<Topic>>,
    pub(crate) wake: Wake,
    /// Of the run.
    pub(crate) nonce: u64,
}

impl Common {
    pub(crate) fn topic(&self, exchange: u16) -> Option<&Topic> {
        self.topics.get(usize::from(exchange))?.as_ref()
    }
}

/// An exchange with what carries it out.
pub(crate) struct Ready {
    pub(crate) producer: Rc<Producer>,
    /// Where its reply is read, if it waits for one.
    pub(crate) replies: Option<Rc<Replies>>,
    pub(crate) exchange: Exchange,
}

pub(crate) struct ProduceSession {
    common: Rc<Common>,
    /// Made with the first exchange.
    mailbox: Option<Arc<Mailbox>>,
    /// Those whose replies this slot waits for, with the place that they are of.
    lanes: Vec<(*const Replies, u64, Arc<Inbox>)>,
    /// Those of them that it reads on behalf of every slot of its lane.
    heard: Vec<Hearing>,
    came: Vec<(u128, u64)>,
    task: Option<Task>,
    key: Vec<u8>,
    value: Vec<u8>,
    /// Values of the headers, one after another, and where each ends.
    headers: Vec<u8>,
    ends: Vec<usize>,
    /// Bytes of keys and values in hand.
    bytes: u64,
}

impl ProduceSession {
    pub(crate) fn new(common: Rc<Common>) -> Self {
        let (key, value) = (Vec::with_capacity(64), Vec::with_capacity(1024));
        Self {
            common,
            mailbox: None,
            lanes: Vec::new(),
            heard: Vec::new(),
            came: Vec::new(),
            task: None,
            key,
            value,
            headers: Vec::new(),
            ends: Vec::new(),
            bytes: 0,
        }
    }

    fn is_busy(&self) -> bool {
        self.task.is_some()
    }

    fn mailbox(&mut self, recorder: &mut Recorder) -> Option<Arc<Mailbox>> {
        if self.mailbox.is_none() {
            let mailbox = Arc::new(Mailbox::new().ok()?);
            recorder.attach(mailbox.bell()).ok()?;
            self.mailbox = Some(mailbox);
        }
        self.mailbox.clone()
    }

    /// Hears of replies from now on. Of the sessions of one part of the load one does it for all of them; whether it is still
    /// there, is asked without a lock.
    ///
    /// # Errors
    /// No descriptor is left.
    fn listen(&mut self, replies: &Rc<Replies>, key: u128, recorder: &mut Recorder) -> std::io::Result<()> {
        let (whose, place) = (Rc::as_ptr(replies), place_of(key));
        let known = self.lanes.iter().position(|lane| (lane.0, lane.1) == (whose, place));
        let lane = match known {
            Some(known) => known,
            None => {
                self.lanes.push((whose, place, replies.inbox(place)?));
                self.lanes.len() - 1
            }
        };
        if let Some(hearing) = Hearing::of(&self.lanes[lane].2) {
            recorder.attach(hearing.inbox().bell())?;
            self.heard.push(hearing);
        }
        Ok(())
    }

    /// Hands replies that have come to whoever waits for them.
    fn hear(&mut self, recorder: &mut Recorder) {
        for hearing in &self.heard {
            hearing.inbox().take(&mut self.came);
            let now = recorder.now();
            for (key, bytes) in self.came.drain(..) {
                if recorder.is_awaited(key) {
                    recorder.close_awaited_of(key, Outcome::Ok, bytes);
                } else {
                    // Late, or a second one.
                    recorder.matched(key, now, Outcome::Ok);
                }
            }
        }
    }

    /// Renders one record; `false` when a value is missing.
    fn render(&mut self, task: &Task, exchange: &Exchange, recorder: &mut Recorder) -> bool {
        self.key.clear();
        self.value.clear();
        self.headers.clear();
        self.ends.clear();
        let is_key = exchange.key.is_none_or(|template| recorder.render(task, template, &mut self.key));
        let is_value = exchange.value.is_none_or(|template| recorder.render(task, template, &mut self.value));
        let are_headers = exchange.headers.iter().all(|(_, template)| {
            let is_rendered = recorder.render(task, *template, &mut self.headers);
            self.ends.push(self.headers.len());
            is_rendered
        });
        is_key && is_value && are_headers
    }

    /// Hands one record over.
    fn send(
        &mut self,
        producer: &Producer,
        exchange: &Exchange,
        id: Option<&str>,
        ticket: Ticket,
    ) -> Result<(), (Outcome, String)> {
        let key = exchange.key.map(|_| self.key.as_slice());
        let value = exchange.value.map(|_| self.value.as_slice());
        self.bytes += (key.map_or(0, <[u8]>::len) + value.map_or(0, <[u8]>::len)) as u64;
        if exchange.headers.is_empty() && id.is_none() {
            return producer.send(exchange, (key, value), &[], ticket);
        }
        let mut from = 0;
        let mut headers: Vec<(&str, &[u8])> = Vec::with_capacity(self.ends.len() + 1);
        if let (Some(id), Some((to, _))) = (id, &exchange.reply) {
            headers.push((&to.header, id.as_bytes()));
        }
        for ((name, _), end) in exchange.headers.iter().zip(&self.ends) {
            headers.push((name, &self.headers[from..*end]));
            from = *end;
        }
        producer.send(exchange, (key, value), &headers, ticket)
    }

    /// Ends the exchange in hand, the one way out.
    fn end(&mut self, outcome: Outcome, recorder: &mut Recorder) -> Interest {
        if let Some(task) = self.task.take() {
            recorder.close(&task, 0, outcome, task.units, self.bytes);
        }
        Interest::Idle
    }

    fn advance(&mut self, recorder: &mut Recorder) -> Interest {
        if self.task.is_none() {
            return Interest::Idle;
        }
        let waiting = Interest::Io { read: true, write: false };
        let Some(done) = self.mailbox.as_ref().and_then(|mailbox| mailbox.take()) else { return waiting };
        if done.late > 0 {
            recorder.count(Counter::LateAcks as u8, done.late as i64);
        }
        if done.outcome != Outcome::Ok {
            recorder.note(done.outcome, &mut |note| note.add(done.why.as_bytes()));
        }
        self.end(done.outcome, recorder)
    }
}

/// A slot: it produces, and it may hold a consumer.
pub(crate) struct KafkaSession {
    // Goes first: whatever the sessions share waits, at its own end, for the threads of consumers.
    consumer: Consumer,
    producing: ProduceSession,
    common: Rc<Common>,
}

impl KafkaSession {
    pub(crate) fn new(common: Rc<Common>) -> Self {
        Self { producing: ProduceSession::new(common.clone()), common, consumer: Consumer::default() }
    }
}

impl Session for KafkaSession {
    fn connect(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        self.consumer.connect(task, &self.common, recorder)
    }

    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        match self.common.topic(task.exchange) {
            Some(_) => self.consumer.begin(task, &self.common, recorder),
            None => self.producing.begin(task, recorder),
        }
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        if !self.consumer.is_held() {
            return self.producing.ready(recorder);
        }
        let produced = self.producing.is_busy().then(|| self.producing.ready(recorder));
        let consumed = self.consumer.ready(&self.common, recorder);
        match produced {
            Some(interest) if self.producing.is_busy() => interest,
            _ => consumed,
        }
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        if self.producing.is_busy() {
            self.producing.cancel(why, recorder);
        } else {
            self.consumer.cancel(why, recorder);
        }
    }

    fn disconnect(&mut self, _: &mut Recorder) {
        self.consumer.disconnect();
    }
}

impl ProduceSession {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        self.task = Some(*task);
        self.bytes = 0;
        recorder.started(task);
        let common = self.common.clone();
        let found = common.exchanges.get(usize::from(task.exchange)).and_then(Option::as_ref);
        let Some(ready) = found else { return self.end(Outcome::BadStudy, recorder) };
        let Ready { producer, exchange, .. } = ready;
        let Some(mailbox) = self.mailbox(recorder) else { return self.end(Outcome::NoResource, recorder) };
        let key = recorder.key(task);
        if let Some(replies) = &ready.replies
            && self.listen(replies, key, recorder).is_err()
        {
            return self.end(Outcome::NoResource, recorder);
        }
        let id = ready.replies.as_ref().map(|_| id(key, common.nonce));
        let number = mailbox.begin(exchange.records);
        for _ in 0..exchange.records {
            if !self.render(task, exchange, recorder) {
                mailbox.give_up();
                return self.end(Outcome::BadStudy, recorder);
            }
            let ticket = Ticket { mailbox: mailbox.clone(), number };
            if let Err((outcome, why)) = self.send(producer, exchange, id.as_deref(), ticket) {
                mailbox.give_up();
                recorder.note(outcome, &mut |note| note.add(why.as_bytes()));
                return self.end(outcome, recorder);
            }
        }
        recorder.count(Counter::Records as u8, i64::from(exchange.records));
        if let Some((_, within)) = &exchange.reply {
            // Replies are heard on this thread, so none can have come before.
            recorder.expect(task, REPLY, key, *within);
        }
        self.advance(recorder)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        self.hear(recorder);
        self.advance(recorder)
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        if let Some(mailbox) = &self.mailbox {
            mailbox.give_up();
        }
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        self.end(outcome, recorder);
    }
}
