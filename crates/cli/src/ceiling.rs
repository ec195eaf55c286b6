//! The highest rate that the generator of this machine sends in time, tried against a target that does nothing.
//!
//! First a closed load tells how many requests get through at all. Then an open load climbs in levels of one second up to
//! that rate, and a second one climbs in finer levels from the fastest that was in time; the fastest second in time of
//! both is the ceiling. What comes in between in one of them is rarely there in the other. What others had of the
//! processors meanwhile is told, since it makes the ceiling too low. Target and generator share the machine while they
//! are tried, so towards a target elsewhere it is a lower bound.

use crate::exit::Failed;
use crate::null_target::NullTarget;
use crate::prepare::prepare_text;
use clock::Clock;
use drive::Control;
use judge::validity::limits;
use judge::validity::pace::{Pace, Tried};
use record::{EngineRow, Entry};
use recorder::{Batch, Folded};
use run::nodes::{NodeLoad, Sent, Trial};
use run::{Load, foresee};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use study::Places;
use terms::Nanos;
use watch::{OthersShares, ProcessorTimes};

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
/// Share of the processors that other programs may have in each of the loads without a word about it. On a quiet machine
/// up to 0.05 were seen, which is what sampled ticks are worth over some seconds.
const PROGRAMS_MOST: f64 = 0.1;
/// With less run-queue delay than this, the machine had processors enough for them and for the probe. On a quiet machine
/// it is 0.01.
const DELAYED_LEAST: f64 = 0.02;
/// A quiet machine sends this share of the closed load in time; twice as much is usual.
const IN_TIME_LEAST: f64 = 0.25;

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
    /// What others had of the processors in that of the loads in which it was most; `None` where nobody counts it.
    pub(crate) others: Option<OthersShares>,
    /// Run-queue delay of the most delayed load thread, share of the time of that open load in which it was most; `None`
    /// where nobody counts it, and where the probe's own threads wait for each other.
    pub(crate) run_queue: Option<f64>,
}

/// What disturbed a probe, so that its figures are too low.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Disturbance {
    /// Half a sentence: `other programs used up to 41% of the processors meanwhile`.
    pub(crate) who: String,
    /// What helps: `stop them and repeat`.
    pub(crate) to_do: &'static str,
    /// Whether it was seen, and not only concluded from the figures.
    is_seen: bool,
}

impl Ceiling {
    /// What disturbed it; `None` where nothing was seen, and nothing contradicts itself.
    pub(crate) fn disturbance(&self) -> Option<Disturbance> {
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        let OthersShares { programs, guests } = self.others.unwrap_or_default();
        if programs > PROGRAMS_MOST && self.run_queue.is_none_or(|share| share > DELAYED_LEAST) {
            let who = format!("other programs used up to {} of the processors meanwhile", percent(programs));
            return Some(Disturbance { who, to_do: "stop them and repeat", is_seen: true });
        }
        if guests > limits::STEAL_QUESTIONABLE {
            let who =
                format!("other machines on the same host took up to {} of the processors meanwhile", percent(guests));
            return Some(Disturbance {
                who,
                to_do: "repeat, or use a machine with processors of its own",
                is_seen: true,
            });
        }
        if let Some(share) = self.run_queue.filter(|share| *share > limits::RUN_QUEUE_QUESTIONABLE) {
            let who = format!("the generator had to wait for a processor {} of the time", percent(share));
            return Some(Disturbance { who, to_do: "stop what else runs here and repeat", is_seen: true });
        }
        // Late at low rates, whoever had the processors.
        let concluded =
            |who: &str| Some(Disturbance { who: who.to_owned(), to_do: "look with `top`, and repeat", is_seen: false });
        let Some(per_s) = self.per_s else {
            return concluded("something that is not seen from here holds the processors up");
        };
        let is_low = |tried: &&Tried| (per_s..=IN_TIME_LEAST * self.closed_per_s).contains(&(tried.planned as f64));
        let is_held_up = self.levels.iter().filter(is_low).any(|tried| !tried.is_answered(LATE, ANSWERED));
        let who = "far less was on time than the closed load sent, as where something holds the processors up";
        if is_held_up { concluded(who) } else { None }
    }

