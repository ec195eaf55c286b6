//! `loadproof run`: the whole way.

use crate::commands::report::conclude;
use crate::conduct::{Wanted, conduct};
use crate::exit::{Exit, Failed};
use crate::options::RunOptions;
use crate::prepare::prepare;
use crate::progress::Progress;
use crate::screen;

/// Start, watch, drive, record, judge, report.
pub(crate) fn run(options: &RunOptions) -> Result<Exit, Failed> {
    let prepared = prepare(&options.study)?;
    screen::warnings(&prepared.study);
    let out = options.out.out.clone().unwrap_or_else(|| "runs/new".into());
    crate::commands::compare::warn_of_baselines(&prepared.study, &out);
    let name = options.study.study.file_stem().map_or_else(|| "study".into(), |name| slug(&name.to_string_lossy()));
    let wanted = Wanted { out: options.out.out.clone(), threads: options.threads, name };
    let folder = conduct(&prepared, &wanted, &mut Progress::new())?;
    conclude(&folder, options.out.json)
}

/// A name that is fit for a folder everywhere.
pub(crate) fn slug(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let text = text.trim_matches('-');
    if text.is_empty() { "run".into() } else { text.chars().take(60).collect() }
}
