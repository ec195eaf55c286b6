//! Which of the watched series are the system's, and which matter most.

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
