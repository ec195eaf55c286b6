//! The real server, started, asked, frozen, killed and ended. Without a PostgreSQL on the machine these tests fail: they
//! say what to type.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use testkit::program::{PATIENCE, Process, signal, wait_until_gone};

fn command(line: &str) -> Command {
    testkit::program::command(env!("CARGO_BIN_EXE_system-postgres"), line)
}

/// In a folder that only its owner can enter, as those of temporary files are. A small server starts faster.
fn start(flags: &str) -> Process {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("--data {} --shared-buffers 16MB {flags}", folder.path().join("data").display());
    Process::supervising(command(&line)).with(folder)
}

fn connect(running: &Process) -> Client {
    Client::connect(&running.url(), NoTls).unwrap()
}

/// The server, and the process of this connection.
fn pids(running: &Process, client: &mut Client) -> Vec<u64> {
    let own: i32 = client.query_one("SELECT pg_backend_pid()", &[]).unwrap().get(0);
    vec![running.server_pid(), own as u64]
}

#[test]
fn eight_servers_start_at_the_same_moment() {
    let mut all: Vec<Process> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..8).map(|_| scope.spawn(|| start(""))).collect();
        started.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for what in [|it: &Process| it.url(), |it: &Process| it.data().display().to_string()] {
        let seen: std::collections::BTreeSet<String> = all.iter().map(what).collect();
        assert_eq!(seen.len(), all.len(), "each has its own: {seen:?}");
    }
    let gone: Vec<_> = all.iter().map(|it| (it.server_pid(), it.data())).collect();
    all.iter_mut().for_each(|running| running.signal("TERM"));
    assert!(all.iter_mut().all(|running| running.ended().success()));
    gone.iter().for_each(|(pid, data)| wait_until_gone(&[*pid], data));
}

#[test]
fn it_serves_one_role_on_loopback_and_tells_what_it_is() {
    let mut running = start("--nonce n-1 --max-connections 17 --set work_mem=1MB");
    assert_eq!(running.get("/health").status, 200);
    let version = running.json("/version");
    assert_eq!((&version["nonce"], &version["pid"]), (&"n-1".into(), &running.pid().into()));
    assert_eq!((&version["max_connections"], &version["work_mem"]), (&"17".into(), &"1MB".into()));
    assert_eq!(version["listen_addresses"], serde_json::Value::Null);
    let mut client = connect(&running);
    client.batch_execute("CREATE SCHEMA own; CREATE TABLE own.t AS SELECT generate_series(1, 10) AS n").unwrap();
    let row = client.query_one("SELECT count(*), current_setting('listen_addresses') FROM own.t", &[]).unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, &str>(1)), (10, "127.0.0.1"));
    // What a monitor needs, and nothing more: the states of all connections can be seen, files cannot be read.
    let seen = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'system-postgres' AND state = 'idle'";
    assert_eq!(client.query_one(seen, &[]).unwrap().get::<_, i64>(0), 1);
    assert!(client.batch_execute("SELECT pg_read_file('/etc/passwd')").is_err());
    let url = running.url().replace("//lab@", "//postgres@");
    assert!(Client::connect(&url, NoTls).is_err(), "the superuser cannot connect");
    let (pids, data) = (pids(&running, &mut client), running.data());
    assert!(data.join("PG_VERSION").exists());
    running.signal("TERM");
    assert!(running.ended().success());
    wait_until_gone(&pids, &data);
}

#[test]
fn nothing_stays_behind_when_it_is_killed() {
    let mut running = start("");
    let mut client = connect(&running);
    let (pids, data) = (pids(&running, &mut client), running.data());
    running.child.kill().unwrap();
    running.ended();
    wait_until_gone(&pids, &data);
}

#[test]
fn it_ends_when_its_server_does() {
    let mut running = start("");
    let data = running.data();
    let server = running.server_pid();
    signal(server, "QUIT");
    assert_eq!(running.ended().code(), Some(1));
    wait_until_gone(&[server], &data);
}

