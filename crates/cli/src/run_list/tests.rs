use super::*;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A folder of its own that goes when the test ends.
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("cli-runs-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A judged run with its head and its report.
    pub(crate) fn run(&self, name: &str, result: &Value) {
        self.head(name, &result["run"]);
        self.file(&format!("{name}/result.json"), result.to_string());
        self.file(&format!("{name}/report.html"), "report");
    }

    fn head(&self, name: &str, run: &Value) {
        let head = json!({ "schema": RUN_SCHEMA, "study": run["study"], "started": run["started"] });
        self.file(&format!("{name}/evidence/run.json"), head.to_string());
    }

    fn list(&self) -> Listing {
        read(&self.0).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn leg(outcome: &str, p95: f64, censored: &[&str]) -> Value {
    json!({ "id": "answer", "outcome": outcome, "response_ms": { "p95": p95, "censored": censored }, "service_ms": null })
}

fn step(id: &str, phase: &str, started: u64, exchanges: Value) -> Value {
    json!({
        "id": id, "part": null, "phase": phase, "repetition": 1, "achieved_per_s": started as f64 / 10.0,
        "started": started, "failed": 3, "exchanges": exchanges,
    })
}

/// As `report` writes it, without what no list shows.
pub(crate) fn result(study: &str, started: &str) -> Value {
    let exchanges = json!([
        { "id": "records", "legs": [leg("ok", 1.25, &[]), leg("failed", 900.0, &[]), leg("all", 2.0, &[])] },
        { "id": "holdings", "legs": [leg("ok", 24.5, &["p95", "p99"])] },
    ]);
    json!({
        "schema": SCHEMA,
        "run": { "study": study, "started": started, "end_reason": "completed", "trial": null },
        "validity": { "state": "valid", "signs": [] },
        "scenarios": [
            { "id": "pause", "steps": [step("idle", "idle", 0, json!([]))] },
            { "id": "steady", "steps": [step("ramp", "ramp", 200, json!([])), step("hold", "hold", 1000, exchanges)] },
        ],
        "requirements": [
            { "id": "a", "verdict": "met" }, { "id": "b", "verdict": "met" },
            { "id": "c", "verdict": "not_met", "decides": true }, { "id": "d", "verdict": "cannot_tell" },
            { "id": "a", "verdict": "not_met", "decides": false },
        ],
    })
}

fn judged(run: &ListedRun) -> &JudgedRun {
    match &run.state {
        ListedState::Judged(judged) => judged,
        other => panic!("not judged: {other:?}"),
    }
}

fn damage(run: &ListedRun) -> &str {
    match &run.state {
        ListedState::Damaged { reason } => reason,
        other => panic!("not damaged: {other:?}"),
    }
}

#[test]
fn two_copies_of_a_run_are_two_lines_the_newer_one_first() {
    let place = Place::new("copies");
    place.run("zz", &result("Shop", "2026-11-21T10:00:00.000Z"));
    place.run("aa", &result("Shop", "2026-11-22T09:30:00.000Z"));
    place.file("notes/readme.txt", "not a run");
    place.file("other/result.json", "{\"schema\": \"of something else\"}");
    place.file("compare.html", "no folder");
    let listing = place.list();
    assert_eq!(listing.runs.iter().map(|run| run.folder.as_str()).collect::<Vec<_>>(), ["aa", "zz"]);
    let run = &listing.runs[0];
    assert_eq!((run.study.as_deref(), run.link.as_deref()), (Some("Shop"), Some("aa/report.html")));
    let judged = judged(run);
    assert_eq!(judged.verdicts, [(Verdict::Met, 2), (Verdict::NotMet, 1), (Verdict::CannotTell, 1)]);
    let hold = judged.hold.as_ref().unwrap();
    assert_eq!((hold.scenario.as_str(), hold.step.as_str(), hold.failed), ("steady", "hold", 3));
    assert_eq!(hold.achieved_per_s, Some(100.0));
    let slowest = Slowest { exchange: "holdings".into(), p95_ms: 24.5, is_lower_bound: true };
    assert_eq!(hold.slowest.as_ref(), Some(&slowest), "of successful calls, not of failed ones");
}

#[test]
fn the_parts_of_a_mix_are_counted_together_and_a_closed_load_has_service_times() {
    let mut mixed = result("Mix", "2026-11-21T10:00:00Z");
    let closed = json!([{
        "id": "read", "legs": [{ "id": "reply", "outcome": "ok", "response_ms": null, "service_ms": { "p95": 7.0 } }],
    }]);
    let mut parts = [step("hold", "hold", 1000, closed), step("hold", "hold", 500, json!([]))];
    parts[0]["part"] = json!("readers");
    parts[1]["part"] = json!("writers");
    let mut again = step("hold", "hold", 9000, json!([]));
    again["repetition"] = json!(2);
    mixed["scenarios"] = json!([{ "id": "both", "steps": [parts[0], parts[1], again] }]);
    let file: ResultFile = serde_json::from_value(mixed).unwrap();
    let hold = super::judged(&file).unwrap().hold.unwrap();
    assert_eq!((hold.achieved_per_s, hold.failed), (Some(150.0), 6));
    assert_eq!(hold.slowest.unwrap().exchange, "readers/read/reply");
}

#[test]
fn a_run_without_a_result_says_what_to_type_unless_it_goes_on() {
    let place = Place::new("unjudged");
    let run = json!({ "study": "Shop", "started": "2026-11-21T10:00:00Z" });
    place.head("it's killed", &run);
    let listing = place.list();
    assert_eq!(listing.runs[0].study.as_deref(), Some("Shop"));
    let ListedState::NotJudged { command } = &listing.runs[0].state else { panic!("{listing:?}") };
    assert_eq!(*command, format!(r"loadproof report '{}/it'\''s killed'", place.0.display()));
    place.file("it's killed/evidence/writing.lock", "");
    let lock = std::fs::File::open(place.0.join("it's killed").join(LOCK)).unwrap();
    lock.lock().unwrap();
    assert!(matches!(place.list().runs[0].state, ListedState::Running));
    drop(lock);
    assert!(matches!(place.list().runs[0].state, ListedState::NotJudged { .. }));
}

#[test]
fn a_damaged_run_is_a_line_and_the_others_still_come() {
    let place = Place::new("damaged");
    let whole = result("Shop", "2026-11-21T10:00:00Z");
    place.run("whole", &whole);
    let text = whole.to_string();
    for (name, torn) in
        [("torn", &text[..100]), ("empty", ""), ("list", "[]"), ("newer", &text.replace("result/1", "result/2"))]
    {
        place.run(name, &whole);
        place.file(&format!("{name}/result.json"), torn);
    }
    place.file("2026-11-23T21-00-25Z-headless/evidence/manifest.json", "{}");
    std::fs::create_dir_all(place.0.join("folder/evidence/run.json")).unwrap();
    symlink("loop", place.0.join("loop")).unwrap();
    let listing = place.list();
    let found = |name: &str| listing.runs.iter().find(|run| run.folder == name).unwrap();
    assert_eq!(listing.runs.len(), 7, "{listing:#?}");
    judged(found("whole"));
    assert!(damage(found("torn")).starts_with("`result.json` cannot be understood: EOF"));
    assert_eq!(found("torn").study.as_deref(), Some("Shop"), "its evidence still says so");
    damage(found("empty"));
    damage(found("list"));
    assert_eq!(damage(found("newer")), format!("`result.json` has the schema `loadproof/result/2`, not `{SCHEMA}`"));
    assert!(damage(found("2026-11-23T21-00-25Z-headless")).starts_with("`evidence/run.json` cannot be read"));
    assert!(damage(found("folder")).contains("is a folder"));
    assert_eq!(listing.runs[0].started.as_deref(), Some("2026-11-23T21:00:25Z"), "from the folder's name");
}

#[test]
fn what_is_hostile_is_bounded_and_stays_on_its_line() {
    let place = Place::new("hostile");
    let mut hostile = result(&format!("a\nb\x1b[2J{}", "x".repeat(100_000)), "yesterday\n");
    hostile["scenarios"][1]["steps"][1]["achieved_per_s"] = json!(1e300);
    place.run("line\nend", &hostile);
    let listing = place.list();
    let run = &listing.runs[0];
    let study = run.study.as_deref().unwrap();
    assert!(study.starts_with("a\u{fffd}b\u{fffd}[2Jxx") && study.chars().count() == CHARS_MAX + 1);
    assert_eq!((run.folder.as_str(), run.started.as_deref()), ("line\u{fffd}end", None));
    assert_eq!(run.link.as_deref(), Some("line%0Aend/report.html"));
    assert_eq!(judged(run).hold.as_ref().unwrap().achieved_per_s, None);
    let large = std::fs::File::create(place.0.join("line\nend/result.json")).unwrap();
    large.set_len(BYTES_MAX + 1).unwrap();
    assert!(damage(&place.list().runs[0]).contains("at most 16777216"));
}

#[test]
fn of_too_many_folders_those_that_sort_last_are_read() {
    let place = Place::new("many");
    for name in ["2026-11-23", "2026-11-21", "2026-11-22"] {
        std::fs::create_dir(place.0.join(name)).unwrap();
    }
    let (kept, left_out) = names(&place.0, 2).unwrap();
    assert_eq!((kept.into_iter().collect::<Vec<_>>(), left_out), (vec!["2026-11-22".into(), "2026-11-23".into()], 1));
}

#[test]
fn a_run_folder_is_no_folder_of_runs() {
    let place = Place::new("itself");
    place.run("one", &result("Shop", "2026-11-21T10:00:00Z"));
    let refused = read(&place.0.join("one")).unwrap_err().error.to_string();
    assert!(refused.contains("is a run folder itself"), "{refused}");
    assert!(read(&place.0.join("nowhere")).unwrap_err().error.to_string().contains("cannot be read"));
}

#[test]
fn a_name_is_one_segment_of_an_address() {
    assert_eq!(encoded(OsStr::new("javascript:x y/é\"")), "javascript%3Ax%20y%2F%C3%A9%22");
}
