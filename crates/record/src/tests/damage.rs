//! Torn, changed and forged files are told, never fatal.

use super::*;
use crate::{RecordError, RunState, seal_killed};
use proptest::prelude::*;
use terms::Nanos;

const FIRST: &str = "evidence/events/000001.segment";

fn event(number: i64) -> EventRow {
    EventRow { at: Nanos(number), kind: "gone".into(), subject: "shop".into(), text: format!("event {number}") }
}

/// A killed run whose events stand in blocks of their own.
fn events(path: &Path, count: i64) {
    killed_run(path, &All { events: (0..count).map(event).collect(), ..All::default() });
}

/// Length of every block of the file, by their headers.
fn block_lengths(bytes: &[u8]) -> Vec<usize> {
    let (mut lengths, mut place) = (Vec::new(), 0);
    while place < bytes.len() {
        let length = 20 + u32::from_le_bytes(bytes[place + 12..place + 16].try_into().unwrap()) as usize;
        lengths.push(length);
        place += length;
    }
    lengths
}

#[test]
fn cut_at_any_byte_a_record_reads_as_a_prefix_and_says_what_is_torn() {
    let (_folder, path) = scratch();
    events(&path, 6);
    let file = path.join(FIRST);
    let whole = std::fs::read(&file).unwrap();
    let lengths = block_lengths(&whole);
    assert_eq!(lengths.len(), 6);
    for cut in (0..=whole.len()).rev() {
        std::fs::write(&file, &whole[..cut]).unwrap();
        let run = Run::open(&path).unwrap();
        let (mut end, mut kept) = (0, 0);
        while kept < lengths.len() && end + lengths[kept] <= cut {
            end += lengths[kept];
            kept += 1;
        }
        assert_eq!(run.events().unwrap(), (0..kept as i64).map(event).collect::<Vec<_>>(), "cut at {cut}");
        let torn = (cut - end) as u64;
        let state = if torn == 0 { RunState::Unsealed } else { RunState::Torn { bytes_dropped: torn } };
        assert_eq!((run.state, run.damage.len()), (state, usize::from(torn > 0)), "cut at {cut}");
        assert!(run.head.ending.unwrap().is_killed);
    }
}

#[test]
fn a_changed_byte_costs_its_block_and_nothing_else() {
    let (_folder, path) = scratch();
    events(&path, 4);
    let file = path.join(FIRST);
    let whole = std::fs::read(&file).unwrap();
    let lengths = block_lengths(&whole);
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x40;
        std::fs::write(&file, &bytes).unwrap();
        let (mut start, mut hit) = (0, 0);
        while place >= start + lengths[hit] {
            start += lengths[hit];
            hit += 1;
        }
        let run = Run::open(&path).unwrap();
        let others: Vec<_> = (0..4).filter(|&number| number != hit as i64).map(event).collect();
        assert_eq!(run.events().unwrap(), others, "byte {place}");
        assert_eq!(run.state, RunState::Torn { bytes_dropped: lengths[hit] as u64 }, "byte {place}");
    }
}

#[test]
fn damage_is_told_with_its_place() {
    let (_folder, path) = scratch();
    events(&path, 3);
    let file = path.join(FIRST);
    let mut bytes = std::fs::read(&file).unwrap();
    let length = block_lengths(&bytes)[0];
    bytes[length + 30] ^= 1;
    bytes.extend_from_slice(&[0; 100]);
    std::fs::write(&file, &bytes).unwrap();
    let run = Run::open(&path).unwrap();
    let expected = [
        format!(
            "`events/000001.segment`: bytes {length} to {} are damaged; reading went on behind them",
            2 * length - 1
        ),
        "`events/000001.segment`: 1 blocks are missing before block 2".to_owned(),
        "`events/000001.segment`: the last 100 bytes are torn".to_owned(),
    ];
    assert_eq!(run.damage, expected);
}

#[test]
fn a_block_that_stands_there_twice_counts_once() {
    let (_folder, path) = scratch();
    events(&path, 2);
    let file = path.join(FIRST);
    let mut bytes = std::fs::read(&file).unwrap();
    let first = block_lengths(&bytes)[0];
    bytes.extend_from_within(..first);
    std::fs::write(&file, &bytes).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!((run.events().unwrap(), run.damage.len()), (vec![event(0), event(1)], 1));
    assert_eq!(run.damage[0], "`events/000001.segment`: block 0 stands here a second time");
}

#[test]
fn a_sealed_run_remembers_what_was_torn() {
    let (_folder, path) = scratch();
    events(&path, 3);
    let file = path.join(FIRST);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    seal_killed(&path).unwrap();
    let run = Run::open(&path).unwrap();
    assert!(run.is_sealed() && matches!(run.state, RunState::Torn { bytes_dropped } if bytes_dropped > 0));
    assert_eq!(run.events().unwrap(), [event(0), event(1)]);
    assert!(run.damage[0].contains("torn"), "{:?}", run.damage);
}

