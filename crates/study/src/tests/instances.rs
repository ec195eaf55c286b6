//! Instances that mention a variable are others where a scenario binds it otherwise.

use super::fakes::{load, study};
use crate::{BoundInstance, Study, renewed};
use std::collections::BTreeSet;
use terms::Nanos;

const TEXT: &str = "study: Instances
vars: { n: 2, delay: 5ms, back: $(lookup.addresses), pool: 4, each: \"--pool $(pool)\" }
system:
  name: shop
  instances:
    store: { start: store --port $(port) }
    lookup: { start: \"lookup --port $(port) --store $(store.url) $(each) $(faults)\", replicas: $(n), faults: { delay: $(delay) }, needs: [store] }
    front: { start: front --port $(port) --to $(back) }
    jobs: { start: jobs --port $(port), needs: [front] }
exchanges: { a: { http.get: { url: $(front.url) } } }
scenarios:
  usual: { load: { users: 1, hold: 1m }, run: [a] }
  more: { set: { n: 5 }, load: { users: 1, hold: 1m }, run: [a] }
  slow: { set: { delay: 9ms }, load: { users: 1, hold: 1m }, run: [a] }
  same: { set: { pool: 4 }, load: { users: 1, hold: 1m }, run: [a] }
  pool: { set: { pool: 8 }, load: { users: 1, hold: 1m }, run: [a] }
requirements: { fast: p95(a.response) < 200 ms }
";

fn of(study: &Study, scenario: &str) -> Vec<BoundInstance> {
    study.instances_of(study.scenarios.iter().find(|known| known.name == scenario).unwrap())
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn those_that_mention_a_variable_are_started_anew_with_those_that_lean_on_them() {
    let read = study(TEXT);
    // The store mentions nothing. A front that is told by a variable where the lookups are follows them, and so does what
    // needs the front.
    let all = names(&["lookup", "front", "jobs"]);
    for (scenario, replicas, shown) in [
        ("more", 5, "delay 5ms, each --pool 4, n 5"),
        ("slow", 2, "delay 9ms, each --pool 4, n 2"),
        ("pool", 2, "delay 5ms, each --pool 8, n 2"),
    ] {
        let (usual, now) = (of(&read, "usual"), of(&read, scenario));
        assert_eq!(renewed(&usual, &now), all, "{scenario}");
        assert_eq!(renewed(&now, &usual), all, "{scenario}");
        assert_eq!((now[1].instance.replicas, now[1].shown()), (replicas, shown.to_owned()));
    }
    assert_eq!(renewed(&of(&read, "usual"), &of(&read, "same")), names(&[]));
    // The study of the run folder says the same.
    let again = study(&read.effective);
    assert_eq!(of(&again, "more")[1].instance.replicas, 5, "{}", read.effective);
    assert_eq!(renewed(&of(&again, "usual"), &of(&again, "slow")), all);
}

#[test]
fn replicas_that_cannot_be_started_are_found_before_the_run() {
    for (found, expected) in [
        ("n: 0", "`replicas` `0` is outside 1 to 1000: `lookup` in scenario `more`"),
        ("n: 2.5", "`replicas` `2.5` is not a whole number: `lookup` in scenario `more`"),
        ("n: 5ms", "`replicas` `5ms` is not a whole number: `lookup` in scenario `more`"),
    ] {
        let rejected = load(&TEXT.replace("n: 5 }", &format!("{found} }}")));
        let Err(rejected) = rejected else { panic!("accepted: {found}") };
        let messages: Vec<String> = rejected.mistakes.0.into_iter().map(|mistake| mistake.message).collect();
        assert_eq!(messages, [expected], "{found}");
    }
}

const ASKED: &str = "study: Instances
vars: { n: 2, version: 1.0, grace: 5s, ca: one.pem }
system:
  name: shop
  instances:
    lookup:
      start: lookup --port $(port)
      replicas: $(n)
      ready_within: $(grace * 2)
      stop: $(grace)
      tls: { ca: $(ca) }
      identity: { expect: { version: $(version) }, contains: \"v$(version)\" }
    front: { start: front --port $(port) --to $(lookup.addresses) }
    plain: { start: plain --port $(port), stop: 3s, identity: { expect: { version: 1.0 } } }
exchanges: { a: { http.get: { url: $(front.url) } } }
scenarios:
  usual: { load: { users: 1, hold: 1m }, run: [a] }
  newer: { set: { version: 2.0 }, load: { users: 1, hold: 1m }, run: [a] }
  longer: { set: { grace: 20s }, load: { users: 1, hold: 1m }, run: [a] }
  other: { set: { ca: two.pem }, load: { users: 1, hold: 1m }, run: [a] }
requirements: { fast: p95(a.response) < 200 ms }
";

#[test]
fn what_is_expected_and_waited_for_follows_as_well() {
    let read = study(ASKED);
    let again = study(&read.effective);
    for read in [&read, &again] {
        let usual = of(read, "usual");
        let expected = |bound: &BoundInstance| (bound.instance.expect.clone(), bound.instance.contains.clone());
        let version = |text: &str| (vec![("version".to_owned(), text.to_owned())], Some(format!("v{text}")));
        let times = |bound: &BoundInstance| (bound.instance.stop, bound.instance.ready_within);
        let seconds = |stop, within| (Nanos::from_secs(stop), Some(Nanos::from_secs(within)));
        assert_eq!((expected(&usual[0]), times(&usual[0])), (version("1.0"), seconds(5, 10)));
        for (scenario, text, kept, within, ca) in [
            ("newer", "2.0", 5, 10, "one.pem"),
            ("longer", "1.0", 20, 40, "one.pem"),
            ("other", "1.0", 5, 10, "two.pem"),
        ] {
            let now = of(read, scenario);
            assert_eq!((expected(&now[0]), times(&now[0])), (version(text), seconds(kept, within)), "{scenario}");
            let trusted = now[0].instance.tls.as_ref().and_then(|tls| tls.get("ca")?.text().map(str::to_owned));
            assert_eq!(trusted.as_deref(), Some(ca));
            assert_eq!(renewed(&usual, &now), names(&["lookup", "front"]), "{scenario}");
            assert_eq!((now[2].instance.stop, now[2].instance.expect.len()), (Nanos::from_secs(3), 1));
        }
    }
}

#[test]
fn what_a_scenario_makes_of_them_is_read_before_the_run() {
    for (from, to, expected) in [
        ("grace: 20s }", "grace: soon }", "`lookup` in scenario `longer`"),
        ("version: 2.0 }", "version: \"\" }", "`lookup` in scenario `newer`"),
    ] {
        let text = ASKED.replace(from, to).replace("contains: \"v$(version)\"", "contains: $(version)");
        let Err(rejected) = load(&text) else { panic!("accepted: {to}") };
        let messages: Vec<String> = rejected.mistakes.0.into_iter().map(|mistake| mistake.message).collect();
        assert!(messages.iter().any(|message| message.ends_with(expected)), "{messages:?}");
    }
}

#[test]
fn a_scenario_lacks_replicas_beyond_its_own_number() {
    let read = study(TEXT);
    let lacks = |scenario: &str, name: &str| {
        let scenario = read.scenarios.iter().find(|known| known.name == scenario).unwrap();
        read.lacks_replica(scenario, name)
    };
    assert!(lacks("usual", "lookup.3") && lacks("usual", "lookup.5") && lacks("more", "lookup.6"));
    assert!(!lacks("usual", "lookup.2") && !lacks("more", "lookup.5"));
    for name in ["lookup", "store", "store.7", "stranger.7", "lookup.x", ""] {
        assert!(!lacks("usual", name), "{name}");
    }
}
