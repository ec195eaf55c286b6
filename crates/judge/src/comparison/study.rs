//! The comparisons that a study asks for: scenarios, steps and recorded runs against each other.

use super::circumstances::{Circumstances, differences, forbid_between_stores, validity};
use super::family::judge_together;
use super::rows::{FAILED_BAND, Terms, blank, not_comparable, reason, sums, times, values};
use super::runs::{FORBIDDING, unit_of};
use super::shares::share;
use super::sides::{Replicate, RunIndex, Timing, replicates};
use super::{Baseline, Comparison, Difference, Pair, Recorded, Row, RowVerdict, Side};
use crate::Scope;
use crate::evaluate::Evaluator;
use crate::evidence::StepSpan;
use crate::figures::{Ends, Figures, LeftOut, Selection, Unfinished, width};
use crate::judgement::Arg;
use crate::limits::asked_by;
use crate::rows::{joined, metric_number, seconds_touched, seconds_within, with_ceiling};
use record::Head;
use stats::bootstrap::Statistic as Measure;
use study::rule::CompareOf;
use study::rule::{Expression, Function, Statistic, Subject, What};
use study::{Compare, CompareSide, Study};
use terms::Outcome;

/// Carries out every comparison of a study on a run.
pub(crate) fn of_study(study: &Study, own: Recorded<'_>, baselines: &[Baseline]) -> Vec<Comparison> {
    if study.compare.is_empty() {
        return Vec::new();
    }
    let own = RunIndex::new(own);
    study.compare.iter().map(|compare| of_one(study, compare, &own, baselines)).collect()
}

/// The rows of one statistic of two scenarios of a run, as a comparison with the usual band would have them.
pub(crate) fn within_run(study: &Study, own: &RunIndex<'_>, of: &CompareOf, base: usize, other: usize) -> Vec<Row> {
    let terms = Terms { band: stats::compare::USUAL_BAND, seed: own.index.head().seed };
    let [base, other] = [base, other].map(|number| in_own(study, own, &CompareSide::Scenario(number)));
    let mut rows = rows_of(of, &base, &other, own.index.head(), terms);
    tell_what_forbids(&mut rows, &circumstances(&base, &other, None, &[]));
    rows
}

/// The mean time of one exchange in two scenarios of a run: the row that `compare` would have of it.
pub(crate) fn mean_within(study: &Study, own: &RunIndex<'_>, exchange: u16, base: usize, other: usize) -> Option<Row> {
    let terms = Terms { band: stats::compare::USUAL_BAND, seed: own.index.head().seed };
    let [base, other] = [base, other].map(|number| in_own(study, own, &CompareSide::Scenario(number)));
    let head = own.index.head().exchanges.get(usize::from(exchange))?;
    let leg = &head.legs.first()?.name;
    let legs = |found: &Found<'_, '_>| {
        let of = |replicate: &Replicate<'_, '_>| replicate.leg(&head.name, leg, Timing::Response);
        found.replicates.iter().filter_map(of).collect::<Vec<_>>()
    };
    let row = blank(format!("mean({})", head.name), "mean", &head.name, &scope(&base), "ms");
    let mut rows = [times(row, &legs(&base), &legs(&other), Measure::Mean, terms)];
    tell_what_forbids(&mut rows, &circumstances(&base, &other, None, &[]));
    let [row] = rows;
    Some(row)
}

/// One side: where its repetitions are, and how it is called.
struct Found<'k, 'a> {
    side: Side,
    /// Its scenario's name.
    scenario: String,
    replicates: Vec<Replicate<'k, 'a>>,
}

impl<'k, 'a> Found<'k, 'a> {
    /// The holds of one part; all of them for `None`.
    fn of_part(&self, part: Option<&str>) -> Found<'k, 'a> {
        let mut replicates = self.replicates.clone();
        if let Some(part) = part {
            for replicate in &mut replicates {
                let index = &replicate.known.index;
                let is_ours = |step: &&StepSpan| {
                    index.planned_step(step).and_then(|planned| index.head().part_of(planned)) == Some(part)
                };
                replicate.steps.retain(is_ours);
            }
            replicates.retain(|replicate| !replicate.steps.is_empty());
        }
        Found { side: self.side.clone(), scenario: self.scenario.clone(), replicates }
    }
}

