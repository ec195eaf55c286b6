//! Validity before verdict: signs that the measurement was spoiled, each with its thresholds.

mod full;
mod imported;
pub mod pace;
mod reach;
mod thresholds;

pub use reach::{FIGURES, Figure, Moves, reach};
pub(crate) use thresholds::Thresholds;

use crate::Scope;
use crate::evidence::StepSpan;
use crate::little::Balance;
use crate::presence::{Presence, presence};
use crate::rows::{Each, Index};
use crate::steps::ThreadShares;
use crate::{Arg, Args, LegResult, Sign, StepResult, Times, WireValidity};
use contract::Role;
use full::{overloaded, overloaded_share, rate};
use record::EventRow;
use std::collections::{BTreeMap, BTreeSet};
use terms::{Books, Nanos, Outcome, Phase, Validity};
use thresholds::Pair;

/// Thresholds; the table in the guide is made from these. A value at its threshold is still on the good side.
pub mod limits {
    /// Lateness p99 in an open load, ms: questionable above the greater of this and a share of the median response.
    pub const LATENESS_QUESTIONABLE_MS: f64 = 1.0;
    /// As above, share of the median response.
    pub const LATENESS_QUESTIONABLE_SHARE: f64 = 0.01;
    /// Invalid, ms.
    pub const LATENESS_INVALID_MS: f64 = 10.0;
    /// Invalid, share of the median response.
    pub const LATENESS_INVALID_SHARE: f64 = 0.1;
    /// Intended starts that the generator lost, share.
    pub const LOST_QUESTIONABLE: f64 = 0.001;
    /// As above, invalid.
    pub const LOST_INVALID: f64 = 0.01;
    /// Lines of an imported load that could not be read, share.
    pub const UNREADABLE_QUESTIONABLE: f64 = 0.001;
    /// As above, invalid.
    pub const UNREADABLE_INVALID: f64 = 0.01;
    /// Run-queue delay of the generator's most delayed thread, share of time.
    pub const RUN_QUEUE_QUESTIONABLE: f64 = 0.05;
    /// As above, invalid.
    pub const RUN_QUEUE_INVALID: f64 = 0.2;
    /// Steal, share of time.
    pub const STEAL_QUESTIONABLE: f64 = 0.02;
    /// As above, invalid.
    pub const STEAL_INVALID: f64 = 0.1;
    /// Processor time that programs outside the study used, share of the machine's.
    pub const FOREIGN_QUESTIONABLE: f64 = 0.2;
    /// As above, invalid.
    pub const FOREIGN_INVALID: f64 = 0.5;
    /// Processor share of the generator's busiest thread from which on a closed load's throughput is a lower bound.
    pub const CORES_FULL: f64 = 0.95;
    /// Load of an open step, ended of offered, below which a full generator with waiting arrivals makes it invalid.
    pub const ENDED_LEAST: f64 = 0.99;
    /// Seconds of a step, share, in which a full generator may have had arrivals waiting.
    pub const OVERLOADED_SECONDS: f64 = 0.01;
    /// Highest rate in time, of the planned one, from which on the rate is not what made the generator late.
    pub const RATE_KEPT: f64 = 0.95;
    /// Counts, times and concurrency contradict each other by more than this: the measurement is.
    pub const LITTLE_INVALID: f64 = 0.15;
}

/// A sign with the step that it concerns; `None` concerns the whole run.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) step: Option<u32>,
    pub(crate) sign: Sign,
}

/// The validity of some steps, with the sign that decided it.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) validity: Validity,
    pub(crate) sign: String,
    pub(crate) scope: Scope,
}

/// Signs of one kind for each step, and for the run; those that speak against it first.
pub(crate) fn signs(
    index: &Index<'_>,
    steps: &[StepResult],
    balances: &[Option<Balance>],
    limits: &Thresholds,
) -> Vec<Placed> {
    let mut signs: Vec<Placed> = Vec::new();
    let mut place = |step: Option<u32>, found: Vec<Sign>| {
        signs.extend(found.into_iter().map(|sign| Placed { step, sign }));
    };
    for ((span, result), balance) in index.evidence.steps.iter().zip(steps).zip(balances) {
        let scope = index.scope(span);
        if span.phase.has_load() && result.books.intended > 0 {
            place(Some(span.number), load_signs(index, span, result, &scope, limits));
            let whole = index.shared_scope(span);
            place(Some(span.number), balance.iter().map(|balance| little(balance, &whole, limits.little)).collect());
        }
        place(Some(span.number), event_signs(index, span, &index.shared_scope(span)));
    }
    place(None, run_signs(index));
    signs.sort_by_key(|placed| std::cmp::Reverse(placed.sign.state));
    signs
}

