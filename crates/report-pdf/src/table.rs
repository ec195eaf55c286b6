//! Tables: a head that is repeated, rows that are split only where one is higher than a sheet.

use crate::blocks::{read, state_marks, verdict_marks};
use crate::letters::{Line, Run, Type, lines};
use crate::sheet::{LEADING, MARGIN, Role, Set, Shape, fit};
use report::document::{Cell, CellKind, Row, Table};

/// Rows of a table in the document; all are in its CSV file.
const ROWS_MAX: usize = 500;
/// Room left and right of a cell's text.
const SIDE: f32 = 4.0;
/// Room above and below it.
const EDGE: f32 = 1.8;
/// Height of a caption of one line.
const CAPTION: f32 = 16.0;
/// Least room for the beginning of a table.
const BEGINNING: f32 = 70.0;
/// Width of a small drawing in units of the text's size.
const SPARK: f32 = 7.0;

/// Lines of a cell, and what they stand on.
struct CellSet {
    spark: Option<Box<resvg::usvg::Tree>>,
    lines: Vec<Line>,
    /// Size of the table's text.
    size: f32,
    ground: &'static str,
    is_right: bool,
}

/// How a table is set.
struct Grid {
    /// Left edge and width of each column.
    columns: Vec<(f32, f32)>,
    size: f32,
    head: Vec<CellSet>,
}

