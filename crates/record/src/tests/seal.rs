//! Creating, ending, killing and sealing.

use super::*;
use crate::{Ending, RecordError, RunState, seal_killed};
use terms::Nanos;

fn two_engine_seconds() -> All {
    let row = |second| EngineRow { second, cpu_s: 0.5, ..EngineRow::default() };
    All { engine: vec![row(0), row(1)], ..All::default() }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_that_is_not_empty_is_refused_and_left_alone() {
    let (folder, _) = scratch();
    std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let error = create(folder.path(), &head(), "").err().unwrap();
    assert_eq!(error, RecordError::Exists { path: folder.path().to_owned() });
    assert!(error.to_string().contains("name a new one with `--out DIR`"), "{error}");
    assert_eq!(names(folder.path()), ["notes.txt"]);
}

#[test]
fn a_head_that_could_not_be_read_again_is_refused_before_the_load() {
    let (_folder, path) = scratch();
    let scenario = ScenarioHead { think_s: f64::NAN, ..ScenarioHead::default() };
    let broken = Head { scenarios: vec![scenario], ..head() };
    assert!(matches!(create(&path, &broken, ""), Err(RecordError::NotARun { .. })));
}

#[test]
fn an_empty_folder_is_taken_and_a_file_is_not() {
    let (folder, path) = scratch();
    std::fs::create_dir(&path).unwrap();
    create(&path, &head(), "").unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(create(&file, &head(), ""), Err(RecordError::Io { .. })));
}

/// A long table is read back in two halves at once before its segments are removed.
#[test]
fn a_table_of_several_groups_is_sealed_with_every_row_in_order() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    let rows = (0..3 * 65_536 + 5).map(|second| EngineRow { second, ..EngineRow::default() });
    All { engine: rows.clone().collect(), ..All::default() }.write(&mut writer);
    let ending = Ending { reason: "completed".into(), ..Ending::default() };
    writer.finish(&Head { ending: Some(ending), ..head() }).unwrap();
    let table = crate::rows::table_of::<EngineRow>(&path.join("evidence/load/engine.parquet"), &head().id).unwrap();
    assert!(table.groups() > 2);
    assert!(crate::rows::rows_of::<EngineRow>(table).map(Result::unwrap).eq(rows));
    // Damage is seen in either half.
    let file = path.join("evidence/load/engine.parquet");
    let whole = std::fs::read(&file).unwrap();
    let digest = || crate::digest::Digest::of_table::<EngineRow>(&file, &head().id);
    let recorded = digest().unwrap();
    for place in [whole.len() / 5, whole.len() * 4 / 5] {
        let mut bytes = whole.clone();
        bytes[place..place + 64].iter_mut().for_each(|byte| *byte ^= 0x55);
        std::fs::write(&file, bytes).unwrap();
        assert!(!digest().is_ok_and(|found| found == recorded), "at byte {place} of {}", whole.len());
    }
}

#[test]
fn a_sealed_folder_holds_the_tables_and_no_segment() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    two_engine_seconds().write(&mut writer);
    let ending = Ending { reason: "completed".into(), ..Ending::default() };
    let last = Head { ending: Some(ending), ..head() };
    assert_eq!(writer.finish(&last).unwrap(), path);
    let evidence = path.join("evidence");
    assert_eq!(names(&evidence), ["events", "load", "manifest.json", "run.json", "study.yaml", "watch"]);
    assert_eq!(names(&evidence.join("events")), ["clocks.parquet", "events.parquet", "steps.parquet"]);
    assert_eq!(names(&evidence.join("watch")), ["samples.parquet"]);
    let tables = ["engine", "iterations", "legs", "notes", "outcomes", "slowest", "starts"];
    let load = tables.map(|name| format!("{name}.parquet"));
    assert_eq!(names(&evidence.join("load")), load);
    let run = Run::open(&path).unwrap();
    // Two rows of one kind, each in a block of its own.
    let blocks = Some([2, 0, 0]);
    let ending = last.ending.clone().map(|ending| Ending { blocks, ..ending });
    assert_eq!((run.head.clone(), run.study().unwrap()), (Head { ending, ..last }, "study: Trial\n".to_owned()));
    assert_eq!(All::read(&run), two_engine_seconds());
}

