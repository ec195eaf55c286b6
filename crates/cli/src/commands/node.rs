//! `loadproof node`: a process that carries a share of a run's load, or watches its machine for a run.

use crate::ceiling;
use crate::commands::meeting::server;
use crate::exit::{Exit, Failed};
use crate::options::NodeOptions;
use crate::output::say;
use crate::prepare::prepare_archived;
use broker::Lends;
use clock::Clock;
use run::nodes::{Able, Link, serve};
use std::io::{stdin, stdout};
use terms::Nanos;

/// What there is to type where nothing says who gives the orders.
const NO_SERVER: &str = "nothing says where this node meets a run; name the NATS server with `--nats`, as in \
                         `loadproof node --nats tls://nats.lab:4222`. Nodes of one machine need no such thing: \
                         `nodes: { count: 4 }` in the study starts them";

/// Between two attempts to find the server again.
const AGAIN: Nanos = Nanos::from_secs(2);

/// Takes part in a run: that of whoever holds the other ends of standard input and output, or one that calls it.
pub(crate) fn node(options: &NodeOptions) -> Result<Exit, Failed> {
    let able = Able {
        prepare: &|text, base, node| prepare_archived(text, base, node).map_err(|failed| failed.text()),
        try_out: &|load| ceiling::try_out(load).map_err(|failed| failed.text()),
    };
    let take_part = |link| serve(link, able);
    let server = match server(&options.meeting)? {
        Some(server) => server,
        None if options.stdio => {
            take_part(Link::over(stdout(), stdin()));
            return Ok(Exit::Met);
        }
        None => return Err(Failed::because(NO_SERVER)),
    };
    let lends = match &options.name {
        Some(name) => {
            study::check_node_name(name).map_err(Failed::because)?;
            Lends::Watching(name.clone())
        }
        None => Lends::Load(options.index),
    };
    // One that takes part again and again outlives a server that is started anew.
    let mut has_met = false;
    loop {
        let is_open = || say!("waiting for a run of the group `{}` at {}", server.group, server.address);
        let offered = match broker::offer(&server, &lends, is_open) {
            Err(why) if has_met => {
                say!("{why}");
                let clock = Clock::system();
                clock.sleep_until(AGAIN);
                continue;
            }
            offered => offered.map_err(Failed::because)?,
        };
        has_met = options.again;
        match &options.name {
            Some(name) => say!("watching for {} as {name}", offered.run),
            None => say!("taking part in {} as node-{}", offered.run, offered.node),
        }
        take_part(offered.link);
        say!("the run is over");
        if !options.again {
            return Ok(Exit::Met);
        }
    }
}
