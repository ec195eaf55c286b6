//! The driver's part of a study: `skeleton.send: { address: HOST:PORT, line: text }`.

use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Settings};
use extract::Compiled;

/// Keys of the operation.
pub(crate) const KEYS: &[&str] = &["address", "line"];

/// One exchange, ready to be sent.
pub(crate) struct Exchange {
    /// `host:port`, to be looked up before the load.
    pub(crate) address: String,
    /// Number of the line's template.
    pub(crate) line: u16,
    /// Checks and captures.
    pub(crate) compiled: Compiled,
    /// Whether the connection serves the next exchange too.
    pub(crate) reuse: bool,
}

/// Reads one exchange's settings. Everything that is wrong is kept in `mistakes`.
pub(crate) fn exchange(
    settings: &Settings,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Exchange> {
    let mut keys = Keys::of(&settings.node, format!("exchange `{}`", settings.exchange), mistakes);
    let address = keys.need("address", mistakes).and_then(|node| mistakes.keep(address(node, context)));
    let line = keys.need("line", mistakes).and_then(|node| mistakes.keep(context.compile(node, "`line`")));
    keys.finish(mistakes);
    let compiled = match Compiled::new(&settings.checks, &settings.captures, context) {
        Ok(compiled) => compiled,
        Err(more) => {
            mistakes.extend(more);
            return None;
        }
    };
    Some(Exchange { address: address?, line: context.keep(line?), compiled, reuse: settings.reuse })
}

fn address(node: &Node, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let text = context.text(node, "`address`")?;
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port.parse::<u16>());
    match port {
        Some(Ok(_)) => Ok(text),
        _ => Err(Mistake::at(node.place, "study::wrong-type", format!("`address` `{text}` is not a host with a port"))
            .label("write `HOST:PORT`, such as `127.0.0.1:7000`")),
    }
}