#[test]
fn a_killed_run_is_sealed_as_interrupted_at_its_last_moment() {
    let (_folder, path) = scratch();
    killed_run(&path, &two_engine_seconds());
    let killed = Run::open(&path).unwrap();
    assert_eq!((killed.state, killed.cut()), (RunState::Unsealed, Some(Nanos::from_secs(2))));
    seal_killed(&path).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!(run.head, killed.head, "sealing adds nothing to what is read");
    let ending = run.head.ending.clone().unwrap();
    assert_eq!((run.state, ending.reason.as_str(), ending.at_ns), (RunState::Sealed, "interrupted", 2_000_000_000));
    // The origin is 2026-11-21T10:00:00Z: 20,778 days and ten hours after 1970.
    assert_eq!(ending.ended, "2026-11-21T10:00:02.000Z");
    assert!(ending.text.contains("killed") && ending.text.contains("2.0 s"), "{}", ending.text);
    assert_eq!(All::read(&run), two_engine_seconds());
    seal_killed(&path).unwrap();
    assert_eq!(Run::open(&path).unwrap().head, run.head);
}

#[test]
fn what_was_not_synced_is_all_that_a_kill_costs() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "").unwrap();
    two_engine_seconds().write(&mut writer);
    writer.sync().unwrap();
    writer.write(Entry::Engine(EngineRow { second: 2, ..EngineRow::default() })).unwrap();
    drop(writer);
    assert_eq!(All::read(&Run::open(&path).unwrap()), two_engine_seconds());
}

#[test]
fn a_run_that_goes_on_can_be_read_and_not_sealed() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "").unwrap();
    two_engine_seconds().write(&mut writer);
    writer.sync().unwrap();
    assert_eq!(seal_killed(&path), Err(RecordError::StillRunning { path: path.clone() }));
    assert_eq!(All::read(&Run::open(&path).unwrap()), two_engine_seconds());
    writer.finish(&head()).unwrap();
    assert_eq!(Run::open(&path).unwrap().state, RunState::Sealed);
}

#[test]
fn killed_anywhere_in_the_sealing_nothing_is_lost() {
    // A table that was half written, one that was finished, and segments that outlived the manifest.
    let (_folder, path) = scratch();
    killed_run(&path, &two_engine_seconds());
    let load = path.join("evidence/load");
    std::fs::write(load.join("legs.parquet.tmp"), "PAR1 half").unwrap();
    let (_other, finished) = scratch();
    killed_run(&finished, &two_engine_seconds());
    seal_killed(&finished).unwrap();
    std::fs::copy(finished.join("evidence/load/engine.parquet"), load.join("engine.parquet")).unwrap();
    let segment = std::fs::read(load.join("000001.segment")).unwrap();
    assert_eq!(All::read(&Run::open(&path).unwrap()), two_engine_seconds());
    seal_killed(&path).unwrap();
    std::fs::write(load.join("000001.segment"), segment).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!((run.state, All::read(&run)), (RunState::Sealed, two_engine_seconds()));
    assert!(!load.join("legs.parquet.tmp").exists());
}

#[test]
fn killed_right_behind_its_seal_a_run_is_tidied_and_nothing_else_changes() {
    let (_folder, path) = scratch();
    killed_run(&path, &two_engine_seconds());
    seal_killed(&path).unwrap();
    let evidence = path.join("evidence");
    let sealed = names(&evidence);
    for name in ["ending.room", "writing.lock"] {
        std::fs::write(evidence.join(name), "").unwrap();
    }
    seal_killed(&path).unwrap();
    assert_eq!((names(&evidence), All::read(&Run::open(&path).unwrap())), (sealed, two_engine_seconds()));
}

#[test]
fn the_head_can_be_replaced_while_the_run_goes_on() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "").unwrap();
    let later = Head { facts: vec![("shop".into(), "version".into(), "2".into())], ..head() };
    writer.update_head(&later).unwrap();
    assert_eq!(Run::open(&path).unwrap().head.facts, later.facts);
}

#[test]
fn long_records_go_on_in_further_segments() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "").unwrap();
    let text = "x".repeat(60_000);
    // 1,300 events of 60 kB are more than one segment of 64 MiB.
    for number in 0..1300 {
        let event = EventRow { at: Nanos(number), kind: "k".into(), subject: "s".into(), text: text.clone() };
        writer.write(Entry::Event(event)).unwrap();
    }
    writer.sync().unwrap();
    assert_eq!(names(&path.join("evidence/events")), ["000001.segment", "000002.segment"]);
    let run = Run::open(&path).unwrap();
    assert_eq!(run.state, RunState::Unsealed);
    assert!(run.events().unwrap().iter().map(|event| event.at.0).eq(0..1300));
    std::fs::remove_file(path.join("evidence/events/000001.segment")).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!(run.state, RunState::Torn { bytes_dropped: 0 });
    assert!(run.damage[0].contains("blocks are missing"), "{:?}", run.damage);
}