#[test]
fn an_altered_a_missing_and_an_outlying_file_are_named() {
    let (_folder, path) = scratch();
    events(&path, 3);
    seal_killed(&path).unwrap();
    std::fs::write(path.join("evidence/study.yaml"), "study: Another\n").unwrap();
    std::fs::remove_file(path.join("evidence/load/legs.parquet")).unwrap();
    let manifest = path.join("evidence/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("events/clocks.parquet", "../../clocks.parquet")).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!(run.altered, ["../../clocks.parquet", "events/clocks.parquet", "load/legs.parquet", "study.yaml"]);
    assert_eq!(run.events().unwrap().len(), 3);
    assert!(matches!(run.legs(), Err(RecordError::Io { .. })));
    assert!(matches!(run.clocks(), Err(RecordError::Altered { .. })), "nobody vouches for it");
}

#[test]
fn a_ruined_manifest_is_named_and_the_tables_are_read() {
    let (_folder, path) = scratch();
    events(&path, 3);
    seal_killed(&path).unwrap();
    std::fs::write(path.join("evidence/manifest.json"), "{").unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!((run.altered.as_slice(), run.events().unwrap().len()), (["manifest.json".to_owned()].as_slice(), 3));
}

#[test]
fn what_is_no_run_is_refused_with_a_hint() {
    let (folder, path) = scratch();
    let message = Run::open(folder.path()).unwrap_err().to_string();
    assert!(message.contains("has no `evidence/run.json`; name the folder that `loadproof run` made"), "{message}");
    events(&path, 1);
    std::fs::write(path.join("evidence/run.json"), "[1").unwrap();
    assert!(matches!(Run::open(&path), Err(RecordError::NotARun { .. })));
}

/// Writes one mutation: bytes changed, a piece doubled or taken out, the end cut.
fn mutate(bytes: &mut Vec<u8>, (place, kind, value): (usize, u8, u8)) {
    if bytes.is_empty() {
        return;
    }
    let place = place % bytes.len();
    let end = (place + usize::from(value)).min(bytes.len());
    match kind % 5 {
        0 => bytes[place] = value,
        1 => bytes[place] ^= 1 << (value % 8),
        2 => drop(bytes.drain(place..end)),
        3 => {
            let piece = bytes[place..end].to_vec();
            bytes.splice(place..place, piece);
        }
        _ => bytes.truncate(place),
    }
}

/// Reads all that can be read; errors are welcome, panics and endless rows are not.
fn read_to_the_end(path: &Path) {
    fn drain<T>(rows: Result<crate::Rows<T>, RecordError>) {
        if let Ok(rows) = rows {
            assert!(rows.take(100_000).count() < 100_000);
        }
    }
    let Ok(run) = Run::open(path) else { return };
    drain(run.legs());
    drain(run.starts());
    drain(run.outcomes());
    drain(run.iterations());
    drain(run.notes());
    drain(run.slowest());
    drain(run.engine());
    drain(run.samples());
    drop((run.events(), run.steps(), run.clocks(), run.study(), run.last_moment()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_mutation_of_segments_is_survived(
        all in super::rows::all(),
        mutations in prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 1..8),
        checksums_fit: bool,
    ) {
        let (_folder, path) = scratch();
        killed_run(&path, &all);
        for stream in ["load", "watch", "events"] {
            let file = path.join("evidence").join(stream).join("000001.segment");
            let mut bytes = std::fs::read(&file).unwrap();
            for &mutation in &mutations {
                mutate(&mut bytes, mutation);
            }
            if checksums_fit {
                refit_checksums(&mut bytes);
            }
            std::fs::write(&file, &bytes).unwrap();
        }
        read_to_the_end(&path);
        match seal_killed(&path) {
            Ok(_) => prop_assert!(Run::open(&path).unwrap().is_sealed()),
            // Forged with a sum that fits: rows of another run, or of another stream. They stay where they are.
            Err(error) => {
                prop_assert!(checksums_fit && matches!(error, RecordError::NotARun { .. }), "{}", error);
                prop_assert!(path.join("evidence/load/000001.segment").exists());
            }
        }
    }

    #[test]
    fn any_mutation_of_tables_is_survived(
        all in super::rows::all(),
        mutations in prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 1..4),
    ) {
        let (_folder, path) = scratch();
        killed_run(&path, &all);
        seal_killed(&path).unwrap();
        for file in ["load/legs.parquet", "load/notes.parquet", "watch/samples.parquet", "events/steps.parquet"] {
            let file = path.join("evidence").join(file);
            let mut bytes = std::fs::read(&file).unwrap();
            for &mutation in &mutations {
                mutate(&mut bytes, mutation);
            }
            std::fs::write(&file, &bytes).unwrap();
        }
        read_to_the_end(&path);
    }
}

/// Makes the sums of blocks right again where their headers still stand, so that the decoders behind them are reached.
fn refit_checksums(bytes: &mut [u8]) {
    let mut place = 0;
    while place + 20 <= bytes.len() && bytes[place..place + 4] == [0x4c, 0x50, 0x52, 0xb1] {
        let length = u32::from_le_bytes(bytes[place + 12..place + 16].try_into().unwrap()) as usize;
        let end = (place + 20).saturating_add(length).min(bytes.len());
        let fitting = (end - place - 20) as u32;
        bytes[place + 12..place + 16].copy_from_slice(&fitting.to_le_bytes());
        let mut sum = crc32fast::Hasher::new();
        sum.update(&bytes[place + 4..place + 16]);
        sum.update(&bytes[place + 20..end]);
        let sum = sum.finalize().to_le_bytes();
        bytes[place + 16..place + 20].copy_from_slice(&sum);
        place = end;
    }
}
