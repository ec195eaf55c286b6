//! One log followed through renaming and truncation, from its end at the start of the run.

use crate::lines::{Line, Lines};
use crate::siblings::{FileId, bytes_at, siblings};
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// What one look at a log may read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) lines: usize,
    pub(crate) bytes: usize,
}

/// Something that happened to a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    /// Another file bears its name; this many came and went in between and were read, too.
    Rotated { in_between: usize },
    /// It was emptied; true where a copy has what was not read yet.
    Truncated { has_copy: bool },
}

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;
/// So much before the place last read is compared, to notice that other bytes stand there now.
const MARK: usize = 256;
/// Looks at a renamed file without a new line until it is left: its writer may go on for a while.
const QUIET_MAX: u32 = 30;
/// Renamed files that are still looked at.
const OLD_MAX: usize = 8;
/// Beginnings of files that are kept.
const HEADS_MAX: usize = 64;
/// Files that are known by now; more siblings than that no rotation keeps.
const KNOWN_MAX: usize = 4096;

/// A log by its name.
#[derive(Debug)]
pub(crate) struct Tail {
    path: PathBuf,
    is_begun: bool,
    current: Option<Held>,
    old: Vec<Held>,
    /// Files that were there at the start, or have been read.
    known: BTreeSet<FileId>,
    /// What files began with that were read: a file that begins so is a copy.
    heads: Vec<Vec<u8>>,
}

/// A file, whatever it is called by now.
#[derive(Debug)]
struct Held {
    file: File,
    id: FileId,
    offset: u64,
    lines: Lines,
    /// What stands before `offset`, [`MARK`] bytes at most.
    mark: Vec<u8>,
    /// What it begins with, so that its copy is known for one.
    head: Vec<u8>,
    quiet: u32,
}

impl Tail {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, is_begun: false, current: None, old: Vec::new(), known: BTreeSet::new(), heads: Vec::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Begins at the end of what is there. A log that is made later is read from its beginning.
    pub(crate) fn begin(&mut self) {
        if std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        self.known.extend(siblings(&self.path).into_iter().map(|(id, _)| id));
        let Ok(mut held) = Held::open(&self.path) else { return };
        held.pass_over();
        self.known.insert(held.id);
        self.current = Some(held);
    }

