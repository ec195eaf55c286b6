//! `grid`: a scenario for each combination of variables, in the place of the one that is written.
//!
//! Done on the tree, before anything of it is read: whatever a scenario may have, each of them may have, with its own
//! values; and names that mean the one that is written mean all of them.

use contract::{Mistake, Mistakes, Node, Shape};
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

/// Puts a scenario for each combination in the place of those with `grid`, the first variable outermost, and theirs in the
/// place of their names in `order`, in requirements and in `compare`.
pub(crate) fn expand(root: &mut Node, mistakes: &mut Mistakes) {
    let Shape::Map(entries) = &mut root.shape else { return };
    let mut grids = Vec::new();
    for (key, value) in entries.iter_mut() {
        if key.text() == Some("scenarios")
            && let Shape::Map(scenarios) = &mut value.shape
        {
            grids = expand_all(scenarios, mistakes);
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

fn expand_all(scenarios: &mut Vec<(Node, Node)>, mistakes: &mut Mistakes) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut taken: BTreeSet<String> = scenarios.iter().filter_map(|(key, _)| key.text().map(str::to_owned)).collect();
    let mut all = Vec::new();
    for (key, value) in std::mem::take(scenarios) {
        let grid = value.get("grid").filter(|node| !node.is_missing()).cloned();
        let combinations = grid.as_ref().and_then(|node| combinations(node, mistakes));
        let (Some(combinations), Some(name)) = (combinations, key.text()) else {
            all.push((key, value));
            continue;
        };
        let mut points = Vec::new();
        for (number, combination) in combinations.iter().enumerate() {
            let point = name_of(name, combination, number, &mut taken);
            all.push((Node::text_at(key.place, point.clone()), with(&value, combination)));
            points.push(point);
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
            mistakes.push(
                Mistake::at(grid.place, "study::too-large", format!("`grid` has more than {POINTS_MAX} combinations"))
                    .label("use fewer values, or several scenarios"),
            );
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

/// The scenario with the variables bound, over those that it sets itself.
fn with(scenario: &Node, combination: &Combination<'_>) -> Node {
    let mut entries: Vec<(Node, Node)> = scenario.map().unwrap_or_default().to_vec();
    let place = entries.iter().find(|(key, _)| key.text() == Some("grid")).map_or(scenario.place, |(key, _)| key.place);
    let own = scenario.get("set").and_then(Node::map).unwrap_or_default();
    let is_bound = |key: &Node| combination.iter().any(|(variable, _)| variable.text() == key.text());
    let mut set: Vec<(Node, Node)> = own.iter().filter(|(key, _)| !is_bound(key)).cloned().collect();
    set.extend(combination.iter().map(|(variable, value)| ((*variable).clone(), (*value).clone())));
    entries.retain(|(key, _)| !matches!(key.text(), Some("grid" | "set")));
    entries.push((Node::text_at(place, "set"), Node { place, shape: Shape::Map(set) }));
    Node { place: scenario.place, shape: Shape::Map(entries) }
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
