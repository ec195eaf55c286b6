//! `loadproof judge`: again, from the run folder, perhaps with other requirements.

use crate::commands::report::{Judged, judged};
use crate::ending_screen;
use crate::exit::{Exit, Failed};
use crate::options::JudgeOptions;
use crate::output;
use crate::registry::registry;
use study::{Options, SecretSource};

/// Judges, writes `result.json`, shows the verdicts.
pub(crate) fn judge(options: &JudgeOptions) -> Result<Exit, Failed> {
    let other = match &options.study {
        None => None,
        Some(path) => {
            let loading = Options { set: Vec::new(), trial: None, secrets: SecretSource::Ignore };
            Some(study::load(path, &registry(), &loading)?.0)
        }
    };
    let judged: Judged = judged(&options.run, other)?;
    let json = report::result_json(&judged.input());
    std::fs::write(options.run.join("result.json"), &json).map_err(|error| {
        Failed::because(format!("`{}` cannot be written: {error}", options.run.join("result.json").display()))
    })?;
    if options.json {
        output::data(&json);
    }
    ending_screen::show(&judged.input());
    Ok(judged.exit())
}
