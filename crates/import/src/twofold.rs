//! Rows of JMeter's CSV that are not calls in their own right, though nothing in the row itself says so.
//!
//! Since version 5.0 there is a row for each part of a sample, such as a redirect or an embedded image, behind the row of
//! the whole: `Home-0` is the first part of `Home` and begins with it. And a transaction controller whose thread ends in the
//! middle of it leaves a row without the message by which its sums are known. What such rows are is told only by the
//! others, so the files are read once more when there are any.
//!
//! Source: JMeter 5.6, `CSVSaveService.saveSubResults`, `SampleResult.storeSubResult`, `HTTPSamplerBase`,
//! `TransactionSampler`.

use crate::call::{Call, What};
use crate::hash::Quick;
use crate::request::label_text;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasher;
use terms::Nanos;

/// Stamps are whole milliseconds, so that two moments may seem one apart that are the same.
const ROUNDED: Nanos = Nanos::MILLISECOND;
/// A sample that follows another of its thread begins when that one ends. Where the first took so long, the two moments
/// cannot be taken for each other.
const TELLING: Nanos = Nanos(3 * Nanos::MILLISECOND.0);
/// Share of the rows of a label that have to lie within the whole.
const SHARE: f64 = 0.95;
/// Where none of the wholes took long enough to tell, so many have to agree.
const FEWEST: u64 = 10;
/// Labels of which is kept what they tell.
const LABELS_MAX: usize = 20_000;
/// Labels that are named.
const NAMED: usize = 5;
/// Deepest nesting of parts; JMeter writes no deeper ones.
const DEPTH_MAX: usize = 12;

/// Which labels have rows that are not calls in their own right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Twofold {
    /// Labels of parts.
    pub(crate) parts: BTreeSet<Vec<u8>>,
    /// Labels of sums of which some were not finished.
    pub(crate) sums: BTreeSet<Vec<u8>>,
}

impl Twofold {
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.sums.is_empty()
    }

    /// Adds what another reading has shown.
    pub(crate) fn join(&mut self, other: Self) {
        self.parts.extend(other.parts);
        self.sums.extend(other.sums);
    }

    /// What a record is.
    pub(crate) fn what(&self, label: &[u8], what: What) -> What {
        match what {
            What::Blank if self.sums.contains(label) => What::Sum,
            What::Blank | What::Call if self.parts.contains(label) => What::Sum,
            what => what,
        }
    }

    /// Sentences for the report.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let named = |labels: &BTreeSet<Vec<u8>>| {
            let mut named: Vec<String> =
                labels.iter().take(NAMED).map(|label| format!("`{}`", label_text(label))).collect();
            if labels.len() > NAMED {
                named.push(format!("{} more", labels.len() - NAMED));
            }
            named.join(", ")
        };
        let (mut remarks, parts, sums) = (Vec::new(), &self.parts, &self.sums);
        if !parts.is_empty() {
            remarks.push(format!(
                "rows of {} are parts of samples that have a row of their own, such as redirects, and are not counted \
                 again; with `jmeter.save.saveservice.subresults=false` JMeter does not write them",
                named(parts)
            ));
        }
        if !sums.is_empty() {
            remarks.push(format!(
                "rows of {} without a message are sums of transaction controllers that their threads did not finish, and \
                 are not counted as calls",
                named(sums)
            ));
        }
        remarks
    }
}

/// What the rows of each label tell, as the file has it.
#[derive(Debug, Default)]
pub(crate) struct Told(BTreeMap<Vec<u8>, Seen>);

impl Told {
    pub(crate) fn add(&mut self, label: &[u8], seen: Seen) {
        if seen != Seen::default() && (self.0.len() < LABELS_MAX || self.0.contains_key(label)) {
            self.0.entry(label.to_vec()).or_default().join(seen);
        }
    }

