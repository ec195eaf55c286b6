//! What of the protocol the exchanges have the system do, and what they leave out: a load of Pings proves nothing about
//! signatures.

use crate::exchange::{Content, Endpoint, Exchange, Kind};
use contract::Feature;

/// Every feature that an exchange is told to have or to leave out, in the order told.
pub(crate) const NAMES: &[&str] = &[
    "Ping",
    "agreement",
    "reply on another connection",
    "business message",
    "payload",
    "payload that differs from message to message",
    "acknowledgment",
    "signed acknowledgment asked for",
    "duplicate elimination",
    "resends",
    "signature",
    "synchronous reply",
    "business reply",
    "time to live",
    "two-way TLS",
    "encryption",
    "message order",
    "multi-hop",
    "status request",
];

/// What no exchange of this driver does.
const NEVER: [&str; 4] = ["encryption", "message order", "multi-hop", "status request"];

pub(crate) fn of(exchanges: &[Option<Exchange>], endpoints: &[Endpoint]) -> Vec<Feature> {
    let mut features = Vec::new();
    for (number, exchange) in exchanges.iter().enumerate() {
        let Some(exchange) = exchange else { continue };
        let any = |has: &dyn Fn(&crate::exchange::Route) -> bool| exchange.used_routes().any(has);
        let is_message = exchange.kind == Kind::Message;
        let two_way = |endpoint: usize| endpoints[endpoint].tls.as_ref().is_some_and(|tls| tls.identity.is_some());
        let varies = exchange.payload.iter().any(|part| matches!(part.content, Content::Slots(_)));
        // Of a business message both later legs hang on what is asked for; a Ping always waits for its Pong.
        let leg_of = |name: &str| match name {
            "acknowledgment" if is_message => Some(1),
            "business reply" if is_message => Some(2),
            _ => None,
        };
        let mut add = |name: &str, is_exercised: bool| {
            debug_assert!(NAMES.contains(&name), "a feature without a word: {name}");
            let leg = leg_of(name);
            features.push(Feature { exchange: number as u16, name: name.to_owned(), is_exercised, leg });
        };
        let replies = !is_message || exchange.answer.is_some() || any(&|route| route.asks.acknowledgment.is_some());
        add("Ping", !is_message);
        add("agreement", true);
        add("reply on another connection", replies && any(&|route| !route.asks.is_synchronous));
        add("business message", is_message);
        add("payload", !exchange.payload.is_empty());
        add("payload that differs from message to message", varies);
        add("acknowledgment", any(&|route| route.asks.acknowledgment.is_some()));
        add("signed acknowledgment asked for", any(&|route| route.asks.acknowledgment == Some(true)));
        add("duplicate elimination", any(&|route| route.asks.no_duplicates));
        add("resends", any(&|route| route.retries > 0));
        add("signature", any(&|route| route.signing.is_some()));
        add("synchronous reply", any(&|route| route.asks.is_synchronous));
        add("business reply", exchange.answer.is_some());
        add("time to live", exchange.time_to_live.is_some());
        add("two-way TLS", any(&|route| two_way(route.endpoint)));
        NEVER.iter().for_each(|name| add(name, false));
    }
    features
}
