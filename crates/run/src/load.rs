//! Plan in, rows out: the load of a prepared study, without the system's processes, a folder or a screen.

use crate::descriptors;
use crate::nodes::Nodes;
use crate::prepare::Prepared;
use crate::replies::Replies;
use clock::Clock;
use contract::Names;
use drive::{Blueprint, Control, DriveError, Kept, Marks, Stop};
use plan::ScenarioPlan;
use record::Entry;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use study::{OnlyIf, Places, Wait};
use terms::Nanos;

/// Where the rows of a load go. Called from every load thread, so it must not block.
pub trait Rows: Sync {
    /// Whether a scenario is carried out that depends on what another came to; asked when all before it are over.
    fn wants(&self, _scenario: &ScenarioPlan, _only_if: &OnlyIf) -> bool {
        true
    }

    /// Waits, from a moment on, as [`drive::Rest`] does; by default nothing is watched, and nothing waited for.
    fn rest(&self, _scenario: &ScenarioPlan, _wait: (Wait, Nanos), _control: &Control) -> Option<Nanos> {
        None
    }

    /// A scenario begins; every entry from now on is of this one.
    fn begins(&self, _scenario: &ScenarioPlan) {}

    /// One thread's second, the state of a thread, or the mark of a step.
    fn take(&self, entry: Entry);

    /// What drivers counted by themselves in a second, where that does not come with an entry.
    fn count(&self, _counters: &[i64]) {}
}

impl<F: Fn(Entry) + Sync> Rows for F {
    fn take(&self, entry: Entry) {
        self(entry);
    }
}

/// The load of one machine.
pub struct Load<'a> {
    /// What is driven, by its plan.
    pub prepared: &'a Prepared,
    /// Where the system under test answers.
    pub places: &'a Places,
    /// The way of later answers to the load threads; its default where the study has no listener.
    pub replies: Replies,
    /// Load threads.
    pub workers: u16,
    /// Who carries it, where that is not this process.
    pub(crate) nodes: Option<&'a Mutex<Nodes>>,
}

impl<'a> Load<'a> {
    /// That of a prepared study, by threads of this process.
    pub fn here(prepared: &'a Prepared, places: &'a Places, workers: u16) -> Self {
        Self { prepared, places, replies: Replies::default(), workers, nodes: None }
    }
}

impl Load<'_> {
    /// Drives every scenario in the order of the plan, in real time, until all is done or `control` says stop. What set-up
    /// exchanges of the whole study capture is handed from scenario to scenario. This process first takes all the
    /// descriptors that it is allowed.
    ///
    /// # Errors
    /// As [`drive::run_scenario`]. What was measured until then has been handed to `rows`.
    pub fn drive(&self, clock: &Clock, control: &Control, rows: &dyn Rows) -> Result<(), DriveError> {
        self.drive_some(0..self.prepared.plan.scenarios.len(), &mut Kept::default(), clock, control, rows)
    }

    /// The same of some scenarios of the plan; `kept` is what earlier ones captured.
    ///
    /// # Errors
    /// As [`Load::drive`].
    pub(crate) fn drive_some(
        &self,
        some: Range<usize>,
        kept: &mut Kept,
        clock: &Clock,
        control: &Control,
        rows: &dyn Rows,
    ) -> Result<(), DriveError> {
        descriptors::raise();
        for index in some {
            let scenario = &self.prepared.plan.scenarios[index];
            if control.get() != Stop::No {
                break;
            }
            let own = &self.prepared.study.scenarios[usize::from(scenario.number)];
            if own.only_if.as_ref().is_some_and(|only_if| !rows.wants(scenario, only_if)) {
                continue;
            }
            rows.begins(scenario);
            match self.nodes {
                Some(nodes) => {
                    let mut nodes = nodes.lock().unwrap_or_else(PoisonError::into_inner);
                    nodes.scenario((index, scenario), kept, clock, rows)?;
                }
                None => self.scenario(scenario, kept, clock, control, rows)?,
            }
        }
        Ok(())
    }

    fn scenario(
        &self,
        scenario: &ScenarioPlan,
        kept: &mut Kept,
        clock: &Clock,
        control: &Control,
        rows: &dyn Rows,
    ) -> Result<(), DriveError> {
        let names = names_of(self.prepared, scenario, self.places);
        let setups = blueprints(&self.replies, self.prepared, &names, self.workers)?;
        let (sink, rest) = (|entry| rows.take(entry), |wait, from| rows.rest(scenario, (wait, from), control));
        let marks = Marks { plan: scenario, clock, control, sink: &sink, rest: &rest };
        drive::run_scenario(&marks, &setups, kept).map(drop)
    }
}

/// What names stand for in each part of a scenario.
pub(crate) fn names_of<'a>(
    prepared: &'a Prepared,
    scenario: &ScenarioPlan,
    places: &'a Places,
) -> Vec<impl Names + Sync + use<'a>> {
    let Prepared { study, secrets, tables, .. } = prepared;
    let parts = &study.scenarios[usize::from(scenario.number)].parts;
    parts.iter().map(|part| study::names(study, secrets, tables, Some(part), places)).collect()
}

/// The blueprint of each part of a scenario, whose threads are so many in all processes together.
pub(crate) fn blueprints<'a, N: Names + Sync>(
    replies: &Replies,
    prepared: &Prepared,
    names: &'a [N],
    workers: u16,
) -> Result<Vec<Blueprint<'a>>, DriveError> {
    let all: Result<Vec<_>, _> = names.iter().map(|names| replies.blueprint(prepared, names, workers)).collect();
    all.map_err(|rejected| DriveError::Settings(rejected.mistakes))
}
