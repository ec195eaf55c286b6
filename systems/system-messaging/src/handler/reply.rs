//! Rows of a message and of its replies: Pong, Acknowledgment, MessageError, and the answer of the business behind.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use axum::body::Bytes;
use terms::Nanos;
use terms::seed::hash;

use super::check::Parties;
use crate::agreement::{Agreed, Binding, Channel, Party};
use crate::counters::Count;
use crate::delivery::end_of;
use crate::moment_now;
use crate::store::{Row, Status, TaskRow};
use crate::wire::envelope::{Envelope, Flaw, ServiceName, Side};
use crate::wire::mime::Package;
use crate::wire::write::{Extras, Outgoing};

/// Host part of our message ids; reserved for documentation (RFC 2606).
const HOST: &str = "system-messaging.example";

/// A reply, ready to be stored and sent.
pub(super) struct Reply {
    pub(super) row: Row,
    /// `None` if it is not sent now.
    pub(super) task: Option<TaskRow>,
    pub(super) is_signal: bool,
    pub(super) needs_ack: bool,
}

impl Reply {
    pub(super) fn is_acknowledgment(&self) -> bool {
        self.is_signal && self.row.action == "Acknowledgment"
    }

    /// What counts that it is stored.
    pub(super) fn stored(&self) -> Count {
        match self.delivered() {
            Count::PongsDelivered => Count::PongsStored,
            Count::AcksDelivered => Count::AcksStored,
            Count::ErrorsDelivered => Count::ErrorsStored,
            _ => Count::RepliesStored,
        }
    }

    /// What counts that it is delivered.
    pub(super) fn delivered(&self) -> Count {
        if self.is_signal { end_of(&self.row.action) } else { Count::RepliesDelivered }
    }

    /// The channel on which the other party gets it.
    pub(super) fn channel<'a>(&self, parties: &Parties<'a>) -> &'a Channel {
        let to = parties.sender();
        let id = self.task.as_ref().map(|task| task.channel.as_str());
        let mut bindings = to.bindings.iter().map(|binding| &binding.channel);
        bindings.find(|channel| Some(channel.id.as_str()) == id).unwrap_or(&to.default)
    }
}

/// Writes replies; each gets an id of its own.
pub(super) struct Writer {
    seed: (u64, u64),
    number: AtomicU64,
}

impl Writer {
    pub(super) fn new() -> Self {
        // Keys of the standard library's maps are random by process; ids must differ between processes on one store.
        let random = || RandomState::new().hash_one(std::process::id());
        Self { seed: (random(), random()), number: AtomicU64::new(0) }
    }

    fn message_id(&self) -> String {
        let number = self.number.fetch_add(1, Relaxed);
        let (high, low) = (hash(self.seed.0, number), hash(self.seed.1, number));
        // Version 4 and variant 1 of a UUID (RFC 9562, 5.4).
        let (third, fourth) = ((high & 0x0fff) | 0x4000, (low >> 48 & 0x3fff) | 0x8000);
        format!(
            "{:08x}-{:04x}-{third:04x}-{fourth:04x}-{:012x}@{HOST}",
            high >> 32,
            high >> 16 & 0xffff,
            low & 0xffff_ffff_ffff
        )
    }

    /// All replies to a message. To one that is wrong an error alone, unless it is an error itself: two that answer
    /// each other's errors would never end.
    pub(super) fn replies(
        &self,
        parties: &Parties<'_>,
        envelope: &Envelope,
        flaws: Vec<Flaw>,
        with_business: bool,
    ) -> Vec<Reply> {
        let is_signal = envelope.service.is_signals();
        if !flaws.is_empty() {
            if is_signal && envelope.action == "MessageError" {
                return Vec::new();
            }
            let extras = Extras { flaws, ..Extras::default() };
            return vec![self.signal(parties, envelope, "MessageError", extras)];
        }
        let mut replies = Vec::new();
        if envelope.ack_requested.is_some() {
            let extras = Extras { acknowledges: Some(envelope.message_id.clone()), ..Extras::default() };
            replies.push(self.signal(parties, envelope, "Acknowledgment", extras));
        }
        if is_signal && envelope.action == "Ping" {
            replies.push(self.signal(parties, envelope, "Pong", Extras::default()));
        }
        if !is_signal && with_business {
            replies.extend(self.business(parties, envelope));
        }
        replies
    }

