//! Load nodes in `load`: how many carry it, and numbers that are given `per node`.

use crate::sections::load_key::USERS_MAX;
use contract::{Mistake, Mistakes, Node, suggestion};

/// As many as the bench has tried at one run (`cargo xtask bench nodes`).
pub(crate) const NODES_MAX: u64 = 1000;

/// How many load nodes carry a load, of those that the study has.
pub(super) fn of_load(node: &Node, most: u16, mistakes: &mut Mistakes) -> Option<u16> {
    let count = mistakes.keep(node.as_count("`nodes`", 1, NODES_MAX))? as u16;
    if count > most {
        let text = format!("`load` needs {count} load nodes, but the study has {most}");
        mistakes.push(
            Mistake::at(node.place, "study::out-of-range", text)
                .label(format!("write at most {most}, or give the study `nodes: {{ count: {count} }}`")),
        );
        return None;
    }
    Some(count)
}

/// A number of virtual users of each load node, `5 per node`; none within where the text says nothing of nodes.
pub(super) fn each(node: &Node, mistakes: &mut Mistakes) -> Option<Option<u64>> {
    let text = mistakes.keep(node.as_text("`users`"))?;
    let Some(each) = text.trim_end().strip_suffix("per node") else {
        let Some(meant) = meant(text, &["node"]) else { return Some(None) };
        let text = format!("`{text}` is not a number of users");
        mistakes.push(Mistake::at(node.place, "study::no-count", text).label(format!("did you mean `{meant}`?")));
        return None;
    };
    let each = each.trim();
    match each.parse() {
        Ok(each @ 1..=USERS_MAX) => Some(Some(each)),
        _ => {
            let text = format!("`{each}` is not a number of users from 1 to {USERS_MAX}");
            mistakes.push(Mistake::at(node.place, "study::out-of-range", text).label("write for example `5 per node`"));
            None
        }
    }
}

/// What was meant by a number that ends almost as one of each of `known`: `5 per nodes`.
pub(super) fn meant(text: &str, known: &[&str]) -> Option<String> {
    let (each, of) = text.split_once(" per ")?;
    let near = suggestion(of.trim(), known.iter().copied())?;
    Some(format!("{} per {near}", each.trim()))
}

/// The users of all nodes together.
pub(super) fn all(node: &Node, each: u64, nodes: u16, mistakes: &mut Mistakes) -> Option<u32> {
    let all = each * u64::from(nodes);
    if all > USERS_MAX {
        let text = format!("{each} users on each of {nodes} nodes are {all}, more than {USERS_MAX}");
        mistakes.push(Mistake::at(node.place, "study::too-large", text).label("write fewer"));
        return None;
    }
    Some(all as u32)
}
