//! An archive of run folders as DuckDB and Spark read it: the views of `studies/analytics/archive` say what `result.json`
//! says, over folders at several depths.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::duckdb::{asked, number};
use e2e::archive::copies;
use e2e::{Place, root, target};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const STUDY: &str = "studies/analytics/archive";

/// What is asked is what was recorded, however busy the machine was: an invalid run would be left out.
const EVEN_IF_BUSY: &str = "\
validity:
  lateness: { questionable: 20s, invalid: 30s, because: counts and stored times }
  run_queue: { questionable: 98%, invalid: 99%, because: counts and stored times }
  steal: { questionable: 98%, invalid: 99%, because: counts and stored times }
";

/// A run with failures, and copies of it, judged; half of them lie a folder deeper.
fn archive(place: &Place, count: usize) -> Vec<PathBuf> {
    let target = target("target-echo", &["--service", "5ms", "--errors", "5%"]);
    place.file(
        "study.yaml",
        &format!(
            "study: Archive\nsystem: {{ name: shop, url: 'http://{0}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
             watch: {{ host: {{}} }}\n{EVEN_IF_BUSY}exchanges:\n  home: {{ http.get: {{ url: '$(shop.url)/' }}, timeout: 10s }}\n\
             scenarios:\n  busy: {{ load: {{ arrivals: 50/s, warm_up: 1s, hold: 3s }}, run: [home] }}\n\
             requirements: {{ fast: p95(home.response) <= 5s, right: share(home.ok) >= 50% }}\n",
            target.address()
        ),
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "base"]);
    assert!(place.path().join("base/result.json").exists(), "{ran:#?}");
    let factor = |number: usize| 1.0 + number as f64 / 10.0;
    let all = copies(&place.path().join("base"), &place.path().join("archive/old"), count, factor, |_, _| {});
    let moved = |(number, path): (usize, PathBuf)| {
        let to = place.path().join("archive").join(path.file_name().unwrap());
        if number % 2 == 0 {
            return path;
        }
        std::fs::rename(&path, &to).unwrap();
        to
    };
    let all: Vec<PathBuf> = all.into_iter().enumerate().map(moved).collect();
    for path in &all {
        let judged = place.loadproof(&["judge", path.to_str().unwrap()]);
        assert_ne!(judged.code, 2, "{judged:#?}");
    }
    all
}

fn result(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path.join("result.json")).unwrap()).unwrap()
}

#[test]
fn duckdb_says_of_every_run_what_its_result_says() {
    let place = Place::new();
    let all = archive(&place, 6);
    let books = asked(
        &place,
        "archive",
        "select run, step_id, sum(intended) as intended, sum(started) as started, sum(completed) as completed, \
         sum(failed) as failed from iterations group by all order by run, step_id;",
    );
    let percentiles = asked(&place, "archive", "select * from percentiles where leg = 'answer' order by run, step_id;");
    let failures = asked(
        &place,
        "archive",
        "select run, step_id, outcome, sum(count) as closes from outcomes group by all order by all;",
    );
    let requirements = asked(&place, "archive", "select * from requirements order by run, id, scope;");
    let runs = asked(&place, "archive", "select folder, run, id, study, is_trial, end_reason from runs order by run;");
    assert_eq!(runs.len(), all.len());
    for path in &all {
        let name = path.file_name().unwrap().to_str().unwrap();
        let result = result(path);
        let of = |rows: &'_ [Value]| rows.iter().filter(|row| row["run"] == name).cloned().collect::<Vec<_>>();
        let run = of(&runs).remove(0);
        assert!(path.ends_with(run["folder"].as_str().unwrap()), "{run:#} {path:?}");
        assert_eq!((run["id"].as_str(), run["is_trial"].as_bool()), (Some(name), Some(false)), "{run:#}");
        let steps = result["scenarios"][0]["steps"].as_array().unwrap();
        for step in steps.iter().filter(|step| step["intended"] != 0) {
            let rows = of(&books);
            let row = rows.iter().find(|row| row["step_id"] == step["id"]).unwrap();
            for key in ["intended", "started", "completed", "failed"] {
                assert_eq!(number(&row[key]), number(&step[key]), "{key}: {row:#}");
            }
            let legs = step["exchanges"][0]["legs"].as_array().unwrap();
            let leg =
                |outcome: &str| legs.iter().find(|leg| leg["outcome"] == outcome && leg["id"] == "answer").unwrap();
            let rows = of(&percentiles);
            let row = rows.iter().find(|row| row["step_id"] == step["id"]).unwrap();
            assert_eq!(number(&row["calls"]), number(&leg("ok")["count"]), "{row:#}");
            for (key, name) in
                [("p50_ns", "p50"), ("p95_ns", "p95"), ("p99_ns", "p99"), ("mean_ns", "mean"), ("max_ns", "max")]
            {
                let (found, expected) = (number(&row[key]) / 1e6, number(&leg("ok")["response_ms"][name]));
                assert!((found - expected).abs() <= 1e-9 * expected, "{name}: {found}, {expected}");
            }
            for (class, count) in leg("failed")["classes"].as_object().unwrap() {
                let rows = of(&failures);
                let row = rows.iter().find(|row| row["step_id"] == step["id"] && row["outcome"] == *class);
                assert_eq!(row.map(|row| number(&row["closes"])), Some(number(count)), "{class}");
            }
        }
        let expected = result["requirements"].as_array().unwrap();
        let rows = of(&requirements);
        assert_eq!(rows.len(), expected.len());
        for requirement in expected {
            let is_it = |row: &&Value| row["id"] == requirement["id"] && row["scope"] == requirement["scope"];
            let row = rows.iter().find(is_it).unwrap();
            for key in ["verdict", "decides", "unit", "rule", "severity", "value", "limit"] {
                assert_eq!(row[key], requirement[key], "{key}: {row:#}");
            }
        }
    }
    // The fault of the target shows, or the failures of all runs were looked at in vain.
    assert!(failures.iter().any(|row| row["outcome"] == "status"), "{failures:#?}");
}

