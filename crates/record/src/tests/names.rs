//! Names in a folder that are links, pipes and the like: nothing is written through them, and nobody waits for them.

use super::*;
use crate::{RecordError, seal_killed};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::os::unix::fs::symlink;

fn engine(seconds: i64) -> All {
    let row = |second| EngineRow { second, ..EngineRow::default() };
    All { engine: (0..seconds).map(row).collect(), ..All::default() }
}

fn killed() -> (TempDir, PathBuf) {
    let (folder, path) = scratch();
    killed_run(&path, &engine(7));
    (folder, path)
}

fn sealed() -> (TempDir, PathBuf) {
    let (folder, path) = killed();
    seal_killed(&path).unwrap();
    (folder, path)
}

#[test]
fn links_in_the_place_of_half_written_files_are_not_followed() {
    let (folder, path) = killed();
    let victim = folder.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    let ours = std::process::id();
    let mut names = ["run.json.tmp", "manifest.json.tmp", "load/legs.parquet.tmp"].map(str::to_owned).to_vec();
    for number in 0..200 {
        names.push(format!(".loadproof-{ours}-{number}.tmp"));
        names.push(format!("load/.loadproof-{ours}-{number}.tmp"));
    }
    for name in &names {
        symlink(&victim, path.join("evidence").join(name)).unwrap();
    }
    seal_killed(&path).unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"mine");
    assert_eq!(All::read(&Run::open(&path).unwrap()), engine(7));
    assert!(Run::open(&path).unwrap().is_sealed());
    for name in &names {
        assert!(fs::symlink_metadata(path.join("evidence").join(name)).is_err(), "{name} was left");
    }
}

#[test]
fn a_seal_replaces_a_head_that_is_a_link() {
    let (folder, path) = killed();
    let elsewhere = folder.path().join("elsewhere.json");
    fs::rename(path.join("evidence/run.json"), &elsewhere).unwrap();
    symlink(&elsewhere, path.join("evidence/run.json")).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    seal_killed(&path).unwrap();
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
    assert!(Run::open(&path).unwrap().is_sealed());
}

#[test]
fn a_lock_that_is_a_link_is_neither_emptied_nor_made_elsewhere() {
    for is_there in [true, false] {
        let (folder, path) = killed();
        let (lock, victim) = (path.join("evidence/writing.lock"), folder.path().join("victim"));
        if is_there {
            fs::write(&victim, "mine").unwrap();
        }
        fs::remove_file(&lock).unwrap();
        symlink(&victim, &lock).unwrap();
        let error = seal_killed(&path).unwrap_err().to_string();
        assert!(error.contains("writing.lock`: it is a link"), "{error}");
        assert_eq!(fs::read(&victim).ok(), is_there.then(|| b"mine".to_vec()));
        assert_eq!(All::read(&Run::open(&path).unwrap()), engine(7));
    }
    // A lock that is another name of somebody's file keeps what it holds, too.
    let (folder, path) = killed();
    let (lock, victim) = (path.join("evidence/writing.lock"), folder.path().join("victim"));
    fs::write(&victim, "mine").unwrap();
    fs::remove_file(&lock).unwrap();
    fs::hard_link(&victim, &lock).unwrap();
    seal_killed(&path).unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"mine");
}

#[test]
fn nothing_is_sealed_through_a_folder_that_is_a_link() {
    for name in ["evidence", "evidence/load"] {
        let (folder, path) = killed();
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(path.join(name), &elsewhere).unwrap();
        symlink(&elsewhere, path.join(name)).unwrap();
        let before = fs::read_dir(&elsewhere).unwrap().count();
        let error = seal_killed(&path).unwrap_err();
        assert!(matches!(error, RecordError::NotSealed { .. }) && error.to_string().contains("is a link"), "{error}");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), before);
        assert_eq!(All::read(&Run::open(&path).unwrap()), engine(7));
    }
}

/// Puts something that is not a regular file in the place of one.
fn put_in_the_way(path: &Path, kind: &str) {
    let _ = fs::remove_file(path);
    match kind {
        "a pipe" => mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).unwrap(),
        "a folder" => fs::create_dir(path).unwrap(),
        "a socket" => drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
        _ => symlink("/dev/zero", path).unwrap(),
    }
}

const KINDS: [&str; 4] = ["a pipe", "a folder", "a socket", "a device"];

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    for kind in KINDS {
        for name in ["run.json", "writing.lock"] {
            let (_folder, path) = sealed();
            put_in_the_way(&path.join("evidence").join(name), kind);
            let error = Run::open(&path).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(&format!("it is {kind}")), "{error}");
            assert!(seal_killed(&path).is_err());
        }
        let (_folder, path) = killed();
        put_in_the_way(&path.join("evidence/load/000001.segment"), kind);
        let error = Run::open(&path).unwrap_err().to_string();
        assert!(error.contains("000001.segment") && error.contains(&format!("it is {kind}")), "{error}");
        let (_folder, path) = sealed();
        put_in_the_way(&path.join("evidence/study.yaml"), kind);
        let run = Run::open(&path).unwrap();
        assert_eq!(run.altered, ["study.yaml"]);
        assert!(run.study().unwrap_err().to_string().contains(&format!("it is {kind}")));
    }
}

#[test]
fn a_manifest_or_a_table_that_is_no_regular_file_is_as_one_that_cannot_be_read() {
    for kind in KINDS {
        let (_folder, path) = sealed();
        put_in_the_way(&path.join("evidence/manifest.json"), kind);
        let run = Run::open(&path).unwrap();
        assert_eq!((run.is_sealed(), run.altered.as_slice()), (false, ["manifest.json".to_owned()].as_slice()));
        assert_eq!(All::read(&run), engine(7));
        put_in_the_way(&path.join("evidence/load/legs.parquet"), kind);
        let error = Run::open(&path).unwrap().legs().err().unwrap().to_string();
        assert!(error.contains("legs.parquet") && error.contains(&format!("it is {kind}")), "{error}");
        // One that was sealed has another sum.
        let (_folder, path) = sealed();
        put_in_the_way(&path.join("evidence/load/legs.parquet"), kind);
        assert!(matches!(Run::open(&path).unwrap().legs(), Err(RecordError::Altered { .. })));
    }
}
