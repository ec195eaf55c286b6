//! What one replica of an instance is started with: words, environment, fault switches.

use crate::replica::{PerReplica, Resolve};
use crate::words::{FAULTS, split};
use contract::{Mistake, Node, Shape};
use study::Instance;

/// Everything that a replica is started with.
pub(crate) struct Prepared {
    /// Program and arguments.
    pub(crate) words: Vec<String>,
    /// Environment on top of loadproof's own.
    pub(crate) environment: Vec<(String, String)>,
    /// Fault switches of this replica.
    pub(crate) faults: Vec<(String, String)>,
    /// The command for the record: as started, but words that mention a secret as the study has them.
    pub(crate) shown: String,
    /// Whether the command or the environment is told a port, so that it can be expected to listen.
    pub(crate) is_told_a_port: bool,
}

/// Fills in the command of a replica. `per.faults` is filled in here.
///
/// # Errors
/// What is wrong in the command, in a fault, or with a name.
pub(crate) fn prepare(instance: &Instance, per: &PerReplica<'_>, resolve: &Resolve<'_>) -> Result<Prepared, Mistake> {
    let start = instance.start.as_ref().expect("only instances with a command are prepared");
    let command = start.as_text("`start`")?;
    let faults = faults(instance, per, resolve)?;
    let switches: Vec<String> = faults.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let joined = switches.iter().map(|switch| format!("--fault {switch}")).collect::<Vec<_>>().join(" ");
    if !instance.faults.is_empty() && !command.contains(FAULTS) {
        return Err(Mistake::at(
            start.place,
            "launch::faults-not-handed-over",
            "the command does not mention the faults",
        )
        .label(format!("add `{FAULTS}` where `--fault name=value` belongs")));
    }
    let per = PerReplica { faults: &joined, ..*per };
    let split = split(command).map_err(|why| {
        Mistake::at(start.place, "launch::bad-command", format!("the command of `{}` {why}", instance.name))
            .hint("the command is split as by a shell, quotes included, but no shell runs it")
    })?;
    let (mut words, mut shown) = (Vec::new(), Vec::new());
    for word in &split {
        if word == FAULTS {
            words.extend(switches.iter().flat_map(|switch| ["--fault".to_owned(), switch.clone()]));
            shown.extend(switches.iter().map(|switch| format!("--fault {switch}")));
            continue;
        }
        let filled = resolve(instance, &per, &Node::text_at(start.place, word.as_str()))?;
        shown.push(if word.contains("secret.") { word.clone() } else { filled.clone() });
        words.push(filled);
    }
    let mut environment = Vec::new();
    for (name, value) in &instance.env {
        environment.push((name.clone(), resolve(instance, &per, value)?));
    }
    let told = instance.env.iter().filter_map(|(_, value)| value.text()).chain([command]);
    let is_told_a_port = told.into_iter().any(|text| text.contains("$(port"));
    Ok(Prepared { words, environment, faults, shown: shown.join(" "), is_told_a_port })
}

/// Value of a fault that is switched off.
const OFF: &str = "off";

/// The faults of this replica; one that is `off`, or names another `replica`, is left out.
fn faults(instance: &Instance, per: &PerReplica<'_>, resolve: &Resolve<'_>) -> Result<Vec<(String, String)>, Mistake> {
    let mut faults = Vec::new();
    for (name, node) in &instance.faults {
        let value = match &node.shape {
            Shape::Text { .. } => resolve(instance, per, node)?,
            Shape::List(_) => {
                return Err(Mistake::at(node.place, "study::wrong-type", format!("fault `{name}` is a list"))
                    .label("write one value, such as `20ms`, or a map, such as `{ every: 37s, for: 4s }`"));
            }
            Shape::Map(entries) => match parts(instance, per, resolve, entries)? {
                Some(value) => value,
                None => continue,
            },
        };
        if value != OFF {
            faults.push((name.clone(), value));
        }
    }
    Ok(faults)
}

