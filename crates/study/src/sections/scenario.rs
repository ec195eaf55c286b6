//! `scenarios`: load, what one iteration does, and the phases around it.

use crate::model::{Cell, Exchange, Extent, Load, LoadPart, Model, OnlyIf, Per, Scenario, SearchPoint, Wait};
use crate::names::variables::Scope;
use crate::rules::World;
use crate::sections::waits::{self, WAIT};
use crate::sections::{carries, held, load_key, mix, requirements, run, search, units};
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node, Place, Work};
use std::collections::BTreeMap;
use terms::Nanos;

/// How often a scenario, or a whole order, may be carried out.
pub(crate) const REPEAT_MAX: u64 = 100;

/// How often an exchange around the load is sent.
pub(crate) const PER: [&str; 5] = ["per study", "per scenario", "per step", "per node", "per user"];

/// Keys of a scenario.
pub(crate) static SCENARIO: [Key; 20] = [
    key("load", Form::Table(&load_key::LOAD), "how much, and for how long"),
    key(
        "run",
        Form::Some(&Form::Item),
        "one iteration: exchanges, `think: 1s to 5s`, `choose: { a: 25%, b: 75% }`, `times: 3, run: […]`, `if: …, then: […]`, `transaction: checkout, run: […]`",
    ),
    key(
        "mix",
        Form::Any(&[Form::List(&Form::Text), Form::MapOf(&Form::Table(&PART))]),
        "scenarios at once, each with its own load, as parts: their names, or a map of parts",
    ),
    key("set", Form::MapOf(&Form::Scalar), "variables that this scenario overrides"),
    key("set_up", Form::Some(&Form::Around), "`exchange: per study, scenario, node, user`, before the measurement"),
    key("clean_up", Form::Some(&Form::Around), "the same, after it"),
    key(
        "idle",
        Form::Any(&[Form::Duration, Form::Table(&WAIT)]),
        "quiet baseline before the load, or `{ until: settled(host.cpu), at_most: 5m }`; 0s",
    ),
    key(
        "drain",
        Form::Any(&[Form::Duration, Form::Words(&["automatic"]), Form::Table(&WAIT)]),
        "after the load, until what is open has ended, or, besides, `{ until: drained(queue.depth), at_most: 2h }`; automatic",
    ),
    key(
        "recovery",
        Form::Any(&[Form::Duration, Form::Table(&WAIT)]),
        "watching after the load, or `{ until: settled(host.cpu), at_most: 5m }`; 0s",
    ),
    key(
        "gap",
        Form::Any(&[Form::Duration, Form::Table(&WAIT)]),
        "quiet time before the next scenario, or `{ until: settled(host.cpu), at_most: 5m }`; 0s",
    ),
    key("abort", Form::Some(&Form::Rule), "rules that stop the run; in a search the current attempt"),
    key("search", Form::Table(&search::SEARCH), "a scenario for each load that is tried until the limit is found"),
    key(
        "grid",
        Form::MapOf(&Form::List(&Form::Scalar)),
        "a scenario for each combination of these variables' values, the first variable outermost",
    ),
    key(
        "adapt",
        Form::Any(&[Form::MapOf(&Form::Any(&[Form::List(&Form::Scalar), Form::Rule]))]),
        "`{ VARIABLE: [values], again: rule }`: the next value of a variable while the rule holds of the one before",
    ),
    key(
        "shorten",
        Form::Bool,
        "whether a trial (`--for`) shortens it; `false` for what prepares something that later scenarios need whole; true",
    ),
    key("repeat", Form::Count(1, REPEAT_MAX), "how often it is carried out, in rounds with the others that are; 1"),
    key(
        "only_if",
        Form::Table(&ONLY_IF),
        "carried out only if a rule holds of another; loadproof writes it for `adapt`",
    ),
    key("cell", Form::Table(&CELL), "which cell of a grid it is; loadproof writes it where it has expanded one"),
    key("point", Form::Table(&search::POINT), "which attempt of a search it is; loadproof writes it"),
    key("after", Form::Duration, "later start within a mix"),
];

pub(crate) static ONLY_IF: [Key; 2] = [
    required("of", Form::Text, "name of the scenario, an earlier one"),
    required("holds", Form::Rule, "what must hold of it"),
];

