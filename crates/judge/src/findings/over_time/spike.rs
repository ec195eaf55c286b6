//! SPIKE: a few short excursions, at the start or during the hold, in series that are otherwise quiet.

use super::stall::StallFound;
use super::{Calls, Hold, Watched, arg, finding, others, text};
use crate::Scope;
use crate::evaluate::Kind;
use crate::findings::declare::{Count, Seconds, declare};
use crate::{Arg, Finding, Gravity};
use contract::Role;
use terms::Nanos;

declare! {
    /// One to three short excursions of an otherwise quiet series (processors, connections, threads, mean times),
    /// at the start or during the hold.
    Spike = "SPIKE" {
        at: Seconds,
        figure: String,
        greatest: Arg,
        lasted: Seconds,
        number: Count,
        others: Count,
        place: String,
        subject: String,
        usual: Arg,
    }
}

/// More excursions than this are normal there, not spikes.
const SPIKES_FEW: usize = 3;
/// All spikes together last at most this share of the time.
const SPIKES_SHARE: f64 = 0.1;
/// Excursions this close together are one, seconds.
const SPIKES_NEAR: f64 = 10.0;
/// Excursions this many samples apart are one, too: nothing was seen between them.
const SPIKES_NEAR_SAMPLES: f64 = 1.5;
/// Fewer samples do not show what is usual.
const SPIKE_SAMPLES_MIN: usize = 30;
/// A spike is at least this many robust deviations above the median.
const SPIKE_DEVIATIONS: f64 = 6.0;
/// In a watched series, it is above the median by this part of it.
const SPIKE_LEVEL: f64 = 0.5;
/// In a mean time, it is above the median by this many times the median.
const SPIKE_TIMES: f64 = 2.0;
/// And by this many seconds.
const SPIKE_TIME: f64 = 0.005;
/// Seconds with fewer calls make no spike of times.
const SPIKE_CALLS: u64 = 3;
/// Chance, per hour, of reporting a spike in times, or in watched series, that have none: over all that are examined.
const SPIKE_ALARM: f64 = 0.01;
/// The maximum of this many seconds is one of the values among which a spike must stand out.
const SPIKE_BLOCK: f64 = 10.0;
/// In a short series the maximum of fewer, so that there are this many.
const SPIKE_BLOCKS: usize = 30;
/// “At the start” is within this time after the load began, seconds.
const SPIKE_START: f64 = 60.0;

/// What stands out of a quiet series.
struct Spikes {
    subject: String,
    evidence: String,
    kind: Kind,
    number: usize,
    usual: f64,
    /// The greatest of them.
    greatest: f64,
    at: Nanos,
    lasted: f64,
}

/// SPIKE, of processors and counts that are watched, and of mean times.
pub(super) fn spikes(watched: &Watched<'_>, stalls: &[StallFound]) -> Vec<Finding> {
    let looks_at_series = watched.holds.len() * watched.series.len();
    let looks_at_times = watched.holds.iter().map(|hold| watched.calls(hold).len()).sum();
    let mut findings = Vec::new();
    for hold in watched.windows() {
        let begin = load_begin(watched, hold);
        findings.extend(grouped(&hold.shared, begin, of_series(watched, hold, begin, looks_at_series), Gravity::Info));
    }
    for hold in &watched.holds {
        let begin = load_begin(watched, hold);
        // A rhythm is not an exception.
        if stalls.iter().all(|stall| stall.scope != hold.scope) {
            let calls: Vec<Spikes> =
                watched.calls(hold).iter().filter_map(|calls| of_calls(hold, calls, looks_at_times)).collect();
            findings.extend(grouped(&hold.scope, begin, calls, Gravity::Notice));
        }
    }
    findings
}

/// When the load that this hold belongs to began: the first step of its scenario with load, without a pause since.
fn load_begin(watched: &Watched<'_>, hold: &Hold<'_>) -> Nanos {
    let mut begin = hold.span.from;
    for step in watched.seen.index.evidence.steps.iter().rev() {
        let is_before = step.scenario == hold.span.scenario && step.phase.has_load() && step.from < begin;
        if is_before && step.to >= begin - Nanos::SECOND && step.phase != terms::Phase::Hold {
            begin = step.from;
        }
    }
    begin
}

fn of_series(watched: &Watched<'_>, hold: &Hold<'_>, begin: Nanos, looks: usize) -> Vec<Spikes> {
    const LOOKED_AT: [Role; 6] =
        [Role::Processor, Role::Connected, Role::Connections, Role::Threads, Role::Descriptors, Role::RunQueue];
    let mut found = Vec::new();
    for series in &watched.series {
        if !series.is_level_of(&LOOKED_AT) {
            continue;
        }
        let least = crate::assess::least_peak(series.kind());
        let held = series.values(hold.span.from, hold.span.to);
        let all = series.within(begin, hold.span.to);
        let spacing = crate::evaluate::spacing(&all);
        let demands = Demands { level: SPIKE_LEVEL, least, looks };
        if let Some(mut spikes) = excursions(&held, &all, spacing, demands) {
            spikes.subject = series.subject();
            spikes.evidence = format!("watch:{}", series.name());
            spikes.kind = series.kind();
            found.push(spikes);
        }
    }
    found
}

