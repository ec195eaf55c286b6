//! Reading a run: sealed, killed, or still going on.

use crate::block::Damage;
use crate::digest::check_tables_beside_segments;
use crate::files::read_text;
use crate::layout::{EVIDENCE, STUDY};
use crate::lock::is_being_written;
use crate::reach::{Reach, scan};
use crate::repeated::Unrepeated;
use crate::row::Stream;
use crate::rows::{Rows, segment_rows, table_name, table_path, table_rows_within};
use crate::shape::{Shape, Source, tables_bytes};
use crate::table::Budget;
use crate::tables::Stored;
use crate::{ClockPair, Ending, EngineRow, EventRow, Head, RecordError, SampleRow, StepMark, run_json};
use recorder::{IterationRow, LegRow, NoteRow, OutcomeRow, SlowRow, StartRow};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terms::{EndReason, Nanos};

/// A study is written by people; nothing of this length is one.
const STUDY_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What shape the evidence is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Ended and sealed: tables and a manifest.
    Sealed,
    /// Never sealed, or no longer: killed, still going on, or without its manifest; all that is there is whole.
    Unsealed,
    /// Something was lost, whether the run has been sealed since or not; [`Run::damage`] says what.
    Torn {
        /// Bytes of segments that could not be read.
        bytes_dropped: u64,
    },
}

/// A run folder, opened for reading. Sealed and killed runs are read alike.
#[derive(Clone, Debug)]
pub struct Run {
    /// `run.json`; where the run was killed with the ending that its seal writes or would write.
    pub head: Head,
    /// The run's folder.
    pub path: PathBuf,
    /// What shape it is in.
    pub state: RunState,
    /// Files of the evidence that are no longer what was sealed, as paths within `evidence`: changed or gone. Of a run
    /// that was not sealed: the study, where it is not the one that was run; the manifest, where there are tables and
    /// no readable one.
    pub altered: Vec<String>,
    /// What was lost, a sentence each; empty unless `state` is [`RunState::Torn`].
    pub damage: Vec<String>,
    /// Whether a process still writes it.
    pub is_live: bool,
    sources: [Source; 3],
    is_sealed: bool,
    pub(crate) is_sealable: bool,
    budget: Arc<Budget>,
}

