//! Whole runs against each other: every hold that both have, every leg, every statistic.

use super::circumstances::{Circumstances, differences, forbid_between_stores, validity};
use super::family::judge_together;
use super::rows::{FAILED_BAND, Terms, blank, not_comparable, reason, sums, times};
use super::shares::share;
use super::sides::{LegData, Place, Replicate, RunIndex, Timing, places};
use super::{Comparison, Difference, Pair, Recorded, Row, RowVerdict, Side, labels};
use crate::Scope;
use crate::evaluate::{Kind, metric_kind};
use crate::judgement::{Arg, Reason};
use crate::views::MetricView;
use contract::Role;
use record::Head;
use stats::bootstrap::Statistic;
use std::collections::BTreeMap;

/// Differences of these kinds forbid the comparison of what they concern.
pub(super) const FORBIDDING: [&str; 3] = ["load", "parts", "data"];
/// Statistics of times that every comparison of runs shows.
const TIMES: [(&str, Statistic); 4] = [
    ("mean", Statistic::Mean),
    ("p50", Statistic::Quantile(0.5)),
    ("p95", Statistic::Quantile(0.95)),
    ("p99", Statistic::Quantile(0.99)),
];
/// Roles of the metrics that every comparison of runs shows, of whatever monitor: the rest is for the study to ask for.
const ROLES: [Role; 3] = [Role::Processor, Role::Memory, Role::Connections];

/// Compares runs: `base` against each of `others`. Several runs on one side are repetitions of each other.
///
/// `band`: how much two sides may differ and still count as equal, a share, for example
/// [`stats::compare::USUAL_BAND`]. Rows stand in the order of the base's plan, then what only the other has. The seed
/// of the base's first run decides the draws, so that the same runs give the same rows.
pub fn compare_runs(base: &[Recorded<'_>], others: &[Vec<Recorded<'_>>], band: f64) -> Comparison {
    let base: Vec<RunIndex<'_>> = base.iter().map(|recorded| RunIndex::new(*recorded)).collect();
    let sides: Vec<Vec<&Head>> = [base.iter().map(|known| known.index.head()).collect()]
        .into_iter()
        .chain(others.iter().map(|side| side.iter().map(|recorded| &recorded.evidence.head).collect()))
        .collect();
    let terms = Terms { band, seed: base.first().map_or(1, |known| known.index.head().seed) };
    let pair = |other: &Vec<Recorded<'_>>| {
        let other: Vec<RunIndex<'_>> = other.iter().map(|recorded| RunIndex::new(*recorded)).collect();
        self::pair(&base, &other, terms)
    };
    let mut compared =
        Comparison { name: "runs".into(), band, base: side(&base), pairs: others.iter().map(pair).collect() };
    let all = std::iter::once(&mut compared.base).chain(compared.pairs.iter_mut().map(|pair| &mut pair.other));
    if let Some(labels) = labels::by_difference(&sides) {
        all.zip(labels).for_each(|(side, label)| side.label = label);
    }
    compared
}

fn side(runs: &[RunIndex<'_>]) -> Side {
    let ids: Vec<String> = runs.iter().map(|known| known.id().to_owned()).collect();
    let most = runs.iter().flat_map(places).map(|(_, replicates)| replicates.len()).max().unwrap_or(0);
    Side { label: ids.join(" + "), runs: ids, scenario: None, replicates: (most * runs.len()) as u32 }
}

/// Places of both sides with their repetitions, in the order of the base.
type Places<'k, 'a> = Vec<(Place, Vec<Replicate<'k, 'a>>, Vec<Replicate<'k, 'a>>)>;

fn places_of_both<'k, 'a>(base: &'k [RunIndex<'a>], other: &'k [RunIndex<'a>]) -> Places<'k, 'a> {
    let mut all: Places<'k, 'a> = Vec::new();
    let mut add = |known: &'k RunIndex<'a>, is_base: bool| {
        for (place, replicates) in places(known) {
            let at = all.iter().position(|(known, ..)| *known == place).unwrap_or_else(|| {
                all.push((place, Vec::new(), Vec::new()));
                all.len() - 1
            });
            let side = if is_base { &mut all[at].1 } else { &mut all[at].2 };
            side.extend(replicates);
        }
    };
    base.iter().for_each(|known| add(known, true));
    other.iter().for_each(|known| add(known, false));
    all
}