#[test]
fn a_crash_breaks_connections_in_the_middle_of_a_query() {
    // The age counts from the start of the program; on a busy machine the server is older than that before it is asked.
    let asked = |age: u64| {
        let running = start(&format!("--fault crash=at:{age}s"));
        let mut client = Client::connect(&running.url(), NoTls).ok()?;
        let own: i32 = client.query_one("SELECT pg_backend_pid()", &[]).ok()?.get(0);
        Some((vec![running.server_pid(), own as u64], running, client))
    };
    let (pids, mut running, mut client) = [15, 120].into_iter().find_map(asked).expect("asked within two minutes");
    let data = running.data();
    let error = client.batch_execute("SELECT pg_sleep(180)").unwrap_err();
    assert!(error.as_db_error().is_none(), "no word of farewell: {error}");
    assert_eq!(running.ended().code(), Some(70));
    wait_until_gone(&pids, &data);
}

#[test]
fn a_server_that_is_killed_comes_back_with_what_was_committed() {
    let mut running = start("--restart-after 300ms");
    let mut client = connect(&running);
    client.batch_execute("CREATE TABLE t AS SELECT generate_series(1, 1000) AS n").unwrap();
    let first = pids(&running, &mut client);
    // An immediate shutdown is a crash to the data: nothing is written out, and the next start recovers.
    signal(first[0], "QUIT");
    assert!(client.batch_execute("SELECT pg_sleep(60)").is_err());
    let since = Instant::now();
    let mut again = loop {
        let url = &running.url();
        match Client::connect(url, NoTls) {
            Ok(client) => break client,
            Err(error) => assert!(since.elapsed() < PATIENCE, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(again.query_one("SELECT count(*) FROM t", &[]).unwrap().get::<_, i64>(0), 1000);
    assert_eq!(running.get("/health").status, 200);
    let counters = running.counters();
    assert_eq!(counters["server"]["restarts"], 1);
    let (second, data) = (pids(&running, &mut again), running.data());
    assert_ne!(first[0], second[0]);
    running.child.kill().unwrap();
    running.ended();
    wait_until_gone(&second, &data);
}

#[test]
fn a_stall_freezes_queries_and_ends() {
    let mut running = start("--fault stall=every:3s,for:1s");
    let mut client = connect(&running);
    let (since, mut longest) = (Instant::now(), Duration::ZERO);
    // On a busy machine a query may take as long before there was any stall.
    while longest < Duration::from_millis(300) || running.counters()["server"]["stalls"] == 0 {
        let query = Instant::now();
        client.batch_execute("SELECT 1").unwrap();
        longest = longest.max(query.elapsed());
        assert!(since.elapsed() < PATIENCE, "no query was held");
    }
    // Asked to end in the middle of a stall or not, it ends in good order.
    let (pids, data) = (pids(&running, &mut client), running.data());
    running.signal("TERM");
    assert!(running.ended().success());
    wait_until_gone(&pids, &data);
}

#[test]
fn what_is_kept_is_found_again() {
    let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let data = folder.path().join("kept");
    let flags = format!("--keep --data {}", data.display());
    for round in 0..2 {
        // The flag that comes later counts.
        let line = format!("--shared-buffers 16MB {flags}");
        let mut child = command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut told = String::new();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        while !told.contains("ready: ") {
            assert!(errors.read_line(&mut told).unwrap() > 0, "{told}");
        }
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        let url = told.rsplit_once("ready: ").unwrap().1.trim().to_owned();
        let mut client = Client::connect(&url, NoTls).unwrap();
        client.batch_execute("CREATE TABLE IF NOT EXISTS t (n int); INSERT INTO t VALUES (1)").unwrap();
        let count: i64 = client.query_one("SELECT count(*) FROM t", &[]).unwrap().get(0);
        assert_eq!(count, round + 1);
        signal(child.id().into(), "TERM");
        assert!(child.wait().unwrap().success());
        assert!(data.join("PG_VERSION").exists());
    }
}

#[test]
fn what_cannot_start_says_why_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |line: &str, part: &str| {
        let output = command(line).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(part), "{line}: {text}");
    };
    let data = folder.path().join("data");
    let shown = data.display();
    fails(&format!("--data {shown} --bin-dir /nowhere"), "`/nowhere` holds no `postgres` and `initdb`");
    fails(&format!("--data {shown} --set no_such_setting=1"), "unrecognized configuration parameter");
    fails(&format!("--data {shown} --fault delay=1s"), "possible here: `stall=37s/4s`, `crash=65m`");
    assert!(!data.exists());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    // The launcher knows these words, and tries another port.
    fails(&format!("--data {shown} --sql-port {port}"), "Address already in use");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("letter.txt"), "dear").unwrap();
    fails(&format!("--data {shown}"), "holds files, but no cluster of PostgreSQL");
    assert!(data.join("letter.txt").exists());
}
