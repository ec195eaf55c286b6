//! `grid`: a scenario for each combination of variables, in the place of the one that is written; `adapt`: one for each
//! value of a variable, all but the first carried out only while a rule holds of the one before.
//!
//! Done on the tree, before anything of it is read: whatever a scenario may have, each of them may have, with its own
//! values; and names that mean the one that is written mean all of them.

use crate::model::Cell;
use crate::syntax::emit::{list, map, text};
use crate::syntax::search::{self, Tried};
use contract::{Mistake, Mistakes, Node, Place, Shape};
use std::collections::BTreeSet;

/// More scenarios than anybody reads, and a long time.
const POINTS_MAX: usize = 200;
/// As long as a name may be.
const NAME_LENGTH_MAX: usize = 64;

/// What a scenario with a grid has become.
struct Grid {
    written: String,
    points: Vec<String>,
}

/// Puts a scenario for each combination in the place of those with `grid`, the first variable outermost, one for each
/// attempt in that of those with `search`, and theirs in the place of their names in `order`, in requirements and in
/// `compare`. `tried` are the attempts so far, and the next.
pub(crate) fn expand(root: &mut Node, tried: &[Tried], mistakes: &mut Mistakes) {
    let Shape::Map(entries) = &mut root.shape else { return };
    let mut grids = Vec::new();
    for (key, value) in entries.iter_mut() {
        if key.text() == Some("scenarios")
            && let Shape::Map(scenarios) = &mut value.shape
        {
            grids = expand_all(scenarios, tried, mistakes);
        }
    }
    if grids.is_empty() {
        return;
    }
    for (key, value) in entries.iter_mut() {
        match key.text() {
            Some("order") => name_all(value, &grids),
            Some("requirements") => each_of(value, |requirement| {
                each_entry(requirement, |key, value| match key {
                    "scenarios" => name_all(value, &grids),
                    "that" | "severity" => key_all(value, &grids),
                    _ => {}
                });
            }),
            Some("compare") => each_of(value, |comparison| {
                each_entry(comparison, |key, value| {
                    if key == "against" {
                        name_all(value, &grids);
                    }
                });
            }),
            _ => {}
        }
    }
}

fn expand_all(scenarios: &mut Vec<(Node, Node)>, tried: &[Tried], mistakes: &mut Mistakes) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut taken: BTreeSet<String> = scenarios.iter().filter_map(|(key, _)| key.text().map(str::to_owned)).collect();
    let mut all = Vec::new();
    for (key, value) in std::mem::take(scenarios) {
        let of = |word: &str| value.get(word).filter(|node| !node.is_missing()).cloned();
        if let (Some(node), Some(name)) = (of("search"), key.text())
            && let Some(found) = search::points((name, &value), &node, tried, mistakes)
        {
            if let Some(other) = taken.iter().find(|other| search::is_attempt_of(name, other)) {
                mistakes.push(search::taken(key.place, other));
            }
            if name.len() + 4 > NAME_LENGTH_MAX {
                mistakes.push(search::too_long(key.place, name));
            }
            taken.extend(found.iter().map(|(name, _)| name.clone()));
            grids.push(Grid { written: name.to_owned(), points: found.iter().map(|(name, _)| name.clone()).collect() });
            all.extend(found.into_iter().map(|(name, scenario)| (Node::text_at(key.place, name), scenario)));
            continue;
        }
        let (grid, adapt) = (of("grid"), of("adapt"));
        let combinations = match (&grid, &adapt) {
            (Some(node), _) => combinations(node, mistakes),
            (None, Some(_)) => Some(vec![Vec::new()]),
            (None, None) => None,
        };
        let adapted = adapt.as_ref().and_then(|node| adapted(node, mistakes));
        let is_wrong = adapt.is_some() && adapted.is_none();
        let (Some(combinations), Some(name)) = (combinations.filter(|_| !is_wrong), key.text()) else {
            all.push((key, value));
            continue;
        };
        let mut points: Vec<String> = Vec::new();
        for combination in &combinations {
            let Some(Adapted { variable, values, again }) = &adapted else {
                let point = name_of(name, combination, points.len(), &mut taken);
                all.push((Node::text_at(key.place, point.clone()), with(&value, name, combination, None)));
                points.push(point);
                continue;
            };
            let mut before: Option<String> = None;
            for bound in *values {
                let combination: Combination<'_> = combination.iter().copied().chain([(*variable, bound)]).collect();
                let point = name_of(name, &combination, points.len(), &mut taken);
                let only_if = before.as_deref().map(|before| (before, *again));
                all.push((Node::text_at(key.place, point.clone()), with(&value, name, &combination, only_if)));
                points.push(point.clone());
                before = Some(point);
            }
        }
        if points.len() > POINTS_MAX {
            mistakes.push(too_many(grid.as_ref().or(adapt.as_ref()).map_or(key.place, |node| node.place)));
        }
        grids.push(Grid { written: name.to_owned(), points });
    }
    *scenarios = all;
    grids
}

