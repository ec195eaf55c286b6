//! What comes to callbacks: a hub's questions whether a subscription is meant, refusals, and content.

use crate::board::{Feed, Stage, Tally};
use crate::callback::{self, Callbacks};
use crate::signature::{self, Secret};
use crate::{DELIVERY, UNSUBSCRIBE, VERIFY, form};
use contract::{Answer, Reply, ReplyHandler, RequestHead, reply_key};
use std::collections::HashMap;
use std::sync::Arc;
use terms::Outcome;

/// Longest challenge that is repeated to a hub. Hubs send some tens of characters.
const CHALLENGE_BYTES_MAX: usize = 16 * 1024;
/// This much of what a hub says is shown.
const SHOWN_CHARS: usize = 200;

/// Reads requests at callbacks.
pub(crate) struct Replies {
    callbacks: Callbacks,
    /// By number of the exchange.
    topics: HashMap<u16, Topic>,
}

/// What is known of an exchange.
pub(crate) struct Topic {
    name: Vec<u8>,
    secret: Option<Secret>,
    feed: Arc<Feed>,
}

impl Topic {
    /// What the hub calls it.
    fn name(&self) -> &[u8] {
        self.feed.found().map_or(&self.name, |found| found.topic.as_bytes())
    }

    pub(crate) fn new(name: &[u8], secret: Option<&[u8]>, feed: Arc<Feed>) -> Self {
        Self { name: name.to_vec(), secret: secret.map(Secret::new), feed }
    }
}

impl Replies {
    pub(crate) fn new(callbacks: Callbacks, topics: HashMap<u16, Topic>) -> Self {
        Self { callbacks, topics }
    }

    /// The key that a request's path names, and its exchange.
    fn addressed(&self, head: &RequestHead<'_>) -> Option<(u128, &Topic)> {
        let path = head.path.split('?').next().unwrap_or_default();
        let key = self.callbacks.key_of(path)?;
        Some((key, self.topics.get(&reply_key::exchange(key))?))
    }
}

impl ReplyHandler for Replies {
    fn claims(&self, head: &RequestHead<'_>) -> bool {
        self.addressed(head).is_some()
    }

    fn is_timed_when_whole(&self) -> bool {
        true
    }

    fn handle(&mut self, head: &RequestHead<'_>, body: &[u8], answer: &mut Answer) -> Reply {
        let Some((key, topic)) = self.addressed(head) else {
            answer.status = 404;
            return Reply::Unknown;
        };
        match head.method {
            "GET" => topic.asked(key, head, answer),
            "POST" => topic.delivered(key, head, body, answer),
            _ => {
                answer.status = 405;
                Reply::Unreadable
            }
        }
    }

    fn identify(&self, head: &RequestHead<'_>, _: &[u8]) -> Option<String> {
        let (key, _) = self.addressed(head)?;
        Some(format!("subscriber {} in step {}", reply_key::serial(key), reply_key::step(key)))
    }
}

impl Topic {
    /// A hub asks whether a subscription is meant (section 5.3), or says that it is none (section 5.2).
    fn asked(&self, key: u128, head: &RequestHead<'_>, answer: &mut Answer) -> Reply {
        let query = head.path.split_once('?').map_or("", |(_, query)| query);
        let field = |name| form::value(query, name);
        let (mode, topic) = (field("hub.mode").unwrap_or_default(), field("hub.topic"));
        answer.status = 404;
        let Some(subscriber) = self.feed.subscriber(key) else {
            // Of an earlier scenario: the hub is told that nobody means it any more.
            return self.unasked();
        };
        let is_leaving = matches!(subscriber.stage, Stage::Leaving | Stage::Left);
        let (leg, waiting) = match is_leaving {
            true => (UNSUBSCRIBE, callback::farewell(key)),
            false => (VERIFY, callback::verification(key, subscriber.round)),
        };
        let ends = |outcome, why: String| Reply::Match { leg, key: waiting, number: 0, outcome, why: Some(why.into()) };
        let own: &[u8] = if is_leaving { b"unsubscribe" } else { b"subscribe" };
        match mode.as_slice() {
            mode if (mode == own || mode == b"denied") && topic.as_deref() != Some(self.name()) => {
                let found = topic.map_or("no topic".to_owned(), |topic| format!("the topic `{}`", shown(&topic)));
                match subscriber.stage {
                    Stage::Asked | Stage::Leaving => ends(Outcome::Wrong, format!("the hub's question names {found}")),
                    _ => self.unasked(),
                }
            }
            b"denied" => {
                answer.status = 200;
                self.feed.add(Tally::Denied);
                self.feed.change(key, |subscriber| subscriber.stage = Stage::Denied);
                let reason = field("hub.reason").filter(|reason| !reason.is_empty());
                let reason = reason.map_or("without a reason".to_owned(), |reason| format!("`{}`", shown(&reason)));
                ends(Outcome::Fault, format!("the hub denies the subscription: {reason}"))
            }
            mode if mode == own => {
                let challenge = field("hub.challenge").filter(|challenge| challenge.len() <= CHALLENGE_BYTES_MAX);
                let Some(challenge) = challenge.filter(|challenge| !challenge.is_empty()) else {
                    return ends(Outcome::Wrong, "the hub's question has no `hub.challenge`, or a huge one".to_owned());
                };
                let lease = field("hub.lease_seconds").and_then(|lease| std::str::from_utf8(&lease).ok()?.parse().ok());
                self.feed.change(key, |subscriber| match is_leaving {
                    true => subscriber.stage = Stage::Left,
                    false => (subscriber.stage, subscriber.lease_s) = (Stage::Verified, lease),
                });
                (answer.status, answer.content_type, answer.body) = (200, "text/plain", challenge);
                Reply::Handshake { key: waiting }
            }
            _ => self.unasked(),
        }
    }

