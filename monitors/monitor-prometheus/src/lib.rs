//! Metrics pages in the formats of Prometheus and OpenMetrics: counters, gauges, counts and means of histograms.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period. `shop: { prometheus: { values: { … } } }` in a study.
//!
//! # Ideas
//! A page has hundreds of series, and a study is about a few: each is chosen by name and labels, and is a metric of the
//! study under a name of its own, with the kind and unit that the study states. What is chosen and split by a label
//! becomes an instance each; without that, series add up.
//! A page is a stranger's text: its size, lines, labels and series are bounded, a line that cannot be read is counted and
//! passed over. A page that is slow, away or not a page is a gap, never a zero, and costs the load nothing: it is asked
//! from this monitor's own thread, within its period.
//!
//! # Not here
//! A Prometheus server and its query language. Buckets of histograms. The binary format.
#![forbid(unsafe_code)]

mod choice;
mod config;
mod facts;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod metrics;
mod monitor;
mod page;
mod text;
mod totals;

pub use metrics::METRICS;

use contract::{BuildContext, Mistakes, Monitor, MonitorKind, MonitorSettings};

/// `prometheus`, as the registry lists it.
pub const PROMETHEUS: MonitorKind = MonitorKind {
    name: "prometheus",
    metrics: METRICS,
    watches: contract::Watches::Instances,
    facts: facts::FACTS,
    messages: contract::messages!(),
    keys: &["url", "path", "tls", "bearer", "values"],
    named: Some("values"),
    over_ssh: false,
    build,
};

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let config = config::read(settings, context)?;
    Ok(Box::new(monitor::Pages::new(settings, config)))
}