fn of_one(study: &Study, compare: &Compare, own: &RunIndex<'_>, baselines: &[Baseline]) -> Comparison {
    let terms = Terms { band: compare.band, seed: own.index.head().seed };
    let run = match &compare.base {
        CompareSide::Run(id) => baselines.iter().find(|baseline| baseline.id == *id),
        _ => None,
    };
    let recorded = run.and_then(|baseline| baseline.found.as_ref().ok());
    let there = recorded.map(|(evidence, study)| RunIndex::new(Recorded { evidence, study }));
    let pair = |other: &CompareSide| {
        let found = in_own(study, own, other);
        let base = match (&compare.base, &there) {
            (CompareSide::Run(id), there) => in_run(id, there.as_ref(), &found.scenario, step_of(other)),
            (side, _) => in_own(study, own, side),
        };
        let forbidding = if there.is_some() { &FORBIDDING[..] } else { &[] };
        let found_differences = circumstances(&base, &found, there.as_ref().map(|there| (there, own)), forbidding);
        let mut rows: Vec<Row> =
            compare.of.iter().flat_map(|of| rows_of(of, &base, &found, own.index.head(), terms)).collect();
        tell_what_forbids(&mut rows, &found_differences);
        if let CompareSide::Run(id) = &compare.base
            && there.is_none()
        {
            let why = run.and_then(|baseline| baseline.found.as_ref().err()).map_or_else(String::new, Clone::clone);
            missing_baseline(&mut rows, id, &why);
        }
        judge_together(&mut rows);
        (base.side, Pair { other: found.side, differences: found_differences, rows })
    };
    let pairs: Vec<(Side, Pair)> = compare.against.iter().map(pair).collect();
    let label = |side: &CompareSide| match side {
        CompareSide::Run(id) => id.clone(),
        CompareSide::Scenario(number) => study.scenarios[*number].name.clone(),
        CompareSide::Step { scenario, step } => format!("{}/{step}", study.scenarios[*scenario].name),
    };
    let base = pairs.first().map(|(base, _)| Side { label: label(&compare.base), ..base.clone() });
    Comparison {
        name: compare.name.clone(),
        band: compare.band,
        base: base.unwrap_or_default(),
        pairs: pairs.into_iter().map(|(_, pair)| pair).collect(),
    }
}

fn in_own<'k, 'a>(study: &Study, own: &'k RunIndex<'a>, side: &CompareSide) -> Found<'k, 'a> {
    let (scenario, step) = match side {
        CompareSide::Scenario(number) => (study.scenarios[*number].name.clone(), None),
        CompareSide::Step { scenario, step } => (study.scenarios[*scenario].name.clone(), Some(step.as_str())),
        CompareSide::Run(_) => (String::new(), None),
    };
    let replicates = replicates(own, &scenario, step, None);
    let label = step.map_or_else(|| scenario.clone(), |step| format!("{scenario}/{step}"));
    let side = Side {
        label,
        runs: vec![own.id().to_owned()],
        scenario: Some(scenario.clone()),
        replicates: replicates.len() as u32,
    };
    Found { side, scenario, replicates }
}

fn step_of(side: &CompareSide) -> Option<&str> {
    match side {
        CompareSide::Step { step, .. } => Some(step),
        _ => None,
    }
}

/// The same scenario of a recorded run, and the same step where one is compared.
fn in_run<'k, 'a>(id: &str, there: Option<&'k RunIndex<'a>>, scenario: &str, step: Option<&str>) -> Found<'k, 'a> {
    let replicates = there.map(|there| replicates(there, scenario, step, None)).unwrap_or_default();
    let side = Side {
        label: id.to_owned(),
        runs: vec![id.to_owned()],
        scenario: Some(scenario.to_owned()),
        replicates: replicates.len() as u32,
    };
    Found { side, scenario: scenario.to_owned(), replicates }
}

/// Within one run only what was asked of it differs, on purpose: it is listed and forbids nothing. Against another run
/// the same must have been asked.
fn circumstances(
    base: &Found<'_, '_>,
    other: &Found<'_, '_>,
    runs: Option<(&RunIndex<'_>, &RunIndex<'_>)>,
    forbidding: &[&str],
) -> Vec<Difference> {
    let of = |found: &Found<'_, '_>| {
        let known = found.replicates.first().map(|replicate| replicate.known);
        known.map(|known| Circumstances::of_scenario(known.index.head(), &found.scenario, None)).unwrap_or_default()
    };
    let (mut before, mut after) = (of(base), of(other));
    if let Some((there, own)) = runs {
        let of_run = |known: &RunIndex<'_>| Circumstances::of_run(known.index.head(), known.study);
        (before, after) = (before.with(of_run(there)), after.with(of_run(own)));
    }
    let is_any = !base.replicates.is_empty() && !other.replicates.is_empty();
    if !is_any {
        return Vec::new();
    }
    let mut found = differences(&before, &after, forbidding);
    if let Some((there, own)) = runs {
        forbid_between_stores(&mut found, &[there.index.head(), own.index.head()]);
    }
    found.extend(validity(None, &base.replicates, &other.replicates));
    found.sort_by_key(|difference| !difference.forbids);
    found
}

