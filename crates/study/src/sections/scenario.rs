//! `scenarios`: load, what one iteration does, and the phases around it.

use crate::model::{Exchange, Extent, Item, Load, LoadPart, Model, Per, Scenario};
use crate::names::variables::Scope;
use crate::sections::{load_key, mix};
use crate::syntax::keys::{Form, Key, Reader, key};
use crate::syntax::{not_yet, read};
use contract::{Mistake, Mistakes, Node, Place, Work};
use terms::{Nanos, Quantity, Unit};

/// How often a whole order may be run.
pub(crate) const REPEAT_MAX: u64 = 100;
/// Items within each other and in all; an iteration is held in memory for every user.
const ITEMS_MAX: usize = 10_000;
const TIMES_MAX: u64 = CARRIED_OUT_MAX;
/// Most items of one iteration: they are held as one list, and an endless one is a slip.
const CARRIED_OUT_MAX: u64 = 100_000;

/// How often an exchange around the load is sent.
pub(crate) const PER: [&str; 5] = ["per study", "per scenario", "per step", "per node", "per user"];

/// Keys of a scenario.
pub(crate) static SCENARIO: [Key; 16] = [
    key("load", Form::Table(&load_key::LOAD), "how much, and for how long"),
    key(
        "run",
        Form::Some(&Form::Item),
        "one iteration: exchanges, `think: 2s`, `choose: { a: 25%, b: 75% }`, `times: 3, run: […]`",
    ),
    key(
        "mix",
        Form::Any(&[Form::List(&Form::Text), Form::MapOf(&Form::Table(&PART))]),
        "scenarios at once, each with its own load, as parts: their names, or a map of parts",
    ),
    key("set", Form::MapOf(&Form::Scalar), "variables that this scenario overrides"),
    key("set_up", Form::Some(&Form::Around), "`exchange: per study, scenario, node, user`, before the measurement"),
    key("clean_up", Form::Some(&Form::Around), "the same, after it"),
    key("idle", Form::Duration, "quiet baseline before the load; 0s"),
    key(
        "drain",
        Form::Any(&[Form::Duration, Form::Words(&["automatic"])]),
        "after the load, until what is open has ended; automatic",
    ),
    key("recovery", Form::Duration, "watching after the load; 0s"),
    key("gap", Form::Duration, "quiet time before the next scenario; 0s"),
    key("abort", Form::Some(&Form::Rule), "rules that stop the run"),
    key("search", Form::NotYet, "search for the capacity"),
    key("grid", Form::NotYet, "every combination of variables"),
    key("adapt", Form::NotYet, "the next value while a rule holds"),
    // More than once is not supported yet.
    key("repeat", Form::Count(1, 1), "its steps again; 1"),
    key("after", Form::Duration, "later start within a mix"),
];

/// Keys of a part that is written within its mix.
pub(crate) static PART: [Key; 7] = [
    key("load", Form::Table(&load_key::LOAD), "how much, and for how long"),
    key("run", Form::Some(&Form::Item), "one iteration"),
    key("set", Form::MapOf(&Form::Scalar), "variables that this part overrides; those of the mix take precedence"),
    key("set_up", Form::Some(&Form::Around), "`exchange: per study, scenario, node, user`, before the measurement"),
    key("clean_up", Form::Some(&Form::Around), "the same, after it"),
    key("after", Form::Duration, "later start within the mix; 0s"),
    key("abort", Form::Some(&Form::Rule), "rules that stop the whole mix"),
];

/// What a scenario may name.
pub(crate) struct ScenarioScope<'a> {
    /// Variables, as the scenario binds them.
    pub(crate) scope: &'a Scope,
    /// All exchanges.
    pub(crate) exchanges: &'a [Exchange],
    /// What kind of work each is.
    pub(crate) works: &'a [Work],
    /// Data sets whose rows streams are.
    pub(crate) data: load_key::Sets<'a>,
}

/// As what a scenario is read.
#[derive(Clone, Copy)]
pub(crate) enum Role<'a> {
    /// By itself; whether a mix names it too.
    Alone { is_part: bool },
    /// As a part of this mix; whether it is also run alone.
    Part { mix: &'a str, is_alone: bool },
}

