//! LEAK, CEILING, GC-STORM and HEAP of heaps that are collected: by what collections leave, never by how full the heap
//! is between them. Page: `docs/methods/heaps.md`.

use super::ceiling::Ceiling;
use super::leak::MemoryLeak;
use super::{Hold, Series, Watched, of_series, text};
use crate::findings::declare::{Bytes, Count, Number, Seconds, Share, declare};
use crate::{Arg, Finding, Gravity};
use contract::Role;
use stats::trend::leak::{DETECTABLE_STEP, Growth, Leak, Question};
use stats::trend::{BATCHES, mann_kendall, theil_sen};

declare! {
    /// Collections stopped a program for more than `STORM_SHARE` of a hold or `STORM_MINUTE` of one minute, or it
    /// had `STORM_SIBLING` times the full collections of the instance of the same kind that had fewest.
    GcStorm = "GC-STORM" {
        full: Count,
        hold: Seconds,
        instance: String,
        per_minute: Number,
        share: Share,
        sibling: Option<Count>,
        worst: Share,
    }
}

declare! {
    /// The heap of each Java virtual machine in numbers: collections, what one frees in the median, what was left in
    /// the first third of the hold and in the last, the part of the maximum that was reached after collections and
    /// before them. A saw-tooth that *returns to its floor* is healthy; one that does not, and a heap that was not
    /// collected at all, are worth a look. [How that is computed](../methods/heaps.md).
    HeapCourse = "HEAP" {
        collections: Count,
        first: Bytes,
        height: Bytes,
        hold: Seconds,
        instance: String,
        last: Bytes,
        old: Count,
        peak: Option<Share>,
        reached: Option<Share>,
        shape: String,
    }
}

/// Shorter holds show no leak of a heap, seconds.
const HEAP_RISE_SECONDS: f64 = 300.0;
/// From this length a leak of a heap is suspected; below it, possible; seconds.
const HEAP_LEAK_SECONDS: f64 = 1800.0;
/// Collections of the old generation from which a leak is suspected; with fewer, possible.
const HEAP_LEAK_COLLECTIONS: usize = 20;
/// A leak raises the floor of a heap by at least this within the hold, bytes.
const HEAP_LEAK_BYTES: f64 = 1e6;
/// And as a part of its level.
const HEAP_LEAK_GROWN: f64 = 0.02;
/// And projected over a day, as a part of what the heap may hold.
const HEAP_LEAK_A_DAY: f64 = 0.1;
/// The day over which growth is projected, seconds.
const HEAP_DAY_SECONDS: f64 = 86_400.0;
/// The growth between both ends counts at least this part of the line's, as for LEAK.
const HEAP_BETWEEN_ENDS: f64 = 0.5;
/// What fills up, as a cache does, has less than this share of its growth in the last third.
const HEAP_LAST_THIRD: f64 = 0.15;
/// A heap is full when collections leave this part of its maximum: the rest is too little to work with.
pub(crate) const HEAP_FULL: f64 = 0.9;
/// A heap is full after this share of the collections.
const HEAP_FULL_TIMES: f64 = 0.05;
/// Fewer collections do not show how full they leave a heap.
const HEAP_FULL_LEAST: usize = 3;
/// Collections that stop the program for more than this share of a hold are a storm.
const STORM_SHARE: f64 = 0.1;
/// Or for more than this share of one minute: a heap that runs out at the end of a long hold.
const STORM_MINUTE: f64 = 0.3;
/// Or this many times the full collections of the instance of the same kind that has fewest.
const STORM_SIBLING: f64 = 10.0;
/// But at least this many: three times none is not a storm.
const STORM_LEAST: f64 = 10.0;
/// A floor that rises by more than this part of the teeth within the hold does not return.
const FLOOR_RISE: f64 = 0.1;
/// A floor returns when even the upper end of its change lies below this part of the teeth.
const FLOOR_RETURN: f64 = 0.25;
/// Largest p of a floor's rise in the reading of a heap.
const FLOOR_P: f64 = 0.01;
/// Collections from which the course of a floor is told: two for each of twelve batches.
const FLOOR_LEAST: usize = 2 * BATCHES;

/// The heap of one machine.
struct Heap<'w, 'a> {
    watched: &'w Watched<'a>,
    monitor: &'a str,
    instance: &'a str,
}

/// What collections leave: seconds since the hold's beginning, bytes.
struct Floor<'w, 'a> {
    series: &'w Series<'a>,
    points: Vec<(f64, f64)>,
    capacity: Option<f64>,
}