    /// The same as a warning, with what it means for the figure, where there is one.
    pub(crate) fn warning(&self) -> Option<String> {
        let Disturbance { who, to_do, is_seen } = self.disturbance()?;
        let so = match self.per_s {
            Some(_) if is_seen => ", so the figure is too low by an unknown amount",
            Some(_) => ", so the figure may be too low",
            None => "",
        };
        Some(format!("warning: {who}{so}; {to_do}"))
    }
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
    let mut others = Others::watch();
    let closed = drive(&study(&url, &format!("{{ users: {}, hold: {CLOSED_S}s }}", wanted.connections)), wanted)?;
    others.look();
    let closed_per_s = closed.ended_per_s();
    if closed_per_s < 1.0 {
        return Err(Failed::invalid(anyhow::anyhow!("nothing got through to the target of this process at {url}")));
    }
    let (first, second) = (wanted.levels.div_ceil(2).max(2), (wanted.levels / 2).max(2));
    let Climb { mut tried, run_queue } = climb(&url, &levels(FIRST_LEVEL * closed_per_s, closed_per_s, first), wanted)?;
    others.look();
    let (from, to) = match highest(&tried) {
        // Two levels up: the next one may have been disturbed.
        Some(per_s) => (per_s, (per_s * FIRST_LEVEL.powf(-2.0 / f64::from(first - 1))).min(closed_per_s).max(per_s)),
        None => (FIRST_LEVEL * FIRST_LEVEL * closed_per_s, FIRST_LEVEL * closed_per_s),
    };
    let again = climb(&url, &levels(from, to, second), wanted)?;
    others.look();
    tried.extend(again.tried);
    // Where there are more threads than cores, they wait for each other.
    let is_room = usual_threads() >= wanted.threads;
    let run_queue = Some(run_queue.max(again.run_queue)).filter(|share| is_room && *share > 0.0);
    Ok(Ceiling { closed_per_s, per_s: highest(&tried), levels: tried, others: others.most, run_queue })
}

/// What others have of the processors from one look to the next.
struct Others {
    before: Option<ProcessorTimes>,
    most: Option<OthersShares>,
}

impl Others {
    fn watch() -> Self {
        Self { before: ProcessorTimes::now(), most: None }
    }

    fn look(&mut self) {
        let now = ProcessorTimes::now();
        let found = now.zip(self.before).and_then(|(now, before)| now.others_since(&before));
        self.most = found.map_or(self.most, |found| {
            let most = self.most.unwrap_or_default();
            Some(OthersShares { programs: most.programs.max(found.programs), guests: most.guests.max(found.guests) })
        });
        self.before = now;
    }
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
        tried.extend(climb(&url, &rates, &wanted)?.tried);
    }
    let started_per_s = tried.iter().map(|tried| tried.started).max().unwrap_or_default() as f64;
    Ok(Sent { started_per_s, in_time_per_s: highest(&tried) })
}

fn highest(tried: &[Tried]) -> Option<f64> {
    let in_time = tried.iter().filter(|tried| tried.is_answered(LATE, ANSWERED));
    in_time.map(|tried| tried.started).max().map(|started| started as f64)
}

/// What came of an open load.
struct Climb {
    tried: Vec<Tried>,
    /// As [`Ceiling::run_queue`].
    run_queue: f64,
}

