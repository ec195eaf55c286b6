//! From a checked study to everything that a run needs to know, with all mistakes found before anything is started.

use crate::error::RunError;
use crate::{programs, rates};
use contract::Table;
use plan::Plan;
use record::AttemptHead;
use recorder::Layout;
use scrub::KeptOut;
use std::sync::Arc;
use study::{Places, Registry, Scenario, Secrets, Study, Tried};

/// A study that can be run.
pub struct Prepared {
    pub study: Study,
    /// What stands for its `$(secret.X)`.
    pub secrets: Secrets,
    /// Its data sets.
    pub tables: Vec<Arc<Table>>,
    /// What nothing shows that is written.
    pub kept_out: KeptOut,
    pub plan: Plan,
    /// Its exchanges, with the limits that are counted exactly.
    pub layout: Arc<Layout>,
    /// The drivers and monitors that there are.
    pub registry: Registry<'static>,
    /// Attempts of searches that an earlier run carried out.
    pub taken_over: Vec<AttemptHead>,
}

/// Reads the data of a study, lets its plug-ins look at their settings, and plans it. `keep_out` is called before
/// anything is reported about it: with what no message may show, and again when body files have been read, and with them
/// the secrets that only they mention.
///
/// # Errors
/// All mistakes that can be found without starting anything.
pub fn prepare(
    study: Study,
    secrets: Secrets,
    registry: Registry<'static>,
    keep_out: &dyn Fn(KeptOut),
) -> Result<Prepared, RunError> {
    let tables = study::load_tables(&study)?;
    let places = Places::placeholders(&study);
    keep_out(study::kept_out(&study, &secrets, &tables));
    study::check_plugins(&study, &registry, &tables, &places, &secrets)?;
    launch::check(&study.system.instances, &study.base, &places)
        .map_err(|mistakes| study::Rejected { files: study.files.clone(), mistakes })?;
    let plan = plan::build(&study);
    let layout = Arc::new(plan::layout(&study));
    let kept_out = study::kept_out(&study, &secrets, &tables);
    keep_out(kept_out.clone());
    programs::foresee(&study, &secrets, &tables)?;
    let taken_over = Vec::new();
    let prepared = Prepared { study, secrets, tables, kept_out, plan, layout, registry, taken_over };
    // What is wrong with a load that a search may come to is better known now than in hours.
    prepared.at_its_ends()?;
    Ok(prepared)
}

impl Prepared {
    /// Load threads: so many as are asked for, or as the study says, or one for each core that the system under test
    /// leaves; half of them when both share the machine.
    pub fn workers(&self, asked: Option<u16>) -> u16 {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u16);
        let usual = if self.shares_machine() { (cores / 2).max(1) } else { cores };
        asked.or(self.study.cores.map(|cores| cores as u16)).unwrap_or(usual).clamp(1, 256)
    }

    /// Load threads of each node, as [`Prepared::workers`]; nodes on one machine share what is usual there.
    pub(crate) fn threads_each(&self, asked: Option<u16>) -> u16 {
        let is_said = asked.is_some() || self.study.cores.is_some();
        let all = self.workers(asked);
        if is_said { all } else { (all / self.study.nodes).max(1) }
    }

    /// The greatest planned rate of exchanges a second in any scenario, of its open loads: what a generator's ceiling is
    /// compared with.
    pub fn planned_per_s(&self) -> f64 {
        let ends = self.at_its_ends().ok().flatten();
        rates::greatest_of_all(&ends.as_ref().unwrap_or(self).plan, self.study.exchanges.len())
    }

    /// The scenario of a place in the plan.
    pub(crate) fn scenario_at(&self, place: usize) -> Option<&Scenario> {
        self.study.scenarios.get(usize::from(self.plan.scenarios.get(place)?.number))
    }

    /// Whether instances are started on this machine.
    pub(crate) fn shares_machine(&self) -> bool {
        self.study.system.instances.iter().any(|instance| instance.start.is_some())
    }

    /// The same with the least and the greatest load of each search; none where nothing searches.
    ///
    /// # Errors
    /// As [`Prepared::with_attempts`].
    pub(crate) fn at_its_ends(&self) -> Result<Option<Self>, RunError> {
        let ends = self.study.ends_of_searches();
        if ends.is_empty() { Ok(None) } else { self.with_attempts(&ends).map(Some) }
    }

    /// The same with these attempts in the place of the study's searches.
    ///
    /// # Errors
    /// What is wrong with an attempt; limits that are counted and would be others.
    pub(crate) fn with_attempts(&self, tried: &[Tried]) -> Result<Self, RunError> {
        let study = self.study.with_attempts(tried, &self.registry)?;
        let plan = plan::build(&study);
        let limits = |layout: &Layout| layout.exchanges.iter().map(|one| one.thresholds.clone()).collect::<Vec<_>>();
        if limits(&plan::layout(&study)) != limits(&self.layout) {
            return Err(RunError::refused(
                "the limits that calls are counted against change with the variable that the search varies",
            ));
        }
        let Self { secrets, tables, kept_out, layout, registry, taken_over, .. } = self;
        let (secrets, tables, kept_out) = (secrets.clone(), tables.clone(), kept_out.clone());
        let (layout, registry, taken_over) = (Arc::clone(layout), *registry, taken_over.clone());
        Ok(Self { study, secrets, tables, kept_out, plan, layout, registry, taken_over })
    }

    /// Mistakes with the texts that they are found in.
    pub(crate) fn rejected(&self, mistakes: contract::Mistakes) -> study::Rejected {
        study::Rejected { files: self.study.files.clone(), mistakes }
    }
}
