//! The inventory that the author states, checked for what tables typed by hand get wrong.
//!
//! What is measured has one source; an inventory has as many as there were people who typed. So its cells are looked
//! at: text among numbers, two units in one column, a heap that does not fit its memory, a reservation above it, equal
//! rows for unlike components, a value that belongs into the column beside.

use super::{FAR, NUMERIC, ROWS_MIN, TWIN_COLUMNS};
use std::collections::BTreeMap;
use study::Inventory;

/// What is wrong with a cell or a row. Rows are named by their first cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// Text in a column of numbers.
    Text { row: String, column: String, cell: String },
    /// Numbers with different units, or with and without, in one column.
    Units {
        column: String,
        /// The units found, `none` for a bare number.
        units: Vec<String>,
    },
    /// Heap and metaspace together exceed the memory of the component.
    Memory {
        row: String,
        /// Greatest heap.
        xmx: f64,
        /// Greatest metaspace.
        metaspace: f64,
        memory: f64,
    },
    /// More memory is reserved than the component may have.
    Reservation {
        row: String,
        /// Reserved.
        reservation: f64,
        memory: f64,
    },
    /// Two components with the same values throughout.
    Twin {
        /// The later row.
        row: String,
        /// The earlier row.
        other: String,
    },
    /// A value far from what is usual in its column; mostly it belongs into another.
    Shifted {
        row: String,
        column: String,
        value: f64,
        /// What is usual there.
        usual: f64,
        /// The column of the same row that holds the same value, if there is one.
        same_as: Option<String>,
    },
}

/// Everything that is wrong, row by row within each kind.
pub fn lint(inventory: &Inventory) -> Vec<Problem> {
    let table = Table::of(inventory);
    let mut problems = Vec::new();
    table.text(&mut problems);
    table.units(&mut problems);
    table.memory(&mut problems);
    table.twins(&mut problems);
    table.shifted(&mut problems);
    problems
}

/// A number with its unit as written; bytes of all sorts in MiB where a unit says so.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    value: f64,
    unit: String,
}

/// `512`, `1,024`, `1.5GiB`, `720m`; the JVM's `m` and `g` are MiB and GiB.
fn number(text: &str) -> Option<Cell> {
    let text = text.trim();
    let digits_end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_'))).unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits_end);
    let digits: String = digits.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let value: f64 = digits.parse().ok().filter(|value: &f64| value.is_finite())?;
    let unit = unit.trim();
    let factor = match unit {
        "" | "MiB" | "MB" | "M" | "m" => 1.0,
        "GiB" | "GB" | "G" | "g" => 1024.0,
        "KiB" | "kB" | "KB" | "K" | "k" => 1.0 / 1024.0,
        "%" | "ms" | "s" => 1.0,
        _ => return None,
    };
    Some(Cell { value: value * factor, unit: unit.to_owned() })
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

struct Table<'a> {
    inventory: &'a Inventory,
    /// Numbers of columns that hold numbers.
    numeric: Vec<usize>,
}

impl<'a> Table<'a> {
    fn of(inventory: &'a Inventory) -> Self {
        let is_numeric = |column: &usize| {
            let cells = inventory.rows.iter().filter_map(|row| row.get(*column)).filter(|cell| !is_empty(cell));
            let (numbers, all) =
                cells.fold((0, 0), |(numbers, all), cell| (numbers + usize::from(number(cell).is_some()), all + 1));
            all >= ROWS_MIN && f64::from(numbers as u32) >= NUMERIC * f64::from(all as u32)
        };
        Self { inventory, numeric: (1..inventory.columns.len()).filter(is_numeric).collect() }
    }

    fn name(&self, row: &[String]) -> String {
        row.first().cloned().unwrap_or_default()
    }

    fn column(&self, place: usize) -> String {
        self.inventory.columns.get(place).cloned().unwrap_or_default()
    }

    fn cell(&self, row: &[String], place: usize) -> Option<Cell> {
        row.get(place).and_then(|cell| number(cell))
    }

    fn text(&self, problems: &mut Vec<Problem>) {
        for row in &self.inventory.rows {
            for &place in &self.numeric {
                let Some(cell) = row.get(place).filter(|cell| !is_empty(cell) && number(cell).is_none()) else {
                    continue;
                };
                problems.push(Problem::Text { row: self.name(row), column: self.column(place), cell: cell.clone() });
            }
        }
    }