fn tell_what_forbids(rows: &mut [Row], found: &[Difference]) {
    let forbidden = not_comparable(found.iter().filter(|difference| difference.forbids));
    let is_questionable = found.iter().any(|difference| difference.aspect == "validity" && !difference.forbids);
    for row in rows {
        if let Some(why) = &forbidden {
            row.verdict = RowVerdict::NotComparable;
            row.reason = why.clone();
            row.runs_needed = None;
        } else if is_questionable && row.verdict == RowVerdict::Equivalent {
            row.verdict = RowVerdict::CannotTell;
            row.reason = reason("compared_questionable", []);
        }
    }
}

fn missing_baseline(rows: &mut [Row], id: &str, why: &str) {
    for row in rows {
        row.verdict = RowVerdict::NotComparable;
        let args = [("run", Arg::Text(id.to_owned())), ("why", Arg::Text(why.to_owned()))];
        row.reason = reason("compared_baseline", args);
    }
}

/// The rows of one statistic: one for each exchange that it names.
fn rows_of(of: &CompareOf, base: &Found<'_, '_>, other: &Found<'_, '_>, head: &Head, terms: Terms) -> Vec<Row> {
    let statistic = &of.statistic;
    let Subject::Exchanges { exchanges, leg, what } = &statistic.series.subject else {
        return vec![metric_row(of, base, other, terms)];
    };
    let one = |number: &u16| {
        let exchange = head.exchanges.get(usize::from(*number))?;
        let leg = exchange.legs.get(usize::from(leg.unwrap_or(0)))?;
        let id = if exchanges.len() > 1 { format!("{} {}", of.text, exchange.name) } else { of.text.clone() };
        let subject =
            if leg.name == "answer" { exchange.name.clone() } else { format!("{} · {}", exchange.name, leg.name) };
        let row = blank(id, &word(statistic.function), &subject, &scope(base), "");
        Some(exchange_row(row, of, (&exchange.name, &leg.name, *what), base, other, terms))
    };
    exchanges.iter().filter_map(one).collect()
}

/// `p95` and the like, as rows name them.
fn word(function: Function) -> String {
    match function {
        Function::Percentile(quantile) => format!("p{}", (quantile * 1e6).round() / 1e4),
        function => format!("{function:?}").to_lowercase(),
    }
}

fn scope(found: &Found<'_, '_>) -> Scope {
    Scope::whole(&found.scenario)
}

fn exchange_row(
    mut row: Row,
    of: &CompareOf,
    (exchange, leg, what): (&str, &str, What),
    base: &Found<'_, '_>,
    other: &Found<'_, '_>,
    terms: Terms,
) -> Row {
    let statistic = &of.statistic;
    let (base, other) = (&base.of_part(of.part.as_deref()), &other.of_part(of.part.as_deref()));
    let timing = if what == What::Service { Timing::Service } else { Timing::Response };
    let legs = |found: &Found<'_, '_>| {
        found.replicates.iter().filter_map(|replicate| replicate.leg(exchange, leg, timing)).collect::<Vec<_>>()
    };
    let measure = match statistic.function {
        Function::Mean => Some(Measure::Mean),
        Function::Percentile(quantile) if quantile > 0.0 && quantile < 1.0 => Some(Measure::Quantile(quantile)),
        _ => None,
    };
    let is_of_times = matches!(what, What::Itself | What::Response | What::Service);
    let is_plain = statistic.of.is_none() && statistic.condition.is_none() && statistic.conditions.is_empty();
    if let Some(measure) = measure.filter(|_| is_of_times && is_plain) {
        row.unit = "ms".into();
        return times(row, &legs(base), &legs(other), measure, terms);
    }
    if statistic.function == Function::Share && what == What::Failed && is_plain {
        row.unit = "share".into();
        return share(row, &legs(base), &legs(other), (FAILED_BAND, terms.seed));
    }
    if statistic.function == Function::Rate && matches!(what, What::Outcome(Outcome::Ok)) && is_plain {
        row.unit = "per_s".into();
        let ended = |found: &Found<'_, '_>| {
            found.replicates.iter().map(|replicate| replicate.succeeded(exchange, leg)).collect::<Vec<_>>()
        };
        return sums(row, &ended(base), &ended(other), Measure::PerSecond, 0.0, false, terms);
    }
    evaluated(row, of, Some(exchange), base, other, terms)
}

