//! How long calls remember each other, and by how much less they therefore say than independent ones.
//! Page: `docs/methods/design-effect.md`.
//!
//! What came late once is followed by more that is late: in a queue, in a collection of garbage, behind a lock. A sample
//! of such calls is worth fewer independent ones, by its *design effect*; and that number is itself estimated, from few
//! stretches of time if memory is long, and worst where hits are rare. So nothing is concluded from a single estimate:
//! its uncertainty widens the limits, and where time is short against the memory there is no answer.

use crate::batches::{FEWEST, USUAL};
use crate::correlation::{safe_correlation_time, time_by_neighbours};
use crate::special::{normal_quantile, student_two_sided};
use crate::{StatsError, check_confidence};

/// A process must be watched for so many times its memory; anything shorter shows one of its moods.
pub const TIMES_FEWEST: f64 = 6.0;
/// Steps are joined into at most so many cells, so that a long run costs no more than one of four minutes.
const CELLS_MOST: usize = 240;
/// Degrees of freedom that a lower limit has at least, however long memory is. By simulation: processes whose memory
/// is a third of the run and longer are then called *not met* at their limit in at most 5 % of runs.
const FREEDOM_FEWEST: f64 = 3.0;
/// Of a process that remembers for longer than this many cells, what is seen is one mood at a time.
const CELLS_OF_MOODS: f64 = 2.5;
/// What is kept of such a process holds with half the usual chance of being wrong. By simulation of queues at 80 to 95 %
/// of their capacity: *met* at the limit, which was stated in up to 14 % of minutes, is stated in 10 % at most.
const SURER: f64 = 0.5;
/// How many times the maximum of all values lies within a limit that ups and downs of what was seen do not reach.
const FAR_WITHIN: f64 = 2.0;
/// What is expected this often is missed in 5 % of runs: `-ln 0.05`.
const MISSED: f64 = 2.995_732_273_553_991;
/// However short a run is against the memory of the process, no more than this share lies beyond its maximum: a run all of
/// whose calls are faster than the median saw nothing of the process.
const BEYOND_MOST: f64 = 0.5;
/// What lies beyond a limit speaks for itself if at least this share of the calls does, and at most the rest of it.
const SHARE_PLENTY: f64 = 0.1;

/// By how much fewer calls count for either end of an interval, 1 or more each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effects {
    /// For the lower limit.
    pub low: f64,
    /// For the upper limit: greater where hits come in few bursts, since one more is likelier missed than seen.
    pub high: f64,
}

/// Whether a limit lies so far above the maximum of all values that the ups and downs which their mean shows do not
/// reach it: what would have to be seen is nothing of the kind that was. See [`Beside`].
pub fn is_far_within(maximum: f64, limit: f64) -> bool {
    FAR_WITHIN * maximum <= limit
}

/// What the times of calls show of their memory, beside what lies beyond a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// That of their mean.
    memory: Memory,
    /// The limit over the maximum of the times.
    ratio: f64,
    /// Whether hits are what is fast.
    is_turned: bool,
}

impl Beside {
    /// Of times with this maximum, beside this limit, in one unit.
    pub fn new(memory: Memory, maximum: f64, limit: f64) -> Self {
        Self { memory, ratio: if maximum > 0.0 { limit / maximum } else { f64::INFINITY }, is_turned: false }
    }

    /// The memory that what lies beyond the limit has in common with the times; `None` where the limit is far away
    /// ([`is_far_within`]), and [`Self::times_needed`] is asked instead. That is a question about keeping a limit: whether
    /// times exceed one as they should is told by [`Self::memory`], however far away it is.
    pub fn shared(&self) -> Option<Memory> {
        (self.ratio < FAR_WITHIN).then(|| self.memory())
    }

    /// That of the times, seen from the hits.
    pub fn memory(&self) -> Memory {
        let memory = self.memory.clone();
        if self.is_turned { memory.turned() } else { memory }
    }

    /// Whether a rule about the share of hits wants times to keep the limit: few hits that are slow, or at least so many,
    /// `is_floor`, that are fast.
    pub fn is_kept(&self, is_floor: bool) -> bool {
        self.is_turned == is_floor
    }

