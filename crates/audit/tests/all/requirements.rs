//! Limits of a report and the figures that they are for.

use crate::{audited, codes, the};

/// A report with a requirement, a table and its praise.
fn report(limit: &str, heading: &str, table: &str, praise: &str) -> String {
    format!("# Requirements\n\n{limit}\n\n# {heading}\n\n{table}\n\n# Conclusion\n\n{praise}\n")
}

const OPERATIONS: &str = "| Operation | Mean (s) | Median (s) | p95 (s) |\n|-|-|-|-|\n| search | 0.6 | 0.4 | 1.1 |\n| export | 6.2 | 5.1 | 9.1 |\n";
const USERS: &str = "| Users | Mean (s) | p95 (s) |\n|-|-|-|\n| 100 | 0.6 | 1.1 |\n| 500 | 3.2 | 9.1 |\n";
const ALL: &str = "The system meets all requirements.";

#[test]
fn a_limit_is_for_the_statistic_that_it_names() {
    let of = |limit: &str| codes(&report(limit, "Results", OPERATIONS, ALL));
    assert_eq!(of("The median response time must be below 5.5 s."), Vec::<&str>::new());
    assert_eq!(of("The p95 response time must be below 9.5 s."), Vec::<&str>::new());
    let median = the("NOT-MET", &report("The median response time must be below 5 s.", "Results", OPERATIONS, ALL));
    assert!(median.arithmetic.starts_with("Median (s) 5.1 s > 5 s"), "{median:?}");
    assert_eq!(of("The response time must be below 6 s on average."), ["NOT-MET"]);
}

#[test]
fn a_limit_is_for_the_operation_that_it_names() {
    let of = |limit: &str| codes(&report(limit, "Results", OPERATIONS, ALL));
    let own = "The response time of searches must be below 2 s on average. The response time of exports must be below 10 s on average.";
    assert_eq!(of(own), Vec::<&str>::new());
    assert_eq!(of(&own.replace("10 s", "6 s")), ["NOT-MET"]);
    // What has a limit of its own needs no other.
    let general =
        "The response time must be below 2 s on average. For exports the response time must be below 10 s on average.";
    assert_eq!(of(general), Vec::<&str>::new());
}

#[test]
fn a_limit_is_for_the_load_and_the_state_that_are_praised() {
    let limit = "At 100 users the mean response time must be below 2 s.";
    assert_eq!(codes(&report(limit, "Results", USERS, ALL)), Vec::<&str>::new());
    assert_eq!(codes(&report(&limit.replace("100", "500"), "Results", USERS, ALL)), ["NOT-MET"]);
    let any = "The mean response time must be below 2 s.";
    assert_eq!(
        codes(&report(any, "Results", USERS, "At 100 users the system meets all requirements.")),
        Vec::<&str>::new()
    );
    assert_eq!(codes(&report(any, "Results", USERS, ALL)), ["NOT-MET"]);
    assert_eq!(codes(&report(any, "Before tuning", USERS, ALL)), Vec::<&str>::new());
    assert_eq!(codes(&report(any, "After tuning", USERS, ALL)), ["NOT-MET"]);
}

#[test]
fn many_limits_and_tables_are_bounded() {
    let limits = "The mean response time must be below 1 s.\n\n".repeat(1000);
    let tables = "| Name | Mean (s) |\n|-|-|\n| a | 2 |\n\n".repeat(1000);
    // Each limit was held against each table, which took minutes and hundreds of megabytes.
    let audit = audited(&report(&limits, "Results", &tables, ALL));
    assert!(!audit.findings.is_empty());
}

#[test]
fn what_is_beyond_a_bound_is_counted() {
    let limit = "The mean response time must be below 1 s.\n\n";
    let table = |rows: usize, figure: &str| {
        format!("| Name | Mean (s) |\n|-|-|\n{}", format!("| a | {figure} |\n").repeat(rows))
    };
    let of = |limits: &str, table: &str, praise: &str| audited(&report(limits, "Results", table, praise));
    assert_eq!(of(&limit.repeat(100), &table(1, "0.5"), ALL).left_out, 0);
    assert_eq!(of(&limit.repeat(103), &table(1, "0.5"), ALL).left_out, 3);
    // Nothing is held against limits where nothing is praised.
    assert_eq!(of(&limit.repeat(103), &table(1, "0.5"), "It ran.").left_out, 0);
    // A limit with more figures beyond it than are looked at; it is not for them, but for another number of users.
    let other = "At 7 users the mean response time must be below 1 s.";
    let users = format!("| Users | Mean (s) |\n|-|-|\n{}", "| 9 | 2 |\n".repeat(20_010));
    let audit = of(other, &users, ALL);
    assert_eq!((audit.findings.len(), audit.left_out), (0, 1));
    assert_eq!(audited(&"Words.\n\n".repeat(10_002)).left_out, 2);
}

