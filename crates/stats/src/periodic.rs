//! Periods: autocorrelation, folding, and what happens at the same moments. Page: `docs/methods/periods.md`.

use crate::StatsError;
use crate::series::check;
use crate::special::normal_quantile;
use std::ops::Range;

/// A period is told when so many of it are in the series.
pub const FEWEST_REPEATS: usize = 3;
/// A local maximum is dominant when it is at least this share of the greatest one.
const DOMINANT: f64 = 0.8;
/// Chance of taking plain noise for a period, over all lags together.
const FALSE_ALARM: f64 = 0.001;
/// Least correlation of neighbouring periods that is called one; and of the two halves' folded profiles.
const LEAST_CORRELATION: f64 = 0.3;
const LEAST_AGREEMENT: f64 = 0.5;

/// The correlations of a series with itself, for lags 0 up to `lag_max`.
///
/// `values`: oldest first, evenly spaced, more than `lag_max + 1`, up to [`crate::series::LONGEST`], not all equal.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`] when all values are equal.
/// Source: as [`crate::batches::autocorrelation`].
pub fn autocorrelations(values: &[f64], lag_max: usize) -> Result<Vec<f64>, StatsError> {
    check(values, lag_max + 2)?;
    let mean = crate::moments::plain(values)?;
    let distances: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let product = |lag: usize| distances.iter().zip(&distances[lag..]).map(|(a, b)| a * b).sum::<f64>();
    let all = product(0);
    // Rounding alone can leave a little of equal values.
    if all <= 1e-24 * mean * mean * values.len() as f64 {
        return Err(StatsError::OutOfRange("all values are equal"));
    }
    Ok((0..=lag_max).map(|lag| product(lag) / all).collect())
}

/// A period that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Period {
    /// In values, to the nearest whole.
    pub lag: usize,
    /// In values, refined by the farthest multiple that still shows: a period need not be a whole number of them.
    pub length: f64,
    /// Correlation at `lag`.
    pub correlation: f64,
    /// What plain noise stays below at one given lag in 95 % of all series, `1.96/√n`.
    pub noise_bound: f64,
    /// How often the period fits into the series.
    pub repeats: f64,
    /// Correlation between the folded profiles of the first and the second half, -1..=1.
    pub agreement: f64,
}

/// The period of a series, if it has one.
///
/// `values`: oldest first, evenly spaced, 12 up to [`crate::series::LONGEST`]; without trend, which has no period but
/// correlates at every lag. The period is the first dominant local maximum of the autocorrelation, among lags of 2 up
/// to a third of the series: at least 0.3, above what noise reaches at any of these lags in one series of a thousand,
/// and at least 0.8 of the greatest local maximum. The correlation must have fallen below half of it in between, and
/// both halves of the series, folded at it, must show the same profile (correlation 0.5 or more): slow wandering has
/// local maxima too, but elsewhere in each half.
///
/// Not by periodogram: the spectrum of short stalls is a comb of equal teeth, and its greatest tooth may be a harmonic.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`] above the length. Equal values have no
/// period, and are not an error.
pub fn period(values: &[f64]) -> Result<Option<Period>, StatsError> {
    check(values, 4 * FEWEST_REPEATS)?;
    let n = values.len();
    let lag_max = n / FEWEST_REPEATS;
    let Ok(correlations) = autocorrelations(values, (lag_max + 1).min(n - 2)) else { return Ok(None) };
    let is_peak = |lag: usize| correlations[lag] > correlations[lag - 1] && correlations[lag] >= correlations[lag + 1];
    let peaks: Vec<usize> = (2..correlations.len() - 1).filter(|&lag| lag <= lag_max && is_peak(lag)).collect();
    let greatest = peaks.iter().map(|&lag| correlations[lag]).fold(0.0, f64::max);
    let by_chance = normal_quantile(1.0 - FALSE_ALARM / lag_max as f64) / (n as f64).sqrt();
    let least = f64::max(LEAST_CORRELATION, by_chance).max(DOMINANT * greatest);
    let Some(lag) = peaks.into_iter().find(|&lag| correlations[lag] >= least) else { return Ok(None) };
    let correlation = correlations[lag];
    if correlations[1..lag].iter().all(|between| *between > 0.5 * correlation) {
        return Ok(None);
    }
    let length = refined(values, &correlations, lag);
    let agreement = halves_agree(values, length);
    let found = Period {
        lag,
        length,
        correlation,
        noise_bound: 1.96 / (n as f64).sqrt(),
        repeats: n as f64 / length,
        agreement,
    };
    Ok((agreement >= LEAST_AGREEMENT).then_some(found))
}

