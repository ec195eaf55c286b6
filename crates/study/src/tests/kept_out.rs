//! `report.keep_out`: which columns, and what is wrong with others.

use super::fakes::{archived, load_in};
use crate::{Options, kept_out, load_tables};

const STUDY: &str = "study: Kept
data: { people: { file: people.csv }, things: { file: things.jsonl } }
system: { name: shop, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }
exchanges: { look: { http.get: { url: \"x?$(people.mail)&$(things.id)\" } } }
scenarios: { calm: { load: { arrivals: 5/s, hold: 5m }, run: [look] } }
report: { keep_out: [people.mail, things.full.name] }
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), "mail,number\nanna@example.org,1\nbo@example.org,2\n").unwrap();
    std::fs::write(folder.path().join("things.jsonl"), "{\"id\": 1, \"full.name\": \"Old Lamp\"}\n").unwrap();
    folder
}

#[test]
fn the_values_of_named_columns_are_kept_out() {
    let folder = folder();
    let (study, secrets) = load_in(folder.path(), STUDY, &Options::default()).unwrap_or_else(|why| panic!("{why}"));
    let kept = kept_out(&study, &secrets, &load_tables(&study).unwrap());
    assert_eq!(kept.cut("1: anna@example.org bo%40example.org Old+Lamp"), "1: ‹kept out› ‹kept out› ‹kept out›");
    // The archive keeps the names; without the data there is nothing to check them against.
    let (again, _) = load_in(std::path::Path::new("/elsewhere"), &study.effective, &archived()).unwrap();
    assert_eq!(again.effective, study.effective);
    let names: Vec<String> = again.report.keep_out.iter().map(|kept| format!("{}.{}", kept.set, kept.column)).collect();
    assert_eq!(names, ["people.mail", "things.full.name"]);
}

#[test]
fn a_column_that_is_not_there_gets_the_names_that_are() {
    let folder = folder();
    for (kept, code, label) in [
        ("people.mial", "study::unknown-name", "did you mean `mail`?"),
        ("poeple.mail", "study::unknown-name", "did you mean `people`?"),
        ("people", "study::wrong-type", "write `DATASET.COLUMN`"),
        ("people.", "study::wrong-type", "write `DATASET.COLUMN`"),
    ] {
        let text = STUDY.replace("things.full.name", kept);
        let Err(rejected) = load_in(folder.path(), &text, &Options::default()) else { panic!("{kept} was accepted") };
        let [mistake] = rejected.mistakes.0.as_slice() else { panic!("{rejected}") };
        assert_eq!((mistake.code, mistake.label.as_deref()), (code, Some(label)), "{kept}: {rejected}");
    }
}