/// `{ every: 37s, for: 4s }` as `every:37s,for:4s`; `None` when it is meant for another replica.
fn parts(
    instance: &Instance,
    per: &PerReplica<'_>,
    resolve: &Resolve<'_>,
    entries: &[(Node, Node)],
) -> Result<Option<String>, Mistake> {
    let mut parts = Vec::new();
    for (key, value) in entries {
        let filled = resolve(instance, per, value)?;
        let key = key.as_text("a key of a fault")?;
        if key != "replica" {
            parts.push(format!("{key}:{filled}"));
            continue;
        }
        let most = u64::from(instance.replicas.max(1));
        let meant = Node::text_at(value.place, filled).as_count("`replica`", 1, most)?;
        if meant != u64::from(per.replica) {
            return Ok(None);
        }
    }
    Ok(Some(parts.join(",")))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use contract::Place;
    use terms::Nanos;

    /// An instance with every default.
    pub(crate) fn instance(name: &str) -> Instance {
        Instance {
            name: name.to_owned(),
            place: Place::default(),
            start: None,
            url: None,
            ports: Vec::new(),
            replicas: 1,
            written: study::Written::default(),
            needs: Vec::new(),
            ready: Some("/health".to_owned()),
            stop: Nanos::from_secs(10),
            identity: "/version".to_owned(),
            expect: Vec::new(),
            contains: None,
            signs: study::Signs::default(),
            tls: None,
            proxy: None,
            ready_within: None,
            faults: Vec::new(),
            env: Vec::new(),
            cores: Vec::new(),
        }
    }

    fn text(text: &str) -> Node {
        Node::text_at(Place::default(), text)
    }

    fn map(entries: &[(&str, &str)]) -> Node {
        let entries = entries.iter().map(|(key, value)| (text(key), text(value))).collect();
        Node { place: Place::default(), shape: Shape::Map(entries) }
    }

    /// Knows a port, a value with blanks and quotes, and a secret.
    fn resolve(_: &Instance, per: &PerReplica<'_>, node: &Node) -> Result<String, Mistake> {
        let port = per.ports[0].1.to_string();
        let text = node.as_text("a text")?.replace("$(port)", &port).replace("$(title)", "two 'words'");
        Ok(text.replace("$(secret.key)", "hidden").replace("$(faults)", per.faults))
    }

    fn prepared(instance: &Instance, replica: u32) -> Result<Prepared, Mistake> {
        let ports = [("port".to_owned(), 8080)];
        let per =
            PerReplica { name: "shop", replica, host: "127.0.0.1", ports: &ports, nonce: "n", faults: "", placed: &[] };
        prepare(instance, &per, &resolve)
    }

    #[test]
    fn values_stay_words_faults_become_several_and_secrets_stay_names() {
        let mut shop = instance("shop");
        shop.start = Some(text("shop --port $(port) --title $(title) --key=$(secret.key) $(faults) 'a b'"));
        shop.faults = vec![("delay".into(), text("20ms")), ("stall".into(), map(&[("every", "37s"), ("for", "4s")]))];
        shop.env = vec![("TITLE".into(), text("$(title)"))];
        let made = prepared(&shop, 1).unwrap();
        let expected = ["shop", "--port", "8080", "--title", "two 'words'", "--key=hidden"];
        assert_eq!(made.words[..6], expected);
        assert_eq!(made.words[6..], ["--fault", "delay=20ms", "--fault", "stall=every:37s,for:4s", "a b"]);
        assert!(made.shown.contains("--key=$(secret.key)") && !made.shown.contains("hidden"), "{}", made.shown);
        assert_eq!(made.environment, [("TITLE".to_owned(), "two 'words'".to_owned())]);
        assert!(made.is_told_a_port);
    }

    #[test]
    fn a_fault_of_one_replica_reaches_only_that_one() {
        let mut shop = instance("shop");
        shop.start = Some(text("shop $(faults)"));
        shop.replicas = 2;
        shop.faults = vec![("crash".into(), map(&[("at", "65m"), ("replica", "2")]))];
        assert_eq!(prepared(&shop, 1).unwrap().words, ["shop"]);
        assert_eq!(prepared(&shop, 2).unwrap().words, ["shop", "--fault", "crash=at:65m"]);
        shop.faults = vec![("crash".into(), map(&[("at", "65m"), ("replica", "3")]))];
        assert_eq!(prepared(&shop, 1).err().unwrap().code, "study::out-of-range");
    }

    #[test]
    fn a_fault_that_is_off_reaches_nobody() {
        let mut shop = instance("shop");
        shop.start = Some(text("shop $(faults)"));
        shop.faults = vec![("delay".into(), text("off")), ("errors".into(), text("2%"))];
        let made = prepared(&shop, 1).unwrap();
        assert_eq!(made.words, ["shop", "--fault", "errors=2%"]);
        assert_eq!(made.faults, [("errors".to_owned(), "2%".to_owned())]);
    }

    #[test]
    fn faults_that_would_be_lost_are_a_mistake() {
        let mut shop = instance("shop");
        shop.start = Some(text("shop --port $(port)"));
        shop.faults = vec![("delay".into(), text("20ms"))];
        assert_eq!(prepared(&shop, 1).err().unwrap().code, "launch::faults-not-handed-over");
        shop.faults.clear();
        shop.start = Some(text("shop 'open"));
        let mistake = prepared(&shop, 1).err().unwrap();
        assert_eq!(mistake.message, "the command of `shop` has a `'` that is never closed");
    }
}
