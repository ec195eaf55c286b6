//! A text that comes in pieces, such as what an instance writes: nothing is passed on before what follows it is known.

use super::{KeptOut, pass_on};
use std::ops::Range;

/// Bytes that are looked through at once, as a multiple of what is held back.
const BLOCK: usize = 4;

/// Looks through a stream of bytes. What is held back to see values whole comes with the next bytes, with
/// [`Stream::settle`] or with [`Stream::finish`].
pub struct Stream {
    kept_out: KeptOut,
    held: Vec<u8>,
    reach: usize,
}

impl Stream {
    /// A stream that has not begun.
    pub fn new(kept_out: KeptOut) -> Self {
        let reach = kept_out.reach();
        Self { kept_out, held: Vec::new(), reach }
    }

    /// Takes the next bytes, and adds to `out` what can be passed on.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        let full = BLOCK * self.reach;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(full.saturating_sub(self.held.len()).max(1)));
            self.held.extend_from_slice(now);
            bytes = later;
            if self.held.len() >= full {
                let latest = self.held.len() - self.reach;
                // Names and values stand on one line: a line is better not parted.
                let lines = &self.held[latest - self.reach..latest];
                let line = lines.iter().rposition(|byte| *byte == b'\n').map(|at| latest - self.reach + at + 1);
                self.pass(line.unwrap_or(latest), out);
            }
        }
    }

    /// Nothing has come for a while: passes on whole lines.
    pub fn settle(&mut self, out: &mut Vec<u8>) {
        if let Some(line) = self.held.iter().rposition(|byte| *byte == b'\n') {
            self.pass(line + 1, out);
        }
    }

    /// Nothing more comes: passes on the rest.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.pass(self.held.len(), out);
    }

    /// Passes on the held bytes up to a place; what goes there in one piece with later bytes goes with them.
    fn pass(&mut self, wanted: usize, out: &mut Vec<u8>) {
        let whole = Range { start: 0, end: self.held.len() };
        let ranges = self.kept_out.ranges(&self.held, &[], true).unwrap_or_else(|| vec![whole]);
        let across = ranges.iter().find(|range| range.start < wanted && wanted < range.end);
        let end = match across {
            Some(range) if range.start == 0 => range.end,
            Some(range) => range.start,
            None => wanted,
        };
        let ended = ranges.partition_point(|range| range.end <= end);
        pass_on(&self.held[..end], &ranges[..ended], out);
        self.held.drain(..end);
    }
}
