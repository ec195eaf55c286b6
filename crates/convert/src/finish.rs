//! Makes sure that a draft hangs together, whatever a reader made: every name is known where it is used, and nothing is
//! declared that nothing needs.

use crate::draft::{Body, Draft, Exchange, Lost, Part, Scenario, Step, Var};
use crate::text::{end_of_name, names_in, words};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What stands in place of a value that the source does not give.
const UNSET: &str = "unset";

/// Names of the language that need no declaration.
const BUILT_IN: [&str; 8] = ["serial", "uuid", "now", "user.n", "connection.n", "message.n", "node.n", "run.id"];

pub(crate) fn finish(mut draft: Draft) -> Draft {
    let is_alone = !draft.is_mix || draft.scenarios.len() < 2;
    for scenario in &mut draft.scenarios {
        scenario.run = tidied(std::mem::take(&mut scenario.run));
        if is_alone {
            // What begins later than others needs others.
            scenario.after = 0.0;
        }
    }
    draft.scenarios.retain(|scenario| has_call(&scenario.run));
    know_every_name(&mut draft);
    let scenarios = draft.scenarios.clone();
    for scenario in &scenarios {
        capture_before_use(&mut draft, scenario);
    }
    drop_unused(&mut draft);
    require_what_runs(&mut draft);
    draft
}

/// A rule about an exchange that no scenario sends would be a mistake of the study.
fn require_what_runs(draft: &mut Draft) {
    let mut order = Vec::new();
    for scenario in &draft.scenarios {
        in_order(&scenario.run, &mut order);
        each_transaction(&scenario.run, &mut |name| order.push(Found::Call(name.to_owned())));
    }
    let runs = |name: &str| order.iter().any(|found| matches!(found, Found::Call(call) if call == name));
    let is_run = |rule: &str| {
        let inside = rule.split(['(', ')']).nth(1).unwrap_or_default();
        let name = inside.split(['.', ' ']).next().unwrap_or_default();
        name == "*" || runs(name)
    };
    let (kept, gone): (Vec<_>, Vec<_>) =
        std::mem::take(&mut draft.requirements).into_iter().partition(|requirement| is_run(&requirement.rule));
    draft.requirements = kept;
    for requirement in gone {
        draft.lost.push(Lost {
            place: String::new(),
            what: format!("the requirement {}", requirement.rule),
            why: "no scenario sends what it is about".to_owned(),
            hint: "put the exchange into `run`, and write the rule under `requirements`".to_owned(),
        });
    }
}

fn each_transaction(steps: &[Step], tell: &mut dyn FnMut(&str)) {
    for step in steps {
        match step {
            Step::Transaction(name, steps) => {
                tell(name);
                each_transaction(steps, tell);
            }
            Step::Times(_, steps) | Step::If(_, steps) => each_transaction(steps, tell),
            Step::Choose(ways) => ways.iter().for_each(|(_, _, steps)| each_transaction(steps, tell)),
            Step::Call(_) | Step::Think(_) | Step::Parallel(..) => {}
        }
    }
}

/// Steps without those that do nothing.
fn tidied(steps: Vec<Step>) -> Vec<Step> {
    let kept = steps.into_iter().filter_map(|step| match step {
        Step::Transaction(name, steps) => {
            Some(tidied(steps)).filter(|it| has_call(it)).map(|it| Step::Transaction(name, it))
        }
        Step::Times(count, steps) => Some(tidied(steps)).filter(|it| has_call(it)).map(|it| Step::Times(count, it)),
        Step::If(condition, steps) => Some(tidied(steps)).filter(|it| has_call(it)).map(|it| Step::If(condition, it)),
        Step::Choose(ways) if ways.iter().all(|(_, _, steps)| !has_call(steps)) => None,
        Step::Parallel(calls, _) if calls.is_empty() => None,
        other => Some(other),
    });
    kept.collect()
}

pub(crate) fn has_call(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Call(_) | Step::Parallel(..) => true,
        Step::Think(_) => false,
        Step::Transaction(_, steps) | Step::Times(_, steps) | Step::If(_, steps) => has_call(steps),
        Step::Choose(ways) => ways.iter().any(|(_, _, steps)| has_call(steps)),
    })
}

/// Calls a function with every text of an exchange that may hold names.
pub(crate) fn each_text(exchange: &mut Exchange, files: &mut [(String, Vec<u8>)], change: &mut dyn FnMut(&mut String)) {
    change(&mut exchange.url);
    exchange.headers.iter_mut().for_each(|(_, value)| change(value));
    exchange.keys.iter_mut().for_each(|(_, value)| change(value));
    exchange.checks.iter_mut().for_each(&mut *change);
    match &mut exchange.body {
        Body::None | Body::File(_, false) => {}
        Body::Json(value) => {
            let made = std::mem::replace(value, Value::Null);
            *value = json_texts(made, change);
        }
        Body::Form(fields) => fields.iter_mut().for_each(|(name, value)| {
            change(name);
            change(value);
        }),
        Body::Multipart(parts) => parts.iter_mut().for_each(|(name, part)| {
            change(name);
            if let Part::Text(text, _) = part {
                change(text);
            }
        }),
        Body::Text(text) => change(text),
        Body::File(path, true) => {
            let file = files.iter_mut().find(|(other, _)| other == path);
            if let Some((_, bytes)) = file
                && let Ok(mut text) = String::from_utf8(bytes.clone())
            {
                change(&mut text);
                *bytes = text.into_bytes();
            }
        }
    }
}

