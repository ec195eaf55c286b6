//! One exchange of the study, ready to be carried out: a route for every agreement and side, and what goes along.

use crate::agreement::{Agreement, PartyId, Signing};
use crate::envelope::write::{Asks, Frame};
use crate::signature::{Algorithms, Signer};
use extract::Compiled;
use http_wire::TlsSettings;
use std::collections::HashMap;
use terms::Nanos;

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ping,
    Message,
}

pub(crate) struct Exchange {
    pub(crate) kind: Kind,
    /// Template of the agreement's id.
    pub(crate) agreement: u16,
    /// Template of the id of the party that the lab is.
    pub(crate) from: u16,
    /// Template of the other party's id, if the study says it.
    pub(crate) party: Option<u16>,
    /// Template of the conversation, if the study says it.
    pub(crate) conversation: Option<u16>,
    /// Template of the time.
    pub(crate) now: u16,
    pub(crate) time_to_live: Option<Nanos>,
    pub(crate) agreements: Vec<Agreement>,
    /// Index of the agreement of an id.
    pub(crate) by_id: HashMap<Vec<u8>, usize>,
    /// By agreement and side; why there is none.
    pub(crate) routes: Vec<Result<Route, Refused>>,
    /// Which of them the study is known to use; all where that cannot be known beforehand.
    pub(crate) used: Vec<usize>,
    pub(crate) payload: Vec<Payload>,
    pub(crate) boundary: String,
    /// Action of the business answer.
    pub(crate) answer: Option<String>,
    pub(crate) within: Within,
    pub(crate) compiled: Compiled,
    /// Longest wait for an HTTP answer.
    pub(crate) timeout: Nanos,
    pub(crate) reuse: bool,
    pub(crate) signer: Option<Signer>,
}

/// Time limits of later legs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    /// As the study has it; else it follows from the agreement.
    pub(crate) acknowledged: Option<Nanos>,
    pub(crate) reply: Nanos,
    /// Of an error that comes when nothing else is waited for, if the study asks for it.
    pub(crate) error: Option<Nanos>,
}

/// Why an agreement does not allow a message: code and sentence of the mistake, and which key asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) code: &'static str,
    pub(crate) key: &'static str,
    pub(crate) why: String,
}

/// A message's way under one agreement, from one side of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Route {
    pub(crate) endpoint: usize,
    /// The HTTP request up to the value of its `Content-Length`.
    pub(crate) head: Vec<u8>,
    pub(crate) frame: Frame,
    pub(crate) asks: Asks,
    /// With what it is signed, if it is.
    pub(crate) signing: Option<Algorithms>,
    /// Who signs its acknowledgment, if that is to be signed.
    pub(crate) receipt: Option<Signing>,
    /// Who signs its business answer, if that is to be signed.
    pub(crate) answer: Option<Signing>,
    /// Where the acknowledgment of its business answer goes, if that may ask for one.
    pub(crate) back: Option<Back>,
    /// Service of the message, and so of its answer.
    pub(crate) service: String,
    /// Whether the other side sends errors on connections of its own, to an address that it knows.
    pub(crate) may_be_refused_later: bool,
    pub(crate) retries: u32,
    pub(crate) interval: Nanos,
    /// How long an acknowledgment is waited for by the agreement.
    pub(crate) patience: Nanos,
}

/// How the lab acknowledges a business answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Back {
    pub(crate) endpoint: usize,
    /// The HTTP request up to the value of its `Content-Length`.
    pub(crate) head: Vec<u8>,
    pub(crate) frame: Frame,
    /// By what ids the lab's party is known.
    pub(crate) from: Vec<PartyId>,
    /// With what it is signed, if the study has a key.
    pub(crate) signing: Option<Algorithms>,
}

/// A payload part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Payload {
    pub(crate) id: String,
    pub(crate) content_type: String,
    pub(crate) content: Content,
}

/// What a payload part holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Fixed(Vec<u8>),
    /// Template that is filled in.
    Slots(u16),
}

/// Where messages go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Endpoint {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: Option<TlsSettings>,
    /// How long a connection is kept without use; none for as long as the other side keeps it.
    pub(crate) idle: Option<Nanos>,
}

impl Exchange {
    pub(crate) fn route_index(agreement: usize, side: usize) -> usize {
        agreement * 2 + side
    }

    /// Agreement and side of a route.
    pub(crate) fn agreement_of(&self, route: usize) -> Option<(&Agreement, usize)> {
        self.agreements.get(route / 2).map(|agreement| (agreement, route % 2))
    }

    /// The routes that the study uses.
    pub(crate) fn used_routes(&self) -> impl Iterator<Item = &Route> {
        self.used.iter().filter_map(|index| self.routes.get(*index)?.as_ref().ok())
    }

    /// The legs that something later closes, for a message on this route.
    pub(crate) fn later_legs(&self, route: &Route) -> impl Iterator<Item = contract::Leg> + use<> {
        let first = self.kind == Kind::Ping || route.asks.acknowledgment.is_some();
        let second = self.kind == Kind::Message && self.answer.is_some();
        [(1, first), (2, second)].into_iter().filter(|(_, is_there)| *is_there).map(|(leg, _)| leg)
    }

    /// The leg of errors that come when nothing is waited for any more.
    pub(crate) fn error_leg(&self) -> contract::Leg {
        if self.kind == Kind::Ping { 2 } else { 3 }
    }

    /// How long the end of the load waits for an error to a message that nothing else is to come for. One whose answers
    /// all come on the same connection has had its own.
    pub(crate) fn watched(&self, route: &Route) -> Nanos {
        if route.may_be_refused_later { self.within.error.unwrap_or(self.timeout) } else { Nanos::ZERO }
    }

    /// The same once a later leg has succeeded. That one was waited for, so a study that says nothing of errors gets no
    /// second wait behind it.
    pub(crate) fn watched_afterwards(&self, route: &Route) -> Nanos {
        self.within.error.filter(|_| route.may_be_refused_later).unwrap_or(Nanos::ZERO)
    }

    /// How long a later leg may take.
    pub(crate) fn within_of(&self, leg: contract::Leg, route: &Route) -> Nanos {
        if self.kind == Kind::Ping || leg > 1 {
            return self.within.reply;
        }
        let agreed = Some(route.patience).filter(|patience| *patience > Nanos::ZERO);
        self.within.acknowledged.or(agreed).unwrap_or(self.timeout)
    }
}
