//! What `run.json` says of monitors: their metrics, and those of their facts that have a role.

use contract::{FactKind, FactRole, MetricKind, Role, Watches};
use serde::{Deserialize, Serialize};

/// What is reported about a monitor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MonitorHead {
    /// Name in rules.
    pub name: String,
    pub kind: String,
    /// What it watches: `machine`, `instances`, `store`; empty for what watches the engine, and in heads of earlier
    /// versions ([`crate::Head::fill_in`]).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub watches: String,
    /// Time between samples, seconds.
    pub every_s: f64,
    /// Metrics, by number.
    pub metrics: Vec<MetricHead>,
    /// Those of its facts that have a role; empty in heads of earlier versions ([`crate::Head::fill_in`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactHead>,
    /// The machine that it watches: over ssh, `ssh://perf@db1`, or by a node there, whose name it is; empty for the one that
    /// conducts the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub on: String,
    /// Instances it watches.
    pub instances: Vec<String>,
}

impl MonitorHead {
    /// Whether it watches the machine that conducts the run, where the load comes from.
    pub fn is_here(&self) -> bool {
        self.on.is_empty()
    }

    /// Name of the node that ran it; none for those that ran where the run was conducted.
    pub fn carrier(&self) -> Option<&str> {
        Some(self.on.as_str()).filter(|on| !on.is_empty() && !on.contains("://"))
    }

    /// Place of its first metric of a role.
    pub fn metric_of(&self, role: Role) -> Option<usize> {
        self.metrics.iter().position(|metric| metric.role() == Some(role))
    }

    /// Says what heads of earlier versions leave out, as its kind is known to have it.
    pub(super) fn fill_in(&mut self, known: &KnownKind<'_>) {
        if let Some(watches) = known.watches.filter(|_| self.watches.is_empty()) {
            watches.name().clone_into(&mut self.watches);
        }
        if self.facts.is_empty() {
            self.facts = FactHead::of(known.facts);
        }
        for metric in self.metrics.iter_mut().filter(|metric| metric.role.is_empty()) {
            let role = match known.metrics.iter().find(|known| known.name == metric.name) {
                Some(known) => known.role,
                None => Role::of_named(&metric.name).filter(|_| known.has_named),
            };
            metric.role = role.map_or_else(String::new, |role| role.name().to_owned());
        }
    }
}

/// A fact that judging and drawing treat in a way of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FactHead {
    /// Its name, as in [`crate::Head::facts`].
    pub name: String,
    /// Name of its role.
    pub role: String,
}

impl FactHead {
    /// Those of a monitor's facts that have a role, in its order.
    pub fn of(facts: &[FactKind]) -> Vec<Self> {
        let of = |fact: &FactKind| Some(Self { name: fact.name.to_owned(), role: fact.role?.name().to_owned() });
        facts.iter().filter_map(of).collect()
    }

    /// What it says; `None` for a role of a later version.
    pub fn role(&self) -> Option<FactRole> {
        FactRole::from_name(&self.role)
    }
}

/// What is reported about a metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricHead {
    pub name: String,
    /// Unit: `cores`, `bytes`, `share`, `s`, `count`, `/s`.
    pub unit: String,
    /// Denominator.
    pub of: Option<String>,
    /// `gauge`, `counter`, `distribution`.
    pub kind: String,
    /// `sum`, `max`, `mean`.
    pub across: String,
    /// Metric that bounds it.
    pub ceiling: Option<String>,
    /// Name of its role; empty where it has none, and in heads of earlier versions ([`crate::Head::fill_in`]).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
}

impl MetricHead {
    /// What it measures; `None` where it has no role, or one of a later version.
    pub fn role(&self) -> Option<Role> {
        Role::from_name(&self.role)
    }
}

/// What is known of a kind of monitor, for heads that do not say it.
#[derive(Clone, Copy, Debug)]
pub struct KnownKind<'k> {
    pub metrics: &'k [MetricKind],
    /// Whether an author can name others.
    pub has_named: bool,
    pub facts: &'k [FactKind],
    /// What it watches; `None` where that is the engine.
    pub watches: Option<Watches>,
}
