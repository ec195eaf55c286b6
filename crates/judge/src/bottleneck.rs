//! What limited a scenario: a ladder of rungs, each with its evidence. Two agreeing signals are *likely*, one *possible*;
//! nothing is ever called a cause.
//!
//! Rungs are looked at from the top, since what stands above explains what stands below: a generator at its limit also
//! makes throughput flat. Page: `docs/methods/bottleneck.md`.

mod signals;
mod uses;

pub use uses::ResourceUse;

use crate::Args;
use crate::Scope;
use crate::StepResult;
use crate::levels::{Family, Level};
use crate::rows::Index;
use crate::validity::Placed;

/// Thresholds; the table in the guide has them.
pub mod limits {
    /// Utilisation from which a resource counts as saturated.
    pub const SATURATED: f64 = 0.9;
    /// Below this utilisation of everything watched, a throughput limit lies in the software.
    pub const UNUSED: f64 = 0.7;
    /// Share of its ceiling at which a gauge counts as at it.
    pub const AT_CEILING: f64 = 0.98;
    /// Share of the samples that must be there.
    pub const AT_CEILING_SAMPLES: f64 = 0.05;
    /// Throughput below this share of what was offered does not keep up.
    pub const KEPT_UP: f64 = 0.95;
    /// Growth of a time or a number in flight from which it counts as grown.
    pub const GROWN: f64 = 1.2;
    /// Growth of a time from which it needs an explanation by itself.
    pub const EXPLODED: f64 = 3.0;
    /// Growth of a queue, a pool or locks from which it counts as grown.
    pub const QUEUE_GROWN: f64 = 1.5;
    /// Share of failures that supports another signal.
    pub const FAILED: f64 = 0.01;
    /// Samples of an idle phase that make a level; fewer are chance.
    pub const IDLE_SAMPLES: usize = 3;
}

/// A rung, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// The load generator was at its limit.
    Generator,
    /// An instance ended or was restarted.
    InstanceDown,
    /// A gauge stood at its ceiling: memory, a pool, descriptors.
    Ceiling,
    /// A resource was busy nearly all the time.
    Resource,
    /// Throughput stopped growing while nothing watched was busy: locks, pools, a single partition.
    Software,
    /// The time spent waiting for something else grew.
    Downstream,
}

/// All rungs, from the top.
pub const RUNGS: [Rung; 6] =
    [Rung::Generator, Rung::InstanceDown, Rung::Ceiling, Rung::Resource, Rung::Software, Rung::Downstream];

impl Rung {
    /// Its word in files and messages: one of [`crate::catalogue::RUNGS`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Generator => "generator",
            Self::InstanceDown => "instance_down",
            Self::Ceiling => "ceiling",
            Self::Resource => "resource",
            Self::Software => "software",
            Self::Downstream => "downstream",
        }
    }
}

/// How sure a rung is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RungState {
    /// Two signals agree.
    Likely,
    Possible,
    /// Looked at, and nothing seen.
    NotObserved,
    /// Nothing was watched that could tell.
    NotWatched,
}

impl RungState {
    /// Its word in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Likely => "likely",
            Self::Possible => "possible",
            Self::NotObserved => "not_observed",
            Self::NotWatched => "not_watched",
        }
    }
}

/// Something seen that speaks for a rung.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Code, one of [`crate::catalogue::LADDER`].
    pub code: String,
    pub args: Args,
    /// What it rests on.
    pub evidence: String,
}

/// One rung of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct RungResult {
    pub rung: Rung,
    /// How sure.
    pub state: RungState,
    /// What speaks for it.
    pub signals: Vec<Signal>,
}

/// What limited one scenario, at its highest load.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// The scenario, with its part of a mix: `normal_all/rih`.
    pub scenario: String,
    /// The hold that was looked at.
    pub scope: Scope,
    /// Its load: virtual users, or arrivals a second.
    pub load: f64,
    /// Whether the load is virtual users.
    pub is_users: bool,
    /// All rungs, from the top.
    pub rungs: Vec<RungResult>,
    /// Resources with their use at this load, busiest first.
    pub resources: Vec<ResourceUse>,
}

