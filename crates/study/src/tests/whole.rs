//! Whole studies: what is read, and that the effective study reads back as the same.

use super::fakes::{REGISTRY, archived, load, load_in, study};
use super::samples::{FULL, QUICKSTART};
use crate::model::*;
use crate::{Options, SecretSource, load_text, new_study};
use std::path::Path;
use terms::Nanos;

/// A study as text, without what reading it from another text must change: places, files, the text itself.
fn plain(study: &Study) -> String {
    let shown = format!("{study:#?}");
    let mut out = String::new();
    let mut skip = false;
    for line in shown.lines() {
        let trimmed = line.trim_start();
        // A place is shown as five lines.
        if trimmed.ends_with("Place {") {
            skip = true;
        }
        if !skip {
            out.push_str(line);
            out.push('\n');
        }
        if skip && trimmed.starts_with('}') {
            skip = false;
        }
    }
    let from = out.find("    effective: ").unwrap();
    out.truncate(from);
    let files = out.find("    files: [").unwrap();
    let end = out.find("    variables: [").unwrap();
    out.replace_range(files..end, "");
    out
}

#[track_caller]
fn reads_back(study: &Study) {
    let again = match load_in(Path::new("/elsewhere"), &study.effective, &archived()) {
        Ok((again, _)) => again,
        Err(rejected) => panic!("{rejected}\n{}", study.effective),
    };
    let base = |text: String| text.replace("\"/elsewhere\"", "\"/nonexistent\"");
    let (one, other) = (plain(study), base(plain(&again)));
    for (a, b) in one.lines().zip(other.lines()) {
        assert_eq!(a, b, "{}", study.effective);
    }
    assert_eq!(one.len(), other.len());
    assert_eq!(study.effective, again.effective);
}

#[test]
fn machines_that_are_watched_over_ssh_are_read_and_read_back() {
    let watched = |watch: &str| study(&QUICKSTART.replace("watch: { host: {} }", watch));
    let study = watched(
        "watch:\n  host: {}\n  db: { host: {}, on: ssh://perf@db1:2222, every: 5s }\n  web: { host: {}, on: { ssh: perf@web1, config: lab.ssh } }",
    );
    let on = |index: usize| study.watch[index].machine();
    assert_eq!(on(0), None);
    assert_eq!(on(1).unwrap().url(), "ssh://perf@db1:2222");
    assert_eq!(
        (on(2).unwrap().url().as_str(), on(2).unwrap().within(Path::new("/a")).config.unwrap()),
        ("ssh://perf@web1", "/a/lab.ssh".into())
    );
    reads_back(&study);
    let named = watched("vars: { db: db2 }\nwatch: { db: { host: {}, on: ssh://perf@$(db) } }").watch;
    assert_eq!(named[0].machine().unwrap().url(), "ssh://perf@db2");
}

#[test]
fn monitors_that_nodes_carry_are_read_and_read_back() {
    let watched = |more: &str| study(&QUICKSTART.replace("watch: { host: {} }", more));
    let read = watched("nodes: { at: local }\nwatch: { db: { host: {}, on: db1.lab }, own: { host: {}, on: node-1 } }");
    let on: Vec<_> = read.watch.iter().map(|watch| (watch.carrier(), watch.machine())).collect();
    assert_eq!(on, [(Some("db1.lab"), None), (Some("node-1"), None)]);
    assert!(read.nodes_are_here);
    reads_back(&read);
    assert!(!watched("nodes: { cores: 2 }\nwatch: { host: {} }").nodes_are_here);
    assert_eq!(watched("vars: { db: db2 }\nwatch: { x: { host: {}, on: $(db) } }").watch[0].carrier(), Some("db2"));
    for name in ["node-1x", "node-", "node-0", "a_b"] {
        assert_eq!(watched(&format!("watch: {{ x: {{ host: {{}}, on: {name} }} }}")).watch[0].carrier(), Some(name));
    }
}

