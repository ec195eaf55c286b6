//! One message for each code, as the user sees it.

use super::fakes::{load, load_in, rejected, study};
use crate::{CODES, NOT_YET, Options, show};
use std::collections::BTreeSet;
use std::path::Path;

const SYSTEM: &str = "system: { name: shop, url: \"http://127.0.0.1:8080\", identity: { expect: { name: shop } } }\nwatch: { host: {} }\n";

/// A study with some keys of its own, and what is left out filled in.
fn with(keys: &str) -> String {
    let mut text = format!("study: Checkout\n{keys}\n");
    for (key, default) in [
        ("system:", SYSTEM),
        ("exchanges:", "exchanges:\n  search: { http.get: { url: $(shop.url)/search }, check: [ status = 200 ] }\n"),
        ("scenarios:", "scenarios:\n  busy: { load: { arrivals: 200/s, hold: 5m }, run: [search] }\n"),
    ] {
        if !keys.lines().any(|line| line.starts_with(key)) {
            text.push_str(default);
        }
    }
    text
}

fn exchange(keys: &str) -> String {
    with(&format!("exchanges:\n  search: {{ http.get: {{ url: $(shop.url)/search }}, {keys} }}"))
}

fn load_key(keys: &str) -> String {
    with(&format!("scenarios:\n  busy: {{ load: {{ {keys} }}, run: [search] }}"))
}

fn rule(rule: &str) -> String {
    with(&format!("requirements:\n  fast: {rule}"))
}

fn cases() -> Vec<(&'static str, String)> {
    vec![
        ("study::arithmetic", with("vars: { wait: 5s, many: $(wait + 3) }")),
        ("study::bad-call", exchange("check: [ body = \"$(random(6))\" ]")),
        ("study::bad-capture", exchange("capture: { token: json($.token) = 3 }")),
        ("study::bad-check", exchange("check: [ stauts = 200 ]")),
        (
            "study::bad-condition",
            with(
                "exchanges: { search: { http.get: { url: $(shop.url)/search } } }\nscenarios: { busy: { load: { users: 1, hold: 1m }, run: [ search, { if: open, then: [ search ] } ] } }",
            ),
        ),
        ("study::bad-data", with("data: { users: { file: data/users.csv } }")),
        ("study::bad-machine", watched("{ host: {}, on: ssh://me:secret@db1 }")),
        ("study::bad-name", with("vars: { first-rate: 5/s, per: 3 }")),
        ("study::bad-script", with("scripts:\n  sign: |\n    fn make(text) {\n      text.to_uper()\n    }")),
        (
            "study::capture-before",
            with(
                "exchanges:\n  login: { http.post: { url: $(shop.url)/login }, capture: { token: json($.t) } }\n  search: { http.get: { url: $(shop.url)/search, headers: { x: $(token) } } }",
            ),
        ),
        ("study::conflict", load_key("arrivals: 5/s, users: 5, hold: 5m")),
        ("study::duplicate-key", load_key("arrivals: 5/s, hold: 5m, hold: 6m")),
        ("study::duplicate-name", with("order: [busy, busy]")),
        ("study::empty", with("scenarios:\n  busy: { load: { arrivals: 5/s, hold: 5m }, run: [] }")),
        ("study::missing-environment", with("about: $(env.NO_SUCH_VALUE)")),
        ("study::missing-key", load_key("arrivals: 5/s")),
        ("study::missing-secret", exchange("check: header(x) = $(secret.NO_SUCH_KEY)")),
        ("study::missing-unit", rule("share(search.response < 300) >= 95%")),
        ("study::mix-of-mix", mixed("both: { mix: [busy] }\n  twice: { mix: [both] }", "twice", "")),
        (
            "study::needs-loop",
            with(
                "system:\n  instances:\n    shop: { start: shop --port $(port), needs: [store] }\n    store: { start: store, needs: [shop] }",
            ),
        ),
        (
            "study::never-together",
            mixed(
                "late: { load: { users: 2, hold: 1m }, run: [search], after: 10m }\n  both: { mix: [busy, late] }",
                "both",
                "",
            ),
        ),
        ("study::no-count", load_key("users: many, hold: 5m")),
        ("study::no-link", with("traces: { link: \"https://t/trace\" }")),
        ("study::no-quantity", load_key("arrivals: 5/s, hold: 5min")),
        ("study::no-streams", rule("share(look.failed) < 1% per stream")),
        ("study::no-window", rule("mean(host.cpu) < 10% in idle")),
        (
            "study::not-in-scenario",
            with(
                "exchanges:\n  search: { http.get: { url: $(shop.url)/search } }\n  buy: { http.put: { url: $(shop.url)/buy } }\nrequirements: { fast: mean(buy.response) < 1s }",
            ),
        ),
        ("study::not-yet", with("scale: { rate: 10% }")),
        ("study::not-yet-known", load_key("arrivals: 5/s, hold: $(shop.url)")),
        ("study::not-over-ssh", watched("{ access_log: {}, on: ssh://db1 }")),
        ("study::open-variable", exchange("check: header(x) = $(rate")),
        ("study::out-of-range", load_key("arrivals: 0/s, hold: 0s")),
        ("study::rate-without-unit", load_key("arrivals: 250, hold: 5m")),
        ("study::rule-not-here", rule("share(search.failed) < 1% for 30s")),
        ("study::rule-syntax", rule("share(search.failed) 1%")),
        ("study::too-large", rule(&format!("share(search.failed) < {}", "1".repeat(5000)))),
        ("study::unknown-function", rule("maen(search.response) < 1s")),
        ("study::unknown-key", load_key("arivals: 250/s, hold: 5m, arrivals: 5/s")),
        ("study::unknown-kind", with("exchanges:\n  search: { http.gte: { url: $(shop.url)/search } }")),
        ("study::unknown-node", watched("{ host: {}, on: node-2 }")),
        ("study::unknown-name", with("scenarios:\n  busy: { load: { arrivals: 5/s, hold: 5m }, run: [serach] }")),
        ("study::unknown-unit", load_key("users: 5, count: 500 events")),
        ("study::unknown-word", load_key("arrivals: 5/s, hold: 5m, spacing: possion")),
        ("study::unreadable-file", with("include: [ common.yaml ]")),
        ("study::unused-faults", with("system: { name: shop, start: shop --port $(port), faults: { delay: 20ms } }")),
        ("study::variable-loop", with("vars: { a: $(b), b: $(a * 2) }")),
        (
            "study::weights",
            with("scenarios:\n  busy: { load: { arrivals: 5/s, hold: 5m }, run: [ choose: { search: 40% } ] }"),
        ),
        ("study::wrong-series", rule("p95(search.failed) < 1%")),
        ("study::wrong-type", exchange("connection: { reuse: yes }")),
        ("study::wrong-unit", load_key("users: 5/s, hold: 5m")),
        ("study::yaml", with("requirements: { fast: share(a: b) } }")),
    ]
}