    /// Parts are those labels whose rows lie within the whole, if the first part of the same whole is one.
    pub(crate) fn twofold(&self) -> Twofold {
        let is_part = |label: &[u8]| self.0.get(label).is_some_and(Seen::is_part);
        let first_of = |label: &[u8]| whole_of(label).map(|(whole, _)| [whole, b"-0"].concat());
        let of = |is: &dyn Fn(&Vec<u8>, &Seen) -> bool| -> BTreeSet<Vec<u8>> {
            self.0.iter().filter(|(label, seen)| is(label, seen)).map(|(label, _)| label.clone()).collect()
        };
        Twofold {
            parts: of(&|label, seen| seen.is_part() && first_of(label).is_some_and(|first| is_part(&first))),
            sums: of(&|_, seen| seen.sums > 0 && seen.blank > 0),
        }
    }
}

/// The label of the whole and the number of the part, where a label is that of a part: `Home` and 0 for `Home-0`.
pub(crate) fn whole_of(label: &[u8]) -> Option<(&[u8], u32)> {
    let digits = label.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (label, number) = label.split_at(label.len() - digits);
    let (mark, whole) = label.split_last()?;
    let is_one = (1..=4).contains(&digits) && *mark == b'-' && !whole.is_empty();
    is_one.then(|| (whole, number.iter().fold(0, |sum, digit| 10 * sum + u32::from(digit - b'0'))))
}

/// What the rows of one label tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Rows behind others of their thread, and those that lie within one of the whole.
    rows: u64,
    within: u64,
    /// The same of wholes that took long enough to tell.
    telling: u64,
    telling_within: u64,
    /// Sums, and rows that say nothing of how they ended.
    pub(crate) sums: u64,
    pub(crate) blank: u64,
}

impl Seen {
    pub(crate) fn join(&mut self, other: Self) {
        self.rows += other.rows;
        self.within += other.within;
        self.telling += other.telling;
        self.telling_within += other.telling_within;
        self.sums += other.sums;
        self.blank += other.blank;
    }

    fn is_part(&self) -> bool {
        let is_most = |within: u64, of: u64| within as f64 >= SHARE * of as f64;
        if self.telling > 0 {
            return is_most(self.telling_within, self.telling);
        }
        self.rows >= FEWEST && is_most(self.within, self.rows)
    }
}

/// A row that may be the whole of those that follow.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Hash of its label.
    label: u64,
    start: Nanos,
    end: Nanos,
    bytes: u64,
}

impl Row {
    /// Whether a part lies within it; the first begins with it.
    fn holds(&self, part: &Self, number: u32) -> bool {
        let is_telling = self.end - self.start >= TELLING;
        let room = if is_telling { ROUNDED } else { Nanos::ZERO };
        let begins = self.start <= part.start + room && (number > 0 || part.start <= self.start + room);
        begins && part.start <= self.end + room && part.end <= self.end + ROUNDED && part.bytes <= self.bytes
    }
}

/// The latest rows of each thread: the last, and those within which it lies.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    latest: HashMap<Vec<u8>, Vec<Row>, Quick>,
    labels: Quick,
}