/// Who carries no monitor that needs a secret does not need it either.
#[test]
fn a_secret_is_needed_where_it_is_used() {
    let text = |keys: &str| {
        QUICKSTART.replace("watch: { host: {} }", "").replace("exchanges:", &format!("{keys}\nexchanges:"))
    };
    let of_db = text("watch: { db: { host: { disks: $(secret.NO_SUCH_SECRET) }, on: db1 } }");
    let of_load = text("report: { contact: $(secret.NO_SUCH_SECRET) }");
    let of_all = text("vars: { pass: $(secret.NO_SUCH_SECRET) }");
    let is_missing = |text: &str, source: SecretSource| {
        let options = Options { secrets: source, ..Options::default() };
        match load_text("t", text, Path::new("/nonexistent"), &REGISTRY, &options) {
            Ok((study, secrets)) => {
                assert!(
                    secrets.values().is_empty() && study.secrets[0].source == "the node db1",
                    "{:?}",
                    study.secrets
                );
                false
            }
            Err(rejected) => rejected.mistakes.0.iter().any(|mistake| mistake.code == "study::missing-secret"),
        }
    };
    let node = |name: &str| SecretSource::OfNode(name.into());
    assert!(!is_missing(&of_db, SecretSource::Real));
    assert!(!is_missing(&of_db, node("node-1")) && !is_missing(&of_db, node("web1")));
    assert!(is_missing(&of_db, node("db1")));
    assert!(is_missing(&of_load, SecretSource::Real) && is_missing(&of_load, node("node-2")));
    for source in [SecretSource::Real, node("node-1"), node("web1")] {
        assert!(is_missing(&of_all, source.clone()), "{source:?}");
    }
}

#[test]
fn the_quickstart_is_read() {
    let study = study(QUICKSTART);
    assert_eq!(study.title.in_language("nl"), "Checkout");
    assert_eq!(study.exchanges[0].settings.operation, "get");
    let load = &study.scenarios[0].parts[0].load;
    assert_eq!(load.model, Model::Arrivals { profile: Profile::Constant(200.0), spacing: Spacing::Even });
    assert_eq!(load.hold, Extent::Time(Nanos::from_secs(300)));
    assert_eq!(study.requirements.len(), 2);
    assert_eq!(study.system.instances[0].ready, None);
    assert!(study.warnings.is_empty(), "{:?}", study.warnings);
    reads_back(&study);
}

#[test]
fn everything_that_is_carried_out_is_read_and_reads_back() {
    let study = study(FULL);
    let names: Vec<_> = study.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names, ["closed", "open", "profile"]);
    reads_back(&study);
}

#[test]
fn a_trial_reads_back() {
    for seconds in [1, 10, 60, 3600, 1_000_000] {
        let options = Options { trial: Some(Nanos::from_secs(seconds)), ..Options::default() };
        for text in [QUICKSTART, FULL] {
            let (study, _) = load_in(Path::new("/nonexistent"), text, &options).unwrap_or_else(|r| panic!("{r}"));
            assert!(study.trial.as_ref().is_none_or(|trial| trial.asked == Nanos::from_secs(seconds)));
            assert!(study.trial.is_some() || seconds > 1, "nothing takes only a second");
            let is_shorter = text == QUICKSTART && seconds > 3600;
            assert!(study.trial.is_none() || !is_shorter, "all of it is carried out");
            reads_back(&study);
        }
    }
}

#[test]
fn the_new_study_is_right() {
    let (study, _) = load(new_study()).unwrap_or_else(|rejected| panic!("{rejected}"));
    assert!(study.warnings.is_empty());
    reads_back(&study);
}

#[test]
fn what_the_author_states_is_kept_in_order_and_reads_back() {
    let text = QUICKSTART.replace(
        "system: { name: shop,",
        "assume: { zone: { value: west } }\nsystem: { stated: { region: \"eu-$(zone)-1\", brokers: 2, log.retention: \"$$(none)\" }, name: shop,",
    );
    let stated = study(&text);
    let facts: Vec<_> = stated.system.stated.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(facts, [("region", "eu-west-1"), ("brokers", "2"), ("log.retention", "$(none)")]);
    reads_back(&stated);
    let wrong = load(&text.replace("brokers: 2", "brokers: [2]")).unwrap_err();
    assert_eq!(wrong.mistakes.0[0].code, "study::wrong-type");
}