/// A variable with one of its values, for each variable.
type Combination<'a> = Vec<(&'a Node, &'a Node)>;

fn combinations<'a>(grid: &'a Node, mistakes: &mut Mistakes) -> Option<Vec<Combination<'a>>> {
    let refuse = |node: &Node, what: String, mistakes: &mut Mistakes| {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", what)
                .label("write `{ VARIABLE: [VALUE, VALUE] }`, such as `{ rate: [1/s, 5/s], open: [100, 200] }`"),
        );
    };
    let Some(variables) = grid.map() else {
        refuse(grid, format!("`grid` is {}, not a map", grid.what()), mistakes);
        return None;
    };
    let mut found: Vec<Combination<'a>> = vec![Vec::new()];
    for (variable, values) in variables {
        let name = variable.text().unwrap_or_default();
        let members = match values.list() {
            Some(members) if !members.is_empty() && members.iter().all(|member| member.text().is_some()) => members,
            _ => {
                refuse(values, format!("`{name}` in `grid` is not a list of values"), mistakes);
                return None;
            }
        };
        if found.len().saturating_mul(members.len()) > POINTS_MAX {
            mistakes.push(too_many(grid.place));
            return None;
        }
        let with = |before: &Combination<'a>| {
            let before = before.clone();
            members.iter().map(move |value| before.iter().copied().chain([(variable, value)]).collect())
        };
        found = found.iter().flat_map(with).collect();
    }
    if found.len() == 1 && variables.is_empty() {
        refuse(grid, "`grid` has no variables".to_owned(), mistakes);
        return None;
    }
    Some(found)
}

fn too_many(place: Place) -> Mistake {
    Mistake::at(place, "study::too-large", format!("`grid` has more than {POINTS_MAX} combinations"))
        .label("use fewer values, or several scenarios")
}

/// What a scenario tries in turn.
struct Adapted<'a> {
    variable: &'a Node,
    values: &'a [Node],
    /// While it holds of a scenario, the next value is tried.
    again: &'a Node,
}

fn adapted<'a>(node: &'a Node, mistakes: &mut Mistakes) -> Option<Adapted<'a>> {
    let entries = node.map().unwrap_or_default();
    let again = node.get("again").filter(|again| again.text().is_some());
    let variables: Vec<_> = entries.iter().filter(|(key, _)| key.text() != Some("again")).collect();
    let values = match variables.as_slice() {
        [(_, values)] => values.list().filter(|all| all.len() > 1 && all.iter().all(|value| value.text().is_some())),
        _ => None,
    };
    if let ([(variable, _)], Some(values), Some(again)) = (variables.as_slice(), values, again) {
        return Some(Adapted { variable, values, again });
    }
    mistakes.push(
        Mistake::at(node.place, "study::wrong-type", "`adapt` is not one variable with its values, and a rule")
            .label("write `{ size: [500B, 250B], again: share(echo.failed) > 0% }`")
            .hint("the first value is always tried, and each further one while the rule holds of the one before"),
    );
    None
}

