//! `run.json` before the load: everything that is known about the run.

use crate::prepare::Prepared;
use contract::{Closes, Node, Shape};
use launch::{Launched, Started};
use plan::{LoadPlan, PartPlan, Plan, ScenarioPlan};
use record::{
    CarriedHead, CountedHead, DataHead, ExchangeHead, FeatureHead, Head, InstanceHead, LegHead, Messages, ParallelHead,
    ScenarioHead, StepHead, StreamsHead, ThresholdHead, TrialHead,
};
use recorder::{Layout, Measure};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::net::IpAddr;
use study::{Item, IterationWork, Study, Wait};
use terms::{Nanos, Phase, iso};

/// The head of a run of this id that is about to begin; `wall_origin` is the wall clock at the run's start.
pub(crate) fn head(prepared: &Prepared, id: String, wall_origin: Nanos, workers: u16) -> Head {
    let Prepared { study, plan, layout, tables, .. } = prepared;
    Head {
        id,
        taken_over: prepared.taken_over.clone(),
        workers: u32::from(workers),
        shares_machine: prepared.shares_machine()
            || study.exchanges.iter().any(|exchange| names_this_machine(&exchange.settings.node)),
        scenarios: scenarios(study, plan, u32::from(workers)),
        data: study.data.iter().zip(tables).map(|(set, table)| data(study, set, table)).collect(),
        streams: streams(prepared),
        ..planned(study, plan, layout, wall_origin)
    }
}

/// What `run.json` says of a study and its plan alone, whoever carried them out: importers, too, have no more than that.
/// `wall_origin` is the wall clock at the run's start. It names no id, no threads and no machine.
pub fn planned(study: &Study, plan: &Plan, layout: &Layout, wall_origin: Nanos) -> Head {
    Head {
        schema: record::RUN_SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        study: study.title.in_language("en").into(),
        study_sha256: sha256(study.effective.as_bytes()),
        seed: study.seed,
        started: iso::millis(wall_origin),
        wall_origin_ns: wall_origin.0,
        trial: study.trial.as_ref().map(|trial| TrialHead {
            asked_s: trial.asked.as_secs_f64(),
            factor: trial.factor,
            left_out: trial.left_out.clone(),
        }),
        set: study.set.clone(),
        system: study.system.name.clone(),
        exchanges: exchanges(study, layout),
        scenarios: scenarios(study, plan, 0),
        steps: steps(plan),
        ..Head::default()
    }
}

/// What a search changes by one more attempt.
pub(crate) fn extend(head: &mut Head, prepared: &Prepared) {
    let Prepared { study, plan, .. } = prepared;
    head.study_sha256 = sha256(study.effective.as_bytes());
    head.scenarios = scenarios(study, plan, head.workers);
    head.steps = steps(plan);
    head.streams = streams(prepared);
}

/// The first repetition has every scenario, in the order of their numbers.
fn scenarios(study: &Study, plan: &Plan, workers: u32) -> Vec<ScenarioHead> {
    let threads = workers / u32::from(study.nodes);
    let planned = study.scenarios.iter().zip(&plan.scenarios);
    planned
        .map(|(scenario, plan)| ScenarioHead { carries: carried(scenario), ..scenario_head(study, plan, threads) })
        .collect()
}

/// What its exchanges carry; parts of a mix agree on that.
fn carried(scenario: &study::Scenario) -> Vec<CarriedHead> {
    let mut all: Vec<CarriedHead> = Vec::new();
    for study::Carried { exchange, unit, count } in scenario.parts.iter().flat_map(|part| &part.carries) {
        let carried = CarriedHead { exchange: *exchange, unit: unit.clone(), count: *count };
        if !all.contains(&carried) {
            all.push(carried);
        }
    }
    all
}

/// The system stands: its instances, and whether any of them is on this machine.
pub(crate) fn add_instances(head: &mut Head, launched: &Launched) {
    head.instances = launched.started().map(instance).collect();
    head.shares_machine |= head.instances.iter().any(|instance| is_local(&instance.url));
}

/// Instances were started anew: those of a known name stand in the place of the old ones, the others behind.
pub(crate) fn renew_instances(head: &mut Head, launched: &Launched) {
    for now in launched.started().map(instance) {
        match head.instances.iter_mut().find(|known| known.name == now.name) {
            Some(known) => *known = now,
            None => head.instances.push(now),
        }
    }
}

/// Whether an address in an exchange's settings is on this machine, as far as the address tells.
fn names_this_machine(node: &Node) -> bool {
    match &node.shape {
        Shape::Text { text, .. } => text.contains("://") && is_local(text),
        Shape::List(members) => members.iter().any(names_this_machine),
        Shape::Map(entries) => entries.iter().any(|(_, value)| names_this_machine(value)),
    }
}

