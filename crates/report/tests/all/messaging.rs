//! A study of messages in the form that its readers know: order and tables of the Dutch report, legs, streams, the course
//! of the exchange.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{messaging, with_memory};
use judge::findings::{Bytes, Count, InstanceDown, MemoryLeak, Seconds, Spike};
use report::document::{Block, Document, Section, Table};

fn document(language: &str) -> Document {
    report::document(&messaging().input(), language)
}

/// Every heading with its number, in order.
fn headings(sections: &[Section]) -> Vec<(String, String)> {
    let of = |section: &Section| {
        let mut all = vec![(section.number.clone(), section.title.clone())];
        all.extend(headings(&section.parts));
        all
    };
    sections.iter().flat_map(of).collect()
}

fn table<'a>(document: &'a Document, name: &str) -> &'a Table {
    let all = document.tables();
    all.into_iter().find(|table| table.name.ends_with(name)).unwrap_or_else(|| panic!("no table `{name}`"))
}

fn texts(table: &Table) -> Vec<Vec<&str>> {
    table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.as_str()).collect()).collect()
}

#[test]
fn the_dutch_report_has_the_order_and_the_words_of_its_readers() {
    let document = document("nl");
    let all = headings(&document.sections);
    let titles: Vec<&str> = all.iter().map(|(_, title)| title.as_str()).collect();
    let wanted = [
        "Managementsamenvatting",
        "Inleiding",
        "Testopzet",
        "Testopstelling",
        "Hardware",
        "Software",
        "Uitvoering",
        "Load profiel",
        "Aannames",
        "Scenario’s per testonderdeel",
        "Testresultaten",
        "Definities",
        "Meetresultaten: loadtest nominale belasting",
        "Opsomming",
        "Distributie: ping · accepted",
        "Systeem gedraging",
        "Testsuite",
        "Processor",
        "Geheugen",
        "Meetresultaten: loadtest piekbelasting",
        "Opsomming",
        "Systeem gedraging",
        "Conclusies",
    ];
    let mut rest = titles.iter();
    for title in wanted {
        assert!(rest.any(|found| *found == title), "`{title}` is not where it belongs: {titles:?}");
    }
    let number = |title: &str| all.iter().find(|(_, found)| found == title).map(|(number, _)| number.as_str()).unwrap();
    assert_eq!(number("Testopzet"), "3");
    assert_eq!(number("Load profiel"), "3.3");
    assert_eq!(number("Meetresultaten: loadtest piekbelasting"), "4.3");
    // Numbers are given by us, once each.
    let numbers: Vec<&str> = all.iter().map(|(number, _)| number.as_str()).collect();
    assert!(numbers.iter().enumerate().all(|(index, number)| !numbers[..index].contains(number)), "{numbers:?}");
}

/// A row labelled as another scenario's would be believed.
#[test]
fn rows_of_results_are_labelled_by_their_own_scenario() {
    let document = document("nl");
    let tables: Vec<&Table> = document
        .tables()
        .into_iter()
        .filter(|table| table.name.starts_with("results-") && table.name.ends_with("-in-short"))
        .collect();
    assert_eq!(tables.len(), 2);
    for (table, scenario) in tables.iter().zip(["nominal", "peak"]) {
        let heads: Vec<&str> = table.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(heads, ["Test", "Min", "Gem", "Max", "90%", "Error %"]);
        assert!(table.caption.contains(scenario));
        assert_eq!(table.rows.len(), 2, "a row for each leg");
        assert!(table.rows.iter().all(|row| row.cells[0].text == scenario), "{:?}", texts(table));
        // What did not come is an error of its leg, and none of the leg before it.
        assert_eq!(table.rows[0].cells[5].raw, Some(0.0));
        assert!(table.rows[1].cells[5].raw.unwrap() > 0.0);
    }
    let mean = |table: &Table, row: usize| table.rows[row].cells[2].raw.unwrap();
    assert!(mean(tables[0], 1) > 3.0 * mean(tables[0], 0), "the later reply is not in the time of the answer");
}

