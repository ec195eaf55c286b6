//! What is kept of a run for whoever opens the page, and what is new for those who have it open: bounded, however long
//! the run is.

use crate::about::{Series, about, leg_name};
use crate::frame::{Frame, QUANTILES, event};
use crate::standing::{Outcome, Requirement, outcome, requirements};
use follow::Second;
use record::Head;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;
use terms::Histogram;

/// Lengths of spans in seconds, and how many are kept of each: ten minutes, two hours, a day, and ten days.
pub(crate) const LEVELS: [(i64, usize); 4] = [(1, 600), (10, 720), (60, 1440), (600, 1440)];
/// Events that are kept.
const EVENTS_MAX: usize = 500;
/// Legs whose times are kept, 0.2 MB each.
const LEGS_MAX: usize = 40;
/// Seconds between two tables of legs: to read their percentiles takes time.
const LEGS_EVERY: i64 = 5;
/// Messages that wait for readers; whoever is further behind starts again.
const MESSAGES_MAX: usize = 900;
/// Bytes of them, as long as there are several.
const MESSAGE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What is sent to those who have the page open.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// `second`, `merged`, `about`, `legs`, `events`, `steps`, `requirements`, `trouble`, `over`.
    pub(crate) kind: &'static str,
    /// Second that it brings readers to, where it is one.
    pub(crate) second: Option<i64>,
    pub(crate) text: Arc<str>,
}

/// One leg since the run began.
#[derive(Debug, Default)]
struct Leg {
    ok: u64,
    failed: u64,
    times: Histogram,
}

#[derive(Debug, Default)]
pub(crate) struct History {
    about: Value,
    series: Series,
    levels: [VecDeque<Arc<str>>; 4],
    /// The span of each coarser level that is not over yet.
    open: [Option<Frame>; 3],
    legs: BTreeMap<(u16, u16), Leg>,
    legs_left_out: bool,
    legs_told: Option<i64>,
    legs_json: Value,
    /// First and last second of each step.
    steps: BTreeMap<u32, (i64, i64)>,
    events: VecDeque<Value>,
    requirements: Value,
    outcome: Value,
    trouble: Option<String>,
    messages: VecDeque<Message>,
    message_bytes: usize,
    /// Number of the first message that is kept.
    first_message: u64,
}

impl History {
    /// The run is known, or more of it.
    pub(crate) fn see_head(&mut self, head: &Head) {
        let now = about(head, &self.series);
        if now != self.about {
            self.say("about", None, now.to_string());
            self.about = now;
        }
    }

    /// A second is whole.
    pub(crate) fn see(&mut self, second: &Second, head: &Head) {
        let series = &mut self.series;
        let known = series.len();
        let frame = Frame::of(second, head, |sample| series.number(sample, head));
        if self.series.len() > known {
            self.see_head(head);
        }
        self.see_steps(second);
        if !second.events.is_empty() {
            let new: Vec<Value> = second.events.iter().map(event).collect();
            // A storm of events is shown by its newest.
            let new = new[new.len().saturating_sub(EVENTS_MAX)..].to_vec();
            self.say("events", None, Value::from(new.clone()).to_string());
            self.events.extend(new);
            while self.events.len() > EVENTS_MAX {
                self.events.pop_front();
            }
        }
        for level in 1..LEVELS.len() {
            self.merge(level, &frame);
        }
        self.see_legs(second, head);
        self.keep(0, &frame);
    }

    /// All that came is all there is.
    pub(crate) fn end(&mut self, head: &Head) {
        for level in 1..LEVELS.len() {
            if let Some(open) = self.open[level - 1].take() {
                self.keep(level, &open);
            }
        }
        self.tell_legs(head);
    }

    fn merge(&mut self, level: usize, frame: &Frame) {
        let (seconds, _) = LEVELS[level];
        let first = frame.second.div_euclid(seconds) * seconds;
        let is_new = self.open[level - 1].as_ref().is_none_or(|open| open.second != first);
        if is_new && let Some(over) = self.open[level - 1].take() {
            self.keep(level, &over);
        }
        match &mut self.open[level - 1] {
            Some(open) => open.merge(frame),
            none => *none = Some(frame.begin_span(first, seconds)),
        }
    }

    fn keep(&mut self, level: usize, frame: &Frame) {
        let text: Arc<str> = frame.json().to_string().into();
        let (kind, second) = if level == 0 { ("second", Some(frame.second)) } else { ("merged", None) };
        self.push(Message { kind, second, text: Arc::clone(&text) });
        let kept = &mut self.levels[level];
        kept.push_back(text);
        while kept.len() > LEVELS[level].1 {
            kept.pop_front();
        }
    }

    fn see_steps(&mut self, second: &Second) {
        let mut is_new = false;
        for step in &second.steps {
            let known = self.steps.entry(*step).or_insert_with(|| {
                is_new = true;
                (second.second, second.second)
            });
            known.1 = second.second;
        }
        if is_new {
            self.say("steps", None, self.steps_json().to_string());
        }
    }

