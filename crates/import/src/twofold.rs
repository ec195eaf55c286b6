//! Records of JMeter that its files hold beside the calls that they belong to, and that nothing in their own row gives away.
//!
//! Since version 5.0 the CSV has a row for each part of a sample, such as a redirect or an embedded image, directly behind
//! the row of the whole; `Home-0` is the first part of `Home`. And a transaction controller whose thread ends in the middle
//! of it leaves a row without the message by which its sums are known. What such rows are is told only by the others, so
//! the files are read once more when there are any.
//!
//! Source: JMeter 5.6, `CSVSaveService.saveSubResults`, `SampleResult.storeSubResult`, `TransactionSampler`.

use crate::block::Label;
use crate::call::{Call, What};
use crate::request::label_text;
use std::collections::{BTreeSet, VecDeque};
use terms::Nanos;

/// Rows back that the whole is looked for: threads write theirs between those of a sample and its parts.
const BACK: usize = 16;
/// Whole milliseconds of a part may reach beyond those of the whole by one.
const ROUNDED: Nanos = Nanos::MILLISECOND;
/// Two samples of one thread that follow each other seem to lie within each other for at most so long, by their rounding.
const TELLING: Nanos = Nanos(3 * Nanos::MILLISECOND.0);
/// Share of the calls of a label that have to lie within calls of the whole.
const SHARE: f64 = 0.95;

/// Labels that are named.
const NAMED: usize = 5;

/// What the labels say of records that are no calls of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Twofold {
    /// Labels of parts.
    pub(crate) parts: BTreeSet<Vec<u8>>,
    /// Labels of sums of which some were not finished.
    pub(crate) sums: BTreeSet<Vec<u8>>,
}

impl Twofold {
    /// What the labels of all files say.
    pub(crate) fn of(labels: &[Label]) -> Self {
        let text = |label: &Label| label.text.clone();
        Self {
            parts: labels.iter().filter(|label| label.seen.is_part()).map(text).collect(),
            sums: labels.iter().filter(|label| label.sums > 0 && label.blank > 0).map(text).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.sums.is_empty()
    }

    /// Adds what another reading has shown.
    pub(crate) fn join(&mut self, other: Self) {
        self.parts.extend(other.parts);
        self.sums.extend(other.sums);
    }

    /// What is said of it.
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
                "rows without a message of {} are sums of transaction controllers that their threads did not finish, and \
                 are no calls",
                named(sums)
            ));
        }
        remarks
    }

    /// What a record is.
    pub(crate) fn what(&self, label: &[u8], what: What) -> What {
        match what {
            What::Blank if self.sums.contains(label) => What::Sum,
            What::Blank | What::Call if self.parts.contains(label) => What::Sum,
            what => what,
        }
    }
}

/// The label of the whole, where a label is that of a part: `Home` for `Home-0`.
pub(crate) fn whole_of(label: &[u8]) -> Option<&[u8]> {
    let digits = label.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, mark) = label[..label.len() - digits].split_last().map(|(mark, whole)| (whole, *mark))?;
    ((1..=4).contains(&digits) && mark == b'-' && !whole.is_empty()).then_some(whole)
}

/// How many calls of a label lie within calls of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Calls whose whole was looked for, and those that lie within one.
    calls: u64,
    within: u64,
    /// The same of calls that took long enough to tell.
    telling: u64,
    telling_within: u64,
}

impl Seen {
    pub(crate) fn join(&mut self, other: Self) {
        self.calls += other.calls;
        self.within += other.within;
        self.telling += other.telling;
        self.telling_within += other.telling_within;
    }

    fn is_part(&self) -> bool {
        let is_most = |within: u64, of: u64| within as f64 >= SHARE * of as f64;
        if self.telling > 0 {
            return is_most(self.telling_within, self.telling);
        }
        self.calls > 0 && is_most(self.within, self.calls)
    }
}

/// A row that may be the whole of one that follows.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    label: u32,
    start: Nanos,
    end: Nanos,
    bytes: u64,
}

/// The latest rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latest {
    rows: VecDeque<Row>,
}

impl Latest {
    /// Looks back from a call for that of the label `whole` it is a part of.
    pub(crate) fn look(&self, call: &Call<'_>, whole: Option<u32>, seen: &mut Seen) {
        let end = call.start + call.took;
        let holds = |row: &Row| {
            Some(row.label) == whole
                && row.start <= call.start + ROUNDED
                && end <= row.end + ROUNDED
                && call.bytes <= row.bytes
        };
        let is_within = self.rows.iter().any(holds);
        // Where a piece begins its whole may stand in the piece before.
        if !is_within && self.rows.len() < BACK {
            return;
        }
        let is_telling = call.took >= TELLING;
        seen.join(Seen {
            calls: 1,
            within: u64::from(is_within),
            telling: u64::from(is_telling),
            telling_within: u64::from(is_telling && is_within),
        });
    }

