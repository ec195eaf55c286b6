//! Methods and thresholds.

use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use judge::Arg;

pub(crate) fn methods(cx: &Context<'_>) -> Section {
    let mut section = Section::new("methods", say!(cx.m, "methods-title"));
    section.add(Block::Points(vec![
        say!(cx.m, "method-percentile"),
        say!(cx.m, "method-histogram"),
        say!(cx.m, "method-share"),
        say!(cx.m, "method-design-effect"),
        say!(cx.m, "method-mean"),
        say!(cx.m, "method-census"),
        say!(cx.m, "method-validity"),
        say!(cx.m, "method-figures"),
    ]));
    let row = |(name, value): &(String, Arg)| {
        let key = format!("setting-{name}");
        let text = if cx.m.has(&key) { cx.m.text(&key, &[]) } else { crate::number::clean(&name.replace('_', " ")) };
        Row::new(vec![Cell::text(text), Cell::text(cx.m.numbers.given(value)), Cell::code(name)])
    };
    section.add(Block::raw(Table {
        name: "settings".to_owned(),
        caption: say!(cx.m, "table-settings"),
        columns: vec![
            Column::text(say!(cx.m, "col-setting")),
            Column { title: say!(cx.m, "col-value"), unit: String::new(), is_number: true },
            Column::text(say!(cx.m, "col-name")),
        ],
        rows: cx.input.judgement.settings.iter().map(row).collect(),
        notes: changed(cx),
    }));
    section
}

/// Limits that the study sets itself, each with its reason.
fn changed(cx: &Context<'_>) -> Vec<String> {
    let limits = cx.input.study.iter().flat_map(|study| &study.validity);
    let said = |limits: &study::CheckLimits| {
        let (check, because) = (cx.sign_name(&limits.check), crate::number::clean(&limits.because));
        say!(cx.m, "limits-changed", check = &check, because = &because)
    };
    limits.map(said).collect()
}