/// Everything about heaps.
pub(super) fn all(watched: &Watched<'_>) -> Vec<Finding> {
    let heaps = heaps(watched);
    let looks = heaps.len() * watched.windows().count();
    let mut findings = Vec::new();
    for hold in watched.windows() {
        for heap in &heaps {
            if !watched.is_trial {
                findings.extend(heap.leak(hold, Watched::p_max(looks)));
            }
            findings.extend(heap.full(hold));
            findings.extend(heap.storm(hold, &heaps));
            findings.extend(heap.reading(hold));
        }
    }
    findings
}

fn heaps<'w, 'a>(watched: &'w Watched<'a>) -> Vec<Heap<'w, 'a>> {
    let used = watched.heaps.iter().filter(|series| series.metric.role() == Some(Role::Heap));
    used.map(|series| Heap { watched, monitor: &series.monitor.name, instance: series.instance }).collect()
}

impl<'w, 'a> Heap<'w, 'a> {
    /// All series of a role, in the monitor's order.
    fn all(&self, role: Role) -> impl Iterator<Item = &'w Series<'a>> + use<'_, 'w, 'a> {
        let is_own = move |one: &&Series<'_>| {
            one.monitor.name == self.monitor && one.instance == self.instance && one.metric.role() == Some(role)
        };
        self.watched.heaps.iter().filter(is_own)
    }

    fn series(&self, role: Role) -> Option<&'w Series<'a>> {
        self.all(role).next()
    }

    fn values(&self, role: Role, hold: &Hold<'_>) -> Vec<f64> {
        self.series(role).map(|series| series.values(hold.span.from, hold.span.to)).unwrap_or_default()
    }

    fn greatest(&self, role: Role, hold: &Hold<'_>) -> Option<f64> {
        self.values(role, hold).into_iter().reduce(f64::max).filter(|value| *value > 0.0)
    }

    fn points(&self, role: Role, hold: &Hold<'_>) -> Vec<(f64, f64)> {
        self.series(role).map(|series| points(series, hold)).unwrap_or_default()
    }

    /// Of a heap with generations only what collections of the old one leave: what young ones promote waits there, and
    /// may be garbage.
    fn floor(&self, hold: &Hold<'_>) -> Option<Floor<'w, 'a>> {
        let (floor, bound) = match self.series(Role::OldHeap) {
            Some(_) => (Role::OldHeapFloor, Role::OldHeapLimit),
            None => (Role::HeapFloor, Role::HeapLimit),
        };
        let capacity = self.greatest(bound, hold);
        Some(Floor { series: self.series(floor)?, points: self.points(floor, hold), capacity })
    }

    /// By how much counters grew in the hold, with the moments of their growth.
    fn grown(&self, role: Role, hold: &Hold<'_>) -> Vec<(f64, f64)> {
        let growth = |pair: &[(f64, f64)]| (pair[1].0, crate::counters::grown(pair[0].1, pair[1].1));
        let of = |series: &Series<'_>| points(series, hold).windows(2).map(growth).collect::<Vec<_>>();
        self.all(role).flat_map(of).collect()
    }

    fn count(&self, roles: &[Role], hold: &Hold<'_>) -> f64 {
        roles.iter().flat_map(|role| self.grown(*role, hold)).map(|(_, by)| by).sum()
    }

    /// LEAK: what collections leave grows from one to the next.
    fn leak(&self, hold: &Hold<'_>, p_max: f64) -> Option<Finding> {
        if hold.seconds() < HEAP_RISE_SECONDS {
            return None;
        }
        let floor = self.floor(hold)?;
        let least = batches(&floor.points)?;
        let growth = growth_of(&least, hold.seconds())?;
        let question =
            Question { capacity: floor.capacity, horizon: HEAP_DAY_SECONDS, allowed: HEAP_LEAK_A_DAY, p_max };
        let grown = growth.over(growth.length).value;
        let matters = grown >= HEAP_LEAK_GROWN * growth.level.abs() && grown >= HEAP_LEAK_BYTES;
        if growth.leak(&question) != Leak::Suspected || !matters || fills_up(&least, grown) {
            return None;
        }
        let is_full = floor.capacity.is_some_and(|capacity| least[BATCHES - 1].1 >= HEAP_FULL * capacity);
        // Samples at both ends of the hold are within one period of it.
        let is_long = hold.seconds() + 10.0 >= HEAP_LEAK_SECONDS && floor.points.len() >= HEAP_LEAK_COLLECTIONS;
        let (grade, severity) = match (is_full, is_long) {
            (true, _) => ("confirmed", Gravity::Warning),
            (false, true) => ("suspected", Gravity::Warning),
            (false, false) => ("possible", Gravity::Notice),
        };
        let slope = &growth.line.slope;
        let iterations = self.watched.throughput(hold);
        let full = floor.capacity.and_then(|capacity| growth.time_to(capacity));
        let time = |time: Option<f64>| time.filter(|time| time.is_finite()).map(Seconds);
        let args = MemoryLeak {
            collections: Some(Count(floor.points.len() as f64)),
            full: time(full.map(|(time, ..)| time)),
            full_high: time(full.map(|(.., high)| high)),
            full_low: time(full.map(|(_, low, _)| low)),
            grade: text(grade),
            hold: Seconds(hold.seconds()),
            hourly: Bytes(slope.value * 3600.0),
            hourly_high: Bytes(slope.high * 3600.0),
            hourly_low: Bytes(slope.low * 3600.0),
            instance: text(self.instance),
            level: Bytes(growth.level),
            per_iteration: (iterations > 0.0).then(|| Bytes(slope.value / iterations)),
            series: text(floor.series.name()),
        };
        Some(of_series(severity, &hold.shared, floor.series, args))
    }

    /// CEILING: collections leave hardly any room.
    fn full(&self, hold: &Hold<'_>) -> Option<Finding> {
        let floor = self.floor(hold)?;
        let capacity = floor.capacity?;
        let full = floor.points.iter().filter(|(_, value)| *value >= HEAP_FULL * capacity).count() as f64;
        let times = full / floor.points.len().max(1) as f64;
        if floor.points.len() < HEAP_FULL_LEAST || times < HEAP_FULL_TIMES {
            return None;
        }
        let greatest = floor.points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        let args = Ceiling {
            ceiling: Arg::Bytes(capacity),
            instance: text(self.instance),
            of: text("collections"),
            reached: Share(greatest / capacity),
            series: text(floor.series.name()),
            time: Share(times),
        };
        Some(of_series(Gravity::Warning, &hold.shared, floor.series, args))
    }

    /// GC-STORM: collections stop the program for a good part of the time.
    fn storm(&self, hold: &Hold<'_>, heaps: &[Heap<'_, '_>]) -> Option<Finding> {
        let stopped = self.grown(Role::CollectionTime, hold);
        let share = stopped.iter().map(|(_, by)| by).sum::<f64>() / hold.seconds();
        let worst = worst_minute(&stopped, hold.seconds());
        let full = self.count(&[Role::FullCollections], hold);
        let is_sibling = |other: &&Heap<'_, '_>| other.monitor == self.monitor && other.instance != self.instance;
        let siblings = heaps.iter().filter(is_sibling).map(|other| other.count(&[Role::FullCollections], hold));
        let sibling = siblings.reduce(f64::min);
        let is_many = sibling.is_some_and(|fewest| full >= STORM_LEAST && full >= STORM_SIBLING * fewest.max(1.0));
        if share <= STORM_SHARE && worst <= STORM_MINUTE && !is_many {
            return None;
        }
        let series = self.series(Role::CollectionShare).or_else(|| self.series(Role::Heap))?;
        let args = GcStorm {
            full: Count(full),
            hold: Seconds(hold.seconds()),
            instance: text(self.instance),
            per_minute: Number(full * 60.0 / hold.seconds()),
            share: Share(share),
            sibling: sibling.filter(|_| is_many).map(Count),
            worst: Share(worst),
        };
        Some(of_series(Gravity::Warning, &hold.shared, series, args))
    }

    /// HEAP: how the heap went, computed: whether each collection brings it back to its floor.
    fn reading(&self, hold: &Hold<'_>) -> Option<Finding> {
        let used = self.points(Role::Heap, hold);
        let (first_used, last_used) = (used.first()?.1, used.last()?.1);
        let left = self.points(Role::HeapFloor, hold);
        let kinds = [Role::YoungCollections, Role::FullCollections, Role::ConcurrentCollections];
        let collections = self.count(&kinds, hold);
        let thirds = (third(&left, hold.seconds(), 0), third(&left, hold.seconds(), 2));
        let height = height(&used, &left);
        let (shape, first, last) = match (left.is_empty(), batches(&left).filter(|_| left.len() >= FLOOR_LEAST), thirds)
        {
            (true, ..) => ("none", first_used, last_used),
            (_, Some(least), (Some(first), Some(last))) => (shape(&least, height, hold.seconds())?, first, last),
            _ => ("few", left.first()?.1, left.last()?.1),
        };
        let max = self.greatest(Role::HeapLimit, hold);
        let of_max = |points: &[(f64, f64)]| {
            let greatest = points.iter().map(|(_, value)| *value).reduce(f64::max);
            greatest.zip(max).map(|(greatest, max)| Share(greatest / max))
        };
        let is_long = hold.seconds() >= HEAP_RISE_SECONDS;
        let severity = match shape {
            "rises" => Gravity::Notice,
            "none" if is_long => Gravity::Notice,
            _ => Gravity::Info,
        };
        let old = self.floor(hold).map_or(0, |floor| floor.points.len());
        let args = HeapCourse {
            collections: Count(collections),
            first: Bytes(first),
            height: Bytes(height),
            hold: Seconds(hold.seconds()),
            instance: text(self.instance),
            last: Bytes(last),
            old: Count(old as f64),
            peak: of_max(&used),
            reached: of_max(&left),
            shape: text(shape),
        };
        Some(of_series(severity, &hold.shared, self.series(Role::Heap)?, args))
    }
}

