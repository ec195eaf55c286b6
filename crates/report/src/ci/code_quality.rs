//! Notes as a Code Quality report, which GitLab shows in merge requests.

use super::notes::{Level, Note, StudyPlace};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// `gl-code-quality-report.json`. `study` is the study's title: with what a note is about it makes the fingerprint, so that
/// the same requirement is the same entry in every run, whatever was measured. `elsewhere` is the place of notes without one,
/// which GitLab demands.
pub fn code_quality(notes: &[Note], study: &str, elsewhere: &StudyPlace) -> String {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let entry = |note: &Note, again: u32| {
        let place = note.place.as_ref().unwrap_or(elsewhere);
        json!({
            "description": format!("{}. {}", note.title, note.text),
            "check_name": note.about,
            "fingerprint": fingerprint(study, &note.about, again),
            "severity": match note.level {
                Level::Error => "critical",
                Level::Warning => "major",
                Level::Notice => "minor",
            },
            "location": { "path": place.file, "lines": { "begin": place.line } },
        })
    };
    let mut entries = Vec::new();
    for note in notes {
        let again = seen.entry(&note.about).or_default();
        entries.push(entry(note, *again));
        *again += 1;
    }
    let text = serde_json::to_string_pretty(&entries).expect("invariant: maps with text keys always serialise");
    format!("{text}\n")
}

/// One requirement may have several rules, each in other scenarios: the second is another entry.
fn fingerprint(study: &str, about: &str, again: u32) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("loadproof\0{study}\0{about}\0{again}"));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_keeps_its_fingerprint_whatever_was_measured() {
        let place = StudyPlace { file: "study.yaml".into(), line: 3 };
        let note = |text: &str, place: Option<StudyPlace>| Note {
            level: Level::Error,
            about: "requirement:fast".into(),
            title: "fast: not met".into(),
            text: text.into(),
            place,
        };
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
        let first = read(&code_quality(&[note("310 ms", Some(place.clone()))], "Shop", &place));
        let other = StudyPlace { file: "evidence/study.yaml".into(), line: 1 };
        let second = read(&code_quality(&[note("320 ms", None), note("x", None)], "Shop", &other));
        assert_eq!(first[0]["fingerprint"], second[0]["fingerprint"]);
        assert_ne!(second[0]["fingerprint"], second[1]["fingerprint"]);
        assert_eq!(second[0]["location"]["path"], "evidence/study.yaml");
        assert_eq!((&first[0]["severity"], &first[0]["location"]["lines"]["begin"]), (&json!("critical"), &json!(3)));
        assert_ne!(read(&code_quality(&[note("", None)], "Other", &other))[0]["fingerprint"], first[0]["fingerprint"]);
        assert_eq!(code_quality(&[], "Shop", &other), "[]\n");
    }
}