fn pair(base: &[RunIndex<'_>], other: &[RunIndex<'_>], terms: Terms) -> Pair {
    let places = places_of_both(base, other);
    let mut found = circumstances(base, other, &places);
    found.sort_by_key(|difference| !difference.forbids);
    let mut rows = Vec::new();
    for (number, (place, of_base, of_other)) in places.iter().enumerate() {
        let is_first = places[..number].iter().all(|(before, ..)| before.shared() != place.shared());
        rows.extend(place_rows((place, is_first), of_base, of_other, &found, terms));
    }
    found.extend(in_blocks(base, other));
    judge_together(&mut rows);
    Pair { other: side(other), differences: found, rows }
}

/// Differences between the base's first run and every other run, of either side.
fn circumstances(base: &[RunIndex<'_>], other: &[RunIndex<'_>], places: &Places<'_, '_>) -> Vec<Difference> {
    let Some(first) = base.first() else { return Vec::new() };
    let scenarios: Vec<&str> = {
        let mut names: Vec<&str> = places.iter().map(|(place, ..)| place.scenario.as_str()).collect();
        names.dedup();
        names
    };
    let of = |known: &RunIndex<'_>| {
        let has = |name: &&&str| known.index.head().scenarios.iter().any(|scenario| scenario.name == ***name);
        scenarios.iter().filter(has).fold(Circumstances::of_run(known.index.head(), known.study), |all, name| {
            all.with(Circumstances::of_scenario(known.index.head(), name, Some(&Scope::whole(name))))
        })
    };
    let expected = of(first);
    let mut found: Vec<Difference> = Vec::new();
    for run in base.iter().skip(1).chain(other) {
        for difference in differences(&expected, &of(run), &FORBIDDING) {
            if !found.contains(&difference) {
                found.push(difference);
            }
        }
    }
    let heads: Vec<&Head> = base.iter().chain(other).map(|known| known.index.head()).collect();
    forbid_between_stores(&mut found, &heads);
    for (place, of_base, of_other) in places {
        if !of_base.is_empty() && !of_other.is_empty() {
            found.extend(validity(Some(place.scope()), of_base, of_other));
        }
    }
    found
}

/// That all runs of one side were made before all of the other: what drifts from run to run falls on one side alone.
fn in_blocks(base: &[RunIndex<'_>], other: &[RunIndex<'_>]) -> Option<Difference> {
    let span = |side: &[RunIndex<'_>]| {
        let started = || side.iter().map(|known| known.index.head().started.clone());
        Some((started().min()?, started().max()?))
    };
    let ((base_first, base_last), (other_first, other_last)) = (span(base)?, span(other)?);
    let is_apart = base_last < other_first || other_last < base_first;
    (base.len() > 1 && other.len() > 1 && is_apart).then(|| Difference {
        aspect: "order".into(),
        name: "when the runs were made".into(),
        scope: None,
        base: format!("{base_first} to {base_last}"),
        other: format!("{other_first} to {other_last}"),
        forbids: false,
    })
}

/// What forbids the comparison of a place.
fn forbidden(place: &Place, found: &[Difference]) -> Option<Reason> {
    let concerns = |difference: &&Difference| {
        let is_here = |scope: &Scope| *scope == Scope::whole(&place.scenario) || *scope == place.scope();
        difference.forbids && difference.scope.as_ref().is_none_or(is_here)
    };
    not_comparable(found.iter().filter(concerns))
}

