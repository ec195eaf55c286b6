//! What the tool itself prints of the calls, beside what the calls say.

use crate::exact::Exact;
use crate::survey::{Label, Survey};
use record::ToldFigure;
use terms::Nanos;

/// Percentiles of JMeter's dashboard, as `reportgenerator.properties` has them.
const JMETER: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

/// What JMeter's dashboard prints: each label's last 20,000 samples, failed ones too, by type 6 of Hyndman and Fan.
pub(crate) fn jmeter(survey: &Survey, names: &[String], unit: Nanos) -> Vec<ToldFigure> {
    let labels = survey.labels.iter().zip(names).map(|(label, name)| (label, name.as_str()));
    let whole = (survey.labels.len() > 1).then_some((&survey.all, ""));
    let of = |(label, name): (&Label, &str)| {
        let seen = label.last.counts();
        let figure = |quantile| figure(name, quantile, seen.type_6(quantile)?, &label.exact, seen.total(), unit);
        JMETER.into_iter().filter_map(figure).collect::<Vec<_>>()
    };
    labels.chain(whole).flat_map(of).collect()
}

/// Percentiles of k6's summary.
const K6: [f64; 3] = [0.5, 0.9, 0.95];

/// What k6's summary prints: of all requests together, by type 7 of Hyndman and Fan.
pub(crate) fn k6(survey: &Survey, unit: Nanos) -> Vec<ToldFigure> {
    let exact = &survey.all.exact;
    K6.into_iter()
        .filter_map(|quantile| figure("", quantile, exact.type_7(quantile)?, exact, exact.total(), unit))
        .collect()
}

/// A figure with what all times say of the same; `None` where they are not all known.
fn figure(name: &str, quantile: f64, said: f64, exact: &Exact, of: u64, unit: Nanos) -> Option<ToldFigure> {
    let millis = |value: f64| value * unit.as_millis_f64();
    Some(ToldFigure {
        exchange: name.to_owned(),
        quantile,
        said_ms: millis(said),
        data_ms: millis(exact.nearest_rank(quantile)?),
        of,
        calls: exact.total(),
    })
}
