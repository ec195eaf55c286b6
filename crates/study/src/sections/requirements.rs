//! `requirements` and `abort`: which rules hold where.

use crate::model::rule::{
    Clause, Comparison, Expression, Function, Rule, Scope as MemberScope, Series, State, Statistic, Subject, Window,
};
use crate::model::{Applies, Requirement};
use crate::names::variables::Scope;
use crate::rules::{self, Draft, DraftPlace, Where, World};
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use contract::{Closes, Mistake, Mistakes, Node, Place};
use std::collections::HashSet;
use terms::Severity;

/// Requirements times scenarios: a rule is read, and judged, for each scenario.
const RULES_MAX: usize = 20_000;

const SEVERITIES: [&str; 3] = ["must", "should", "informative"];

/// Keys of a requirement that is a map.
pub(crate) static REQUIREMENT: [Key; 5] = [
    required("that", Form::Any(&[Form::Rule, Form::MapOf(&Form::Rule)]), "the rule, or one for each scenario"),
    key("about", Form::Localized, "what it is for"),
    key(
        "severity",
        Form::Any(&[Form::Words(&SEVERITIES), Form::MapOf(&Form::Words(&SEVERITIES))]),
        "how much it weighs, or for each scenario; must",
    ),
    key("needs", Form::Words(&["all", "any"]), "with `per`: whether every member must hold, or one; all"),
    key("scenarios", Form::Some(&Form::Text), "where it applies; every scenario in which its names occur"),
];

/// Reads `requirements`. `scopes` holds the variables of each scenario, in its order.
pub(crate) fn read(node: &Node, world: &World<'_>, scopes: &[Scope], mistakes: &mut Mistakes) -> Vec<Requirement> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`requirements` is {}, not a map", node.what()))
                .label("write `{ NAME: rule }`"),
        );
        return Vec::new();
    };
    let rules = entries.len() * world.scenarios.len().max(1);
    if rules > RULES_MAX {
        let (scenarios, all) = (world.scenarios.len(), entries.len());
        let text =
            format!("{all} requirements in {scenarios} scenarios are {rules} rules; at most {RULES_MAX} are allowed");
        mistakes.push(Mistake::at(node.place, "study::too-large", text).label("each is read for every scenario"));
        return Vec::new();
    }
    let mut found = Vec::new();
    for (key, value) in entries {
        if let Some(name) = read::name(key, "a requirement", mistakes) {
            let before = mistakes.0.len();
            let one = read_one(name, key.place, value, world, scopes, mistakes);
            // What asks for one with a mistake is not blamed for what that one lacks.
            found.extend(one.filter(|_| mistakes.0.len() == before));
        }
    }
    check_loops(&found, mistakes);
    found
}

/// Requirements that ask for each other by `met(…)` and `broken(…)` could never be judged.
fn check_loops(all: &[Requirement], mistakes: &mut Mistakes) {
    let asked = |one: &'_ Requirement| -> HashSet<String> {
        let clauses = one.applies.iter().flat_map(|applies| &applies.rule.clauses);
        let name = |clause: &Clause| match clause {
            Clause::State { subject: Series { subject: Subject::Requirement(name), .. }, .. } => Some(name.clone()),
            _ => None,
        };
        clauses.filter_map(name).collect()
    };
    // Take away what can be judged; what is left stands in a circle or behind one.
    let mut left: Vec<(&Requirement, HashSet<String>)> = all.iter().map(|one| (one, asked(one))).collect();
    loop {
        let names: HashSet<&str> = left.iter().map(|(one, _)| one.name.as_str()).collect();
        let stays = |asked: &HashSet<String>| asked.iter().any(|name| names.contains(name.as_str()));
        let stay: Vec<bool> = left.iter().map(|(_, asked)| stays(asked)).collect();
        if stay.iter().all(|stays| *stays) {
            break;
        }
        let mut stay = stay.into_iter();
        left.retain(|_| stay.next().unwrap_or(false));
    }
    let left: Vec<&Requirement> = left.into_iter().map(|(one, _)| one).collect();
    if let Some(first) = left.first() {
        let circle: Vec<_> = left.iter().map(|requirement| format!("`{}`", requirement.name)).collect();
        mistakes.push(
            Mistake::at(
                first.place,
                "study::needs-loop",
                format!("requirements need each other: {}", circle.join(", ")),
            )
            .label("none of them can be judged first; remove one `met` or `broken`"),
        );
    }
}

