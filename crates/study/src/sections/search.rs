//! `search`: how the loads of a scenario are chosen until its limit is found.

use crate::model::{BracketRule, Extent, Formula, NspRule, Per, Search, SearchPoint, SearchRule, Study};
use crate::names::variables::Scope;
use crate::rules::World;
use crate::sections::capacity;
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node};
use std::sync::Arc;
use terms::{Quantity, Severity, Unit};

/// More attempts than anybody waits for.
pub(crate) const ATTEMPTS_MAX: u64 = 100;
/// Users of one variable.
const COUNT_MAX: u64 = 1_000_000;
/// Closer bounds than a millionth are noise.
const WIDTH_LEAST: f64 = 1e-6;

const RULES: [&str; 2] = ["bracket", "nsp"];

pub(crate) static SEARCH: [Key; 13] = [
    key("rule", Form::Words(&RULES), "`bracket`: bisection; `nsp`: throughput must grow with the users; bracket"),
    key("vary", Form::Text, "the variable that each attempt sets"),
    key("from", Form::Scalar, "its lowest value of interest: `20/s`, `5`"),
    key("to", Form::Scalar, "its highest"),
    key("width", Form::Scalar, "how close held and failed loads are at the end; 2%"),
    key("passes", Form::Text, "how many of how many attempts must pass for a load to hold; 2 of 3"),
    key("accept", Form::Some(&Form::Text), "requirements that an attempt must meet; all of severity must"),
    key("confirm", Form::Duration, "length of the hold of one more attempt, at the load found"),
    key(
        "most",
        Form::Any(&[Form::Count(1, ATTEMPTS_MAX), Form::MapOf(&Form::Count(1, COUNT_MAX))]),
        "maximum number of attempts, 100; with `nsp` the maximum of each variable",
    ),
    key("first", Form::MapOf(&Form::Count(1, COUNT_MAX)), "for `nsp`: two variables with their first values"),
    key(
        "raise",
        Form::MapOf(&Form::Count(1, COUNT_MAX)),
        "for `nsp`: by how much each is raised, in the order of the phases",
    ),
    key("target", Form::Scalar, "for `nsp`: share of the users' growth that the throughput must show; 60%"),
    key("by", Form::Text, "the rate that measures throughput: `rate(x.ok)`; successful iterations a second"),
];

pub(crate) static POINT: [Key; 4] = [
    required("of", Form::Text, "name of the scenario that searches"),
    required("search", Form::Table(&SEARCH), "its search"),
    required("number", Form::Count(1, ATTEMPTS_MAX), "which attempt it is"),
    key("confirms", Form::Bool, "whether it is the last one, at the load found"),
];

/// A search by its keys; `None` where something of it is wrong.
pub(crate) fn read(name: &str, node: &Node, mistakes: &mut Mistakes) -> Option<Search> {
    let before = mistakes.0.len();
    let mut keys = Reader::of(node, &SEARCH, "`search`", mistakes);
    let rule = keys.take("rule").map_or(Some("bracket"), |node| read::word(node, "`rule`", &RULES, mistakes));
    let by = keys.take("by").and_then(|node| mistakes.keep(node.as_text("`by`"))).map(str::to_owned);
    let rule = match rule {
        Some("nsp") => nsp(&mut keys, mistakes).map(SearchRule::Nsp),
        Some(_) => bracket(&mut keys, mistakes).map(SearchRule::Bracket),
        None => {
            for key in &SEARCH {
                keys.take(key.name);
            }
            None
        }
    };
    keys.finish(mistakes);
    rule.filter(|_| mistakes.0.len() == before).map(|rule| Search { name: name.to_owned(), rule, by })
}

