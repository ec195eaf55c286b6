//! `loadproof runs`: the recorded runs of a folder, on the screen, as data and as a page.

use crate::exit::{Exit, Failed};
use crate::opened::RUNS;
use crate::options::RunsOptions;
use crate::output::{self, say};
use crate::{run_list, run_list_screen};
use report::{HoldFigures, ListedRun, ListedState, Listing};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Schema of what `--json` prints.
const SCHEMA: &str = "loadproof/runs/1";
/// Most studies that a message lists.
const STUDIES_MAX: usize = 8;

/// Lists runs, whatever their verdicts: 0 unless the folder cannot be read or the page not be written.
pub(crate) fn runs(options: &RunsOptions) -> Result<Exit, Failed> {
    options.page.as_deref().map_or(Ok(()), record::check_outside_evidence)?;
    let is_first = options.folder == Path::new(RUNS) && !options.folder.exists();
    let mut listing = if is_first {
        Listing { folder: RUNS.to_owned(), ..Listing::default() }
    } else {
        run_list::read(&options.folder)?
    };
    let is_empty = listing.runs.is_empty();
    if let Some(study) = options.study.as_deref().filter(|_| !is_empty) {
        keep(&mut listing, study)?;
    }
    listing.runs.truncate(options.last.map_or(usize::MAX, usize::from));
    if options.json {
        output::data(&data(&listing, &options.folder));
    } else if !is_empty {
        run_list_screen::show(&listing);
    }
    if is_empty {
        say!("no runs in `{}`; make one with `loadproof run STUDY`", listing.folder);
    }
    if let Some(page) = &options.page {
        write(listing, options, page)?;
    }
    Ok(Exit::Met)
}

/// Keeps the runs of a study; names those that there are when it has none.
fn keep(listing: &mut Listing, study: &str) -> Result<(), Failed> {
    let mut known: Vec<String> = listing.runs.iter().filter_map(|run| run.study.clone()).collect();
    listing.runs.retain(|run| run.study.as_ref().is_some_and(|of| of.to_lowercase() == study.to_lowercase()));
    if !listing.runs.is_empty() {
        return Ok(());
    }
    known.sort();
    known.dedup();
    let more = if known.len() > STUDIES_MAX { ", …" } else { "" };
    let known = known.iter().take(STUDIES_MAX).map(|study| format!("`{study}`")).collect::<Vec<_>>().join(", ");
    Err(Failed::because(format!(
        "`{}` has no run of the study `{study}`; its studies are {known}{more}",
        listing.folder
    )))
}

/// Writes the page, with links that start from its own folder.
fn write(mut listing: Listing, options: &RunsOptions, page: &Path) -> Result<(), Failed> {
    let cannot = |error| Failed::because(format!("`{}` cannot be written: {error}", page.display()));
    if !listing.runs.is_empty() {
        let prefix = way(page, &options.folder).map_err(cannot)?;
        for link in listing.runs.iter_mut().filter_map(|run| run.link.as_mut()) {
            link.insert_str(0, &prefix);
        }
    }
    let html = report::runs_html(&listing, &options.language);
    record::replace_file(page, html.as_bytes()).map_err(cannot)?;
    say!("wrote {}", page.display());
    Ok(())
}

/// The relative address of a folder as seen from a page, ready to be followed by a name.
fn way(page: &Path, folder: &Path) -> std::io::Result<String> {
    let beside = page.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (from, to): (PathBuf, PathBuf) = (beside.canonicalize()?, folder.canonicalize()?);
    let common = from.components().zip(to.components()).take_while(|(from, to)| from == to).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).map(|part: Component<'_>| run_list::encoded(OsStr::new(part.as_os_str())));
    Ok(up.chain(down).map(|part| part + "/").collect())
}

/// The list as JSON. Fields that do not apply are null.
fn data(listing: &Listing, folder: &Path) -> String {
    let runs: Vec<Value> = listing.runs.iter().map(|run| run_value(run, folder)).collect();
    let value = json!({ "schema": SCHEMA, "runs": runs, "left_out": listing.left_out });
    serde_json::to_string_pretty(&value).expect("invariant: maps with text keys always serialise")
}

fn run_value(run: &ListedRun, folder: &Path) -> Value {
    let (state, judged, command, reason) = match &run.state {
        ListedState::Judged(judged) => ("judged", Some(judged), None, None),
        ListedState::NotJudged { command } => ("not_judged", None, Some(command), None),
        ListedState::Running => ("running", None, None, None),
        ListedState::Damaged { reason } => ("damaged", None, None, Some(reason)),
    };
    let verdicts = judged.map(|judged| {
        judged
            .verdicts
            .iter()
            .map(|(verdict, count)| (verdict.name().to_owned(), json!(count)))
            .collect::<serde_json::Map<_, _>>()
    });
    json!({
        "folder": folder.join(&run.folder).to_string_lossy(),
        "started": run.started,
        "study": run.study,
        "trial": run.is_trial,
        "has_report": run.link.is_some(),
        "state": state,
        "command": command,
        "reason": reason,
        "validity": judged.map(|judged| judged.validity.name()),
        "end_reason": judged.map(|judged| judged.end.name()),
        "verdicts": verdicts,
        "hold": judged.and_then(|judged| judged.hold.as_ref()).map(hold_value),
    })
}

