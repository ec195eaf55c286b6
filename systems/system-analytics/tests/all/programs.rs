//! The programs as they are started: analyzers with their engines, and the receiver's exports.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::common::PROGRAM;
use testkit::program::{Link, Process, command, lives, wait_until};

#[test]
fn an_engine_ends_with_its_analyzer_however_that_ends() {
    let folder = tempfile::tempdir().unwrap();
    for signal in ["KILL", "TERM"] {
        let flags = format!("analyze --segments {}", folder.path().display());
        let mut analyzer = Process::from(command(PROGRAM, &flags));
        assert_eq!(analyzer.get("/health").status, 200);
        let version = analyzer.json("/version");
        assert_eq!((&version["module"], &version["engine"]), (&"analyze".into(), &"DuckDB".into()));
        assert!(version["engine_version"].as_str().unwrap().starts_with('v'), "{version}");
        let (own, engine) = (env!("CARGO_PKG_VERSION"), version["engine_version"].as_str().unwrap());
        assert_eq!(version["version"], format!("{own} with DuckDB {engine}"));
        let engine = version["engine_pid"].as_u64().unwrap();
        assert!(lives(engine));
        analyzer.signal(signal);
        analyzer.ended();
        wait_until("the engine's end", || !lives(engine));
    }
}

#[test]
fn what_is_missing_is_told_with_what_to_type() {
    let refused = |flags: &str, variable: (&str, &str)| {
        let output = command(PROGRAM, flags).env(variable.0, variable.1).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let why = refused("analyze --segments /s", ("LOADPROOF_DUCKDB", "/nowhere/duckdb"));
    assert!(why.contains("DuckDB cannot be started as `/nowhere/duckdb`: No such file"), "{why}");
    let why = refused("analyze --segments /s", ("LOADPROOF_DUCKDB", "/bin/false"));
    assert!(why.contains("DuckDB does not start: DuckDB ended in the query (exit status: 1)"), "{why}");
    let why = refused("analyze --segments /s --engine spark", ("LOADPROOF_SPARK", "/bin/false"));
    assert!(why.contains("Spark does not start"), "{why}");
    let why = refused("analyze --segments /s --engine none", ("X", ""));
    assert!(why.contains("name `--peers`"), "{why}");
}

/// A receiver, which prints its other ports first; killed with the test.
struct Receiver(Child, String);

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn receive(flags: &str) -> Receiver {
    let mut command: Command = command(PROGRAM, &format!("receive {flags}"));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let address = lines.filter_map(|line| line.strip_prefix("listening on ").map(str::to_owned)).next().unwrap();
    Receiver(child, address)
}

#[test]
fn exports_are_for_those_who_are_known_and_of_tables_alone() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = receive(&format!("--password secret --export {}/segments", folder.path().display()));
    let call = |method: &str, path: &str, authorization: &str| {
        let headers = [("authorization", authorization), ("connection", "close")];
        Link::open(&receiver.1).unwrap().call(method, path, &headers, "").unwrap()
    };
    // admin:secret, and admin:other.
    let (known, stranger) = ("Basic YWRtaW46c2VjcmV0", "Basic YWRtaW46b3RoZXI=");
    assert_eq!(call("POST", "/tables/SMART_HOME/export", stranger).status, 401);
    assert_eq!(call("GET", "/exports/1", stranger).status, 401);
    for table in ["SMART_HOME", "..%2F..%2Fetc", "%2Fetc%2Fpasswd", ".", "..%00", "%FF"] {
        let answer = call("POST", &format!("/tables/{table}/export"), known);
        assert!([400, 404].contains(&answer.status), "{table}: {answer:?}");
    }
    for job in ["1", "-1", "18446744073709551616", "..%2F1"] {
        assert_eq!(call("GET", &format!("/exports/{job}"), known).status, 404, "{job}");
    }
    assert!(!folder.path().join("segments").exists(), "nothing was begun");
}
