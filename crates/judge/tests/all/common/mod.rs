//! Evidence for tests: from a study text, with rows made by hand or by the real loop in simulated time.
#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test file uses its own part")]

mod calls;
mod planned;

pub use calls::{Call, append, call, evenly, fold, sparse, spread};

use contract::{
    Across, BuildContext, Closes, DriverKind, ExchangeKind, Facts, Failure, Kind, LegKind, MetricKind, Mistakes,
    Monitor, MonitorKind, MonitorSettings, Role, Samples, Work,
};
use drive::{Blueprint, DriverUse, simulate_scenario};
use judge::evidence::StepSpan;
use judge::{Evidence, Finding, Judgement, RequirementResult, Sign, StepResult};
use plan::Plan;
use planned::{head, spans};
use record::Folded;
use record::{Ending, EngineRow, Entry, EventRow, MonitorHead, SampleRow};
use recorder::Shared;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use study::{Options, Registry, SecretSource, Study};
use terms::{Nanos, Phase, Unit};
use testkit::{SIMULATED, TableNames};

struct Meter;

impl Monitor for Meter {
    fn facts(&mut self, _out: &mut Facts) {}
    fn sample(&mut self, _at: Nanos, _out: &mut Samples) -> Result<(), Failure> {
        Ok(())
    }
}

fn build_meter(_: &MonitorSettings, _: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    Ok(Box::new(Meter))
}

const fn metric(name: &'static str, unit: Unit, kind: Kind, across: Across) -> MetricKind {
    MetricKind { name, unit, of: None, kind, across, ceiling: None, role: None }
}

/// Numbers of the metrics below.
pub const MEMORY: u16 = 0;
pub const CPU: u16 = 1;
pub const STEAL: u16 = 2;
pub const EVENTS: u16 = 3;
pub const WAIT: u16 = 4;

const METRICS: &[MetricKind] = &[
    metric("memory", Unit::Bytes, Kind::Gauge, Across::Sum).with_role(Role::Memory),
    metric("cpu", Unit::Share, Kind::Gauge, Across::Max).with_role(Role::Processor),
    metric("steal", Unit::Share, Kind::Gauge, Across::Max).with_role(Role::Steal),
    metric("events", Unit::Count, Kind::Counter, Across::Sum),
    metric("wait", Unit::Time, Kind::Distribution, Across::Sum),
];

/// Values that a study names under `values` are metrics after those above.
pub const NAMED: u16 = 5;

/// What the monitor captures.
pub const FACTS: &[contract::FactKind] = &[contract::FactKind::new("cores").with_role(contract::FactRole::Cores)];
const MONITORS: &[MonitorKind] = &[MonitorKind {
    name: "host",
    metrics: METRICS,
    watches: contract::Watches::Machine,
    facts: FACTS,
    messages: &[],
    keys: &["values"],
    named: Some("values"),
    over_ssh: false,
    build: build_meter,
}];

/// As the simulated driver to a study, with a leg that others close.
const MAIL: DriverKind = DriverKind {
    name: "mail",
    exchanges: &[ExchangeKind {
        name: "send",
        work: Work::Exchange,
        legs: &[
            LegKind { name: "accepted", closes: Closes::Here },
            LegKind { name: "reply", closes: Closes::Matched },
            LegKind { name: contract::AFTERWARDS, closes: Closes::Afterwards },
        ],
        keys: &["service"],
        words: &[],
    }],
    counters: &[],
    features: &[],
    messages: &[],
    build: SIMULATED.build,
};

/// Connections that are held: an answer that is matched, a message that is sent, a connection that opens.
const TALK: DriverKind = DriverKind {
    name: "talk",
    exchanges: &[ExchangeKind {
        name: "echo",
        work: Work::Held,
        legs: &[
            LegKind { name: "answer", closes: Closes::Matched },
            LegKind { name: "sent", closes: Closes::Here },
            LegKind { name: "connect", closes: Closes::Opening },
        ],
        keys: &["service"],
        words: &[],
    }],
    counters: &[],
    features: &[],
    messages: &[],
    build: SIMULATED.build,
};

/// Connections that only listen: an event that comes of itself, a connection that opens.
const RADIO: DriverKind = DriverKind {
    name: "radio",
    exchanges: &[ExchangeKind {
        name: "hear",
        work: Work::Held,
        legs: &[
            LegKind { name: "event", closes: Closes::Matched },
            LegKind { name: "connect", closes: Closes::Opening },
        ],
        keys: &["service"],
        words: &[],
    }],
    counters: &[],
    features: &[],
    messages: &[],
    build: SIMULATED.build,
};