fn read_one(
    name: String,
    place: Place,
    node: &Node,
    world: &World<'_>,
    scopes: &[Scope],
    mistakes: &mut Mistakes,
) -> Option<Requirement> {
    if node.map().is_none() {
        let applies = everywhere(node, None, world, scopes, mistakes);
        let applies = applies.into_iter().map(|(scenario, rule)| Applies { scenario, rule, severity: Severity::Must });
        return Some(Requirement { name, about: None, place, needs_all: true, applies: applies.collect() });
    }
    let mut keys = Reader::of(node, &REQUIREMENT, format!("requirement `{name}`"), mistakes);
    let about = keys.take("about").and_then(|node| read::localized(node, "`about`", mistakes));
    let needs = keys.take("needs").and_then(|node| read::word(node, "`needs`", &["all", "any"], mistakes));
    let names: Vec<String> = world.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let among = keys.take("scenarios").map(|node| {
        let members = read::members(node).into_iter();
        members.filter_map(|member| read::one_of(member, "scenario", &names, mistakes)).collect::<Vec<_>>()
    });
    let severity = keys.take("severity");
    let that = keys.need("that", mistakes);
    keys.finish(mistakes);
    let severities = severities(severity, &names, mistakes);
    let that = that?;
    let rules = match that.map() {
        None => everywhere(that, among.as_deref(), world, scopes, mistakes),
        Some(entries) => each(entries, among.as_deref(), &names, world, scopes, mistakes),
    };
    let applies = rules.into_iter().map(|(scenario, rule)| Applies { scenario, rule, severity: severities[scenario] });
    Some(Requirement { name, about, place, needs_all: needs != Some("any"), applies: applies.collect() })
}

/// Severity in each scenario.
fn severities(node: Option<&Node>, names: &[String], mistakes: &mut Mistakes) -> Vec<Severity> {
    let read = |node: &Node, mistakes: &mut Mistakes| {
        read::word(node, "`severity`", &SEVERITIES, mistakes).and_then(Severity::from_name).unwrap_or(Severity::Must)
    };
    let mut found = vec![Severity::Must; names.len()];
    let Some(node) = node else { return found };
    match node.map() {
        None => found.fill(read(node, mistakes)),
        Some(entries) => {
            for (key, value) in entries {
                let severity = read(value, mistakes);
                if let Some(scenario) = read::one_of(key, "scenario", names, mistakes) {
                    found[scenario] = severity;
                }
            }
        }
    }
    found
}

/// `that: { nominal: rule, peak: rule }`
fn each(
    entries: &[(Node, Node)],
    among: Option<&[usize]>,
    names: &[String],
    world: &World<'_>,
    scopes: &[Scope],
    mistakes: &mut Mistakes,
) -> Vec<(usize, Rule)> {
    let mut found = Vec::new();
    for (key, value) in entries {
        let Some(scenario) = read::one_of(key, "scenario", names, mistakes) else { continue };
        if among.is_some_and(|among| !among.contains(&scenario)) {
            mistakes.push(
                Mistake::at(key.place, "study::conflict", format!("`scenarios` leaves out `{}`", names[scenario]))
                    .label("add it there, or remove this rule"),
            );
            continue;
        }
        let draft = mistakes.keep(rules::parse(value, &scopes[scenario]));
        let rule = draft.and_then(|draft| resolved(&draft, world, scenario, mistakes));
        found.extend(rule.map(|rule| (scenario, rule)));
    }
    found.sort_by_key(|(scenario, _)| *scenario);
    found
}

/// One rule for all scenarios in which its names occur, or for those that are named.
pub(super) fn everywhere(
    node: &Node,
    among: Option<&[usize]>,
    world: &World<'_>,
    scopes: &[Scope],
    mistakes: &mut Mistakes,
) -> Vec<(usize, Rule)> {
    let mut found = Vec::new();
    let Some(first) = scopes.first() else { return found };
    let Some(draft) = mistakes.keep(rules::parse(node, first)) else { return found };
    let chosen = match among {
        Some(among) => among.to_vec(),
        None => candidates(&draft, world, mistakes),
    };
    for scenario in chosen {
        let Some(draft) = mistakes.keep(rules::parse(node, &scopes[scenario])) else { continue };
        let rule = resolved(&draft, world, scenario, mistakes);
        found.extend(rule.map(|rule| (scenario, rule)));
    }
    found.sort_by_key(|(scenario, _)| *scenario);
    found.dedup_by_key(|(scenario, _)| *scenario);
    found
}

