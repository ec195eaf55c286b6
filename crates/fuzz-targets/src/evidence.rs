//! Run folders: segments, tables, `run.json`, the manifest, histograms, as whoever copied or damaged one hands them over.

// A run in simulated time, as the judge's own tests make it.
#[path = "../../judge/tests/all/common/mod.rs"]
mod simulated;

use judge::Evidence;
use judge::evidence::StepSpan;
use record::{Entry, Observed, RecordError, Run, SampleRow, StepMark, Writer};
use report::{EvidenceState, Input};
use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use study::Study;
use tempfile::TempDir;
use terms::Nanos;

const RULES: &str = "good: share(x.response < 1s) >= 95%\nslow: p95(x.response) < 1ms\n\
    books: count(x.intended) = count(x.completed)\ncores: max(host.cpu) < 90%\neven: steady(host.memory)";
/// Seconds that are recorded.
const SECONDS: i64 = 12;

/// Two run folders of one run: one sealed, one killed, each with what its files held.
struct Folders {
    _scratch: TempDir,
    study: Study,
    sealed: PathBuf,
    killed: PathBuf,
    /// Tables of the sealed one.
    tables: Vec<(PathBuf, Vec<u8>)>,
    head: Vec<u8>,
    manifest: Vec<u8>,
}

thread_local! {
    static FOLDERS: LazyCell<Folders> = LazyCell::new(Folders::new);
}

