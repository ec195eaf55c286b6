//! `loadproof import`: what other tools wrote, as a run folder, judged and reported.

use crate::ci::Ci;
use crate::commands::report::conclude;
use crate::exit::{Exit, Failed};
use crate::options::ImportOptions;
use crate::output::say;
use crate::prepare::duration;
use crate::registry::registry;
use import::{ImportError, Imported, KINDS, Kind, Request, Source, import};
use record::ToldFigure;
use std::path::Path;
use terms::Nanos;

/// Figures of the tool that are listed on the screen.
const SAID_SHOWN: usize = 12;
/// Labels that are listed on the screen.
const LABELS_SHOWN: usize = 20;
/// Letters of a label that are listed.
const LABEL_CHARS: usize = 80;

/// Reads the files, writes the folder, judges it and writes its report.
pub(crate) fn import_files(options: &ImportOptions) -> Result<Exit, Failed> {
    let usual = Kind::from_name(&options.kind).map_err(|unknown| match forgotten(&options.kind, &options.files) {
        Some(what) => Failed::because(what),
        None => failed(unknown),
    })?;
    let sources: Result<Vec<Source>, _> = options.files.iter().map(|file| Source::read(file, usual)).collect();
    let sources = sources.map_err(failed)?;
    let warm_up = options.warm_up.as_deref().map_or(Ok(Nanos::ZERO), |text| duration("--warm-up", text))?;
    let study = options.study.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    let zone = options.zone.as_deref().map(offset).transpose()?;
    let start = options.start.as_deref().map(|text| moment(text, zone)).transpose()?;
    let imported = import(&Request {
        sources: &sources,
        out: &options.out,
        study: study.as_deref(),
        title: options.title.as_deref(),
        system: options.system.as_deref(),
        warm_up,
        users: options.users.map(u64::from),
        columns: options.columns.as_deref(),
        start: start.map(|(start, _)| start),
        every: options.every.as_deref().map(|text| duration("--every", text)).transpose()?,
        zone,
        format: options.format.as_deref(),
        unit: options.unit.as_deref().and_then(unit),
        registry: registry(),
    })
    .map_err(failed)?;
    show(&imported);
    if let Some(zone) = &options.zone
        && !imported.needs_zone
        && !start.is_some_and(|(_, needs_zone)| needs_zone)
    {
        say!(
            "`--zone {zone}` changes nothing: the stamps of these files say their zone or count from 1970, or there are none"
        );
    }
    conclude(&imported.folder, options.json, &mut Ci::of(&options.ci)?, |_, _| {})
}

/// That a file stands where its kind belongs, and what to type; `None` where it is not a file.
pub(crate) fn forgotten(first: &str, others: &[String]) -> Option<String> {
    let path = Path::new(first);
    if !path.is_file() {
        return None;
    }
    let files = [&[first.to_owned()], others].concat().join(" ");
    let (kind, how) = match import::kind_of(path) {
        Some(kind) => (kind.name(), String::new()),
        None => {
            let kinds: Vec<&str> = KINDS.iter().map(|(name, ..)| *name).collect();
            ("KIND", format!(", where KIND is one of {}", kinds.join(", ")))
        }
    };
    Some(format!(
        "`{first}` is a file, and what wrote it comes first: type `loadproof import {kind} {files} --out RUN`{how}"
    ))
}

/// A moment, and whether it leaves its zone open.
fn moment(text: &str, zone: Option<i64>) -> Result<(Nanos, bool), Failed> {
    import::moment(text, zone).ok_or_else(|| {
        Failed::because(format!(
            "`--start {text}` is not a time; write `--start 2026-11-26T10:58:00Z`, or end it with `+01:00` instead of `Z`"
        ))
    })
}

/// One of the units that the option knows.
fn unit(text: &str) -> Option<Nanos> {
    match text {
        "s" => Some(Nanos::SECOND),
        "ms" => Some(Nanos::MILLISECOND),
        "us" => Some(Nanos::MICROSECOND),
        "ns" => Some(Nanos(1)),
        _ => None,
    }
}

/// Seconds by which a zone is ahead of UTC: told by the same moment with it and without.
fn offset(text: &str) -> Result<i64, Failed> {
    let noon = "2000-01-01T12:00:00";
    let there = import::moment(&format!("{noon}{text}"), None).filter(|_| text.starts_with(['+', '-']));
    match (import::moment(noon, None), there) {
        (Some((here, _)), Some((there, _))) => Ok((here - there).second()),
        _ => {
            Err(Failed::because(format!("`--zone {text}` is not an offset; write `--zone +01:00` or `--zone -08:00`")))
        }
    }
}