/// Resolves a rule in a scenario. One about the opening of connections looks at all of the load where it names no window:
/// they open before the hold, in which nothing would be left to see.
fn resolved(draft: &Draft, world: &World<'_>, scenario: usize, mistakes: &mut Mistakes) -> Option<Rule> {
    let mut rule = rules::resolve(draft, world, (scenario, None), Where::Requirement, mistakes)?;
    let statistics: Vec<&Statistic> = rule.clauses.iter().flat_map(Clause::statistics).collect();
    let about_openings = statistics.iter().filter(|statistic| is_about_opening(statistic, world)).count();
    if rule.window.is_none() && about_openings > 0 {
        if about_openings < statistics.len() {
            mistakes.push(
                Mistake::at(
                    rule.place,
                    "study::no-window",
                    "this rule is about the opening of connections and about what follows, which are different times",
                )
                .label("write a requirement for each, or `in all` at the end")
                .hint("connections open in the ramp; all else is judged in the hold, unless the rule names a window"),
            );
            return None;
        }
        rule.window = Some(Window { part: None, phase: None });
    }
    Some(rule)
}

fn is_about_opening(statistic: &Statistic, world: &World<'_>) -> bool {
    let Subject::Exchanges { exchanges, leg: Some(leg), .. } = &statistic.series.subject else { return false };
    let closes = |number: &u16| {
        let legs = world.exchanges.get(usize::from(*number)).map_or(&[][..], |exchange| exchange.legs);
        legs.get(usize::from(*leg)).map(|leg| leg.closes)
    };
    !exchanges.is_empty()
        && exchanges.iter().all(|number| matches!(closes(number), Some(Closes::Opening | Closes::Confirmed)))
}

/// Scenarios to which a rule applies when none is named.
fn candidates(draft: &Draft, world: &World<'_>, mistakes: &mut Mistakes) -> Vec<usize> {
    // A change is judged in the scenario to which it leads; a name that is not known is told there too.
    if let Some(change) = draft.changes().next() {
        let sides = [&change.other, &change.base].map(|side| world.at(side));
        return vec![sides.into_iter().flatten().next().unwrap_or_default()];
    }
    // A rule that names parts holds in every mix that has them, and where such a scenario runs by itself.
    let places: Vec<&DraftPlace> = draft.series().into_iter().filter_map(|series| series.scenario.as_ref()).collect();
    let names = places.iter().filter(|place| place.step.is_empty()).map(|place| place.name.as_str());
    let parts: Vec<&str> = names.filter(|name| world.is_part(name)).collect();
    if !parts.is_empty() {
        let has = |scenario: &usize, part: &str| {
            let view = &world.scenarios[*scenario];
            view.name == part || view.part(part).is_some()
        };
        let all = 0..world.scenarios.len();
        return all
            .filter(|number| parts.iter().all(|part| has(number, part)) && world.occurs(draft, *number))
            .collect();
    }
    // A rule that names scenarios itself is judged once, in the last of them.
    let named = places.into_iter().filter_map(|place| world.at(place)).max();
    if let Some(named) = named {
        return vec![named];
    }
    let all = 0..world.scenarios.len();
    let occurs: Vec<usize> = all.filter(|scenario| world.occurs(draft, *scenario)).collect();
    if occurs.is_empty() {
        report_nowhere(draft, world, mistakes);
    }
    let phase = draft.window.and_then(|(window, _)| window.phase);
    let with_phase = |scenario: &usize| phase.is_none_or(|phase| world.scenarios[*scenario].phases.contains(&phase));
    let fitting: Vec<usize> = occurs.iter().copied().filter(with_phase).collect();
    // With no scenario that has the phase, resolving says so.
    if fitting.is_empty() { occurs.into_iter().take(1).collect() } else { fitting }
}

