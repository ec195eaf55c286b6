//! Starts the real processes over one small store.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::path::PathBuf;
use std::process::Command;

use testkit::program::{Process, beside};

/// A folder with the path of a store that does not exist yet.
pub(crate) struct Folder {
    pub(crate) folder: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn store(&self) -> String {
        format!("sqlite://{}", self.path("inventory.db").display())
    }
}

pub(crate) fn command(line: &str) -> Command {
    let mut command = testkit::program::command(env!("CARGO_BIN_EXE_system-inventory"), line);
    command.env_remove("INVENTORY_PASSWORD");
    command
}

/// Starts a service and waits until it says where it listens.
pub(crate) fn start(line: &str) -> Process {
    Process::from(command(line))
}

/// The command for a private PostgreSQL; small, so that it starts fast.
pub(crate) fn database_command(flags: &str) -> Command {
    testkit::program::command(beside("system-postgres"), &format!("--shared-buffers 16MB {flags}"))
}

/// A private PostgreSQL, and the address of the store in it. Its data goes with it.
pub(crate) fn database(flags: &str) -> (Process, String) {
    let folder = tempfile::tempdir().unwrap();
    let flags = format!("--data {} {flags}", folder.path().join("data").display());
    let process = Process::from(database_command(&flags)).with(folder);
    let store = store_of(&process);
    (process, store)
}

/// The address of the store in a private PostgreSQL.
pub(crate) fn store_of(database: &Process) -> String {
    format!("postgres://lab@127.0.0.1:{}/lab", database.json("/version")["sql_port"])
}

/// The three processes of the system over one small store.
pub(crate) struct System {
    pub(crate) folder: Folder,
    pub(crate) records: Process,
    pub(crate) holdings: Process,
    pub(crate) gateway: Process,
}

/// Instances in the store of a [`System`].
pub(crate) const INSTANCES: u64 = 200;

impl System {
    pub(crate) fn start() -> Self {
        Self::with("", "", "")
    }

    /// Further flags for each process.
    pub(crate) fn with(records: &str, holdings: &str, gateway: &str) -> Self {
        let folder = Folder::new();
        let line = |module: &str, flags: &str| {
            let log = folder.path(&format!("{module}.log"));
            let (store, log) = (folder.store(), log.display());
            format!("{module} --store {store} --instances {INSTANCES} --seed 1 --access-log {log} {flags}")
        };
        let records = start(&line("records", records));
        let holdings = start(&line("holdings", holdings));
        let gateway = start(&format!(
            "gateway --records {} --holdings {} --access-log {} {gateway}",
            records.address,
            holdings.address,
            folder.path("gateway.log").display()
        ));
        Self { folder, records, holdings, gateway }
    }

    pub(crate) fn token(&self) -> String {
        let answer = self.gateway.call("POST", "/authn/login", &[], r#"{"username":"perf","password":"secret"}"#);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.header("x-okapi-token").unwrap().to_owned()
    }

    /// uuid and hrid of the instances in the store, as the data file of a study has them.
    pub(crate) fn instances(&self) -> Vec<(String, String)> {
        instances(&self.folder, INSTANCES)
    }
}

/// The exported data file, read.
pub(crate) fn instances(folder: &Folder, count: u64) -> Vec<(String, String)> {
    let path = folder.path("instances.csv");
    let line = format!("export --instances {count} --seed 1 --csv {}", path.display());
    assert!(command(&line).status().unwrap().success());
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("uuid,hrid"));
    lines.map(|line| line.split_once(',').unwrap()).map(|(uuid, hrid)| (uuid.to_owned(), hrid.to_owned())).collect()
}