/// A study with a monitor `other`.
fn watched(other: &str) -> String {
    with(&SYSTEM.replace("{ host: {} }", &format!("{{ host: {{}}, other: {other} }}")))
}

/// A study with the scenario `busy` and others, run in an order.
fn mixed(scenarios: &str, order: &str, keys: &str) -> String {
    let busy = "busy: { load: { arrivals: 200/s, hold: 5m }, run: [search] }";
    with(&format!("scenarios:\n  {busy}\n  {scenarios}\norder: [{order}]\n{keys}"))
}

/// Codes of warnings, and those that need files; they have tests of their own below.
const ELSEWHERE: [&str; 7] = [
    "study::include-loop",
    "study::unused",
    "study::not-run",
    "study::no-instance",
    "study::placeholder-secret",
    "study::short-secret",
    "study::written-secret",
];

#[test]
fn each_code_has_its_message() {
    let mut all = String::new();
    for (code, text) in cases() {
        let rejected = rejected(&text);
        assert!(rejected.mistakes.0.iter().any(|mistake| mistake.code == code), "{code}:\n{rejected}");
        let shown: Vec<_> =
            rejected.to_string().lines().map(|line| line.chars().take(160).collect::<String>()).collect();
        all.push_str(&format!("==== {code}\n{}\n\n", shown.join("\n")));
    }
    insta::assert_snapshot!("messages", all);
}

#[test]
fn every_code_has_a_case_and_no_case_is_without_a_code() {
    let cases = cases();
    let shown: BTreeSet<_> = cases.iter().map(|(code, _)| *code).chain(ELSEWHERE).collect();
    let known: BTreeSet<_> = CODES.iter().map(|(code, _)| *code).collect();
    assert_eq!(shown, known);
    assert!(CODES.is_sorted_by_key(|(code, _)| *code), "the guide lists them in order");
}

