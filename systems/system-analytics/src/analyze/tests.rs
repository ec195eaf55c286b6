//! Analyzers over real segments with a real engine, against what is computed from the rows directly.

mod cluster;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use super::engine::Statement;
use super::*;
use crate::bundle::Value;
use crate::export::{Segments as Writer, Writing};
use crate::manifest::Manifest;
use crate::stream::Stream;

/// Nothing here takes so long, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);
const SMALL: Writing = Writing { segment_rows: 700, group_rows: 300, ..Writing::USUAL };

/// A home's event: house, metro, state, power, peak.
type Home = (i64, &'static str, &'static str, f64, bool);

/// Made-up rows that differ enough; no two runs differ.
fn homes(rows: i64) -> Vec<Home> {
    let metros = [("Boston", "MA"), ("Austin", "TX"), ("Denver", "CO"), ("Salem", "MA")];
    let home = |row: i64| {
        let drawn = (row * 2_654_435_761) % 1_000_003;
        let (metro, state) = metros[(drawn % 4) as usize];
        (drawn % 37, metro, state, (drawn % 997) as f64 / 7.0 - 20.0, drawn % 3 == 0)
    };
    (1..=rows).map(home).collect()
}

fn export_homes(folder: &Path, homes: &[Home]) {
    let stream = r#"{"name":"smart_home","version":"1.0.0","payloadData":[{"name":"house","type":"INT"},
        {"name":"metro","type":"STRING"},{"name":"state","type":"STRING"},{"name":"power","type":"DOUBLE"},
        {"name":"peak","type":"BOOL"}]}"#;
    let rows = homes.iter().map(|(house, metro, state, power, peak)| {
        let text = |text: &str| Value::Text(text.to_owned());
        vec![Value::Whole(*house), text(metro), text(state), Value::Real(*power), Value::Bool(*peak)]
    });
    export(folder, stream, rows);
}

/// Titles, contributors and texts; letters of more than a byte count once.
fn articles(rows: usize) -> Vec<(String, String, String)> {
    (0..rows)
        .map(|row| (format!("page {row}"), format!("user {}", row * row % 11), "é".repeat(row * 31 % 101)))
        .collect()
}

fn export_articles(folder: &Path, articles: &[(String, String, String)]) {
    let stream = r#"{"name":"articles","version":"1.0.0","payloadData":[{"name":"title","type":"STRING"},
        {"name":"contributor","type":"STRING"},{"name":"text","type":"STRING"}]}"#;
    let rows = articles
        .iter()
        .map(|(title, contributor, text)| [title, contributor, text].map(|value| Value::Text(value.clone())).to_vec());
    export(folder, stream, rows);
}

fn export(folder: &Path, stream: &str, rows: impl Iterator<Item = Vec<Value>>) {
    let stream = Stream::read(stream).unwrap();
    let folder = folder.join(&stream.table);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut writer = Writer::begin(&folder, &stream, SMALL).unwrap();
    rows.for_each(|values| writer.push(0, values).unwrap());
    writer.finish(format!("{:?}", Instant::now())).unwrap();
}

/// An analyzer that serves on a port of its own.
struct Served {
    analyzer: Arc<Analyzer>,
    address: SocketAddr,
}

fn segments(folder: &Path) -> Tables {
    Tables::Segments(Segments::of(folder.to_owned()))
}

fn duckdb() -> Launch {
    Launch::DuckDb { program: duckdb::find().unwrap_or_else(|why| panic!("{why}")), threads: 1 }
}

async fn serve(launch: Launch, folder: &Path, peers: Vec<SocketAddr>, within: Duration) -> Served {
    let engine = tokio::task::spawn_blocking(move || Engine::start(launch, None)).await.unwrap();
    let engine = engine.unwrap_or_else(|why| panic!("{why}"));
    let peers = Peers::new(peers.iter().map(|peer| peer.to_string().parse().unwrap()).collect());
    let analyzer = Arc::new(Analyzer::new(segments(folder), Some(engine), peers, within));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let routes = routes(analyzer.clone());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    Served { analyzer, address }
}

