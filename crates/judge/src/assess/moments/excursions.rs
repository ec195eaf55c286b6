//! When a series is out of its ordinary, and whether that is rare enough to be worth a line.

use terms::Nanos;

/// Chance that anything leads a line in a run in which nothing stands apart, over all that is looked at; of maxima with
/// memory it is up to twice as much.
pub const LEAD_ALARM: f64 = 0.02;
/// More excursions than this are how a series is.
const MOST: usize = 12;
/// Excursions this close together are one, seconds.
const NEAR: f64 = 2.5;
/// Fewer values do not show what is usual.
const FEWEST: usize = 10;
/// An excursion stands so many robust deviations above the median, at least.
const DEVIATIONS: f64 = 6.0;
/// The greatest of so many seconds is one of the values that are put in order: neighbours resemble each other.
const BLOCK: f64 = 10.0;
/// In a short series the maximum of fewer, so that there are this many.
const BLOCKS: usize = 30;
/// What is named beside a line is seen in at most this part of the time, or only once.
const RARE: f64 = 0.02;

/// What an excursion must be, besides many deviations above the median.
#[derive(Clone, Copy, Debug)]
pub struct Demands {
    /// Above the median by this part of it.
    pub part: f64,
    /// And by so much.
    pub least: f64,
}

/// A stretch in which a series was out of its ordinary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excursion {
    /// Begin of its first value and end of its last.
    pub from: Nanos,
    pub to: Nanos,
    pub greatest: f64,
    /// The median of all values.
    pub usual: f64,
}

/// A series in one hold: begin and end of what each value is of, and the value.
#[derive(Clone, Debug, Default)]
pub struct Course {
    pub values: Vec<(Nanos, Nanos, f64)>,
}

impl Course {
    fn numbers(&self) -> Vec<f64> {
        self.values.iter().map(|(_, _, value)| *value).collect()
    }

    /// Seconds that a value is of, mean.
    fn spacing(&self) -> f64 {
        let (Some(first), Some(last)) = (self.values.first(), self.values.last()) else { return 0.0 };
        (last.1 - first.0).as_secs_f64() / self.values.len() as f64
    }

    /// The median and what an excursion lies above; `None` of too few values.
    fn limit(&self, demands: Demands) -> Option<(f64, f64)> {
        let values = self.numbers();
        if values.len() < FEWEST {
            return None;
        }
        let usual = stats::series::median(&values)?;
        let deviation = stats::series::robust_deviation(&values)?;
        Some((usual, usual + (DEVIATIONS * deviation).max(demands.part * usual.abs()).max(demands.least)))
    }

    /// Stretches of values that are `limit` or more, oldest first.
    fn stretches(&self, usual: f64, limit: f64) -> Vec<Excursion> {
        let mut found: Vec<Excursion> = Vec::new();
        for &(from, to, value) in self.values.iter().filter(|(_, _, value)| *value >= limit) {
            match found.last_mut().filter(|last| (from - last.to).as_secs_f64() <= NEAR) {
                Some(last) => {
                    last.to = to;
                    last.greatest = last.greatest.max(value);
                }
                None => found.push(Excursion { from, to, greatest: value, usual }),
            }
        }
        found
    }

    /// Excursions that stand apart from everything else in the hold, oldest first. `looks`: how many series are asked.
    pub fn apart(&self, demands: Demands, looks: usize) -> Vec<Excursion> {
        let Some((usual, limit)) = self.limit(demands) else { return Vec::new() };
        let values = self.numbers();
        let width = (values.len() / BLOCKS).clamp(1, (BLOCK / self.spacing().max(1e-9)).max(1.0) as usize);
        let mut blocks = stats::outliers::block_maxima(&values, width);
        let above = blocks.iter().filter(|greatest| **greatest > limit).count().min(blocks.len() / 4).min(MOST);
        let Ok(found) = stats::outliers::apart(&blocks, above) else { return Vec::new() };
        if found.chance > LEAD_ALARM / looks.max(1) as f64 {
            return Vec::new();
        }
        blocks.sort_by(|a, b| b.total_cmp(a));
        let least = blocks.get(found.count - 1).copied().unwrap_or(f64::INFINITY);
        self.stretches(usual, least.max(limit))
    }

    /// What the series shows between two moments when that is out of its ordinary, and rare.
    pub fn beside(&self, demands: Demands, (from, to): (Nanos, Nanos)) -> Option<Excursion> {
        let (usual, limit) = self.limit(demands)?;
        let all = self.stretches(usual, limit.next_up());
        let is_there = |one: &Excursion| one.from < to && from < one.to;
        let here = all.iter().copied().filter(is_there).max_by(|a, b| a.greatest.total_cmp(&b.greatest))?;
        (all.len() == 1 || self.share(&all, to - from) <= RARE).then_some(here)
    }

    /// Chance that something this rare falls within a stretch of that length that has nothing to do with it; zero of what
    /// would not be named.
    pub fn by_chance(&self, demands: Demands, length: Nanos) -> f64 {
        let Some((usual, limit)) = self.limit(demands) else { return 0.0 };
        let all = self.stretches(usual, limit.next_up());
        let share = self.share(&all, length);
        if all.len() == 1 || share <= RARE { share } else { 0.0 }
    }

    /// Part of all stretches of a length that overlap one of these.
    fn share(&self, all: &[Excursion], length: Nanos) -> f64 {
        let (Some(first), Some(last)) = (self.values.first(), self.values.last()) else { return 0.0 };
        let whole = (last.1 - first.0).as_secs_f64();
        let covered: f64 = all.iter().map(|one| (one.to - one.from + length).as_secs_f64()).sum();
        (covered / (whole + length.as_secs_f64())).min(1.0)
    }
}
