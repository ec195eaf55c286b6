//! The phases of a mix: the same for all its parts, each part with steps of its own.

use crate::build::{Building, held_plan, planned, segments, starts_until, user_plan};
use crate::{LoadPlan, LoadStep, PartPlan, Schedule, Segment};
use study::{Extent, LoadPart, Model, Spacing, Together};
use terms::{Nanos, Phase, seed};

impl Building<'_> {
    /// Ramp until all parts are at full load, warm-up until all hold, hold until the first no longer does.
    pub(crate) fn mix(&mut self, together: Together, study_seed: u64) -> (Vec<PartPlan>, Option<Nanos>) {
        let phases = [
            ("ramp", Phase::Ramp, Nanos::ZERO, together.full),
            ("warm_up", Phase::WarmUp, together.full, together.holds),
            ("hold", Phase::Hold, together.holds, together.ends),
        ];
        let scenario = self.scenario;
        let mut parts: Vec<PartPlan> = scenario.parts.iter().map(|part| cut(part, together.ends, study_seed)).collect();
        for (id, phase, from, to) in phases.into_iter().filter(|(.., from, to)| from < to) {
            for (index, part) in parts.iter_mut().enumerate() {
                self.part = Some(index as u16);
                let number = self.step(id.into(), phase, Some(to - from));
                let step = &mut self.plan.steps[number as usize];
                let (own_from, own_to) = ((from - part.after).or_zero(), (to - part.after).or_zero());
                match &part.load {
                    LoadPlan::Open { schedule, .. } => {
                        let begins = if part.after <= from { schedule.rate_at(own_from) } else { 0.0 };
                        // Just before its end: at the end itself the next piece begins, or nothing is left.
                        let ends = if part.after < to { schedule.rate_at(own_to - Nanos(1)) } else { 0.0 };
                        step.offered = Some((begins, ends));
                        step.iterations = Some(starts_until(schedule, own_to) - starts_until(schedule, own_from));
                    }
                    // At its end, which may come before the part's own beginning.
                    LoadPlan::Closed { users, .. } => {
                        step.users = Some(if own_to > Nanos::ZERO { users.at(own_to - Nanos(1)) } else { users.count });
                    }
                    LoadPlan::Held(plan) => step.holds_open(plan, own_from, own_to),
                }
                part.load_steps.push(LoadStep { step: number, from: Some(from), from_count: None });
            }
        }
        self.part = None;
        (parts, Some(together.ends))
    }
}

/// A part's own load, cut where the mix ends.
fn cut(part: &LoadPart, ends: Nanos, study_seed: u64) -> PartPlan {
    let salt = part.name.bytes().fold(1, |salt, byte| seed::hash(salt, u64::from(byte)));
    let length = (ends - part.after).or_zero();
    let load = match &part.load.model {
        Model::Arrivals { profile, spacing } => {
            let segments = cut_segments(segments(&part.load, profile), length);
            let schedule = match spacing {
                Spacing::Even => Schedule::even(segments),
                // By the part's name: the same arrivals in every mix that has it, so that mixes differ by the rest.
                Spacing::Poisson => Schedule::poisson(segments, seed::hash(study_seed, salt)),
            };
            LoadPlan::Open { schedule, max_in_flight: part.load.max_in_flight }
        }
        Model::Users { count, pacing, stages } => {
            let counted = |extent: Option<Extent>| match extent {
                Some(Extent::Count(count)) => count,
                _ => 0,
            };
            let count_of_hold = matches!(part.load.hold, Extent::Count(_))
                .then(|| counted(Some(part.load.hold)) + counted(part.load.warm_up));
            LoadPlan::Closed { users: user_plan(&part.load, *count, stages), pacing: *pacing, count: count_of_hold }
        }
        Model::Connections { count, .. } | Model::Subscribers { count, .. } => {
            LoadPlan::Held(held_plan(&part.load, *count, length))
        }
    };
    planned(part, load, Vec::new(), (seed::hash(study_seed, salt), salt))
}

fn cut_segments(all: Vec<Segment>, length: Nanos) -> Vec<Segment> {
    let mut left = length;
    let mut kept = Vec::new();
    for segment in all {
        if left <= Nanos::ZERO {
            break;
        }
        let taken = segment.length.min(left);
        let part = taken.as_secs_f64() / segment.length.as_secs_f64().max(f64::MIN_POSITIVE);
        let to = if taken == segment.length { segment.to } else { segment.from + (segment.to - segment.from) * part };
        kept.push(Segment { from: segment.from, to, length: taken });
        left -= taken;
    }
    kept
}