/// The signs that concern these steps and speak against them, those of the whole run included; the worst first.
pub(crate) fn against<'a>(signs: &'a [Placed], steps: &[u32]) -> impl Iterator<Item = &'a Sign> {
    let concerns = move |placed: &&Placed| placed.step.is_none_or(|step| steps.contains(&step));
    // The worst stand first.
    let bad = signs.iter().take_while(|placed| placed.sign.state != WireValidity::Valid);
    bad.filter(concerns).map(|placed| &placed.sign)
}

/// The worst of the signs that concern these steps, those of the whole run included.
pub(crate) fn validity_of(signs: &[Placed], steps: &[u32]) -> Held {
    match against(signs, steps).next() {
        None => Held { validity: Validity::Valid, sign: String::new(), scope: Scope::run() },
        Some(sign) => Held { validity: sign.state.into(), sign: sign.code.clone(), scope: sign.scope.clone() },
    }
}

/// Validity of the run: what concerns the whole of it, and its holds. What a warm-up or a ramp was spoiled by does not
/// spoil the figures that are judged; a rule that looks at one is held against it by itself. Nor do `asides`: scenarios
/// that a search made again, or found to be too much.
pub(crate) fn validity_of_run(index: &Index<'_>, signs: &[Placed], asides: &BTreeSet<&str>) -> Validity {
    let steps = &index.evidence.steps;
    let name =
        |step: &StepSpan| index.head().scenarios.get(step.scenario).map_or("", |scenario| scenario.name.as_str());
    let holds = steps.iter().filter(|step| step.phase == Phase::Hold && !asides.contains(name(step)));
    let mut judged: Vec<u32> = holds.map(|step| step.number).collect();
    if judged.is_empty() {
        judged = steps.iter().map(|step| step.number).collect();
    }
    validity_of(signs, &judged).validity
}

fn state(value: f64, questionable: f64, invalid: f64) -> WireValidity {
    // A mean of equal numbers can lie beside them in its last digit; that decides nothing.
    let exceeds = |limit: f64| value > limit * (1.0 + 1e-9);
    if exceeds(invalid) {
        WireValidity::Invalid
    } else if exceeds(questionable) {
        WireValidity::Questionable
    } else {
        WireValidity::Valid
    }
}

fn measured(code: &str, scope: &Scope, value: f64, limits: Pair, unit: fn(f64) -> Arg) -> Sign {
    let Pair { questionable, invalid } = limits;
    Sign {
        code: code.into(),
        scope: scope.clone(),
        state: state(value, questionable, invalid),
        value: Some(unit(value)),
        questionable: Some(unit(questionable)),
        invalid: Some(unit(invalid)),
        args: Args::new(),
    }
}

fn plain<const N: usize>(code: &str, scope: &Scope, state: WireValidity, args: [(&str, Arg); N]) -> Sign {
    let args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
    Sign { code: code.into(), scope: scope.clone(), state, value: None, questionable: None, invalid: None, args }
}

