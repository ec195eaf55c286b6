//! `loadproof collect`: the end of a run whose conductor was killed while load nodes on other machines carried its load.

use crate::ci::Ci;
use crate::commands::meeting::known;
use crate::commands::report::{conclude, own_study};
use crate::exit::{Exit, Failed};
use crate::options::CollectOptions;
use crate::output::say;
use crate::progress::Progress;
use broker::Server;
use record::{RecordError, Unfinished};
use std::path::{Path, PathBuf};

/// Collects, seals, judges and reports.
pub(crate) fn collect(options: &CollectOptions) -> Result<Exit, Failed> {
    let left = Unfinished::take(&options.run).map_err(|error| refused(error, &options.run))?;
    let head = left.run().head.clone();
    let is_killed = head.ending.as_ref().is_some_and(|ending| ending.is_killed || ending.cut_ns.is_some());
    let shown = options.run.display();
    let folder = match &head.meeting {
        _ if options.give_up => {
            say!("what the server may still keep of this run is given up; its folder is sealed as it is");
            left.seal_as_it_is()?
        }
        None => {
            return Err(Failed::because(format!(
                "the run in `{shown}` had no load nodes on other machines, so all that was measured is in its folder; \
                 `loadproof report {shown}` seals and reports it"
            )));
        }
        _ if !is_killed => {
            say!("this run ended before its evidence was sealed: nothing of it is missing");
            left.seal_as_it_is()?
        }
        _ if head.nodes.is_empty() => {
            say!("this run was killed before its load nodes had joined it: they recorded nothing");
            left.seal_as_it_is()?
        }
        Some(meeting) => collected(left, &known(options, meeting)?)?,
    };
    conclude(&folder, options.json, &mut Ci::default(), |_, _| {})
}

/// Brings what the server keeps into the folder.
fn collected(left: Unfinished, server: &Server) -> Result<PathBuf, Failed> {
    let run = left.run();
    let study = own_study(run)?;
    let (id, count) = (run.head.id.clone(), run.head.nodes.len() as u16);
    say!("collecting what {count} load nodes of `{id}` recorded from {}", server.address);
    let shown = run.path.display();
    let mut kept = broker::take_up(server, &id, count).map_err(|why| {
        let text = format!(
            "{why}\nthe run in `{shown}` is as it was: type the command again once the server answers, name another one \
             with `--nats`, or seal what the folder itself holds with `loadproof collect {shown} --give-up`"
        );
        Failed::invalid(anyhow::Error::msg(text))
    })?;
    let nodes = std::mem::take(&mut kept.nodes);
    let folder = run::nodes::collect(left, &study, nodes, &Progress::new())?;
    kept.forget();
    Ok(folder)
}

fn refused(error: RecordError, folder: &Path) -> Failed {
    match error {
        RecordError::StillRunning { .. } => Failed::because(format!(
            "the run in `{}` is in the hands of another process, which conducts it or collects it; wait until that has ended",
            folder.display()
        )),
        other => other.into(),
    }
}
