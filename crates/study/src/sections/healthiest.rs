//! `capacity.healthiest`: what a step must pass to be the one that is carried on from.

use super::capacity::{Known, formula};
use super::requirements;
use crate::model::rule::Clause;
use crate::model::{FormulaIn, Healthiest, Need};
use crate::rules;
use crate::syntax::keys::{Form, Key, Reader, key};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node};

/// More rules than anybody asks of a step; each is judged for every step.
const NEEDS_MAX: usize = 200;

pub(crate) static HEALTHIEST: [Key; 2] = [
    key("by", Form::Text, "the rate that decides which step is ahead: `rate(x.ok)`; successful iterations a second"),
    key("needs", Form::Some(&Form::Rule), "names of requirements, or rules; every requirement of severity must"),
];

/// Reads `healthiest`; `None` where something of it is wrong.
pub(super) fn read(node: &Node, known: Known<'_>, mistakes: &mut Mistakes) -> Option<Healthiest> {
    let before = mistakes.0.len();
    let mut keys = Reader::of(node, &HEALTHIEST, "`healthiest`", mistakes);
    let (by, needs) = (keys.take("by"), keys.take("needs"));
    keys.finish(mistakes);
    if !known.has_steps.contains(&true) {
        let mistake = Mistake::at(node.place, "study::conflict", "no scenario has steps to choose from");
        mistakes.push(
            mistake
                .label("remove it, or give a scenario a `grid`, a `search`, or a load of several pieces")
                .hint("`arrivals: [ { rate: 50/s, for: 5m }, { rate: 100/s, for: 5m } ]` is a load of two steps"),
        );
        return None;
    }
    let by = by.map(|node| formulas(node, "`by`", known, mistakes).unwrap_or_default());
    let members = needs.map(read::members).unwrap_or_default();
    if members.len() > NEEDS_MAX {
        let text = format!("`needs` has {} entries; at most {NEEDS_MAX} are allowed", members.len());
        mistakes.push(Mistake::at(node.place, "study::too-large", text).label("each is judged for every step"));
        return None;
    }
    let needs: Vec<Need> = members.into_iter().filter_map(|node| need(node, known, mistakes)).collect();
    (mistakes.0.len() == before).then_some(Healthiest { by, needs })
}

/// A rate in each scenario with steps in which its names occur; a mistake where there is none.
pub(super) fn formulas(node: &Node, word: &str, known: Known<'_>, mistakes: &mut Mistakes) -> Option<Vec<FormulaIn>> {
    let Known { world, scopes, has_steps, .. } = known;
    let draft = mistakes.keep(rules::parse_sum(node, scopes.first()?))?;
    let stepped = || (0..world.scenarios.len()).filter(|scenario| has_steps[*scenario]);
    let own: Vec<usize> = stepped().filter(|scenario| world.occurs(&draft, *scenario)).collect();
    if own.is_empty() && has_steps.contains(&true) {
        let names: Vec<&str> = stepped().map(|scenario| world.scenarios[scenario].name.as_str()).collect();
        mistakes.push(
            Mistake::at(
                node.place,
                "study::not-in-scenario",
                format!("no scenario with steps carries out what {word} counts"),
            )
            .label("write a rate of an exchange that one of them has")
            .hint(format!("scenarios with steps: {}", names.join(", "))),
        );
        return None;
    }
    let mut found = Vec::new();
    for scenario in own {
        let formula = formula(node, scenario, world, &scopes[scenario], true, mistakes)?;
        found.push(FormulaIn { scenario, formula });
    }
    Some(found)
}

/// A requirement by its name, else a rule.
fn need(node: &Node, known: Known<'_>, mistakes: &mut Mistakes) -> Option<Need> {
    let Known { world, scopes, has_steps, requirements } = known;
    let text = mistakes.keep(node.as_text("one of `needs`"))?;
    let of_steps = |scenario: &usize| has_steps[*scenario];
    let says_nothing = |what: String| {
        Mistake::at(node.place, "study::not-in-scenario", what)
            .label("remove it, or name the scenario that it is about")
    };
    if text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        if !world.requirements.iter().any(|name| name == text) {
            mistakes.push(read::unknown(text, "requirement", &world.requirements, node.place));
            return None;
        }
        // One that has a mistake of its own is not among them.
        let found = requirements.iter().find(|requirement| requirement.name == text)?;
        if !found.applies.is_empty() && !found.applies.iter().any(|applies| of_steps(&applies.scenario)) {
            mistakes.push(says_nothing(format!("the requirement `{text}` is not about a scenario with steps")));
            return None;
        }
        return Some(Need::Requirement(text.to_owned()));
    }
    let before = mistakes.0.len();
    let mut applies = requirements::everywhere(node, None, world, scopes, mistakes);
    if mistakes.0.len() > before {
        return None;
    }
    if applies.iter().any(|(_, rule)| rule.clauses.iter().any(|clause| matches!(clause, Clause::Change(_)))) {
        mistakes.push(
            Mistake::at(
                node.place,
                "study::rule-not-here",
                "`change` compares scenarios, and each step is judged alone",
            )
            .label("remove it from `needs`")
            .hint("as a requirement it belongs under `requirements`"),
        );
        return None;
    }
    applies.retain(|(scenario, _)| of_steps(scenario));
    if applies.is_empty() {
        mistakes.push(says_nothing("this rule is not about a scenario with steps".to_owned()));
        return None;
    }
    Some(Need::Rule { text: text.to_owned(), applies })
}
