//! `run.json`: what a run was, in full, before and after it.

mod counted;
mod imported;
mod meeting;
mod monitors;
mod steps;

pub use counted::{CarriedHead, CountedHead};
pub use imported::{Broken, ImportHead, ImportedFile, Outside, Placed, ToldFigure, UnreadableLine};
pub use meeting::MeetingHead;
pub use monitors::{FactHead, KnownKind, MetricHead, MonitorHead};
pub use steps::StepHead;

use contract::{Closes, FactRole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `Head::schema` says.
pub const RUN_SCHEMA: &str = "loadproof/run/1";

/// Subject of the facts that the author states in the study: nobody captured them.
pub const STATED: &str = "stated";

/// Everything about a run that is not a measurement. Written before the load, again with its ending when it ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// [`RUN_SCHEMA`].
    pub schema: String,
    /// Id of the run: time and name.
    pub id: String,
    /// Version of loadproof.
    pub version: String,
    /// Title of the study.
    pub study: String,
    /// SHA-256 of the effective study.
    pub study_sha256: String,
    /// The same of the study that is about to take its place, while a search adds an attempt: whoever is killed in between
    /// leaves one of the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_next_sha256: Option<String>,
    pub seed: u64,
    /// Wall-clock start as ISO 8601 UTC.
    pub started: String,
    /// Wall-clock time at the clock's origin, nanoseconds since 1970.
    pub wall_origin_ns: i64,
    /// Set when the study was shortened.
    pub trial: Option<TrialHead>,
    /// Variables that the command line set, as it gave them.
    pub set: Vec<(String, String)>,
    /// Threads that drive the load.
    pub workers: u32,
    /// The processes that drove it, where it was not the one that conducted the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeHead>,
    /// Over which server they were met, where they were on other machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meeting: Option<MeetingHead>,
    /// Whether target and generator share the machine.
    pub shares_machine: bool,
    /// Attempts of searches that an earlier run carried out, which this one goes on from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_over: Vec<AttemptHead>,
    /// What the generator sent in time to a target that does nothing, when that was tried before the run.
    pub ceiling: Option<CeilingHead>,
    /// Name of the system.
    pub system: String,
    /// Exchanges, by number; behind them transactions.
    pub exchanges: Vec<ExchangeHead>,
    /// Scenarios, by number.
    pub scenarios: Vec<ScenarioHead>,
    /// Steps and phases as planned, by number.
    pub steps: Vec<StepHead>,
    /// Instances as started.
    pub instances: Vec<InstanceHead>,
    /// Monitors and their metrics, by number.
    pub monitors: Vec<MonitorHead>,
    /// Data sets with rows and SHA-256.
    pub data: Vec<DataHead>,
    /// Labels of the streams of each load that has streams.
    pub streams: Vec<StreamsHead>,
    /// What the exchanges have the system do, and what of their protocol they leave out, as the drivers say.
    pub features: Vec<FeatureHead>,
    /// Captured facts at the start: subject, name, value.
    pub facts: Vec<(String, String, String)>,
    /// Captured facts at the end.
    pub facts_end: Vec<(String, String, String)>,
    /// Where it comes from, when another tool made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportHead>,
    /// How it ended; `None` in a file that was written before the end. A run that was killed gets one when it is opened.
    pub ending: Option<Ending>,
}

/// An attempt of a search as it was judged in the run that carried it out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AttemptHead {
    /// Scenario that searches.
    pub search: String,
    /// Id of the run that carried it out.
    pub run: String,
    /// From 1.
    pub number: u32,
    /// Its own scenario.
    pub scenario: String,
    /// The search's variables with their values.
    pub values: Vec<(String, String)>,
    pub is_confirming: bool,
    /// `passed`, `failed` or `void`.
    pub outcome: String,
    /// What the search went by, where that was another outcome.
    pub decided: Option<String>,
    pub is_sure: bool,
    /// Code of the reason, and what it is about: name, unit and value.
    pub reason: String,
    pub about: serde_json::Value,
    pub is_degraded: bool,
    /// What its requirements of severity must came to together; `None` without one.
    pub must: Option<String>,
    /// Iterations that succeeded a second.
    pub throughput_per_s: f64,
    /// The rate by which its search goes, where that is one of its own.
    pub by_per_s: Option<f64>,
    pub failed_share: Option<f64>,
    /// Length of its holds, seconds.
    pub seconds: f64,
    /// Validity of its measurement, by name.
    pub validity: String,
}