/// All rows of one place; those of watched series with the first of the parts that hold together.
fn place_rows(
    (place, is_first): (&Place, bool),
    base: &[Replicate<'_, '_>],
    other: &[Replicate<'_, '_>],
    found: &[Difference],
    terms: Terms,
) -> Vec<Row> {
    let scope = place.scope();
    let mut rows = Vec::new();
    let mut legs: Vec<(&str, &str)> = Vec::new();
    for pair in base.iter().chain(other).flat_map(|replicate| replicate.legs()) {
        if !legs.contains(&pair) {
            legs.push(pair);
        }
    }
    let mut mean_noise = 0.0f64;
    for (exchange, leg) in legs {
        let of = |side: &[Replicate<'_, '_>]| {
            side.iter().filter_map(|replicate| replicate.leg(exchange, leg, Timing::Response)).collect::<Vec<_>>()
        };
        let (of_base, of_other) = (of(base), of(other));
        // A redirect that neither side met would be a row about nothing.
        let is_absent = of_base.is_empty() && of_other.is_empty();
        if is_absent && base.iter().chain(other).any(|replicate| replicate.is_occasional(exchange, leg)) {
            continue;
        }
        mean_noise = mean_noise.max(relative_noise(&of_base)).max(relative_noise(&of_other));
        rows.extend(leg_rows(&scope, (exchange, leg), &of_base, &of_other, terms));
    }
    let of_whom = place.part.as_ref().unwrap_or(&place.scenario);
    let throughput = blank(format!("{scope}/throughput"), "throughput", of_whom, &scope, "per_s");
    let of = |side: &[Replicate<'_, '_>]| side.iter().map(Replicate::throughput).collect::<Vec<_>>();
    rows.push(sums(throughput, &of(base), &of(other), Statistic::PerSecond, mean_noise, false, terms));
    if is_first {
        // What a monitor sees is of all parts of a mix together.
        rows.extend(metric_rows(&place.shared(), base, other, terms));
    }
    let forbidden = forbidden(place, found);
    let is_questionable =
        found.iter().any(|difference| difference.aspect == "validity" && difference.scope == Some(place.scope()));
    for row in &mut rows {
        if is_questionable && row.verdict == RowVerdict::Equivalent {
            row.verdict = RowVerdict::CannotTell;
            row.reason = reason("compared_questionable", []);
        }
        if let Some(why) = &forbidden {
            row.verdict = RowVerdict::NotComparable;
            row.reason = why.clone();
            row.runs_needed = None;
        } else if base.is_empty() || other.is_empty() {
            let side = if base.is_empty() { "base" } else { "other" };
            row.verdict = RowVerdict::NotComparable;
            row.reason = reason("compared_no_samples", [("where", Arg::Text(side.into()))]);
        }
    }
    rows
}

/// The machine's own part of a mean time.
fn relative_noise(legs: &[LegData]) -> f64 {
    let of = |leg: &LegData| {
        let mean_ms = leg.times.mean().map_or(0.0, |mean| mean.as_millis_f64());
        let late_ms = leg.lateness.mean().map_or(0.0, |late| late.as_millis_f64()).max(1e3 * leg.run_queue_s);
        if mean_ms > 0.0 { late_ms / mean_ms } else { 0.0 }
    };
    legs.iter().map(of).fold(0.0, f64::max)
}

fn leg_rows(
    scope: &Scope,
    (exchange, leg): (&str, &str),
    base: &[LegData],
    other: &[LegData],
    terms: Terms,
) -> Vec<Row> {
    let subject = if leg == "answer" { exchange.to_owned() } else { format!("{exchange} · {leg}") };
    let id = |statistic: &str| format!("{scope}/{exchange}/{leg}/{statistic}");
    let of_times = TIMES
        .iter()
        .map(|(name, statistic)| times(blank(id(name), name, &subject, scope, "ms"), base, other, *statistic, terms));
    let mut rows: Vec<Row> = of_times.collect();
    let row = blank(id("failed"), "failed", &subject, scope, "share");
    rows.push(share(row, base, other, (FAILED_BAND, terms.seed)));
    rows
}