/// Follows the maximum to its multiples while they show: the k-th stands at k times the length, within a value or so.
fn refined(values: &[f64], correlations: &[f64], lag: usize) -> f64 {
    let mut length = lag as f64;
    let farthest = values.len() * 2 / 3;
    let all = autocorrelations(values, farthest).unwrap_or_else(|_| correlations.to_vec());
    for multiple in 2.. {
        let near = (length * f64::from(multiple)).round() as usize;
        if near + 2 >= all.len() {
            break;
        }
        let reach = 1.max(lag / 8);
        let window = near.saturating_sub(reach)..=(near + reach).min(all.len() - 2);
        let Some(top) = window.max_by(|a, b| all[*a].total_cmp(&all[*b])) else { break };
        // Fewer and fewer pairs stand behind far lags: what their share takes away is allowed for.
        let expected = correlations[lag] * (1.0 - top as f64 / values.len() as f64);
        if all[top] < 0.5 * expected {
            break;
        }
        length = top as f64 / f64::from(multiple);
    }
    length
}

fn halves_agree(values: &[f64], length: f64) -> f64 {
    let half = values.len() / 2;
    let bins = (length.round() as usize).max(2);
    let early = profile(values.iter().copied().enumerate().take(half), length, bins);
    let late = profile(values.iter().copied().enumerate().skip(half), length, bins);
    let pairs: Vec<(f64, f64)> = early.into_iter().zip(late).filter_map(|(a, b)| Some((a?, b?))).collect();
    pearson(&pairs)
}

fn pearson(pairs: &[(f64, f64)]) -> f64 {
    let n = pairs.len().max(1) as f64;
    let (mean_a, mean_b) = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0 / n, sum.1 + pair.1 / n));
    let sum = |of: fn(f64, f64) -> f64| pairs.iter().map(|(a, b)| of(a - mean_a, b - mean_b)).sum::<f64>();
    let product = (sum(|a, _| a * a) * sum(|_, b| b * b)).sqrt();
    if product > 0.0 { sum(|a, b| a * b) / product } else { 0.0 }
}

/// Mean by phase; `None` for a phase without values.
fn profile(values: impl Iterator<Item = (usize, f64)>, length: f64, bins: usize) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); bins];
    for (place, value) in values {
        let bin = phase(place, length, bins);
        sums[bin].0 += value;
        sums[bin].1 += 1.0;
    }
    sums.into_iter().map(|(sum, count)| (count > 0.0).then(|| sum / count)).collect()
}

fn phase(place: usize, length: f64, bins: usize) -> usize {
    // A hair is added so that whole multiples do not fall back into the bin before.
    let turns = place as f64 / length + 1e-9;
    ((turns.fract() * bins as f64) as usize).min(bins - 1)
}

/// A series folded at its period: two levels, the usual one and that of the episodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The period, in values.
    pub length: f64,
    /// Mean by phase, from the first value on; one for each value of the period.
    pub profile: Vec<f64>,
    /// Mean of the phases on the usual level, the one that lasts longer.
    pub usual: f64,
    /// Mean of the phases on the other level.
    pub episode: f64,
    /// Share of the period on the other level, up to 0.5.
    pub duty: f64,
    /// Mean of the series.
    pub mean: f64,
    /// Share of the series' variance that the profile explains, 0..=1.
    pub explained: f64,
    /// Places of the episodes in the series, in order: the phases on the other level.
    pub episodes: Vec<Range<usize>>,
}

impl Fold {
    /// Relative distance of the episodes from the usual level, `(episode - usual)/|usual|`: -1 when nothing is left.
    pub fn depth(&self) -> f64 {
        (self.episode - self.usual) / self.usual.abs()
    }

    /// What the episodes take away from the whole, `1 - mean/usual`: the lost share of a throughput.
    pub fn lost(&self) -> f64 {
        1.0 - self.mean / self.usual
    }
}

