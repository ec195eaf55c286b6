//! The real server, started, asked, frozen, killed and ended. Without a MariaDB on the machine these tests fail: they say
//! what to type.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

mod support;

use std::time::{Duration, Instant};

use support::{Client, command, start};
use testkit::program::{PATIENCE, lives, signal, wait_until_gone};

#[test]
fn it_serves_one_role_on_loopback_and_tells_what_it_is() {
    let mut running = start("--nonce n-1 --max-connections 17 --set innodb_io_capacity=321");
    assert_eq!(running.get("/health").status, 200);
    let version = running.json("/version");
    assert_eq!((&version["nonce"], &version["pid"]), (&"n-1".into(), &running.pid().into()));
    let settings = ["max_connections", "innodb_io_capacity", "innodb_flush_log_at_trx_commit", "log_bin"];
    assert_eq!(settings.map(|name| version[name].as_str().unwrap()), ["17", "321", "1", "OFF"]);
    assert_eq!(version["innodb_buffer_pool_size"], "16777216", "16 MiB");
    assert!(version["server_version"].as_str().unwrap().contains("MariaDB"), "{version}");

    let mut client = Client::connect(&running.url()).unwrap();
    client.run("CREATE TABLE t (n INT PRIMARY KEY) SELECT seq AS n FROM seq_1_to_10").unwrap();
    assert_eq!(client.text("SELECT COUNT(*) FROM t"), "10");
    assert_eq!(client.text("SELECT CONCAT(@@bind_address, @@socket)"), "127.0.0.1", "loopback, and no socket file");
    // What a monitor needs: connections of others and InnoDB's counters can be seen, files cannot be read.
    client
        .text("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID()")
        .parse::<u32>()
        .unwrap();
    client.text("SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_deadlocks'");
    assert!(client.run("SELECT * FROM mysql.global_priv").is_err());
    assert!(client.run("SELECT 1 INTO OUTFILE '/tmp/x'").is_err());
    for other in ["root", "nobody"] {
        let url = running.url().replace("//lab@", &format!("//{other}@")).replace("/lab", "/");
        let error = Client::connect(&url).err().expect("only one role can connect");
        assert!(error.to_string().contains("Access denied"), "{error}");
    }

    let (pid, data) = (running.server_pid(), running.data());
    assert!(data.join("mysql").exists());
    running.signal("TERM");
    assert!(running.ended().success());
    wait_until_gone(&[pid], data.parent().unwrap());
}

#[test]
fn one_folder_is_for_one_server() {
    let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let flags = format!("--data {}", folder.path().join("data").display());
    let running = start(&flags);
    let output = command(&flags).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && text.contains("is in use by another server"), "{text}");
    assert_eq!(running.get("/health").status, 200, "the first one goes on");
}

