//! What must answer, and how it is asked.

use super::fakes::{rejected, study};
use terms::Nanos;

fn with(system: &str) -> String {
    format!(
        "study: Identity\nsystem: {{ name: shop, {system} }}\nexchanges: {{ look: {{ http.get: {{ url: x }} }} }}\n\
         scenarios: {{ calm: {{ load: {{ users: 5, hold: 5m }}, run: [look] }} }}\n"
    )
}

#[test]
fn the_hint_for_a_missing_identity_can_be_typed_as_it_stands() {
    for identity in [
        "",
        ", identity: none",
        ", identity: /v",
        ", identity: { path: none }",
        ", identity: { path: /x, expect: {} }",
        ", identity: {}",
    ] {
        for url in ["http://127.0.0.1:1", "https://shop.example"] {
            let refused = rejected(&with(&format!("url: \"{url}\"{identity}")));
            let mistake = &refused.mistakes.0[0];
            assert_eq!(mistake.code, "study::missing-key", "{identity}: {refused}");
            let hint = mistake.hint.as_deref().unwrap_or_default();
            let typed: Vec<&str> = hint.split('`').filter(|part| part.starts_with("identity: ")).collect();
            assert_eq!(typed.len(), 4, "{identity}: {hint}");
            for typed in typed {
                assert!(!typed.contains("none"), "{identity}: {hint}");
                assert!(study(&with(&format!("url: \"{url}\", {typed}"))).system.instances[0].is_expected());
            }
        }
    }
}

#[test]
fn a_text_in_the_answer_is_an_identity_and_comes_back_in_the_effective_study() {
    let first = study(&with(
        "url: \"https://shop.example\", tls: { ca: shop.pem }, ready: /up, ready_within: 30s, \
         identity: { path: /, contains: \"shop $$(1)\" }",
    ));
    let instance = &first.system.instances[0];
    assert_eq!((instance.identity.as_str(), instance.contains.as_deref()), ("/", Some("shop $(1)")));
    assert_eq!((instance.ready_within, instance.tls.is_some()), (Some(Nanos::from_secs(30)), true));
    let again = study(&first.effective);
    assert_eq!(again.effective, first.effective);
    assert_eq!(again.system.instances[0].contains, instance.contains);
}

/// What is known when it is asked stays a name.
#[test]
fn a_proxy_leads_to_one_that_runs_already_and_comes_back_in_the_effective_study() {
    let proxied = |way: &str| with(&format!("{way}, proxy: {{ url: \"http://p:3128\", basic: \"me:$(run.id)\" }}"));
    let first = study(&proxied("url: \"https://shop.example\", identity: { status: 401 }"));
    let proxy = first.system.instances[0].proxy.as_ref().and_then(|node| node.get("basic")?.text());
    assert_eq!(proxy, Some("me:$(run.id)"));
    let again = study(&first.effective);
    assert_eq!(again.effective, first.effective);
    assert!(again.system.instances[0].proxy.is_some());
    let refused = rejected(&proxied("start: \"shop --port $(port)\""));
    assert_eq!(refused.mistakes.0[0].code, "study::conflict", "{refused}");
}

#[test]
fn a_started_one_needs_no_identity_and_what_speaks_tls_has_such_an_address() {
    let started = study(&with("start: \"shop --port $(port)\", identity: none, tls: {}"));
    assert_eq!(started.system.instances[0].identity, "");
    let places = crate::Places::placeholders(&started);
    assert_eq!(places.instance("shop").map(|place| place.replicas[0].url.as_str()), Some("https://127.0.0.1:1"));
    assert_eq!(study(&started.effective).effective, started.effective);
}

#[test]
fn an_identity_that_asks_nothing_or_proves_nothing_is_a_mistake() {
    for (identity, code) in [
        ("{ path: none, expect: { a: b } }", "study::conflict"),
        ("{ path: /v, contains: \"\", expect: { a: b } }", "study::out-of-range"),
        ("{ path: /v, contain: x, expect: { a: b } }", "study::unknown-key"),
    ] {
        let refused = rejected(&with(&format!("url: \"http://127.0.0.1:1\", identity: {identity}")));
        assert_eq!(refused.mistakes.0[0].code, code, "{identity}: {refused}");
    }
}

#[test]
fn a_status_a_header_or_a_certificate_comes_back_in_the_effective_study() {
    let digits = "AB".repeat(32);
    let colons = vec!["AB"; 32].join(":");
    for (identity, path) in [
        ("{ status: 401 }".to_owned(), "/"),
        ("{ header: Server, contains: nginx }".to_owned(), "/"),
        ("{ path: /up, header: Server, status: 204 }".to_owned(), "/up"),
        (format!("{{ fingerprint: sha256 {digits} }}"), "/"),
        (format!("{{ fingerprint: \"SHA256 Fingerprint={colons}\" }}"), "/"),
        (format!("{{ fingerprint: \"{colons}\", expect: {{ a: b }} }}"), "/version"),
        ("{ status: 200, contains: shop }".to_owned(), "/version"),
    ] {
        let first = study(&with(&format!("url: \"https://shop.example\", identity: {identity}")));
        let instance = &first.system.instances[0];
        assert!(instance.is_expected(), "{identity}");
        assert_eq!(instance.identity, path, "{identity}");
        let again = study(&first.effective);
        assert_eq!(again.effective, first.effective);
        assert_eq!(again.system.instances[0].signs, instance.signs);
        assert!(instance.signs.fingerprint.is_none_or(|bytes| bytes == [0xab; 32]), "{identity}");
    }
    for wrong in ["{ status: 99 }", "{ header: \"a b\" }", "{ fingerprint: abc }", "{ fingerprint: xyz }"] {
        let refused = rejected(&with(&format!("url: \"https://shop.example\", identity: {wrong}")));
        assert_eq!(refused.mistakes.0[0].code, "study::out-of-range", "{wrong}: {refused}");
    }
}
