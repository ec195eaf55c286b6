//! Acknowledgments of business answers that ask for one: made where the answer is read, and brought by threads of their
//! own, since a listener's thread must not wait.
//!
//! One that cannot be brought is let go: the other side sends its answer again, and that asks for it anew.

use crate::agreement::PartyId;
use crate::envelope::read::Message;
use crate::envelope::write::Own;
use crate::envelope::{DS, TO_PARTY, VERSION};
use crate::exchange::{Back, Endpoint, Exchange};
use crate::xml::{Element, attribute_into, escape_into};
use clock::Clock;
use http_wire::{Call, Client, Expecting, Shared, Target};
use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use terms::Nanos;

/// Threads that bring acknowledgments. Each waits for an answer at a time.
const COURIERS: usize = 4;
/// Acknowledgments that wait to be brought.
const WAITING_MAX: usize = 4096;
/// Longest wait for one.
const PATIENCE: Nanos = Nanos::from_secs(10);
/// References of a signature that are repeated.
const REFERENCES_MAX: usize = 200;

/// Writes the acknowledgment of an answer; `number` makes its id.
///
/// # Errors
/// A key that cannot sign, or none: one sentence.
pub(crate) fn envelope(
    message: &Message,
    exchange: &Exchange,
    back: &Back,
    nonce: u64,
    number: u64,
) -> Result<Vec<u8>, String> {
    let id = format!("ack-{number}.{nonce:016x}@loadproof");
    let timestamp = terms::iso::millis(Clock::system().wall());
    let is_signed = message.acknowledgment_asked == Some(true);
    let mut more = Vec::new();
    element(message, &back.from, &timestamp, &mut more);
    let mut own = Own {
        conversation: message.conversation.as_bytes(),
        id: id.as_bytes(),
        timestamp: timestamp.as_bytes(),
        refers_to: message.id.as_bytes(),
        more: &more,
        ..Own::default()
    };
    let mut signature = Vec::new();
    if is_signed {
        let (Some(signer), Some(algorithms)) = (&exchange.signer, back.signing) else {
            return Err("the answer asks for a signed acknowledgment, and the study has no `sign`".to_owned());
        };
        let mut plain = Vec::new();
        back.frame.write_signed(&own, &mut plain);
        signature = signer.sign(algorithms, &plain, std::iter::empty())?;
    }
    own.signature = &signature;
    let mut envelope = Vec::new();
    back.frame.write(&own, &mut envelope);
    Ok(envelope)
}

/// `eb:Acknowledgment` (section 6.3.2 of the specification).
fn element(message: &Message, from: &[PartyId], timestamp: &str, into: &mut Vec<u8>) {
    let begin = format!(
        "<eb:Acknowledgment eb:version=\"{VERSION}\" soap:mustUnderstand=\"1\" soap:actor=\"{TO_PARTY}\"><eb:Timestamp>\
         {timestamp}</eb:Timestamp><eb:RefToMessageId>"
    );
    into.extend_from_slice(begin.as_bytes());
    escape_into(message.id.as_bytes(), into);
    into.extend_from_slice(b"</eb:RefToMessageId><eb:From>");
    for PartyId { kind, value } in from {
        into.extend_from_slice(b"<eb:PartyId");
        if let Some(kind) = kind {
            attribute("eb:type", kind, into);
        }
        into.push(b'>');
        escape_into(value.as_bytes(), into);
        into.extend_from_slice(b"</eb:PartyId>");
    }
    into.extend_from_slice(b"</eb:From>");
    message.signed.iter().take(REFERENCES_MAX).for_each(|reference| copy(reference, into));
    into.extend_from_slice(b"</eb:Acknowledgment>");
}

