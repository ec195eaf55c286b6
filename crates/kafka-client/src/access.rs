//! Which cluster, and how it is reached.

use contract::{BuildContext, Keys, Mistake, Mistakes, Node, suggestion};
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use std::path::PathBuf;

/// Keys that [`Access::read`] takes.
pub const ACCESS_KEYS: [&str; 3] = ["broker", "tls", "sasl"];

const MECHANISMS: [&str; 3] = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];

/// Of a broker whose certificate the machine's authorities do not vouch for.
const NO_AUTHORITY: &str =
    "its certificate is not vouched for by any authority that this machine trusts; name its own, `tls: { ca: … }`";

/// Whom to trust, and as whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tls {
    /// Certificates in PEM; those of the machine where there is none.
    ca: Option<PathBuf>,
}

/// A name and its password. Never shown.
#[derive(Clone, PartialEq, Eq)]
struct Sasl {
    mechanism: &'static str,
    user: String,
    password: String,
}

/// How a cluster is reached. It may hold a secret, and is never shown but for [`Access::brokers`].
#[derive(Clone, PartialEq, Eq)]
pub struct Access {
    /// `127.0.0.1:9092`, or several with commas.
    brokers: String,
    tls: Option<Tls>,
    sasl: Option<Sasl>,
}

impl Access {
    /// Reads `broker`, `tls` and `sasl`; `None` where something is wrong with them.
    pub fn read(keys: &mut Keys<'_>, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let before = mistakes.0.len();
        let brokers = keys.need("broker", mistakes).and_then(|node| mistakes.keep(broker(node, context)));
        let tls = keys.take("tls").filter(|node| !node.is_missing()).map(|node| tls(node, context, mistakes));
        let sasl = keys.take("sasl").filter(|node| !node.is_missing());
        let sasl = sasl.map(|node| sasl_of(node, context, mistakes));
        if mistakes.0.len() > before {
            return None;
        }
        Some(Self { brokers: brokers?, tls: tls.flatten(), sasl: sasl.flatten() })
    }

    /// `127.0.0.1:9092`, or several with commas.
    pub fn brokers(&self) -> &str {
        &self.brokers
    }

    /// As whom it is reached, in a sentence.
    pub(crate) fn whom(&self) -> String {
        self.sasl.as_ref().map_or_else(|| "us, without a user,".to_owned(), |sasl| format!("`{}`", sasl.user))
    }

    /// What a complaint of the client means, in the words of a study.
    pub fn explain(&self, complaint: &str) -> String {
        let has = |words: &str| complaint.to_ascii_lowercase().contains(words);
        let what = match (&self.tls, &self.sasl) {
            (Some(tls), _) if has("certificate verify failed") => match &tls.ca {
                Some(ca) => format!(
                    "its certificate is not vouched for by `{}`; name the right authority, `tls: {{ ca: … }}`",
                    ca.display()
                ),
                None => NO_AUTHORITY.to_owned(),
            },
            (Some(_), _) if has("ssl handshake failed") || has("ssl_read") => {
                "no TLS is spoken there, or none that we know; name another port, or leave `tls` out".to_owned()
            }
            (_, Some(sasl)) if has("authentication") => {
                format!("it does not let `{}` in with this password by {}; see `sasl`", sasl.user, sasl.mechanism)
            }
            (None, _) | (_, None) if has("disconnected") || has("security.protocol") => {
                "it closed the connection at once; does it speak TLS (`tls: yes`) or ask for a user (`sasl`)?"
                    .to_owned()
            }
            _ => return complaint.to_owned(),
        };
        format!("{what} ({complaint})")
    }

    /// Whether TLS is spoken.
    pub fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// Hosts and ports, in the order written.
    pub fn addresses(&self) -> Vec<(String, u16)> {
        let address = |one: &str| {
            let (host, port) = one.trim().rsplit_once(':')?;
            Some((host.trim_matches(['[', ']']).to_owned(), port.parse().ok()?))
        };
        self.brokers.split(',').filter_map(address).collect()
    }

    /// Settings of a client for this cluster, without a word on the screen.
    pub fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new();
        client
            .set("bootstrap.servers", &self.brokers)
            .set("allow.auto.create.topics", "false")
            .set("socket.timeout.ms", "10000")
            .set("reconnect.backoff.max.ms", "1000")
            .set_log_level(RDKafkaLogLevel::Emerg);
        let protocol = match (&self.tls, &self.sasl) {
            (None, None) => "plaintext",
            (Some(_), None) => "ssl",
            (None, Some(_)) => "sasl_plaintext",
            (Some(_), Some(_)) => "sasl_ssl",
        };
        client.set("security.protocol", protocol);
        if let Some(ca) = self.tls.as_ref().and_then(|tls| tls.ca.as_ref()) {
            client.set("ssl.ca.location", ca.display().to_string());
        }
        if let Some(sasl) = &self.sasl {
            client.set("sasl.mechanism", sasl.mechanism);
            client.set("sasl.username", &sasl.user).set("sasl.password", &sasl.password);
        }
        client
    }
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

/// One of a few words.
///
/// # Errors
/// Which are possible.
pub fn word(node: &Node, what: &str, known: &'static [&'static str]) -> Result<&'static str, Mistake> {
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
            let what = format!("the file `{}` does not exist", path.display());
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