    /// Content (section 7). Of what there is to it the signature is looked at first.
    fn delivered(&self, key: u128, head: &RequestHead<'_>, body: &[u8], answer: &mut Answer) -> Reply {
        let is_there = self.feed.subscriber(key).is_some_and(|subscriber| subscriber.stage != Stage::Left);
        // A hub is told that nobody is there any more (section 7), and drops the subscription.
        answer.status = if is_there { 204 } else { 410 };
        if !is_there && self.feed.is_past(reply_key::step(key)) {
            return Reply::Gone;
        }
        let header = head.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(signature::HEADER));
        let signed = self.secret.as_ref().map_or(Ok(()), |secret| secret.check(header.map(|(_, value)| *value), body));
        let (event, wrong) = match self.feed.event(key, body) {
            Some(event) => (event, signed.err().inspect(|_| self.feed.add(Tally::Signatures))),
            None => match self.altered(key, header.map(|(_, value)| *value), body, signed) {
                Some((event, why)) => (event, Some(why)),
                None => return self.unasked(),
            },
        };
        // A hub is not told whether a signature was right (section 8.1), nor that it altered something.
        let outcome = if wrong.is_none() { Outcome::Ok } else { Outcome::Wrong };
        let why = wrong.map(|why| format!("the content {why}").into());
        Reply::Match { leg: DELIVERY, key: callback::delivery(key, event), number: 0, outcome, why }
    }

    /// Content that was not published: which event it was, as far as that can be told, and what is wrong with it, after
    /// *the content*.
    fn altered(
        &self,
        key: u128,
        header: Option<&[u8]>,
        body: &[u8],
        signed: Result<(), String>,
    ) -> Option<(u64, String)> {
        let found = self.feed.altered(key, body);
        let is_right_of = |content: &[u8]| self.secret.as_ref().is_some_and(|it| it.check(header, content).is_ok());
        // Altered after it was signed, it has the signature of what was published, with which nothing is wrong.
        let is_signed_before = signed.is_err() && found.as_ref().is_some_and(|it| is_right_of(&it.published));
        if signed.is_err() && !is_signed_before {
            self.feed.add(Tally::Signatures);
        }
        let altered = found?;
        self.feed.add(Tally::Altered);
        let differs = format!("differs from what was published, from byte {} on", altered.differs_at(body));
        let why = match signed {
            Ok(()) if self.secret.is_some() => format!("{differs}; the hub signed it as it came"),
            Ok(()) => differs,
            Err(_) if is_signed_before => format!("{differs}; it was signed as it was published"),
            Err(signature) => format!("{differs}, and {signature}"),
        };
        Some((altered.event.first, why))
    }

    fn unasked(&self) -> Reply {
        self.feed.add(Tally::Unasked);
        Reply::Unasked
    }
}

/// What a hub says, as a sentence may show it.
fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{NO_STREAM, Task};
    use terms::Nanos;

    #[test]
    fn subscribers_of_an_earlier_scenario_are_gone_and_nothing_is_told() {
        let feed = Arc::new(Feed::default());
        let callbacks = || Callbacks::new(1);
        let topics = HashMap::from([(0, Topic::new(b"orders", None, feed.clone()))]);
        let mut replies = Replies::new(callbacks(), topics);
        let mut deliver = |step| {
            let (intended, deadline) = (Nanos::ZERO, Nanos::MAX);
            let task = Task { exchange: 0, serial: 3, row: 0, units: 1, intended, deadline, step, stream: NO_STREAM };
            let path = callbacks().url("", reply_key::of(0, 0, 0, &task));
            let head = RequestHead { method: "POST", path: &path, headers: &[], at: Nanos::ZERO };
            let mut answer = Answer::default();
            (replies.handle(&head, b"70 x", &mut answer), answer.status)
        };
        feed.begin(5);
        assert!(feed.publish(b"70 x", 70));
        assert_eq!(deliver(4), (Reply::Gone, 410), "the hub has not dropped it yet");
        let (reply, status) = deliver(5);
        assert!(matches!(reply, Reply::Match { outcome: Outcome::Ok, .. }), "late, and of this one: {reply:?}");
        assert_eq!(status, 410);
    }
}
