//! How wide the columns of a table are on paper, in which size it is set, and whether the page must be turned.
//!
//! Writers of paper share this, so that a table stands alike in all of them. It measures with the average width of a
//! letter and not with a font, because what a reader's program sets a document in is not known.

use crate::document::{Cell, CellKind, Table};

/// How a table stands on paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Size of its text in points.
    pub size_pt: f64,
    /// Width of each column as a share of the line; together 1.
    pub shares: Vec<f64>,
    /// Whether it needs the page turned.
    pub is_turned: bool,
}

/// Width of an average letter in units of the text's size.
const LETTER: f64 = 0.56;
/// The same of a number: the digits of the widest letters that stand in where a reader's machine lacks ours. A word that
/// is set wider than expected goes to the next line whole; a number would be broken.
const DIGIT: f64 = 0.64;
/// The same of a name set in letters of equal width.
const CODE_LETTER: f64 = 0.62;
/// Width of a small drawing in units of the text's size.
const SPARK: f64 = 7.0;
/// Room left and right of a cell's text together, in points.
const PADDING_PT: f64 = 9.0;
/// Words longer than this are broken: hashes, addresses.
const WORD_CHARS: usize = 18;
/// A column of sentences is not set narrower than this.
const SENTENCE_CHARS: usize = 24;
/// Texts from this length on are sentences.
const SENTENCE_FROM: usize = 48;
/// No column asks for more than this.
const CHARS_MAX: usize = 64;
/// Sizes that are tried on an upright page, then on a turned one.
const UPRIGHT_PT: [f64; 6] = [9.0, 8.5, 8.0, 7.5, 7.0, 6.5];
const TURNED_PT: [f64; 4] = [8.5, 8.0, 7.0, 6.0];

/// Least and natural width of a column in letters of its kind.
#[derive(Clone, Copy, Debug, Default)]
struct Need {
    least: f64,
    natural: f64,
}

/// Fits a table into lines of these lengths in points: of an upright page, and of a turned one.
///
/// A table that is too wide even for the smallest size on a turned page gets that, and its words are broken.
pub fn fit(table: &Table, upright_pt: f64, turned_pt: f64) -> Fit {
    let needs: Vec<Need> = (0..table.columns.len()).map(|column| need(table, column)).collect();
    let sizes = UPRIGHT_PT.map(|size| (size, upright_pt, false)).into_iter();
    let sizes = sizes.chain(TURNED_PT.map(|size| (size, turned_pt, true)));
    let mut last = Fit { size_pt: UPRIGHT_PT[0], shares: Vec::new(), is_turned: false };
    for (size_pt, line_pt, is_turned) in sizes {
        let least: f64 = needs.iter().map(|need| need.least * size_pt + PADDING_PT).sum();
        last = Fit { size_pt, shares: shares(&needs, size_pt, line_pt), is_turned };
        if least <= line_pt {
            break;
        }
    }
    last
}

/// Every column gets its least width; what is left goes to those that would like more.
fn shares(needs: &[Need], size_pt: f64, line_pt: f64) -> Vec<f64> {
    let least: Vec<f64> = needs.iter().map(|need| need.least * size_pt + PADDING_PT).collect();
    let sum: f64 = least.iter().sum();
    let left = (line_pt - sum).max(0.0);
    let wish: Vec<f64> = needs.iter().map(|need| (need.natural - need.least).max(0.0) * size_pt).collect();
    let wished: f64 = wish.iter().sum();
    // What nobody wishes is shared out by width, so that the table is as wide as the line.
    let (given, rest) = if wished <= left { (1.0, left - wished) } else { (left / wished, 0.0) };
    let widths: Vec<f64> =
        least.iter().zip(&wish).map(|(least, wish)| (least + wish * given) * (1.0 + rest / (sum + wished))).collect();
    let total: f64 = widths.iter().sum();
    widths.iter().map(|width| width / total.max(f64::MIN_POSITIVE)).collect()
}

