//! A replica of an instance as others see it: what its texts are filled in with, where it answers, what became of it.

use contract::{Mistake, Node};
use std::collections::BTreeMap;
use std::path::PathBuf;
use study::Instance;
use terms::Nanos;

/// Fills in the names of start time in a text of an instance.
pub type Resolve<'a> = dyn Fn(&Instance, &PerReplica<'_>, &Node) -> Result<String, Mistake> + 'a;

/// What is known about a replica when its texts are filled in.
#[derive(Clone, Copy, Debug)]
pub struct PerReplica<'a> {
    /// Its name: `lookup.1`, or `shop` when there is only one.
    pub name: &'a str,
    /// Its number, from 1; also 1 when there is only one.
    pub replica: u32,
    /// The interface it shall listen on; empty for an instance that runs already.
    pub host: &'a str,
    /// Its ports by name; the first is `port`. Empty for an instance that runs already.
    pub ports: &'a [(String, u16)],
    /// What it must tell as its identity; empty for an instance that runs already.
    pub nonce: &'a str,
    /// `--fault name=value` for each fault, joined by blanks; a word that is exactly `$(faults)` becomes several words
    /// without asking.
    pub faults: &'a str,
    /// What has been started before, in order of start.
    pub placed: &'a [Placed],
}

/// Where an instance answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its name: `lookup.1`, or `shop` when there is only one.
    pub name: String,
    /// Its name in the study: `lookup`.
    pub instance: String,
    /// Its number, from 1, where there are several.
    pub replica: Option<u32>,
    /// Host, without port.
    pub host: String,
    /// Ports by name; the first is `port`.
    pub ports: Vec<(String, u16)>,
    /// `http://host:port` of the first port, `https://` where it speaks TLS; for one that ran already, the address as the study has it.
    pub url: String,
    /// The process, for one that was started.
    pub pid: Option<u32>,
}

/// An instance as it was started, for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// Where it answers, and which process it is.
    pub placed: Placed,
    /// Command as started; words that mention a secret as the study has them. Empty for one that ran already.
    pub command: String,
    /// The nonce it was given; empty for one that ran already.
    pub nonce: String,
    /// What it told about itself: scalar fields, as text.
    pub identity: BTreeMap<String, String>,
    /// Whether it was proven to be the one meant; `false` when the study names nothing to ask.
    pub is_identified: bool,
    /// Its fault switches, by name.
    pub faults: Vec<(String, String)>,
    /// What it writes, for one that was started.
    pub log: Option<PathBuf>,
}

/// Something that happened to an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it was noticed, in the run's clock.
    pub at: Nanos,
    /// `gone`, `restart` or `identity`.
    pub kind: &'static str,
    /// Name of the instance.
    pub subject: String,
    pub text: String,
}

/// How an instance ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Name of the instance.
    pub name: String,
    pub pid: u32,
    /// How: `ended with exit code 0`.
    pub text: String,
    /// Whether it ended by itself within its grace, without being killed.
    pub is_in_time: bool,
}