/// Texts, and names that stand in the place of a number.
fn json_texts(value: Value, change: &mut dyn FnMut(&mut String)) -> Value {
    match value {
        Value::Number(mut text) => {
            change(&mut text);
            Value::Number(text)
        }
        Value::Text(mut text) => {
            change(&mut text);
            Value::Text(text)
        }
        Value::List(members) => Value::List(members.into_iter().map(|member| json_texts(member, change)).collect()),
        Value::Map(entries) => {
            Value::Map(entries.into_iter().map(|(key, value)| (key, json_texts(value, change))).collect())
        }
        other => other,
    }
}

/// Names that an exchange mentions: without functions, texts in quotes and what the language has by itself.
pub(crate) fn mentioned(exchange: &Exchange, files: &[(String, Vec<u8>)]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut files: Vec<(String, Vec<u8>)> = match &exchange.body {
        Body::File(path, true) => files.iter().filter(|(other, _)| other == path).cloned().collect(),
        _ => Vec::new(),
    };
    each_text(&mut exchange.clone(), &mut files, &mut |text| {
        names_in(text).into_iter().for_each(|expression| gather(expression, &mut found));
    });
    found
}

fn gather(expression: &str, found: &mut BTreeSet<String>) {
    let bare = without_quotes(expression);
    for word in words(&bare) {
        let is_function = bare.contains(&format!("{word}("));
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if !is_function && !is_number && !BUILT_IN.contains(&word) {
            found.insert(word.to_owned());
        }
    }
}

fn without_quotes(expression: &str) -> String {
    let mut made = String::new();
    let mut is_inside = false;
    for c in expression.chars() {
        match c {
            '\'' => is_inside = !is_inside,
            _ if !is_inside => made.push(c),
            _ => {}
        }
    }
    made
}

fn know_every_name(draft: &mut Draft) {
    let mut known: BTreeSet<String> = draft.vars.iter().map(|var| var.name.clone()).collect();
    known.extend(draft.exchanges.iter().flat_map(|exchange| &exchange.captures).map(|capture| capture.name.clone()));
    let sets: Vec<String> = draft.data.iter().map(|set| format!("{}.", set.name)).collect();
    let servers: BTreeSet<String> = draft.servers.iter().map(|server| format!("{}.url", server.var)).collect();
    let mut unknown: BTreeMap<String, String> = BTreeMap::new();
    for exchange in &draft.exchanges {
        for name in mentioned(exchange, &draft.files) {
            let is_known = known.contains(&name)
                || name.starts_with("secret.")
                || servers.contains(&name)
                || sets.iter().any(|set| name.starts_with(set.as_str()));
            if !is_known {
                unknown.entry(name).or_insert_with(|| exchange.name.clone());
            }
        }
    }
    for (name, user) in unknown {
        draft.lost.push(Lost {
            place: format!("exchange {user}"),
            what: format!("the value of `{name}`"),
            why: format!("the source uses it and does not say what it is; `{UNSET}` is in its place"),
            hint: format!("write it under `vars`, or set it: `--set {name}=…`"),
        });
        draft.vars.push(Var { name, value: UNSET.to_owned(), note: "the source does not say what it is".to_owned() });
    }
}

/// A capture that is used before it is there would be a mistake of the study.
fn capture_before_use(draft: &mut Draft, scenario: &Scenario) {
    let captures: BTreeSet<String> =
        draft.exchanges.iter().flat_map(|exchange| &exchange.captures).map(|capture| capture.name.clone()).collect();
    let mut order = Vec::new();
    scenario.set_up.iter().for_each(|(name, _)| order.push(Found::Call(name.clone())));
    in_order(&scenario.run, &mut order);
    scenario.clean_up.iter().for_each(|(name, _)| order.push(Found::Call(name.clone())));
    let mut have: BTreeSet<String> = BTreeSet::new();
    for found in order {
        let name = match found {
            Found::Call(name) => name,
            Found::Condition(text) => {
                let mut used = BTreeSet::new();
                names_in(&text).into_iter().for_each(|expression| gather(expression, &mut used));
                used.retain(|name| captures.contains(name) && !have.contains(name));
                // A condition on nothing is an empty text, which the language allows once something captures it.
                have.extend(used);
                continue;
            }
        };
        let Some(at) = draft.exchanges.iter().position(|exchange| exchange.name == name) else { continue };
        let used = mentioned(&draft.exchanges[at], &draft.files);
        for missing in used.into_iter().filter(|name| captures.contains(name) && !have.contains(name)) {
            let stand_in = format!("{missing}_before");
            let mut exchange = draft.exchanges[at].clone();
            each_text(&mut exchange, &mut draft.files, &mut |text| *text = renamed(text, &missing, &stand_in));
            draft.exchanges[at] = exchange;
            if !draft.vars.iter().any(|var| var.name == stand_in) {
                let note = format!("used before an answer gives `{missing}`");
                draft.vars.push(Var { name: stand_in.clone(), value: UNSET.to_owned(), note });
            }
            draft.lost.push(Lost {
                place: format!("exchange {name}"),
                what: format!("the value of `{missing}`"),
                why: format!("`{name}` uses it before an answer has given it; `$({stand_in})` is in its place"),
                hint: format!("put an exchange that captures `{missing}` before it, and write `$({missing})`"),
            });
        }
        have.extend(draft.exchanges[at].captures.iter().map(|capture| capture.name.clone()));
    }
}

