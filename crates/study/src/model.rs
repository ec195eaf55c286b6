//! The checked study: plain data, every default filled in.

pub use crate::compare::{Compare, CompareOf, CompareSide};
pub use crate::demand::{Demand, DemandPlace};
pub use crate::listeners::{Listener, ListenerTls};
use crate::rule::Rule;
use contract::{Mistake, Node, Place, Settings};
use std::collections::BTreeMap;
use std::path::PathBuf;
use terms::{Nanos, Severity};

/// A text for readers, in one or more languages; `en` first if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<(String, String)>);

impl Text {
    /// The text in a language, else in the first one written. A text without language stands under `""`.
    pub fn in_language(&self, language: &str) -> &str {
        let exact = self.0.iter().find(|(tag, _)| tag == language);
        exact.or(self.0.first()).map_or("", |(_, text)| text)
    }
}

/// A whole study.
#[derive(Clone, Debug)]
pub struct Study {
    /// Title.
    pub title: Text,
    /// Purpose.
    pub about: Option<Text>,
    /// Seed of every random choice.
    pub seed: u64,
    /// The folder that files are looked up in.
    pub base: PathBuf,
    /// Files the study was read from; `Place::file` is the index. The first is the study itself.
    pub files: Vec<SourceFile>,
    /// Variables with their values, in the order declared; values may name start-time names.
    pub variables: Vec<Variable>,
    /// Names of the secrets that the study mentions, with where they come from; never their values.
    pub secrets: Vec<SecretName>,
    /// Data sets.
    pub data: Vec<DataSet>,
    /// What is tested.
    pub system: System,
    /// Addresses of the lab at which later legs arrive.
    pub listeners: Vec<Listener>,
    /// Monitors.
    pub watch: Vec<Watch>,
    /// Exchanges; the number of an exchange is its index.
    pub exchanges: Vec<Exchange>,
    /// Names of captures; the number of a capture is its index.
    pub captures: Vec<String>,
    /// Captures of which the study says whether they are secrets; see [`Study::credentials`].
    pub secret_captures: BTreeMap<String, bool>,
    /// Scenarios in the order in which they run; those that are only parts of a mix are not among them.
    pub scenarios: Vec<Scenario>,
    /// How often the whole order is carried out: A B A B.
    pub repeat: u32,
    /// Requirements, in the order written.
    pub requirements: Vec<Requirement>,
    /// Scenarios, steps and recorded runs to compare, in the order written.
    pub compare: Vec<Compare>,
    /// Volumes and ratios to compute.
    pub capacity: Capacity,
    /// The title page and what to print.
    pub report: ReportSettings,
    /// Load nodes' threads, when the study says; else the run decides.
    pub cores: Option<u32>,
    /// Set when `--for` shortened the study.
    pub trial: Option<Trial>,
    /// Every default written out, includes merged, secrets as names: what the run folder keeps. Loading this text
    /// again gives the same study.
    pub effective: String,
    /// What is not wrong but worth saying: unused assumptions, scenarios that are not run.
    pub warnings: Vec<Mistake>,
}

/// A file the study was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Name as the user gave or wrote it.
    pub name: String,
    /// Its text, for showing the place of a mistake.
    pub text: String,
}

/// A variable of `vars` or `assume`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Value as text, names of other variables filled in.
    pub value: String,
    /// Value as written, or as `--set` gave it: other variables are still names, so that they follow a `set`.
    pub written: String,
    /// Where it stands.
    pub place: Place,
    /// For an assumption, what it says about the load profile.
    pub about: Option<Text>,
    /// Whether it came from `assume`.
    pub is_assumption: bool,
    /// Whether anything mentions it.
    pub is_used: bool,
}

/// A secret by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretName {
    /// Name in `$(secret.X)`.
    pub name: String,
    /// `environment X`, `file …`: never the value.
    pub source: String,
}

/// A data set that the study names.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    /// Name.
    pub name: String,
    /// File, relative to the study's folder.
    pub file: String,
    /// Place of the file's name.
    pub place: Place,
    /// Whether an iteration takes a random row.
    pub is_random: bool,
    /// Whether the load stops when all rows were used, instead of starting over.
    pub stops_at_end: bool,
}

