//! Tables as CSV that a spreadsheet reads as numbers and text, and as nothing that it carries out.

use crate::document::Table;

/// The table as CSV: a head with units, then its rows with unrounded numbers.
pub(crate) fn csv(table: &Table) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let head = table.columns.iter().map(|column| {
        let title = defused(&column.title);
        if column.unit.is_empty() { title } else { format!("{title} [{}]", column.unit) }
    });
    let expect = "invariant: writing to memory cannot fail, and every row has as many cells as there are columns";
    writer.write_record(head).expect(expect);
    for row in &table.rows {
        writer.write_record(row.cells.iter().map(|cell| field(cell.raw, &cell.text))).expect(expect);
    }
    writer.into_inner().expect(expect)
}

/// A number as it is, else the text. A text that a spreadsheet would take for a formula is made plain.
fn field(raw: Option<f64>, text: &str) -> String {
    match raw {
        Some(number) => format!("{number}"),
        None if text == crate::number::MISSING => String::new(),
        None => defused(text),
    }
}

/// Text that a spreadsheet would take for a formula gets a `'` before it: at its beginning, blanks before it or not, and
/// after what some of them take for the end of a cell. The wide forms count as formulas in some languages.
pub(crate) fn defused(text: &str) -> String {
    let is_formula = |c: char| matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠');
    let begins_one = text.trim_start().starts_with(is_formula) || text.starts_with(['\t', '\r', '\n']);
    let mut shown = if begins_one { "'".to_owned() } else { String::new() };
    let mut is_new_cell = false;
    for c in text.chars() {
        if is_new_cell && matches!(c, '=' | '@' | '＝' | '＠') {
            shown.push('\'');
        }
        is_new_cell = matches!(c, ';' | '\t' | '\n' | '\r') || is_new_cell && c == ' ';
        shown.push(c);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Cell, Column, Row};

    #[test]
    fn what_a_spreadsheet_would_carry_out_is_plain_text() {
        for (text, expected) in [
            ("=cmd()", "'=cmd()"),
            (" =cmd()", "' =cmd()"),
            ("\t=cmd()", "'\t'=cmd()"),
            ("＝cmd()", "'＝cmd()"),
            ("@SUM(1)", "'@SUM(1)"),
            ("x; =cmd()", "x; '=cmd()"),
            ("x\n=cmd()", "x\n'=cmd()"),
            ("share(a) = 5", "share(a) = 5"),
            ("a; -5", "a; -5"),
            ("", ""),
        ] {
            assert_eq!(defused(text), expected, "{text}");
        }
        let table = Table { columns: vec![Column::text("=cmd()")], ..Table::default() };
        assert_eq!(String::from_utf8(csv(&table)).unwrap(), "'=cmd()\n");
    }

    #[test]
    fn numbers_are_unrounded_and_formulas_are_plain() {
        let table = Table {
            columns: vec![Column::text("name"), Column::number("p95", "ms")],
            rows: vec![
                Row::new(vec![Cell::code("=cmd()"), Cell::number("27.3", 27.312_345)]),
                Row::new(vec![Cell::code("a,\"b\""), Cell::missing()]),
            ],
            ..Table::default()
        };
        assert_eq!(String::from_utf8(csv(&table)).unwrap(), "name,p95 [ms]\n'=cmd(),27.312345\n\"a,\"\"b\"\"\",\n");
    }
}
