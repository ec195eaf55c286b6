//! Spans of time as a page has them, held against all that was sent: none missing, none twice, none altered; and their sums.

use serde_json::Value;
use std::collections::BTreeMap;

/// Lengths of spans in seconds, and how many a page keeps of each; as the server has them (`live::history`).
pub(super) const LEVELS: [(i64, usize); 4] = [(1, 600), (10, 720), (60, 1440), (600, 1440)];
/// The counts of a span, by place.
pub(super) const COUNTS: [&str; 6] = ["intended", "started", "completed", "failed", "dropped", "aborted"];

/// First second and length of a span.
type Span = (i64, i64);

/// Spans that were sent, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    spans: BTreeMap<Span, Value>,
    /// Spans that came a second time on one connection.
    pub(super) twice: Vec<i64>,
}

impl Sent {
    pub(super) fn add(&mut self, frame: Value) {
        let span = span(&frame);
        if self.spans.insert(span, frame).is_some() {
            self.twice.push(span.0);
        }
    }

    /// The newest second of it.
    pub(super) fn newest(&self) -> Option<i64> {
        self.of(1).next_back().map(|((second, _), _)| *second)
    }

    /// Spans of a length, in order.
    fn of(&self, seconds: i64) -> impl DoubleEndedIterator<Item = (&Span, &Value)> {
        self.spans.iter().filter(move |((_, length), _)| *length == seconds)
    }
}

/// What is wrong with the spans of a page, level by level, the finest first. `lag` is how many of the newest seconds may be
/// on their way to it.
pub(super) fn wrong(levels: &[Vec<Value>], sent: &Sent, lag: i64) -> Vec<String> {
    let mut all = Vec::new();
    if levels.len() != LEVELS.len() {
        all.push(format!("the page has {} levels", levels.len()));
    }
    for (frames, (seconds, cap)) in levels.iter().zip(LEVELS) {
        all.extend(wrong_of_level(frames, sent, (seconds, cap), lag));
    }
    all
}

fn wrong_of_level(frames: &[Value], sent: &Sent, (seconds, cap): (i64, usize), lag: i64) -> Vec<String> {
    let mut all = Vec::new();
    let named = |(second, length): Span| match length {
        1 => format!("second {second}"),
        _ => format!("the {length} s from {second}"),
    };
    for pair in frames.windows(2) {
        let [(before, _), (after, _)] = [span(&pair[0]), span(&pair[1])];
        if after <= before {
            all.push(format!("{} comes behind second {before}", named((after, seconds))));
        } else if after != before + seconds {
            all.push(format!("{} s are missing behind {}", after - before - seconds, named((before, seconds))));
        }
    }
    for frame in frames {
        match sent.spans.get(&span(frame)) {
            Some(other) if same(frame, other) => {}
            Some(_) => all.push(format!("{} differs from what was sent", named(span(frame)))),
            None => all.push(format!("{} was never sent", named(span(frame)))),
        }
    }
    if frames.len() > cap {
        all.push(format!("{} spans of {seconds} s are kept, and {cap} may be", frames.len()));
    }
    let newest = sent.newest().unwrap_or_default();
    // A longer span comes with the second behind it.
    let comes_with = |second: i64| if seconds == 1 { second } else { second + seconds };
    let is_due = |second: &i64| lag == 0 || comes_with(*second) + lag <= newest;
    let Some(due) = sent.of(seconds).map(|((second, _), _)| *second).rfind(is_due) else { return all };
    match frames.first().map(span).zip(frames.last().map(span)) {
        None => all.push(format!("spans of {seconds} s are missing")),
        Some((oldest, last)) => {
            let first = sent.of(seconds).next().map_or(oldest.0, |((second, _), _)| *second);
            if oldest.0 != first && frames.len() < cap {
                all.push(format!("{} is the first, and {first} was", named(oldest)));
            }
            if last.0 < due {
                all.push(format!("{} is the last, and {due} was sent", named(last)));
            }
        }
    }
    all
}