/// Phases around a load.
struct Around {
    idle: Nanos,
    drain: Option<Nanos>,
    recovery: Nanos,
    gap: Nanos,
}

/// Reads one scenario that is not a mix; `place` is that of its name. Its abort rules are read afterwards, when everything
/// has a name.
pub(crate) fn read(
    name: String,
    node: &Node,
    place: Place,
    set: Vec<(String, String)>,
    is_part: bool,
    known: &ScenarioScope<'_>,
    mistakes: &mut Mistakes,
) -> Scenario {
    let (part, around) = driven(&name, node, set.clone(), Role::Alone { is_part }, known, mistakes);
    scenario(name, place, set, vec![LoadPart { name: String::new(), ..part }], around)
}

/// Reads one scenario as a part of a mix, with the mix's variables bound over its own.
pub(crate) fn read_part(
    name: &str,
    node: &Node,
    set: Vec<(String, String)>,
    role: Role<'_>,
    known: &ScenarioScope<'_>,
    mistakes: &mut Mistakes,
) -> LoadPart {
    driven(name, node, set, role, known, mistakes).0
}

/// Reads a mix's own keys.
pub(crate) fn read_mix(
    name: String,
    node: &Node,
    place: Place,
    set: Vec<(String, String)>,
    parts: Vec<LoadPart>,
    known: &ScenarioScope<'_>,
    mistakes: &mut Mistakes,
) -> Scenario {
    let mut keys = Reader::of(node, &SCENARIO, format!("scenario `{name}`"), mistakes);
    let mix = keys.take("mix").map_or(place, |node| node.place);
    for word in ["load", "run", "set_up", "clean_up", "after"] {
        if let Some(node) = keys.take(word) {
            let text = format!("the mix `{name}` has a `{word}` of its own");
            mistakes.push(
                Mistake::at(node.place, "study::conflict", text)
                    .label("remove it")
                    .hint(format!("each part brings its own: write `{word}` in the scenarios that the mix names")),
            );
        }
    }
    let around = around(&mut keys, known.scope, mistakes);
    keys.finish(mistakes);
    let scenario = scenario(name, place, set, parts, around);
    if !scenario.parts.is_empty() {
        mix::check(&scenario, mix, mistakes);
    }
    scenario
}

fn scenario(name: String, place: Place, set: Vec<(String, String)>, parts: Vec<LoadPart>, around: Around) -> Scenario {
    let Around { idle, drain, recovery, gap } = around;
    Scenario { name, place, set, parts, idle, drain, recovery, gap, abort: Vec::new() }
}

/// Reads the keys that every scenario has, mix or not.
fn around(keys: &mut Reader<'_>, scope: &Scope, mistakes: &mut Mistakes) -> Around {
    for word in ["search", "grid", "adapt"] {
        if let Some(node) = keys.take(word) {
            not_yet::refuse(word, node.place, mistakes);
        }
    }
    if let Some((times, place)) = repeat(keys.take("repeat"), 10_000, scope, mistakes)
        && times > 1
    {
        not_yet::refuse("repeat", place, mistakes);
    }
    keys.take("set");
    keys.take("abort");
    let [idle, recovery, gap] = ["idle", "recovery", "gap"].map(|word| {
        let wait = keys.take(word).map(|node| scope.fill_node(node, mistakes));
        wait.and_then(|node| read::wait(&node, &format!("`{word}`"), mistakes)).unwrap_or(Nanos::ZERO)
    });
    let drain = keys.take("drain").map(|node| scope.fill_node(node, mistakes));
    let drain = drain.filter(|node| node.text() != Some("automatic"));
    let drain = drain.and_then(|node| read::wait(&node, "`drain`", mistakes));
    Around { idle, drain, recovery, gap }
}

