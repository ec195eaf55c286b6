//! What this machine cannot do is stated before the start, or makes the run invalid; it is never in the figures in silence.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, program, step, target};
use serde_json::Value;
use std::process::{Command, Output};

/// `loadproof` with these arguments after a shell's `first` command.
fn after(place: &Place, first: &str, arguments: &str) -> Output {
    let script = format!("{first}; exec {} {arguments}", program("loadproof").display());
    Command::new("sh").args(["-c", &script]).current_dir(place.path()).output().expect("a shell")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn users_beyond_the_descriptors_are_refused_before_anything_is_sent() {
    let (place, target) = (Place::new(), target("target-echo", &[]));
    let quick = format!("quick http://{}/ --users 1000 --for 2s --out run", target.address());
    let ran = after(&place, "ulimit -n 400", &quick);
    let told = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    for part in ["1,000 connections", "may open 144", "`ulimit -n 1256`"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!place.path().join("run").exists(), "there is nothing to report");
    assert_eq!(target.counter("answered").expect("counters"), 0);
}

#[test]
fn a_soft_limit_is_no_limit() {
    let (place, target) = (Place::new(), target("target-echo", &["--service", "20ms"]));
    let quick = format!("quick http://{}/ --users 100 --for 1s --out run --json", target.address());
    let ran = after(&place, "ulimit -S -n 60", &quick);
    let result: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{}", text(&ran.stderr)));
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_eq!(hold["failed"], 0, "{hold:#}");
}

#[test]
fn a_bound_beyond_the_descriptors_is_warned_of_and_may_never_be_reached() {
    let (place, target) = (Place::new(), target("target-echo", &[]));
    let quick = format!("quick http://{}/ --rate 50/s --connections 1000 --for 1s --out run --json", target.address());
    let ran = after(&place, "ulimit -n 400", &quick);
    let told = text(&ran.stderr);
    assert!(told.contains("warning: `quick` may have 1,000 connections") && told.contains("ulimit -n 1256"), "{told}");
    let result: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{told}"));
    assert_eq!(step(&result, "quick", "hold")["completed"], 50);
    let signs = result["validity"]["signs"].as_array().expect("signs");
    assert!(signs.iter().all(|sign| sign["code"] != "resources"), "{signs:#?}");
}

#[test]
fn a_rate_beyond_this_machine_is_invalid_and_says_what_was_in_time() {
    let (place, target) = (Place::alone(), target("target-echo", &[]));
    let url = format!("http://{}/", target.address());
    // No machine starts a request every 0.3 µs with one thread.
    let arguments = ["--rate", "3000000/s", "--connections", "32", "--threads", "1", "--for", "2s", "--timeout", "1s"];
    let ran = place.loadproof(&[&["quick", &url, "--out", "run", "--json"], &arguments[..]].concat());
    let result = ran.json();
    assert_eq!(ran.code, 3, "{ran:#?}");
    let validity = &result["validity"];
    assert_eq!(validity["state"], "invalid", "{validity:#}");
    assert_balanced(step(&result, "quick", "hold"));
    let signs = validity["signs"].as_array().expect("signs");
    let rate = signs.iter().find(|sign| sign["code"] == "rate").unwrap_or_else(|| panic!("{signs:#?}"));
    let sentence = rate["text"].as_str().expect("a sentence");
    assert!(sentence.contains("3,000,000/s were planned"), "{sentence}");
    let names_a_rate = sentence.contains("the highest rate of any second that was started on time is");
    assert!(names_a_rate || sentence.contains("no rate was valid"), "{sentence}");
    // In the terminal, wrapped, and in the report.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&ran.stderr).contains(&words(sentence)), "{}", ran.stderr);
    let again = place.loadproof(&["report", "run", "--profile", "full"]);
    assert_eq!(again.code, 3, "{again:#?}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.contains("Highest rate on time"), "the report has it");
}

#[test]
fn the_ceiling_is_a_rate_that_was_tried() {
    let place = Place::new();
    let ran = place.loadproof(&["ceiling", "--connections", "8", "--for", "4s", "--json"]);
    // 3 where the machine is too busy for any rate to be in time.
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let found = ran.json();
    assert_eq!(found["schema"], "loadproof/ceiling/1");
    let levels = found["levels"].as_array().expect("levels");
    assert_eq!((levels.len(), &found["connections"]), (4, &Value::from(8)), "{found:#}");
    let of = |level: &Value, name: &str| level[name].as_f64().expect("a number");
    // The first load climbs to what got through; each level is a second of starts, but for one at its edge.
    assert!((found["closed_per_s"].as_f64().expect("a rate") - of(&levels[1], "planned")).abs() <= 2.0, "{found:#}");
    let in_time = levels.iter().filter(|level| level["in_time"] == true).map(|level| of(level, "started"));
    assert_eq!(in_time.reduce(f64::max), found["per_s"].as_f64(), "{found:#}");
    assert_eq!(found["per_s"].is_null(), ran.code == 3, "{found:#}");
    // What others had of the processors is a share of them, and whoever found no rate hears why.
    for share in ["other_programs", "other_guests"] {
        assert!((0.0..=1.0).contains(&of(&found, share)), "{share}: {found:#}");
    }
    let disturbed = found["disturbed"].as_str();
    assert!(disturbed.is_some() || ran.code == 0, "{found:#}");
    assert_eq!(disturbed.is_some_and(|who| ran.stderr.contains(who)), disturbed.is_some(), "{ran:#?}");
}

#[test]
#[ignore = "needs a network of its own: `unshare -rn`, and `ip` to bring its loopback up"]
fn more_connections_than_ports_come_from_more_addresses() {
    let place = Place::new();
    let echo = program("target-echo");
    // 32 ports, 100 users: four addresses are needed.
    let script = format!(
        "ip link set lo up && echo '40000 40031' > /proc/sys/net/ipv4/ip_local_port_range || exit 99
         {} --port 8085 --service 50ms --exit-after 30s > echo.txt & echo=$!
         while ! grep -q listening echo.txt; do sleep 0.05; done
         {} quick http://127.0.0.1:8085/ --users 100 --for 2s --out run --json
         code=$?; kill $echo; exit $code",
        echo.display(),
        program("loadproof").display()
    );
    let ran = Command::new("unshare").args(["-rn", "sh", "-c", &script]).current_dir(place.path()).output();
    let ran = ran.expect("unshare");
    let told = text(&ran.stderr);
    assert!(told.contains("will come from 4 addresses of this machine"), "{told}");
    let result: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{told}"));
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_eq!(hold["failed"], 0, "{hold:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.contains("connections came from 127.0.0.2, 127.0.0.3, 127.0.0.4 as well"), "the report says so");
}
