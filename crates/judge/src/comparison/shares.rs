//! Shares of two sides: calls that failed.

use super::rows::{Dealt, NARROW, WIDE, change, missing, reason, told};
use super::sides::LegData;
use super::{Row, RowVerdict};
use crate::judgement::Arg;
use stats::bootstrap::{Cells, PARTS, Statistic, exchanged, gap};
use stats::compare::{self, Comparison};
use stats::memory::Memory;
use stats::share::{Counted, newcombe};
use stats::{Estimate, StatsError};

/// Parts of less than two seconds each are none.
const SECONDS_FEWEST: usize = 2 * PARTS;

/// The share of calls that failed, of each repetition. What calls of which nobody knows whether they failed could turn is not
/// claimed.
pub(super) fn share(row: Row, base: &[LegData], other: &[LegData], terms: (f64, u64)) -> Row {
    let open = |side: &[LegData]| side.iter().map(|leg| leg.unsettled).sum::<u64>();
    let known = |side: &[LegData]| total(&side.iter().flat_map(|leg| leg.failed.clone()).collect::<Vec<_>>());
    let ends = |side: &[LegData]| {
        let ((hits, all), open) = (known(side), open(side));
        let of = |hits: u64| hits as f64 / (all + open).max(1) as f64;
        (of(hits), of(hits + open))
    };
    let (before, after) = (ends(base), ends(other));
    let row = settled(row, base, other, terms);
    let is_turned = match row.verdict {
        RowVerdict::Equivalent => (before.1 - before.0).max(after.1 - after.0) > row.band,
        RowVerdict::Different => after.0 - before.1 <= 0.0 && after.1 - before.0 >= 0.0,
        _ => false,
    };
    let open = open(base) + open(other);
    if open == 0 || !is_turned {
        return row;
    }
    let args = [("open", Arg::Count(open as f64))];
    Row { verdict: RowVerdict::CannotTell, reason: reason("compared_unsettled", args), runs_needed: None, ..row }
}

fn settled(mut row: Row, base: &[LegData], other: &[LegData], (band, seed): (f64, u64)) -> Row {
    let failed = |side: &[LegData]| side.iter().map(|leg| leg.failed.clone()).collect::<Vec<_>>();
    let of_times = [base, other].map(|side| side.iter().find(|leg| !leg.failed.is_empty()).and_then(LegData::memory));
    let (base, other) = (&failed(base)[..], &failed(other)[..]);
    row.band = band;
    row.is_difference = true;
    let filled = |side: &[Vec<(u64, u64)>]| side.iter().filter(|run| total(run).1 > 0).count() as u32;
    (row.base_replicates, row.other_replicates) = (filled(base), filled(other));
    let (before, after) = (total(&base.concat()), total(&other.concat()));
    (row.base_count, row.other_count) = (before.1, after.1);
    let of = |(hits, all): (u64, u64)| (all > 0).then(|| hits as f64 / all as f64);
    (row.base, row.other) = (of(before), of(after));
    let Some((of_base, of_other)) = row.base.zip(row.other) else {
        row.reason = missing(row.base.is_none(), row.other.is_none());
        return row;
    };
    row.change = change(row.base, row.other, 0.0);
    row.value = Some(of_other - of_base);
    let found = if row.base_replicates + row.other_replicates < 3 {
        within(&base.concat(), &other.concat(), &of_times, seed)
    } else {
        over_runs(base, other)
    };
    match found {
        Ok(Found { wide, narrow, freedom, dealt }) => {
            (row.low, row.high, row.method) = (Some(wide.low), Some(wide.high), Some(wide.method.to_owned()));
            let end = if wide.value > 0.0 { wide.low } else { wide.high };
            let chance = compare::chance_beyond(wide.value, end, 0.0, WIDE, freedom);
            row.chance = Some(Dealt::at_least(dealt, chance));
            let verdict = compare::judge_difference((wide.low, wide.high), narrow, band);
            match dealt.and_then(Dealt::objection) {
                Some(objection) if verdict == Comparison::Different => Row { reason: objection, ..row },
                _ => told(row, verdict),
            }
        }
        Err(StatsError::TooFew { have, need }) => by_parts(row, &base.concat(), &other.concat(), (have, need)),
        Err(_) => {
            row.reason = missing(true, true);
            row
        }
    }
}

/// A difference of shares with the interval for either claim.
struct Found {
    /// For "different".
    wide: Estimate,
    /// The ends of that for "equivalent".
    narrow: (f64, f64),
    /// Degrees of freedom of both.
    freedom: f64,
    /// Of one run a side.
    dealt: Option<Dealt>,
}