/// What is tested.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Name.
    pub name: String,
    /// What it is.
    pub about: Option<Text>,
    /// What a request makes it do.
    pub work: Vec<Text>,
    /// What the workload leaves out.
    pub not_exercised: Vec<Text>,
    /// How it differs from production.
    pub differs: Vec<Text>,
    /// Its components, as the author states them.
    pub inventory: Option<Inventory>,
    /// Facts by name that the author states and nobody captured, in the order written.
    pub stated: Vec<(String, String)>,
    /// Its instances, in the order written.
    pub instances: Vec<Instance>,
}

/// A table of the system's components that the author states; nobody captured it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// File, relative to the study's folder.
    pub file: String,
    /// Place of the file's name.
    pub place: Place,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each with one cell for each column, as written.
    pub rows: Vec<Vec<String>>,
}

/// What `capacity` asks for.
#[derive(Clone, Debug, Default)]
pub struct Capacity {
    /// Volumes, in the order written.
    pub volumes: Vec<Volume>,
    /// Ratios, in the order written.
    pub ratios: Vec<Ratio>,
}

/// A sum of measured values: a rule of one sum that is compared with nothing.
#[derive(Clone, Debug)]
pub struct Formula {
    /// As written.
    pub text: String,
    /// One clause with one sum and no operator.
    pub rule: Rule,
}

/// What a measured rate makes over days: `rate · 3600 · hours · days / peak_factor`.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Name.
    pub name: String,
    /// Where it stands in the study.
    pub place: Place,
    /// The rate.
    pub of: Formula,
    /// Number of the scenario it is measured in.
    pub scenario: usize,
    /// Hours of each day, above 0 and at most 24.
    pub hours: f64,
    /// Days, above 0.
    pub days: f64,
    /// Peak hour over mean hour, 1 or more.
    pub peak_factor: f64,
}

/// A ratio, or any other sum of measured values.
#[derive(Clone, Debug)]
pub struct Ratio {
    /// Name.
    pub name: String,
    /// Where it stands in the study.
    pub place: Place,
    /// The sum.
    pub of: Formula,
    /// Number of the scenario in which names without one are looked up.
    pub scenario: usize,
}

/// One instance, or several replicas of it.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Name.
    pub name: String,
    /// Where it stands in the study.
    pub place: Place,
    /// A command to start (no shell), with names of start time; or nothing when it runs already.
    pub start: Option<Node>,
    /// Where it answers, when it runs already.
    pub url: Option<Node>,
    /// Names of its ports; the first is `port`. Empty means one port.
    pub ports: Vec<String>,
    /// Number of replicas.
    pub replicas: u32,
    /// Instances that must be ready before it starts.
    pub needs: Vec<String>,
    /// Path that must answer 2xx before load; `None` when nothing can be asked.
    pub ready: Option<String>,
    /// Grace at the end.
    pub stop: Nanos,
    /// Path of its identity.
    pub identity: String,
    /// Fields that the identity must have; for started instances the nonce is checked besides.
    pub expect: Vec<(String, String)>,
    /// A text that the answer of its identity must contain.
    pub contains: Option<String>,
    /// What is trusted when it is asked over TLS; for a started one also that it speaks TLS.
    pub tls: Option<Node>,
    /// Longest wait until it is ready, if not the usual one.
    pub ready_within: Option<Nanos>,
    /// Fault switches, handed over as `--fault name=value` where `$(faults)` stands; values may hold names.
    pub faults: Vec<(String, Node)>,
    /// Environment variables; values may hold names.
    pub env: Vec<(String, Node)>,
    /// Processor cores it is pinned to.
    pub cores: Vec<u32>,
}

impl Instance {
    /// Whether anything is expected of its identity.
    pub fn is_expected(&self) -> bool {
        !self.expect.is_empty() || self.contains.is_some()
    }
}

/// A monitor that the study names.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Name in rules.
    pub name: String,
    /// Kind as `registry.rs` lists it.
    pub kind: String,
    /// Its own settings.
    pub node: Node,
    /// Instances it watches, by name; empty means all.
    pub of: Vec<String>,
    /// Time between samples.
    pub every: Nanos,
}

