//! Defects of tables of any report, and of one on a collection service.

use crate::{codes, the};

#[test]
fn percentages_are_finer_than_their_figures() {
    let text = "AVG (sec)95 PCTL (sec)AVG (sec)95 PCTL (sec)AVG (sec)95 PCTL (sec)\n\
                R_1GET a/records0.0190.0240.0200.038 (+58%)0.0300.047 (+95%)\n";
    let found = the("ROUNDING", text);
    assert!(
        found.arithmetic.contains("from +53 % to +64 %") && found.arithmetic.contains("+95.8 % as printed"),
        "{found:?}"
    );
    assert!(found.remedy.contains("+96 % where +95 % is written"), "{found:?}");
    let fine =
        text.replace("0.0190.0240.0200.038 (+58%)0.0300.047 (+95%)", "1.1902.4001.2003.800 (+58%)1.3004.700 (+96%)");
    assert_eq!(codes(&fine), Vec::<&str>::new());
}

#[test]
fn a_percentile_sits_on_a_timeout() {
    let text = "AVG (sec)95 PCTL (sec)AVG (sec)95 PCTL (sec)\nR_2GET a/holdings0.0150.01719.799**30.018**\n\n**error rate for this request was 35%\n";
    let found = the("CENSORED", text);
    assert!(found.says.contains("30.018 s, right at a timeout of 30 s"), "{found:?}");
    assert!(!codes(&text.replace("30.018", "27.018")).contains(&"CENSORED"));
    assert!(!codes(&text.replace("35%", "0%")).contains(&"CENSORED"));
}

#[test]
fn no_difference_needs_a_test() {
    assert_eq!(codes("There is no difference in performance between the two loads."), ["NO-BASE"]);
    assert_eq!(codes("There is no difference in performance within ±5 % (equivalence test)."), Vec::<&str>::new());
}

#[test]
fn totals_are_sums() {
    let table = |total: &str| {
        format!(
            "| Label | Samples | Average | Errors |\n| - | - | - | - |\n| a | 120 | 4 | 1 |\n| b | 230 | 5 | 2 |\n| Total | {total} | 4.7 | 3 |\n"
        )
    };
    assert_eq!(codes(&table("350")), Vec::<&str>::new());
    assert_eq!(the("TOTAL", &table("530")).arithmetic, "120 + 230 = 350, written is 530");
}

#[test]
fn shares_of_errors_are_those_of_their_counts() {
    let table = |share: &str| {
        format!("| Label | Samples | Failed | Error % |\n| - | - | - | - |\n| a | 1200 | 30 | {share} |\n")
    };
    assert_eq!(codes(&table("2.5")), Vec::<&str>::new());
    assert_eq!(codes(&table("3")), Vec::<&str>::new(), "rounded");
    assert_eq!(codes(&table("0.25%")), ["SHARE"]);
}

#[test]
fn a_whole_share_is_wrong_where_no_rounding_makes_it() {
    let table = |head: &str, calls: &str, failed: &str, share: &str| {
        format!("| Name | {head} |\n| - | - | - | - |\n| a | {calls} | {failed} | {share} |\n")
    };
    for head in [
        "Requests | Fails | Error %",
        "Requests | Fail | Error %",
        "# Requests | # Fails | Error rate",
        "# reqs | # fails | Fail %",
        "Samples | KO | % KO",
        "Requests | Failed | Failed (%)",
    ] {
        for (failed, share) in
            [("60", "2 %"), ("60", "2%"), ("60", "2.00%"), ("60", "0 %"), ("90", "3 %"), ("90", "0 %")]
        {
            let found = the("SHARE", &table(head, "6000", failed, share));
            assert!(found.arithmetic.starts_with(&format!("{failed} of 6000")), "{found:?}");
        }
        for (calls, failed, share) in [
            ("6000", "60", "1 %"),
            ("6000", "60", "1.0 %"),
            // Raised, cut, and rounded.
            ("6000", "61", "2 %"),
            ("6000", "59", "0 %"),
            ("6000", "119", "1 %"),
            ("6000", "90", "1 %"),
            ("6000", "90", "2 %"),
            // Not exactly known.
            ("~6000", "60", "2 %"),
            ("6000", "≈60", "2 %"),
            ("6000+", "60", "2 %"),
            ("6000", "60", "~2 %"),
            ("6000", "60", "<2 %"),
        ] {
            let text = table(head, calls, failed, share);
            assert_eq!(codes(&text), Vec::<&str>::new(), "{text}");
        }
    }
}

