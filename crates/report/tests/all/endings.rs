//! What became of what was started: only what was seen to succeed or to fail counts as that.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture, messaging};
use report::document::{Block, Document, Section, Table};
use terms::{Books, Outcome, Phase};

fn said<'a>(sections: &'a [Section], found: &mut Vec<&'a str>) {
    for section in sections {
        found.extend(section.blocks.iter().filter_map(|block| match block {
            Block::Paragraph { text, .. } => Some(text.as_str()),
            _ => None,
        }));
        said(&section.parts, found);
    }
}

/// The sentences of a report that begin so.
fn sentences(fixture: &Fixture, language: &str, begin: &str) -> Vec<String> {
    let document = report::document(&fixture.input(), language);
    let mut found = Vec::new();
    said(&document.sections, &mut found);
    found.into_iter().filter(|text| text.contains(begin)).map(str::to_owned).collect()
}

/// The hold of the first scenario with these books.
fn with_books(books: Books) -> Fixture {
    let mut fixture = fixture();
    let is_hold = |phase: &str, number: u32| phase == "hold" && number < 4;
    for step in fixture.judgement.steps.iter_mut().filter(|step| is_hold(&step.phase, step.number)) {
        step.books = books;
        step.throughput_per_s = books.completed as f64 / step.seconds;
    }
    fixture
}

#[test]
fn only_what_all_ended_well_is_said_to_have_succeeded() {
    let all = Books { intended: 1000, started: 1000, ..Books::default() };
    let cases = [
        (Books { completed: 1000, ..all }, "nominal: All 1,000 iterations of step hold succeeded, at 8.33/s."),
        (
            Books { aborted: 1000, ..all },
            "nominal: In step hold, 0/s succeeded; of 1,000 started iterations, 0 succeeded, 0 failed, 1,000 were cut off.",
        ),
        (
            Books { completed: 900, failed: 60, ..all },
            "nominal: In step hold, 7.50/s succeeded; of 1,000 started iterations, 900 succeeded, 60 failed, 40 were still open.",
        ),
        (
            Books { completed: 940, failed: 60, ..all },
            "nominal: In step hold, 7.83/s succeeded; of 1,000 started iterations, 60 failed.",
        ),
        (Books { intended: 1000, dropped: 1000, ..Books::default() }, "nominal: In step hold, nothing was started."),
    ];
    for (books, begin) in cases {
        let found = sentences(&with_books(books), "en", "nominal: ");
        assert!(found.iter().any(|text| text.starts_with(begin)), "{begin}: {found:#?}");
    }
    let mut imported = with_books(Books { completed: 1000, ..all });
    imported.head.imported = Some(record::ImportHead { unknown: vec!["failures".into()], ..Default::default() });
    for (language, wanted) in [("en", "does not show which"), ("nl", "blijkt niet welke"), ("da", "viser ikke, hvilke")]
    {
        let found = sentences(&imported, language, "nominal: ");
        assert!(found.iter().any(|text| text.contains("1") && text.contains(wanted)), "{language}: {found:#?}");
    }
}

/// The first scenario's hold is to carry out so many iterations, and not so many seconds.
fn with_count(count: u64) -> Fixture {
    let mut fixture = with_books(Books { intended: 1000, started: 1000, completed: 1000, ..Books::default() });
    let holds = fixture.judgement.steps.iter().filter(|step| step.phase == "hold").map(|step| step.number as usize);
    for number in holds.collect::<Vec<_>>() {
        let planned = &mut fixture.head.steps[number];
        (planned.seconds, planned.iterations) = (None, Some(count));
    }
    fixture
}

#[test]
fn a_count_that_was_not_reached_is_stated() {
    let cases = [
        ("en", "The load ended before its count was reached: 1,000 of 4,000 iterations began."),
        ("nl", "De belasting eindigde voordat het aantal was bereikt: 1.000 van de 4.000 iteraties zijn begonnen."),
        ("da", "Belastningen sluttede, før antallet var nået: 1.000 af 4.000 iterationer blev begyndt."),
    ];
    for (language, wanted) in cases {
        let found = sentences(&with_count(4000), language, "nominal: ");
        assert!(found.iter().any(|text| text.contains(wanted)), "{language}: {found:#?}");
    }
    let reached = sentences(&with_count(1000), "en", "nominal: ");
    assert!(reached.iter().all(|text| !text.contains("before its count")), "{reached:#?}");
    // Of a hold that ends by time nothing of the kind is planned.
    let timed = sentences(&fixture(), "en", "nominal: ");
    assert!(timed.iter().all(|text| !text.contains("before its count")), "{timed:#?}");
}