/// Whether an address is on this machine, as far as the address tells.
fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((host, _)) => host,
        None => host.split(':').next().unwrap_or(host),
    };
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Labels of the streams of every load that has streams.
fn streams(prepared: &Prepared) -> Vec<StreamsHead> {
    let scenarios = prepared.plan.scenarios[..prepared.study.scenarios.len()].iter();
    let loads = scenarios.flat_map(|scenario| {
        let is_mix = scenario.parts.iter().any(|part| !part.name.is_empty());
        let all = scenario.parts.iter().enumerate();
        all.map(move |(number, part)| (scenario.number, is_mix.then_some(number as u16), part))
    });
    let head = |(scenario, part, load): (u16, Option<u16>, &PartPlan)| {
        let streams = load.streams?;
        let table = prepared.tables.get(usize::from(streams.table))?;
        let label = |row| String::from_utf8_lossy(&table.cell(row, 0)).into_owned();
        let labels = (0..usize::from(streams.count)).map(label).collect();
        Some(StreamsHead { scenario, part, set: table.name.clone(), labels })
    };
    loads.filter_map(head).collect()
}

/// What the drivers say of the exchanges: exercised or left out.
pub(crate) fn features(study: &Study, features: Vec<contract::Feature>) -> Vec<FeatureHead> {
    let head = |feature: contract::Feature| {
        let exchange = &study.exchanges[usize::from(feature.exchange)];
        let leg = feature.leg.and_then(|leg| exchange.legs.get(usize::from(leg)));
        FeatureHead {
            exchange: exchange.name.clone(),
            name: feature.name,
            is_exercised: feature.is_exercised,
            leg: leg.map(|leg| leg.name.to_owned()),
        }
    };
    features.into_iter().map(head).collect()
}

fn exchanges(study: &Study, layout: &Layout) -> Vec<ExchangeHead> {
    let thresholds = |number: usize| layout.exchanges[number].thresholds.iter().map(threshold).collect();
    let exchange = |(number, exchange): (usize, &study::Exchange)| ExchangeHead {
        name: exchange.name.clone(),
        kind: format!("{}.{}", exchange.driver, exchange.settings.operation),
        legs: exchange.legs.iter().map(|leg| LegHead { name: leg.name.into(), per: leg.closes.into() }).collect(),
        thresholds: thresholds(number),
        timeout_ns: exchange.settings.timeout.0,
        is_transaction: false,
        counted: exchange.counted.iter().map(counted).collect(),
    };
    let transaction = |(place, name): (usize, &String)| ExchangeHead {
        name: name.clone(),
        kind: "transaction".into(),
        legs: study::TRANSACTION_LEGS.iter().map(|leg| LegHead::of_exchange(leg.name)).collect(),
        thresholds: thresholds(usize::from(study.transaction_number(place))),
        timeout_ns: shortest_timeout(study, study.transaction_number(place)).0,
        is_transaction: true,
        counted: Vec::new(),
    };
    let transactions = study.transactions.iter().enumerate().map(transaction);
    study.exchanges.iter().enumerate().map(exchange).chain(transactions).collect()
}

fn counted(leg: &study::CountedLeg) -> CountedHead {
    let study::CountedLeg { name, monitor, metric, of, .. } = leg;
    CountedHead { leg: name.clone(), monitor: monitor.clone(), metric: metric.clone(), unit: of.clone() }
}

/// Of the calls of a transaction: one that was cut off took that long at least.
fn shortest_timeout(study: &Study, transaction: u16) -> Nanos {
    let parts = study.scenarios.iter().flat_map(|scenario| &scenario.parts);
    let within = parts.flat_map(|part| study::all_items(&part.run)).filter_map(|item| match item {
        study::Item::Transaction(number, inner) if *number == transaction => Some(study::exchanges_of(inner)),
        _ => None,
    });
    let timeouts = within.flatten().filter_map(|number| study.exchanges.get(usize::from(number)));
    timeouts.map(|exchange| exchange.settings.timeout).min().unwrap_or_default()
}

fn threshold(threshold: &recorder::Threshold) -> ThresholdHead {
    let measure = if threshold.measure == Measure::Service { "service" } else { "response" };
    ThresholdHead {
        leg: threshold.leg,
        measure: measure.into(),
        limit_ns: threshold.limit.0,
        inclusive: threshold.inclusive,
    }
}

fn scenario_head(study: &Study, scenario: &ScenarioPlan, threads: u32) -> ScenarioHead {
    let workers = scenario.nodes.filter(|nodes| *nodes < study.nodes).map(|nodes| u32::from(nodes) * threads);
    let heads = scenario.parts.iter().map(|part| part_head(study, part));
    if let [part] = scenario.parts.as_slice()
        && part.name.is_empty()
    {
        return ScenarioHead { name: scenario.name.clone(), workers, ..part_head(study, part) };
    }
    let (name, model) = (scenario.name.clone(), "mix".into());
    ScenarioHead { name, model, workers, parts: heads.collect(), ..ScenarioHead::default() }
}

