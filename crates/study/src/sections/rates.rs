//! `arrivals`: a rate, or rates one after another.

use crate::model::{RatePiece, Streams};
use crate::sections::load_key::PIECES_MAX;
use crate::sections::load_nodes;
use crate::syntax::keys::{Form, Key, Reader, key};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node};
use terms::{Quantity, Unit};

/// More than any machine sends; larger numbers are slips.
const RATE_MAX: f64 = 10_000_000.0;

pub(crate) static PIECE: [Key; 4] = [
    key("rate", Form::Rate, "a constant rate: a hold"),
    key("for", Form::Duration, "how long it holds"),
    key("to", Form::Rate, "a rise or fall to this rate"),
    key("over", Form::Duration, "how long that takes"),
];

/// What a rate is multiplied with that is given `per stream` or `per node`.
#[derive(Clone, Copy)]
pub(super) struct Many {
    pub(super) streams: Option<Streams>,
    pub(super) nodes: u16,
}

/// A rate above zero.
pub(super) fn some_rate(node: &Node, many: Many, mistakes: &mut Mistakes) -> Option<f64> {
    let rate = rate(node, many, mistakes)?;
    if rate > 0.0 {
        return Some(rate);
    }
    mistakes.push(
        Mistake::at(node.place, "study::out-of-range", "an arrival rate of zero starts nothing")
            .label("write a rate above zero")
            .hint("to watch the system without load, write `idle: 1m` in a scenario"),
    );
    None
}

/// A rate per second: of all streams together where it is given `per stream`, of all nodes where `per node`.
fn rate(node: &Node, many: Many, mistakes: &mut Mistakes) -> Option<f64> {
    let text = mistakes.keep(node.as_text("the arrival rate"))?;
    if let Some(each) = text.trim_end().strip_suffix("per node") {
        let each = rate(&Node::text_at(node.place, each.trim_end()), many, mistakes)?;
        let all = each * f64::from(many.nodes);
        if all > RATE_MAX {
            let text = format!("the arrival rate `{text}` is {all}/s of all nodes, beyond {RATE_MAX}/s");
            mistakes.push(Mistake::at(node.place, "study::out-of-range", text).label("write a lower one"));
        }
        return (all <= RATE_MAX).then_some(all);
    }
    let (text, times) = match (text.trim_end().strip_suffix("per stream"), many.streams) {
        (None, _) => (text, 1.0),
        (Some(each), Some(streams)) => (each.trim_end(), f64::from(streams.count)),
        (Some(each), None) => {
            mistakes.push(
                Mistake::at(node.place, "study::missing-key", format!("the arrival rate `{text}` needs `streams`"))
                    .label(format!("add `streams: {{ of: DATA, first: 20 }}`, or write `{}`", each.trim_end())),
            );
            return None;
        }
    };
    let mistake = match Quantity::parse(text) {
        Ok(Quantity { value, unit: Unit::PerSecond }) if (0.0..=RATE_MAX).contains(&(value * times)) => {
            return Some(value * times);
        }
        Ok(Quantity { unit: Unit::PerSecond, .. }) => Mistake::at(
            node.place,
            "study::out-of-range",
            format!("the arrival rate `{text}` is outside 0/s to {RATE_MAX}/s"),
        ),
        Ok(Quantity { unit: Unit::Count, .. }) => {
            Mistake::at(node.place, "study::rate-without-unit", format!("the arrival rate `{text}` has no unit"))
                .label(format!("write `{text}/s` or `{text}/m`"))
                .hint(format!(
                    "an arrival rate says how many iterations start a second, however slow the answers.\n\
                     For {text} virtual users that wait for their answers, write `users: {text}`."
                ))
        }
        Ok(_) => Mistake::at(node.place, "study::wrong-unit", format!("the arrival rate `{text}` has the wrong unit"))
            .label("write a rate such as `200/s`"),
        Err(error) => Mistake::at(node.place, "study::no-quantity", format!("the arrival rate `{text}` {error}"))
            .label(match load_nodes::meant(text, &["node", "stream"]) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "write a rate such as `200/s`, `12/m` or `1/10s`".to_owned(),
            }),
    };
    mistakes.push(mistake);
    None
}

/// Rates one after another, each held or climbed to.
pub(super) fn pieces(node: &Node, members: &[Node], many: Many, mistakes: &mut Mistakes) -> Option<Vec<RatePiece>> {
    let before = mistakes.0.len();
    let mut pieces: Vec<RatePiece> = Vec::new();
    for member in members.iter().take(PIECES_MAX) {
        let from = pieces.last().map_or(0.0, |piece| piece.to);
        pieces.extend(piece(member, from, many, mistakes));
    }
    if members.len() > PIECES_MAX {
        mistakes.push(Mistake::at(
            node.place,
            "study::too-large",
            format!("a profile has at most {PIECES_MAX} pieces"),
        ));
    }
    if mistakes.0.len() == before && pieces.iter().all(|piece| piece.from == 0.0 && piece.to == 0.0) {
        mistakes.push(
            Mistake::at(node.place, "study::out-of-range", "this profile starts nothing")
                .label("write at least one piece with a rate above zero"),
        );
    }
    (mistakes.0.len() == before).then_some(pieces)
}

fn piece(node: &Node, from: f64, many: Many, mistakes: &mut Mistakes) -> Option<RatePiece> {
    let mut keys = Reader::of(node, &PIECE, "a piece of `arrivals`", mistakes);
    let (constant, length) = (keys.take("rate"), keys.take("for"));
    let (to, over) = (keys.take("to"), keys.take("over"));
    let is_told = ["rate", "for", "to", "over"].iter().any(|word| keys.resembles(word));
    keys.finish(mistakes);
    match (constant, length, to, over) {
        (Some(at), Some(length), None, None) => {
            let (rate, length) = (rate(at, many, mistakes), read::some_duration(length, "`for`", mistakes));
            Some(RatePiece { from: rate?, to: rate?, length: length? })
        }
        (None, None, Some(to), Some(over)) => {
            let (to, length) = (rate(to, many, mistakes), read::some_duration(over, "`over`", mistakes));
            Some(RatePiece { from, to: to?, length: length? })
        }
        _ if is_told => None,
        _ => {
            mistakes.push(
                Mistake::at(node.place, "study::missing-key", "a piece of `arrivals` is not complete")
                    .label("write `{ rate: 200/s, for: 5m }` or `{ to: 200/s, over: 30s }`"),
            );
            None
        }
    }
}
