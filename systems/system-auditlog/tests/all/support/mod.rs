//! Starts the real processes over one small store, and asks them as a caller would.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

pub(crate) mod envelope;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use testkit::program::{Answer, Process};

pub(crate) use envelope::{Ask, sign_in};

/// Citizens in the stores of tests: of some classes, filled in a moment.
pub(crate) const CITIZENS: u64 = 20;

/// The program with flags, free of the surrounding run.
pub(crate) fn command(line: &str) -> Command {
    let mut command = testkit::program::command(env!("CARGO_BIN_EXE_system-auditlog"), line);
    command.env_remove("AUDITLOG_PASSWORD");
    command
}

/// Starts a process and waits until it says where it listens.
pub(crate) fn start(line: &str) -> Process {
    Process::from(command(line))
}

/// A folder with a store that does not exist yet.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn store(&self) -> String {
        format!("sqlite://{}", self.path("auditlog.db").display())
    }

    /// Ids and classes of citizens, and ids of helpers, as data files have them.
    pub(crate) fn data(&self) -> (Vec<(String, String)>, Vec<String>) {
        let line = format!("data --citizens {CITIZENS} --seed 1 --out {}", self.path("data").display());
        assert!(command(&line).status().unwrap().success());
        let read = |name: &str| std::fs::read_to_string(self.path("data").join(name)).unwrap();
        let (citizens, helpers) = (read("citizens.csv"), read("helpers.csv"));
        assert!(citizens.starts_with("id,class\n") && helpers.starts_with("id\n"));
        let pair = |line: &str| line.split_once(',').map(|(id, class)| (id.to_owned(), class.to_owned())).unwrap();
        (citizens.lines().skip(1).map(pair).collect(), helpers.lines().skip(1).map(str::to_owned).collect())
    }

    /// What the store has counted: stored, duplicates, read again.
    pub(crate) fn counts(&self) -> [u64; 3] {
        let sql = "SELECT total(stored), total(duplicates), total(redelivered) FROM registered";
        let store = rusqlite::Connection::open(self.path("auditlog.db")).unwrap();
        store.busy_timeout(Duration::from_secs(30)).unwrap();
        store.query_row(sql, [], |row| Ok([0, 1, 2].map(|column| row.get::<_, f64>(column).unwrap() as u64))).unwrap()
    }

    /// Ids in the table.
    pub(crate) fn stored(&self) -> BTreeSet<u32> {
        let store = rusqlite::Connection::open(self.path("auditlog.db")).unwrap();
        let sql = "SELECT registrationId FROM LogEntry WHERE registrationId IS NOT NULL";
        let mut all = store.prepare(sql).unwrap();
        let ids: Vec<String> = all.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let distinct: BTreeSet<u32> = ids.iter().map(|id| id.parse().unwrap()).collect();
        assert_eq!(distinct.len(), ids.len(), "an id is there twice");
        distinct
    }

    /// A lookup over the store of this folder.
    pub(crate) fn lookup(&self, flags: &str) -> Process {
        start(&format!("lookup --store {} --citizens {CITIZENS} --seed 1 {flags}", self.store()))
    }
}

/// A token service, two lookups over one store, and a front before them.
pub(crate) struct System {
    pub(crate) folder: Folder,
    pub(crate) token: Process,
    pub(crate) lookups: Vec<Process>,
    pub(crate) front: Process,
}

impl System {
    pub(crate) fn start() -> Self {
        Self::with("", "")
    }

    /// Further flags for lookups and front.
    pub(crate) fn with(lookup: &str, front: &str) -> Self {
        let folder = Folder::new();
        let one = |number: u32| {
            let log = folder.path(&format!("lookup.{number}.log"));
            folder.lookup(&format!("--name lookup.{number} --access-log {} {lookup}", log.display()))
        };
        let lookups = vec![one(1), one(2)];
        let addresses = [lookups[0].address.as_str(), &lookups[1].address].join(",");
        let front = start(&format!("front --lookup {addresses} {front}"));
        Self { folder, token: start("token"), lookups, front }
    }

    /// An assertion of the token service.
    pub(crate) fn assertion(&self) -> String {
        sign_in(&self.token)
    }
}

/// Posts an envelope.
pub(crate) fn post(process: &Process, path: &str, body: impl AsRef<[u8]>) -> Answer {
    process.call("POST", path, &envelope::HEADERS, body)
}

/// What stands between the tags of the first element of a name without attributes.
pub(crate) fn inner<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("<{name}>")).unwrap_or_else(|| panic!("no {name} in {text}"));
    rest.split_once(&format!("</{name}>")).unwrap().0
}

/// `faultcode`, the code in the detail, and the text of a fault.
pub(crate) fn fault(answer: &Answer) -> (String, String, String) {
    assert_eq!((answer.status, answer.header("content-type")), (500, Some("text/xml; charset=utf-8")), "{answer:?}");
    let code = answer.body.split_once("\">").unwrap().1;
    let detail = answer.body.split_once("dgws-1.0.xsd\">").unwrap().1.split_once('<').unwrap().0;
    (inner(code, "faultcode").to_owned(), detail.to_owned(), inner(&answer.body, "faultstring").to_owned())
}
