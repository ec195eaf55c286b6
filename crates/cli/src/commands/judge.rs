//! `loadproof judge`: again, from the run folder, perhaps with other requirements.

use crate::commands::report::{Judged, Shown, judged, out_folder};
use crate::ending_screen;
use crate::exit::{Exit, Failed};
use crate::opened::folder_of;
use crate::options::JudgeOptions;
use crate::output::{self, say};
use crate::registry::registry;
use study::{Options, SecretSource};

/// Judges, writes `result.json`, shows the verdicts.
pub(crate) fn judge(options: &JudgeOptions) -> Result<Exit, Failed> {
    options.out.as_deref().map_or(Ok(()), record::check_outside_evidence)?;
    let other = match &options.study {
        None => None,
        Some(path) => {
            let loading = Options { set: Vec::new(), trial: None, secrets: SecretSource::Ignore };
            Some(study::load(path, &registry(), &loading)?.0)
        }
    };
    let folder_of_run = &folder_of(&options.run)?;
    let judged: Judged = judged(folder_of_run, other, Shown::Announced)?;
    let json = report::result_json(&judged.input());
    // Before anything is written: a folder that cannot be written takes a file, not the verdicts.
    if options.json {
        output::data(&json);
    }
    ending_screen::show(&judged.input());
    let path = out_folder(options.out.as_deref(), folder_of_run)?.join("result.json");
    if let Err(error) = record::replace_file(&path, json.as_bytes()) {
        let text = format!("`{}` cannot be written: {error}", path.display());
        if options.out.is_some() {
            return Err(Failed::because(text));
        }
        say!("warning: {text}; write it elsewhere with `--out DIR`");
    }
    Ok(judged.exit())
}
