//! Tables: widths that are ours, a head that is repeated, rows that are not split, cells that say by a word what they
//! show by a shade.

use crate::blocks::caption_of;
use crate::body::Body;
use crate::flow::{TURNED_PT, UPRIGHT_PT, line_count};
use crate::text::{Look, hex, paragraph, run, say};
use crate::xml::Xml;
use judge::WireValidity;
use report::document::{Cell, CellKind, Row, Table};
use report::paper::{Fit, fit};
use std::borrow::Cow;
use terms::Verdict;

/// Rows of a table in the document; all are in its CSV file.
const ROWS_MAX: usize = 500;
/// Twentieths of a point.
const TWIPS: f64 = 20.0;

impl Body<'_> {
    /// Writes a table with its caption and remarks.
    pub(crate) fn table(&mut self, table: &Table) {
        let table = &without_drawings(table);
        let words = &self.document.frame.words;
        let (number, caption) = table.caption_parts(&words.table);
        let fit = fit(table, UPRIGHT_PT, TURNED_PT);
        let stride = table.rows.len().div_ceil(ROWS_MAX).max(1);
        self.flow.keep(80.0);
        self.flow.whole(26.0);
        caption_of(&mut self.xml, "Caption", (&words.table, "Table"), number, caption);
        let line = self.line_pt();
        if !table.columns.is_empty() {
            let rows: Vec<&Row> = table.rows.iter().step_by(stride).collect();
            self.flow.whole(fit.size_pt * 2.6);
            for row in &rows {
                self.flow.whole(row_height(row, &fit, line));
            }
            grid(&mut self.xml, table, &rows, &fit, line);
        }
        if stride > 1 {
            say(&mut self.xml, "TableNote", &self.document.thinned(table, stride));
        }
        for note in &table.notes {
            self.flow.lines(note, 8.0, line, 4.0);
            say(&mut self.xml, "TableNote", note);
        }
        self.flow.whole(8.0);
        say(&mut self.xml, "TableNote", "");
    }
}

/// A table without its columns of small drawings: a drawing in each of a hundred cells is a picture that readers of
/// documents cannot take apart, and its column would stand empty. The figures before the table show the same.
fn without_drawings(table: &Table) -> Cow<'_, Table> {
    let is_drawn =
        |column: usize| table.rows.iter().any(|row| row.cells.get(column).is_some_and(|cell| !cell.spark.is_empty()));
    let drawn: Vec<bool> = (0..table.columns.len()).map(is_drawn).collect();
    if !drawn.contains(&true) {
        return Cow::Borrowed(table);
    }
    let mut plain = table.clone();
    let mut kept = drawn.iter().map(|is_drawn| !is_drawn);
    plain.columns.retain(|_| kept.next().unwrap_or(true));
    for row in &mut plain.rows {
        let mut kept = drawn.iter().map(|is_drawn| !is_drawn);
        row.cells.retain(|_| kept.next().unwrap_or(true));
    }
    Cow::Owned(plain)
}

fn row_height(row: &Row, fit: &Fit, line_pt: f64) -> f64 {
    let height = |(cell, share): (&Cell, &f64)| {
        let room = (share * line_pt - 8.0).max(10.0);
        let detail = if cell.detail.is_empty() { 0 } else { line_count(&cell.detail, fit.size_pt - 1.0, room) };
        (line_count(&cell.text, fit.size_pt, room) as f64 * 1.3 + detail as f64 * 1.15) * fit.size_pt + 3.5
    };
    row.cells.iter().zip(&fit.shares).map(height).fold(0.0, f64::max)
}

fn grid(xml: &mut Xml, table: &Table, rows: &[&Row], fit: &Fit, line_pt: f64) {
    let widths: Vec<String> =
        fit.shares.iter().map(|share| format!("{}", (share * line_pt * TWIPS).floor() as i64)).collect();
    xml.element("w:tbl", &[], |xml| {
        xml.element("w:tblPr", &[], |xml| {
            xml.empty("w:tblStyle", &[("w:val", "ReportTable")]);
            xml.empty("w:tblW", &[("w:w", "5000"), ("w:type", "pct")]);
            xml.empty("w:tblLayout", &[("w:type", "fixed")]);
            let look = [("w:val", "0020"), ("w:firstRow", "1"), ("w:lastRow", "0"), ("w:firstColumn", "0")];
            let rest = [("w:lastColumn", "0"), ("w:noHBand", "1"), ("w:noVBand", "1")];
            xml.empty("w:tblLook", &[&look[..], &rest[..]].concat());
            xml.empty("w:tblCaption", &[("w:val", &table.caption)]);
        });
        xml.element("w:tblGrid", &[], |xml| {
            for width in &widths {
                xml.empty("w:gridCol", &[("w:w", width)]);
            }
        });
        head(xml, table, &widths, fit.size_pt);
        for row in rows {
            xml.element("w:tr", &[], |xml| {
                xml.element("w:trPr", &[], |xml| {
                    xml.empty("w:cantSplit", &[]);
                });
                for (index, width) in widths.iter().enumerate() {
                    let is_number = table.columns[index].is_number;
                    let empty = Cell::default();
                    let cell = row.cells.get(index).unwrap_or(&empty);
                    cell_of(xml, cell, width, Setting { is_number, is_strong: row.is_strong, size_pt: fit.size_pt });
                }
            });
        }
    });
}