/// Calls that may be sent on to another address, which is a leg on occasion.
const WEB: DriverKind = DriverKind {
    name: "web",
    exchanges: &[ExchangeKind {
        name: "call",
        work: Work::Exchange,
        legs: &[LegKind { name: "answer", closes: Closes::Here }, LegKind { name: "redirect", closes: Closes::Beside }],
        keys: &["service"],
        words: &[],
    }],
    counters: &[],
    features: &[],
    messages: &[],
    build: SIMULATED.build,
};

/// The same rows so many seconds later.
pub fn shift(rows: &mut Folded, by: i64) {
    rows.legs.iter_mut().for_each(|row| (row.intended_s, row.end_s) = (row.intended_s + by, row.end_s + by));
    rows.outcomes.iter_mut().for_each(|row| (row.intended_s, row.end_s) = (row.intended_s + by, row.end_s + by));
    rows.iterations.iter_mut().for_each(|row| (row.intended_s, row.end_s) = (row.intended_s + by, row.end_s + by));
    rows.starts.iter_mut().for_each(|row| row.intended_s += by);
}

/// A run in the making.
pub struct Run {
    pub study: Study,
    pub plan: Plan,
    /// All of it but its rows and samples.
    pub evidence: Evidence,
    pub rows: Folded,
    pub samples: Vec<SampleRow>,
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

/// A study of several scenarios with exchanges `x`, `y` (1 ms and 40 ms) and `job` (2 s); `keys` stand at the top level.
pub fn study_of_scenarios(scenarios: &str, keys: &str) -> String {
    let exchanges = "y: { simulated.call: { service: 40ms } }\njob: { simulated.call: { service: 2s } }";
    let text = study_with("x", "{ users: 1, hold: 1s }", &format!("x: {{ simulated.call: {{}} }}\n{exchanges}"), "");
    let text = text.replace("requirements:\n", "");
    let (head, _) = text.split_once("scenarios:").expect("the text has scenarios");
    let indent = |text: &str| text.trim().lines().map(|line| format!("  {}\n", line.trim())).collect::<String>();
    format!("{head}scenarios:\n{}{}\n", indent(scenarios), keys.trim())
}

impl Run {
    /// The study's run as planned, all steps whole, without rows.
    pub fn of(text: &str) -> Self {
        let registry = Registry { drivers: &[SIMULATED, MAIL, TALK, RADIO, WEB], monitors: MONITORS, blocks: &[] };
        // Data sets are missing; a study that is judged from its archive does not look for them.
        let secrets = if text.contains("data:") { SecretSource::Ignore } else { SecretSource::Real };
        let options = Options { secrets, ..Options::default() };
        let loaded = study::load_text("study.yaml", text, Path::new("/nonexistent"), &registry, &options);
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
            rows: Arc::default(),
            engine: Vec::new(),
            events: Vec::new(),
            clocks: Vec::new(),
            end,
            was_killed: false,
            cut: None,
            torn_bytes: 0,
            altered: Vec::new(),
            left_out: Vec::new(),
        };
        evidence.head.ending = Some(Ending { reason: "completed".into(), at_ns: end.0, ..Ending::default() });
        Self { study, plan, evidence, rows: Folded::default(), samples: Vec::new() }
    }

    /// Every scenario's load through the real loop, in simulated time.
    pub fn simulated(text: &str, workers: u16) -> Self {
        let mut run = Self::of(text);
        let settings: Vec<_> = run.study.exchanges.iter().map(|exchange| exchange.settings.clone()).collect();
        let names = TableNames::default();
        let setup = Blueprint {
            mailbox: None,
            nonce: 0,
            drivers: vec![DriverUse { kind: SIMULATED, settings }],
            names: &names,
            base: ".".into(),
            shared: Shared { seed: 1, ..Shared::default() },
            layout: Arc::new(plan::layout(&run.study)),
            workers,
            sessions_max: 100_000,
        };
        for scenario in &run.plan.scenarios {
            let seen = RefCell::new((Folded::default(), Vec::new()));
            let setups = vec![setup.clone(); scenario.parts.len()];
            simulate_scenario(scenario, &setups, &|entry| match entry {
                Entry::Load(batch) => append(&mut seen.borrow_mut().0, batch.fold()),
                Entry::Engine(row) => seen.borrow_mut().1.push(row),
                _ => {}
            })
            .expect("the simulated driver builds");
            let (mut rows, mut engine) = seen.into_inner();
            // Simulated time begins at zero, the scenario's load where its first step does.
            let first = scenario.parts[0].load_steps[0].step;
            let from = run.evidence.steps.iter().find(|step| step.number == first).expect("a step").from.second();
            shift(&mut rows, from);
            engine.iter_mut().for_each(|row| row.second += from);
            append(&mut run.rows, rows);
            run.evidence.engine.extend(engine);
        }
        let last = run.rows.iterations.iter().map(|row| row.end_s).max().unwrap_or_default();
        run.evidence.end = run.evidence.end.max(Nanos::from_secs(last + 1));
        let end = run.evidence.end;
        if let Some(drain) = run.evidence.steps.iter_mut().rfind(|step| step.phase == Phase::Drain) {
            drain.to = drain.to.max(end);
        }
        run
    }