fn load_signs(
    index: &Index<'_>,
    span: &StepSpan,
    result: &StepResult,
    scope: &Scope,
    limits: &Thresholds,
) -> Vec<Sign> {
    let mut signs = Vec::new();
    let is_open = index.load_of(span).is_some_and(|load| load.model != "closed");
    // Of the generator as a whole: in a mix the same for all parts.
    let whole = &index.shared_scope(span);
    // First, so that a cause stands before what it leads to.
    if let Some(shared) = crate::processors::shared(index, span) {
        signs.push(measured("foreign", whole, shared.foreign(), limits.foreign, Arg::Share));
    }
    if is_open {
        let lateness = index.lateness_quantile(span.number, 0.99).map_or(0.0, Nanos::as_millis_f64);
        let median = least_median(result);
        let pair = Pair {
            questionable: limits.lateness.questionable.max(limits::LATENESS_QUESTIONABLE_SHARE * median),
            invalid: limits.lateness.invalid.max(limits::LATENESS_INVALID_SHARE * median),
        };
        signs.push(measured("lateness", scope, lateness, pair, Arg::Milliseconds));
    }
    let lost = lost_by_generator(index, span) as f64 / result.books.intended as f64;
    signs.push(measured("lost_starts", scope, lost, limits.lost_starts, Arg::Share));
    // What the study itself broke off was not sent, or nobody knows whether its answer was right; the rest of its
    // iteration was left out.
    let books = &result.books;
    // In the books such an iteration is aborted, or never started. Of more outcomes than that, some are of several legs of
    // one exchange, or of iterations that the system had failed before.
    let faults = index.count_outcome(span.number, Outcome::BadStudy).min(books.aborted + books.dropped);
    if faults > 0 {
        let share = faults as f64 / books.intended as f64;
        let pair = Pair { questionable: limits::LOST_QUESTIONABLE, invalid: limits::LOST_INVALID };
        signs.push(measured("study_faults", scope, share, pair, Arg::Share));
    }
    if let Some(delay) = ThreadShares::of(index, span, |row| row.run_queue_s) {
        signs.push(measured("run_queue", whole, delay.greatest, limits.run_queue, Arg::Share));
    }
    if let Some(steal) = crate::processors::stolen(index, span) {
        signs.push(measured("steal", whole, steal, limits.steal, Arg::Share));
    }
    let exhausted = index.count_outcome(span.number, Outcome::NoResource);
    if exhausted > 0 {
        signs.push(plain("resources", scope, WireValidity::Invalid, [("count", Arg::Count(exhausted as f64))]));
    }
    if is_open {
        signs.extend(overloaded(index, span, result, whole));
    }
    if let (false, Some(cpu)) = (is_open, ThreadShares::of(index, span, |row| row.cpu_s)) {
        let is_full = cpu.greatest >= limits.cores_full * (1.0 - 1e-9);
        let state = if is_full { WireValidity::Questionable } else { WireValidity::Valid };
        let mut sign = plain("cores_full", whole, state, []);
        (sign.value, sign.questionable) = (Some(Arg::Share(cpu.greatest)), Some(Arg::Share(limits.cores_full)));
        signs.push(sign);
    }
    if !result.books.balances() {
        signs.push(plain("books", scope, WireValidity::Invalid, []));
    }
    let open = result.books.open();
    if open > 0 {
        signs.push(plain("open_iterations", scope, WireValidity::Valid, [("count", Arg::Count(open as f64))]));
    }
    let is_slow = |sign: &&Sign| matches!(sign.code.as_str(), "lateness" | "lost_starts" | "overloaded");
    let worst = signs.iter().filter(is_slow).map(|sign| sign.state).max().unwrap_or(WireValidity::Valid);
    if is_open && worst != WireValidity::Valid {
        // Last, so that what decided stands before what explains.
        signs.push(rate(index, span, result, whole, worst));
    }
    signs
}

fn little(balance: &Balance, scope: &Scope, limit: f64) -> Sign {
    let off = balance.off.abs();
    let state = state(off, f64::INFINITY, limit);
    let mut sign = plain("little", scope, state, []);
    (sign.value, sign.invalid) = (Some(Arg::Share(off)), Some(Arg::Share(limit)));
    sign
}

/// An instance that was lost is missing until it comes back, also in the steps after the one in which it went.
fn event_signs(index: &Index<'_>, span: &StepSpan, scope: &Scope) -> Vec<Sign> {
    let events = &index.evidence.events;
    let is_in = |event: &EventRow| span.from <= event.at && event.at < span.to;
    let came_back = |gone: &EventRow| {
        let is_return = |event: &EventRow| {
            matches!(event.kind.as_str(), "restart" | "back" | record::RENEWED) && event.subject == gone.subject
        };
        events.iter().any(|event| is_return(event) && gone.at < event.at && event.at <= span.from)
    };
    let mut signs: Vec<Sign> = Vec::new();
    for event in events {
        let sign = match event.kind.as_str() {
            "gone" if is_in(event) || (event.at < span.from && !came_back(event)) => lost(event, scope),
            "restart" if is_in(event) => lost(event, scope),
            "clock_step" if is_in(event) => {
                let args = [("instance", Arg::Text(event.subject.clone()))];
                plain("clock_step", scope, WireValidity::Questionable, args)
            }
            record::UNWATCHED if event.at < span.to => {
                let (from, to) = (event.at.max(span.from), span.to);
                let times = [("from", Arg::Seconds(from.as_secs_f64())), ("to", Arg::Seconds(to.as_secs_f64()))];
                let is_of_node = index.head().monitors.iter().any(|one| one.carrier() == Some(event.subject.as_str()));
                let code = if is_of_node { "node_unwatched" } else { "unwatched" };
                let mut sign = plain(code, scope, WireValidity::Questionable, times);
                let node = is_of_node.then(|| ("instance".to_owned(), Arg::Text(event.subject.clone())));
                sign.args.extend(node);
                sign
            }
            record::ORPHANED if event.at < span.to => {
                let args = [("instance", Arg::Text(event.subject.clone()))];
                plain("orphaned", scope, WireValidity::Invalid, args)
            }
            record::NODE_LOST if is_in_hand(index, span, event.at) => {
                let args = [("instance", Arg::Text(event.subject.clone()))];
                plain("node_lost", scope, WireValidity::Invalid, args)
            }
            "no_connections" if is_in(event) => {
                plain("resources", scope, WireValidity::Invalid, [("count", Arg::Count(1.0))])
            }
            _ => continue,
        };
        if !signs.contains(&sign) {
            signs.push(sign);
        }
    }
    signs
}