#[test]
fn the_title_says_who_when_and_for_whom() {
    let document = document("nl");
    let all: Vec<&str> = document.title.facts.iter().map(|(name, _)| name.as_str()).collect();
    for name in [
        "Organisatie",
        "Adres",
        "Contact",
        "Datum",
        "Rapportversie",
        "Status",
        "Lezers",
        "Verspreiding",
        "Documenthistorie",
    ] {
        assert!(all.contains(&name), "{name}: {all:?}");
    }
    assert!(document.title.facts.iter().any(|(_, value)| value == "21 november 2026"));
}

#[test]
fn what_is_not_exercised_is_said_by_the_driver_and_by_the_author() {
    let document = document("en");
    let rows = texts(table(&document, "features"));
    assert!(rows.contains(&vec!["ping", "Ping service", "exercised"]), "{rows:?}");
    for name in ["payload", "signature", "acknowledgment", "duplicate elimination"] {
        assert!(rows.contains(&vec!["ping", name, "not exercised"]), "{name}");
    }
    let html = report::html(&messaging().input(), "en");
    assert!(html.contains("Not exercised: messages with payload"));
}

#[test]
fn the_course_of_the_exchange_is_drawn_with_its_legs_and_the_work() {
    for profile in ["digikoppeling", "full"] {
        let mut fixture = messaging();
        fixture.study.report.profile = profile.into();
        let document = report::document(&fixture.input(), "nl");
        let figures = document.figures();
        let figure = figures.iter().find(|figure| figure.anchor == "fig-sequence-ping").unwrap();
        for text in ["ping", "accepted", "reply", "luisteraar pong", "bericht opslaan"] {
            assert!(figure.svg.contains(&format!(">{text}</text>")), "{profile}: {text}");
        }
        assert!(figure.svg.contains("<title ") && figure.svg.contains("<desc "));
        let rows = texts(&figure.data);
        assert_eq!(rows[2][1..4], ["message-adapter 1.4", "luisteraar pong", "reply"]);
        assert_eq!(rows[2][4], "later, op een eigen verbinding, binnen 30\u{a0}s");
    }
}

/// Missing, late, doubled and wrong replies are counted for each leg, and the streams sum up to their leg.
#[test]
fn streams_add_up_to_their_legs() {
    let fixture = messaging();
    let document = report::document(&fixture.input(), "en");
    for scenario in ["nominal", "peak"] {
        let of = |suffix: &str| table(&document, &format!("{scenario}-{suffix}"));
        let (legs, streams) = (of("legs-table"), of("streams-table"));
        assert_eq!(streams.rows.len(), 2 * 3);
        for leg in &legs.rows {
            let own: Vec<_> = streams.rows.iter().filter(|row| row.cells[1].text == leg.cells[0].text).collect();
            for column in 2..=7 {
                let sum: f64 = own.iter().map(|row| row.cells[column].raw.unwrap()).sum();
                assert_eq!(leg.cells[column].raw, Some(sum), "{scenario} {} {column}", leg.cells[0].text);
            }
            // Started = succeeded + failed + still open; late and doubled ones come besides.
            let closed: f64 = [2, 3, 6, 7, 8].iter().map(|column| leg.cells[*column].raw.unwrap()).sum();
            assert_eq!(leg.cells[1].raw, Some(closed));
        }
        assert!(legs.rows[1].cells[3].raw.unwrap() > 0.0, "the fixture loses replies");
        assert_eq!(streams.rows[0].cells[0].text, "cpa-oost");
    }
}

