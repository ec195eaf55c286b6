//! `compare`: what is read, what is refused, and that the archived study has all of it.

use super::fakes::{archived, load_in, rejected, study};
use crate::CompareSide;
use std::path::Path;

fn with(compare: &str) -> String {
    format!(
        "study: Checkout\nsystem: {{ name: shop, url: \"http://127.0.0.1:8080\", identity: {{ expect: {{ name: shop }} }} }}\n\
         exchanges:\n  search: {{ http.get: {{ url: $(shop.url)/search }}, check: [ status = 200 ] }}\n  \
         buy: {{ http.get: {{ url: $(shop.url)/buy }}, check: [ status = 200 ] }}\n\
         scenarios:\n  nominal: {{ load: {{ arrivals: 200/s, hold: 5m }}, run: [search] }}\n  \
         peak: {{ load: {{ arrivals: 500/s, hold: 5m }}, run: [search, buy] }}\n{compare}\n"
    )
}

const BOTH: &str = "compare:\n  loads: { of: [mean(search.response), p95(search.response), share(search.failed)], base: nominal, against: peak/hold, band: 2.5% }\n  \
    since: { of: \"p99(*.response)\", base: 2026-11-21T10-00-00Z-checkout, against: [nominal, peak] }";

#[test]
fn comparisons_are_read_and_archived() {
    let first = study(&with(BOTH));
    let (again, _) =
        load_in(Path::new("/elsewhere"), &first.effective, &archived()).unwrap_or_else(|why| panic!("{why}"));
    for study in [again, first] {
        let [loads, since] = study.compare.as_slice() else { panic!("{:?}", study.compare) };
        assert_eq!((loads.base.clone(), loads.band), (CompareSide::Scenario(0), 0.025));
        assert_eq!(loads.against, [CompareSide::Step { scenario: 1, step: "hold".into() }]);
        assert_eq!(loads.of.iter().map(|of| of.text.as_str()).collect::<Vec<_>>()[2], "share(search.failed)");
        assert_eq!((since.base.clone(), since.band), (CompareSide::Run("2026-11-21T10-00-00Z-checkout".into()), 0.05));
        assert_eq!(since.against.len(), 2);
    }
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_place() {
    for (compare, code, words) in [
        (
            "compare: { x: { of: mean(search.response), base: nominl, against: peak } }",
            "study::unknown-name",
            "not a scenario",
        ),
        ("compare: { x: { of: mean(search.response), base: nominal, against: nominal } }", "study::conflict", "itself"),
        ("compare: { x: { of: mean(buy.response), base: peak, against: nominal } }", "study::not-in-scenario", "`buy`"),
        (
            "compare: { x: { of: mean(search.response) * 2, base: nominal, against: peak } }",
            "study::rule-syntax",
            "one statistic",
        ),
        (
            "compare: { x: { of: mean(search.response), base: nominal, against: peak, band: 5 } }",
            "study::out-of-range",
            "band",
        ),
        ("compare: { x: { of: mean(search.response), base: nominal } }", "study::missing-key", "against"),
        (
            "compare: { x: { of: mean(search.response), base: ../nominal, against: peak } }",
            "study::unknown-name",
            "not a scenario",
        ),
        ("compare: 3", "study::wrong-type", "not a map"),
    ] {
        let rejected = rejected(&with(compare));
        let found = rejected.mistakes.0.iter().find(|mistake| mistake.code == code);
        let found = found.unwrap_or_else(|| panic!("{compare}: {:?}", rejected.mistakes.0));
        assert!(found.message.contains(words), "{compare}: {}", found.message);
    }
}
