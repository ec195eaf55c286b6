//! A target must never outlive its test.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real servers in real time")]

use std::process::{Command, Stdio};
use std::time::Duration;

use target_common::probe::Target;

const PROGRAM: &str = env!("CARGO_BIN_EXE_target-echo");

#[test]
fn it_says_who_it_is() {
    let target = Target::start(PROGRAM, &["--nonce", "a \"quoted\" one"]).unwrap();
    let expected = format!(
        "{{\"name\":\"target-echo\",\"version\":\"{}\",\"pid\":{},\"nonce\":\"a \\\"quoted\\\" one\"}}\n",
        env!("CARGO_PKG_VERSION"),
        target.pid()
    );
    assert_eq!(target.get("/version").unwrap(), expected);
}

#[test]
fn sigterm_ends_it_well() {
    let mut target = Target::start(PROGRAM, &[]).unwrap();
    // A held connection and a waiting answer do not keep it.
    let mut client = target.connect().unwrap();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let pid = rustix::process::Pid::from_child(target.child());
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(target.child().wait().unwrap().success());
}

#[test]
fn it_ends_after_its_time() {
    let mut target = Target::start(PROGRAM, &["--exit-after", "100ms"]).unwrap();
    assert!(target.child().wait().unwrap().success());
}

#[test]
fn it_ends_with_its_parent() {
    // The parent is a process of its own, so that it can end while the test goes on.
    let mut parent = Command::new("sleep").arg("60").spawn().unwrap();
    let mut target = Command::new(PROGRAM)
        .env("LOADPROOF_PARENT_PID", parent.id().to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert!(target.try_wait().unwrap().is_none(), "it lives as long as its parent");
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(target.wait().unwrap().success());
}

#[test]
fn it_does_not_start_without_the_parent_it_is_given() {
    let mut parent = Command::new("true").spawn().unwrap();
    let gone = parent.id().to_string();
    parent.wait().unwrap();
    for (value, why) in [(gone.as_str(), "cannot be watched"), ("-5", "not a process id"), ("x", "not a process id")] {
        let output = Command::new(PROGRAM).env("LOADPROOF_PARENT_PID", value).output().unwrap();
        assert_eq!(output.status.code(), Some(4));
        assert!(String::from_utf8_lossy(&output.stderr).contains(why), "{output:?}");
    }
}

#[test]
fn a_port_that_is_taken_is_said() {
    let first = Target::start(PROGRAM, &[]).unwrap();
    let output = Command::new(PROGRAM).args(["--port", &first.address().port().to_string()]).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("try `--port 0`"), "{output:?}");
}