#[test]
fn replies_that_rise_are_a_backlog_only_where_a_finding_says_so() {
    let document = document("en");
    let figures = document.figures();
    let of = |anchor: &str| figures.iter().find(|figure| figure.anchor == anchor).unwrap();
    // Of so short a hold BACKLOG says nothing.
    let rising = &of("fig-awaiting-1").assessment;
    assert!(rising.contains("the number rose from") && rising.contains("No finding reports"), "{rising}");
    assert!(!of("fig-awaiting-0").assessment.contains("rose from"));
    assert!(figures.iter().all(|figure| !figure.assessment.contains("the backlog grows")));
}

/// A value of the environment has one source, wherever it is printed.
#[test]
fn hardware_and_software_are_what_was_captured() {
    let document = document("nl");
    assert_eq!(texts(table(&document, "software"))[0], ["adapter", "1.4.0", "4,00\u{a0}GiB"]);
    assert!(texts(table(&document, "software")).contains(&vec!["store", "MariaDB 10.11.6", "–"]));
    let machine = texts(table(&document, "machine"));
    assert!(machine.contains(&vec!["host", "Geheugen", "15,5 GiB"]), "{machine:?}");
    assert!(machine.iter().all(|row| row[0] == "host"));
}

#[test]
fn counts_that_must_be_equal_have_their_verdicts_in_one_place() {
    let document = document("nl");
    let rows = texts(table(&document, "peak-reconciliation-table"));
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0][..2], ["niet voldaan", "stored"]);
}

/// A message that does not exist would be printed as its key, and an anchor that stands twice leads to the wrong place.
#[test]
fn every_language_is_whole_and_every_anchor_stands_once() {
    for language in report::LANGUAGES {
        let html = report::html(&messaging().input(), language);
        let is_key = |text: &&str| {
            let is_attribute = ["data-", "aria-"].iter().any(|prefix| text.starts_with(prefix));
            text.contains('-') && !is_attribute && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        };
        let key = html.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(text, _)| text).find(is_key);
        assert_eq!(key, None, "{language}: a key is printed");
        let mut seen = std::collections::BTreeSet::new();
        for id in html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(seen.insert(id.to_owned()), "{language}: `{id}` stands twice");
        }
    }
}

#[test]
fn without_a_study_the_rest_still_stands() {
    let fixture = messaging();
    let input = report::Input { study: None, ..fixture.input() };
    let document = report::document(&input, "nl");
    let parts: Vec<String> = headings(&document.sections).into_iter().map(|(_, title)| title).collect();
    assert!(parts.iter().any(|title| title == "Berichtstromen"), "{parts:?}");
    let has_features = |section: &Section| {
        section
            .parts
            .iter()
            .flat_map(|part| &part.blocks)
            .any(|block| matches!(block, Block::Table(table) if table.name == "features"))
    };
    assert!(document.sections.iter().any(has_features));
}

/// Twenty streams that all differ are one line with their sums, and the worst of them is named; each stands in the table
/// of the reconciliation by itself.
#[test]
fn streams_that_differ_are_one_line_with_their_sums() {
    let mut case = messaging();
    let like = case.judgement.requirements.iter().find(|it| it.id == "stored").unwrap().clone();
    case.judgement.requirements = (1..=20)
        .map(|number| {
            let (stored, answered) = (10.0, if number == 7 { 4.0 } else { 9.0 });
            let mut args = judge::Args::new();
            args.insert("counts".into(), judge::Arg::Text(format!("stored = {stored}, answered = {answered}")));
            args.insert("difference".into(), judge::Arg::Count(stored - answered));
            judge::RequirementResult {
                scope: format!("peak/all/cpa-{number:02}").into(),
                verdict: terms::Verdict::NotMet,
                value: Some(stored),
                limit: Some(answered),
                reason: judge::Reason { code: "counts_differ".into(), args },
                ..like.clone()
            }
        })
        .collect();
    let lines = report::verdict_lines(&case.input());
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    assert_eq!((line.places, line.measured.as_str(), line.limit.as_str()), (20, "200", "175"));
    assert!(line.reason.contains("peak/all/cpa-07") && line.reason.contains("answered = 4"), "{}", line.reason);
    let document = report::document(&case.input(), "nl");
    assert_eq!(texts(table(&document, "peak-reconciliation-table")).len(), 20);
}

