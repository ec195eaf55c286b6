//! Checks a message against its agreement: what is not so becomes an entry of the error list.

use terms::Nanos;

use crate::agreement::{Agreement, Binding, Channel, Party};
use crate::wire::envelope::{Code, Envelope, Flaw};
use crate::wire::mime::Package;

/// The two parties of a message as the agreement has them, as far as they can be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parties<'a> {
    pub(super) agreement: &'a Agreement,
    /// Place of the party that sent the message, and so gets the answer.
    pub(super) sender: usize,
    /// Whether both sides of the message are as agreed.
    pub(super) are_agreed: bool,
}

impl<'a> Parties<'a> {
    /// Tells the parties of a message. One that is known tells the other; with neither, or with `own` for ourselves,
    /// the first that is not ourselves gets the answer.
    pub(super) fn of(agreement: &'a Agreement, envelope: &Envelope, own: Option<&str>) -> Self {
        let (from, to) = (agreement.party_of(&envelope.from), agreement.party_of(&envelope.to));
        let is_own = |place: usize| own.is_none_or(|own| agreement.parties[place].ids.iter().any(|id| id.value == own));
        let are_agreed = matches!((from, to), (Some(from), Some(to)) if from != to && is_own(to));
        let ours = match own {
            Some(_) => (0..2).find(|place| is_own(*place)),
            None => to.or(from.map(|from| 1 - from)),
        };
        // By convention of the generated agreements the first party is the one that is served here.
        Self { agreement, sender: 1 - ours.unwrap_or(0), are_agreed }
    }

    pub(super) fn sender(&self) -> &'a Party {
        &self.agreement.parties[self.sender]
    }

    pub(super) fn receiver(&self) -> &'a Party {
        &self.agreement.parties[1 - self.sender]
    }

    /// The channel on which we receive this message: that of the action, or the default one of signals.
    pub(super) fn channel(&self, envelope: &Envelope) -> &'a Channel {
        self.binding(envelope).map_or(&self.receiver().default, |binding| &binding.channel)
    }

    /// The binding of a business message that we can receive.
    pub(super) fn binding(&self, envelope: &Envelope) -> Option<&'a Binding> {
        self.receiver().binding(&envelope.service, &envelope.action, false)
    }
}

/// Everything that is wrong with a message.
pub(super) fn check(parties: &Parties<'_>, envelope: &Envelope, package: &Package, now: Nanos) -> Vec<Flaw> {
    let mut flaws = envelope.flaws.clone();
    check_agreement(parties, envelope, now, &mut flaws);
    check_support(envelope, &mut flaws);
    if parties.are_agreed {
        match envelope.service.is_signals() {
            true => check_signal(envelope, &mut flaws),
            false => check_business(parties, envelope, &mut flaws),
        }
        check_traits(parties, envelope, &mut flaws);
    }
    if envelope.time_to_live.is_some_and(|until| until <= now) {
        let text = "the time to live had passed when the message was received";
        flaws.push(Flaw::new(Code::TimeToLiveExpired, "//eb:MessageData/eb:TimeToLive", text));
    }
    check_payloads(envelope, package, &mut flaws);
    flaws
}

fn check_agreement(parties: &Parties<'_>, envelope: &Envelope, now: Nanos, flaws: &mut Vec<Flaw>) {
    let agreement = parties.agreement;
    if !agreement.is_in_force(now) {
        let text = format!("the agreement `{}` is not in force now", agreement.id);
        flaws.push(Flaw::new(Code::Inconsistent, "//eb:CPAId", text));
    }
    if !parties.are_agreed {
        let at = if agreement.party_of(&envelope.from).is_none() { "From" } else { "To" };
        let text = format!("the parties are not those of the agreement `{}` in this direction", agreement.id);
        flaws.push(Flaw::new(Code::Inconsistent, &format!("//eb:{at}/eb:PartyId"), text));
    }
}

/// What is in the specification and not here.
fn check_support(envelope: &Envelope, flaws: &mut Vec<Flaw>) {
    let mut refuse = |location: &str, what: &str| {
        flaws.push(Flaw::new(Code::NotSupported, location, format!("{what} is not supported")));
    };
    if envelope.has_message_order {
        refuse("//eb:MessageOrder", "message order");
    }
    if envelope.ack_requested.is_some_and(|requested| requested.is_next_msh) {
        refuse("//eb:AckRequested/@soap:actor", "an acknowledgment by the next message service");
    }
    if envelope.has_status_request {
        refuse("//eb:StatusRequest", "a status request");
    }
    if envelope.is_signed {
        // To accept what cannot be verified would be worse than to refuse it.
        let text = "signatures cannot be verified here";
        flaws.push(Flaw::new(Code::SecurityFailure, "//ds:Signature", text));
    }
}

