//! The errors that the report on an analytics server made, S4.E1 to S4.E7, as far as judging and reporting can make them.
//!
//! | Error | Test |
//! | --- | --- |
//! | E1 a rate was replaced, the time beside it was not | [`s4_e1_values_of_one_run_change_together_and_obey_littles_law`] |
//! | E2 a "steady" rate above the mean that nobody measured | [`s4_e2_the_rate_between_stalls_is_measured_and_stands_apart_from_the_mean`] |
//! | E3 events a second of reads, a kernel that never was, ten digits | [`s4_e3_units_versions_and_digits_follow_rules`] |
//! | E4 stores on unequal machines side by side | [`s4_e4_stores_are_compared_only_in_an_equal_environment`] |
//! | E5 a table of unknown size was read | `crates/report/tests/all/bulk.rs` |
//! | E6 an introduction that announces other chapters than there are | [`s4_e6_the_first_sentence_names_the_scenarios_that_took_place`] |
//! | E7 a limit without disk, memory and indexes | [`s4_e7_a_limit_is_printed_with_disk_memory_and_indexes`] |
//!
//! What a written report of that kind says is audited in `crates/audit/tests/all/streaming.rs`.

use super::reported::{Reported, close, column};
use crate::common::{EVENTS, Run, evenly, study_of, study_of_scenarios};
use contract::{FactKind, FactRole};
use judge::Gravity;
use judge::comparison::{Baseline, Recorded, RowVerdict, compare_runs};
use record::{EngineRow, FactHead, MonitorHead};
use report::document::{Block, Section, Table};
use terms::Nanos;

/// Eighty users in a tight loop, each call so long.
fn readers(service: &str) -> Run {
    let text = study_of("{ users: 80, hold: 20s }", "").replace("service: 10ms", &format!("service: {service}"));
    Run::simulated(&text, 1)
}

#[test]
fn s4_e1_values_of_one_run_change_together_and_obey_littles_law() {
    let mut seen = Vec::new();
    for (service, id) in [("29ms", "run-of-29"), ("25ms", "run-of-25")] {
        let mut run = readers(service);
        run.evidence.head.id = id.into();
        let reported = Reported::of(&run);
        let step = reported.step("s", "hold");
        let legs = step["exchanges"][0]["legs"].as_array().unwrap();
        let ok = legs.iter().find(|leg| leg["outcome"] == "ok").unwrap();
        let (rate, mean) = (step["throughput_per_s"].as_f64().unwrap(), ok["service_ms"]["mean"].as_f64().unwrap());
        // N = X·R: eighty users are eighty in flight, and never 82.3.
        let in_flight = rate * mean / 1e3;
        assert!((in_flight / 80.0 - 1.0).abs() < 0.01, "{service}: {rate}/s at {mean} ms are {in_flight}");
        // What is printed is what this run measured, in every table that has it, under this run's id.
        let glance = reported.table(|table| table.name == "glance");
        let cells = &glance.rows[0].cells;
        assert!(close(cells[column(&glance, "Mean")].raw.unwrap(), mean), "{cells:#?}");
        let printed = cells[column(&glance, "Succeeded")].raw.unwrap();
        assert!((printed / rate - 1.0).abs() < 0.01, "{printed} beside {rate}");
        let title = &reported.document.title;
        assert!(title.dateline.contains(id) || title.facts.iter().any(|(_, value)| value == id), "{title:#?}");
        assert!(reported.judgement.findings.iter().all(|finding| finding.rule() != "LITTLE"));
        seen.push((rate, mean));
    }
    assert!(seen[0].0 < seen[1].0 && seen[0].1 > seen[1].1, "both change, or neither: {seen:?}");

    // A record in which they do not fit is refused: 2,839 a second at 31 ms would be 88 of 80 users.
    let mut run = Run::of(&study_of("{ users: 80, hold: 20s }", ""));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 20, 2839, |_, call| crate::common::Call { took: Nanos::from_millis(31), ..call }));
    for second in 0..20 {
        let row = EngineRow { second, step: hold, in_flight_mean: 80.0, ..EngineRow::default() };
        run.evidence.engine.push(row);
    }
    let little = run.finding("LITTLE").expect("88 in flight of 80 users");
    assert!(little.severity >= Gravity::Warning, "{little:#?}");
}

