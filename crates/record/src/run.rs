//! Reading a run: sealed, killed, or still going on.

use crate::block::{Blocks, Damage};
use crate::files::read_text;
use crate::manifest::{self, Manifest};
use crate::row::{Row, Stream, take_all};
use crate::table::TableReader;
use crate::tables::Stored;
use crate::writer::{EVIDENCE, HEAD, STUDY};
use crate::{ClockPair, EngineRow, EventRow, Head, RecordError, SampleRow, StepMark, segment};
use contract::recorder::{IterationRow, LegRow, NoteRow, OutcomeRow, StartRow};
use std::path::{Path, PathBuf};
use terms::Nanos;

/// `run.json` and the study are written by people and plans; nothing of this length is either.
const TEXT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What shape the evidence is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Ended and sealed: tables and a manifest.
    Sealed,
    /// Killed, or still going on; read from segments, all of them whole.
    Unsealed,
    /// Something was lost, whether the run has been sealed since or not; [`Run::damage`] says what.
    Torn {
        /// Bytes of segments that could not be read.
        bytes_dropped: u64,
    },
}

/// Rows of one kind, in the order in which they were recorded. Memory does not grow with their number.
pub struct Rows<T>(Box<dyn Iterator<Item = Result<T, RecordError>> + Send>);

impl<T> Iterator for Rows<T> {
    type Item = Result<T, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// A run folder, opened for reading. Sealed and killed runs are read alike.
#[derive(Clone, Debug)]
pub struct Run {
    /// `run.json`.
    pub head: Head,
    /// The run's folder.
    pub path: PathBuf,
    /// What shape it is in.
    pub state: RunState,
    /// Files of the evidence that are no longer what was sealed, as paths within `evidence`: changed or gone.
    pub altered: Vec<String>,
    /// What was lost, a sentence each; empty unless `state` is [`RunState::Torn`].
    pub damage: Vec<String>,
    is_sealed: bool,
}

impl Run {
    /// Opens a run folder, checks its sums, and finds what is torn.
    ///
    /// # Errors
    /// [`RecordError::NotARun`] where there is no readable `evidence/run.json`; [`RecordError::Io`] where the system
    /// refuses. Torn segments and altered files are no errors: they are told in the result.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let evidence = path.join(EVIDENCE);
        let head = read_head(path)?;
        let (manifest, mut altered) = match Manifest::read(&evidence) {
            Ok(Some(manifest)) => {
                let altered = manifest.altered(&evidence);
                (Some(manifest), altered)
            }
            Ok(None) => (None, Vec::new()),
            Err(_) => (None, vec![manifest::FILE.to_owned()]),
        };
        // A manifest that cannot be read still says that the run was sealed, unless segments say otherwise.
        let has_segments = has_segments(&evidence)?;
        let is_sealed = manifest.is_some() || (!altered.is_empty() && !has_segments);
        let damage = match &manifest {
            Some(manifest) => Damage { bytes: manifest.dropped_bytes, sentences: manifest.damage.clone() },
            None if is_sealed => Damage::default(),
            None => scan(&evidence)?,
        };
        let state = match (damage == Damage::default(), is_sealed) {
            (false, _) => RunState::Torn { bytes_dropped: damage.bytes },
            (true, true) => RunState::Sealed,
            (true, false) => RunState::Unsealed,
        };
        altered.sort();
        Ok(Self { head, path: path.to_owned(), state, altered, damage: damage.sentences, is_sealed })
    }

    /// Whether the run ended and was sealed, so that its tables are read and not its segments.
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// The effective study, as it was run.
    ///
    /// # Errors
    /// When the file is gone or is no text.
    pub fn study(&self) -> Result<String, RecordError> {
        read_text(&self.path.join(EVIDENCE).join(STUDY), TEXT_BYTES_MAX)
    }

    /// Closes of legs.
    ///
    /// # Errors
    /// Here and below: when the table is gone or is no table. Each row may be an error too, the last then.
    pub fn legs(&self) -> Result<Rows<LegRow>, RecordError> {
        self.rows()
    }

    /// Starts of exchanges.
    ///
    /// # Errors
    /// As [`Run::legs`].
    pub fn starts(&self) -> Result<Rows<StartRow>, RecordError> {
        self.rows()
    }

    /// Closes by class.
    ///
    /// # Errors
    /// As [`Run::legs`].
    pub fn outcomes(&self) -> Result<Rows<OutcomeRow>, RecordError> {
        self.rows()
    }

    /// The books of iterations.
    ///
    /// # Errors
    /// As [`Run::legs`].
    pub fn iterations(&self) -> Result<Rows<IterationRow>, RecordError> {
        self.rows()
    }

    /// Samples of failures.
    ///
    /// # Errors
    /// As [`Run::legs`].
    pub fn notes(&self) -> Result<Rows<NoteRow>, RecordError> {
        self.rows()
    }

