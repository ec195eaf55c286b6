//! `validity`: what is read, what is refused, and that the archived study has all of it.

use super::fakes::{archived, load_in, rejected, study};
use std::path::Path;

fn with(validity: &str) -> String {
    format!(
        "study: Checkout\nsystem: {{ name: shop, url: \"http://127.0.0.1:8080\", identity: {{ expect: {{ name: shop }} }} }}\n\
         exchanges:\n  search: {{ http.get: {{ url: $(shop.url)/search }}, check: [ status = 200 ] }}\n\
         scenarios:\n  nominal: {{ load: {{ arrivals: 200/s, hold: 5m }}, run: [search] }}\nvalidity: {validity}\n"
    )
}

#[test]
fn limits_are_read_and_archived() {
    let first = study(&with(
        "{ steal: { invalid: 12.5%, because: \"$(a) cloud\" }, lateness: { questionable: 1500us, invalid: 2s, because: slow }, \
         cores_full: { questionable: 99%, because: one core }, little: { invalid: 30%, because: short } }",
    ));
    let (again, _) =
        load_in(Path::new("/elsewhere"), &first.effective, &archived()).unwrap_or_else(|why| panic!("{why}"));
    for study in [again, first] {
        let limits: Vec<_> = study
            .validity
            .iter()
            .map(|it| (it.check.as_str(), it.questionable, it.invalid, it.because.as_str()))
            .collect();
        let expected = [
            ("lateness", Some(0.0015), Some(2.0), "slow"),
            ("steal", None, Some(0.125), "$(a) cloud"),
            ("cores_full", Some(0.99), None, "one core"),
            ("little", None, Some(0.3), "short"),
        ];
        assert_eq!(limits, expected);
    }
}

#[test]
fn limits_that_cannot_be_are_refused() {
    for (validity, code, words) in [
        ("{ lateness: { invalid: 5% , because: x } }", "study::out-of-range", "is `5%`, not a time"),
        ("{ steal: { invalid: 5ms, because: x } }", "study::out-of-range", "is `5ms`, not a share"),
        ("{ steal: { invalid: 500%, because: x } }", "study::out-of-range", "is `500%`"),
        ("{ steal: { invalid: 0%, because: x } }", "study::out-of-range", "is `0%`"),
        ("{ steal: { invalid: 5% } }", "study::missing-key", "because"),
        ("{ steal: { invalid: 5%, because: ' ' } }", "study::conflict", "no reason"),
        ("{ steal: { because: x } }", "study::conflict", "no limit"),
        ("{ steal: { invalid: 5%, questionable: 6%, because: x } }", "study::conflict", "before"),
        ("{ little: { questionable: 5%, because: x } }", "study::unknown-key", "questionable"),
        ("{ stael: { invalid: 5%, because: x } }", "study::unknown-key", "steal"),
    ] {
        let refused = rejected(&with(validity)).to_string();
        assert!(refused.contains(code) && refused.contains(words), "{validity}: {refused}");
    }
}