    /// How many times as long a run would have to be to show that at most the share `allowed` lies beyond a limit which
    /// is far away and which nothing of so many calls came near: 1 or less where this one does. 0 where the limit is near,
    /// for then the hits and [`Self::shared`] say it.
    ///
    /// A tail that falls exponentially, as that of a queue does, falls from the maximum to `r` times the maximum as it
    /// fell from 1 to the maximum `r − 1` times over. What lies beyond the maximum of `m` independent calls is at most `3/m`
    /// in 95 % of runs, so what lies beyond the limit is at most `(3/m)^r`. `m` are the calls over the effect of the
    /// memory of their mean, for an interval of this confidence: a quiet spell of a queue is worth few.
    pub fn times_needed(&self, calls: u64, allowed: f64, confidence: f64) -> f64 {
        if self.ratio < FAR_WITHIN {
            return 0.0;
        }
        let beyond = MISSED * self.memory.effects(confidence).high / calls as f64;
        let needed = beyond.min(BEYOND_MOST) / allowed.powf(1.0 / self.ratio);
        if needed <= 1.0 { needed } else { beyond / allowed.powf(1.0 / self.ratio) }
    }

    /// The same where hits are what is fast, as [`Memory::turned`].
    #[must_use]
    pub fn turned(self) -> Self {
        Self { is_turned: !self.is_turned, ..self }
    }
}

impl From<f64> for Effects {
    fn from(both: f64) -> Self {
        Self { low: both, high: both }
    }
}

impl Effects {
    /// The greater of the two.
    pub fn greater(self) -> f64 {
        self.low.max(self.high)
    }

    /// Seen from the other side: the lower limit of a share is the upper limit of what is left.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { low: self.high, high: self.low }
    }
}

/// What is known about the memory of a process from one series, or from two of the same calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    seen: Vec<Spread>,
    /// How many steps of time carry as much as one that remembers nothing, on the safe side; 1 or more.
    pub time: f64,
    /// Steps that were looked at.
    pub steps: f64,
    /// Whether memory is long against the cells.
    is_moody: bool,
}

/// What one series shows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    /// As it was seen: below 1 where the spread is less than that of independent calls.
    design_effect: f64,
    /// Degrees of freedom that the spread between batches has: few where few of them hold all the spread.
    freedom: f64,
    /// Skewness of the batches over the square root of their number.
    skewness: f64,
    /// Share of hits or of the rest, whichever is the smaller; none for a mean.
    rarer: Option<f64>,
}

impl Memory {
    /// That of a share: `(hits, calls)` of each second (or other step of time), oldest first, without gaps.
    ///
    /// Without a hit, or with nothing else, the series says nothing about itself; the answer then has a design effect
    /// of 1, and wants the memory of something else of the same calls ([`Self::beside`]). That of the rest of the calls is
    /// the same to the last digit, [`Self::turned`].
    ///
    /// # Errors
    /// [`StatsError::TooFew`] for fewer than [`FEWEST`] batches with calls; [`StatsError::OutOfRange`] when a step has
    /// more hits than calls. Whether the time is long enough is [`Self::checked`].
    pub fn of_share(steps: &[(u64, u64)]) -> Result<Self, StatsError> {
        if steps.iter().any(|(hits, calls)| hits > calls) {
            return Err(StatsError::OutOfRange("a second has more hits than calls"));
        }
        let all = |part: fn(&(u64, u64)) -> u64| steps.iter().map(part).fold(0, u64::saturating_add);
        let (hits, calls) = (all(|step| step.0), all(|step| step.1));
        // A share and what it leaves would differ in their last digits, and with them a verdict, if each were counted.
        let is_most = hits > calls - hits;
        let rarer_of = |hits: u64, calls: u64| if is_most { calls - hits } else { hits } as f64;
        let pairs: Vec<(f64, f64)> = steps.iter().map(|&(hits, calls)| (rarer_of(hits, calls), calls as f64)).collect();
        let rarer = rarer_of(hits, calls) / calls as f64;
        let memory = Self::of(&pairs, rarer * (1.0 - rarer), Some(rarer))?;
        Ok(if is_most { memory.turned() } else { memory })
    }

