//! Sentences that claim a change, a leak's absence or a greatest, beside those that only look like it.

use crate::{codes, the};

#[track_caller]
fn silent(texts: &[&str]) {
    let loud: Vec<_> = texts.iter().filter(|text| !codes(text).is_empty()).map(|text| (text, codes(text))).collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

#[test]
fn a_percentage_behind_two_figures_is_a_change_only_where_it_is_said_to_be() {
    silent(&[
        "When we went from 100 to 200 users, 5 % of the requests failed.",
        "Throughput grew from 1,000 req/s to 1,200 req/s (95 % confidence).",
        "The mean is from 18 ms to 22 ms (95 % confidence interval).",
        "Response times range from 12 ms to 40 ms (90 % of the calls).",
        "Response times range from 12 ms to 40 ms (90 %).",
        "Latencies from 1 ms to 900 ms, 99 % below 100 ms.",
        "Latency went from 100 ms to 150 ms (95 % of the requests).",
        "The p95 fell from 300 ms to 250 ms (5 % sample).",
    ]);
    for text in [
        "The p95 fell from 300 ms to 250 ms (50 %).",
        "The p95 fell from 300 ms to 250 ms, 50 % faster than before.",
        "The p95 went from 300 ms to 250 ms, a reduction of 50 % in all.",
        "The p95 went from 300 ms to 250 ms (-50 %).",
    ] {
        assert_eq!(codes(text), ["CHANGE"], "{text}");
    }
    let words = the("CHANGE", "The p95 fell from 300 ms to 250 ms (50 %).");
    assert_eq!(words.arithmetic, "from 300 ms to 250 ms is -16.7 %, written is 50 %");
}

#[test]
fn separators_of_tex_belong_to_their_number() {
    silent(&[
        "The buffers take $1{,}048{,}576 \\times 1408 \\approx 1.375$ GiB.",
        "That is $1{,}000 \\times 3 = 3{,}000$ events.",
    ]);
    assert_eq!(codes("That is $1{,}000 \\times 3 = 4{,}000$ events."), ["ARITH"]);
}

#[test]
fn a_leak_is_claimed_to_be_absent_and_not_asked_to_be() {
    silent(&[
        "The audit found no leakage of sensitive data.",
        "Ensure proper resource cleanup and no memory leaks.",
        "The soak test must show no leak.",
    ]);
    for text in ["There were no memory leaks in eight hours.", "We saw no leak.", "Er is geen geheugenlek."] {
        assert_eq!(codes(text), ["LEAK"], "{text}");
    }
}

#[test]
fn the_greatest_of_those_that_kept_a_limit_is_not_the_greatest_of_all() {
    let table = "| Step | Users | Throughput (req/s) | p95 (ms) |\n|-|-|-|-|\n| 1 | 10 | 50.1 | 200 |\n| 2 | 20 | 80.2 | 450 |\n| 3 | 40 | 101.3 | 4200 |\n\n";
    for text in [
        "The highest throughput that kept p95 below 500 ms is 80.2 req/s.",
        "The maximum sustainable throughput is 80.2 req/s.",
    ] {
        assert_eq!(codes(&format!("{table}{text}")), Vec::<&str>::new(), "{text}");
    }
    assert_eq!(codes(&format!("{table}The highest throughput is 80.2 req/s.")), ["MAX"]);
}

#[test]
fn a_column_of_names_is_no_column_of_counts() {
    let table = |share: &str| {
        format!("| Requests | Total | OK | KO | % KO |\n|-|-|-|-|-|\n| order | 1000 | 900 | 100 | {share} |\n")
    };
    assert_eq!(codes(&table("10%")), Vec::<&str>::new());
    assert_eq!(codes(&table("1%")), ["SHARE"]);
}

#[test]
fn percentiles_of_few_calls_leave_their_mean_more_room() {
    let table = |calls: &str, mean: &str| {
        format!(
            "| Label | Samples | Average (ms) | p50 (ms) | p95 (ms) | Max (ms) |\n|-|-|-|-|-|-|\n| a | {calls} | {mean} | 10 | 20 | 1000 |\n"
        )
    };
    // One call of ten took the greatest time: with the p95 by index, the mean is (9 · 10 + 1000) / 10.
    assert_eq!(codes(&table("10", "109").replace("| 20 |", "| 10 |")), ["MEAN-GT-P90"]);
    assert!(codes(&table("100000", "109").replace("| 20 |", "| 10 |")).contains(&"MEAN"));
    // Linear interpolation between 2 and 3 calls of three.
    let three = "| Label | Samples | Average (ms) | Median (ms) | p90 (ms) | Max (ms) |\n|-|-|-|-|-|-|\n| a | 3 | 340 | 10 | 808 | 1000 |\n";
    assert_eq!(codes(three), Vec::<&str>::new());
    assert_eq!(codes(&three.replace("340", "700")), ["MEAN"]);
}

#[test]
fn calls_that_may_overlap_make_a_question_of_users_and_rate() {
    let table = "| Clients | Throughput (req/s) | Mean latency (ms) |\n|-|-|-|\n| 10 | 50000 | 18.9 |\n";
    assert_eq!(the("LITTLE", table).weight, audit::Weight::Contradiction);
    for words in [
        "h2load with HTTP/2, 100 concurrent streams in each connection.",
        "Each client sends a pipeline of 16 commands (pipelining).",
    ] {
        assert_eq!(the("LITTLE", &format!("{words}\n\n{table}")).weight, audit::Weight::Question, "{words}");
    }
}

#[test]
fn calls_overlap_where_the_report_says_so() {
    let table = "| Clients | Throughput (req/s) | Mean latency (ms) |\n|-|-|-|\n| 10 | 50000 | 18.9 |\n";
    let fine = table.replace("18.9", "0.1");
    let words = "Each client sends a pipeline of 16 commands.";
    let weight = |text: &str| the("LITTLE", text).weight;
    let own = format!("# Report\n\n## Plain\n\n{table}\n## Other\n\n{words}\n\n{fine}\n");
    assert_eq!(weight(&own), audit::Weight::Contradiction, "the words are those of the other test");
    for text in [
        // Its own section, one around it, and one without results, which is on all tests.
        format!("# Report\n\n## Plain\n\n{fine}\n## Other\n\n{words}\n\n{table}"),
        format!("# Report\n\n{words}\n\n## Plain\n\n{table}\n## Other\n\n{fine}\n"),
        format!("# Report\n\n## Plain\n\n{table}\n## Method\n\n{words}\n"),
        // Its heading, and a row.
        format!("# Report\n\n## Pipelining\n\n{table}\n## Other\n\n{fine}\n"),
        format!("# Report\n\n## Plain\n\n{}", table.replace("| 10 |", "| 10 (HTTP/2) |")),
        // A summary may repeat what was measured so.
        format!("# Report\n\n## Summary\n\n{table}\n## Other\n\n{words}\n\n{fine}\n"),
    ] {
        assert_eq!(weight(&text), audit::Weight::Question, "{text}");
    }
    let sentence = "With 80 users we saw 2,839 requests per second and an average of 29 ms.";
    assert_eq!(weight(&format!("# A\n\n{sentence}\n\n# B\n\n{words}\n\n{fine}")), audit::Weight::Contradiction);
}

#[test]
fn parts_of_rows_are_not_summed_up_again() {
    let table = |total: &str| {
        format!(
            "| Operation | Requests |\n|-|-|\n| checkout | 500 |\n| of which paid by card | 310 |\n| search | 1500 |\n| Total | {total} |\n"
        )
    };
    assert_eq!(codes(&table("2000")), Vec::<&str>::new());
    assert_eq!(codes(&table("2100")), ["TOTAL"]);
}
