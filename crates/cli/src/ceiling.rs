//! The highest rate that the generator of this machine sends in time, tried against a target that does nothing.
//!
//! First a closed load tells how many requests get through at all. Then an open load climbs in levels of one second up to
//! that rate, and a second one climbs in finer levels from the fastest that was in time; the fastest second in time of
//! both is the ceiling. What comes in between in one of them is rarely there in the other. Target and generator share the machine while they are tried, so
//! towards a target elsewhere it is a lower bound.

use crate::exit::Failed;
use crate::null_target::NullTarget;
use crate::prepare::prepare_text;
use clock::Clock;
use drive::Control;
use judge::validity::pace::{Pace, Tried};
use record::{EngineRow, Entry};
use recorder::{Batch, Folded};
use run::nodes::{NodeLoad, Sent, Trial};
use run::{Load, foresee};
use std::sync::{Mutex, PoisonError};
use study::Places;
use terms::Nanos;

/// Length of the closed load.
const CLOSED_S: i64 = 2;
/// Length of a load at a node's share.
const SHARE_SECONDS: usize = 3;
/// The first open load climbs from this share of what got through in the closed load, up to all of it.
const FIRST_LEVEL: f64 = 0.1;
/// A second is in time when 99 in 100 requests were started within this time…
pub(crate) const LATE: Nanos = Nanos::MILLISECOND;
/// …and answered within this, both from the planned moment on.
pub(crate) const ANSWERED: Nanos = Nanos::from_millis(2);

/// What to try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeOptions {
    pub(crate) connections: u32,
    pub(crate) threads: u16,
    /// Levels of both open loads together, one second each; at least 4.
    pub(crate) levels: u32,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Ceiling {
    /// Ended a second in the closed load.
    pub(crate) closed_per_s: f64,
    /// Fastest second in time.
    pub(crate) per_s: Option<f64>,
    /// What was tried, a second each.
    pub(crate) levels: Vec<Tried>,
}

/// Load threads where none are stated: the target needs the other half of the cores.
pub(crate) fn usual_threads() -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u16);
    (cores / 2).clamp(1, 256)
}

/// Tries it. Takes [`CLOSED_S`] and a second for each level, and about a second more for each of the three loads.
pub(crate) fn probe(wanted: &ProbeOptions) -> Result<Ceiling, Failed> {
    // The target's threads, and as many that drive.
    foresee::threads(wanted.threads.saturating_mul(2), 0)?;
    let target = NullTarget::start(wanted.threads).map_err(Failed::invalid)?;
    let url = format!("http://{}/", target.address);
    let closed = drive(&study(&url, &format!("{{ users: {}, hold: {CLOSED_S}s }}", wanted.connections)), wanted)?;
    let closed_per_s = closed.ended_per_s();
    if closed_per_s < 1.0 {
        return Err(Failed::invalid(anyhow::anyhow!("nothing got through to the target of this process at {url}")));
    }
    let (first, second) = (wanted.levels.div_ceil(2).max(2), (wanted.levels / 2).max(2));
    let mut tried = climb(&url, &levels(FIRST_LEVEL * closed_per_s, closed_per_s, first), wanted)?;
    let (from, to) = match highest(&tried) {
        // Two levels up: the next one may have been disturbed.
        Some(per_s) => (per_s, (per_s * FIRST_LEVEL.powf(-2.0 / f64::from(first - 1))).min(closed_per_s).max(per_s)),
        None => (FIRST_LEVEL * FIRST_LEVEL * closed_per_s, FIRST_LEVEL * closed_per_s),
    };
    tried.extend(climb(&url, &levels(from, to, second), wanted)?);
    Ok(Ceiling { closed_per_s, per_s: highest(&tried), levels: tried })
}

/// What a load node sends: its share of the load, and its ceiling where that is looked for.
pub(crate) fn try_out(load: &NodeLoad) -> Result<Sent, Failed> {
    let NodeLoad { trial: Trial { connections, levels }, threads, per_s } = *load;
    let wanted = ProbeOptions { connections, threads, levels };
    let mut tried = if levels > 0 { probe(&wanted)?.levels } else { Vec::new() };
    if let Some(per_s) = per_s {
        foresee::threads(threads.saturating_mul(2), 0)?;
        let target = NullTarget::start(threads).map_err(Failed::invalid)?;
        let url = format!("http://{}/", target.address);
        // The first second opens the connections; of those at the full rate one in time is enough, since others may
        // have been disturbed.
        let mut rates = [per_s; 1 + SHARE_SECONDS];
        rates[0] = (per_s / 2.0).ceil();
        tried.extend(climb(&url, &rates, &wanted)?);
    }
    let started_per_s = tried.iter().map(|tried| tried.started).max().unwrap_or_default() as f64;
    Ok(Sent { started_per_s, in_time_per_s: highest(&tried) })
}