#[test]
fn what_makes_the_files_ends_with_the_supervisor() {
    let programs = tempfile::tempdir().unwrap();
    let pids = programs.path().join("pids");
    // An installer with a child of its own, neither of which ever ends.
    let script = format!("#!/bin/sh\nsleep 600 & echo $$ $! > {0}.new; mv {0}.new {0}; wait\n", pids.display());
    for (name, text) in [("mariadb-install-db", script.as_str()), ("mariadbd", "#!/bin/sh\nexit 1\n")] {
        let path = programs.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    std::fs::set_permissions(programs.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    for name in ["KILL", "TERM"] {
        let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let data = folder.path().join("data");
        let line = format!("--data {} --bin-dir {}", data.display(), programs.path().display());
        let mut child = command(&line).spawn().unwrap();
        let since = Instant::now();
        let started = loop {
            match std::fs::read_to_string(&pids) {
                Ok(text) => break text,
                Err(_) => assert!(since.elapsed() < PATIENCE, "the installer is not started"),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        std::fs::remove_file(&pids).unwrap();
        signal(child.id().into(), name);
        child.wait().unwrap();
        started.split_whitespace().for_each(|pid| wait_until_gone(&[pid.parse().unwrap()], &data));
    }
}

#[test]
fn nothing_stays_behind_when_it_is_killed() {
    let mut running = start("");
    let (pid, data) = (running.server_pid(), running.data());
    running.signal("KILL");
    running.ended();
    wait_until_gone(&[pid], data.parent().unwrap());
}

#[test]
fn it_ends_when_its_server_does() {
    let mut running = start("");
    let (pid, data) = (running.server_pid(), running.data());
    signal(pid, "KILL");
    assert_eq!(running.ended().code(), Some(1));
    wait_until_gone(&[pid], data.parent().unwrap());
}

#[test]
fn a_crash_breaks_connections_in_the_middle_of_a_query() {
    // The age counts from the start of the program; on a busy machine the server is older than that before it is asked.
    let asked = |age: u64| {
        let running = start(&format!("--fault crash=at:{age}s"));
        let client = Client::connect(&running.url()).ok()?;
        Some((running, client))
    };
    let (mut running, mut client) = [15, 120].into_iter().find_map(asked).expect("asked within two minutes");
    let (pid, data) = (running.server_pid(), running.data());
    let error = client.run("SELECT SLEEP(180)").unwrap_err();
    assert!(matches!(error, mysql_async::Error::Io(_) | mysql_async::Error::Driver(_)), "no word of farewell: {error}");
    assert_eq!(running.ended().code(), Some(70));
    wait_until_gone(&[pid], data.parent().unwrap());
}

#[test]
fn what_was_committed_is_there_when_a_killed_server_comes_back() {
    let mut running = start("--restart-after 300ms");
    let mut client = Client::connect(&running.url()).unwrap();
    let first = running.server_pid();
    client.run("CREATE TABLE t (n INT AUTO_INCREMENT PRIMARY KEY)").unwrap();
    // One commit a row, until the server dies in the middle of one.
    let (told, some) = std::sync::mpsc::channel();
    let killer = std::thread::spawn(move || {
        some.recv().unwrap();
        signal(first, "KILL");
    });
    let mut answered = 0;
    while client.run("INSERT INTO t VALUES ()").is_ok() {
        answered += 1;
        if answered == 50 {
            told.send(()).unwrap();
        }
    }
    killer.join().unwrap();
    let since = Instant::now();
    let mut again = loop {
        match Client::connect(&running.url()) {
            Ok(client) => break client,
            Err(error) => assert!(since.elapsed() < PATIENCE, "it does not come back: {error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let stored: u64 = again.text("SELECT COUNT(*) FROM t").parse().unwrap();
    // The last one may have been written and not answered.
    assert!(answered > 0 && (stored == answered || stored == answered + 1), "{answered} answered, {stored} stored");
    assert_eq!(running.get("/health").status, 200, "a connection of before is no reason to be ill");
    assert_eq!(running.json("/counters")["server"]["restarts"], 1);
    let (second, data) = (running.server_pid(), running.data());
    assert!(first != second && lives(second));
    // Killed from outside, it comes back as well; and it ends with its supervisor.
    signal(second, "KILL");
    while running.json("/counters")["server"]["restarts"] != 2 {
        assert!(since.elapsed() < PATIENCE, "it is not started again");
        std::thread::sleep(Duration::from_millis(20));
    }
    let third = running.server_pid();
    running.signal("KILL");
    running.ended();
    wait_until_gone(&[third], data.parent().unwrap());
}

#[test]
fn a_stall_freezes_queries_and_health_and_ends() {
    let mut running = start("--fault stall=every:4s,for:3s");
    let mut client = Client::connect(&running.url()).unwrap();
    let (since, mut longest) = (Instant::now(), Duration::ZERO);
    // On a busy machine a query may take as long before there was any stall.
    while longest < Duration::from_millis(300) || running.json("/counters")["server"]["stalls"] == 0 {
        let query = Instant::now();
        client.run("SELECT 1").unwrap();
        longest = longest.max(query.elapsed());
        assert!(since.elapsed() < PATIENCE, "no query was held");
    }
    while running.get("/health").status != 503 {
        assert!(since.elapsed() < PATIENCE, "a frozen server was never ill");
    }
    // Asked to end in the middle of a stall or not, it ends in good order.
    let (pid, data) = (running.server_pid(), running.data());
    running.signal("TERM");
    assert!(running.ended().success());
    wait_until_gone(&[pid], data.parent().unwrap());
}

#[test]
fn what_is_kept_is_found_again() {
    let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let data = folder.path().join("kept");
    for round in 1..=2 {
        let mut running = start(&format!("--keep --flush-log-at-commit 2 --data {}", data.display()));
        let mut client = Client::connect(&running.url()).unwrap();
        client.run("CREATE TABLE IF NOT EXISTS t (n INT PRIMARY KEY)").unwrap();
        client.run(&format!("INSERT INTO t VALUES ({round})")).unwrap();
        assert_eq!(client.text("SELECT COUNT(*) FROM t"), round.to_string());
        assert_eq!(client.text("SELECT @@innodb_flush_log_at_trx_commit"), "2");
        running.signal("TERM");
        assert!(running.ended().success());
        assert!(data.join("data/mysql").exists());
    }
}

#[test]
fn what_cannot_start_says_why_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |line: &str, part: &str| {
        let output = command(line).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(part), "{line}: {text}");
    };
    let data = folder.path().join("data");
    let shown = data.display();
    fails(&format!("--data {shown} --bin-dir /nowhere"), "`/nowhere` holds no `mariadbd`");
    fails(&format!("--data {shown} --set no_such_setting=1"), "unknown variable 'no_such_setting=1'");
    fails(&format!("--data {shown} --fault delay=1s"), "possible here: `stall=37s/4s`, `crash=65m`");
    assert!(!data.exists());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    // The launcher knows these words, and tries another port.
    fails(&format!("--data {shown} --sql-port {port}"), "Address already in use");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("letter.txt"), "dear").unwrap();
    fails(&format!("--data {shown}"), "holds files, but no data of MariaDB");
    assert!(data.join("letter.txt").exists());
}

#[test]
fn a_machine_without_the_server_is_told_what_to_type() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(&format!("--data {}", folder.path().join("data").display()));
    // Nothing is at these places, whatever is installed: a named folder is the only one that is looked in.
    let output = command.env("LOADPROOF_MARIADB_BIN", folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("holds no `mariadbd` with `mariadb-install-db` beside it"), "{text}");
}
