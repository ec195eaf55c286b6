//! The numbers of a run are recomputed from its rows, and a wrong one among them is found, of whatever kind it is.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::recompute::Recomputation;
use e2e::{Place, target};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Of every kind of load, judged in every way that has a number.
fn study(place: &Place, address: std::net::SocketAddr) {
    place.file("data/shops.csv", "shop\nnorth\nsouth\n");
    place.file(
        "study.yaml",
        &format!(
            "study: Recomputing\nvars: {{ rate: 30/s, more: 30/s }}\n\
             data: {{ shops: {{ file: data/shops.csv }} }}\n\
             system: {{ name: echo, url: \"http://{address}\", identity: {{ expect: {{ name: target-echo }} }} }}\n\
             watch: {{ host: {{}} }}\n\
             exchanges:\n\
             \x20 one: {{ http.get: {{ url: $(echo.url)/one }}, timeout: 2s, check: [ status = 200 ] }}\n\
             \x20 two: {{ http.get: {{ url: $(echo.url)/two }}, timeout: 2s, check: [ status = 200 ] }}\n\
             scenarios:\n\
             \x20 steady:\n\
             \x20   idle: 4s\n\
             \x20   load: {{ arrivals: 40/s, ramp: {{ over: 1s }}, hold: 16s }}\n\
             \x20   run: [ {{ transaction: both, run: [one, two] }} ]\n\
             \x20 users: {{ load: {{ users: 3, pacing: 60ms, hold: 3s }}, run: [one, think: 10ms, two] }}\n\
             \x20 shops: {{ load: {{ arrivals: 10/s per stream, streams: {{ of: shops, first: 2 }}, hold: 3s }}, run: [one] }}\n\
             \x20 size: {{ grid: {{ rate: [20/s, 40/s] }}, load: {{ arrivals: $(rate), hold: 2s }}, run: [two], repeat: 2 }}\n\
             \x20 peak:\n\
             \x20   search: {{ vary: more, from: 30/s, to: 60/s, width: 30%, passes: 1 of 1, most: 2, by: rate(two.ok) }}\n\
             \x20   load: {{ arrivals: $(more), hold: 2s }}\n\
             \x20   run: [two]\n\
             order: [steady, users, shops, size, peak]\n\
             requirements:\n\
             \x20 right: {{ that: share(*.failed) <= 40% per exchange, severity: should }}\n\
             \x20 in_time: {{ that: share(one.response < 50ms) >= 30%, scenarios: [steady, users] }}\n\
             \x20 slow: {{ that: share(one.response > 50ms of all) <= 90%, scenarios: [steady], severity: should }}\n\
             \x20 fast: {{ that: p95(two.response) < 200ms, scenarios: [steady, size, peak] }}\n\
             \x20 end: {{ that: p90(one.service) <= 1s in last 5s of hold, scenarios: [steady], severity: should }}\n\
             \x20 mean: {{ that: mean(one.response) < 1s, scenarios: [steady, shops], severity: should }}\n\
             \x20 range: {{ that: max(one.response) - min(one.response) < 5s, scenarios: [steady], severity: should }}\n\
             \x20 enough: {{ that: rate(two.ok) >= 1/s and count(one.started) >= 1, scenarios: [steady], severity: should }}\n\
             \x20 books: {{ that: count(one) + count(one.failed) = count(one.started), severity: should, scenarios: [shops] }}\n\
             \x20 shop: {{ that: count(one.intended) = count(one.started) per stream, severity: should, scenarios: [shops] }}\n\
             \x20 whole: {{ that: p50(both.response) < 2s, scenarios: [steady], severity: should }}\n\
             \x20 room: {{ that: mean(host.cpu) <= 100%, scenarios: [steady], severity: informative }}\n\
             \x20 top: {{ that: max(host.cpu) <= 200%, scenarios: [steady], severity: informative }}\n\
             assume: {{ average: {{ value: 10/s, about: mean rate }} }}\n\
             capacity:\n\
             \x20 volumes: {{ year: {{ of: rate(one.ok), from: steady, hours: 10, days: 260, peak_factor: 2.5 }} }}\n\
             \x20 ratios: {{ load: rate(shops/one.started) / rate(steady/one.started), average: rate(shops/one) / $(average) }}\n\
             compare: {{ loads: {{ of: [mean(one.response), p95(one.response), share(one.failed), rate(one.ok), mean(host.cpu)], base: steady, against: [shops] }} }}\n\
             report: {{ profile: standard }}\n"
        ),
    );
}

/// What the module says that it leaves out, and what is not a figure of the run.
const LEFT_OUT: [&str; 23] = [
    // Trends over iterations.
    "/courses/",
    "/run/",
    "/settings/",
    "/validity/",
    "/findings/",
    "/reason_args/",
    "/reason/args/",
    "/disturbed/",
    "/volumes/N/days",
    "/volumes/N/hours",
    "/volumes/N/peak_factor",
    "/law/",
    "/knee",
    "/held_above_a_failure",
    "/refused/args/",
    "/rungs/",
    "/growth/",
    "/attempts/N/number",
    "/searches/N/best",
    "_replicates",
    "/replicates",
    "/rows/N/band",
    "/comparisons/N/band",
];
/// The same of rows of comparisons.
const LEFT_OUT_OF_ROWS: [&str; 7] = ["low", "high", "p", "superiority", "runs_needed", "change/low", "change/high"];