/// Folds a series at a period and splits its profile into two levels, where that leaves the least squares.
///
/// `values`: oldest first, evenly spaced, at least two periods, up to [`crate::series::LONGEST`]. `length`: the period
/// in values, at least 2.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn fold(values: &[f64], length: f64) -> Result<Fold, StatsError> {
    if !(length >= 2.0 && length.is_finite()) {
        return Err(StatsError::OutOfRange("`length` must be 2 or more"));
    }
    check(values, (2.0 * length).ceil() as usize)?;
    let bins = length.round() as usize;
    let mean = crate::moments::plain(values)?;
    let phases = profile(values.iter().copied().enumerate(), length, bins);
    let phases: Vec<f64> = phases.into_iter().map(|phase| phase.unwrap_or(mean)).collect();
    let mut sorted = phases.clone();
    sorted.sort_by(f64::total_cmp);
    let cut = crate::change::best_split(&sorted)?;
    let is_low_rarer = cut.at <= bins - cut.at;
    let (usual, episode, count) =
        if is_low_rarer { (cut.after, cut.before, cut.at) } else { (cut.before, cut.after, bins - cut.at) };
    let threshold = 0.5 * (sorted[cut.at - 1] + sorted[cut.at]);
    let is_episode: Vec<bool> = phases.iter().map(|&phase| (phase < threshold) == is_low_rarer).collect();
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let rest: f64 =
        values.iter().enumerate().map(|(place, value)| (value - phases[phase(place, length, bins)]).powi(2)).sum();
    let mut episodes: Vec<Range<usize>> = Vec::new();
    for place in (0..values.len()).filter(|&place| is_episode[phase(place, length, bins)]) {
        match episodes.last_mut() {
            Some(last) if last.end == place => last.end += 1,
            _ => episodes.push(place..place + 1),
        }
    }
    Ok(Fold {
        length,
        usual,
        episode,
        duty: count as f64 / bins as f64,
        mean,
        explained: if total > 0.0 { (1.0 - rest / total).clamp(0.0, 1.0) } else { 0.0 },
        episodes,
        profile: phases,
    })
}

/// How often episodes and events fall together, and how often they would by chance.
#[derive(Clone, Debug, PartialEq)]
pub struct CoOccurrence {
    /// Share of the episodes with an event near.
    pub share: f64,
    /// Share of all circular shifts of the events that reach this share or more; the unshifted one counts.
    pub p: f64,
    /// Number of episodes.
    pub episodes: usize,
}

/// Share of episodes with an event within `reach` values, against the same after every circular shift of the events.
///
/// `episodes`, `events`: places in a series of `length` values, 1 up to [`crate::series::LONGEST`]; places beyond it
/// are left out. All shifts are tried, so the answer is exact and has no random number in it. Shifting keeps the
/// rhythm of both: two clocks of one period fall together after every whole turn, and that is in `p`.
///
/// # Errors
/// [`StatsError::TooFew`] without episodes; [`StatsError::OutOfRange`].
pub fn co_occurrence(
    episodes: &[usize],
    events: &[usize],
    length: usize,
    reach: usize,
) -> Result<CoOccurrence, StatsError> {
    if length == 0 || length > crate::series::LONGEST {
        return Err(StatsError::OutOfRange("`length` must be 1 up to 5000"));
    }
    let episodes: Vec<usize> = episodes.iter().copied().filter(|&place| place < length).collect();
    if episodes.is_empty() {
        return Err(StatsError::TooFew { have: 0, need: 1 });
    }
    let mut is_near = vec![false; length];
    for &event in events.iter().filter(|&&event| event < length) {
        // Near is circular too, for the shifts are.
        for place in 0..(2 * reach + 1).min(length) {
            is_near[(event + length + place - reach.min(length)) % length] = true;
        }
    }
    let hits = |shift: usize| episodes.iter().filter(|&&place| is_near[(place + length - shift) % length]).count();
    let seen = hits(0);
    let as_many = (0..length).filter(|&shift| hits(shift) >= seen).count();
    Ok(CoOccurrence {
        share: seen as f64 / episodes.len() as f64,
        p: as_many as f64 / length as f64,
        episodes: episodes.len(),
    })
}