    /// That of a mean: `(count, sum of the values)` of each step; `variance` of the single values, as in
    /// [`crate::batches::design_effect_of_mean`].
    ///
    /// # Errors
    /// As [`Self::of_share`]; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for a negative variance.
    pub fn of_sums(steps: &[(u64, f64)], variance: f64) -> Result<Self, StatsError> {
        if !variance.is_finite() || steps.iter().any(|(_, sum)| !sum.is_finite()) {
            return Err(StatsError::NotFinite);
        }
        if variance < 0.0 {
            return Err(StatsError::OutOfRange("`variance` must not be negative"));
        }
        let pairs: Vec<(f64, f64)> = steps.iter().map(|&(count, sum)| (sum, count as f64)).collect();
        Self::of(&pairs, variance, None)
    }

    fn of(steps: &[(f64, f64)], variance: f64, rarer: Option<f64>) -> Result<Self, StatsError> {
        let filled = steps.iter().filter(|(_, count)| *count > 0.0).count();
        if filled < FEWEST {
            return Err(StatsError::TooFew { have: filled as u64, need: FEWEST as u64 });
        }
        let width = steps.len().div_ceil(CELLS_MOST);
        let join = |steps: &[(f64, f64)]| steps.iter().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
        let cells: Vec<(f64, f64)> = steps.chunks(width).map(join).collect();
        let total: f64 = cells.iter().map(|cell| cell.1).sum();
        let value = cells.iter().map(|cell| cell.0).sum::<f64>() / total;
        // What each cell adds to the error of the whole; their sum is zero.
        let pulls: Vec<f64> = cells.iter().map(|cell| cell.0 - value * cell.1).collect();
        let squares: f64 = pulls.iter().map(|pull| pull * pull).sum();
        let steps = steps.len() as f64;
        if !squares.is_finite() {
            return Err(StatsError::NotFinite);
        }
        // What is left of equal cells is the rounding of their sums.
        let rounding = 1e-26 * cells.iter().map(|cell| cell.0 * cell.0).sum::<f64>();
        if squares <= rounding || variance <= 0.0 {
            let seen = Spread { design_effect: 0.0, freedom: f64::INFINITY, skewness: 0.0, rarer };
            return Ok(Self { seen: vec![seen], time: 1.0, steps, is_moody: false });
        }
        let windowed = safe_correlation_time(&pulls);
        let batches = Batches::of(&pulls);
        let spread = batches.variance.max(squares * windowed) / (total * total);
        let design_effect = spread / (variance / total);
        let seen = Spread { design_effect, freedom: batches.freedom, skewness: batches.skewness, rarer };
        let cells = windowed.max(time_by_neighbours(&pulls));
        let is_moody = cells > CELLS_OF_MOODS;
        Ok(Self { seen: vec![seen], time: cells * width as f64, steps, is_moody })
    }

    /// With the memory of the same calls' mean beside it: rare hits show too little of what they are part of. A series
    /// in which hits are plentiful and evenly spread keeps its own design effect.
    #[must_use]
    pub fn beside(mut self, mean: Option<&Self>) -> Self {
        let Some(mean) = mean else { return self };
        let is_plenty = |seen: &Spread| seen.rarer.unwrap_or(0.0) >= SHARE_PLENTY && seen.freedom >= 0.5 * USUAL as f64;
        if !self.seen.iter().all(is_plenty) {
            // A mean is pulled up by what is slow, as a share of slow calls is.
            self.seen.extend(&mean.seen);
        }
        self.time = self.time.max(mean.time);
        self.is_moody |= mean.is_moody;
        self
    }

    /// That of the other side: of what is fast where it was of what is slow.
    #[must_use]
    pub fn turned(mut self) -> Self {
        for seen in &mut self.seen {
            seen.skewness = -seen.skewness;
        }
        self
    }

