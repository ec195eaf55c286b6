//! What is planned: scenarios, their parts, their steps, and how each load starts.

use crate::{HeldPlan, Schedule, UserPlan};
use recorder::NO_STREAM;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use study::{Item, Per, Wait};
use terms::{Nanos, Phase, seed};

/// What will be done, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Scenarios, one after another: the study's order, in as many rounds as one of them is repeated, and all of that as
    /// often as the order is. The first so many have the numbers of the study's scenarios.
    pub scenarios: Vec<ScenarioPlan>,
    /// All steps and phases of all scenarios; a step's number is its index.
    pub steps: Vec<Step>,
}

/// A step or phase; in a mix one for each part with load, with the same bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Number of its scenario.
    pub scenario: u16,
    /// Number of its part; `None` where the scenario is not a mix, and for phases that its parts share.
    pub part: Option<u16>,
    /// Which time its scenario is carried out, from 1.
    pub repetition: u32,
    /// `idle`, `ramp 50/s`, `warm_up`, `hold`, `drain`, `recovery`.
    pub id: String,
    pub phase: Phase,
    /// Planned length; `None` when it ends by count or by itself.
    pub length: Option<Nanos>,
    /// Of a hold that ends by count: the load ends this long after its begin, too.
    pub at_most: Option<Nanos>,
    /// Arrival rate at its start and end, a second; of a held load the messages of all its connections. Not in closed ones.
    pub offered: Option<(f64, f64)>,
    /// Virtual users at its end; closed load only.
    pub users: Option<u32>,
    /// Connections open at its end; held load only.
    pub connections: Option<u32>,
    /// Planned iterations; with Poisson arrivals the expected number.
    pub iterations: Option<u64>,
}

/// One scenario, carried out once.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioPlan {
    /// Its number in the study.
    pub number: u16,
    /// Which time its scenario is carried out, from 1.
    pub repetition: u32,
    pub name: String,
    /// Numbers of all its steps and phases.
    pub steps: RangeInclusive<u32>,
    /// Step and length of the quiet baseline; the longest, where a rule may end it.
    pub idle: Option<(u32, Nanos)>,
    /// What is driven at once; never none.
    pub parts: Vec<PartPlan>,
    /// Length of the load; `None` when it ends by count.
    pub length: Option<Nanos>,
    /// A load that ends by count ends after this long, too.
    pub at_most: Option<Nanos>,
    /// Step in which what is open may end.
    pub drain: u32,
    /// Longest drain.
    pub drain_at_most: Nanos,
    /// The study says nothing of the drain: it may go on while legs are open that others close, until they are missing.
    pub is_drain_automatic: bool,
    /// Step and length of the watching after it.
    pub recovery: Option<(u32, Nanos)>,
    /// Quiet time before the next scenario.
    pub gap: Nanos,
    /// Waits that a rule may end before they are over: of these whoever watches says when.
    pub until: BTreeSet<Wait>,
    /// Variables bound anew.
    pub variables: BTreeMap<String, String>,
    /// Load nodes that carry it, where not all of the study's do.
    pub nodes: Option<u16>,
}

/// One part of a scenario: the whole of it, unless it is a mix.
#[derive(Clone, Debug, PartialEq)]
pub struct PartPlan {
    /// Name within the mix; empty where the scenario is not a mix.
    pub name: String,
    /// From the beginning of the scenario's load to that of its own.
    pub after: Nanos,
    /// Its load, counted from its own beginning.
    pub load: LoadPlan,
    /// Steps with load, in order. All parts of a mix change them at the same moments.
    pub load_steps: Vec<LoadStep>,
    pub run: Vec<Item>,
    /// Exchanges before the measurement.
    pub set_up: Vec<(u16, Per)>,
    /// Exchanges after it.
    pub clean_up: Vec<(u16, Per)>,
    /// Salt of its random choices, so that parts do not choose alike; zero where the scenario is not a mix.
    pub salt: u64,
    /// Its streams; none where iterations have no identity.
    pub streams: Option<StreamsPlan>,
}

/// Identities that take their turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamsPlan {
    /// Number of the data set whose first rows they are.
    pub table: u16,
    /// Their number, at least 1.
    pub count: u16,
    /// With Poisson arrivals each start draws its stream from this seed, so that every stream is a Poisson process of
    /// its own; evenly spaced starts take turns, so that each stream is evenly spaced, too.
    pub seed: Option<u64>,
}

impl PartPlan {
    /// The step of what is due at an offset from the beginning of the scenario's load; of loads whose steps begin by time.
    pub fn step_at(&self, offset: Nanos) -> u32 {
        let begun = self.load_steps.iter().rev().find(|step| step.from.is_some_and(|from| from <= offset));
        begun.or(self.load_steps.first()).map_or(0, |step| step.step)
    }

    /// The stream of start `serial`; `NO_STREAM` where there are none.
    pub fn stream_of(&self, serial: u64) -> u16 {
        let Some(streams) = &self.streams else { return NO_STREAM };
        let turn = streams.seed.map_or(serial, |seed| seed::hash(seed, serial));
        (turn % u64::from(streams.count.max(1))) as u16
    }
}

/// A step in which iterations start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadStep {
    /// Number of the step.
    pub step: u32,
    /// Offset from the beginning of the scenario's load; `None` when it begins by count.
    pub from: Option<Nanos>,
    /// Number of the first iteration in it, when it begins by count.
    pub from_count: Option<u64>,
}

/// How iterations start.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadPlan {
    /// By the schedule, however slow the answers.
    Open {
        /// Intended starts.
        schedule: Schedule,
        /// Bound on connections, when the study sets one.
        max_in_flight: Option<u32>,
    },
    /// By virtual users.
    Closed {
        /// When users are there.
        users: UserPlan,
        /// Least time between the starts of a user's iterations.
        pacing: Option<Nanos>,
        /// No more than so many iterations.
        count: Option<u64>,
    },
    /// By connections that stay open; each message is an iteration.
    Held(HeldPlan),
}
