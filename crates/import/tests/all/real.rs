//! Files that Locust, Gatling and k6 have written: `tests/files/README.md` says how.

use crate::judged::{Lab, judged, verdicts};
use import::{Imported, Kind, Source};
use std::path::Path;
use terms::{Nanos, Verdict};

fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn source(kind: Kind, name: &str) -> Source {
    Source { kind, instance: None, path: file(name) }
}

fn said<'a>(imported: &'a Imported, exchange: &str, figure: &str) -> &'a record::ToldFigure {
    let of = imported.head.said.iter().find(|known| known.exchange == exchange && known.figure == figure);
    of.unwrap_or_else(|| panic!("{figure} of {exchange} is in {:?}", imported.head.said))
}

#[test]
fn locust_tells_counts_and_no_times() {
    let lab = Lab::new();
    let rules = "  right: count(get_home.failed) <= 11\n  wrong: count(get_home.failed) <= 10\n  \
                 fast: p95(get_home.response) < 1s\n  soon: share(get_home.response <= 1s) >= 50%\n  \
                 mean: mean(get_home.response) < 1s\n";
    let sources =
        ["locust_stats_history.csv", "locust_stats.csv", "locust_failures.csv"].map(|name| source(Kind::Locust, name));
    let imported = lab.import_all(&sources, rules, |_| {}).unwrap();
    // As `locust_stats.csv` has them.
    assert_eq!((imported.calls, imported.failed), (561, 16));
    let names: Vec<&str> = imported.labels.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!(names, ["POST /cart", "GET /home"]);
    let judgement = judged(&imported);
    use Verdict::{CannotTell, Met, NotMet};
    let expected =
        [("right", Met), ("wrong", NotMet), ("fast", CannotTell), ("soon", CannotTell), ("mean", CannotTell)];
    assert_eq!(verdicts(&judgement), expected, "{:#?}", judgement.requirements);
    let calls = said(&imported, "get_home", "calls");
    assert_eq!((calls.said, calls.data, calls.why.as_str()), (424.0, Some(424.0), ""));
    let mean = said(&imported, "get_home", "mean");
    assert_eq!((mean.data, mean.why.as_str(), mean.file.as_str()), (None, "no_times", "locust_stats.csv"));
    assert!(imported.head.unknown.iter().any(|what| what == "times"));
}

#[test]
fn without_names_of_its_own_the_history_is_of_all_calls() {
    let lab = Lab::new();
    let sources = [source(Kind::Locust, "locust-plain_stats_history.csv")];
    let imported = lab.import_all(&sources, "  right: count(aggregated.failed) <= 11\n", |_| {}).unwrap();
    // The last row of the file.
    assert_eq!((imported.calls, imported.failed), (332, 11));
    assert_eq!(verdicts(&judged(&imported)), [("right", Verdict::Met)]);
}

#[test]
fn requests_of_gatling_are_judged() {
    let lab = Lab::new();
    let rules = "  fast: p95(home.response) < 5s\n  right: share(checkout_pay.failed) <= 0%\n";
    let imported = lab.import_all(&[source(Kind::Gatling, "gatling.log")], rules, |_| {}).unwrap();
    // As Gatling printed them: 60 requests, of which 3 failed; the 30 groups sum up theirs.
    assert_eq!((imported.calls, imported.failed, imported.head.files[0].nested), (60, 3, 30));
    assert_eq!(
        imported.labels.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>(),
        ["home", "checkout / pay é"]
    );
    let judgement = judged(&imported);
    assert_eq!(judgement.requirements[1].verdict, Verdict::NotMet, "one of thirty failed");
}

#[test]
fn what_k6_prints_of_other_calls_is_told_apart() {
    let lab = Lab::new();
    let mut text = "metric_name,timestamp,metric_value,error_code,expected_response,name,status\n".to_owned();
    for second in 0..20 {
        text.push_str(&format!("http_req_duration,{},5.5,,true,home,200\n", 1_795_690_680 + second));
    }
    let calls = lab.write("k6.csv", text.as_bytes());
    let sources = [Source { kind: Kind::K6Csv, instance: None, path: calls }, source(Kind::Summary, "k6-summary.json")];
    let imported = lab.import_all(&sources, "  a: p95(home.response) < 1s\n", |_| {}).unwrap();
    let calls = said(&imported, "", "calls");
    assert_eq!((calls.said, calls.data, calls.why.as_str()), (510.0, Some(20.0), "other_calls"));
    let failed = said(&imported, "", "failed");
    assert_eq!((failed.said, failed.data), (21.0, Some(0.0)));
}

#[test]
fn an_access_log_is_the_load_as_the_server_saw_it() {
    let lab = Lab::new();
    let mut text = String::new();
    for second in 0..60 {
        let line = format!("1.2.3.4 - - [26/Nov/2026:10:58:{second:02} +0000] \"GET /a?b HTTP/1.1\" 200 17 4000\n");
        text.push_str(&line);
    }
    let path = lab.write("access.log", text.as_bytes());
    let sources = [Source { kind: Kind::AccessLog, instance: None, path }];
    let change = |request: &mut import::Request<'_>| {
        request.format = Some("common %D");
        request.unit = Some(Nanos::MICROSECOND);
    };
    let imported = lab.import_all(&sources, "  fast: max(a.response) <= 4ms\n", change).unwrap();
    assert_eq!((imported.calls, imported.failed), (60, 0));
    assert_eq!(verdicts(&judged(&imported)), [("fast", Verdict::Met)]);
}
