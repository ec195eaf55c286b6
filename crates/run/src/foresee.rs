//! What may go wrong is found before anything is started: connections, ports, hosts, listeners, threads, memory.

mod connections;
mod hosts;
mod ports;
mod proxies;
mod secrets;
mod threads;

use crate::error::RunError;
use crate::observer::{News, Observer};
use crate::prepare::Prepared;
use crate::replies;

pub use connections::connections;
pub(crate) use hosts::looked_up as looked_up_hosts;
pub(crate) use hosts::refuse_unknown as refuse_unknown_hosts;
pub use hosts::{NAME_IN_STUDY, unknown as unknown_hosts};
pub use threads::try_out as threads;

/// All that keeps a run from being started, with a warning for each thing that only may run out. Returns the warnings.
/// `workers` are the load threads of this machine; none where load nodes elsewhere open the connections.
///
/// # Errors
/// The first thing that this machine does not give.
pub(crate) fn before_a_run(
    prepared: &Prepared,
    workers: Option<u16>,
    observer: &dyn Observer,
) -> Result<Vec<String>, RunError> {
    secrets::refuse_placeholders(prepared)?;
    let foreseen = if workers.is_some() { connections(prepared)? } else { Vec::new() };
    refuse_unknown_hosts(prepared)?;
    foreseen.iter().for_each(|text| observer.hear(News::Warning(text)));
    threads(workers.unwrap_or(0), prepared.study.watch.len())?;
    Ok(foreseen)
}

/// Looks at the listeners: their files must be good; a port that is taken now may be free when the study is run, so it is
/// only told.
///
/// # Errors
/// Files that are missing, or hold nothing that a listener can use.
pub fn listeners(prepared: &Prepared) -> Result<Option<String>, RunError> {
    let (listeners, base) = (&prepared.study.listeners, &prepared.study.base);
    listen::check_files(listeners, base).map_err(|failure| RunError::Refused(failure.0))?;
    Ok(replies::bind(prepared).err().map(|refused| refused.to_string()))
}
