//! `loadproof node`: a process that carries a share of a run's load.

use crate::exit::{Exit, Failed};
use crate::options::{MeetingOptions, NodeOptions};
use crate::output::say;
use crate::prepare::prepare_archived;
use broker::Server;
use run::nodes::{Link, serve};
use std::io::{stdin, stdout};

/// Takes part in a run: that of whoever holds the other ends of standard input and output, or one that calls it.
pub(crate) fn node(options: &NodeOptions) -> Result<Exit, Failed> {
    let take_part = |link| serve(link, &|text, base| prepare_archived(text, base).map_err(|failed| failed.text()));
    let Some(server) = server(&options.meeting) else {
        take_part(Link::over(stdout(), stdin()));
        return Ok(Exit::Met);
    };
    loop {
        say!("waiting for a run of the group `{}` at {}", server.group, server.shown());
        let offered = broker::offer(&server, options.index).map_err(Failed::because)?;
        say!("taking part in {} as node-{}", offered.run, offered.node);
        take_part(offered.link);
        say!("the run is over");
        if !options.again {
            return Ok(Exit::Met);
        }
    }
}

/// The server that the command line names.
pub(crate) fn server(options: &MeetingOptions) -> Option<Server> {
    Some(Server {
        url: options.nats.clone()?,
        credentials: options.nats_creds.clone(),
        authorities: options.nats_ca.clone(),
        may_be_plain: options.nats_plain,
        group: options.group.clone(),
    })
}