/// An open load of these levels, a second each.
fn climb(url: &str, levels: &[f64], wanted: &ProbeOptions) -> Result<Climb, Failed> {
    let profile: Vec<String> = levels.iter().map(|rate| format!("{{ rate: {rate}/s, for: 1s }}")).collect();
    let load = format!("{{ arrivals: [ {} ], max_in_flight: {} }}", profile.join(", "), wanted.connections);
    let open = drive(&study(url, &load), wanted)?;
    Ok(Climb { tried: open.pace().tried().collect(), run_queue: open.run_queue() })
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

    /// Run-queue delay of the most delayed thread, share of its time.
    fn run_queue(&self) -> f64 {
        let mut waited: BTreeMap<u16, (f64, f64)> = BTreeMap::new();
        for row in &self.threads {
            let (delay_s, seconds) = waited.entry(row.worker).or_default();
            (*delay_s, *seconds) = (*delay_s + row.run_queue_s, *seconds + 1.0);
        }
        waited.into_values().map(|(delay_s, seconds)| delay_s / seconds).fold(0.0, f64::max)
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
    fn what_disturbed_a_probe_is_named() {
        let quiet = Ceiling {
            closed_per_s: 60_000.0,
            per_s: Some(40_000.0),
            levels: Vec::new(),
            others: Some(OthersShares { programs: PROGRAMS_MOST, guests: limits::STEAL_QUESTIONABLE }),
            run_queue: Some(limits::RUN_QUEUE_QUESTIONABLE),
        };
        assert_eq!((quiet.disturbance(), quiet.warning()), (None, None));
        let others = |programs, guests| Some(OthersShares { programs, guests });
        let busy = Ceiling { others: others(0.413, 0.2), run_queue: Some(0.3), ..quiet.clone() };
        let told = "warning: other programs used up to 41% of the processors meanwhile, so the figure is too low by an \
                    unknown amount; stop them and repeat";
        assert_eq!(busy.warning().as_deref(), Some(told));
        let who = |ceiling: &Ceiling| ceiling.disturbance().map_or_else(String::new, |found| found.who);
        let stolen = Ceiling { others: others(0.01, 0.12), run_queue: Some(0.3), ..quiet.clone() };
        assert_eq!(who(&stolen), "other machines on the same host took up to 12% of the processors meanwhile");
        let room = Ceiling { others: others(0.413, 0.0), run_queue: Some(DELAYED_LEAST), ..quiet.clone() };
        assert_eq!(room.disturbance(), None, "a large machine had processors for all");
        assert!(Ceiling { run_queue: None, ..room.clone() }.disturbance().is_some(), "nobody counted that");
        let delayed = Ceiling { others: None, run_queue: Some(0.08), ..quiet.clone() };
        assert_eq!(who(&delayed), "the generator had to wait for a processor 8% of the time");
        // Late at a fifth of what had just got through, whoever had the processors.
        let late = |planned| Tried { planned, started: planned, late: None, response: None, is_full: false };
        let held_up = Ceiling { per_s: Some(1_206.0), levels: vec![late(12_000)], ..quiet.clone() };
        let told = held_up.warning().unwrap_or_default();
        assert!(told.contains("far less was on time") && told.contains("may be too low; look with `top`"), "{told}");
        // Nothing between a tenth and all of it was tried, or another second of a higher rate was in time.
        let coarse = Ceiling { per_s: Some(6_000.0), levels: vec![late(60_000)], ..quiet.clone() };
        let another = Ceiling { levels: vec![late(12_000)], ..quiet.clone() };
        assert_eq!((coarse.disturbance(), another.disturbance()), (None, None));
        // Without a figure there is none that is too low.
        let none = Ceiling { per_s: None, ..busy };
        assert!(none.warning().is_some_and(|text| text.contains("meanwhile; stop them and repeat")), "{none:?}");
    }

    #[test]
    fn the_delay_of_the_most_delayed_thread_counts() {
        let row = |worker, run_queue_s| EngineRow { worker, run_queue_s, ..EngineRow::default() };
        let rows =
            ProbeRows { threads: vec![row(0, 0.1), row(1, 0.2), row(0, 0.3), row(1, 0.1)], ..ProbeRows::default() };
        assert!((rows.run_queue() - 0.2).abs() < 1e-12);
        assert_eq!(ProbeRows::default().run_queue(), 0.0);
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
