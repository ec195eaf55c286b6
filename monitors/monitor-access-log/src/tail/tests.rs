//! Rotation as `logrotate` and servers do it, step by step.

use super::*;
use proptest::prelude::*;
use std::fs::OpenOptions;
use std::io::Write;

const AMPLE: Budget = Budget { lines: 1_000_000, bytes: 1 << 30 };

struct Log {
    folder: tempfile::TempDir,
    tail: Tail,
    found: Vec<String>,
}

impl Log {
    /// A log that holds this already, and is followed from now on.
    fn holding(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.log");
        if !text.is_empty() {
            std::fs::write(&path, text).unwrap();
        }
        let mut tail = Tail::new(path);
        tail.begin();
        Self { folder, tail, found: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn opened(&self, name: &str) -> File {
        OpenOptions::new().create(true).append(true).open(self.path(name)).unwrap()
    }

    fn append(&self, name: &str, text: &str) {
        self.opened(name).write_all(text.as_bytes()).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        std::fs::rename(self.path(from), self.path(to)).unwrap();
    }

    fn look_with(&mut self, mut budget: Budget) -> Result<Vec<Happened>, String> {
        let found = &mut self.found;
        self.tail.look(&mut budget, &mut |line| match line {
            Line::Whole(line) | Line::TooLong(line) => found.push(String::from_utf8_lossy(line).into_owned()),
        })
    }

    fn look(&mut self) -> Vec<Happened> {
        self.look_with(AMPLE).unwrap()
    }

    fn found(&mut self) -> Vec<String> {
        std::mem::take(&mut self.found)
    }
}

#[test]
fn only_what_is_written_from_the_start_on_counts() {
    let mut log = Log::holding("before\nhalf of one that began bef");
    log.append("access.log", "ore\none\ntw");
    assert_eq!(log.look(), []);
    assert_eq!(log.found(), ["one"]);
    log.append("access.log", "o\n");
    log.look();
    assert_eq!(log.found(), ["two"], "the half line was kept");
}

#[test]
fn a_log_that_is_made_later_is_read_whole() {
    let mut log = Log::holding("");
    assert!(log.look_with(AMPLE).unwrap_err().contains("cannot be read"));
    log.append("access.log", "one\n");
    assert_eq!(log.look(), [], "nothing bore its name before");
    assert_eq!(log.found(), ["one"]);
}

#[test]
fn a_renamed_log_is_read_until_its_writer_opens_the_new_one() {
    let mut log = Log::holding("before\n");
    let mut writer = log.opened("access.log");
    writer.write_all(b"one\nhal").unwrap();
    log.look();
    log.rename("access.log", "access.log.1");
    writer.write_all(b"f\ntwo\n").unwrap();
    log.look();
    log.append("access.log", "four\n");
    assert_eq!(log.look(), [Happened::Rotated { in_between: 0 }]);
    writer.write_all(b"three\nlast without an end").unwrap();
    log.look();
    let mut found = log.found();
    found.sort();
    assert_eq!(found, ["four", "half", "one", "three", "two"]);
    for _ in 0..=QUIET_MAX {
        log.look();
    }
    assert_eq!(log.found(), ["last without an end"], "once nothing comes any more");
    assert!(log.tail.old.is_empty() && log.tail.unread() == 0);
}

#[test]
fn a_log_that_came_and_went_between_two_looks_is_read_and_no_copy_is() {
    let mut log = Log::holding("before\n");
    log.append("access.log", "one\n");
    log.look();
    std::fs::copy(log.path("access.log"), log.path("access.log.bak")).unwrap();
    log.append("access.log", "two\n");
    log.rename("access.log", "access.log.1");
    log.append("access.log", "three\n");
    log.rename("access.log.1", "access.log.2");
    log.rename("access.log", "access.log.1");
    log.append("access.log", "four\n");
    assert_eq!(log.look(), [Happened::Rotated { in_between: 1 }]);
    let mut found = log.found();
    found.sort();
    assert_eq!(found, ["four", "one", "three", "two"]);
    assert_eq!(log.look(), []);
    assert_eq!(log.found(), Vec::<String>::new());
}

#[test]
fn an_emptied_log_is_read_anew_and_its_copy_from_where_it_was() {
    let mut log = Log::holding("before\n");
    log.append("access.log", "one\n");
    log.look();
    // As `copytruncate` does it: what came after the last look is in the copy.
    log.append("access.log", "two\nthr");
    std::fs::copy(log.path("access.log"), log.path("access.log.1")).unwrap();
    File::options().write(true).open(log.path("access.log")).unwrap().set_len(0).unwrap();
    log.append("access.log", "four\n");
    assert_eq!(log.look(), [Happened::Truncated { has_copy: true }]);
    assert_eq!(log.found(), ["one", "two", "four"], "the rest of a line in the copy is waited for");
    // Without a copy, and longer again than it was before.
    File::options().write(true).open(log.path("access.log")).unwrap().set_len(0).unwrap();
    log.append("access.log", "five, which is much longer than what stood there\n");
    assert_eq!(log.look(), [Happened::Truncated { has_copy: false }]);
    assert_eq!(log.found(), ["five, which is much longer than what stood there"]);
    for _ in 0..=QUIET_MAX {
        assert_eq!(log.look(), []);
    }
    assert_eq!(log.found(), ["thr"]);
}

#[test]
fn what_a_budget_does_not_reach_is_read_at_the_next_look() {
    let mut log = Log::holding("before\n");
    let lines: Vec<String> = (0..30_000).map(|number| format!("line {number}")).collect();
    log.append("access.log", &format!("{}\n", lines.join("\n")));
    log.look_with(Budget { lines: 10, bytes: 1 << 30 }).unwrap();
    assert!(log.found.len() >= 10 && log.found.len() < 30_000 && log.tail.unread() > 0);
    while log.tail.unread() > 0 {
        log.look_with(Budget { lines: 10, bytes: 1 << 30 }).unwrap();
    }
    assert_eq!(log.found(), lines);
}

#[test]
fn a_file_that_was_there_before_under_another_name_is_not_read_again() {
    let mut log = Log::holding("before\n");
    log.append("access.log.1", "old\n");
    log.look();
    let mut begun = Log::holding("x\n");
    begun.append("access.log.7", "older\n");
    begun.tail = Tail::new(begun.path("access.log"));
    begun.tail.begin();
    begun.rename("access.log.7", "access.log");
    begun.append("access.log", "new\n");
    begun.look();
    let found = begun.found();
    assert!(!found.contains(&"older".to_owned()), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// Lines are written, the log is renamed, copied and emptied, and looked at, in any order: none is lost or comes
    /// twice. As in real logs, no two lines begin alike.
    #[test]
    fn no_line_is_lost_or_counted_twice(steps in prop::collection::vec(0u8..10, 1..60)) {
        let mut log = Log::holding("before\n");
        let mut writer = log.opened("access.log");
        let (mut written, mut files) = (0u32, 0u32);
        for step in steps {
            match step {
                0..=4 => {
                    // In two writes, with a look in between now and then.
                    write!(writer, "{written:04} a").unwrap();
                    if step == 4 { log.look(); }
                    writeln!(writer, " line").unwrap();
                    written += 1;
                }
                5 | 6 => { log.look(); }
                7 => {
                    files += 1;
                    log.rename("access.log", &format!("access.log.{files}"));
                    writer = log.opened("access.log");
                }
                8 => {
                    // Renamed, and its writer goes on for a line.
                    files += 1;
                    log.rename("access.log", &format!("access.log.{files}"));
                    let next = log.opened("access.log");
                    writeln!(writer, "{written:04} a line").unwrap();
                    written += 1;
                    writer = next;
                }
                _ => {
                    files += 1;
                    std::fs::copy(log.path("access.log"), log.path(&format!("access.log.{files}"))).unwrap();
                    File::options().write(true).open(log.path("access.log")).unwrap().set_len(0).unwrap();
                }
            }
        }
        for _ in 0..=QUIET_MAX + 1 { log.look(); }
        let mut found = log.found();
        found.sort();
        let expected: Vec<String> = (0..written).map(|number| format!("{number:04} a line")).collect();
        prop_assert_eq!(found, expected);
    }
}
