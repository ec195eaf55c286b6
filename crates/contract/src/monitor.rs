//! The monitor contract: a way of watching the system.

use crate::{BuildContext, Catalogues, FactKind, Facts, Failure, Machine, Mistakes, Node, Role, Samples, Shape};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use terms::{Nanos, Unit};

/// Whether load is on, shared by who drives it and who watches: a reading that costs the system much is put off until
/// there is none.
#[derive(Clone, Debug, Default)]
pub struct LoadOn(Arc<AtomicBool>);

impl LoadOn {
    /// Load begins, or its last answer has come.
    pub fn set(&self, is_on: bool) {
        self.0.store(is_on, Ordering::Relaxed);
    }

    /// From the first start to the last answer.
    pub fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An instance that a monitor watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Its name: `lookup.1`; `host` for the machine.
    pub name: String,
    /// The process that was started; `None` for one that was running already.
    pub pid: Option<u32>,
    /// Its address as `http://host:port`, where it has one.
    pub url: Option<String>,
}

/// A monitor's part of the study.
#[derive(Clone, Debug, PartialEq)]
pub struct MonitorSettings {
    /// Its name in the study and in rules: `host` in `host.cpu`.
    pub name: String,
    /// Its own settings.
    pub node: Node,
    /// What it watches.
    pub instances: Vec<Watched>,
    /// The machine that it watches, where that is not the one it runs on.
    pub on: Option<Machine>,
    /// Time between samples.
    pub every: Nanos,
}

/// Builds a monitor from its settings.
pub type BuildMonitor = fn(&MonitorSettings, &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes>;

/// A monitor as `registry.rs` lists it.
#[derive(Clone, Copy)]
pub struct MonitorKind {
    /// Its name in the study.
    pub name: &'static str,
    /// What it measures, so that rules can be checked before anything runs.
    pub metrics: &'static [MetricKind],
    /// What it watches, and so what its facts are about.
    pub watches: Watches,
    /// Facts that it declares: the list that [`crate::facts!`] writes.
    pub facts: &'static [FactKind],
    /// Its words in the languages of reports.
    pub messages: Catalogues,
    /// Keys of its settings, for the published schema.
    pub keys: &'static [&'static str],
    /// The key of its settings under which the author names metrics of their own, if it has one. Each of them is a
    /// [`NAMED`]; they are numbered after `metrics`, in the order written.
    pub named: Option<&'static str>,
    /// Whether it can watch another machine over ssh ([`MonitorSettings::on`]); a study that asks it of others is wrong.
    pub over_ssh: bool,
    /// Builds it; called by `check` with instances that have no process yet.
    pub build: BuildMonitor,
}

/// What a monitor watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watches {
    Machine,
    /// Instances of the system.
    Instances,
    /// Where the system keeps its data.
    Store,
}

impl Watches {
    /// Its name in the run folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Instances => "instances",
            Self::Store => "store",
        }
    }
}

impl MonitorKind {
    /// Names of the metrics that the author named in these settings, in the order written.
    pub fn named_in<'a>(&self, settings: &'a Node) -> Vec<&'a str> {
        let entries = self.named.and_then(|key| settings.get(key)).and_then(Node::map).unwrap_or_default();
        entries.iter().filter_map(|(name, _)| name.text()).collect()
    }

    /// What a metric is that the author named in these settings. Where its entry is a map, its `kind` may say `counter`
    /// and its `unit` `bytes`, `s` or `share`; else it is [`NAMED`].
    pub fn named_kind(&self, settings: &Node, name: &str) -> Option<&'static MetricKind> {
        let entry = settings.get(self.named?)?.get(name)?;
        let word = |key: &str| entry.get(key).and_then(Node::text);
        let kind = if word("kind") == Some("counter") { Kind::Counter } else { Kind::Gauge };
        let unit = match word("unit") {
            Some("bytes") => Unit::Bytes,
            Some("s") => Unit::Time,
            Some("share") => Unit::Share,
            _ => Unit::Count,
        };
        let known = NAMED_KINDS.iter().find(|known| known.kind == kind && known.unit == unit);
        known.or(NAMED_KINDS.first())
    }
}

/// What a metric is that the author named: a number at a moment, whose labelled parts add up. Its role follows from its
/// name, [`Role::of_named`].
pub const NAMED: MetricKind = MetricKind::gauge("", Unit::Count);

/// Units that the author may give to a metric of a name of his own, in a `unit` beside it.
pub const NAMED_UNITS: [&str; 4] = ["count", "bytes", "s", "share"];

/// What metrics may be that the author named: levels and counts, each of a number, of bytes, a time and a share.
const NAMED_KINDS: &[MetricKind] = &[
    NAMED,
    MetricKind::gauge("", Unit::Bytes),
    MetricKind::gauge("", Unit::Time),
    MetricKind::gauge("", Unit::Share),
    MetricKind::counter("", Unit::Count),
    MetricKind::counter("", Unit::Bytes),
    MetricKind::counter("", Unit::Time),
];

/// In a text of a monitor's settings it stands for the name of the instance that is watched; the monitor fills it in by
/// [`MonitorSettings::of_instance`].
pub const INSTANCE_NAME: &str = "$(instance)";

