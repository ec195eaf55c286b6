//! A leg that there is on occasion only, such as a redirect: judged by name, and nothing else is judged otherwise for it.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, append, evenly, fold, spread, study_with};
use judge::comparison::{Recorded, compare_runs};
use record::Folded;
use std::collections::BTreeSet;
use terms::{Nanos, Outcome, Verdict};

const EXCHANGES: &str = "login: { web.call: { service: 36ms } }
    home: { web.call: { service: 6ms } }";

/// 20/s for a minute: `login`, of which a half is sent on once, and `home`, which never is.
fn run(rules: &str, ended: fn(u64) -> Outcome) -> Run {
    let mut run = Run::of(&study_with("login, home", "{ arrivals: 20/s, hold: 60s }", EXCHANGES, rules));
    let hold = run.step("hold");
    let took = |ms: i64| Nanos::from_millis(ms);
    let logins = evenly(hold, 0, 60, 20, |number, call| Call { took: took(36), ..call }.ended(ended(number)));
    let homes = evenly(hold, 0, 60, 20, |_, call| Call { took: took(6), ..call }.of(1).later());
    run.add(&logins);
    run.add(&homes);
    let sent_on = evenly(hold, 0, 60, 20, |_, call| Call { took: took(30), ..call });
    let sent_on: Vec<Call> =
        (0..).zip(sent_on).filter(|(number, _)| spread(*number, 1, 2)).map(|(_, call)| call).collect();
    let Folded { mut legs, mut outcomes, .. } = fold(&run.evidence.head, &sent_on);
    // What was counted against limits as it ran was counted against those of this leg.
    let limits = run.evidence.head.exchanges[0].thresholds.iter().filter(|limit| limit.leg == 1);
    let is_below: Vec<bool> = limits.map(|limit| limit.limit_ns > took(30).0).collect();
    for row in &mut legs {
        row.leg = 1;
        row.below = is_below.iter().map(|is_below| if *is_below { row.count } else { 0 }).collect();
    }
    outcomes.iter_mut().for_each(|row| row.leg = 1);
    append(&mut run.rows, Folded { legs, outcomes, ..Folded::default() });
    run
}

#[test]
fn rules_name_it_and_those_of_its_exchange_are_what_they_were() {
    let rules = "hop: p95(login.redirect) < 50ms
        slow: p95(login.redirect) < 20ms
        hops: count(login.redirect) <= 600
        more: count(login.redirect) <= 599
        within: share(login.redirect < 31ms) >= 99%
        often: rate(login.redirect) <= 10/s
        none: count(home.redirect) = 0
        every: count(*.redirect) = 600
        whole: p95(login.response) < 40ms
        right: share(login.failed) <= 1%
        ok: share(login.ok) >= 99%
        timeout: share(login.timeout) <= 1%
        count: count(login) = 1200
        calls: count(*.ok) = 2400";
    let run = run(rules, |_| Outcome::Ok);
    for (id, verdict) in [
        ("hop", Verdict::Met),
        ("slow", Verdict::NotMet),
        ("hops", Verdict::Met),
        ("more", Verdict::NotMet),
        ("within", Verdict::Met),
        ("often", Verdict::Met),
        ("none", Verdict::Met),
        ("every", Verdict::Met),
        ("whole", Verdict::Met),
        ("right", Verdict::Met),
        ("ok", Verdict::Met),
        ("timeout", Verdict::Met),
        ("count", Verdict::Met),
        ("calls", Verdict::Met),
    ] {
        let result = run.result(id);
        assert_eq!(result.verdict, verdict, "{id}: {result:?}");
    }
}

#[test]
fn it_has_a_row_where_there_was_one_and_none_elsewhere() {
    let step = run("right: share(login.failed) <= 1%", |_| Outcome::Ok).step_result("hold");
    let legs = |number: usize| {
        let legs = step.exchanges[number].legs.iter();
        legs.map(|leg| (leg.id.clone(), leg.outcome.clone(), leg.count)).collect::<Vec<_>>()
    };
    let of = |id: &str, ok: u64| {
        ["ok", "failed", "all"].map(|it| (id.into(), it.into(), if it == "failed" { 0 } else { ok }))
    };
    assert_eq!(legs(0), [of("answer", 1200), of("redirect", 600)].concat());
    assert_eq!(legs(1), of("answer", 1200));
    let redirect = step.exchanges[0].legs.iter().find(|leg| leg.id == "redirect").unwrap();
    assert!((redirect.response.as_ref().unwrap().max - 30.0).abs() < 0.1, "{redirect:?}");
}

/// A redirect that neither run met would be a row that nobody can tell.
#[test]
fn it_is_compared_where_there_was_one() {
    let [base, other] = [(); 2].map(|()| run("right: share(login.failed) <= 1%", |_| Outcome::Ok));
    let evidence = [base.evidence(), other.evidence()];
    let [one, two] = [(&evidence[0], &base), (&evidence[1], &other)]
        .map(|(evidence, run)| Recorded { evidence, study: &run.study.effective });
    let comparison = compare_runs(&[one], &[vec![two]], 0.05);
    let subjects: BTreeSet<&str> = comparison.pairs[0].rows.iter().map(|row| row.subject.as_str()).collect();
    assert!(subjects.contains("login · redirect") && !subjects.contains("home · redirect"), "{subjects:?}");
}

/// What was sent on all the time and came to nothing was not answered.
#[test]
fn it_is_no_answer() {
    let finds = |ended: fn(u64) -> Outcome| {
        let findings = run("right: share(login.failed) <= 1%", ended).judge().findings;
        findings.iter().any(|finding| finding.rule() == "NO-ANSWER")
    };
    assert!(finds(|_| Outcome::Status));
    assert!(!finds(|number| if number == 0 { Outcome::Ok } else { Outcome::Status }));
}
