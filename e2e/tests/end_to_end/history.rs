//! `loadproof history`: since which run a system is slower, what is kept apart, and what a build server is told.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::archive::copies;
use e2e::{Place, Ran, target};
use serde_json::Value;
use std::net::SocketAddr;

/// The slow system's calls take four times as long.
const USUAL: &str = "20ms";
const SLOW: &str = "80ms";

/// Whatever else the machine does: these runs are of seconds, and a spoilt one proves nothing to a history.
const VALIDITY: &str = "\
    \x20 lateness: { questionable: 5s, invalid: 10s, because: levels lie far apart }\n\
    \x20 lost_starts: { questionable: 98%, invalid: 99%, because: levels lie far apart }\n\
    \x20 run_queue: { questionable: 98%, invalid: 99%, because: levels lie far apart }\n\
    \x20 steal: { questionable: 98%, invalid: 99%, because: levels lie far apart }\n\
    \x20 foreign: { questionable: 98%, invalid: 99%, because: levels lie far apart }\n";

fn study(address: SocketAddr, rate: &str, hold: &str) -> String {
    format!(
        "study: Shop\nsystem: {{ name: shop, url: 'http://{address}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         validity:\n{VALIDITY}watch: {{ host: {{}} }}\nexchanges:\n  home: {{ http.get: {{ url: '$(shop.url)/' }}, timeout: 10s }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: {rate}, hold: {hold} }}, run: [home] }}\n\
         requirements: {{ fast: p50(home.response) <= 5s, enough: rate(home) >= 1/s, whole: count(home.ok) = count(home) }}\n"
    )
}

/// One run of three seconds in `base`.
fn base(place: &Place) {
    let target = target("target-echo", &["--service", USUAL]);
    place.file("study.yaml", &study(target.address(), "30/s", "3s"));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "base"]);
    assert!(place.path().join("base/result.json").exists(), "{ran:#?}");
}

fn series<'a>(history: &'a Value, id: &str, setting: u64) -> &'a Value {
    let all = history["requirements"].as_array().unwrap();
    let found = all.iter().find(|series| series["id"] == id && series["setting"] == setting);
    found.unwrap_or_else(|| panic!("no {id}: {history:#}"))
}

fn refused(ran: &Ran, words: &str) {
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains(words), "{words}: {ran:#?}");
}

/// A spread of some percent, the same each time.
fn noise(number: usize) -> f64 {
    1.0 + ((number * 7 % 11) as f64 - 5.0) / 200.0
}

