//! Files that Locust, Gatling and k6 have written: `tests/files/README.md` says how.

use crate::judged::{Lab, jtl, judged, verdicts};
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
    assert_eq!((calls.said, calls.data, calls.why.as_str()), (Some(424.0), Some(424.0), ""));
    let mean = said(&imported, "get_home", "mean");
    assert_eq!((mean.data, mean.why.as_str(), mean.file.as_str()), (None, "no_times", "locust_stats.csv"));
    assert!(imported.head.unknown.iter().any(|what| what == "times"));
}

/// Of tools that count by second, the run is as long as what they counted, and every rate is of all of it. The first row of
/// this file is of 1795704767 and the last of 1795704777; Locust's own rate, of 10.02 s, is 56.01/s.
#[test]
fn rates_of_counted_calls_are_of_the_time_that_was_counted() {
    let lab = Lab::new();
    let rules = "  carried: rate(get_home.ok) >= 1/s\n";
    let sources = ["locust_stats_history.csv", "locust_stats.csv"].map(|name| source(Kind::Locust, name));
    let check = |imported: &Imported, length: f64, all: f64, right: f64| {
        let judgement = judged(imported);
        let hold = judgement.steps.iter().find(|step| step.id == "hold").unwrap();
        assert_eq!((imported.length.as_secs_f64(), hold.seconds), (length, length));
        assert!((hold.achieved_per_s - all).abs() < 1e-9, "{} and not {all}", hold.achieved_per_s);
        assert!((hold.throughput_per_s - right).abs() < 1e-9, "{} and not {right}", hold.throughput_per_s);
    };
    check(&lab.import_all(&sources, rules, |_| {}).unwrap(), 10.0, 56.1, 54.5);
    // Two seconds of calibration, then 4 s at 50/s: half of the calls took 1 ms, the others 3 s since they were due.
    let page = "Running 6s test @ http://127.0.0.1:80/\n  2 threads and 10 connections\n\
          Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n\
          \x20      1.000     0.500000          100         2.00\n\
          \x20   3000.000     1.000000          200          inf\n\
          #[Mean    =     1500.500, StdDeviation   =     1499.500]\n#[Max     =     3000.000, Total count    =          200]\n\
          \x20 300 requests in 6.00s, 1.89MB read\nRequests/sec:     50.00\n";
    std::fs::remove_dir_all(lab.path("run")).unwrap();
    let path = lab.write("wrk2.txt", page.as_bytes());
    let sources = [Source { kind: Kind::Wrk2, instance: None, path }];
    let start = |request: &mut import::Request<'_>| request.start = Some(Nanos::from_secs(1_795_690_680));
    check(&lab.import_all(&sources, "  carried: rate(all_calls.ok) >= 1/s\n", start).unwrap(), 4.0, 50.0, 50.0);
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
    let rules = "  fast: p95(home.response) < 5s\n  right: share(checkout_pay_e.failed) <= 0%\n";
    let imported = lab.import_all(&[source(Kind::Gatling, "gatling.log")], rules, |_| {}).unwrap();
    // As Gatling printed them: 60 requests, of which 3 failed; the 30 groups sum up theirs.
    assert_eq!((imported.calls, imported.failed, imported.head.files[0].nested), (60, 3, 30));
    assert_eq!(
        imported.labels.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>(),
        ["home", "checkout / pay é"]
    );
    let judgement = judged(&imported);
    assert_eq!(judgement.requirements[1].verdict, Verdict::NotMet, "one of thirty failed");
    // What its report prints is in another file.
    let told = imported.head.said.iter().map(|figure| (figure.said, figure.why.as_str()));
    assert_eq!(told.collect::<Vec<_>>(), [(None, "no_file"); 4]);
    let printed =
        r#"{"path":"","type":"GROUP","stats":{"numberOfRequests":{"total":60,"ko":3},"percentiles3":{"total":1}}}"#;
    let report = Source { kind: Kind::Summary, instance: None, path: lab.write("stats.json", printed.as_bytes()) };
    std::fs::remove_dir_all(lab.path("run")).unwrap();
    let imported = lab.import_all(&[source(Kind::Gatling, "gatling.log"), report], rules, |_| {}).unwrap();
    let [calls, failed] = ["calls", "failed"].map(|figure| said(&imported, "", figure));
    assert_eq!((calls.said, calls.data, failed.said, failed.data), (Some(60.0), Some(60.0), Some(3.0), Some(3.0)));
    let why = |quantile: f64| {
        let figure = imported.head.said.iter().find(|figure| figure.quantile == quantile).unwrap();
        (figure.said, figure.why.as_str())
    };
    assert_eq!((why(0.95), why(0.9)), ((Some(1.0), "sketch"), (None, "not_printed")));
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
    assert_eq!((calls.said, calls.data, calls.why.as_str()), (Some(510.0), Some(20.0), "other_calls"));
    let failed = said(&imported, "", "failed");
    assert_eq!((failed.said, failed.data), (Some(21.0), Some(0.0)));
    // Its summary has no p99, and its rule prints none.
    let p99 = imported.head.said.iter().find(|figure| figure.quantile == 0.99).unwrap();
    assert_eq!((p99.said, p99.data, p99.why.as_str()), (None, Some(5.5), "not_printed"));
    let p90 = imported.head.said.iter().filter(|figure| figure.quantile == 0.9).collect::<Vec<_>>();
    assert!(p90.len() == 1 && p90[0].file == "k6-summary.json", "{p90:?}");
    // Without a summary its rule is known: type 7 of Hyndman and Fan.
    std::fs::remove_dir_all(lab.path("run")).unwrap();
    let imported = lab.import_all(&sources[..1], "  a: p95(home.response) < 1s\n", |_| {}).unwrap();
    let told: Vec<_> =
        imported.head.said.iter().map(|figure| (figure.quantile, figure.said, figure.why.as_str())).collect();
    let expected = [(0.5, Some(5.5), ""), (0.9, Some(5.5), ""), (0.95, Some(5.5), ""), (0.99, None, "not_printed")];
    assert_eq!(told, expected);
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

/// In the form of the README of wrk2, with fewer rows.
const WRK2: &str = "Running 3s test @ http://127.0.0.1:80/index.html\n  2 threads and 100 connections\n\
    \x20 Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%    6.67ms\n\n\
    \x20 Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n\
    \x20      0.921     0.000000          100         1.00\n       6.671     0.500000          400         2.00\n\
    \x20     12.503     1.000000         1000          inf\n\
    #[Mean    =        6.460, StdDeviation   =        1.930]\n#[Max     =       12.496, Total count    =         1000]\n\
    \x20 1000 requests in 3.00s, 19.89MB read\nRequests/sec:    333.33\n";

#[test]
fn a_page_of_wrk2_is_judged() {
    let lab = Lab::new();
    let rules = "  fast: max(all_calls.response) <= 13ms\n  slow: max(all_calls.response) < 5ms\n";
    let sources = [Source { kind: Kind::Wrk2, instance: None, path: lab.write("wrk2.txt", WRK2.as_bytes()) }];
    let start = |request: &mut import::Request<'_>| request.start = Some(Nanos::from_secs(1_795_690_680));
    let imported = lab.import_all(&sources, rules, start).unwrap();
    assert_eq!((imported.calls, imported.failed), (1000, 0));
    assert_eq!(imported.labels, [("all_calls".to_owned(), "(all calls)".to_owned())]);
    assert_eq!(verdicts(&judged(&imported)), [("fast", Verdict::Met), ("slow", Verdict::NotMet)]);
}

#[test]
fn a_log_of_hdr_histogram_without_tags_is_judged() {
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::V2DeflateSerializer;
    use hdrhistogram::serialization::interval_log::IntervalLogWriterBuilder;
    use std::time::{Duration, UNIX_EPOCH};
    let (mut out, mut serializer) = (Vec::new(), V2DeflateSerializer::new());
    let at = UNIX_EPOCH + Duration::from_secs(1_795_690_680);
    let mut builder = IntervalLogWriterBuilder::new();
    builder.with_start_time(at).with_base_time(at);
    let mut writer = builder.begin_log_with(&mut out, &mut serializer).unwrap();
    for second in 0..60 {
        let mut histogram = Histogram::<u64>::new(3).unwrap();
        histogram.record_n(500, 10).unwrap();
        let (begin, length) = (Duration::from_secs(second), Duration::from_secs(1));
        writer.write_histogram(&histogram, begin, length, None).unwrap();
    }
    let lab = Lab::new();
    let rules = "  right: share(all_calls.failed) <= 1%\n  slow: max(all_calls.response) < 400us\n";
    let sources = [Source { kind: Kind::Hdr, instance: None, path: lab.write("a.hlog", &out) }];
    let change = |request: &mut import::Request<'_>| request.unit = Some(Nanos::MICROSECOND);
    let imported = lab.import_all(&sources, rules, change).unwrap();
    assert_eq!(imported.calls, 600);
    // The log does not tell which calls failed.
    assert_eq!(verdicts(&judged(&imported)), [("right", Verdict::CannotTell), ("slow", Verdict::NotMet)]);
}

#[test]
fn damage_to_one_file_takes_nothing_from_what_rests_on_another() {
    let mut groups = String::new();
    for second in 0..60 {
        let lag = if second % 2 == 1 { "x" } else { "5" };
        groups.push_str(&format!(
            "2026-11-26T10:58:{second:02}Z\nGROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\nstore log 0 1 2 {lag}\n"
        ));
    }
    let lab = Lab::new();
    let rules = "  right: count(login.failed) <= 5\n  soon: max(imported.users) <= 7 in hold\n  \
                 lag: max(imported.lag) < 80 in hold\n";
    let sources = [
        Source { kind: Kind::Jtl, instance: None, path: lab.write("a.jtl", jtl(60).as_bytes()) },
        Source { kind: Kind::KafkaGroups, instance: None, path: lab.write("lag.log", groups.as_bytes()) },
    ];
    let imported = lab.import_all(&sources, rules, |_| {}).unwrap();
    let judgement = judged(&imported);
    let of = |code: &str| judgement.signs.iter().find(|sign| sign.code == code).unwrap();
    assert_eq!(of("unreadable").state, judge::WireValidity::Valid);
    let samples = of("unreadable_samples");
    assert_eq!(samples.state, judge::WireValidity::Questionable);
    let verdict = |id: &str| judgement.requirements.iter().find(|result| result.id == id).unwrap();
    assert_eq!(verdict("lag").verdict, Verdict::CannotTell, "{:?}", verdict("lag"));
    let checks = |id: &str| verdict(id).disturbed.iter().map(|it| it.check.as_str()).collect::<Vec<_>>();
    assert_eq!(checks("lag"), ["unreadable_samples"]);
    assert!(!checks("right").contains(&"unreadable_samples"), "{:?}", checks("right"));
}

#[test]
fn a_zone_changes_nothing_where_every_stamp_counts_from_1970() {
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n\
        <httpSample t=\"5\" lt=\"5\" ts=\"1795690680000\" s=\"true\" lb=\"a\" rc=\"200\" rm=\"OK\"/>\n</testResults>\n";
    let lab = Lab::new();
    let path = lab.write("a.xml", xml.as_bytes());
    for source in [
        source(Kind::Gatling, "gatling.log"),
        source(Kind::Locust, "locust_stats_history.csv"),
        Source { kind: Kind::JtlXml, instance: None, path },
    ] {
        let begin = |zone| {
            let change = |request: &mut import::Request<'_>| (request.zone, request.study) = (zone, None);
            let imported = lab.import_all(std::slice::from_ref(&source), "", change).unwrap();
            assert!(!imported.needs_zone, "{:?}", source.kind);
            let begin = record::Run::open(&imported.folder).unwrap().head.wall_origin_ns;
            std::fs::remove_dir_all(lab.path("run")).unwrap();
            begin
        };
        assert_eq!(begin(Some(3600)), begin(None), "{:?}", source.kind);
    }
}