    /// Reads what has come. Returns what happened to the file.
    ///
    /// # Errors
    /// That there is no such file, and none of its name was read before.
    pub(crate) fn look(
        &mut self,
        budget: &mut Budget,
        sink: &mut dyn FnMut(Line<'_>),
    ) -> Result<Vec<Happened>, String> {
        self.begin();
        let mut happened = Vec::new();
        for old in &mut self.old {
            old.read(budget, sink);
        }
        if self.current.as_ref().is_some_and(Held::is_other_now) {
            happened.push(Happened::Truncated { has_copy: self.emptied(budget, sink) });
        } else if self.current.as_ref().is_some_and(|held| held.mark.is_empty()) {
            // Nothing was read of it that could be missed: it may have been written, copied and emptied since.
            self.take_unknown(budget, sink);
        }
        if let Some(held) = &mut self.current {
            held.read(budget, sink);
        }
        match Held::open(&self.path) {
            Ok(new) if self.current.as_ref().is_some_and(|held| held.id == new.id) => {}
            Ok(new) => {
                if let Some(in_between) = self.replace(new, budget, sink) {
                    happened.push(Happened::Rotated { in_between });
                }
            }
            // Renamed, and not made again yet: its writer may still write to it.
            Err(_) if self.current.is_some() => {}
            Err(why) => return Err(why),
        }
        self.leave_quiet(sink);
        Ok(happened)
    }

    /// Another file bears the name now; `None` where there was none before. What was in hand is read on until it is quiet.
    fn replace(&mut self, mut new: Held, budget: &mut Budget, sink: &mut dyn FnMut(Line<'_>)) -> Option<usize> {
        let mut in_between = None;
        if let Some(mut held) = self.current.take() {
            self.known.insert(held.id);
            held.read(budget, sink);
            self.remember(held.head.clone());
            self.old.push(held);
            self.current = Some(new);
            in_between = Some(self.take_unknown(budget, sink));
            new = self.current.take()?;
        }
        if let Some(place) = self.old.iter().position(|old| old.id == new.id) {
            // Renamed back: it is read on from where it was.
            new = self.old.remove(place);
        } else if !self.known.insert(new.id) {
            // It was there before the run under another name, and what it holds is older.
            new.pass_over();
        }
        new.read(budget, sink);
        self.current = Some(new);
        in_between
    }

    /// Files beside the log that came since and are not copies: they bore its name in between. Returns how many hold
    /// something.
    fn take_unknown(&mut self, budget: &mut Budget, sink: &mut dyn FnMut(Line<'_>)) -> usize {
        let mut count = 0;
        for (id, path) in siblings(&self.path) {
            let is_current = self.current.as_ref().is_some_and(|held| held.id == id);
            if is_current || self.known.contains(&id) || self.known.len() >= KNOWN_MAX {
                continue;
            }
            let Ok(mut missed) = Held::open(&path) else { continue };
            if missed.id != id {
                continue;
            }
            self.known.insert(id);
            let current = self.current.as_ref().map(|held| bytes_at(&held.file, 0, MARK));
            if self.heads.iter().chain(&current).any(|head| begin_alike(head, &missed.head)) {
                continue;
            }
            missed.read(budget, sink);
            count += usize::from(missed.length() > 0);
            self.remember(missed.head.clone());
            self.old.push(missed);
        }
        count
    }

    /// The log was emptied, and may have been copied before (`copytruncate`): what was not read yet is in the copy.
    /// Returns whether there is one.
    fn emptied(&mut self, budget: &mut Budget, sink: &mut dyn FnMut(Line<'_>)) -> bool {
        let Some(mut held) = self.current.take() else { return false };
        let from = held.offset - held.mark.len() as u64;
        let unknown = siblings(&self.path).into_iter().filter(|(id, _)| *id != held.id && !self.known.contains(id));
        let copy = unknown
            .filter_map(|(_, path)| Held::open(&path).ok())
            .find(|copy| copy.length() >= held.offset && bytes_at(&copy.file, from, held.mark.len()) == held.mark);
        let has_copy = copy.is_some();
        if let Some(mut copy) = copy {
            self.known.insert(copy.id);
            (copy.offset, copy.mark, copy.lines) = (held.offset, held.mark.clone(), std::mem::take(&mut held.lines));
            copy.read(budget, sink);
            self.old.push(copy);
        }
        held.lines.finish(sink);
        self.remember(std::mem::take(&mut held.head));
        (held.offset, held.quiet) = (0, 0);
        held.mark.clear();
        held.head = bytes_at(&held.file, 0, MARK);
        self.current = Some(held);
        // It may have been filled, copied and emptied once more since.
        self.take_unknown(budget, sink);
        has_copy
    }

    fn remember(&mut self, head: Vec<u8>) {
        if self.heads.len() == HEADS_MAX {
            self.heads.remove(0);
        }
        self.heads.push(head);
    }

    /// What a renamed file ended with is its last line, though it has no end.
    fn leave_quiet(&mut self, sink: &mut dyn FnMut(Line<'_>)) {
        let surplus = self.old.len().saturating_sub(OLD_MAX);
        for (place, old) in self.old.iter_mut().enumerate() {
            if old.quiet >= QUIET_MAX || place < surplus {
                old.lines.finish(sink);
                old.quiet = u32::MAX;
            }
        }
        self.old.retain(|old| old.quiet < u32::MAX);
    }

    /// Bytes that are there and have not been read.
    pub(crate) fn unread(&self) -> u64 {
        self.old.iter().chain(&self.current).map(|held| held.length().saturating_sub(held.offset)).sum()
    }
}

impl Held {
    fn open(path: &Path) -> Result<Self, String> {
        let file = contract::open_file(path)?;
        let id = FileId::of(&file.metadata().map_err(|error| format!("cannot be read: {error}"))?);
        let head = bytes_at(&file, 0, MARK);
        Ok(Self { file, id, offset: 0, lines: Lines::default(), mark: Vec::new(), head, quiet: 0 })
    }

    /// Passes over what is there, and over the line in the middle of which it ends.
    fn pass_over(&mut self) {
        self.offset = self.length();
        let from = self.offset.saturating_sub(MARK as u64);
        self.mark = bytes_at(&self.file, from, (self.offset - from) as usize);
        if self.mark.last().is_some_and(|last| *last != b'\n') {
            self.lines = Lines::in_the_middle();
        }
    }

    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |about| about.len())
    }

    /// Whether it is shorter than what was read of it, or has other bytes there.
    fn is_other_now(&self) -> bool {
        let from = self.offset - self.mark.len() as u64;
        self.length() < self.offset || bytes_at(&self.file, from, self.mark.len()) != self.mark
    }

    /// Reads to the end, or as far as the budget goes.
    fn read(&mut self, budget: &mut Budget, sink: &mut dyn FnMut(Line<'_>)) {
        let mut chunk = vec![0; CHUNK];
        let before = self.offset;
        while budget.lines > 0 && budget.bytes > 0 {
            // What cannot be read now is read at the next look.
            let Ok(count @ 1..) = self.file.read_at(&mut chunk, self.offset) else { break };
            self.offset += count as u64;
            budget.bytes = budget.bytes.saturating_sub(count);
            self.lines.push(&chunk[..count], &mut |line| {
                budget.lines = budget.lines.saturating_sub(1);
                sink(line);
            });
            self.mark.extend_from_slice(&chunk[count.saturating_sub(MARK)..count]);
            let surplus = self.mark.len().saturating_sub(MARK);
            self.mark.drain(..surplus);
        }
        if self.head.len() < MARK {
            self.head = bytes_at(&self.file, 0, MARK);
        }
        self.quiet = if self.offset == before && budget.lines > 0 { self.quiet.saturating_add(1) } else { 0 };
    }
}

/// Whether two files begin alike as far as both go, with a line at least: half of one may be that of any.
fn begin_alike(one: &[u8], other: &[u8]) -> bool {
    let length = one.len().min(other.len());
    one[..length] == other[..length] && (length == MARK || one[..length].contains(&b'\n'))
}

#[cfg(test)]
mod tests;
