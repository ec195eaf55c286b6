//! Credentials in the study itself, and captures that are some.

use super::fakes::{archived, load_in};
use crate::{Options, Secrets, Study, kept_out};

const STUDY: &str = "study: Credentials
vars: { db_password: otter-12345, dbpass: skunk-12345, rate: 5/s }
secrets: { KEY: { file: key }, PIN: { file: pin } }
system: { name: shop, stated: { region: north, api_key: lemur-12345 }, instances: { shop: { start: 'shop --password=heron-12345 --port $(port)', env: { API_TOKEN: walrus-12345, KEY: $(secret.KEY) } } } }
exchanges:
  look:
    http.get:
      url: 'http://me:tapir-12345@$(shop.address)/x?k=zebra-and-more'
      headers: { x-api-key: quokka-12345, authorization: Bearer $(secret.KEY), accept: a }
    check: [ 'json($.auth.token) = badger-12345', json($.token_type) = bearer-12345, json($.token) = present ]
    capture:
      id: json($.id)
      token: json($.t)
      sid: header(x-session-id)
      page_token: { from: json($.next), secret: false }
      ticket: { from: json($.ticket), secret: true }
scenarios: { calm: { load: { arrivals: $(rate), hold: 5m }, run: [look] } }
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key"), "zebra-and-more\n").unwrap();
    std::fs::write(folder.path().join("pin"), "123\n").unwrap();
    folder
}

fn load(text: &str) -> (Study, Secrets) {
    load_in(folder().path(), text, &Options::default()).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn what_is_written_out_is_warned_of_kept_out_and_not_archived() {
    let (study, secrets) = load(STUDY);
    let warned: Vec<_> = study.warnings.iter().filter(|w| w.code == "study::written-secret").collect();
    let names: Vec<_> = warned.iter().filter_map(|warning| warning.message.split('`').nth(1)).collect();
    assert_eq!(
        names,
        ["db_password", "dbpass", "the address", "x-api-key", "token", "password", "API_TOKEN", "stated: api_key"]
    );
    let (stated, others) = warned.split_last().unwrap();
    assert!(others.iter().all(|w| w.label.as_deref() == Some("write `$(secret.NAME)` in its place")));
    assert!(stated.hint.as_deref().is_some_and(|hint| hint.contains("leave the credential out")));
    assert!(study.warnings.iter().any(|w| w.code == "study::short-secret" && w.message.contains("`PIN`")));
    let kept = kept_out(&study, &secrets, &[]);
    for value in [
        "skunk-12345",
        "lemur-12345",
        "otter-12345",
        "heron-12345",
        "walrus-12345",
        "tapir-12345",
        "quokka-12345",
        "badger-12345",
        "zebra-and-more",
    ] {
        assert!(!kept.cut(&format!("says {value}!")).contains(&value[..6]), "{value}");
        assert!(!study.effective.contains(value), "{value}: {}", study.effective);
    }
    assert!(study.effective.contains("bearer-12345") && study.effective.contains("json($.token) = present"));
    assert!(study.effective.contains("/x?k=$(secret.KEY)"), "{}", study.effective);
    assert!(study.effective.contains("Bearer $(secret.KEY)"), "{}", study.effective);
    let (again, _) = load_in(std::path::Path::new("/elsewhere"), &study.effective, &archived()).unwrap();
    assert_eq!(again.effective, study.effective);
    assert!(again.warnings.iter().all(|warning| warning.code != "study::written-secret"));
}

#[test]
fn captures_are_secrets_by_their_name_by_their_source_or_by_word() {
    let (study, _) = load(STUDY);
    assert_eq!(study.captures, ["id", "token", "sid", "page_token", "ticket"]);
    assert_eq!(study.credentials(), [false, true, true, false, true]);
    let (again, _) = load_in(std::path::Path::new("/elsewhere"), &study.effective, &archived()).unwrap();
    assert_eq!(again.credentials(), study.credentials());
    for (wrong, code) in [
        ("{ from: json($.next), secret: yes }", "study::wrong-type"),
        ("{ secret: true }", "study::missing-key"),
        ("{ from: json($.next), hidden: true }", "study::unknown-key"),
    ] {
        let text = STUDY.replace("{ from: json($.next), secret: false }", wrong);
        let Err(rejected) = load_in(folder().path(), &text, &Options::default()) else { panic!("{wrong}") };
        assert_eq!(rejected.mistakes.0[0].code, code, "{rejected}");
    }
}

#[test]
fn a_value_that_stands_twice_is_archived_nowhere_however_it_is_encoded() {
    let text = STUDY
        .replace("?k=zebra-and-more'", "?a=quokka-12345&b=q%75okka%2D12345&c=zebra%2Dand%2Dmore'")
        .replace("x-api-key: quokka-12345", "x-api-key: quokka-12345, x-pwd: postgres, x-other: postgres-x");
    let (study, _) = load(&text);
    for value in ["uokka", "%75okka", "%2D"] {
        assert!(!study.effective.contains(value), "{value}: {}", study.effective);
    }
    assert!(study.effective.contains("?a=‹kept out›&b=‹kept out›&c="), "{}", study.effective);
    assert!(study.effective.contains("postgres-x"), "a word may mean something else: {}", study.effective);
    let (again, _) = load_in(std::path::Path::new("/elsewhere"), &study.effective, &archived()).unwrap();
    assert_eq!(again.effective, study.effective);
}

#[test]
fn a_mistake_does_not_tell_a_secret() {
    let text = STUDY.replace("arrivals: $(rate)", "arrivals: zebra-and-more").replace("hold: 5m", "hold: 5m, holt: 1m");
    let Err(rejected) = load_in(folder().path(), &text, &Options::default()) else { panic!("accepted") };
    let told = format!("{rejected} {}", rejected.to_json());
    assert!(told.contains("‹kept out›") && !told.contains("zebra-and") && !told.contains("tapir"), "{told}");
}
