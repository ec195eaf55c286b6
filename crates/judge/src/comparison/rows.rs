//! One statistic of both sides to one row: ratio or difference, interval, verdict and reason.

use super::sides::LegData;
use super::{Difference, OneSided, Row, RowChange, RowVerdict};
use crate::Scope;
use crate::judgement::{Arg, Args, Reason};
use stats::bootstrap::{Cells, PARTS, Resampling, Statistic, apart, exchanged, ratio};
use stats::compare::{self, Comparison, FALSE_CLAIMS, Pilot};
use stats::{Estimate, StatsError};
use terms::{Histogram, SparseHistogram};

/// Confidence of the interval for "different".
pub(super) const WIDE: f64 = 0.95;
/// Confidence of the interval for "equivalent": two one-sided tests at 5 %.
pub(super) const NARROW: f64 = 0.90;
/// From so many repetitions on each side the rank test is used.
const RANKS_FROM: usize = 4;
/// Half the width of the widest bucket: times are known to so much of themselves.
const HALF_BUCKET: f64 = 0.5 / 1024.0;
/// Shares of failed calls may differ by so much and still count as equal: a tenth of a percentage point.
pub(super) const FAILED_BAND: f64 = 0.001;

/// What is the same for all rows of a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) band: f64,
    pub(super) seed: u64,
}

/// A row before anything is known of it.
pub(super) fn blank(id: String, statistic: &str, subject: &str, scope: &Scope, unit: &str) -> Row {
    Row {
        id,
        statistic: statistic.to_owned(),
        subject: subject.to_owned(),
        scope: scope.clone(),
        unit: unit.to_owned(),
        base: None,
        other: None,
        is_base_censored: false,
        is_other_censored: false,
        base_count: 0,
        other_count: 0,
        base_replicates: 0,
        other_replicates: 0,
        is_difference: false,
        value: None,
        low: None,
        high: None,
        band: 0.0,
        change: None,
        verdict: RowVerdict::CannotTell,
        reason: reason("compared_no_samples", [("where", Arg::Text("both".into()))]),
        method: None,
        p: None,
        superiority: None,
        runs_needed: None,
        one_sided: None,
        chance: None,
    }
}

pub(super) fn reason<const N: usize>(code: &str, args: [(&str, Arg); N]) -> Reason {
    let args: Args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
    Reason { code: code.to_owned(), args }
}

/// Why two sides are not compared; `None` where nothing forbids it.
pub(super) fn not_comparable<'a>(forbidding: impl Iterator<Item = &'a Difference> + Clone) -> Option<Reason> {
    if let Some(validity) = forbidding.clone().find(|difference| difference.aspect == "validity") {
        let is_bad = |text: &str| text.starts_with("invalid");
        let side = match (is_bad(&validity.base), is_bad(&validity.other)) {
            (true, false) => "base",
            (false, true) => "other",
            _ => "both",
        };
        return Some(reason("compared_invalid", [("where", Arg::Text(side.into()))]));
    }
    let names: Vec<&str> = forbidding.map(|difference| difference.name.as_str()).collect();
    (!names.is_empty()).then(|| reason("compared_differs", [("what", Arg::Text(names.join(", ")))]))
}

/// Which side, or sides, are without a value.
pub(super) fn missing(base: bool, other: bool) -> Reason {
    let side = match (base, other) {
        (true, true) => "both",
        (true, false) => "base",
        _ => "other",
    };
    reason("compared_no_samples", [("where", Arg::Text(side.into()))])
}