    /// All of it, as it would be read from a folder.
    pub fn evidence(&self) -> Evidence {
        let rows = judge::Rows::of(&self.evidence.head, &self.rows, &self.samples).expect("it needs no file");
        let mut evidence = Evidence { rows: Arc::new(rows), ..self.evidence.clone() };
        evidence.derive().expect("it needs no file");
        evidence
    }

    /// Adds calls.
    pub fn add(&mut self, calls: &[Call]) {
        let rows = fold(&self.evidence.head, calls);
        append(&mut self.rows, rows);
    }

    pub fn step(&self, id: &str) -> u32 {
        self.evidence.steps.iter().find(|step| step.id == id).expect("the plan has this step").number
    }

    /// Number and first second of each hold, in order of time.
    pub fn holds(&self) -> Vec<(u32, i64)> {
        let holds = self.evidence.steps.iter().filter(|step| step.phase == Phase::Hold);
        holds.map(|step| (step.number, step.from.second())).collect()
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
        self.samples.push(SampleRow { at, monitor: 0, instance: instance.into(), metric, value });
    }

    /// The same of the monitor `db`, a second one of the machine, which the node `db1` ran.
    pub fn sample_of_node(&mut self, at_s: f64, metric: u16, value: Option<f64>) {
        let monitors = &mut self.evidence.head.monitors;
        if monitors.len() == 1 {
            monitors.push(MonitorHead { name: "db".into(), on: "db1".into(), ..monitors[0].clone() });
        }
        let at = Nanos::from_secs_f64(at_s);
        self.samples.push(SampleRow { at, monitor: 1, instance: "db1".into(), metric, value });
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

    /// Judges, and checks that nothing was stated that the catalogue does not list.
    pub fn judge(&self) -> Judgement {
        let judgement = judge::judge(&self.evidence(), &self.study).1;
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
        self.judge().findings.into_iter().find(|finding| finding.rule() == rule)
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
        let of_clauses = [judge::catalogue::DECIDED_BY, judge::catalogue::SHOWN_OF];
        let args = result.reason.args.keys().map(String::as_str).filter(|name| !of_clauses.contains(name)).collect();
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
        check(judge::catalogue::FINDINGS, finding.rule(), finding.args().keys().map(String::as_str).collect());
    }
    for rung in judgement.ladders.iter().flat_map(|ladder| &ladder.rungs) {
        assert!(judge::catalogue::RUNGS.contains(&rung.rung.name()));
        for signal in &rung.signals {
            check(judge::catalogue::LADDER, &signal.code, signal.args.keys().map(String::as_str).collect());
        }
    }
    let refused = judgement.capacity.volumes.iter().filter_map(|volume| volume.refused.as_ref());
    for refused in refused.chain(judgement.capacity.ratios.iter().filter_map(|ratio| ratio.refused.as_ref())) {
        check(judge::catalogue::REFUSALS, &refused.code, refused.args.keys().map(String::as_str).collect());
    }
    for choice in &judgement.capacity.healthiest {
        for lost in choice.steps.iter().flat_map(|step| &step.lost) {
            let code = lost.reason.code.as_str();
            check(judge::catalogue::HEALTH, code, lost.reason.args.keys().map(String::as_str).collect());
        }
        assert!(choice.unseen.iter().all(|code| judge::catalogue::UNSEEN.contains(code)));
    }
    for reason in judgement.searches.iter().flat_map(|search| &search.attempts).map(|attempt| &attempt.reason) {
        check(judge::catalogue::ATTEMPTS, &reason.code, reason.args.keys().map(String::as_str).collect());
    }
    for curve in judgement.searches.iter().filter_map(|search| search.curve.as_ref()) {
        let law = curve.law.as_ref().err().map(|reason| (judge::catalogue::LAWS, reason));
        let knee = curve.knee.as_ref().err().map(|reason| (judge::catalogue::KNEES, reason));
        for (list, reason) in law.into_iter().chain(knee) {
            check(list, &reason.code, reason.args.keys().map(String::as_str).collect());
        }
    }
    for trend in judgement.courses.iter().flat_map(|course| &course.trends) {
        if let judge::trends::Said::CannotTell(reason) = &trend.said {
            check(judge::catalogue::TRENDS, &reason.code, reason.args.keys().map(String::as_str).collect());
        }
    }
    for line in &judgement.capacity.lines {
        assert!(judge::catalogue::CAPACITY.contains(&line.code()));
    }
    let settings: Vec<&str> = judgement.settings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(settings, judge::catalogue::SETTINGS);
}