/// The sources of a folder and its folders, without tests and without the file of that name.
fn sources(folder: &Path, without: &str) -> String {
    let mut source = String::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.file_stem().is_some_and(|stem| stem == "tests") || path.ends_with(without) {
            continue;
        }
        if path.is_dir() {
            source.push_str(&sources(&path, without));
        } else if path.extension().is_some_and(|end| end == "rs") {
            source.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
    source
}

/// Every code in the source is in the list, and every code of the list in the source.
#[test]
fn codes_and_source_agree() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = BTreeSet::new();
    for folder in ["src", "../contract/src", "../script/src"] {
        collect(&sources(&here.join(folder), "codes.rs"), &mut used);
    }
    let known: BTreeSet<String> = CODES.iter().map(|(code, _)| (*code).to_owned()).collect();
    assert_eq!(used, known);
}

fn collect(source: &str, used: &mut BTreeSet<String>) {
    for part in source.split("\"study::").skip(1) {
        let code = part.split('"').next().unwrap();
        used.insert(format!("study::{code}"));
    }
}

/// Every word that is not supported yet is refused somewhere in the source; none is listed twice.
#[test]
fn the_list_of_what_is_not_yet_carried_out_is_used() {
    let source = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "not_yet.rs");
    let mut seen = BTreeSet::new();
    for (word, _) in NOT_YET {
        assert!(seen.insert(word), "`{word}` is listed twice");
        // Words of a list, such as `profile nsp`, are refused by the name of the list and the word.
        let lists = ["profile ", "format ", "language "];
        let member = lists.iter().find_map(|list| word.strip_prefix(list)).unwrap_or(word);
        assert!(source.contains(&format!("\"{member}\"")), "nothing refuses `{word}`");
    }
}

#[test]
fn a_study_with_twelve_mistakes_reports_twelve() {
    let text = r#"study: Checkout
sed: 3
system: { name: shop, url: "http://127.0.0.1:8080", identity: { expect: { name: shop } } }
watch: { hots: {} }
exchanges:
  search: { http.get: { url: $(shop.url)/search, ulr: x }, check: [ status = ok ] }
  buy: { http.gte: { url: $(nobody) } }
scenarios:
  busy: { load: { arrivals: 250, hold: 0s }, run: [search, byu] }
requirements:
  fast: share(search.response < 300ms) >= 95
  slow: p95(hots.cpu) > 3
  right: share(search.faild) <= 0.1%
"#;
    let rejected = rejected(text);
    assert_eq!(rejected.mistakes.0.len(), 12, "{rejected}");
    assert!(rejected.mistakes.0.is_sorted_by_key(|mistake| mistake.place));
    insta::assert_snapshot!("twelve", rejected.to_string());
}

#[test]
fn warnings_say_what_nothing_uses() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("users.csv"), "id\n1\n").unwrap();
    let text = "study: Checkout