/// A node: a process that drove a share of the load, or only watched its machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeHead {
    /// `node-1` and so on; a name of its own where it only watched.
    pub name: String,
    /// Machine, as it calls itself.
    pub host: String,
    pub version: String,
    pub pid: Option<u32>,
    /// Cores that it may use.
    pub cores: u32,
    /// Its load threads, numbered behind those of the nodes before it; none where it only watched.
    pub threads: u32,
    /// Added to its monotonic clock this is the run's clock, nanoseconds.
    pub clock_offset_ns: i64,
    /// By how much that may be wrong, nanoseconds.
    pub clock_error_ns: i64,
    /// Whether it ran on the machine that conducted the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_here: bool,
    /// What it sent to a target that does nothing, when that was tried before the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<NodeTrial>,
}

/// How a load node did against a target that does nothing; requests a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeTrial {
    /// Rate that it had to keep up with; none where the study plans no rate.
    pub per_s: Option<f64>,
    /// Started in the best second.
    pub started_per_s: f64,
    /// Started in the best second that was in time; none where none was.
    pub in_time_per_s: Option<f64>,
}

/// The generator's ceiling, probed on this machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CeilingHead {
    /// Requests a second: the highest rate of one second that was in time.
    pub per_s: f64,
    /// Load threads that it was tried with.
    pub threads: u32,
    /// Connections that it was tried with.
    pub connections: u32,
}

/// What a trial left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialHead {
    /// Length asked for, seconds.
    pub asked_s: f64,
    /// Factor on phases and waits.
    pub factor: f64,
    /// What was left out.
    pub left_out: Vec<String>,
}

/// What is reported about an exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExchangeHead {
    pub name: String,
    /// `http.get`.
    pub kind: String,
    pub legs: Vec<LegHead>,
    /// Thresholds counted exactly, in the order of a row's `below`, for each leg in turn.
    pub thresholds: Vec<ThresholdHead>,
    /// Time-out, nanoseconds; of a transaction the shortest of its calls.
    pub timeout_ns: i64,
    /// Whether it is a transaction: several calls of an iteration that are booked as one, too. They stand last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_transaction: bool,
    /// Legs that a watched count closes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<CountedHead>,
}

impl ExchangeHead {
    /// Whether it may be several legs that make it up. What there is on occasion makes no exchange of several.
    pub fn has_several_legs(&self) -> bool {
        self.legs.iter().filter(|leg| leg.per != LegPer::Occasion).count() > 1
    }

    /// Whether a leg of that name is there on occasion only.
    pub fn is_occasional(&self, leg: &str) -> bool {
        self.legs.iter().any(|known| known.name == leg && known.per == LegPer::Occasion)
    }
}

/// What is reported about a leg.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LegHead {
    pub name: String,
    /// Of what there is one of it.
    #[serde(default, skip_serializing_if = "LegPer::is_exchange")]
    pub per: LegPer,
}

/// Of what there is one leg, and so what a share of it is a share of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegPer {
    /// Each exchange that was planned.
    #[default]
    Exchange,
    /// Each connection that is held, or each subscription: it is part of its opening.
    Connection,
    /// Nothing planned: there is one whenever there is one.
    Occasion,
}

impl From<Closes> for LegPer {
    fn from(closes: Closes) -> Self {
        match closes {
            Closes::Here | Closes::Matched | Closes::Afterwards => Self::Exchange,
            Closes::Opening | Closes::Confirmed => Self::Connection,
            Closes::Beside => Self::Occasion,
        }
    }
}

impl LegPer {
    fn is_exchange(&self) -> bool {
        *self == Self::Exchange
    }
}

impl LegHead {
    /// A leg of each exchange.
    pub fn of_exchange(name: impl Into<String>) -> Self {
        Self { name: name.into(), per: LegPer::Exchange }
    }
}

