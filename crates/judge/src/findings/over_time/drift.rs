//! DRIFT: times and watched series that drift, or shift to another level, under constant load.

use super::drop::DropFound;
use super::warm_up::WarmUpFound;
use super::{Calls, Hold, SAME_MOMENT, Watched, arg, finding, text};
use crate::Scope;
use crate::evaluate::Kind;
use crate::findings::declare::{Count, Seconds, declare};
use crate::series::Looked;
use crate::{Arg, Finding, Gravity};

declare! {
    /// Mean times, or a watched series, drift or shift to another level while the load is constant. What shifts at one
    /// moment is one finding. A shift that comes with a drop is reported with it.
    Drift = "DRIFT" {
        after: Arg,
        at: Seconds,
        before: Arg,
        direction: String,
        figure: String,
        others: Count,
        shape: String,
        subject: String,
    }
}

/// Shorter holds show no drift, seconds; those of four minutes show a shift.
const DRIFT_SECONDS: f64 = 300.0;
/// A mean time changes by at least this part.
const DRIFT_OF_TIMES: f64 = 0.1;
/// And by this many seconds.
const DRIFT_TIME: f64 = 0.0005;
/// A watched series changes by at least this part.
const DRIFT_OF_SERIES: f64 = 0.25;
/// A change that is small in itself is not reported, however large a part it is: a share must change by this much.
const DRIFT_SHARE: f64 = 0.03;
/// Processor time must change by this many cores.
const DRIFT_CORES: f64 = 0.05;
/// A count must change by this many.
const DRIFT_COUNT: f64 = 3.0;
/// A rate must change by this many per second.
const DRIFT_RATE: f64 = 5.0;
/// An amount of data must change by this many bytes.
const DRIFT_BYTES: f64 = 100_000.0;
/// A watched time must change by this many seconds.
const DRIFT_WATCHED_TIME: f64 = 0.001;
/// Fewer calls show no drift of their times.
const DRIFT_CALLS: u64 = 240;

/// A change that was found.
struct Change {
    subject: String,
    evidence: Option<Vec<String>>,
    kind: Kind,
    before: f64,
    after: f64,
    /// Seconds after the hold's beginning for a shift; for a drift the length of the hold.
    at: f64,
    is_shift: bool,
}

impl Change {
    fn relative(&self) -> f64 {
        if self.before == 0.0 { f64::MAX } else { (self.after - self.before) / self.before.abs() }
    }
}

/// DRIFT, of calls and of what is watched. Times that fall because the hold had not warmed up are told there.
pub(super) fn drifts(watched: &Watched<'_>, drops: &[DropFound], beginnings: &[WarmUpFound]) -> Vec<Finding> {
    // Times of calls are few, and what is asked for first; what is watched does not make them harder to see.
    let looks_at_times = watched.holds.iter().map(|hold| watched.calls(hold).len()).sum();
    let looks_at_series = watched.holds.len() * watched.series.len();
    // What falls with the throughput is stated with it.
    let is_known = |hold: &Hold<'_>, change: &Change| {
        let at = hold.span.from.as_secs_f64() + change.at;
        change.is_shift && drops.iter().any(|drop| (drop.at_s - at).abs() <= SAME_MOMENT)
    };
    let mut findings = Vec::new();
    for hold in &watched.holds {
        let calls = watched.calls(hold);
        let of_calls: Vec<Change> =
            calls.iter().filter_map(|calls| of_calls(watched, hold, calls, looks_at_times)).collect();
        let is_told = |change: &Change| {
            change.after < change.before && beginnings.iter().any(|found| found.explains(&hold.scope, &change.subject))
        };
        let of_calls: Vec<Change> =
            of_calls.into_iter().filter(|change| !is_known(hold, change) && !is_told(change)).collect();
        findings.extend(grouped(&hold.scope, of_calls, true));
    }
    for hold in watched.windows() {
        let mut changes = of_series(watched, hold, looks_at_series);
        changes.retain(|change| !is_known(hold, change));
        findings.extend(grouped(&hold.shared, changes, false));
    }
    findings
}

