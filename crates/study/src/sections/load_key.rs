//! `load`: how much, and for how long.

use crate::model::{DataSet, Extent, Load, Model, Profile, Ramp, RowOrder, Spacing, Streams, UserStage};
use crate::sections::held;
use crate::sections::load_nodes::{self, NODES_MAX};
use crate::sections::rates::{Many, PIECE, pieces, some_rate};
use crate::syntax::arithmetic::exact;
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use crate::tables;
use contract::{Mistake, Mistakes, Node};
use std::path::Path;
use terms::{Nanos, Quantity, Unit};

pub(super) const USERS_MAX: u64 = 1_000_000;
const IN_FLIGHT_MAX: u64 = 1_000_000;
const COUNT_MAX: u64 = 1_000_000_000_000;
/// Nobody would read a report that listed more.
const STREAMS_MAX: u64 = 256;
const LEVELS_MAX: f64 = 1000.0;
/// Pieces of a rate over time, and stages of users.
pub(super) const PIECES_MAX: usize = 10_000;

/// Keys of `load`.
pub(crate) static LOAD: [Key; 16] = [
    key(
        "arrivals",
        Form::Any(&[Form::Rate, Form::List(&Form::Table(&PIECE))]),
        "open: iterations that start a second, however slow the answers; or a profile of pieces",
    ),
    key(
        "users",
        Form::Any(&[Form::Count(1, USERS_MAX), Form::CountPerNode, Form::List(&Form::Table(&STAGE))]),
        "closed: virtual users, each waiting for its answer; or a list of stages in which their number changes",
    ),
    key("connections", Form::Count(1, USERS_MAX), "held: connections open at once"),
    key("subscribers", Form::Count(1, USERS_MAX), "fan-out: subscribers, to all of whom each published event goes"),
    key("each", Form::Rate, "messages that each held connection sends, evenly and out of step with the others"),
    key("publish", Form::Rate, "events a second that are published to all subscribers"),
    key("spacing", Form::Words(&["even", "poisson"]), "how starts are spaced; even"),
    key("streams", Form::Table(&STREAMS), "identities that take turns, each with its row of a data set"),
    key("nodes", Form::Count(1, NODES_MAX), "load nodes that carry it; all of the study's"),
    key("pacing", Form::Duration, "minimum time between starts of a user's iterations"),
    key(
        "max_in_flight",
        Form::Count(1, IN_FLIGHT_MAX),
        "bound on connections; an arrival beyond it waits, its clock running",
    ),
    key("ramp", Form::Table(&RAMP), "rise to full load"),
    key("warm_up", Form::Scalar, "full load, not judged: a duration, or a number of iterations or of what they carry"),
    key("hold", Form::Duration, "full load, judged"),
    key(
        "count",
        Form::Any(&[Form::Count(1, COUNT_MAX), Form::CountOf]),
        "iterations, or units that they carry (`12000 events`), judged, instead of `hold`",
    ),
    key(
        "at_most",
        Form::Duration,
        "with `users` and `count`: the load ends after this long, too, whatever is left of its count",
    ),
];

pub(crate) static STREAMS: [Key; 2] = [
    required("of", Form::Text, "the data set; a stream is labelled by its first column"),
    key("first", Form::Count(1, STREAMS_MAX), "how many of its rows; all"),
];

pub(crate) static RAMP: [Key; 2] = [
    required("over", Form::Duration, "how long"),
    key("by", Form::Scalar, "levels `by`, 2 × `by` … below full load, equally long; without it the ramp is smooth"),
];

pub(crate) static STAGE: [Key; 4] = [
    key("users", Form::Count(0, USERS_MAX), "a constant number: a hold"),
    key("for", Form::Duration, "how long it holds"),
    key("to", Form::Count(0, USERS_MAX), "a rise or fall to this number"),
    key("over", Form::Duration, "how long that takes"),
];

