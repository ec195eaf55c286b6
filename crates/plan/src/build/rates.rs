//! The rates and numbers of users of a load, piece by piece: ramps, warm-up, hold, profiles.

use crate::Segment;
use crate::users::levels;
use study::{Extent, Load, Profile, Ramp, UserStage};
use terms::{Nanos, Phase};

/// The rate curve of an open load.
pub(crate) fn segments(load: &Load, profile: &Profile) -> Vec<Segment> {
    rated(load, profile).into_iter().map(|piece| piece.segment).collect()
}

pub(super) fn rated(load: &Load, profile: &Profile) -> Vec<RatedPiece> {
    match profile {
        Profile::Constant(rate) => shaped(load, *rate),
        Profile::Pieces(pieces) => profiled(pieces),
    }
}

pub(super) struct RatedPiece {
    pub(super) id: String,
    pub(super) phase: Phase,
    pub(super) segment: Segment,
}

/// Ramp, warm-up and hold around one rate.
fn shaped(load: &Load, rate: f64) -> Vec<RatedPiece> {
    let mut pieces = load.ramp.map_or_else(Vec::new, |ramp| rising(ramp, rate));
    let length = |extent: Extent| match extent {
        Extent::Time(length) => length,
        Extent::Count(count) => Nanos::from_secs_f64(count as f64 / rate.max(f64::MIN_POSITIVE)),
    };
    if let Some(warm_up) = load.warm_up {
        let segment = Segment::constant(rate, length(warm_up));
        pieces.push(RatedPiece { id: "warm_up".into(), phase: Phase::WarmUp, segment });
    }
    let segment = Segment::constant(rate, length(load.hold));
    pieces.push(RatedPiece { id: "hold".into(), phase: Phase::Hold, segment });
    pieces
}

/// A smooth ramp, or its levels below full load: 50/s steps to 200/s are 50, 100 and 150.
fn rising(ramp: Ramp, rate: f64) -> Vec<RatedPiece> {
    let Some(by) = ramp.by else {
        let segment = Segment { from: 0.0, to: rate, length: ramp.over };
        return vec![RatedPiece { id: "ramp".into(), phase: Phase::Ramp, segment }];
    };
    let levels = ((rate / by - 1e-9).ceil() - 1.0).max(0.0) as i64;
    let level = |k: i64| {
        // The last level takes what the division leaves, so that the ramp is exactly as long as the study says.
        let length = ramp.over * k / levels - ramp.over * (k - 1) / levels;
        let rate = by * k as f64;
        RatedPiece {
            id: format!("ramp {}/s", short(rate)),
            phase: Phase::Ramp,
            segment: Segment::constant(rate, length),
        }
    };
    (1..=levels).map(level).collect()
}

/// A profile's pieces: constant ones are holds, the others ramps, numbered where there are several.
fn profiled(pieces: &[study::RatePiece]) -> Vec<RatedPiece> {
    let holds = pieces.iter().filter(|piece| piece.is_hold()).count();
    let mut hold = 0;
    let mut named = |piece: &study::RatePiece| {
        let segment = Segment { from: piece.from, to: piece.to, length: piece.length };
        if !piece.is_hold() {
            let id = format!("ramp {} to {}/s", short(piece.from), short(piece.to));
            return RatedPiece { id, phase: Phase::Ramp, segment };
        }
        hold += 1;
        let id = if holds == 1 { "hold".into() } else { format!("hold {hold}") };
        RatedPiece { id, phase: Phase::Hold, segment }
    };
    pieces.iter().map(&mut named).collect()
}

/// Steps of a ramp of users or connections: their names, how many there are at their ends, their lengths.
pub(super) fn user_levels(count: u32, over: Nanos, by: Option<u32>, of: &str) -> Vec<(String, u32, Nanos)> {
    match by {
        _ if over == Nanos::ZERO => Vec::new(),
        None => vec![("ramp".into(), count, over)],
        Some(by) => {
            let named = |(users, length)| (format!("ramp {users} {of}"), users, length);
            levels(count, over, by).into_iter().map(named).collect()
        }
    }
}

/// Stages of users as steps: constant ones are holds, the others ramps, numbered where there are several.
pub(super) fn staged(stages: &[UserStage]) -> Vec<(String, Phase, UserStage)> {
    let holds = stages.iter().filter(|stage| stage.is_hold()).count();
    let mut hold = 0;
    let mut named = |stage: &UserStage| {
        if !stage.is_hold() {
            return (format!("ramp {} to {} users", stage.from, stage.to), Phase::Ramp, *stage);
        }
        hold += 1;
        (if holds == 1 { "hold".into() } else { format!("hold {hold}") }, Phase::Hold, *stage)
    };
    stages.iter().map(&mut named).collect()
}

/// A rate without needless digits.
fn short(rate: f64) -> String {
    let text = format!("{rate:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