/// An element of a signature as it was, with its namespace declared anew: around it, prefixes are ours.
fn copy(element: &Element, into: &mut Vec<u8>) {
    let Element { namespace, name, attributes, children, text } = element;
    let prefix = if namespace == DS { "ds" } else { "other" };
    into.extend_from_slice(format!("<{prefix}:{name}").as_bytes());
    attribute(&format!("xmlns:{prefix}"), namespace, into);
    for known in attributes.iter().filter(|known| known.namespace.is_empty()) {
        attribute(&known.name, &known.value, into);
    }
    into.push(b'>');
    if children.is_empty() {
        // What stands between elements is for people.
        escape_into(text.as_bytes(), into);
    }
    children.iter().for_each(|child| copy(child, into));
    into.extend_from_slice(format!("</{prefix}:{name}>").as_bytes());
}

fn attribute(name: &str, value: &str, into: &mut Vec<u8>) {
    into.push(b' ');
    into.extend_from_slice(name.as_bytes());
    into.extend_from_slice(b"=\"");
    attribute_into(value.as_bytes(), into);
    into.push(b'"');
}

/// The whole request with that envelope.
pub(crate) fn request(back: &Back, envelope: &[u8]) -> Vec<u8> {
    let mut request = back.head.clone();
    write!(request, "{}\r\n\r\n", envelope.len()).expect("invariant: writing to memory does not fail");
    request.extend_from_slice(envelope);
    request
}

/// An acknowledgment on its way.
struct Letter {
    endpoint: usize,
    request: Vec<u8>,
}

/// Brings acknowledgments. Its threads end when it is dropped.
pub(crate) struct Couriers(SyncSender<Letter>);

impl Couriers {
    /// Starts the threads; `None` if the system gives none.
    pub(crate) fn start(endpoints: &[Endpoint]) -> Option<Self> {
        let (to, from) = sync_channel(WAITING_MAX);
        let from = Arc::new(Mutex::new(from));
        for _ in 0..COURIERS {
            let (from, endpoints) = (from.clone(), endpoints.to_vec());
            let work = move || Courier::new(endpoints).work(&from);
            std::thread::Builder::new().name("ebms-acks".into()).spawn(work).ok()?;
        }
        Some(Self(to))
    }

    /// Has one brought, soon.
    pub(crate) fn bring(&self, endpoint: usize, request: Vec<u8>) {
        // Where thousands wait already, one more would come too late.
        let _ = self.0.try_send(Letter { endpoint, request });
    }
}

/// One thread's connections.
struct Courier {
    endpoints: Vec<Endpoint>,
    /// By endpoint.
    clients: Vec<Option<Client>>,
    clock: Clock,
}

impl Courier {
    fn new(endpoints: Vec<Endpoint>) -> Self {
        let clients = endpoints.iter().map(|_| None).collect();
        Self { endpoints, clients, clock: Clock::system() }
    }

    fn work(&mut self, from: &Mutex<Receiver<Letter>>) {
        loop {
            let letter = from.lock().map(|from| from.recv());
            let Ok(Ok(Letter { endpoint, request })) = letter else { return };
            self.bring(endpoint, &request);
        }
    }

    /// Over the kept connection, else over a new one: the other side may have closed the kept one. To get the same
    /// acknowledgment twice does nobody any harm. Whatever the answer says, it has been brought.
    fn bring(&mut self, endpoint: usize, request: &[u8]) {
        let Some(Endpoint { host, port, tls, .. }) = self.endpoints.get(endpoint) else { return };
        let Some(client) = self.clients.get_mut(endpoint) else { return };
        if client.is_none() {
            let target = Target::find(host, *port, tls.as_ref(), b"http/1.1").ok();
            *client = target.map(|target| Client::new(Shared::new(vec![target]), 0));
        }
        let Some(client) = client else { return };
        let expecting = Expecting::default();
        let call = Call { target: 0, request, http2: None, expecting, reuse: true, retry: false };
        let until = self.clock.now() + PATIENCE;
        let tries = if client.keeps(0) { 2 } else { 1 };
        for _ in 0..tries {
            if client.carry_out(&call, until, u64::MAX, &self.clock).is_ok() {
                return;
            }
        }
    }
}
