//! What is answered when nothing is wrong, and that the books agree.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use crate::support::{Ask, CITIZENS, System, command, inner, post};

#[test]
fn all_citizens_and_helpers_are_found_through_the_front_and_the_books_agree() {
    let system = System::start();
    let (citizens, helpers) = system.folder.data();
    assert_eq!((citizens.len() as u64, helpers.len() as u64), (CITIZENS, CITIZENS));
    let assertion = system.assertion();
    let mut calls = 0;
    let (mut about, mut by) = (0, 0);
    for (id, class) in &citizens {
        let answer = post(&system.front, "/minlog/", Ask::citizen(&assertion, id, "").text());
        calls += 1;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/xml; charset=utf-8")));
        assert!(answer.body.contains(&format!(
            "<ListLogStatementsResponse xmlns=\"http://nsi.dk/minlog/2012/05/24/\" cprNrBorger=\"{id}\""
        )));
        let total: u64 = attribute(&answer.body, "antal").parse().unwrap();
        let (from, to) = class.split_once('-').unwrap();
        assert!((from.parse().unwrap()..to.parse().unwrap()).contains(&total), "{total} is not of class {class}");
        let entries = answer.body.matches("<LogEntry>").count() as u64;
        assert_eq!(entries, total.min(30));
        assert_eq!(answer.body.matches(&format!("<cprNrBorger>{id}</cprNrBorger>")).count() as u64, entries);
        about += total;
    }
    for id in &helpers {
        let answer = post(&system.front, "/minlog/", Ask::helper(&assertion, id).text());
        calls += 1;
        assert!(answer.body.contains(&format!("medhjaelperID=\"{id}\"")), "{answer:?}");
        by += attribute(&answer.body, "antal").parse::<u64>().unwrap();
    }
    assert_eq!(about, by, "every entry is about a citizen and was made by a helper");
    let counters: Vec<_> = system.lookups.iter().map(|lookup| lookup.counters()).collect();
    let sum = |group: &str, name: &str| counters.iter().map(|all| all[group][name].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("lookups", "citizen"), sum("lookups", "on_behalf_of")), (CITIZENS, CITIZENS));
    assert_eq!((sum("lookups", "answered"), sum("pool", "taken")), (calls, calls));
    let front = system.front.counters();
    for (lookup, counters) in system.lookups.iter().zip(&counters) {
        assert_eq!(counters["started"], CITIZENS, "the two take turns");
        assert_eq!(front["lookups"]["replicas"][&lookup.address]["answered"], CITIZENS);
        assert_eq!(lookup.get("/monitor").body, "OK\n");
    }
    assert_eq!(system.token.counters()["tokens"]["issued"], 1);
}

fn attribute<'a>(text: &'a str, name: &str) -> &'a str {
    text.split_once(&format!(" {name}=\"")).unwrap().1.split_once('"').unwrap().0
}

#[test]
fn pages_follow_each_other_and_spans_of_time_cut_them() {
    let system = System::start();
    let (citizens, _) = system.folder.data();
    let assertion = system.assertion();
    let (id, _) = citizens.iter().find(|(_, class)| class == "100-500").unwrap();
    let ask = |more: &str| post(&system.front, "/minlog/", Ask::citizen(&assertion, id, more).text()).body;
    let moments = |body: &str| {
        let all: Vec<String> = body.split("<tidspunkt>").skip(1).map(|rest| rest[..20].to_owned()).collect();
        assert!(all.windows(2).all(|pair| pair[0] >= pair[1]), "newest first: {all:?}");
        all
    };
    let all = ask("<m:antalPrSide>30</m:antalPrSide>");
    let two: Vec<String> = [1, 2, 3]
        .iter()
        .flat_map(|page| moments(&ask(&format!("<m:side>{page}</m:side><m:antalPrSide>10</m:antalPrSide>"))))
        .collect();
    assert_eq!(two, moments(&all));
    let (newest, oldest) = (&two[0], &two[29]);
    let cut = ask(&format!("<m:fraDato>{oldest}</m:fraDato><m:tilDato>{newest}</m:tilDato>"));
    assert_eq!(attribute(&cut, "antal"), "29", "from the oldest on, before the newest");
    let day = &newest[..10];
    let whole = ask(&format!("<m:fraDato>{day}</m:fraDato><m:tilDato>{day}</m:tilDato>"));
    assert!(moments(&whole).iter().all(|moment| moment.starts_with(day)) && whole.contains(newest.as_str()));
    assert_eq!(attribute(&ask("<m:side>10000</m:side>"), "antal"), attribute(&all, "antal"));
}

#[test]
fn answers_are_linked_to_what_they_answer_and_logged_with_their_durations() {
    let system = System::start();
    let assertion = system.assertion();
    let (citizens, _) = system.folder.data();
    let mut ids = std::collections::HashSet::new();
    for number in 0..4 {
        let mut ask = Ask::citizen(&assertion, &citizens[0].0, "");
        ask.linking = format!("<d:FlowID>flow-{number}</d:FlowID><d:MessageID>ask-{number}</d:MessageID>");
        let answer = post(&system.front, "/minlog/", ask.text());
        assert_eq!(inner(&answer.body, "medcom:FlowID"), format!("flow-{number}"));
        assert_eq!(inner(&answer.body, "medcom:InResponseToMessageID"), format!("ask-{number}"));
        assert!(ids.insert(inner(&answer.body, "medcom:MessageID").to_owned()));
    }
    for (number, lookup) in [1, 2].into_iter().zip(&system.lookups) {
        lookup.counters_until(|counters| counters["access_log"]["written"] == 2);
        let log = std::fs::read_to_string(system.folder.path(&format!("lookup.{number}.log"))).unwrap();
        for line in log.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            assert_eq!(fields[1..5], [format!("lookup.{number}").as_str(), "\"POST", "/minlog/\"", "200"], "{line}");
            assert!(fields[6].parse::<f64>().unwrap() > 0.0 && fields[7].starts_with("front-"), "{line}");
            assert!(!line.contains(&citizens[0].0), "a log of access has no citizen in it");
        }
    }
}

#[test]
fn a_store_of_something_else_is_refused_and_one_is_filled_by_hand() {
    let folder = crate::support::Folder::new();
    let line = format!("data --citizens 5 --seed 9 --out {} --store {}", folder.path("d").display(), folder.store());
    assert!(command(&line).status().unwrap().success());
    let output = command(&format!("lookup --store {} --citizens 6", folder.store())).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("holds 5 citizens of seed 9"), "{said}");
    let lookup = crate::support::start(&format!("lookup --store {}", folder.store()));
    assert_eq!(lookup.counters()["data"], serde_json::json!({ "citizens": 5, "seed": 9 }));
}
