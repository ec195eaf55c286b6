//! Each scenario in one line: the least, mean and greatest time, one percentile, and the share that did not succeed.

use crate::document::Block;
use crate::document::{Cell, Column, Row, Section, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use crate::number::clean;
use terms::{Histogram, Nanos, Phase};

/// The percentile of the line.
pub(super) const QUANTILE: f64 = 0.9;

pub(super) fn in_short(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-table"), say!(cx.m, "in-short-title"));
    part.add(Block::Table(table(cx, scenario, &format!("{anchor}-in-short"))));
    let findings = cx.findings_on(scenario.name, None, &["MEAN-GT-P90", "CO-CLOSED"]);
    if !findings.is_empty() {
        part.add(Block::Paragraph { text: say!(cx.m, "in-short-findings"), findings, is_lead: false });
    }
    part
}

/// What a leg took in the judged part of a scenario.
pub(super) struct Took {
    /// Times of what succeeded, from the start that is the scenario's measure.
    pub times: Histogram,
    /// Planned starts.
    intended: f64,
    /// What succeeded.
    ok: u64,
}

/// A leg in the holds of a scenario, put together.
pub(super) fn took(scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> Took {
    let mut took = Took { times: Histogram::new(), intended: 0.0, ok: 0 };
    for (step, view, found) in scenario.leg_views(exchange, leg) {
        if step.phase == Phase::Hold {
            took.times.merge(found.ok.times());
            // Of what there is on occasion none was planned.
            took.intended +=
                if found.is_occasional { (found.ok.count + found.failed.count) as f64 } else { view.intended };
            took.ok += found.ok.count;
        }
    }
    took
}

/// A row for each leg. Its label is the scenario's own name, so that no row can be labelled as another's.
fn table(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Table {
    let legs = scenario.legs();
    let row = |(exchange, leg): &(&str, &str)| {
        let Took { times, intended, ok } = took(scenario, exchange, leg);
        let ms = |time: Option<Nanos>| {
            time.map(Nanos::as_millis_f64).map_or_else(Cell::missing, |ms| Cell::number(cx.m.numbers.value(ms), ms))
        };
        let error = (intended > 0.0).then(|| ((intended - ok as f64) / intended).clamp(0.0, 1.0));
        let error =
            error.map_or_else(Cell::missing, |share| Cell::number(cx.m.numbers.percentage(share), share * 100.0));
        Row::new(vec![
            Cell::code(scenario.name).with_detail(clean(&leg_title(exchange, leg))),
            ms(times.min()),
            ms(times.mean()),
            ms(times.max()),
            ms(times.quantile(QUANTILE)),
            error,
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-in-short", scenario = scenario.name, measure = scenario.measure()),
        columns: vec![
            Column::text(say!(cx.m, "col-test")),
            Column::number(say!(cx.m, "col-min"), "ms"),
            Column::number(say!(cx.m, "col-mean"), "ms"),
            Column::number(say!(cx.m, "col-max"), "ms"),
            Column::number(say!(cx.m, "col-p90"), "ms"),
            Column::number(say!(cx.m, "col-error"), ""),
        ],
        rows: legs.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-in-short")],
    }
}

/// The table of these words for the chapter of definitions.
pub(super) fn words(cx: &Context<'_>) -> Table {
    let row = |(column, means): (&str, &str)| {
        Row::new(vec![Cell::text(cx.m.text(column, &[])), Cell::text(cx.m.text(means, &[]))])
    };
    let all = [
        ("col-min", "in-short-min"),
        ("col-mean", "in-short-mean"),
        ("col-max", "in-short-max"),
        ("col-p90", "in-short-p90"),
        ("col-error", "in-short-error"),
    ];
    Table {
        name: "definitions-in-short".to_owned(),
        caption: say!(cx.m, "table-in-short-words"),
        columns: vec![Column::text(say!(cx.m, "col-term")), Column::text(say!(cx.m, "col-description"))],
        rows: all.into_iter().map(row).collect(),
        notes: Vec::new(),
    }
}