fn driven(
    name: &str,
    node: &Node,
    set: Vec<(String, String)>,
    role: Role<'_>,
    known: &ScenarioScope<'_>,
    mistakes: &mut Mistakes,
) -> (LoadPart, Around) {
    let scope = known.scope;
    let mut keys = Reader::of(node, &SCENARIO, format!("scenario `{name}`"), mistakes);
    let is_refused =
        ["search", "grid", "adapt"].iter().any(|word| node.get(word).is_some_and(|node| !node.is_missing()));
    // The caller looks for it, and for what it names.
    keys.take("mix");
    refuse_role(name, &mut keys, role, mistakes);
    let around = around(&mut keys, scope, mistakes);
    let after = keys.take("after").map(|node| scope.fill_node(node, mistakes));
    let after = after.and_then(|node| read::duration(&node, "`after`", mistakes));
    let [set_up, clean_up] = ["set_up", "clean_up"]
        .map(|word| keys.take(word).map(|node| read_around(node, word, known, mistakes)).unwrap_or_default());
    let (load, run) = if is_refused {
        (keys.take("load"), keys.take("run"))
    } else {
        (keys.need("load", mistakes), keys.need("run", mistakes))
    };
    let load = load.map(|node| scope.fill_node(node, mistakes));
    let load_place = load.as_ref().map(|node| node.place);
    let load = load.and_then(|node| load_key::read(&node, name, &known.data, mistakes));
    if let Some(Load { model: Model::Arrivals { .. }, .. }) = load {
        ["set_up", "clean_up"].iter().filter_map(|word| node.get(word)).for_each(|node| refuse_users(node, mistakes));
    }
    let run = run.map(|node| read_run(node, name, known, mistakes));
    keys.finish(mistakes);
    if let (Role::Part { .. }, Some(load), Some(place)) = (role, &load, load_place) {
        refuse_unknown_hold(name, load, place, mistakes);
    }
    let part = LoadPart {
        name: name.to_owned(),
        set,
        load: load.unwrap_or_else(stand_in),
        run: run.unwrap_or_default(),
        set_up,
        clean_up,
        after: after.unwrap_or(Nanos::ZERO),
        abort: Vec::new(),
    };
    (part, around)
}

/// Keys that a scenario in this role would have for nothing.
fn refuse_role(name: &str, keys: &mut Reader<'_>, role: Role<'_>, mistakes: &mut Mistakes) {
    match role {
        Role::Alone { is_part: true } | Role::Part { is_alone: true, .. } => {}
        Role::Alone { is_part: false } => {
            if let Some(node) = keys.take("after") {
                mistakes.push(
                    Mistake::at(node.place, "study::conflict", format!("`{name}` is not a part of a mix"))
                        .label("remove `after`")
                        .hint("`after` is a later start within a mix; quiet time before a load is `idle`"),
                );
            }
        }
        Role::Part { mix, is_alone: false } => {
            for word in ["idle", "drain", "recovery", "gap"] {
                if let Some(node) = keys.take(word) {
                    let text = format!("`{name}` runs only as a part of `{mix}`, and has a `{word}` of its own");
                    mistakes.push(
                        Mistake::at(node.place, "study::conflict", text)
                            .label("remove it")
                            .hint(format!("parts share the phases of their mix: write `{word}` at `{mix}`")),
                    );
                }
            }
        }
    }
}

/// When users that are warmed up by a count begin their hold is unknown.
fn refuse_unknown_hold(name: &str, load: &Load, place: Place, mistakes: &mut Mistakes) {
    let is_timed = matches!(load.hold, Extent::Time(_));
    if is_timed && matches!((&load.model, load.warm_up), (Model::Users { .. }, Some(Extent::Count(_)))) {
        let text = format!("`{name}` is a part of a mix, and its users warm up by a count");
        mistakes.push(
            Mistake::at(place, "study::conflict", text)
                .label("write `warm_up` as a duration")
                .hint("all parts change their phases together, so it must be known when each begins to hold"),
        );
    }
}

/// Where there was a mistake: rules that name this scenario are then not blamed for it.
fn stand_in() -> Load {
    Load {
        model: Model::Users { count: 1, pacing: None },
        ramp: None,
        warm_up: None,
        hold: Extent::Time(Nanos::SECOND),
        max_in_flight: None,
        streams: None,
    }
}

