//! A watched series in one scenario: its points, its level before and under load, its bound, its unit for readers.

use crate::in_unit::InUnit;
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use contract::Role;
use judge::Arg;
use judge::assess;
use judge::bottleneck::limits;
use judge::evaluate::metric_kind;
use judge::views::MetricView;
use terms::{Nanos, Phase};

/// A series as one scenario saw it, values in the monitor's own unit.
pub(crate) struct Series<'a> {
    /// The series of the whole run.
    pub view: &'a MetricView,
    /// Seconds since the scenario began.
    pub points: Vec<(f64, Option<f64>)>,
    /// Values of the judged parts.
    pub held: Vec<f64>,
    /// Samples of the judged parts that should have come and did not.
    pub held_missing: usize,
    /// Mean of the phase without load, when there was one with enough samples.
    pub idle: Option<f64>,
    /// The bound that the monitor names: another of its series, or the whole of a share.
    pub ceiling: Option<f64>,
}

impl<'a> Series<'a> {
    /// A series in a scenario.
    pub(crate) fn of(cx: &Context<'a>, scenario: &ScenarioContext<'_>, view: &'a MetricView) -> Self {
        let samples: Vec<(Nanos, Option<f64>)> = within(scenario, view).collect();
        let in_phase = |phase: Phase| {
            let steps: Vec<_> = scenario.steps.iter().filter(|(step, _)| step.phase == phase).collect();
            // The sample at a phase's end belongs to the next one as well; before the load it would bring the load in.
            let is_in = move |at: Nanos| {
                steps
                    .iter()
                    .any(|(step, _)| step.from <= at && (at < step.to || (phase == Phase::Hold && at == step.to)))
            };
            samples.iter().filter(move |(at, _)| is_in(*at)).filter_map(|(_, value)| *value).collect::<Vec<f64>>()
        };
        let idle = in_phase(Phase::Idle);
        let is_held = |at: Nanos| scenario.holds().any(|(step, _)| step.from <= at && at <= step.to);
        Self {
            view,
            held: in_phase(Phase::Hold),
            held_missing: samples.iter().filter(|(at, value)| is_held(*at) && value.is_none()).count(),
            idle: (idle.len() >= limits::IDLE_SAMPLES).then(|| mean(&idle)),
            ceiling: ceiling(cx, view),
            points: samples.iter().map(|(at, value)| (scenario.since(*at), *value)).collect(),
        }
    }

    /// All values that there are.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.points.iter().filter_map(|point| point.1)
    }

    /// Whether it never changed; also when there is no value at all.
    pub(crate) fn is_constant(&self) -> bool {
        let mut values = self.values();
        let Some(first) = values.next() else { return true };
        values.all(|value| value == first)
    }

    /// Mean of the judged parts.
    pub(crate) fn mean(&self) -> Option<f64> {
        (!self.held.is_empty()).then(|| mean(&self.held))
    }

    /// Mean of the values between two moments, seconds since the scenario began.
    pub(crate) fn mean_between(&self, (from, to): (f64, f64)) -> Option<f64> {
        let inside = self.points.iter().filter(|point| from <= point.0 && point.0 <= to);
        let values: Vec<f64> = inside.filter_map(|point| point.1).collect();
        (!values.is_empty()).then(|| mean(&values))
    }

    /// Greatest value of the judged parts.
    pub(crate) fn max(&self) -> Option<f64> {
        self.held.iter().copied().reduce(f64::max)
    }

    /// When the greatest value of the judged parts was seen, seconds since the scenario began.
    pub(crate) fn moment_of_max(&self) -> Option<f64> {
        let max = self.max()?;
        self.points.iter().find(|point| point.1 == Some(max)).map(|point| point.0)
    }

    /// How many times its own mean the greatest value is.
    pub(crate) fn peak_factor(&self) -> Option<f64> {
        let mean = self.mean()?;
        (mean > 0.0).then_some(self.max()? / mean)
    }

    /// How far the greatest value is above the mean, in the series' own unit.
    pub(crate) fn peak_height(&self) -> Option<f64> {
        Some(self.max()? - self.mean()?)
    }

    /// Part of the bound that the greatest value reached.
    pub(crate) fn part_of_ceiling(&self) -> Option<f64> {
        let ceiling = self.ceiling.filter(|ceiling| *ceiling > 0.0)?;
        Some(self.max()? / ceiling)
    }
}

