//! What speaks for each rung.

use super::uses::{self, ResourceUse};
use super::{Found, Looked, Signal, limits};
use crate::evidence::StepSpan;
use crate::processors::{self, cores, samples};
use crate::{Arg, Args, Sign, WireValidity};
use contract::Role;
use stats::capacity::{CountedOver, is_flat, rate_ratio};

/// Signs of validity that are the generator's own limits.
const GENERATOR: [&str; 6] = ["cores_full", "lateness", "lost_starts", "resources", "run_queue", "steal"];
/// Lateness below this part of the time of an iteration is slight.
const SLIGHT: f64 = 0.01;
/// Classes that a full pool or table answers with.
const REFUSALS: [&str; 2] = ["refused", "reset"];

fn signal<const N: usize>(code: &str, evidence: String, args: [(&str, Arg); N]) -> Signal {
    let args: Args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
    Signal { code: code.into(), args, evidence }
}

/// The generator: each sign of validity that speaks against it.
pub(super) fn generator(looked: &Looked<'_>) -> Found {
    let mut own = Vec::new();
    for placed in looked.signs.iter().filter(|placed| placed.step == Some(looked.level.step)) {
        let sign = &placed.sign;
        if sign.state == WireValidity::Valid || !GENERATOR.contains(&sign.code.as_str()) || is_slight(looked, sign) {
            continue;
        }
        own.push(signal(
            "generator_sign",
            format!("generator:{}", looked.level.scope),
            [("sign", Arg::Text(sign.code.clone())), ("state", Arg::Text(state_word(sign.state).into()))],
        ));
    }
    Found { is_watched: true, own, supporting: Vec::new() }
}

/// Lateness that is questionable and yet a trifle beside what an iteration takes limits nothing.
fn is_slight(looked: &Looked<'_>, sign: &Sign) -> bool {
    let late = match sign.value {
        Some(Arg::Milliseconds(ms)) if sign.code == "lateness" => ms,
        _ => return false,
    };
    sign.state == WireValidity::Questionable && looked.level.time_ms.is_some_and(|took| late < SLIGHT * took)
}

fn state_word(state: WireValidity) -> &'static str {
    match state {
        WireValidity::Valid => "valid",
        WireValidity::Questionable => "questionable",
        WireValidity::Invalid => "invalid",
    }
}

/// An instance that was lost; failures support it.
pub(super) fn instance_down(looked: &Looked<'_>) -> Found {
    let is_lost = |placed: &&crate::validity::Placed| {
        placed.step == Some(looked.level.step) && placed.sign.code == "instance_lost"
    };
    let own: Vec<Signal> = looked
        .signs
        .iter()
        .filter(is_lost)
        .map(|placed| {
            let text = |name: &str| placed.sign.args.get(name).cloned().unwrap_or(Arg::Text(String::new()));
            let instance = match text("instance") {
                Arg::Text(name) => name,
                _ => String::new(),
            };
            signal(
                "instance_lost",
                format!("events:{instance}"),
                [("instance", text("instance")), ("kind", text("kind"))],
            )
        })
        .collect();
    let is_watched = !looked.index.head().instances.is_empty();
    Found { is_watched, own, supporting: failures(looked).into_iter().collect() }
}

fn failures(looked: &Looked<'_>) -> Option<Signal> {
    let share = looked.level.failed_share;
    let evidence = format!("load:{}", looked.level.scope);
    (share > limits::FAILED).then(|| signal("failures", evidence, [("share", Arg::Share(share))]))
}

/// A gauge at its ceiling, or all connections of the study's own bound taken; refused calls support it.
pub(super) fn ceiling(looked: &Looked<'_>) -> Found {
    let mut own = Vec::new();
    let mut is_watched = false;
    for (number, monitor) in looked.index.head().monitors.iter().enumerate() {
        for (place, metric) in monitor.metrics.iter().enumerate() {
            let Some(bound) = &metric.ceiling else { continue };
            // A heap is full before each collection: what stands at its bound is what collections leave.
            if crate::series::is_of_heap(monitor, metric)
                && !matches!(metric.role(), Some(Role::HeapFloor | Role::OldHeapFloor))
            {
                continue;
            }
            let Some(bound) = monitor.metrics.iter().position(|known| known.name == *bound) else { continue };
            let bounds = samples(looked.index, (number, bound), looked.span);
            for (instance, values) in samples(looked.index, (number, place), looked.span) {
                // A ceiling of 0 is none: no swap, no limit.
                let Some(limit) = bounds.get(&instance).and_then(|bounds| least(bounds)).filter(|limit| *limit > 0.0)
                else {
                    continue;
                };
                is_watched = true;
                let at = values.iter().filter(|value| **value >= limits::AT_CEILING * limit).count();
                if at as f64 >= limits::AT_CEILING_SAMPLES * values.len() as f64 && at > 0 {
                    let name = format!("{}.{}", monitor.name, metric.name);
                    let share = values.iter().copied().fold(0.0, f64::max) / limit;
                    own.push(signal(
                        "at_ceiling",
                        format!("watch:{name}"),
                        [
                            ("instance", Arg::Text(instance)),
                            ("metric", Arg::Text(name)),
                            ("share", Arg::Share(share)),
                            ("time", Arg::Share(at as f64 / values.len() as f64)),
                        ],
                    ));
                }
            }
        }
    }
    if let Some(found) = connections(looked) {
        is_watched = true;
        own.extend(found);
    }
    let supporting = refused(looked).into_iter().collect();
    Found { is_watched, own, supporting }
}

fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().min_by(f64::total_cmp)
}

/// Connections in use against the study's own bound on them; outer `None` where there is no bound.
fn connections(looked: &Looked<'_>) -> Option<Option<Signal>> {
    // What is in flight is counted for all parts of a mix together.
    if looked.index.part(looked.span).is_some() {
        return None;
    }
    let bound = looked.index.load_of(looked.span)?.max_in_flight?;
    let by_second = in_flight(looked);
    let at = by_second.iter().filter(|mean| **mean >= limits::AT_CEILING * f64::from(bound)).count();
    let share = at as f64 / by_second.len().max(1) as f64;
    let args = [("bound", Arg::Count(f64::from(bound))), ("time", Arg::Share(share))];
    let evidence = format!("generator:{}", looked.level.scope);
    Some((at > 0 && share >= limits::AT_CEILING_SAMPLES).then(|| signal("connections_bound", evidence, args)))
}

/// Mean number in flight in each whole second of the hold, all threads together.
fn in_flight(looked: &Looked<'_>) -> Vec<f64> {
    let seconds = crate::rows::seconds_within(looked.span.from, looked.span.to);
    let mut by_second = vec![0.0; usize::try_from(seconds.end - seconds.start).unwrap_or(0).min(1_000_000)];
    for row in looked.index.evidence.engine.iter().filter(|row| seconds.contains(&row.second)) {
        let place = usize::try_from(row.second - seconds.start).unwrap_or(usize::MAX);
        if let Some(second) = by_second.get_mut(place).filter(|_| row.in_flight_mean.is_finite()) {
            *second += row.in_flight_mean;
        }
    }
    by_second
}

fn refused(looked: &Looked<'_>) -> Option<Signal> {
    let legs = looked.step.exchanges.iter().flat_map(|exchange| &exchange.legs).filter(|leg| leg.outcome == "failed");
    let classes = legs.flat_map(|leg| &leg.classes);
    let refused: u64 = classes.filter(|(class, _)| REFUSALS.contains(&class.as_str())).map(|(_, count)| count).sum();
    let share = refused as f64 / looked.step.books.started.max(1) as f64;
    let evidence = format!("load:{}", looked.level.scope);
    (share > limits::FAILED).then(|| signal("refused", evidence, [("share", Arg::Share(share))]))
}

/// Whether the processors' time was mostly neither the system's nor the generator's. Then how busy they are says nothing
/// of what the load takes.
fn is_others(looked: &Looked<'_>, span: &StepSpan) -> bool {
    processors::shared(looked.index, span).is_some_and(|shared| shared.is_others())
}

/// Whether it is the processors of the machine that the load comes from.
fn is_processors(looked: &Looked<'_>, one: &ResourceUse) -> bool {
    let name = one.metric.split('.').next();
    let is_here = || looked.index.head().monitors.iter().any(|it| Some(it.name.as_str()) == name && it.is_here());
    one.is_machine && one.is_processor && is_here()
}

/// Utilisation of the busiest resource in a step; of processors that others kept busy only what the load took of them.
fn busiest(looked: &Looked<'_>, span: &StepSpan, found: &[ResourceUse]) -> f64 {
    let is_others = is_others(looked, span);
    let counts = |one: &&ResourceUse| !(is_others && is_processors(looked, one));
    found.iter().filter(counts).map(|one| one.utilisation).fold(0.0, f64::max)
}

