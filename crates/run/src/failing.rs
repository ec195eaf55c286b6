//! Why calls failed: by exchange and class, how many, and what the first of them saw.

use crate::numbers::grouped;
use record::Head;
use terms::Outcome;

/// Characters of an example: enough for its first sentence, the longest advice on TLS included.
const EXAMPLE_CHARS_MAX: usize = 320;

/// Classes of failures, as they come to be known.
#[derive(Clone, Debug, Default)]
pub struct Failing(Vec<Class>);

#[derive(Clone, Debug)]
struct Class {
    exchange: u16,
    outcome: Outcome,
    /// By the leg that ended so.
    counts: Vec<u64>,
    example: Option<String>,
}

impl Failing {
    /// So many more, of one leg.
    pub fn count(&mut self, exchange: u16, leg: u8, outcome: Outcome, count: u64) {
        if is_told(outcome) && count > 0 {
            let counts = &mut self.class(exchange, outcome).counts;
            counts.resize(counts.len().max(usize::from(leg) + 1), 0);
            counts[usize::from(leg)] += count;
        }
    }

    /// What one of them saw; the first that says anything is kept.
    pub fn note(&mut self, exchange: u16, outcome: Outcome, text: &str) {
        if is_told(outcome) && !text.trim().is_empty() {
            self.class(exchange, outcome).example.get_or_insert_with(|| shortened(text));
        }
    }

    fn class(&mut self, exchange: u16, outcome: Outcome) -> &mut Class {
        let known = self.0.iter().position(|class| (class.exchange, class.outcome) == (exchange, outcome));
        let place = known.unwrap_or_else(|| {
            self.0.push(Class { exchange, outcome, counts: Vec::new(), example: None });
            self.0.len() - 1
        });
        &mut self.0[place]
    }

    /// `home: refused 300 times, such as: …`; the most frequent first, at most so many, and how many more there are.
    pub fn lines(&self, head: &Head, most: usize) -> Vec<String> {
        let mut classes: Vec<&Class> = self.0.iter().filter(|class| class.calls() > 0).collect();
        classes.sort_by_key(|class| std::cmp::Reverse(class.calls()));
        let mut lines: Vec<String> = classes.iter().take(most).map(|class| class.line(head)).collect();
        if classes.len() > most {
            let calls = classes[most..].iter().map(|class| class.calls()).sum();
            lines.push(format!("and {} more of other kinds", grouped(calls)));
        }
        lines
    }
}

impl Class {
    /// Calls that ended so. What could not be sent has no answer either: one call, though two of its legs failed with it.
    fn calls(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    fn line(&self, head: &Head) -> String {
        let name = head.exchanges.get(usize::from(self.exchange)).map_or("?", |exchange| exchange.name.as_str());
        let times = if self.calls() == 1 { "once".to_owned() } else { format!("{} times", grouped(self.calls())) };
        let example = self.example.as_ref().map_or_else(String::new, |text| format!(", such as: {text}"));
        format!("{name}: {} {times}{example}", self.outcome)
    }
}

/// What the stop of a run cut off or never started has not failed.
fn is_told(outcome: Outcome) -> bool {
    outcome.is_failed() || matches!(outcome, Outcome::BadStudy | Outcome::NoResource)
}

/// One line, cut at a bound.
fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(EXAMPLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::ExchangeHead;

    #[test]
    fn the_most_frequent_come_first_with_what_the_first_of_them_saw() {
        let exchange = |name: &str| ExchangeHead { name: name.into(), ..ExchangeHead::default() };
        let head = Head { exchanges: vec![exchange("home"), exchange("search")], ..Head::default() };
        let mut failing = Failing::default();
        failing.count(1, 0, Outcome::Status, 4);
        failing.note(1, Outcome::Status, "status 404\n  not here");
        failing.note(1, Outcome::Status, "another");
        // Of two legs that fail together each call is counted once.
        failing.count(0, 0, Outcome::Refused, 1000);
        failing.note(0, Outcome::Refused, " ");
        failing.count(0, 1, Outcome::Refused, 900);
        failing.count(0, 0, Outcome::Refused, 200);
        failing.count(0, 0, Outcome::Timeout, 1);
        failing.count(0, 0, Outcome::Ok, 7);
        failing.count(0, 0, Outcome::Aborted, 7);
        assert_eq!(
            failing.lines(&head, 2),
            [
                "home: refused 1,200 times",
                "search: status 4 times, such as: status 404 not here",
                "and 1 more of other kinds"
            ]
        );
        assert_eq!(shortened(&"x".repeat(500)).chars().count(), EXAMPLE_CHARS_MAX + 1);
    }
}
