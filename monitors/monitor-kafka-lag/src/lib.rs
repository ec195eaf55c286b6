//! Consumer groups of Kafka: how far each partition is behind, who consumes it, and who has nothing to do.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period. `lag: { kafka_lag: { broker: …, group: …, topics: … } }` in a study.
//!
//! # Ideas
//! Lag is the end offset minus the committed one, asked from the broker and not from the consumers: whoever is dead has a
//! lag, too. What was never committed has none that is known, and is a gap, never a zero. Members are told apart by the
//! host that the broker sees, or by client id where all come from one machine. Partitions are assigned to members, so more
//! members than partitions idle; how many do is a metric. librdkafka (through `rdkafka`) is the client: it is maintained by
//! those who run Kafka, and speaks TLS and SASL as clusters have them.
//!
//! # Not here
//! Lag of whoever keeps its offsets elsewhere, such as MirrorMaker 2 and other connectors: there is no group to ask.
#![forbid(unsafe_code)]

mod assignment;
mod cluster;
mod config;
mod monitor;

use contract::{
    Across, BuildContext, FactKind, FactRole, Kind, MetricKind, Mistakes, Monitor, MonitorKind, MonitorSettings, Role,
};
use terms::Unit;

/// What it measures.
pub const METRICS: &[MetricKind] = &[
    // By partition.
    of("lag", Kind::Gauge, Some(Role::Lag)),
    of("produced", Kind::Counter, None),
    of("consumed", Kind::Counter, Some(Role::Offset)),
    // By host.
    of("members", Kind::Gauge, Some(Role::Members)),
    of("idle", Kind::Gauge, Some(Role::IdleMembers)),
    of("assigned", Kind::Gauge, Some(Role::Assigned)),
    of("handled", Kind::Counter, None),
];

/// A number whose instances add up.
const fn of(name: &'static str, kind: Kind, role: Option<Role>) -> MetricKind {
    MetricKind { name, unit: Unit::Count, of: None, kind, across: Across::Sum, ceiling: None, role }
}

/// Places of the metrics in [`METRICS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Metric {
    Lag,
    Produced,
    Consumed,
    Members,
    Idle,
    Assigned,
    Handled,
}

contract::facts! {
    /// `127.0.0.1:9092`
    BROKER = FactKind::new("broker").with_role(FactRole::Label);
    /// `registrations: 12`
    PARTITIONS = FactKind::new("partitions");
    /// `24 on 2 hosts, 12 of them idle`
    MEMBERS = FactKind::new("members of the group");
    /// `range`
    STRATEGY = FactKind::new("assignment strategy");
    /// Why nothing could be asked.
    NO_BROKER = FactKind::new("no answer of the broker");
}

/// `kafka_lag`, as the registry lists it.
pub const KAFKA_LAG: MonitorKind = MonitorKind {
    name: "kafka_lag",
    metrics: METRICS,
    watches: contract::Watches::Store,
    facts: FACTS,
    messages: contract::messages!(),
    keys: &["broker", "group", "topics", "hosts", "tls", "sasl"],
    named: None,
    over_ssh: false,
    build,
};

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let config = config::read(settings, context)?;
    Ok(Box::new(monitor::Group::new(settings, config)))
}
