//! `capacity`: the healthiest step, volumes and ratios, each a formula that is computed where it is printed.

use super::healthiest::{self, HEALTHIEST};
use crate::model::rule::{Clause, Comparison};
use crate::model::{Capacity, Formula, FormulaIn, Ratio, Requirement, Volume, VolumeFrom};
use crate::names::variables::Scope;
use crate::rules::{self, DraftClause, Sum, Where, World};
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node, Place};
use terms::{Quantity, Unit};

/// What `from` says of a volume of the healthiest step.
pub(crate) const HEALTHIEST_WORD: &str = "healthiest";

/// Keys of `capacity`.
pub(crate) static CAPACITY: [Key; 3] = [
    key("healthiest", Form::Table(&HEALTHIEST), "the step of a grid, a search or a staged load to extrapolate from"),
    key("volumes", Form::MapOf(&Form::Table(&VOLUME)), "what a measured rate gives in a year or a week"),
    key("ratios", Form::MapOf(&Form::Text), "sums of measured values: `rate(peak/x.ok) / rate(nominal/x.ok)`"),
];

static VOLUME: [Key; 5] = [
    required("of", Form::Text, "a rate: `rate(x.ok)`"),
    key("from", Form::Text, "the scenario it is measured in, or `healthiest`; the only one"),
    required("hours", Form::Scalar, "hours of each day at that rate, at most 24"),
    required("days", Form::Scalar, "days"),
    key("peak_factor", Form::Scalar, "peak hour over mean hour; 1"),
];

/// What is known of the scenarios, each list in the order in which they run.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) world: &'a World<'a>,
    /// The variables of each.
    pub(crate) scopes: &'a [Scope],
    /// Whether each has steps.
    pub(crate) has_steps: &'a [bool],
    pub(crate) requirements: &'a [Requirement],
}

/// Reads `capacity`.
pub(crate) fn read(node: &Node, known: Known<'_>, mistakes: &mut Mistakes) -> Capacity {
    let Known { world, scopes, .. } = known;
    let mut keys = Reader::of(node, &CAPACITY, "`capacity`", mistakes);
    let healthiest = keys.take("healthiest");
    let (volumes, ratios) = (keys.take("volumes"), keys.take("ratios"));
    keys.finish(mistakes);
    let mut capacity = Capacity::default();
    if scopes.is_empty() {
        return capacity;
    }
    capacity.healthiest = healthiest.and_then(|node| healthiest::read(node, known, mistakes));
    let is_asked = healthiest.is_some();
    for (key, value) in entries(volumes, "volumes", mistakes) {
        if let Some(name) = read::name(key, "a volume", mistakes) {
            capacity.volumes.extend(volume((name, key.place), value, known, is_asked, mistakes));
        }
    }
    for (key, value) in entries(ratios, "ratios", mistakes) {
        if let Some(name) = read::name(key, "a ratio", mistakes) {
            capacity.ratios.extend(ratio(name, key.place, value, world, scopes, mistakes));
        }
    }
    capacity
}

fn entries<'a>(node: Option<&'a Node>, word: &str, mistakes: &mut Mistakes) -> &'a [(Node, Node)] {
    let Some(node) = node else { return &[] };
    node.map().unwrap_or_else(|| {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`{word}` is {}, not a map", node.what()))
                .label("write `{ NAME: … }`"),
        );
        &[]
    })
}

