//! Processor time of the watched processes, each counted once: two monitors may call one process by two names, and what
//! a process has started is part of its tree.

use record::Head;
use std::collections::{BTreeMap, BTreeSet};
use terms::process::{Identity, LINEAGE, read_lineage};

/// One process tree, by whatever names it is watched.
struct Tree {
    /// What was measured; of several names the most.
    measured: f64,
    /// Its own process; after a restart another one, too.
    roots: BTreeSet<Identity>,
    /// Those in which it runs, nearest first.
    parents: Vec<Vec<Identity>>,
}

/// The sum of what was measured under some names, without what is measured twice. Names of which nobody recorded what
/// process they are, are processes of their own.
pub(super) fn counted_once(measured: &BTreeMap<String, f64>, head: &Head) -> f64 {
    let facts = || head.facts.iter().chain(&head.facts_end).filter(|(_, name, _)| name == LINEAGE);
    let mut trees: Vec<Tree> = Vec::new();
    for (name, value) in measured {
        let lineages: Vec<Vec<Identity>> =
            facts().filter(|(subject, ..)| subject == name).map(|(.., text)| read_lineage(text)).collect();
        let mut tree = Tree {
            measured: *value,
            roots: lineages.iter().filter_map(|line| line.first().copied()).collect(),
            parents: lineages.iter().map(|line| line.iter().skip(1).copied().collect()).collect(),
        };
        // The same process under another name, or under several that turn out to be one.
        let (same, others) = trees.into_iter().partition(|known: &Tree| !known.roots.is_disjoint(&tree.roots));
        trees = others;
        for known in same {
            tree.measured = tree.measured.max(known.measured);
            tree.roots.extend(known.roots);
            tree.parents.extend(known.parents);
        }
        trees.push(tree);
    }
    let tree_of = |root: &Identity| trees.iter().position(|tree| tree.roots.contains(root));
    let nearest = |(own, tree): (usize, &Tree)| {
        let mut parents = tree.parents.iter().flatten().filter_map(tree_of);
        parents.find(|place| *place != own)
    };
    let above: Vec<Option<usize>> = trees.iter().enumerate().map(nearest).collect();
    // Whatever hangs in a circle, as no machine has it, counts by itself.
    let mut is_counted = vec![false; trees.len()];
    let roots: Vec<usize> = (0..trees.len()).filter(|place| above[*place].is_none()).collect();
    let mut sum: f64 = roots.into_iter().map(|place| of_tree(place, &trees, &above, &mut is_counted)).sum();
    for place in 0..trees.len() {
        sum += if is_counted[place] { 0.0 } else { trees[place].measured };
    }
    sum
}

/// A tree with those within it: what was measured of the whole, and never less than of its parts.
fn of_tree(place: usize, trees: &[Tree], above: &[Option<usize>], is_counted: &mut [bool]) -> f64 {
    is_counted[place] = true;
    let mut parts = 0.0;
    for inner in 0..trees.len() {
        if above[inner] == Some(place) && !is_counted[inner] {
            parts += of_tree(inner, trees, above, is_counted);
        }
    }
    trees[place].measured.max(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(measured: &[(&str, f64)], lineages: &[(&str, &str)]) -> f64 {
        let fact = |(subject, line): &(&str, &str)| ((*subject).to_owned(), LINEAGE.to_owned(), (*line).to_owned());
        let head = Head { facts: lineages.iter().map(fact).collect(), ..Head::default() };
        let measured = measured.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        (counted_once(&measured, &head) * 1e6).round() / 1e6
    }

    #[test]
    fn a_process_under_two_names_is_counted_once() {
        let both = [("shop", 0.38), ("store", 0.37)];
        assert_eq!(counted(&both, &[]), 0.75, "nobody knows that they are one");
        assert_eq!(counted(&both, &[("shop", "7@70 5@50"), ("store", "8@80 5@50")]), 0.75, "siblings");
        assert_eq!(counted(&both, &[("shop", "7@70 5@50"), ("store", "7@70 5@50")]), 0.38);
        assert_eq!(counted(&both, &[("shop", "7@70"), ("store", "7@71")]), 0.75, "an id that passed on");
        // Three names of one process, of which two were seen before and after a restart.
        let three = [("a", 0.1), ("b", 0.2), ("c", 0.3)];
        assert_eq!(counted(&three, &[("a", "7@70"), ("b", "9@90"), ("c", "7@70"), ("c", "9@90")]), 0.3);
    }

    #[test]
    fn what_runs_within_a_watched_process_is_part_of_it() {
        let nested = [("database", 0.4), ("shop", 0.2), ("store", 0.38)];
        let lines = [("database", "7@70 5@50"), ("store", "9@90 8@80 7@70 5@50"), ("shop", "6@60 5@50")];
        assert_eq!(counted(&nested, &lines), 0.6);
        // The whole was read a moment before its part.
        assert_eq!(counted(&[("database", 0.3), ("store", 0.38)], &lines), 0.38);
        // A part of a part, and two parts of one.
        let deep = [("a", 0.5), ("b", 0.3), ("c", 0.2), ("d", 0.4)];
        let lines = [("a", "1@1"), ("b", "2@2 1@1"), ("c", "3@3 2@2 1@1"), ("d", "4@4 1@1")];
        assert_eq!(counted(&deep, &lines), 0.7, "0.3 with 0.2 in it, and 0.4, are more than 0.5");
    }

    #[test]
    fn lines_that_no_machine_has_lose_nothing() {
        let both = [("a", 0.1), ("b", 0.2), ("c", 0.4)];
        assert_eq!(counted(&both, &[("a", "1@1 2@2"), ("b", "2@2 1@1"), ("c", "")]), 0.7);
        assert_eq!(counted(&both, &[("a", "1@1 1@1"), ("b", "x"), ("c", "3@3 3@3 1@1")]), 0.6);
    }
}
