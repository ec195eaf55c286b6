//! A machine that is asked: through a real server on loopback, and through programs that stand in for `ssh` and misbehave.

use crate::{Remote, files};
use clock::Clock;
use contract::{Failure, Machine};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tempfile::TempDir;
use terms::Nanos;
use testkit::sshd::{NAME, Sshd};

/// Longer than anything here takes on a busy machine.
const LONG: Nanos = Nanos::from_secs(60);

fn machine(config: PathBuf) -> Machine {
    Machine { config: Some(config), ..Machine::parse(&format!("ssh://{NAME}")).unwrap() }
}

/// A program in place of `ssh`, which is this shell script.
fn instead(script: &str) -> (TempDir, Remote) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ssh");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let remote = Remote::by(path, &Machine::parse("ssh://perf@db1").unwrap());
    (folder, remote.alone())
}

fn is_alive(pid: &str) -> bool {
    // What has ended and is not yet reaped is gone, too.
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Whether it comes true within a minute.
fn becomes(mut is_true: impl FnMut() -> bool) -> bool {
    let clock = Clock::system();
    while !is_true() {
        if clock.now() > LONG {
            return false;
        }
        clock.sleep_until(clock.now() + Nanos::from_millis(50));
    }
    true
}

#[test]
fn questions_and_answers_through_a_real_server() {
    let Some(sshd) = Sshd::start() else { return };
    let mut remote = Remote::new(&machine(sshd.config()));
    remote.reach().unwrap();
    let answer =
        remote.ask("echo a; echo b >&2; cat; grep -s '' /proc/sys/kernel/osrelease /nowhere /dev/null", LONG).unwrap();
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert_eq!(files(&answer.text)["/proc/sys/kernel/osrelease"], release);
    assert!(answer.text.starts_with("a\n"), "neither errors nor input: {}", answer.text);
    assert!(answer.within > Nanos::ZERO && answer.after >= answer.within);
    // Both clocks are one: it is not further off than half of the way, and some leave for `date` between the two marks.
    let offset = remote.offset(LONG).unwrap();
    assert!(offset.ahead.0.abs() <= offset.within.0, "{offset:?}");

    // The shell there ends with the connection.
    let shell = remote.ask("echo $$", LONG).unwrap().text;
    assert!(is_alive(&shell));
    drop(remote);
    assert!(becomes(|| !is_alive(&shell)), "the shell is still there");
}

#[test]
fn a_cut_connection_is_told_and_opened_again() {
    let Some(sshd) = Sshd::start() else { return };
    let mut remote = Remote::new(&machine(sshd.config()));
    let shell = remote.ask("echo $$", LONG).unwrap().text;
    sshd.cut();
    let Failure(why) = remote.ask("echo a", LONG).unwrap_err();
    assert!(why.contains("does not answer: "), "{why}");
    let Failure(again) = remote.ask("echo a", LONG).unwrap_err();
    assert_eq!(why, again, "not every sample tries to connect");
    assert!(becomes(|| remote.ask("echo a", LONG).is_ok_and(|answer| answer.text == "a\n")), "no new connection");
    assert!(becomes(|| !is_alive(&shell)), "the shell of the cut connection is still there");
}

#[test]
fn who_is_not_let_in_is_told_what_to_type() {
    let Some(sshd) = Sshd::start() else { return };
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = Machine::parse(&format!("ssh://127.0.0.1:{nobody}")).unwrap();
    let no_host = Machine::parse("ssh://nowhere.invalid").unwrap();
    let no_config = machine("/nowhere/config".into());
    for (machine, code, typed) in [
        (machine(sshd.stranger_config()), "ssh::host-key", "`ssh -G -F "),
        (machine(sshd.keyless_config()), "ssh::denied", "ssh-copy-id"),
        (refused, "ssh::unreachable", "true` to see what stands in the way"),
        (no_host, "ssh::no-host", "~/.ssh/config"),
        (no_config, "ssh::no-client", "`config`"),
    ] {
        let mistakes = Remote::new(&machine).reach().unwrap_err();
        let mistake = &mistakes.0[0];
        assert_eq!(mistake.code, code, "{mistake:?}");
        assert!(mistake.hint.as_deref().unwrap_or_default().contains(typed), "{mistake:?}");
    }
}

#[test]
fn without_a_client_or_a_shell_there_is_a_reason() {
    let mistakes = Remote::by("/nowhere/ssh".into(), &Machine::parse("ssh://db1").unwrap()).reach().unwrap_err();
    assert_eq!(mistakes.0[0].code, "ssh::no-client");
    let (_folder, mut remote) = instead("exit 1");
    assert!(remote.reach().unwrap_err().0[0].message.contains("exit code 1 and said nothing"));
    // An account without a shell greets and goes; a machine without `/proc` answers, and not that it has one.
    let (_folder, mut remote) = instead("echo This account is not available; echo no login >&2; exit 1");
    assert!(remote.reach().unwrap_err().0[0].message.ends_with("does not answer: no login"));
    let (_folder, mut remote) = instead("sed -u s/there/nowhere/ | sh");
    assert_eq!(remote.reach().unwrap_err().0[0].code, "ssh::no-proc");
}

#[test]
fn an_answer_that_comes_too_late_is_not_taken_for_the_next_one() {
    let (_folder, mut remote) = instead("exec sh");
    assert_eq!(remote.ask("echo ready", LONG).unwrap().text, "ready\n");
    let Failure(why) = remote.ask("sleep 1; echo late", Nanos::from_millis(50)).unwrap_err();
    assert!(why.starts_with("`ssh://perf@db1` has not answered for 0."), "{why}");
    let answer = remote.ask("echo now", LONG).unwrap();
    assert_eq!(answer.text, "now\n");
    assert!(answer.after > answer.within, "waiting for the late answer does not count as its time: {answer:?}");
}

#[test]
fn a_flood_is_cut_off() {
    let (_folder, mut remote) = instead("cat /dev/zero");
    let Failure(why) = remote.ask("echo a", LONG).unwrap_err();
    assert!(why.contains("longer than 4 MiB"), "{why}");
}

#[test]
fn a_clock_that_is_ninety_seconds_ahead_is_measured() {
    let ahead = "date() { command date -d '90 seconds' +%s.%N; }";
    let (_folder, mut remote) = instead("exec sh");
    remote.ask(ahead, LONG).unwrap();
    let offset = remote.offset(LONG).unwrap();
    assert!((offset.ahead - Nanos::from_secs(90)).0.abs() <= offset.within.0, "{offset:?}");
    remote.ask("date() { echo yesterday; }", LONG).unwrap();
    let Failure(why) = remote.offset(LONG).unwrap_err();
    assert!(why.contains("tells no time"), "{why}");
}