/// Of a load that ends with a number of events: what was accepted in the hold, by the calls; and what became durable, by
/// the looks at the store's count from the last one before the hold to the last one within.
const BULK: &str = "
    with hold as (select folder, min(at_ns) as from_ns, max(at_ns) as to_ns from steps where phase = 'hold' group by all),
    accepted as (
        select folder, 100 * sum(units) as units, sum(bytes) as bytes from legs
        where phase = 'hold' and exchange = 'publish' and leg = 'accepted' and population = 'ok' group by all
    ),
    looks as (
        select folder, at_ns, value from samples where monitor = 'ingest' and metric = 'durable' and value is not null
    ),
    durable as (
        select folder, (max(at_ns) - min(at_ns)) / 1e9 as seconds, max(value) - min(value) as units
        from looks join hold using (folder)
        where at_ns <= to_ns
            and at_ns >= (select max(at_ns) from looks as before where before.folder = looks.folder and at_ns <= from_ns)
        group by folder
    )
    select accepted.units, bytes, (to_ns - from_ns) / 1e9 as seconds, durable.units as durable,
        durable.seconds as durable_seconds
    from hold join accepted using (folder) join durable using (folder);";

#[test]
fn duckdb_says_of_work_in_bulk_what_its_result_says() {
    let place = Place::new();
    let study = root().join("studies/analytics/ingest.yaml");
    let set = ["--set", "total=300000", "--set", "memory=4MB", "--set", "slow=50ms"];
    let run = ["run", &study.to_string_lossy(), "--out", "archive/run"];
    let ran = place.loadproof(&[&run[..], &set].concat());
    let result = result(&place.path().join("archive/run"));
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    let bulk = &result["bulks"][0];
    let row = asked(&place, "archive", BULK).remove(0);
    let through = &bulk["through"][0]["carried"];
    let [units, seconds] = ["units", "seconds"].map(|key| number(&row[key]));
    for (name, found, expected) in [
        ("accepted", units, &bulk["accepted"]["units"]),
        ("bytes", number(&row["bytes"]), &bulk["accepted"]["bytes"]),
        ("seconds", seconds, &bulk["accepted"]["seconds"]),
        ("a second", units / seconds, &bulk["accepted"]["mean_per_s"]),
        ("durable", number(&row["durable"]), &through["units"]),
        ("seconds of looks", number(&row["durable_seconds"]), &through["seconds"]),
        ("durable a second", number(&row["durable"]) / number(&row["durable_seconds"]), &through["mean_per_s"]),
    ] {
        let expected = number(expected);
        assert!(found > 0.0 && (found - expected).abs() <= 1e-9 * expected, "{name}: {found}, {expected}: {bulk:#}");
    }
    assert_eq!(units, 300_000.0);
}

#[test]
fn every_view_and_every_question_is_answered() {
    let place = Place::new();
    let all = archive(&place, 3);
    for view in ["legs", "starts", "outcomes", "iterations", "notes", "engine", "samples", "steps", "results"] {
        let counted = asked(&place, "archive", &format!("select count(distinct folder) as runs from {view};"));
        assert_eq!(number(&counted[0]["runs"]), all.len() as f64, "{view}");
    }
    // Nothing happened in these runs, and the copies have no readings of the wall clock.
    for view in ["events", "clocks"] {
        assert_eq!(
            number(&asked(&place, "archive", &format!("select count(*) as \"rows\" from {view};"))[0]["rows"]),
            0.0,
            "{view}"
        );
    }
    let text = std::fs::read_to_string(root().join(STUDY).join("queries.sql")).unwrap();
    let questions: Vec<&str> = text.split(';').filter(|question| question.contains("select")).collect();
    assert!(questions.len() >= 5);
    let mut answered = 0;
    for question in questions {
        answered += usize::from(!asked(&place, "archive", &format!("{question};")).is_empty());
    }
    // Nothing has been broken for long, and that is an answer without rows.
    assert!(answered >= 5, "{answered}");
    let trend = asked(&place, "archive", text.split_inclusive(';').next().unwrap());
    let times: Vec<f64> = trend.iter().map(|row| number(&row["p99_ms"])).collect();
    assert_eq!(times.len(), all.len());
    assert!(times.is_sorted(), "each copy takes longer than the one before: {times:?}");
}