pub(crate) static CELL: [Key; 2] = [
    required("grid", Form::Text, "name of the scenario that has the grid"),
    required("by", Form::List(&Form::Text), "the grid's variables, the outermost first"),
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
    /// Names of all transactions.
    pub(crate) transactions: &'a [String],
    /// What kind of work each is.
    pub(crate) works: &'a [Option<Work>],
    /// Names of captures, and of the members of lists.
    pub(crate) captures: &'a [String],
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

/// Phases around a load, and what else a mix has, too.
struct Around {
    cell: Option<Cell>,
    point: Option<SearchPoint>,
    repeat: u32,
    is_whole: bool,
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
        carries::check_parts(&scenario.parts, mix, known.exchanges, mistakes);
    }
    scenario
}

fn scenario(name: String, place: Place, set: Vec<(String, String)>, parts: Vec<LoadPart>, around: Around) -> Scenario {
    let Around { cell, point, repeat, is_whole, idle, drain, recovery, gap } = around;
    let (abort, only_if, until) = (Vec::new(), None, BTreeMap::new());
    Scenario {
        name,
        place,
        set,
        cell,
        point,
        repeat,
        is_whole,
        parts,
        idle,
        drain,
        recovery,
        gap,
        until,
        abort,
        only_if,
    }
}

/// Reads the keys that every scenario has, mix or not.
fn around(keys: &mut Reader<'_>, scope: &Scope, mistakes: &mut Mistakes) -> Around {
    let repeat = repeat(keys.take("repeat"), scope, mistakes);
    let is_shortened = keys.take("shorten").and_then(|node| mistakes.keep(node.as_bool("`shorten`")));
    let is_whole = !is_shortened.unwrap_or(true);
    let cell = keys.take("cell").and_then(|node| cell(node, mistakes));
    let point = keys.take("point").and_then(|node| search::point(node, mistakes));
    keys.take("set");
    // What is left of one was a mistake, and has been told.
    keys.take("search");
    keys.take("grid");
    keys.take("adapt");
    // Rules are read afterwards, when everything has a name.
    keys.take("abort");
    keys.take("only_if");
    let [idle, drain, recovery, gap] =
        Wait::ALL.map(|wait| waits::longest(keys.take(wait.name()), wait, scope, mistakes));
    let (idle, recovery, gap) = (idle.unwrap_or_default(), recovery.unwrap_or_default(), gap.unwrap_or_default());
    Around { cell, point, repeat, is_whole, idle, drain, recovery, gap }
}

/// Under which condition scenario `number` is carried out; `names` are those of all, in their order.
pub(crate) fn only_if(
    node: &Node,
    (number, names): (usize, &[String]),
    world: &World<'_>,
    scopes: &[Scope],
    mistakes: &mut Mistakes,
) -> Option<OnlyIf> {
    let mut keys = Reader::of(node, &ONLY_IF, "`only_if`", mistakes);
    let (of, holds) = (keys.need("of", mistakes), keys.need("holds", mistakes));
    keys.finish(mistakes);
    let place = of?.place;
    let of = read::one_of(of?, "scenario", names, mistakes)?;
    if of >= number {
        mistakes.push(
            Mistake::at(
                place,
                "study::conflict",
                format!("`{}` is not carried out before `{}`", names[of], names[number]),
            )
            .label("name one that comes before it"),
        );
        return None;
    }
    let rule = requirements::abort(holds?, (of, None), world, &scopes[of], mistakes).pop()?;
    Some(OnlyIf { of: of as u16, rule })
}