/// Acknowledged messages without a business reply: a leg that nothing waits for is neither open nor missing.
#[test]
fn a_leg_that_nothing_waits_for_is_printed_nowhere() {
    let mut case = messaging();
    let names_of = |case: &crate::fixture::Fixture| {
        let document = report::document(&case.input(), "en");
        let rows = document.tables().iter().flat_map(|table| texts(table).concat().join("\n").into_bytes()).collect();
        (String::from_utf8(rows).unwrap(), document.figures().iter().any(|it| it.anchor == "fig-sequence-ping"))
    };
    let reply = |is_exercised| record::FeatureHead {
        exchange: "ping".into(),
        name: "business reply".into(),
        is_exercised,
        leg: Some("reply".into()),
    };
    case.head.features.push(reply(true));
    let (rows, is_drawn) = names_of(&case);
    assert!(rows.contains("ping · reply") && is_drawn, "what is asked for is waited for");
    case.head.features.pop();
    case.head.features.push(reply(false));
    // As the driver records it: started with the message, and never counted.
    for step in &mut case.views.steps {
        for leg in step.exchanges.iter_mut().flat_map(|exchange| &mut exchange.legs).filter(|leg| leg.leg == 1) {
            (leg.ok, leg.failed, leg.outcomes) = Default::default();
            leg.streams.clear();
        }
    }
    for exchange in case.judgement.steps.iter_mut().flat_map(|step| &mut step.exchanges) {
        exchange.legs.iter_mut().filter(|leg| leg.id == "reply").for_each(|leg| leg.count = 0);
    }
    let (rows, is_drawn) = names_of(&case);
    assert!(!rows.contains("ping · reply"), "{rows}");
    assert!(!is_drawn, "one leg needs no picture");
}

/// Which rules would have stopped the load, as written, and what each of them did.
#[test]
fn stop_rules_stand_with_what_they_did() {
    let mut case = messaging();
    for language in report::LANGUAGES {
        let document = report::document(&case.input(), language);
        assert_eq!(
            texts(table(&document, "peak-stops")),
            [
                ["share(ping.failed) > 5% for 30s", texts(table(&document, "peak-stops"))[1][1]],
                ["broken(accepted) for 30s", texts(table(&document, "peak-stops"))[0][1]],
            ]
        );
    }
    let document = report::document(&case.input(), "en");
    let rows = &table(&document, "peak-stops").rows;
    assert!(rows.iter().all(|row| row.cells[1].text == "never fired" && !row.is_strong));
    assert!(rows[1].cells[0].detail.starts_with("accepted: share(ping.accepted.response < 250ms) >= 95%"));
    assert!(document.tables().iter().all(|table| !table.name.ends_with("nominal-stops")), "nominal has no rule");
    assert!(report::html(&case.input(), "nl").contains("Geen stopregel van de studie"));
    // The peak begins at 105 s.
    let at = terms::Nanos::from_secs(105 + 42);
    let text = "`share(ping.failed) > 5% for 30s` held (value 0.0712)".to_owned();
    case.views.events.push(record::EventRow { at, kind: "abort".into(), subject: "run".into(), text });
    let document = report::document(&case.input(), "nl");
    let rows = &table(&document, "peak-stops").rows;
    assert_eq!(rows[0].cells[1].text, "trad in werking op 0:42 en beëindigde de run");
    assert_eq!(rows[0].cells[1].detail, "waarde 7,12%");
    assert_eq!(rows[1].cells[1].text, "nooit in werking getreden");
}

