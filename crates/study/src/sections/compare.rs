//! `compare`: statistics of one scenario, step or recorded run against others.

use crate::model::rule::CompareOf;
use crate::model::{Compare, CompareSide};
use crate::names::variables::Scope;
use crate::rules::{self, World, one_statistic};
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node, Place, suggestion};
use terms::{Quantity, Unit};

/// Keys of one comparison.
pub(crate) static COMPARE: [Key; 4] = [
    required("of", Form::Some(&Form::Text), "statistics: `mean(x.response)`, `p95(x.response)`, `mean(host.cpu)`"),
    required("base", Form::Text, "a scenario, a step `scenario/hold`, or the id of a recorded run in `runs`"),
    required("against", Form::Some(&Form::Text), "scenarios or steps that are compared with the base"),
    key("band", Form::Scalar, "how much two sides may differ and still count as equal; 5%"),
];

/// The band where none is written.
const USUAL_BAND: f64 = 0.05;
/// Comparisons, statistics of one, and others of one.
const MOST: usize = 100;

/// Reads `compare`. `scopes`: the variables of each scenario, in the order in which they run.
pub(crate) fn read(node: &Node, world: &World<'_>, scopes: &[Scope], mistakes: &mut Mistakes) -> Vec<Compare> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`compare` is {}, not a map", node.what()))
                .label("write `{ NAME: { of: …, base: …, against: … } }`"),
        );
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in entries.iter().take(MOST) {
        if let Some(name) = read::name(key, "a comparison", mistakes)
            && !scopes.is_empty()
        {
            found.extend(read_one(name, key.place, value, world, scopes, mistakes));
        }
    }
    found
}

fn read_one(
    name: String,
    place: Place,
    node: &Node,
    world: &World<'_>,
    scopes: &[Scope],
    mistakes: &mut Mistakes,
) -> Option<Compare> {
    let mut keys = Reader::of(node, &COMPARE, format!("comparison `{name}`"), mistakes);
    let (of, base, against) = (keys.need("of", mistakes), keys.need("base", mistakes), keys.need("against", mistakes));
    let band = keys.take("band").map(|node| band(node, mistakes));
    keys.finish(mistakes);
    let base = side(base?, world, true, mistakes)?;
    let mut others = Vec::new();
    for member in read::members(against?).into_iter().take(MOST) {
        if let Some(other) = side(member, world, false, mistakes) {
            if other == base {
                mistakes.push(
                    Mistake::at(member.place, "study::conflict", "the base is compared with itself")
                        .label("name another scenario or step"),
                );
                continue;
            }
            others.push(other);
        }
    }
    let band = band.unwrap_or(Some(USUAL_BAND))?;
    let first = base.scenario().or(others.first().and_then(CompareSide::scenario))?;
    let members = read::members(of?);
    let of: Vec<CompareOf> = members
        .into_iter()
        .take(MOST)
        .filter_map(|member| {
            let rule = statistic(member, first, world, &scopes[first], mistakes)?;
            // What is asked of the base must exist on the other side too.
            for scenario in others.iter().filter_map(CompareSide::scenario).filter(|scenario| *scenario != first) {
                statistic(member, scenario, world, &scopes[scenario], mistakes)?;
            }
            Some(rule)
        })
        .collect();
    if of.is_empty() || others.is_empty() {
        // What is missing has been told, unless a list was empty.
        if mistakes.0.is_empty() {
            mistakes.push(
                Mistake::at(place, "study::empty", format!("comparison `{name}` has nothing to compare"))
                    .label("`of` and `against` each need at least one"),
            );
        }
        return None;
    }
    Some(Compare { name, place, of, base, against: others, band })
}

/// A scenario, a step of one, or for the base a run.
fn side(node: &Node, world: &World<'_>, may_be_run: bool, mistakes: &mut Mistakes) -> Option<CompareSide> {
    let text = mistakes.keep(node.as_text("a side of the comparison"))?.trim();
    if let Some(scenario) = world.scenario(text) {
        return Some(CompareSide::Scenario(scenario));
    }
    if let Some((scenario, step)) = text.split_once('/')
        && let Some(scenario) = world.scenario(scenario)
        && !step.is_empty()
    {
        return Some(CompareSide::Step { scenario, step: step.to_owned() });
    }
    // Ids of runs begin with their date; names begin with a letter.
    let is_plain = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && text != ".."
    };
    if may_be_run && is_plain(text) && text.starts_with(|first: char| first.is_ascii_digit()) {
        return Some(CompareSide::Run(text.to_owned()));
    }
    let known: Vec<String> = world.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let mistake = Mistake::at(node.place, "study::unknown-name", format!("`{text}` is not a scenario"));
    let mistake = match suggestion(text, known.iter().map(String::as_str)) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    let run = if may_be_run { "; or the id of a recorded run, such as 2026-11-21T10-00-00Z-checkout" } else { "" };
    mistakes.push(mistake.hint(format!("scenarios are: {}{run}", known.join(", "))));
    None
}

/// One statistic as it is asked of one scenario.
fn statistic(
    node: &Node,
    scenario: usize,
    world: &World<'_>,
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> Option<CompareOf> {
    let draft = mistakes.keep(rules::parse_sum(node, scope))?;
    one_statistic(&draft, node.place, scenario, world, mistakes)
}

fn band(node: &Node, mistakes: &mut Mistakes) -> Option<f64> {
    let text = mistakes.keep(node.as_text("`band`"))?;
    match Quantity::parse(text) {
        Ok(Quantity { value, unit: Unit::Share }) if value > 0.0 && value <= 1.0 => Some(value),
        _ => {
            mistakes.push(
                Mistake::at(node.place, "study::out-of-range", format!("the band `{text}` is not a share above 0%"))
                    .label("write `5%`: two sides that differ by less count as equal"),
            );
            None
        }
    }
}
