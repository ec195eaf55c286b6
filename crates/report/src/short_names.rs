//! Short names of the cells of a grid, wherever a reader meets one: `websocket (1/s, 100)` for
//! `websocket_rate_1_s_open_100`, which stays what is typed and what programs read.
//!
//! Done on the finished document, so that no sentence, heading or label is forgotten.

use crate::document::{Block, Cell, Document, Figure, NoteKind, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use crate::svg::{escape, text_width};
use std::collections::BTreeMap;

/// What is typed, and what readers see.
pub(crate) struct ShortNames(BTreeMap<String, String>);

impl ShortNames {
    /// Those of a study's grids.
    pub(crate) fn of(study: Option<&study::Study>) -> Self {
        let mut all = study.map(judge::grids::short_names).unwrap_or_default();
        all.extend(study.map(judge::searches::short_names).unwrap_or_default());
        Self(all.into_iter().map(|(long, short)| (long, clean(&short))).collect())
    }

    /// Whether a scenario is a cell of a grid or an attempt of a search, carried out or not.
    pub(crate) fn is_one(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A name for readers: of a cell its short one; with what stands behind `#` where there are repetitions.
    pub(crate) fn shown(&self, name: &str) -> String {
        let (own, again) = name.find('#').map_or((name, ""), |at| name.split_at(at));
        match self.0.get(own) {
            Some(short) => format!("{short}{again}"),
            None => clean(name),
        }
    }

    /// The same where there is little room: of a cell its values alone, if no more fits.
    pub(crate) fn within(&self, name: &str, width: f64, size: f64) -> String {
        let shown = self.shown(name);
        let own = name.split('#').next().unwrap_or_default();
        match self.0.get(own).and_then(|short| short.split_once(" (")) {
            Some((_, values)) if text_width(&shown, size) > width => values.trim_end_matches(')').to_owned(),
            _ => shown,
        }
    }

    /// A scope for readers.
    pub(crate) fn scope(&self, scope: &str) -> String {
        self.text(scope, str::to_owned).unwrap_or_else(|| scope.to_owned())
    }

    /// A text in which every whole word that is a cell's name is its short one.
    fn text(&self, text: &str, written: fn(&str) -> String) -> Option<String> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut shown, mut rest, mut has_any) = (String::new(), text, false);
        while let Some(begin) = rest.find(is_letter) {
            let (before, from) = rest.split_at(begin);
            let (word, after) = from.split_at(from.find(|c| !is_letter(c)).unwrap_or(from.len()));
            shown.push_str(before);
            match self.0.get(word) {
                Some(short) => {
                    shown.push_str(&written(short));
                    has_any = true;
                }
                None => shown.push_str(word),
            }
            rest = after;
        }
        shown.push_str(rest);
        has_any.then_some(shown)
    }

    fn change(&self, text: &mut String) {
        if let Some(shown) = self.text(text, str::to_owned) {
            *text = shown;
        }
    }

    fn section(&self, section: &mut Section) {
        self.change(&mut section.title);
        section.blocks.iter_mut().for_each(|block| self.block(block));
        section.parts.iter_mut().for_each(|part| self.section(part));
    }

    fn block(&self, block: &mut Block) {
        match block {
            Block::Paragraph { text, .. } | Block::Note { text, .. } => self.change(text),
            Block::Validity { text, reasons, .. } => {
                self.change(text);
                reasons.iter_mut().for_each(|reason| self.change(reason));
            }
            Block::Table(table) => self.table(table),
            Block::Figure(figure) => self.figure(figure),
            Block::Folded(inner) => self.block(inner),
            // Printed nowhere.
            Block::Data(_) | Block::VerdictCounts(_) => {}
            Block::Finding { scope, observation, assessment, .. } => {
                [scope, observation, assessment].into_iter().for_each(|text| self.change(text));
            }
            Block::Points(points) => points.iter_mut().for_each(|point| self.change(point)),
            Block::Definitions(terms) => terms.iter_mut().for_each(|(term, means)| {
                self.change(term);
                self.change(means);
            }),
        }
    }

    fn table(&self, table: &mut Table) {
        self.change(&mut table.caption);
        table.notes.iter_mut().for_each(|note| self.change(note));
        table.columns.iter_mut().for_each(|column| self.change(&mut column.title));
        table.rows.iter_mut().flat_map(|row| &mut row.cells).for_each(|cell: &mut Cell| {
            self.change(&mut cell.text);
            self.change(&mut cell.detail);
        });
    }

    fn figure(&self, figure: &mut Figure) {
        let texts = [
            &mut figure.subject,
            &mut figure.caption,
            &mut figure.observation,
            &mut figure.assessment,
            &mut figure.reading,
        ];
        texts.into_iter().for_each(|text| self.change(text));
        if let Some(svg) = self.text(&figure.svg, escape) {
            figure.svg = svg;
        }
        self.table(&mut figure.data);
    }
}

/// Gives all cells their short names, and says in each chapter of a grid what is typed for one.
pub(crate) fn shorten(cx: &Context<'_>, document: &mut Document) {
    if cx.short_names.0.is_empty() {
        return;
    }
    document.sections.iter_mut().for_each(|section| cx.short_names.section(section));
    let grids = &cx.input.judgement.grids;
    let chapters = document.sections.iter_mut().flat_map(chapters);
    for (chapter, grid) in chapters.zip(grids) {
        let Some(first) = grid.cells.first() else { continue };
        let text = say!(cx.m, "grid-typed", short = &clean(&grid.short_name(first)), typed = &clean(&first.scenario));
        chapter.blocks.push(Block::Note { kind: NoteKind::Reading, text });
    }
}

/// Chapters of grids, those within chapters of several blocks too.
fn chapters(section: &mut Section) -> Vec<&mut Section> {
    if section.block == "grid" {
        return vec![section];
    }
    if section.block.is_empty() {
        section.parts.iter_mut().filter(|part| part.block == "grid").collect()
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> ShortNames {
        let all = [
            ("ws_rate_1_s_open_100", "ws (1/s, 100)"),
            ("ws_rate_1_s_open_1000", "ws (1/s, 1000)"),
            ("ws_x_a", "ws (<a>)"),
        ];
        ShortNames(all.into_iter().map(|(long, short)| (long.to_owned(), short.to_owned())).collect())
    }

    #[test]
    fn whole_names_are_shortened_and_parts_of_others_are_not() {
        let said = |text: &str| names().text(text, str::to_owned);
        let scope = "ws_rate_1_s_open_100/hold#2/echo and ws_rate_1_s_open_1000.";
        assert_eq!(said(scope).unwrap(), "ws (1/s, 100)/hold#2/echo and ws (1/s, 1000).");
        assert_eq!(said("my_ws_rate_1_s_open_100, ws_rate_1_s_open_10, ünicode ws"), None);
        assert_eq!(names().shown("ws_rate_1_s_open_100#2"), "ws (1/s, 100)#2");
        assert_eq!(names().shown("other#2"), "other#2");
        let within = |width: f64| names().within("ws_rate_1_s_open_100#2", width, 10.0);
        assert_eq!((within(200.0).as_str(), within(50.0).as_str()), ("ws (1/s, 100)#2", "1/s, 100"));
    }

    #[test]
    fn a_drawing_stays_a_drawing() {
        let svg = names().text("<text x=\"1\">ws_x_a</text>", escape).unwrap();
        assert_eq!(svg, "<text x=\"1\">ws (&lt;a&gt;)</text>");
    }
}