/// A percentile or the mean of the times of a leg.
pub(super) fn times(mut row: Row, base: &[LegData], other: &[LegData], statistic: Statistic, terms: Terms) -> Row {
    row.band = terms.band;
    let sides = [joined(base), joined(other)];
    (row.base_count, row.other_count) = (sides[0].total(), sides[1].total());
    (row.base_replicates, row.other_replicates) = (count(base), count(other));
    let value = |histogram: &Histogram| match statistic {
        Statistic::Quantile(q) => histogram.quantile(q).map(|time| time.as_millis_f64()),
        _ => (histogram.total() > 0).then(|| histogram.sum_ns() / 1e6 / histogram.total() as f64),
    };
    (row.base, row.other) = (value(&sides[0]), value(&sides[1]));
    let is_censored = |side: &[LegData]| {
        let cuts = |leg: &LegData| match statistic {
            Statistic::Quantile(q) => leg.is_cut || leg.times.quantile(q).is_some_and(|time| leg.censoring.cuts(time)),
            _ => leg.is_cut,
        };
        side.iter().any(cuts)
    };
    row.is_base_censored = row.base.is_some() && is_censored(base);
    row.is_other_censored = row.other.is_some() && is_censored(other);
    if row.base_count == 0 || row.other_count == 0 {
        row.reason = missing(row.base_count == 0, row.other_count == 0);
        return row;
    }
    row.change = change(row.base, row.other, HALF_BUCKET);
    if let Statistic::Quantile(q) = statistic {
        let needed = stats::quantile::minimum_n(q, WIDE);
        let fewest = row.base_count.min(row.other_count);
        if fewest < needed {
            let args = [("count", Arg::Count(fewest as f64)), ("needed", Arg::Count(needed as f64))];
            return without_interval(row, reason("compared_few_calls", args));
        }
    }
    let cells = |side: &[LegData]| side.iter().map(|leg| Cells::of_times(&leg.seconds)).collect::<Vec<_>>();
    let together = |side: &[LegData]| {
        let seconds: Vec<SparseHistogram> = side.iter().flat_map(|leg| leg.seconds.iter().cloned()).collect();
        Cells::of_times(&seconds)
    };
    let of = Of {
        base: cells(base),
        other: cells(other),
        base_joined: together(base),
        other_joined: together(other),
        statistic,
    };
    let noise = resolution(base, statistic).max(resolution(other, statistic));
    match intervals(&of, terms.seed) {
        Err(why) => by_parts(row, &of, &why, noise, terms),
        found => by_ratio(row, found, noise, terms),
    }
}

/// Where there is too little time for an interval: whether the nearest of four parts of each side lie apart by more than
/// the band and what the machine may have added.
fn by_parts(mut row: Row, of: &Of, why: &StatsError, noise: Noise, terms: Terms) -> Row {
    let is_single = of.base.len() + of.other.len() < 3;
    let is_whole = !row.is_base_censored && !row.is_other_censored;
    if is_single && is_whole && matches!(why, StatsError::TooFew { .. }) {
        let (base, other) = (&of.base_joined, &of.other_joined);
        row.value = row.base.zip(row.other).map(|(base, other)| other / base);
        if let Ok(least) = apart(base, other, of.statistic) {
            let (low, high) = beyond_noise(&row, (least, least), noise);
            if low > 1.0 + terms.band || high < 1.0 / (1.0 + terms.band) {
                row.verdict = RowVerdict::Different;
                row.reason = reason("compared_apart", [("parts", Arg::Count(PARTS as f64))]);
                return row;
            }
        }
    }
    let why = refused_of(&row, why);
    without_interval(row, why)
}

/// The mean of a series, or counts a second. `noise_ms` and the mean time that it stands beside, for rates of a closed
/// load; `is_level`: whether the level itself belongs to a run, so that one run a side proves nothing about it.
pub(super) fn sums(
    mut row: Row,
    base: &[Vec<(u64, f64)>],
    other: &[Vec<(u64, f64)>],
    statistic: Statistic,
    noise: f64,
    is_level: bool,
    terms: Terms,
) -> Row {
    row.band = terms.band;
    let total = |side: &[Vec<(u64, f64)>]| side.iter().flatten().map(|(count, _)| count).sum::<u64>();
    (row.base_count, row.other_count) = (total(base), total(other));
    let filled = |side: &[Vec<(u64, f64)>]| side.iter().filter(|seconds| !seconds.is_empty()).count() as u32;
    (row.base_replicates, row.other_replicates) = (filled(base), filled(other));
    let together = |side: &[Vec<(u64, f64)>]| Cells::of_sums(&side.concat());
    let joined = (together(base), together(other));
    (row.base, row.other) = (joined.0.value(statistic).ok(), joined.1.value(statistic).ok());
    if row.base.is_none() || row.other.is_none() {
        row.reason = missing(row.base.is_none(), row.other.is_none());
        return row;
    }
    row.change = change(row.base, row.other, 0.0);
    let cells = |side: &[Vec<(u64, f64)>]| side.iter().map(|seconds| Cells::of_sums(seconds)).collect::<Vec<_>>();
    let of = Of { base: cells(base), other: cells(other), base_joined: joined.0, other_joined: joined.1, statistic };
    let found = intervals(&of, terms.seed);
    let is_single = row.base_replicates < 2 && row.other_replicates < 2;
    let mut row = by_ratio(row, found, Noise::Relative(noise), terms);
    if is_level && is_single {
        row.one_sided = None;
    }
    if is_level && is_single && matches!(row.verdict, RowVerdict::Different | RowVerdict::Equivalent) {
        row.verdict = RowVerdict::CannotTell;
        row.reason = reason("compared_one_level", []);
    }
    row
}

