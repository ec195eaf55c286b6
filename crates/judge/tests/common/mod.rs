//! Evidence for tests: from a study text, with rows made by hand or by the real loop in simulated time.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use contract::recorder::{Folded, IterationRow, LegRow, Measure, OutcomeRow, Shared, StartRow};
use contract::{
    Across, Bench, Facts, Failure, Kind, MetricKind, Mistakes, Monitor, MonitorKind, MonitorSettings, Samples,
};
use drive::{DriverUse, Setup, simulate_scenario};
use judge::evidence::StepSpan;
use judge::{Evidence, Finding, Judgement, RequirementResult, Sign, StepResult};
use plan::{LoadPlan, Plan};
use record::{
    Ending, EngineRow, Entry, EventRow, ExchangeHead, Head, InstanceHead, LegHead, MetricHead, MonitorHead, SampleRow,
    ScenarioHead, StepHead, ThresholdHead,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use study::{Item, Options, Registry, Study};
use terms::{Books, Buckets, Nanos, Outcome, Phase, Population, SparseHistogram, Unit};
use testkit::{NoNames, SIMULATED};

struct Meter;

impl Monitor for Meter {
    fn facts(&mut self, _out: &mut Facts) {}
    fn sample(&mut self, _at: Nanos, _out: &mut Samples) -> Result<(), Failure> {
        Ok(())
    }
}

fn build_meter(_: &MonitorSettings, _: &mut Bench<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    Ok(Box::new(Meter))
}

const fn metric(name: &'static str, unit: Unit, kind: Kind, across: Across) -> MetricKind {
    MetricKind { name, unit, of: None, kind, across, ceiling: None }
}

/// Numbers of the metrics below.
pub const MEMORY: u16 = 0;
pub const CPU: u16 = 1;
pub const STEAL: u16 = 2;
pub const EVENTS: u16 = 3;
pub const WAIT: u16 = 4;

const METRICS: &[MetricKind] = &[
    metric("memory", Unit::Bytes, Kind::Gauge, Across::Sum),
    metric("cpu", Unit::Share, Kind::Gauge, Across::Max),
    metric("steal", Unit::Share, Kind::Gauge, Across::Max),
    metric("events", Unit::Count, Kind::Counter, Across::Sum),
    metric("wait", Unit::Time, Kind::Distribution, Across::Sum),
];

const MONITORS: &[MonitorKind] = &[MonitorKind { name: "host", metrics: METRICS, keys: &[], build: build_meter }];

/// A run in the making.
pub struct Run {
    pub study: Study,
    pub plan: Plan,
    pub evidence: Evidence,
}

/// One scenario `s` with exchange `x`: `load` and the requirements as a study writes them, `name: rule` a line.
pub fn study_of(load: &str, rules: &str) -> String {
    study_with("x", load, "x: { simulated.call: { service: 10ms } }", rules)
}

/// The same with other exchanges, and the items of an iteration.
pub fn study_with(run: &str, load: &str, exchanges: &str, rules: &str) -> String {
    let indent = |text: &str| text.trim().lines().map(|line| format!("  {}\n", line.trim())).collect::<String>();
    format!(
        "study: Test\nsystem:\n  name: shop\n  instances:\n    shop: {{ url: 'http://127.0.0.1:9', identity: {{ path: /version, expect: {{ name: shop }} }} }}\nwatch: {{ host: {{}} }}\n\
         exchanges:\n{}scenarios:\n  s:\n    load: {load}\n    run: [{run}]\nrequirements:\n{}",
        indent(exchanges),
        indent(rules),
    )
}

impl Run {
    /// The study's run as planned, all steps whole, without rows.
    pub fn of(text: &str) -> Self {
        let registry = Registry { drivers: &[SIMULATED], monitors: MONITORS };
        let loaded = study::load_text("study.yaml", text, Path::new("/nonexistent"), &registry, &Options::default());
        let (study, _) = loaded.unwrap_or_else(|rejected| {
            panic!("{:?}\n{text}", rejected.mistakes.0.iter().map(|mistake| &mistake.message).collect::<Vec<_>>())
        });
        let plan = plan::build(&study);
        let head = head(&study, &plan);
        let steps = spans(&plan);
        let end = steps.iter().map(|step| step.to).max().unwrap_or_default();
        let mut evidence = Evidence {
            head,
            steps,
            rows: Folded::default(),
            engine: Vec::new(),
            samples: Vec::new(),
            events: Vec::new(),
            clocks: Vec::new(),
            end,
            was_killed: false,
            torn_bytes: 0,
            altered: Vec::new(),
        };
        evidence.head.ending = Some(Ending { reason: "completed".into(), at_ns: end.0, ..Ending::default() });
        Self { study, plan, evidence }
    }

    /// The first scenario's load through the real loop, in simulated time.
    pub fn simulated(text: &str, workers: u16) -> Self {
        let mut run = Self::of(text);
        let settings = run.study.exchanges.iter().map(|exchange| exchange.settings.clone()).collect();
        let setup = Setup {
            drivers: vec![DriverUse { kind: SIMULATED, settings }],
            names: &NoNames,
            base: ".".into(),
            shared: Shared { seed: 1, ..Shared::default() },
            layout: Arc::new(plan::layout(&run.study)),
            workers,
            sessions_max: 100_000,
        };
        let seen = RefCell::new((Folded::default(), Vec::new()));
        simulate_scenario(&run.plan.scenarios[0], &setup, &|entry| match entry {
            Entry::Load(batch) => append(&mut seen.borrow_mut().0, batch.fold()),
            Entry::Engine(row) => seen.borrow_mut().1.push(row),
            _ => {}
        })
        .expect("the simulated driver builds");
        (run.evidence.rows, run.evidence.engine) = seen.into_inner();
        let last = run.evidence.rows.iterations.iter().map(|row| row.end_s).max().unwrap_or_default();
        run.evidence.end = run.evidence.end.max(Nanos::from_secs(last + 1));
        let end = run.evidence.end;
        if let Some(drain) = run.evidence.steps.iter_mut().find(|step| step.phase == Phase::Drain) {
            drain.to = end;
        }
        run
    }

    /// Adds calls.
    pub fn add(&mut self, calls: &[Call]) {
        let rows = fold(&self.evidence.head, calls);
        append(&mut self.evidence.rows, rows);
    }

    pub fn step(&self, id: &str) -> u32 {
        self.evidence.steps.iter().find(|step| step.id == id).expect("the plan has this step").number
    }

    pub fn span(&mut self, id: &str) -> &mut StepSpan {
        self.evidence.steps.iter_mut().find(|step| step.id == id).expect("the plan has this step")
    }

    pub fn event(&mut self, at_s: f64, kind: &str, subject: &str) {
        let at = Nanos::from_secs_f64(at_s);
        self.evidence.events.push(EventRow { at, kind: kind.into(), subject: subject.into(), text: String::new() });
    }

    pub fn sample(&mut self, at_s: f64, metric: u16, instance: &str, value: Option<f64>) {
        let at = Nanos::from_secs_f64(at_s);
        self.evidence.samples.push(SampleRow { at, monitor: 0, instance: instance.into(), metric, value });
    }

    /// One row of a thread in each second of the hold.
    pub fn threads(&mut self, shares: &[(f64, f64)]) {
        let hold = self.step("hold");
        let span = self.span("hold").clone();
        for second in span.from.second()..span.to.second() {
            for (worker, (cpu_s, run_queue_s)) in shares.iter().enumerate() {
                let row = EngineRow {
                    second,
                    worker: worker as u16,
                    step: hold,
                    cpu_s: *cpu_s,
                    run_queue_s: *run_queue_s,
                    ..EngineRow::default()
                };
                self.evidence.engine.push(row);
            }
        }
    }

    /// Judges, and checks that nothing was said that the catalogue does not list.
    pub fn judge(&self) -> Judgement {
        let judgement = judge::judge(&self.evidence, &self.study).1;
        check_catalogue(&judgement);
        judgement
    }

    /// All results of a requirement.
    pub fn results(&self, id: &str) -> Vec<RequirementResult> {
        self.judge().requirements.into_iter().filter(|result| result.id == id).collect()
    }

    /// The only result of a requirement.
    pub fn result(&self, id: &str) -> RequirementResult {
        let mut results = self.results(id);
        assert_eq!(results.len(), 1, "{results:#?}");
        results.remove(0)
    }

    /// Verdict and reason of a requirement's only result, in one word each.
    pub fn verdict(&self, id: &str) -> (&'static str, String) {
        let result = self.result(id);
        (result.verdict.name(), result.reason.code)
    }

    pub fn sign(&self, code: &str) -> Option<Sign> {
        self.judge().signs.into_iter().find(|sign| sign.code == code)
    }

    pub fn finding(&self, rule: &str) -> Option<Finding> {
        self.judge().findings.into_iter().find(|finding| finding.rule == rule)
    }

    pub fn step_result(&self, id: &str) -> StepResult {
        self.judge().steps.into_iter().find(|step| step.id == id).expect("the plan has this step")
    }
}

/// Everything said is a code of the catalogue with exactly its arguments.
pub fn check_catalogue(judgement: &Judgement) {
    let check = |list: &[judge::catalogue::Entry], code: &str, args: Vec<&str>| {
        let listed = list.iter().find(|(known, _)| *known == code);
        let listed = listed.unwrap_or_else(|| panic!("`{code}` is not in the catalogue")).1;
        assert_eq!(listed, args, "{code}");
    };
    for result in &judgement.requirements {
        let args = result.reason.args.keys().map(String::as_str).collect();
        check(judge::catalogue::REASONS, &result.reason.code, args);
    }
    for sign in &judgement.signs {
        let own = [("value", &sign.value), ("questionable", &sign.questionable), ("invalid", &sign.invalid)];
        let own = own.into_iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name);
        let mut args: Vec<&str> = sign.args.keys().map(String::as_str).chain(own).collect();
        args.sort_unstable();
        check(judge::catalogue::SIGNS, &sign.code, args);
    }
    for finding in &judgement.findings {
        check(judge::catalogue::FINDINGS, &finding.rule, finding.args.keys().map(String::as_str).collect());
    }
    let settings: Vec<&str> = judgement.settings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(settings, judge::catalogue::SETTINGS);
}

