//! When virtual users of a closed load are there.

use study::UserStage;
use terms::Nanos;

/// How many virtual users there are at which time: stages one after another, and from the last on as many as at its end.
///
/// Users come and go in the order of their numbers: the last to come is the first to go. One who goes ends the iteration
/// in hand; one who comes back goes on with the next.
#[derive(Clone, Debug, PartialEq)]
pub struct UserPlan {
    /// The greatest number of users at a time.
    pub count: u32,
    stages: Vec<UserStage>,
    /// From here on their number stays.
    settled: Nanos,
    /// Their number from then on.
    last: u32,
    /// Whether the study says stage by stage how many there are.
    pub has_stages: bool,
}

impl UserPlan {
    /// Users who begin one after another over the ramp, or in levels of `by`, and stay. All have begun when it is over.
    pub fn ramp(count: u32, over: Nanos, by: Option<u32>) -> Self {
        let level = |(users, length)| UserStage { from: users, to: users, length };
        let mut stages: Vec<UserStage> = match by {
            None if over > Nanos::ZERO => vec![UserStage { from: 0, to: count, length: over }],
            None => Vec::new(),
            Some(by) => levels(count, over, by).into_iter().map(level).collect(),
        };
        stages.retain(|stage| stage.length > Nanos::ZERO);
        Self::new(count, stages, count, false)
    }

    /// Users as the stages say; behind the last one as at its end.
    pub fn stages(stages: Vec<UserStage>) -> Self {
        let count = stages.iter().map(|stage| stage.from.max(stage.to)).max().unwrap_or(0);
        let last = stages.last().map_or(0, |stage| stage.to);
        Self::new(count, stages, last, true)
    }

    fn new(count: u32, stages: Vec<UserStage>, last: u32, has_stages: bool) -> Self {
        let settled = stages.iter().fold(Nanos::ZERO, |sum, stage| sum + stage.length);
        Self { count, stages, settled, last, has_stages }
    }

    /// The first moment from `at` on at which user `number` (from 0) is there; none where it does not come again. Offsets
    /// from the load's beginning.
    #[inline]
    pub fn there_from(&self, number: u32, at: Nanos) -> Option<Nanos> {
        if at < self.settled {
            return self.there_in_stages(number, at);
        }
        (number < self.last).then_some(at)
    }

    fn there_in_stages(&self, number: u32, at: Nanos) -> Option<Nanos> {
        let mut begins = Nanos::ZERO;
        for stage in &self.stages {
            let ends = begins + stage.length;
            let there = span(stage, number).map(|(from, to)| (begins + from, begins + to));
            if let Some((from, _)) = there.filter(|(_, to)| *to > at) {
                return Some(from.max(at));
            }
            begins = ends;
        }
        (number < self.last).then_some(begins)
    }

    /// How many there are at an offset; where their number changes just then, after the change.
    pub fn at(&self, offset: Nanos) -> u32 {
        let mut begins = Nanos::ZERO;
        for stage in &self.stages {
            let ends = begins + stage.length;
            if offset < ends {
                let passed = i128::from((offset - begins).or_zero().0);
                let part = |users: u32| (passed * i128::from(users) / i128::from(stage.length.0.max(1))) as u32;
                return match stage {
                    UserStage { from, to, .. } if from < to => (from + part(to - from) + 1).min(*to),
                    UserStage { from, to, .. } => from - part(from - to),
                };
            }
            begins = ends;
        }
        self.last
    }
}

/// From when until when in a stage a user is there: those who come are there at once, those who go at the end of their
/// part of it.
fn span(stage: &UserStage, number: u32) -> Option<(Nanos, Nanos)> {
    let &UserStage { from, to, length } = stage;
    let part = |of: u32, all: u32| Nanos((i128::from(length.0) * i128::from(of) / i128::from(all.max(1))) as i64);
    if number < from.min(to) {
        return Some((Nanos::ZERO, length));
    }
    match number {
        _ if number >= from.max(to) => None,
        _ if from < to => Some((part(number - from, to - from), length)),
        _ => Some((Nanos::ZERO, part(from - number, from - to))),
    }
}

/// Levels `by`, 2·`by` … below full load with their lengths, which add up to the whole.
pub(crate) fn levels(full: u32, over: Nanos, by: u32) -> Vec<(u32, Nanos)> {
    let levels = i64::from(full.div_ceil(by.max(1)).saturating_sub(1));
    (1..=levels).map(|k| (by * k as u32, over * k / levels - over * (k - 1) / levels)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn begins(plan: &UserPlan) -> Vec<f64> {
        (0..plan.count).map(|user| plan.there_from(user, Nanos::ZERO).unwrap().as_secs_f64()).collect()
    }

    fn stage(from: u32, to: u32, seconds: i64) -> UserStage {
        UserStage { from, to, length: Nanos::from_secs(seconds) }
    }

    #[test]
    fn users_begin_evenly_or_in_levels_below_full_load() {
        assert_eq!(begins(&UserPlan::ramp(4, Nanos::from_secs(8), None)), [0.0, 2.0, 4.0, 6.0]);
        let stepped = UserPlan::ramp(10, Nanos::from_secs(6), Some(4));
        assert_eq!(begins(&stepped), [0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 3.0, 6.0, 6.0]);
        assert_eq!(begins(&UserPlan::ramp(3, Nanos::ZERO, None)), [0.0; 3]);
        assert!(!stepped.has_stages);
    }

    #[test]
    fn users_come_and_go_and_come_back() {
        // Up to 4 in 8 s, 10 s of 4, at once 6 for 10 s, down to 2 in 8 s, 6 s of 2, none.
        let plan = UserPlan::stages(vec![
            stage(0, 4, 8),
            stage(4, 4, 10),
            stage(6, 6, 10),
            stage(6, 2, 8),
            stage(2, 2, 6),
            stage(5, 5, 2),
            stage(5, 0, 5),
        ]);
        let there = |user, at| plan.there_from(user, Nanos::from_secs(at)).map(Nanos::second);
        assert_eq!([there(0, 0), there(3, 0), there(4, 0), there(5, 0)], [Some(0), Some(6), Some(18), Some(18)]);
        // The last to come is the first to go: 5 at 30, 4 at 32, 3 at 34, 2 at 36.
        assert_eq!([there(5, 29), there(5, 30), there(4, 31), there(4, 32)], [Some(29), None, Some(31), Some(42)]);
        assert_eq!([there(2, 35), there(2, 36), there(0, 48), there(0, 49)], [Some(35), Some(42), Some(48), None]);
        let at = |at| plan.at(Nanos::from_secs(at));
        assert_eq!(
            [0, 1, 2, 8, 17, 18, 29, 30, 36, 41, 42, 45, 49, 60].map(at),
            [1, 1, 2, 4, 4, 6, 6, 5, 2, 2, 5, 4, 0, 0]
        );
        assert!(plan.has_stages && plan.count == 6);
    }

    proptest! {
        #[test]
        fn as_many_are_there_as_the_plan_says(
            sizes in proptest::collection::vec((0u32..40, 1i64..30, any::<bool>()), 1..6),
            at in 0i64..160_000,
        ) {
            let mut stages: Vec<UserStage> = Vec::new();
            for (to, seconds, is_hold) in sizes {
                let from = if is_hold { to } else { stages.last().map_or(0, |stage| stage.to) };
                stages.push(stage(from, to, seconds));
            }
            let plan = UserPlan::stages(stages);
            let at = Nanos::from_millis(at);
            let there = (0..plan.count).filter(|user| plan.there_from(*user, at) == Some(at)).count();
            prop_assert_eq!(there as u32, plan.at(at));
        }
    }
}