/// A limit that calls were counted against while they were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThresholdHead {
    pub leg: u8,
    /// `response` or `service`.
    pub measure: String,
    /// Limit, nanoseconds.
    pub limit_ns: i64,
    /// Whether the limit itself counts.
    pub inclusive: bool,
}

/// Where the messages of held connections come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Messages {
    /// Each connection sends them.
    #[default]
    Sent,
    /// The target sends them of itself.
    Owed,
    /// Each is an event that is published to all subscribers.
    Published,
}

impl Messages {
    fn are_sent(&self) -> bool {
        *self == Self::Sent
    }
}

/// What is reported about a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScenarioHead {
    pub name: String,
    /// `open`, `closed` or `held`.
    pub model: String,
    /// `even` or `poisson`; empty for those that are not open.
    pub spacing: String,
    /// Virtual users, closed.
    pub users: Option<u32>,
    /// Connections open at once, held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
    /// Between two messages of a held connection, seconds; none where none are planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_s: Option<f64>,
    /// Where those messages come from.
    #[serde(default, skip_serializing_if = "Messages::are_sent")]
    pub messages: Messages,
    /// Least time between a user's iterations, seconds.
    pub pacing_s: Option<f64>,
    /// Think time in one iteration, seconds: the mean where chance decides, and what is certain where a condition does.
    pub think_s: f64,
    /// Standard deviation of what chance decides of it, seconds.
    #[serde(default)]
    pub think_sd_s: f64,
    /// What conditions add to it at most, seconds.
    #[serde(default)]
    pub think_more_s: f64,
    /// Bound on connections.
    pub max_in_flight: Option<u32>,
    /// For each exchange number, how often an iteration carries it out: on average where chance decides, and at least
    /// where a condition does.
    pub per_iteration: Vec<f64>,
    /// How often no iteration exceeds. Earlier versions leave it out: there it is the next whole number.
    #[serde(default)]
    pub most_per_iteration: Vec<f64>,
    /// Calls that an iteration makes at once; empty where it makes none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parallel: Vec<ParallelHead>,
    /// Exchanges that it makes at once with others, and by themselves, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_alone: Vec<u16>,
    /// Units that its exchanges carry; of a mix those of all parts, which agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carries: Vec<CarriedHead>,
    /// Exchanges carried out before the measurement.
    pub set_up: Vec<u16>,
    /// Parts of a mix, each with a name and a load of its own; empty where the scenario is none. A mix's own `model` is
    /// `mix`.
    pub parts: Vec<ScenarioHead>,
    /// From the beginning of the mix's load to that of this part, seconds.
    pub after_s: f64,
    /// Threads that drive it, where not all of the run do; of a mix, of all parts together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
}

/// Calls that an iteration makes at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParallelHead {
    /// Number of the transaction that they are booked as: from the start of the first to the end of the last.
    pub transaction: u16,
    /// Numbers of the exchanges, in the order in which they begin.
    pub calls: Vec<u16>,
    /// How many are made at a time, each on a connection of its own.
    pub at_once: u32,
}