/// An exchange.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Name.
    pub name: String,
    /// Driver, by its name in `registry.rs`.
    pub driver: String,
    /// What its driver is handed; `settings.number` is the exchange's number.
    pub settings: Settings,
    /// Its legs, as the driver names them.
    pub legs: &'static [contract::LegKind],
    /// Greatest number of connections, if the study bounds it.
    pub connections_max: Option<u32>,
}

/// One scenario: by itself, or a mix of several at once.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name.
    pub name: String,
    /// Where it stands in the study.
    pub place: Place,
    /// Variables it binds anew.
    pub set: Vec<(String, String)>,
    /// What is driven at once: one part without a name, or in a mix one for each scenario that it names. Never none.
    pub parts: Vec<Part>,
    /// Quiet baseline.
    pub idle: Nanos,
    /// Longest drain; `None` means until the last deadline.
    pub drain: Option<Nanos>,
    /// Watching after the load.
    pub recovery: Nanos,
    /// Quiet time before the next scenario.
    pub gap: Nanos,
    /// Stop rules, with their texts.
    pub abort: Vec<Rule>,
}

impl Scenario {
    /// Whether its parts have names of their own.
    pub fn is_mix(&self) -> bool {
        self.parts.iter().any(|part| !part.name.is_empty())
    }

    /// Its stop rules and those of its parts: each of them stops the whole.
    pub fn aborts(&self) -> Vec<Rule> {
        self.abort.iter().chain(self.parts.iter().flat_map(|part| &part.abort)).cloned().collect()
    }
}

/// A load and what it does.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name within the mix; empty where the scenario is no mix.
    pub name: String,
    /// Variables it binds anew: its own, and those of the mix over them.
    pub set: Vec<(String, String)>,
    /// Its load.
    pub load: Load,
    /// One iteration.
    pub run: Vec<Item>,
    /// Exchanges before the measurement.
    pub set_up: Vec<(u16, Per)>,
    /// Exchanges after it.
    pub clean_up: Vec<(u16, Per)>,
    /// From the beginning of the mix's load to that of its own.
    pub after: Nanos,
    /// Stop rules of its own.
    pub abort: Vec<Rule>,
}

/// How often a set-up exchange is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Once a study.
    Study,
    /// Once a scenario.
    Scenario,
    /// Once a load node.
    Node,
    /// Once a virtual user.
    User,
}

/// One thing an iteration does.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Carries out an exchange.
    Exchange(u16),
    /// Waits.
    Think(Nanos),
    /// Carries out one of several, by weight; weights are shares of one.
    Choose(Vec<(f64, u16)>),
    /// Carries out items several times.
    Times(u32, Vec<Item>),
}

/// How much load, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Open or closed.
    pub model: Model,
    /// Rise to full load.
    pub ramp: Option<Ramp>,
    /// Full load, not judged.
    pub warm_up: Option<Extent>,
    /// Full load, judged. For an arrival profile, the whole profile.
    pub hold: Extent,
    /// Bound on connections (open: the arrival waits with its clock running).
    pub max_in_flight: Option<u32>,
    /// Identities that take turns as iterations start.
    pub streams: Option<Streams>,
}

/// The first rows of a data set as identities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Number of the data set.
    pub data: u16,
    /// Their number, at least 1.
    pub count: u16,
}

/// Workload model.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Iterations start at a rate, however slow the answers.
    Arrivals {
        /// The rate, or a profile of pieces.
        profile: Profile,
        /// How starts are spaced.
        spacing: Spacing,
    },
    /// That many virtual users, each waiting for its answer.
    Users {
        /// Number of virtual users.
        count: u32,
        /// Least time between the starts of a user's iterations.
        pacing: Option<Nanos>,
    },
}

/// An arrival rate over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Profile {
    /// One rate, starts a second; shaped by ramp, warm-up and hold.
    Constant(f64),
    /// Pieces one after another: constant ones are holds, the others ramps.
    Pieces(Vec<RatePiece>),
}

/// A piece of an arrival profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePiece {
    /// Rate at its start, a second.
    pub from: f64,
    /// Rate at its end, a second.
    pub to: f64,
    /// How long.
    pub length: Nanos,
}

