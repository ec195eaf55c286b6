//! Where rows come from: the blocks of a stream that grows, or one table of a run that has ended.

use super::gathered::{Gathered, Told};
use crate::block::{Block, Blocks};
use crate::row::{Stream, every_row, take_all};
use crate::rows::Rows;
use crate::{RecordError, segment};
use std::path::{Path, PathBuf};

/// Rows that speak of a second outside ten years are forged, and take nothing out of order.
const SECONDS_MAX: i64 = 10 * 366 * 86_400;

pub(super) trait Source {
    /// Second that its next rows speak of, or the latest before them where that is later. `None` where it has none now.
    fn front(&mut self) -> Result<Option<i64>, RecordError>;
    /// Which of several with the same second comes first.
    fn rank(&self) -> u8;
    /// Takes what stands at its front.
    fn take(&mut self, gathered: &mut Gathered);
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn front(&mut self) -> Result<Option<i64>, RecordError> {
        (**self).front()
    }

    fn rank(&self) -> u8 {
        (**self).rank()
    }

    fn take(&mut self, gathered: &mut Gathered) {
        (**self).take(gathered);
    }
}

/// The later of both, unless it cannot be.
fn later(reached: i64, second: i64) -> i64 {
    if (-SECONDS_MAX..=SECONDS_MAX).contains(&second) { reached.max(second) } else { reached }
}

/// A table's rows.
pub(super) struct Tabled<T> {
    rows: Rows<T>,
    next: Option<T>,
    reached: i64,
    is_over: bool,
}

impl<T> Tabled<T> {
    pub(super) fn new(rows: Rows<T>) -> Self {
        Self { rows, next: None, reached: i64::MIN, is_over: false }
    }
}

impl<T: Told> Source for Tabled<T> {
    fn front(&mut self) -> Result<Option<i64>, RecordError> {
        if self.next.is_none() && !self.is_over {
            self.next = self.rows.next().transpose()?;
            self.is_over = self.next.is_none();
            if let Some(row) = &self.next {
                self.reached = later(self.reached, row.second());
            }
        }
        Ok(self.next.as_ref().map(|_| self.reached))
    }

    fn rank(&self) -> u8 {
        T::RANK
    }

    fn take(&mut self, gathered: &mut Gathered) {
        if let Some(row) = self.next.take() {
            gathered.push(row);
        }
    }
}

/// A stream's segments as they grow.
pub(super) struct Blocked {
    evidence: PathBuf,
    stream: Stream,
    run: u16,
    blocks: Blocks,
    /// Name of the last segment that was found, behind its length.
    known: (usize, String),
    next: Option<Block>,
    reached: i64,
    grows: bool,
    /// Whether nothing more was there when it was last looked at.
    is_dry: bool,
    is_gone: bool,
}

impl Blocked {
    pub(super) fn new(evidence: &Path, stream: Stream, run: u16) -> Self {
        Self {
            evidence: evidence.to_owned(),
            stream,
            run,
            blocks: Blocks::new(Vec::new()),
            known: (0, String::new()),
            is_dry: false,
            next: None,
            reached: i64::MIN,
            grows: true,
            is_gone: false,
        }
    }

    fn read(&mut self) -> Result<Option<Block>, RecordError> {
        let read = self.blocks.next_of_growing(self.grows)?;
        if read.is_some() {
            return Ok(read);
        }
        // Segments that were known may be gone: the run is just being sealed.
        let mut new = segment::list(&self.evidence, self.stream)?;
        new.retain(|(_, name)| (name.len(), name) > (self.known.0, &self.known.1));
        let Some((_, last)) = new.last() else { return Ok(None) };
        self.known = (last.len(), last.clone());
        self.blocks.await_more(new);
        self.blocks.next_of_growing(self.grows)
    }

    /// More may have come; `grows` says whether more may come behind what is torn or missing now.
    pub(super) fn look_again(&mut self, grows: bool) {
        (self.grows, self.is_dry) = (grows, false);
    }

    /// Whether a segment that should follow is no longer there.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone
    }
}

impl Source for Blocked {
    fn front(&mut self) -> Result<Option<i64>, RecordError> {
        if self.next.is_none() && !self.is_dry && !self.is_gone {
            match self.read() {
                Ok(Some(block)) => {
                    self.blocks.check_own(&block, self.stream, self.run)?;
                    let first = every_row!(second_of(&block)).into_iter().flatten().next();
                    self.reached = first.map_or(self.reached, |second| later(self.reached, second));
                    self.next = Some(block);
                }
                Ok(None) => self.is_dry = true,
                Err(RecordError::Io { kind: std::io::ErrorKind::NotFound, .. }) => self.is_gone = true,
                Err(error) => return Err(error),
            }
        }
        Ok(self.next.as_ref().map(|_| self.reached))
    }

    fn rank(&self) -> u8 {
        match self.stream {
            Stream::Events => 0,
            Stream::Watch => 1,
            Stream::Load => 2,
        }
    }

    fn take(&mut self, gathered: &mut Gathered) {
        let Some(block) = self.next.take() else { return };
        every_row!(gather(&block, gathered));
    }
}

/// Second of a block's first row, where it holds rows of a kind.
fn second_of<T: Told>(block: &Block) -> Option<i64> {
    if block.kind != T::KIND {
        return None;
    }
    let mut input = crate::encoding::Input(&block.payload);
    T::take(&mut input).map(|row| row.second())
}

fn gather<T: Told>(block: &Block, gathered: &mut Gathered) {
    if block.kind == T::KIND {
        take_all::<T>(&block.payload).unwrap_or_default().into_iter().for_each(|row| gathered.push(row));
    }
}
