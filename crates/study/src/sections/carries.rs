//! `carries`: units of the author's own, such as registrations, of which one exchange has many.

use crate::model::{Carried, Carries, Exchange, Item, LoadPart, exchanges_of};
use crate::names::variables::Scope;
use crate::rules::FIGURES;
use crate::syntax::read;
use contract::{ExchangeKind, Mistake, Mistakes, Node, Place};

/// Kinds of units that one exchange carries.
const UNITS_MAX: usize = 8;
/// More units than any message has.
const COUNT_MAX: u64 = 1_000_000_000;

/// Reads the units of an exchange. How many there are is known when variables are bound.
pub(crate) fn read(exchange: &str, node: &Node, kind: &ExchangeKind, mistakes: &mut Mistakes) -> Vec<Carries> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`carries` is {}, not a map", node.what()))
                .label("write `{ UNIT: HOW MANY }`, such as `{ registrations: 500 }`"),
        );
        return Vec::new();
    };
    if entries.len() > UNITS_MAX {
        let text = format!("`{exchange}` carries {} kinds of units; at most {UNITS_MAX} are possible", entries.len());
        mistakes.push(Mistake::at(node.place, "study::too-large", text).label("leave some out"));
    }
    let mut units = Vec::new();
    for (key, count) in entries.iter().take(UNITS_MAX) {
        let Some(unit) = read::name(key, "a unit", mistakes) else { continue };
        if FIGURES.contains(&unit.as_str()) || kind.legs.iter().any(|leg| leg.name == unit) {
            let text = format!("`{exchange}.{unit}` would mean two things: `{unit}` is a leg or a figure of it, too");
            mistakes
                .push(Mistake::at(key.place, "study::duplicate-name", text).label("choose another name for the unit"));
            continue;
        }
        units.push(Carries { unit, count: count.clone() });
    }
    units
}

/// What the exchanges of an iteration carry, by a scenario's variables.
pub(crate) fn bound(exchanges: &[Exchange], run: &[Item], scope: &Scope, mistakes: &mut Mistakes) -> Vec<Carried> {
    let mut carried = Vec::new();
    let mut sent = exchanges_of(run);
    sent.sort_unstable();
    sent.dedup();
    for number in sent {
        let Some(exchange) = exchanges.get(usize::from(number)) else { continue };
        for Carries { unit, count: node } in &exchange.carries {
            let filled = scope.fill_node(node, mistakes);
            let what = format!("the number of {unit} that `{}` carries", exchange.name);
            let count = filled.as_count(&what, 1, COUNT_MAX).map_err(|mistake| {
                mistake
                    .hint("it is the same in each call; a part of a unit is none, so `$(per_call * 95%)` must be whole")
            });
            let count = mistakes.keep(count);
            carried.extend(count.map(|count| Carried { exchange: number, unit: unit.clone(), count }));
        }
    }
    carried
}

/// Parts of a mix in which one exchange carries different numbers: what it came to as a whole could not be told.
pub(crate) fn check_parts(parts: &[LoadPart], place: Place, exchanges: &[Exchange], mistakes: &mut Mistakes) {
    let mut known: Vec<(&Carried, &str)> = Vec::new();
    for (carried, part) in parts.iter().flat_map(|part| part.carries.iter().map(move |each| (each, &part.name))) {
        let is_same =
            |(other, _): &&(&Carried, &str)| (other.exchange, &other.unit) == (carried.exchange, &carried.unit);
        let Some((other, first)) = known.iter().find(is_same) else {
            known.push((carried, part));
            continue;
        };
        if other.count != carried.count {
            let name = exchanges.get(usize::from(carried.exchange)).map_or("", |exchange| exchange.name.as_str());
            let text = format!(
                "`{name}` carries {} {unit} in `{first}` and {} in `{part}`",
                other.count,
                carried.count,
                unit = carried.unit,
            );
            mistakes.push(
                Mistake::at(place, "study::conflict", text)
                    .label("within a mix an exchange carries one number")
                    .hint("write a second exchange with a name of its own"),
            );
        }
    }
}
