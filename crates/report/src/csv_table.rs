//! Tables as CSV that a spreadsheet reads as numbers and text, and as nothing that it carries out.

use crate::document::{Cell, Column, Detail, Table};

/// What a cell prints besides its text has columns of its own, right of that of its text and only where a row has it.
/// These are their names, in this order; like everything that programs read, they are English.
const BESIDE: [Beside; 8] = [
    Beside { name: "unit", is_in_unit: false, of: |cell| text(&cell.unit) },
    Beside { name: "bound", is_in_unit: false, of: |cell| text(if cell.is_lower_bound { "at least" } else { "" }) },
    Beside { name: "low", is_in_unit: true, of: |cell| interval(cell).map(|(low, _)| low.to_string()) },
    Beside { name: "high", is_in_unit: true, of: |cell| interval(cell).map(|(_, high)| high.to_string()) },
    Beside {
        name: "max",
        is_in_unit: true,
        of: |cell| if let Detail::Greatest(max) = cell.detail_kind { Some(max.to_string()) } else { None },
    },
    Beside {
        name: "limit",
        is_in_unit: true,
        of: |cell| if let Detail::Limit(limit) = cell.detail_kind { Some(limit.to_string()) } else { None },
    },
    Beside {
        name: "severity",
        is_in_unit: false,
        of: |cell| if cell.detail_kind == Detail::Severity { text(&cell.detail) } else { None },
    },
    Beside {
        name: "detail",
        is_in_unit: false,
        of: |cell| if cell.detail_kind == Detail::Text { text(&cell.detail) } else { None },
    },
];

/// A column beside that of a cell's text.
struct Beside {
    name: &'static str,
    /// Whether its numbers are in the unit of the column.
    is_in_unit: bool,
    of: fn(&Cell) -> Option<String>,
}

fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| defused(text))
}

fn interval(cell: &Cell) -> Option<(f64, f64)> {
    if let Detail::Interval(low, high) = cell.detail_kind { Some((low, high)) } else { None }
}

/// The table as CSV: a head with units, then its rows with unrounded numbers and all that their cells print.
pub(crate) fn csv(table: &Table) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let beside: Vec<Vec<&Beside>> = (0..table.columns.len()).map(|index| beside(table, index)).collect();
    let head = table.columns.iter().zip(&beside).flat_map(|(column, beside)| {
        let own = heading(column, None);
        std::iter::once(own).chain(beside.iter().map(|one| heading(column, Some(one))))
    });
    let expect = "invariant: writing to memory cannot fail, and every row has as many cells as there are columns";
    writer.write_record(head).expect(expect);
    for row in &table.rows {
        let fields = row.cells.iter().zip(&beside).flat_map(|(cell, beside)| {
            let own = field(cell.raw, &cell.text);
            std::iter::once(own).chain(beside.iter().map(|one| (one.of)(cell).unwrap_or_default()))
        });
        writer.write_record(fields).expect(expect);
    }
    writer.into_inner().expect(expect)
}

/// What any cell of a column has besides its text.
fn beside(table: &Table, index: usize) -> Vec<&'static Beside> {
    let is_there =
        |one: &&Beside| table.rows.iter().filter_map(|row| row.cells.get(index)).any(|cell| (one.of)(cell).is_some());
    BESIDE.iter().filter(is_there).collect()
}

/// `p95 [ms]`, `p95: low [ms]`, `Requirement: severity`.
fn heading(column: &Column, beside: Option<&Beside>) -> String {
    let title = defused(&column.title);
    let title = beside.map_or_else(|| title.clone(), |one| format!("{title}: {}", one.name));
    let has_unit = !column.unit.is_empty() && beside.is_none_or(|one| one.is_in_unit);
    if has_unit { format!("{title} [{}]", column.unit) } else { title }
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
    use crate::document::Row;

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

    #[test]
    fn all_that_a_cell_prints_has_a_column() {
        let requirement = |name: &str, word: &str| Cell::code(name).with_detail_of(Detail::Severity, word);
        let measured = Cell::number("27.3", 27.312).with_detail_of(Detail::Interval(26.94, 27.77), "26.9 – 27.8");
        let exact = Cell { unit: "share".into(), ..Cell::number("0%", 0.0).with_detail("exact") };
        let table = Table {
            columns: vec![Column::text("Requirement"), Column::number("Measured", "ms"), Column::number("Calls", "")],
            rows: vec![
                Row::new(vec![requirement("fast", "must"), measured.at_least(), Cell::number("1", 1.0)]),
                Row::new(vec![requirement("right", "=should"), exact, Cell::missing()]),
            ],
            ..Table::default()
        };
        let lines = [
            "Requirement,Requirement: severity,Measured [ms],Measured: unit,Measured: bound,Measured: low [ms],\
             Measured: high [ms],Measured: detail,Calls",
            "fast,must,27.312,,at least,26.94,27.77,,1",
            "right,'=should,0,share,,,,exact,",
        ];
        assert_eq!(String::from_utf8(csv(&table)).unwrap(), lines.map(|line| format!("{line}\n")).concat());
    }

    #[test]
    fn a_greatest_value_and_a_limit_keep_their_digits() {
        let cell = |kind| Cell::number("1", 1.0).with_detail_of(kind, "2");
        let table = Table {
            columns: vec![Column::number("p95", "ms")],
            rows: vec![Row::new(vec![cell(Detail::Greatest(2.125))]), Row::new(vec![cell(Detail::Limit(50.5))])],
            ..Table::default()
        };
        let text = String::from_utf8(csv(&table)).unwrap();
        assert_eq!(text, "p95 [ms],p95: max [ms],p95: limit [ms]\n1,2.125,\n1,,50.5\n");
    }
}