/// What a rule has no use for is a mistake, not something to pass over.
fn refuse(words: &[&'static str], rule: &str, keys: &mut Reader<'_>, mistakes: &mut Mistakes) {
    for word in words {
        if let Some(node) = keys.take(word) {
            mistakes.push(
                Mistake::at(node.place, "study::conflict", format!("the rule `{rule}` has no `{word}`"))
                    .label("remove it, or name the rule that has it: `rule: bracket` or `rule: nsp`"),
            );
        }
    }
}

fn bracket(keys: &mut Reader<'_>, mistakes: &mut Mistakes) -> Option<BracketRule> {
    refuse(&["first", "raise", "target"], "bracket", keys, mistakes);
    let vary = keys.need("vary", mistakes).and_then(|node| mistakes.keep(node.as_text("`vary`")).map(str::to_owned));
    let ends = ["from", "to"].map(|word| keys.need(word, mistakes).and_then(|node| end(node, word, mistakes)));
    let width = keys.take("width").map_or(Some(0.02), |node| share(node, "width", "2%", mistakes));
    let passes = keys.take("passes").map_or(Some((2, 3)), |node| passes(node, mistakes));
    let accept = keys.take("accept").map(|node| {
        let members = read::members(node).into_iter();
        members.filter_map(|member| mistakes.keep(member.as_text("a requirement")).map(str::to_owned)).collect()
    });
    let confirm = keys.take("confirm").and_then(|node| read::some_duration(node, "`confirm`", mistakes));
    let most =
        keys.take("most").map_or(Some(ATTEMPTS_MAX), |node| mistakes.keep(node.as_count("`most`", 1, ATTEMPTS_MAX)));
    let [(from, place), (to, _)] = match ends {
        [Some(from), Some(to)] => [from, to],
        _ => return None,
    };
    if from.unit != to.unit || from.value <= 0.0 || from.value >= to.value {
        mistakes.push(
            Mistake::at(
                place,
                "study::out-of-range",
                "`from` and `to` are not two values above 0 in one unit, the lower first",
            )
            .label("write for example `from: 20/s, to: 2000/s`"),
        );
        return None;
    }
    let (vary, width, passes, most) = (vary?, width?, passes?, most? as u32);
    let rule = BracketRule { vary, from, to, width, passes, accept: accept.unwrap_or_default(), confirm, most };
    if !rule.has_loads_between() {
        mistakes.push(
            Mistake::at(
                place,
                "study::out-of-range",
                "no load lies between `from` and `to` that is farther from both than `width`",
            )
            .label("write a wider range, or a smaller `width`"),
        );
        return None;
    }
    Some(rule)
}

/// One end of the range, with its place.
fn end(node: &Node, word: &str, mistakes: &mut Mistakes) -> Option<(Quantity, contract::Place)> {
    let text = mistakes.keep(node.as_text(&format!("`{word}`")))?;
    match Quantity::parse(text) {
        Ok(quantity) => Some((quantity, node.place)),
        Err(error) => {
            mistakes.push(
                Mistake::at(node.place, "study::no-quantity", format!("`{word}` `{text}` {error}"))
                    .label("write a value as the variable has it, such as `20/s` or `5`")
                    .hint("the loads that are tried are computed from it, so it must be a value"),
            );
            None
        }
    }
}

/// A share of `word`; `usual` is written where nothing tells which was meant.
fn share(node: &Node, word: &str, usual: &str, mistakes: &mut Mistakes) -> Option<f64> {
    // Whoever leaves out the unit of `0.6` means 60 %.
    let bare = node.text().and_then(|text| text.parse::<f64>().ok());
    let meant = bare.filter(|share| (WIDTH_LEAST..=1.0).contains(share));
    let meant = meant.map(|value| Quantity { value, unit: Unit::Share }.to_string());
    let example = meant.as_deref().unwrap_or(usual);
    let share = mistakes.keep(node.as_quantity(&format!("`{word}`"), &Unit::Share, example))?.value;
    if (WIDTH_LEAST..=1.0).contains(&share) {
        return Some(share);
    }
    mistakes.push(
        Mistake::at(node.place, "study::out-of-range", format!("`{word}` is not a share above 0% and up to 100%"))
            .label(format!("write for example `{usual}`")),
    );
    None
}

/// `2 of 3`.
fn passes(node: &Node, mistakes: &mut Mistakes) -> Option<(u32, u32)> {
    let text = mistakes.keep(node.as_text("`passes`"))?;
    let numbers = text.split_once(" of ").and_then(|(passes, attempts)| {
        Some((passes.trim().parse::<u32>().ok()?, attempts.trim().parse::<u32>().ok()?))
    });
    let found = numbers.filter(|(passes, attempts)| (1..=*attempts).contains(passes) && *attempts <= 9);
    if found.is_none() {
        mistakes.push(
            Mistake::at(
                node.place,
                "study::out-of-range",
                format!("`passes` is `{text}`, not `M of N`, N at most nine"),
            )
            .label("write `1 of 1` or `2 of 3`"),
        );
    }
    found
}

fn nsp(keys: &mut Reader<'_>, mistakes: &mut Mistakes) -> Option<NspRule> {
    refuse(&["vary", "from", "to", "width", "passes", "accept", "confirm"], "nsp", keys, mistakes);
    let all =
        ["first", "raise", "most"].map(|word| keys.need(word, mistakes).and_then(|node| two(node, word, mistakes)));
    let target = keys.take("target").map_or(Some(0.6), |node| share(node, "target", "60%", mistakes));
    let [Some((variables, first, _)), Some((raised, raise, raise_place)), Some((bounded, most, most_place))] = all
    else {
        return None;
    };
    for (names, word, place) in [(&raised, "raise", raise_place), (&bounded, "most", most_place)] {
        if *names != variables {
            let [one, other] = &variables;
            mistakes.push(
                Mistake::at(
                    place,
                    "study::conflict",
                    format!("`{word}` does not name the variables of `first`, in their order"),
                )
                .label(format!("write `{{ {one}: …, {other}: … }}`")),
            );
            return None;
        }
    }
    let target = target?;
    if (target * 100.0 - (target * 100.0).round()).abs() > 1e-9 || target < 0.01 {
        mistakes.push(
            Mistake::at(most_place, "study::out-of-range", "`target` is not a whole percentage, as the rule needs")
                .label("write for example `target: 60%`"),
        );
        return None;
    }
    if first.iter().zip(&most).any(|(first, most)| first > most) {
        mistakes.push(
            Mistake::at(most_place, "study::out-of-range", "`most` is less than `first`")
                .label("write at least as much"),
        );
        return None;
    }
    let rule = NspRule { variables, first, raise, most, target };
    if u64::from(rule.most_attempts()) > ATTEMPTS_MAX {
        let text = format!("the steps up to `most` may be {}, more than {ATTEMPTS_MAX}", rule.most_attempts());
        mistakes.push(Mistake::at(most_place, "study::too-large", text).label("raise by more, or stop earlier"));
        return None;
    }
    Some(rule)
}

/// Two variables with a number each.
fn two(node: &Node, word: &str, mistakes: &mut Mistakes) -> Option<([String; 2], [u32; 2], contract::Place)> {
    let Some([(one, first), (other, second)]) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`{word}` is not a map of two variables"))
                .label("write for example `{ threads: 5, nodes: 2 }`"),
        );
        return None;
    };
    let count = |node: &Node, mistakes: &mut Mistakes| {
        mistakes.keep(node.as_count(&format!("a value of `{word}`"), 1, COUNT_MAX)).map(|count| count as u32)
    };
    let numbers = [count(first, mistakes)?, count(second, mistakes)?];
    Some(([one, other].map(|key| key.text().unwrap_or_default().to_owned()), numbers, node.place))
}