/// The value of a stop rule has the unit of what it was compared with, in its first clause that has a value.
#[test]
fn the_value_of_a_stop_rule_has_its_unit() {
    use study::rule::{Clause, Expression, Rule};
    let clause = |value: f64, unit: terms::Unit| {
        let number = Expression::Number(terms::Quantity { value, unit });
        Clause::Compare { sums: vec![number], operators: Vec::new() }
    };
    let (time, share, rate) =
        (clause(0.3, terms::Unit::Time), clause(0.05, terms::Unit::Share), clause(9.0, terms::Unit::PerSecond));
    let cases = [
        ("p95(x) > 300ms for 10s", vec![time.clone()], "0.3500", "", "value 350 ms"),
        ("p95(x) > 2s and share(x.failed) > 5%", vec![time, share.clone()], "2.3500", "", "value 2.35 s"),
        ("rate(x.ok) < 9/s for 30s", vec![rate], "8.1000", "", "value 8.10/s"),
        ("drop(store.rows) >= 30% for 30s", vec![share], "0.4210", ": store.rows fell (from 9/s)", "value 42.1%"),
    ];
    for (text, clauses, value, behind, wanted) in cases {
        let mut case = messaging();
        let rule = &mut case.study.scenarios[1].abort[0];
        *rule = Rule { text: text.into(), clauses, ..rule.clone() };
        let at = terms::Nanos::from_secs(105 + 42);
        let text = format!("`{text}` held (value {value}){behind}");
        case.views.events.push(record::EventRow { at, kind: "abort".into(), subject: "run".into(), text });
        let document = report::document(&case.input(), "en");
        let detail = &table(&document, "peak-stops").rows[0].cells[1].detail;
        assert_eq!(detail.replace('\u{a0}', " "), wanted);
    }
}

/// Steps have words of the report's language in every table, with what their ids say besides.
#[test]
fn a_step_is_named_in_the_language_of_the_report() {
    let mut case = messaging();
    case.views.steps[0].id = "ramp 50/s".into();
    let document = report::document(&case.input(), "nl");
    assert_eq!(texts(table(&document, "nominal-steps"))[0][0], "opbouw 50/s");
    assert_eq!(table(&document, "runs").rows[0].cells[1].detail, "plateau");
}

/// "All are mandatory" above a row that says "informative" would be a contradiction.
#[test]
fn a_requirement_that_is_mandatory_in_one_scenario_alone_is_told_as_one() {
    let mut case = messaging();
    case.judgement.requirements.iter_mut().for_each(|result| result.severity = terms::Severity::Must);
    assert!(!report::html(&case.input(), "nl").contains("niet in elk scenario"));
    let elsewhere = judge::RequirementResult {
        scope: "peak/hold".into(),
        severity: terms::Severity::Informative,
        ..case.judgement.requirements[0].clone()
    };
    case.judgement.requirements.push(elsewhere);
    assert!(report::html(&case.input(), "nl").contains("alle zijn verplicht, één ervan niet in elk scenario."));
}

