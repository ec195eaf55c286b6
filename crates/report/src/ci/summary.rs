//! Summaries in Markdown, for the page of a build and for merge requests.

use crate::compare_headline::sentence;
use crate::compared::line;
use crate::document::{Block, Cell, CellKind, Column, Document, Row, Section, Table, TitleBlock};
use crate::history_page::{self, HistoryInput};
use crate::input::{Context, Input};
use crate::messages::{Messages, say};
use crate::number::bounded;
use crate::{markdown, sections, short_names};
use judge::comparison::{Comparison, RowVerdict};

/// Longest text of a cell or a sentence, in characters. GitHub takes 1 MiB for all the summaries of a step; with so few rows
/// of such cells one takes less than a tenth of that.
const TEXT_CHARS: usize = 600;
/// Rows of a comparison that differ, and requirements of a history.
const ROWS: usize = 12;
/// Says nothing and is seen nowhere, but ends what would be read as a name: U+2060, the word joiner.
const JOINER: char = '\u{2060}';

/// A run in short: what failed, each requirement with its limit, value and reason, the figures of the holds, and how they
/// compare with the baselines of the study. `language` is one of [`crate::LANGUAGES`]; `report` is where the whole report is.
pub fn summary(input: &Input<'_>, language: &str, report: Option<&str>) -> String {
    let cx = Context::new(input, language);
    let mut document = sections::for_a_build(&cx, report);
    short_names::shorten(&cx, &mut document);
    page(document, &cx.m)
}

/// What a comparison came to: what changed most, and the rows that differ.
pub fn compare_summary(comparison: &Comparison, language: &str) -> String {
    let m = Messages::of(language);
    let mut section = Section::new("build", say!(m, "comparison-runs"));
    let verdicts = sections::comparison_verdicts(&m, comparison);
    let pairs = comparison.pairs.iter().filter(|pair| !pair.rows.is_empty());
    let lines = verdicts.iter().zip(pairs).map(|(said, pair)| format!("{said} {}", sentence(&m, pair)));
    section.add(Block::Points(lines.collect()));
    for pair in &comparison.pairs {
        let different = || pair.rows.iter().filter(|row| row.verdict == RowVerdict::Different);
        let row = |row| {
            let line = line(&m, row);
            let mut change = Cell::text(line.change);
            change.detail = line.interval;
            let cells = [Cell::code(line.scope), Cell::code(line.subject), Cell::code(line.statistic)];
            Row::new(cells.into_iter().chain([Cell::text(line.base), Cell::text(line.other), change]).collect())
        };
        let left = different().count().saturating_sub(ROWS);
        let columns = [
            Column::text(say!(m, "col-where")),
            Column::text(say!(m, "col-subject")),
            Column::text(say!(m, "col-statistic")),
            Column::number(say!(m, "comparison-base"), ""),
            Column::number(say!(m, "col-other"), ""),
            Column::number(say!(m, "col-change"), ""),
        ];
        let table = Table {
            name: "build-compared".to_owned(),
            caption: crate::number::clean(&pair.other.label),
            columns: columns.into(),
            rows: different().take(ROWS).map(row).collect(),
            notes: if left > 0 { vec![say!(m, "build-more", left = left)] } else { Vec::new() },
        };
        section.blocks.extend((!table.rows.is_empty()).then_some(Block::Table(table)));
    }
    page(alone(section, &m), &m)
}

/// How the requirements went over all runs: the answer, and a row for each.
pub fn history_summary(input: &HistoryInput<'_>, language: &str) -> String {
    let m = Messages::of(language);
    let mut document = history_page::document(input, &m);
    document.sections.truncate(1);
    for section in &mut document.sections {
        section.title.clone_from(&document.title.title);
        section.blocks.retain(|block| match block {
            Block::Table(table) => !table.rows.is_empty(),
            other => matches!(other, Block::Paragraph { .. }),
        });
        for block in &mut section.blocks {
            if let Block::Table(table) = block {
                let left = table.rows.len().saturating_sub(ROWS);
                table.rows.truncate(ROWS);
                // Numbered in the page, where there are others.
                if let Some((_, caption)) = table.caption.split_once(". ") {
                    table.caption = caption.to_owned();
                }
                table.notes = if left > 0 { vec![say!(m, "build-more", left = left)] } else { Vec::new() };
            }
        }
    }
    page(document, &m)
}

fn alone(section: Section, m: &Messages) -> Document {
    let frame = crate::frame::Frame::default();
    Document { language: m.language, title: TitleBlock::default(), sections: vec![section], frame }
}

/// The document as Markdown in which no name is more than a name.
fn page(mut document: Document, m: &Messages) -> String {
    document.sections.iter_mut().for_each(disarm);
    markdown::summary(&document, m)
}

/// Takes from texts what build servers act on when they read Markdown. Backslashes do not help there, since people and
/// issues are looked for in what Markdown became.
fn disarm(section: &mut Section) {
    section.title = text(&section.title);
    for block in &mut section.blocks {
        match block {
            Block::Paragraph { text: said, .. } => *said = text(said),
            Block::Validity { text: said, reasons, .. } => {
                *said = text(said);
                reasons.iter_mut().for_each(|reason| *reason = text(reason));
            }
            Block::Points(points) => points.iter_mut().for_each(|point| *point = text(point)),
            Block::Table(table) => {
                table.caption = text(&table.caption);
                table.notes.iter_mut().for_each(|note| *note = text(note));
                for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                    cell.text = if cell.kind == CellKind::Code { code(&cell.text) } else { text(&cell.text) };
                    cell.detail = text(&cell.detail);
                }
            }
            _ => {}
        }
    }
}

/// `@name` calls nobody, `#1` and `!1` are not issues, `/close` and `::error::` at the start of a line are not orders, and
/// `##[` within one is none either.
fn text(said: &str) -> String {
    let said = code(said);
    let mut safe = String::with_capacity(said.len() + 8);
    if said.trim_start().starts_with(['/', ':']) {
        safe.push(JOINER);
    }
    let mut chars = said.chars().peekable();
    while let Some(c) = chars.next() {
        safe.push(c);
        let before_name = c == '@' && chars.peek().is_some_and(|next| !next.is_whitespace());
        let before_number =
            matches!(c, '#' | '!' | '&' | '%' | '$' | '~') && chars.peek().is_some_and(char::is_ascii_alphanumeric);
        if before_name || before_number {
            safe.push(JOINER);
        }
    }
    safe
}

/// A name that is set as code: only what is looked for in raw lines is broken up.
fn code(name: &str) -> String {
    bounded(name, TEXT_CHARS).replace("##[", &format!("##{JOINER}["))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_call_nobody_and_order_nothing() {
        for (said, safe) in [
            ("@team please", "@\u{2060}team please"),
            ("mail a@b.c", "mail a@\u{2060}b.c"),
            ("see #12 and !7", "see #\u{2060}12 and !\u{2060}7"),
            ("/close", "\u{2060}/close"),
            ("::error::x", "\u{2060}::error::x"),
            ("a ##[error] b", "a ##\u{2060}[error] b"),
            ("5% of 3 @ 4", "5% of 3 @ 4"),
        ] {
            assert_eq!(text(said), safe);
        }
        assert!(text(&"x".repeat(100_000)).chars().count() <= TEXT_CHARS + 1);
    }
}