impl Set<'_> {
    /// Sets a table with its caption and remarks.
    pub(crate) fn table(&mut self, table: &Table) {
        let words = &self.document.frame.words;
        let (number, caption) = table.caption_parts(&words.table);
        let number = if number.is_empty() { String::new() } else { format!("{}\u{a0}{number}. ", words.table) };
        let caption = [Run::new(format!("{number}{caption}"), Type::Bold, 8.5, "ink")];
        let stride = table.rows.len().div_ceil(ROWS_MAX).max(1);
        self.skip(6.0);
        self.need(self.beginning(table).min(self.full()));
        if table.columns.is_empty() {
            self.paragraph(Role::Paragraph, &caption, 4.0);
        } else {
            let fit = fit(table);
            let shares: Vec<f32> = fit.shares.iter().map(|share| *share as f32).collect();
            let rows: Vec<&Row> = table.rows.iter().step_by(stride).collect();
            self.within(Role::Table(table.caption.clone()), |set| {
                set.paragraph(Role::Caption, &caption, 3.0);
                set.grid(table, &rows, &shares, fit.size_pt as f32);
            });
        }
        self.y += 2.0;
        if stride > 1 {
            let note = self.document.thinned(table, stride);
            self.paragraph(Role::Paragraph, &[Run::new(note, Type::Regular, 7.5, "ink-2")], 1.0);
        }
        for note in &table.notes {
            self.paragraph(Role::Note, &[Run::new(note, Type::Regular, 7.5, "ink-2")], 1.0);
        }
        self.y += 6.0;
    }

    /// A table without caption, of widths that are given; without a head where no column has a title.
    pub(crate) fn plain_table(&mut self, table: &Table, shares: &[f32], about: &str) {
        let rows: Vec<&Row> = table.rows.iter().collect();
        self.within(Role::Table(about.to_owned()), |set| set.grid(table, &rows, shares, 9.0));
    }

    /// Height of what a table begins with: its caption, its head and a row, so that none of them ends a sheet alone.
    pub(crate) fn beginning(&self, table: &Table) -> f32 {
        if table.columns.is_empty() {
            return BEGINNING;
        }
        let fit = fit(table);
        let shares: Vec<f32> = fit.shares.iter().map(|share| *share as f32).collect();
        let grid = self.grid_of(table, &shares, fit.size_pt as f32);
        let first = table.rows.first().map_or(0.0, |row| height(&set_row(table, row, &grid)));
        (CAPTION + height(&grid.head) + first).max(BEGINNING)
    }

    fn grid_of(&self, table: &Table, shares: &[f32], size: f32) -> Grid {
        let length = self.length();
        let mut left = MARGIN;
        let columns = shares.iter().map(|share| {
            let column = (left, share * length);
            left += share * length;
            column
        });
        let mut grid = Grid { columns: columns.collect(), size, head: Vec::new() };
        if table.columns.iter().any(|column| !column.title.is_empty()) {
            grid.head = table
                .columns
                .iter()
                .zip(&grid.columns)
                .map(|(column, (_, width))| {
                    let mut runs = vec![Run::new(filled(&column.title), Type::Bold, size, "ink")];
                    if !column.unit.is_empty() {
                        runs.push(Run::new(format!(" ({})", column.unit), Type::Regular, size, "ink-2"));
                    }
                    let lines = lines(&runs, width - 2.0 * SIDE);
                    CellSet { spark: None, lines, size, ground: "band", is_right: column.is_number }
                })
                .collect();
        }
        grid
    }

    fn grid(&mut self, table: &Table, rows: &[&Row], shares: &[f32], size: f32) {
        let length = self.length();
        let grid = self.grid_of(table, shares, size);
        // At least one row stands under the head.
        let first = rows.first().map_or(0.0, |row| height(&set_row(table, row, &grid)));
        self.need((height(&grid.head) + first).min(self.full()));
        let top_rule = [MARGIN, self.y, length, 0.9];
        self.fill(top_rule, "ink-2");
        if !grid.head.is_empty() {
            self.within(Role::Head, |set| set.within(Role::Row, |set| set.row(&grid, &grid.head, Role::HeadCell)));
        }
        self.within(Role::Rows, |set| {
            for (index, row) in rows.iter().enumerate() {
                let cells = set_row(table, row, &grid);
                let needed = height(&cells);
                if set.room() < needed && needed + height(&grid.head) <= set.full() {
                    set.go_on(&grid);
                }
                let is_named = grid.head.is_empty();
                set.within(Role::Row, |set| set.row(&grid, &cells, if is_named { Role::RowCell } else { Role::Cell }));
                let (hue, thickness) = if index + 1 == rows.len() { ("ink-2", 0.9) } else { ("rule", 0.5) };
                let rule = [MARGIN, set.y, length, thickness];
                set.fill(rule, hue);
            }
        });
        self.y += 2.0;
    }

    /// The next sheet, with the head again: as decoration, since a screen reader knows it.
    fn go_on(&mut self, grid: &Grid) {
        let is_turned = self.is_turned();
        self.next_sheet(is_turned);
        if grid.head.is_empty() {
            return;
        }
        let tall = height(&grid.head);
        let rule = [MARGIN, self.y, self.length(), 0.9];
        self.fill(rule, "ink-2");
        for (cell, (left, width)) in grid.head.iter().zip(&grid.columns) {
            let mut y = self.y + tall - EDGE - cell_height(cell);
            self.fill([*left, self.y, *width, tall], cell.ground);
            for line in &cell.lines {
                let x = place(line, cell.is_right, *left, *width);
                self.line(line, x, y, false);
                y += line.size() * LEADING;
            }
        }
        self.y += tall;
    }

    /// A row; one that is higher than a sheet goes on on the next.
    fn row(&mut self, grid: &Grid, cells: &[CellSet], role: Role) {
        let parts: Vec<usize> = (0..cells.len()).map(|index| self.cell_part(index, &role)).collect();
        let mut done = vec![0_usize; cells.len()];
        loop {
            let room = self.room() - 2.0 * EDGE;
            let taken: Vec<(usize, f32)> =
                cells.iter().zip(&done).map(|(cell, done)| lines_that_fit(cell, *done, room)).collect();
            let tall = taken.iter().map(|(_, height)| *height).fold(0.0, f32::max) + 2.0 * EDGE;
            for (index, cell) in cells.iter().enumerate() {
                let (left, width) = grid.columns[index];
                if !cell.ground.is_empty() {
                    self.fill([left, self.y, width, tall], cell.ground);
                }
                // Heads stand on the line below them.
                let down = if role == Role::HeadCell { tall - 2.0 * EDGE - taken[index].1 } else { 0.0 };
                let lines = &cell.lines[done[index]..done[index] + taken[index].0];
                let spark = cell.spark.as_deref().filter(|_| done[index] == 0);
                let frame = (left, width, self.y + EDGE + down);
                self.inside(parts[index], |set| set.cell(frame, lines, spark, cell.is_right, grid.size));
                done[index] += taken[index].0;
            }
            self.y += tall;
            if cells.iter().zip(&done).all(|(cell, done)| *done >= cell.lines.len()) {
                return;
            }
            self.go_on(grid);
        }
    }

    fn cell_part(&mut self, index: usize, role: &Role) -> usize {
        let number = self.parts.len();
        let role = if index > 0 && *role == Role::RowCell { Role::Cell } else { role.clone() };
        self.within(role, |_| {});
        number
    }

    fn cell(
        &mut self,
        (left, width, top): (f32, f32, f32),
        lines: &[Line],
        spark: Option<&resvg::usvg::Tree>,
        is_right: bool,
        size: f32,
    ) {
        let mut y = top;
        if let Some(tree) = spark {
            y += above(lines, tree, size);
            let wide = (SPARK * size).min(width - 2.0 * SIDE).max(1.0);
            // What it shows is in the row's numbers.
            self.put(Shape::Drawing { x: left + SIDE, y: top, width: wide, tree: Box::new(tree.clone()) }, false);
        }
        for line in lines {
            let x = place(line, is_right, left, width);
            self.line(line, x, y, true);
            y += line.size() * LEADING;
        }
    }
}