impl Run {
    /// Opens a run folder, checks its sums, and finds what is torn.
    ///
    /// # Errors
    /// [`RecordError::NotARun`] where there is no readable `evidence/run.json`; [`RecordError::Io`] where the system
    /// refuses. Torn segments and altered files are not errors: they are told in the result.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let evidence = path.join(EVIDENCE);
        let mut head = run_json::read(path)?;
        let is_live = is_being_written(path)?;
        let Shape { sources, manifest, is_sealable, altered } = Shape::of(path, &evidence, &head)?;
        let mut damage = Damage::default();
        if let Some(manifest) = &manifest {
            damage = Damage { bytes: manifest.dropped_bytes, sentences: manifest.damage.clone() };
        }
        if sources.contains(&Source::Segments) {
            let found = scan(&evidence, &head)?;
            damage.merge(found.damage);
            let expected = head.ending.as_ref().and_then(|ending| ending.blocks);
            // While a run goes on, its own writer makes them of the segments, and nobody may judge it.
            if !is_live {
                check_tables_beside_segments(&evidence, &head.id, &sources)?;
            }
            check_anything_left(&evidence, &sources, expected, found.blocks)?;
            let is_whole = !found.is_gapped && expected == Some(found.blocks);
            for (stream, (expected, found)) in
                Stream::ALL.iter().zip(expected.unwrap_or_default().into_iter().zip(found.blocks))
            {
                if found < expected {
                    let (name, missing) = (stream.folder(), expected - found);
                    damage.add_sentence(format!("`{name}`: {missing} blocks are missing at its end"));
                }
            }
            if !is_whole {
                break_off(&mut head, found.cut);
            }
        }
        let state = match (damage == Damage::default(), manifest.is_some()) {
            (false, _) => RunState::Torn { bytes_dropped: damage.bytes },
            (true, true) => RunState::Sealed,
            (true, false) => RunState::Unsealed,
        };
        let path = path.to_owned();
        let (damage, is_sealed) = (damage.sentences, manifest.is_some());
        let budget = Arc::new(Budget::of(tables_bytes(&evidence)));
        let mut run = Self { head, path, state, altered, damage, is_live, sources, is_sealed, is_sealable, budget };
        if !sources.contains(&Source::Segments) && run.was_killed_and_not_cut() {
            let cut = run.reach_of_tables().cut(&run.head);
            break_off(&mut run.head, cut);
        }
        Ok(run)
    }

    /// Whether a process is writing it, as an error to return.
    ///
    /// # Errors
    /// [`RecordError::StillRunning`] where one is.
    pub fn check_ended(&self) -> Result<(), RecordError> {
        if self.is_live { Err(RecordError::StillRunning { path: self.path.clone() }) } else { Ok(()) }
    }

    /// Tables without a word of how the run ended, and those of versions that did not write where a killed run breaks
    /// off.
    fn was_killed_and_not_cut(&self) -> bool {
        self.head.ending.as_ref().is_none_or(|ending| {
            ending.cut_ns.is_none() && ending.reason == EndReason::Interrupted.name() && ending.text.starts_with(KILLED)
        })
    }

    /// What tables tell of how far they are whole. Those that cannot be read tell nothing.
    fn reach_of_tables(&self) -> Reach {
        fn each<T>(rows: Result<Rows<T>, RecordError>, take: impl FnMut(T)) {
            rows.into_iter().flatten().map_while(Result::ok).for_each(take);
        }
        let mut reach = Reach::default();
        each(self.rows(), |mark: StepMark| reach.mark(&self.head, &mark));
        each(self.rows(), |row: EventRow| reach.moment(row.at));
        each(self.rows(), |pair: ClockPair| reach.moment(pair.at));
        each(self.rows(), |row: EngineRow| reach.engine(&row));
        each(self.rows(), |row: IterationRow| reach.load(&row));
        each(self.rows(), |row: SampleRow| reach.sample(row.at));
        reach
    }

    /// Where the record breaks off: the end of the last second that is whole in all of it. `None` where the run's own
    /// end is recorded, and everything up to it.
    pub fn cut(&self) -> Option<Nanos> {
        self.head.ending.as_ref().and_then(|ending| ending.cut_ns).map(Nanos)
    }

    /// Whether it was sealed and its manifest can be read.
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// The effective study, as it was run.
    ///
    /// # Errors
    /// When the file is gone or is not text.
    pub fn study(&self) -> Result<String, RecordError> {
        read_text(&self.path.join(EVIDENCE).join(STUDY), STUDY_BYTES_MAX)
    }

    /// Closes of legs.
    ///
    /// # Errors
    /// Here and below: when the table is gone or is not a table. Each row may be an error too, the last then.
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

    /// The slowest closes of each leg and step; empty of a run of a version that did not keep them.
    ///
    /// # Errors
    /// As [`Run::legs`].
    pub fn slowest(&self) -> Result<Rows<SlowRow>, RecordError> {
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

    /// Rows of a kind, in the order in which they were recorded.
    pub(crate) fn rows<T: Stored + Send + 'static>(&self) -> Result<Rows<T>, RecordError> {
        let evidence = self.path.join(EVIDENCE);
        let place = Stream::ALL.iter().position(|stream| *stream == T::STREAM).unwrap_or_default();
        Ok(Rows(match self.sources[place] {
            Source::Segments => Box::new(segment_rows::<T>(&evidence)?),
            Source::Tables => {
                let (name, path) = (table_name::<T>(), table_path::<T>(&evidence));
                if T::IS_ADDED && !self.altered.contains(&name) && !path.exists() {
                    return Ok(Rows(Box::new(std::iter::empty())));
                }
                if self.altered.contains(&name) && path.exists() {
                    return Err(RecordError::Altered { path });
                }
                // A manifest vouches for them by their sums, also where somebody has edited the head.
                let run = (!self.is_sealed).then_some(self.head.id.as_str());
                let rows = table_rows_within::<T>(&path, run, Arc::clone(&self.budget))?;
                Box::new(Unrepeated::new(rows, &path, &self.head))
            }
        }))
    }
}

/// Refuses segments in which nothing is left of what the run says that it recorded: no load is not what it measured.
fn check_anything_left(
    evidence: &Path,
    sources: &[Source; 3],
    expected: Option<[u32; 3]>,
    found: [u32; 3],
) -> Result<(), RecordError> {
    let [load, ..] = expected.unwrap_or_default();
    if sources[0] != Source::Segments || load == 0 || found[0] > 0 {
        return Ok(());
    }
    let what = format!(
        "`run.json` says that {load} blocks of load were recorded, and the segments in `load` hold none of them; restore \
         the folder from a copy"
    );
    Err(RecordError::not_a_run(evidence, what))
}

/// How the ending of a run that was killed begins.
const KILLED: &str = "the run was killed before it could end";

/// Gives a head whose record breaks off an ending that says so; one that the run wrote itself is kept.
fn break_off(head: &mut Head, cut: Nanos) {
    let origin = Nanos(head.wall_origin_ns);
    if let Some(ending) = &mut head.ending
        && !ending.text.starts_with(KILLED)
    {
        ending.cut_ns = Some(ending.cut_ns.map_or(cut.0, |known| known.min(cut.0)));
        return;
    }
    let text = match &head.imported {
        None => format!("{KILLED}; its record reaches to {:.1} s after the start", cut.as_secs_f64()),
        // The load was all there; its copy is not.
        Some(_) => format!("{KILLED}: while it was imported; type `loadproof import` once more, with another `--out`"),
    };
    head.ending = Some(Ending {
        reason: EndReason::Interrupted.name().to_owned(),
        text,
        ended: terms::iso::millis(origin + cut),
        at_ns: cut.0,
        cut_ns: Some(cut.0),
        is_killed: true,
        blocks: None,
    });
}
