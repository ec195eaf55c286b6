//! A message from its exchange, its row and its moment.

use crate::envelope::write::Own;
use crate::exchange::{Content, Exchange, Route};
use crate::id::{self, Id};
use crate::{mime, moment};
use contract::{NO_STREAM, Recorder, Task};
use std::io::Write;

/// Memory for writing messages, shared by all sessions of a thread.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    text: Vec<u8>,
    conversation: Vec<u8>,
    id: Vec<u8>,
    timestamp: Vec<u8>,
    time_to_live: Vec<u8>,
    payload: Vec<u8>,
    /// Where each part's content ends in `payload`.
    ends: Vec<usize>,
    body: Vec<u8>,
}

/// A message that can be sent.
pub(crate) struct Written<'a> {
    pub(crate) route: &'a Route,
    /// Its id: what its later legs are waited for under, and by what a synchronous answer is known.
    pub(crate) id: Id,
}

impl Exchange {
    /// Appends the whole HTTP request. `turn` says how often this iteration has carried out this exchange before.
    ///
    /// # Errors
    /// Why the study's data make none: one sentence.
    pub(crate) fn write<'a>(
        &'a self,
        task: &Task,
        turn: u8,
        nonce: u64,
        scratch: &mut Scratch,
        recorder: &mut Recorder,
        into: &mut Vec<u8>,
    ) -> Result<Written<'a>, String> {
        let (index, route) = self.route_of(task, &mut scratch.text, recorder)?;
        self.conversation(task, nonce, &mut scratch.conversation, recorder)?;
        let key = id::of_turn(recorder.key(task), turn);
        let conversation = id::fingerprint(&scratch.conversation, nonce);
        let id = Id { key, nonce, route: index as u16, conversation };
        scratch.id.clear();
        id.write(&mut scratch.id);
        render(self.now, task, &mut scratch.timestamp, recorder)?;
        self.time_to_live(scratch)?;
        self.payload(task, scratch, recorder)?;
        self.body(route, scratch)?;
        into.extend_from_slice(&route.head);
        write!(into, "{}\r\n\r\n", scratch.body.len()).expect("writing to memory does not fail");
        into.extend_from_slice(&scratch.body);
        Ok(Written { route, id })
    }

    /// Agreement and side, by the row.
    fn route_of(&self, task: &Task, text: &mut Vec<u8>, recorder: &mut Recorder) -> Result<(usize, &Route), String> {
        render(self.agreement, task, text, recorder)?;
        let Some(&agreement) = self.by_id.get(text.as_slice()) else {
            return Err(format!("there is no agreement `{}`", String::from_utf8_lossy(text)));
        };
        render(self.from, task, text, recorder)?;
        let known = &self.agreements[agreement];
        let side = known.side_of(text).ok_or_else(|| crate::config::not_a_party(known, text))?;
        if let Some(party) = self.party {
            render(party, task, text, recorder)?;
            if known.side_of(text) != Some(1 - side) {
                return Err(crate::config::not_a_party(known, text));
            }
        }
        let index = Self::route_index(agreement, side);
        self.routes[index].as_ref().map(|route| (index, route)).map_err(|refused| refused.why.clone())
    }

    /// The study's own, or one for each stream and run.
    fn conversation(&self, task: &Task, nonce: u64, into: &mut Vec<u8>, recorder: &mut Recorder) -> Result<(), String> {
        if let Some(template) = self.conversation {
            render(template, task, into, recorder)?;
            if into.trim_ascii().is_empty() {
                return Err("`conversation` is empty".to_owned());
            }
            // As it is read back: white space around it is not part of it.
            *into = into.trim_ascii().to_vec();
            return Ok(());
        }
        into.clear();
        let stream = if task.stream == NO_STREAM { 0 } else { task.stream };
        write!(into, "stream-{stream}.{nonce:016x}@loadproof").expect("writing to memory does not fail");
        Ok(())
    }

    fn time_to_live(&self, scratch: &mut Scratch) -> Result<(), String> {
        scratch.time_to_live.clear();
        let Some(lives) = self.time_to_live else { return Ok(()) };
        let now = std::str::from_utf8(&scratch.timestamp).ok().and_then(moment::moment);
        let now = now.ok_or("the time cannot be read back")?;
        scratch.time_to_live.extend_from_slice(terms::iso::millis(now + lives).as_bytes());
        Ok(())
    }

    fn payload(&self, task: &Task, scratch: &mut Scratch, recorder: &mut Recorder) -> Result<(), String> {
        scratch.payload.clear();
        scratch.ends.clear();
        for part in &self.payload {
            let start = scratch.payload.len();
            match &part.content {
                Content::Fixed(bytes) => scratch.payload.extend_from_slice(bytes),
                Content::Slots(template) => {
                    if !recorder.render(task, *template, &mut scratch.payload) {
                        return Err(no_value(recorder));
                    }
                    if mime::find(&scratch.payload[start..], self.boundary.as_bytes()).is_some() {
                        return Err(format!("payload `{}` holds `{}`, which ends a part", part.id, self.boundary));
                    }
                }
            }
            scratch.ends.push(scratch.payload.len());
        }
        Ok(())
    }

    fn body(&self, route: &Route, scratch: &mut Scratch) -> Result<(), String> {
        let Scratch { conversation, id, timestamp, time_to_live, payload, ends, body, .. } = scratch;
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let contents = || starts.clone().zip(ends.iter()).map(|(start, end)| &payload[start..*end]);
        let mut own = Own { conversation, id, timestamp, time_to_live, ..Own::default() };
        body.clear();
        let signature = match (&self.signer, route.signing) {
            (Some(signer), Some(algorithms)) => {
                let parts = self.payload.iter().zip(contents());
                let mut envelope = Vec::new();
                route.frame.write_signed(&own, &mut envelope);
                signer.sign(algorithms, &envelope, parts.map(|(part, content)| (part.id.as_str(), content)))?
            }
            _ => Vec::new(),
        };
        own.signature = &signature;
        if self.payload.is_empty() {
            route.frame.write(&own, body);
            return Ok(());
        }
        mime::begin(&self.boundary, body);
        route.frame.write(&own, body);
        for (part, content) in self.payload.iter().zip(contents()) {
            mime::part(&self.boundary, &part.id, &part.content_type, body);
            body.extend_from_slice(content);
        }
        mime::end(&self.boundary, body);
        Ok(())
    }
}

const NO_VALUE: &str = "a value that the message needs was never captured";

fn render(template: u16, task: &Task, into: &mut Vec<u8>, recorder: &mut Recorder) -> Result<(), String> {
    into.clear();
    if recorder.render(task, template, into) { Ok(()) } else { Err(no_value(recorder)) }
}

/// Why a text was not filled in.
fn no_value(recorder: &mut Recorder) -> String {
    recorder.take_trouble().unwrap_or_else(|| NO_VALUE.to_owned())
}
