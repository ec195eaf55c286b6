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