/// A call of the first exchange of an iteration unless `is_later`.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub step: u32,
    pub exchange: u16,
    /// Intended start, seconds.
    pub at: f64,
    pub took: Nanos,
    pub outcome: Outcome,
    /// The generator's lateness.
    pub late: Nanos,
    /// Whether it carries no iteration of its own: another exchange of the same iteration does.
    pub is_later: bool,
}

/// A call that ends well.
pub fn call(step: u32, at: f64, took_ms: f64) -> Call {
    let took = Nanos::from_secs_f64(took_ms / 1e3);
    Call { step, exchange: 0, at, took, outcome: Outcome::Ok, late: Nanos::ZERO, is_later: false }
}

impl Call {
    pub fn ended(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }

    pub fn of(self, exchange: u16) -> Self {
        Self { exchange, ..self }
    }

    pub fn later(self) -> Self {
        Self { is_later: true, ..self }
    }

    pub fn late(self, ms: f64) -> Self {
        Self { late: Nanos::from_secs_f64(ms / 1e3), ..self }
    }
}

/// `per_second` calls in each of `seconds` from `from`, evenly spaced; `of(number)` makes each.
pub fn evenly(step: u32, from: i64, seconds: i64, per_second: u64, of: impl Fn(u64, Call) -> Call) -> Vec<Call> {
    let at = |number: u64| from as f64 + number as f64 / per_second as f64;
    (0..seconds as u64 * per_second).map(|number| of(number, call(step, at(number) + 1e-6, 10.0))).collect()
}