/// Of a requirement with `needs: any` only the member that counts is listed, and one that another makes up for breaks
/// nothing. `b` is not met in any run and `a` in the third and the first: only since the third nothing makes up for it.
#[test]
fn a_member_that_another_makes_up_for_is_not_broken() {
    let place = Place::new();
    let all = archive(&place, 3);
    let verdicts =
        [[("not_met", true), ("not_met", false)], [("met", true), ("not_met", false)], [("not_met", true); 2]];
    for (number, (path, members)) in all.iter().zip(verdicts).enumerate() {
        let mut result = result(path);
        let like = result["requirements"][0].clone();
        let member = |(name, (verdict, decides)): (&str, (&str, bool))| {
            let mut member = like.clone();
            for (key, value) in [("id", "either".into()), ("scope", format!("busy/hold/{name}").into())] {
                member[key] = value;
            }
            (member["verdict"], member["decides"]) = (verdict.into(), decides.into());
            // An earlier version did not say it, and counted each.
            if number == 2 {
                member.as_object_mut().unwrap().remove("decides");
            }
            member
        };
        result["requirements"] = ["a", "b"].into_iter().zip(members).map(member).collect();
        result["validity"]["state"] = "valid".into();
        std::fs::write(path.join("result.json"), result.to_string()).unwrap();
    }
    let text = std::fs::read_to_string(root().join(STUDY).join("queries.sql")).unwrap();
    let question = |words: &str| {
        let asks = text.split(';').find(|question| question.contains(words)).unwrap();
        asked(&place, "archive", &format!("{asks};"))
    };
    let told = |rows: &[Value], keys: [&str; 2]| {
        let of = |row: &Value| keys.map(|key| row[key].as_str().unwrap().to_owned()).join(" ");
        rows.iter().map(of).collect::<Vec<_>>()
    };
    let listed = question("Which requirements were met");
    let expected = ["busy/hold/a not_met", "busy/hold/a met", "busy/hold/a not_met", "busy/hold/b not_met"];
    assert_eq!(told(&listed, ["scope", "verdict"]), expected);
    let broken = question("Since when has each requirement");
    let third = listed[2]["started"].as_str().unwrap();
    let mut expected = ["a", "b"].map(|name| format!("busy/hold/{name} {third}"));
    expected.sort();
    let mut told = told(&broken, ["scope", "broken_since"]);
    told.sort();
    assert_eq!(told, expected);
    assert!(broken.iter().all(|row| number(&row["runs"]) == 1.0), "{broken:#?}");
}

#[test]
#[ignore = "needs PySpark and a JDK, and starts a Spark: name its python by LOADPROOF_PYSPARK"]
fn spark_says_what_duckdb_says() {
    let place = Place::new();
    archive(&place, 4);
    let python = std::env::var("LOADPROOF_PYSPARK").expect("LOADPROOF_PYSPARK names a python that has pyspark");
    let folder = place.path().join("archive").canonicalize().unwrap();
    for query in [
        "select run, exchange, leg, calls, p50_ns, p95_ns, p99_ns from percentiles order by run, step_id",
        "select run, sum(completed) as completed from iterations group by run order by run",
        "select run, id, scope, verdict, decides, value from requirements order by run, id, scope",
        "select run, id, study, is_trial, end_reason from runs order by run",
    ] {
        let script = root().join(STUDY).join("archive.py");
        let output = Command::new(&python).arg(script).arg(&folder).arg(query).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        let rows: Vec<Value> =
            text.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = asked(&place, "archive", &format!("{query};"));
        assert_eq!(rows.len(), expected.len(), "{query}: {text}");
        for (row, expected) in rows.iter().zip(&expected) {
            // Spark leaves out what is null.
            for (key, expected) in expected.as_object().unwrap() {
                let value = &row[key];
                let is_same = match value {
                    Value::Number(_) => (number(value) - number(expected)).abs() <= 1e-9 * number(value).abs(),
                    other => other == expected,
                };
                assert!(is_same, "{query}, {key}: {row} {expected}");
            }
        }
    }
}
