//! Names in `$(…)`: what they stand for, and when.

use super::fakes::{REGISTRY, load_in, study};
use crate::{Options, Places, names, schema, settings};
use contract::{Name, Names, Piece, Place, Table};
use std::path::Path;
use std::sync::Arc;

const STUDY: &str = r#"study: Names
vars: { rate: 5/s, long: $(rate * 60s), path: "$(scratch)/db", size: 8kB, literal: "a$$(b)" }
data: { users: { file: users.csv } }
system:
  instances:
    shop: { url: "https://shop.example:444/base/", identity: { expect: { a: b } } }
    store: { start: "store --port $(port) --admin $(port.admin) $(faults)", ports: [port, admin], replicas: 2, faults: { delay: 1ms } }
exchanges:
  login: { http.post: { url: x }, capture: { token: json($.t) } }
  look: { http.get: { url: "$(users.name)" }, check: [ "header(x) = $(rate)$(users.id)" ] }
scenarios:
  calm: { load: { arrivals: $(rate), hold: 1m }, run: [login, look] }
  peak: { load: { arrivals: $(rate), hold: 1m }, run: [login, look], set: { rate: $(rate * 3) } }
"#;

struct Stand {
    study: crate::Study,
    secrets: crate::Secrets,
    tables: Vec<Arc<Table>>,
    places: Places,
}

fn stand() -> Stand {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("users.csv"), "id,name\n1,a\n").unwrap();
    let (study, secrets) = load_in(folder.path(), STUDY, &Options::default()).unwrap_or_else(|r| panic!("{r}"));
    let tables = crate::load_tables(&study).unwrap_or_else(|r| panic!("{r}"));
    let mut places = Places::placeholders(&study);
    places.instances[1].replicas = (1..=2)
        .map(|n| crate::ReplicaPlace::local("127.0.0.1", vec![("port".into(), 9000 + n), ("admin".into(), 9100 + n)]))
        .collect();
    Stand { study, secrets, tables, places }
}

#[test]
fn every_name_of_the_language_page() {
    let Stand { study, secrets, tables, places } = &stand();
    let resolver = names(study, secrets, tables, None, places);
    let text = |expression: &str| match resolver.resolve(expression, Place::default()) {
        Ok(Name::Text(text)) => text,
        other => panic!("{expression}: {other:?}"),
    };
    for (expression, value) in [
        ("rate", "5/s"),
        ("long", "300"),
        ("rate * 2", "10/s"),
        ("path", "scratch/db"),
        ("literal", "a$(b)"),
        ("scratch", "scratch"),
        ("run.id", "run"),
        ("env.CARGO_PKG_NAME", "study"),
        ("env.NO_SUCH_VALUE:-$(rate)", "5/s"),
        ("shop.url", "https://shop.example:444/base"),
        ("shop.address", "shop.example:444"),
        ("store.url", "http://127.0.0.1:9001"),
        ("store.2.url", "http://127.0.0.1:9002"),
        ("store.urls", "http://127.0.0.1:9001,http://127.0.0.1:9002"),
        ("store.addresses", "127.0.0.1:9001,127.0.0.1:9002"),
        ("store.port.admin", "9101"),
        ("store.2.port.admin", "9102"),
    ] {
        assert_eq!(text(expression), value, "{expression}");
    }
    for (expression, piece) in [
        ("users.id", Piece::Column { table: 0, column: 0 }),
        ("users.name", Piece::Column { table: 0, column: 1 }),
        ("token", Piece::Capture(0)),
        ("serial", Piece::Serial),
        ("uuid", Piece::Uuid),
        ("now", Piece::Now),
        ("traceparent", Piece::Traceparent),
        ("user.n", Piece::User),
        ("connection.n", Piece::User),
        ("message.n", Piece::Message),
        ("node.n", Piece::Node),
        ("text(500B)", Piece::Text(500)),
        ("text(size)", Piece::Text(8000)),
        ("bytes(2 * 8kB)", Piece::Bytes(16000)),
    ] {
        assert_eq!(resolver.resolve(expression, Place::default()), Ok(Name::Slot(piece)), "{expression}");
    }
    for (expression, code) in [
        ("nobody", "study::unknown-name"),
        ("users.nam", "study::unknown-name"),
        ("store.3.url", "study::unknown-name"),
        ("store.0.url", "study::unknown-name"),
        ("store.port.x", "study::unknown-name"),
        ("shop.x", "study::unknown-name"),
        ("port", "study::not-yet-known"),
        ("nonce", "study::not-yet-known"),
        ("rate + 1", "study::arithmetic"),
        ("nobody * 2", "study::unknown-name"),
        ("text(5)", "study::no-quantity"),
        ("bytes(5GB)", "study::no-quantity"),
        ("secret.NO_SUCH", "study::missing-secret"),
        ("", "study::unknown-name"),
    ] {
        assert_eq!(resolver.resolve(expression, Place::default()).unwrap_err().code, code, "{expression}");
    }
}

