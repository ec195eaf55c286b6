//! `loadproof history`: how the requirements of a study went over all its runs.

use crate::archive::{self, Found};
use crate::exit::{Exit, Failed};
use crate::history_screen;
use crate::options::HistoryOptions;
use crate::output::{self, say};
use crate::run_list::{is_run, json};
use judge::archive::{Archive, Outcome, RequirementHistory, Search, Since};
use record::{Head, RUN_SCHEMA};
use report::HistoryInput;
use std::path::{Path, PathBuf};

/// Most studies or runs that a message lists.
const LISTED_MAX: usize = 8;
/// Form of a date, where `0` is any digit.
const DATE: &str = "0000-00-00";

/// Draws the history. With `--since`: 1 if a requirement got worse after it, 0 if none was shown to, 3 if there are too few
/// runs to tell. Without: 0, or 3 where no requirement has runs enough. 2 for what cannot be read.
pub(crate) fn history(options: &HistoryOptions) -> Result<Exit, Failed> {
    options.out.as_deref().map_or(Ok(()), record::check_outside_evidence)?;
    let mut found = archive::read(&options.folder, options.study.as_deref())?;
    let (title, archive) = study(&mut found, options)?;
    let since = options.since.as_deref().map(|base| since(base, &title, &archive)).transpose()?;
    let history = archive.history(since.as_ref());
    let folder = options.folder.to_string_lossy();
    let input = HistoryInput {
        study: &title,
        folder: &folder,
        history: &history,
        left_out: &found.left_out,
        not_read: found.not_read,
    };
    let json = report::history_json(&input);
    // Before anything is written: a full disk takes files, not the answer.
    if options.json {
        output::data(&json);
    }
    history_screen::show(&input);
    if let Some(path) = &options.summary {
        crate::ci::write_summary(path, &report::history_summary(&input, &options.language));
    }
    if let Some(out) = &options.out {
        write(out, &input, &json, &options.language)?;
    }
    Ok(exit(&history))
}

fn exit(history: &RequirementHistory) -> Exit {
    match history.gate.as_ref().map(|gate| gate.outcome) {
        Some(Outcome::Worse) => Exit::NotMet,
        Some(Outcome::NotWorse) => Exit::Met,
        Some(Outcome::TooFew { .. } | Outcome::NoDirection) => Exit::CannotTell,
        None if history.series.iter().any(|series| series.search == Search::Done) => Exit::Met,
        None => Exit::CannotTell,
    }
}

/// The study that is asked for, or the only one.
fn study(found: &mut Found, options: &HistoryOptions) -> Result<(String, Archive), Failed> {
    if found.studies.len() > 1 {
        let titles = listed(found.studies.values().map(|(title, _)| title.as_str()));
        return Err(Failed::because(format!(
            "runs of {} studies lie under `{}`: {titles}; name one with `--study NAME`",
            found.studies.len(),
            options.folder.display()
        )));
    }
    if let Some((_, (title, archive))) = found.studies.pop_first() {
        return Ok((title, archive));
    }
    let of = options.study.as_ref().map_or_else(String::new, |study| format!(" of the study `{study}`"));
    let unread = match found.left_out.first() {
        Some((folder, reason)) => format!("; `{folder}` cannot be used: {reason}"),
        None => "; make one with `loadproof run STUDY`, or name the folder under which they lie".to_owned(),
    };
    Err(Failed::because(format!("no run{of} lies under `{}`{unread}", options.folder.display())))
}

/// The base as a moment: a run folder, the id or folder name of a run under the folder, or a date.
fn since(base: &str, study: &str, archive: &Archive) -> Result<Since, Failed> {
    let of = |from: &str, includes| Since { name: base.to_owned(), from: from.to_owned(), includes };
    let path = PathBuf::from(base);
    if is_run(&path) {
        let head = json::<Head>(&path, "evidence/run.json", RUN_SCHEMA, |head| &head.schema)
            .map_err(|why| Failed::because(format!("the base `{base}` cannot be read: {why}")))?;
        if head.study.to_lowercase() != study.to_lowercase() {
            return Err(Failed::because(format!(
                "the base `{base}` is a run of the study `{}`, and the history is that of `{study}`",
                head.study
            )));
        }
        return Ok(of(&head.started, false));
    }
    let is_named = |folder: &str| Path::new(folder).file_name().is_some_and(|name| *name == *base);
    if let Some(run) = archive.runs().find(|run| run.id == base || is_named(&run.folder)) {
        return Ok(of(&run.started, false));
    }
    if is_date(base) {
        return Ok(of(base, true));
    }
    let ids: Vec<&str> = archive.runs().map(|run| run.id.as_str()).collect();
    Err(Failed::because(format!(
        "`--since {base}` is neither a run folder, nor the id of a run of `{study}`, nor a date such as `2026-11-20`; its runs \
         are {}",
        listed(ids.into_iter())
    )))
}

/// `2026-11-20`, alone or with a time behind it: `2026-11-20T10:00:00Z`.
fn is_date(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(DATE.len()) else { return false };
    let is_formed = date.bytes().zip(DATE.bytes()).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    });
    let number = |from: usize| date.get(from..from + 2).and_then(|digits| digits.parse::<u32>().ok());
    let is_day = number(5).is_some_and(|month| (1..=12).contains(&month))
        && number(8).is_some_and(|day| (1..=31).contains(&day));
    let is_time = time.is_empty()
        || time.strip_prefix('T').is_some_and(|time| {
            time.len() >= "10:00".len() && time.bytes().all(|byte| byte.is_ascii_digit() || b":.Z".contains(&byte))
        });
    is_formed && is_day && is_time
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let more = if names.len() > LISTED_MAX { ", …" } else { "" };
    format!("{}{more}", names.into_iter().take(LISTED_MAX).collect::<Vec<_>>().join(", "))
}

/// Writes page, data and tables into a folder, which is created if it does not exist.
fn write(out: &Path, input: &HistoryInput<'_>, json: &str, language: &str) -> Result<(), Failed> {
    let cannot = |path: &Path, error: std::io::Error| {
        Failed::because(format!("`{}` cannot be written: {error}", path.display()))
    };
    std::fs::create_dir_all(out).map_err(|error| cannot(out, error))?;
    let tables = out.join("tables");
    record::derived_folder(&tables).map_err(|error| cannot(&tables, error))?;
    let suffix = if language == "en" { String::new() } else { format!(".{language}") };
    let page = (out.join(format!("history{suffix}.html")), report::history_html(input, language).into_bytes());
    let data = (out.join("history.json"), json.as_bytes().to_vec());
    let files: Vec<(PathBuf, Vec<u8>)> =
        report::history_tables(input).into_iter().map(|(name, bytes)| (tables.join(name), bytes)).collect();
    let count = files.len();
    for (path, bytes) in [page, data].into_iter().chain(files) {
        record::replace_file(&path, &bytes).map_err(|error| cannot(&path, error))?;
        if path.parent() == Some(out) {
            say!("wrote {}", path.display());
        }
    }
    say!("wrote {count} tables in {}", tables.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_told_from_a_name() {
        for date in ["2026-11-20", "2026-11-20T10:00", "2026-11-20T10:00:00.5Z"] {
            assert!(is_date(date), "{date}");
        }
        for other in
            ["2026-13-20", "2026-11-32", "2026-11", "20-11-2026", "2026-11-20x", "2026-11-20T", "yesterday", ""]
        {
            assert!(!is_date(other), "{other}");
        }
    }
}
