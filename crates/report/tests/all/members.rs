//! Requirements that several places have verdicts on: which of them speaks for all.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use judge::RequirementResult;
use report::document::{Block, Document, Section, Table};
use report::{Level, Mandatory, StudyPlaces};
use terms::Verdict::{self, CannotTell, Met, NotMet};

fn place(scope: &str, value: f64, verdict: Verdict) -> RequirementResult {
    let like = fixture().judgement.requirements.into_iter().find(|result| result.id == "lookup_p99").unwrap();
    RequirementResult { scope: scope.into(), value: Some(value), verdict, ..like }
}

/// The fixture with these verdicts on one requirement, of which any is enough.
fn any_of(results: Vec<RequirementResult>) -> Fixture {
    let mut fixture = fixture();
    fixture.study.requirements.iter_mut().for_each(|known| known.needs_all = false);
    fixture.study.report.profile = "standard".to_owned();
    fixture.judgement.requirements = results;
    fixture
}

/// Which verdicts `result.json` says to decide.
fn deciding(fixture: &Fixture) -> Vec<bool> {
    let result: serde_json::Value = serde_json::from_str(&report::result_json(&fixture.input())).unwrap();
    result["requirements"].as_array().unwrap().iter().map(|one| one["decides"].as_bool().unwrap()).collect()
}

fn table<'a>(document: &'a Document, name: &str) -> &'a Table {
    document.tables().into_iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table `{name}`"))
}

fn lead(document: &Document) -> &str {
    let paragraph = |block: &'_ Block| matches!(block, Block::Paragraph { is_lead: true, .. });
    match document.sections[0].blocks.iter().find(|block| paragraph(block)) {
        Some(Block::Paragraph { text, .. }) => text,
        other => panic!("{other:?}"),
    }
}

/// Paragraphs that say this, wherever they stand.
fn texts<'a>(document: &'a Document, said: &str) -> Vec<&'a str> {
    fn of<'a>(sections: &'a [Section], found: &mut Vec<&'a str>) {
        for section in sections {
            found.extend(section.blocks.iter().filter_map(|block| match block {
                Block::Paragraph { text, .. } => Some(text.as_str()),
                _ => None,
            }));
            of(&section.parts, found);
        }
    }
    let mut found = Vec::new();
    of(&document.sections, &mut found);
    found.retain(|text| text.contains(said));
    found
}

/// What the whole says, in each of the places that say it.
#[test]
fn one_place_that_is_met_is_enough_where_any_is() {
    let met = any_of(vec![place("nominal/one", 1650.0, NotMet), place("nominal/two", 400.0, Met)]);
    let document = report::document(&met.input(), "en");
    assert_eq!(lead(&document), "The one mandatory requirement is met.");
    let row = &table(&document, "verdicts").rows[0];
    assert_eq!((row.cells[0].text.as_str(), row.cells[2].raw), ("met", Some(400.0)));
    assert_eq!(row.cells[5].detail, "one place of each scenario is enough; of 2 places: 1 met, 1 not met");
    assert!(table(&document, "verdicts").notes.iter().any(|note| note.contains("the best place")));
    assert_eq!(table(&document, "verdicts-each").rows.len(), 2, "none is lost");
    assert!(report::summary(&met.input(), "en", None).starts_with("### ✓"));
    let notes = report::notes(&met.input(), "en", &StudyPlaces::default());
    assert!(notes.iter().all(|note| note.level != Level::Error && !note.about.starts_with("requirement")), "{notes:?}");
    assert_eq!(report::mandatory(&met.input()), Mandatory { met: 1, ..Mandatory::default() });
    assert_eq!(deciding(&met), [false, true]);
    let metrics = report::metrics(&met.input());
    for (verdict, count) in [("met", 1), ("not_met", 0), ("cannot_tell", 0)] {
        assert!(metrics.contains(&format!("loadproof_verdicts{{verdict=\"{verdict}\"}} {count}\n")), "{metrics}");
    }
    // All of them are needed without it.
    let mut all = met;
    all.study.requirements.iter_mut().for_each(|known| known.needs_all = true);
    assert!(lead(&report::document(&all.input(), "en")).starts_with("Not met: lookup_p99 (nominal/one)"));
    assert!(report::summary(&all.input(), "en", None).starts_with("### ✗"));
    assert_eq!(report::mandatory(&all.input()), Mandatory { met: 1, not_met: 1, cannot_tell: 0 });
    assert_eq!(deciding(&all), [true, true]);
}

/// Of members that are alike in everything the first decides, and it alone.
#[test]
fn of_two_members_alike_one_decides() {
    let alike = place("nominal/one", 1650.0, NotMet);
    assert_eq!(deciding(&any_of(vec![alike.clone(), alike.clone(), alike])), [true, false, false]);
}

#[test]
fn of_two_scenarios_each_needs_a_place_of_its_own() {
    let apart = any_of(vec![
        place("nominal/one", 1650.0, NotMet),
        place("nominal/two", 400.0, Met),
        place("clerks/one", 1200.0, NotMet),
        place("clerks/two", 1300.0, CannotTell),
    ]);
    assert_eq!(report::mandatory(&apart.input()), Mandatory { met: 1, not_met: 0, cannot_tell: 1 });
    let document = report::document(&apart.input(), "en");
    let row = &table(&document, "verdicts").rows[0];
    assert_eq!((row.cells[0].text.as_str(), row.cells[5].text.as_str()), ("cannot tell", "clerks/two"));
    assert!(report::summary(&apart.input(), "en", None).starts_with("### ?"));
}