#[test]
fn a_build_server_learns_of_what_got_worse_after_the_base() {
    let place = Place::new();
    base(&place);
    // Judged anew, since none has a result; the first ten lie a folder deeper.
    let slower = |number: usize| noise(number) * if number < 16 { 1.0 } else { 1.3 };
    let all = copies(&place.path().join("base"), &place.path().join("archive/old"), 22, slower, |_, _| {});
    for path in &all[10..] {
        std::fs::rename(path, place.path().join("archive").join(path.file_name().unwrap())).unwrap();
    }
    let name = |number: usize| all[number].file_name().unwrap().to_str().unwrap().to_owned();
    let shown = place.loadproof(&["history", "archive", "--json", "--out", "page"]);
    assert_eq!(shown.code, 0, "{shown:#?}");
    let history = shown.json();
    assert_eq!((history["schema"].as_str(), history["study"].as_str()), (Some("loadproof/history/1"), Some("Shop")));
    let fast = series(&history, "fast", 0);
    let runs: Vec<&str> = history["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap()).collect();
    assert_eq!(runs.len(), 22);
    assert!(history["runs"].as_array().unwrap().iter().all(|run| run["apart"].is_null()), "{history:#}");
    assert_eq!(
        (fast["shifts"][0]["run"].as_str(), fast["shifts"][0]["tendency"].as_str()),
        (Some(&*name(16)), Some("worse"))
    );
    let change = fast["shifts"][0]["change"].as_f64().unwrap();
    assert!((0.2..0.4).contains(&change), "{change}");
    assert!(series(&history, "enough", 0)["shifts"].as_array().unwrap().is_empty());
    assert_eq!(series(&history, "whole", 0)["search"], "by_verdict");
    for file in ["page/history.html", "page/history.json", "page/tables/archive-requirements.csv"] {
        assert!(place.path().join(file).exists(), "{file}");
    }
    // By id, by folder, by date; the run in which it began counts as after the one before.
    let gate = |base: &str| place.loadproof(&["history", "archive", "--since", base]);
    for base in [name(15), format!("archive/{}", name(15)), "2026-01-10".to_owned()] {
        let ran = gate(&base);
        assert_eq!(ran.code, 1, "{ran:#?}");
        assert!(ran.stderr.contains(&format!("One requirement got worse since {base}: fast (busy/hold)")), "{ran:#?}");
        assert!(ran.stderr.contains("+3") && ran.stderr.contains(&name(16)), "{ran:#?}");
    }
    let after = gate(&name(16));
    assert_eq!(after.code, 0, "{after:#?}");
    let few = gate(&name(20));
    assert_eq!(few.code, 3, "{few:#?}");
    assert!(few.stderr.contains("at least 2 more runs are needed"), "{few:#?}");
    refused(&gate("yesterday"), "nor a date such as `2026-11-20`");
    refused(&gate("2026-13-01"), "nor a date");
    refused(&place.loadproof(&["history", "nowhere"]), "cannot be read");
    refused(&place.loadproof(&["history", "archive", "--study", "till"]), "no run of the study `till`");
    refused(&place.loadproof(&["history", &format!("archive/{}", name(16))]), "is a run folder itself");
    refused(&place.loadproof(&["history", "archive", "--out", "base/evidence"]), "evidence");
    let dutch = place.loadproof(&["history", "archive", "--out", "page", "--lang", "nl"]);
    assert_eq!(dutch.code, 0, "{dutch:#?}");
    let page = std::fs::read_to_string(place.path().join("page/history.nl.html")).unwrap();
    assert!(page.contains("verloop van de eisen") && page.contains("slechter"));
}

#[test]
fn what_proves_nothing_is_kept_apart_and_what_is_damaged_is_named() {
    let place = Place::new();
    base(&place);
    let archive = place.path().join("archive");
    let all = copies(&place.path().join("base"), &archive, 20, noise, |number, head| {
        if number % 4 == 3 {
            // Another rate is another question.
            head.steps.iter_mut().for_each(|step| {
                step.offered_from = step.offered_from.map(|_| 60.0);
                step.offered_to = step.offered_from;
            });
        }
        if number == 8 {
            head.trial = Some(record::TrialHead { asked_s: 3.0, factor: 0.1, left_out: Vec::new() });
        }
    });
    let evidence = |number: usize| all[number].join("evidence");
    std::fs::write(evidence(0).join("run.json"), "{").unwrap();
    std::fs::remove_file(evidence(1).join("run.json")).unwrap();
    std::fs::write(all[2].join("result.json"), "[]").unwrap();
    std::fs::remove_file(evidence(4).join("load/iterations.parquet")).unwrap();
    // A link back up, a pipe, and a run twice.
    std::os::unix::fs::symlink(&archive, archive.join("again")).unwrap();
    std::fs::create_dir_all(archive.join("pipe/evidence")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, archive.join("pipe/evidence/run.json"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::create_dir_all(archive.join("copy/evidence")).unwrap();
    for file in e2e::files(&evidence(5)) {
        let into = archive.join("copy/evidence").join(file.strip_prefix(evidence(5)).unwrap());
        std::fs::create_dir_all(into.parent().unwrap()).unwrap();
        std::fs::copy(&file, into).unwrap();
    }
    let ran = place.loadproof(&["history", "archive", "--json"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let history = ran.json();
    let left: Vec<(String, String)> = history["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|left| (left["folder"].as_str().unwrap().to_owned(), left["reason"].as_str().unwrap().to_owned()))
        .collect();
    let why = |part: &str| {
        let found = left.iter().find(|(folder, _)| folder.contains(part));
        found.unwrap_or_else(|| panic!("{part} is not named: {left:#?}")).1.clone()
    };
    let name = |number: usize| all[number].file_name().unwrap().to_str().unwrap();
    assert!(why(name(0)).contains("cannot be understood") && why(name(1)).contains("run.json"), "{left:#?}");
    assert!(why(name(2)).contains("`result.json`") && why("pipe").contains("run.json"), "{left:#?}");
    assert!(left.iter().any(|(_, reason)| reason.starts_with("it is the same run as")), "{left:#?}");
    assert_eq!(left.len(), 6, "{left:#?}");
    let apart = |id: &str| {
        let runs = history["runs"].as_array().unwrap();
        runs.iter().find(|run| run["id"] == id).map(|run| run["apart"].clone()).unwrap()
    };
    assert_eq!(apart(name(8)), "trial");
    // One run in four has a setting of its own, the newest among them.
    let settings = history["settings"].as_array().unwrap();
    assert_eq!((settings.len(), &settings[0]["runs"]), (2, &5.into()), "{settings:#?}");
    assert!(settings[1]["differs"][0].as_str().unwrap().contains("60/s → 30/s"), "{settings:#?}");
    // Two studies under one folder: the user says which.
    let other = |number: usize, head: &mut record::Head| head.study = format!("Till {number}");
    copies(&place.path().join("base"), &place.path().join("archive/other"), 1, noise, other);
    refused(&place.loadproof(&["history", "archive"]), "name one with `--study NAME`");
    let shop = place.loadproof(&["history", "archive", "--study", "SHOP"]);
    assert!([0, 3].contains(&shop.code), "{shop:#?}");
}

#[test]
fn runs_that_are_all_trials_are_named_as_the_reason() {
    let place = Place::new();
    base(&place);
    let trial = |_: usize, head: &mut record::Head| {
        head.trial = Some(record::TrialHead { asked_s: 3.0, factor: 0.1, left_out: Vec::new() });
    };
    copies(&place.path().join("base"), &place.path().join("archive"), 3, noise, trial);
    for more in [&[][..], &["--since", "2026-01-01"]] {
        let ran = place.loadproof(&[&["history", "archive"], more].concat());
        assert_eq!(ran.code, 3, "{ran:#?}");
        let told = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("All 3 runs are trials (made with `--for`), and a history leaves such runs out"),
            "{ran:#?}"
        );
        assert!(told.contains("`loadproof run STUDY`, without `--for`"), "{ran:#?}");
    }
}

/// Real runs of a system whose answers take four times as long from the thirteenth on.
#[test]
fn a_system_that_was_slowed_is_found_by_real_runs() {
    let place = Place::new();
    let (usual, slow) = (target("target-echo", &["--service", USUAL]), target("target-echo", &["--service", SLOW]));
    for number in 0..20 {
        let address = if number < 12 { usual.address() } else { slow.address() };
        place.file("study.yaml", &study(address, "20/s", "1s"));
        let ran = place.loadproof(&["run", "study.yaml", "--out", &format!("shop/{number:02}")]);
        assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    }
    let ran = place.loadproof(&["history", "shop", "--since", "11", "--json"]);
    let history = ran.json();
    assert!(history["runs"].as_array().unwrap().iter().all(|run| run["apart"].is_null()), "{history:#}");
    assert_eq!(ran.code, 1, "{ran:#?}");
    let shift = &series(&history, "fast", 0)["shifts"][0];
    assert_eq!(
        (shift["tendency"].as_str(), shift["is_after_base"].as_bool()),
        (Some("worse"), Some(true)),
        "{shift:#}"
    );
    assert!(shift["change"].as_f64().unwrap() > 1.0, "{shift:#}");
}
