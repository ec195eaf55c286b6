//! From files of other tools to verdicts: what was imported is judged like a run of our own, and says what it cannot tell.
use contract::{MetricKind, MonitorKind};
use flate2::Compression;
use flate2::write::GzEncoder;
use import::{IMPORTED, IMPORTED_VALUES, ImportError, Imported, Kind, Request, Source, import};
use judge::assess::moments::{Lead, moments};
use judge::{Evidence, Judgement};
use record::Run;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use study::Registry;
use terms::{Nanos, Unit, Validity, Verdict};

const REGISTRY: Registry<'static> = Registry { drivers: &[IMPORTED], monitors: &[IMPORTED_VALUES], blocks: &[] };
const HEADER: &str = "timeStamp,elapsed,label,responseCode,responseMessage,success,allThreads,Latency,bytes\n";
/// 2026-11-26T10:58:00Z
const BEGIN_MS: u64 = 1_795_690_680_000;

/// Ten samples a second for so long: `Home page` takes 1 to 100 ms, each as often, and `Login` 400 ms, of which one in
/// fifty fails.
pub(crate) fn jtl(seconds: u64) -> String {
    let mut text = HEADER.to_owned();
    for number in 0..10 * seconds {
        let at = BEGIN_MS + number * 100;
        if number % 5 == 4 {
            let fails = number % 250 == 4;
            let (code, success) = if fails { ("500", "false") } else { ("200", "true") };
            writeln!(text, "{at},400,Login,{code},text,{success},7,390,10").unwrap();
        } else {
            // In an order that no second knows.
            let took = (number * 37) % 100 + 1;
            writeln!(text, "{at},{took},Home page,200,OK,true,7,{},10", took / 2).unwrap();
        }
    }
    text
}

pub(crate) struct Lab(tempfile::TempDir);