/// Whether a step is the one whose load was in hand: the record of a load that a node left is whole up to then only.
fn is_in_hand(index: &Index<'_>, span: &StepSpan, at: Nanos) -> bool {
    let begun = |other: &&StepSpan| other.phase.has_load() && other.from <= at;
    let newest = index.evidence.steps.iter().filter(begun).map(|other| other.from).max();
    begun(&span) && newest == Some(span.from)
}

fn lost(event: &EventRow, scope: &Scope) -> Sign {
    let args = [("instance", Arg::Text(event.subject.clone())), ("kind", Arg::Text(event.kind.clone()))];
    plain("instance_lost", scope, WireValidity::Questionable, args)
}

/// What the whole run says.
fn run_signs(index: &Index<'_>) -> Vec<Sign> {
    let evidence = index.evidence;
    let mut signs = Vec::new();
    let mut say = |code: &str, state, args: &[(&str, Arg)]| {
        let mut sign = plain(code, &Scope::run(), state, []);
        sign.args = args.iter().map(|(name, arg)| ((*name).to_owned(), arg.clone())).collect();
        signs.push(sign);
    };
    if !evidence.altered.is_empty() {
        say("altered_evidence", WireValidity::Invalid, &[("files", Arg::Text(evidence.altered.join(", ")))]);
    }
    if evidence.torn_bytes > 0 {
        // Nothing behind the place where a record breaks off is judged. Where it goes on to its end, rows are missing among
        // others.
        let state = if evidence.cut.is_some() { WireValidity::Valid } else { WireValidity::Invalid };
        say("torn_evidence", state, &[("bytes", Arg::Bytes(evidence.torn_bytes as f64))]);
    }
    if evidence.was_killed {
        say("killed", WireValidity::Valid, &[]);
    }
    if evidence.events.iter().any(|event| event.kind == "lost") {
        say("evidence_lost", WireValidity::Invalid, &[]);
    }
    let unsound = evidence.rows.unsound;
    if unsound > 0 {
        say("unsound_rows", WireValidity::Invalid, &[("count", Arg::Count(unsound as f64))]);
    }
    if let Some((count, classes)) = unanswered(index) {
        say(
            "unanswered",
            WireValidity::Questionable,
            &[("classes", Arg::Text(classes)), ("count", Arg::Count(count as f64))],
        );
    }
    let unidentified = evidence.head.instances.iter().filter(|instance| !instance.is_identified);
    let mut names: Vec<&str> = unidentified.map(|instance| instance.name.as_str()).collect();
    let others = evidence.events.iter().filter(|event| event.kind == "identity").map(|event| event.subject.as_str());
    names.extend(others.filter(|name| presence(&evidence.events, name) == Presence::Replaced));
    names.sort_unstable();
    names.dedup();
    for name in names {
        say("identity", WireValidity::Invalid, &[("instance", Arg::Text(name.to_owned()))]);
    }
    signs.extend(evidence.head.imported.iter().flat_map(imported::signs));
    signs
}

/// Calls of the whole run, and their classes, where not one of them got anything that could be read: a host that is not
/// known, a port where nobody listens, TLS that never came about, silence. Then nothing shows that the load reached
/// what it was meant for. How many failed is exact all the same.
fn unanswered(index: &Index<'_>) -> Option<(u64, String)> {
    let mut classes: BTreeMap<Outcome, u64> = BTreeMap::new();
    let steps = || index.evidence.steps.iter().filter(|step| step.phase.has_load());
    for row in steps().flat_map(|step| index.outcomes_of(step.number)).filter(|row| row.count > 0) {
        *classes.entry(row.outcome).or_default() += row.count;
    }
    // What never went out, or was cut off, tells nothing of who would have answered.
    classes.retain(|outcome, _| !matches!(outcome, Outcome::NoResource | Outcome::Aborted | Outcome::Dropped));
    let is_silent = |outcome: &Outcome| !crate::evidence::is_answer(*outcome);
    // A fault is what cannot be read, unless something was: then it is the service that says so.
    let has_bytes = || steps().flat_map(|step| index.legs_of(step.number)).any(|row| row.bytes > 0);
    // A run that came to its end before any call could be answered, as where the host is not known, shows no more.
    let ending = index.head().ending.as_ref().map(|ending| ending.reason.as_str());
    if classes.is_empty() && matches!(ending, Some("target" | "generator")) {
        return Some((0, String::new()));
    }
    if classes.is_empty() || !classes.keys().all(is_silent) || index.evidence.rows.is_answered_elsewhere || has_bytes()
    {
        return None;
    }
    let named: Vec<String> = classes.iter().map(|(outcome, count)| format!("{} {count}", outcome.name())).collect();
    Some((classes.values().sum(), named.join(", ")))
}