/// A value of each repetition, without anything from within a run.
pub(super) fn values(mut row: Row, base: &[f64], other: &[f64], terms: Terms) -> Row {
    row.band = terms.band;
    (row.base_count, row.other_count) = (base.len() as u64, other.len() as u64);
    (row.base_replicates, row.other_replicates) = (base.len() as u32, other.len() as u32);
    let mean = |side: &[f64]| (!side.is_empty()).then(|| side.iter().sum::<f64>() / side.len() as f64);
    (row.base, row.other) = (mean(base), mean(other));
    if row.base.is_none() || row.other.is_none() {
        row.reason = missing(base.is_empty(), other.is_empty());
        return row;
    }
    row.change = change(row.base, row.other, 0.0);
    if base.len() + other.len() < 3 {
        return without_interval(row, reason("compared_census", []));
    }
    let found = over_runs(base, other);
    by_ratio(row, found, Noise::Relative(0.0), terms)
}

/// Both sides of a statistic, by repetition and joined.
struct Of {
    base: Vec<Cells>,
    other: Vec<Cells>,
    base_joined: Cells,
    other_joined: Cells,
    statistic: Statistic,
}

/// A ratio with the interval for either claim.
struct Found {
    wide: Estimate,
    narrow: (f64, f64),
    p: Option<f64>,
    superiority: Option<f64>,
    /// Standard deviation of one run's logarithm.
    deviation: f64,
    /// Degrees of freedom of the interval.
    freedom: f64,
    /// Of one run a side: whether its blocks of time, dealt out anew, come to lie as far apart.
    dealt: Option<Dealt>,
}

/// What dealing out the blocks of both sides anew says of a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dealt {
    /// The chance that two equal sides lie so far apart.
    Chance(f64),
    /// There are too few blocks to deal out, and the sides lie so far apart that none are needed.
    Apart,
    /// There are too few: seconds at hand, and seconds that are needed.
    TooShort(u64, u64),
}

impl Dealt {
    /// `is_apart` is asked where there are too few blocks; `None` where the sides have no statistic.
    pub(super) fn of(chance: Result<f64, StatsError>, is_apart: impl FnOnce() -> bool) -> Option<Self> {
        match chance {
            Ok(chance) => Some(Self::Chance(chance)),
            Err(StatsError::TooFew { .. }) if is_apart() => Some(Self::Apart),
            Err(StatsError::TooFew { have, need }) => Some(Self::TooShort(have, need)),
            Err(_) => None,
        }
    }

    /// The chance of a row among others: no less than this one.
    pub(super) fn at_least(dealt: Option<Self>, chance: f64) -> f64 {
        if let Some(Self::Chance(dealt)) = dealt { chance.max(dealt) } else { chance }
    }

    /// Why a difference does not stand; `None` where it does.
    pub(super) fn objection(self) -> Option<Reason> {
        match self {
            Self::Chance(chance) if chance > FALSE_CLAIMS => {
                Some(reason("compared_dealt", [("chance", Arg::Share(chance))]))
            }
            Self::Chance(_) | Self::Apart => None,
            Self::TooShort(have, need) => Some(refused(&StatsError::TooFew { have, need })),
        }
    }
}