/// The result of a query, whatever it is.
async fn ask(analyzer: &Arc<Analyzer>, query: &str) -> Json {
    let job = analyzer.begin(queries::find(query).unwrap()).unwrap();
    let since = Instant::now();
    loop {
        let state = analyzer.state(job).unwrap();
        if state["state"] != "running" {
            return state;
        }
        assert!(since.elapsed() < PATIENCE, "{state}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn fails(analyzer: &Arc<Analyzer>, query: &str) -> String {
    let state = ask(analyzer, query).await;
    assert_eq!(state["state"], "failed", "{state}");
    state["reason"].as_str().unwrap().to_owned()
}

/// Results in the form of the analyzer, computed from the rows one by one.
fn direct(query: &str, homes: &[Home], articles: &[(String, String, String)]) -> Vec<Json> {
    fn grouped<K: Ord, V>(rows: impl Iterator<Item = (K, V)>) -> BTreeMap<K, Vec<V>> {
        let mut groups: BTreeMap<K, Vec<V>> = BTreeMap::new();
        rows.for_each(|(key, value)| groups.entry(key).or_default().push(value));
        groups
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lengths: Vec<f64> = articles.iter().map(|(_, _, text)| text.chars().count() as f64).collect();
    let all: Vec<f64> = homes.iter().map(|home| home.3).collect();
    match query {
        "metro_power" => {
            let answer = |(metro, own): (&str, Vec<f64>)| json!({ "metro": metro, "rows": own.len(), "average": mean(&own), "min": least(&own), "max": most(&own) });
            grouped(homes.iter().map(|home| (home.1, home.3))).into_iter().map(answer).collect()
        }
        "house_range" => {
            let peak = homes.iter().filter(|home| home.1 == "Boston" && home.4).map(|home| (home.0, home.3));
            let answer = |(house, own): (i64, Vec<f64>)| json!({ "house": house.to_string(), "rows": own.len(), "range": most(&own) - least(&own), "area": "Boston" });
            grouped(peak).into_iter().map(answer).collect()
        }
        "state_power" => {
            let answer =
                |(state, own): (&str, Vec<f64>)| json!({ "state": state, "rows": own.len(), "average": mean(&own) });
            grouped(homes.iter().map(|home| (home.2, home.3))).into_iter().map(answer).collect()
        }
        "house_difference" => {
            let answer = |(house, own): (i64, Vec<f64>)| {
                let difference = mean(&own) - mean(&all);
                json!({ "house": house.to_string(), "rows": own.len(), "average": mean(&own), "difference": difference })
            };
            grouped(homes.iter().map(|home| (home.0, home.3))).into_iter().map(answer).collect()
        }
        "article_length" => vec![json!({ "rows": articles.len(), "average": mean(&lengths) })],
        "article_total" => vec![json!({ "rows": articles.len(), "total": lengths.iter().sum::<f64>() })],
        "page_count" => vec![json!({ "pages": articles.len() })],
        "contributor_pages" => {
            let pages = grouped(articles.iter().map(|(_, contributor, _)| (contributor, ())));
            pages.into_iter().map(|(who, pages)| json!({ "contributor": who, "pages": pages.len() })).collect()
        }
        other => panic!("{other}"),
    }
}

/// The same texts and counts, and reals but for rounding.
fn assert_alike(found: &Json, expected: &[Json], what: &str) {
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}");
    for (found, expected) in found.iter().zip(expected) {
        let (found, expected) = (found.as_object().unwrap(), expected.as_object().unwrap());
        assert!(found.keys().eq(expected.keys()), "{what}: {found:?} {expected:?}");
        for (name, value) in expected {
            let is_alike = match (found[name].as_f64(), value.as_f64()) {
                (Some(found), Some(expected)) => (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                _ => found[name] == *value,
            };
            assert!(is_alike, "{what}: {name} of {found:?} is not that of {expected:?}");
        }
    }
}

async fn every_query_is_right(launch: Launch, most: usize) {
    let place = tempfile::tempdir().unwrap();
    let (homes, articles) = (homes(5000), articles(1700));
    export_homes(place.path(), &homes);
    export_articles(place.path(), &articles);
    let mut peers = Vec::new();
    let mut kept = Vec::new();
    for analyzers in 1..=most {
        let served = serve(launch.clone(), place.path(), peers.clone(), PATIENCE).await;
        for query in queries::QUERIES {
            let answer = ask(&served.analyzer, query.name).await;
            let what = format!("{} by {analyzers}", query.name);
            assert_eq!(answer["state"], "done", "{what}: {answer}");
            let rows = if query.table == "SMART_HOME" { homes.len() } else { articles.len() };
            assert_eq!((&answer["rows"], &answer["analyzers"]), (&rows.into(), &analyzers.into()), "{what}");
            let expected = direct(query.name, &homes, &articles);
            assert_eq!(answer["groups"], expected.len(), "{what}");
            assert_alike(&answer["result"], &expected, &what);
        }
        // Each has carried out a share.
        let own = served.analyzer.done.rows.load(Relaxed) as usize;
        let all = 4 * (homes.len() + articles.len());
        assert!(own.abs_diff(all / analyzers) < 10, "{own} of {all} rows by one of {analyzers}");
        peers.push(served.address);
        kept.push(served);
    }
    // One without an engine deals out to all of them.
    let others = Peers::new(peers.iter().map(|peer| peer.to_string().parse().unwrap()).collect());
    let front = Arc::new(Analyzer::new(segments(place.path()), None, others, PATIENCE));
    let answer = ask(&front, "house_difference").await;
    assert_eq!((&answer["rows"], &answer["analyzers"]), (&homes.len().into(), &most.into()), "{answer}");
    assert_alike(&answer["result"], &direct("house_difference", &homes, &articles), "by a front");
    assert_eq!(front.done.parts.load(Relaxed), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_query_of_duckdb_is_right_by_one_two_and_three() {
    every_query_is_right(duckdb(), 3).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Spark (`make spark`, 500 MB) and a Java machine for each analyzer; run with `-- --ignored spark`"]
async fn every_query_of_spark_is_right_by_one_and_two() {
    let launch = Launch::Spark { python: spark::find().unwrap(), master: "local[1]".to_owned() };
    every_query_is_right(launch, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Spark (`make spark`, 500 MB); run with `-- --ignored spark`"]
async fn a_spark_that_is_killed_fails_its_job_and_is_started_again() {
    let launch = Launch::Spark { python: spark::find().unwrap(), master: "local[1]".to_owned() };
    is_killed(launch).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duckdb_that_is_killed_fails_its_job_and_is_started_again() {
    is_killed(duckdb()).await;
}

/// Kills an engine within a statement that would take for ever.
async fn is_killed(launch: Launch) {
    let place = tempfile::tempdir().unwrap();
    export_homes(place.path(), &homes(2000));
    let served = serve(launch, place.path(), vec![], PATIENCE).await;
    let engine = served.analyzer.engine.clone().unwrap();
    let file = place.path().join("SMART_HOME/000001.parquet");
    let endless =
        "SELECT count(*) AS n FROM part a, part b, part c, part d, part e WHERE a.power + b.power + c.power > d.power";
    let asked = engine.clone();
    let statement = tokio::task::spawn_blocking(move || {
        asked
            .run(&Statement { source: engine::Source::Segments(vec![file]), from: 0, to: 2000, sql: endless }, PATIENCE)
    });
    let first = engine.pid();
    let mut killed = 0;
    // Once, unless it was killed before it was asked.
    while !statement.is_finished() {
        tokio::time::sleep(Duration::from_millis(if killed == 0 { 300 } else { 10_000 })).await;
        let kill = std::process::Command::new("kill").args(["-KILL", &engine.pid().to_string()]).status().unwrap();
        killed += u64::from(kill.success());
        for _ in 0..200 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            if statement.is_finished() {
                break;
            }
        }
    }
    let why = statement.await.unwrap().unwrap_err();
    assert!(why.contains("ended in the query (signal: 9 (SIGKILL))"), "{why}");
    // Whoever asks next finds another one, or waits for it.
    let answer = ask(&served.analyzer, "metro_power").await;
    assert_eq!((&answer["state"], &answer["rows"]), (&"done".into(), &2000.into()), "{answer}");
    assert_eq!(engine.restarts.load(Relaxed), killed);
    assert_ne!(engine.pid(), first);
    assert_eq!(engine.trouble(), None);
    engine.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_ends_while_it_idles_is_started_again() {
    let place = tempfile::tempdir().unwrap();
    let served = serve(duckdb(), place.path(), vec![], PATIENCE).await;
    let engine = served.analyzer.engine.as_ref().unwrap();
    let first = engine.pid();
    assert!(std::process::Command::new("kill").args(["-KILL", &first.to_string()]).status().unwrap().success());
    let since = Instant::now();
    while engine.restarts.load(Relaxed) == 0 {
        assert!(since.elapsed() < PATIENCE, "it is not started again");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!((engine.trouble(), engine.pid() != first), (None, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_does_not_answer_is_ended_in_time() {
    let place = tempfile::tempdir().unwrap();
    export_homes(place.path(), &homes(2000));
    let served = serve(duckdb(), place.path(), vec![], PATIENCE).await;
    let file = place.path().join("SMART_HOME/000001.parquet");
    let endless =
        "SELECT count(*) AS n FROM part a, part b, part c, part d, part e WHERE a.power + b.power + c.power > d.power";
    let engine = served.analyzer.engine.clone().unwrap();
    let answer = tokio::task::spawn_blocking(move || {
        engine.run(
            &Statement { source: engine::Source::Segments(vec![file]), from: 0, to: 2000, sql: endless },
            Duration::from_millis(300),
        )
    });
    assert_eq!(answer.await.unwrap().unwrap_err(), "DuckDB did not answer within 300ms");
    assert_eq!(ask(&served.analyzer, "state_power").await["state"], "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn segments_that_are_damaged_fail_a_job() {
    let place = tempfile::tempdir().unwrap();
    let served = serve(duckdb(), place.path(), vec![], PATIENCE).await;
    assert!(fails(&served.analyzer, "metro_power").await.contains("was not exported to"));
    export_homes(place.path(), &[]);
    assert_eq!(fails(&served.analyzer, "metro_power").await, "the table SMART_HOME has no rows");
    let rows = homes(2000);
    export_homes(place.path(), &rows);
    assert_eq!(ask(&served.analyzer, "metro_power").await["state"], "done");
    let file = place.path().join("SMART_HOME/000002.parquet");
    let good = std::fs::read(&file).unwrap();
    // Cut off, a bit turned over, a byte more, nothing, a folder, a pipe in its place.
    for (what, bytes) in [
        ("bytes instead of", good[..good.len() / 2].to_vec()),
        ("is damaged", [&good[..good.len() / 3], &[good[good.len() / 3] ^ 1], &good[good.len() / 3 + 1..]].concat()),
        ("bytes instead of", [&good[..], b"x"].concat()),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let why = fails(&served.analyzer, "state_power").await;
        assert!(why.contains(what) && why.contains("000002.parquet"), "{why}");
    }
    std::fs::remove_file(&file).unwrap();
    assert!(fails(&served.analyzer, "metro_power").await.contains("cannot be read"));
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert!(fails(&served.analyzer, "metro_power").await.contains("is not a file"));
    std::fs::remove_file(&file).unwrap();
    // A manifest that agrees with a file which is not Parquet: the engine says so.
    std::fs::write(&file, b"PAR1 nothing").unwrap();
    let mut manifest = Manifest::read(place.path(), "SMART_HOME").unwrap();
    (manifest.segments[1].bytes, manifest.segments[1].crc32) = (12, crc32fast::hash(b"PAR1 nothing"));
    manifest.write(&place.path().join("SMART_HOME")).unwrap();
    let why = fails(&served.analyzer, "metro_power").await;
    assert!(why.starts_with("DuckDB: ") && why.contains("000002.parquet"), "{why}");
    // One that lies about how many rows there are.
    std::fs::write(&file, &good).unwrap();
    export_homes(place.path(), &rows);
    let mut manifest = Manifest::read(place.path(), "SMART_HOME").unwrap();
    manifest.segments[2].rows += 5;
    manifest.rows += 5;
    manifest.write(&place.path().join("SMART_HOME")).unwrap();
    let why = fails(&served.analyzer, "metro_power").await;
    assert_eq!(why, "what this analyzer found cannot be right: 2000 rows were read instead of 2005");
    // A table with other columns.
    let other = r#"{"name":"smart_home","version":"1.0.0","payloadData":[{"name":"house","type":"INT"}]}"#;
    export(place.path(), other, [vec![Value::Whole(1)]].into_iter());
    assert_eq!(fails(&served.analyzer, "metro_power").await, "the table SMART_HOME has no column `metro`");
}

/// A server that answers everybody with these bytes, or with silence.
fn stranger(answer: Option<String>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = [0; 4096];
            let _ = stream.read(&mut bytes);
            match &answer {
                Some(answer) => drop(stream.write_all(answer.as_bytes())),
                None => held.push(stream),
            }
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn peers_that_are_gone_silent_or_wrong_fail_a_job_in_time() {
    let place = tempfile::tempdir().unwrap();
    export_homes(place.path(), &homes(2000));
    let http = |status: &str, body: &str| {
        Some(format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()))
    };
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let short = r#"[{"k":"Boston","n":3,"total":"1","low":"1","high":"1"}]"#;
    let no_figure = r#"[{"k":"Boston","n":1000,"total":"x","low":"1","high":"1"}]"#;
    for (what, peer) in [
        ("did not answer: ", gone),
        ("did not answer within 5s", stranger(None)),
        ("did not answer: ", stranger(Some("nonsense\r\n\r\n".into()))),
        ("answered with something else", stranger(http("200 OK", "<html>"))),
        ("answered with something else", stranger(http("200 OK", r#"[{"k":1}]"#))),
        ("failed: no disk", stranger(http("500 Oh", "no disk"))),
        ("3 rows were read instead of 1000", stranger(http("200 OK", short))),
        ("`total` holds `x`", stranger(http("200 OK", no_figure))),
        ("broke off its answer", stranger(Some("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhalf".into()))),
    ] {
        let within = if what.ends_with("5s") { Duration::from_secs(5) } else { PATIENCE };
        let served = serve(duckdb(), place.path(), vec![peer], within).await;
        let why = fails(&served.analyzer, "metro_power").await;
        assert!(why.contains(what) && why.contains(&format!("the analyzer at {peer}")), "{what}: {why}");
        assert_eq!(served.analyzer.done.failed.load(Relaxed), 1);
    }
    // A peer that sees another export.
    let elsewhere = tempfile::tempdir().unwrap();
    export_homes(elsewhere.path(), &homes(2000));
    let peer = serve(duckdb(), elsewhere.path(), vec![], PATIENCE).await;
    let served = serve(duckdb(), place.path(), vec![peer.address], PATIENCE).await;
    assert!(fails(&served.analyzer, "metro_power").await.contains("was exported anew meanwhile"));
}

/// Each of two peers answers only when both have been asked: one after the other, neither ever would.
#[tokio::test(flavor = "multi_thread")]
async fn analyzers_work_at_the_same_time() {
    let place = tempfile::tempdir().unwrap();
    export_homes(place.path(), &homes(2000));
    let both = Arc::new(std::sync::Barrier::new(2));
    let peer = |n: u64| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, both) = (listener.local_addr().unwrap(), both.clone());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            both.wait();
            let body = format!(r#"[{{"k":"MA","n":1000,"total":"{n}000"}}]"#);
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        });
        address.to_string().parse().unwrap()
    };
    let peers = Peers::new(vec![peer(1), peer(4)]);
    let front = Arc::new(Analyzer::new(segments(place.path()), None, peers, PATIENCE));
    let answer = ask(&front, "state_power").await;
    assert_eq!(answer["result"], json!([{ "state": "MA", "rows": 2000, "average": 2.5 }]), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_that_are_wrong_are_told_what_is_possible() {
    let place = tempfile::tempdir().unwrap();
    export_homes(place.path(), &homes(100));
    let served = serve(duckdb(), place.path(), vec![], PATIENCE).await;
    let address = served.address;
    let call = move |method: &'static str, path: &'static str, body: String| {
        tokio::task::spawn_blocking(move || {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let length = body.len();
            let _ = write!(
                stream,
                "{method} {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer);
            answer
        })
    };
    for (path, body, status, what) in [
        ("/jobs", r#"{"query":"drop"}"#, "404", "possible: metro_power"),
        ("/jobs", "nonsense", "400", "send `{\"query\""),
        ("/jobs", r#"{"query":"metro_power","table":"../x"}"#, "400", "unknown field `table`"),
        ("/parts", r#"{"query":"metro_power","export":"x","from":0,"to":5}"#, "500", "was exported anew"),
        ("/parts", r#"{"query":"metro_power","export":"x","from":-1,"to":5}"#, "400", "cannot be read"),
    ] {
        let answer = call("POST", path, body.to_owned()).await.unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(what), "{body}: {answer}");
    }
    let export = Manifest::read(place.path(), "SMART_HOME").unwrap().export;
    for (from, to) in [(5, 5), (0, 101), (u64::MAX - 1, u64::MAX)] {
        let part = json!({ "query": "metro_power", "export": export, "from": from, "to": to }).to_string();
        let answer = call("POST", "/parts", part).await.unwrap();
        assert!(answer.contains("has no rows"), "{answer}");
    }
    for path in ["/jobs/99", "/jobs/-1", "/jobs/..%2F..%2Fetc"] {
        let answer = call("GET", path, String::new()).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }
    let answer = call("POST", "/jobs", r#"{"query":"state_power"}"#.to_owned()).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 202") && answer.contains("location: /jobs/1\r\n"), "{answer}");
    let page = call("GET", "/metrics", String::new()).await.unwrap();
    assert!(page.contains("\nanalytics_jobs_failed_total 0\n"), "{page}");
}

#[test]
fn an_analyzer_is_not_its_own_peer() {
    use clap::Parser;
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: AnalyzeOptions,
    }
    let line = "x --segments /s --port 4001 --peers http://127.0.0.1:4001,http://127.0.0.1:4002,http://10.0.0.7:4001";
    let options = Line::parse_from(line.split(' ')).options;
    let others: Vec<String> = options.peers.others(&options.service).iter().map(ToString::to_string).collect();
    assert_eq!(others, ["127.0.0.1:4002", "10.0.0.7:4001"]);
    assert_eq!((options.engine, options.master.as_str(), options.threads), (EngineKind::Duckdb, "local[1]", 1));
}
