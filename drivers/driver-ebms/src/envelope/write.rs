//! A message's envelope, cut once into fixed pieces and the few things that differ from message to message.

use super::{EB, NEXT, SOAP, TO_PARTY, VERSION, XLINK};
use crate::agreement::{Party, PartyId, Requested, SIGNAL_SERVICE, Terms};
use crate::xml::{attribute_into, escape_into};

/// What differs from message to message, in the order of the envelope. All but whole elements are escaped as they are
/// written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own<'a> {
    pub(crate) conversation: &'a [u8],
    pub(crate) id: &'a [u8],
    pub(crate) timestamp: &'a [u8],
    /// Empty for none.
    pub(crate) refers_to: &'a [u8],
    /// Empty for none.
    pub(crate) time_to_live: &'a [u8],
    /// Whole elements behind the message header; empty for none.
    pub(crate) more: &'a [u8],
    /// A whole element; empty for none.
    pub(crate) signature: &'a [u8],
}

/// What is asked for besides the headers that every message has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asks {
    /// An acknowledgment; whether a signed one.
    pub(crate) acknowledgment: Option<bool>,
    pub(crate) no_duplicates: bool,
    /// The answer on the same connection.
    pub(crate) is_synchronous: bool,
}

/// The fixed pieces of an envelope.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    /// Up to the conversation.
    head: Vec<u8>,
    /// From behind it up to the message's id.
    routing: Vec<u8>,
    /// From behind its data on.
    headers: Vec<u8>,
    /// What is meant for the next node, which no signature covers.
    next: Vec<u8>,
    /// All the rest.
    body: Vec<u8>,
}

/// What a frame is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'a> {
    pub(crate) agreement: &'a str,
    pub(crate) terms: Terms<'a>,
    /// Of a signal; a message has that of its terms.
    pub(crate) signal: &'a str,
    pub(crate) asks: Asks,
    /// Content ids of the payload.
    pub(crate) payload: &'a [String],
}

impl Frame {
    /// Writes the pieces.
    pub(crate) fn new(form: &Form<'_>) -> Self {
        let Form { agreement, terms, signal, asks, payload } = *form;
        let mut head = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"{SOAP}\" xmlns:eb=\"{EB}\" \
             xmlns:xlink=\"{XLINK}\"><soap:Header><eb:MessageHeader eb:version=\"{VERSION}\" soap:mustUnderstand=\"1\">"
        )
        .into_bytes();
        let roles = terms.action.map(|(sent, received)| (sent.role.as_str(), received.role.as_str()));
        party("eb:From", terms.from, roles.map(|(from, _)| from), &mut head);
        party("eb:To", terms.to, roles.map(|(_, to)| to), &mut head);
        element("eb:CPAId", None, agreement, &mut head);
        head.extend_from_slice(b"<eb:ConversationId>");
        let mut routing = b"</eb:ConversationId>".to_vec();
        match terms.action {
            Some((action, _)) => {
                element("eb:Service", action.service.kind.as_deref(), &action.service.name, &mut routing);
                element("eb:Action", None, &action.name, &mut routing);
            }
            None => {
                element("eb:Service", None, SIGNAL_SERVICE, &mut routing);
                element("eb:Action", None, signal, &mut routing);
            }
        }
        routing.extend_from_slice(b"<eb:MessageData><eb:MessageId>");
        Self { head, routing, headers: headers(asks), next: next(asks), body: body(payload) }
    }

    /// Appends an envelope.
    pub(crate) fn write(&self, own: &Own<'_>, into: &mut Vec<u8>) {
        self.write_headers(own, into);
        into.extend_from_slice(&self.next);
        into.extend_from_slice(own.signature);
        into.extend_from_slice(&self.body);
    }

    /// Appends what a signature covers of it.
    pub(crate) fn write_signed(&self, own: &Own<'_>, into: &mut Vec<u8>) {
        self.write_headers(own, into);
        into.extend_from_slice(&self.body);
    }

    fn write_headers(&self, own: &Own<'_>, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.head);
        escape_into(own.conversation, into);
        into.extend_from_slice(&self.routing);
        escape_into(own.id, into);
        into.extend_from_slice(b"</eb:MessageId><eb:Timestamp>");
        escape_into(own.timestamp, into);
        into.extend_from_slice(b"</eb:Timestamp>");
        if !own.refers_to.is_empty() {
            into.extend_from_slice(b"<eb:RefToMessageId>");
            escape_into(own.refers_to, into);
            into.extend_from_slice(b"</eb:RefToMessageId>");
        }
        if !own.time_to_live.is_empty() {
            into.extend_from_slice(b"<eb:TimeToLive>");
            escape_into(own.time_to_live, into);
            into.extend_from_slice(b"</eb:TimeToLive>");
        }
        into.extend_from_slice(&self.headers);
        into.extend_from_slice(own.more);
    }
}