/// From repetitions where there are any, else from the blocks of one run a side.
fn intervals(of: &Of, seed: u64) -> Result<Found, StatsError> {
    let within = || {
        ratio(&of.base_joined, &of.other_joined, of.statistic, Resampling::usual(seed)).map(|found| Found {
            wide: found.ratio,
            narrow: found.narrow,
            p: None,
            superiority: None,
            deviation: found.log_error / 2f64.sqrt(),
            freedom: (found.blocks - 1.0).max(1.0),
            dealt: None,
        })
    };
    let value = |cells: &Cells| cells.value(of.statistic);
    let base: Vec<f64> = of.base.iter().map(value).collect::<Result<_, _>>()?;
    let other: Vec<f64> = of.other.iter().map(value).collect::<Result<_, _>>()?;
    if base.len() + other.len() < 3 {
        let mut found = within()?;
        let (base, other) = (&of.base_joined, &of.other_joined);
        let is_apart = || apart(base, other, of.statistic).is_ok_and(|ratio| ratio != 1.0);
        found.dealt = Dealt::of(exchanged(base, other, of.statistic, seed), is_apart);
        return Ok(found);
    }
    let mut found = over_runs(&base, &other)?;
    if found.p.is_none()
        && let Ok(within) = within()
    {
        // Two or three runs can lie close to each other by chance; what one run shows of its own spread stays.
        found.wide.low = found.wide.low.min(within.wide.low);
        found.wide.high = found.wide.high.max(within.wide.high);
        found.narrow = (found.narrow.0.min(within.narrow.0), found.narrow.1.max(within.narrow.1));
    }
    Ok(found)
}

fn over_runs(base: &[f64], other: &[f64]) -> Result<Found, StatsError> {
    let deviation = deviation_of_runs(base, other);
    let freedom = (base.len() + other.len()) as f64 - 2.0;
    if base.len() >= RANKS_FROM && other.len() >= RANKS_FROM {
        let test = compare::mann_whitney(base, other)?;
        let wide = compare::hodges_lehmann_ratio(base, other, WIDE)?;
        let narrow = compare::hodges_lehmann_ratio(base, other, NARROW)?;
        let (p, superiority) = (Some(test.p), Some(test.superiority));
        return Ok(Found { wide, narrow: (narrow.low, narrow.high), p, superiority, deviation, freedom, dealt: None });
    }
    let wide = compare::ratio_of_runs(base, other, WIDE)?;
    let narrow = compare::ratio_of_runs(base, other, NARROW)?;
    Ok(Found { wide, narrow: (narrow.low, narrow.high), p: None, superiority: None, deviation, freedom, dealt: None })
}

/// Pooled standard deviation of the logarithms.
fn deviation_of_runs(base: &[f64], other: &[f64]) -> f64 {
    let squares = |side: &[f64]| {
        let logs: Vec<f64> = side.iter().map(|value| value.ln()).collect();
        stats::moments::variance(&logs).map_or(0.0, |variance| variance * (logs.len() - 1) as f64)
    };
    let freedom = (base.len() + other.len()).saturating_sub(2).max(1);
    ((squares(base) + squares(other)) / freedom as f64).sqrt()
}

/// How far a value may lie beside what the system did, because of the machine that measured.
#[derive(Clone, Copy, Debug)]
enum Noise {
    Absolute(f64),
    /// A share of the value.
    Relative(f64),
}

impl Noise {
    fn max(self, other: Self) -> Self {
        match (self, other) {
            (Self::Absolute(a), Self::Absolute(b)) => Self::Absolute(a.max(b)),
            (_, other) => other,
        }
    }

    fn share_of(self, value: f64) -> f64 {
        match self {
            Self::Absolute(ms) => ms / value,
            Self::Relative(share) => share,
        }
    }
}

/// How late the machine ran the generator's own threads at this statistic: the system's threads, woken by the same
/// machine, are about as late, and no more alike from run to run. In a closed load the delay in the run queue stands
/// for it.
fn resolution(side: &[LegData], statistic: Statistic) -> Noise {
    let of = |leg: &LegData| {
        let late = match statistic {
            Statistic::Quantile(q) => leg.lateness.quantile(q),
            _ => leg.lateness.mean(),
        };
        late.map_or(0.0, |late| late.as_millis_f64()).max(1e3 * leg.run_queue_s)
    };
    Noise::Absolute(side.iter().map(of).fold(0.0, f64::max))
}

