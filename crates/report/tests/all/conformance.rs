//! The list of a reader's own demands: answered by what they ask for, and by nothing less.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{messaging, with_memory};
use judge::findings::{Count, Number, Share};
use report::document::{Document, Table};

fn table<'a>(document: &'a Document, name: &str) -> &'a Table {
    let all = document.tables();
    all.into_iter().find(|table| table.name.ends_with(name)).unwrap_or_else(|| panic!("no table `{name}`"))
}

fn texts(table: &Table) -> Vec<Vec<&str>> {
    table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.as_str()).collect()).collect()
}

#[test]
fn every_demand_on_such_a_report_is_listed_and_has_its_place() {
    let document = report::document(&messaging().input(), "nl");
    let rows = texts(table(&document, "conformance")).into_iter().map(|row| row.join(" | ")).collect::<Vec<_>>();
    assert_eq!(rows.len(), 31);
    for (index, row) in rows.iter().enumerate() {
        assert!(row.starts_with(&format!("S1.{} | ", index + 1)), "{row}");
    }
    // The fixture judges neither processor nor memory, sends too few messages for a shape, and computes no volume.
    assert_eq!(unanswered(&document), ["S1.14", "S1.17", "S1.23", "S1.24", "S1.25", "S1.27", "S1.28", "S1.29"]);
}

/// Numbers of the demands that are not answered.
fn unanswered(document: &Document) -> Vec<&str> {
    let rows = texts(table(document, "conformance")).into_iter();
    rows.filter(|row| row[2].starts_with("Niet beantwoord")).map(|row| row[0]).collect()
}

/// The fixture with all that the profile asks for but a volume.
fn whole() -> crate::fixture::Fixture {
    let mut case = with_memory(0.9e9, Some(4e9));
    let results = case.judgement.steps.iter_mut().flat_map(|step| &mut step.exchanges);
    results.flat_map(|exchange| &mut exchange.legs).for_each(|leg| leg.count = 2000);
    let like: Vec<_> = case.judgement.requirements.iter().filter(|it| it.id == "accepted").cloned().collect();
    for rule in ["steady(process.used)", "mean(host.cpu) <= 65%"] {
        let of = |like: &judge::RequirementResult| judge::RequirementResult { rule: rule.into(), ..like.clone() };
        case.judgement.requirements.extend(like.iter().map(of));
    }
    case
}

/// A list that names chapters which are always there would be answered by any report.
#[test]
fn a_demand_without_what_it_asks_for_is_not_answered() {
    let open = |case: &crate::fixture::Fixture| {
        let document = report::document(&case.input(), "nl");
        unanswered(&document).iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(open(&whole()), ["S1.29"]);
    let without_rule = |case: &mut crate::fixture::Fixture, word: &str| {
        case.judgement.requirements.retain(|result| !result.rule.contains(word));
    };
    let without_metric = |case: &mut crate::fixture::Fixture, names: &[&str]| {
        case.views.metrics.retain(|view| !names.contains(&view.monitor.metrics[view.metric].name.as_str()));
    };
    type LeaveOut<'a> = (&'a str, &'a dyn Fn(&mut crate::fixture::Fixture));
    let cases: [LeaveOut<'_>; 9] = [
        ("S1.3", &|case| case.study.variables.clear()),
        ("S1.6", &|case| case.study.scenarios[1].abort.clear()),
        ("S1.14", &|case| {
            case.judgement.steps.iter_mut().flat_map(|step| &mut step.exchanges).for_each(|exchange| {
                exchange.legs.iter_mut().for_each(|leg| leg.count = 900);
            })
        }),
        ("S1.16", &|case| without_metric(case, &["user", "system"])),
        ("S1.17 S1.27", &|case| without_metric(case, &["reserved"])),
        ("S1.22", &|case| without_rule(case, "response")),
        ("S1.23 S1.27 S1.28", &|case| without_rule(case, "process.used")),
        ("S1.24 S1.25", &|case| without_rule(case, "cpu")),
        ("S1.11", &|case| case.judgement.signs.clear()),
    ];
    for (missing, leave_out) in cases {
        let mut case = whole();
        leave_out(&mut case);
        let mut wanted: Vec<&str> = missing.split(' ').collect();
        wanted.push("S1.29");
        assert_eq!(open(&case), wanted);
    }
    // A finding on the shape is a statement too, however few the calls.
    let mut case = whole();
    let mut legs = Vec::new();
    for step in &mut case.judgement.steps {
        for leg in step.exchanges.iter_mut().flat_map(|exchange| &mut exchange.legs) {
            leg.count = 900;
            legs.push(format!("{}/ping/{}", step.scope, leg.id));
        }
    }
    let two_humps = judge::findings::TimesShape {
        extreme: Number(1.5),
        modes: Count(2.0),
        shape: "uneven".into(),
        stalled: Share(0.0),
        tail: Number(12.0),
    };
    case.judgement.findings.extend(legs.into_iter().enumerate().map(|(number, scope)| judge::Finding {
        id: format!("F{number}"),
        severity: judge::Gravity::Notice,
        scope: scope.into(),
        found: two_humps.clone().into(),
        spans: Vec::new(),
        evidence: Vec::new(),
    }));
    assert_eq!(open(&case), ["S1.29"]);
    let document = report::document(&case.input(), "nl");
    let rows = texts(table(&document, "peak-shape-0"));
    assert_eq!(rows[0][1..3], ["2", "12,0"]);
    assert!(rows[0][5].starts_with("zie bevinding F"), "{rows:?}");
}

/// What drivers and monitors call their things, in the reader's language; a name that nobody has a word for stands as it was
/// given.
#[test]
fn names_from_drivers_and_monitors_have_words_in_every_language() {
    let mut case = messaging();
    let names = ["agreement", "reply on another connection", "business message", "resends", "multi-hop", "a new thing"];
    case.head.features = names
        .iter()
        .map(|name| record::FeatureHead { exchange: "ping".into(), name: (*name).into(), ..Default::default() })
        .collect();
    let fact = |name: &str, value: &str| ("host".to_owned(), name.to_owned(), value.to_owned());
    case.head
        .facts
        .extend([fact("descriptors, soft limit", "20000"), fact("rates", "over the real time between two samples")]);
    for (language, words) in [
        ("nl", ["overeenkomst (CPA)", "Descriptors, zachte grens", "over de werkelijke tijd tussen twee metingen"]),
        ("da", ["aftale (CPA)", "Deskriptorer, blød grænse", "over den virkelige tid mellem to målinger"]),
    ] {
        let document = report::document(&case.input(), language);
        let rows = texts(table(&document, "features"));
        let left: Vec<&str> = rows.iter().map(|row| row[1]).filter(|name| names.contains(name)).collect();
        assert_eq!(left, ["a new thing"], "{language}");
        let facts = texts(table(&document, "facts")).concat();
        for (word, all) in [(words[0], rows.concat()), (words[1], facts.clone()), (words[2], facts.clone())] {
            assert!(all.contains(&word), "{language}: {word}");
        }
    }
}
