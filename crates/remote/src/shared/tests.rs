//! Connections that are shared: through a real server on loopback, and through programs that stand in for `ssh`.

use super::*;
use crate::Remote;
use contract::Failure;
use std::io::{BufRead, BufReader};
use testkit::sshd::{NAME, Sshd};

/// Longer than anything here takes on a busy machine.
const LONG: Nanos = Nanos::from_secs(60);

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

/// Whether a process runs; one that has ended and is not yet waited for does not.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// The connection to a machine that is there already.
fn of(machine: &Machine) -> Arc<Shared> {
    let shared = Shared::to(Path::new("ssh"), machine).unwrap();
    assert_eq!(shared.state(), State::There);
    shared
}

fn pid(shared: &Shared) -> u32 {
    lock(&shared.process).child.id()
}

/// A shell of its own, by the number of its process.
fn shell(remote: &mut Remote) -> String {
    remote.ask("echo $$", LONG).unwrap().text
}

/// A program in place of `ssh`, which is this shell script.
fn instead(folder: &TempDir, script: &str) -> PathBuf {
    let path = folder.path().join("ssh");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn all_that_ask_a_machine_share_one_connection_and_no_shell() {
    let Some(sshd) = Sshd::start() else { return };
    let machine = sshd.machine();
    let mut all: Vec<Remote> = (0..3).map(|_| Remote::new(&machine)).collect();
    let shells: Vec<String> = all.iter_mut().map(shell).collect();
    assert!(shells[0] != shells[1] && shells[1] != shells[2], "{shells:?}");
    assert_eq!(sshd.connections(), 1);
    // One that is slow holds up nobody.
    assert!(all[0].ask("sleep 3; echo late", Nanos::from_millis(10)).is_err());
    assert_eq!(all[1].ask("echo a", LONG).unwrap().text, "a\n");
    assert!(all[0].ask("true", Nanos::ZERO).is_err(), "the slow one is not through yet");
    // One that goes takes nobody with it, and the last takes the connection.
    let last = all.pop().unwrap();
    drop(all);
    assert!(becomes(|| shells[..2].iter().all(|shell| !is_alive(shell))) && is_alive(&shells[2]));
    drop(last);
    assert!(becomes(|| sshd.connections() == 0), "the connection is still there");
}

#[test]
fn nobody_else_may_enter_and_nothing_is_left_behind() {
    let Some(sshd) = Sshd::start() else { return };
    let mut remote = Remote::new(&sshd.machine());
    let shell = shell(&mut remote);
    let shared = of(&sshd.machine());
    let (folder, process) = (shared.folder.path().to_owned(), pid(&shared).to_string());
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(path(&shared.folder).metadata().unwrap().permissions().mode() & 0o077, 0);
    drop(shared);
    assert!(is_alive(&process) && is_alive(&shell), "it is still used");
    drop(remote);
    assert!(!folder.exists() && !is_alive(&process));
    assert!(becomes(|| !is_alive(&shell) && sshd.connections() == 0), "the shell is still there");
}

/// The configuration for the process of which the next test is about.
const HELD: &str = "LOADPROOF_TEST_HELD";

/// Not a test by itself: in a process of its own it connects, says where, and stays until it is killed.
#[test]
fn holds_a_connection_where_another_test_asks_for_it() {
    let Some(config) = std::env::var_os(HELD) else { return };
    let machine = Machine { config: Some(config.into()), ..Machine::parse(&format!("ssh://{NAME}")).unwrap() };
    let mut remote = Remote::new(&machine);
    let shell = shell(&mut remote);
    let shared = of(&machine);
    println!("held {} {} {}", shell.trim(), pid(&shared), shared.folder.path().display());
    Clock::system().sleep_until(LONG);
}

#[test]
fn whoever_is_killed_leaves_no_process_here_and_none_there() {
    let Some(sshd) = Sshd::start() else { return };
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "shared::tests::holds_a_connection_where_another_test_asks_for_it", "--nocapture"]);
    let mut holder = command.env(HELD, sshd.config()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(holder.stdout.take().unwrap()).lines().map_while(Result::ok);
    let held = lines.filter_map(|line| line.split_once("held ").map(|(_, held)| held.to_owned())).next().unwrap();
    let held: Vec<&str> = held.split(' ').collect();
    assert!(is_alive(held[0]) && is_alive(held[1]) && sshd.connections() == 1);
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(becomes(|| !is_alive(held[0]) && !is_alive(held[1]) && sshd.connections() == 0), "{held:?}");
    // `ssh` takes its socket along; the folder, which nobody else could enter, stays behind empty.
    assert!(std::fs::read_dir(held[2]).unwrap().next().is_none());
    std::fs::remove_dir(held[2]).unwrap();
}