/// Reads `load`, variables filled in already.
pub(crate) fn read(node: &Node, scenario: &str, data: &Sets<'_>, mistakes: &mut Mistakes) -> Option<Load> {
    let before = mistakes.0.len();
    let mut keys = Reader::of(node, &LOAD, format!("`load` of scenario `{scenario}`"), mistakes);
    let nodes = keys.take("nodes").and_then(|node| load_nodes::of_load(node, data.nodes, mistakes));
    let streams = keys.take("streams").and_then(|node| streams(node, data, mistakes));
    let (arrivals, users) = (keys.take("arrivals"), keys.take("users"));
    let (connections, subscribers) = (keys.take("connections"), keys.take("subscribers"));
    let named = [("arrivals", arrivals), ("users", users), ("connections", connections), ("subscribers", subscribers)];
    let mut named: Vec<(&str, &Node)> = named.into_iter().filter_map(|(word, node)| Some((word, node?))).collect();
    // With a slip in one of them, which is a mistake of its own, the other one holds.
    if named.iter().any(|(word, _)| !keys.is_misspelt(word)) {
        named.retain(|(word, _)| !keys.is_misspelt(word));
    }
    let resembles_one = || ["arrivals", "users", "connections", "subscribers"].iter().any(|word| keys.resembles(word));
    match named.as_slice() {
        [(first, _), (second, place), ..] => mistakes.push(
            Mistake::at(
                place.place,
                "study::conflict",
                format!("`load` of scenario `{scenario}` has both `{first}` and `{second}`"),
            )
            .label("keep one of the two")
            .hint(format!("{}; {}", nature(first), nature(second))),
        ),
        [] if mistakes.0.len() == before && !resembles_one() => mistakes.push(
            Mistake::at(
                keys.place(),
                "study::missing-key",
                format!("`load` of scenario `{scenario}` does not say how much"),
            )
            .hint(
                "add `arrivals: 200/s` (open: starts follow the clock), `users: 50` (closed: users wait for answers), \
                 `connections: 50` (held: connections stay open) or `subscribers: 50` (fan-out: each event goes to all)",
            ),
        ),
        _ => {}
    }
    let is_open = arrivals.is_some();
    let model = match named.first() {
        Some(("arrivals", node)) => {
            let many = Many { streams, nodes: nodes.unwrap_or(data.nodes) };
            open(node, &mut keys, many, mistakes)
        }
        Some(("users", node)) => closed(node, nodes.unwrap_or(data.nodes), &mut keys, mistakes),
        Some(("connections", node)) => held::connections(node, &mut keys, mistakes),
        Some((_, node)) => held::subscribers(node, &mut keys, mistakes),
        None => None,
    };
    refuse_other_model(&mut keys, named.first().map(|(word, _)| *word), mistakes);
    let pieces = model.as_ref().map(Model::pieces).filter(|pieces| !pieces.is_empty());
    let is_profile = arrivals.or(users).is_some_and(|node| node.list().is_some());
    if connections.or(subscribers).is_some() {
        held::refuse_counts(&mut keys, mistakes);
    }
    let full = full_load(model.as_ref());
    let ramp = keys.take("ramp").and_then(|node| ramp(node, is_open, full.as_ref(), mistakes));
    let warm_up = keys.take("warm_up").and_then(|node| extent(node, "`warm_up`", mistakes));
    let max_in_flight =
        keys.take("max_in_flight").and_then(|node| mistakes.keep(node.as_count("`max_in_flight`", 1, IN_FLIGHT_MAX)));
    let hold = if is_profile {
        refuse_beside_profile(&mut keys, is_open, mistakes);
        pieces.map(|pieces| Extent::Time(pieces.iter().fold(Nanos::ZERO, |sum, (_, length)| sum + *length)))
    } else {
        hold(&mut keys, scenario, mistakes)
    };
    let warm = match warm_up {
        Some(Extent::Time(span)) => span,
        _ => Nanos::ZERO,
    };
    let to_hold = ramp.as_ref().map_or(Nanos::ZERO, |ramp| ramp.over) + warm;
    let at_most = keys.take("at_most").and_then(|node| at_most(node, (model.as_ref(), hold), to_hold, mistakes));
    keys.finish(mistakes);
    if mistakes.0.len() > before {
        return None;
    }
    Some(Load {
        model: model?,
        ramp,
        warm_up,
        hold: hold?,
        at_most,
        max_in_flight: max_in_flight.map(|max| max as u32),
        streams,
        nodes,
    })
}

/// What each kind of load is about, in a few words.
fn nature(word: &str) -> &'static str {
    match word {
        "arrivals" => "`arrivals` start however slow the answers are",
        "users" => "`users` wait for their answers",
        "connections" => "`connections` stay open",
        _ => "`subscribers` get each published event",
    }
}

