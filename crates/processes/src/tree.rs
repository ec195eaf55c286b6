//! Who belongs to whom: ancestors and descendants.

use crate::table::{Scan, Stat, stat_of};
use std::collections::{BTreeSet, HashMap};
use terms::process::{GENERATIONS_MAX, Identity, write_lineage};

/// A process, its parent and so on, without the first of the machine: `456@8100 123@7900`, each id with its start.
pub fn lineage(process: Identity) -> String {
    lineage_among(process, stat_of)
}

fn lineage_among(process: Identity, stat_of: impl Fn(u32) -> Option<Stat>) -> String {
    let mut line = vec![process];
    let mut stat = stat_of(process.pid).filter(|stat| stat.start == process.start);
    while let Some(pid) = stat.map(|stat| stat.parent).filter(|pid| *pid > 1 && line.len() < GENERATIONS_MAX) {
        stat = stat_of(pid);
        line.extend(stat.as_ref().map(|stat| Identity { pid, start: stat.start }));
    }
    write_lineage(&line)
}

/// The root with its descendants, and with members from `before` that still live and whose parent has ended, so that
/// they hang elsewhere now; `None` when the root is gone.
pub fn family<'a>(
    root: Identity,
    before: impl IntoIterator<Item = &'a Identity>,
    scan: &Scan,
) -> Option<BTreeSet<Identity>> {
    let is_there = |identity: &Identity| scan.get(&identity.pid).is_some_and(|stat| stat.start == identity.start);
    if !is_there(&root) {
        return None;
    }
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for (&pid, stat) in scan {
        children.entry(stat.parent).or_default().push(pid);
    }
    let mut open: Vec<u32> = before.into_iter().filter(|member| is_there(member)).map(|member| member.pid).collect();
    open.push(root.pid);
    let mut members = BTreeSet::new();
    while let Some(pid) = open.pop() {
        let Some(stat) = scan.get(&pid) else { continue };
        if members.insert(Identity { pid, start: stat.start }) {
            open.extend(children.get(&pid).into_iter().flatten());
        }
    }
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::member;
    use terms::process::read_lineage;

    #[test]
    fn a_lineage_is_told_up_to_the_first_process() {
        let scan = Scan::from([(1, member(0, 1)), (5, member(1, 50)), (6, member(5, 60)), (7, member(6, 70))]);
        let told = |pid, start| lineage_among(Identity { pid, start }, |pid| scan.get(&pid).cloned());
        assert_eq!(told(7, 70), "7@70 6@60 5@50");
        assert_eq!(told(7, 71), "7@71", "the id has passed to another process");
        let own = std::process::id();
        let start = stat_of(own).unwrap().start;
        assert_eq!(read_lineage(&lineage(Identity { pid: own, start }))[0], Identity { pid: own, start });
        // Processes that are each other's parents are told once round, and then no more.
        let circle = Scan::from([(5, member(6, 50)), (6, member(5, 60))]);
        let told = lineage_among(Identity { pid: 5, start: 50 }, |pid| circle.get(&pid).cloned());
        assert_eq!(read_lineage(&told).len(), GENERATIONS_MAX);
    }

    #[test]
    fn descendants_belong_also_when_their_parent_has_ended_and_a_stranger_is_not_the_root() {
        let root = Identity { pid: 10, start: 100 };
        let first =
            Scan::from([(10, member(1, 100)), (11, member(10, 101)), (12, member(11, 102)), (13, member(1, 103))]);
        let before = family(root, [], &first).unwrap();
        assert_eq!(before.iter().map(|one| one.pid).collect::<Vec<_>>(), [10, 11, 12]);
        let second =
            Scan::from([(10, member(1, 100)), (11, member(1, 300)), (12, member(1, 102)), (14, member(12, 301))]);
        let after = family(root, &before, &second).unwrap();
        assert_eq!(after.iter().map(|one| one.pid).collect::<Vec<_>>(), [10, 12, 14]);
        assert_eq!(family(root, [], &Scan::from([(10, member(1, 555))])), None);
    }
}