impl Lab {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn import(&self, file: &Path, rules: &str, change: impl FnOnce(&mut Request<'_>)) -> Result<Imported, ImportError> {
        self.import_all(&[Source { kind: Kind::Jtl, instance: None, path: file.to_owned() }], rules, change)
    }

    pub(crate) fn import_all(
        &self,
        sources: &[Source],
        rules: &str,
        change: impl FnOnce(&mut Request<'_>),
    ) -> Result<Imported, ImportError> {
        let rules = self.write("rules.yaml", format!("requirements:\n{rules}").as_bytes());
        let out = self.path("run");
        let mut request = Request {
            sources,
            out: &out,
            study: Some(&rules),
            title: None,
            system: None,
            warm_up: Nanos::ZERO,
            users: None,
            columns: None,
            start: None,
            every: None,
            zone: None,
            format: None,
            unit: None,
            registry: REGISTRY,
        };
        change(&mut request);
        import(&request)
    }
}

pub(crate) fn judged(imported: &Imported) -> Judgement {
    let evidence = Evidence::read(&Run::open(&imported.folder).unwrap()).unwrap();
    judge::judge(&evidence, &imported.study).1
}

pub(crate) fn verdicts(judgement: &Judgement) -> Vec<(&str, Verdict)> {
    judgement.requirements.iter().map(|result| (result.id.as_str(), result.verdict)).collect()
}

const RULES: &str = "  fast: p95(home_page.response) < 120ms\n  slow: p95(home_page.response) < 60ms\n  \
    right: share(login.failed) <= 5%\n  wrong: share(login.failed) <= 0.1%\n  soon: p99(home_page.first_byte) < 100ms\n  \
    users: max(imported.users) <= 7 in hold\n";

#[test]
fn samples_of_jmeter_are_judged_like_a_run_of_our_own() {
    let lab = Lab::new();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(jtl(300).as_bytes()).unwrap();
    let file = lab.write("results.jtl", &packed.finish().unwrap());
    let imported = lab.import(&file, RULES, |_| {}).unwrap();
    assert_eq!((imported.calls, imported.failed), (3000, 12));
    let names: Vec<_> = imported.labels.iter().map(|(name, label)| (name.as_str(), label.as_str())).collect();
    assert_eq!(names, [("home_page", "Home page"), ("login", "Login")]);
    let judgement = judged(&imported);
    use Verdict::{Met, NotMet};
    let expected = [("fast", Met), ("slow", NotMet), ("right", Met), ("wrong", NotMet), ("soon", Met), ("users", Met)];
    assert_eq!(verdicts(&judgement), expected, "{:#?}", judgement.requirements);
    // Nobody knows how the generator fared: never valid in silence.
    assert_eq!(judgement.validity, Validity::Questionable);
    let bad: Vec<&str> = judgement
        .signs
        .iter()
        .filter(|sign| sign.state != judge::WireValidity::Valid)
        .map(|sign| sign.code.as_str())
        .collect();
    assert_eq!(bad, ["imported"]);
    let hold = judgement.steps.iter().find(|step| step.id == "hold").unwrap();
    assert_eq!((hold.books.intended, hold.books.completed, hold.books.failed), (3000, 2988, 12));
    assert!((hold.seconds - 299.901).abs() < 1e-6, "{}", hold.seconds);
}

/// Calls are sorted into seconds that begin with the earliest of the first ones; one that began before it has the files
/// read a second time.
#[test]
fn the_earliest_call_begins_the_run_wherever_it_stands() {
    let text = jtl(7000);
    let lines: Vec<&str> = text.lines().collect();
    let [head, first, rest @ ..] = lines.as_slice() else { panic!() };
    // Beyond the calls by which the beginning is taken to be known.
    assert!(rest.len() > 65_536);
    let last: Vec<&str> = [head].into_iter().chain(rest).chain([first]).copied().collect();
    let read = |text: &str| {
        let lab = Lab::new();
        let imported = lab.import(&lab.write("results.jtl", text.as_bytes()), RULES, |_| {}).unwrap();
        let judgement = judged(&imported);
        let hold = judgement.steps.iter().find(|step| step.id == "hold").unwrap();
        let results = judgement.requirements.iter().map(|it| (it.verdict, it.value, it.low, it.high));
        (imported.calls, hold.seconds, hold.books, results.collect::<Vec<_>>())
    };
    let (sorted, turned) = (read(&text), read(&last.join("\n")));
    assert_eq!(sorted.0, 70_000);
    assert_eq!(sorted, turned);
}

#[test]
fn what_the_tool_prints_stands_beside_what_the_calls_say() {
    let lab = Lab::new();
    // 25,000 samples of 10 ms, and the last 20,000 of 1 to 20,000 ms.
    let mut text = HEADER.to_owned();
    for number in 0..45_000u64 {
        let took = if number < 25_000 { 10 } else { number - 25_000 + 1 };
        writeln!(text, "{},{took},x,200,OK,true,3,1,1", BEGIN_MS + number).unwrap();
    }
    let imported = lab.import(&lab.write("a.jtl", text.as_bytes()), "  a: p95(x.response) < 1h\n", |_| {}).unwrap();
    let p95 = imported.head.said.iter().find(|figure| figure.quantile == 0.95).unwrap();
    // Type 6 over 1..=20,000: rank 19,000.95. Nearest rank over all: 42,750th, which is the 17,750th of the last.
    assert!((p95.said.unwrap() - 19_000.95).abs() < 1e-6, "{p95:?}");
    assert_eq!((p95.why.as_str(), p95.file.as_str()), ("last_calls", ""));
    assert_eq!((p95.data, p95.of, p95.calls), (Some(17_750.0), 20_000, 45_000));
}

#[test]
fn a_damaged_file_is_read_as_far_as_it_goes_and_shows_it() {
    let lab = Lab::new();
    let mut text = jtl(300);
    text.insert_str(HEADER.len(), "nonsense\n1,2,\"never closed\n");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let file = lab.write("results.jtl.gz", &packed[..packed.len() * 9 / 10]);
    let imported = lab.import(&file, RULES, |_| {}).unwrap();
    let file = &imported.head.files[0];
    assert!((2000..3000).contains(&imported.calls), "{}", imported.calls);
    assert_eq!(imported.calls, file.read);
    assert!(file.unreadable >= 3, "{file:?}");
    assert_eq!((file.examples[0].line, file.examples[1].line), (2, 3));
    assert!(file.examples.iter().any(|line| line.why.starts_with("the file breaks off")), "{file:?}");
    let evidence = Evidence::read(&Run::open(&imported.folder).unwrap()).unwrap();
    let (views, judgement) = judge::judge(&evidence, &imported.study);
    let sign = judgement.signs.iter().find(|sign| sign.code == "unreadable").unwrap();
    assert_eq!(sign.state, judge::WireValidity::Questionable, "three of two thousand and some");
    // Such lines are among the events, and no moment of the load.
    assert!(views.events.iter().any(|event| event.kind == "unreadable"));
    let of_lines = |lead: &Lead| matches!(lead, Lead::Event(place) if views.events[*place].kind == "unreadable");
    assert!(!moments(&views).iter().flat_map(|moment| &moment.leads).any(of_lines));
    // What was in those lines may turn what is met.
    let fast = judgement.requirements.iter().find(|result| result.id == "fast").unwrap();
    assert_eq!(fast.verdict, Verdict::CannotTell);
}

#[test]
fn what_a_file_that_breaks_off_met_is_withdrawn() {
    let lab = Lab::new();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(jtl(600).as_bytes()).unwrap();
    let whole = packed.finish().unwrap();
    let mut damaged = whole.clone();
    // The checksum of what was packed.
    damaged[whole.len() - 8] ^= 0x55;
    let cut = whole[..whole.len() / 2].to_vec();
    let of = |bytes: &[u8]| {
        let _ = std::fs::remove_dir_all(lab.path("run"));
        let imported = lab.import(&lab.write("a.jtl.gz", bytes), RULES, |_| {}).unwrap();
        let judgement = judged(&imported);
        let sign = judgement.signs.iter().find(|sign| sign.code == "broken_off").map(|sign| sign.state);
        let fast = judgement.requirements.iter().find(|result| result.id == "fast").unwrap().verdict;
        (imported.calls == 6000, sign, fast)
    };
    use judge::WireValidity::{Invalid, Questionable};
    assert_eq!(of(&whole), (true, None, Verdict::Met));
    assert_eq!(of(&cut), (false, Some(Questionable), Verdict::CannotTell));
    assert_eq!(of(&damaged), (true, Some(Invalid), Verdict::CannotTell));
}

#[test]
fn a_warm_up_is_not_judged_and_sums_are_not_counted_again() {
    let lab = Lab::new();
    let mut text = jtl(120);
    let sum = "Number of samples in transaction : 2, number of failing samples : 0";
    writeln!(text, "{BEGIN_MS},900,Checkout,200,\"{sum}\",true,7,0,0").unwrap();
    let file = lab.write("a.jtl", text.as_bytes());
    let imported = lab.import(&file, RULES, |request| request.warm_up = Nanos::from_secs(60)).unwrap();
    assert_eq!((imported.calls, imported.head.files[0].nested), (1200, 1));
    let judgement = judged(&imported);
    let of = |id: &str| judgement.steps.iter().find(|step| step.id == id).unwrap().books.intended;
    assert_eq!((of("warm_up"), of("hold")), (600, 600));
    let said: Vec<&str> = imported.head.said.iter().map(|figure| figure.exchange.as_str()).collect();
    assert!(said.contains(&"checkout"), "{said:?}");
}

#[test]
fn what_is_refused_leaves_no_folder() {
    let lab = Lab::new();
    let good = lab.write("good.jtl", jtl(30).as_bytes());
    let unknown = lab.import(&good, "  a: p95(homepage.response) < 1s\n", |_| {}).unwrap_err().to_string();
    assert!(unknown.contains("home_page"), "the name that is there is suggested: {unknown}");
    let long = lab.import(&good, RULES, |request| request.warm_up = Nanos::from_secs(60)).unwrap_err().to_string();
    assert!(long.contains("leaves nothing to judge"), "{long}");
    let far = format!("{HEADER}0,5,a,200,OK,true,1,1,1\n{BEGIN_MS},5,a,200,OK,true,1,1,1\n");
    let far = lab.import(&lab.write("far.jtl", far.as_bytes()), RULES, |_| {}).unwrap_err().to_string();
    assert!(far.contains("14 days are the most"), "{far}");
    let empty = lab.import(&lab.write("e.jtl", HEADER.as_bytes()), RULES, |_| {}).unwrap_err().to_string();
    assert!(empty.contains("no call that can be read"), "{empty}");
    assert!(lab.import(&lab.path("gone.jtl"), RULES, |_| {}).unwrap_err().to_string().contains("cannot be read"));
    assert!(!lab.path("run").exists());
    // What stands there already is never written over.
    lab.import(&good, "  a: p95(home_page.response) < 1s\n", |_| {}).unwrap();
    let before = std::fs::read(lab.path("run/evidence/manifest.json")).unwrap();
    assert!(lab.import(&good, RULES, |_| {}).is_err());
    assert_eq!(std::fs::read(lab.path("run/evidence/manifest.json")).unwrap(), before);
}

#[test]
fn failures_that_a_file_does_not_tell_are_not_taken_for_none() {
    let lab = Lab::new();
    let mut text = "elapsed,timeStamp\n".to_owned();
    for number in 0..600 {
        writeln!(text, "20,{}", BEGIN_MS + number * 100).unwrap();
    }
    let rules = "  right: share(no_label.failed) <= 1%\n  few: count(no_label.failed) <= 5\n  \
                 fast: p95(no_label.response) > 1ms\n";
    let imported = lab.import(&lab.write("min.jtl", text.as_bytes()), rules, |_| {}).unwrap();
    assert!(imported.head.unknown.iter().any(|what| what == "failures"), "{:?}", imported.head.unknown);
    let judgement = judged(&imported);
    let of = |id: &str| judgement.requirements.iter().find(|result| result.id == id).unwrap().verdict;
    assert_eq!((of("right"), of("few")), (Verdict::CannotTell, Verdict::CannotTell));
    // Where the file has the column, no failure is known to be none.
    std::fs::remove_dir_all(lab.path("run")).unwrap();
    let told = text.replace("timeStamp\n", "timeStamp,success\n").replace("00\n", "00,true\n");
    let imported = lab.import(&lab.write("told.jtl", told.as_bytes()), rules, |_| {}).unwrap();
    assert_eq!(imported.calls, 600);
    let judgement = judged(&imported);
    assert_eq!(verdicts(&judgement)[..2], [("right", Verdict::Met), ("few", Verdict::Met)]);
}

#[test]
fn stamps_that_say_no_zone_are_of_the_one_that_is_given() {
    let lab = Lab::new();
    let text =
        "timeStamp,elapsed,label,success\n2026-11-26 12:58:00.000,20,a,true\n2026-11-26 12:58:05.000,20,a,true\n";
    let file = lab.write("a.jtl", text.as_bytes());
    let imported = lab.import(&file, "  a: p95(a.response) < 1s\n", |request| request.zone = Some(7200)).unwrap();
    let run = Run::open(&imported.folder).unwrap();
    assert_eq!(run.head.wall_origin_ns, BEGIN_MS as i64 * 1_000_000);
}

#[test]
fn the_same_bytes_are_not_counted_twice() {
    let lab = Lab::new();
    let plain = lab.write("a.jtl", jtl(5).as_bytes());
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(jtl(5).as_bytes()).unwrap();
    let packed = lab.write("b.jtl.gz", &packed.finish().unwrap());
    let source = |path: &Path| Source { kind: Kind::Jtl, instance: None, path: path.to_owned() };
    for other in [&plain, &packed] {
        let refused = lab.import_all(&[source(&plain), source(other)], RULES, |_| {}).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("hold the same bytes"), "{refused}");
        assert!(!lab.path("run").exists());
    }
}

#[test]
fn what_is_no_text_is_refused_with_how_to_make_it_one() {
    let lab = Lab::new();
    let utf_16: Vec<u8> = [0xfeff].into_iter().chain(jtl(1).encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&utf_16).unwrap();
    let packed = packed.finish().unwrap();
    for (name, bytes, part) in [
        ("a.jtl", utf_16.as_slice(), "iconv -f UTF-16"),
        ("packed.jtl.gz", packed.as_slice(), "iconv -f UTF-16"),
        ("b.jtl", &[0; 100], "is not text"),
        ("c.jtl", b"PK\x03\x04rest", "is a zip"),
    ] {
        let refused = lab.import(&lab.write(name, bytes), RULES, |_| {}).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(part), "{refused}");
        assert!(!refused.contains('\0'), "{refused}");
    }
}

