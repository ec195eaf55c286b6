//! One file a subcommand, in the order of the pipeline.

pub(crate) mod audit;
pub(crate) mod ceiling;
pub(crate) mod check;
mod check_json;
pub(crate) mod collect;
pub(crate) mod compare;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod judge;
pub(crate) mod live;
pub(crate) mod meeting;
pub(crate) mod new;
pub(crate) mod node;
pub(crate) mod quick;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod shell;

use crate::exit::{Exit, Failed};
use crate::options::SchemaOptions;
use crate::output::{self, say};

/// `loadproof schema`
pub(crate) fn schema(options: &SchemaOptions) -> Result<Exit, Failed> {
    let schema = study::schema(&crate::registry::registry());
    let text = serde_json::to_string_pretty(&schema).map_err(anyhow::Error::from)?;
    let Some(path) = &options.out else {
        output::data(&text);
        return Ok(Exit::Met);
    };
    record::replace_file(path, format!("{text}\n").as_bytes())
        .map_err(|error| Failed::because(format!("`{}` cannot be written: {error}", path.display())))?;
    say!("wrote {}", path.display());
    Ok(Exit::Met)
}