    pub(crate) fn push(&mut self, call: &Call<'_>, label: u32) {
        if self.rows.len() == BACK {
            self.rows.pop_front();
        }
        self.rows.push_back(Row { label, start: call.start, end: call.start + call.took, bytes: call.bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(start_ms: i64, took_ms: i64, bytes: u64) -> Call<'static> {
        let [start, took] = [start_ms, took_ms].map(|ms| Nanos(ms * 1_000_000));
        Call { start, took, bytes, ..Call::default() }
    }

    /// What is seen of the rows of label 1 whose whole is label 0.
    fn seen(rows: &[(u32, Call<'_>)]) -> Seen {
        let (mut latest, mut seen) = (Latest::default(), Seen::default());
        for (label, call) in rows {
            if *label == 1 {
                latest.look(call, Some(0), &mut seen);
            }
            latest.push(call, *label);
        }
        seen
    }

    #[test]
    fn the_label_of_a_part_ends_in_its_number() {
        for (label, expected) in [
            ("Home-0", Some("Home")),
            ("Home-0-12", Some("Home-0")),
            ("-1", None),
            ("Home-", None),
            ("Home", None),
            ("17", None),
            ("2026-11-28-12345", None),
            ("", None),
        ] {
            assert_eq!(whole_of(label.as_bytes()), expected.map(str::as_bytes), "{label}");
        }
    }

    #[test]
    fn a_part_lies_within_its_whole_and_what_follows_does_not() {
        // A redirect: the whole, and its two answers behind it, among the rows of other threads.
        let redirects: Vec<_> = (0..50)
            .flat_map(|place| {
                let at = place * 100;
                [(0, row(at, 60, 700)), (2, row(at + 5, 51, 9000)), (1, row(at, 20, 200)), (1, row(at + 21, 40, 500))]
            })
            .collect();
        assert!(seen(&redirects).is_part());
        // Samplers of the same names that one thread calls in turn: each row is written when its call ends.
        let in_turn: Vec<_> =
            (0..50).flat_map(|place| [(0, row(place * 100, 20, 700)), (1, row(place * 100 + 20, 30, 200))]).collect();
        assert!(!seen(&in_turn).is_part());
        // The same of several threads that share the label: a row that is written later ended later.
        let mut threads: Vec<_> = (0..400)
            .flat_map(|place| {
                let at = place * 7;
                [(0, row(at, 30 + place % 13, 500)), (1, row(at + 3, 20 + place % 29, 500))]
            })
            .collect();
        threads.sort_by_key(|(_, call)| call.start + call.took);
        assert!(!seen(&threads).is_part());
        // Too fast to tell by their times: a part has no more bytes than its whole.
        let fast: Vec<_> = (0..50).flat_map(|place| [(0, row(place, 1, 200)), (1, row(place + 1, 0, 700))]).collect();
        assert!(!seen(&fast).is_part());
    }

    /// Numbers from 0 up to 1 that look random.
    struct Dice(u64);

    impl Dice {
        fn part(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        /// Exponential, in whole milliseconds of a clock that runs on.
        fn takes(&mut self, mean_ms: f64) -> f64 {
            -mean_ms * (1.0 - self.part()).ln()
        }
    }

    /// Rows of threads that call label 0 and then label 1, each as soon as it can; in the order of their ends.
    fn in_turn(threads: u64, mean_ms: f64, dice: &mut Dice) -> Vec<(u32, Call<'static>)> {
        let mut rows = Vec::new();
        for _ in 0..threads {
            let mut at = 1e6 + 100.0 * dice.part();
            for turn in 0..60 {
                let end = at + dice.takes(mean_ms);
                let bytes = 200 + (1000.0 * dice.part()) as u64;
                rows.push((end, (turn % 2, row(at as i64, end as i64 - at as i64, bytes))));
                at = end;
            }
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// Rows of samples with a part each, between which other threads put up to `between` of theirs.
    fn redirected(between: u64, mean_ms: f64, dice: &mut Dice) -> Vec<(u32, Call<'static>)> {
        let (mut rows, mut at) = (Vec::new(), 1e6);
        for _ in 0..60 {
            let (first, second) = (dice.takes(mean_ms), dice.takes(mean_ms));
            let end = at + first + second;
            rows.push((0, row(at as i64, end as i64 - at as i64, 900)));
            for _ in 0..(dice.part() * (between + 1) as f64) as u64 {
                rows.push((2, row(at as i64, 5, 300)));
            }
            rows.push((1, row(at as i64, (at + first) as i64 - at as i64, 400)));
            at = end + dice.takes(mean_ms);
        }
        rows
    }

    #[test]
    fn chance_makes_no_part_of_a_call_and_hides_none() {
        let dice = &mut Dice(7);
        let times = 100;
        for threads in [1, 10, 100] {
            for mean_ms in [5.0, 50.0, 500.0] {
                let wrong = (0..times).filter(|_| seen(&in_turn(threads, mean_ms, dice)).is_part()).count();
                assert_eq!(wrong, 0, "of {times}, {threads} threads, {mean_ms} ms");
            }
        }
        for between in [0, 5, 12] {
            for mean_ms in [0.5, 5.0, 50.0] {
                let found = (0..times).filter(|_| seen(&redirected(between, mean_ms, dice)).is_part()).count();
                assert_eq!(found, times, "up to {between} rows between, {mean_ms} ms");
            }
        }
        // Below the resolution of the stamps times cannot tell, and bytes that differ by chance seldom mislead.
        for (mean_ms, most) in [(0.1, 5), (0.3, 10), (1.0, 0)] {
            let wrong = (0..times).filter(|_| seen(&in_turn(10, mean_ms, dice)).is_part()).count();
            assert!(wrong <= most, "{wrong} of {times}, {mean_ms} ms");
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
