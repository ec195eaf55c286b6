//! Names for numbers, so that tables can be read without a join.

use crate::{Head, MetricHead};
use std::borrow::Cow;

/// The names of a run. A number that the head does not know is shown as `#7`.
pub(crate) struct Names<'a>(pub(crate) &'a Head);

impl Names<'_> {
    /// Scenario, part, id and phase of a step; empty where the head does not know it.
    pub(crate) fn step(&self, step: u32) -> [&str; 4] {
        let Some(step) = self.0.steps.get(step as usize) else { return [""; 4] };
        let scenario = self.0.scenarios.get(usize::from(step.scenario));
        let part = self.0.part_of(step).unwrap_or("");
        [scenario.map_or("", |scenario| &scenario.name), part, &step.id, &step.phase]
    }

    /// Which time its scenario is carried out.
    pub(crate) fn repetition(&self, step: u32) -> u32 {
        self.0.steps.get(step as usize).map_or(1, |step| step.repetition.max(1))
    }

    pub(crate) fn exchange(&self, exchange: u16) -> Cow<'_, str> {
        or_number(self.0.exchanges.get(usize::from(exchange)).map(|exchange| exchange.name.as_str()), exchange)
    }

    pub(crate) fn leg(&self, exchange: u16, leg: u8) -> Cow<'_, str> {
        let exchange = self.0.exchanges.get(usize::from(exchange));
        let leg_head = exchange.and_then(|exchange| exchange.legs.get(usize::from(leg)));
        or_number(leg_head.map(|leg| leg.name.as_str()), leg.into())
    }

    pub(crate) fn monitor(&self, monitor: u16) -> Cow<'_, str> {
        or_number(self.0.monitors.get(usize::from(monitor)).map(|monitor| monitor.name.as_str()), monitor)
    }

    pub(crate) fn metric(&self, monitor: u16, metric: u16) -> Option<&MetricHead> {
        self.0.monitors.get(usize::from(monitor))?.metrics.get(usize::from(metric))
    }
}

fn or_number(name: Option<&str>, number: u16) -> Cow<'_, str> {
    name.map_or_else(|| Cow::Owned(format!("#{number}")), Cow::Borrowed)
}
