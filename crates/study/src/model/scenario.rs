//! Scenarios: what is driven, in which order, by which exchanges.

use super::counted::CountedLeg;
use super::flow::Item;
use super::load::Load;
use super::rule::Rule;
use super::search::SearchPoint;
use contract::{Place, Settings};
use std::collections::BTreeMap;
use terms::Nanos;

/// What is sent and what comes back, under its name.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub name: String,
    /// Driver, by its name in `registry.rs`.
    pub driver: String,
    /// What its driver is handed; `settings.number` is the exchange's number.
    pub settings: Settings,
    /// Its legs, as the driver names them.
    pub legs: &'static [contract::LegKind],
    /// Greatest number of connections, if the study bounds it.
    pub connections_max: Option<u32>,
    /// Units of the study's own that one of it carries.
    pub carries: Vec<Carries>,
    /// Legs that a watched count closes.
    pub counted: Vec<CountedLeg>,
}

/// A unit that an exchange carries, such as registrations, as it is written: how many there are is known once a scenario
/// has bound its variables, or from each answer.
#[derive(Clone, Debug)]
pub struct Carries {
    pub unit: String,
    /// As it is written.
    pub count: contract::Node,
    /// Where an answer says how many there are; `None` where the study does.
    pub said: Option<contract::Capture>,
}

/// How many of a unit an exchange carries in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Number of the exchange.
    pub exchange: u16,
    pub unit: String,
    /// `None` where each answer says how many.
    pub count: Option<u64>,
}

/// One scenario: a single load, or a mix of several at once.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: String,
    /// Where it is in the study.
    pub place: Place,
    /// Variables it overrides.
    pub set: Vec<(String, String)>,
    /// Which cell of a grid it is.
    pub cell: Option<Cell>,
    /// Which attempt of a search it is.
    pub point: Option<SearchPoint>,
    /// How often it is carried out, each time in a round with the others that are.
    pub repeat: u32,
    /// Whether a trial leaves it as it is: it prepares what later scenarios need whole.
    pub is_whole: bool,
    /// What is driven at once: one part without a name, or in a mix one for each scenario that it names. Never none.
    pub parts: Vec<LoadPart>,
    /// Quiet baseline; this and the waits below are the longest that is waited where a rule may end them.
    pub idle: Nanos,
    /// Longest drain; `None` means until the last deadline.
    pub drain: Option<Nanos>,
    /// Watching after the load.
    pub recovery: Nanos,
    /// Quiet time before the next scenario.
    pub gap: Nanos,
    /// What ends a wait before it is over.
    pub until: BTreeMap<Wait, Rule>,
    /// Stop rules, with their texts.
    pub abort: Vec<Rule>,
    /// Under which condition it is carried out; always if there is none.
    pub only_if: Option<OnlyIf>,
}

/// A time around a load in which nothing is sent, and which a rule may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    Idle,
    /// It lasts until what is open has ended, too.
    Drain,
    Recovery,
    /// To the next scenario; not a phase.
    Gap,
}

impl Wait {
    /// All of them, in order of time.
    pub const ALL: [Self; 4] = [Self::Idle, Self::Drain, Self::Recovery, Self::Gap];

    /// As studies and run folders have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Drain => "drain",
            Self::Recovery => "recovery",
            Self::Gap => "gap",
        }
    }
}

/// That a rule holds of another scenario, the same time that it is carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct OnlyIf {
    /// Number of the scenario, which comes before.
    pub of: u16,
    pub rule: Rule,
}

/// A scenario's place in a grid. What its variables are bound to is in the scenario's `set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Name of the scenario as it is written, which all its cells share.
    pub grid: String,
    /// The grid's variables, the outermost first.
    pub variables: Vec<String>,
}

impl Scenario {
    /// The values of its grid's variables, the outermost first; none where it is not a cell.
    pub fn cell_values(&self) -> Vec<(&str, &str)> {
        let variables = self.cell.iter().flat_map(|cell| &cell.variables);
        let value = |variable: &String| self.set.iter().find(|(name, _)| name == variable);
        variables.filter_map(value).map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// Whether it is carried out at several loads, each a step of its own: a cell of a grid, an attempt of a search, or a
    /// load with several holds.
    pub fn has_steps(&self) -> bool {
        let holds = |part: &LoadPart| part.load.model.pieces().iter().filter(|(is_hold, _)| *is_hold).count();
        self.cell.is_some() || self.point.is_some() || self.parts.iter().any(|part| holds(part) > 1)
    }

    /// The longest that is waited; nothing for a drain that ends by itself.
    pub fn longest(&self, wait: Wait) -> Nanos {
        match wait {
            Wait::Idle => self.idle,
            Wait::Drain => self.drain.unwrap_or(Nanos::ZERO),
            Wait::Recovery => self.recovery,
            Wait::Gap => self.gap,
        }
    }

    /// The same, to be changed.
    pub(crate) fn longest_mut(&mut self, wait: Wait) -> &mut Nanos {
        match wait {
            Wait::Idle => &mut self.idle,
            Wait::Drain => self.drain.get_or_insert_default(),
            Wait::Recovery => &mut self.recovery,
            Wait::Gap => &mut self.gap,
        }
    }

    /// Whether its parts have names of their own.
    pub fn is_mix(&self) -> bool {
        self.parts.iter().any(|part| !part.name.is_empty())
    }

    /// Its abort rules and those of its parts: each of them ends the whole run.
    pub fn aborts(&self) -> Vec<Rule> {
        self.abort.iter().chain(self.parts.iter().flat_map(|part| &part.abort)).cloned().collect()
    }
}

/// A load and what it does.
#[derive(Clone, Debug)]
pub struct LoadPart {
    /// Name within the mix; empty where the scenario is not a mix.
    pub name: String,
    /// Variables it overrides; those of the mix take precedence over its own.
    pub set: Vec<(String, String)>,
    pub load: Load,
    pub run: Vec<Item>,
    /// What the exchanges of an iteration carry.
    pub carries: Vec<Carried>,
    /// Exchanges before the measurement.
    pub set_up: Vec<(u16, Per)>,
    /// Exchanges after it.
    pub clean_up: Vec<(u16, Per)>,
    /// From the start of the mix's load to the start of its own.
    pub after: Nanos,
    /// Its own abort rules.
    pub abort: Vec<Rule>,
}

/// How often a set-up exchange is sent.
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