/// What "busy" is: the same in the figure, in the table and in the requirement. A hypervisor's stolen time is not part of it.
#[test]
fn the_processor_is_as_busy_in_its_figure_as_in_the_table() {
    let mut case = messaging();
    let host = case.head.monitors.iter().position(|monitor| monitor.name == "host").unwrap();
    let like = case.head.monitors[host].metrics[0].clone();
    for name in ["cpu", "steal"] {
        case.head.monitors[host].metrics.push(record::MetricHead {
            name: name.into(),
            role: if name == "cpu" { "processor" } else { name }.into(),
            ..like.clone()
        });
    }
    let monitor = case.head.monitors[host].clone();
    case.views.metrics.iter_mut().filter(|view| view.monitor.name == "host").for_each(|view| {
        view.monitor = monitor.clone();
    });
    let points: Vec<_> = case.views.metrics.iter().filter(|view| view.monitor.name == "host").collect();
    let both = points[0].points.iter().zip(&points[1].points);
    let busy = both.map(|(user, system)| (user.0, user.1.zip(system.1).map(|(user, system)| user + system))).collect();
    let stolen = points[0].points.iter().map(|point| (point.0, Some(0.25))).collect();
    for (metric, points) in [(2, busy), (3, stolen)] {
        let instance = "host".to_owned();
        case.views.metrics.push(judge::views::MetricView { monitor: monitor.clone(), metric, instance, points });
    }
    let document = report::document(&case.input(), "en");
    for (number, scenario) in ["nominal", "peak"].into_iter().enumerate() {
        let table = table(&document, &format!("{scenario}-table"));
        let row = table.rows.iter().find(|row| row.cells[0].text == "host.cpu").unwrap();
        let (mean, max) = (&row.cells[4].text, &row.cells[5].text);
        let figures = document.figures();
        let figure = figures.iter().find(|it| it.anchor == format!("fig-host-parts-0-{number}")).unwrap();
        let says = format!("was busy {mean} on average, {max} at most");
        assert!(figure.caption.contains(&says), "{says}: {}", figure.caption);
        assert!(figure.observation.contains("the hypervisor gave 25.0% of the time"), "{}", figure.observation);
        assert!(figure.svg.contains(">stolen</text>"));
        // 60 % busy and 25 % stolen leave too little to call the processor free.
        assert_eq!(
            figure.assessment.contains("Busy and stolen time together"),
            scenario == "peak",
            "{}",
            figure.assessment
        );
    }
}

/// A system that is not Java virtual machine: its processes' memory in three levels, of which addresses beyond the machine's
/// memory are none.
#[test]
fn memory_has_three_levels_and_says_which_is_missing() {
    let with = |reserved: f64, limit: Option<f64>| {
        let document = report::document(&with_memory(reserved, limit).input(), "en");
        let figure = document.figures().into_iter().find(|it| it.anchor == "fig-process-levels-0").unwrap().clone();
        let columns: Vec<String> = figure.data.columns.iter().map(|column| column.title.clone()).collect();
        (figure, columns)
    };
    let (figure, columns) = with(0.9e9, Some(4e9));
    assert_eq!(columns[1..], ["adapter · used", "adapter · reserved", "adapter · limit"]);
    assert!(figure.caption.contains("of 3.73\u{a0}GiB"), "{}", figure.caption);
    assert!(figure.reading.contains("instead of maximum, committed and used heap"));
    assert!(!figure.observation.contains("control group"));
    // As a database does it that reserves addresses by the terabyte, on a machine without control groups.
    let (figure, columns) = with(8.8e12, None);
    assert_eq!(columns[1..], ["adapter · used", "adapter · limit"]);
    assert!(figure.caption.contains("of 14.9\u{a0}GiB"), "{}", figure.caption);
    for text in ["No control group limits adapter", "8.00\u{a0}TiB of address space"] {
        assert!(figure.observation.contains(text), "{}", figure.observation);
    }
}