/// What a load refers to: data sets, whose rows streams are, and load nodes.
pub(crate) struct Sets<'a> {
    pub(crate) sets: &'a [DataSet],
    /// The study's folder.
    pub(crate) base: &'a Path,
    /// Its load nodes.
    pub(crate) nodes: u16,
}

fn streams(node: &Node, data: &Sets<'_>, mistakes: &mut Mistakes) -> Option<Streams> {
    let mut keys = Reader::of(node, &STREAMS, "`streams`", mistakes);
    let of = keys.need("of", mistakes);
    let first = keys.take("first").map(|node| mistakes.keep(node.as_count("`first`", 1, STREAMS_MAX)));
    keys.finish(mistakes);
    let names: Vec<String> = data.sets.iter().map(|set| set.name.clone()).collect();
    let number = read::one_of(of?, "data set", &names, mistakes)?;
    let set = &data.sets[number];
    if set.order != RowOrder::InTurn {
        mistakes.push(
            Mistake::at(of?.place, "study::conflict", format!("the rows of `{}` are picked at random", set.name))
                .label(format!("a stream keeps its row: remove `pick: {}`", set.order.word())),
        );
    }
    let count = match first {
        Some(first) => first?,
        None => tables::rows(set, data.base, mistakes)? as u64,
    };
    if count > STREAMS_MAX {
        mistakes.push(
            Mistake::at(node.place, "study::too-large", format!("`{}` has {count} rows", set.name))
                .label(format!("add `first: {STREAMS_MAX}` or less")),
        );
    }
    Some(Streams { data: number as u16, count: count.clamp(1, STREAMS_MAX) as u16 })
}

fn full_load(model: Option<&Model>) -> Option<Quantity> {
    match model? {
        Model::Arrivals { profile: Profile::Constant(rate), .. } => {
            Some(Quantity { value: *rate, unit: Unit::PerSecond })
        }
        Model::Users { count, stages, .. } if stages.is_empty() => Some(Quantity::count(f64::from(*count))),
        Model::Connections { count, .. } | Model::Subscribers { count, .. } => Some(Quantity::count(f64::from(*count))),
        Model::Arrivals { .. } | Model::Users { .. } => None,
    }
}

fn open(node: &Node, keys: &mut Reader<'_>, many: Many, mistakes: &mut Mistakes) -> Option<Model> {
    let spacing = match keys.take("spacing").and_then(|n| read::word(n, "`spacing`", &["even", "poisson"], mistakes)) {
        Some("poisson") => Spacing::Poisson,
        _ => Spacing::Even,
    };
    let profile = match node.list() {
        Some(members) => Profile::Pieces(pieces(node, members, many, mistakes)?),
        None => Profile::Constant(some_rate(node, many, mistakes)?),
    };
    Some(Model::Arrivals { profile, spacing })
}

fn closed(node: &Node, nodes: u16, keys: &mut Reader<'_>, mistakes: &mut Mistakes) -> Option<Model> {
    let pacing = keys.take("pacing").and_then(|node| read::some_duration(node, "`pacing`", mistakes));
    if let Some(members) = node.list() {
        let stages = stages(node, members, mistakes)?;
        let count = stages.iter().map(|stage| stage.from.max(stage.to)).max()?;
        return Some(Model::Users { count, pacing, stages });
    }
    let count = match load_nodes::each(node, mistakes)? {
        Some(each) => load_nodes::all(node, each, nodes, mistakes)?,
        None => users(node, 1, mistakes)?,
    };
    Some(Model::Users { count, pacing, stages: Vec::new() })
}

/// A number of virtual users.
fn users(node: &Node, least: u64, mistakes: &mut Mistakes) -> Option<u32> {
    let text = mistakes.keep(node.as_text("`users`"))?;
    if matches!(Quantity::parse(text), Ok(Quantity { unit: Unit::PerSecond, .. })) {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-unit", format!("the number of users `{text}` is a rate"))
                .label("write a number such as `50`")
                .hint(format!(
                    "for iterations that start by the clock, however slow the answers, write `arrivals: {text}`"
                )),
        );
        return None;
    }
    mistakes.keep(node.as_count("the number of users", least, USERS_MAX)).map(|count| count as u32)
}