/// Counts of the whole run, of the finest level that still has its beginning: its length in seconds, and [`COUNTS`].
pub(super) fn sums(levels: &[Vec<Value>]) -> Option<(i64, [u64; 6])> {
    let (frames, (seconds, _)) = levels.iter().zip(LEVELS).find(|(frames, (_, cap))| frames.len() < *cap)?;
    let count = |place: usize| frames.iter().filter_map(|frame| frame["b"][place].as_u64()).sum();
    Some((seconds, std::array::from_fn(count)))
}

fn span(frame: &Value) -> Span {
    (frame["s"].as_i64().unwrap_or(i64::MIN), frame["n"].as_i64().unwrap_or_default())
}

/// Whether two values are the same; a browser writes 1.0 as 1.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn frame(second: i64, seconds: i64) -> Value {
        json!({ "s": second, "n": seconds, "b": [seconds, seconds, seconds, 0, 0, 0], "t": [2.0, null, 0.5] })
    }

    /// All spans of a run of so many seconds, and a page that has them.
    fn run(length: i64) -> (Sent, Vec<Vec<Value>>) {
        let mut sent = Sent::default();
        let levels = LEVELS.map(|(seconds, cap)| {
            let all: Vec<Value> = (0..length / seconds).map(|number| frame(number * seconds, seconds)).collect();
            all.iter().for_each(|frame| sent.add(frame.clone()));
            all[all.len().saturating_sub(cap)..].to_vec()
        });
        (sent, levels.to_vec())
    }

    #[test]
    fn a_page_that_has_all_is_right_however_numbers_are_written() {
        for length in [5, 599, 1300, 7200] {
            let (sent, mut levels) = run(length);
            levels[0][2]["t"] = json!([2, null, 0.5]);
            assert_eq!(wrong(&levels, &sent, 0), Vec::<String>::new(), "{length}");
            assert!(sent.twice.is_empty() && sent.newest() == Some(length - 1));
        }
    }

    #[test]
    fn what_is_missing_twice_altered_or_made_up_is_found() {
        let (sent, right) = run(50);
        let of = |change: &dyn Fn(&mut Vec<Vec<Value>>)| {
            let mut levels = right.clone();
            change(&mut levels);
            wrong(&levels, &sent, 0).join("; ")
        };
        assert_eq!(of(&|levels| drop(levels[0].remove(7))), "1 s are missing behind second 6");
        let twice = |levels: &mut Vec<Vec<Value>>| {
            let again = levels[0][7].clone();
            levels[0].insert(8, again);
        };
        assert_eq!(of(&twice), "second 7 comes behind second 7");
        assert_eq!(of(&|levels| levels[0][7]["b"][0] = json!(9)), "second 7 differs from what was sent");
        assert_eq!(of(&|levels| levels[0].push(frame(50, 1))), "second 50 was never sent");
        assert_eq!(of(&|levels| drop(levels[0].remove(0))), "second 1 is the first, and 0 was");
        assert_eq!(of(&|levels| levels[0].truncate(49)), "second 48 is the last, and 49 was sent");
        assert_eq!(of(&|levels| drop(levels[1].remove(2))), "10 s are missing behind the 10 s from 10");
        assert_eq!(of(&|levels| levels[1].clear()), "spans of 10 s are missing");
        assert_eq!(of(&|levels| drop(levels.pop())), "the page has 3 levels");
    }

    #[test]
    fn what_is_on_its_way_is_not_missing() {
        let (sent, mut levels) = run(50);
        levels[0].truncate(47);
        assert!(wrong(&levels, &sent, 3).is_empty());
        assert!(!wrong(&levels, &sent, 1).is_empty());
    }

    #[test]
    fn a_second_that_was_sent_twice_is_told() {
        let (mut sent, _) = run(5);
        sent.add(frame(3, 1));
        assert_eq!(sent.twice, [3]);
    }

    #[test]
    fn counts_are_of_the_finest_level_that_has_the_beginning() {
        assert_eq!(sums(&run(100).1), Some((1, [100, 100, 100, 0, 0, 0])));
        assert_eq!(sums(&run(1200).1), Some((10, [1200, 1200, 1200, 0, 0, 0])));
        assert_eq!(sums(&[]), None);
    }
}