enum Found {
    Call(String),
    Condition(String),
}

/// Names that conditions of steps ask for.
pub(crate) fn asked(steps: &[Step]) -> BTreeSet<String> {
    let (mut order, mut found) = (Vec::new(), BTreeSet::new());
    in_order(steps, &mut order);
    for condition in order.into_iter().filter_map(|it| if let Found::Condition(text) = it { Some(text) } else { None })
    {
        names_in(&condition).into_iter().for_each(|expression| gather(expression, &mut found));
    }
    found
}

fn in_order(steps: &[Step], order: &mut Vec<Found>) {
    for step in steps {
        match step {
            Step::Call(name) => order.push(Found::Call(name.clone())),
            Step::Parallel(names, _) => order.extend(names.iter().cloned().map(Found::Call)),
            Step::Think(_) => {}
            Step::Transaction(_, steps) | Step::Times(_, steps) => in_order(steps, order),
            Step::If(condition, steps) => {
                order.push(Found::Condition(condition.clone()));
                in_order(steps, order);
            }
            Step::Choose(ways) => ways.iter().for_each(|(_, _, steps)| in_order(steps, order)),
        }
    }
}

/// A text with a name in its `$(…)` renamed.
pub(crate) fn renamed(text: &str, from: &str, to: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("$(") {
        let is_literal = rest[..start].ends_with('$');
        let end = end_of_name(&rest[start..]).filter(|_| !is_literal);
        let Some(end) = end else {
            made.push_str(&rest[..start + 2]);
            rest = &rest[start + 2..];
            continue;
        };
        made.push_str(&rest[..start]);
        let expression = &rest[start..start + end];
        let mut word = String::new();
        for c in expression.chars() {
            if c.is_ascii_alphanumeric() || c == '_' || c == '.' {
                word.push(c);
                continue;
            }
            made.push_str(if word == from { to } else { &word });
            word.clear();
            made.push(c);
        }
        rest = &rest[start + end..];
    }
    made + rest
}

fn drop_unused(draft: &mut Draft) {
    let mut used = BTreeSet::new();
    draft.exchanges.iter().for_each(|exchange| used.extend(mentioned(exchange, &draft.files)));
    let mut order = Vec::new();
    draft.scenarios.iter().for_each(|scenario| in_order(&scenario.run, &mut order));
    for found in order {
        if let Found::Condition(text) = found {
            names_in(&text).into_iter().for_each(|expression| gather(expression, &mut used));
        }
    }
    // Variables may need each other.
    loop {
        let before = used.len();
        for var in &draft.vars {
            if used.contains(&var.name) {
                names_in(&var.value).into_iter().for_each(|expression| gather(expression, &mut used));
            }
        }
        if used.len() == before {
            break;
        }
    }
    draft.vars.retain(|var| used.contains(&var.name));
    draft.secrets.retain(|secret| used.contains(&format!("secret.{}", secret.name)));
    draft.servers.retain(|server| used.contains(&format!("{}.url", server.var)));
    let data: Vec<String> = draft.data.iter().map(|set| set.name.clone()).collect();
    let is_used = |name: &String| used.iter().any(|used| used.starts_with(&format!("{name}.")));
    for name in data.iter().filter(|name| !is_used(name)) {
        draft.lost.push(Lost {
            place: String::new(),
            what: format!("the table `{name}`"),
            why: "no request that was carried over uses it".to_owned(),
            hint: String::new(),
        });
    }
    let unused: Vec<String> = draft.data.iter().filter(|set| !is_used(&set.name)).map(|set| set.path.clone()).collect();
    draft.data.retain(|set| is_used(&set.name));
    draft.files.retain(|(path, _)| !unused.contains(path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_renamed_only_where_they_are_names() {
        assert_eq!(renamed("id $(id) $$(id) $(url(id)) $(ids)", "id", "x"), "id $(x) $$(id) $(url(x)) $(ids)");
    }

    #[test]
    fn functions_and_quotes_are_no_names() {
        let mut found = BTreeSet::new();
        gather("url(join(ids, ', and'))", &mut found);
        gather("random(1, 6)", &mut found);
        gather("users.name", &mut found);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["ids", "users.name"]);
    }
}