impl Threads {
    /// Sees a row of a thread.
    pub(crate) fn see(&mut self, thread: &[u8], call: &Call<'_>, seen: &mut Seen) {
        let whole = whole_of(call.label);
        let row = Row {
            label: self.labels.hash_one(call.label),
            start: call.start,
            end: call.start + call.took,
            bytes: call.bytes,
        };
        let Some(rows) = self.latest.get_mut(thread) else {
            self.latest.insert(thread.to_vec(), vec![row]);
            return;
        };
        let known = whole.map(|(whole, part)| (self.labels.hash_one(whole), part));
        let place = known.and_then(|(whole, _)| rows.iter().rposition(|row| row.label == whole));
        rows.truncate(place.map_or(0, |place| place + 1));
        if whole.is_some() {
            // One that follows something else is none, whatever others of its label are.
            let holder = rows.last().zip(known);
            let is_within = holder.is_some_and(|(whole, (_, part))| whole.holds(&row, part));
            let is_telling = holder.is_none_or(|(whole, _)| whole.end - whole.start >= TELLING);
            seen.join(Seen {
                rows: 1,
                within: u64::from(is_within),
                telling: u64::from(is_telling),
                telling_within: u64::from(is_telling && is_within),
                ..Seen::default()
            });
        }
        if rows.len() < DEPTH_MAX {
            rows.push(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(start_ms: i64, took_ms: i64, bytes: u64) -> Call<'static> {
        let [start, took] = [start_ms, took_ms].map(|ms| Nanos(ms * 1_000_000));
        Call { start, took, bytes, ..Call::default() }
    }

    /// Thread, label and row.
    type Rows = Vec<(u64, &'static str, Call<'static>)>;

    /// Labels of parts.
    fn parts(rows: &Rows) -> Vec<String> {
        let (mut threads, mut told) = (Threads::default(), Told::default());
        for (thread, label, call) in rows {
            let (call, mut seen) = (Call { label: label.as_bytes(), ..*call }, Seen::default());
            threads.see(&thread.to_le_bytes(), &call, &mut seen);
            told.add(label.as_bytes(), seen);
        }
        told.twofold().parts.iter().map(|label| String::from_utf8_lossy(label).into_owned()).collect()
    }

    /// Numbers from 0 up to 1 that look random.
    struct Dice(u64);

    impl Dice {
        fn part(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        /// Exponential, milliseconds.
        fn takes(&mut self, mean_ms: f64) -> f64 {
            -mean_ms * (1.0 - self.part()).ln()
        }
    }

    /// Rows of threads that call two samplers in turn, each as soon as the other has ended.
    fn in_turn(threads: u64, mean_ms: f64, dice: &mut Dice) -> Rows {
        let mut rows = Vec::new();
        for thread in 0..threads {
            let mut at = 1e6 + 100.0 * dice.part();
            for turn in 0..60 {
                let end = at + dice.takes(mean_ms);
                let bytes = 200 + (1000.0 * dice.part()) as u64;
                let label = if turn % 2 == 0 { "Step" } else { "Step-0" };
                rows.push((end, (thread, label, row(at as i64, end as i64 - at as i64, bytes))));
                at = end;
            }
        }
        // As threads write them, when calls end.
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// Rows of threads whose samples have two parts each, in the order of their ends.
    fn redirected(threads: u64, mean_ms: f64, dice: &mut Dice) -> Rows {
        let mut rows = Vec::new();
        for thread in 0..threads {
            let mut at = 1e6 + 100.0 * dice.part();
            for _ in 0..30 {
                let middle = at + dice.takes(mean_ms);
                let end = middle + dice.takes(mean_ms);
                let span = |from: f64, to: f64| (from as i64, to as i64 - from as i64);
                for (label, (from, took), bytes) in [
                    ("Home", span(at, end), 900),
                    ("Home-0", span(at, middle), 400),
                    ("Home-1", span(middle, end), 500),
                ] {
                    rows.push((end, (thread, label, row(from, took, bytes))));
                }
                at = end + dice.takes(mean_ms);
            }
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    #[test]
    fn the_label_of_a_part_ends_in_its_number() {
        for (label, expected) in [
            ("Home-0", Some(("Home", 0))),
            ("Home-0-12", Some(("Home-0", 12))),
            ("-1", None),
            ("Home-", None),
            ("Home", None),
            ("17", None),
            ("2026-11-28-12345", None),
            ("", None),
        ] {
            assert_eq!(whole_of(label.as_bytes()), expected.map(|(whole, part)| (whole.as_bytes(), part)), "{label}");
        }
    }

    #[test]
    fn a_part_lies_within_its_whole_and_what_follows_does_not() {
        // A page of forty resources, the fourth of which is redirected.
        let names: Vec<&'static str> = (0..40).map(|part| &*format!("Page-{part}").leak()).collect();
        let page: Rows = (0..5)
            .flat_map(|turn| {
                let at = turn * 1000;
                let parts = names.iter().zip(0..).map(move |(name, part)| (1, *name, row(at + 10 * part, 9, 100)));
                let nested = [(1, "Page-3-0", row(at + 30, 4, 50)), (1, "Page-3-1", row(at + 34, 5, 50))];
                let mut rows: Rows = std::iter::once((1, "Page", row(at, 400, 4000))).chain(parts).collect();
                rows.splice(5..5, nested);
                rows
            })
            .collect();
        assert_eq!(parts(&page).len(), 42);
        // Samplers of the same name elsewhere are calls, and their label is that of calls.
        let mut elsewhere = page.clone();
        elsewhere.extend((0..40).map(|turn| (2, "Page-1", row(50 * turn, 9, 100))));
        assert_eq!(parts(&elsewhere).len(), 41);
        // One login that was redirected.
        let login = [("Login", row(0, 60, 900)), ("Login-0", row(0, 20, 300)), ("Login-1", row(21, 39, 600))];
        assert_eq!(parts(&login.map(|(label, call)| (1, label, call)).to_vec()).len(), 2);
        // The same rows one after another are calls.
        let in_turn: Rows = page
            .iter()
            .enumerate()
            .map(|(place, (thread, label, _))| (*thread, *label, row(10 * place as i64, 9, 50)))
            .collect();
        assert!(parts(&in_turn).is_empty());
        // Of several threads, written when they began: a short call lies within a long one of another thread.
        let sorted: Rows = (0..400)
            .flat_map(|place| {
                [
                    (place % 50, "Step", row(10 * place as i64, 5000, 500)),
                    ((place + 1) % 50, "Step-0", row(10 * place as i64, 100, 400)),
                ]
            })
            .collect();
        assert!(parts(&sorted).is_empty());
        // One that lies within the whole, but does not begin with it, is not a first part.
        let late: Rows = (0..50)
            .flat_map(|turn| [(1, "Step", row(100 * turn, 60, 500)), (1, "Step-0", row(100 * turn + 20, 30, 400))])
            .collect();
        assert!(parts(&late).is_empty());
    }

    #[test]
    fn chance_makes_no_part_of_a_call_and_hides_none() {
        let (dice, times) = (&mut Dice(7), 8);
        // Also below the resolution of the stamps, where only the bytes tell, which differ by chance here.
        for threads in [1, 10, 100] {
            for mean_ms in [0.03, 0.3, 1.0, 5.0, 50.0, 500.0] {
                let wrong = (0..times).filter(|_| !parts(&in_turn(threads, mean_ms, dice)).is_empty()).count();
                assert_eq!(wrong, 0, "of {times}, {threads} threads, {mean_ms} ms");
                let found = (0..times).filter(|_| parts(&redirected(threads, mean_ms, dice)).len() == 2).count();
                assert_eq!(found, times, "of {times}, {threads} threads, {mean_ms} ms");
            }
        }
    }

    #[test]
    fn what_an_earlier_reading_has_shown_decides() {
        let set = |label: &str| BTreeSet::from([label.as_bytes().to_vec()]);
        let twofold = Twofold { parts: set("Home-0"), sums: set("Buy") };
        for (label, what, expected) in [
            ("Home-0", What::Call, What::Sum),
            ("Home", What::Call, What::Call),
            ("Buy", What::Call, What::Call),
            ("Buy", What::Blank, What::Sum),
            ("Home", What::Blank, What::Blank),
            ("Home", What::Sum, What::Sum),
        ] {
            assert_eq!(twofold.what(label.as_bytes(), what), expected, "{label}");
        }
        assert_eq!(twofold.remarks().len(), 2);
        assert!(Twofold::default().is_empty() && Twofold::default().remarks().is_empty());
    }
}
