//! Everything that watches during a run, built and numbered as `run.json` names it.

use crate::driver_counters::{Counted, CounterSums};
use crate::nodes::ForNode;
use crate::prepare::Prepared;
use crate::{driver_counters, system};
use contract::{
    Across, BuildContext, Kind, LoadOn, Machine, MetricKind, Monitor, MonitorKind, MonitorSettings, Names, Node, Role,
};
use launch::Launched;
use listen::Listening;
use record::{FactHead, MetricHead, MonitorHead};
use study::Rejected;
use terms::{Nanos, Unit};
use watch::{Built, generator};

/// A metric with its name: those of a kind have one, those that the author named get it.
type Metric = (String, MetricKind);

/// Monitors as they are to be started, and as `run.json` has them, in the same order.
#[derive(Default)]
pub(crate) struct Monitors {
    pub(crate) built: Vec<Built>,
    pub(crate) heads: Vec<MonitorHead>,
    /// Those that nodes are to run: place in the study and number of each, by the node's name.
    pub(crate) carried: Vec<(String, usize, u16)>,
}

impl Monitors {
    /// Builds every monitor of the study, and the generator's own; `nodes` watch themselves as instances of the latter.
    ///
    /// # Errors
    /// What a monitor finds wrong with its settings now that the system stands.
    pub(crate) fn build(
        prepared: &Prepared,
        launched: &Launched,
        names: &dyn Names,
        load_on: &LoadOn,
        nodes: Vec<String>,
    ) -> Result<Self, Rejected> {
        let mut context = BuildContext::new(names, prepared.study.base.clone()).with_load_on(load_on.clone());
        let mut monitors = Self::default();
        for (place, watched) in prepared.study.watch.iter().enumerate() {
            let kinds = &mut prepared.registry.monitors.iter();
            let Some(kind) = kinds.find(|kind| kind.name == watched.kind) else { continue };
            let (every, metrics) = (watched.every, metrics(kind, &watched.node));
            let instances = system::watched(launched, &watched.of);
            let named = instances.iter().map(|instance| instance.name.clone()).collect();
            let carrier = watched.carrier();
            let monitor = match carrier {
                Some(carrier) => {
                    monitors.carried.push((carrier.to_owned(), place, monitors.heads.len() as u16));
                    None
                }
                None => {
                    let (name, node, on) = (watched.name.clone(), watched.node.clone(), watched.machine());
                    let on = on.map(|on| on.within(&prepared.study.base));
                    let settings = MonitorSettings { name, node, instances, on, every };
                    let built = (kind.build)(&settings, &mut context);
                    let mut monitor = built.map_err(|mistakes| prepared.rejected(mistakes))?;
                    monitor.ready().map_err(|mistakes| prepared.rejected(mistakes))?;
                    Some(monitor)
                }
            };
            monitors.add((&watched.name, kind.name, kind.watches.name()), every, &metrics, named, monitor);
            if let Some(head) = monitors.heads.last_mut() {
                head.facts = FactHead::of(kind.facts);
                head.on = watched.machine().map_or_else(|| carrier.unwrap_or_default().to_owned(), Machine::url);
            }
        }
        monitors.add_own(
            generator::NAME,
            &named(generator::METRICS),
            std::iter::once(generator::NAME.into()).chain(nodes).collect(),
            generator::monitor(),
        );
        Ok(monitors)
    }

    /// Those for nodes, with the instances that they watch.
    pub(crate) fn for_nodes(&self, prepared: &Prepared, launched: &Launched) -> Vec<ForNode> {
        let one = |(node, place, number): &(String, usize, u16)| {
            let watched = prepared.study.watch.get(*place)?;
            let kind = prepared.registry.monitors.iter().find(|kind| kind.name == watched.kind)?;
            let instances = system::watched(launched, &watched.of);
            Some(ForNode { node: node.clone(), watch: *place, number: *number, watches: kind.watches, instances })
        };
        self.carried.iter().filter_map(one).collect()
    }

    /// What comes to the listeners is watched like everything else.
    pub(crate) fn add_listeners(&mut self, listening: &Listening) {
        let counts = listening.counts();
        let names = counts.iter().map(|(name, _)| name.clone()).collect();
        self.add_own(listen::NAME, &named(listen::METRICS), names, listen::monitor(counts));
    }