    fn signal(&self, parties: &Parties<'_>, envelope: &Envelope, action: &str, extras: Extras) -> Reply {
        let side = |party: &Party| Side { ids: party.ids.clone(), role: None };
        let message = Outgoing {
            from: side(parties.receiver()),
            to: side(parties.sender()),
            cpa_id: envelope.cpa_id.clone(),
            conversation_id: envelope.conversation_id.clone(),
            service: ServiceName::signals(),
            action: action.to_owned(),
            message_id: self.message_id(),
            timestamp: moment_now(),
            ref_to: Some(envelope.message_id.clone()),
            time_to_live: None,
            extras,
        };
        reply(&message, &parties.sender().default, true)
    }

    /// What the business behind answers: the first action of the same service that we can send and the other party
    /// can receive.
    fn business(&self, parties: &Parties<'_>, envelope: &Envelope) -> Option<Reply> {
        let (ours, theirs) = (parties.receiver(), parties.sender());
        let received = |sent: &Binding| theirs.binding(&sent.service, &sent.action, false);
        let sent = ours.bindings.iter().filter(|binding| binding.sends && binding.service == envelope.service);
        let (sent, received) = sent.filter_map(|sent| Some((sent, received(sent)?))).next()?;
        let side = |party: &Party, role: &str| Side { ids: party.ids.clone(), role: Some(role.to_owned()) };
        let channel = &received.channel;
        let message = Outgoing {
            from: side(ours, &sent.role),
            to: side(theirs, &received.role),
            cpa_id: envelope.cpa_id.clone(),
            conversation_id: envelope.conversation_id.clone(),
            service: envelope.service.clone(),
            action: sent.action.clone(),
            message_id: self.message_id(),
            timestamp: moment_now(),
            ref_to: Some(envelope.message_id.clone()),
            time_to_live: None,
            extras: Extras {
                ack_requested: channel.ack_requested == Agreed::Always,
                duplicate_elimination: channel.duplicate_elimination == Agreed::Always,
                sync_reply: channel.on_connection.is_any(),
                ..Extras::default()
            },
        };
        Some(reply(&message, channel, false))
    }
}

fn reply(message: &Outgoing, channel: &Channel, is_signal: bool) -> Reply {
    let row = Row {
        time_stamp: message.timestamp,
        cpa_id: message.cpa_id.clone(),
        conversation_id: message.conversation_id.clone(),
        message_id: message.message_id.clone(),
        ref_to: message.ref_to.clone(),
        time_to_live: message.time_to_live,
        persist_time: persist(channel, message.timestamp),
        from_party_id: first_id(&message.from),
        from_role: message.from.role.clone(),
        to_party_id: first_id(&message.to),
        to_role: message.to.role.clone(),
        service: message.service.value.clone(),
        action: message.action.clone(),
        content: Bytes::from(message.envelope()),
        status: Status::Created,
    };
    let task = TaskRow {
        cpa_id: row.cpa_id.clone(),
        channel: channel.id.clone(),
        message_id: row.message_id.clone(),
        time_to_live: row.time_to_live,
        due: row.time_stamp,
    };
    Reply { row, task: Some(task), is_signal, needs_ack: message.extras.ack_requested }
}

fn first_id(side: &Side) -> String {
    side.ids.first().map(|id| id.value.clone()).unwrap_or_default()
}

fn persist(channel: &Channel, from: Nanos) -> Option<Nanos> {
    let lasts = channel.reliable?.persist?;
    Some(Nanos(from.0.saturating_add(Nanos::from(lasts).0)))
}

/// The row of a message that came in.
pub(super) fn inbound(
    parties: &Parties<'_>,
    envelope: &Envelope,
    package: &Package,
    is_wrong: bool,
    with_business: bool,
) -> Row {
    let now = moment_now();
    let status = match (is_wrong, envelope.service.is_signals()) {
        (true, _) => Status::Failed,
        (false, true) => Status::Processed,
        (false, false) if with_business => Status::Forwarded,
        (false, false) => Status::Received,
    };
    Row {
        time_stamp: now,
        cpa_id: envelope.cpa_id.clone(),
        conversation_id: envelope.conversation_id.clone(),
        message_id: envelope.message_id.clone(),
        ref_to: envelope.ref_to.clone(),
        // Years that no column can hold are as good as none.
        time_to_live: envelope.time_to_live,
        persist_time: persist(parties.channel(envelope), now),
        from_party_id: first_id(&envelope.from),
        from_role: envelope.from.role.clone(),
        to_party_id: first_id(&envelope.to),
        to_role: envelope.to.role.clone(),
        service: envelope.service.value.clone(),
        action: envelope.action.clone(),
        content: package.envelope.clone(),
        status,
    }
}

/// The message of ours, or of the conversation, that must be known for this one to make sense.
pub(super) fn must_exist(envelope: &Envelope) -> Option<String> {
    envelope.acknowledges.clone().or_else(|| envelope.ref_to.clone())
}
