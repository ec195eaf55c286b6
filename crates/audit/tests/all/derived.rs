//! Figures that were reckoned of others, and percents that are no percentiles: none of them need rise.

use crate::codes;

#[track_caller]
fn silent(texts: &[&str]) {
    let loud: Vec<_> = texts.iter().filter(|text| !codes(text).is_empty()).map(|text| (text, codes(text))).collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

/// A table of statistics with a column beside their values.
fn beside(heading: &str, cells: [&str; 3]) -> String {
    format!(
        "| Metric | Before | After | {heading} |\n|-|-|-|-|\n| Mean (ms) | 120 | 60 | {} |\n| p95 (ms) | 310 | 190 | {} |\n| p99 (ms) | 420 | 400 | {} |\n",
        cells[0], cells[1], cells[2]
    )
}

#[test]
fn differences_and_ratios_beside_statistics_need_not_rise() {
    for heading in [
        "Difference",
        "Diff",
        "Delta",
        "Δ",
        "Change",
        "Improvement",
        "Saved",
        "Speed-up",
        "Speedup",
        "Factor",
        "Ratio",
        "CV",
        "Std. dev.",
        "Spread",
        "Samples above",
        "Forskel",
        "Ændring",
        "Differenz",
        "Änderung",
        "Verschil",
        "Verandering",
    ] {
        assert_eq!(codes(&beside(heading, ["60", "12", "4"])), Vec::<&str>::new(), "{heading}");
    }
    // A column of values is still read.
    assert_eq!(codes(&beside("With cache", ["60", "190", "150"])), ["ORDER"]);
    silent(&[
        "| Version | Mean (ms) | p95 (ms) | p99 (ms) |\n|-|-|-|-|\n| old | 120 | 310 | 420 |\n| Difference | 12 | 8 | 4 |\n",
        "The sidecar adds 12 ms at p50 and 8 ms at p99.",
        "The cache saves a p50 of 12 ms and a p99 of 8 ms.",
        "Improvement over the last release:\n\n- p50: 12 ms\n- p95: 9 ms\n- p99: 4 ms\n",
    ]);
    assert_eq!(codes("The sidecar has 12 ms at p50 and 8 ms at p99."), ["ORDER"]);
    assert_eq!(codes("Times of the last release:\n\n- p50: 12 ms\n- p95: 9 ms\n"), ["ORDER"]);
}

#[test]
fn percents_of_something_else_are_no_percentiles() {
    silent(&[
        "| Cache hit ratio | Mean latency (ms) |\n|-|-|\n| 50% | 42 |\n| 80% | 21 |\n| 90% | 14 |\n| 99% | 18 |\n",
        "| Availability | Downtime a month (min) |\n|-|-|\n| 99% | 432 |\n| 99.9% | 43.2 |\n",
        "Mean latency in ms by cache hit ratio:\n\n| Endpoint | 50% | 80% | 90% | 99% |\n|-|-|-|-|-|\n| /item | 42 | 21 | 14 | 18 |\n",
        // Nothing names it, and all of it falls.
        "| Endpoint | 50% | 80% | 99% |\n|-|-|-|-|\n| /item | 42 | 21 | 8 |\n| /list | 80 | 41 | 17 |\n",
    ]);
    assert!(codes("| Endpoint | 50% | 80% | 99% |\n|-|-|-|-|\n| /item | 42 | 61 | 58 |\n").contains(&"ORDER"));
    assert!(codes("| Percentile | Time (ms) |\n|-|-|\n| 50% | 42 |\n| 90% | 81 |\n| 99% | 74 |\n").contains(&"ORDER"));
}
