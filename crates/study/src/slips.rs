//! Misspelt keys of a study's file, corrected before anything of it is read.

use crate::sections::{exchange, scenario, system, top};
use crate::syntax::keys::{Key, respell};
use contract::{Mistakes, Node, Shape};

/// Corrects misspelt keys where more than one reader looks: a slip in one of them is one mistake, and what stands under it
/// is checked as what was meant. Done file by file: of what includes merge, only keys that are right are merged rightly.
pub(crate) fn correct(root: &mut Node, mistakes: &mut Mistakes) {
    respell(root, &top::TOP, "the study", mistakes);
    for (key, value) in entries_of(root) {
        match key.text() {
            Some("system") => respell(value, &system::SYSTEM, "`system`", mistakes),
            Some("exchanges") => each(value, "exchange", &exchange::COMMON, mistakes, |exchange, mistakes| {
                for (_, legs) in entries_of(exchange).iter_mut().filter(|(key, _)| key.text() == Some("legs")) {
                    each(legs, "leg", &exchange::LEG, mistakes, |_, _| {});
                }
            }),
            Some("scenarios") => each(value, "scenario", &scenario::SCENARIO, mistakes, |scenario, mistakes| {
                for (_, parts) in entries_of(scenario).iter_mut().filter(|(key, _)| key.text() == Some("mix")) {
                    each(parts, "scenario", &scenario::PART, mistakes, |_, _| {});
                }
            }),
            _ => {}
        }
    }
}

/// Corrects the keys of each map that a map names, and what is within.
fn each(
    named: &mut Node,
    what: &str,
    table: &'static [Key],
    mistakes: &mut Mistakes,
    mut within: impl FnMut(&mut Node, &mut Mistakes),
) {
    for (name, value) in entries_of(named) {
        let name = format!("{what} `{}`", name.text().unwrap_or_default());
        respell(value, table, name, mistakes);
        within(value, mistakes);
    }
}

fn entries_of(node: &mut Node) -> &mut [(Node, Node)] {
    match &mut node.shape {
        Shape::Map(entries) => entries,
        _ => &mut [],
    }
}
