//! A real SQLite file that grows, is asked for values, and goes.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Taken, monitor};
use contract::{Facts, Samples};
use rusqlite::Connection;
use terms::Nanos;

const NAMED: &[&str] = &["loans", "endless"];

#[test]
fn size_values_and_facts_of_a_file_that_comes_and_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let url = format!("sqlite://{}", path.display());
    let values = [("loans", "select count(*), state from loan group by state")];
    let mut monitor = monitor(&url, &values, Nanos::SECOND);
    let mut out = Samples::default();
    let missing = monitor.sample(Nanos::ZERO, &mut out).unwrap_err();
    assert!(missing.0.contains("there is no such file"), "{missing}");
    assert!(!path.exists(), "watching makes no file");

    let store = Connection::open(&path).unwrap();
    store
        .execute_batch(
            "pragma journal_mode = wal; create table loan(state text);
             insert into loan values ('open'), ('open'), ('shut');",
        )
        .unwrap();
    monitor.sample(Nanos::from_secs(1), &mut out).unwrap();
    let taken = Taken::of(&mut out, NAMED);
    assert_eq!(taken.kinds(), ["back"]);
    assert_eq!((taken.get("loans", "open"), taken.get("loans", "shut")), (Some(2.0), Some(1.0)));
    let before = taken.own("size");

    store.execute_batch("insert into loan select hex(randomblob(500)) from loan, loan, loan").unwrap();
    monitor.sample(Nanos::from_secs(2), &mut out).unwrap();
    assert!(Taken::of(&mut out, NAMED).own("size") > before);

    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let of = |name: &str| facts.0.iter().find(|fact| fact.1 == name).map(|fact| fact.2.as_str());
    assert_eq!((of("table loan"), of("setting journal_mode")), (Some("30 rows"), Some("wal")));

    drop(store);
    std::fs::remove_file(&path).unwrap();
    assert!(monitor.sample(Nanos::from_secs(3), &mut out).is_err());
    let taken = Taken::of(&mut out, NAMED);
    assert_eq!((taken.kinds(), taken.values.len()), (vec!["gone"], 0));
}

#[test]
fn a_query_that_never_ends_is_stopped_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    Connection::open(&path).unwrap().execute_batch("create table loan(state text)").unwrap();
    let endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n";
    let values = [("loans", "select count(*) from loan"), ("endless", endless)];
    let mut monitor = monitor(&format!("sqlite://{}", path.display()), &values, Nanos::from_millis(500));
    let mut out = Samples::default();
    monitor.sample(Nanos::ZERO, &mut out).unwrap();
    let taken = Taken::of(&mut out, NAMED);
    assert_eq!((taken.own("loans"), taken.get("endless", "database")), (0.0, None));
    assert_eq!(taken.kinds(), ["query"]);
    assert!(taken.events[0].1.contains("took too long"), "{:?}", taken.events);
    monitor.sample(Nanos::from_millis(500), &mut out).unwrap();
    assert!(Taken::of(&mut out, NAMED).events.is_empty(), "it is left alone for a while");
}