#[test]
fn samples_that_are_of_no_use_are_told_of() {
    let lab = Lab::new();
    let header = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\nstore log 0 1 2 5\n";
    let calls = lab.write("a.jtl", jtl(60).as_bytes());
    for (text, every, part) in [
        (header.to_owned(), None, "no clock"),
        (header.to_owned(), Some(Nanos::SECOND), "cannot be placed by the load"),
        (format!("2026-11-26T08:58:00Z\n{header}"), None, "0 of 1 rows lie within the run"),
    ] {
        let sources = [
            Source { kind: Kind::Jtl, instance: None, path: calls.clone() },
            Source { kind: Kind::KafkaGroups, instance: None, path: lab.write("lag.log", text.as_bytes()) },
        ];
        let imported = lab.import_all(&sources, RULES, |request| request.every = every).unwrap();
        let remarks = &imported.head.files[1].remarks;
        assert!(remarks.iter().any(|remark| remark.contains(part)), "{part}: {remarks:?}");
        std::fs::remove_dir_all(lab.path("run")).unwrap();
    }
}

/// Answers of `kafka-consumer-groups`, each with a lag and a line before it.
fn answers(all: impl IntoIterator<Item = (String, u32)>) -> String {
    let mut text = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\n".to_owned();
    for (before, lag) in all {
        writeln!(text, "{before}\nstore log 0 1 2 {lag}").unwrap();
    }
    text
}

