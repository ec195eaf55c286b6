//! What shape a folder is in: which of its streams are in segments, which in tables, and what is missing.

use crate::files::sha256;
use crate::layout::{HEAD, MANIFEST, STUDY};
use crate::manifest::Manifest;
use crate::row::{Stream, every_row};
use crate::rows::table_name;
use crate::tables::Stored;
use crate::{Head, RecordError, segment};
use recorder::IterationRow;
use std::path::Path;

/// Where the rows of a stream are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Segments,
    Tables,
}

/// A folder as it was found.
pub(crate) struct Shape {
    /// Of load, watch and events.
    pub(crate) sources: [Source; 3],
    /// `None` where there is none, or it cannot be read.
    pub(crate) manifest: Option<Manifest>,
    /// Whether every stream is in segments and no seal was ever set.
    pub(crate) is_sealable: bool,
    /// Files that are not what was sealed, or not what was run.
    pub(crate) altered: Vec<String>,
}

/// A table as a sealed run has it.
struct Table {
    stream: Stream,
    /// Path within the evidence.
    name: String,
    /// Whether runs of earlier versions were sealed without it.
    is_added: bool,
}

/// All tables that a sealed run has.
fn tables() -> [Table; 11] {
    fn of<T: Stored>() -> Table {
        Table { stream: T::STREAM, name: table_name::<T>(), is_added: T::IS_ADDED }
    }
    every_row!(of())
}

/// Length of all tables together.
pub(crate) fn tables_bytes(evidence: &Path) -> u64 {
    let length = |table: &Table| std::fs::metadata(evidence.join(&table.name)).map_or(0, |file| file.len());
    tables().iter().map(length).fold(0, u64::saturating_add)
}

impl Shape {
    /// Looks at a folder.
    ///
    /// # Errors
    /// [`RecordError::NotARun`] where nothing was recorded, or nothing of it is left; [`RecordError::ForeignManifest`]
    /// where the seal is that of another run.
    pub(crate) fn of(run: &Path, evidence: &Path, head: &Head) -> Result<Self, RecordError> {
        let read = Manifest::read(evidence);
        let is_ruined = read.is_err();
        let manifest = read.ok().flatten();
        let tables = tables();
        let has_tables =
            |stream| tables.iter().any(|table| table.stream == stream && evidence.join(&table.name).is_file());
        let mut sources = [Source::Tables; 3];
        let (mut in_segments, mut in_tables) = (0, 0);
        for (source, stream) in sources.iter_mut().zip(Stream::ALL) {
            let (has_segments, has_tables) = (!segment::list(evidence, stream)?.is_empty(), has_tables(stream));
            in_segments += usize::from(has_segments);
            in_tables += usize::from(has_tables);
            // A manifest, even a ruined one, was written when the tables were whole. Until then the segments count.
            let tables_count = manifest.is_some() || (is_ruined && has_tables) || !has_segments;
            *source = if tables_count && (has_tables || !has_segments) { Source::Tables } else { Source::Segments };
        }
        if in_segments == 0 && in_tables == 0 {
            let what = "it has neither segments nor tables: the run ended before anything was recorded, or its record was \
                        removed; take it from a copy, or carry the study out again";
            return Err(RecordError::not_a_run(run, what));
        }
        let mut altered = match &manifest {
            Some(manifest) => {
                // One that there is must be among what was sealed, whichever version sealed it.
                let is_expected = |table: &&Table| !table.is_added || evidence.join(&table.name).exists();
                let expected: Vec<String> = tables.iter().filter(is_expected).map(|table| table.name.clone()).collect();
                let texts = [HEAD, STUDY].map(str::to_owned);
                let altered = manifest.altered(evidence, &[expected.as_slice(), &texts].concat());
                // A run has a head of its own. Where the manifest names no run, its books tell: other tables may be alike,
                // or empty. Where it names another one, the head may have been edited; then the tables are its own.
                let names_another = !manifest.run.is_empty() && manifest.run != head.id;
                let is_of_another = names_another && altered.iter().any(|file| file.ends_with(".parquet"));
                if is_of_another || manifest.is_foreign(&altered, [HEAD, &table_name::<IterationRow>()]) {
                    return Err(RecordError::ForeignManifest { path: evidence.join(MANIFEST) });
                }
                altered
            }
            None if is_ruined || sources.contains(&Source::Tables) => vec![MANIFEST.to_owned()],
            None => Vec::new(),
        };
        if is_another_study(evidence, head) {
            altered.push(STUDY.to_owned());
        }
        altered.sort();
        altered.dedup();
        // A stream that lost its segments has no tables either where a run was killed: a seal would call it whole.
        let is_sealable = manifest.is_none() && !is_ruined && in_segments == sources.len();
        Ok(Self { sources, manifest, is_sealable, altered })
    }
}

/// Whether the study is not the one that the head was written with. Heads of other origin may name no sum.
fn is_another_study(evidence: &Path, head: &Head) -> bool {
    let is_meant = |sum: &String| *sum == head.study_sha256 || Some(sum) == head.study_next_sha256.as_ref();
    !head.study_sha256.is_empty() && sha256(&evidence.join(STUDY)).map_or(true, |(_, sum)| !is_meant(&sum))
}