/// A table of two operations, one of which is beyond 300 ms.
const PERCENTILES: &str = "| Operation | Mean (ms) | p95 (ms) |\n|-|-|-|\n| Order | 120 | 450 |\n| Login | 40 | 90 |\n";

#[test]
fn a_limit_is_read_in_its_common_wordings() {
    let met = "All requirements are met.";
    for limit in [
        "The p95 response time must not exceed 300 ms.",
        "Requirement: p95 < 300 ms",
        "Requirement: p95 <= 300 ms",
        "R1: p95 must be ≤ 300 ms.",
        "SLO: p95 under 300 ms",
        "The 95th percentile of Order must be below 300 ms.",
        "p95 of Order must be at most 300 ms.",
        "p95 must be under 300 ms.",
        "p95 must be less than 300 ms.",
        "p95 must be no more than 300 ms.",
        "p95 must stay within 300 ms.",
        "The p95 must not be above 300 ms.",
        "95 % of requests must complete within 300 ms.",
        "Requirement: mean of Order < 100 ms",
        "De 95e percentiel van Order moet onder 300 ms blijven.",
    ] {
        let audit = audited(&report(limit, "Results", PERCENTILES, met));
        let found: Vec<_> = audit.findings.iter().map(|finding| finding.code).collect();
        assert_eq!((found, audit.left_out), (vec!["NOT-MET"], 0), "{limit}");
    }
    // What they say holds.
    for limit in [
        "Requirement: p95 < 500 ms",
        "The 95th percentile of Login must be below 100 ms.",
        "p95 must be at most 450 ms.",
        "95 % of calls must finish within 500 ms.",
        "Requirement: mean < 200 ms",
        "p95 must be under 300 ms. The p95 of Order must be under 500 ms.",
        "p95 must be under 300 ms. Order may take 500 ms.",
        "p95 must be under 300 ms, and the p95 of Order must be under 500 ms or 600 ms. p95 must be under 460 ms.",
    ] {
        let audit = audited(&report(limit, "Results", PERCENTILES, met));
        assert_eq!(codes(&report(limit, "Results", PERCENTILES, met)), Vec::<&str>::new(), "{limit}: {audit:?}");
    }
}

#[test]
fn a_limit_without_figures_is_left_out_and_counted() {
    let of = |limit: &str, table: &str| {
        let audit = audited(&report(limit, "Results", table, "All requirements are met."));
        (audit.findings.len(), audit.left_out)
    };
    for limit in [
        // Of something else than calls, or of other calls than those of the table.
        "The p95 of the garbage collector's pauses must be below 20 ms.",
        "p95 of Payment must be below 300 ms.",
        "p95 of Order under peak load must be below 300 ms.",
        "The p95 start-up must be below 300 ms.",
        "The p95 of Order and Payment must be below 300 ms.",
        // No such statistic is printed.
        "p99 must be below 300 ms.",
        "Requirement: p99.9 < 300 ms",
        // Two times, two statistics, or a limit from below.
        "p95 must be below 300 ms, or 500 ms with 90 users.",
        "p95 and p99 must be below 300 ms.",
        "The p95 must not be below 300 ms.",
        "The required p95 was 250 ms, below what was asked.",
        "The p95 is 250 ms, below the required limit.",
    ] {
        assert_eq!(of(limit, PERCENTILES), (0, 1), "{limit}");
    }
    let limit = "Requirement: p95 < 300 ms";
    assert_eq!(of(limit, "| Operation | p95 |\n|-|-|\n| Order | 450 |\n"), (0, 1), "no unit");
    assert_eq!(of(limit, "| Operation | p95 |\n|-|-|\n| Order | 450 ms |\n"), (1, 0));
    assert_eq!(of(limit, "| Collector | p95 pause (ms) |\n|-|-|\n| old | 450 |\n"), (0, 1));
    assert_eq!(of(limit, "| Step | p95 (ms) |\n|-|-|\n| GC | 450 |\n"), (0, 1));
    assert_eq!(of(limit, "Nothing was measured."), (0, 1));
    // What asks for no time, or sets no limit, is none.
    for text in ["The processor must stay below 80 %.", "p95 is 450 ms.", "The test must run within 60 min."] {
        assert_eq!(of(text, PERCENTILES), (0, 0), "{text}");
    }
    // Without praise nothing is held against limits.
    assert_eq!(audited(&report("p99 must be below 300 ms.", "Results", PERCENTILES, "It ran.")).left_out, 0);
}