#[test]
fn a_rule_on_samples_that_nothing_places_says_why() {
    let lab = Lab::new();
    let calls = lab.write("a.jtl", jtl(60).as_bytes());
    let stamped = |hour: u32| answers((0..5).map(|second| (format!("2026-11-26T{hour:02}:58:{second:02}Z"), 5)));
    let noise = |count: u32| answers((0..count).map(|row| (String::new(), row * 7919 % 13)));
    let flat = answers((0..99).map(|_| (String::new(), 5)));
    for (text, every, code, why) in [
        (noise(99), None, "no_clock", "no_interval"),
        (noise(20), Some(1), "no_clock", "too_few"),
        (noise(99), Some(10), "no_clock", "short_load"),
        (flat, Some(1), "no_clock", "flat"),
        (noise(99), Some(1), "no_clock", "apart"),
        (stamped(10), None, "", ""),
        (stamped(8), None, "outside_run", ""),
    ] {
        let sources = [
            Source { kind: Kind::Jtl, instance: None, path: calls.clone() },
            Source { kind: Kind::KafkaGroups, instance: None, path: lab.write("lag.log", text.as_bytes()) },
        ];
        let change = |request: &mut Request<'_>| request.every = every.map(Nanos::from_secs);
        let imported = lab.import_all(&sources, "  lag: max(imported.lag) < 80\n", change).unwrap();
        let judgement = judged(&imported);
        let [result] = &judgement.requirements[..] else { panic!("{:?}", judgement.requirements) };
        let args = &result.reason.args;
        match code {
            "no_clock" => assert_eq!(args["why"], judge::Arg::Text(why.into())),
            "outside_run" => {
                assert_eq!(args["rows"], judge::Arg::Count(5.0));
                assert_eq!(args["to"], judge::Arg::Text("2026-11-26T08:58:04Z".into()));
                assert_eq!(args["run_from"], judge::Arg::Text("2026-11-26T10:58:00Z".into()));
            }
            _ => assert_ne!(result.verdict, Verdict::CannotTell, "{result:?}"),
        }
        if !code.is_empty() {
            assert_eq!((result.verdict, result.reason.code.as_str()), (Verdict::CannotTell, code), "{why}");
            assert_eq!(args["file"], judge::Arg::Text("lag.log".into()));
        }
        std::fs::remove_dir_all(lab.path("run")).unwrap();
    }
}