    /// The generator's own state.
    ///
    /// # Errors
    /// As [`Run::legs`].
    pub fn engine(&self) -> Result<Rows<EngineRow>, RecordError> {
        self.rows()
    }

    /// Samples of watched metrics.
    ///
    /// # Errors
    /// As [`Run::legs`].
    pub fn samples(&self) -> Result<Rows<SampleRow>, RecordError> {
        self.rows()
    }

    /// When steps and phases began and ended.
    ///
    /// # Errors
    /// As [`Run::legs`], and when any row cannot be read.
    pub fn steps(&self) -> Result<Vec<StepMark>, RecordError> {
        self.rows()?.collect()
    }

    /// What happened.
    ///
    /// # Errors
    /// As [`Run::steps`].
    pub fn events(&self) -> Result<Vec<EventRow>, RecordError> {
        self.rows()?.collect()
    }

    /// Pairs of the run's clock and the wall clock.
    ///
    /// # Errors
    /// As [`Run::steps`].
    pub fn clocks(&self) -> Result<Vec<ClockPair>, RecordError> {
        self.rows()?.collect()
    }

    /// The latest moment that any row speaks of; the start when there is none.
    ///
    /// # Errors
    /// As [`Run::steps`].
    pub fn last_moment(&self) -> Result<Nanos, RecordError> {
        let mut last = Nanos::ZERO;
        for row in self.engine()? {
            last = last.max(Nanos::from_secs(row?.second.saturating_add(1)));
        }
        for row in self.samples()? {
            last = last.max(row?.at);
        }
        let events = self.events()?.into_iter().map(|event| event.at);
        let steps = self.steps()?.into_iter().map(|step| step.at);
        let clocks = self.clocks()?.into_iter().map(|clock| clock.at);
        Ok(events.chain(steps).chain(clocks).fold(last, Nanos::max))
    }

    fn rows<T: Stored + Send + 'static>(&self) -> Result<Rows<T>, RecordError> {
        let evidence = self.path.join(EVIDENCE);
        Ok(Rows(if self.is_sealed {
            Box::new(table_rows::<T>(&table_path::<T>(&evidence))?)
        } else {
            Box::new(segment_rows::<T>(&evidence)?)
        }))
    }
}

fn read_head(path: &Path) -> Result<Head, RecordError> {
    let place = path.join(EVIDENCE).join(HEAD);
    if !place.exists() {
        let what = "it has no `evidence/run.json`; name the folder that `loadproof run` made";
        return Err(RecordError::not_a_run(path, what));
    }
    let text = read_text(&place, TEXT_BYTES_MAX)?;
    serde_json::from_str(&text).map_err(|error| RecordError::not_a_run(&place, error.to_string()))
}

fn has_segments(evidence: &Path) -> Result<bool, RecordError> {
    for stream in Stream::ALL {
        if !segment::list(evidence, stream)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads every block of every segment once and tells what cannot be read.
pub(crate) fn scan(evidence: &Path) -> Result<Damage, RecordError> {
    let mut damage = Damage::default();
    for stream in Stream::ALL {
        let mut blocks = Blocks::new(segment::list(evidence, stream)?);
        while blocks.next()?.is_some() {}
        damage.merge(blocks.damage);
    }
    Ok(damage)
}

/// Where the table of a kind of row stands.
pub(crate) fn table_path<T: Stored>(evidence: &Path) -> PathBuf {
    evidence.join(T::STREAM.folder()).join(T::FILE)
}

/// Rows of a table.
pub(crate) fn table_rows<T: Stored>(
    path: &Path,
) -> Result<impl Iterator<Item = Result<T, RecordError>> + use<T>, RecordError> {
    let mut table = TableReader::open(path, T::columns())?;
    Ok(std::iter::from_fn(move || table.next(T::pull)))
}

/// Rows of one kind in a stream's segments.
pub(crate) fn segment_rows<T: Row>(
    evidence: &Path,
) -> Result<impl Iterator<Item = Result<T, RecordError>> + use<T>, RecordError> {
    let mut blocks = Blocks::new(segment::list(evidence, T::STREAM)?);
    let (mut rows, mut is_over) = (Vec::new().into_iter(), false);
    Ok(std::iter::from_fn(move || {
        while !is_over {
            if let Some(row) = rows.next() {
                return Some(Ok(row));
            }
            match blocks.next() {
                // A block that cannot be decoded does not come here: `Blocks` has told it as damage.
                Ok(Some(block)) if block.kind == T::KIND => {
                    rows = take_all(&block.payload).unwrap_or_default().into_iter();
                }
                Ok(Some(_)) => {}
                Ok(None) => is_over = true,
                Err(error) => {
                    is_over = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }))
}
