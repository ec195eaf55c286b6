//! Where an answer begins and ends in what comes, and what files it holds.

use std::collections::BTreeMap;

/// Bytes of one answer. The largest that is asked for, `/proc/cpuinfo` of a machine with a thousand cores, has two
/// million.
pub(crate) const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The line of shell that asks a question, and marks the lines between which its answer stands.
pub(crate) fn question(number: u64, command: &str) -> String {
    format!("echo {}; {{ {command}\n}} 2>/dev/null </dev/null; echo {}\n", begin(number), end(number))
}

fn begin(number: u64) -> String {
    format!("loadproof-question-{number}")
}

fn end(number: u64) -> String {
    format!("loadproof-answered-{number}")
}

/// What has come of an answer.
#[derive(Debug, Default)]
pub(crate) struct Coming {
    bytes: Vec<u8>,
    /// Bytes in which no end begins.
    searched: usize,
}

/// What is more than an answer may be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMuch;

impl Coming {
    /// Adds what has come.
    ///
    /// # Errors
    /// More than one answer may hold; what came is forgotten.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), TooMuch> {
        if self.bytes.len() + bytes.len() > ANSWER_BYTES_MAX {
            *self = Self::default();
            return Err(TooMuch);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// The answer to that question, once all of it is there. What stands before it is passed over: greetings of a
    /// login, and answers that nobody waits for any more.
    pub(crate) fn take(&mut self, number: u64) -> Option<String> {
        let last = format!("{}\n", end(number));
        let at = find_line(&self.bytes, self.searched, last.as_bytes());
        let Some(at) = at else {
            self.searched = self.bytes.len().saturating_sub(last.len());
            return None;
        };
        let first = format!("{}\n", begin(number));
        let from = find_line(&self.bytes[..at], 0, first.as_bytes()).map_or(at, |begin| begin + first.len());
        let text = String::from_utf8_lossy(&self.bytes[from..at]).into_owned();
        *self = Self::default();
        Some(text)
    }
}

/// Where a line stands among these bytes, at or behind a place; it has its end with it.
fn find_line(bytes: &[u8], from: usize, line: &[u8]) -> Option<usize> {
    let is_there = |at: &usize| bytes[*at..].starts_with(line) && (*at == 0 || bytes[*at - 1] == b'\n');
    (from..bytes.len().saturating_sub(line.len() - 1)).find(is_there)
}

/// The files of an answer in which each line begins with the file's path and a colon, as `grep '' FILE FILE` prints
/// them; by path. Other lines are left out.
pub fn files(text: &str) -> BTreeMap<&str, String> {
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    for line in text.lines() {
        if let Some((path, line)) = line.split_once(':').filter(|(path, _)| path.starts_with('/')) {
            let file = files.entry(path).or_default();
            file.push_str(line);
            file.push('\n');
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn greetings_and_late_answers_are_passed_over() {
        let mut coming = Coming::default();
        coming.add(b"Welcome!\nloadproof-question-1\nlate\nloadproof-answered-1\nloadproof-question-2\na\n").unwrap();
        assert_eq!(coming.take(2), None);
        coming.add(b"b\nloadproof-answered-").unwrap();
        assert_eq!(coming.take(2), None);
        coming.add(b"2\n").unwrap();
        assert_eq!(coming.take(2).as_deref(), Some("a\nb\n"));
        // An answer that ends and never began is empty, and a mark within a line is none.
        coming.add(b"x loadproof-answered-3\nloadproof-answered-3\n").unwrap();
        assert_eq!(coming.take(3).as_deref(), Some(""));
    }

    #[test]
    fn an_answer_without_end_is_bounded() {
        let mut coming = Coming::default();
        let flood = vec![b'x'; 64 * 1024];
        let taken = std::iter::repeat_with(|| coming.add(&flood)).take_while(Result::is_ok).count();
        assert_eq!(taken, ANSWER_BYTES_MAX / flood.len());
        assert!(coming.bytes.is_empty(), "it is forgotten");
    }

    #[test]
    fn files_as_grep_prints_them() {
        let text = "/proc/a:x: 1\n/proc/a:\n/etc/b:y\nno path: z\n/proc/a:w\n";
        let found = files(text);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), ["/etc/b", "/proc/a"]);
        assert_eq!((found["/proc/a"].as_str(), found["/etc/b"].as_str()), ("x: 1\n\nw\n", "y\n"));
    }

    #[test]
    fn a_question_is_shell() {
        let output = std::process::Command::new("sh").arg("-c").arg(question(7, "cat; echo a >&2; echo b")).output();
        assert_eq!(output.unwrap().stdout, b"loadproof-question-7\nb\nloadproof-answered-7\n");
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_answer_is_the_same(text in "[a-z\\n-]{0,80}", cuts in prop::collection::vec(0usize..200, 0..5)) {
            let all = format!("{text}\nloadproof-question-4\n{text}\nloadproof-answered-4\n");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(all.len())).collect();
            cuts.sort_unstable();
            cuts.push(all.len());
            let (mut coming, mut from, mut found) = (Coming::default(), 0, None);
            for cut in cuts {
                prop_assert!(found.is_none() || from == all.len());
                coming.add(&all.as_bytes()[from..cut]).unwrap();
                found = found.or(coming.take(4));
                from = cut;
            }
            let expected = format!("{text}\n");
            prop_assert_eq!(found, Some(expected));
        }
    }
}