/// With as much of the monitor `jvm` as is asked for here.
const WITH_JVM: Registry<'static> = Registry {
    monitors: &[
        IMPORTED_VALUES,
        MonitorKind {
            name: "jvm",
            metrics: &[MetricKind::gauge("old_used", Unit::Bytes)],
            named: None,
            ..IMPORTED_VALUES
        },
    ],
    ..REGISTRY
};

/// A virtual machine that is three days old: rows a second apart, now and then one that comes 300 ms late, with what it
/// has collected; its old generation is full from the fortieth second on.
fn jstat(seconds: u64) -> String {
    const HEAD: &str = "Timestamp S0C S1C S0U S1U EC EU OC OU MC MU CCSC CCSU YGC YGCT FGC FGCT CGC CGCT GCT";
    let mut text = String::new();
    for second in 0..seconds {
        if second % 20 == 0 {
            writeln!(text, "{HEAD}").unwrap();
        }
        let (late, used) = (if second % 10 == 7 { 3 } else { 0 }, if second < 40 { 100.0 } else { 900.0 });
        writeln!(
            text,
            "{}.{late} 0.0 0.0 0.0 0.0 1000.0 50.0 1000.0 {used} 9.0 9.0 1.0 1.0 {second} 0.1 0 0.0 - - 0.1",
            259_200 + second
        )
        .unwrap();
    }
    text
}

