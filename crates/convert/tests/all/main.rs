//! Sources of each kind to studies: what is in them is in the study, and what is not is told.
#![allow(clippy::unwrap_used, reason = "a test")]

mod curl;
mod jmeter;
mod others;

use convert::{Choices, Converted, Folder, Kind, NoFolder, Refused};

/// The folder of the samples.
struct Samples;

impl Folder for Samples {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match path {
            "users.csv" => Ok(include_bytes!("samples/users.csv").to_vec()),
            _ => Err("it is not beside the source".to_owned()),
        }
    }
}

fn made_by(name: &str, text: &str, choices: &Choices) -> Converted {
    let kind = Kind::of(name, text).unwrap_or_else(|| panic!("{name} is of no kind"));
    convert::convert(kind, name, text, choices, &Samples).unwrap_or_else(|why| panic!("{name}: {why}"))
}

fn made(name: &str, text: &str) -> Converted {
    made_by(name, text, &Choices::default())
}

fn study(made: &Converted) -> String {
    String::from_utf8(made.files[0].bytes.clone()).unwrap()
}

/// The study has all of these, and nothing of what is secret.
fn has(made: &Converted, parts: &[&str]) {
    let text = study(made);
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
    for file in &made.files {
        let text = String::from_utf8_lossy(&file.bytes);
        for secret in ["hunter22", "s3cr3t-key", "abc.def.ghi", "abcdefgh12345678"] {
            assert!(!text.contains(secret), "{} holds {secret}:\n{text}", file.path);
        }
    }
}

/// Everything that is told, in order.
fn lines(made: &Converted) -> Vec<String> {
    made.lost.iter().map(|lost| format!("{}: {}: {}", lost.place, lost.what, lost.why)).collect()
}

fn tells(made: &Converted, parts: &[&str]) {
    let all: Vec<String> =
        made.lost.iter().map(|lost| format!("{}: {}: {}", lost.place, lost.what, lost.why)).collect();
    for part in parts {
        assert!(all.iter().any(|line| line.contains(part)), "`{part}` is not told: {all:#?}");
    }
}

#[test]
fn commands_of_curl() {
    let made = made("commands.txt", include_str!("samples/commands.txt"));
    assert_eq!((made.seen, made.carried, made.secrets.len()), (3, 3, 3));
    has(
        &made,
        &[
            "bearer: $(secret.TOKEN)",
            "basic: \"me:$(secret.ME_PASSWORD)\"",
            "tls: { insecure: true }",
            "json: { name: x $$(1), password: \"$(secret.PASSWORD)\" }",
            "/search?q=red%20lamp",
            "load: { users: 1, pacing: 1s, hold: 1m }",
        ],
    );
    tells(&made, &["the source does not say which it is"]);
    for (name, _) in &made.secrets {
        let file = made.files.iter().find(|file| file.path == format!("secrets/{name}")).unwrap();
        assert_eq!(file.bytes, format!("{}\n", ::study::SECRET_PLACEHOLDER).into_bytes(), "{name}");
    }
}

#[test]
fn a_recording() {
    let made = made("shop.har", include_str!("samples/shop.har"));
    assert_eq!((made.seen, made.carried), (6, 3));
    has(
        &made,
        &[
            "- think: 5s",
            "transaction: page_home",
            "form: { csrf: $(csrf), item: $(id), password: $(secret.PASSWORD) }",
            "id: \"json($.items[0].id)\"",
            "check: [ status = 200 ]",
        ],
    );
    tells(
        &made,
        &["site.css", "tracker.example.net", "cookies that were there before the recording: old", "captured as `csrf`"],
    );
    assert!(!study(&made).contains("/cart/1"), "the redirect is followed by the exchange that meets it");
    let all = made_by(
        "shop.har",
        include_str!("samples/shop.har"),
        &Choices { hosts: vec!["*".into()], assets: true, changing: false },
    );
    has(&all, &["tracker.example.net", "/site.css"]);
}

