//! `loadproof export`: the metrics of a recorded run, to receivers.

use crate::exit::{Exit, Failed};
use crate::exporting::{receivers, warn};
use crate::opened::folder_of;
use crate::options::ExportOptions;
use crate::output::say;
use export::{Exporter, Receiver};
use record::Run;
use scrub::KeptOut;

/// Sends every second; of a run that goes on until its end.
pub(crate) fn export(options: &ExportOptions) -> Result<Exit, Failed> {
    let receivers = receivers("--to", &options.to)?;
    if receivers.iter().any(Receiver::fetches) {
        let text = "`--to scrape://…` has nobody to send to: whoever fetches a page sees what is on it now, and no second \
                    that is over; write `--export` with it beside `run` or `quick`";
        return Err(Failed::because(text));
    }
    let folder_of_run = &folder_of(&options.run)?;
    // Anything that is not a run is refused now, with all that would help.
    Run::open(folder_of_run)?;
    warn(&receivers);
    let tell = |text: &str| say!("{}", crate::outlet::clean(text));
    // What is secret was kept out of the run folder when it was written.
    let exporter = Exporter::start(&receivers, &KeptOut::default(), tell).map_err(Failed::because)?;
    let sent = exporter.send(folder_of_run);
    for line in &sent.lines {
        say!("{}", crate::outlet::clean(line));
    }
    sent.read?;
    Ok(if sent.is_whole { Exit::Met } else { Exit::CannotTell })
}