    /// Itself, if the time is long against the memory.
    ///
    /// # Errors
    /// [`StatsError::TooFew`] in steps of time.
    pub fn checked(self) -> Result<Self, StatsError> {
        let need = TIMES_FEWEST * self.time;
        if self.steps < need {
            return Err(StatsError::TooFew { have: self.steps as u64, need: need.ceil() as u64 });
        }
        Ok(self)
    }

    /// The greatest design effect that was seen, before its own uncertainty is counted in.
    pub fn design_effect(&self) -> f64 {
        self.seen.iter().map(|seen| seen.design_effect).fold(1.0, f64::max)
    }

    /// Degrees of freedom of an interval that allows for this memory: the fewer of those that the time leaves and those that
    /// the batches have; 1 at least.
    pub fn freedom(&self) -> f64 {
        let of_time = self.steps / (2.0 * self.time) - 1.0;
        self.seen.iter().map(|seen| seen.freedom).fold(of_time, f64::min).max(1.0)
    }

    /// By how much fewer calls count for an interval of this two-sided confidence (0.90 for two one-sided limits at 5 %).
    ///
    /// Each design effect is multiplied by `(t/z)²`, Student's t for the fewer of `steps/(2·time) - 1` and the batches'
    /// own degrees of freedom, and is 1 at least; for the upper limit `t + γ/√B·(1 + 2t²)/6` takes its place, with the skewness γ of the B
    /// batches. A lower limit has three degrees of freedom at least, and holds also where [`Self::checked`] refuses: that a
    /// limit is exceeded can be shown sooner than that it is kept. Of a process whose memory is longer than two and a half cells the
    /// upper limit has half the chance of being wrong that the confidence states. Confidence out of range gives effects that are not a number, with which nothing is proven.
    ///
    /// Source: N. J. Johnson, "Modified t tests and confidence intervals for asymmetrical populations", JASA 73, 1978;
    /// P. Hall, "On the removal of skewness by transformation", JRSS B 54, 1992.
    pub fn effects(&self, confidence: f64) -> Effects {
        if check_confidence(confidence).is_err() {
            return f64::NAN.into();
        }
        let z = normal_quantile(0.5 + confidence / 2.0);
        let of_time = self.steps / (2.0 * self.time) - 1.0;
        let surer = if self.is_moody { 1.0 - SURER * (1.0 - confidence) } else { confidence };
        let of = |seen: &Spread| {
            let of = |fewest: f64, skewness: f64, confidence: f64| {
                let t = student_two_sided(seen.freedom.min(of_time).max(fewest), confidence).max(z);
                let reach = t + skewness.max(0.0) * (1.0 + 2.0 * t * t) / 6.0;
                seen.design_effect * (reach / z).powi(2)
            };
            (of(FREEDOM_FEWEST, -seen.skewness, confidence), of(1.0, seen.skewness, surer))
        };
        let all = self.seen.iter().map(of);
        let (low, high) = all.fold((1.0, 1.0), |most: (f64, f64), one| (most.0.max(one.0), most.1.max(one.1)));
        Effects { low, high }
    }
}

/// The spread between batches.
struct Batches {
    /// Of the sum of all pulls.
    variance: f64,
    freedom: f64,
    skewness: f64,
}

impl Batches {
    fn of(pulls: &[f64]) -> Self {
        let wanted = USUAL.min(pulls.len());
        let edge = |batch: usize| batch * pulls.len() / wanted;
        let sums: Vec<f64> = (0..wanted).map(|batch| pulls[edge(batch)..edge(batch + 1)].iter().sum()).collect();
        let moment = |power: i32| -> f64 { sums.iter().map(|sum| sum.powi(power)).sum() };
        let (squares, count) = (moment(2), wanted as f64);
        if squares <= 0.0 {
            return Self { variance: 0.0, freedom: f64::INFINITY, skewness: 0.0 };
        }
        // The variance of a variance is (κ - 1)/B of its square; 2/f of it for f degrees of freedom.
        let kurtosis = count * moment(4) / (squares * squares);
        Self {
            variance: squares * count / (count - 1.0),
            freedom: 2.0 * count / (kurtosis - 1.0).max(0.1),
            skewness: moment(3) / squares.powf(1.5),
        }
    }
}