#[test]
fn a_connection_that_is_killed_is_told_to_all_and_begun_anew_once() {
    let Some(sshd) = Sshd::start() else { return };
    let machine = sshd.machine();
    let mut both = [Remote::new(&machine), Remote::new(&machine)];
    let shells: Vec<String> = both.iter_mut().map(shell).collect();
    let killed = pid(&of(&machine));
    assert!(Command::new("kill").args(["-9", &killed.to_string()]).status().unwrap().success());
    for remote in &mut both {
        let Failure(why) = remote.ask("echo a", LONG).unwrap_err();
        assert!(why.ends_with("does not answer: the connection that its monitors share was lost"), "{why}");
    }
    for remote in &mut both {
        assert!(becomes(|| remote.ask("echo a", LONG).is_ok_and(|answer| answer.text == "a\n")), "no new connection");
    }
    assert_ne!(pid(&of(&machine)), killed);
    assert_eq!(sshd.connections(), 1);
    assert!(becomes(|| shells.iter().all(|shell| !is_alive(shell))), "the shells of the lost one are still there");
}

#[test]
fn more_than_a_server_allows_in_one_connection_are_answered_all_the_same() {
    let Some(sshd) = Sshd::start() else { return };
    let mut all: Vec<Remote> = (0..12).map(|_| Remote::new(&sshd.machine())).collect();
    let mut shells: Vec<String> = all.iter_mut().map(shell).collect();
    shells.sort();
    shells.dedup();
    assert_eq!(shells.len(), 12);
    // Ten sessions, one of which holds the connection; each of the other three has one of its own.
    assert_eq!(sshd.connections(), 4);
}

#[test]
fn a_socket_that_was_tidied_away_costs_nobody_their_shell() {
    let Some(sshd) = Sshd::start() else { return };
    let (mut first, mut second) = (Remote::new(&sshd.machine()), Remote::new(&sshd.machine()));
    let own = shell(&mut first);
    std::fs::remove_file(path(&of(&sshd.machine()).folder)).unwrap();
    shell(&mut second);
    assert_eq!((shell(&mut first), sshd.connections()), (own, 2));
}

#[test]
fn where_a_socket_has_no_room_it_is_elsewhere_or_nowhere() {
    let base = tempfile::tempdir().unwrap();
    let deep = base.path().join("x".repeat(80));
    std::fs::create_dir(&deep).unwrap();
    assert!(folder(std::slice::from_ref(&deep)).is_none());
    let made = folder(&[deep, "/nowhere".into(), base.path().to_owned()]).unwrap();
    assert_eq!(made.path().parent(), Some(base.path()));
    // The longest that is taken works, which a server has to show.
    let Some(sshd) = Sshd::start() else { return };
    let added = "/loadproof-ssh-123456/way".len();
    let longest = base.path().join("y".repeat(PATH_BYTES_MAX - added - base.path().as_os_str().len() - 1));
    std::fs::create_dir(&longest).unwrap();
    let folder = folder(&[longest]).unwrap();
    assert_eq!(path(&folder).as_os_str().len(), PATH_BYTES_MAX);
    let shared = Shared::begin(Path::new("ssh"), &sshd.machine(), folder).unwrap();
    assert!(becomes(|| shared.state_at(Nanos::ZERO) != State::Coming));
    assert_eq!(shared.state(), State::There);
}

#[test]
fn where_none_can_be_shared_everybody_connects_for_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::parse("ssh://db1").unwrap();
    for said in ["muxserver_listen: no sockets here", "unix_listener: cannot bind to path $socket: Permission denied"] {
        let script = format!(
            "socket=${{3#*=\\\"}}; socket=${{socket%\\\"}}\n\
             case $1 in -oControlMaster=yes) echo \"{said}\" >&2; exit 255;; esac\nexec sh"
        );
        let mut remote = Remote::by(instead(&folder, &script), &machine);
        assert_eq!(remote.ask("echo a", LONG).unwrap().text, "a\n", "{said}");
    }
}

#[test]
fn who_does_not_answer_is_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo >>\"$0.asked\"; echo 'ssh: connect to host db1 port 22: Connection refused' >&2; exit 255";
    let program = instead(&folder, script);
    let mut remote = Remote::by(program.clone(), &Machine::parse("ssh://db1").unwrap());
    let Failure(why) = remote.ask("echo a", LONG).unwrap_err();
    assert!(why.ends_with("does not answer: ssh: connect to host db1 port 22: Connection refused"), "{why}");
    assert!(remote.ask("echo a", LONG).is_err());
    assert_eq!(std::fs::read_to_string(program.with_extension("asked")).unwrap(), "\n");
}

#[test]
fn one_that_neither_comes_nor_fails_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::parse("ssh://db1").unwrap();
    let program = instead(&folder, "echo $$ >\"$0.pid\"; exec sleep 1000");
    let mut remote = Remote::by(program.clone(), &machine);
    let Failure(why) = remote.ask("echo a", Nanos::from_millis(300)).unwrap_err();
    assert!(why.starts_with("`ssh://db1` has not answered for 0."), "{why}");
    let shared = Shared::to(&program, &machine).unwrap();
    assert_eq!(shared.state_at(COMING_MAX - Nanos(1)), State::Coming);
    let mut pid = String::new();
    assert!(becomes(|| {
        pid = std::fs::read_to_string(program.with_extension("pid")).unwrap_or_default();
        pid.ends_with('\n')
    }));
    assert_eq!(shared.state_at(COMING_MAX), State::Gone(String::new()));
    assert!(!is_alive(&pid));
    assert!(!Arc::ptr_eq(&Shared::to(&program, &machine).unwrap(), &shared), "it is begun anew");
}
