//! The keys at the top of a study, and the small maps among them.

use crate::model::{Study, Trial, Variable};
use crate::sections::load_nodes::NODES_MAX;
use crate::sections::{
    capacity, compare, data, exchange, listeners, report, requirements, scenario, scripts, secrets, system, traces,
    validity,
};
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::{not_yet, read};
use contract::{Mistake, Mistakes, Node, Place, suggestion};
use terms::Nanos;

/// Cores of one load node.
const CORES_MAX: u64 = 4096;

/// Keys of the study.
pub(crate) static TOP: [Key; 26] = [
    required("study", Form::Localized, "title"),
    key("about", Form::Localized, "purpose"),
    key("seed", Form::Count(0, u64::MAX), "seed of every random choice; 1"),
    key("include", Form::Some(&Form::Text), "files merged before this one, in order; maps merge by name"),
    key("vars", Form::Named(&Form::Scalar), "variables: `$(name)`"),
    key("secrets", Form::MapOf(&Form::Table(&secrets::SECRET)), "where secrets are stored, besides the environment"),
    key(
        "assume",
        Form::Named(&Form::Any(&[Form::Scalar, Form::Table(&ASSUMPTION)])),
        "variables that the report prints as assumptions about the load",
    ),
    key("scale", Form::NotYet, "declared factors"),
    key("nodes", Form::Table(&NODES), "load nodes"),
    key(
        "scripts",
        Form::Named(&Form::Any(&[Form::Text, Form::Table(&scripts::SCRIPT)])),
        "functions of the author's own, in Rhai: `$(name.function(x))`, `check: script(name.function, body)`",
    ),
    key(
        "namespaces",
        Form::MapOf(&Form::Text),
        "prefixes of XML namespaces for `xpath(…)`: `{ soap: \"http://schemas.xmlsoap.org/soap/envelope/\" }`",
    ),
    key("data", Form::Named(&Form::Table(&data::DATA_SET)), "data sets: `$(name.column)`"),
    required("system", Form::Table(&system::SYSTEM), "what is tested"),
    key(
        "listeners",
        Form::Named(&Form::Any(&[Form::Words(&["http"]), Form::Table(&listeners::LISTENER)])),
        "addresses of the lab at which later legs arrive: `$(listeners.NAME.url)`",
    ),
    key("watch", Form::Monitors, "monitors by name"),
    required("exchanges", Form::Named(&Form::Exchange(&exchange::COMMON)), "exchanges by name"),
    required("scenarios", Form::Named(&Form::Table(&scenario::SCENARIO)), "scenarios by name"),
    key("order", Form::List(&Form::Text), "scenarios to run, in order; as written"),
    key("repeat", Form::Count(1, scenario::REPEAT_MAX), "passes through the whole order; 1"),
    key(
        "requirements",
        Form::Named(&Form::Any(&[Form::Rule, Form::Table(&requirements::REQUIREMENT)])),
        "rules by name",
    ),
    key("compare", Form::Named(&Form::Table(&compare::COMPARE)), "comparisons by name"),
    key("capacity", Form::Table(&capacity::CAPACITY), "capacity, volumes, ratios"),
    key("validity", Form::Table(&validity::VALIDITY), "limits of validity checks, with the reason for each"),
    key(
        "traces",
        Form::Any(&[Form::Words(&traces::SENT), Form::Table(&traces::TRACES)]),
        "requests carry a header by which the system traces them; the report lists the slowest with their traces",
    ),
    key("report", Form::Table(&report::REPORT), "title page and what to print"),
    key("trial", Form::Table(&TRIAL), "written by loadproof into the study it archives, when `--for` shortened it"),
];

static ASSUMPTION: [Key; 3] = [
    required("value", Form::Scalar, "its value"),
    key("about", Form::Localized, "what it says about the load"),
    key("used", Form::Bool, "written by loadproof into the study it archives"),
];

