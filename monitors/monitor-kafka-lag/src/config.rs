//! The monitor's part of a study: which group of which topics, and how the broker is reached.

use contract::{BuildContext, Keys, Mistake, Mistakes, MonitorSettings, Node, suggestion};
use std::path::PathBuf;

/// Topics that one monitor watches.
const TOPICS_MAX: usize = 16;
/// As Kafka bounds names of topics.
const NAME_MAX: usize = 249;

/// How members of a group are told apart by host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    /// The address that the broker sees.
    Address,
    /// The client id without its number.
    Client,
}

/// Whom to trust, and as whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tls {
    /// Certificates in PEM; those of the machine where there is none.
    pub(crate) ca: Option<PathBuf>,
}

/// A name and its password. Never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Sasl {
    pub(crate) mechanism: &'static str,
    pub(crate) user: String,
    pub(crate) password: String,
}

/// What a study says of a group. It may hold a secret, and is never shown.
pub(crate) struct Config {
    /// `127.0.0.1:9092`, or several with commas.
    pub(crate) broker: String,
    pub(crate) group: String,
    pub(crate) topics: Vec<String>,
    pub(crate) hosts: Hosts,
    pub(crate) tls: Option<Tls>,
    pub(crate) sasl: Option<Sasl>,
}

const HOSTS: [&str; 2] = ["address", "client"];
const MECHANISMS: [&str; 3] = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];

/// Reads the settings; asks nobody.
///
/// # Errors
/// All mistakes at once.
pub(crate) fn read(settings: &MonitorSettings, context: &BuildContext<'_>) -> Result<Config, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let broker = keys.need("broker", &mut mistakes).and_then(|node| mistakes.keep(broker(node, context)));
    let group = keys.need("group", &mut mistakes).and_then(|node| mistakes.keep(name(node, "`group`", context)));
    let topics = keys.need("topics", &mut mistakes).map(|node| topics(node, context, &mut mistakes));
    let hosts = keys.take("hosts").and_then(|node| mistakes.keep(word(node, "`hosts`", &HOSTS)));
    let tls = keys.take("tls").filter(|node| !node.is_missing()).map(|node| tls(node, context, &mut mistakes));
    let sasl = keys.take("sasl").filter(|node| !node.is_missing());
    let sasl = sasl.map(|node| sasl_of(node, context, &mut mistakes));
    keys.finish(&mut mistakes);
    mistakes.into_result()?;
    Ok(Config {
        broker: broker.unwrap_or_default(),
        group: group.unwrap_or_default(),
        topics: topics.unwrap_or_default(),
        hosts: if hosts == Some("client") { Hosts::Client } else { Hosts::Address },
        tls: tls.flatten(),
        sasl: sasl.flatten(),
    })
}

/// `host:port`, or several of them.
fn broker(node: &Node, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let text = context.text(node, "`broker`")?;
    let text = text.strip_prefix("kafka://").unwrap_or(&text);
    let is_address = |one: &str| {
        one.trim().rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && !host.contains(['/', '@', ' ']) && port.parse::<u16>().is_ok_and(|port| port > 0)
        })
    };
    if !text.is_empty() && text.split(',').all(is_address) {
        return Ok(text.to_owned());
    }
    let what = format!("`{}` is not the address of a broker", text.escape_debug());
    Err(Mistake::at(node.place, "kafka::address", what).label("write `HOST:PORT`, several with commas"))
}

fn name(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let text = context.text(node, what)?;
    if text.is_empty() || text.len() > NAME_MAX || text.chars().any(char::is_control) {
        let what = format!("{what} `{}` is not a name", text.escape_debug());
        return Err(Mistake::at(node.place, "kafka::name", what).label("write it as the cluster has it"));
    }
    Ok(text)
}

fn topics(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Vec<String> {
    let members: Vec<&Node> = node.list().map_or_else(|| vec![node], |members| members.iter().collect());
    if members.is_empty() || members.len() > TOPICS_MAX {
        let what = format!("`topics` has {} names", members.len());
        mistakes.push(
            Mistake::at(node.place, "kafka::name", what)
                .label(format!("write one topic, or up to {TOPICS_MAX} in a list")),
        );
    }
    members.into_iter().take(TOPICS_MAX).filter_map(|node| mistakes.keep(name(node, "topic", context))).collect()
}

fn word(node: &Node, what: &str, known: &'static [&'static str]) -> Result<&'static str, Mistake> {
    let text = node.as_text(what)?;
    known.iter().find(|word| **word == text).copied().ok_or_else(|| {
        let mistake = Mistake::at(node.place, "study::unknown-word", format!("{what} cannot be `{text}`"));
        let mistake = mistake.hint(format!("possible are {}", known.join(", ")));
        match suggestion(text, known.iter().copied()) {
            Some(near) => mistake.label(format!("did you mean `{near}`?")),
            None => mistake,
        }
    })
}

fn tls(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Tls> {
    if node.map().is_none() {
        // `tls: yes` trusts whom the machine trusts.
        return match node.text() {
            Some("yes" | "true") => Some(Tls::default()),
            Some("no" | "false") => None,
            _ => {
                mistakes.push(
                    Mistake::at(node.place, "study::wrong-type", "`tls` is not a map")
                        .label("write `yes`, or `{ ca: FILE }` with the authority to trust"),
                );
                None
            }
        };
    }
    let mut keys = Keys::of(node, "`tls`", mistakes);
    let ca = keys.take("ca").and_then(|node| {
        let path = context.base().join(mistakes.keep(context.text(node, "`ca`"))?);
        if !path.is_file() {
            let what = format!("there is no file `{}`", path.display());
            mistakes.push(Mistake::at(node.place, "study::unreadable-file", what).label("name a file in PEM"));
            return None;
        }
        Some(path)
    });
    keys.finish(mistakes);
    Some(Tls { ca })
}

fn sasl_of(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Sasl> {
    let mut keys = Keys::of(node, "`sasl`", mistakes);
    let mechanism =
        keys.need("mechanism", mistakes).and_then(|node| mistakes.keep(word(node, "`mechanism`", &MECHANISMS)));
    let user = keys.need("user", mistakes).and_then(|node| mistakes.keep(context.text(node, "`user`")));
    let password = keys.need("password", mistakes).and_then(|node| mistakes.keep(context.text(node, "`password`")));
    keys.finish(mistakes);
    Some(Sasl { mechanism: mechanism?, user: user?, password: password? })
}