/// A resource that was busy nearly all the time, or more ready to run than cores; what it does to the load supports it.
/// Processors that others kept busy are not a resource that the load took.
pub(super) fn resource(looked: &Looked<'_>) -> Found {
    let is_others = is_others(looked, looked.span);
    let mut own: Vec<Signal> = looked
        .uses
        .iter()
        .filter(|one| !(is_others && is_processors(looked, one)))
        .filter(|one| one.utilisation >= limits::SATURATED)
        .map(|one| {
            signal(
                "saturated",
                format!("watch:{}", one.metric),
                [
                    ("instance", Arg::Text(one.instance.clone())),
                    ("metric", Arg::Text(one.metric.clone())),
                    ("utilisation", Arg::Share(one.utilisation)),
                ],
            )
        })
        .collect();
    let queue = run_queue(looked);
    let is_watched = !looked.uses.is_empty() || queue.is_some();
    // Tasks that are woken together stand in the queue for a moment, and the machine is idle for the rest of the time.
    let is_machine_seen = looked.uses.iter().any(|one| one.is_machine);
    let is_idle = is_machine_seen && busiest(looked, looked.span, &looked.uses) < limits::UNUSED;
    own.extend(queue.flatten().filter(|_| !is_others && !is_idle));
    let supporting = slower(looked).into_iter().chain(behind(looked)).collect();
    Found { is_watched, own, supporting }
}

/// Tasks ready to run against the cores; outer `None` where either is not known.
fn run_queue(looked: &Looked<'_>) -> Option<Option<Signal>> {
    let cores = cores(looked.index)?;
    let (metric, mean) = processors::run_queue(looked.index, looked.span)?;
    let args = [("cores", Arg::Count(cores)), ("queue", Arg::Number(mean))];
    Some((mean > cores).then(|| signal("run_queue", format!("watch:{metric}"), args)))
}

/// Throughput that no longer follows the load while nothing that is watched was busy.
pub(super) fn software(looked: &Looked<'_>) -> Found {
    let busiest = busiest(looked, looked.span, &looked.uses);
    // Only a view of the whole machine tells that nothing was busy.
    let is_watched = looked.uses.iter().any(|one| one.is_machine);
    // Nor is it the machine when calls take several times as long and it is no busier than at the lower load.
    let is_unchanged = exploded(looked) && busiest < limits::SATURATED && !is_busier(looked, busiest);
    if !is_watched || (busiest >= limits::UNUSED && !is_unchanged) {
        return Found { is_watched, own: Vec::new(), supporting: Vec::new() };
    }
    let mut own: Vec<Signal> = flat(looked).into_iter().collect();
    if own.is_empty() {
        own.extend(behind(looked));
    }
    own.extend(queues(looked));
    let mut supporting: Vec<Signal> = slower(looked).into_iter().collect();
    if own.is_empty() && exploded(looked) {
        own.append(&mut supporting);
    }
    supporting.extend(piled_up(looked));
    Found { is_watched, own, supporting }
}

/// Watched levels of what waits or is held that grew from the lowest load of the same work to this one.
fn queues(looked: &Looked<'_>) -> Vec<Signal> {
    let lowest = looked.family.levels.first().filter(|lowest| lowest.load < looked.level.load);
    let Some(lower) =
        lowest.and_then(|lowest| looked.index.evidence.steps.iter().find(|span| span.number == lowest.step))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (number, monitor) in looked.index.head().monitors.iter().enumerate() {
        // What the generator keeps of connections that it closed does not queue in the system.
        if monitor.kind == "generator" {
            continue;
        }
        for (place, metric) in monitor.metrics.iter().enumerate() {
            // What is ready to run waits for processors; that is another rung.
            let is_queue =
                metric.kind == "gauge" && matches!(metric.role(), Some(Role::Queue | Role::Waiting | Role::Locks));
            if !is_queue || metric.unit != "count" {
                continue;
            }
            let before = samples(looked.index, (number, place), lower);
            for (instance, values) in samples(looked.index, (number, place), looked.span) {
                let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
                let (from, to) = (before.get(&instance).map_or(0.0, |values| mean(values)), mean(&values));
                // From nothing to a fraction of one is nothing.
                if to < limits::QUEUE_GROWN * from || to - from < 1.0 {
                    continue;
                }
                // The load itself has so many more in hand; a queue grows by more.
                if to <= from * looked.level.load / lowest.map_or(1.0, |lowest| lowest.load) {
                    continue;
                }
                let name = format!("{}.{}", monitor.name, metric.name);
                let args = [
                    ("from", Arg::Number(from)),
                    ("instance", Arg::Text(instance)),
                    ("metric", Arg::Text(name.clone())),
                    ("to", Arg::Number(to)),
                ];
                found.push(signal("queue_grew", format!("watch:{name}"), args));
            }
        }
    }
    found
}

/// Calls take several times as long as at the lowest load of the same work.
fn exploded(looked: &Looked<'_>) -> bool {
    let lowest = looked.family.levels.first().filter(|lowest| lowest.load < looked.level.load);
    let from = lowest.and_then(|lowest| lowest.time_ms);
    from.zip(looked.level.time_ms).is_some_and(|(from, to)| from > 0.0 && to >= limits::EXPLODED * from)
}