/// A minute's growth multiplied to a day is not a measurement: 372 times the level was printed once. It is not printed at
/// all, and one that was judged and is many times its level is printed as what it is an hour.
#[test]
fn a_change_that_was_projected_is_no_absurd_share() {
    let mut fixture = messaging();
    let steady = |code: &str, given: [(&str, judge::Arg); 3]| judge::RequirementResult {
        id: "memory".into(),
        rule: "steady(process.used)".into(),
        scope: "nominal/hold".into(),
        value: Some(372.67),
        low: Some(219.3),
        high: Some(431.0),
        limit: Some(0.1),
        unit: "share".into(),
        is_census: false,
        verdict: terms::Verdict::CannotTell,
        reason: judge::Reason {
            code: code.into(),
            args: given.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect(),
        },
        ..messaging().judgement.requirements[0].clone()
    };
    let seconds = judge::Arg::Seconds;
    let spread = judge::Arg::Share(0.2);
    let short = steady("too_short", [("have", seconds(60.0)), ("needed", seconds(1800.0)), ("spread", spread.clone())]);
    let judged = steady(
        "drifts",
        [("hourly", judge::Arg::Bytes(4.8e9)), ("horizon", seconds(86_400.0)), ("spread", spread.clone())],
    );
    let quick = steady(
        "drifts",
        [("hourly", judge::Arg::Bytes(3.6e9)), ("horizon", seconds(60.0)), ("spread", spread.clone())],
    );
    let named = |id: &str, result| judge::RequirementResult { id: id.into(), ..result };
    fixture.judgement.requirements = vec![short, named("judged", judged), named("quick", quick)];
    let document = report::document(&fixture.input(), "nl");
    let rows = texts(table(&document, "verdicts"));
    let measured: Vec<&str> = rows.iter().map(|row| row[2]).collect();
    assert_eq!(measured, ["–", "4,47\u{a0}GiB per uur", "3,35\u{a0}GiB per uur"]);
    let html = report::html(&fixture.input(), "nl");
    assert!(!html.contains("37.267") && html.contains("te kort om door te rekenen"));
    // Over a minute it is told as what changed in that minute.
    assert!(html.contains("veranderde met 57,2\u{a0}MiB over 60,0\u{a0}s"));
}

/// A crash that the study switched on is what was to be measured, and no reason to repeat the run.
#[test]
fn a_crash_that_was_asked_for_is_told_as_one() {
    let mut fixture = messaging();
    let down = InstanceDown {
        at: Seconds(61.0),
        instance: "adapter".into(),
        kind: "gone".into(),
        last: None,
        noticed: Count(1.0),
    };
    fixture.judgement.findings = vec![judge::Finding {
        id: "F1".into(),
        severity: judge::Gravity::Warning,
        scope: "adapter".into(),
        found: down.into(),
        spans: Vec::new(),
        evidence: Vec::new(),
    }];
    let told = |fixture: &crate::fixture::Fixture| report::html(&fixture.input(), "nl");
    assert!(told(&fixture).contains("herhaal de run"));
    fixture.head.instances[0].faults = vec![("crash".into(), "at=1m".into())];
    let html = told(&fixture);
    assert!(html.contains("De studie vroeg hierom") && !html.contains("Lees het logboek van adapter"));
}

/// Figures name the findings that are about their own series, and not all of their scenario.
#[test]
fn a_figure_of_memory_does_not_cite_a_spike_of_times() {
    let mut fixture = messaging();
    let finding = |id: &str, found| judge::Finding {
        id: id.into(),
        severity: judge::Gravity::Notice,
        scope: "nominal/hold".into(),
        found,
        spans: Vec::new(),
        evidence: Vec::new(),
    };
    let spike = |subject: &str| Spike {
        at: Seconds(90.0),
        figure: "series".into(),
        greatest: judge::Arg::Number(3.0),
        lasted: Seconds(2.0),
        number: Count(1.0),
        others: Count(0.0),
        place: "during".into(),
        subject: subject.into(),
        usual: judge::Arg::Number(1.0),
    };
    let leak = MemoryLeak {
        collections: None,
        full: None,
        full_high: None,
        full_low: None,
        grade: "possible".into(),
        hold: Seconds(300.0),
        hourly: Bytes(72e6),
        hourly_high: Bytes(80e6),
        hourly_low: Bytes(64e6),
        instance: "adapter".into(),
        level: Bytes(300e6),
        per_iteration: None,
        series: "process.used".into(),
    };
    fixture.judgement.findings = vec![
        finding("F1", spike("ping").into()),
        finding("F2", leak.into()),
        finding("F3", spike("process.cpu").into()),
    ];
    let document = report::document(&fixture.input(), "en");
    let cited =
        |anchor: &str| document.figures().into_iter().find(|figure| figure.anchor == anchor).unwrap().findings.clone();
    assert_eq!(cited("fig-process-used-0"), ["F2"]);
    assert_eq!(cited("fig-process-cpu-0"), ["F3"]);
}