/// From one run a side: by the memory that each shows, with a refusal where it is too short for that.
fn within(
    base: &[(u64, u64)],
    other: &[(u64, u64)],
    [base_times, other_times]: &[Option<Memory>; 2],
    seed: u64,
) -> Result<Found, StatsError> {
    let of_base = Memory::of_share(base)?.beside(base_times.as_ref()).checked()?;
    let of_other = Memory::of_share(other)?.beside(other_times.as_ref()).checked()?;
    let interval = |confidence: f64| {
        let counted = |seconds: &[(u64, u64)], memory: &Memory| {
            let (hits, total) = total(seconds);
            Counted { hits, total, design_effect: memory.effects(confidence).greater() }
        };
        newcombe(counted(base, &of_base), counted(other, &of_other), confidence)
    };
    let (wide, narrow) = (interval(WIDE)?, interval(NARROW)?);
    let cells = |seconds: &[(u64, u64)]| {
        Cells::of_sums(&seconds.iter().map(|(failed, all)| (*all, *failed as f64)).collect::<Vec<_>>())
    };
    let is_apart = || parts(base).zip(parts(other)).is_some_and(|(base, other)| gap(&base, &other) != 0.0);
    let dealt = Dealt::of(exchanged(&cells(base), &cells(other), Statistic::Mean, seed), is_apart);
    let freedom = of_base.freedom().min(of_other.freedom());
    Ok(Found { wide, narrow: (narrow.low, narrow.high), freedom, dealt })
}

/// From repetitions: one observation is the run. Runs can lie close to each other by chance, above all where hardly
/// anything failed; what the calls of all of them show of their own spread stays.
fn over_runs(base: &[Vec<(u64, u64)>], other: &[Vec<(u64, u64)>]) -> Result<Found, StatsError> {
    let shares = |side: &[Vec<(u64, u64)>]| -> Vec<f64> {
        let filled = side.iter().map(|run| total(run)).filter(|(_, all)| *all > 0);
        filled.map(|(hits, all)| hits as f64 / all as f64).collect()
    };
    let (of_base, of_other) = (shares(base), shares(other));
    let pooled = |side: &[Vec<(u64, u64)>]| {
        let seconds = side.concat();
        let (hits, total) = total(&seconds);
        let effect = stats::batches::design_effect_of_share(&seconds, stats::batches::USUAL).unwrap_or(1.0);
        Counted { hits, total, design_effect: effect }
    };
    let joined = |confidence: f64| {
        let runs = compare::difference_of_runs(&of_base, &of_other, confidence)?;
        let calls = newcombe(pooled(base), pooled(other), confidence)?;
        Ok(Estimate { low: runs.low.min(calls.low), high: runs.high.max(calls.high), ..runs })
    };
    let (wide, narrow): (Estimate, Estimate) = (joined(WIDE)?, joined(NARROW)?);
    let freedom = (of_base.len() + of_other.len()) as f64 - 2.0;
    Ok(Found { wide, narrow: (narrow.low, narrow.high), freedom, dealt: None })
}

/// Where there is too little time for an interval: whether the nearest of four parts of each side lie farther apart than
/// the band, and than the parts of either side among themselves make likely.
fn by_parts(mut row: Row, base: &[(u64, u64)], other: &[(u64, u64)], (have, need): (u64, u64)) -> Row {
    if let (Some(base), Some(other)) = (parts(base), parts(other))
        && gap(&base, &other).abs() > row.band
    {
        row.verdict = RowVerdict::Different;
        row.reason = reason("compared_apart", [("parts", Arg::Count(PARTS as f64))]);
        return row;
    }
    let args = [("needed", Arg::Seconds(need as f64)), ("seconds", Arg::Seconds(have as f64))];
    row.reason = reason("compared_too_short", args);
    row
}

/// The share of each of four parts; none where they are shorter than two seconds or one has no calls.
fn parts(seconds: &[(u64, u64)]) -> Option<Vec<f64>> {
    let part = |part: usize| {
        let (hits, all) = total(&seconds[part * seconds.len() / PARTS..(part + 1) * seconds.len() / PARTS]);
        (all > 0).then(|| hits as f64 / all as f64)
    };
    if seconds.len() < SECONDS_FEWEST { None } else { (0..PARTS).map(part).collect() }
}

/// Hits and all.
fn total(seconds: &[(u64, u64)]) -> (u64, u64) {
    seconds.iter().fold((0, 0), |sum, second| (sum.0 + second.0, sum.1 + second.1))
}
