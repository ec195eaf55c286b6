//! What is tested, what watches it, and where the lab listens.

use super::Text;
use contract::{Machine, Node, Place};
use terms::Nanos;

/// What is tested.
#[derive(Clone, Debug, Default)]
pub struct System {
    pub name: String,
    /// What it is.
    pub about: Option<Text>,
    /// What a request makes it do.
    pub work: Vec<Text>,
    /// What the workload leaves out.
    pub not_exercised: Vec<Text>,
    /// How it differs from production.
    pub differs: Vec<Text>,
    /// Its components, as the author states them.
    pub inventory: Option<Inventory>,
    /// Facts by name that the author states, not captured, in the order written.
    pub stated: Vec<(String, String)>,
    /// Its instances, in the order written.
    pub instances: Vec<Instance>,
}

/// A table of the system's components as stated by the author, not captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// File, relative to the study's folder.
    pub file: String,
    /// Place of the file's name.
    pub place: Place,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each with one cell for each column, as written.
    pub rows: Vec<Vec<String>>,
}

/// One instance, or several replicas of it.
#[derive(Clone, Debug)]
pub struct Instance {
    pub name: String,
    /// Where it is in the study.
    pub place: Place,
    /// A command to start (no shell), with names of start time; or nothing when it runs already.
    pub start: Option<Node>,
    /// Where it answers, when it runs already.
    pub url: Option<Node>,
    /// Names of its ports; the first is `port`. Empty means one port.
    pub ports: Vec<String>,
    /// Number of replicas.
    pub replicas: u32,
    /// Instances that must be ready before it starts.
    pub needs: Vec<String>,
    /// Path that must answer 2xx before load; `None` when nothing can be asked.
    pub ready: Option<String>,
    /// Grace at the end.
    pub stop: Nanos,
    /// Path of its identity.
    pub identity: String,
    /// Fields that the identity must have; for started instances the nonce is checked besides.
    pub expect: Vec<(String, String)>,
    /// A text that the answer of its identity must contain, in its body or in the header that is named.
    pub contains: Option<String>,
    /// What else of the answer tells who it is.
    pub signs: Signs,
    /// What is trusted when it is asked over TLS; for a started one also that it speaks TLS.
    pub tls: Option<Node>,
    /// By way of which proxy one that runs already is asked; may contain names.
    pub proxy: Option<Node>,
    /// Longest wait until it is ready, if not the usual one.
    pub ready_within: Option<Nanos>,
    /// Fault switches, inserted as `--fault name=value` for `$(faults)`; values may contain names.
    pub faults: Vec<(String, Node)>,
    /// Environment variables; values may hold names.
    pub env: Vec<(String, Node)>,
    /// Processor cores it is pinned to.
    pub cores: Vec<u32>,
    /// What is by a name, as written.
    pub written: Written,
}

/// Settings of an instance as written, each where a name is in it: a scenario may bind that otherwise.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Number of replicas. They have numbers then, even where there is only one.
    pub replicas: Option<Node>,
    pub ready_within: Option<Node>,
    pub stop: Option<Node>,
    pub tls: Option<Node>,
    /// Where it says who it is, and what that must be.
    pub identity: Option<Node>,
}

impl Instance {
    /// Whether anything is expected of its identity.
    pub fn is_expected(&self) -> bool {
        !self.expect.is_empty() || self.contains.is_some() || self.signs != Signs::default()
    }
}

/// What tells who answers besides what the answer says: of systems that have no page of their own for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Status that its answer must have, where it is not any of 2xx.
    pub status: Option<u16>,
    /// A header that its answer must have, in lower case.
    pub header: Option<String>,
    /// SHA-256 of its certificate.
    pub fingerprint: Option<[u8; 32]>,
}

impl Signs {
    /// The fingerprint as it is written.
    pub fn shown_fingerprint(&self) -> Option<String> {
        self.fingerprint.map(|bytes| shown_fingerprint(&bytes))
    }
}

/// A fingerprint as `openssl x509 -fingerprint -sha256` has it.
pub fn shown_fingerprint(bytes: &[u8; 32]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    digits.join(":")
}

/// A monitor that the study names.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Name in rules.
    pub name: String,
    /// Kind as `registry.rs` lists it.
    pub kind: String,
    /// Its own settings.
    pub node: Node,
    /// Instances it watches, by name; empty means all.
    pub of: Vec<String>,
    /// The machine it watches; the one that conducts the run where the study names none.
    pub on: Option<On>,
    /// Time between samples.
    pub every: Nanos,
}

/// A machine that is watched, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum On {
    /// From here, over ssh.
    Ssh(Machine),
    /// There, by the node of this name.
    Node(String, Place),
}

/// What load nodes are called, before their number.
const LOAD_NODE: &str = "node-";

/// The number of the load node that is called so, from 1; `None` where the name is that of a node that only watches.
pub fn load_node(name: &str) -> Option<u16> {
    name.strip_prefix(LOAD_NODE)?.parse().ok().filter(|number| *number > 0)
}

/// What the load node of this number is called, from 1.
pub fn load_node_name(number: u16) -> String {
    format!("{LOAD_NODE}{number}")
}

impl Watch {
    /// The machine that it asks over ssh.
    pub fn machine(&self) -> Option<&Machine> {
        match &self.on {
            Some(On::Ssh(machine)) => Some(machine),
            _ => None,
        }
    }

    /// Name of the node that carries it.
    pub fn carrier(&self) -> Option<&str> {
        match &self.on {
            Some(On::Node(name, _)) => Some(name),
            _ => None,
        }
    }
}

/// An address of the lab at which later legs arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Its name in `$(listeners.NAME.url)`.
    pub name: String,
    /// Where it is in the study.
    pub place: Place,
    /// Address of this machine.
    pub bind: String,
    /// Port; a free one where the study names none.
    pub port: Option<u16>,
    /// The URL under which the system reaches it, where that is another.
    pub public: Option<String>,
    /// HTTPS.
    pub tls: Option<ListenerTls>,
}

/// Files of a listener's TLS, relative to the study's folder; PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerTls {
    /// Its certificate, and what signed it.
    pub certificate: String,
    /// Its private key.
    pub key: String,
    /// Authorities whose certificates callers must show.
    pub clients: Option<String>,
}
