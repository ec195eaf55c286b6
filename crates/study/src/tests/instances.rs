//! Instances that mention a variable are others where a scenario binds it otherwise.

use super::fakes::{load, study};
use crate::{BoundInstance, Study, renewed};
use std::collections::BTreeSet;

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