fn is_left_out(kind: &str) -> bool {
    let of_row = |name: &str| kind.ends_with(&format!("/rows/N/{name}"));
    LEFT_OUT.iter().any(|part| kind.contains(part)) || LEFT_OUT_OF_ROWS.iter().any(|name| of_row(name))
}

/// Every number of a result, and every end of an interval that is not told, by its kind: its place with `N` for places in
/// lists. `/scenarios/N/steps/N/failed`
fn numbers(value: &Value, at: &str, kind: &str, found: &mut BTreeMap<String, Vec<String>>) {
    let is_end = kind.contains("/intervals/") && value.is_null();
    match value {
        Value::Object(all) => all.iter().for_each(|(key, value)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            numbers(value, &format!("{at}/{key}"), &format!("{kind}/{key}"), found);
        }),
        Value::Array(all) => all.iter().enumerate().for_each(|(place, value)| {
            numbers(value, &format!("{at}/{place}"), &format!("{kind}/N"), found);
        }),
        _ if value.is_number() || is_end => found.entry(kind.to_owned()).or_default().push(at.to_owned()),
        _ => {}
    }
}

/// A number that is wrong by little.
fn wrong(value: &Value) -> Value {
    match value.as_u64() {
        Some(whole) if value.is_u64() => json!(whole + 1),
        _ => value.as_f64().map_or(json!([1.0, 2.0]), |value| json!(value * 1.001 + 0.001)),
    }
}

#[test]
fn a_wrong_number_of_any_kind_is_found() {
    let target = target("target-echo", &["--service", "5ms", "--errors", "3%", "--wrong", "2%"]);
    let place = Place::new();
    study(&place, target.address());
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    // The machine may be too busy for a verdict.
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let (folder, result) = (place.path().join("run"), place.result("run"));
    let run = Recomputation::read(&folder).unwrap();
    let told = run.compare(&result);
    assert!(told.wrong.is_empty(), "{:#?}", told.wrong);
    for kind in [
        "accounts",
        "rates",
        "counts",
        "times",
        "generator",
        "requirements",
        "intervals of requirements",
        "capacity",
        "volumes",
        "ratios",
        "resources",
        "grids",
        "intervals of grids",
        "searches",
        "rates that searches go by",
        "comparisons",
    ] {
        assert!(told.kinds.contains_key(kind), "{kind}: {:#?}", told.kinds);
    }
    let mut kinds = BTreeMap::new();
    numbers(&result, "", "", &mut kinds);
    let mut unseen = Vec::new();
    for places in kinds.iter().filter(|(kind, _)| !is_left_out(kind)).map(|(_, places)| places) {
        // The first of a kind, and one in the middle, which is of another exchange or scenario.
        for at in [&places[0], &places[places.len() / 2]] {
            let mut changed = result.clone();
            let number = changed.pointer_mut(at).unwrap();
            *number = wrong(number);
            let found = run.compare(&changed);
            // What a busy machine makes of a search or a verdict may be something that is left out, and counted as that.
            let mut without = result.clone();
            *without.pointer_mut(at).unwrap() = Value::Null;
            let is_left_out = [&found, &run.compare(&without)].iter().any(|other| other.left_out != told.left_out);
            if found.wrong.is_empty() && !is_left_out {
                unseen.push(format!("{at}: {}", result.pointer(at).unwrap()));
            }
        }
    }
    assert!(unseen.is_empty(), "a wrong number is not found: {unseen:#?}");
    wrong_tables(&run, &folder.join("tables"));
}

/// The same of the tables of what was watched.
fn wrong_tables(run: &Recomputation, folder: &Path) {
    assert!(run.compare_tables().wrong.is_empty(), "{:#?}", run.compare_tables().wrong);
    for (name, column) in [
        ("system-0-steady-table", 4),
        ("system-0-steady-table", 5),
        ("resources-by-workload", 3),
        ("fig-host-parts-0-0", 1),
        ("fig-throughput-0", 3),
        ("fig-curve-0-0", 1),
        ("fig-ecdf-0-0", 0),
        ("fig-histogram-0-0", 2),
        ("fig-over-time-0-0", 5),
    ] {
        let path = folder.join(format!("{name}.csv"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let number = |line: &String| line.split(',').nth(column).and_then(|field| field.parse::<f64>().ok());
        let at = lines.iter().position(|line| number(line).is_some()).unwrap_or_else(|| panic!("{name}: {text}"));
        let mut fields: Vec<String> = lines[at].split(',').map(str::to_owned).collect();
        fields[column] = (number(&lines[at]).unwrap() * 1.001 + 0.001).to_string();
        lines[at] = fields.join(",");
        std::fs::write(&path, lines.join("\n")).unwrap();
        assert!(!run.compare_tables().wrong.is_empty(), "{name}: {} is not found", lines[at]);
        std::fs::write(&path, text).unwrap();
    }
}