#[test]
fn percentiles_rise_and_the_mean_has_room() {
    let table = |cells: &str| {
        format!(
            "| Label | Average | Median | 90% Line | 99% Line | Min | Max |\n| - | - | - | - | - | - | - |\n| a | {cells} |\n"
        )
    };
    assert_eq!(codes(&table("20 | 18 | 40 | 80 | 2 | 100")), Vec::<&str>::new());
    assert_eq!(codes(&table("20 | 18 | 80 | 40 | 2 | 100")), ["ORDER"]);
    assert_eq!(codes(&table("1456 | 590 | 3900 | 4800 | 14 | 4773")), Vec::<&str>::new(), "rounded to two digits");
    assert_eq!(codes(&table("70 | 18 | 40 | 80 | 2 | 100")), ["MEAN"], "at most .5·18 + .4·40 + .09·80 + .01·100");
    assert_eq!(codes(&table("5 | 18 | 40 | 80 | 2 | 100")), ["MEAN"], "at least .5·2 + .4·18 + .09·40 + .01·80");
}

#[test]
fn columns_that_cannot_be_told_apart_are_left_alone() {
    let table = |head: &str| format!("| Step | {head} |\n| - | - | - | - | - |\n| a | 3 | 20 | 3 | 20 |\n");
    assert_eq!(codes(&table("p50 | p50 | p95 | p95")), Vec::<&str>::new());
    assert_eq!(codes(&table("p50 a1 | p95 a1 | p50 a2 | p95 a2")), Vec::<&str>::new());
    assert_eq!(codes(&table("p95 | p50 | p95 | p50")), ["ORDER"], "found twice, said once");
    assert_eq!(codes(&table("p99 ÷ p50 | max ÷ p99 | p95 limit | p50")), Vec::<&str>::new());
}

#[test]
fn users_that_wait_have_one_call_each() {
    let table = |mean: &str| {
        format!(
            "| Concurrent users | Throughput (req/s) | Average response time (ms) |\n| - | - | - |\n| 100 | 2000 | {mean} |\n"
        )
    };
    assert_eq!(codes(&table("49")), Vec::<&str>::new());
    assert_eq!(codes(&table("490")), ["LITTLE"]);
}

#[test]
fn a_change_is_that_of_its_figures() {
    assert_eq!(codes("The mean fell from 200 ms to 150 ms (25%)."), Vec::<&str>::new());
    assert_eq!(codes("The mean fell from 200 ms to 150 ms (33%)."), Vec::<&str>::new(), "as a speed-up");
    assert_eq!(the("CHANGE", "The mean fell from 200 ms to 150 ms (50%).").remedy, "-25 %, or other figures");
}

#[test]
fn units_convert() {
    assert_eq!(codes("That is 360 requests/min = 6 requests/s."), Vec::<&str>::new());
    assert_eq!(codes("That is 360 requests/min = 3 requests/s."), ["UNIT"]);
    assert_eq!(codes("| a | b |\n| - | - |\n| 2.000,5 | 3 |\n\nHold 90 s (= 3 min)."), ["UNIT"]);
}

#[test]
fn so_many_times_a_quantity_and_bits_beside_bytes_are_right() {
    for text in [
        "The test ran 4 x 15 min = 60 min.",
        "That is 10 users x 5 req/s = 50 req/s.",
        "That is 3 x 300 s = 900 s.",
        "That is 5 x 20 ms = 100 ms.",
        "That is 10 clients x 100 KB = 1,000 KB.",
        "We ran four runs of 15 min = 60 min.",
        "The line has 100 Mbit/s = 12.5 MB/s.",
        "The line has 8 kbit/s = 1 kB/s.",
        "The line has 1 Gbit/s = 125 MB/s.",
    ] {
        assert_eq!(codes(text), Vec::<&str>::new(), "{text}");
    }
    assert_eq!(codes("The line has 100 Mbit/s = 100 MB/s."), ["UNIT"]);
}
