//! How often intervals and verdicts of calls are right, judged as the judge does.

use super::processes::{Process, Random, Run};
use stats::memory::{Beside, Effects, Memory};
use stats::share::{ShareVerdict, judge_at_most};

/// Chance of a wrong "met", and of a wrong "not met", that verdicts state.
const ALPHA: f64 = 0.05;
/// Two-sided confidence of the intervals that tables show.
const CONFIDENCE: f64 = 0.95;

/// What was judged of a process.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    Percentile(f64),
    Mean,
    /// The share of calls that fail, of which nothing else is known: those that take longer than all but this share.
    Failures(f64),
    /// The same of calls that fail because they time out, with the times of the calls beside it.
    TimeOuts(f64),
}

/// Shares of runs.
#[derive(Default)]
pub(crate) struct Rates {
    /// Had an interval.
    pub(crate) printed: f64,
    /// Of those, with the truth in it.
    pub(crate) covered: f64,
    /// A limit exactly at the truth was called met, or not met.
    pub(crate) met_at: f64,
    pub(crate) not_met_at: f64,
    /// The truth was 5 % beyond the limit: called met, not met.
    pub(crate) met_beyond: f64,
    pub(crate) not_met_beyond: f64,
    /// The truth was 10 % within the limit: called met.
    pub(crate) met_within: f64,
}

/// The truth of each subject, from many runs joined.
pub(crate) fn truths(process: &Process, subjects: &[Subject], calls: usize) -> Vec<f64> {
    let mut random = Random::new(99);
    let mut all: Vec<f64> = Vec::new();
    while all.len() < calls {
        all.extend(process.run(&mut random).into_iter().flatten());
    }
    all.sort_by(f64::total_cmp);
    let of = |subject: &Subject| match subject {
        Subject::Percentile(q) => stats::quantile::nearest_rank(&all, *q).expect("there are calls"),
        Subject::Mean => all.iter().sum::<f64>() / all.len() as f64,
        // The time-out.
        Subject::Failures(share) | Subject::TimeOuts(share) => {
            stats::quantile::nearest_rank(&all, 1.0 - share).expect("there are calls")
        }
    };
    subjects.iter().map(of).collect()
}

/// Judges so many runs.
pub(crate) fn measure(process: &Process, subjects: &[Subject], truths: &[f64], runs: usize, seed: u64) -> Vec<Rates> {
    let mut random = Random::new(seed);
    let mut rates: Vec<Rates> = subjects.iter().map(|_| Rates::default()).collect();
    for _ in 0..runs {
        let run = Seen::of(process.run(&mut random));
        for ((subject, truth), rates) in subjects.iter().zip(truths).zip(&mut rates) {
            run.judge(*subject, *truth, rates);
        }
    }
    for rates in &mut rates {
        rates.covered /= rates.printed.max(1.0);
        for rate in [
            &mut rates.printed,
            &mut rates.met_at,
            &mut rates.not_met_at,
            &mut rates.met_beyond,
            &mut rates.not_met_beyond,
            &mut rates.met_within,
        ] {
            *rate /= runs as f64;
        }
    }
    rates
}

/// What is reported about a percentile with a limit, and its value.
#[allow(dead_code, reason = "the table does without")]
pub(crate) fn judged(run: Run, quantile: f64, limit: f64) -> (ShareVerdict, f64) {
    let run = Seen::of(run);
    (run.share_verdict(limit, 1.0 - quantile), nearest(&run.sorted, quantile))
}

/// A run with what is asked of it more than once.
struct Seen {
    seconds: Run,
    sorted: Vec<f64>,
    sums: Vec<(u64, f64)>,
    spread: stats::mean::Spread,
    mean: Option<Memory>,
}

impl Seen {
    fn of(seconds: Run) -> Self {
        let mut sorted: Vec<f64> = seconds.iter().flatten().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let sums: Vec<(u64, f64)> = seconds.iter().map(|calls| (calls.len() as u64, calls.iter().sum())).collect();
        let spread = stats::mean::Spread::of_sorted(&sorted).expect("two calls");
        let mean = Memory::of_sums(&sums, spread.variance).ok();
        Self { seconds, sorted, sums, spread, mean }
    }