assume: { streams: { value: 20, about: message streams } }
data: { users: { file: users.csv } }
system: { name: shop }
exchanges:
  search: { http.get: { url: http://127.0.0.1:8080/search } }
  buy: { http.put: { url: http://127.0.0.1:8080/buy } }
scenarios:
  busy: { load: { arrivals: 5/s, hold: 5m }, run: [search] }
  other: { load: { arrivals: 5/s, hold: 5m }, run: [search] }
order: [busy]
";
    let (study, _) = load_in(folder.path(), text, &Options::default()).unwrap_or_else(|rejected| panic!("{rejected}"));
    let shown: Vec<_> = study.warnings.iter().map(|warning| show("warning", warning, &study.files)).collect();
    insta::assert_snapshot!("warnings", shown.join("\n"));
}

#[test]
fn an_assumption_in_a_body_file_is_used() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("body.json"), r#"{"n": $(streams)}"#).unwrap();
    let text = with(
        "assume: { streams: 20 }\nexchanges:\n  search: { http.post: { url: $(shop.url)/search, body: body.json } }",
    );
    let (study, _) = load_in(folder.path(), &text, &Options::default()).unwrap_or_else(|rejected| panic!("{rejected}"));
    assert!(study.warnings.is_empty(), "{:?}", study.warnings);
    let (again, _) = load_in(Path::new("/elsewhere"), &study.effective, &super::fakes::archived())
        .unwrap_or_else(|rejected| panic!("{rejected}"));
    assert!(again.variables[0].is_used, "the archived study remembers it without the file");
}

#[test]
fn includes_merge_by_name_and_loops_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "common.yaml",
        "include: [ deep/vars.yaml ]\nstudy: Common\nvars: { rate: 5/s, wait: 1m }\nscenarios: { busy: { idle: 5s } }\n",
    );
    std::fs::create_dir(folder.path().join("deep")).unwrap();
    write("deep/vars.yaml", "vars: { wait: 1h, size: 3B }\n");
    let text = format!(
        "include: [ common.yaml ]\n{}",
        with("vars: { rate: 7/s }\nscenarios: { busy: { load: { arrivals: $(rate), hold: $(wait) }, run: [search] } }")
    );
    let (study, _) = load_in(folder.path(), &text, &Options::default()).unwrap_or_else(|rejected| panic!("{rejected}"));
    let values: Vec<_> = study.variables.iter().map(|v| (v.name.as_str(), v.value.as_str())).collect();
    assert_eq!(values, [("wait", "1m"), ("size", "3B"), ("rate", "7/s")]);
    assert_eq!(study.title.in_language("en"), "Checkout");
    assert_eq!(study.scenarios[0].idle, terms::Nanos::from_secs(5));
    assert_eq!(study.files.len(), 3);

    write("deep/vars.yaml", "include: ../common.yaml\n");
    let rejected = load_in(folder.path(), &text, &Options::default()).err().unwrap();
    let codes: Vec<_> = rejected.mistakes.0.iter().map(|mistake| mistake.code).collect();
    assert!(codes.contains(&"study::include-loop"), "{rejected}");
    insta::assert_snapshot!(
        "include_loop",
        rejected.to_string().replace(&folder.path().display().to_string(), "FOLDER")
    );
}

#[test]
fn set_gives_variables_new_values() {
    let text = with(
        "vars: { rate: 5/s, double: $(rate * 2) }\nscenarios:\n  busy: { load: { arrivals: $(double), hold: 5m }, run: [search] }",
    );
    let options = |name: &str| Options { set: vec![(name.into(), "10/s".into())], ..Options::default() };
    let (study, _) = load_in(Path::new("/nonexistent"), &text, &options("rate")).unwrap_or_else(|r| panic!("{r}"));
    let crate::Model::Arrivals { profile, .. } = &study.scenarios[0].parts[0].load.model else { panic!() };
    assert_eq!(*profile, crate::Profile::Constant(20.0));
    let rejected = load_in(Path::new("/nonexistent"), &text, &options("raet")).err().unwrap();
    insta::assert_snapshot!("unknown_set", rejected.to_string());
}

#[test]
fn mistakes_are_data_too() {
    let json = rejected(&load_key("arrivals: 250, hold: 5m")).to_json();
    let mistake = &json["mistakes"][0];
    assert_eq!(json["schema"], "loadproof/mistakes/1");
    assert_eq!(mistake["code"], "study::rate-without-unit");
    assert_eq!((&mistake["line"], &mistake["column"], &mistake["length"]), (&3.into(), &29.into(), &3.into()));
    assert_eq!(mistake["file"], "study.yaml");
}

#[test]
fn long_lines_are_cut_and_tabs_do_not_move_the_mark() {
    let text = with(&format!(
        "about: \"{}\"\nscenarios: {{ busy: {{ idle: 0s, {}load: {{ arrivals: 250, hold: 5m }}, run: [search] }} }}",
        "x".repeat(300),
        " ".repeat(200)
    ));
    let shown = rejected(&text).to_string();
    assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
    let lines: Vec<_> = shown.lines().collect();
    let text_line = lines.iter().position(|line| line.contains("arrivals: 250")).unwrap();
    let found = lines[text_line].find("250").map(|at| lines[text_line][..at].chars().count());
    assert_eq!(found, lines[text_line + 1].find('^'));
}

#[test]
fn a_right_study_is_accepted() {
    assert!(load(&with("")).is_ok());
    assert_eq!(study(&with("")).scenarios.len(), 1);
}