/// Bulk ingestion in bundles of 100 events, of which a watched count says how many are stored.
fn ingest(rules: &str, seconds: i64, calls: impl Fn(i64) -> u64) -> Run {
    let text = format!(
        "study: Bulk\nsystem: {{ name: shop, url: 'http://127.0.0.1:9', identity: {{ path: /version, expect: {{ name: shop }} }} }}\n\
         watch: {{ host: {{}} }}\n\
         exchanges:\n  publish:\n    simulated.call: {{ service: 1ms }}\n    carries: {{ events: 100 }}\n    \
         legs: {{ durable: {{ counted_by: host.events, of: events }} }}\n\
         scenarios:\n  ingest: {{ load: {{ users: 4, count: 4900000 events }}, run: [publish] }}\n{rules}"
    );
    let mut run = Run::of(&text);
    let hold = run.step("hold");
    run.span("hold").to = run.span("hold").from + Nanos::from_secs(seconds);
    let mut sum = 0.0;
    run.sample(0.0, EVENTS, "shop", Some(0.0));
    for second in 0..seconds {
        let own = calls(second);
        run.add(&evenly(hold, second, 1, own, |_, call| call));
        sum += (own * 100) as f64;
        run.sample((second + 1) as f64, EVENTS, "shop", Some(sum));
    }
    run
}

/// A little uneven, so that there is a noise to measure by.
fn uneven(level: u64, second: i64) -> u64 {
    level + (second * 7919 % 11) as u64
}

#[test]
fn s4_e2_the_rate_between_stalls_is_measured_and_stands_apart_from_the_mean() {
    // Four of every 37 seconds stand still, as while a memory table is flushed.
    let calls = |second: i64| if second % 37 >= 33 { 2 } else { uneven(145, second) };
    let reported = Reported::of(&ingest("", 370, calls));
    let bulk = reported.table(|table| table.name == "bulk");
    let cells = &bulk.rows[0].cells;
    let total: u64 = (0..370).map(calls).sum::<u64>() * 100;
    let truth = (0..370).filter(|second| second % 37 < 33).map(|second| calls(second) as f64 * 100.0).sum::<f64>()
        / (0..370).filter(|second| second % 37 < 33).count() as f64;
    let mean = cells[column(&bulk, "Mean rate")].raw.unwrap();
    assert!(close(mean, total as f64 / 370.0), "the mean is of all of the time: {mean}");
    let working = &cells[column(&bulk, "Rate between stalls")];
    let report::document::Detail::Interval(low, high) = working.detail_kind else { panic!("{working:#?}") };
    assert!(low <= truth && truth <= high, "{truth} in {working:#?}");
    assert!(working.raw.unwrap() > 1.05 * mean, "two figures");
    let duty = cells[column(&bulk, "Measured in")].raw.unwrap();
    assert!((duty - 100.0 * 33.0 / 37.0).abs() < 2.0, "{duty}");
    // Where it cannot be measured there is none, and the reason; the mean is not taken for it.
    let short = Reported::of(&ingest("", 8, |second| uneven(145, second)));
    let bulk = short.table(|table| table.name == "bulk");
    assert_eq!(bulk.rows[0].cells[column(&bulk, "Rate between stalls")].raw, None);
    assert!(bulk.notes.iter().any(|note| note.contains("too short")), "{:?}", bulk.notes);
}

/// Significant digits of a number as it is printed; zeros before and after them are none.
fn significant(text: &str) -> Option<usize> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let is_number = !digits.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '−'));
    is_number.then(|| digits.trim_start_matches('0').trim_end_matches('0').len())
}

