//! Bytes to lines, however they come.

/// Longest line, bytes. Servers bound the request line and each header at 8 KiB by default.
pub(crate) const LINE_MAX: usize = 64 * 1024;

/// A line that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Without its end.
    Whole(&'a [u8]),
    /// The beginning of one that is longer than [`LINE_MAX`]; the rest was passed over.
    TooLong(&'a [u8]),
}

/// What is known of a line whose end has not come yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    partial: Vec<u8>,
    /// Whether the line in hand is passed over up to its end.
    is_passed_over: bool,
}

impl Lines {
    /// The same in the middle of a line, which is none of ours: it began before.
    pub(crate) fn in_the_middle() -> Self {
        Self { partial: Vec::new(), is_passed_over: true }
    }

    /// Takes bytes, and hands over each line that they complete.
    pub(crate) fn push(&mut self, mut bytes: &[u8], sink: &mut dyn FnMut(Line<'_>)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            if std::mem::take(&mut self.is_passed_over) {
                continue;
            }
            if self.partial.is_empty() && line.len() <= LINE_MAX {
                hand_over(line, sink);
            } else if self.keep(line, sink) {
                hand_over(&self.partial, sink);
                self.partial.clear();
            } else {
                self.is_passed_over = false;
            }
        }
        if !self.is_passed_over {
            self.keep(bytes, sink);
        }
    }

    /// Adds to the line in hand; false when it has become too long, which is told at once.
    fn keep(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Line<'_>)) -> bool {
        let room = LINE_MAX - self.partial.len();
        if bytes.len() <= room {
            self.partial.extend_from_slice(bytes);
            return true;
        }
        self.partial.extend_from_slice(&bytes[..room]);
        sink(Line::TooLong(&self.partial));
        self.partial.clear();
        self.is_passed_over = true;
        false
    }

    /// No more will come: what is there is the last line.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(Line<'_>)) {
        if !self.partial.is_empty() {
            hand_over(&self.partial, sink);
        }
        *self = Self::default();
    }
}

fn hand_over(line: &[u8], sink: &mut dyn FnMut(Line<'_>)) {
    sink(Line::Whole(line.strip_suffix(b"\r").unwrap_or(line)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taken(pieces: &[&[u8]], mut lines: Lines) -> Vec<(bool, Vec<u8>)> {
        let mut out = Vec::new();
        let mut sink = |line: Line<'_>| match line {
            Line::Whole(line) => out.push((true, line.to_vec())),
            Line::TooLong(line) => out.push((false, line.to_vec())),
        };
        pieces.iter().for_each(|piece| lines.push(piece, &mut sink));
        lines.finish(&mut sink);
        out
    }

    #[test]
    fn a_partial_line_is_kept_and_one_begun_before_is_none_of_ours() {
        let whole = |text: &str| (true, text.as_bytes().to_vec());
        assert_eq!(taken(&[b"a b", b" c\r\nd", b"\n", b"e"], Lines::default()), ["a b c", "d", "e"].map(whole));
        assert_eq!(taken(&[b"half\nwhole\n"], Lines::in_the_middle()), ["whole"].map(whole));
    }

    #[test]
    fn a_line_that_is_too_long_is_told_once_and_the_next_is_whole() {
        let long = vec![b'x'; LINE_MAX + 5];
        let fits = vec![b'y'; LINE_MAX];
        for split in [1, LINE_MAX - 1, LINE_MAX, LINE_MAX + 1, LINE_MAX + 5] {
            let found = taken(&[&long[..split], &long[split..], b"\n", &fits, b"\nnext\n"], Lines::default());
            assert_eq!(found.len(), 3, "{split}");
            assert!(!found[0].0 && found[0].1.len() == LINE_MAX);
            assert_eq!(found[1], (true, fits.clone()));
            assert_eq!(found[2], (true, b"next".to_vec()));
        }
    }

    proptest! {
        #[test]
        fn however_it_is_split_the_lines_are_the_same(
            text in "[ab\n]{0,60}", cuts in prop::collection::vec(0usize..61, 0..6),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            cuts.push(bytes.len());
            let mut from = 0;
            let pieces: Vec<&[u8]> = cuts.iter().map(|&to| { let piece = &bytes[from..to]; from = to; piece }).collect();
            prop_assert_eq!(taken(&pieces, Lines::default()), taken(&[bytes], Lines::default()));
        }
    }
}
