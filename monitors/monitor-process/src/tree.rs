//! One process and its descendants, over time.

use processes::{Identity, Scan, Stat, Ticks, family};
use std::collections::BTreeMap;

/// The members of a tree at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tree {
    pub(crate) members: BTreeMap<Identity, Member>,
}

/// A member, with what only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) own: Ticks,
    pub(crate) children: Ticks,
    /// Bytes read from and written to disks, those of children that it has waited for among them (proc(5)); `None` when
    /// they may not be read.
    pub(crate) disk: Option<(u64, u64)>,
    /// Id of its parent.
    pub(crate) parent: u32,
}

impl Tree {
    /// The root with its descendants, and with members from before that still live and whose parent has ended, so that
    /// they hang elsewhere now; `None` when the root is gone.
    pub(crate) fn find(root: Identity, before: &Self, scan: &Scan) -> Option<Self> {
        let member = |identity: Identity| {
            let stat = scan.get(&identity.pid)?;
            let Stat { own, children, parent, .. } = *stat;
            Some((identity, Member { own, children, disk: None, parent }))
        };
        let members = family(root, before.members.keys(), scan)?.into_iter().filter_map(member).collect();
        Some(Self { members })
    }

    /// Processor time that the tree has used since `before`, clock ticks.
    ///
    /// A child that ended has left its time with the parent that waited for it, so what its parent gained beyond what
    /// was counted of the child already is new. A child whose parent does not wait takes its last moments with it: the
    /// result is then too low by less than one period of that child, and never negative.
    pub(crate) fn growth(&self, before: &Self) -> Ticks {
        let part = |part: fn(&Ticks) -> u64| {
            let old = |identity| before.members.get(identity).copied().unwrap_or_default();
            let (mut own, mut of_children) = (0u64, 0u64);
            for (identity, member) in &self.members {
                own = own.saturating_add(part(&member.own).saturating_sub(part(&old(identity).own)));
                let gained = part(&member.children).saturating_sub(part(&old(identity).children));
                of_children = of_children.saturating_add(gained);
            }
            let ended = before.members.iter().filter(|(identity, _)| !self.members.contains_key(identity));
            let counted = ended.fold(0u64, |sum, (_, member)| {
                sum.saturating_add(part(&member.own)).saturating_add(part(&member.children))
            });
            own.saturating_add(of_children.saturating_sub(counted))
        };
        Ticks { user: part(|ticks| ticks.user), system: part(|ticks| ticks.system) }
    }

    /// Bytes read from and written to disks since `before`; `None` when no member may be read. A member that is new has
    /// done all of it since. One that ended has left its bytes with whoever waited for it: what was counted of it already
    /// is not new there. Where nobody waited, what it did last is lost, and never negative.
    pub(crate) fn disk_growth(&self, before: &Self) -> Option<(u64, u64)> {
        let less =
            |(read, written): (u64, u64), by: (u64, u64)| (read.saturating_sub(by.0), written.saturating_sub(by.1));
        let grown = self.members.iter().filter_map(|(identity, member)| {
            let old = match before.members.get(identity) {
                Some(old) => old.disk?,
                None => (0, 0),
            };
            Some((*identity, less(member.disk?, old)))
        });
        let mut grown: BTreeMap<Identity, (u64, u64)> = grown.collect();
        for ended in before.members.iter().filter(|(identity, _)| !self.members.contains_key(identity)) {
            let heir = before.heir(ended.1, self).and_then(|heir| grown.get_mut(&heir));
            if let (Some(heir), Some(counted)) = (heir, ended.1.disk) {
                *heir = less(*heir, counted);
            }
        }
        grown.into_values().reduce(|all, one| (all.0.saturating_add(one.0), all.1.saturating_add(one.1)))
    }

