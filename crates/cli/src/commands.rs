//! One file a subcommand, in the order of the pipeline.

pub(crate) mod audit;
pub(crate) mod ceiling;
pub(crate) mod check;
mod check_json;
pub(crate) mod collect;
pub(crate) mod compare;
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

use crate::exit::{Exit, Failed};
use crate::output;

/// `loadproof schema`
pub(crate) fn schema() -> Result<Exit, Failed> {
    let schema = study::schema(&crate::registry::registry());
    output::data(&serde_json::to_string_pretty(&schema).map_err(anyhow::Error::from)?);
    Ok(Exit::Met)
}