impl Head {
    /// Says what heads of earlier versions leave out: what monitors watch, and roles of metrics and facts, all as `kind`
    /// declares them for a monitor's kind.
    pub fn fill_in<'k>(&mut self, kind: impl Fn(&str) -> Option<KnownKind<'k>>) {
        for monitor in &mut self.monitors {
            if let Some(known) = kind(&monitor.kind) {
                monitor.fill_in(&known);
            }
        }
    }

    /// What a captured fact says; `None` where it has no role, and for what the author stated.
    pub fn fact_role(&self, subject: &str, name: &str) -> Option<FactRole> {
        let mut known = self.monitors.iter().flat_map(|monitor| &monitor.facts);
        known.find(|known| subject != STATED && known.name == name).and_then(FactHead::role)
    }

    /// The captured facts of a role, as subject, name and value, in the order in which its monitor declares their names:
    /// those of the beginning, and of the end what was not there before.
    pub fn facts_of(&self, role: FactRole) -> impl Iterator<Item = &(String, String, String)> {
        let known = self.monitors.iter().flat_map(|monitor| &monitor.facts);
        let names = known.filter(move |known| known.role() == Some(role)).map(|known| known.name.as_str());
        names.flat_map(move |wanted| {
            self.known_facts().filter(move |(subject, name, _)| subject != STATED && name == wanted)
        })
    }

    /// Facts as subject, name and value: those of the beginning, and of the end what was not there before, such as what is
    /// captured of a process that only the first sample found.
    pub fn known_facts(&self) -> impl Iterator<Item = &(String, String, String)> {
        self.facts.iter().chain(self.late_facts())
    }

    /// Facts that were captured at the end only.
    pub fn late_facts(&self) -> impl Iterator<Item = &(String, String, String)> {
        let is_new =
            |end: &&(String, String, String)| self.facts.iter().all(|begin| (&begin.0, &begin.1) != (&end.0, &end.1));
        self.facts_end.iter().filter(is_new)
    }

    /// How many exchanges there are; what has a higher number is a transaction, whose calls are booked by themselves, too.
    pub fn calls(&self) -> usize {
        self.exchanges.iter().position(|known| known.is_transaction).unwrap_or(self.exchanges.len())
    }

    /// Threads that drive a step's load; none for a step that there is not.
    pub fn workers_of(&self, step: u32) -> Option<u32> {
        let scenario = self.steps.get(step as usize)?.scenario;
        Some(self.scenarios.get(usize::from(scenario)).and_then(|scenario| scenario.workers).unwrap_or(self.workers))
    }

    /// Whose load a step has: its part's, else its scenario's.
    pub fn load_of(&self, step: &StepHead) -> Option<&ScenarioHead> {
        let scenario = self.scenarios.get(usize::from(step.scenario))?;
        Some(step.part.and_then(|part| scenario.parts.get(usize::from(part))).unwrap_or(scenario))
    }

    /// Name of a step's part; `None` where its scenario is not a mix, and for phases that parts share.
    pub fn part_of(&self, step: &StepHead) -> Option<&str> {
        let scenario = self.scenarios.get(usize::from(step.scenario))?;
        Some(scenario.parts.get(usize::from(step.part?))?.name.as_str())
    }

    /// Labels of the streams of a step's load, by the streams' numbers; empty where it has none.
    pub fn streams_of(&self, step: &StepHead) -> &[String] {
        let is_ours = |known: &&StreamsHead| known.scenario == step.scenario && known.part == step.part;
        self.streams.iter().find(is_ours).map_or(&[], |known| &known.labels)
    }

    /// How often a scenario is planned to be carried out.
    pub fn repetitions(&self, scenario: u16) -> u32 {
        let own = self.steps.iter().filter(|step| step.scenario == scenario);
        own.map(|step| step.repetition).max().unwrap_or(1).max(1)
    }
}

/// An instance as it was started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InstanceHead {
    /// Name, with its replica number where there are several.
    pub name: String,
    /// Process, when loadproof started it.
    pub pid: Option<u32>,
    pub url: String,
    /// Command as started, secrets as names.
    pub command: String,
    /// What its identity said.
    pub identity: BTreeMap<String, String>,
    /// Whether the identity was as expected.
    pub is_identified: bool,
    /// Fault switches.
    pub faults: Vec<(String, String)>,
}

/// A data set as it was used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataHead {
    pub name: String,
    pub file: String,
    pub rows: u64,
    /// SHA-256 of the file.
    pub sha256: String,
}

/// Streams of one load: what the numbers in the rows of load mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StreamsHead {
    /// Number of the scenario.
    pub scenario: u16,
    /// Number of the part of a mix; `None` where the scenario is none.
    pub part: Option<u16>,
    /// Name of the data set whose rows the streams keep.
    pub set: String,
    /// First column of each stream's row, in the order of the streams' numbers.
    pub labels: Vec<String>,
}