    /// The nearest of a member's parents that is still there.
    fn heir(&self, ended: &Member, now: &Self) -> Option<Identity> {
        let mut parent = ended.parent;
        // As many as there are members: ids can pass to others, and then parents may go round in a circle.
        for _ in 0..self.members.len() {
            let (identity, member) = self.members.iter().find(|(identity, _)| identity.pid == parent)?;
            if now.members.contains_key(identity) {
                return Some(*identity);
            }
            parent = member.parent;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use processes::Stat;
    use proptest::prelude::*;

    fn stat(parent: u32, start: u64, own: u64, children: u64) -> Stat {
        let ticks = |user| Ticks { user, system: user / 2 };
        Stat {
            name: "x".into(),
            parent,
            own: ticks(own),
            children: ticks(children),
            threads: 1,
            start,
            reserved: 0,
            resident_pages: 0,
        }
    }

    fn scan(all: &[(u32, Stat)]) -> Scan {
        all.iter().cloned().collect()
    }

    const ROOT: Identity = Identity { pid: 10, start: 100 };

    fn pids(tree: &Tree) -> Vec<u32> {
        tree.members.keys().map(|member| member.pid).collect()
    }

    #[test]
    fn descendants_belong_also_when_their_parent_has_ended() {
        let first = scan(&[
            (1, stat(0, 1, 0, 0)),
            (10, stat(1, 100, 0, 0)),
            (11, stat(10, 101, 0, 0)),
            (12, stat(11, 102, 0, 0)),
            (13, stat(1, 103, 0, 0)),
        ]);
        let tree = Tree::find(ROOT, &Tree::default(), &first).unwrap();
        assert_eq!(pids(&tree), [10, 11, 12]);
        // 11 has ended, 12 hangs at 1 now and has a child of its own; 11 came again as somebody else's process.
        let second = scan(&[
            (1, stat(0, 1, 0, 0)),
            (10, stat(1, 100, 0, 0)),
            (11, stat(1, 300, 0, 0)),
            (12, stat(1, 102, 0, 0)),
            (14, stat(12, 301, 0, 0)),
        ]);
        assert_eq!(pids(&Tree::find(ROOT, &tree, &second).unwrap()), [10, 12, 14]);
    }

    #[test]
    fn an_id_that_passed_to_a_stranger_is_not_the_root() {
        let reused = scan(&[(10, stat(1, 555, 0, 0))]);
        assert_eq!(Tree::find(ROOT, &Tree::default(), &reused), None);
        assert_eq!(Tree::find(ROOT, &Tree::default(), &Scan::new()), None);
    }

    fn tree(all: &[(u32, Stat)]) -> Tree {
        Tree::find(ROOT, &Tree::default(), &scan(all)).unwrap()
    }

    #[test]
    fn time_of_children_that_ended_is_counted_once() {
        let before = tree(&[(10, stat(1, 100, 1000, 0)), (11, stat(10, 101, 200, 0))]);
        // Alive: 30 and 50 more.
        let alive = tree(&[(10, stat(1, 100, 1030, 0)), (11, stat(10, 101, 250, 0))]);
        assert_eq!(alive.growth(&before), Ticks { user: 80, system: 40 });
        // 11 used 50 more, ended and was waited for: its 250 stand with 10.
        let waited = tree(&[(10, stat(1, 100, 1030, 250))]);
        assert_eq!(waited.growth(&before), Ticks { user: 80, system: 40 });
        // 11 ended and nobody waited: its last 50 are lost, nothing is negative.
        let lost = tree(&[(10, stat(1, 100, 1030, 0))]);
        assert_eq!(lost.growth(&before), Ticks { user: 30, system: 15 });
        // A child that came and ended in between is all new.
        let brief = tree(&[(10, stat(1, 100, 1030, 70)), (11, stat(10, 101, 200, 0))]);
        assert_eq!(brief.growth(&before), Ticks { user: 100, system: 50 });
        // One that came and lives is all new too.
        let new = tree(&[(10, stat(1, 100, 1000, 0)), (11, stat(10, 101, 200, 0)), (12, stat(10, 180, 6, 0))]);
        assert_eq!(new.growth(&before), Ticks { user: 6, system: 3 });
    }

    #[test]
    fn disks_are_counted_for_members_that_may_be_read() {
        let with = |disk: Option<(u64, u64)>| {
            let mut made = tree(&[(10, stat(1, 100, 0, 0))]);
            made.members.values_mut().for_each(|member| member.disk = disk);
            made
        };
        assert_eq!(with(Some((70, 9))).disk_growth(&with(Some((50, 4)))), Some((20, 5)));
        assert_eq!(with(None).disk_growth(&with(None)), None);
        assert_eq!(with(Some((70, 9))).disk_growth(&with(None)), None, "no growth without a reading before");
    }

    /// A shell forks a worker for each batch, which writes 10 MB and is waited for: `/proc/PID/io` of the shell then holds
    /// what the worker wrote.
    #[test]
    fn bytes_of_children_that_ended_are_counted_once() {
        let with = |all: &[(u32, u32, (u64, u64))]| {
            let member = |&(pid, parent, disk): &(u32, u32, (u64, u64))| {
                let identity = Identity { pid, start: u64::from(pid) };
                (identity, Member { disk: Some(disk), parent, ..Member::default() })
            };
            Tree { members: all.iter().map(member).collect() }
        };
        let before = with(&[(10, 1, (100, 1000)), (11, 10, (50, 8_000_000)), (20, 10, (7, 7))]);
        // 11 wrote 2 MB more, ended and was waited for; 10 itself wrote 24 bytes, and 20 wrote 3.
        let waited = with(&[(10, 1, (150, 1000 + 10_000_000 + 24)), (20, 10, (7, 10))]);
        assert_eq!(waited.disk_growth(&before), Some((0, 2_000_027)));
        // Not waited for yet: what others did meanwhile is not taken for its own.
        let lost = with(&[(10, 1, (100, 1024)), (20, 10, (7, 5_000_007))]);
        assert_eq!(lost.disk_growth(&before), Some((0, 5_000_000)));
        // Its parent has ended, too: both stand with the parent above.
        let nested = with(&[(10, 1, (0, 0)), (11, 10, (0, 30)), (12, 11, (0, 70))]);
        assert_eq!(with(&[(10, 1, (0, 105))]).disk_growth(&nested), Some((0, 5)));
    }

    #[test]
    fn this_process_is_in_the_scan() {
        let scan = processes::scan().unwrap();
        assert!(scan.contains_key(&std::process::id()));
    }

    proptest! {
        /// Processes run, fork, end and are waited for at random: what the tree tells over all steps is what was used.
        #[test]
        fn no_time_is_lost_or_counted_twice(steps in prop::collection::vec((0usize..4, 0u64..5, 0u64..50), 1..60)) {
            let mut all: Vec<(u32, u64, u64)> = vec![(10, 0, 0)];
            let mut tree = Tree::default();
            let (mut used, mut told, mut next) = (0, 0, 11);
            let observe = |all: &[(u32, u64, u64)], tree: &mut Tree| {
                let stats: Vec<_> = all.iter().map(|&(pid, own, children)| {
                    let parent = if pid == 10 { 1 } else { 10 };
                    (pid, stat(parent, u64::from(pid) * 10, own, children))
                }).collect();
                let now = Tree::find(ROOT, tree, &scan(&stats)).unwrap();
                let growth = now.growth(tree).user;
                *tree = now;
                growth
            };
            observe(&all, &mut tree);
            for (action, who, ticks) in steps {
                let at = who as usize % all.len();
                match action {
                    0 => { all.push((next, 0, 0)); next += 1; }
                    1 if at > 0 => { let (_, own, children) = all.remove(at); all[0].2 += own + children; }
                    2 => told += observe(&all, &mut tree),
                    _ => { all[at].1 += ticks; used += ticks; }
                }
            }
            told += observe(&all, &mut tree);
            prop_assert_eq!(told, used);
        }
    }
}