impl Ladder {
    /// The first rung with a signal; `None`: no limit was observed.
    pub fn observed(&self) -> Option<&RungResult> {
        self.rungs.iter().find(|rung| matches!(rung.state, RungState::Likely | RungState::Possible))
    }
}

/// What the ladder looks at.
struct Looked<'a> {
    index: &'a Index<'a>,
    signs: &'a [Placed],
    step: &'a StepResult,
    span: &'a crate::evidence::StepSpan,
    level: &'a Level,
    family: &'a Family,
    uses: Vec<ResourceUse>,
}

/// A ladder for each scenario with a hold under load.
pub(crate) fn ladders(index: &Index<'_>, steps: &[StepResult], signs: &[Placed], families: &[Family]) -> Vec<Ladder> {
    let mut ladders: Vec<(Ladder, u64)> = Vec::new();
    for family in families {
        for scenario in &family.scenarios {
            // By rising load: the last is the highest, and of repetitions the last that ran.
            let Some(level) = family.levels.iter().rev().find(|level| level.scenario == *scenario) else { continue };
            let at = index.evidence.steps.iter().position(|span| span.number == level.step);
            let Some((span, step)) = at.and_then(|at| Some((&index.evidence.steps[at], steps.get(at)?))) else {
                continue;
            };
            let uses = uses::resources(index, span, level, family);
            let found = ladder(&Looked { index, signs, step, span, level, family, uses });
            ladders.push((found, level.completed));
        }
    }
    // Parts of a mix meet the same limits; one that shows a limit speaks for all, else the one that ended most iterations.
    let place = |ladder: &Ladder| {
        let name = crate::levels::scenario_of(&ladder.scenario);
        index.head().scenarios.iter().position(|known| known.name == name)
    };
    let shows = |ladder: &Ladder| ladder.observed().is_some();
    ladders.sort_by(|(a, a_ended), (b, b_ended)| {
        place(a).cmp(&place(b)).then_with(|| shows(b).cmp(&shows(a))).then_with(|| b_ended.cmp(a_ended))
    });
    ladders.dedup_by(|(later, _), (first, _)| place(later) == place(first));
    ladders.into_iter().map(|(ladder, _)| ladder).collect()
}

fn ladder(looked: &Looked<'_>) -> Ladder {
    let rung = |rung: Rung| {
        let found = match rung {
            Rung::Generator => signals::generator(looked),
            Rung::InstanceDown => signals::instance_down(looked),
            Rung::Ceiling => signals::ceiling(looked),
            Rung::Resource => signals::resource(looked),
            Rung::Software => signals::software(looked),
            Rung::Downstream => signals::downstream(looked),
        };
        found.into_result(rung)
    };
    Ladder {
        scenario: looked.level.scenario.clone(),
        scope: looked.level.scope.clone(),
        load: looked.level.load,
        is_users: looked.family.is_users,
        rungs: RUNGS.into_iter().map(rung).collect(),
        resources: looked.uses.clone(),
    }
}

/// Signals of one rung. What only supports says nothing by itself: failures alone are not a lost instance.
struct Found {
    is_watched: bool,
    own: Vec<Signal>,
    supporting: Vec<Signal>,
}

impl Found {
    fn into_result(self, rung: Rung) -> RungResult {
        if self.own.is_empty() {
            let state = if self.is_watched { RungState::NotObserved } else { RungState::NotWatched };
            return RungResult { rung, state, signals: Vec::new() };
        }
        let signals: Vec<Signal> = self.own.into_iter().chain(self.supporting).collect();
        let state = if signals.len() > 1 { RungState::Likely } else { RungState::Possible };
        RungResult { rung, state, signals }
    }
}
