//! The checked study: plain data, every default filled in.

mod compare;
mod counted;
mod demand;
mod flow;
mod load;
mod report;
mod requirement;
pub mod rule;
mod scenario;
mod search;
mod system;
mod traces;
mod validity;
mod work;

pub use compare::{Compare, CompareSide};
pub use counted::{AGE, BACKLOG, COUNTED_METRICS, CountedLeg};
pub use demand::{Demand, DemandPlace};
pub use flow::{
    Choice, Condition, Item, Members, Parallel, Think, all_items, also_alone, conditions_of, connections_of,
    exchanges_of, lists_of, parallels_of, transactions_of,
};
pub use load::{Extent, Load, Model, Profile, Ramp, RatePiece, Spacing, Streams, UserStage};
pub use report::{Block, BlockChoice, Fold, HistoryEntry, KeptColumn, ReportProfile, ReportSettings};
pub use requirement::{
    Applies, Capacity, Formula, FormulaIn, Healthiest, Need, Ratio, Requirement, Volume, VolumeFrom,
};
pub use scenario::{Carried, Carries, Cell, Exchange, LoadPart, OnlyIf, Per, Scenario, Wait};
pub use search::{BracketRule, NspRule, Search, SearchPoint, SearchRule, Trying};
pub use system::{
    Instance, Inventory, Listener, ListenerTls, On, Signs, System, Watch, Written, load_node, load_node_name,
    shown_fingerprint,
};
pub use traces::{TRACE, Traces};
pub use validity::CheckLimits;
pub use work::IterationWork;

use contract::{Closes, LegKind, Mistake, Place};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use terms::Nanos;

/// A text for readers, in one or more languages; `en` first if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<(String, String)>);

impl Text {
    /// The text in a language, else in the first one written. A text without language has the key `""`.
    pub fn in_language(&self, language: &str) -> &str {
        let exact = self.0.iter().find(|(tag, _)| tag == language);
        exact.or(self.0.first()).map_or("", |(_, text)| text)
    }
}

/// A whole study.
#[derive(Clone, Debug)]
pub struct Study {
    pub title: Text,
    /// What the study is for, in the author's words.
    pub about: Option<Text>,
    /// Seed of every random choice.
    pub seed: u64,
    /// The folder that files are looked up in.
    pub base: PathBuf,
    /// Files the study was read from; `Place::file` is the index. The first is the study itself.
    pub files: Vec<SourceFile>,
    /// Variables with their values, in the order declared; values may name start-time names.
    pub variables: Vec<Variable>,
    /// What `--set` gave, as it was given; empty of a study that is read again from a run folder.
    pub set: Vec<(String, String)>,
    /// Names of the secrets that the study mentions, with where they come from; never their values.
    pub secrets: Vec<SecretName>,
    /// Functions of the author's own.
    pub scripts: Vec<Script>,
    /// Prefixes for `xpath(…)`, with the XML namespaces that they stand for, in the order declared.
    pub namespaces: Vec<(String, String)>,
    /// Data sets.
    pub data: Vec<DataSet>,
    /// What is tested.
    pub system: System,
    /// Addresses of the lab at which later legs arrive.
    pub listeners: Vec<Listener>,
    pub watch: Vec<Watch>,
    /// Exchanges; the number of an exchange is its index.
    pub exchanges: Vec<Exchange>,
    /// Names of transactions: exchanges that an iteration makes one after another and that are booked as one, too.
    pub transactions: Vec<String>,
    /// Names of captures; the number of a capture is its index.
    pub captures: Vec<String>,
    /// Captures of which the study says whether they are secrets; see [`Study::credentials`].
    pub secret_captures: BTreeMap<String, bool>,
    /// Scenarios in the order in which they run; those that are only parts of a mix are not among them.
    pub scenarios: Vec<Scenario>,
    /// How often the whole order is run: A B A B.
    pub repeat: u32,
    /// Requirements, in the order written.
    pub requirements: Vec<Requirement>,
    /// Scenarios, steps and recorded runs to compare, in the order written.
    pub compare: Vec<Compare>,
    /// Volumes and ratios to compute.
    pub capacity: Capacity,
    /// Limits of checks of validity that are not the usual ones.
    pub validity: Vec<CheckLimits>,
    /// How requests begin traces; `None` where they begin none.
    pub traces: Option<Traces>,
    /// The title page and what to print.
    pub report: ReportSettings,
    /// Load nodes; one is the process that conducts the run.
    pub nodes: u16,
    /// Whether the study says that the load is driven on the machine that conducts the run, whoever else is met.
    pub nodes_are_here: bool,
    /// Threads of each, when the study says; else the run decides.
    pub cores: Option<u32>,
    /// Set when `--for` shortened the study.
    pub trial: Option<Trial>,
    /// Every default written out, includes merged, secrets as names: what the run folder keeps. Loading this text
    /// again gives the same study.
    pub effective: String,
    /// What it was read from, for those who read it once more with other attempts of its searches.
    pub(crate) source: Source,
    /// What is not wrong but worth saying: unused assumptions, scenarios that are not run.
    pub warnings: Vec<Mistake>,
}

/// The tree that a study was read from, before scenarios were written out, and what the command line added.
#[derive(Clone, Default)]
pub(crate) struct Source {
    pub(crate) root: Option<Arc<contract::Node>>,
    pub(crate) options: crate::Options,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Source")
    }
}

/// A transaction has one leg: from the start of its first exchange to the end of its last.
pub const TRANSACTION_LEGS: &[LegKind] = &[LegKind { name: "whole", closes: Closes::Here }];

impl Study {
    /// The number under which a transaction is booked, by its place in [`Study::transactions`]: behind the exchanges.
    pub fn transaction_number(&self, place: usize) -> u16 {
        (self.exchanges.len() + place) as u16
    }

    /// How many exchanges and transactions have a number.
    pub fn numbered(&self) -> usize {
        self.exchanges.len() + self.transactions.len()
    }
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
    pub name: String,
    /// Value as text, names of other variables filled in.
    pub value: String,
    /// Value as written, or as `--set` gave it: other variables are still names, so that they follow a `set`.
    pub written: String,
    /// Where it is in the study.
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

/// A text of functions that the author wrote.
#[derive(Clone, Debug)]
pub struct Script {
    pub name: String,
    /// Where it is in the study.
    pub place: Place,
    /// Its text, also where the study names a file.
    pub text: String,
    /// The same compiled; none in an archived study, which nobody runs.
    pub program: Option<Arc<script::Program>>,
}

/// Which row of a data set an iteration takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// One after another.
    InTurn,
    /// Any, whether it was taken before or not.
    Random,
    /// Each once, in a random order.
    Shuffled,
}

impl RowOrder {
    /// As the study writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::InTurn => "in_turn",
            Self::Random => "random",
            Self::Shuffled => "shuffled",
        }
    }
}

/// A data set that the study names.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    pub name: String,
    /// File, relative to the study's folder.
    pub file: String,
    /// Place of the file's name.
    pub place: Place,
    /// Which row an iteration takes.
    pub order: RowOrder,
    /// Whether the load stops when all rows were used, instead of starting over.
    pub stops_at_end: bool,
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