/// `is_asked`: whether the study says which step is the healthiest.
fn volume(
    (name, place): (String, Place),
    node: &Node,
    known: Known<'_>,
    is_asked: bool,
    mistakes: &mut Mistakes,
) -> Option<Volume> {
    let Known { world, scopes, .. } = known;
    let mut keys = Reader::of(node, &VOLUME, format!("volume `{name}`"), mistakes);
    let names: Vec<String> = world.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let (of, from) = (keys.need("of", mistakes), keys.take("from"));
    // A scenario of that name is meant before the word is.
    let healthiest =
        from.filter(|node| node.text() == Some(HEALTHIEST_WORD) && world.scenario(HEALTHIEST_WORD).is_none());
    let scenario = match from {
        _ if healthiest.is_some() => None,
        Some(node) => read::one_of(node, "scenario", &names, mistakes),
        None if names.len() == 1 => Some(0),
        None => {
            mistakes.push(
                Mistake::at(place, "study::missing-key", format!("volume `{name}` has no `from`"))
                    .hint(format!("name the scenario whose rate is meant: {}", names.join(", "))),
            );
            None
        }
    };
    let scope = &scopes[scenario.unwrap_or(0)];
    let hours = keys.need("hours", mistakes).and_then(|node| number(node, "`hours`", 0.0, 24.0, scope, mistakes));
    let days = keys.need("days", mistakes).and_then(|node| number(node, "`days`", 0.0, 36_600.0, scope, mistakes));
    let peak = keys.take("peak_factor");
    keys.finish(mistakes);
    let peak_factor = match peak {
        Some(node) => number(node, "`peak_factor`", 1.0, 1e6, scope, mistakes)?,
        None => 1.0,
    };
    let from = match healthiest {
        Some(node) if !is_asked => {
            mistakes.push(
                Mistake::at(node.place, "study::missing-key", format!("volume `{name}` is of the healthiest step, which is not defined"))
                    .label("add `healthiest: {}` to `capacity`: the step with the highest throughput that meets every requirement")
                    .hint("or name the scenario whose rate is meant"),
            );
            return None;
        }
        Some(_) => VolumeFrom::Healthiest(healthiest::formulas(of?, "`of`", known, mistakes)?),
        None => {
            let scenario = scenario?;
            let formula = formula(of?, scenario, world, scope, true, mistakes)?;
            VolumeFrom::Scenario(FormulaIn { scenario, formula })
        }
    };
    let text = of?.text().unwrap_or_default().to_owned();
    Some(Volume { name, place, text, from, hours: hours?, days: days?, peak_factor })
}

fn ratio(
    name: String,
    place: Place,
    node: &Node,
    world: &World<'_>,
    scopes: &[Scope],
    mistakes: &mut Mistakes,
) -> Option<Ratio> {
    // Names without a scenario are those of the last scenario that the sum names, as in requirements.
    let draft = mistakes.keep(rules::parse_sum(node, &scopes[0]))?;
    let named = draft.series().into_iter().filter_map(|series| world.at(series.scenario.as_ref()?)).max();
    let scenario = match named {
        Some(scenario) => scenario,
        None if world.scenarios.len() == 1 => 0,
        None => {
            mistakes.push(
                Mistake::at(node.place, "study::rule-syntax", format!("ratio `{name}` names no scenario"))
                    .label("name the scenario of each: `rate(peak/x.ok) / rate(nominal/x.ok)`"),
            );
            return None;
        }
    };
    let of = formula(node, scenario, world, &scopes[scenario], false, mistakes)?;
    Some(Ratio { name, place, of, scenario })
}

/// A sum in one scenario; `is_rate` asks for something a second.
pub(crate) fn formula(
    node: &Node,
    scenario: usize,
    world: &World<'_>,
    scope: &Scope,
    is_rate: bool,
    mistakes: &mut Mistakes,
) -> Option<Formula> {
    let mut draft = mistakes.keep(rules::parse_sum(node, scope))?;
    if let [DraftClause::Compare { sums, operators }] = &mut draft.clauses[..]
        && is_rate
    {
        // Compared with a rate, so that the units are looked at; the comparison is taken away again.
        sums.push(Sum::Number(Quantity { value: 0.0, unit: Unit::PerSecond }, node.place));
        operators.push(Comparison::AtLeast);
    }
    let mut rule = rules::resolve(&draft, world, (scenario, None), Where::Requirement, mistakes)?;
    if let [Clause::Compare { sums, operators }] = &mut rule.clauses[..] {
        sums.truncate(1);
        operators.clear();
    }
    Some(Formula { text: rule.text.clone(), rule })
}

/// A plain number above `least` (or at it, where it is not 0) and at most `most`; variables are filled in.
fn number(node: &Node, what: &str, least: f64, most: f64, scope: &Scope, mistakes: &mut Mistakes) -> Option<f64> {
    let text = mistakes.keep(node.as_text(what))?;
    let text = mistakes.keep(scope.fill(text, node.place))?;
    let value = match Quantity::parse(&text) {
        Ok(Quantity { value, unit: Unit::Count }) => value,
        _ => {
            mistakes.push(
                Mistake::at(node.place, "study::no-count", format!("{what} is `{text}`, not a plain number"))
                    .label("write a number without a unit"),
            );
            return None;
        }
    };
    let is_inside = value <= most && if least > 0.0 { value >= least } else { value > 0.0 };
    if !is_inside {
        let range = if least > 0.0 { format!("from {least} to {most}") } else { format!("above 0 and at most {most}") };
        mistakes.push(
            Mistake::at(node.place, "study::out-of-range", format!("{what} is {value}"))
                .label(format!("write a number {range}")),
        );
    }
    is_inside.then_some(value)
}