    fn steps_json(&self) -> Value {
        self.steps.iter().map(|(step, (from, to))| json!([step, from, to])).collect()
    }

    fn see_legs(&mut self, second: &Second, head: &Head) {
        for of in &second.exchanges {
            let has_room = self.legs.len() < LEGS_MAX;
            let known = match self.legs.get_mut(&(of.exchange, of.leg)) {
                Some(known) => known,
                None if has_room => self.legs.entry((of.exchange, of.leg)).or_default(),
                None => {
                    self.legs_left_out = true;
                    continue;
                }
            };
            known.ok = known.ok.saturating_add(of.ok);
            let failed = of.outcomes.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
            known.failed = known.failed.saturating_add(failed);
            known.times.merge(if of.response.total() > 0 { &of.response } else { &of.service });
        }
        if self.legs_told.is_none_or(|told| second.second >= told + LEGS_EVERY) {
            self.legs_told = Some(second.second);
            self.tell_legs(head);
        }
    }

    fn tell_legs(&mut self, head: &Head) {
        let row = |((exchange, leg), of): (&(u16, u16), &Leg)| {
            let ms =
                |quantile| of.times.quantile(quantile).map(|time| (time.as_millis_f64() * 1000.0).round() / 1000.0);
            let times = QUANTILES.map(ms);
            json!({ "name": leg_name(head, *exchange, *leg), "ok": of.ok, "failed": of.failed, "t": times })
        };
        let rows: Vec<Value> = self.legs.iter().map(row).collect();
        let now = json!({ "rows": rows, "more": self.legs_left_out });
        if now != self.legs_json {
            self.say("legs", None, now.to_string());
            self.legs_json = now;
        }
    }

    /// How requirements stand; `at` is the second to which they were judged.
    pub(crate) fn see_requirements(&mut self, all: &[Requirement], at: Option<i64>) {
        self.requirements = requirements(all, at);
        self.say("requirements", None, self.requirements.to_string());
    }

    /// How they stand while the run goes on. Once it is over, its verdicts stay.
    pub(crate) fn see_standing(&mut self, all: &[Requirement], at: i64) {
        if self.outcome.is_null() {
            self.see_requirements(all, Some(at));
        }
    }

    /// What the run came to.
    pub(crate) fn see_outcome(&mut self, of: &Outcome) {
        self.see_requirements(&of.requirements, None);
        self.outcome = outcome(of);
        self.say("over", None, self.outcome.to_string());
    }

    /// Why nothing more is read, where that is not the end of the run.
    pub(crate) fn see_trouble(&mut self, text: &str) {
        let text = crate::words::short(text, 1000);
        self.say("trouble", None, json!(text).to_string());
        self.trouble = Some(text);
    }

    fn say(&mut self, kind: &'static str, second: Option<i64>, text: String) {
        self.push(Message { kind, second, text: text.into() });
    }

    fn push(&mut self, message: Message) {
        self.message_bytes += message.text.len();
        self.messages.push_back(message);
        let is_full =
            |all: &VecDeque<Message>, bytes| all.len() > MESSAGES_MAX || (bytes > MESSAGE_BYTES_MAX && all.len() > 1);
        while is_full(&self.messages, self.message_bytes) {
            self.message_bytes -= self.messages.pop_front().map_or(0, |gone| gone.text.len());
            self.first_message += 1;
        }
    }

    /// Number behind the last message.
    pub(crate) fn next_message(&self) -> u64 {
        self.first_message + self.messages.len() as u64
    }

    /// The message of a number; `Err` where it is no longer kept.
    pub(crate) fn message(&self, number: u64) -> Result<Option<&Message>, TooLate> {
        let place = number.checked_sub(self.first_message).ok_or(TooLate)?;
        Ok(usize::try_from(place).ok().and_then(|place| self.messages.get(place)))
    }

    /// Number of the message behind the one that brought readers to a second; `None` where that is no longer kept.
    pub(crate) fn behind(&self, second: i64) -> Option<u64> {
        let place = self.messages.iter().rposition(|message| message.second == Some(second))?;
        Some(self.first_message + place as u64 + 1)
    }

    /// Everything that a page needs that is just opened; `next` is the message from which it goes on.
    pub(crate) fn snapshot(&self, may_stop: bool) -> String {
        let mut text = String::with_capacity(256 * 1024);
        text.push_str("{\"levels\":[");
        for (number, level) in self.levels.iter().enumerate() {
            text.push_str(if number == 0 { "[" } else { ",[" });
            for (place, frame) in level.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                text.push_str(frame);
            }
            text.push(']');
        }
        let rest = json!({
            "about": self.about, "legs": self.legs_json, "steps": self.steps_json(), "events": self.events,
            "requirements": self.requirements, "outcome": self.outcome, "trouble": self.trouble, "next": self.next_message(),
            "mayStop": may_stop, "left": self.series.left_out,
            "caps": LEVELS.map(|(_, kept)| kept),
        });
        // Behind the opening brace of the one comes what is behind that of the other.
        let _ = write!(text, "],{}", &rest.to_string()[1..]);
        text
    }
}

/// A reader is further behind than messages are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLate;