#[test]
fn s4_e3_units_versions_and_digits_follow_rules() {
    let mut run = ingest("", 370, |second| uneven(89, second));
    let fact = |name: &str, value: &str| ("host".to_owned(), name.to_owned(), value.to_owned());
    run.evidence.head.facts = vec![fact("kernel", "6.1.0-18-amd64")];
    let reported = Reported::of(&run);
    // Rates, times and sizes have three digits; counts are whole, and shares keep their distance to the whole.
    let mut looked_at = 0;
    for table in reported.document.tables() {
        for (place, of) in
            table.columns.iter().enumerate().filter(|(_, of)| ["/s", "ms", "s", "MB/s"].contains(&&*of.unit))
        {
            for cell in table.rows.iter().filter_map(|row| row.cells.get(place)) {
                let Some(digits) = significant(&cell.text) else { continue };
                assert!(digits <= 3, "`{}` under {} in {}", cell.text, of.title, table.name);
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 20, "only {looked_at} numbers");
    // Events are a unit of what carries events; a read has none.
    let lead = |reported: &Reported| {
        let bulk = reported.document.sections.iter().find(|section| section.block == "bulk")?;
        bulk.blocks.iter().find_map(|block| match block {
            Block::Paragraph { text, .. } => Some(text.clone()),
            _ => None,
        })
    };
    assert!(lead(&reported).unwrap().contains(" events in "), "{:?}", lead(&reported));
    let reads = Reported::of(&readers("29ms"));
    let said = reads
        .document
        .tables()
        .iter()
        .flat_map(|table| &table.columns)
        .any(|column| column.title.contains("events/s") || column.unit.contains("events"));
    assert!(!said && !reads.text().contains("events/s") && lead(&reads).is_none(), "a read carries no events");
    // A version is what was captured; without that there is none, and it is stated.
    let machine = reported.table(|table| table.name == "machine");
    assert!(machine.rows.iter().any(|row| row.cells[2].text == "6.1.0-18-amd64"), "{machine:#?}");
    assert!(reads.document.tables().iter().all(|table| table.name != "machine"));
    let hardware = section(&reads.document.sections, "setup-hardware").expect("a part on the machine");
    assert!(hardware.blocks.iter().any(|block| matches!(block, Block::Note { .. })), "{hardware:#?}");
}

fn section<'a>(all: &'a [Section], anchor: &str) -> Option<&'a Section> {
    all.iter().find_map(|one| if one.anchor == anchor { Some(one) } else { section(&one.parts, anchor) })
}

/// The run that others are compared with by their study.
const BEFORE: &str = "2025-12-24T00-00-00Z-test";

/// A run against a store, with what was captured of it and of its machine.
fn stored(id: &str, facts: &[(&str, &str, &str)]) -> Run {
    let since = format!("compare: {{ since: {{ of: mean(x.response), base: {BEFORE}, against: s }} }}\n");
    let text = study_of("{ arrivals: 20/s, hold: 120s }", "").replace("requirements:\n", &since);
    let mut run = Run::of(&text);
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 120, 20, |number, call| crate::common::Call {
        took: Nanos(call.took.0 + (number * 7919 % 101) as i64 * 20_000),
        ..call
    }));
    let head = &mut run.evidence.head;
    head.id = id.into();
    let monitor = |name: &str, watches: &str, facts: &[FactKind]| MonitorHead {
        name: name.into(),
        kind: name.into(),
        watches: watches.into(),
        facts: FactHead::of(facts),
        ..MonitorHead::default()
    };
    head.monitors.push(monitor("process", "instances", &[FactKind::new("disk").with_role(FactRole::Disk)]));
    let java = [FactKind::new("Java version").with_role(FactRole::Runtime)];
    head.monitors.push(monitor("jvm", "instances", &java));
    let sql = [
        FactKind::new("server").with_role(FactRole::Server),
        FactKind::verbatim("setting innodb_buffer_pool_size").with_role(FactRole::OwnMemory),
        FactKind::new("indexes").with_role(FactRole::Indexes),
    ];
    head.monitors.push(monitor("db", "store", &sql));
    head.facts = facts.iter().map(|(of, name, value)| ((*of).into(), (*name).into(), (*value).into())).collect();
    run
}

