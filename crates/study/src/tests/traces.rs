//! `traces`: what is read, what is refused, and that the archived study has all of it.

use super::fakes::{archived, load_in, rejected, study};
use crate::Traces;
use std::path::Path;

fn with(traces: &str) -> String {
    format!(
        "study: Checkout\nsystem: {{ name: shop, url: \"http://127.0.0.1:8080\", identity: {{ expect: {{ name: shop }} }} }}\n\
         exchanges:\n  search: {{ http.get: {{ url: $(shop.url)/search }}, check: [ status = 200 ] }}\n\
         scenarios:\n  nominal: {{ load: {{ arrivals: 200/s, hold: 5m }}, run: [search] }}\n{traces}\n"
    )
}

#[test]
fn traces_are_read_and_archived() {
    let plain = Traces { per_iteration: false, sampled: 1.0, link: None };
    let link = "https://jaeger.lab:16686/trace/$(trace)?x=1&y=%20";
    let all = Traces { per_iteration: true, sampled: 0.015, link: Some(link.to_owned()) };
    for (written, expected) in [
        ("", None),
        ("traces: w3c", Some(plain.clone())),
        ("traces: { send: w3c }", Some(plain)),
        (&format!("traces: {{ per: iteration, sampled: 1.5%, link: \"{link}\" }}"), Some(all)),
    ] {
        let first = study(&with(written));
        let (again, _) =
            load_in(Path::new("/elsewhere"), &first.effective, &archived()).unwrap_or_else(|why| panic!("{why}"));
        for study in [first, again] {
            assert_eq!(study.traces, expected, "{written}");
        }
    }
}

#[test]
fn a_link_has_the_id_in_its_place() {
    let traces = Traces { per_iteration: false, sampled: 1.0, link: Some("http://t/$(trace)/x/$(trace)".to_owned()) };
    assert_eq!(traces.link_of("4bf9").as_deref(), Some("http://t/4bf9/x/4bf9"));
    assert_eq!(Traces { link: None, ..traces }.link_of("4bf9"), None);
}

#[test]
fn what_cannot_be_is_refused() {
    for (traces, code, words) in [
        ("b3", "study::unknown-word", "`traces` cannot be `b3`"),
        ("{ send: b3 }", "study::unknown-word", "`w3c`"),
        ("{ per: user }", "study::unknown-word", "`exchange` or `iteration`"),
        ("{ sampled: 5 }", "study::out-of-range", "is `5`"),
        ("{ sampled: 101% }", "study::out-of-range", "not a share"),
        ("{ link: \"https://t/trace\" }", "study::no-link", "$(trace)"),
        ("{ link: \"javascript:alert($(trace))\" }", "study::no-link", "is not a web address"),
        ("{ link: \"https://t/$(trace) x\" }", "study::no-link", "is not a web address"),
        ("{ link: \"https://$(trace)/\" }", "study::no-link", "is not a web address"),
        ("{ link: \"https://t/$(serial)/$(trace)\" }", "study::no-link", "only name"),
        ("{ links: x }", "study::unknown-key", "link"),
    ] {
        let refused = rejected(&with(&format!("traces: {traces}"))).to_string();
        assert!(refused.contains(code) && refused.contains(words), "{traces}: {refused}");
    }
}
