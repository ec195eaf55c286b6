//! A slip in one place hides no mistake in another, and causes none.

use super::fakes::{load_in, rejected};
use crate::Options;

/// The mistakes of a study, each by its place and what is marked there.
fn marked(text: &str) -> Vec<String> {
    let rejected = rejected(text);
    let mark = |place: contract::Place| {
        let line = text.lines().nth(place.line as usize - 1).unwrap_or_default();
        line.chars().skip(place.column as usize - 1).take(place.length as usize).collect::<String>()
    };
    let mistakes = rejected.mistakes.0.iter();
    mistakes.map(|mistake| format!("{} {}", mistake.code, mistake.place.map(mark).unwrap_or_default())).collect()
}

/// A study with these exchanges, requirements and abort rules, all of which its scenario carries out.
fn study(exchanges: &str, run: &str, abort: &str, requirements: &str) -> String {
    format!(
        "study: Checkout
system: {{ name: shop, url: \"http://127.0.0.1:8080\", identity: {{ expect: {{ name: shop }} }} }}
watch: {{ host: {{}} }}
exchanges:
{exchanges}
scenarios:
  busy: {{ load: {{ users: 5, hold: 5m }}, run: [{run}], abort: [{abort}] }}
requirements:
{requirements}
"
    )
}

#[test]
fn after_one_slip_in_an_operation_the_rest_is_read_as_what_was_meant() {
    let exchanges = "  search: { http.GETT: { ulr: $(shop.urll)/search }, check: [ stauts = 200 ] }
  buy: { htpp.put: { url: $(shop.url)/buy }, timeout: 5 }";
    let requirements =
        "  fast: p95(search.answer) < 300\n  right: share(search.filed) <= 0.1%\n  last: p95(buy.answer) < 1s";
    assert_eq!(
        marked(&study(exchanges, "search, buy", "", requirements)),
        [
            "study::unknown-kind http.GETT",
            "study::unknown-key ulr",
            "study::unknown-name $(shop.urll)/search",
            "study::bad-check stauts = 200",
            "study::unknown-kind htpp.put",
            "study::missing-unit 5",
            "study::missing-unit 300",
            "study::unknown-name filed",
        ]
    );
}

#[test]
fn an_exchange_that_no_driver_does_is_looked_at_as_far_as_that_goes() {
    let exchanges = "  search: { grpc.call: { anything: [ $(nobody) ] }, check: [ stauts = 200, body = reverse(sent) ], timeout: 5, \
                     legs: { later: { within: 3, expect: 5/s, sequence: json($.n) }, stored: { counted_by: host.nothing, of: rows } }, \
                     carries: { rows: 500, failed: 3 } }";
    let requirements = "  fast: p95(search.later) < 300
  counted: p95(search.ok) < 1s
  unit: share(search.response < 300ms) >= 95
  rows: rate(search.rows) > 5
  each: p95(*.later) < 400
  none: share(search.later) < 1% and count(*.else) < 3 and drained(search.stored)
  figure: p95(search.later.respnse) < 1s
  other: share(saerch.failed) <= 1%";
    assert_eq!(
        marked(&study(exchanges, "search", "share(search.failed) > 20 for 10s", requirements)),
        [
            "study::unknown-kind grpc.call",
            "study::unknown-name $(nobody)",
            "study::bad-check stauts = 200",
            "study::missing-unit 5",
            "study::missing-unit 3",
            "study::unknown-name host.nothing",
            "study::duplicate-name failed",
            "study::missing-unit 20",
            "study::missing-unit 300",
            "study::wrong-series search.ok",
            "study::missing-unit 95",
            "study::missing-unit 5",
            "study::missing-unit 400",
            "study::unknown-name respnse",
            "study::unknown-name saerch",
        ]
    );
}

#[test]
fn an_exchange_that_no_driver_does_is_still_there_for_all_others() {
    let exchanges = "  login: { grpc.call: { user: ann }, capture: { token: json($.token) } }
  search: { http.get: { url: $(shop.url)/search, headers: { x: $(token) } } }";
    let requirements = "  fast: p95(login.later.response) < 1s\n  both: rate(login.rows) / rate(search.ok) < 2";
    let text = study(exchanges, "login, search", "broken(fast), share(login.failed) > 20% for 10s", requirements);
    assert_eq!(marked(&text), ["study::unknown-kind grpc.call"]);
    for load in ["connections: 5, each: 1/s", "subscribers: 5, publish: 1/10s"] {
        let text = text
            .replace("users: 5", load)
            .replace("[login, search]", "[login]")
            .replace(" / rate(search.ok) < 2", " < 2/s");
        assert_eq!(marked(&text), ["study::unknown-kind grpc.call"], "{load}");
    }
}

#[test]
fn without_one_operation_the_names_in_all_of_them_are_looked_at() {
    let exchanges = "  search: { check: [ stauts = 200 ] }
  buy: { http.get: { url: $(nobody) }, http.put: { url: $(nothing) } }";
    let found = marked(&study(exchanges, "search, buy", "", "  fast: p95(search.answer) < 1s"));
    let codes: Vec<&str> = found.iter().filter_map(|mistake| mistake.split(' ').next()).collect();
    let (kind, name) = ("study::unknown-kind", "study::unknown-name");
    assert_eq!(codes, [kind, "study::bad-check", name, kind, name]);
}

#[test]
fn what_asks_for_a_requirement_with_a_mistake_is_not_blamed() {
    let exchanges = "  search: { http.get: { url: $(shop.url)/search } }";
    let text = study(exchanges, "search", "broken(fast)", "  fast: p95(search.respnse) < 1s");
    assert_eq!(marked(&text), ["study::unknown-name respnse"]);
}

#[test]
fn a_monitor_with_a_slip_in_its_kind_is_read_as_what_was_meant() {
    let exchanges = "  search: { http.get: { url: $(shop.url)/search } }";
    let watched = |watch: &str, rules: &str| {
        marked(&study(exchanges, "search", "", rules).replace("watch: { host: {} }", &format!("watch: {{ {watch} }}")))
    };
    let rules = "  cpu: max(host.cpu) < 80\n  none: max(host.nothing) < 1";
    // By the name that is meant nothing is known of it, and by the one that is written it is what was meant.
    assert_eq!(watched("hots: { dsiks: all }", rules), ["study::unknown-kind hots", "study::unknown-key dsiks"]);
    assert_eq!(
        watched("hots: { disks: all }", "  cpu: max(hots.cpu) < 80"),
        ["study::unknown-kind hots", "study::missing-unit 80"]
    );
    assert_eq!(
        watched("db: { hosst: { disks: $(nobody) } }", "  cpu: max(db.cpu) < 80"),
        ["study::unknown-kind hosst", "study::unknown-name $(nobody)", "study::missing-unit 80"]
    );
    assert_eq!(
        watched("db: { oracle: { dsn: $(nobody) } }", "  cpu: max(db.cpu) < 80 foo\n  whole: max(db) < 1"),
        [
            "study::unknown-kind oracle",
            "study::unknown-name $(nobody)",
            "study::rule-syntax foo",
            "study::wrong-series db"
        ]
    );
}

#[test]
fn a_needed_key_that_is_misspelt_is_one_mistake() {
    let exchanges = "  search: { http.get: { ulr: $(shop.url)/search } }";
    let text = study(exchanges, "search", "", "  fast: { taht: p95(search.response) < 300 }");
    assert_eq!(marked(&text), ["study::unknown-key ulr", "study::unknown-key taht", "study::missing-unit 300"]);
    for (load, found) in [
        ("arivals: 5/s, hold: 5m", vec!["study::unknown-key arivals"]),
        ("arivals: 250, hold: 5m", vec!["study::unknown-key arivals", "study::rate-without-unit 250"]),
        ("arrivals: 5/s, hodl: 5m", vec!["study::unknown-key hodl"]),
        ("arrivals: [ { rat: 200/s, for: 5m } ]", vec!["study::unknown-key rat"]),
        ("users: [ { users: 5, fro: 5m } ]", vec!["study::unknown-key fro"]),
        ("arrivals: 5/s, user: 10, hold: 5m", vec!["study::unknown-key user"]),
        ("user: 10, hold: 5m", vec!["study::unknown-key user"]),
        ("users: [ { users: 5, far: 5m } ]", vec!["study::unknown-key far"]),
        ("arrivals: [ { rote: 5/s, for: 5m } ]", vec!["study::unknown-key rote"]),
        ("usars: 10, hold: 5m", vec!["study::unknown-key usars"]),
        ("arrivals: 5/s, held: 5m", vec!["study::unknown-key held"]),
        ("arrivals: 5/s, hold: 5m, search: { first: 1/s }", vec!["study::unknown-key search"]),
        ("arrivals: 5/s, hold: 5m, ramp: { ovre: 1m }", vec!["study::unknown-key ovre"]),
        ("rate: 5/s, hold: 5m", vec!["study::missing-key {", "study::unknown-key rate"]),
    ] {
        let text = text.replace("ulr", "url").replace("taht", "that").replace("< 300", "< 300ms");
        assert_eq!(marked(&text.replace("users: 5, hold: 5m", load)), found, "{load}");
    }
}

#[test]
fn what_stands_under_a_misspelt_key_is_known_everywhere() {
    let text = "study: Checkout
system: { instnces: { shop: { ulr: \"http://127.0.0.1:8080\", idenity: { expect: { name: shop } } } } }
wathc: { host: {} }
exchnages:
  login: { http.post: { url: $(shop.url)/login }, captrue: { token: json($.token) } }
  search: { http.get: { url: $(shop.url)/search, headers: { x: $(token) } } }
scenaros:
  busy: { laod: { users: $(users), hold: 5m }, rnu: [login, search], gird: { users: [5, 10] }, aborrt: [ share(search.failed) > 20 for 10s ] }
vras: { users: 5 }
requirments:
  fast: p95(search.response) < 300
  cpu: max(host.cpu) < 80%
";
    let words = [
        "instnces",
        "ulr",
        "idenity",
        "wathc",
        "exchnages",
        "captrue",
        "scenaros",
        "laod",
        "rnu",
        "gird",
        "aborrt",
        "20",
        "vras",
        "requirments",
        "300",
    ];
    let found = marked(text);
    let found: Vec<&str> = found.iter().filter_map(|mistake| mistake.split_once(' ')).map(|(_, mark)| mark).collect();
    assert_eq!(found, words);
}

#[test]
fn a_key_that_only_resembles_another_is_not_read_as_that() {
    let text =
        study("  search: { http.get: { url: $(shop.url)/search } }", "search", "", "  fast: p95(search.response) < 1s");
    for (written, found) in [
        ("busy: { max: 10, ", "max"),
        ("busy: { about: a day in november, ", "about"),
        ("busy: { runs: [search], ", "runs"),
    ] {
        assert_eq!(marked(&text.replace("busy: { ", written)), [format!("study::unknown-key {found}")]);
    }
    for (key, line) in [("notes", "notes: some text"), ("date", "date: 2026-11-28")] {
        assert_eq!(marked(&format!("{text}{line}\n")), [format!("study::unknown-key {key}")]);
    }
}

#[test]
fn a_search_is_not_blamed_for_a_requirement_with_a_mistake() {
    let exchanges = "  look: { http.get: { url: $(shop.url)/look } }";
    for accept in ["accept: [fast]", "confirm: 10m"] {
        let text = study(exchanges, "look", "", "  fast: p95(look.respnse) < 200ms").replace(
            "load: { users: 5, hold: 5m }",
            &format!(
                "load: {{ arrivals: $(rate), hold: 5m }}, search: {{ vary: rate, from: 10/s, to: 100/s, {accept} }}"
            ),
        );
        let text = text + "vars: { rate: 10/s }\n";
        assert_eq!(marked(&text), ["study::unknown-name respnse"], "{accept}");
    }
}

#[test]
fn the_name_that_a_monitor_was_meant_to_have_is_not_taken() {
    let exchanges = "  host: { http.get: { url: $(shop.url)/look } }";
    let text = study(exchanges, "host, { transaction: access_log, run: [host] }", "", "  fast: p95(host.answer) < 300");
    let text = text.replace("watch: { host: {} }", "watch: { hots: {}, acces_log: {} }");
    let found = ["study::unknown-kind hots", "study::unknown-kind acces_log", "study::missing-unit 300"];
    assert_eq!(marked(&text), found);
}

#[test]
fn slips_in_included_files_are_one_mistake_each() {
    let text =
        study("  look: { http.get: { url: $(shop.url)/look } }", "look, buy", "", "  fast: p95(buy.answer) < 1s");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("common.yaml"), text).unwrap();
    let more = "inlcude: [common.yaml]\nexcahnges:\n  buy: { http.get: { url: $(shop.url)/buy } }\n";
    let rejected = load_in(folder.path(), more, &Options::default()).err().unwrap();
    let found: Vec<_> = rejected.mistakes.0.iter().map(|mistake| mistake.message.as_str()).collect();
    assert_eq!(found, ["the study has no key `inlcude`", "the study has no key `excahnges`"]);
}

#[test]
fn slips_in_legs_loads_and_parts_of_mixes_are_one_mistake_each() {
    let exchanges = "  look: { http.get: { url: $(shop.url)/look }, carries: { events: 10 }, \
                     legs: { stored: { counetd_by: host.switches } } }";
    let text = study(exchanges, "look", "", "  fast: rate(look.stored) > 1/s");
    let counted = text.replace("hold: 5m", "cuont: 1000 events");
    assert_eq!(marked(&counted), ["study::unknown-key counetd_by", "study::unknown-key cuont"]);
    let (before, after) = text.split_once("  busy: {").unwrap();
    let after = after.split_once('\n').unwrap().1.replace("requirements:", "order: [busy]\nrequirements:");
    let mixed = format!(
        "{before}  busy: {{ mix: {{ one: {{ load: {{ users: 5, hold: 5m }}, run: [look], aborrt: [ share(look.failed) > 20 for 10s ] }} }} }}\n{after}"
    );
    assert_eq!(
        marked(&mixed),
        ["study::unknown-key counetd_by", "study::unknown-key aborrt", "study::missing-unit 20"]
    );
}