/// Fills a row from a ratio, and tells it.
fn by_ratio(mut row: Row, found: Result<Found, StatsError>, noise: Noise, terms: Terms) -> Row {
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            let why = refused_of(&row, &why);
            return without_interval(row, why);
        }
    };
    let ratio = found.wide.value;
    (row.value, row.low, row.high) = (Some(ratio), Some(found.wide.low), Some(found.wide.high));
    (row.p, row.superiority) = (found.p, found.superiority);
    row.method = Some(found.wide.method.to_owned());
    row.one_sided = Some(one_sided(&row, found.narrow, noise));
    row.chance = Some(Dealt::at_least(found.dealt, chance_of_ratio(&found)));
    if row.is_base_censored || row.is_other_censored {
        return by_bound(row, terms);
    }
    let verdict = compare::judge_ratio((found.wide.low, found.wide.high), found.narrow, terms.band);
    if verdict == Comparison::Different && !is_beyond_noise(&row, &found.wide, noise, terms.band) {
        row.reason = reason("compared_within_noise", []);
        return row;
    }
    if verdict == Comparison::Different
        && let Some(objection) = found.dealt.and_then(Dealt::objection)
    {
        row.reason = objection;
        return row;
    }
    if verdict == Comparison::Inconclusive {
        let runs = (row.base_replicates as usize, row.other_replicates as usize);
        let pilot = Pilot { ratio, deviation: found.deviation, freedom: found.freedom, runs };
        row.runs_needed = compare::runs_needed(&pilot, terms.band, WIDE);
    }
    let is_changed = found.wide.low > 1.0 || found.wide.high < 1.0;
    let mut row = told(row, verdict);
    if is_changed && row.verdict == RowVerdict::CannotTell {
        row.reason = reason("compared_changed", [("limit", Arg::Share(row.band).given())]);
    }
    row
}

/// Chance that two equal sides are seen so far apart.
fn chance_of_ratio(found: &Found) -> f64 {
    let value = found.wide.value.ln();
    let end = if value > 0.0 { found.wide.low.ln() } else { found.wide.high.ln() };
    compare::chance_beyond(value, end, 0.0, WIDE, found.freedom)
}

/// Whether the interval stays outside the band when the greater of the two values is less by what the machine may have
/// added to it.
fn is_beyond_noise(row: &Row, wide: &Estimate, noise: Noise, band: f64) -> bool {
    let (low, high) = beyond_noise(row, (wide.low, wide.high), noise);
    low > 1.0 + band || high < 1.0 / (1.0 + band)
}

/// The ends of an interval of the ratio: the low one should the other be less by what the machine may have added to it,
/// the high one should the base. The rank test of four runs a side has that variation in it already.
fn beyond_noise(row: &Row, (low, high): (f64, f64), noise: Noise) -> (f64, f64) {
    let (Some(base), Some(other)) = (row.base, row.other) else { return (0.0, f64::INFINITY) };
    if row.p.is_some() {
        return (low, high);
    }
    let (of_base, of_other) = (noise.share_of(base), noise.share_of(other));
    let high = if of_base < 1.0 { high / (1.0 - of_base) } else { f64::INFINITY };
    (low * (1.0 - of_other).max(0.0), high)
}

fn one_sided(row: &Row, (low, high): (f64, f64), noise: Noise) -> OneSided {
    let (low_of_rise, high_of_fall) = beyond_noise(row, (low, high), noise);
    let is_bound = row.is_other_censored;
    OneSided { low, high: (!is_bound).then_some(high), low_of_rise, high_of_fall: (!is_bound).then_some(high_of_fall) }
}

/// A value that is cut off at the time-out is "at least": it proves a rise at most, and never equality.
fn by_bound(mut row: Row, terms: Terms) -> Row {
    row.high = None;
    if row.is_base_censored {
        // The other may be at least so much too: the ratio says nothing.
        (row.value, row.low, row.change, row.one_sided) = (None, None, None, None);
        row.reason = reason("compared_base_censored", []);
        return row;
    }
    row.change = row.change.map(|change| RowChange { high: change.value, ..change });
    (row.verdict, row.reason) = if row.low.is_some_and(|low| low > 1.0 + terms.band) {
        (RowVerdict::Different, reason("compared_at_least", [("limit", Arg::Share(terms.band).given())]))
    } else {
        (RowVerdict::CannotTell, reason("compared_other_censored", []))
    };
    row
}

