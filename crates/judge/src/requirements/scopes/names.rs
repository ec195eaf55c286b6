//! What a rule names: exchanges, other places, metrics, instances.

use super::PlaceOf;
use crate::limits::exchanges_of;
use crate::rows::{Index, metric_number, with_ceiling};
use study::rule::{Clause, Expression, Function, Rule, Series, State, Subject};

/// Everything that a rule names.
#[derive(Default)]
pub(super) struct Names {
    pub(super) exchanges: Vec<u16>,
    /// Other scenarios and parts than the rule's own.
    pub(super) places: Vec<PlaceOf>,
    pub(super) metrics: Vec<(String, String)>,
    /// Those of them whose growth is counted.
    pub(super) counted: Vec<(String, String)>,
    pub(super) instances: Vec<String>,
    pub(super) has_metrics: bool,
}

impl Names {
    pub(super) fn of(rule: &Rule, own: PlaceOf) -> Self {
        let mut names = Self { exchanges: exchanges_of(rule), ..Self::default() };
        for clause in &rule.clauses {
            match clause {
                Clause::Compare { sums, .. } => sums.iter().for_each(|sum| names.add(sum, own)),
                Clause::State { state: State::Alive, subject, .. } => {
                    if let Subject::Instance(name) = &subject.subject {
                        names.instances.push(name.clone());
                    }
                }
                Clause::State { state: State::Steady | State::Drained | State::Settled, subject, .. } => {
                    names.add_series(subject, own);
                }
                Clause::State { .. } => {}
                Clause::Change(change) => {
                    names.add_series(&change.of.statistic.series, own);
                    names.places.push((change.base, change.base_part));
                }
            }
        }
        names.places.sort_unstable();
        names.places.dedup();
        names.places.retain(|place| *place != own);
        names.has_metrics = !names.metrics.is_empty();
        names
    }

    /// Metrics whose samples the rule may look at: those that it names, and what bounds them.
    pub(super) fn watched(&self, index: &Index<'_>) -> Vec<(u16, u16)> {
        let named = self.metrics.iter().filter_map(|named| metric_number(index, named)).map(|(number, _)| number);
        named.flat_map(|(monitor, metric)| with_ceiling(index.head(), monitor, metric)).collect()
    }

    fn add(&mut self, expression: &Expression, own: PlaceOf) {
        for statistic in expression.statistics() {
            self.add_series(&statistic.series, own);
            if let (Function::Count | Function::Rate, Subject::Metric { monitor, metric }) =
                (statistic.function, &statistic.series.subject)
            {
                self.counted.push((monitor.clone(), metric.clone()));
            }
        }
    }

    fn add_series(&mut self, series: &Series, own: PlaceOf) {
        // What is watched is of the whole scenario, whatever part the rule looks at besides.
        let is_watched_here = series.scenario.is_none() && matches!(series.subject, Subject::Metric { .. });
        if !is_watched_here {
            self.places.push((series.scenario.unwrap_or(own.0), series.part));
        }
        if let Subject::Metric { monitor, metric } = &series.subject {
            self.metrics.push((monitor.clone(), metric.clone()));
        }
    }
}