/// Something that an exchange's protocol can do, and whether the exchange has it done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeatureHead {
    /// Name of the exchange.
    pub exchange: String,
    /// What it is called in the field: `payload`, `signature`.
    pub name: String,
    /// Whether the exchange has it done.
    pub is_exercised: bool,
    /// Name of the leg that it closes, where it closes one: nothing waits for that leg when it is not exercised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leg: Option<String>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// `completed`, `aborted`, `interrupted`, `generator`, `target`.
    pub reason: String,
    pub text: String,
    /// Wall-clock end as ISO 8601 UTC.
    pub ended: String,
    /// End in the run's clock, nanoseconds.
    pub at_ns: i64,
    /// Where the record breaks off, nanoseconds: the end of the last second that is whole in all of it. `None` where the
    /// record is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_ns: Option<i64>,
    /// Whether the run had no ending of its own, and this one was written when it was read or sealed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_killed: bool,
    /// Numbers of blocks of load, watch and events, written once all of them are on the disk: segments that hold fewer
    /// have lost some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<[u32; 3]>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{FactKind, MetricKind, Role, Watches};
    use terms::Unit;

    /// As an earlier version wrote it.
    const EARLIER: &str = r#"{ "name": "store", "kind": "sql", "every_s": 1.0, "instances": [], "metrics": [
        { "name": "used", "unit": "bytes", "kind": "gauge", "across": "sum" },
        { "name": "size", "unit": "bytes", "kind": "gauge", "across": "sum" },
        { "name": "backlog", "unit": "count", "kind": "gauge", "across": "sum" },
        { "name": "loans", "unit": "count", "kind": "gauge", "across": "sum" } ] }"#;

    const FACTS: [FactKind; 3] = [
        FactKind::new("version").with_role(FactRole::Runtime),
        FactKind::new("build").with_role(FactRole::Runtime),
        FactKind::new("address"),
    ];

    #[test]
    fn facts_are_found_by_role_in_the_order_declared_and_never_among_those_stated() {
        let fact = |subject: &str, name: &str, value: &str| (subject.to_owned(), name.to_owned(), value.to_owned());
        let mut head = Head {
            facts: vec![fact(STATED, "version", "9"), fact("a", "build", "7"), fact("a", "address", "x")],
            facts_end: vec![fact("a", "version", "2")],
            monitors: vec![MonitorHead { kind: "sql".into(), ..MonitorHead::default() }],
            ..Head::default()
        };
        assert_eq!(head.facts_of(FactRole::Runtime).count(), 0, "no role is known yet");
        head.monitors[0].facts = FactHead::of(&FACTS);
        let found: Vec<&str> = head.facts_of(FactRole::Runtime).map(|(.., value)| value.as_str()).collect();
        assert_eq!(found, ["2", "7"]);
        assert_eq!(head.fact_role("a", "build"), Some(FactRole::Runtime));
        assert_eq!((head.fact_role(STATED, "build"), head.fact_role("a", "address")), (None, None));
    }

    #[test]
    fn a_head_of_an_earlier_version_gets_what_the_kind_declares() {
        let monitor: MonitorHead = serde_json::from_str(EARLIER).unwrap();
        let mut head = Head { monitors: vec![monitor.clone()], ..Head::default() };
        let metric = |name| MetricKind::gauge(name, Unit::Bytes);
        let metrics = [metric("used").with_role(Role::Memory), metric("size")];
        let known = KnownKind { metrics: &metrics, has_named: true, facts: &FACTS, watches: Some(Watches::Store) };
        head.fill_in(|kind| (kind == "other").then_some(known));
        assert_eq!(head.monitors[0], monitor, "a kind that nobody knows stays as it is");
        head.fill_in(|kind| (kind == "sql").then_some(known));
        let roles: Vec<_> = head.monitors[0].metrics.iter().map(MetricHead::role).collect();
        assert_eq!(roles, [Some(Role::Memory), None, Some(Role::Waiting), None]);
        assert_eq!((head.monitors[0].watches.as_str(), head.monitors[0].metric_of(Role::Memory)), ("store", Some(0)));
        // What is written is read again, and what is stated already stays.
        head.monitors[0].metrics[3].role = Role::Lag.name().into();
        head.fill_in(|_| Some(known));
        let text = serde_json::to_string(&head.monitors[0]).unwrap();
        assert_eq!(serde_json::from_str::<MonitorHead>(&text).unwrap(), head.monitors[0]);
        assert_eq!(head.monitors[0].metrics[3].role(), Some(Role::Lag));
        assert_eq!(head.monitors[0].facts, FactHead::of(&FACTS));
    }
}