impl Folders {
    fn new() -> Self {
        let text = simulated::study_of("{ arrivals: 20/s, warm_up: 2s, hold: 8s }", RULES);
        let run = simulated::Run::simulated(&text, 1);
        let scratch = tempfile::tempdir().unwrap();
        let (sealed, killed) = (scratch.path().join("sealed"), scratch.path().join("killed"));
        let mut writer = record::create(&sealed, &run.evidence.head, &run.study.effective).unwrap();
        recorded(&run, &mut writer);
        writer.finish(&run.evidence.head).unwrap();
        let head = record::Head { ending: None, ..run.evidence.head.clone() };
        let mut writer = record::create(&killed, &head, &run.study.effective).unwrap();
        recorded(&run, &mut writer);
        writer.sync().unwrap();
        drop(writer);
        let evidence = sealed.join("evidence");
        let tables = ["load", "watch", "events"].into_iter().flat_map(|stream| files(&evidence.join(stream)));
        let mut tables: Vec<_> = tables.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
        tables.sort();
        let head = std::fs::read(evidence.join("run.json")).unwrap();
        let manifest = std::fs::read(evidence.join("manifest.json")).unwrap();
        Self { _scratch: scratch, study: run.study, sealed, killed, tables, head, manifest }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// One call of a second, in whatever step there is.
fn slow(second: i64) -> recorder::SlowRow {
    let at = Nanos::from_secs(second);
    let (outcome, trace) = (terms::Outcome::Ok, recorder::TraceId::new(second as u128));
    recorder::SlowRow { at, step: 0, exchange: 0, leg: 0, outcome, time: Nanos(second), trace }
}

fn recorded(run: &simulated::Run, writer: &mut Writer) {
    for second in 0..SECONDS {
        for StepSpan { number, from, to, .. } in &run.evidence.steps {
            for (at, is_end) in [(*from, false), (*to, true)] {
                if at.second() == second {
                    writer.write(Entry::Step(StepMark { step: *number, at, is_end })).unwrap();
                }
            }
        }
        let rows = &run.rows;
        let folded = recorder::Folded {
            legs: rows.legs.iter().filter(|row| row.end_s == second).cloned().collect(),
            starts: rows.starts.iter().filter(|row| row.intended_s == second).cloned().collect(),
            outcomes: rows.outcomes.iter().filter(|row| row.end_s == second).copied().collect(),
            iterations: rows.iterations.iter().filter(|row| row.end_s == second).copied().collect(),
            notes: Vec::new(),
            slowest: vec![slow(second)],
        };
        writer.add(&Observed::Load(folded)).unwrap();
        for row in run.evidence.engine.iter().filter(|row| row.second == second) {
            writer.write(Entry::Engine(*row)).unwrap();
        }
        let sample = |(metric, value)| SampleRow {
            at: Nanos::from_secs(second),
            monitor: 0,
            instance: "shop".into(),
            metric,
            value: (second % 5 < 4).then_some(value),
        };
        let samples = [(simulated::MEMORY, 1e6 + second as f64), (simulated::CPU, 0.25)].map(sample);
        writer.write(Entry::Samples(samples.into())).unwrap();
    }
}

/// Every row of every kind, as far as they can be read.
fn counted(run: &Run) -> [usize; 11] {
    fn of<T>(rows: Result<record::Rows<T>, RecordError>) -> usize {
        rows.map_or(0, |rows| rows.take_while(Result::is_ok).count())
    }
    [
        of(run.legs()),
        of(run.starts()),
        of(run.outcomes()),
        of(run.iterations()),
        of(run.notes()),
        of(run.slowest()),
        of(run.engine()),
        of(run.samples()),
        run.steps().map_or(0, |rows| rows.len()),
        run.events().map_or(0, |rows| rows.len()),
        run.clocks().map_or(0, |rows| rows.len()),
    ]
}

/// Opens a folder, reads all of it, and judges it where that can be done.
fn whole_way(path: &Path, study: &Study, with_page: bool) -> Option<[usize; 11]> {
    let run = match Run::open(path) {
        Ok(run) => run,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let counts = counted(&run);
    let Ok(evidence) = Evidence::read(&run) else { return Some(counts) };
    let (views, judgement) = judge::judge(&evidence, study);
    assert!(judgement.exit_code(study) <= 3);
    let state =
        EvidenceState { was_killed: evidence.was_killed, altered: run.altered.clone(), damage: run.damage.clone() };
    let plugins = study::Registry { drivers: &[], monitors: &[], blocks: report::BLOCKS };
    let input = Input { head: &run.head, study: Some(study), views: &views, judgement: &judgement, state, plugins };
    let json = report::result_json(&input);
    assert!(json.starts_with('{') && json.len() < 64 << 20);
    if with_page {
        crate::reports::is_well_formed(&report::html(&input, "en"));
    }
    Some(counts)
}

/// Segments of a killed run. The first byte says which stream, whether the rest is put into right blocks (kind, length
/// of two bytes, payload, again and again), and whether the run is sealed afterwards.
pub(crate) fn segments(data: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    let stream = ["load", "watch", "events"][usize::from(how & 3) % 3];
    let bytes = if how & 4 == 0 { rest.to_vec() } else { blocks(rest) };
    FOLDERS.with(|folders| {
        let file = folders.killed.join("evidence").join(stream).join("000002.segment");
        std::fs::write(&file, &bytes).unwrap();
        let before = whole_way(&folders.killed, &folders.study, false).expect("segments never make a folder no run");
        if how & 8 != 0 {
            sealed_alike(folders, before);
        }
        std::fs::remove_file(&file).unwrap();
    });
}

/// What follows the first byte as blocks of a segment, numbered behind those that are there.
fn blocks(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // More than the first segment of any stream has.
    let mut number = 1000;
    while let [kind, low, high, after @ ..] = rest {
        let (payload, next) = after.split_at(after.len().min(usize::from(u16::from_le_bytes([*low, *high]))));
        bytes.extend(record::fuzz::block(*kind, number, payload));
        number += 1;
        rest = next;
    }
    bytes
}

/// A copy of the killed run is sealed, and has the same rows.
fn sealed_alike(folders: &Folders, before: [usize; 11]) {
    let copy = tempfile::tempdir().unwrap();
    copied(&folders.killed, copy.path());
    record::seal_killed(copy.path()).expect("a run with damage can be sealed");
    let run = Run::open(copy.path()).expect("a sealed run can be opened");
    assert!(run.altered.is_empty(), "{:?}", run.altered);
    assert_eq!(counted(&run), before, "rows before and after sealing");
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for path in files(from) {
        let name = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copied(&path, &name);
        } else {
            std::fs::copy(&path, &name).unwrap();
        }
    }
}

/// A table of a sealed run. The first byte says which.
pub(crate) fn tables(data: &[u8]) {
    let Some((which, rest)) = data.split_first() else { return };
    FOLDERS.with(|folders| {
        let (path, bytes) = &folders.tables[usize::from(*which) % folders.tables.len()];
        std::fs::write(path, rest).unwrap();
        whole_way(&folders.sealed, &folders.study, false);
        std::fs::write(path, bytes).unwrap();
    });
}

/// `run.json`, of the sealed run and of the killed one.
pub(crate) fn head(data: &[u8]) {
    FOLDERS.with(|folders| {
        for folder in [&folders.sealed, &folders.killed] {
            let path = folder.join("evidence/run.json");
            let before = if *folder == folders.sealed { folders.head.clone() } else { std::fs::read(&path).unwrap() };
            std::fs::write(&path, data).unwrap();
            whole_way(folder, &folders.study, *folder == folders.sealed);
            std::fs::write(&path, before).unwrap();
        }
    });
}

pub(crate) fn manifest(data: &[u8]) {
    FOLDERS.with(|folders| {
        let path = folders.sealed.join("evidence/manifest.json");
        std::fs::write(&path, data).unwrap();
        if let Ok(run) = Run::open(&folders.sealed) {
            let counts = counted(&run);
            // Without a seal the tables are read all the same; by another's seal some may not be what was sealed.
            if std::str::from_utf8(data).is_err() {
                assert!(!run.is_sealed());
                assert!(counts[0] > 0 && counts[6] > 0, "{counts:?}");
            }
        }
        std::fs::write(&path, &folders.manifest).unwrap();
    });
}

/// A histogram as blocks have it.
pub(crate) fn histograms(data: &[u8]) {
    record::fuzz::histogram(data);
}

/// Seeds of binary forms: target, name, bytes.
pub(crate) fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let with = |first: u8, rest: &[u8]| [&[first], rest].concat();
    FOLDERS.with(|folders| {
        let tables = folders.tables.iter().enumerate().map(|(number, (path, bytes))| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            ("tables", name, with(number as u8, bytes))
        });
        let mut seeds: Vec<_> = tables.collect();
        for (number, stream) in ["load", "watch", "events"].into_iter().enumerate() {
            let bytes = std::fs::read(folders.killed.join("evidence").join(stream).join("000001.segment")).unwrap();
            let short = &bytes[..bytes.len().min(SEED_BYTES)];
            seeds.push(("segments", format!("{stream}-raw"), with(number as u8, short)));
            seeds.push(("segments", format!("{stream}-framed"), with(number as u8 | 4, &unframed(&bytes))));
            seeds.push(("segments", format!("{stream}-sealed"), with(number as u8 | 12, &unframed(&bytes))));
        }
        seeds.push(("head", "sealed".into(), folders.head.clone()));
        seeds.push(("manifest", "sealed".into(), folders.manifest.clone()));
        seeds
    })
}

/// Bytes of a seed at most.
const SEED_BYTES: usize = 8 * 1024;

/// The beginnings of a segment's blocks in the form that [`segments`] takes.
fn unframed(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while rest.len() >= 20 && bytes.len() < SEED_BYTES {
        let length = u32::from_le_bytes([rest[12], rest[13], rest[14], rest[15]]) as usize;
        let payload = &rest[20..rest.len().min(20 + length)];
        if let Ok(length) = u16::try_from(payload.len()) {
            bytes.push(rest[5]);
            bytes.extend(length.to_le_bytes());
            bytes.extend(payload);
        }
        rest = &rest[rest.len().min(20 + length)..];
    }
    bytes
}