fn stages(node: &Node, members: &[Node], mistakes: &mut Mistakes) -> Option<Vec<UserStage>> {
    let before = mistakes.0.len();
    let mut stages: Vec<UserStage> = Vec::new();
    for member in members.iter().take(PIECES_MAX) {
        let from = stages.last().map_or(0, |stage| stage.to);
        stages.extend(stage(member, from, mistakes));
    }
    if members.len() > PIECES_MAX {
        let text = format!("`users` has at most {PIECES_MAX} stages");
        mistakes.push(Mistake::at(node.place, "study::too-large", text));
    }
    if mistakes.0.len() == before && stages.iter().all(|stage| stage.from == 0 && stage.to == 0) {
        mistakes.push(
            Mistake::at(node.place, "study::out-of-range", "these stages have no users")
                .label("write at least one stage with a number above zero"),
        );
    }
    (mistakes.0.len() == before).then_some(stages)
}

fn stage(node: &Node, from: u32, mistakes: &mut Mistakes) -> Option<UserStage> {
    let mut keys = Reader::of(node, &STAGE, "a stage of `users`", mistakes);
    let (constant, length) = (keys.take("users"), keys.take("for"));
    let (to, over) = (keys.take("to"), keys.take("over"));
    let is_told = ["users", "for", "to", "over"].iter().any(|word| keys.resembles(word));
    keys.finish(mistakes);
    match (constant, length, to, over) {
        (Some(at), Some(length), None, None) => {
            let (users, length) = (users(at, 0, mistakes), read::some_duration(length, "`for`", mistakes));
            Some(UserStage { from: users?, to: users?, length: length? })
        }
        (None, None, Some(to), Some(over)) => {
            let (to, length) = (users(to, 0, mistakes), read::some_duration(over, "`over`", mistakes));
            Some(UserStage { from, to: to?, length: length? })
        }
        _ if is_told => None,
        _ => {
            mistakes.push(
                Mistake::at(node.place, "study::missing-key", "a stage of `users` is not complete")
                    .label("write `{ users: 50, for: 5m }` or `{ to: 50, over: 30s }`"),
            );
            None
        }
    }
}

/// Keys of the other model say that something else was meant.
fn refuse_other_model(keys: &mut Reader<'_>, model: Option<&str>, mistakes: &mut Mistakes) {
    let of_models = [("pacing", "users"), ("spacing", "arrivals"), ("each", "connections"), ("publish", "subscribers")];
    for (word, of) in of_models {
        let Some((node, model)) = keys.take(word).zip(model) else { continue };
        if model != of {
            mistakes.push(
                Mistake::at(node.place, "study::conflict", format!("`{word}` belongs to `{of}`")).label("remove it"),
            );
        }
    }
    // Held connections are as many as there are, and each is an identity of its own.
    for word in ["max_in_flight", "streams"] {
        let Some(model) = model.filter(|model| ["connections", "subscribers"].contains(model)) else { continue };
        let Some(node) = keys.take(word) else { continue };
        let text = format!("`{word}` cannot be combined with `{model}`");
        mistakes.push(Mistake::at(node.place, "study::conflict", text).label("remove it"));
    }
}

fn refuse_beside_profile(keys: &mut Reader<'_>, is_open: bool, mistakes: &mut Mistakes) {
    let (model, hint) = if is_open {
        (
            "arrivals",
            "the pieces say everything: `{ to: 200/s, over: 30s }` is a ramp, `{ rate: 200/s, for: 5m }` a hold",
        )
    } else {
        ("users", "the stages say everything: `{ to: 50, over: 30s }` is a ramp, `{ users: 50, for: 5m }` a hold")
    };
    for word in ["ramp", "warm_up", "hold", "count"] {
        if let Some(node) = keys.take(word) {
            mistakes.push(
                Mistake::at(
                    node.place,
                    "study::conflict",
                    format!("`{word}` cannot be combined with a list of `{model}`"),
                )
                .label("remove it")
                .hint(hint),
            );
        }
    }
}

fn ramp(node: &Node, is_open: bool, full: Option<&Quantity>, mistakes: &mut Mistakes) -> Option<Ramp> {
    let mut keys = Reader::of(node, &RAMP, "`ramp`", mistakes);
    let over = keys.need("over", mistakes).and_then(|node| read::some_duration(node, "`over`", mistakes));
    let by = keys.take("by");
    keys.finish(mistakes);
    let by = match by {
        None => None,
        Some(node) => Some(level(node, is_open, full, mistakes)?),
    };
    Some(Ramp { over: over?, by })
}

