//! Why calls failed: classes with an example each, for whoever has to find out.

use crate::Failure;
use crate::merge;
use crate::rows::Index;
use record::NoteRow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use terms::{OUTCOMES, Outcome};

/// Characters of an example that are shown. What a target sends is noted as it came, and may be long.
const EXAMPLE_CHARS: usize = 200;

/// Every class in which calls of an exchange failed in a step, leg by leg: the most frequent first. What was never
/// started, and what the end of the run cut off, is in the books and has not failed.
pub(crate) fn of_exchange(index: &Index<'_>, step: u32, exchange: u16) -> Vec<Failure> {
    let Some(head) = index.head().exchanges.get(usize::from(exchange)) else { return Vec::new() };
    let is_failure = |outcome: Outcome| !matches!(outcome, Outcome::Ok | Outcome::Aborted | Outcome::Dropped);
    let mut counts: BTreeMap<(u8, Outcome), u64> = BTreeMap::new();
    for leg in 0..head.legs.len() as u8 {
        let classes = merge::classes(index, step, exchange, leg);
        for outcome in OUTCOMES.into_iter().filter(|outcome| is_failure(*outcome)) {
            let count = classes[outcome as usize];
            if count > 0 {
                counts.insert((leg, outcome), count);
            }
        }
    }
    let mut found: Vec<((u8, Outcome), u64)> = counts.into_iter().collect();
    found.sort_by_key(|(key, count)| (Reverse(*count), *key));
    let failure = |((leg, outcome), count): ((u8, Outcome), u64)| {
        let note = example(index, step, exchange, outcome);
        Failure {
            leg: head.legs[usize::from(leg)].name.clone(),
            class: outcome.name().into(),
            count,
            example: note.map(|note| on_one_line(&note.text)),
            trace: note.and_then(|note| note.trace).map(|trace| trace.to_string()),
        }
    };
    found.into_iter().map(failure).collect()
}

/// The first note of the class in the step; where the notes had run out by then, that of an earlier one.
fn example<'a>(index: &Index<'a>, step: u32, exchange: u16, outcome: Outcome) -> Option<&'a NoteRow> {
    let notes = || {
        let all = index.evidence.rows.notes.iter();
        all.filter(move |note| note.exchange == exchange && note.outcome == outcome && !note.text.trim().is_empty())
    };
    let here = notes().filter(|note| note.step == step).min_by_key(|note| note.at);
    here.or_else(|| notes().min_by_key(|note| note.at))
}

fn on_one_line(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = line.chars().take(EXAMPLE_CHARS).collect();
    if shown.len() < line.len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_one_short_line() {
        assert_eq!(on_one_line(" status 404,\r\n  9 bytes:\tnot found\n"), "status 404, 9 bytes: not found");
        assert_eq!(on_one_line("a\u{1b}[31m b"), "a [31m b");
        let long = on_one_line(&"é ".repeat(300));
        assert_eq!((long.chars().count(), long.ends_with('…')), (EXAMPLE_CHARS + 1, true));
    }
}