    fn units(&self, problems: &mut Vec<Problem>) {
        for &place in &self.numeric {
            let cells = self.inventory.rows.iter().filter_map(|row| self.cell(row, place));
            // Nought needs no unit.
            let mut units: Vec<String> = cells.filter(|cell| cell.value != 0.0).map(|cell| cell.unit).collect();
            units.sort();
            units.dedup();
            if units.len() > 1 {
                let shown = units.into_iter().map(|unit| if unit.is_empty() { "none".to_owned() } else { unit });
                let shown: Vec<String> = shown.collect();
                problems.push(Problem::Units { column: self.column(place), units: shown });
            }
        }
    }

    /// The column whose name says what it holds.
    fn find(&self, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        (1..self.inventory.columns.len()).find(|place| is_it(&plain(&self.inventory.columns[*place])))
    }

    fn memory(&self, problems: &mut Vec<Problem>) {
        let is_other = |name: &str| ["reserv", "metaspace", "xmx", "heap"].iter().any(|word| name.contains(word));
        let Some(memory) = self.find(|name| name.starts_with("mem") && !is_other(name)) else { return };
        let reservation = self.find(|name| name.contains("reserv"));
        let xmx = self.find(|name| name.contains("xmx") || name.contains("maxheap"));
        let metaspace = self.find(|name| name.contains("metaspace"));
        for row in &self.inventory.rows {
            // Without a limit nothing can exceed it.
            let Some(memory) = self.cell(row, memory).map(|cell| cell.value).filter(|memory| *memory > 0.0) else {
                continue;
            };
            let value = |place: Option<usize>| place.and_then(|place| self.cell(row, place)).map(|cell| cell.value);
            if let Some(xmx) = value(xmx) {
                let metaspace = value(metaspace).unwrap_or(0.0);
                if xmx + metaspace > memory {
                    problems.push(Problem::Memory { row: self.name(row), xmx, metaspace, memory });
                }
            }
            if let Some(reservation) = value(reservation).filter(|reserved| *reserved > memory) {
                problems.push(Problem::Reservation { row: self.name(row), reservation, memory });
            }
        }
    }

    fn twins(&self, problems: &mut Vec<Problem>) {
        // A column that holds the same everywhere says nothing.
        let varies = |place: &usize| {
            let mut values = self.inventory.rows.iter().map(|row| row.get(*place));
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        let varying: Vec<usize> = (1..self.inventory.columns.len()).filter(varies).collect();
        let mut seen: BTreeMap<Vec<&str>, String> = BTreeMap::new();
        for row in &self.inventory.rows {
            let values: Vec<&str> = varying.iter().map(|place| row.get(*place).map_or("", String::as_str)).collect();
            if values.iter().filter(|value| !is_empty(value)).count() < TWIN_COLUMNS {
                continue;
            }
            let name = self.name(row);
            match seen.get(&values) {
                Some(other) if *other != name => problems.push(Problem::Twin { row: name, other: other.clone() }),
                Some(_) => {}
                None => {
                    seen.insert(values, name);
                }
            }
        }
    }

    fn shifted(&self, problems: &mut Vec<Problem>) {
        for &place in &self.numeric {
            let values: Vec<f64> =
                self.inventory.rows.iter().filter_map(|row| self.cell(row, place)).map(|cell| cell.value).collect();
            let Some(usual) = mode(&values).filter(|usual| *usual > 0.0) else { continue };
            for row in &self.inventory.rows {
                let Some(value) = self.cell(row, place).map(|cell| cell.value).filter(|value| *value > 0.0) else {
                    continue;
                };
                let is_alone = values.iter().filter(|other| **other == value).count() == 1;
                let is_far = value >= FAR * usual || value * FAR <= usual;
                let neighbours = self.numeric.iter().filter(|other| **other != place);
                let same =
                    neighbours.copied().find(|other| self.cell(row, *other).is_some_and(|cell| cell.value == value));
                if is_alone && is_far {
                    let same_as = same.map(|other| self.column(other));
                    problems.push(Problem::Shifted {
                        row: self.name(row),
                        column: self.column(place),
                        value,
                        usual,
                        same_as,
                    });
                }
            }
        }
    }
}

fn is_empty(cell: &str) -> bool {
    matches!(cell.trim(), "" | "-" | "–" | "n/a" | "N/A")
}

/// The value that at least half of them share.
fn mode(values: &[f64]) -> Option<f64> {
    let count = |value: f64| values.iter().filter(|other| **other == value).count();
    values.iter().copied().find(|value| values.len() >= ROWS_MIN && 2 * count(*value) >= values.len())
}