/// Reads `run`, and makes sure that it does something and comes to an end.
fn read_run(node: &Node, scenario: &str, known: &ScenarioScope<'_>, mistakes: &mut Mistakes) -> Vec<Item> {
    let names: Vec<String> = known.exchanges.iter().map(|exchange| exchange.name.clone()).collect();
    let before = mistakes.0.len();
    let items = Run { names: &names, works: known.works, scope: known.scope, items: 0 }.list(node, mistakes);
    if mistakes.0.len() == before && !has_exchange(&items) {
        mistakes.push(
            Mistake::at(node.place, "study::empty", format!("an iteration of scenario `{scenario}` does nothing"))
                .label("name at least one exchange"),
        );
    }
    if carried_out(&items) > CARRIED_OUT_MAX {
        let text = format!("one iteration of scenario `{scenario}` has more than {CARRIED_OUT_MAX} parts");
        mistakes.push(
            Mistake::at(node.place, "study::out-of-range", text)
                .label("use fewer `times`; a long run comes from many iterations"),
        );
    }
    items
}

/// `repeat`, of a scenario and of the whole order.
pub(crate) fn repeat(node: Option<&Node>, most: u64, scope: &Scope, mistakes: &mut Mistakes) -> Option<(u32, Place)> {
    let node = node?;
    let filled = scope.fill_node(node, mistakes);
    let times = mistakes.keep(filled.as_count("`repeat`", 1, most))?;
    Some((times as u32, node.place))
}

/// How many items an iteration runs, including repetitions.
fn carried_out(items: &[Item]) -> u64 {
    let one = |item: &Item| match item {
        // Repeating nothing takes its time, too.
        Item::Times(times, inner) => carried_out(inner).max(1).saturating_mul(u64::from(*times)),
        _ => 1,
    };
    items.iter().map(one).fold(0, u64::saturating_add)
}

/// Whether an iteration sends anything.
fn has_exchange(items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::Exchange(_) | Item::Choose(_) => true,
        Item::Think(_) => false,
        Item::Times(_, inner) => has_exchange(inner),
    })
}

/// Numbers of the exchanges that an iteration may send.
pub(crate) fn exchanges_of(items: &[Item]) -> Vec<u16> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Exchange(number) => found.push(*number),
            Item::Choose(choices) => found.extend(choices.iter().map(|(_, number)| *number)),
            Item::Times(_, inner) => found.extend(exchanges_of(inner)),
            Item::Think(_) => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The number of the exchange that is named, when it is one that is sent and answered.
fn exchange_number(node: &Node, names: &[String], works: &[Work], mistakes: &mut Mistakes) -> Option<u16> {
    let number = read::one_of(node, "exchange", names, mistakes)?;
    if works.get(number) == Some(&Work::Held) {
        not_yet::refuse("held work", node.place, mistakes);
    }
    u16::try_from(number).ok()
}

struct Run<'a> {
    names: &'a [String],
    works: &'a [Work],
    scope: &'a Scope,
    items: usize,
}