/// Series by name and instance: unit, and by repetition number and sum of each second's values.
type Watched = BTreeMap<(String, String), (String, Vec<Vec<(u64, f64)>>)>;

/// Watched gauges, instance by instance.
fn metric_rows(scope: &Scope, base: &[Replicate<'_, '_>], other: &[Replicate<'_, '_>], terms: Terms) -> Vec<Row> {
    let of = |side: &[Replicate<'_, '_>]| {
        let mut series = Watched::new();
        for replicate in side {
            for (view, points) in replicate.gauges().into_iter().filter(|(view, _)| is_shown(view)) {
                let key = (view.name(), view.instance.clone());
                let (unit, scale) = unit_of(&view.monitor.metrics[view.metric].unit);
                let scaled = points.into_iter().map(|(count, sum)| (count, sum * scale)).collect();
                series.entry(key).or_insert((unit.to_owned(), Vec::new())).1.push(scaled);
            }
        }
        series
    };
    let (of_base, of_other) = (of(base), of(other));
    let mut keys: Vec<&(String, String)> = of_base.keys().chain(of_other.keys()).collect();
    keys.sort();
    keys.dedup();
    let row = |key: &(String, String)| {
        let (name, instance) = key;
        let subject = if instance.is_empty() || name.starts_with(&format!("{instance}.")) {
            name.clone()
        } else {
            format!("{name} {instance}")
        };
        let unit = of_base.get(key).or(of_other.get(key)).map_or("number", |(unit, _)| unit.as_str());
        let side = |of: &Watched| of.get(key).map(|(_, points)| points.clone()).unwrap_or_default();
        let id = format!("{scope}/{}/mean", subject.replace(' ', "/"));
        let row = blank(id, "mean", &subject, scope, unit);
        sums(row, &side(&of_base), &side(&of_other), Statistic::Mean, 0.0, true, terms)
    };
    keys.into_iter().map(row).collect()
}

fn is_shown(view: &MetricView) -> bool {
    let role = view.monitor.metrics[view.metric].role();
    view.monitor.name != "generator" && role.is_some_and(|role| ROLES.contains(&role))
}

/// The word for a metric's unit in rows, and what its values are multiplied by: times are milliseconds there.
pub(super) fn unit_of(unit: &str) -> (&'static str, f64) {
    match metric_kind(unit) {
        Kind::Time => ("ms", 1e3),
        Kind::Share => ("share", 1.0),
        Kind::Count => ("count", 1.0),
        Kind::PerSecond => ("per_s", 1.0),
        Kind::Bytes => ("bytes", 1.0),
        Kind::Cores => ("cores", 1.0),
    }
}

impl Replicate<'_, '_> {
    /// Gauges with their values by second of the holds.
    pub(super) fn gauges(&self) -> Vec<(MetricView, Vec<(u64, f64)>)> {
        let views = crate::collect::metric_views(self.known.index.evidence);
        let is_gauge = |view: &MetricView| view.monitor.metrics[view.metric].kind == "gauge";
        let of = |view: MetricView| {
            let seconds = self.by_second(&view);
            (view, seconds)
        };
        views.into_iter().filter(is_gauge).map(of).filter(|(_, seconds)| !seconds.is_empty()).collect()
    }

    /// Number and sum of a series' values in each second of the holds.
    pub(super) fn by_second(&self, view: &MetricView) -> Vec<(u64, f64)> {
        let mut listed = Vec::new();
        for step in &self.steps {
            let inside = view.points.iter().filter(|(at, _)| step.from <= *at && *at < step.to);
            let mut seconds: BTreeMap<i64, (u64, f64)> = BTreeMap::new();
            for (at, value) in inside.filter_map(|(at, value)| value.map(|value| (at, value))) {
                let second = seconds.entry(at.second()).or_default();
                *second = (second.0 + 1, second.1 + value);
            }
            listed.extend(crate::times::without_gaps(&seconds));
        }
        listed
    }
}