fn failed(error: ImportError) -> Failed {
    match error {
        ImportError::Study(rejected) => rejected.into(),
        ImportError::Record(error) => error.into(),
        other => Failed::wrong(other),
    }
}

/// What was read and what was not, before anything is reported about it.
fn show(imported: &Imported) {
    for file in &imported.head.files {
        let unreadable = match file.unreadable {
            0 => String::new(),
            1 => ", 1 line that cannot be read".to_owned(),
            count => format!(", {count} lines that cannot be read"),
        };
        let nested = match file.nested {
            0 => String::new(),
            count => format!(", {count} of which are sums or parts of others and are not counted again"),
        };
        if !file.left_out.is_empty() {
            say!("{}: not read: {}", file.name, file.left_out);
            continue;
        }
        if file.kind == "archive" {
            say!("{}: an archive, whose files are", file.name);
        }
        let records = if file.read == 1 { "record" } else { "records" };
        if file.kind != "archive" {
            let kind = if file.name.contains(": ") { format!("{}, ", file.kind) } else { String::new() };
            say!("{}: {kind}{} {records}{nested}{unreadable}", file.name, file.read);
        }
        for example in &file.examples {
            say!("  line {}: {}", example.line, example.why);
        }
        for remark in &file.remarks {
            say!("  {remark}");
        }
        let more = file.unreadable.saturating_sub(file.examples.len() as u64);
        if more > 0 && !file.examples.is_empty() {
            say!("  and {more} more");
        }
    }
    say!(
        "calls: {} in {:.1} s, {} of them failed; in requirements they are called:",
        imported.calls,
        imported.length.as_secs_f64(),
        imported.failed
    );
    for (name, label) in imported.labels.iter().take(LABELS_SHOWN) {
        let long = label.chars().count() > LABEL_CHARS;
        let label: String = label.chars().take(LABEL_CHARS).collect();
        say!("  {name:24} {label}{}", if long { "…" } else { "" });
    }
    if imported.labels.len() > LABELS_SHOWN {
        say!("  and {} more, in evidence/study.yaml", imported.labels.len() - LABELS_SHOWN);
    }
    said(&imported.head.said);
    if imported.beyond > 0 {
        say!("warning: {} calls have other labels still, and are together under one name", imported.beyond);
    }
}

/// What the tool prints of all calls together, where the calls say otherwise.
fn said(figures: &[ToldFigure]) {
    // What the tool does not print differs from nothing; the report's table has it.
    let differ = |figure: &&ToldFigure| figure.exchange.is_empty() && !figure.why.is_empty();
    let shown = figures.iter().filter(differ).filter_map(|figure| Some((figure, figure.said?)));
    for (figure, said) in shown.take(SAID_SHOWN) {
        let percent = (figure.quantile * 1e5).round() / 1e3;
        let what = if figure.figure.is_empty() { format!("p{percent}") } else { figure.figure.clone() };
        let unit = if matches!(figure.figure.as_str(), "calls" | "failed") { "" } else { " ms" };
        // Thousandths of a millisecond are more than any tool has.
        let number = |value: f64| format!("{}{unit}", (value * 1e3).round() / 1e3);
        let data = figure.data.map_or_else(|| "cannot tell".to_owned(), number);
        let who = if figure.file.is_empty() { "by the tool's own rule" } else { "as the tool says" };
        say!("{what}: {} {who}, {data} of all its calls ({})", number(said), figure.why.replace('_', " "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_place_of_its_kind_is_told_with_what_to_type() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_string_lossy().into_owned()
        };
        let (samples, other) = (write("a.jtl", "timeStamp,elapsed,label\n1,2,x\n"), write("b", "1 2 3\n"));
        let told = forgotten(&samples, std::slice::from_ref(&other)).unwrap();
        assert!(told.ends_with(&format!("type `loadproof import jtl {samples} {other} --out RUN`")), "{told}");
        let told = forgotten(&other, &[]).unwrap();
        assert!(
            told.contains(&format!("`loadproof import KIND {other} --out RUN`, where KIND is one of jtl, ")),
            "{told}"
        );
        assert_eq!(forgotten("jtll", &[]), None);
    }
}
