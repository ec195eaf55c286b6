//! Defects of a report on a message adapter: yearly volumes, a peak, and two tables.

use crate::{codes, the};

/// A report with a nominal load of 200/s and a peak of 500/s over 20 streams.
fn report(assumption: &str, volume: &str, factor: &str, label: &str, peak: &str, conclusion: &str) -> String {
    format!(
        "# Report\n\n## 1 Aims\n\nThe response time of a message must be less than 2 seconds.\n\n\
         ## 2 Set-up\n\n### 2.1 Assumptions\n\n{assumption}\n\n\
         ### 2.2 Test of nominal load\n\n20 parallel streams send 200 messages per second. {volume}\n\n\
         ### 2.3 Test of peak load\n\n{factor} Now 20 parallel streams send 500 messages per second.\n\n\
         ## 3 Results\n\n| Term | Meaning |\n| --- | --- |\n| Mean | mean of the response times (milliseconds) |\n\n\
         ### 3.1 Results, test of nominal load\n\n| Test | Min | Mean | Max | 90% | Error % |\n| --- | --- | --- | --- | --- | --- |\n\
         | Nominal load | 48 | 118 | 1333 | 99 | 0 |\n\nThe load of the processor was around 65 % on average.\n\n\
         ### 3.2 Results, test of peak load\n\n| Test | Min | Mean | Max | 90% | Error % |\n| --- | --- | --- | --- | --- | --- |\n\
         | {label} | 48 | {peak} | 0 |\n\nThe load of the processor was around {} on average.\n\n\
         ## 4 Conclusion\n\n{conclusion}\n",
        if label.starts_with('N') { "65 %" } else { "94 %" }
    )
}

fn defective() -> String {
    report(
        "A day has 24 hours, 10 of which count as 10 business hours. A stream sends 5 messages per second.",
        "A year has 260 days * 24 hours * 60 minutes * 200 = about 4 billion messages.",
        "The load of the peak test is fivefold that of the nominal test.",
        "Nominal load",
        "3649 | 9408 | 6210",
        "The adapter performs excellent.",
    )
}

fn clean() -> String {
    report(
        "A day has 24 hours.",
        "A year has 260 days * 24 hours * 3600 * 200 = about 4.5 billion messages.",
        "The load of the peak test is 2.5 times that of the nominal one.",
        "Peak load",
        "70 | 1408 | 180",
        "The adapter performs excellent.",
    )
}

#[test]
fn the_year_lacks_a_factor_of_sixty() {
    let found = the("ARITH", &defective());
    assert!(found.arithmetic.contains("= 74 880 000, written is 4 billion"), "{found:?}");
    assert!(found.remedy.contains("60 it is 4 492 800 000"), "{found:?}");
    assert_eq!(found.quotes[0].place.section, "2.2 Test of nominal load");
}

#[test]
fn business_hours_are_assumed_and_not_used() {
    let found = the("UNUSED", &defective());
    assert!(found.arithmetic.contains("with 10 hours a day 1 872 000 000"), "{found:?}");
    let peak = "10 business hours a day. The year has 260 · 24 · 3600 · 500 = 11.2 billion.";
    assert!(the("UNUSED", peak).arithmetic.contains("4 680 000 000"));
    assert_eq!(codes("10 business hours a day. The year has 260 · 10 · 3600 · 500 = 4.7 billion."), Vec::<&str>::new());
}

#[test]
fn lengths_of_time_and_capacities_use_no_business_hours() {
    let of = |words: &str| codes(&format!("A day has 10 business hours. {words}"));
    for words in [
        "A day has 24 * 60 * 60 = 86,400 seconds.",
        "A year has 365 days * 24 hours * 60 minutes * 60 seconds = 31,536,000 seconds.",
        "The capacity is 50 * 24 * 60 * 60 = 4,320,000 messages a day.",
        "The system can handle 50 * 24 * 60 * 60 = 4,320,000 messages a day.",
    ] {
        assert_eq!(of(words), Vec::<&str>::new(), "{words}");
    }
    for words in [
        "We expect 50 * 24 * 60 * 60 = 4,320,000 messages a day.",
        "We expect 50/s * 24 * 60 * 60 = 4,320,000 messages a day.",
    ] {
        assert_eq!(of(words), ["UNUSED"], "{words}");
    }
}

#[test]
fn the_peak_is_not_fivefold() {
    let found = the("RATIO", &defective());
    assert!(found.arithmetic.starts_with("500 / 200 = 2.5, written is 5"), "{found:?}");
    assert!(found.arithmetic.contains("assumption of 5 a second"), "{found:?}");
}

#[test]
fn the_mean_is_above_the_ninetieth_percentile() {
    let found = the("MEAN-GT-P90", &defective());
    assert!(found.arithmetic.contains("= 289"), "{found:?}");
    assert_eq!(codes("| Test | Mean | Max | 90% |\n| - | - | - | - |\n| a | 98 | 1333 | 99 |\n"), Vec::<&str>::new());
    let told = "| Test | Mean | 90% | 99% | Max |\n| - | - | - | - | - |\n| a | 118 | 99 | 400 | 1333 |\n";
    assert_eq!(codes(told), Vec::<&str>::new(), "a higher percentile shows where the slow calls lie");
}

#[test]
fn a_row_and_a_figure_are_those_of_the_other_scenario() {
    let audit = crate::audited(&defective());
    let twins: Vec<_> = audit.findings.iter().filter(|finding| finding.code == "COPY-TWIN").collect();
    assert_eq!(twins.len(), 2, "{twins:#?}");
    assert!(twins.iter().any(|finding| finding.arithmetic.contains("the same in both: Min 48")), "{twins:#?}");
    assert!(
        twins.iter().any(|finding| finding.arithmetic.contains("3.25 ms") && finding.arithmetic.contains("1.3 ms")),
        "{twins:#?}"
    );
}

#[test]
fn requests_of_the_peak_were_somewhere() {
    let found = the("LITTLE", &defective());
    assert!(found.arithmetic.starts_with("500/s × 3.649 s = 1824.5"), "{found:?}");
    assert!(found.arithmetic.contains("5.48/s at most"), "{found:?}");
}

#[test]
fn a_conclusion_praises_what_missed_its_limit() {
    let found = the("NOT-MET", &defective());
    assert!(found.arithmetic.starts_with("Mean 3.649 s > 2 s"), "{found:?}");
    assert_eq!(found.quotes.len(), 3);
    let honest = defective().replace("performs excellent", "performs excellent, but the limit was not met");
    assert!(!codes(&honest).contains(&"NOT-MET"));
}

#[test]
fn the_same_report_without_defects_keeps_one_remark() {
    // Its nominal mean is still above its 90th percentile.
    assert_eq!(codes(&clean()), ["MEAN-GT-P90"]);
}

#[test]
fn dutch_words_and_formulas_in_tex_are_read() {
    let text = "$260 \\text{ werkdagen} * 24 \\text{ uur} * 60 \\text{ minuten} * 200 = \\text{ongeveer } 4 \\text{ miljard per jaar}$";
    assert!(the("ARITH", text).arithmetic.contains("74 880 000"));
    let right = "$260 \\text{ werkdagen} * 24 \\text{ uur} * 60 \\text{ minuten} * 60 \\text{ seconden} * 500 = \\text{ongeveer } 11 \\text{ miljard per jaar}$";
    assert_eq!(codes(right), Vec::<&str>::new());
}
