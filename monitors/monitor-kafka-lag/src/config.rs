//! The monitor's part of a study: which group of which topics, and how the broker is reached.

use contract::{BuildContext, Keys, Mistake, Mistakes, MonitorSettings, Node};
use kafka_client::{Access, word};

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

/// What a study says of a group. It may hold a secret, and is never shown.
pub(crate) struct Config {
    pub(crate) access: Access,
    pub(crate) group: String,
    pub(crate) topics: Vec<String>,
    pub(crate) hosts: Hosts,
}

const HOSTS: [&str; 2] = ["address", "client"];

/// Reads the settings; asks nobody.
///
/// # Errors
/// All mistakes at once.
pub(crate) fn read(settings: &MonitorSettings, context: &BuildContext<'_>) -> Result<Config, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let access = Access::read(&mut keys, context, &mut mistakes);
    let group = keys.need("group", &mut mistakes).and_then(|node| mistakes.keep(name(node, "`group`", context)));
    let topics = keys.need("topics", &mut mistakes).map(|node| topics(node, context, &mut mistakes));
    let hosts = keys.take("hosts").and_then(|node| mistakes.keep(word(node, "`hosts`", &HOSTS)));
    keys.finish(&mut mistakes);
    let hosts = if hosts == Some("client") { Hosts::Client } else { Hosts::Address };
    match (access, group, topics) {
        (Some(access), Some(group), Some(topics)) if mistakes.0.is_empty() => {
            Ok(Config { access, group, topics, hosts })
        }
        _ => Err(mistakes),
    }
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
