//! Secrets whose file still holds the placeholder of `loadproof new --from`.

use super::fakes::{archived, load_in};
use crate::{Options, SECRET_PLACEHOLDER, placeholder_secrets, show};
use std::path::Path;

const STUDY: &str = "study: Checkout
secrets:
  LOGIN: { file: secrets/LOGIN }
  ADMIN: { file: secrets/ADMIN }
  KEY: { file: secrets/KEY }
  BODY: { file: secrets/BODY }
  NODE: { file: secrets/NODE }
system: { name: shop, url: http://127.0.0.1:8080, identity: { expect: { name: shop } } }
watch: { there: { on: db1, host: { disks: $(secret.NODE) } } }
exchanges:
  look: { http.get: { url: $(shop.url)/x, headers: { authorization: Bearer $(secret.LOGIN), x-key: $(secret.KEY) } } }
  drop: { http.delete: { url: $(shop.url)/x, headers: { authorization: Bearer $(secret.ADMIN) } } }
  put: { http.put: { url: $(shop.url)/x, body: body.json } }
scenarios: { busy: { load: { users: 5, hold: 5m }, run: [look], set_up: [ put: per node ] } }
";

/// A folder with files of secrets, of which only `KEY` is filled in.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("secrets")).unwrap();
    for (name, value) in [
        ("LOGIN", SECRET_PLACEHOLDER),
        ("ADMIN", SECRET_PLACEHOLDER),
        ("BODY", "to-be-written \r"),
        ("NODE", SECRET_PLACEHOLDER),
        ("KEY", "not-to-be-written"),
    ] {
        std::fs::write(folder.path().join("secrets").join(name), format!("{value}\n")).unwrap();
    }
    std::fs::write(folder.path().join("body.json"), "{ \"password\": \"$(secret.BODY)\" }").unwrap();
    folder
}

#[test]
fn a_secret_that_nobody_has_filled_in_is_warned_of_with_its_file() {
    let folder = folder();
    let (study, _) = load_in(folder.path(), STUDY, &Options::default()).unwrap_or_else(|why| panic!("{why}"));
    let warnings = study.warnings.iter().filter(|warning| warning.code == "study::placeholder-secret");
    let shown: Vec<String> = warnings.map(|warning| show("warning", warning, &study.files)).collect();
    assert_eq!(shown.len(), 4, "{shown:#?}");
    let shown = shown[0].replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(shown, @r"
    warning[study::placeholder-secret]: the secret `LOGIN` has not been filled in
      --> study.yaml:3:18
      |
    3 |   LOGIN: { file: secrets/LOGIN }
      |                  ^^^^^^^^^^^^^ put it in this file

    hint: `FOLDER/secrets/LOGIN` still holds the placeholder that `loadproof new --from` wrote; replace it with the secret, or set `LOGIN` in the environment
          a run that needs it is refused until then
    ");
}

#[test]
fn a_run_is_told_of_those_that_it_needs() {
    let folder = folder();
    let (study, secrets) = load_in(folder.path(), STUDY, &Options::default()).unwrap_or_else(|why| panic!("{why}"));
    let told = placeholder_secrets(&study, &secrets);
    assert_eq!(told.len(), 2, "nothing sends `ADMIN`, and only the node `db1` needs `NODE`: {told:#?}");
    assert!(told[0].starts_with("the secret `LOGIN` has not been filled in: `"), "{told:#?}");
    assert!(told[1].contains("secrets/BODY` still holds"), "{told:#?}");
    for name in ["LOGIN", "BODY"] {
        std::fs::write(folder.path().join("secrets").join(name), "otter-12345\n").unwrap();
    }
    let (study, secrets) = load_in(folder.path(), STUDY, &Options::default()).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(placeholder_secrets(&study, &secrets), [""; 0]);
}

#[test]
fn a_secret_that_a_monitor_of_this_process_needs_is_one_of_them() {
    let folder = folder();
    let text = STUDY.replace("on: db1, ", "");
    let (study, secrets) = load_in(folder.path(), &text, &Options::default()).unwrap_or_else(|why| panic!("{why}"));
    let told = placeholder_secrets(&study, &secrets);
    assert!(told.iter().any(|told| told.contains("`NODE`")), "{told:#?}");
}

#[test]
fn an_archived_study_has_no_secrets_to_fill_in() {
    let (study, secrets) = load_in(Path::new("/nonexistent"), STUDY, &archived()).unwrap_or_else(|why| panic!("{why}"));
    assert!(study.warnings.iter().all(|warning| warning.code != "study::placeholder-secret"));
    assert_eq!(placeholder_secrets(&study, &secrets), [""; 0]);
}
