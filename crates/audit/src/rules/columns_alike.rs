//! COPY-TWIN and MACHINE: columns that were copied, and machines that do not have what is written of them.

use crate::columns::Role;
use crate::finding::{Finding, Weight, number, quote};
use crate::model::Row;
use crate::seen::Input;

/// Fewest rows, and share of them, that make two columns alike.
const ROWS_MIN: usize = 5;
const ALIKE: f64 = 0.8;

/// COPY-TWIN: memory that equals the processors' number in nearly all rows.
pub(super) fn columns(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in &seen.tables {
        let view = &table.view;
        let (Some(memory), Some(processors)) = (view.only(Role::Memory), view.only(Role::Processors)) else { continue };
        let cells = |row: &Row| Some((row.cells.get(memory)?.clone(), row.cells.get(processors)?.clone()));
        let both: Vec<(String, String)> =
            view.rows.iter().filter_map(cells).filter(|(a, b)| !a.is_empty() && !b.is_empty()).collect();
        let same = both.iter().filter(|(a, b)| a == b).count();
        if both.len() < ROWS_MIN || (same as f64) < ALIKE * both.len() as f64 {
            continue;
        }
        let list = |pick: fn(&(String, String)) -> &str| both.iter().map(pick).collect::<Vec<_>>().join(", ");
        let first = &view.rows[0];
        found.push(Finding {
            code: "COPY-TWIN",
            weight: Weight::Question,
            says: format!(
                "“{}” equals “{}” in {same} of {} rows",
                view.columns[memory].heading,
                view.columns[processors].heading,
                both.len()
            ),
            arithmetic: format!(
                "{}: {}; {}: {}",
                view.columns[memory].heading,
                list(|pair| &pair.0),
                view.columns[processors].heading,
                list(|pair| &pair.1)
            ),
            remedy: "look up the machines: one column was probably copied".to_owned(),
            quotes: vec![quote(&table.place(first), &view.shown(first))],
        });
    }
}

/// GiB for each processor in families of machines of Amazon's cloud whose sizes all have the same share.
/// Source: the instance types as Amazon documents them (current and previous generations).
const FAMILIES: [(&str, f64); 27] = [
    ("c4", 1.875),
    ("c5", 2.0),
    ("c5a", 2.0),
    ("c5d", 2.0),
    ("c6i", 2.0),
    ("c6a", 2.0),
    ("c6g", 2.0),
    ("c7g", 2.0),
    ("c7i", 2.0),
    ("m4", 4.0),
    ("m5", 4.0),
    ("m5a", 4.0),
    ("m5d", 4.0),
    ("m6i", 4.0),
    ("m6a", 4.0),
    ("m6g", 4.0),
    ("m7g", 4.0),
    ("m7i", 4.0),
    ("r4", 7.625),
    ("r5", 8.0),
    ("r5a", 8.0),
    ("r5d", 8.0),
    ("r6i", 8.0),
    ("r6a", 8.0),
    ("r6g", 8.0),
    ("r7g", 8.0),
    ("r7i", 8.0),
];
/// Processors of a size; the smaller ones differ between families.
const SIZES: [(&str, f64); 6] =
    [("large", 2.0), ("xlarge", 4.0), ("2xlarge", 8.0), ("4xlarge", 16.0), ("8xlarge", 32.0), ("12xlarge", 48.0)];

/// Processors and GiB of `c5.xlarge` or `db.m5.large`.
fn machine(name: &str) -> Option<(f64, f64)> {
    let (family, size) = name.strip_prefix("db.").unwrap_or(name).split_once('.')?;
    let each = FAMILIES.iter().find(|(known, _)| *known == family)?.1;
    let processors = SIZES.iter().find(|(known, _)| *known == size)?.1;
    // The large ones of the fourth generation are not regular.
    (!(family.ends_with('4') && processors > 16.0)).then_some((processors, processors * each))
}

/// MACHINE: memory or processors of a named machine of Amazon's cloud that it does not have.
pub(super) fn machines(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in &seen.tables {
        let view = &table.view;
        let (Some(memory), Some(processors)) = (view.only(Role::Memory), view.only(Role::Processors)) else { continue };
        let mut wrong: Vec<(&Row, String)> = Vec::new();
        for row in &view.rows {
            let Some((name, (has, gib))) = row.cells.iter().find_map(|cell| Some((cell, machine(cell.trim())?))) else {
                continue;
            };
            let figure = |at| view.figure(row, at, seen.decimals).map(|figure| figure.value());
            let (stated_memory, stated) = (figure(memory), figure(processors));
            // GB for GiB is a habit: a twelfth.
            let is_off =
                |stated: Option<f64>, real: f64| stated.is_some_and(|stated| (stated / real - 1.0).abs() > 0.12);
            if is_off(stated_memory, gib) || is_off(stated, has) {
                let text = format!(
                    "{name} has {} processors and {} GiB, written are {} and {}",
                    number(has),
                    number(gib),
                    shown(stated),
                    shown(stated_memory)
                );
                if !wrong.iter().any(|(_, known)| *known == text) {
                    wrong.push((row, text));
                }
            }
        }
        let Some((first, _)) = wrong.first() else { continue };
        found.push(Finding {
            code: "MACHINE",
            weight: Weight::Contradiction,
            says: "a machine of this name does not have what is written of it".to_owned(),
            arithmetic: wrong.iter().map(|(_, text)| text.as_str()).take(4).collect::<Vec<_>>().join("; "),
            remedy: "take processors and memory from the machine itself".to_owned(),
            quotes: vec![quote(&table.place(first), &view.shown(first))],
        });
    }
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "nothing".to_owned(), number)
}
