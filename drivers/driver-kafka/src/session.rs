//! One exchange at a time: its records are handed over, and it ends when the last of them is acknowledged.

use crate::Counter;
use crate::config::Exchange;
use crate::producer::{Producer, Ticket};
use crate::slot::Mailbox;
use contract::{Cancel, Interest, Recorder, Session, Task};
use std::rc::Rc;
use std::sync::Arc;
use terms::Outcome;

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    pub(crate) exchanges: Vec<Option<(Rc<Producer>, Exchange)>>,
}

pub(crate) struct ProduceSession {
    common: Rc<Common>,
    /// Made with the first exchange.
    mailbox: Option<Arc<Mailbox>>,
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
        Self { common, mailbox: None, task: None, key, value, headers: Vec::new(), ends: Vec::new(), bytes: 0 }
    }

    fn mailbox(&mut self, recorder: &mut Recorder) -> Option<Arc<Mailbox>> {
        if self.mailbox.is_none() {
            let mailbox = Arc::new(Mailbox::new().ok()?);
            recorder.attach(mailbox.bell()).ok()?;
            self.mailbox = Some(mailbox);
        }
        self.mailbox.clone()
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
    fn send(&mut self, producer: &Producer, exchange: &Exchange, ticket: Ticket) -> Result<(), (Outcome, String)> {
        let key = exchange.key.map(|_| self.key.as_slice());
        let value = exchange.value.map(|_| self.value.as_slice());
        self.bytes += (key.map_or(0, <[u8]>::len) + value.map_or(0, <[u8]>::len)) as u64;
        if exchange.headers.is_empty() {
            return producer.send(exchange, (key, value), &[], ticket);
        }
        let mut from = 0;
        let mut headers: Vec<(&str, &[u8])> = Vec::with_capacity(self.ends.len());
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
        let waiting = Interest::Io { read: true, write: false };
        let Some(done) = self.mailbox.as_ref().and_then(|mailbox| mailbox.take()) else { return waiting };
        if done.late > 0 {
            recorder.count(Counter::LateAcks as u8, done.late as i64);
        }
        if self.task.is_none() {
            return Interest::Idle;
        }
        if done.outcome != Outcome::Ok {
            recorder.note(done.outcome, &mut |note| note.add(done.why.as_bytes()));
        }
        self.end(done.outcome, recorder)
    }
}

impl Session for ProduceSession {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        self.task = Some(*task);
        self.bytes = 0;
        recorder.started(task);
        let common = self.common.clone();
        let found = common.exchanges.get(usize::from(task.exchange)).and_then(Option::as_ref);
        let Some((producer, exchange)) = found else { return self.end(Outcome::BadStudy, recorder) };
        let Some(mailbox) = self.mailbox(recorder) else { return self.end(Outcome::NoResource, recorder) };
        let number = mailbox.begin(exchange.records);
        for _ in 0..exchange.records {
            if !self.render(task, exchange, recorder) {
                mailbox.give_up();
                return self.end(Outcome::BadStudy, recorder);
            }
            let ticket = Ticket { mailbox: mailbox.clone(), number };
            if let Err((outcome, why)) = self.send(producer, exchange, ticket) {
                mailbox.give_up();
                recorder.note(outcome, &mut |note| note.add(why.as_bytes()));
                return self.end(outcome, recorder);
            }
        }
        recorder.count(Counter::Records as u8, i64::from(exchange.records));
        self.advance(recorder)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
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