fn need(table: &Table, column: usize) -> Need {
    let head = &table.columns[column];
    let mut need = of_text(&head.title, LETTER * 1.15);
    need.natural = need.least.max(need.natural.min(need.least * 1.6));
    // In brackets.
    let unit = if head.unit.is_empty() { 0.0 } else { (head.unit.chars().count() + 2) as f64 * LETTER };
    need.least = need.least.max(unit);
    for cell in table.rows.iter().filter_map(|row| row.cells.get(column)) {
        let found = of_cell(cell);
        need.least = need.least.max(found.least);
        need.natural = need.natural.max(found.natural);
    }
    need
}

fn of_cell(cell: &Cell) -> Need {
    let plain = if cell.raw.is_some() { DIGIT } else { LETTER };
    let letter = if cell.kind == CellKind::Code { CODE_LETTER } else { plain };
    // A verdict or validity has its sign before it.
    let sign = if matches!(cell.kind, CellKind::Verdict(_) | CellKind::Validity(_)) { 2.0 * LETTER } else { 0.0 };
    let (text, detail) = (of_text(&cell.text, letter), of_text(&cell.detail, plain * 0.9));
    // A small drawing is as wide as a word.
    let text = if cell.spark.is_empty() {
        text
    } else {
        Need { least: text.least.max(SPARK), natural: text.natural.max(SPARK) }
    };
    Need { least: text.least.max(detail.least) + sign, natural: text.natural.max(detail.natural) + sign }
}

/// Whether a line may end here; numbers are tied to their units.
fn breaks(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{202f}')
}

fn of_text(text: &str, letter: f64) -> Need {
    let length = text.chars().count();
    let word = text.split(breaks).map(|word| word.chars().count()).max().unwrap_or(0).min(WORD_CHARS);
    let least = if length >= SENTENCE_FROM { word.max(SENTENCE_CHARS) } else { word };
    Need { least: least as f64 * letter, natural: length.min(CHARS_MAX) as f64 * letter }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Column, Row};
    use proptest::prelude::*;

    fn table(columns: usize, text: &str) -> Table {
        Table {
            columns: (0..columns).map(|_| Column::text("name")).collect(),
            rows: vec![Row::new((0..columns).map(|_| Cell::text(text)).collect())],
            ..Table::default()
        }
    }

    #[test]
    fn a_number_is_not_broken_in_wider_letters() {
        let row = |cell: Cell| Row::new(vec![cell, Cell::text("x".repeat(400))]);
        let width = |cell: Cell| {
            let table = Table { rows: vec![row(cell)], ..table(2, "") };
            let fit = fit(&table, 480.0, 730.0);
            fit.shares[0] * 480.0 / fit.size_pt
        };
        // Digits of DejaVu Sans are 0.636 of its size.
        assert!(width(Cell::number("12,345,678.9", 12_345_678.9)) >= 12.0 * 0.636);
    }

    #[test]
    fn a_narrow_table_stands_upright_and_a_wide_one_turns_the_page() {
        let narrow = fit(&table(3, "short"), 480.0, 730.0);
        assert_eq!((narrow.size_pt, narrow.is_turned), (9.0, false));
        let wide = fit(&table(14, "registration"), 480.0, 730.0);
        assert!(wide.is_turned, "{wide:?}");
        let widest = fit(&table(60, "registration"), 480.0, 730.0);
        assert_eq!((widest.size_pt, widest.is_turned), (6.0, true));
    }

    #[test]
    fn sentences_get_the_room_that_numbers_do_not_need() {
        let mut mixed = table(2, "42");
        mixed.rows[0].cells[1] = Cell::text("What was seen during the hold, and what that means for the limit.");
        let fit = fit(&mixed, 480.0, 730.0);
        assert!(fit.shares[1] > 3.0 * fit.shares[0], "{fit:?}");
    }

    proptest! {
        /// However a table is filled, its columns make up the line.
        #[test]
        fn shares_make_up_the_line(columns in 1..40_usize, text in "[a-z ]{0,90}") {
            let fit = fit(&table(columns, &text), 480.0, 730.0);
            prop_assert_eq!(fit.shares.len(), columns);
            prop_assert!((fit.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(fit.shares.iter().all(|share| *share > 0.0));
        }
    }
}