/// The fixture without failures: what each leg of it came to, and how many iterations never ended.
fn without_failures(ok: u64, open: u64) -> Fixture {
    let mut fixture = fixture();
    for step in &mut fixture.views.steps {
        step.books = Books { intended: 5, started: ok + open, completed: ok, ..Books::default() };
        for leg in step.exchanges.iter_mut().flat_map(|exchange| &mut exchange.legs) {
            leg.outcomes = [0; 16];
            leg.outcomes[Outcome::Ok as usize] = ok;
        }
    }
    fixture
}

#[test]
fn that_every_call_succeeded_is_said_only_where_each_is_known_to_have_ended() {
    let told = |fixture: &Fixture| sentences(fixture, "en", "of this scenario");
    let each = "Every call of this scenario succeeded.";
    assert_eq!(told(&without_failures(5, 0)), [each, each]);
    let open = told(&without_failures(5, 3));
    assert!(open.iter().all(|text| text.ends_with("some were still open when the recording stopped.")), "{open:?}");
    let nothing = told(&without_failures(0, 3));
    assert!(nothing.iter().all(|text| text.starts_with("No call of this scenario is known to have ended")));
    let mut imported = without_failures(5, 0);
    imported.head.imported = Some(record::ImportHead { unknown: vec!["failures".into()], ..Default::default() });
    let unknown = told(&imported);
    assert!(unknown.iter().all(|text| text.starts_with("The recording does not show")), "{unknown:?}");
    assert_eq!([open.len(), nothing.len(), unknown.len()], [2; 3]);
}

fn table<'a>(document: &'a Document, name: &str) -> &'a Table {
    document
        .tables()
        .into_iter()
        .find(|table| table.name.ends_with(name))
        .unwrap_or_else(|| panic!("no table `{name}`"))
}

/// What the end of the drain cut off was open until then; a fault of our own does not count against the system.
#[test]
fn a_leg_that_was_cut_off_was_open_and_did_not_fail() {
    let mut case = messaging();
    let document = report::document(&case.input(), "en");
    let before = table(&document, "nominal-legs-table").clone();
    assert_eq!(before.columns.len(), 9);
    let hold = |step: &&mut judge::views::StepView| step.phase == Phase::Hold && step.scenario == 0;
    let step = case.views.steps.iter_mut().find(hold).unwrap();
    let reply =
        step.exchanges.iter_mut().flat_map(|exchange| &mut exchange.legs).find(|leg| leg.name == "reply").unwrap();
    for (outcome, count) in [(Outcome::Aborted, 7), (Outcome::NoResource, 2)] {
        reply.outcomes[Outcome::Ok as usize] -= count;
        reply.outcomes[outcome as usize] += count;
        reply.streams[0].outcomes[outcome as usize] += count;
    }
    let document = report::document(&case.input(), "en");
    let legs = table(&document, "nominal-legs-table");
    let values = |table: &Table| table.rows[1].cells[1..].iter().map(|cell| cell.raw.unwrap()).collect::<Vec<_>>();
    let (mut wanted, found) = (values(&before), values(legs));
    assert_eq!(legs.columns[8].title, "Faults of study or generator");
    wanted[1] -= 9.0;
    wanted[7] = 2.0;
    wanted.push(7.0);
    assert_eq!(found, wanted);
    let streams = table(&document, "nominal-streams-table");
    let cut = streams.rows.iter().map(|row| row.cells[9].raw.unwrap()).sum::<f64>();
    assert_eq!((streams.columns[9].title.as_str(), cut), ("Cut off", 7.0));
    let awaiting = document.figures().into_iter().find(|figure| figure.anchor == "fig-awaiting-0").unwrap();
    assert!(awaiting.observation.contains("7 were still awaited"), "{}", awaiting.observation);
}

/// The slowest of calls that were cut off, and their mean, are lower bounds.
#[test]
fn the_mean_and_the_slowest_of_what_timed_out_are_lower_bounds() {
    let document = report::document(&fixture().input(), "en");
    let times = table(&document, "results-0-nominal-times-table");
    let bounds = |outcome: &str| -> Vec<bool> {
        let row = times.rows.iter().find(|row| row.cells[0].text == "lookup" && row.cells[1].text == outcome).unwrap();
        [4, row.cells.len() - 1].map(|column| row.cells[column].text.starts_with('≥')).to_vec()
    };
    assert_eq!(bounds("succeeded"), [false, false]);
    assert_eq!(bounds("failed"), [true, true]);
    assert_eq!(bounds("all"), [true, true]);
}