fn highest(tried: &[Tried]) -> Option<f64> {
    let in_time = tried.iter().filter(|tried| tried.is_answered(LATE, ANSWERED));
    in_time.map(|tried| tried.started).max().map(|started| started as f64)
}

/// An open load of these levels, a second each.
fn climb(url: &str, levels: &[f64], wanted: &ProbeOptions) -> Result<Vec<Tried>, Failed> {
    let profile: Vec<String> = levels.iter().map(|rate| format!("{{ rate: {rate}/s, for: 1s }}")).collect();
    let load = format!("{{ arrivals: [ {} ], max_in_flight: {} }}", profile.join(", "), wanted.connections);
    let open = drive(&study(url, &load), wanted)?;
    let tried = open.pace().tried().collect();
    Ok(tried)
}

/// Whole rates, each the same factor above the one before.
fn levels(from: f64, to: f64, count: u32) -> Vec<f64> {
    let factor = |level: u32| (to / from).powf(f64::from(level) / f64::from(count.max(2) - 1));
    (0..count.max(2)).map(|level| (from * factor(level)).round().max(1.0)).collect()
}

fn study(url: &str, load: &str) -> String {
    format!(
        "study: ceiling\nsystem: {{ name: nothing }}\nexchanges:\n  request: {{ http.get: {{ url: '{url}' }}, timeout: 5s }}\n\
         scenarios:\n  ceiling: {{ load: {load}, run: [request] }}\n"
    )
}

/// What one load left behind.
#[derive(Default)]
struct ProbeRows {
    rows: Vec<Folded>,
    threads: Vec<EngineRow>,
}

/// The engine as every run has it, without a run folder.
fn drive(text: &str, wanted: &ProbeOptions) -> Result<ProbeRows, Failed> {
    let prepared = prepare_text(text)?;
    foresee::connections(&prepared)?;
    let places = Places::placeholders(&prepared.study);
    let load = Load::here(&prepared, &places, wanted.threads);
    let (batches, threads) = (Mutex::<Vec<Batch>>::default(), Mutex::<Vec<EngineRow>>::default());
    let rows = |entry| match entry {
        Entry::Load(batch) => batches.lock().unwrap_or_else(PoisonError::into_inner).push(batch),
        Entry::Engine(row) => threads.lock().unwrap_or_else(PoisonError::into_inner).push(row),
        _ => {}
    };
    load.drive(&Clock::system(), &Control::new(), &rows).map_err(Failed::invalid)?;
    let rows = batches.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().map(Batch::fold).collect();
    Ok(ProbeRows { rows, threads: threads.into_inner().unwrap_or_else(PoisonError::into_inner) })
}

impl ProbeRows {
    /// Successful iterations per second, over the length of the closed load.
    fn ended_per_s(&self) -> f64 {
        let rows = self.rows.iter().flat_map(|rows| &rows.iterations);
        rows.map(|row| row.books.completed).sum::<u64>() as f64 / CLOSED_S as f64
    }

    fn pace(&self) -> Pace {
        let mut pace = Pace::default();
        for rows in &self.rows {
            rows.iterations.iter().for_each(|row| pace.add_iterations(row));
            rows.starts.iter().for_each(|row| pace.add_starts(row));
            rows.legs.iter().for_each(|row| pace.add_leg(row));
        }
        // Nobody watches the machine here, so what was stolen is not known.
        self.threads.iter().for_each(|row| pace.add_thread(row, 0.0));
        pace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_a_factor_apart() {
        assert_eq!(levels(100.0, 1000.0, 3), [100.0, 316.0, 1000.0]);
        assert_eq!(levels(100.0, 1000.0, 8), [100.0, 139.0, 193.0, 268.0, 373.0, 518.0, 720.0, 1000.0]);
        assert_eq!(levels(0.1, 1.2, 0), [1.0, 1.0]);
    }

    #[test]
    fn the_studies_of_the_probe_are_right() {
        for load in [
            "{ users: 64, hold: 2s }",
            "{ arrivals: [ { rate: 300/s, for: 1s }, { rate: 400/s, for: 1s } ], max_in_flight: 64 }",
        ] {
            let prepared =
                prepare_text(&study("http://127.0.0.1:1/", load)).map_err(|failed| format!("{:#}", failed.error));
            assert_eq!(prepared.unwrap().plan.scenarios.len(), 1);
        }
    }

    #[test]
    fn the_greatest_planned_rate_counts_every_request() {
        let text = study("http://127.0.0.1:1/", "{ arrivals: [ { rate: 5/s, for: 5s }, { rate: 20/s, for: 5s } ] }");
        let prepared = prepare_text(&text.replace("run: [request]", "run: [request, request]"));
        assert_eq!(prepared.map_err(|failed| failed.error).unwrap().planned_per_s(), 40.0);
    }
}