/// Arithmetic mean; zero of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Samples of a scenario.
pub(crate) fn within<'a>(
    scenario: &ScenarioContext<'_>,
    view: &'a MetricView,
) -> impl Iterator<Item = (Nanos, Option<f64>)> + 'a {
    let (from, to) = (scenario.from, scenario.to);
    view.points.iter().copied().filter(move |(at, _)| from <= *at && *at <= to)
}

fn ceiling(cx: &Context<'_>, view: &MetricView) -> Option<f64> {
    let metric = view.monitor.metrics.get(view.metric)?;
    if let Some(name) = &metric.ceiling {
        let bound = cx.input.views.metrics.iter().find(|other| {
            other.monitor.name == view.monitor.name && other.instance == view.instance && metric_name(other) == name
        })?;
        return bound.points.iter().filter_map(|point| point.1).reduce(f64::max);
    }
    (metric.unit == "share").then_some(1.0)
}

/// `cpu`
pub(crate) fn metric_name(view: &MetricView) -> &str {
    view.monitor.metrics.get(view.metric).map_or("", |metric| metric.name.as_str())
}

/// What the metric measures, where it has a role.
pub(crate) fn metric_role(view: &MetricView) -> Option<Role> {
    view.monitor.metrics.get(view.metric)?.role()
}

/// The unit as the monitor states it.
pub(crate) fn metric_unit(view: &MetricView) -> &str {
    view.monitor.metrics.get(view.metric).map_or("", |metric| metric.unit.as_str())
}

fn is_rate(view: &MetricView) -> bool {
    view.monitor.metrics.get(view.metric).and_then(|metric| metric.of.as_deref()) == Some("one second")
}

/// Whether replicas whose levels of a metric lie so far apart differ by what matters.
pub(crate) fn differ(view: &MetricView, difference: f64) -> bool {
    assess::replicas_differ(difference, metric_kind(metric_unit(view)), is_rate(view))
}

/// Factor from a series' own unit to that of an axis, and the axis' unit, for values up to `greatest`.
pub(crate) fn axis_unit(cx: &Context<'_>, view: &MetricView, greatest: f64) -> (f64, String) {
    let (factor, unit) = match metric_unit(view) {
        // Half of it, so that ticks are not fractions of one.
        "bytes" => {
            let (size, sign) = cx.m.numbers.byte_unit(greatest / 2.0);
            (1.0 / size, sign)
        }
        "share" => return (100.0, "%".to_owned()),
        "cores" => return (1.0, say!(cx.m, "unit-cores")),
        "s" if greatest < 1.0 => (1e3, "ms"),
        "count" => (1.0, ""),
        other => (1.0, other),
    };
    (factor, if is_rate(view) { format!("{unit}/s") } else { unit.to_owned() })
}

/// A value of a series in words, with its unit.
pub(crate) fn quantity(cx: &Context<'_>, view: &MetricView, value: f64) -> String {
    quantity_beside(cx, view, value, value)
}

/// The same in the unit of what stands beside it, the greatest of one row or sentence.
pub(crate) fn quantity_beside(cx: &Context<'_>, view: &MetricView, value: f64, greatest: f64) -> String {
    let numbers = cx.m.numbers;
    let text = match metric_unit(view) {
        "bytes" => InUnit::beside(numbers, "bytes", value, greatest).shown(value),
        "share" => numbers.share(value),
        "cores" => numbers.arg(&Arg::Cores(value)),
        "s" => InUnit::beside(numbers, "ms", value * 1e3, greatest * 1e3).shown(value * 1e3),
        "/s" => return numbers.per_second(value),
        _ if value.fract() == 0.0 => numbers.count(value),
        _ => numbers.value(value),
    };
    if is_rate(view) { format!("{text}/s") } else { text }
}
