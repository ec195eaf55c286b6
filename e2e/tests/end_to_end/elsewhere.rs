//! Another machine watched over ssh: its figures are those of the local monitor, what is missing is told, and who cannot be
//! reached ends the run before it begins. The other machine is this one, behind a server of ssh on loopback.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::site::{Asked, serve};
use e2e::{Place, files, requirement, until, wait};
use serde_json::Value;
use std::path::Path;
use testkit::sshd::{NAME, Sshd};

fn study(config: &Path, hold: &str) -> String {
    let port = serve(|_: &Asked| ("200 OK", String::new(), "a".repeat(2000)));
    format!(
        "study: Elsewhere\nsystem: {{ name: site }}\nwatch:\n  host: {{ host: {{}}, every: 500ms }}\n  \
         there: {{ host: {{}}, on: {{ ssh: {NAME}, config: {} }}, every: 500ms }}\n\
         exchanges: {{ look: {{ http.get: {{ url: \"http://127.0.0.1:{port}/\" }} }} }}\n\
         scenarios: {{ busy: {{ load: {{ arrivals: 50/s, hold: {hold} }}, run: [look] }} }}\nrequirements:\n  \
         cpu_here: mean(host.cpu) >= 0%\n  cpu_there: mean(there.cpu) >= 0%\n  \
         total_here: max(host.memory_total) > 0MB\n  total_there: max(there.memory_total) > 0MB\n  \
         used_here: mean(host.memory_used) > 0MB\n  used_there: mean(there.memory_used) > 0MB\n  \
         loopback_here: mean(host.loopback) > 0MB\n  loopback_there: mean(there.loopback) > 0MB\n  \
         switches_here: mean(host.context_switches) > 0/s\n  switches_there: mean(there.context_switches) > 0/s\n",
        config.display()
    )
}

/// The same with the site as an instance, whose process two more monitors watch.
fn with_site(study: &str, config: &Path, pid: &Path) -> String {
    let port = study.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    let (config, pid) = (config.display(), pid.display());
    let address = format!("url: \"http://127.0.0.1:{port}\", ready: none, identity: {{ path: /, status: 200 }}");
    let monitors = format!(
        "  near: {{ process: {{}} }}\n  far: {{ process: {{ pid_file: \"{pid}\" }}, on: {{ ssh: {NAME}, config: {config} }} }}\n"
    );
    let study = study.replace("{ name: site }", &format!("{{ name: site, {address} }}"));
    study.replace("exchanges:", &(monitors + "exchanges:"))
}

fn value(result: &Value, id: &str) -> f64 {
    let row = requirement(result, id);
    row["value"].as_f64().unwrap_or_else(|| panic!("no value: {row:#}"))
}

