//! Virtual users by second, as the files of one run count them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Seconds with a number of users, of all files together: a day of ninety load generators.
const SECONDS_MAX: usize = 90 * 86_400;
/// Files that overlap by no more seconds follow each other.
const OVERLAP_S: i64 = 2;

/// Most users seen in each second, by file.
#[derive(Debug, Default)]
pub(crate) struct Users {
    of_file: BTreeMap<i64, u32>,
    /// Of files that have ended: second, file, users.
    points: Vec<(i64, usize, u32)>,
    /// First and last second of each file.
    ranges: Vec<(i64, i64)>,
    joined: BTreeMap<i64, u32>,
    added: usize,
    /// Whether there were more seconds than are kept.
    is_cut: bool,
}

impl Users {
    pub(crate) fn see(&mut self, second: i64, users: u32) {
        if self.points.len() + self.of_file.len() < SECONDS_MAX || self.of_file.contains_key(&second) {
            let most = self.of_file.entry(second).or_default();
            *most = users.max(*most);
        } else {
            self.is_cut = true;
        }
    }

    /// What was seen since the last one ended is of one file.
    pub(crate) fn end_file(&mut self) {
        let (file, of_file) = (self.ranges.len(), std::mem::take(&mut self.of_file));
        if let (Some(first), Some(last)) = (of_file.keys().next(), of_file.keys().next_back()) {
            self.ranges.push((*first, *last));
            self.points.extend(of_file.into_iter().map(|(second, users)| (second, file, users)));
        }
    }

    /// Users in each second since 1970 in which any file counts them: once all files have ended.
    pub(crate) fn seconds(&self) -> &BTreeMap<i64, u32> {
        &self.joined
    }

    /// Sentences for the report.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let added = (self.added > 1).then(|| {
            format!(
                "users of files that overlap in time, up to {} at once, are added as those of as many load generators; if \
                 one generator wrote them, they are too many",
                self.added
            )
        });
        let cut = self.is_cut.then(|| {
            format!(
                "users of the first {SECONDS_MAX} seconds of all files are counted, and those of the rest are missing"
            )
        });
        added.into_iter().chain(cut).collect()
    }

    /// Joins all files. Those that overlap are of several load generators, whose users are added; one that begins where
    /// another ends goes on with the same. What a file counted last holds until it counts again, and no longer than it goes
    /// on.
    pub(crate) fn join(&mut self) {
        let mut points = std::mem::take(&mut self.points);
        points.sort_unstable();
        let last_of = |file: usize| self.ranges[file].1;
        let (mut active, mut total, mut added) = (HashMap::<usize, u32>::new(), 0u64, 0);
        // Active files, the one that ends first on top.
        let mut ends = BinaryHeap::new();
        let mut joined = BTreeMap::new();
        for of_second in points.chunk_by(|a, b| a.0 == b.0) {
            let second = of_second[0].0;
            let begin = of_second.iter().filter(|(_, file, _)| self.ranges[*file].0 == second).count();
            // Each that begins takes the place of one that has ended or is about to.
            let mut room = begin;
            while let Some(Reverse((last, _))) = ends.peek() {
                let is_over = *last < second;
                if !is_over && (room == 0 || *last >= second + OVERLAP_S) {
                    break;
                }
                room -= usize::from(!is_over);
                let Some(Reverse((_, file))) = ends.pop() else { break };
                total -= u64::from(active.remove(&file).unwrap_or(0));
            }
            for (_, file, users) in of_second {
                if self.ranges[*file].0 == second {
                    ends.push(Reverse((last_of(*file), *file)));
                    active.insert(*file, 0);
                }
                // What has made way does not come back.
                if let Some(known) = active.get_mut(file) {
                    total = total - u64::from(*known) + u64::from(*users);
                    *known = *users;
                }
            }
            added = added.max(active.len());
            joined.insert(second, u32::try_from(total).unwrap_or(u32::MAX));
        }
        (self.joined, self.added) = (joined, added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(files: &[&[(i64, u32)]]) -> (Vec<(i64, u32)>, usize) {
        let mut users = Users::default();
        for file in files {
            file.iter().for_each(|(second, count)| users.see(*second, *count));
            users.end_file();
        }
        users.join();
        (users.seconds().clone().into_iter().collect(), users.added)
    }

    #[test]
    fn users_of_generators_that_overlap_are_added() {
        let one = [(10, 5), (11, 5), (12, 7), (16, 8)];
        let other = [(11, 20), (13, 30), (14, 30)];
        let both = vec![(10, 5), (11, 25), (12, 27), (13, 37), (14, 37), (16, 8)];
        assert_eq!(joined(&[&one, &other]), (both.clone(), 2));
        assert_eq!(joined(&[&other, &one]), (both, 2));
    }

    #[test]
    fn files_that_follow_each_other_go_on_with_the_same_users() {
        let [first, second, third] = [10, 19, 29].map(|from| (from..from + 10).map(|at| (at, 50)).collect::<Vec<_>>());
        let all: Vec<_> = (10..39).map(|at| (at, 50)).collect();
        for files in [[&first, &second, &third], [&third, &first, &second], [&first, &third, &second]] {
            assert_eq!(joined(&files.map(Vec::as_slice)), (all.clone(), 1));
        }
        // Two generators whose files are rotated, not at the same moment.
        let file = |from: i64, to: i64| (from..=to).map(|at| (at, 10)).collect::<Vec<_>>();
        let files = [file(0, 50), file(50, 100), file(0, 51), file(52, 100)];
        let (two, _) = joined(&[&files[0], &files[1], &files[2], &files[3]]);
        assert!(two.iter().all(|(_, users)| *users == 20), "{two:?}");
        assert_eq!(joined(&[&first, &[]]), (first.clone(), 1));
        assert_eq!(joined(&[&[(10, 3), (10, 9), (10, 4)]]), (vec![(10, 9)], 1), "the most of a second");
        assert_eq!(joined(&[]), (vec![], 0));
    }

    #[test]
    fn thousands_of_small_files_do_no_harm() {
        let mut users = Users::default();
        (0..200_000).for_each(|second| users.see(second, 1));
        users.end_file();
        for file in 0..9_000 {
            users.see(file, 1);
            users.end_file();
        }
        // To join the files one by one would take minutes.
        users.join();
        assert_eq!(users.seconds().len(), 200_000);
    }
}
