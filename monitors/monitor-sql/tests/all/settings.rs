//! What the settings may say: all mistakes at once, with hints, and none of them shows a password.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{build, map, texts};
use contract::{Kind, Mistakes, Node, Place, Shape};
use terms::{Nanos, Unit};

fn mistakes(node: Node) -> Mistakes {
    build(node, Nanos::SECOND).err().expect("a mistake")
}

fn url(url: &str) -> Node {
    texts(&[("url", url)])
}

#[test]
fn addresses_of_the_stores_that_are_known() {
    for known in [
        "postgres://lab@127.0.0.1:5432/lab",
        "postgresql://lab@[::1]/lab?connect_timeout=3",
        "postgres://lab:$(secret.STORE)@db.example/lab",
        "mysql://lab@127.0.0.1:3306/lab",
        "mariadb://lab:$(secret.STORE)@[::1]/lab?pool_max=3&ssl-mode=disabled",
        "sqlite:///tmp/nowhere.db",
        "sqlite://data/inventory.db",
    ] {
        assert!(build(url(known), Nanos::SECOND).is_ok(), "{known}");
    }
    for (wrong, code) in [
        ("http://127.0.0.1:5432", "sql::bad-url"),
        ("mysql://a@b", "sql::bad-url"),
        ("mysql://a@b:port/c", "sql::bad-url"),
        ("mysql://a@b/c?sslMode=VERIFY_CA", "sql::no-tls"),
        ("mariadb://a:open@b/c", "sql::open-password"),
        ("redis://a@b/c", "sql::bad-url"),
        ("nonsense", "sql::bad-url"),
        ("postgres://a@b:port/c", "sql::bad-url"),
        ("postgres://a@b,c/d", "sql::bad-url"),
        ("postgres://a@b/c?sslmode=require", "sql::no-tls"),
        ("postgres://a:open@b/c", "sql::open-password"),
        ("sqlite://", "sql::bad-url"),
        ("$(secret.OTHER)", "study::unknown-name"),
    ] {
        let found = mistakes(url(wrong));
        assert_eq!(found.0[0].code, code, "{wrong}");
        assert!(found.0.iter().all(|one| !format!("{one:?}").contains("open@")), "{found:?}");
    }
    assert_eq!(mistakes(Node { place: Place::default(), shape: Shape::Map(vec![]) }).0[0].code, "study::missing-key");
}

#[test]
fn all_mistakes_come_at_once() {
    let values = texts(&[
        ("loans", "select count(*) from loan;"),
        ("size", "select 1"),
        ("Two words", "select 1"),
        ("gone", "delete from loan"),
    ]);
    let found =
        mistakes(map(&[("url", Node::text_at(Place::default(), "x")), ("values", values), ("ulr", texts(&[]))]));
    let codes: Vec<_> = found.0.iter().map(|one| one.code).collect();
    assert_eq!(codes.len(), 5, "{codes:?}");
    for code in ["sql::bad-url", "study::duplicate-name", "study::bad-name", "sql::bad-query", "study::unknown-key"] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
}

#[test]
fn a_query_may_have_a_unit_and_be_a_counter() {
    let url = || ("url", Node::text_at(Place::default(), "sqlite://shop.db"));
    let value = |entries: &[(&str, &str)]| map(&[url(), ("values", map(&[("files", texts(entries))]))]);
    let kind = |entries: &[(&str, &str)]| {
        let settings = value(entries);
        let kind = monitor_sql::SQL.named_kind(&settings, "files").unwrap();
        (kind.unit.clone(), kind.kind)
    };
    assert_eq!(kind(&[("query", "select 1"), ("unit", "bytes")]), (Unit::Bytes, Kind::Gauge));
    assert_eq!(kind(&[("query", "select 1"), ("kind", "counter")]), (Unit::Count, Kind::Counter));
    for (entries, code) in [
        (&[("unit", "bytes")][..], "study::missing-key"),
        (&[("query", "delete from loan")], "sql::bad-query"),
        (&[("query", "select 1"), ("unit", "MB")], "study::unknown-word"),
        (&[("query", "select 1"), ("kind", "gauges")], "study::unknown-word"),
        (&[("query", "select 1"), ("units", "bytes")], "study::unknown-key"),
    ] {
        let found: Vec<_> = mistakes(value(entries)).0.iter().map(|one| one.code).collect();
        assert_eq!(found, [code], "{entries:?}");
    }
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&monitor_sql::SQL);
}