fn place(line: &Line, is_right: bool, left: f32, width: f32) -> f32 {
    if is_right { left + width - SIDE - visible(line) } else { left + SIDE }
}

/// Width of a line without the blanks at its end.
fn visible(line: &Line) -> f32 {
    let Some((from, last)) = line.runs.last() else { return 0.0 };
    from + crate::letters::width(last.text.trim_end_matches(' '), last.face, last.size)
}

fn spark_height(tree: &resvg::usvg::Tree, width: f32) -> f32 {
    tree.size().height() * width / tree.size().width().max(1.0)
}

/// Room that a small drawing takes above the lines of its cell; a blank line stands beside it.
fn above(lines: &[Line], tree: &resvg::usvg::Tree, size: f32) -> f32 {
    let is_blank = lines.iter().all(|line| line.runs.iter().all(|(_, run)| run.text.trim().is_empty()));
    let height = spark_height(tree, SPARK * size);
    if is_blank { (height - size * LEADING).max(0.0) } else { height }
}

/// How many lines from one on fit, at least one, and how high they are.
fn lines_that_fit(cell: &CellSet, from: usize, room: f32) -> (usize, f32) {
    let mut height =
        if from == 0 { cell.spark.as_ref().map_or(0.0, |tree| above(&cell.lines, tree, cell.size)) } else { 0.0 };
    let mut count = 0;
    for line in &cell.lines[from..] {
        let next = height + line.size() * LEADING;
        if next > room && count > 0 {
            break;
        }
        (height, count) = (next, count + 1);
    }
    (count, height)
}

fn cell_height(cell: &CellSet) -> f32 {
    lines_that_fit(cell, 0, f32::INFINITY).1
}

fn height(cells: &[CellSet]) -> f32 {
    cells.iter().map(cell_height).fold(0.0, f32::max) + 2.0 * EDGE
}

/// A cell that is empty still is a cell: of a blank.
fn filled(text: &str) -> &str {
    if text.is_empty() { " " } else { text }
}

fn set_row(table: &Table, row: &Row, grid: &Grid) -> Vec<CellSet> {
    let empty = Cell::default();
    let is_named = grid.head.is_empty();
    let cell = |(index, (_, width)): (usize, &(f32, f32))| {
        let cell = row.cells.get(index).unwrap_or(&empty);
        let is_bold = row.is_strong || (is_named && index == 0);
        let is_right = table.columns.get(index).is_some_and(|column| column.is_number);
        set_cell(cell, width - 2.0 * SIDE, grid.size, is_bold, is_right)
    };
    grid.columns.iter().enumerate().map(cell).collect()
}

fn set_cell(cell: &Cell, width: f32, size: f32, is_bold: bool, is_right: bool) -> CellSet {
    let (sign, hue, ground) = match cell.kind {
        CellKind::Verdict(verdict) => verdict_marks(verdict),
        CellKind::Validity(state) => state_marks(state),
        CellKind::Missing => ("", "ink-3", ""),
        CellKind::Text | CellKind::Code | CellKind::Severity(_) => ("", "ink", ""),
    };
    let face = match cell.kind {
        CellKind::Code => Type::Code,
        _ if is_bold || !sign.is_empty() => Type::Bold,
        _ => Type::Regular,
    };
    let text_size = if face == Type::Code { size - 1.0 } else { size };
    let text = if sign.is_empty() { filled(&cell.text).to_owned() } else { format!("{sign}\u{a0}{}", cell.text) };
    let mut set = lines(&[Run::new(text, face, text_size, hue)], width);
    if !cell.detail.is_empty() {
        set.extend(lines(&[Run::new(&cell.detail, Type::Regular, size - 1.2, "ink-2")], width));
    }
    let spark =
        if cell.spark.is_empty() { None } else { read(&report::frame::spark_by_itself(&cell.spark)).map(Box::new) };
    CellSet { spark, lines: set, size, ground, is_right }
}