fn report_nowhere(draft: &Draft, world: &World<'_>, mistakes: &mut Mistakes) {
    let never = world.never_run(draft);
    for (name, place) in &never {
        mistakes.push(
            Mistake::at(*place, "study::not-in-scenario", format!("no scenario carries out `{name}`"))
                .label("there would be nothing to judge")
                .hint(format!("add `{name}` to the `run` of a scenario; what `set_up` sends is outside measurement")),
        );
    }
    if let Some(place) = draft.stream_scope().filter(|_| never.is_empty()) {
        mistakes.push(
            Mistake::at(place, "study::no-streams", "no scenario that carries out this has streams")
                .label("remove `per stream`, or give a load its `streams: { of: DATA, first: 20 }`"),
        );
    } else if never.is_empty() && !world.scenarios.is_empty() {
        mistakes.push(
            Mistake::at(draft.place, "study::not-in-scenario", "no scenario carries out all exchanges of this rule")
                .hint("name the scenario of each: `rate(peak/ping) / rate(nominal/ping)`"),
        );
    }
}

/// Hands abort rules the rules of the requirements that they ask for. One that says nothing about the scenario would
/// never hold, and one that is reported only when everything is over cannot be watched.
pub(crate) fn hand_over(aborts: &mut [Rule], scenario: (usize, &str), all: &[Requirement], mistakes: &mut Mistakes) {
    for rule in aborts {
        let asked: Vec<(String, Place)> = rule.clauses.iter().filter_map(asks_for).collect();
        for (name, place) in asked {
            let Some(known) = all.iter().find(|known| known.name == name) else { continue };
            let Some(applies) = known.applies.iter().find(|applies| applies.scenario == scenario.0) else {
                let says = format!("the requirement `{name}` says nothing about scenario `{}`", scenario.1);
                let mistake = Mistake::at(place, "study::not-in-scenario", says);
                mistakes.push(mistake.label("this rule would never hold here"));
                continue;
            };
            if let Some(why) = cannot_be_watched(&applies.rule) {
                let says = format!("`{name}` cannot be watched while the load runs: {why}");
                mistakes.push(
                    Mistake::at(place, "study::rule-not-here", says)
                        .label("write the figure to stop at: `share(x.failed) > 5% for 30s`"),
                );
                continue;
            }
            rule.asked.push((name, applies.rule.clone()));
        }
    }
}

fn asks_for(clause: &Clause) -> Option<(String, Place)> {
    match clause {
        Clause::State { subject: Series { subject: Subject::Requirement(name), place, .. }, .. } => {
            Some((name.clone(), *place))
        }
        _ => None,
    }
}

/// Why a requirement says something only when the run is over.
fn cannot_be_watched(rule: &Rule) -> Option<&'static str> {
    let is_split =
        |scope: &MemberScope| !matches!(scope, MemberScope::Scenario | MemberScope::Step | MemberScope::Repetition);
    if rule.per.iter().any(is_split) {
        return Some("each of its members has a verdict of its own");
    }
    let looks_back = |it: &Statistic| {
        use Function::{DrainTime, DropAt, SettleTime, Slope, WorkingRate};
        matches!(it.function, DropAt | WorkingRate | DrainTime | SettleTime | Slope)
    };
    let is_count = |sum: &Expression| sum.statistics().any(|it| it.function == Function::Count);
    rule.clauses.iter().find_map(|clause| match clause {
        Clause::Change(_) => Some("it compares two scenarios"),
        Clause::State { state: State::Drained | State::Settled, .. } => Some("it continues after the load"),
        Clause::State { state: State::Met | State::Broken, .. } => Some("it needs another requirement"),
        Clause::State { .. } => None,
        Clause::Compare { sums, .. } if sums.iter().any(|sum| sum.statistics().any(looks_back)) => {
            Some("it looks back over the whole load")
        }
        Clause::Compare { sums, .. }
            if sums.iter().any(|sum| sum.statistics().any(|it| it.series.scenario.is_some())) =>
        {
            Some("it looks at another scenario")
        }
        Clause::Compare { sums, operators }
            if operators.contains(&Comparison::Equal) && sums.iter().filter(|sum| is_count(sum)).count() > 1 =>
        {
            Some("its counts are equal only when everything has ended")
        }
        Clause::Compare { .. } => None,
    })
}

/// Reads the abort rules of one scenario, or of one part of it.
pub(crate) fn abort(
    node: &Node,
    scenario: (usize, Option<usize>),
    world: &World<'_>,
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> Vec<Rule> {
    let mut found = Vec::new();
    for member in read::members(node) {
        let draft = mistakes.keep(rules::parse(member, scope));
        found.extend(draft.and_then(|draft| rules::resolve(&draft, world, scenario, Where::Abort, mistakes)));
    }
    found
}