fn headers(asks: Asks) -> Vec<u8> {
    let mut headers = b"</eb:MessageData>".to_vec();
    if asks.no_duplicates {
        headers.extend_from_slice(b"<eb:DuplicateElimination/>");
    }
    headers.extend_from_slice(b"</eb:MessageHeader>");
    let common = format!("eb:version=\"{VERSION}\" soap:mustUnderstand=\"1\"");
    if let Some(is_signed) = asks.acknowledgment {
        let asked = format!("<eb:AckRequested {common} eb:signed=\"{is_signed}\" soap:actor=\"{TO_PARTY}\"/>");
        headers.extend_from_slice(asked.as_bytes());
    }
    headers
}

fn next(asks: Asks) -> Vec<u8> {
    if !asks.is_synchronous {
        return Vec::new();
    }
    format!("<eb:SyncReply eb:version=\"{VERSION}\" soap:mustUnderstand=\"1\" soap:actor=\"{NEXT}\"/>").into_bytes()
}

fn body(payload: &[String]) -> Vec<u8> {
    if payload.is_empty() {
        return b"</soap:Header><soap:Body/></soap:Envelope>".to_vec();
    }
    let mut body = format!("</soap:Header><soap:Body><eb:Manifest eb:version=\"{VERSION}\">").into_bytes();
    for id in payload {
        body.extend_from_slice(b"<eb:Reference xlink:type=\"simple\" xlink:href=\"cid:");
        attribute_into(id.as_bytes(), &mut body);
        body.extend_from_slice(b"\"/>");
    }
    body.extend_from_slice(b"</eb:Manifest></soap:Body></soap:Envelope>");
    body
}

fn party(name: &str, party: &Party, role: Option<&str>, into: &mut Vec<u8>) {
    into.extend_from_slice(format!("<{name}>").as_bytes());
    for PartyId { kind, value } in &party.ids {
        element("eb:PartyId", kind.as_deref(), value, into);
    }
    if let Some(role) = role {
        element("eb:Role", None, role, into);
    }
    into.extend_from_slice(format!("</{name}>").as_bytes());
}

fn element(name: &str, kind: Option<&str>, text: &str, into: &mut Vec<u8>) {
    into.extend_from_slice(format!("<{name}").as_bytes());
    if let Some(kind) = kind {
        into.extend_from_slice(b" eb:type=\"");
        attribute_into(kind.as_bytes(), into);
        into.push(b'"');
    }
    into.push(b'>');
    escape_into(text.as_bytes(), into);
    into.extend_from_slice(format!("</{name}>").as_bytes());
}

impl Asks {
    /// What a message asks for by its agreement: `is_reliable` decides what is left to each message.
    pub(crate) fn of(terms: &Terms<'_>, is_reliable: bool) -> Self {
        let wanted = |asked: Requested| match asked {
            Requested::Always => true,
            Requested::Never => false,
            Requested::PerMessage => is_reliable,
        };
        let channel = terms.channel;
        let is_receipt_signed = terms.action.is_some_and(|(action, _)| action.is_receipt_signed);
        let is_signed = match channel.signed_acknowledgment {
            Requested::Always => true,
            Requested::Never => false,
            Requested::PerMessage => is_receipt_signed,
        };
        Self {
            acknowledgment: wanted(channel.acknowledgment).then_some(is_signed),
            no_duplicates: wanted(channel.no_duplicates),
            is_synchronous: channel.is_synchronous,
        }
    }
}