/// The least median response of the exchanges' first legs, ms: lateness is held against the fastest of them. Without
/// any answer there is none, and only the absolute thresholds stand.
fn least_median(result: &StepResult) -> f64 {
    least(result, |leg| leg.response.as_ref())
}

fn least(result: &StepResult, of: fn(&LegResult) -> Option<&Times>) -> f64 {
    let medians = result.exchanges.iter().filter_map(|exchange| {
        let ok = exchange.legs.iter().find(|leg| leg.outcome == "ok")?;
        of(ok)?.percentiles.iter().find(|percentile| percentile.quantile == 0.5).map(|p50| p50.value)
    });
    medians.reduce(f64::min).unwrap_or(0.0)
}

/// Intended starts that the generator lost: it ran out of something, or dropped them unstarted. Where the study itself
/// bounds the connections, arrivals that never got one waited on the system's account, unless the generator was too busy
/// to free one.
pub(crate) fn lost_by_generator(index: &Index<'_>, step: &StepSpan) -> u64 {
    let count = |outcome| index.count_outcome(step.number, outcome);
    let by_outcome = count(Outcome::NoResource) + count(Outcome::Dropped);
    let is_overloaded = overloaded_share(index, step).is_some_and(|share| share > limits::OVERLOADED_SECONDS);
    let is_bounded = !is_overloaded && index.load_of(step).is_some_and(|load| load.max_in_flight.is_some());
    // Iterations that ended before they started have an outcome; the rest of the dropped were never given a session.
    let books = index.books(step.number);
    let explained = by_outcome + ended_before_start(index, step, &books);
    let never_begun = books.dropped.saturating_sub(explained);
    by_outcome + if is_bounded { 0 } else { never_begun }
}

/// Iterations that were broken off, or cut off, with their first exchange still unsent: at most as many as there are such
/// outcomes of an exchange beyond its starts. An exchange that every iteration carries out, and that fewer began than
/// there are started iterations, was none of their first.
fn ended_before_start(index: &Index<'_>, step: &StepSpan, books: &Books) -> u64 {
    #[derive(Clone, Copy, Default)]
    struct Seen {
        started: u64,
        ended: u64,
        cut: u64,
    }
    let mut seen: BTreeMap<u16, Seen> = BTreeMap::new();
    index.starts_of(step.number).for_each(|row| seen.entry(row.exchange).or_default().started += row.started);
    for row in index.outcomes_of(step.number).filter(|row| row.leg == 0) {
        let seen = seen.entry(row.exchange).or_default();
        seen.ended += row.count;
        seen.cut += if matches!(row.outcome, Outcome::BadStudy | Outcome::Aborted) { row.count } else { 0 };
    }
    let load = index.load_of(step);
    let may_be_first =
        |(exchange, seen): &(&u16, &Seen)| seen.started >= books.started || !Each::of(load, **exchange).is_fixed();
    seen.iter().filter(may_be_first).map(|(_, seen)| seen.cut.min(seen.ended.saturating_sub(seen.started))).sum()
}

/// Numbers of the monitor and of its metric of stolen time: the generator's own, else that of a machine.
fn stolen(index: &Index<'_>) -> Option<(usize, usize)> {
    stolen_of(index, true).or_else(|| stolen_of(index, false))
}

/// Stolen time as the generator saw it, or as another monitor did.
pub(crate) fn stolen_of(index: &Index<'_>, is_own: bool) -> Option<(usize, usize)> {
    let mut monitors = index.head().monitors.iter().enumerate();
    monitors.find_map(|(number, monitor)| {
        let is_generator = monitor.name == GENERATOR || monitor.kind == GENERATOR;
        if !monitor.is_here() {
            return None;
        }
        Some((number, monitor.metric_of(Role::Steal).filter(|_| is_generator == is_own)?))
    })
}

/// The monitor of the generator itself.
const GENERATOR: &str = "generator";