fn head(xml: &mut Xml, table: &Table, widths: &[String], size_pt: f64) {
    xml.element("w:tr", &[], |xml| {
        xml.element("w:trPr", &[], |xml| {
            xml.empty("w:cantSplit", &[]).empty("w:tblHeader", &[]);
        });
        for (column, width) in table.columns.iter().zip(widths) {
            let style = if column.is_number { "TableNumber" } else { "TableText" };
            xml.element("w:tc", &[], |xml| {
                xml.element("w:tcPr", &[], |xml| {
                    xml.empty("w:tcW", &[("w:w", width), ("w:type", "dxa")]);
                    xml.empty("w:shd", &[("w:val", "clear"), ("w:color", "auto"), ("w:fill", hex("band"))]);
                    xml.empty("w:vAlign", &[("w:val", "bottom")]);
                });
                paragraph(xml, style, |xml| {
                    run(xml, Look::BOLD.size(size_pt), &column.title);
                    if !column.unit.is_empty() {
                        let look = Look::PLAIN.size(size_pt).colour(hex("ink-2"));
                        run(xml, look, &format!(" ({})", column.unit));
                    }
                });
            });
        }
    });
}

/// How a cell is set besides its kind.
#[derive(Clone, Copy)]
struct Setting {
    is_number: bool,
    is_strong: bool,
    size_pt: f64,
}

fn cell_of(xml: &mut Xml, cell: &Cell, width: &str, setting: Setting) {
    let (ground, ink, sign) = marks(cell.kind);
    let style = if setting.is_number { "TableNumber" } else { "TableText" };
    xml.element("w:tc", &[], |xml| {
        xml.element("w:tcPr", &[], |xml| {
            xml.empty("w:tcW", &[("w:w", width), ("w:type", "dxa")]);
            if !ground.is_empty() {
                xml.empty("w:shd", &[("w:val", "clear"), ("w:color", "auto"), ("w:fill", hex(ground))]);
            }
        });
        let look = Look {
            is_bold: setting.is_strong || !sign.is_empty(),
            is_code: cell.kind == CellKind::Code,
            colour: (!ink.is_empty()).then(|| hex(ink)),
            size_pt: Some(if cell.kind == CellKind::Code { setting.size_pt - 0.5 } else { setting.size_pt }),
        };
        let text = if sign.is_empty() { cell.text.clone() } else { format!("{sign}\u{a0}{}", cell.text) };
        paragraph(xml, style, |xml| run(xml, look, &text));
        if !cell.detail.is_empty() {
            let look = Look::PLAIN.size(setting.size_pt - 1.0).colour(hex("ink-2"));
            paragraph(xml, style, |xml| run(xml, look, &cell.detail));
        }
    });
}

/// Ground, colour of the letters, and sign of a kind.
fn marks(kind: CellKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        CellKind::Verdict(verdict) => {
            let (ground, ink) = match verdict {
                Verdict::Met => ("met-ground", "met"),
                Verdict::NotMet => ("not-met-ground", "not-met"),
                Verdict::CannotTell => ("cannot-tell-ground", "cannot-tell"),
            };
            (ground, ink, report::frame::glyph(verdict))
        }
        CellKind::Validity(WireValidity::Valid) => ("met-ground", "met", "✓"),
        CellKind::Validity(WireValidity::Questionable) => ("cannot-tell-ground", "cannot-tell", "!"),
        CellKind::Validity(WireValidity::Invalid) => ("not-met-ground", "not-met", "✗"),
        CellKind::Missing => ("", "ink-3", ""),
        CellKind::Text | CellKind::Code | CellKind::Severity(_) => ("", "", ""),
    }
}
