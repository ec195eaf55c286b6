//! What the tool itself prints of the calls, beside what the calls say, and why the two differ.

use crate::block::Label;
use crate::printed::{Figure, Printed};
use crate::request::label_text;
use crate::survey::Survey;
use crate::tool::Tool;
use record::ToldFigure;
use terms::Nanos;

/// Percentiles that readers look for. JMeter's dashboard has them all, as `reportgenerator.properties` sets them.
const LOOKED_FOR: [f64; 4] = [0.5, 0.9, 0.95, 0.99];
/// Percentiles of k6's summary.
const K6: [f64; 3] = [0.5, 0.9, 0.95];
/// Figures that differ by less are printed with fewer digits, and are the same.
const SAME: f64 = 0.006;

/// All calls of a run, and how its tool counts them.
pub(crate) struct Told<'a> {
    pub(crate) survey: &'a Survey,
    /// Names of the labels, in their order.
    pub(crate) names: &'a [String],
    pub(crate) unit: Nanos,
    pub(crate) tool: Tool,
}

impl Told<'_> {
    /// What files say that the tool has printed; where they do not have a percentile that readers look for, what the tool
    /// would print by its own rule, or that it does not print it.
    pub(crate) fn figures(&self, printed: &[Printed]) -> Vec<ToldFigure> {
        let mut figures: Vec<ToldFigure> = printed.iter().map(|printed| self.printed(printed)).collect();
        let labels = self.survey.labels.iter().zip(self.names).map(|(label, name)| (label, name.as_str()));
        let is_told = |name: &str, figures: &[ToldFigure]| figures.iter().any(|figure| figure.exchange == name);
        let by_label = self.tool == Tool::JMeter && printed.is_empty();
        let own: Vec<(&Label, &str)> = labels.filter(|(_, name)| by_label || is_told(name, &figures)).collect();
        // One label alone is all of them.
        let whole = (!by_label || self.survey.labels.len() > 1).then_some((&self.survey.all, ""));
        for (label, name) in own.into_iter().chain(whole) {
            let is_there = |quantile: &f64| {
                let is_it = |figure: &ToldFigure| {
                    figure.exchange == name && figure.figure.is_empty() && (figure.quantile - quantile).abs() < 1e-9
                };
                figures.iter().any(is_it)
            };
            let missing: Vec<f64> = LOOKED_FOR.into_iter().filter(|quantile| !is_there(quantile)).collect();
            figures.extend(
                missing.into_iter().filter_map(|quantile| self.unprinted(name, quantile, label, printed.is_empty())),
            );
        }
        figures
    }

    /// A percentile that no file has: by the tool's own rule where it would print it, else that it does not.
    ///
    /// JMeter's dashboard takes each label's last 20,000 samples, failed ones too, by type 6 of Hyndman and Fan.
    fn unprinted(&self, name: &str, quantile: f64, label: &Label, is_without_file: bool) -> Option<ToldFigure> {
        let why = match self.tool {
            Tool::JMeter => return self.computed(name, quantile, label),
            Tool::K6 if K6.contains(&quantile) => return self.computed(name, quantile, label),
            // Its report has percentiles, by a sketch that the calls alone do not tell.
            Tool::Gatling if is_without_file => "no_file",
            Tool::K6 | Tool::Wrk2 | Tool::Gatling => "not_printed",
            // Locust's times are in none of its files, and nothing else prints any.
            Tool::Locust | Tool::Hdr | Tool::AccessLog => return None,
        };
        let data = self.millis(label.exact.nearest_rank(quantile)?);
        Some(ToldFigure {
            exchange: name.to_owned(),
            quantile,
            said: None,
            data: Some(data),
            calls: label.exact.total(),
            why: why.into(),
            ..ToldFigure::default()
        })
    }

    fn computed(&self, name: &str, quantile: f64, label: &Label) -> Option<ToldFigure> {
        let (said, of) = self.as_the_tool(quantile, label)?;
        let data = label.exact.nearest_rank(quantile)?;
        let (said, data) = (self.millis(said), self.millis(data));
        let why = if is_same(said, data) { "" } else { self.usual_reason(of, label) };
        Some(ToldFigure {
            exchange: name.to_owned(),
            quantile,
            said: Some(said),
            data: Some(data),
            of,
            calls: label.exact.total(),
            why: why.into(),
            ..ToldFigure::default()
        })
    }

    /// A percentile by the tool's own rule, and of how many calls; `None` where its rule is not known, or not all times are.
    fn as_the_tool(&self, quantile: f64, label: &Label) -> Option<(f64, u64)> {
        match self.tool {
            Tool::JMeter => {
                let last = label.last.counts();
                Some((last.type_6(quantile)?, last.total()))
            }
            Tool::K6 => Some((label.exact.type_7(quantile)?, label.exact.total())),
            _ => None,
        }
    }

    fn usual_reason(&self, of: u64, label: &Label) -> &'static str {
        if of < label.exact.total() { "last_calls" } else { "interpolated" }
    }

    fn printed(&self, printed: &Printed) -> ToldFigure {
        let place = self.survey.labels.iter().position(|label| label.text == printed.label);
        let label = if printed.label.is_empty() {
            Some(&self.survey.all)
        } else {
            place.map(|place| &self.survey.labels[place])
        };
        let exchange = match place {
            Some(place) if !printed.label.is_empty() => self.names[place].clone(),
            _ => label_text(&printed.label),
        };
        let (figure, quantile) = match printed.figure {
            Figure::Quantile(quantile) => ("", quantile),
            Figure::Mean => ("mean", 0.0),
            Figure::Min => ("min", 0.0),
            Figure::Max => ("max", 0.0),
            Figure::Calls => ("calls", 0.0),
            Figure::Failed => ("failed", 0.0),
        };
        let calls = label.map_or(0, |label| label.calls + label.sums);
        let data = label.and_then(|label| self.data(printed.figure, label));
        let (why, of) = self.reason(printed, label, data);
        ToldFigure {
            exchange,
            figure: figure.into(),
            quantile,
            said: Some(rounded(printed.value)),
            data,
            of,
            calls,
            file: printed.file.clone(),
            why: why.into(),
        }
    }

    fn data(&self, figure: Figure, label: &Label) -> Option<f64> {
        let exact = &label.exact;
        match figure {
            Figure::Calls => Some((label.calls + label.sums) as f64),
            Figure::Failed => Some(label.failed as f64),
            Figure::Quantile(quantile) => exact.nearest_rank(quantile).map(|value| self.millis(value)),
            Figure::Mean => exact.mean().map(|value| self.millis(value)),
            Figure::Min => exact.nearest_rank(0.0).map(|value| self.millis(value)),
            Figure::Max => exact.nearest_rank(1.0).map(|value| self.millis(value)),
        }
    }

    /// Why a figure differs from the calls', and of how many calls it was made; nothing where it does not.
    fn reason(&self, printed: &Printed, label: Option<&Label>, data: Option<f64>) -> (&'static str, u64) {
        let Some(label) = label else { return ("no_calls", 0) };
        let all = label.exact.total();
        let Some(data) = data else { return ("no_times", label.calls + label.sums) };
        let is_count = matches!(printed.figure, Figure::Calls | Figure::Failed);
        let own = match printed.figure {
            Figure::Quantile(quantile) => self.as_the_tool(quantile, label),
            _ => None,
        };
        let of = own.map_or(if is_count { label.calls + label.sums } else { all }, |(_, of)| of);
        if is_same(printed.value, data) {
            return ("", of);
        }
        if is_count {
            return ("other_calls", of);
        }
        if own.is_some_and(|(value, _)| is_same(printed.value, self.millis(value))) {
            return (self.usual_reason(of, label), of);
        }
        // Whole milliseconds and two digits are what tools round to.
        if (printed.value - data).abs() <= 1.0 || is_rounded(printed.value, data) {
            return ("rounded", of);
        }
        let is_sketch = self.tool == Tool::Gatling && matches!(printed.figure, Figure::Quantile(_));
        (if is_sketch { "sketch" } else { "unknown" }, of)
    }

    /// Milliseconds.
    fn millis(&self, value: f64) -> f64 {
        rounded(value * self.unit.as_millis_f64())
    }
}

/// To the nanosecond: what stands behind it is left of sums of fractions.
fn rounded(millis: f64) -> f64 {
    (millis * 1e6).round() / 1e6
}

fn is_same(said: f64, data: f64) -> bool {
    (said - data).abs() <= SAME.max(1e-6 * data.abs())
}

/// Whether the one is the other with two digits.
fn is_rounded(said: f64, data: f64) -> bool {
    if data <= 0.0 {
        return false;
    }
    let step = 10f64.powf(data.log10().floor() - 1.0);
    (said - data).abs() <= step / 2.0 + 1e-9 && (said / step - (said / step).round()).abs() < 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_are_known_as_such() {
        for (said, data, expected) in
            [(150.0, 147.0, true), (3400.0, 3432.0, true), (3500.0, 3432.0, false), (151.0, 147.0, false)]
        {
            assert_eq!(is_rounded(said, data), expected, "{said} of {data}");
        }
    }
}