/// Spacing of starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Even.
    Even,
    /// Poisson process of the same rate, from the seed.
    Poisson,
}

/// Rise to full load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// How long.
    pub over: Nanos,
    /// Levels `by`, 2·`by` … below full load, equally long; `None` for a smooth ramp. A second, or users.
    pub by: Option<f64>,
}

/// How long something lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// A time.
    Time(Nanos),
    /// A number of iterations, as fast as they go.
    Count(u64),
}

/// A requirement.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// Name.
    pub name: String,
    /// What it is for.
    pub about: Option<Text>,
    /// Where it stands in the study.
    pub place: Place,
    /// Whether every member of `per` must hold, or one.
    pub needs_all: bool,
    /// One entry for each scenario it applies to.
    pub applies: Vec<Applies>,
}

/// A requirement in one scenario.
#[derive(Clone, Debug)]
pub struct Applies {
    /// Number of the scenario.
    pub scenario: usize,
    /// The rule.
    pub rule: Rule,
    /// How much it weighs there.
    pub severity: Severity,
}

/// The title page and what to print.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSettings {
    /// Profile: its name.
    pub profile: String,
    /// The profile itself, when it came from a file beside the study.
    pub own_profile: Option<ReportProfile>,
    /// Blocks to print, when not all of the profile; in the profile's order.
    pub sections: Vec<String>,
    /// The document's history, oldest first as written.
    pub history: Vec<HistoryEntry>,
    /// Languages.
    pub languages: Vec<String>,
    /// Formats.
    pub formats: Vec<String>,
    /// `title organisation address contact version status date readers distribution changes …`, as written.
    pub title_page: Vec<(String, Text)>,
    /// Place → marked comment of the author.
    pub comments: Vec<(String, Text)>,
    /// What the author expected; outside the verdict.
    pub expectations: Vec<Text>,
    /// Links by name.
    pub links: Vec<(String, String)>,
    /// Columns of data sets whose values nothing that is written shows.
    pub keep_out: Vec<KeptColumn>,
}

/// A column of a data set that is kept out of everything that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptColumn {
    /// Name of the data set.
    pub set: String,
    /// Name of the column.
    pub column: String,
    /// Where it is named.
    pub place: Place,
}

/// A version in the document's history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryEntry {
    /// Version.
    pub version: String,
    /// Date, as written.
    pub date: String,
    /// Who wrote it.
    pub author: Option<Text>,
    /// What changed.
    pub changes: Option<Text>,
}

/// Which blocks a report has, under which words, and what its readers demand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportProfile {
    /// Name.
    pub name: String,
    /// Whom it is for.
    pub about: Option<Text>,
    /// Chapters in their order.
    pub blocks: Vec<BlockChoice>,
    /// Chapters after them, numbered with letters.
    pub appendices: Vec<BlockChoice>,
    /// Message → text that replaces it.
    pub terms: Vec<(String, Text)>,
    /// What the readers' own list demands.
    pub conformance: Vec<Demand>,
}

/// A block of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockChoice {
    /// Name, one of `BLOCKS`; empty for a chapter that is made of several.
    pub name: String,
    /// Its parts to print, in this order; the usual ones when empty.
    pub parts: Vec<String>,
    /// Blocks that are the parts of this chapter; empty where it is one block itself.
    pub of: Vec<BlockChoice>,
    /// Heading, when it is not the usual one.
    pub title: Option<Text>,
}

impl BlockChoice {
    /// The blocks that it stands for: itself, or those that its chapter is made of.
    pub fn single(&self) -> impl Iterator<Item = &Self> {
        let own = (!self.name.is_empty()).then_some(self);
        own.into_iter().chain(&self.of)
    }
}

impl ReportProfile {
    /// Every block of it, appendices last, without the chapters that only hold others.
    pub fn chosen(&self) -> impl Iterator<Item = &BlockChoice> {
        self.blocks.iter().chain(&self.appendices).flat_map(BlockChoice::single)
    }
}

/// What `--for` did to the study.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The length asked for.
    pub asked: Nanos,
    /// Factor on phases and waits.
    pub factor: f64,
    /// What was left out, one sentence each.
    pub left_out: Vec<String>,
}