/// A watched series: its level belongs to a run, so only repetitions tell anything.
fn metric_row(of: &CompareOf, base: &Found<'_, '_>, other: &Found<'_, '_>, terms: Terms) -> Row {
    let statistic = &of.statistic;
    let row = blank(of.text.clone(), &word(statistic.function), &statistic.series.text, &scope(base), "number");
    evaluated(row, of, None, base, other, terms)
}

/// Any other statistic, as rules evaluate it, one value for each repetition.
fn evaluated(
    mut row: Row,
    of: &CompareOf,
    exchange: Option<&str>,
    base: &Found<'_, '_>,
    other: &Found<'_, '_>,
    terms: Terms,
) -> Row {
    let values_of = |found: &Found<'_, '_>| {
        found.replicates.iter().filter_map(|replicate| value(replicate, of, exchange)).collect::<Vec<_>>()
    };
    let (before, after) = (values_of(base), values_of(other));
    if let Some((unit, _)) = before.first().or(after.first()) {
        row.unit = (*unit).to_owned();
    }
    let plain = |side: Vec<(&'static str, f64)>| side.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
    values(row, &plain(before), &plain(after), terms)
}

/// The value of a statistic in one repetition, with its unit.
fn value(replicate: &Replicate<'_, '_>, of: &CompareOf, exchange: Option<&str>) -> Option<(&'static str, f64)> {
    let index = &replicate.known.index;
    let head = index.head();
    let scenario = replicate.steps.first()?.scenario;
    // Numbers of exchanges are the study's; another run may have others.
    let exchange = match exchange {
        Some(name) => Some(u16::try_from(head.exchanges.iter().position(|known| known.name == name)?).ok()?),
        None => None,
    };
    // Numbers of parts are those of the base's scenario.
    let part = of
        .part
        .as_ref()
        .and_then(|name| head.scenarios.get(scenario)?.parts.iter().position(|part| part.name == *name));
    let named = named(&of.statistic, exchange, part);
    let mut figures = Figures::new(head, scenario, &asked_by(&of.rule));
    figures.part = part;
    figures.breaks_off = Unfinished::of(index);
    figures.left_out = LeftOut::of(index.evidence);
    let moments = joined(replicate.steps.iter().map(|step| step.from..step.to));
    figures.seconds = moments.iter().map(|span| (span.end - span.start).as_secs_f64()).sum();
    let steps = replicate.numbers();
    let all = index.steps_of_part(scenario, part).map(|step| step.number).collect();
    // What is not known to lie within a step makes none of its rates.
    let is_any_inner = replicate.steps.iter().any(|step| step.is_inner);
    let own = |step: &StepSpan| match step.is_inner {
        true => seconds_within(step.from, step.to),
        false => seconds_touched(step.from, step.to),
    };
    let intended = is_any_inner.then(|| replicate.steps.iter().map(|step| own(step)).collect());
    let Ends { ends, ends_of, length } = Ends::of(&moments, &steps, all);
    figures.end_seconds = length;
    let selection =
        Selection { steps, ends_of, intended, ends, moments, width: width(figures.seconds), ..Selection::default() };
    figures.add_index(index, &selection);
    if let Subject::Metric { monitor, metric } = &named.series.subject
        && let Some(((monitor, metric), _)) = metric_number(index, &(monitor.clone(), metric.clone()))
    {
        figures.add_watched(index, &selection, &with_ceiling(head, monitor, metric));
    }
    let evaluator = Evaluator { head, figures: &figures, elsewhere: &[], exchange, instance: None, stream: None };
    let found = evaluator.expression(&Expression::Statistic(named)).ok()?;
    let (unit, scale) = unit_of_kind(found.kind);
    Some((unit, found.value * scale))
}

/// The statistic of one exchange and part, under the numbers that the run gives them, in the scenario at hand.
fn named(statistic: &Statistic, exchange: Option<u16>, part: Option<usize>) -> Statistic {
    let mut named = statistic.clone();
    named.series.scenario = None;
    named.series.part = part;
    if let (Subject::Exchanges { exchanges, .. }, Some(number)) = (&mut named.series.subject, exchange) {
        *exchanges = vec![number];
    }
    named
}

fn unit_of_kind(kind: crate::evaluate::Kind) -> (&'static str, f64) {
    use crate::evaluate::Kind;
    unit_of(match kind {
        Kind::Time => "s",
        Kind::Share => "share",
        Kind::Count => "count",
        Kind::PerSecond => "/s",
        Kind::Bytes => "bytes",
        Kind::Cores => "cores",
    })
}
