//! `loadproof compare`: runs against each other.

use crate::compare_screen;
use crate::exit::{Exit, Failed};
use crate::opened::{Opened, baselines, folder_of, open_to_compare};
use crate::options::CompareOptions;
use crate::output::{self, say};
use judge::comparison::{Recorded, Row, RowVerdict, compare_runs, history};
use std::path::{Path, PathBuf};
use study::Study;

/// Compares, shows the rows, writes what was asked for. 0 when anything could be compared, whatever was found, unless
/// `--fail-on` asks for 1; 3 when nothing could; 2 for runs that cannot be read.
pub(crate) fn compare(options: &CompareOptions) -> Result<Exit, Failed> {
    let band = band(&options.band)?;
    options.out.as_deref().map_or(Ok(()), record::check_outside_evidence)?;
    let (base, others) = sides(options)?;
    let all: Vec<PathBuf> = base.iter().chain(&others).cloned().collect();
    let opened = all.iter().map(|path| open_to_compare(path)).collect::<Result<Vec<_>, _>>()?;
    each_is_another(&all, &opened)?;
    let recorded: Vec<Recorded<'_>> = opened.iter().map(Opened::recorded).collect();
    let (of_base, of_others) = recorded.split_at(base.len());
    let of_others: Vec<Vec<Recorded<'_>>> =
        if options.together { vec![of_others.to_vec()] } else { of_others.iter().map(|one| vec![*one]).collect() };
    let comparison = compare_runs(of_base, &of_others, band);
    let json = report::compare_json(&comparison);
    let histories = history(&recorded);
    compare_screen::show(&comparison, &histories);
    if let Some(folder) = &options.out {
        let page = report::compare_html(&comparison, &histories, &options.language);
        let csv = report::compare_csv(&comparison);
        write(folder, &[("compare.html", page), ("compare.json", json.clone()), ("compare.csv", csv)])?;
    }
    if let Some(path) = &options.summary {
        crate::ci::write_summary(path, &report::compare_summary(&comparison, &options.language));
    }
    if options.json {
        output::data(&json);
    }
    let rows = || comparison.pairs.iter().flat_map(|pair| &pair.rows);
    let is_bad = |row: &Row| match options.fail_on.as_deref() {
        Some("worse") => row.is_worse(),
        Some(_) => row.verdict == RowVerdict::Different,
        None => false,
    };
    if let Some(row) = rows().find(|row| is_bad(row)) {
        let what = options.fail_on.as_deref().unwrap_or_default();
        say!("exit code 1: `{}` is {what} beyond the band of {}", row.id, options.band);
        return Ok(Exit::NotMet);
    }
    let is_any = rows().any(|row| row.verdict != RowVerdict::NotComparable);
    Ok(if is_any { Exit::Met } else { Exit::CannotTell })
}

/// A run proves nothing against itself: a copy would be found equal for certain, and as a repetition it has no spread.
fn each_is_another(paths: &[PathBuf], opened: &[Opened]) -> Result<(), Failed> {
    let key = |one: &Opened| (one.evidence.head.id.clone(), one.evidence.head.wall_origin_ns);
    for (number, one) in opened.iter().enumerate() {
        if let Some(before) = opened[..number].iter().position(|other| key(other) == key(one)) {
            return Err(Failed::because(format!(
                "`{}` and `{}` are the same run (`{}`), so there is nothing to compare: run the study again with \
                 `loadproof run`",
                paths[before].display(),
                paths[number].display(),
                one.evidence.head.id
            )));
        }
    }
    Ok(())
}

/// `5%` as a share.
fn band(text: &str) -> Result<f64, Failed> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    number.filter(|percent| *percent > 0.0 && *percent <= 100.0).map(|percent| percent / 100.0).ok_or_else(|| {
        Failed::because(format!(
            "the band `{text}` is not a percentage between 0% and 100%; write `--band 5%`: two sides that differ by less \
             count as equal"
        ))
    })
}

/// Runs of the base, and the others.
fn sides(options: &CompareOptions) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failed> {
    let runs: Vec<PathBuf> = options.runs.iter().map(|run| found(run)).collect::<Result<_, _>>()?;
    let base: Vec<PathBuf> = options.base.iter().map(|run| found(run)).collect::<Result<_, _>>()?;
    let (base, others) = if base.is_empty() {
        let mut runs = runs;
        let others = runs.split_off(runs.len().min(1));
        (runs, others)
    } else {
        let others = runs.into_iter().filter(|run| !base.contains(run)).collect();
        (base, others)
    };
    if others.is_empty() {
        return Err(Failed::because(
            "there is nothing to compare with the baseline; name another run: `loadproof compare BASE OTHER`",
        ));
    }
    Ok((base, others))
}

/// A run folder by its path or its id, as one path however it was named.
fn found(run: &Path) -> Result<PathBuf, Failed> {
    let folder = folder_of(run)?;
    folder
        .canonicalize()
        .map_err(|error| Failed::because(format!("the folder `{}` cannot be read: {error}", folder.display())))
}

/// Says which base of a study's comparisons cannot be used, before an hour of load rather than after it.
pub(crate) fn warn_of_baselines(study: &Study, folder: &Path) {
    for baseline in baselines(study, folder) {
        if let Err(why) = baseline.found {
            say!("warning: the baseline `{}` of the study cannot be used: {why}", baseline.id);
        }
    }
}

/// Writes files into a folder, which is created if it does not exist.
fn write(folder: &Path, files: &[(&str, String)]) -> Result<(), Failed> {
    let cannot = |path: &Path, error: std::io::Error| {
        Failed::because(format!("`{}` cannot be written: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
    for (name, text) in files {
        let path = folder.join(name);
        record::replace_file(&path, text.as_bytes()).map_err(|error| cannot(&path, error))?;
        say!("wrote {}", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_is_a_percentage() {
        assert!((band("5%").unwrap_or(0.0) - 0.05).abs() < 1e-12);
        for wrong in ["5", "0%", "-1%", "101%", "nan%", "%", ""] {
            assert!(band(wrong).is_err(), "{wrong}");
        }
    }
}
