//! Evenly spaced series of one piece of constant load: what rules and findings over time look at.

use crate::evaluate::{Kind, spacing};
use crate::figures::LegFigures;
use contract::Role;
use record::{MetricHead, MonitorHead};
use std::collections::BTreeMap;
use std::ops::Range;
use terms::Nanos;

/// Sub-batches of memory, of each of which the least value counts: what lives is below what is thrown away next.
const ENVELOPE: usize = 48;
/// Values that levels are looked for in; more are taken together, so that neighbours depend less on each other.
const LEVEL_BATCHES: usize = 120;
/// A level lasts at least so long, seconds.
const LEVEL_SECONDS: f64 = 30.0;
/// A series with more levels than this wanders, and its greatest shift is looked for in it as a whole.
const LEVELS_MAX: usize = 6;
/// Less tells no shift from slow wandering, seconds: the values that the test needs, each of ten seconds.
pub(crate) const SHIFT_SECONDS: f64 = 10.0 * stats::change::shift::FEWEST as f64;
/// Chance, in an hour, that a shift is told of a series that has none, when one series is looked at.
pub(crate) const SHIFT_ALARM: f64 = 0.01;
/// The least chance that the test tells apart.
const SHIFT_P_LEAST: f64 = 1e-5;

/// A series as it is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Looked {
    /// In base units, oldest first.
    pub(crate) values: Vec<f64>,
    pub(crate) spacing_s: f64,
    pub(crate) kind: Kind,
    /// What it may grow to.
    pub(crate) capacity: Option<f64>,
    /// Whether it is how much is held, of which the lower envelope counts.
    pub(crate) is_memory: bool,
}

/// A lasting shift of the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shift {
    /// Seconds after the beginning.
    pub(crate) after_s: f64,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

impl Looked {
    pub(crate) fn by_second(values: Vec<f64>, kind: Kind) -> Self {
        Self { values, spacing_s: 1.0, kind, capacity: None, is_memory: false }
    }

    pub(crate) fn level_of(points: &[(Nanos, f64)], kind: Kind) -> Self {
        let values = points.iter().map(|(_, value)| *value).collect();
        Self { values, spacing_s: spacing(points), kind, capacity: None, is_memory: false }
    }

    /// What a counter grows by a second.
    pub(crate) fn rate_of(points: &[(Nanos, f64)], unit: Kind) -> Self {
        let rate = |pair: &[(Nanos, f64)]| {
            let seconds = (pair[1].0 - pair[0].0).as_secs_f64();
            (seconds > 0.0).then(|| crate::counters::grown(pair[0].1, pair[1].1) / seconds)
        };
        let values = points.windows(2).filter_map(rate).collect();
        // Processor seconds a second are cores.
        let kind = if unit == Kind::Time { Kind::Cores } else { Kind::PerSecond };
        Self { values, spacing_s: spacing(points), kind, capacity: None, is_memory: false }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.values.len() as f64 * self.spacing_s
    }

    /// Slope a second. Of memory the lower envelope counts.
    pub(crate) fn growth(&self) -> Result<stats::trend::leak::Growth, stats::StatsError> {
        let width = if self.is_memory { (self.values.len() / ENVELOPE).max(1) } else { 1 };
        if width == 1 {
            return stats::trend::leak::growth(&self.values, self.spacing_s);
        }
        let least = |batch: &[f64]| batch.iter().copied().fold(f64::INFINITY, f64::min);
        let envelope: Vec<f64> = self.values.chunks_exact(width).map(least).collect();
        stats::trend::leak::growth(&envelope, self.spacing_s * width as f64)
    }

    /// Means over about a hundredth of the series each, with their distance in seconds.
    fn batched(&self) -> (Vec<f64>, f64) {
        let (means, width) = stats::series::shortened(&self.values, LEVEL_BATCHES);
        (means, self.spacing_s * width as f64)
    }

    /// Levels of at least half a minute, with the distance of their values in seconds.
    pub(crate) fn levels(&self) -> Option<(Vec<stats::change::Level>, f64)> {
        let (means, every) = self.batched();
        if every <= 0.0 {
            return None;
        }
        let least = 5.max((LEVEL_SECONDS / every).ceil() as usize);
        Some((stats::change::levels(&means, least).ok()?, every))
    }

    /// The greatest shift of the level, when it is more than `part` of the level before and chance does not explain it.
    /// `looks`: how many series are asked.
    pub(crate) fn level_shift(&self, part: f64, looks: usize) -> Option<Shift> {
        if self.seconds() < SHIFT_SECONDS {
            return None;
        }
        let (values, _) = stats::series::shortened(&self.values, stats::change::shift::MOST);
        let allowed = SHIFT_ALARM * (self.seconds() / 3600.0).min(1.0) / looks.max(1) as f64;
        if stats::change::shift::chance(&values).ok()? > allowed.max(SHIFT_P_LEAST) {
            return None;
        }
        let found = self.between_levels().or_else(|| self.split())?;
        ((found.after - found.before).abs() > part * found.before.abs()).then_some(found)
    }

    /// The greatest distance between neighbouring levels; `None` where there is one level, or too many.
    fn between_levels(&self) -> Option<Shift> {
        let (levels, every) = self.levels()?;
        if levels.len() > LEVELS_MAX {
            return None;
        }
        let distance = |pair: &[stats::change::Level]| (pair[1].mean - pair[0].mean).abs();
        let greatest = levels.windows(2).max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some(Shift { after_s: greatest[1].from as f64 * every, before: greatest[0].mean, after: greatest[1].mean })
    }

    /// Where the series is best cut in two.
    fn split(&self) -> Option<Shift> {
        let (means, every) = self.batched();
        let split = stats::change::best_split(&means).ok()?;
        Some(Shift { after_s: split.at as f64 * every, before: split.before, after: split.after })
    }
}

/// Whether a metric is one of a heap that is collected. A monitor has such a heap when it tells what collections leave.
pub(crate) fn is_of_heap(monitor: &MonitorHead, metric: &MetricHead) -> bool {
    metric.role().is_some_and(Role::is_of_heap) && monitor.metric_of(Role::HeapFloor).is_some()
}

/// Mean time of what succeeded by second of the intended start, seconds, or by `width` seconds that figures keep
/// together; one without any keeps the last mean.
pub(crate) fn mean_times<'a>(
    legs: impl Iterator<Item = &'a LegFigures>,
    seconds: Range<i64>,
    width: i64,
    is_service: bool,
) -> Vec<f64> {
    let mut sums: BTreeMap<i64, (u64, f64)> = BTreeMap::new();
    for leg in legs {
        for (second, [ok, _]) in leg.seconds.range(seconds.clone()) {
            let sum = sums.entry((second - seconds.start).div_euclid(width)).or_default();
            *sum = (sum.0 + ok.count, sum.1 + if is_service { ok.service_ms } else { ok.response_ms });
        }
    }
    let mut last = None;
    let mean = |place: i64| {
        last = match sums.get(&place) {
            Some((count, ms)) if *count > 0 => Some(ms / *count as f64 / 1e3),
            _ => last,
        };
        last
    };
    (0..(seconds.end - seconds.start).div_euclid(width)).filter_map(mean).collect()
}