fn part_head(study: &Study, part: &PartPlan) -> ScenarioHead {
    let work = IterationWork::of(&part.run, study.numbered());
    let (model, spacing, users, pacing_s, max_in_flight) = match &part.load {
        LoadPlan::Open { schedule, max_in_flight } => {
            ("open", if schedule.is_poisson() { "poisson" } else { "even" }, None, None, *max_in_flight)
        }
        LoadPlan::Closed { users, pacing, .. } => {
            ("closed", "", Some(users.count), pacing.map(Nanos::as_secs_f64), None)
        }
        LoadPlan::Held(_) => ("held", "", None, None, None),
    };
    let held = if let LoadPlan::Held(held) = &part.load { Some(held) } else { None };
    ScenarioHead {
        name: part.name.clone(),
        model: model.into(),
        spacing: spacing.into(),
        users,
        connections: held.map(|held| held.connections.count),
        every_s: held.and_then(|held| held.every).map(Nanos::as_secs_f64),
        messages: match held {
            Some(held) if held.in_step => Messages::Published,
            Some(_) if !sends(study, part) => Messages::Owed,
            _ => Messages::Sent,
        },
        pacing_s,
        think_s: work.think_s,
        think_sd_s: work.think_variance.sqrt(),
        think_more_s: work.think_more_s,
        max_in_flight,
        per_iteration: work.mean,
        most_per_iteration: work.most,
        parallel: parallel(&part.run),
        also_alone: study::also_alone(&part.run),
        carries: Vec::new(),
        set_up: part.set_up.iter().map(|(exchange, _)| *exchange).collect(),
        parts: Vec::new(),
        after_s: part.after.as_secs_f64(),
        workers: None,
    }
}

/// Whether the exchange of a held load sends anything.
fn sends(study: &Study, part: &PartPlan) -> bool {
    let exchange = part.run.iter().find_map(|item| match item {
        Item::Exchange(number) => study.exchanges.get(usize::from(*number)),
        _ => None,
    });
    exchange.is_some_and(|exchange| exchange.legs.iter().any(|leg| leg.closes == Closes::Here))
}

/// Calls at once, each list of them once.
fn parallel(run: &[study::Item]) -> Vec<ParallelHead> {
    let mut found: Vec<ParallelHead> = Vec::new();
    for (transaction, made) in study::parallels_of(run) {
        let head = ParallelHead { transaction, calls: made.calls.clone(), at_once: made.at_once };
        if !found.contains(&head) {
            found.push(head);
        }
    }
    found
}

fn steps(plan: &Plan) -> Vec<StepHead> {
    let head = |step: &plan::Step| StepHead {
        scenario: step.scenario,
        part: step.part,
        id: step.id.clone(),
        phase: step.phase.name().into(),
        seconds: step.length.map(Nanos::as_secs_f64),
        at_most: step.at_most.map(Nanos::as_secs_f64),
        offered_from: step.offered.map(|(from, _)| from),
        offered_to: step.offered.map(|(_, to)| to),
        users: step.users,
        connections: step.connections,
        iterations: step.iterations,
        variables: plan.scenarios[usize::from(step.scenario)].variables.clone(),
        repetition: step.repetition,
        waits: step.phase == Phase::Drain && plan.scenarios[usize::from(step.scenario)].until.contains(&Wait::Drain),
    };
    plan.steps.iter().map(head).collect()
}

fn data(study: &Study, set: &study::DataSet, table: &contract::Table) -> DataHead {
    let sha256 = sha256_of_file(&study.base.join(&set.file)).unwrap_or_default();
    DataHead { name: set.name.clone(), file: set.file.clone(), rows: table.len() as u64, sha256 }
}

fn instance(started: &Started) -> InstanceHead {
    InstanceHead {
        name: started.placed.name.clone(),
        pid: started.placed.pid,
        url: started.placed.url.clone(),
        command: started.command.clone(),
        identity: started.identity.clone(),
        is_identified: started.is_identified,
        faults: started.faults.clone(),
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn sha256_of_file(path: &std::path::Path) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    std::io::copy(&mut std::fs::File::open(path)?, &mut hasher)?;
    Ok(hex(&hasher.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to memory does not fail");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_this_machine_and_names_are_not_guessed() {
        for here in [
            "http://127.0.0.1:80/",
            "https://LOCALHOST/x",
            "http://[::1]:8080",
            "postgres://ada@127.3.0.1",
            "127.0.0.1:80",
        ] {
            assert!(is_local(here), "{here}");
        }
        for elsewhere in
            ["http://10.0.0.1/", "http://shop.test/127.0.0.1", "http://localhost.shop.test/", "http://[2001:db8::1]/"]
        {
            assert!(!is_local(elsewhere), "{elsewhere}");
        }
    }
}