impl Run<'_> {
    fn list(&mut self, node: &Node, mistakes: &mut Mistakes) -> Vec<Item> {
        let members = read::members(node);
        let mut found = Vec::new();
        let mut index = 0;
        while let Some(member) = members.get(index) {
            index += 1;
            // In `[ times: 3, run: [a] ]` YAML sees two maps of one entry each; they are meant as one.
            if let (Some([(times, count)]), Some(Some([(run, inner)]))) =
                (member.map(), members.get(index).map(|m| m.map()))
                && times.text() == Some("times")
                && run.text() == Some("run")
            {
                index += 1;
                let entries = vec![(times.clone(), count.clone()), (run.clone(), inner.clone())];
                let joined = Node { place: member.place, shape: contract::Shape::Map(entries) };
                found.extend(self.item(&joined, mistakes));
                continue;
            }
            found.extend(self.item(member, mistakes));
        }
        found
    }

    fn item(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        self.items += 1;
        if self.items == ITEMS_MAX {
            mistakes.push(Mistake::at(
                node.place,
                "study::too-large",
                format!("an iteration has at most {ITEMS_MAX} items"),
            ));
        }
        if self.items >= ITEMS_MAX {
            return None;
        }
        match node.map() {
            None => self.exchange(node, mistakes).map(Item::Exchange),
            Some([(key, value)]) => match key.text().unwrap_or_default() {
                "think" => {
                    let value = self.scope.fill_node(value, mistakes);
                    read::duration(&value, "`think`", mistakes).map(Item::Think)
                }
                "choose" => self.choose(value, mistakes).map(Item::Choose),
                "times" | "run" => self.times(node, mistakes),
                _ => {
                    let number = self.exchange(key, mistakes)?;
                    if value.is_missing() {
                        return Some(Item::Exchange(number));
                    }
                    not_yet::refuse("changed settings", value.place, mistakes);
                    None
                }
            },
            Some(_) => self.times(node, mistakes),
        }
    }

    fn exchange(&self, node: &Node, mistakes: &mut Mistakes) -> Option<u16> {
        exchange_number(node, self.names, self.works, mistakes)
    }

    fn times(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        let mut keys = Reader::of(node, &TIMES, "this item", mistakes);
        let times = keys.need("times", mistakes).map(|node| self.scope.fill_node(node, mistakes));
        let times = times.and_then(|node| mistakes.keep(node.as_count("`times`", 1, TIMES_MAX)));
        let run = keys.need("run", mistakes).map(|node| self.list(node, mistakes));
        keys.finish(mistakes);
        Some(Item::Times(times? as u32, run?))
    }

    fn choose(&self, node: &Node, mistakes: &mut Mistakes) -> Option<Vec<(f64, u16)>> {
        let Some(entries) = node.map().filter(|entries| !entries.is_empty()) else {
            mistakes.push(
                Mistake::at(node.place, "study::wrong-type", format!("`choose` is {}, not a map", node.what()))
                    .label("write `{ a: 25%, b: 75% }`"),
            );
            return None;
        };
        let mut choices = Vec::new();
        for (key, value) in entries {
            let number = self.exchange(key, mistakes);
            let value = self.scope.fill_node(value, mistakes);
            let weight: Option<Quantity> = mistakes.keep(value.as_quantity("the weight", &Unit::Share, "25%"));
            choices.push((weight?.value, number?));
        }
        let sum: f64 = choices.iter().map(|(weight, _)| weight).sum();
        if (sum - 1.0).abs() > 1e-9 || choices.iter().any(|(weight, _)| *weight < 0.0) {
            mistakes.push(
                Mistake::at(
                    node.place,
                    "study::weights",
                    format!("the weights of `choose` add up to {}", percent(sum)),
                )
                .label("they must add up to 100%, none below 0%"),
            );
        }
        Some(choices)
    }
}

pub(crate) static TIMES: [Key; 2] =
    [key("times", Form::Count(1, TIMES_MAX), "how often"), key("run", Form::Some(&Form::Item), "what")];

fn percent(share: f64) -> String {
    Quantity { value: share, unit: Unit::Share }.to_string()
}

/// `[ login: per node, clear ]`; without `per` an exchange is sent once per scenario.
fn read_around(node: &Node, what: &str, known: &ScenarioScope<'_>, mistakes: &mut Mistakes) -> Vec<(u16, Per)> {
    let names: Vec<String> = known.exchanges.iter().map(|exchange| exchange.name.clone()).collect();
    let mut found = Vec::new();
    for member in read::members(node) {
        let (key, per) = match member.map() {
            Some([(key, value)]) => (key, per(value, mistakes)),
            Some(_) => {
                mistakes.push(
                    Mistake::at(
                        member.place,
                        "study::wrong-type",
                        format!("a member of `{what}` names more than one exchange"),
                    )
                    .label("write `[ a: per node, b: per user ]`"),
                );
                continue;
            }
            None => (member, Some(Per::Scenario)),
        };
        let number = exchange_number(key, &names, known.works, mistakes);
        found.extend(number.zip(per));
    }
    found
}

/// In an open load iterations start by the clock and belong to no user.
fn refuse_users(around: &Node, mistakes: &mut Mistakes) {
    let members = read::members(around).into_iter().filter_map(Node::map).flatten();
    for (_, per) in members.filter(|(_, per)| per.text() == Some("per user")) {
        mistakes.push(
            Mistake::at(per.place, "study::conflict", "with `arrivals` there are no users")
                .label("write `per node`")
                .hint("what `per node` captures is available to every iteration; users exist only in a load with `users: N`"),
        );
    }
}

fn per(node: &Node, mistakes: &mut Mistakes) -> Option<Per> {
    match read::word(node, "how often", &PER, mistakes)? {
        "per study" => Some(Per::Study),
        "per node" => Some(Per::Node),
        "per user" => Some(Per::User),
        // Without searches, grids and repetitions a scenario is one step.
        _ => Some(Per::Scenario),
    }
}
