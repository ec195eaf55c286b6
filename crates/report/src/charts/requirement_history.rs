//! A requirement's value over the runs of an archive.

use super::{OverRuns, Words, figure, over_runs};
use crate::compared::relative;
use crate::document::Figure;
use crate::messages::{Messages, say};
use crate::number::clean;
use judge::archive::{RequirementHistory, Search, Series, SeriesShift};
use judge::comparison::HistoryShift;

/// The figure of one series; `None` with fewer than two values.
pub(crate) fn requirement_history(
    m: &Messages,
    history: &RequirementHistory,
    series: &Series,
    anchor: &str,
) -> Option<Box<Figure>> {
    let mut name = clean(&format!("{} · {}", series.requirement, series.scope));
    if history.settings.len() > 1 {
        name = format!("{name} · {} {}", say!(m, "archive-setting-in-text"), series.setting + 1);
    }
    let (plot, data) = over_runs(m, &drawn(m, history, series, &name))?;
    let known: Vec<f64> = series.values.iter().flatten().copied().collect();
    let value = |value: Option<&f64>| value.map_or_else(String::new, |value| m.numbers.in_unit(*value, &series.unit));
    let gaps = series.values.len() - known.len();
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-archive-what", what = &name, rule = &clean(&series.rule), runs = series.runs.len()),
        caption: match series.shifts.len() {
            0 => say!(m, "fig-archive-finds-none", what = &name),
            shifts => say!(m, "fig-history-finds", what = &name, shifts = shifts),
        },
        observation: say!(
            m,
            "fig-archive-seen",
            runs = known.len(),
            first = &value(known.first()),
            last = &value(known.last()),
            gaps = gaps
        ),
        assessment: assessment(m, history, series),
        reading: say!(m, "fig-archive-reading"),
        data,
        ..Words::default()
    };
    Some(figure(plot, words))
}

fn drawn<'a>(m: &Messages, history: &'a RequirementHistory, series: &'a Series, name: &'a str) -> OverRuns<'a> {
    let shift =
        |shift: &SeriesShift| HistoryShift { at: shift.at, before: shift.before, after: shift.after, p: shift.p };
    let base = history.gate.as_ref().map(|gate| {
        let after = history.runs.partition_point(|run| !gate.since.is_before(&run.started));
        (series.runs.partition_point(|run| *run < after), say!(m, "archive-before-base"))
    });
    OverRuns {
        name,
        label: &series.requirement,
        unit: &series.unit,
        runs: series.runs.iter().map(|run| history.runs[*run].id.as_str()).collect(),
        values: series.values.clone(),
        shifts: series.shifts.iter().map(shift).collect(),
        limit: series.limit.map(|limit| (limit, say!(m, "archive-limit"))),
        base,
    }
}

/// What the newest shift means, or why none is told.
fn assessment(m: &Messages, history: &RequirementHistory, series: &Series) -> String {
    let value = |value: f64| m.numbers.in_unit(value, &series.unit);
    match (series.last_shift(), series.search) {
        (Some(shift), _) => say!(
            m,
            "fig-archive-means",
            tendency = shift.tendency.name(),
            run = &clean(&history.runs[series.runs[shift.at]].id),
            before = &value(shift.before),
            after = &value(shift.after),
            change = &changed(m, shift)
        ),
        (None, Search::TooFew { have, needed }) => {
            say!(m, "fig-archive-means-few", have = have, needed = needed)
        }
        (None, _) => say!(m, "fig-history-means-none"),
    }
}

/// A change of level with its sign; of a level of zero there is no ratio.
pub(crate) fn changed(m: &Messages, shift: &SeriesShift) -> String {
    let change = shift.change();
    if change.is_finite() { relative(&m.numbers, &[change]) } else { say!(m, "archive-from-zero") }
}