fn hold_value(hold: &HoldFigures) -> Value {
    json!({
        "scenario": hold.scenario,
        "step": hold.step,
        "achieved_per_s": hold.achieved_per_s,
        "failed": hold.failed,
        "slowest": hold.slowest.as_ref().map(|slowest| json!({
            "exchange": slowest.exchange,
            "p95_ms": slowest.p95_ms,
            "is_lower_bound": slowest.is_lower_bound,
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Command, Options};
    use crate::run_list::tests::{Place, result};
    use clap::Parser;

    fn carried_out(line: &[&str]) -> Result<Exit, Failed> {
        let line = ["loadproof", "runs"].iter().chain(line);
        match Options::try_parse_from(line).unwrap().command {
            Command::Runs(options) => runs(&options),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn two_copies_of_a_run_are_on_the_page_and_the_newest_alone_where_that_is_asked() {
        let place = Place::new("page");
        place.run("runs/first", &result("Shop", "2026-11-21T10:00:00Z"));
        place.run("runs/second", &result("Shop", "2026-11-22T10:00:00Z"));
        let (folder, page) = (place.0.join("runs"), place.0.join("index.html"));
        let (folder, page) = (folder.to_str().unwrap(), page.to_str().unwrap());
        assert_eq!(carried_out(&[folder, "--page", page]).unwrap(), Exit::Met);
        let html = std::fs::read_to_string(page).unwrap();
        let place_of = |name: &str| html.find(&format!("<a href=\"runs/{name}/report.html\">Shop</a>"));
        assert!(place_of("second").unwrap() < place_of("first").unwrap());
        carried_out(&[folder, "--last", "1", "--study", "SHOP", "--page", page, "--lang", "da"]).unwrap();
        let html = std::fs::read_to_string(page).unwrap();
        assert!(
            html.contains("lang=\"da\"") && html.contains("second/report.html") && !html.contains("first/report.html")
        );
        let within = place.0.join("no/such/index.html");
        assert_eq!(carried_out(&[folder, "--page", within.to_str().unwrap()]).unwrap_err().exit, Exit::Wrong);
        assert_eq!(carried_out(&[folder, "--study", "till"]).unwrap_err().exit, Exit::Wrong);
    }

    fn run(folder: &str, study: &str) -> ListedRun {
        ListedRun {
            folder: folder.into(),
            link: None,
            started: None,
            study: Some(study.into()),
            is_trial: false,
            state: ListedState::Running,
        }
    }

    #[test]
    fn a_study_is_found_whatever_its_case_and_those_there_are_named() {
        let runs = vec![run("a", "Shop"), run("b", "Till"), run("c", "Shop")];
        let listing = || Listing { folder: "runs".into(), runs: runs.clone(), left_out: 0 };
        let mut shops = listing();
        keep(&mut shops, "shop").unwrap();
        assert_eq!(shops.runs.len(), 2);
        let refused = keep(&mut listing(), "shed").unwrap_err().error.to_string();
        assert!(refused.ends_with("its studies are `Shop`, `Till`"), "{refused}");
    }

    #[test]
    fn links_lead_from_the_page_to_the_runs() {
        let base = std::env::temp_dir().join(format!("cli-way-{}", std::process::id()));
        std::fs::create_dir_all(base.join("runs of today")).unwrap();
        std::fs::create_dir_all(base.join("site/pages")).unwrap();
        let way = |page: &str| way(&base.join(page), &base.join("runs of today")).unwrap();
        assert_eq!(way("index.html"), "runs%20of%20today/");
        assert_eq!(way("runs of today/index.html"), "");
        assert_eq!(way("site/pages/index.html"), "../../runs%20of%20today/");
        std::fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn data_has_every_field_of_every_run() {
        let listing = Listing { folder: "runs".into(), runs: vec![run("a", "Shop")], left_out: 3 };
        let value: Value = serde_json::from_str(&data(&listing, Path::new("runs"))).unwrap();
        assert_eq!((&value["schema"], &value["left_out"]), (&json!(SCHEMA), &json!(3)));
        let run = value["runs"][0].as_object().unwrap();
        let names: Vec<&str> = run.keys().map(String::as_str).collect();
        let fields = [
            "command",
            "end_reason",
            "folder",
            "has_report",
            "hold",
            "reason",
            "started",
            "state",
            "study",
            "trial",
            "validity",
            "verdicts",
        ];
        assert_eq!(names, fields);
        assert_eq!((&run["folder"], &run["state"], &run["hold"]), (&json!("runs/a"), &json!("running"), &Value::Null));
    }
}
