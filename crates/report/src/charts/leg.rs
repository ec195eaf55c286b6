//! One leg of an exchange in one scenario: what every figure of times is about.

use super::Words;
use crate::input::{Context, ScenarioContext, leg_title};
use crate::limits::Limit;
use crate::messages::say;
use crate::number::Numbers;
use crate::svg::Stroke;
use judge::Times;
use judge::assess;
use judge::views::{LegView, PopulationView};
use terms::{Histogram, Nanos, Phase};

/// The main line of a figure of times.
pub(super) const RESPONSE: Stroke = Stroke::solid("blue", 2.0);
/// Lines of a scenario's other repetitions, beside that of its first.
pub(super) const AGAIN: [Stroke; 3] = [
    Stroke::dashed("vermillion", 1.5, "6 3"),
    Stroke::dashed("green", 1.5, "3 3"),
    Stroke::dashed("purple", 1.5, "1 3"),
];

/// A leg with its limits.
pub(crate) struct LegFigures<'c, 'a> {
    pub cx: &'c Context<'a>,
    pub scenario: &'c ScenarioContext<'a>,
    pub exchange: &'c str,
    pub leg: &'c str,
    /// Least first.
    pub limits: &'c [Limit],
}

impl<'a> LegFigures<'_, 'a> {
    /// Says a message about this leg: what, scenario and measure are filled in.
    pub(super) fn what(&self, key: &str) -> String {
        let what = leg_title(self.exchange, self.leg);
        let measure = self.scenario.measure();
        say!(self.cx.m, key, what = &what, scenario = self.scenario.name, measure = measure)
    }

    /// Title of an axis of times.
    pub(super) fn axis(&self, key: &str) -> String {
        say!(self.cx.m, key, measure = self.scenario.measure())
    }

    /// How numbers are written.
    pub(super) fn numbers(&self) -> Numbers {
        self.cx.m.numbers
    }

    /// A limit as it was given; one on service times says so where response times are drawn.
    pub(super) fn limit_label(&self, limit: &Limit) -> String {
        let given = self.numbers().given_seconds(limit.ms / 1e3);
        match limit.is_service && !self.scenario.is_closed {
            true => say!(self.cx.m, "label-limit-service", limit = &given),
            false => given,
        }
    }

    /// Words of a figure of this leg, with the findings of these rules.
    pub(super) fn words(&self, anchor: &str, subject: &str, rules: &[&str]) -> Words {
        Words {
            anchor: anchor.to_owned(),
            subject: self.what(subject),
            findings: self.cx.findings_on(self.scenario.name, Some(self.exchange), rules),
            ..Words::default()
        }
    }

    /// All that succeeded in the holds of the scenario.
    pub(super) fn held(&self) -> PopulationView {
        held_in(self.scenario, self.exchange, self.leg)
    }

    /// The same of the scenario's other repetitions, with their names; those without a call are left out.
    pub(super) fn held_again(&self) -> Vec<(&'a str, PopulationView)> {
        let all = self.cx.repetitions_of(self.scenario).into_iter();
        let all = all.map(|other| (other.repetition(), held_in(&other, self.exchange, self.leg)));
        all.filter(|(_, held)| assess::has_histogram(held.times().total())).take(AGAIN.len()).collect()
    }

    /// How the scenario's own line is named among its repetitions; empty where there are none.
    pub(super) fn own_name(&self, again: &[(&str, PopulationView)]) -> &'a str {
        if again.is_empty() { "" } else { self.scenario.repetition() }
    }

    /// Statistics of the only hold, with its intervals; with several holds there is none that belongs to them together.
    pub(super) fn held_times(&self) -> Option<&'a Times> {
        let is_here = |step: &judge::views::StepView| step.exchanges.iter().any(|found| found.name == self.exchange);
        let mut holds = self.scenario.holds().filter(|(step, _)| is_here(step));
        let (step, result) = holds.next()?;
        if holds.next().is_some() {
            return None;
        }
        // Both list what the step carries out, in the order of its numbers.
        let place = step.exchanges.iter().position(|found| found.name == self.exchange)?;
        let exchange = result?.exchanges.get(place)?;
        let leg = exchange.legs.iter().find(|found| found.id == self.leg && found.outcome == "ok")?;
        leg.response.as_ref().or(leg.service.as_ref())
    }
}

fn held_in(scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> PopulationView {
    let mut all = PopulationView::default();
    for (step, _, view) in scenario.leg_views(exchange, leg) {
        if step.phase == Phase::Hold {
            all.response.merge(&view.ok.response);
            all.service.merge(&view.ok.service);
            all.count += view.ok.count;
        }
    }
    all
}

/// A quantile in milliseconds; zero of nothing.
pub(super) fn quantile_ms(times: &Histogram, quantile: f64) -> f64 {
    times.quantile(quantile).map_or(0.0, Nanos::as_millis_f64)
}

/// Milliseconds of a time, where there is one.
pub(super) fn ms(time: Option<Nanos>) -> Option<f64> {
    time.map(Nanos::as_millis_f64)
}

/// Whether a leg has any time in a hold.
pub(crate) fn has_times(scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> bool {
    let has = |view: &LegView| view.ok.times().total() > 0;
    scenario.leg_views(exchange, leg).iter().any(|(step, _, view)| step.phase == Phase::Hold && has(view))
}
