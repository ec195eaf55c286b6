//! Virtual users by second, as several files of one run count them.

use std::collections::BTreeMap;

/// Seconds with a number of users: two weeks.
const SECONDS_MAX: usize = 14 * 86_400;
/// Files that overlap by no more seconds follow each other.
const BESIDE_S: i64 = 2;

/// Most users seen in each second since 1970.
#[derive(Debug, Default)]
pub(crate) struct Users {
    seconds: BTreeMap<i64, u32>,
    /// Those of the file in hand.
    of_file: BTreeMap<i64, u32>,
}

impl Users {
    pub(crate) fn see(&mut self, second: i64, users: u32) {
        if self.of_file.len() < SECONDS_MAX || self.of_file.contains_key(&second) {
            let most = self.of_file.entry(second).or_default();
            *most = users.max(*most);
        }
    }

    /// Ends a file. One that lies beside what was read before comes of another load generator, whose users are added; one
    /// that follows it, or goes before, goes on with the same.
    pub(crate) fn end_file(&mut self) {
        let (before, file) = (std::mem::take(&mut self.seconds), std::mem::take(&mut self.of_file));
        let ends = |of: &BTreeMap<i64, u32>| Some((*of.keys().next()?, *of.keys().next_back()?));
        let (Some(known), Some(new)) = (ends(&before), ends(&file)) else {
            self.seconds = if before.is_empty() { file } else { before };
            return;
        };
        let is_beside = known.1.min(new.1) - known.0.max(new.0) + 1 > BESIDE_S;
        let seconds: Vec<i64> = before.keys().chain(file.keys()).copied().collect();
        // What a file counted last holds until it counts again, and no longer than it goes on.
        let at = |of: &BTreeMap<i64, u32>, (first, last): (i64, i64), second: i64| {
            let latest = || of.range(..=second).next_back().map(|(_, users)| *users);
            if (first..=last).contains(&second) { latest().unwrap_or(0) } else { 0 }
        };
        let joined = seconds.into_iter().map(|second| {
            let (a, b) = (at(&before, known, second), at(&file, new, second));
            (second, if is_beside { a.saturating_add(b) } else { a.max(b) })
        });
        self.seconds = joined.take(2 * SECONDS_MAX).collect();
    }

    /// Of all files that have ended, in order of time.
    pub(crate) fn seconds(&self) -> &BTreeMap<i64, u32> {
        &self.seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(files: &[&[(i64, u32)]]) -> Vec<(i64, u32)> {
        let mut users = Users::default();
        for file in files {
            file.iter().for_each(|(second, count)| users.see(*second, *count));
            users.end_file();
        }
        users.seconds().iter().map(|(second, count)| (*second, *count)).collect()
    }

    #[test]
    fn users_of_generators_beside_each_other_are_added() {
        let one = [(10, 5), (11, 5), (12, 7), (15, 8)];
        let other = [(11, 20), (13, 30), (14, 30)];
        let both = [(10, 5), (11, 25), (12, 27), (13, 37), (14, 37), (15, 8)];
        assert_eq!(joined(&[&one, &other]), both);
        assert_eq!(joined(&[&other, &one]), both);
    }

    #[test]
    fn files_that_follow_each_other_go_on_with_the_same_users() {
        let (first, second) = ([(10, 50), (11, 50), (12, 50)], [(12, 50), (13, 50), (14, 40)]);
        let all = [(10, 50), (11, 50), (12, 50), (13, 50), (14, 40)];
        assert_eq!(joined(&[&first, &second]), all);
        assert_eq!(joined(&[&second, &first]), all);
        assert_eq!(joined(&[&first, &[]]), first);
        assert_eq!(joined(&[&[], &first]), first);
        assert_eq!(joined(&[&[(10, 3), (10, 9), (10, 4)]]), [(10, 9)], "the most of a second");
    }
}