#[test]
fn a_case_fails_only_where_its_requirement_does() {
    let outcomes = |results: Vec<RequirementResult>| {
        let folder = crate::formats::written(&any_of(results), &["junit"], "en", true);
        let xml = crate::formats::read(folder.path(), "junit.xml");
        ["<failure", "and one place is enough"].map(|word| xml.matches(word).count())
    };
    let [one, two] = [place("nominal/one", 1650.0, NotMet), place("nominal/two", 400.0, Met)];
    // The one failure of each is the measurement's, which is questionable.
    assert_eq!(outcomes(vec![one.clone(), two]), [1, 1]);
    assert_eq!(outcomes(vec![one.clone(), place("nominal/two", 1700.0, NotMet)]), [3, 0]);
}

/// A conclusion counts as the headline does: what another place makes up for is drawn and told, and counts nowhere.
#[test]
fn a_conclusion_counts_what_the_headline_counts() {
    let both = [place("nominal/one", 1650.0, NotMet), place("nominal/two", 400.0, Met)];
    let mut run = any_of(both.to_vec());
    run.study.report.profile = "full".to_owned();
    let document = report::document(&run.input(), "en");
    let best = "Where one place of each scenario is enough, the best place of a scenario stands for the others.";
    let [seen] = texts(&document, "Its one verdict is “met”.")[..] else {
        panic!("one conclusion of the scenario")
    };
    assert!(seen.contains(best) && !seen.contains("Not met:") && !seen.contains("Verdicts:"), "{seen}");
    let strip = document.figures().into_iter().find(|figure| figure.anchor == "fig-verdicts").unwrap();
    let counted = "1 met, 0 not met, 0 undecided.";
    assert!(strip.observation.contains(&format!("{counted} {best}")), "{}", strip.observation);
    assert_eq!(strip.data.rows.len(), 2, "both places are drawn");
    // All of them are needed without it.
    run.study.requirements.iter_mut().for_each(|known| known.needs_all = true);
    let document = report::document(&run.input(), "en");
    let [seen] = texts(&document, "Verdicts: 1 met, 1 not met.")[..] else { panic!("one conclusion of the scenario") };
    assert!(seen.contains("Not met: lookup_p99") && !seen.contains(best), "{seen}");
}

/// `share(x < 2s) >= 95%` has a comparison of either kind; the one outside of parentheses is its own.
#[test]
fn the_worst_place_of_a_share_is_where_it_is_least() {
    let mut shares = fixture();
    shares.study.report.profile = "standard".to_owned();
    let like = shares.judgement.requirements.iter().find(|result| result.id == "lookup_fast").unwrap().clone();
    let place = |scope: &str, value: f64| RequirementResult {
        scope: scope.into(),
        value: Some(value),
        verdict: NotMet,
        ..like.clone()
    };
    shares.judgement.requirements =
        vec![place("nominal/one", 0.94), place("nominal/two", 0.71), place("clerks/one", 0.90)];
    let document = report::document(&shares.input(), "en");
    assert_eq!(table(&document, "verdicts").rows[0].cells[5].text, "nominal/two");
}

/// Four places with one verdict take one line, but not where their limits differ.
#[test]
fn verdicts_with_other_limits_have_lines_of_their_own() {
    let mut limits = fixture();
    let strict = |scope: &str| place(scope, 400.0, Met);
    let loose = |scope: &str| RequirementResult {
        rule: "p99(lookup.response) < 2s".into(),
        limit: Some(2000.0),
        ..place(scope, 1600.0, Met)
    };
    let names = ["a", "b", "c", "d"];
    limits.judgement.requirements = names.iter().map(|name| strict(&format!("nominal/{name}"))).collect();
    limits.judgement.requirements.extend(names.iter().map(|name| loose(&format!("clerks/{name}"))));
    let lines = report::verdict_lines(&limits.input());
    let told: Vec<_> = lines.iter().map(|line| (line.places, line.limit.replace('\u{a0}', " "))).collect();
    assert_eq!(told, [(4, "1 s".to_owned()), (4, "2 s".to_owned())]);
}

/// A value beyond its limit has the mark of the verdict in its place: none of itself.
#[test]
fn a_value_beyond_its_limit_is_marked_by_its_verdict() {
    let marks = |change: &dyn Fn(&mut RequirementResult)| {
        let mut fixture = fixture();
        fixture.study.report.profile = "standard".to_owned();
        fixture.judgement.requirements.iter_mut().for_each(change);
        let document = report::document(&fixture.input(), "en");
        let glance = table(&document, "glance");
        let detail = |row: usize, column: usize| glance.rows[row].cells[column].detail.replace('\u{a0}', " ");
        (detail(0, 6), detail(1, 5), glance.notes.len())
    };
    // p99 of the look-ups is not met, p95 of the registrations is undecided.
    assert_eq!(marks(&|_| {}), ("✗ limit 1,000 ms".into(), "? limit 300 ms".into(), 2));
    assert_eq!(marks(&|result| result.verdict = CannotTell), ("? limit 1,000 ms".into(), "? limit 300 ms".into(), 2));
    // What was not met elsewhere says nothing here.
    assert_eq!(
        marks(&|result| result.scope = "clerks/hold".into()),
        ("limit 1,000 ms".into(), "limit 300 ms".into(), 1)
    );
}