fn of_calls(hold: &Hold<'_>, calls: &Calls, looks: usize) -> Option<Spikes> {
    let means = calls.means();
    let begin = hold.span.from.second();
    let points: Vec<(Nanos, f64)> = means
        .iter()
        .zip(calls.counts())
        .enumerate()
        // A single slow call is a tail, not a moment.
        .map(|(place, (mean, count))| (place, if count >= SPIKE_CALLS { *mean } else { 0.0 }))
        .map(|(place, mean)| (Nanos::from_secs(begin + place as i64), mean))
        .collect();
    let mut spikes = excursions(&means, &points, 1.0, Demands { level: SPIKE_TIMES, least: SPIKE_TIME, looks })?;
    spikes.subject.clone_from(&calls.name);
    spikes.evidence = format!("load:{}/{}", hold.scope, calls.name);
    spikes.kind = Kind::Time;
    Some(spikes)
}

/// What an excursion must be.
#[derive(Clone, Copy)]
struct Demands {
    /// Above the median by this part of it.
    level: f64,
    /// And by so much.
    least: f64,
    /// How many series are asked.
    looks: usize,
}

/// Excursions of `points` above what `held` is usually; `None` without any, or with too many or too long ones.
fn excursions(held: &[f64], points: &[(Nanos, f64)], spacing: f64, demands: Demands) -> Option<Spikes> {
    if held.len() < SPIKE_SAMPLES_MIN || spacing <= 0.0 {
        return None;
    }
    let usual = stats::series::median(held)?;
    let deviation = stats::series::robust_deviation(held)?;
    let limit = usual + (SPIKE_DEVIATIONS * deviation).max(demands.level * usual).max(demands.least);
    let mut found: Vec<(Nanos, Nanos, f64)> = Vec::new();
    let mut above = 0.0;
    for (at, value) in points.iter().filter(|(_, value)| *value > limit) {
        above += spacing;
        match found.last_mut() {
            Some(last) if (*at - last.1).as_secs_f64() <= SPIKES_NEAR.max(SPIKES_NEAR_SAMPLES * spacing) => {
                last.1 = *at;
                last.2 = last.2.max(*value);
            }
            _ => found.push((*at, *at, *value)),
        }
    }
    let is_rare = (1..=SPIKES_FEW).contains(&found.len()) && above <= SPIKES_SHARE * points.len() as f64 * spacing;
    let (first, last, greatest) = found.iter().copied().max_by(|a, b| a.2.total_cmp(&b.2)).filter(|_| is_rare)?;
    if !stand_apart(points, spacing, limit, demands.looks) {
        return None;
    }
    Some(Spikes {
        subject: String::new(),
        evidence: String::new(),
        kind: Kind::Count,
        number: found.len(),
        usual,
        greatest,
        at: first,
        lasted: (last - first).as_secs_f64() + spacing,
    })
}

/// Whether what lies above a limit is not just the end of a long tail.
fn stand_apart(points: &[(Nanos, f64)], spacing: f64, limit: f64, looks: usize) -> bool {
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let width = (values.len() / SPIKE_BLOCKS).clamp(1, (SPIKE_BLOCK / spacing).max(1.0) as usize);
    let blocks = stats::outliers::block_maxima(&values, width);
    let above = blocks.iter().filter(|greatest| **greatest > limit).count();
    let seconds = values.len() as f64 * spacing;
    let allowed = SPIKE_ALARM * (seconds / 3600.0).min(1.0) / looks.max(1) as f64;
    stats::outliers::chance(&blocks, above.clamp(1, blocks.len() / 4)).is_ok_and(|chance| chance <= allowed)
}

/// What spikes together is one finding, led by what rises farthest above its usual level.
fn grouped(scope: &Scope, begin: Nanos, mut all: Vec<Spikes>, severity: Gravity) -> Vec<Finding> {
    let height = |spikes: &Spikes| spikes.greatest / spikes.usual.max(1e-6);
    all.sort_by(|a, b| height(b).total_cmp(&height(a)));
    let mut findings = Vec::new();
    while !all.is_empty() {
        let lead = all.remove(0);
        let before = all.len();
        all.retain(|other| (other.at - lead.at).as_secs_f64().abs() > SPIKES_NEAR);
        let after = (lead.at - begin).as_secs_f64().max(0.0);
        let args = Spike {
            at: Seconds(after),
            figure: text(if lead.kind == Kind::Time { "times" } else { "series" }),
            greatest: arg(lead.kind, lead.greatest),
            lasted: Seconds(lead.lasted),
            number: Count(lead.number as f64),
            others: others(before - all.len() + 1),
            place: text(if after <= SPIKE_START { "start" } else { "during" }),
            subject: text(&lead.subject),
            usual: arg(lead.kind, lead.usual),
        };
        let mut found = finding(severity, scope, args);
        found.evidence = vec![lead.evidence];
        findings.push(found);
    }
    findings
}