#[test]
fn another_machine_has_the_figures_that_the_local_monitor_has() {
    let Some(sshd) = Sshd::start() else { return };
    let place = Place::alone();
    // The site is this process; what it keeps most of is here.
    let data = std::fs::File::create(place.path().join("data")).unwrap();
    data.set_len(1 << 30).unwrap();
    let pid = place.file("site.pid", &std::process::id().to_string());
    place.file("study.yaml", &with_site(&study(&sshd.config(), "15s"), &sshd.config(), &pid));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run", "--json"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.stderr);
    let result = place.result("run");
    // Both look at the same counters twice a second, at most the way there and back apart, so a mean over half a minute of
    // samples differs by one sample's worth at most.
    let both = |name: &str| (value(&result, &format!("{name}_here")), value(&result, &format!("{name}_there")));
    let (here, there) = both("total");
    assert_eq!(here, there, "the same memory");
    let (here, there) = both("cpu");
    assert!((here - there).abs() < 0.1, "{here} and {there}");
    for (name, tolerance) in [("used", 0.05), ("loopback", 0.2), ("switches", 0.2)] {
        let (here, there) = both(name);
        assert!((here - there).abs() <= here * tolerance, "{name}: {here} and {there}");
    }
    let head: Value =
        serde_json::from_str(&std::fs::read_to_string(place.path().join("run/evidence/run.json")).unwrap()).unwrap();
    let facts = head["facts"].as_array().unwrap();
    let fact = |name: &str| {
        let found = facts.iter().find(|fact| fact[0] == "there" && fact[1] == name);
        found.unwrap_or_else(|| panic!("no {name}: {facts:#?}"))[2].as_str().unwrap().to_owned()
    };
    assert_eq!(fact("reached over"), format!("ssh://{NAME}"));
    let ahead: f64 = fact("clock offset").split(' ').next().unwrap().parse().unwrap();
    assert!(ahead.abs() < 1.0, "both are one clock: {ahead}");
    let is_same =
        |name: &str| facts.iter().any(|fact| fact[0] == "host" && fact[1] == name && fact[2] == fact_of(facts, name));
    assert!(is_same("kernel") && is_same("processor") && is_same("memory"), "{facts:#?}");
    for name in ["disk", "kind of disk", "disk scheduler", "file system"] {
        let of_site = |fact: &&Value| fact[0] == "site" && fact[1] == name;
        let at_end: Vec<_> =
            head["facts_end"].as_array().unwrap().iter().filter(of_site).map(|fact| &fact[2]).collect();
        // Of the local monitor and of the one over ssh, or of neither: a file system in memory has no disk.
        assert!(at_end.len() == 2 || at_end.is_empty() && name != "file system", "{name}: {head:#}");
        assert!(at_end.windows(2).all(|both| both[0] == both[1]), "{name}: {at_end:?}");
        // The local one finds what listens at an address at its first sample only.
        let at_start = facts.iter().filter(of_site).map(|fact| &fact[2]);
        assert!(at_start.eq(at_end.first().copied()), "{name}: {facts:#?}");
    }
    let there = head["monitors"].as_array().unwrap().iter().find(|monitor| monitor["name"] == "there").unwrap();
    assert_eq!(there["on"], format!("ssh://{NAME}"));
}

fn fact_of(facts: &[Value], name: &str) -> String {
    let found = facts.iter().find(|fact| fact[0] == "there" && fact[1] == name);
    found.and_then(|fact| fact[2].as_str()).unwrap_or_default().to_owned()
}

#[test]
fn a_machine_that_goes_away_leaves_gaps_and_no_verdict() {
    let Some(sshd) = Sshd::start() else { return };
    let place = Place::new();
    place.file("study.yaml", &study(&sshd.config(), "20s"));
    let child = place.start(&["run", "study.yaml", "--out", "run"]);
    let load = place.path().join("run/evidence/load");
    let is_on = || load.is_dir() && files(&load).iter().any(|path| path.metadata().is_ok_and(|data| data.len() > 2048));
    assert!(until(120, is_on), "the load never came");
    drop(sshd);
    let ran = wait(child);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let result = place.result("run");
    let row = requirement(&result, "cpu_there");
    assert_eq!((&row["verdict"], &row["reason_code"]), (&"cannot_tell".into(), &"samples_missing".into()), "{row:#}");
    assert_ne!(requirement(&result, "cpu_here")["reason_code"], "samples_missing", "the local monitor goes on");
}

#[test]
fn a_machine_that_cannot_be_reached_ends_the_run_before_it_begins() {
    let Some(sshd) = Sshd::start() else { return };
    let place = Place::new();
    place.file("study.yaml", &study(&sshd.stranger_config(), "5s"));
    let checked = place.loadproof(&["check", "study.yaml"]);
    assert_eq!(checked.code, 0, "`check` connects to nothing: {}", checked.stderr);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("error[ssh::host-key]"), "{}", ran.stderr);
    assert!(ran.stderr.contains("study.yaml:5"), "with its place: {}", ran.stderr);
    assert!(ran.stderr.contains("compare the fingerprint"), "{}", ran.stderr);
}