#[test]
fn rows_of_jstat_need_no_interval_and_begin_where_the_first_was_taken() {
    let lab = Lab::new();
    let path = lab.write("a.jtl", jtl(60).as_bytes());
    let rules = "  full: max(jvm.old_used) < 500 kB in hold\n";
    let sources = [
        Source { kind: Kind::Jtl, instance: None, path },
        Source { kind: Kind::Jstat, instance: None, path: lab.write("jstat.log", jstat(60).as_bytes()) },
    ];
    let import = |start: Option<Nanos>| {
        let change = |request: &mut Request<'_>| (request.start, request.registry) = (start, WITH_JVM);
        let imported = lab.import_all(&sources, rules, change).unwrap();
        let judgement = judged(&imported);
        std::fs::remove_dir_all(lab.path("run")).unwrap();
        (imported, judgement)
    };
    let begin = Nanos::from_secs(BEGIN_MS as i64 / 1000);
    let (imported, judgement) = import(Some(begin));
    assert_eq!(imported.head.files[1].placed, record::Placed::StartAndInterval);
    // 900 KiB are 921.6 kB.
    let [full] = &judgement.requirements[..] else { panic!("{:?}", judgement.requirements) };
    assert_eq!(full.value, Some(921_600.0), "{full:?}");
    assert!(judgement.signs.iter().any(|sign| sign.code == "approximate"), "{:?}", judgement.signs);
    // As if `jstat` had been started half a minute before the load, which was over when the old generation was full.
    let (_, judgement) = import(Some(begin - Nanos::from_secs(30)));
    assert_eq!(judgement.requirements[0].value, Some(921_600.0));
    let (_, judgement) = import(Some(begin + Nanos::from_secs(25)));
    assert_eq!(judgement.requirements[0].value, Some(102_400.0), "the load was over by then");
    // A heap that does not follow the load is placed nowhere, and what would help is said.
    let (imported, judgement) = import(None);
    assert_eq!(imported.head.files[1].placed, record::Placed::WholeRun);
    let remarks = &imported.head.files[1].remarks;
    assert!(remarks.iter().any(|remark| remark.contains("says when the first was taken")), "{remarks:?}");
    assert_eq!(judgement.requirements[0].verdict, Verdict::CannotTell);
}

#[test]
fn a_zone_is_needed_only_where_stamps_leave_it_open() {
    let lab = Lab::new();
    let bare =
        "timeStamp,elapsed,label,success\n2026-11-26 10:58:00.000,20,a,true\n2026-11-26 10:58:05.000,20,a,true\n";
    for (text, zone, needs_zone) in [
        (jtl(5), None, false),
        (jtl(5), Some(3600), false),
        (bare.to_owned(), None, true),
        (bare.to_owned(), Some(0), true),
    ] {
        let file = lab.write("a.jtl", text.as_bytes());
        let imported = lab.import(&file, "", |request| (request.zone, request.study) = (zone, None)).unwrap();
        assert_eq!(imported.needs_zone, needs_zone);
        let remarks = &imported.head.files[0].remarks;
        let is_told = remarks.iter().any(|remark| remark.contains("taken for UTC"));
        assert_eq!(is_told, needs_zone && zone.is_none(), "{remarks:?}");
        std::fs::remove_dir_all(lab.path("run")).unwrap();
    }
}
