//! Data files: CSV with a header row and JSON lines. A small one is held in memory; of a large one only an index is,
//! and its rows are read when they are needed.

mod elsewhere;
mod reading;
mod row;

use crate::model::{DataSet, RowOrder, Study};
use crate::syntax::rejected::Rejected;
use contract::{Mistake, Mistakes, Pick, Table};
use reading::Reading;
use std::path::Path;
use std::sync::Arc;

/// Reads all data sets, in the study's order. All columns are kept: a body file may mention any of them.
///
/// # Errors
/// Files that cannot be read, rows of another length, headers that are empty or double, texts that are not UTF-8.
pub fn load_tables(study: &Study) -> Result<Vec<Arc<Table>>, Rejected> {
    let mut mistakes = Mistakes::default();
    let tables = study.data.iter().enumerate().map(|(number, set)| {
        let mut reading = Reading::new(set, &mut mistakes);
        let mut table = reading.read(&study.base.join(&set.file), usize::MAX).unwrap_or_default();
        if table.is_empty() && !reading.has_mistakes() {
            reading.wrong(None, "has no rows");
        }
        let seed = terms::seed::hash(study.seed, number as u64);
        table.pick = match set.order {
            RowOrder::InTurn => Pick::InTurn,
            RowOrder::Random => Pick::Random { seed },
            RowOrder::Shuffled => Pick::Shuffled { seed },
        };
        Arc::new(table)
    });
    let tables: Vec<Arc<Table>> = tables.collect();
    check_streams(study, &tables, &mut mistakes);
    mistakes.into_result().map_err(|mistakes| Rejected { files: study.files.clone(), mistakes })?;
    Ok(tables)
}

/// Tables without rows: enough to know the columns' names.
pub(crate) fn headers(study: &Study, mistakes: &mut Mistakes) -> Vec<Arc<Table>> {
    let header = |set: &DataSet| {
        // A set without a file has its mistake already.
        if set.file.is_empty() {
            return Arc::new(Table::default());
        }
        let mut reading = Reading::new(set, mistakes);
        Arc::new(reading.read(&study.base.join(&set.file), 0).unwrap_or_default())
    };
    study.data.iter().map(header).collect()
}

/// Number of rows of a data set.
pub(crate) fn rows(set: &DataSet, base: &Path, mistakes: &mut Mistakes) -> Option<usize> {
    let mut reading = Reading::new(set, mistakes);
    let table = reading.read(&base.join(&set.file), usize::MAX)?;
    if table.is_empty() && !reading.has_mistakes() {
        reading.wrong(None, "has no rows");
    }
    (!table.is_empty()).then_some(table.len())
}

/// Says which streams have no row.
fn check_streams(study: &Study, tables: &[Arc<Table>], mistakes: &mut Mistakes) {
    let parts = study.scenarios.iter().flat_map(|scenario| scenario.parts.iter().map(move |part| (scenario, part)));
    for (scenario, streams) in parts.filter_map(|(scenario, part)| Some((scenario, part.load.streams?))) {
        let Some(table) = tables.get(usize::from(streams.data)).filter(|table| !table.is_empty()) else { continue };
        if table.len() < usize::from(streams.count) {
            let text = format!(
                "scenario `{}` has {} streams, but `{}` has only {} rows",
                scenario.name,
                streams.count,
                table.name,
                table.len()
            );
            mistakes.push(
                Mistake::at(scenario.place, "study::bad-data", text)
                    .label(format!("add rows, or write `first: {}`", table.len())),
            );
        }
    }
}