#[test]
fn a_plan_of_jmeter() {
    let made = made("shop.jmx", include_str!("samples/shop.jmx"));
    assert_eq!((made.seen, made.carried), (3, 2));
    has(
        &made,
        &[
            "shop_url: \"https://shop.example\"",
            "load: { users: 20, ramp: { over: 30s }, hold: 5m }",
            "/search?q=red%20lamp%20$(url(users.user))",
            "check: [ status = 200 ]",
            "any)",
            "json: { item: $(id), mail: \"$(users.mail)\" }",
            "x-api-key: $(secret.X_API_KEY)",
            "transaction: check_out",
            "- think: 1500ms",
            "max(search.response) <= 800ms",
        ],
    );
    tells(&made, &["JSR223Sampler", "1 elements that are disabled"]);
    let table = made.files.iter().find(|file| file.path == "data/users.csv").unwrap();
    assert_eq!(table.bytes, b"user,mail\nann,ann@example.org\nbob,bob@example.org\n");
}

#[test]
fn a_script_of_k6() {
    let made = made("shop.js", include_str!("samples/shop.js"));
    has(
        &made,
        &[
            "arrivals: [ { to: 1/s, over: 1ms }, { to: 10/s, over: 30s }, { rate: 10/s, for: 5m } ], max_in_flight: 50",
            "json: { user: perf, password: \"$(secret.PASSWORD)\" }",
            "capture: { token: json($.token) }",
            "bearer: $(token)",
            "/items?limit=5",
            "/items/$(id)",
            "- think: 0s to 3s",
            "transaction: browse",
            "p95(*.service of all) < 500ms",
            "share(*.failed) < 1%",
            "share(*.failed) >= 1% for 10s",
        ],
    );
    tells(&made, &["slow.add()", "slow: avg<3", "the check `quick`", "a condition that only a run would show"]);
    assert!(!study(&made).split("run:").nth(1).unwrap().contains("delete_items"));
}

#[test]
fn what_a_class_sends_is_told() {
    let script = "import http from 'k6/http';\nclass Shop { list() { return http.get('https://shop.example/a'); } }\n\
                  export default function () { http.get('https://shop.example/b'); }\n";
    let made = made("shop.js", script);
    assert_eq!(made.carried, 1);
    tells(&made, &["the class `Shop`", "what its methods send is not read"]);
}

#[test]
fn a_description_of_an_api() {
    let text = include_str!("samples/shop.yaml");
    let made = made("shop.yaml", text);
    assert_eq!((made.seen, made.carried), (2, 1));
    has(
        &made,
        &[
            "shop_api_url: \"https://api.shop.example\"",
            "/v1/items/7?q=a%20b",
            "x-api-key: $(secret.KEY)",
            "place_order:",
            "item: textxx",
            "check: [ status = 201 ]",
        ],
    );
    tells(&made, &["they may change something", "the smallest that fit"]);
    let all = made_by("shop.yaml", text, &Choices { changing: true, ..Choices::default() });
    assert_eq!(all.carried, 2);
}

#[test]
fn a_collection_of_postman() {
    let made = made("shop.json", include_str!("samples/shop.postman_collection.json"));
    assert_eq!((made.seen, made.carried), (3, 3));
    has(
        &made,
        &[
            "form: { user: perf, password: $(secret.PASSWORD) }",
            "check: [ status = 200 ]",
            "capture: { token: json($.token) }",
            "bearer: $(token)",
            "/api/orders/12",
            "transaction: orders",
        ],
    );
    tells(&made, &["pm.expect(data.count).to.be.above(3);", "the value of `page`"]);
}

#[test]
fn what_holds_nothing_is_refused() {
    let refused = |kind, text| convert::convert(kind, "x", text, &Choices::default(), &NoFolder).unwrap_err();
    assert!(matches!(refused(Kind::Har, "{\"log\": {\"entries\": []}}"), Refused::Nothing { .. }));
    for (kind, word) in Kind::ALL {
        assert!(matches!(refused(kind, "\u{0}<{'"), Refused::Unreadable { .. }), "{word}");
        assert!(!refused(kind, "").to_string().is_empty());
    }
}