/// `websocket_rate_5_s_open_200`; where that is too long for a name, or another's, `websocket_7`.
fn name_of(scenario: &str, combination: &Combination<'_>, number: usize, taken: &mut BTreeSet<String>) -> String {
    let mut name = scenario.to_owned();
    for (variable, value) in combination {
        for part in [variable, value] {
            let text: String = part.text().unwrap_or_default().chars().map(letter).collect();
            name.push('_');
            name.push_str(text.trim_matches('_'));
        }
    }
    let numbered = (number + 1..).map(|number| format!("{scenario}_{number}"));
    let names = std::iter::once(name).filter(|name| name.len() <= NAME_LENGTH_MAX).chain(numbered);
    let free = names.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

fn letter(letter: char) -> char {
    if letter.is_ascii_alphanumeric() { letter } else { '_' }
}

/// The scenario with the variables bound, over those that it sets itself, and with its place in the grid. `only_if` names
/// the one before, and the rule that must hold of it.
fn with(scenario: &Node, grid: &str, combination: &Combination<'_>, only_if: Option<(&str, &Node)>) -> Node {
    let mut entries: Vec<(Node, Node)> = scenario.map().unwrap_or_default().to_vec();
    let place = entries.iter().find(|(key, _)| key.text() == Some("grid")).map_or(scenario.place, |(key, _)| key.place);
    let own = scenario.get("set").and_then(Node::map).unwrap_or_default();
    let is_bound = |key: &Node| combination.iter().any(|(variable, _)| variable.text() == key.text());
    let mut set: Vec<(Node, Node)> = own.iter().filter(|(key, _)| !is_bound(key)).cloned().collect();
    set.extend(combination.iter().map(|(variable, value)| ((*variable).clone(), (*value).clone())));
    entries.retain(|(key, _)| !matches!(key.text(), Some("grid" | "adapt" | "set")));
    let only_if = only_if.map(|(before, again)| {
        let keys = vec![
            (Node::text_at(again.place, "of"), Node::text_at(again.place, before)),
            (Node::text_at(again.place, "holds"), again.clone()),
        ];
        (Node::text_at(again.place, "only_if"), Node { place: again.place, shape: Shape::Map(keys) })
    });
    entries.extend(only_if);
    entries.push((Node::text_at(place, "set"), Node { place, shape: Shape::Map(set) }));
    let by = combination.iter().map(|(variable, _)| (*variable).clone()).collect();
    let cell = vec![
        (Node::text_at(place, "grid"), Node::text_at(place, grid)),
        (Node::text_at(place, "by"), Node { place, shape: Shape::List(by) }),
    ];
    entries.push((Node::text_at(place, "cell"), Node { place, shape: Shape::Map(cell) }));
    Node { place: scenario.place, shape: Shape::Map(entries) }
}

/// A scenario's place in its grid, as the effective study has it.
pub(crate) fn written(cell: &Cell) -> Node {
    let by = list(cell.variables.iter().map(|variable| text(variable.as_str())));
    map([("grid", Some(text(cell.grid.as_str()))), ("by", Some(by))])
}

fn each_of(map: &mut Node, mut change: impl FnMut(&mut Node)) {
    if let Shape::Map(entries) = &mut map.shape {
        entries.iter_mut().for_each(|(_, value)| change(value));
    }
}

fn each_entry(map: &mut Node, mut change: impl FnMut(&str, &mut Node)) {
    if let Shape::Map(entries) = &mut map.shape {
        for (key, value) in entries {
            change(key.text().unwrap_or_default(), value);
        }
    }
}

fn grid_of<'a>(node: &Node, grids: &'a [Grid]) -> Option<&'a Grid> {
    grids.iter().find(|grid| Some(grid.written.as_str()) == node.text())
}

/// In a list of names, or one name, the name of a grid becomes those of all its scenarios.
fn name_all(node: &mut Node, grids: &[Grid]) {
    let all = |member: &Node| match grid_of(member, grids) {
        Some(grid) => grid.points.iter().map(|point| Node::text_at(member.place, point.as_str())).collect(),
        None => vec![member.clone()],
    };
    let members = match &node.shape {
        Shape::List(members) => members.iter().flat_map(all).collect(),
        Shape::Text { .. } if grid_of(node, grids).is_some() => all(node),
        _ => return,
    };
    node.shape = Shape::List(members);
}

/// In a map by names of scenarios, an entry of a grid becomes one for each of its scenarios.
fn key_all(node: &mut Node, grids: &[Grid]) {
    let Shape::Map(entries) = &mut node.shape else { return };
    let all = |(key, value): &(Node, Node)| match grid_of(key, grids) {
        Some(grid) => {
            grid.points.iter().map(|point| (Node::text_at(key.place, point.as_str()), value.clone())).collect()
        }
        None => vec![(key.clone(), value.clone())],
    };
    *entries = entries.iter().flat_map(all).collect();
}
