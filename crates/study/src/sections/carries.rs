//! `carries`: units of the author's own, such as registrations, of which one exchange has many.

use crate::model::{Carried, Carries, Exchange, Item, LoadPart, exchanges_of};
use crate::names::variables::Scope;
use crate::rules::FIGURES;
use crate::syntax::read;
use contract::{Capture, Closes, ExchangeKind, Mistake, Mistakes, Node, Place, UNITS_SLOT, Which, Work};

/// Kinds of units that one exchange carries.
const UNITS_MAX: usize = 8;
/// More units than any message has.
const COUNT_MAX: u64 = 1_000_000_000;

/// Reads the units of an exchange. How many there are is known when variables are bound. `kind` is what it does, where that
/// is known.
pub(crate) fn read(exchange: &str, node: &Node, kind: Option<&ExchangeKind>, mistakes: &mut Mistakes) -> Vec<Carries> {
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
        if FIGURES.contains(&unit.as_str()) || kind.is_some_and(|kind| kind.legs.iter().any(|leg| leg.name == unit)) {
            let text = format!("`{exchange}.{unit}` would mean two things: `{unit}` is a leg or a figure of it, too");
            mistakes
                .push(Mistake::at(key.place, "study::duplicate-name", text).label("choose another name for the unit"));
            continue;
        }
        let said = match is_probe(count) {
            true => Some(said(exchange, (&unit, count), kind, mistakes)),
            false => None,
        };
        if said.is_some() && units.iter().any(|known: &Carries| known.said.is_some()) {
            mistakes.push(
                Mistake::at(count.place, "study::conflict", format!("`{exchange}` reads two units from its answer"))
                    .label("one is possible; write how many of the others it carries, or leave them out"),
            );
            continue;
        }
        if let Some(said) = said.map_or(Some(None), |said| said.map(Some)) {
            units.push(Carries { unit, count: count.clone(), said });
        }
    }
    units
}

/// Whether it is to be looked for in an answer. A number, a variable and a sum of them have no word before a bracket.
fn is_probe(count: &Node) -> bool {
    let text = count.text().unwrap_or_default().trim();
    text == "body" || text == "size" || text == "status" || {
        let word = text.split_once('(').map_or("", |(word, _)| word);
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }
}

/// Where each answer says how many there are.
fn said(
    exchange: &str,
    (unit, node): (&str, &Node),
    kind: Option<&ExchangeKind>,
    mistakes: &mut Mistakes,
) -> Option<Capture> {
    let text = mistakes.keep(node.as_text("the number of units"))?;
    let has_answer = kind.is_none_or(|kind| {
        let is_answered = kind.legs.first().is_some_and(|leg| leg.closes == Closes::Here);
        matches!(kind.work, Work::Exchange | Work::Job) && is_answered
    });
    if !has_answer {
        let what = format!("`{exchange}` has no answer of its own that says how many {unit} it carries");
        mistakes.push(
            Mistake::at(node.place, "study::conflict", what)
                .label(format!("write a number: `carries: {{ {unit}: 100 }}`"))
                .hint("messages that come on a held connection are counted by their leg: `count(x.event)`"),
        );
        return None;
    }
    let (probe, pick) = mistakes.keep(contract::read_capture(text, node.place).map_err(|mistake| {
        mistake.hint(format!("write for example `{unit}: json($.{unit})`, `{unit}: header(x-count)` or `{unit}: 100`"))
    }))?;
    if pick != Which::First {
        mistakes.push(
            Mistake::at(
                node.place,
                "study::conflict",
                format!("`{text}` picks among several values, so it is not a number"),
            )
            .label("look for one value"),
        );
        return None;
    }
    Some(Capture { name: unit.to_owned(), slot: UNITS_SLOT, probe, pick, is_optional: false, place: node.place })
}

/// What the exchanges of an iteration carry, by a scenario's variables.
pub(crate) fn bound(exchanges: &[Exchange], run: &[Item], scope: &Scope, mistakes: &mut Mistakes) -> Vec<Carried> {
    let mut carried = Vec::new();
    let mut sent = exchanges_of(run);
    sent.sort_unstable();
    sent.dedup();
    for number in sent {
        let Some(exchange) = exchanges.get(usize::from(number)) else { continue };
        for Carries { unit, count: node, said } in &exchange.carries {
            if said.is_some() {
                carried.push(Carried { exchange: number, unit: unit.clone(), count: None });
                continue;
            }
            let filled = scope.fill_node(node, mistakes);
            let what = format!("the number of {unit} that `{}` carries", exchange.name);
            let count = filled.as_count(&what, 1, COUNT_MAX).map_err(|mistake| {
                mistake.hint("it is the same in each call and must be whole, as must `$(per_call * 95%)`")
            });
            let count = mistakes.keep(count);
            carried.extend(count.map(|count| Carried { exchange: number, unit: unit.clone(), count: Some(count) }));
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
                other.count.unwrap_or_default(),
                carried.count.unwrap_or_default(),
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
