//! Whether what came is what belongs to a message of ours: told from the message's id and the agreements alone, since a
//! listener's thread shares nothing with the sessions.

use crate::agreement::{PartyId, SIGNAL_SERVICE};
use crate::envelope::read::{ErrorOf, Message};
use crate::exchange::{Exchange, Kind, Route};
use crate::id::{self, Id};
use crate::mime::Opened;
use crate::signature::check;
use contract::Leg;
use contract::reply_key;
use terms::Outcome;

/// What a message from the other side is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Verified {
    pub(crate) id: Id,
    pub(crate) leg: Leg,
    pub(crate) outcome: Outcome,
    /// Why it is not ok; empty if it is.
    pub(crate) why: String,
    /// Whether it says that the message has failed, which ends whatever waits.
    pub(crate) refuses: bool,
}

/// What closes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stray {
    /// It belongs to no message of this run.
    Nobodys,
    /// It names a message of this run, and is a business answer that the study does not name.
    Unasked,
}

/// Whose a message is and how it closes its leg. `opened` is what it was read from.
///
/// # Errors
/// It closes no leg.
pub(crate) fn verify(
    message: &Message,
    opened: &Opened<'_>,
    exchanges: &[Option<Exchange>],
    nonce: u64,
) -> Result<Verified, Stray> {
    let (id, exchange, route) = named(message, exchanges, nonce).ok_or(Stray::Nobodys)?;
    let expects = |leg| exchange.later_legs(route).any(|known| known == leg);
    let is_signal = message.service == SIGNAL_SERVICE;
    let errors = message.has_failed() || is_signal && message.action == "MessageError";
    let (leg, outcome, why) = match (exchange.kind, message.action.as_str(), is_signal) {
        // An error says that nothing else will come: it ends the first leg that waits.
        _ if errors => {
            let leg = exchange.later_legs(route).next().unwrap_or(1);
            (leg, Outcome::Fault, said(message))
        }
        (Kind::Ping, "Pong", true) | (Kind::Message, "Acknowledgment", true) => (1, Outcome::Ok, String::new()),
        (Kind::Message, action, false)
            if Some(action) == exchange.answer.as_deref() && message.service == route.service =>
        {
            (2, Outcome::Ok, String::new())
        }
        // The other side answers of its own accord, which says nothing of what is waited for.
        (Kind::Message, _, false) if !expects(2) => return Err(Stray::Unasked),
        (_, action, _) => {
            let leg = if is_signal || !expects(2) { 1 } else { 2 };
            (leg, Outcome::Wrong, format!("action `{action}` of service `{}` is not an answer to it", message.service))
        }
    };
    let leg_or_first = if expects(leg) { leg } else { exchange.later_legs(route).next().unwrap_or(leg) };
    let verified = |outcome, why| Ok(Verified { id, leg: leg_or_first, outcome, why, refuses: errors });
    if outcome == Outcome::Wrong {
        return verified(outcome, why);
    }
    match stranger(message, exchange, &id) {
        Some(why) => verified(Outcome::Wrong, why),
        // An error needs no leg that waits, and what refuses a message is not asked for its signature.
        None if errors => verified(outcome, why),
        None if !expects(leg) => verified(Outcome::Wrong, format!("`{}` was not asked for", message.action)),
        None => match signed(message, opened, exchange, route, leg) {
            Ok(()) => verified(outcome, why),
            Err(why) => verified(Outcome::Wrong, format!("`{}`: {why}", message.action)),
        },
    }
}

/// The message of ours that it names.
fn named<'a>(
    message: &Message,
    exchanges: &'a [Option<Exchange>],
    nonce: u64,
) -> Option<(Id, &'a Exchange, &'a Route)> {
    let id = Id::read(message.refers_to.as_deref()?).filter(|id| id.nonce == nonce)?;
    let exchange = exchanges.get(usize::from(reply_key::exchange(id.key)))?.as_ref()?;
    Some((id, exchange, exchange.routes.get(usize::from(id.route))?.as_ref().ok()?))
}

/// Whether it is signed as the agreement has it. The costliest of all checks, so it comes last.
fn signed(message: &Message, opened: &Opened<'_>, exchange: &Exchange, route: &Route, leg: Leg) -> Result<(), String> {
    let is_receipt = exchange.kind == Kind::Message && leg == 1;
    let Some(by) = (if is_receipt { &route.receipt } else { &route.answer }) else { return Ok(()) };
    let parts: Vec<String> = message.manifest.iter().filter(|href| href.starts_with("cid:")).cloned().collect();
    check(&opened.envelope, &opened.parts, &parts, by)?;
    if !is_receipt || route.signing.is_none() {
        return Ok(());
    }
    // Section 6.3.2.4 of the specification: it names what of the message it acknowledges.
    let sent = std::iter::once(String::new()).chain(exchange.payload.iter().map(|part| format!("cid:{}", part.id)));
    match sent.into_iter().find(|uri| !message.got.contains(uri)) {
        None => Ok(()),
        Some(uri) if uri.is_empty() => Err("it does not say that it is for the envelope that was sent".to_owned()),
        Some(uri) => Err(format!("it does not say that it is for `{uri}`")),
    }
}

/// What of its headers belongs to another message.
fn stranger(message: &Message, exchange: &Exchange, id: &Id) -> Option<String> {
    let (agreement, side) = exchange.agreement_of(usize::from(id.route))?;
    if message.agreement != agreement.id {
        return Some(format!("it is under agreement `{}`, not `{}`", message.agreement, agreement.id));
    }
    if id::fingerprint(message.conversation.as_bytes(), id.nonce) != id.conversation {
        return Some(format!("it belongs to another conversation, `{}`", message.conversation));
    }
    for (what, found, party) in [("from", &message.from, 1 - side), ("to", &message.to, side)] {
        let known = &agreement.parties[party].ids;
        if !found.iter().any(|id| known.iter().any(|known| is_same(id, known))) {
            let shown = found.first().map_or("nobody", |id| id.value.as_str());
            return Some(format!("it is {what} `{shown}`, who is not that party to agreement `{}`", agreement.id));
        }
    }
    None
}

fn is_same(id: &PartyId, known: &PartyId) -> bool {
    id.value == known.value && (id.kind == known.kind || id.kind.is_none() || known.kind.is_none())
}

/// What an error message says.
fn said(message: &Message) -> String {
    let Some(first) = message.errors.iter().find(|error| !error.is_warning).or(message.errors.first()) else {
        return "the other side says that there is an error, and not which".to_owned();
    };
    let ErrorOf { code, text, location, .. } = first;
    let mut said = format!("the other side says {code}");
    for (before, more, after) in [(": ", text, ""), (" (at `", location, "`)")] {
        if !more.is_empty() {
            said.extend([before, more.as_str(), after]);
        }
    }
    said
}