#[test]
fn s4_e4_stores_are_compared_only_in_an_equal_environment() {
    let mariadb = [("host", "cores", "4"), ("shop", "disk", "sda, 931.5 GiB"), ("db", "server", "10.11 (MariaDB)")];
    let hbase = [("host", "cores", "32"), ("shop", "disk", "nvme0n1, 1863.0 GiB"), ("db", "server", "PostgreSQL 15")];
    let compared = |facts: [&[(&str, &str, &str)]; 2]| {
        let [base, other] = [stored("base", facts[0]), stored("other", facts[1])];
        let evidence = [base.evidence(), other.evidence()];
        let one = Recorded { evidence: &evidence[0], study: &base.study.effective };
        let two = Recorded { evidence: &evidence[1], study: &other.study.effective };
        compare_runs(&[one], &[vec![two]], 0.05)
    };
    let comparison = compared([&mariadb, &hbase]);
    let differences: Vec<(&str, &str, &str)> = comparison.pairs[0]
        .differences
        .iter()
        .map(|it| (it.aspect.as_str(), it.base.as_str(), it.other.as_str()))
        .collect();
    for wanted in [
        ("host", "4", "32"),
        ("system", "sda, 931.5 GiB", "nvme0n1, 1863.0 GiB"),
        ("store", "10.11 (MariaDB)", "PostgreSQL 15"),
    ] {
        assert!(differences.contains(&wanted), "{wanted:?} of {differences:#?}");
    }
    // They stand on the page before the first row that compares anything.
    let page = report::compare_html(&comparison, &[], "en");
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("`{text}` is not on the page"));
    let first_row = place("-matrix");
    for shown in ["sda, 931.5 GiB", "10.11 (MariaDB)", "PostgreSQL 15"] {
        assert!(place(shown) < first_row, "`{shown}` comes after the rows");
    }
    // What was captured on one side alone is a difference, too: nobody knows that the other is the same.
    let is_refused = |comparison: &judge::comparison::Comparison| {
        let rows = &comparison.pairs[0].rows;
        assert!(!rows.is_empty());
        let refused = rows.iter().filter(|row| row.verdict == RowVerdict::NotComparable).count();
        assert!(refused == 0 || refused == rows.len(), "{refused} of {}", rows.len());
        refused > 0
    };
    assert!(is_refused(&comparison));
    // One store on two machines is compared, with what differs beside it; so are two stores on one.
    let moved = [("host", "cores", "32"), mariadb[1], mariadb[2]];
    let replaced = [mariadb[0], mariadb[1], ("db", "server", "PostgreSQL 15")];
    let other_disk = [mariadb[0], hbase[1], ("db", "server", "PostgreSQL 15")];
    for (other, expected) in [(&moved, false), (&replaced, false), (&other_disk, true), (&mariadb, false)] {
        assert_eq!(is_refused(&compared([&mariadb, other])), expected, "{other:?}");
    }
    // Another Java forbids between two stores, not with one; a program that one side alone has does not.
    let with = |facts: [(&'static str, &'static str, &'static str); 3], java| {
        let java = ("shop", "Java version", java);
        [facts[0], facts[1], facts[2], java]
    };
    for (other, expected) in
        [(with(replaced, "1.8.0"), true), (with(replaced, "21"), false), (with(mariadb, "1.8.0"), false)]
    {
        assert_eq!(is_refused(&compared([&with(mariadb, "21"), &other])), expected, "{other:?}");
    }
    assert!(!is_refused(&compared([&mariadb, &with(replaced, "21")])));
    // A store that nobody saw on the other side may be another one.
    assert!(is_refused(&compared([&mariadb, &moved[..2]])));
    let unknown = compared([&mariadb, &mariadb[..1]]);
    let missing = unknown.pairs[0].differences.iter().filter(|it| it.other.is_empty()).count();
    assert_eq!(missing, 2, "{:#?}", unknown.pairs[0].differences);
    assert_eq!(compared([&mariadb, &mariadb]).pairs[0].differences, []);
}

/// What a study asks to be compared with a recorded run obeys the same rule.
#[test]
fn s4_e4_a_recorded_run_of_another_store_is_compared_only_in_an_equal_environment() {
    let mariadb = [("host", "cores", "4"), ("shop", "disk", "sda, 931.5 GiB"), ("db", "server", "10.11 (MariaDB)")];
    let postgres = ("db", "server", "PostgreSQL 15");
    let moved = [("host", "cores", "32"), mariadb[1], mariadb[2]];
    for (now, expected) in [
        (mariadb, RowVerdict::Equivalent),
        (moved, RowVerdict::Equivalent),
        ([mariadb[0], mariadb[1], postgres], RowVerdict::Equivalent),
        ([moved[0], mariadb[1], postgres], RowVerdict::NotComparable),
        ([mariadb[0], ("shop", "disk", "nvme0n1, 1863.0 GiB"), postgres], RowVerdict::NotComparable),
    ] {
        let [before, now_run] = [stored(BEFORE, &mariadb), stored("now", &now)];
        let found = Ok((before.evidence(), before.study.effective.clone()));
        let judgement =
            judge::judge_beside(&now_run.evidence(), &now_run.study, &[Baseline { id: BEFORE.into(), found }]);
        let rows = &judgement.comparisons[0].pairs[0].rows;
        assert_eq!(rows.iter().map(|row| row.verdict).collect::<Vec<_>>(), [expected], "{now:?}: {rows:#?}");
    }
}

