//! Profiles: by name, in the study, in a file beside it; clear mistakes for what is not a block.

use super::fakes::BLOCKS;
use super::samples::QUICKSTART;
use crate::{Fold, Options, Rejected, Study, load, load_text, profile_from_text};
use std::path::Path;

fn with_report(report: &str) -> Result<Study, Rejected> {
    let text = format!("{QUICKSTART}report: {report}\n");
    let options = Options::default();
    load_text("study.yaml", &text, Path::new("."), &super::fakes::REGISTRY, &options).map(|(study, _)| study)
}

fn refused(report: &str) -> String {
    let mistakes = with_report(report).unwrap_err().mistakes.0;
    let mistake = &mistakes[0];
    let parts = [Some(mistake.message.clone()), mistake.label.clone(), mistake.hint.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" | ")
}

#[test]
fn unknown_blocks_and_parts_are_told_with_what_is_possible() {
    let said = refused("{ profile: { blocks: [ sumary ] } }");
    assert!(said.contains("`sumary`") && said.contains("did you mean `summary`?"), "{said}");
    assert!(said.contains("possible: summary, introduction"), "{said}");
    let said = refused("{ profile: { blocks: [ { block: results, parts: [ time ] } ] } }");
    assert!(said.contains("no part of `results` `time`") && said.contains("possible: verdicts, times"), "{said}");
    let said = refused("{ profile: { blocks: [ { block: methods, parts: [ all ] } ] } }");
    assert!(said.contains("`methods` has no parts"), "{said}");
    let said = refused("{ profile: { blocks: [ summary ], conformance: [ { id: 1, asks: x, at: results.heap } ] } }");
    assert!(said.contains("no part of `results` `heap`"), "{said}");
    let said = refused("{ sections: [ summry ] }");
    assert!(said.contains("did you mean `summary`?"), "{said}");
    let said = refused("{ profile: { blocks: [ summary ], appendices: [ summary ] } }");
    assert!(said.contains("is listed twice"), "{said}");
    let said = refused("{ profile: { blocks: [] } }");
    assert!(said.contains("no blocks") && said.contains("possible: summary"), "{said}");
    let said = refused("{ profile: fulll }");
    assert!(said.contains("did you mean `full`?") && said.contains("my-profile.yaml"), "{said}");
    let said = refused("{ profile: { blocks: [ summary ], apendices: [] } }");
    assert!(said.contains("appendices"), "{said}");
}

#[test]
fn what_is_folded_is_read_and_archived() {
    let blocks = "blocks: [ { block: results, fold: [ verdicts ] }, { block: load, fold: parts }, { block: methods, fold: whole } ]";
    let profile = profile_from_text("x", blocks, BLOCKS).unwrap();
    let folds: Vec<&Fold> = profile.blocks.iter().map(|choice| &choice.fold).collect();
    assert_eq!(folds, [&Fold::These(vec!["verdicts".into()]), &Fold::Parts, &Fold::Whole]);
    let study = with_report(&format!("{{ profile: {{ {blocks} }} }}")).unwrap();
    let again = load_text("a", &study.effective, Path::new("/"), &super::fakes::REGISTRY, &Options::default());
    assert_eq!(again.unwrap().0.report, study.report, "it is archived whole");
    let said = refused("{ profile: { blocks: [ { block: results, fold: [ verdict ] } ] } }");
    assert!(said.contains("no part of `results` `verdict`") && said.contains("possible: verdicts"), "{said}");
    let said = refused("{ profile: { blocks: [ { title: T, fold: whole, of: [ setup ] } ] } }");
    assert!(said.contains("`fold` and `of`"), "{said}");
}

#[test]
fn a_chapter_may_be_made_of_several_blocks() {
    let chapters = "blocks: [ { title: { en: Set-up }, of: [ setup, { block: load, title: Load } ] }, summary ]";
    let profile = profile_from_text("x", chapters, BLOCKS).unwrap();
    assert_eq!(profile.chosen().map(|choice| choice.name.as_str()).collect::<Vec<_>>(), ["setup", "load", "summary"]);
    let study = with_report(&format!("{{ profile: {{ {chapters} }} }}")).unwrap();
    let again = load_text("a", &study.effective, Path::new("/"), &super::fakes::REGISTRY, &Options::default());
    assert_eq!(again.unwrap().0.report, study.report, "it is archived whole");
    let said = refused("{ profile: { blocks: [ { title: T, of: [ setup, setup ] } ] } }");
    assert!(said.contains("is listed twice"), "{said}");
    let said = refused("{ profile: { blocks: [ { of: [ setup ] } ] } }");
    assert!(said.contains("a chapter has no `title`"), "{said}");
    let said = refused("{ profile: { blocks: [ { title: T, block: load, of: [ setup ] } ] } }");
    assert!(said.contains("`block` and `of`") && said.contains("leave one of them out"), "{said}");
    let said = refused("{ profile: { blocks: [ { title: T, of: [ { block: lod } ] } ] } }");
    assert!(said.contains("did you mean `load`?"), "{said}");
    assert!(refused("{ profile: { blocks: [ { title: T, of: [] } ] } }").contains("no blocks"));
}

#[test]
fn a_file_beside_the_study_is_read_and_archived() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study.yaml");
    std::fs::write(&study, format!("{QUICKSTART}report: {{ profile: client.yaml }}\n")).unwrap();
    let profile =
        "about: for the client\nblocks: [ summary, load ]\nconformance: [ { id: \"1\", asks: load, at: load } ]\n";
    std::fs::write(folder.path().join("client.yaml"), profile).unwrap();
    let (loaded, _) = load(&study, &super::fakes::REGISTRY, &Options::default()).unwrap();
    let own = loaded.report.own_profile.clone().unwrap();
    assert_eq!((own.name.as_str(), own.blocks.len(), own.conformance.len()), ("client", 2, 1));
    let again = load_text("a", &loaded.effective, Path::new("/"), &super::fakes::REGISTRY, &Options::default());
    assert_eq!(again.unwrap().0.report, loaded.report);
}

#[test]
fn a_mistake_in_a_profile_has_its_place_in_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study.yaml");
    std::fs::write(&study, format!("{QUICKSTART}report: {{ profile: client.yaml }}\n")).unwrap();
    let none = load(&study, &super::fakes::REGISTRY, &Options::default()).unwrap_err();
    assert!(none.mistakes.0[0].message.contains("`client.yaml` cannot be read"), "{none:?}");
    assert_eq!(none.mistakes.0.len(), 1);
    std::fs::write(folder.path().join("client.yaml"), "about: x\nblocks:\n  - summary\n  - lod\n").unwrap();
    let wrong = load(&study, &super::fakes::REGISTRY, &Options::default()).unwrap_err();
    let place = wrong.mistakes.0[0].place.unwrap();
    assert_eq!((wrong.files[usize::from(place.file)].name.as_str(), place.line), ("client.yaml", 4));
    for text in ["", "- a\n- b\n", "just text", "blocks: 5", "\u{0}", "a: [", "blocks: [[[[]]]]"] {
        std::fs::write(folder.path().join("client.yaml"), text).unwrap();
        assert!(load(&study, &super::fakes::REGISTRY, &Options::default()).is_err(), "{text:?}");
    }
}

#[test]
fn a_text_is_read_as_a_profile() {
    assert!(profile_from_text("x", "blocks: [ summary ]", BLOCKS).is_ok());
    assert!(profile_from_text("x", "", BLOCKS).unwrap_err()[0].contains("empty"));
}
