//! Every state that a folder can be found in: what is read, what is sealed, what stays as it is.

use super::*;
use crate::{Ending, RecordError, RunState, seal_killed};
use std::collections::BTreeMap;
use terms::Nanos;

fn engine(seconds: i64) -> All {
    let row = |second| EngineRow { second, ..EngineRow::default() };
    All { engine: (0..seconds).map(row).collect(), ..All::default() }
}

/// Every file of the evidence with its bytes, but the lock, which has none.
fn bytes(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![path.join("evidence")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("writing.lock") {
                found.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn sealed() -> (TempDir, PathBuf) {
    let (folder, path) = scratch();
    killed_run(&path, &engine(7));
    seal_killed(&path).unwrap();
    (folder, path)
}

#[test]
fn tables_without_a_manifest_are_read_and_never_sealed() {
    let (_folder, path) = sealed();
    let whole = All::read(&Run::open(&path).unwrap());
    std::fs::remove_file(path.join("evidence/manifest.json")).unwrap();
    let before = bytes(&path);
    let run = Run::open(&path).unwrap();
    assert_eq!(
        (run.state, run.is_sealed(), run.altered.as_slice()),
        (RunState::Unsealed, false, ["manifest.json".to_owned()].as_slice())
    );
    assert_eq!(All::read(&run), whole);
    let error = seal_killed(&path).unwrap_err();
    assert!(matches!(error, RecordError::NotSealed { .. }), "{error}");
    assert!(error.to_string().contains("nothing is written over it"), "{error}");
    assert_eq!(bytes(&path), before);
    // Nor when some of the tables are gone, too.
    std::fs::remove_file(path.join("evidence/load/legs.parquet")).unwrap();
    let before = bytes(&path);
    assert!(matches!(seal_killed(&path), Err(RecordError::NotSealed { .. })));
    assert!(Run::open(&path).unwrap().legs().is_err());
    assert_eq!(bytes(&path), before);
}

#[test]
fn a_table_that_cannot_be_read_is_not_written_over() {
    let (_folder, path) = scratch();
    killed_run(&path, &engine(3));
    std::fs::write(path.join("evidence/load/engine.parquet"), "PAR1 ruined").unwrap();
    let before = bytes(&path);
    let error = seal_killed(&path).unwrap_err();
    assert!(error.to_string().contains("nothing is written over it"), "{error}");
    let after = bytes(&path);
    assert!(before.iter().all(|(path, content)| after.get(path) == Some(content)), "something was written over");
    assert!(!path.join("evidence/manifest.json").exists());
    // The segments count, and are all there.
    assert_eq!(All::read(&Run::open(&path).unwrap()), engine(3));
}

#[test]
fn segments_and_tables_that_are_not_the_same_record_are_refused() {
    let (_other, finished) = sealed();
    let (_folder, path) = scratch();
    killed_run(&path, &engine(3));
    std::fs::copy(finished.join("evidence/load/engine.parquet"), path.join("evidence/load/engine.parquet")).unwrap();
    let before = bytes(&path);
    for error in [Run::open(&path).unwrap_err(), seal_killed(&path).unwrap_err()] {
        let text = error.to_string();
        assert!(text.contains("`load/engine.parquet` holds 7 rows") && text.contains("hold 3 of that kind"), "{text}");
    }
    assert_eq!(bytes(&path), before);
    std::fs::remove_file(path.join("evidence/load/engine.parquet")).unwrap();
    assert_eq!(All::read(&Run::open(&path).unwrap()), engine(3));
}

#[test]
fn empty_segments_do_not_hide_the_tables_beside_them() {
    let (_folder, path) = sealed();
    std::fs::remove_file(path.join("evidence/manifest.json")).unwrap();
    for stream in ["load", "watch", "events"] {
        std::fs::write(path.join("evidence").join(stream).join("000001.segment"), "").unwrap();
    }
    let before = bytes(&path);
    for error in [Run::open(&path).unwrap_err(), seal_killed(&path).unwrap_err()] {
        assert!(error.to_string().contains("they are not the same record"), "{error}");
    }
    assert_eq!(bytes(&path), before);
}

/// Twenty seconds of load with its marks, and samples beside it.
fn twenty_seconds() -> All {
    let mark = StepMark { step: 0, at: Nanos::ZERO, is_end: false };
    let sample = |second| SampleRow {
        monitor: 0,
        metric: 0,
        instance: "local".into(),
        at: Nanos::from_secs(second),
        value: Some(0.5),
    };
    All { steps: vec![mark], samples: (0..20).map(sample).collect(), ..engine(20) }
}

#[test]
fn a_killed_run_whose_load_was_taken_away_is_torn() {
    let (_folder, path) = scratch();
    killed_run(&path, &twenty_seconds());
    assert_eq!(Run::open(&path).unwrap().state, RunState::Unsealed);
    let segment = path.join("evidence/load/000001.segment");
    let whole = std::fs::read(&segment).unwrap();
    // Each second is a block of its own, and all are equally long.
    for (kept, told) in [(0, true), (10, true), (13, true), (14, false), (20, false)] {
        std::fs::write(&segment, &whole[..whole.len() / 20 * kept]).unwrap();
        let run = Run::open(&path).unwrap();
        let sentence = format!("`load`: its rows end {kept} s after the start, and others go on to 19 s");
        assert_eq!(run.damage.contains(&sentence), told, "{kept}: {:?}", run.damage);
        assert_eq!(run.state == RunState::Unsealed, !told, "{kept}");
    }
    std::fs::write(&segment, "").unwrap();
    seal_killed(&path).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!((run.state, run.damage.len()), (RunState::Torn { bytes_dropped: 0 }, 1), "sealed, and still told");
}

#[test]
fn the_table_of_another_run_is_not_read_as_this_ones() {
    let (_folder, path) = scratch();
    killed_run(&path, &engine(7));
    let (_other, other) = scratch();
    let mut writer = create(&other, &Head { id: "another".into(), ..head() }, "study: Trial\n").unwrap();
    engine(3).write(&mut writer);
    writer.finish(&Head { id: "another".into(), ..head() }).unwrap();
    let table = |run: &Path| run.join("evidence/load/engine.parquet");
    let foreign = RecordError::ForeignTable { path: table(&path), run: "another".into() };
    // Beside segments: they count, and the table stays where it is.
    std::fs::copy(table(&other), table(&path)).unwrap();
    let before = bytes(&path);
    assert_eq!(All::read(&Run::open(&path).unwrap()), engine(7));
    assert!(seal_killed(&path).unwrap_err().to_string().contains("nothing is written over it"));
    let after = bytes(&path);
    assert!(before.iter().all(|(path, content)| after.get(path) == Some(content)), "something was written over");
    // Without a manifest nobody vouches for it but itself.
    std::fs::remove_file(table(&path)).unwrap();
    seal_killed(&path).unwrap();
    std::fs::remove_file(path.join("evidence/manifest.json")).unwrap();
    assert_eq!(All::read(&Run::open(&path).unwrap()), engine(7));
    std::fs::copy(table(&other), table(&path)).unwrap();
    assert_eq!(Run::open(&path).unwrap().engine().err(), Some(foreign));
}

#[test]
fn a_run_that_says_what_it_recorded_is_not_read_as_one_without_load() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    engine(5).write(&mut writer);
    writer
        .finish(&Head { ending: Some(Ending { reason: "completed".into(), ..Ending::default() }), ..head() })
        .unwrap();
    for file in bytes(&path).into_keys().filter(|file| file.extension().is_some_and(|it| it == "parquet")) {
        std::fs::remove_file(file).unwrap();
    }
    std::fs::remove_file(path.join("evidence/manifest.json")).unwrap();
    for stream in ["load", "watch", "events"] {
        std::fs::write(path.join("evidence").join(stream).join("000001.segment"), "").unwrap();
    }
    let error = Run::open(&path).unwrap_err().to_string();
    assert!(error.contains("5 blocks of load were recorded") && error.contains("none of them"), "{error}");
}

#[test]
fn a_ruined_or_foreign_manifest_is_no_seal_and_is_not_written_over() {
    for manifest in ["", "{", "[]", "{}", r#"{"schema": "loadproof/manifest/9", "files": []}"#] {
        let (_folder, path) = sealed();
        std::fs::write(path.join("evidence/manifest.json"), manifest).unwrap();
        let before = bytes(&path);
        let run = Run::open(&path).unwrap();
        assert_eq!(
            (run.is_sealed(), run.altered.as_slice()),
            (false, ["manifest.json".to_owned()].as_slice()),
            "{manifest}"
        );
        assert_eq!(run.engine().unwrap().count(), 7);
        assert!(seal_killed(&path).is_err());
        assert_eq!(bytes(&path), before);
    }
    // One that vouches for nothing.
    let (_folder, path) = sealed();
    std::fs::write(path.join("evidence/manifest.json"), r#"{"schema": "loadproof/manifest/1", "files": []}"#).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!(run.altered.len(), 13, "{:?}", run.altered);
    assert!(matches!(run.engine(), Err(RecordError::Altered { .. })));
}

#[test]
fn the_manifest_of_another_run_is_named_and_not_the_tables() {
    let iteration = |second| IterationRow {
        step: 0,
        stream: recorder::NO_STREAM,
        intended_s: second,
        end_s: second,
        books: terms::Books { intended: 1, started: 1, completed: 1, ..terms::Books::default() },
    };
    let run = |seconds: i64, id: &str| {
        let (folder, path) = scratch();
        let load = Folded { iterations: (0..seconds).map(iteration).collect(), ..Folded::default() };
        let mut writer = create(&path, &Head { id: id.into(), ..head() }, "study: Trial\n").unwrap();
        let event = EventRow { at: Nanos::SECOND, kind: "restart".into(), subject: id.into(), text: String::new() };
        All { load, events: vec![event], ..All::default() }.write(&mut writer);
        writer.finish(&Head { id: id.into(), ..head() }).unwrap();
        (folder, path)
    };
    // Two runs of one study may well have the same books; what they are called they do not share.
    for seconds in [4, 3] {
        let ((_first, ours), (_second, theirs)) = (run(3, "ours"), run(seconds, "theirs"));
        std::fs::copy(theirs.join("evidence/manifest.json"), ours.join("evidence/manifest.json")).unwrap();
        let error = Run::open(&ours).unwrap_err();
        assert_eq!(error, RecordError::ForeignManifest { path: ours.join("evidence/manifest.json") }, "{seconds}");
    }
    let (_folder, ours) = run(3, "ours");
    std::fs::remove_file(ours.join("evidence/manifest.json")).unwrap();
    assert_eq!(Run::open(&ours).unwrap().iterations().unwrap().count(), 3);
}

#[test]
fn a_folder_without_any_record_is_refused() {
    let (_folder, path) = sealed();
    for folder in ["load", "watch", "events"] {
        std::fs::remove_dir_all(path.join("evidence").join(folder)).unwrap();
    }
    std::fs::remove_file(path.join("evidence/manifest.json")).unwrap();
    let error = Run::open(&path).unwrap_err().to_string();
    assert!(error.contains("neither segments nor tables"), "{error}");
    assert!(seal_killed(&path).is_err());
    assert!(!path.join("evidence/load").exists());
}

#[test]
fn a_stream_that_lost_its_segments_is_not_sealed_as_empty() {
    let (_folder, path) = scratch();
    killed_run(&path, &engine(3));
    std::fs::remove_file(path.join("evidence/load/000001.segment")).unwrap();
    let before = bytes(&path);
    assert!(matches!(seal_killed(&path), Err(RecordError::NotSealed { .. })));
    assert_eq!(bytes(&path), before);
    assert!(Run::open(&path).unwrap().engine().is_err());
}

#[test]
fn another_study_than_the_one_that_was_run_is_named_and_not_sealed() {
    let (_folder, path) = scratch();
    // SHA-256 of "study: Trial\n", by sha256sum.
    let sum = "1f11093f00f0ed526a6f273d798c91ccb188c61e40cac5b683ed7d8e8a24729d";
    let mut writer = create(&path, &Head { study_sha256: sum.into(), ..head() }, "study: Trial\n").unwrap();
    engine(3).write(&mut writer);
    writer.sync().unwrap();
    drop(writer);
    assert!(Run::open(&path).unwrap().altered.is_empty());
    std::fs::write(path.join("evidence/study.yaml"), "study: Another\n").unwrap();
    assert_eq!(Run::open(&path).unwrap().altered, ["study.yaml"]);
    let error = seal_killed(&path).unwrap_err().to_string();
    assert!(error.contains("is not the study that was run"), "{error}");
    std::fs::remove_file(path.join("evidence/study.yaml")).unwrap();
    assert_eq!(Run::open(&path).unwrap().altered, ["study.yaml"]);
}

#[test]
fn a_run_of_a_later_version_is_refused_with_its_version() {
    let (_folder, path) = sealed();
    std::fs::write(path.join("evidence/run.json"), r#"{"schema": "loadproof/run/2", "version": "7.0.0", "id": 5}"#)
        .unwrap();
    let error = Run::open(&path).unwrap_err().to_string();
    assert!(error.contains("loadproof/run/2") && error.contains("version 7.0.0"), "{error}");
}

#[test]
fn killed_while_it_seals_a_run_has_ended_as_it_did() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    engine(5).write(&mut writer);
    writer.sync().unwrap();
    let segments = bytes(&path);
    let ending = Ending { reason: "completed".into(), at_ns: 5_400_000_000, ..Ending::default() };
    writer.finish(&Head { ending: Some(ending), ..head() }).unwrap();
    let sealed = Run::open(&path).unwrap();
    // As it was between the end and the manifest: `run.json` with the ending, segments, and some of the tables.
    std::fs::remove_file(path.join("evidence/manifest.json")).unwrap();
    for (file, content) in segments.iter().filter(|(file, _)| file.extension().is_some_and(|it| it == "segment")) {
        std::fs::write(file, content).unwrap();
    }
    let run = Run::open(&path).unwrap();
    assert_eq!((run.state, run.cut(), &run.head), (RunState::Unsealed, None, &sealed.head));
    seal_killed(&path).unwrap();
    assert_eq!(Run::open(&path).unwrap().head, sealed.head);
    // Segments that hold less than the ending says have lost their end.
    std::fs::remove_file(path.join("evidence/manifest.json")).unwrap();
    for (file, content) in segments.iter().filter(|(file, _)| file.extension().is_some_and(|it| it == "segment")) {
        std::fs::write(file, &content[..content.len() / 5 * 3]).unwrap();
    }
    for file in bytes(&path).into_keys().filter(|file| file.extension().is_some_and(|it| it == "parquet")) {
        std::fs::remove_file(file).unwrap();
    }
    let run = Run::open(&path).unwrap();
    assert_eq!((run.cut(), run.engine().unwrap().count()), (Some(Nanos::from_secs(3)), 3));
    assert_eq!(run.damage, ["`load`: 2 blocks are missing at its end"]);
    assert_eq!(run.head.ending.as_ref().map(|ending| ending.reason.as_str()), Some("completed"));
    seal_killed(&path).unwrap();
    let again = Run::open(&path).unwrap();
    assert_eq!((again.head, again.damage), (run.head, run.damage));
}

#[test]
fn a_folder_that_is_written_says_so_and_one_that_was_killed_does_not() {
    let (_folder, path) = scratch();
    let writer = create(&path, &head(), "").unwrap();
    let run = Run::open(&path).unwrap();
    assert!(run.is_live);
    assert_eq!(run.check_ended(), Err(RecordError::StillRunning { path: path.clone() }));
    drop(writer);
    assert!(path.join("evidence/writing.lock").exists());
    assert!(!Run::open(&path).unwrap().is_live);
}

/// A run with load, samples and events, killed.
fn all_streams() -> All {
    let sample = |second| SampleRow {
        monitor: 0,
        metric: 0,
        instance: "local".into(),
        at: Nanos::from_secs(second),
        value: Some(0.5),
    };
    let event = |second| EventRow {
        at: Nanos::from_secs(second),
        kind: "note".into(),
        subject: "store".into(),
        text: "something".into(),
    };
    All { samples: (0..7).map(sample).collect(), events: (0..7).map(event).collect(), ..engine(7) }
}

/// Segments that were put where they do not belong, by the folder they are taken from and the one they are put into.
#[test]
fn a_segment_of_another_stream_is_refused_and_nothing_is_removed() {
    for (from, to) in
        [("watch", "load"), ("events", "load"), ("load", "watch"), ("events", "watch"), ("load", "events")]
    {
        let (_folder, path) = scratch();
        killed_run(&path, &all_streams());
        let segment = |stream: &str| path.join(format!("evidence/{stream}/000001.segment"));
        std::fs::copy(segment(from), segment(to)).unwrap();
        let before = bytes(&path);
        for error in [Run::open(&path).unwrap_err(), seal_killed(&path).unwrap_err()] {
            assert!(matches!(error, RecordError::NotARun { .. }), "{from} in {to}: {error}");
            assert!(error.to_string().contains(&format!("holds rows of `{from}`")), "{error}");
        }
        assert_eq!(bytes(&path), before, "{from} in {to}");
    }
}

#[test]
fn a_segment_of_another_run_is_refused_and_nothing_is_removed() {
    let (_folder, path) = scratch();
    killed_run(&path, &all_streams());
    let (_other, other) = scratch();
    let mut writer = create(&other, &Head { id: "another".into(), ..head() }, "study: Trial\n").unwrap();
    all_streams().write(&mut writer);
    writer.sync().unwrap();
    for stream in ["load", "watch", "events"] {
        let segment = |path: &Path| path.join(format!("evidence/{stream}/000001.segment"));
        let own = std::fs::read(segment(&path)).unwrap();
        std::fs::copy(segment(&other), segment(&path)).unwrap();
        let before = bytes(&path);
        let error = seal_killed(&path).unwrap_err();
        assert!(error.to_string().contains("rows of another run"), "{stream}: {error}");
        assert_eq!(bytes(&path), before, "{stream}");
        std::fs::write(segment(&path), own).unwrap();
    }
    seal_killed(&path).unwrap();
}

/// Earlier versions left the place of the run's mark empty: their folders are read as before.
#[test]
fn blocks_without_the_mark_of_a_run_are_read() {
    let (_folder, path) = scratch();
    killed_run(&path, &all_streams());
    let whole = All::read(&Run::open(&path).unwrap());
    for stream in ["load", "watch", "events"] {
        let segment = path.join(format!("evidence/{stream}/000001.segment"));
        let mut bytes = std::fs::read(&segment).unwrap();
        crate::block::unmark(&mut bytes);
        std::fs::write(&segment, bytes).unwrap();
    }
    assert_eq!(All::read(&Run::open(&path).unwrap()), whole);
}

/// Runs were sealed without some of the tables of today: they are whole without them.
#[test]
fn a_run_of_a_version_that_kept_no_slowest_calls_is_whole() {
    let (_folder, path) = sealed();
    let evidence = path.join("evidence");
    let table = evidence.join("load/slowest.parquet");
    let kept = std::fs::read(&table).unwrap();
    std::fs::remove_file(&table).unwrap();
    assert_eq!(Run::open(&path).unwrap().altered, ["load/slowest.parquet"], "this one was sealed with it");
    let manifest = evidence.join("manifest.json");
    let mut value: serde_json::Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
    let files = value["files"].as_array_mut().unwrap();
    files.retain(|file| file["path"] != "load/slowest.parquet");
    std::fs::write(&manifest, value.to_string()).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!((run.state, &run.altered), (RunState::Sealed, &Vec::new()));
    assert_eq!(run.slowest().unwrap().count(), 0);
    // One that somebody lays beside what was sealed is nobody's.
    std::fs::write(&table, kept).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!(run.altered, ["load/slowest.parquet"]);
    assert!(run.slowest().is_err());
}