#[test]
fn s4_e6_the_first_sentence_names_the_scenarios_that_took_place() {
    let scenarios = "
        mysql: { load: { arrivals: 20/s, hold: 60s }, run: [x] }
        hbase: { load: { arrivals: 20/s, hold: 60s }, run: [x] }
        mssql: { load: { arrivals: 20/s, hold: 60s }, run: [x] }";
    let text = study_of_scenarios(scenarios, "order: [mysql, hbase, mssql]");
    let names = ["mysql", "hbase", "mssql"];
    for ran in 1..=names.len() {
        let mut run = Run::of(&text);
        run.evidence.steps.retain(|step| step.scenario < ran);
        run.evidence.end = run.evidence.steps.iter().map(|step| step.to).max().unwrap();
        let spans: Vec<_> = run.evidence.steps.iter().filter(|step| step.id == "hold").cloned().collect();
        for span in spans {
            run.add(&evenly(span.number, span.from.second(), 60, 20, |_, call| call));
        }
        let reported = Reported::of(&run);
        let chapters: Vec<&str> = names
            .into_iter()
            .filter(|name| {
                let is_its =
                    |section: &Section| section.block == "results" && section.anchor.ends_with(&format!("-{name}"));
                reported.document.sections.iter().any(is_its)
            })
            .collect();
        assert_eq!(chapters, names[..ran], "chapters");
        let sections = &reported.document.sections;
        let opening = sections.iter().find(|it| ["overview", "summary"].contains(&it.block.as_str())).unwrap();
        let said: String = opening
            .blocks
            .iter()
            .filter_map(|block| match block {
                Block::Paragraph { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n");
        for (place, name) in names.into_iter().enumerate() {
            assert_eq!(said.contains(name), place < ran, "{ran} took place: {said}");
        }
    }
}

#[test]
fn s4_e7_a_limit_is_printed_with_disk_memory_and_indexes() {
    let facts = [
        ("shop", "disk", "sda, WDC WD10EZEX, 931.5 GiB"),
        ("db", "server", "10.11 (MariaDB)"),
        ("db", "setting innodb_buffer_pool_size", "16777216"),
        ("db", "indexes", "smart_home.PRIMARY (id); smart_home.house (house)"),
    ];
    // From 100 s on a third of what came before.
    let falls = |second: i64| if second < 100 { uneven(150, second) } else { uneven(50, second) };
    let with = |rules: &str, facts: &[(&str, &str, &str)], calls: &dyn Fn(i64) -> u64| {
        let mut run = ingest(rules, 200, calls);
        let known = stored("", facts).evidence.head;
        run.evidence.head.monitors.extend(known.monitors.into_iter().skip(1));
        run.evidence.head.facts = known.facts;
        (Reported::of(&run), run)
    };
    let of_limit = |reported: &Reported| -> (Option<Table>, Vec<String>) {
        let results = reported.document.sections.iter().find(|section| section.block == "results").unwrap();
        let part = section(std::slice::from_ref(results), &format!("{}-verdicts", results.anchor)).unwrap();
        let table = part.blocks.iter().find_map(|block| match block.inner() {
            Block::Table(table) if table.name.ends_with("-verdicts-store") => Some(table.clone()),
            _ => None,
        });
        let notes = part.blocks.iter().filter_map(|block| match block {
            Block::Note { text, .. } => Some(text.clone()),
            _ => None,
        });
        (table, notes.collect())
    };
    let rule = "requirements: { limit: drop_at(publish.durable) >= 1000000 }\n";
    let (reported, run) = with(rule, &facts, &falls);
    let limit = run.result("limit");
    let at = (0..100).map(falls).sum::<u64>() as f64 * 100.0;
    assert!(limit.low.unwrap() <= at && at <= limit.high.unwrap(), "{at}: {limit:#?}");
    let (table, notes) = of_limit(&reported);
    let shown: Vec<String> = table.unwrap().rows.iter().map(|row| row.cells[2].text.clone()).collect();
    let wanted = ["10.11 (MariaDB)", "sda, WDC WD10EZEX, 931.5 GiB", "16.0\u{a0}MiB", facts[3].2];
    assert_eq!(shown, wanted);
    assert!(notes.iter().all(|note| !note.contains("Not captured")), "{notes:?}");
    // A fall that nobody asked about is a limit all the same, and what is not known of it is named.
    let (reported, _) = with("", &facts[..1], &falls);
    assert!(reported.judgement.findings.iter().any(|finding| finding.rule() == "DROP"));
    let (table, notes) = of_limit(&reported);
    assert_eq!(table.unwrap().rows.len(), 1);
    let note = notes.iter().find(|note| note.contains("Not captured")).unwrap();
    assert!(note.contains("memory") && note.contains("indexes") && !note.contains("the disk"), "{note}");
    let (table, notes) = of_limit(&with("", &[], &falls).0);
    assert!(table.is_none() && notes.iter().any(|note| note.contains("the disk")), "{notes:?}");
    // Without a limit there is nothing to relate.
    let (table, notes) = of_limit(&with("", &[], &|second| uneven(150, second)).0);
    assert!(table.is_none() && notes.iter().all(|note| !note.contains("Not captured")), "{notes:?}");
}