/// Values of a series in a hold: seconds since its beginning, value.
fn points(series: &Series<'_>, hold: &Hold<'_>) -> Vec<(f64, f64)> {
    let within = series.within(hold.span.from, hold.span.to).into_iter();
    within.map(|(at, value)| ((at - hold.span.from).as_secs_f64(), value)).collect()
}

/// Twelve batches of as many collections each, the least of each: the lower envelope. `None` for fewer than twelve.
fn batches(points: &[(f64, f64)]) -> Option<Vec<(f64, f64)>> {
    if points.len() < BATCHES {
        return None;
    }
    let edge = |batch: usize| batch * points.len() / BATCHES;
    let least = |batch: usize| points[edge(batch)..edge(batch + 1)].iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    (0..BATCHES).map(least).collect()
}

/// As `stats::trend::leak::growth`, of points that are not evenly spaced.
fn growth_of(least: &[(f64, f64)], length: f64) -> Option<Growth> {
    let values: Vec<f64> = least.iter().map(|(_, value)| *value).collect();
    let (trend, line) = (mann_kendall(&values).ok()?, theil_sen(least, 0.95).ok()?);
    let residuals: f64 = least.iter().map(|&(time, value)| (value - line.at(time)).powi(2)).sum();
    let noise = (residuals / (BATCHES as f64 - 2.0)).sqrt();
    let detectable = noise * DETECTABLE_STEP / (length / BATCHES as f64);
    Some(Growth { trend, level: line.at(length), detectable, line, length })
}

