//! What the check of the stated inventory found.

mod lint;

use super::stated::{exact, stated};
use super::{RuleInput, finding};
use crate::Scope;
use crate::findings::declare::{Given, declare};
use crate::{Arg, Finding, Gravity};
pub use lint::{Problem, lint};

declare! {
    /// Text in a column of numbers of the stated inventory: one in which `NUMERIC` of `ROWS_MIN` filled cells or more are
    /// numbers.
    InventoryText = "INVENTORY-TEXT" {
        cell: String,
        column: String,
        row: String,
    }
}

declare! {
    /// Several units, or numbers with and without, in one column of it.
    InventoryUnits = "INVENTORY-UNITS" {
        column: String,
        units: String,
    }
}

declare! {
    /// Heap and metaspace together exceed the memory of a component.
    InventoryMemory = "INVENTORY-MEMORY" {
        memory: Arg,
        metaspace: Arg,
        row: String,
        xmx: Arg,
    }
}

declare! {
    /// More memory is reserved than the component may have.
    InventoryReservation = "INVENTORY-RESERVATION" {
        memory: Arg,
        reservation: Arg,
        row: String,
    }
}

declare! {
    /// Two components with the same values in every column that varies at all, `TWIN_COLUMNS` of them or more filled.
    InventoryTwin = "INVENTORY-TWIN" {
        other: String,
        row: String,
    }
}

declare! {
    /// A value that no other row has, `FAR` times or one part in `FAR` of what at least half of the column holds; beside it
    /// the column of the same row that has the same value, where there is one.
    InventoryShifted = "INVENTORY-SHIFTED" {
        column: String,
        row: String,
        same: String,
        usual: Given<Arg>,
        value: Arg,
    }
}

/// Share of a column's filled cells that must be numbers for it to be a column of numbers.
const NUMERIC: f64 = 0.6;
/// Rows that such a column must have.
const ROWS_MIN: usize = 3;
/// Filled columns besides the name that must agree, and differ elsewhere, for two rows to be twins.
const TWIN_COLUMNS: usize = 3;
/// How far a value must lie from what is usual in its column, as a factor, to be looked at.
const FAR: f64 = 3.0;

/// INVENTORY-…: what the check of the stated inventory found.
pub(super) fn inventory(seen: &RuleInput<'_>) -> Vec<Finding> {
    let Some(inventory) = &seen.study.system.inventory else { return Vec::new() };
    let text = str::to_owned;
    let of = |problem: Problem| {
        stated(match problem {
            Problem::Text { row, column, cell } => {
                let args = InventoryText { cell: text(&cell), column: text(&column), row: text(&row) };
                finding(Gravity::Warning, &Scope::named(row.as_str()), args)
            }
            Problem::Units { column, units } => {
                let args = InventoryUnits { column: text(&column), units: units.join(", ") };
                finding(Gravity::Warning, &Scope::named(column.as_str()), args)
            }
            Problem::Memory { row, xmx, metaspace, memory } => {
                let args = InventoryMemory {
                    memory: exact(memory),
                    metaspace: exact(metaspace),
                    row: text(&row),
                    xmx: exact(xmx),
                };
                finding(Gravity::Warning, &Scope::named(row.as_str()), args)
            }
            Problem::Reservation { row, reservation, memory } => {
                let args =
                    InventoryReservation { memory: exact(memory), reservation: exact(reservation), row: text(&row) };
                finding(Gravity::Warning, &Scope::named(row.as_str()), args)
            }
            Problem::Twin { row, other } => finding(
                Gravity::Notice,
                &Scope::named(row.as_str()),
                InventoryTwin { other: text(&other), row: text(&row) },
            ),
            Problem::Shifted { row, column, value, usual, same_as } => {
                let args = InventoryShifted {
                    column: text(&column),
                    row: text(&row),
                    same: text(same_as.as_deref().unwrap_or("none")),
                    usual: Given(exact(usual)),
                    value: exact(value),
                };
                finding(Gravity::Notice, &Scope::named(row.as_str()), args)
            }
        })
    };
    lint(inventory).into_iter().map(of).collect()
}