    fn judge(&self, subject: Subject, truth: f64, rates: &mut Rates) {
        let mut truth = truth;
        let (interval, verdicts) = match subject {
            Subject::Percentile(q) => {
                let at = nearest(&self.sorted, q);
                let interval = self.effects(at, CONFIDENCE).and_then(|effects| {
                    let estimate = stats::quantile::estimate_sorted(&self.sorted, q, CONFIDENCE, effects).ok()?;
                    Some((estimate.low, estimate.high))
                });
                (interval, [truth, truth / 1.05, truth * 1.1].map(|limit| self.share_verdict(limit, 1.0 - q)))
            }
            Subject::Mean => {
                let of = |confidence| {
                    let estimate = stats::mean::by_memory(&self.sums, self.spread, confidence).ok()?;
                    Some((estimate.low, estimate.high))
                };
                let verdict = |limit: f64| match of(1.0 - 2.0 * ALPHA) {
                    Some((_, high)) if high <= limit => ShareVerdict::Pass,
                    Some((low, _)) if low > limit => ShareVerdict::Fail,
                    _ => ShareVerdict::Inconclusive,
                };
                (of(CONFIDENCE), [truth, truth / 1.05, truth * 1.1].map(verdict))
            }
            Subject::Failures(share) | Subject::TimeOuts(share) => {
                let times = self.beside(truth).filter(|_| matches!(subject, Subject::TimeOuts(_)));
                let failed = Failed { calls: self.above(truth), times };
                truth = share;
                (failed.interval(share), [share, share / 1.05, share * 1.1].map(|limit| failed.verdict(limit)))
            }
        };
        let one = |is_so: bool| f64::from(u8::from(is_so));
        rates.printed += one(interval.is_some());
        rates.covered += one(interval.is_some_and(|(low, high)| low <= truth && truth <= high));
        let [at, beyond, within] = verdicts;
        rates.met_at += one(at == ShareVerdict::Pass);
        rates.not_met_at += one(at == ShareVerdict::Fail);
        rates.met_beyond += one(beyond == ShareVerdict::Pass);
        rates.not_met_beyond += one(beyond == ShareVerdict::Fail);
        rates.met_within += one(within == ShareVerdict::Pass);
    }

    /// As `judge::requirements::estimates` has it.
    fn effects(&self, limit: f64, confidence: f64) -> Option<Effects> {
        let memory = Memory::of_share(&self.above(limit)).ok()?.beside(self.mean.as_ref());
        Some(memory.checked().ok()?.effects(confidence))
    }

    fn above(&self, limit: f64) -> Vec<(u64, u64)> {
        let of = |calls: &Vec<f64>| (calls.iter().filter(|time| **time > limit).count() as u64, calls.len() as u64);
        self.seconds.iter().map(of).collect()
    }

    fn share_verdict(&self, limit: f64, allowed: f64) -> ShareVerdict {
        Failed { calls: self.above(limit), times: self.beside(limit) }.verdict(allowed)
    }

    fn beside(&self, limit: f64) -> Option<Beside> {
        Some(Beside::new(self.mean.clone()?, *self.sorted.last()?, limit))
    }
}

/// Calls that failed or were too slow, and all, of each second; and what is known beside.
struct Failed {
    calls: Vec<(u64, u64)>,
    times: Option<Beside>,
}

impl Failed {
    fn memory(&self) -> Option<Memory> {
        Some(Memory::of_share(&self.calls).ok()?.beside(self.times.as_ref().and_then(Beside::shared).as_ref()))
    }

    fn total(&self) -> (u64, u64) {
        self.calls.iter().fold((0, 0), |sum, second| (sum.0 + second.0, sum.1 + second.1))
    }

    /// As `judge::requirements::estimates` has it.
    fn verdict(&self, allowed: f64) -> ShareVerdict {
        let (hits, total) = self.total();
        let Some(memory) = self.memory() else { return ShareVerdict::Inconclusive };
        let effects = memory.effects(1.0 - 2.0 * ALPHA);
        if memory.checked().is_ok() {
            let verdict = judge_at_most(hits, total, allowed, ALPHA, effects).verdict;
            let needed = |times: &Beside| times.times_needed(total, allowed, 1.0 - 2.0 * ALPHA);
            let is_open = verdict == ShareVerdict::Pass && self.times.as_ref().is_some_and(|times| needed(times) > 1.0);
            return if is_open { ShareVerdict::Inconclusive } else { verdict };
        }
        let effect = effects.low;
        let (low, _) = stats::share::clopper_pearson_one_sided(hits as f64 / effect, total as f64 / effect, ALPHA);
        let share = hits as f64 / total as f64;
        let is_beyond = low > allowed || stats::few::is_beyond(stats::few::least(share, 2.0 * ALPHA), allowed);
        if is_beyond { ShareVerdict::Fail } else { ShareVerdict::Inconclusive }
    }

    /// None where a spell that was not seen may hold more than is asked about, as the judge has it.
    fn interval(&self, allowed: f64) -> Option<(f64, f64)> {
        let (hits, total) = self.total();
        if self.times.as_ref().is_some_and(|times| times.times_needed(total, allowed, CONFIDENCE) > 1.0) {
            return None;
        }
        let effects = self.memory()?.checked().ok()?.effects(CONFIDENCE);
        let judged = judge_at_most(hits, total, 0.5, 0.5 * (1.0 - CONFIDENCE), effects);
        Some((judged.low, judged.high))
    }
}

fn nearest(sorted: &[f64], q: f64) -> f64 {
    stats::quantile::nearest_rank(sorted, q).expect("there are calls")
}