/// A scenario's place in its search, as loadproof writes it.
pub(crate) fn point(node: &Node, mistakes: &mut Mistakes) -> Option<SearchPoint> {
    let mut keys = Reader::of(node, &POINT, "`point`", mistakes);
    let of = keys.need("of", mistakes).and_then(|node| mistakes.keep(node.as_text("`of`")));
    let search = keys.need("search", mistakes);
    let number =
        keys.need("number", mistakes).and_then(|node| mistakes.keep(node.as_count("`number`", 1, ATTEMPTS_MAX)));
    let is_confirming = keys.take("confirms").is_some_and(|node| node.text() == Some("true"));
    keys.finish(mistakes);
    let search = Arc::new(read(of?, search?, mistakes)?);
    Some(SearchPoint { search, number: number? as u32, is_confirming, by: None })
}

/// The rate by which the search of an attempt goes, its names resolved in the attempt.
pub(crate) fn rate(
    node: Option<&Node>,
    scenario: usize,
    world: &World<'_>,
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> Option<Formula> {
    let node = node?.get("point")?.get("search")?.get("by").filter(|node| !node.is_missing())?;
    capacity::formula(node, scenario, world, scope, true, mistakes)
}

/// What a search needs of the rest of the study. `written` are the names of its requirements, those with a mistake of their
/// own included: nobody is blamed for what they lack.
pub(crate) fn check(study: &Study, written: &[String], mistakes: &mut Mistakes) {
    for (number, scenario) in study.scenarios.iter().enumerate() {
        let Some(point) = scenario.point.as_ref().filter(|point| point.number == 1) else { continue };
        let name = &point.search.name;
        let conflict =
            |text: String, label: &str| Mistake::at(scenario.place, "study::conflict", text).label(label.to_owned());
        if study.repeat > 1 {
            let text = format!("`{name}` searches, and the order is repeated");
            mistakes.push(conflict(text, "remove `repeat`, or the search"));
        }
        let all = scenario.parts.iter().flat_map(|part| &part.clean_up);
        if all.into_iter().any(|(_, per)| *per == Per::Study) {
            let text = format!("`{name}` searches, and cleans up once a study: which attempt is its last is unknown");
            mistakes.push(conflict(text, "write `per scenario`"));
        }
        // The study as it was run has values in the place of names.
        let root = study.source.root.as_deref();
        let is_written = root.and_then(|root| root.get("scenarios")?.get(name)?.get("search")).is_some();
        for variable in point.search.variables().into_iter().filter(|_| is_written) {
            if study.variables.iter().any(|known| known.name == variable && !known.is_used) {
                let text = format!("`{name}` varies `{variable}`, and nothing uses it");
                mistakes.push(conflict(text, "write it into the load: `arrivals: $(rate)`"));
            }
        }
        let SearchRule::Bracket(rule) = &point.search.rule else { continue };
        let hold = scenario.parts.first().map(|part| part.load.hold);
        if let (Some(confirm), Some(Extent::Time(hold))) = (rule.confirm, hold)
            && confirm < hold
        {
            mistakes.push(conflict(format!("`confirm` of `{name}` is shorter than its hold"), "write a longer one"));
        }
        for wanted in rule.accept.iter().filter(|wanted| !written.contains(wanted)) {
            mistakes.push(read::unknown(wanted, "requirement", written, scenario.place));
        }
        let is_asked = |name: &String| rule.accept.is_empty() || rule.accept.contains(name);
        let is_read = |name: &String| study.requirements.iter().any(|requirement| requirement.name == *name);
        if written.iter().any(|name| is_asked(name) && !is_read(name)) {
            continue;
        }
        let mut applies = study.requirements.iter().filter(|requirement| is_asked(&requirement.name));
        let is_must = |severity: Severity| severity == Severity::Must || !rule.accept.is_empty();
        if !applies.any(|one| one.applies.iter().any(|it| it.scenario == number && is_must(it.severity))) {
            let text = format!("`{name}` searches, and no requirement says which load is too much");
            mistakes.push(conflict(text, "add a requirement, such as `fast: p95(x.response) < 200 ms`"));
        }
    }
}
