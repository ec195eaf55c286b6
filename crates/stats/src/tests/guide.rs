//! Tables of the guide that say how many calls a limit needs: computed by what decides, and held against the page.

use crate::share::{ShareVerdict, judge_at_most, zero_exceedance_minimum};
use std::path::PathBuf;

/// One-sided, as the verdicts of requirements are.
const ALPHA: f64 = 0.05;
/// Allowed shares with what a study writes for them.
const LIMITS: [(f64, &str); 5] = [
    (0.05, "`p95(x) < T`, `share(x.failed) <= 5%`"),
    (0.01, "`p99(x) < T`, `share(x.failed) <= 1%`"),
    (0.005, "`p99.5(x) < T`, `share(x.failed) <= 0.5%`"),
    (0.001, "`p99.9(x) < T`, `share(x.failed) <= 0.1%`"),
    (0.0001, "`p99.99(x) < T`, `share(x.failed) <= 0.01%`"),
];
const BAD: [u64; 5] = [0, 1, 2, 5, 10];
const EFFECTS: [f64; 4] = [1.0, 2.0, 4.0, 10.0];

/// The least number of calls with which so many bad ones are still *met*.
fn least(bad: u64, allowed: f64, effect: f64) -> u64 {
    let is_met = |calls: u64| judge_at_most(bad, calls, allowed, ALPHA, effect).verdict == ShareVerdict::Pass;
    let mut high = bad + 1;
    while !is_met(high) {
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low.midpoint(high);
        if is_met(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The chance that at most `bad` of `calls` independent ones are bad.
fn at_most(bad: u64, calls: u64, share: f64) -> f64 {
    let mut term = (calls as f64 * (-share).ln_1p()).exp();
    let mut sum = term;
    for k in 1..=bad {
        term *= (calls - k + 1) as f64 / k as f64 * share / (1.0 - share);
        sum += term;
    }
    sum
}

/// The least number of calls of which a system with that share of bad ones passes in 80 % of runs.
fn likely(share: f64, allowed: f64) -> u64 {
    let calls = |bad: u64| least(bad, allowed, 1.0);
    let bad = (0..).find(|bad| at_most(*bad, calls(*bad), share) >= 0.8).expect("some number is enough");
    calls(bad)
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let pieces: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|piece| std::str::from_utf8(piece).expect("digits are ASCII")).collect();
    pieces.join(",")
}

fn row(first: &str, cells: impl Iterator<Item = u64>) -> String {
    format!("| {first} | {} |\n", cells.map(grouped).collect::<Vec<_>>().join(" | "))
}

fn by_bad() -> String {
    let heads: Vec<String> =
        BAD.iter().map(|bad| if *bad == 0 { "none bad".into() } else { format!("{bad} bad") }).collect();
    let head = format!("| Limit | {} |\n| --- |{}\n", heads.join(" | "), " ---: |".repeat(BAD.len()));
    let rows = LIMITS.map(|(allowed, words)| row(words, BAD.iter().map(|bad| least(*bad, allowed, 1.0))));
    head + &rows.concat()
}

fn by_effect() -> String {
    let heads: Vec<String> = EFFECTS.iter().map(|effect| format!("D = {effect}")).collect();
    let head = format!("| 0.1 % | {} |\n| --- |{}\n", heads.join(" | "), " ---: |".repeat(EFFECTS.len()));
    let name = |bad: u64| if bad == 0 { "none bad".to_owned() } else { format!("{bad} bad") };
    let rows = BAD.map(|bad| row(&name(bad), EFFECTS.iter().map(|effect| least(bad, 0.001, *effect))));
    head + &rows.concat()
}

fn by_truth() -> String {
    let truths = [(0.0, "0"), (0.0001, "0.01"), (0.0002, "0.02"), (0.0003, "0.03"), (0.0005, "0.05")];
    let head = "| The system really fails | calls for *met* in 80 % of runs |\n| --- | ---: |\n";
    let rows = truths.map(|(share, words)| row(&format!("{words} %"), std::iter::once(likely(share, 0.001))));
    head.to_owned() + &rows.concat()
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/21-in-ci.md")
}

fn with_part(page: &str, name: &str, part: &str) -> String {
    let (first, last) = (format!("<!-- generated: {name} -->"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&first).expect("the page has the mark");
    let (_, after) = rest.split_once(&last).expect("the page has the mark of the end");
    format!("{before}{first}\n{part}{last}{after}")
}

/// `UPDATE_GUIDE=1 cargo test -p stats guide` writes the tables.
#[test]
fn tables_of_the_guide_are_what_decides() {
    let text = std::fs::read_to_string(page()).expect("the page is there");
    let mut fresh = text;
    for (name, part) in
        [("calls by bad ones", by_bad()), ("calls by memory", by_effect()), ("calls by truth", by_truth())]
    {
        fresh = with_part(&fresh, name, &part);
    }
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        std::fs::write(page(), &fresh).expect("the page can be written");
    }
    let text = std::fs::read_to_string(page()).expect("the page is there");
    assert_eq!(text, fresh, "run `UPDATE_GUIDE=1 cargo test -p stats guide`");
}

/// Known answers: the rule of three in its exact form, `ln 0.05 / ln(1 − p)`; exact limits of one and more of n are those of
/// Clopper and Pearson, by chi-square quantiles of the Poisson limit: 4.744, 6.296, 10.513, 16.962 for 1, 2, 5, 10.
#[test]
fn numbers_of_calls_are_those_of_the_literature() {
    assert_eq!([0.05, 0.01, 0.001].map(|p| least(0, p, 1.0)), [59, 299, 2995]);
    for (bad, poisson) in [(1, 4.744), (2, 6.296), (5, 10.513), (10, 16.962)] {
        let exact = least(bad, 0.0001, 1.0) as f64 * 0.0001;
        assert!((exact - poisson).abs() < 0.002, "{bad}: {exact}");
    }
    assert_eq!(least(0, 0.001, 1.0), zero_exceedance_minimum(0.001, ALPHA));
    assert!((least(0, 0.001, 4.0) as f64 / 4.0 - 2994.2).abs() < 1.0, "without a bad one D multiplies the calls");
    // 3 of 10 with a half: (1 + 10 + 45 + 120) / 1024.
    assert!((at_most(3, 10, 0.5) - 176.0 / 1024.0).abs() < 1e-12);
    // Whatever never fails passes as soon as it can.
    assert_eq!(likely(0.0, 0.001), 2995);
}