/// Whether the `number`-th of `all` is one of `chosen` that are spread evenly over them.
pub fn spread(number: u64, chosen: u64, all: u64) -> bool {
    (number + 1) * chosen / all > number * chosen / all
}

/// Rows of calls as the recorder would have made them.
pub fn fold(head: &Head, calls: &[Call]) -> Folded {
    let mut legs: BTreeMap<(u32, u16, Population, i64, i64), Vec<&Call>> = BTreeMap::new();
    let mut starts: BTreeMap<(u32, u16, i64), Vec<&Call>> = BTreeMap::new();
    let mut outcomes: BTreeMap<(u32, u16, Outcome, i64, i64), u64> = BTreeMap::new();
    let mut iterations: BTreeMap<(u32, i64, i64), Books> = BTreeMap::new();
    for call in calls {
        let at = Nanos::from_secs_f64(call.at);
        let (intended_s, end_s) = (at.second(), (at + call.took).second());
        let is_started = !matches!(call.outcome, Outcome::Dropped | Outcome::NoResource);
        if let Some(population) = call.outcome.population() {
            legs.entry((call.step, call.exchange, population, intended_s, end_s)).or_default().push(call);
        }
        if is_started {
            starts.entry((call.step, call.exchange, intended_s)).or_default().push(call);
        }
        if call.outcome != Outcome::Dropped {
            *outcomes.entry((call.step, call.exchange, call.outcome, intended_s, end_s)).or_default() += 1;
        }
        if !call.is_later {
            let begun = iterations.entry((call.step, intended_s, intended_s)).or_default();
            begun.intended += 1;
            begun.started += u64::from(is_started);
            begun.dropped += u64::from(!is_started);
            let ended = iterations.entry((call.step, intended_s, end_s)).or_default();
            match call.outcome {
                Outcome::Ok => ended.completed += 1,
                outcome if outcome.is_failed() => ended.failed += 1,
                _ => ended.aborted += u64::from(is_started),
            }
        }
    }
    let is_closed = |step: u32| {
        let scenario = head.steps[step as usize].scenario;
        head.scenarios[usize::from(scenario)].model == "closed"
    };
    let leg = |((step, exchange, population, intended_s, end_s), calls): (_, Vec<&Call>)| {
        let response: Vec<Nanos> = calls.iter().map(|call| call.took).collect();
        let service: Vec<Nanos> = calls.iter().map(|call| call.took - call.late).collect();
        let below = |threshold: &ThresholdHead| {
            let of = if threshold.measure == "service" { &service } else { &response };
            let is_below =
                |time: &&Nanos| time.0 < threshold.limit_ns || (threshold.inclusive && time.0 == threshold.limit_ns);
            of.iter().filter(is_below).count() as u64
        };
        LegRow {
            step,
            exchange,
            leg: 0,
            population,
            intended_s,
            end_s,
            count: calls.len() as u64,
            units: calls.len() as u64,
            bytes: 100 * calls.len() as u64,
            below: head.exchanges[usize::from(exchange)].thresholds.iter().map(below).collect(),
            response: if is_closed(step) { SparseHistogram::default() } else { sparse(&response) },
            service: sparse(&service),
        }
    };
    let start = |((step, exchange, intended_s), calls): ((u32, u16, i64), Vec<&Call>)| {
        let lateness: Vec<Nanos> = calls.iter().map(|call| call.late).collect();
        StartRow { step, exchange, intended_s, started: calls.len() as u64, lateness: sparse(&lateness) }
    };
    let outcome = |((step, exchange, outcome, intended_s, end_s), count)| OutcomeRow {
        step,
        exchange,
        leg: 0,
        outcome,
        intended_s,
        end_s,
        count,
    };
    Folded {
        legs: legs.into_iter().map(leg).collect(),
        starts: starts.into_iter().map(start).collect(),
        outcomes: outcomes.into_iter().map(outcome).collect(),
        iterations: iterations
            .into_iter()
            .map(|((step, intended_s, end_s), books)| IterationRow { step, intended_s, end_s, books })
            .collect(),
        notes: Vec::new(),
    }
}

