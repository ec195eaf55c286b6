//! Servers that start at the same moment share nothing. In a program of its own: the other tests would have to wait.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]
#![allow(dead_code, reason = "what tests share is not all used by each")]

mod support;

use support::{Client, start_with};
use testkit::program::{Process, wait_until_gone};

/// A folder that several servers are told to use for their temporary files, as the machine's own is.
fn shared_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    folder
}

#[test]
fn the_temporary_tables_of_others_are_left_alone() {
    let shared = shared_folder();
    // A server that finds such a file where it makes its own takes it for one that it left behind.
    let table = shared.path().join("#sql-temptable-1-1-0.MAD");
    std::fs::write(&table, "somebody's").unwrap();
    std::fs::set_permissions(&table, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    let running = start_with("", &[("TMPDIR", shared.path())]);
    assert!(table.exists(), "the server, or what made its files, has removed another one's table");
    let folder = running.data().parent().unwrap().to_owned();
    let mut client = Client::connect(&running.url()).unwrap();
    assert_eq!(std::path::Path::new(&client.text("SELECT @@tmpdir")), folder.join("tmp"));
}

#[test]
fn eight_servers_start_at_the_same_moment() {
    let shared = shared_folder();
    let start = || start_with("", &[("TMPDIR", shared.path())]);
    let mut all: Vec<Process> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
        started.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for what in [Process::url, |running: &Process| running.data().display().to_string()] {
        let seen: std::collections::BTreeSet<String> = all.iter().map(what).collect();
        assert_eq!(seen.len(), all.len(), "each has its own: {seen:?}");
    }
    let gone: Vec<_> = all.iter().map(|running| (running.server_pid(), running.data())).collect();
    all.iter_mut().for_each(|running| running.signal("TERM"));
    assert!(all.iter_mut().all(|running| running.ended().success()));
    gone.iter().for_each(|(pid, data)| wait_until_gone(&[*pid], data.parent().unwrap()));
    assert_eq!(shared.path().read_dir().unwrap().count(), 0, "nothing was written where others write");
}