fn of_calls(watched: &Watched<'_>, hold: &Hold<'_>, calls: &Calls, looks: usize) -> Option<Change> {
    if calls.count() < DRIFT_CALLS {
        return None;
    }
    let looked = Looked::by_second(calls.means(), Kind::Time);
    let found = change(watched, hold, &looked, DRIFT_OF_TIMES, looks)?;
    let matters = (found.1 - found.0).abs() >= DRIFT_TIME;
    let scope = format!("load:{}/{}", hold.scope, calls.name);
    matters.then(|| named(found, calls.name.clone(), Some(vec![scope]), Kind::Time))
}

fn of_series(watched: &Watched<'_>, hold: &Hold<'_>, looks: usize) -> Vec<Change> {
    let mut changes = Vec::new();
    for series in watched.series.iter().filter(|series| !series.is_memory()) {
        let Some(looked) = series.looked(hold.span.from, hold.span.to) else { continue };
        let Some(found) = change(watched, hold, &looked, DRIFT_OF_SERIES, looks) else { continue };
        let least = match looked.kind {
            Kind::Share => DRIFT_SHARE,
            Kind::Cores => DRIFT_CORES,
            Kind::Count => DRIFT_COUNT,
            Kind::PerSecond => DRIFT_RATE,
            Kind::Bytes => DRIFT_BYTES,
            Kind::Time => DRIFT_WATCHED_TIME,
        };
        if (found.1 - found.0).abs() >= least {
            changes.push(named(found, series.subject(), Some(series.evidence()), looked.kind));
        }
    }
    changes
}

fn named(found: (f64, f64, f64, bool), subject: String, evidence: Option<Vec<String>>, kind: Kind) -> Change {
    let (before, after, at, is_shift) = found;
    Change { subject, evidence, kind, before, after, at, is_shift }
}

/// Before, after, when, and whether it is a shift.
fn change(
    watched: &Watched<'_>,
    hold: &Hold<'_>,
    looked: &Looked,
    part: f64,
    looks: usize,
) -> Option<(f64, f64, f64, bool)> {
    let levels = looked.levels().map_or(1, |(levels, _)| levels.len());
    let shift = looked.level_shift(part, looks).map(|shift| (shift.before, shift.after, shift.after_s, true));
    // A straight rise is cut into stairs by whoever looks for levels; one single step is none.
    if levels == 2 && shift.is_some() {
        return shift;
    }
    let is_long = hold.seconds() >= DRIFT_SECONDS && !watched.is_trial;
    let drift = looked.growth().ok().filter(|_| is_long).and_then(|growth| {
        let (start, end) = (growth.line.at(0.0), growth.line.at(growth.length));
        let slope = &growth.line.slope;
        let is_trend = growth.trend.p < Watched::p_max(looks) && (slope.low > 0.0 || slope.high < 0.0);
        let matters = (end - start).abs() >= part * start.abs().max(f64::MIN_POSITIVE);
        (is_trend && matters).then_some((start.max(0.0), end.max(0.0), hold.seconds(), false))
    });
    drift.or(shift)
}

/// What changes at one moment is one finding, led by the greatest change; what drifts is one for each hold.
fn grouped(scope: &Scope, mut changes: Vec<Change>, is_of_calls: bool) -> Vec<Finding> {
    changes.sort_by(|a, b| b.relative().abs().total_cmp(&a.relative().abs()));
    let mut findings = Vec::new();
    while !changes.is_empty() {
        let lead = changes.remove(0);
        let before = changes.len();
        changes.retain(|other| other.is_shift != lead.is_shift || (other.at - lead.at).abs() > SAME_MOMENT);
        let severity = match (is_of_calls, lead.after > lead.before) {
            (true, true) => Gravity::Warning,
            (true, false) => Gravity::Notice,
            _ => Gravity::Info,
        };
        let scope = if is_of_calls { scope.within(&lead.subject) } else { scope.clone() };
        let args = Drift {
            after: arg(lead.kind, lead.after),
            at: Seconds(lead.at),
            before: arg(lead.kind, lead.before),
            direction: text(if lead.after > lead.before { "up" } else { "down" }),
            figure: text(if is_of_calls { "times" } else { "series" }),
            others: Count((before - changes.len()) as f64),
            shape: text(if lead.is_shift { "shift" } else { "drift" }),
            subject: text(&lead.subject),
        };
        let mut found = finding(severity, &scope, args);
        if let Some(evidence) = lead.evidence {
            found.evidence = evidence;
        }
        findings.push(found);
    }
    findings
}