static NODES: [Key; 4] = [
    key("count", Form::Count(1, NODES_MAX), "load nodes: processes that send; 1, which is this one"),
    key("cores", Form::Count(1, CORES_MAX), "cores of each; the run decides"),
    key("addresses", Form::NotYet, "source addresses"),
    key(
        "at",
        Form::Words(&["local"]),
        "`local`: on the machine that conducts the run, also where others are met over `--nats`",
    ),
];

static TRIAL: [Key; 3] = [
    required("asked", Form::Duration, "length asked for"),
    required("factor", Form::Scalar, "factor on phases, waits and counts"),
    key("left_out", Form::List(&Form::Text), "what was left out"),
];

/// Reads `vars` and `assume`, with the values of `--set` in place of those written.
pub(crate) fn variables(
    vars: Option<&Node>,
    assume: Option<&Node>,
    set: &[(String, String)],
    mistakes: &mut Mistakes,
) -> Vec<Variable> {
    let mut variables: Vec<Variable> = Vec::new();
    for (key, value) in vars.and_then(Node::map).unwrap_or_default() {
        let Some(name) = read::name(key, "a variable", mistakes) else { continue };
        let written = scalar(value, &format!("variable `{name}`"), mistakes).unwrap_or_default();
        variables.push(variable(name, written, key.place, false));
    }
    for (key, value) in assume.and_then(Node::map).unwrap_or_default() {
        let Some(name) = read::name(key, "an assumption", mistakes) else { continue };
        if variables.iter().any(|other| other.name == name) {
            mistakes.push(
                Mistake::at(key.place, "study::duplicate-name", format!("`{name}` is already a variable"))
                    .label("keep one of the two"),
            );
            continue;
        }
        variables.push(assumption(name, key.place, value, mistakes));
    }
    for (word, node) in [("vars", vars), ("assume", assume)] {
        if let Some(node) = node.filter(|node| node.map().is_none()) {
            mistakes.push(
                Mistake::at(node.place, "study::wrong-type", format!("`{word}` is {}, not a map", node.what()))
                    .label("write `{ name: value }`"),
            );
        }
    }
    for (name, value) in set {
        match variables.iter_mut().find(|variable| variable.name == *name) {
            Some(variable) => variable.written = value.clone(),
            None => mistakes.push(unknown_set(name, &variables)),
        }
    }
    variables
}

fn variable(name: String, written: String, place: Place, is_assumption: bool) -> Variable {
    Variable { name, value: String::new(), written, place, about: None, is_assumption, is_used: false }
}

fn assumption(name: String, place: Place, node: &Node, mistakes: &mut Mistakes) -> Variable {
    if node.map().is_none() {
        let written = scalar(node, &format!("assumption `{name}`"), mistakes).unwrap_or_default();
        return variable(name, written, place, true);
    }
    let mut keys = Reader::of(node, &ASSUMPTION, format!("assumption `{name}`"), mistakes);
    let value = keys.need("value", mistakes).and_then(|node| scalar(node, "`value`", mistakes)).unwrap_or_default();
    let about = keys.take("about").and_then(|node| read::localized(node, "`about`", mistakes));
    let used = keys.take("used").and_then(|node| mistakes.keep(node.as_bool("`used`"))).unwrap_or(false);
    keys.finish(mistakes);
    Variable { about, is_used: used, ..variable(name, value, place, true) }
}

fn scalar(node: &Node, what: &str, mistakes: &mut Mistakes) -> Option<String> {
    mistakes.keep(node.as_text(what)).map(str::to_owned)
}

