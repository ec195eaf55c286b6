//! A verdict that stands beside a disturbance says why it does, in every language.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::fixture::{Fixture, fixture};
use judge::validity::Moves;
use judge::{Arg, Disturbance, WireValidity};
use report::WriteOptions;
use terms::Verdict;

/// A run of which the first requirement that is met was disturbed.
fn disturbed(moves: Moves, can_turn: bool, at_most: Option<Arg>) -> Fixture {
    let mut case = fixture();
    let met = case.judgement.requirements.iter_mut().find(|result| result.verdict == Verdict::Met).unwrap();
    let (check, scope) = ("lateness".to_owned(), "nominal/hold".into());
    met.disturbed = vec![Disturbance { check, scope, state: WireValidity::Invalid, moves, can_turn, at_most }];
    case
}

fn page(case: &Fixture, language: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let options = WriteOptions { formats: &["md"], language, is_strict: false };
    report::write(&case.input(), folder.path(), &options).unwrap();
    let name = if language == "en" { "report.md".to_owned() } else { format!("report.{language}.md") };
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn a_verdict_says_why_it_stands() {
    let harmless = |moves| disturbed(moves, false, None);
    let (raised, lowered) = (harmless(Moves::RAISED), harmless(Moves::LOWERED));
    let bounded = disturbed(Moves::RAISED, true, Some(Arg::Seconds(0.04)));
    let slight = disturbed(Moves::EITHER, true, None);
    let expected = [
        ("en", &raised, "(in nominal/hold) can only have raised this figure, so the verdict stands."),
        ("en", &lowered, "(in nominal/hold) can only have lowered this figure, so the verdict stands."),
        ("en", &bounded, "can have changed this figure by at most 40.0\u{a0}ms; the verdict holds even so."),
        ("en", &slight, "may have changed this figure. By how much is unknown; a “not met” is withdrawn only"),
        ("nl", &raised, "kan dit cijfer alleen zijn verhoogd, dus het oordeel blijft staan."),
        ("nl", &bounded, "met hoogstens 40,0\u{a0}ms zijn verschoven; ook zonder dat geldt het oordeel."),
        ("da", &lowered, "kan kun have sænket dette tal, så afgørelsen står fast."),
        ("da", &bounded, "højst have flyttet dette tal med 40,0\u{a0}ms; afgørelsen holder også uden det."),
    ];
    for (language, case, sentence) in expected {
        let page = page(case, language).replace("\\-", "-").replace("\\", "");
        assert!(page.contains(sentence), "{language}: {sentence}\n{page}");
    }
    // What cannot be told has its reason already.
    let mut open = raised;
    open.judgement.requirements.iter_mut().for_each(|result| result.verdict = Verdict::CannotTell);
    assert!(!page(&open, "en").contains("can only have raised"));
}

/// Nobody looked at what other programs did: the run is valid, and the page says what that leaves open. Where the check was
/// made, where the system runs on another machine, and where another tool drove the load, it has nothing to say.
#[test]
fn a_check_for_other_programs_that_was_not_made_is_told() {
    let unlooked = fixture();
    assert!(unlooked.head.shares_machine && unlooked.judgement.signs.iter().all(|sign| sign.code != "foreign"));
    let looked_at = |scope: &str| {
        let mut case = fixture();
        let sign = case.judgement.signs[0].clone();
        case.judgement.signs.push(judge::Sign { code: "foreign".into(), scope: scope.into(), ..sign });
        case
    };
    let (looked, warm_up_alone) = (looked_at("nominal/hold"), looked_at("nominal/warm_up"));
    let mut apart = fixture();
    apart.head.shares_machine = false;
    let mut imported = fixture();
    imported.head.imported = Some(record::ImportHead { tool: "JMeter".into(), ..record::ImportHead::default() });
    let words = [
        ("en", "Whether other programs on the machine slowed the test is unknown"),
        ("nl", "Of andere programma’s op de machine de test hebben vertraagd, is onbekend"),
        ("da", "Om andre programmer på maskinen gjorde testen langsommere, vides ikke"),
    ];
    for (language, sentence) in words {
        assert_eq!(page(&unlooked, language).matches(sentence).count(), 1, "{language}");
        assert!(page(&warm_up_alone, language).contains(sentence), "{language}");
        for case in [&looked, &apart, &imported] {
            assert!(!page(case, language).contains(sentence), "{language}");
        }
    }
}