fn cell(node: &Node, mistakes: &mut Mistakes) -> Option<Cell> {
    let mut keys = Reader::of(node, &CELL, "`cell`", mistakes);
    let grid = keys.need("grid", mistakes).and_then(|node| mistakes.keep(node.as_text("`grid`")).map(str::to_owned));
    let by = keys.need("by", mistakes).map(|node| read::list(node, "`by`", mistakes));
    keys.finish(mistakes);
    let variables = by?.iter().filter_map(|member| mistakes.keep(member.as_text("a variable")).map(str::to_owned));
    Some(Cell { grid: grid?, variables: variables.collect() })
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
    // The caller looks for it, and for what it names.
    keys.take("mix");
    if let (Role::Part { mix, .. }, Some(search)) = (role, node.get("search").or(node.get("point"))) {
        mistakes.push(
            Mistake::at(search.place, "study::conflict", format!("`{name}` searches, but is a part of `{mix}`"))
                .label(format!("write `search` at `{mix}`, whose parts follow the variable")),
        );
    }
    refuse_role(name, &mut keys, role, mistakes);
    let around = around(&mut keys, scope, mistakes);
    let after = keys.take("after").map(|node| scope.fill_node(node, mistakes));
    let after = after.and_then(|node| read::duration(&node, "`after`", mistakes));
    let [set_up, clean_up] = ["set_up", "clean_up"]
        .map(|word| keys.take(word).map(|node| read_around(node, word, known, mistakes)).unwrap_or_default());
    let (load, run) = (keys.need("load", mistakes), keys.need("run", mistakes));
    let mut load = load.map(|node| scope.fill_node(node, mistakes));
    let load_place = load.as_ref().map(|node| node.place);
    let run_place = run.map_or(node.place, |node| node.place);
    let mistakes_before = mistakes.0.len();
    let run = run.map(|node| run::read(node, name, known, mistakes));
    let is_run_right = mistakes.0.len() == mistakes_before;
    keys.finish(mistakes);
    let carries = match &run {
        Some(run) if is_run_right => carries::bound(known.exchanges, run, scope, mistakes),
        _ => Vec::new(),
    };
    if let (Some(load), Some(run), true) = (&mut load, &run, is_run_right) {
        units::in_iterations(load, (run, &carries, known.exchanges), mistakes);
    }
    let load = load.and_then(|node| load_key::read(&node, name, &known.data, mistakes));
    if let Some(Load { model: Model::Arrivals { .. }, .. }) = load {
        ["set_up", "clean_up"].iter().filter_map(|word| node.get(word)).for_each(|node| refuse_users(node, mistakes));
    }
    if let (Role::Part { .. }, Some(load), Some(place)) = (role, &load, load_place) {
        refuse_unknown_hold(name, load, place, mistakes);
        if load.at_most.is_some() {
            let text = format!("`{name}` is a part of a mix, which ends its loads together");
            mistakes.push(Mistake::at(place, "study::conflict", text).label("remove `at_most`"));
        }
    }
    let is_known = load.is_some() && run.is_some() && is_run_right;
    let mut part = LoadPart {
        name: name.to_owned(),
        set,
        load: load.unwrap_or_else(stand_in),
        run: run.unwrap_or_default(),
        carries,
        set_up,
        clean_up,
        after: after.unwrap_or(Nanos::ZERO),
        abort: Vec::new(),
    };
    if is_known {
        held::check(&mut part, (known.works, known.exchanges), run_place, mistakes);
    }
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
        model: Model::Users { count: 1, pacing: None, stages: Vec::new() },
        ramp: None,
        warm_up: None,
        hold: Extent::Time(Nanos::SECOND),
        at_most: None,
        max_in_flight: None,
        streams: None,
        nodes: None,
    }
}

/// `repeat`, of a scenario and of the whole order.
pub(crate) fn repeat(node: Option<&Node>, scope: &Scope, mistakes: &mut Mistakes) -> u32 {
    let filled = node.map(|node| scope.fill_node(node, mistakes));
    let times = filled.and_then(|node| mistakes.keep(node.as_count("`repeat`", 1, REPEAT_MAX)));
    times.unwrap_or(1) as u32
}

/// The number of the exchange that is named.
pub(crate) fn exchange_number(node: &Node, names: &[String], mistakes: &mut Mistakes) -> Option<u16> {
    u16::try_from(read::one_of(node, "exchange", names, mistakes)?).ok()
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
        let number = exchange_number(key, &names, mistakes);
        if number.is_some_and(|number| {
            known.works.get(usize::from(number)).is_some_and(|work| matches!(work, Some(Work::Held | Work::FanOut)))
        }) {
            mistakes.push(
                Mistake::at(key.place, "study::conflict", format!("an exchange of `{what}` holds a connection"))
                    .label("name one that is sent and answered")
                    .hint("connections are opened by the load: `load: { connections: 100 }`"),
            );
            continue;
        }
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