fn unknown_set(name: &str, variables: &[Variable]) -> Mistake {
    let known: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
    let mistake = Mistake::nowhere("study::unknown-name", format!("`--set {name}=…` names no variable of the study"));
    let mistake = match suggestion(name, known.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    mistake.hint(if known.is_empty() {
        "the study has no variables; declare one under `vars`".to_owned()
    } else {
        format!("variables are: {}", known.join(", "))
    })
}

/// Who drives the load.
pub(crate) struct Shares {
    /// Load nodes.
    pub(crate) nodes: u16,
    /// Cores of each, where the study says.
    pub(crate) cores: Option<u32>,
    /// Whether the study says that they are on the machine that conducts the run.
    pub(crate) are_here: bool,
}

/// Reads `nodes`.
pub(crate) fn nodes(node: Option<&Node>, mistakes: &mut Mistakes) -> Shares {
    let Some(node) = node else { return Shares { nodes: 1, cores: None, are_here: false } };
    let mut keys = Reader::of(node, &NODES, "`nodes`", mistakes);
    let count = keys.take("count").and_then(|node| mistakes.keep(node.as_count("`count`", 1, NODES_MAX)));
    if let Some(node) = keys.take("addresses") {
        not_yet::refuse("nodes.addresses", node.place, mistakes);
    }
    let are_here = keys.take("at").filter(|node| !node.is_missing()).is_some_and(|node| are_here(node, mistakes));
    let cores = keys.take("cores").and_then(|node| mistakes.keep(node.as_count("`cores`", 1, CORES_MAX)));
    keys.finish(mistakes);
    Shares { nodes: count.unwrap_or(1) as u16, cores: cores.map(|cores| cores as u32), are_here }
}

/// Whether `at` says that they are on the machine that conducts the run. Other machines are not a matter of the study: nodes
/// are started there, and the run meets them.
fn are_here(node: &Node, mistakes: &mut Mistakes) -> bool {
    const MEET: &str =
        "load nodes on other machines are met by `loadproof run STUDY --nats URL` (chapter 14 of the guide)";
    let Some(text) = mistakes.keep(node.as_text("`at`")) else { return false };
    let mistake = match text {
        "local" => return true,
        "ssh" => not_yet::mistake("nodes.at: ssh", node.place).map(|mistake| mistake.hint(MEET)),
        "kubernetes" => not_yet::mistake("nodes.at: kubernetes", node.place).map(|mistake| mistake.hint(MEET)),
        other => {
            let text = format!("`at` cannot be `{other}`");
            Some(Mistake::at(node.place, "study::unknown-word", text).label("write `local`, or remove `at`").hint(
                format!(
                    "`local` keeps the load on the machine that conducts the run; without `at`, {MEET}, where \
                         `loadproof node --nats URL` was started on each"
                ),
            ))
        }
    };
    mistakes.0.extend(mistake);
    false
}

/// What arrives at a listener is for the load threads of the process that has it.
pub(crate) fn one_node_listens(study: &Study, node: Option<&Node>, mistakes: &mut Mistakes) {
    let Some(listener) = study.listeners.first().filter(|_| study.nodes > 1) else { return };
    let text = format!("the study has {} load nodes and the listener `{}`", study.nodes, listener.name);
    mistakes.push(
        Mistake::at(node.map_or(Place::default(), |node| node.place), "study::conflict", text)
            .label("remove `count`")
            .hint(
                "what arrives at a listener is for the load threads of one process; give it more of them with `cores`",
            ),
    );
}

/// Reads `trial`, as an archived study has it.
pub(crate) fn trial(node: Option<&Node>, mistakes: &mut Mistakes) -> Option<Trial> {
    let mut keys = Reader::of(node?, &TRIAL, "`trial`", mistakes);
    let asked: Option<Nanos> = keys.need("asked", mistakes).and_then(|node| read::duration(node, "`asked`", mistakes));
    let factor = keys.need("factor", mistakes).and_then(|node| {
        let text = mistakes.keep(node.as_text("`factor`"))?;
        let factor = text.parse::<f64>().ok().filter(|factor| (0.0..=1.0).contains(factor));
        if factor.is_none() {
            mistakes.push(
                Mistake::at(node.place, "study::out-of-range", format!("the factor `{text}` is outside 0 to 1"))
                    .label("this is written by loadproof"),
            );
        }
        factor
    });
    let left_out = keys.take("left_out").map(read::members).unwrap_or_default();
    let left_out = left_out.into_iter().filter_map(|node| scalar(node, "`left_out`", mistakes)).collect();
    keys.finish(mistakes);
    Some(Trial { asked: asked?, factor: factor?, left_out })
}