fn check_signal(envelope: &Envelope, flaws: &mut Vec<Flaw>) {
    let reference = "//eb:MessageData/eb:RefToMessageId";
    let lacking = |name: &str| Flaw::new(Code::Inconsistent, "//eb:Action", format!("there is no `{name}` in it"));
    match envelope.action.as_str() {
        "Ping" => {}
        "Acknowledgment" if envelope.acknowledges.is_none() => flaws.push(lacking("Acknowledgment")),
        "MessageError" if envelope.error_codes.is_none() => flaws.push(lacking("ErrorList")),
        "Pong" | "MessageError" if envelope.ref_to.is_none() => {
            flaws.push(Flaw::new(Code::Inconsistent, reference, "a reply must name the message that it answers"));
        }
        "Pong" | "Acknowledgment" | "MessageError" => {}
        "StatusRequest" | "StatusResponse" => {
            if !envelope.has_status_request {
                flaws.push(Flaw::new(Code::NotSupported, "//eb:Action", "status messages are not supported"));
            }
        }
        _ => flaws.push(Flaw::new(Code::ValueNotRecognized, "//eb:Action", "there is no such signal")),
    }
}

fn check_business(parties: &Parties<'_>, envelope: &Envelope, flaws: &mut Vec<Flaw>) {
    let Some(binding) = parties.binding(envelope) else {
        let (at, what) = match parties.receiver().knows(&envelope.service) {
            true => ("//eb:Action", "action"),
            false => ("//eb:Service", "service"),
        };
        let text = format!("the agreement does not let this party receive the {what}");
        return flaws.push(Flaw::new(Code::ValueNotRecognized, at, text));
    };
    let sent = parties.sender().binding(&envelope.service, &envelope.action, true);
    let sides =
        [("From", &envelope.from.role, sent.map(|sent| &sent.role)), ("To", &envelope.to.role, Some(&binding.role))];
    for (side, found, agreed) in sides {
        if found.is_none() || found.as_ref() != agreed {
            let text = format!("the role of `{side}` is not the agreed one");
            flaws.push(Flaw::new(Code::Inconsistent, &format!("//eb:{side}/eb:Role"), text));
        }
    }
}

/// What a channel agrees about how messages are sent. Signals are bound by it only in what they must not have: a
/// Ping may do without the acknowledgment that business messages of the same channel need.
fn check_traits(parties: &Parties<'_>, envelope: &Envelope, flaws: &mut Vec<Flaw>) {
    let channel = parties.channel(envelope);
    let is_signal = envelope.service.is_signals();
    let mut agreed = |is_so: bool, allows: bool, location: &str, what: &str| {
        if !allows && (is_so || !is_signal) {
            let text = format!("`{what}` is not as the agreement has it");
            flaws.push(Flaw::new(Code::Inconsistent, location, text));
        }
    };
    let is_requested = envelope.ack_requested.is_some();
    let is_signed = envelope.ack_requested.is_some_and(|requested| requested.signed);
    let eliminates = envelope.duplicate_elimination;
    agreed(is_requested, channel.ack_requested.allows(is_requested), "//eb:AckRequested", "AckRequested");
    if is_requested {
        agreed(is_signed, channel.ack_signed.allows(is_signed), "//eb:AckRequested/@eb:signed", "signed");
    }
    let allows = channel.duplicate_elimination.allows(eliminates);
    agreed(eliminates, allows, "//eb:DuplicateElimination", "DuplicateElimination");
    let is_synchronous = envelope.sync_reply;
    agreed(is_synchronous, channel.on_connection.is_any() == is_synchronous, "//eb:SyncReply", "SyncReply");
    if is_signed && channel.ack_signed.allows(true) {
        let text = "acknowledgments cannot be signed here";
        flaws.push(Flaw::new(Code::SecurityFailure, "//eb:AckRequested/@eb:signed", text));
    }
}

/// Every `cid:` names a part, and every part is named.
fn check_payloads(envelope: &Envelope, package: &Package, flaws: &mut Vec<Flaw>) {
    let mut named = Vec::new();
    for href in &envelope.references {
        match href.strip_prefix("cid:") {
            None => {
                let text = "payloads are taken by content id only";
                flaws.push(Flaw::new(Code::NotSupported, "//eb:Reference/@xlink:href", text));
            }
            Some(id) if !package.payloads.iter().any(|part| part.content_id == id) => {
                flaws.push(Flaw::new(Code::MimeProblem, href, "no part has this content id"));
            }
            Some(id) => named.push(id),
        }
    }
    for part in &package.payloads {
        if !named.contains(&part.content_id.as_str()) {
            let text = format!(
                "the part `{}` is not named by the manifest",
                part.content_id.chars().take(100).collect::<String>()
            );
            flaws.push(Flaw::new(Code::Inconsistent, "//eb:Manifest", text));
        }
    }
    for part in &package.payloads {
        if part.content_id.len() > 255 || part.content_type.len() > 255 {
            let text = "a part cannot be handed over: its content id or type is longer than 255 bytes";
            flaws.push(Flaw::new(Code::DeliveryFailure, "//eb:Manifest", text));
        }
    }
}
