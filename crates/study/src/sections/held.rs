//! `connections` and `each`: a load of connections that are held open.

use crate::model::{Item, LoadPart, Model};
use crate::sections::load_key::USERS_MAX;
use crate::syntax::keys::Reader;
use contract::{Mistake, Mistakes, Node, Place, Work};
use terms::{Quantity, Unit};

/// More messages on one connection are a slip: a connection is one sender.
const EACH_MAX: f64 = 100_000.0;
/// A message a week; a smaller rate sends nothing in any load that anybody waits for.
const EACH_LEAST: f64 = 1.0 / 604_800.0;

/// Reads how many connections, and what each sends.
pub(super) fn read(node: &Node, keys: &mut Reader<'_>, mistakes: &mut Mistakes) -> Option<Model> {
    let each = match keys.take("each") {
        Some(node) => Some(each(node, mistakes)?),
        None => None,
    };
    let count = mistakes.keep(node.as_count("the number of connections", 1, USERS_MAX))?;
    Some(Model::Connections { count: count as u32, each })
}

fn each(node: &Node, mistakes: &mut Mistakes) -> Option<f64> {
    let text = mistakes.keep(node.as_text("`each`"))?;
    let mistake = match Quantity::parse(text) {
        Ok(Quantity { value, unit: Unit::PerSecond }) if (EACH_LEAST..=EACH_MAX).contains(&value) => {
            return Some(value);
        }
        Ok(Quantity { unit: Unit::PerSecond, .. }) => Mistake::at(
            node.place,
            "study::out-of-range",
            format!("a rate of `{text}` on each connection is outside 1/7d to {EACH_MAX}/s"),
        )
        .hint("for connections that only listen, leave `each` out"),
        _ => Mistake::at(node.place, "study::wrong-unit", format!("`{text}` is not a rate"))
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

/// A held load has one exchange that holds a connection; others have none of that kind.
pub(super) fn check(part: &LoadPart, works: &[Work], place: Place, mistakes: &mut Mistakes) {
    let is_held = |number: &u16| works.get(usize::from(*number)) == Some(&Work::Held);
    let calls = crate::exchanges_of(&part.run);
    let is_held_load = matches!(part.load.model, Model::Connections { .. });
    if is_held_load && !matches!(part.run.as_slice(), [Item::Exchange(number)] if is_held(number)) {
        let text = format!("`run` of `{}` is not one exchange that holds a connection", part.name);
        mistakes.push(
            Mistake::at(place, "study::conflict", text)
                .label("with `connections` write `run: [NAME]`, with one exchange such as a `ws.talk`")
                .hint(
                    "each message of a connection is an iteration of its own, so there is nothing to combine; what \
                     comes before goes to `set_up`",
                ),
        );
    }
    if !is_held_load && calls.iter().any(is_held) {
        mistakes.push(
            Mistake::at(place, "study::conflict", format!("`{}` has an exchange that holds a connection", part.name))
                .label("its load must say how many: `load: { connections: 100, each: 5/s, hold: 1m }`"),
        );
    }
}
