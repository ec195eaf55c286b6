//! `connections` with `each`, `subscribers` with `publish`: loads of connections and subscriptions that are held open.

use crate::model::{Exchange, Item, LoadPart, Model};
use crate::sections::load_key::USERS_MAX;
use crate::syntax::keys::Reader;
use contract::{Closes, Mistake, Mistakes, Node, Place, Work};
use terms::{Quantity, Unit};

/// More messages on one connection are a slip: a connection is one sender.
const EACH_MAX: f64 = 100_000.0;
/// A message a week; a smaller rate sends nothing in any load that anybody waits for.
const EACH_LEAST: f64 = 1.0 / 604_800.0;

/// Reads how many connections, and what each sends.
pub(super) fn connections(node: &Node, keys: &mut Reader<'_>, mistakes: &mut Mistakes) -> Option<Model> {
    let each = match keys.take("each") {
        Some(node) => Some(messages(node, ("`each`", "for connections that only listen, leave `each` out"), mistakes)?),
        None => None,
    };
    let count = mistakes.keep(node.as_count("the number of connections", 1, USERS_MAX))?;
    Some(Model::Connections { count: count as u32, each, expected: None })
}

/// Reads how many subscribers, and how often an event is published.
pub(super) fn subscribers(node: &Node, keys: &mut Reader<'_>, mistakes: &mut Mistakes) -> Option<Model> {
    let count = mistakes.keep(node.as_count("the number of subscribers", 1, USERS_MAX));
    let publish = keys.need("publish", mistakes)?;
    let publish = messages(publish, ("`publish`", "for an event now and then write `1/10s`"), mistakes)?;
    Some(Model::Subscribers { count: count? as u32, publish })
}

/// A rate of messages on each connection.
pub(crate) fn messages(node: &Node, (what, hint): (&str, &'static str), mistakes: &mut Mistakes) -> Option<f64> {
    let text = mistakes.keep(node.as_text(what))?;
    let mistake = match Quantity::parse(text) {
        Ok(Quantity { value, unit: Unit::PerSecond }) if (EACH_LEAST..=EACH_MAX).contains(&value) => {
            return Some(value);
        }
        Ok(Quantity { unit: Unit::PerSecond, .. }) => Mistake::at(
            node.place,
            "study::out-of-range",
            format!("{what}: a rate of `{text}` on each connection is outside 1/7d to {EACH_MAX}/s"),
        )
        .hint(hint),
        _ => Mistake::at(node.place, "study::wrong-unit", format!("{what}: `{text}` is not a rate"))
            .label("write messages a second on each connection: `5/s`, or `1/10s`"),
    };
    mistakes.push(mistake);
    None
}

/// Of connections only times are known beforehand.
pub(super) fn refuse_counts(keys: &mut Reader<'_>, mistakes: &mut Mistakes) {
    let is_number = |node: &Node| node.text().is_some_and(|text| text.trim().parse::<f64>().is_ok());
    let found = [keys.take("count"), keys.take("warm_up").filter(|node| is_number(node))];
    if let Some(node) = found.into_iter().flatten().next() {
        mistakes.push(
            Mistake::at(node.place, "study::conflict", "held connections end by a time, not by a count")
                .label("write a duration, such as `hold: 5m`"),
        );
    }
}

/// A held load has one exchange that holds a connection, a fan-out one that publishes; others have none of either kind.
/// Sets how much is expected of connections that listen. An exchange whose work nobody knows may be of each kind.
pub(super) fn check(
    part: &mut LoadPart,
    (works, exchanges): (&[Option<Work>], &[Exchange]),
    place: Place,
    mistakes: &mut Mistakes,
) {
    let work = |number: &u16| works.get(usize::from(*number)).copied().flatten();
    let (needed, label) = match part.load.model {
        Model::Connections { .. } => (
            Some(Work::Held),
            "with `connections` write `run: [NAME]`, with one exchange that holds a connection, such as a `ws.talk`",
        ),
        Model::Subscribers { .. } => {
            (Some(Work::FanOut), "with `subscribers` write `run: [NAME]`, with one exchange such as a `websub.topic`")
        }
        _ => (None, ""),
    };
    if let Some(needed) = needed {
        match part.run.as_slice() {
            [Item::Exchange(number)] if work(number).is_none_or(|work| work == needed) => {
                let exchange = work(number).and_then(|_| exchanges.get(usize::from(*number)));
                exchange.into_iter().for_each(|exchange| listens(&mut part.load.model, exchange, place, mistakes));
            }
            _ => {
                let text = format!("`run` of `{}` is not one exchange for such a load", part.name);
                mistakes.push(Mistake::at(place, "study::conflict", text).label(label).hint(
                    "each message of a connection is an iteration of its own, so there is nothing to combine; what \
                     comes before goes to `set_up`",
                ));
            }
        }
        return;
    }
    for found in crate::exchanges_of(&part.run).iter().filter_map(work) {
        let load = match found {
            Work::Held => "load: { connections: 100, each: 5/s, hold: 1m }",
            Work::FanOut => "load: { subscribers: 100, publish: 1/10s, hold: 1m }",
            Work::Exchange | Work::Job => continue,
        };
        mistakes.push(
            Mistake::at(place, "study::conflict", format!("`{}` has an exchange that holds a connection", part.name))
                .label(format!("its load must say how many: `{load}`")),
        );
        return;
    }
}

/// Connections that only listen are sent what their exchange expects.
fn listens(model: &mut Model, exchange: &Exchange, place: Place, mistakes: &mut Mistakes) {
    let Model::Connections { each, expected, .. } = model else { return };
    *expected = exchange.settings.incoming.expect;
    let sends = exchange.legs.iter().any(|leg| leg.closes == Closes::Here);
    if each.is_some() && !sends {
        mistakes.push(
            Mistake::at(
                place,
                "study::conflict",
                format!("`{}` only listens, but `each` makes it send", exchange.name),
            )
            .label("remove `each`")
            .hint(format!(
                "what each connection should receive belongs in the exchange: `legs: {{ {}: {{ expect: 10/s }} }}`",
                exchange.legs.first().map_or("event", |leg| leg.name)
            )),
        );
    }
}
