//! Mixes: several scenarios at once, and when all of them are at full load together.

use crate::model::{Extent, LoadPart, Model, Profile, Scenario};
use contract::{Mistake, Mistakes, Place};
use terms::Nanos;

/// When the parts of a scenario are at full load together, as offsets from the beginning of its load.
///
/// A part that ends by `count` is a background job: its duration is unknown beforehand, so it neither
/// delays the hold nor ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Together {
    /// All parts have begun and are at full load.
    pub full: Nanos,
    /// All parts hold: their warm-ups are over too.
    pub holds: Nanos,
    /// The first part no longer holds. The mix ends here.
    pub ends: Nanos,
}

impl Scenario {
    /// When its parts are at full load together; `None` where every part ends by `count`.
    pub fn together(&self) -> Option<Together> {
        self.parts.iter().filter_map(of_part).reduce(|a, b| Together {
            full: a.full.max(b.full),
            holds: a.holds.max(b.holds),
            ends: a.ends.min(b.ends),
        })
    }
}

fn of_part(part: &LoadPart) -> Option<Together> {
    let load = &part.load;
    let Extent::Time(hold) = load.hold else { return None };
    let pieces = load.model.pieces();
    if !pieces.is_empty() {
        return Some(of_profile(part.after, &pieces));
    }
    let full = part.after + load.ramp.map_or(Nanos::ZERO, |ramp| ramp.over);
    let warm_up = match (load.warm_up, &load.model) {
        (Some(Extent::Time(length)), _) => length,
        (Some(Extent::Count(count)), Model::Arrivals { profile: Profile::Constant(rate), .. }) => {
            Nanos::from_secs_f64(count as f64 / rate.max(f64::MIN_POSITIVE))
        }
        _ => Nanos::ZERO,
    };
    Some(Together { full, holds: full + warm_up, ends: full + warm_up + hold })
}

/// A profile holds from its first constant piece to the end of its last.
fn of_profile(after: Nanos, pieces: &[(bool, Nanos)]) -> Together {
    let (mut at, mut first, mut last) = (after, None, after);
    for &(is_constant, length) in pieces {
        if is_constant {
            first = first.or(Some(at));
        }
        at += length;
        if is_constant {
            last = at;
        }
    }
    let first = first.unwrap_or(at);
    Together { full: first, holds: first, ends: last }
}

/// Says what makes a mix that cannot be judged, or a part of it that could never begin.
pub(crate) fn check(mix: &Scenario, place: Place, mistakes: &mut Mistakes) {
    let Some(together) = mix.together() else {
        let text = format!("no part of the mix `{}` has a `hold`: nothing says how long it lasts", mix.name);
        mistakes.push(
            Mistake::at(place, "study::missing-key", text)
                .label("give at least one part a `hold`")
                .hint("parts that end by `count` run in the background of the others, and never end a mix"),
        );
        return;
    };
    if together.ends <= together.holds {
        let spans = mix.parts.iter().filter_map(|part| Some((part, of_part(part)?)));
        let spans = spans.map(|(part, own)| format!("`{}` holds from {} to {}", part.name, own.holds, own.ends));
        let text = format!("the parts of `{}` never hold at the same time", mix.name);
        mistakes.push(
            Mistake::at(place, "study::never-together", text).label("a mix is judged while all its parts hold").hint(
                format!(
                    "counted from the beginning of the load: {}; make a `hold` longer, or a `ramp` or `after` shorter",
                    spans.collect::<Vec<_>>().join(", ")
                ),
            ),
        );
        return;
    }
    for part in mix.parts.iter().filter(|part| part.after >= together.ends) {
        let text = format!("`{}` would begin after the mix `{}` has ended", part.name, mix.name);
        mistakes.push(
            Mistake::at(place, "study::never-together", text)
                .label(format!("it begins after {}, the mix ends after {}", part.after, together.ends)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Load, Ramp, RatePiece, Spacing};
    use std::collections::BTreeMap;

    fn part(after: i64, ramp: i64, hold: Extent) -> LoadPart {
        let model = Model::Arrivals { profile: Profile::Constant(10.0), spacing: Spacing::Even };
        let ramp = (ramp > 0).then(|| Ramp { over: Nanos::from_secs(ramp), by: None });
        LoadPart {
            name: "part".into(),
            set: Vec::new(),
            load: Load {
                model,
                ramp,
                warm_up: None,
                hold,
                at_most: None,
                max_in_flight: None,
                streams: None,
                nodes: None,
            },
            run: Vec::new(),
            carries: Vec::new(),
            set_up: Vec::new(),
            clean_up: Vec::new(),
            after: Nanos::from_secs(after),
            abort: Vec::new(),
        }
    }

    fn mix(parts: Vec<LoadPart>) -> Option<[i64; 3]> {
        let mix = Scenario {
            name: "all".into(),
            place: Place::default(),
            set: Vec::new(),
            cell: None,
            point: None,
            repeat: 1,
            parts,
            idle: Nanos::ZERO,
            drain: None,
            recovery: Nanos::ZERO,
            gap: Nanos::ZERO,
            until: BTreeMap::new(),
            abort: Vec::new(),
            only_if: None,
            is_whole: false,
        };
        mix.together().map(|together| [together.full, together.holds, together.ends].map(Nanos::second))
    }

    #[test]
    fn the_hold_is_when_all_hold_and_the_first_to_end_ends_it() {
        let hour = Extent::Time(Nanos::from_secs(3600));
        assert_eq!(mix(vec![part(0, 60, hour), part(0, 120, hour)]), Some([120, 120, 3660]));
        assert_eq!(mix(vec![part(0, 60, hour), part(600, 0, hour)]), Some([600, 600, 3660]), "a later start");
    }

    #[test]
    fn a_part_that_ends_by_count_changes_nothing() {
        let hour = Extent::Time(Nanos::from_secs(3600));
        let job = part(1800, 0, Extent::Count(1));
        assert_eq!(mix(vec![part(0, 60, hour), job.clone()]), Some([60, 60, 3660]));
        assert_eq!(mix(vec![job]), None);
    }

    #[test]
    fn warm_ups_and_profiles_hold_when_they_are_constant() {
        let mut warm = part(0, 10, Extent::Time(Nanos::from_secs(100)));
        warm.load.warm_up = Some(Extent::Count(200));
        assert_eq!(mix(vec![warm]), Some([10, 30, 130]), "200 at 10/s are 20 s");
        let mut shaped = part(5, 0, Extent::Time(Nanos::from_secs(70)));
        let piece = |from, to, seconds| RatePiece { from, to, length: Nanos::from_secs(seconds) };
        let pieces = vec![piece(0.0, 9.0, 20), piece(9.0, 9.0, 30), piece(9.0, 0.0, 20)];
        shaped.load.model = Model::Arrivals { profile: Profile::Pieces(pieces), spacing: Spacing::Even };
        assert_eq!(mix(vec![shaped]), Some([25, 25, 55]));
    }
}