#[test]
fn an_instance_knows_its_own_port_and_faults() {
    let Stand { study, secrets, tables, places } = &stand();
    let own = crate::Own {
        place: places.instances[1].replicas[1].clone(),
        replica: 2,
        nonce: "n0".into(),
        faults: "--fault delay=1ms".into(),
    };
    let resolver = names(study, secrets, tables, None, places).with_own(&own);
    let start = study.system.instances[1].start.as_ref().unwrap();
    let command = resolver.text(start.text().unwrap(), start.place).unwrap();
    assert_eq!(command, "store --port 9002 --admin 9102 --fault delay=1ms");
    assert_eq!(resolver.text("$(replica) $(nonce)", start.place).unwrap(), "2 n0");
}

#[test]
fn a_scenario_binds_variables_anew_and_what_mentions_them_follows() {
    let Stand { study, secrets, tables, places } = &stand();
    assert_eq!(study.scenarios[1].set, [("rate".to_owned(), "15/s".to_owned())]);
    let resolver = names(study, secrets, tables, Some(&study.scenarios[1].parts[0]), places);
    assert_eq!(resolver.text("$(rate) $(long)", Place::default()).unwrap(), "15/s 900");
    let own = settings(study, &resolver).unwrap();
    let expected = &own[1].checks[0].expected;
    assert_eq!(expected.pieces[0], Piece::Fixed(b"15/s".as_slice().into()));
    assert_eq!(expected.pieces[1], Piece::Column { table: 0, column: 0 });
}

#[test]
fn a_secret_reaches_templates_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key"), "s3cr3t-value\n").unwrap();
    let text = r#"study: Secrets
secrets: { NO_SUCH_KEY: { file: key } }
vars: { header: "Bearer $(secret.NO_SUCH_KEY)" }
system: { name: shop, url: "http://127.0.0.1:1", identity: { expect: { a: b } } }
exchanges: { look: { http.get: { url: x, headers: { a: $(header) } } } }
scenarios: { calm: { load: { users: 1, hold: 1m }, run: [look] } }
"#;
    let (study, secrets) = load_in(folder.path(), text, &Options::default()).unwrap_or_else(|r| panic!("{r}"));
    assert!(!format!("{study:?}{secrets:?}").contains("s3cr3t"));
    assert!(!study.effective.contains("s3cr3t"));
    assert_eq!(study.secrets[0].source, "file key");
    let places = Places::placeholders(&study);
    let resolver = names(&study, &secrets, &[], None, &places);
    assert_eq!(resolver.text("$(header)", Place::default()).unwrap(), "Bearer s3cr3t-value");
    assert_eq!(secrets.values(), ["s3cr3t-value"]);
    let (again, _) =
        load_in(Path::new("/elsewhere"), &study.effective, &super::fakes::archived()).unwrap_or_else(|r| panic!("{r}"));
    assert_eq!(again.secrets, study.secrets);
}

#[test]
fn the_short_form_and_the_long_form_of_a_system_are_the_same() {
    let short = study(super::samples::QUICKSTART);
    let long = super::samples::QUICKSTART.replace(
        "system: { name: shop, url: \"http://127.0.0.1:8080\", identity: { path: /version, expect: { name: shop } } }",
        "system: { name: shop, instances: { shop: { url: \"http://127.0.0.1:8080\", identity: { expect: { name: shop } } } } }",
    );
    assert_eq!(short.effective, study(&long).effective);
}

#[test]
fn the_schema_lists_what_the_checker_reads() {
    let schema = schema(&REGISTRY);
    let top = &schema["properties"];
    for key in ["study", "system", "scenarios", "requirements", "report"] {
        assert!(top[key]["description"].is_string(), "{key}");
    }
    let whole = serde_json::json!(["study", "system", "exchanges", "scenarios"]);
    assert_eq!(schema["anyOf"], serde_json::json!([{ "required": whole }, { "required": ["include"] }]));
    let exchange = &top["exchanges"]["additionalProperties"];
    assert!(exchange["properties"]["http.get"]["properties"]["url"].as_bool().unwrap());
    assert!(exchange["properties"]["timeout"]["pattern"].is_string());
    assert_eq!(top["scenarios"]["additionalProperties"]["properties"]["load"]["additionalProperties"], false);
}
