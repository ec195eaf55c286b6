//! Which of the watched series are the system's, and which matter most.

use crate::charts::{self, Watched};
use crate::input::Context;
use contract::Role;
use judge::views::MetricView;

/// Roles of the metrics with a figure of their own, in this order; of each line the first that a monitor has.
pub(super) const OWN: [&[Role]; 6] = [
    &[Role::Processor],
    &[Role::Memory, Role::MachineMemory],
    &[Role::Connections],
    &[Role::Locks],
    &[Role::Queue, Role::Lag],
    &[Role::Heap],
];

/// Whether a series is the generator's of itself; those stand in its own chapter.
pub(super) fn is_generator(view: &MetricView) -> bool {
    view.monitor.kind == "generator" || view.monitor.name == "generator"
}

/// Names of the monitors of the system, in the study's order.
pub(super) fn monitors<'a>(cx: &Context<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for view in cx.input.views.metrics.iter().filter(|view| !is_generator(view)) {
        if !names.contains(&view.monitor.name.as_str()) {
            names.push(&view.monitor.name);
        }
    }
    names
}

/// Metrics of the system that have a duration for each call, each with the servers that it was watched on.
pub(super) fn durations<'a>(cx: &Context<'a>) -> Vec<Watched<'a>> {
    let is_duration = |view: &&MetricView| {
        let metric = view.monitor.metrics.get(view.metric);
        metric.is_some_and(|metric| metric.kind == "distribution" && metric.unit == "s") && !is_generator(view)
    };
    let mut found: Vec<Watched<'a>> = Vec::new();
    for view in cx.input.views.metrics.iter().filter(is_duration) {
        let (monitor, metric) = (view.monitor.name.clone(), charts::metric_name(view).to_owned());
        match found.iter_mut().find(|known| (&known.monitor, &known.metric) == (&monitor, &metric)) {
            Some(known) => known.views.push(view),
            None => found.push(Watched { monitor, metric, views: vec![view] }),
        }
    }
    found
}