/// Whether the busiest resource is busier than anything was at the lowest load.
fn is_busier(looked: &Looked<'_>, busiest: f64) -> bool {
    let Some(lowest) = looked.family.levels.first() else { return true };
    let Some(span) = looked.index.evidence.steps.iter().find(|span| span.number == lowest.step) else { return true };
    let before = uses::resources(looked.index, span, lowest, looked.family);
    busiest >= limits::GROWN * self::busiest(looked, span, &before)
}

/// Between this load and the next lower one, throughput did not grow.
fn flat(looked: &Looked<'_>) -> Option<Signal> {
    let lower = looked.family.below(looked.level.load)?;
    let counted = |level: &crate::levels::Level| CountedOver {
        count: (level.throughput_per_s * level.seconds).round() as u64,
        seconds: level.seconds,
        design_effect: 1.0,
    };
    let growth = rate_ratio(counted(lower), counted(looked.level), 0.95).ok()?;
    let load = looked.level.load / lower.load;
    let args = [
        ("from", Arg::PerSecond(lower.throughput_per_s)),
        ("load", Arg::Number(load)),
        ("to", Arg::PerSecond(looked.level.throughput_per_s)),
    ];
    let evidence = format!("load:{}", looked.level.scope);
    (is_flat(&growth, load) == Some(true)).then(|| signal("throughput_flat", evidence, args))
}

/// An open load whose answers fall behind what was offered.
fn behind(looked: &Looked<'_>) -> Option<Signal> {
    let step = looked.step;
    if looked.family.is_users || step.offered_per_s <= 0.0 {
        return None;
    }
    let ended = step.throughput_per_s + step.books.failed as f64 / step.seconds.max(1e-9);
    let args = [("ended", Arg::PerSecond(ended)), ("offered", Arg::PerSecond(step.offered_per_s))];
    let evidence = format!("load:{}", looked.level.scope);
    (ended < limits::KEPT_UP * step.offered_per_s).then(|| signal("behind", evidence, args))
}

/// An iteration takes longer than at the lowest load of the same work.
fn slower(looked: &Looked<'_>) -> Option<Signal> {
    let lowest = looked.family.levels.first().filter(|lowest| lowest.load < looked.level.load)?;
    let (from, to) = (lowest.time_ms?, looked.level.time_ms?);
    let args = [("from", Arg::Milliseconds(from)), ("to", Arg::Milliseconds(to))];
    let evidence = format!("load:{}", looked.level.scope);
    (to >= limits::GROWN * from && from > 0.0).then(|| signal("slower", evidence, args))
}

/// More in flight in the second half of the hold than in the first.
fn piled_up(looked: &Looked<'_>) -> Option<Signal> {
    let by_second = in_flight(looked);
    let (first, second) = halves(&by_second)?;
    let args = [("from", Arg::Number(first)), ("to", Arg::Number(second))];
    let evidence = format!("generator:{}", looked.level.scope);
    (first > 0.0 && second >= limits::GROWN * first).then(|| signal("piled_up", evidence, args))
}

/// Means of the first and the second half of at least ten values.
fn halves(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 10 {
        return None;
    }
    let (first, second) = values.split_at(values.len() / 2);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    Some((mean(first), mean(second)))
}

/// A watched time (of a dependency, a log, a pool) that grew with the load or within the hold.
pub(super) fn downstream(looked: &Looked<'_>) -> Found {
    let mut own = Vec::new();
    let mut is_watched = false;
    let lowest = looked.family.levels.first().filter(|lowest| lowest.load < looked.level.load);
    let lower = lowest.and_then(|lowest| looked.index.evidence.steps.iter().find(|span| span.number == lowest.step));
    for (number, monitor) in looked.index.head().monitors.iter().enumerate() {
        for (place, metric) in monitor.metrics.iter().enumerate() {
            if metric.kind != "distribution" || metric.unit != "s" {
                continue;
            }
            let before = lower.map(|span| samples(looked.index, (number, place), span)).unwrap_or_default();
            for (instance, values) in samples(looked.index, (number, place), looked.span) {
                is_watched = true;
                let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
                let pair = match before.get(&instance) {
                    Some(before) => Some((mean(before), mean(&values))),
                    None => halves(&values),
                };
                let Some((from, to)) = pair.filter(|(from, to)| *from > 0.0 && *to >= limits::GROWN * from) else {
                    continue;
                };
                let name = format!("{}.{}", monitor.name, metric.name);
                own.push(signal(
                    "wait_grew",
                    format!("watch:{name}"),
                    [
                        ("from", Arg::Milliseconds(from * 1e3)),
                        ("instance", Arg::Text(instance)),
                        ("metric", Arg::Text(name)),
                        ("to", Arg::Milliseconds(to * 1e3)),
                    ],
                ));
            }
        }
    }
    let supporting = slower(looked).into_iter().chain(behind(looked)).collect();
    Found { is_watched, own, supporting }
}