/// Whether the last third of the time has hardly any of the growth: a cache, not a leak. By time, since a heap with little
/// room is collected more often.
fn fills_up(least: &[(f64, f64)], grown: f64) -> bool {
    let (first, last) = (least[0], least[BATCHES - 1]);
    let span = last.0 - first.0;
    let late = least.iter().rev().find(|(at, _)| *at <= first.0 + span * 2.0 / 3.0).copied().unwrap_or(first);
    // As a part of an even growth over that time, as the third of three thirds is.
    let part = 3.0 * (last.0 - late.0) / span.max(f64::MIN_POSITIVE);
    last.1 - late.1 < HEAP_LAST_THIRD * part * (last.1 - first.1).max(grown * HEAP_BETWEEN_ENDS)
}

/// How the floor goes, beside what each collection takes away.
fn shape(least: &[(f64, f64)], height: f64, length: f64) -> Option<&'static str> {
    let growth = growth_of(least, length)?;
    let change = growth.over(length);
    let is_rising = growth.trend.s > 0 && growth.trend.p < FLOOR_P && change.low > 0.0;
    Some(if is_rising && change.value > FLOOR_RISE * height {
        "rises"
    } else if change.high <= FLOOR_RETURN * height {
        "returns"
    } else {
        "unclear"
    })
}

/// Least of what was left in one third of the hold.
fn third(left: &[(f64, f64)], length: f64, number: usize) -> Option<f64> {
    let within = |at: f64| ((at / length * 3.0) as usize).min(2) == number;
    left.iter().filter(|(at, _)| within(*at)).map(|(_, value)| *value).reduce(f64::min)
}

/// What a collection takes away, in the middle: the last level before it less what it left; 0 when there is none.
fn height(used: &[(f64, f64)], left: &[(f64, f64)]) -> f64 {
    let fall = |(at, left): &(f64, f64)| {
        let before = used.partition_point(|(other, _)| other < at).checked_sub(1)?;
        Some((used[before].1 - left).max(0.0))
    };
    let mut falls: Vec<f64> = left.iter().filter_map(fall).collect();
    falls.sort_by(f64::total_cmp);
    falls.get(falls.len() / 2).copied().unwrap_or(0.0)
}

/// Greatest share of one whole minute of the hold; of a shorter hold the share of all of it.
fn worst_minute(stopped: &[(f64, f64)], length: f64) -> f64 {
    /// The period of which the worst is reported, seconds.
    const MINUTE: f64 = 60.0;
    let minutes = (length / MINUTE) as usize;
    if minutes == 0 {
        return stopped.iter().map(|(_, by)| by).sum::<f64>() / length;
    }
    let mut sums = vec![0.0; minutes];
    for (at, by) in stopped {
        if let Some(sum) = sums.get_mut((at / MINUTE) as usize) {
            *sum += by;
        }
    }
    sums.into_iter().fold(0.0, f64::max).min(MINUTE) / MINUTE
}
