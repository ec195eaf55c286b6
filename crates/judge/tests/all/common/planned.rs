//! Head and steps of a planned study.

use super::METRICS;
use contract::{Across, Kind, MetricKind};
use judge::evidence::StepSpan;
use plan::{LoadPlan, Plan};
use record::Measure;
use record::{
    CarriedHead, CountedHead, ExchangeHead, Head, InstanceHead, LegHead, MetricHead, MonitorHead, ScenarioHead,
    StepHead, ThresholdHead,
};
use study::Study;
use terms::{Nanos, Unit};

pub fn head(study: &Study, plan: &Plan) -> Head {
    let layout = plan::layout(study);
    let threshold = |threshold: &record::Threshold| ThresholdHead {
        leg: threshold.leg,
        measure: if threshold.measure == Measure::Service { "service" } else { "response" }.into(),
        limit_ns: threshold.limit.0,
        inclusive: threshold.inclusive,
    };
    let exchange = |(number, exchange): (usize, &study::Exchange)| ExchangeHead {
        name: exchange.name.clone(),
        kind: "simulated.call".into(),
        legs: exchange.legs.iter().map(|leg| LegHead { name: leg.name.into(), per: leg.closes.into() }).collect(),
        thresholds: layout.exchanges[number].thresholds.iter().map(threshold).collect(),
        timeout_ns: exchange.settings.timeout.0,
        is_transaction: false,
        counted: exchange.counted.iter().map(counted).collect(),
    };
    let transaction = |(place, name): (usize, &String)| ExchangeHead {
        name: name.clone(),
        kind: "transaction".into(),
        legs: study::TRANSACTION_LEGS.iter().map(|leg| LegHead::of_exchange(leg.name)).collect(),
        thresholds: layout.exchanges[study.exchanges.len() + place].thresholds.iter().map(threshold).collect(),
        timeout_ns: 30_000_000_000,
        is_transaction: true,
        counted: Vec::new(),
    };
    let load = |part: &plan::PartPlan| {
        let work = study::IterationWork::of(&part.run, study.numbered());
        let (model, max_in_flight) = match &part.load {
            LoadPlan::Open { max_in_flight, .. } => ("open", *max_in_flight),
            LoadPlan::Closed { .. } => ("closed", None),
            LoadPlan::Held(_) => ("held", None),
        };
        let parallel = study::parallels_of(&part.run).map(|(transaction, made)| record::ParallelHead {
            transaction,
            calls: made.calls.clone(),
            at_once: made.at_once,
        });
        let held = if let LoadPlan::Held(held) = &part.load { Some(held) } else { None };
        let name = part.name.clone();
        ScenarioHead {
            name,
            model: model.into(),
            connections: held.map(|held| held.connections.count),
            every_s: held.and_then(|held| held.every).map(Nanos::as_secs_f64),
            think_s: work.think_s,
            think_sd_s: work.think_variance.sqrt(),
            think_more_s: work.think_more_s,
            max_in_flight,
            per_iteration: work.mean,
            most_per_iteration: work.most,
            parallel: parallel.collect(),
            also_alone: study::also_alone(&part.run),
            ..ScenarioHead::default()
        }
    };
    let scenario = |(own, scenario): (&study::Scenario, &plan::ScenarioPlan)| {
        let name = scenario.name.clone();
        let parts: Vec<_> = scenario.parts.iter().map(load).collect();
        let carries = own.parts.iter().flat_map(|part| &part.carries).map(carried).collect();
        match parts.as_slice() {
            [only] if only.name.is_empty() => ScenarioHead { name, carries, ..only.clone() },
            _ => ScenarioHead { name, carries, model: "mix".into(), parts, ..ScenarioHead::default() },
        }
    };
    let step = |step: &plan::Step| StepHead {
        scenario: step.scenario,
        part: step.part,
        id: step.id.clone(),
        phase: step.phase.name().into(),
        seconds: step.length.map(Nanos::as_secs_f64),
        at_most: step.at_most.map(Nanos::as_secs_f64),
        users: step.users,
        connections: step.connections,
        iterations: step.iterations,
        repetition: step.repetition,
        ..StepHead::default()
    };
    let metric = |metric: &MetricKind| MetricHead {
        name: metric.name.into(),
        unit: match metric.unit {
            Unit::Bytes => "bytes",
            Unit::Share => "share",
            Unit::Time => "s",
            _ => "count",
        }
        .into(),
        kind: match metric.kind {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
            Kind::Distribution => "distribution",
        }
        .into(),
        role: metric.role.map_or_else(String::new, |role| role.name().into()),
        across: if metric.across == Across::Max { "max" } else { "sum" }.into(),
        ..MetricHead::default()
    };
    let host = MonitorHead {
        name: "host".into(),
        kind: "host".into(),
        watches: "machine".into(),
        every_s: 1.0,
        metrics: METRICS.iter().map(metric).chain(named(study)).collect(),
        facts: record::FactHead::of(super::FACTS),
        ..MonitorHead::default()
    };
    Head {
        exchanges: study
            .exchanges
            .iter()
            .enumerate()
            .map(exchange)
            .chain(study.transactions.iter().enumerate().map(transaction))
            .collect(),
        scenarios: study.scenarios.iter().zip(&plan.scenarios).map(scenario).collect(),
        steps: plan.steps.iter().map(step).collect(),
        instances: vec![InstanceHead { name: "shop".into(), is_identified: true, ..InstanceHead::default() }],
        monitors: vec![host],
        ..Head::default()
    }
}

fn counted(leg: &study::CountedLeg) -> CountedHead {
    let study::CountedLeg { name, monitor, metric, of, .. } = leg;
    CountedHead { leg: name.clone(), monitor: monitor.clone(), metric: metric.clone(), unit: of.clone() }
}

fn carried(of: &study::Carried) -> CarriedHead {
    CarriedHead { exchange: of.exchange, unit: of.unit.clone(), count: of.count }
}

/// What the study itself asks the monitor for.
fn named(study: &Study) -> Vec<MetricHead> {
    let values = study.watch.iter().filter_map(|watch| watch.node.get("values")?.map());
    let name = |name: &str| MetricHead {
        name: name.into(),
        unit: "count".into(),
        kind: "gauge".into(),
        across: "sum".into(),
        role: contract::Role::of_named(name).map_or_else(String::new, |role| role.name().into()),
        ..MetricHead::default()
    };
    values.flatten().filter_map(|(key, _)| key.text().map(name)).collect()
}

/// Steps one after another, those of the parts of a mix at once; what ends by itself takes a second.
pub fn spans(plan: &Plan) -> Vec<StepSpan> {
    let (mut from, mut at) = (Nanos::ZERO, Nanos::ZERO);
    let mut span = |(number, step): (usize, &plan::Step)| {
        if step.part.unwrap_or(0) == 0 {
            from = at;
            at += step.length.unwrap_or(Nanos::SECOND);
        }
        StepSpan {
            number: number as u32,
            scenario: usize::from(step.scenario),
            id: step.id.clone(),
            phase: step.phase,
            from,
            to: at,
            is_ended: true,
            is_inner: false,
        }
    };
    plan.steps.iter().enumerate().map(&mut span).collect()
}