pub(super) fn told(mut row: Row, verdict: Comparison) -> Row {
    let band = ("limit", Arg::Share(row.band).given());
    (row.verdict, row.reason) = match (verdict, row.runs_needed) {
        (Comparison::Different, _) => (RowVerdict::Different, reason("compared_outside", [band])),
        (Comparison::Equivalent, _) => (RowVerdict::Equivalent, reason("compared_inside", [band])),
        (Comparison::Inconclusive, Some(runs)) => {
            let needed = ("needed", Arg::Count(runs as f64));
            (RowVerdict::CannotTell, reason("compared_straddles_runs", [band, needed]))
        }
        (Comparison::Inconclusive, None) => (RowVerdict::CannotTell, reason("compared_straddles", [band])),
    };
    row
}

/// Why a row has no interval: where one run a side has a value each, a part of a run has none. Of several runs, one may
/// have a value of 0.
fn refused_of(row: &Row, why: &StatsError) -> Reason {
    let has_values = [row.base, row.other].iter().all(|side| side.is_some_and(|value| value > 0.0));
    match why {
        StatsError::OutOfRange(_) if has_values && row.base_replicates + row.other_replicates < 3 => {
            reason("compared_sparse", [])
        }
        why => refused(why),
    }
}

fn refused(why: &StatsError) -> Reason {
    match why {
        StatsError::TooFew { have, need } => {
            let args = [("needed", Arg::Seconds(*need as f64)), ("seconds", Arg::Seconds(*have as f64))];
            reason("compared_too_short", args)
        }
        StatsError::Saturated { count } => reason("compared_saturated", [("count", Arg::Count(*count as f64))]),
        _ => reason("compared_zero", []),
    }
}

/// A row whose ratio has no interval still shows the ratio.
fn without_interval(mut row: Row, why: Reason) -> Row {
    row.value = match (row.base, row.other) {
        (Some(base), Some(other)) if base > 0.0 && !row.is_base_censored && !row.is_other_censored => {
            Some(other / base)
        }
        _ => None,
    };
    row.verdict = RowVerdict::CannotTell;
    row.reason = why;
    row
}

/// The relative change; both values are known to `half` of themselves.
pub(super) fn change(base: Option<f64>, other: Option<f64>, half: f64) -> Option<RowChange> {
    let (base, other) = (base?, other?);
    let value = compare::percent_change(base, other, 0.0).ok()?.value;
    let low = other * (1.0 - half) / (base * (1.0 + half)) - 1.0;
    let high = other * (1.0 + half) / (base * (1.0 - half)) - 1.0;
    Some(RowChange { value, low, high })
}

fn joined(side: &[LegData]) -> Histogram {
    let mut all = Histogram::new();
    side.iter().for_each(|leg| all.merge(&leg.times));
    all
}

fn count(side: &[LegData]) -> u32 {
    side.iter().filter(|leg| leg.times.total() > 0).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_values_above_0_it_is_not_said_that_0_has_no_ratio() {
        let of = |base, other, why: &StatsError| {
            let row = blank(String::new(), "mean", "x", &Scope::run(), "ms");
            let row = Row { base, other, base_replicates: 1, other_replicates: 1, ..row };
            let several = Row { other_replicates: 2, ..row.clone() };
            (refused_of(&row, why).code, refused_of(&several, why).code)
        };
        let of_one = |base, other, why: &StatsError| of(base, other, why).0;
        let out = StatsError::OutOfRange("a part of the run has no value above 0");
        assert_eq!(of_one(Some(1.0), Some(1.0), &out), "compared_sparse");
        assert_eq!(of_one(Some(0.0), Some(1.0), &out), "compared_zero");
        assert_eq!(of_one(Some(1.0), Some(1.0), &StatsError::TooFew { have: 1, need: 10 }), "compared_too_short");
        // One of several runs may have had 0.
        assert_eq!(of(Some(1.0), Some(1.0), &out).1, "compared_zero");
    }
}