/// The height of one level, with at least one level below full load.
fn level(node: &Node, is_open: bool, full: Option<&Quantity>, mistakes: &mut Mistakes) -> Option<f64> {
    let (unit, example) = if is_open { (Unit::PerSecond, "50/s") } else { (Unit::Count, "10") };
    let by = mistakes.keep(node.as_quantity("`by`", &unit, example))?;
    let Some(full) = full else { return Some(by.value) };
    let levels = full.value / by.value;
    if by.value > 0.0 && by.value < full.value && levels <= LEVELS_MAX {
        return Some(by.value);
    }
    mistakes.push(
        Mistake::at(
            node.place,
            "study::out-of-range",
            format!("levels of `{}` do not lead to `{}`", exact(&by), exact(full)),
        )
        .label("write a step above zero and below full load, for at most 1000 levels"),
    );
    None
}

/// `hold` or `count`: exactly one.
fn hold(keys: &mut Reader<'_>, scenario: &str, mistakes: &mut Mistakes) -> Option<Extent> {
    match (keys.take("hold"), keys.take("count")) {
        (Some(hold), None) => read::some_duration(hold, "`hold`", mistakes).map(Extent::Time),
        (None, Some(count)) => match extent(count, "`count`", mistakes)? {
            Extent::Time(_) => {
                mistakes.push(
                    Mistake::at(count.place, "study::wrong-unit", "`count` is a number of iterations")
                        .label("write a number, or `hold` for a duration"),
                );
                None
            }
            count => Some(count),
        },
        (Some(_), Some(count)) => {
            mistakes.push(
                Mistake::at(
                    count.place,
                    "study::conflict",
                    format!("`load` of scenario `{scenario}` has both `hold` and `count`"),
                )
                .label("keep one of the two"),
            );
            None
        }
        (None, None) if ["hold", "count"].iter().any(|word| keys.resembles(word)) => None,
        (None, None) => {
            mistakes.push(
                Mistake::at(
                    keys.place(),
                    "study::missing-key",
                    format!("`load` of scenario `{scenario}` does not say how long"),
                )
                .hint("add `hold: 5m` (a time) or `count: 1000` (iterations)"),
            );
            None
        }
    }
}

/// The bound of a load whose length nobody knows, from its beginning, `before` its hold; one that has a rate, or an end of
/// its own, has no use for it.
fn at_most(
    node: &Node,
    load: (Option<&Model>, Option<Extent>),
    before: Nanos,
    mistakes: &mut Mistakes,
) -> Option<Nanos> {
    let longest = read::some_duration(node, "`at_most`", mistakes);
    let (Some(model), Some(hold)) = load else { return longest };
    if !matches!((model, hold), (Model::Users { .. }, Extent::Count(_))) {
        mistakes.push(
            Mistake::at(node.place, "study::conflict", "`at_most` bounds a load of `users` that ends by a `count`")
                .label("remove it: this load ends by a time"),
        );
        return None;
    }
    if longest.is_some_and(|longest| longest <= before) {
        let text = format!("`at_most` ends this load before its hold, which begins after {before}");
        mistakes.push(Mistake::at(node.place, "study::out-of-range", text).label("write a longer time"));
        return None;
    }
    longest
}

/// A duration or a number of iterations.
fn extent(node: &Node, what: &str, mistakes: &mut Mistakes) -> Option<Extent> {
    let text = mistakes.keep(node.as_text(what))?;
    match Quantity::parse(text) {
        Ok(Quantity { unit: Unit::Time, .. }) => read::some_duration(node, what, mistakes).map(Extent::Time),
        Ok(Quantity { unit: Unit::Count, .. }) => mistakes.keep(node.as_count(what, 1, COUNT_MAX)).map(Extent::Count),
        _ => {
            mistakes.push(
                Mistake::at(
                    node.place,
                    "study::no-quantity",
                    format!("{what} `{text}` is neither a duration nor a number"),
                )
                .label("write `30s`, or a number of iterations such as `1000`, or of what they carry: `12000 events`"),
            );
            None
        }
    }
}