pub fn sparse(times: &[Nanos]) -> SparseHistogram {
    let mut buckets: BTreeMap<u32, u64> = BTreeMap::new();
    times.iter().for_each(|time| *buckets.entry(Buckets::index(*time)).or_default() += 1);
    SparseHistogram {
        buckets: buckets.into_iter().collect(),
        min: times.iter().copied().min().unwrap_or_default(),
        max: times.iter().copied().max().unwrap_or_default(),
        sum_ns: times.iter().map(|time| time.0 as f64).sum(),
    }
}

pub fn append(into: &mut Folded, more: Folded) {
    into.legs.extend(more.legs);
    into.starts.extend(more.starts);
    into.outcomes.extend(more.outcomes);
    into.iterations.extend(more.iterations);
    into.notes.extend(more.notes);
}

fn head(study: &Study, plan: &Plan) -> Head {
    let layout = plan::layout(study);
    let threshold = |threshold: &contract::recorder::Threshold| ThresholdHead {
        leg: threshold.leg,
        measure: if threshold.measure == Measure::Service { "service" } else { "response" }.into(),
        limit_ns: threshold.limit.0,
        inclusive: threshold.inclusive,
    };
    let exchange = |(number, exchange): (usize, &study::Exchange)| ExchangeHead {
        name: exchange.name.clone(),
        kind: "simulated.call".into(),
        legs: exchange.legs.iter().map(|leg| LegHead { name: leg.name.into(), many: leg.many }).collect(),
        thresholds: layout.exchanges[number].thresholds.iter().map(threshold).collect(),
        timeout_ns: exchange.settings.timeout.0,
    };
    let scenario = |scenario: &plan::ScenarioPlan| {
        let (mut per_iteration, mut think_s) = (vec![0.0; study.exchanges.len()], 0.0);
        count(&scenario.run, 1.0, &mut per_iteration, &mut think_s);
        let (model, max_in_flight) = match &scenario.load {
            LoadPlan::Open { max_in_flight, .. } => ("open", *max_in_flight),
            LoadPlan::Closed { .. } => ("closed", None),
        };
        let name = scenario.name.clone();
        ScenarioHead { name, model: model.into(), think_s, max_in_flight, per_iteration, ..ScenarioHead::default() }
    };
    let step = |step: &plan::Step| StepHead {
        scenario: step.scenario,
        id: step.id.clone(),
        phase: step.phase.name().into(),
        seconds: step.length.map(Nanos::as_secs_f64),
        users: step.users,
        iterations: step.iterations,
        repetition: 1,
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
        across: if metric.across == Across::Max { "max" } else { "sum" }.into(),
        ..MetricHead::default()
    };
    let host = MonitorHead {
        name: "host".into(),
        kind: "host".into(),
        every_s: 1.0,
        metrics: METRICS.iter().map(metric).collect(),
        ..MonitorHead::default()
    };
    Head {
        exchanges: study.exchanges.iter().enumerate().map(exchange).collect(),
        scenarios: plan.scenarios.iter().map(scenario).collect(),
        steps: plan.steps.iter().map(step).collect(),
        instances: vec![InstanceHead { name: "shop".into(), is_identified: true, ..InstanceHead::default() }],
        monitors: vec![host],
        ..Head::default()
    }
}

fn count(items: &[Item], times: f64, per_iteration: &mut [f64], think_s: &mut f64) {
    for item in items {
        match item {
            Item::Exchange(number) => per_iteration[usize::from(*number)] += times,
            Item::Think(time) => *think_s += times * time.as_secs_f64(),
            Item::Choose(choices) => {
                choices.iter().for_each(|(share, number)| per_iteration[usize::from(*number)] += times * share);
            }
            Item::Times(again, items) => count(items, times * f64::from(*again), per_iteration, think_s),
        }
    }
}

/// Steps one after another; what ends by itself takes a second.
fn spans(plan: &Plan) -> Vec<StepSpan> {
    let mut at = Nanos::ZERO;
    let mut span = |(number, step): (usize, &plan::Step)| {
        let from = at;
        at += step.length.unwrap_or(Nanos::SECOND);
        StepSpan {
            number: number as u32,
            scenario: usize::from(step.scenario),
            id: step.id.clone(),
            phase: step.phase,
            from,
            to: at,
            is_ended: true,
        }
    };
    plan.steps.iter().enumerate().map(&mut span).collect()
}