    /// So is what drivers count by themselves, where any does.
    pub(crate) fn add_counters(&mut self, prepared: &Prepared, counted: &CounterSums) {
        if let Some(Counted { metrics, instances, monitor }) = counted.monitor(prepared) {
            self.add_own(driver_counters::NAME, &named(&metrics), instances, monitor);
        }
    }

    /// A monitor of ours, which looks every second.
    fn add_own(&mut self, name: &str, metrics: &[Metric], instances: Vec<String>, monitor: Box<dyn Monitor>) {
        self.add((name, name, ""), Nanos::SECOND, metrics, instances, Some(monitor));
    }

    /// Without a monitor it is one that a node runs.
    fn add(
        &mut self,
        (name, kind, watches): (&str, &str, &str),
        every: Nanos,
        metrics: &[Metric],
        instances: Vec<String>,
        monitor: Option<Box<dyn Monitor>>,
    ) {
        let (number, kinds) = (self.heads.len() as u16, metrics.iter().map(|(_, metric)| metric.kind).collect());
        self.built.extend(monitor.map(|monitor| Built { number, name: name.into(), kinds, every, monitor }));
        self.heads.push(MonitorHead {
            name: name.into(),
            kind: kind.into(),
            watches: watches.into(),
            every_s: every.as_secs_f64(),
            metrics: metrics.iter().map(metric_head).collect(),
            facts: Vec::new(),
            on: String::new(),
            instances,
        });
    }
}

/// What `run.json` says of a monitor of the study, watching these instances: for whoever has its samples from elsewhere.
pub fn monitor_head(kind: &MonitorKind, watched: &study::Watch, instances: Vec<String>) -> MonitorHead {
    MonitorHead {
        name: watched.name.clone(),
        kind: kind.name.into(),
        watches: kind.watches.name().into(),
        every_s: watched.every.as_secs_f64(),
        metrics: metrics(kind, &watched.node).iter().map(metric_head).collect(),
        facts: FactHead::of(kind.facts),
        on: String::new(),
        instances,
    }
}

/// What a monitor measures that watches the engine itself and is not a plug-in; `None` for others, and for drivers'
/// counters, which are those of the drivers.
pub fn own_metrics(monitor: &str) -> Option<&'static [MetricKind]> {
    match monitor {
        generator::NAME => Some(generator::METRICS),
        listen::NAME => Some(listen::METRICS),
        _ => None,
    }
}

/// How the values of a monitor's metrics come.
pub(crate) fn kinds_of(kind: &MonitorKind, settings: &Node) -> Vec<Kind> {
    metrics(kind, settings).into_iter().map(|(_, metric)| metric.kind).collect()
}

/// The metrics of a monitor: those of its kind, then those that the author named.
fn metrics(kind: &MonitorKind, settings: &Node) -> Vec<Metric> {
    let mut metrics = named(kind.metrics);
    metrics.extend(kind.named_in(settings).into_iter().map(|name| {
        let role = Role::of_named(name);
        let of = kind.named_kind(settings, name).cloned().unwrap_or(contract::NAMED);
        (name.to_owned(), MetricKind { role, ..of })
    }));
    metrics
}

fn named(metrics: &[MetricKind]) -> Vec<Metric> {
    metrics.iter().map(|metric| (metric.name.to_owned(), metric.clone())).collect()
}

fn metric_head((name, metric): &Metric) -> MetricHead {
    let kind = match metric.kind {
        Kind::Gauge => "gauge",
        Kind::Counter => "counter",
        Kind::Distribution => "distribution",
    };
    let across = match metric.across {
        Across::Sum => "sum",
        Across::Max => "max",
        Across::Mean => "mean",
    };
    MetricHead {
        name: name.clone(),
        unit: unit(&metric.unit),
        of: metric.of.map(str::to_owned),
        kind: kind.into(),
        across: across.into(),
        ceiling: metric.ceiling.map(str::to_owned),
        role: metric.role.map_or_else(String::new, |role| role.name().to_owned()),
    }
}

fn unit(unit: &Unit) -> String {
    match unit {
        Unit::Count => "count".into(),
        Unit::Time => "s".into(),
        Unit::Bytes => "bytes".into(),
        Unit::Share => "share".into(),
        Unit::PerSecond => "/s".into(),
        Unit::Cores => "cores".into(),
        Unit::Of(of) => of.clone(),
        Unit::OfPerSecond(of) => format!("{of}/s"),
    }
}