impl MonitorSettings {
    /// A text of the settings as it is for one instance.
    pub fn of_instance(node: &Node, instance: &str) -> Node {
        match &node.shape {
            Shape::Text { text, quoted } if text.contains(INSTANCE_NAME) => {
                let text = text.replace(INSTANCE_NAME, instance);
                Node { place: node.place, shape: Shape::Text { text, quoted: *quoted } }
            }
            _ => node.clone(),
        }
    }
}

/// One metric of a monitor.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricKind {
    /// Its name in rules.
    pub name: &'static str,
    pub unit: Unit,
    /// Its denominator, such as "one core"; `None` where there is none.
    pub of: Option<&'static str>,
    /// How its values come.
    pub kind: Kind,
    /// How instances join in a rule without `per`.
    pub across: Across,
    /// The metric that bounds it, such as a heap's maximum.
    pub ceiling: Option<&'static str>,
    /// What it measures, where rules and figures ask for that.
    pub role: Option<Role>,
}

impl MetricKind {
    /// A level at a moment, whose instances add up.
    pub const fn gauge(name: &'static str, unit: Unit) -> Self {
        Self { name, unit, of: None, kind: Kind::Gauge, across: Across::Sum, ceiling: None, role: None }
    }

    /// A count that only grows, whose instances add up.
    pub const fn counter(name: &'static str, unit: Unit) -> Self {
        Self { name, unit, of: None, kind: Kind::Counter, across: Across::Sum, ceiling: None, role: None }
    }

    /// Durations, each by itself.
    pub const fn distribution(name: &'static str) -> Self {
        let kind = Kind::Distribution;
        Self { name, unit: Unit::Time, of: None, kind, across: Across::Sum, ceiling: None, role: None }
    }

    /// The same with a denominator, such as "one core".
    pub const fn of(mut self, whole: &'static str) -> Self {
        self.of = Some(whole);
        self
    }

    /// The same, whose instances join in another way than by adding up.
    pub const fn across(mut self, across: Across) -> Self {
        self.across = across;
        self
    }

    /// The same, bounded by the metric of that name.
    pub const fn below(mut self, ceiling: &'static str) -> Self {
        self.ceiling = Some(ceiling);
        self
    }

    /// The same with a role.
    pub const fn with_role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }
}

/// How a metric's values come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A level at a moment.
    Gauge,
    /// A count that only grows; its growth is what matters.
    Counter,
    /// Durations, each by itself.
    Distribution,
}

/// How instances join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// Added up.
    Sum,
    Max,
    Mean,
}

/// A way of watching; runs on its own thread.
pub trait Monitor: Send {
    /// Reaches what it watches, once before the load and never while a study is only checked: a run whose other machine
    /// cannot be seen at all does not begin.
    ///
    /// # Errors
    /// Why it cannot be reached, with what to type.
    fn ready(&mut self) -> Result<(), Mistakes> {
        Ok(())
    }
    /// Versions, settings, limits, at start and end: things captured, not typed.
    fn facts(&mut self, out: &mut Facts);
    /// Takes one sample of everything; must end within the period. A miss is a gap, not a zero.
    ///
    /// # Errors
    /// One sentence that says why there is no sample.
    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    #[test]
    fn what_the_author_named_says_its_kind_and_unit() {
        let text = |text: &str| Node::text_at(Place::default(), text);
        let map = |entries: &[(&str, Node)]| {
            let entries = entries.iter().map(|(key, node)| (text(key), node.clone())).collect();
            Node { place: Place::default(), shape: Shape::Map(entries) }
        };
        let settings = map(&[(
            "values",
            map(&[
                ("loans", text("select count(*) from loan")),
                ("heap", map(&[("metric", text("heap_bytes")), ("unit", text("bytes"))])),
                ("sent", map(&[("kind", text("counter")), ("unit", text("bytes"))])),
                ("odd", map(&[("kind", text("counter")), ("unit", text("share"))])),
            ]),
        )]);
        fn never(_: &MonitorSettings, _: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
            Err(Mistakes::default())
        }
        let (watches, build) = (Watches::Store, never);
        let named = Some("values");
        let kind = MonitorKind {
            name: "a",
            metrics: &[],
            watches,
            facts: &[],
            messages: &[],
            keys: &[],
            named,
            over_ssh: false,
            build,
        };
        let of = |name: &str| kind.named_kind(&settings, name).map(|found| (found.kind, found.unit.clone()));
        assert_eq!(of("loans"), Some((Kind::Gauge, Unit::Count)));
        assert_eq!(of("heap"), Some((Kind::Gauge, Unit::Bytes)));
        assert_eq!(of("sent"), Some((Kind::Counter, Unit::Bytes)));
        assert_eq!(of("odd"), Some((Kind::Gauge, Unit::Count)), "no such thing; the monitor tells the mistake");
        assert_eq!(of("others"), None);
        assert_eq!(MonitorSettings::of_instance(&text("a/$(instance).log"), "b.1").text(), Some("a/b.1.log"));
    }
}
