//! Collaboration protocol agreements: what two parties may send each other, and how.

mod generate;
mod read;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use terms::Nanos;

use crate::wire::envelope::{PartyId, ServiceName, Side};
use system_common::xml::DOCUMENT_MAX;

pub(crate) use generate::{Profile, write_all};
pub(crate) use read::read;

/// An agreement between two parties.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Agreement {
    pub(crate) id: String,
    pub(crate) is_agreed: bool,
    pub(crate) start: Nanos,
    pub(crate) end: Nanos,
    pub(crate) parties: [Party; 2],
    /// The file as it was read.
    pub(crate) text: String,
}

/// One party of an agreement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Party {
    pub(crate) ids: Vec<PartyId>,
    /// The channel of signals.
    pub(crate) default: Channel,
    pub(crate) bindings: Vec<Binding>,
}

/// An action that a party can send or receive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binding {
    pub(crate) service: ServiceName,
    pub(crate) role: String,
    pub(crate) action: String,
    /// Whether the party sends it; else it receives it.
    pub(crate) sends: bool,
    pub(crate) channel: Channel,
}

/// Whether something is always, never, or by message so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreed {
    Always,
    Never,
    PerMessage,
}

impl Agreed {
    /// Whether a message may have it so.
    pub(crate) fn allows(self, is_so: bool) -> bool {
        match self {
            Self::Always => is_so,
            Self::Never => !is_so,
            Self::PerMessage => true,
        }
    }
}

/// What the answer to the request of HTTP carries; the other messages come on connections of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OnConnection {
    pub(crate) signals: bool,
    pub(crate) business: bool,
}

impl OnConnection {
    /// Whether there is anything; then messages have the element `SyncReply`.
    pub(crate) fn is_any(self) -> bool {
        self.signals || self.business
    }

    /// The words of CPPA 2.0; signals of business processes, which two of them name, are not spoken here.
    pub(crate) fn of(mode: Option<&str>) -> Option<Self> {
        let (signals, business) = match mode {
            None | Some("none") => (false, false),
            Some("mshSignalsOnly" | "signalsOnly") => (true, false),
            Some("responseOnly") => (false, true),
            Some("signalsAndResponse") => (true, true),
            Some(_) => return None,
        };
        Some(Self { signals, business })
    }
}

/// A delivery channel with its transport and its reliability.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Channel {
    pub(crate) id: String,
    /// What is answered on the connection of a message (`syncReplyMode`).
    pub(crate) on_connection: OnConnection,
    pub(crate) ack_requested: Agreed,
    pub(crate) ack_signed: Agreed,
    pub(crate) duplicate_elimination: Agreed,
    pub(crate) endpoint: String,
    pub(crate) reliable: Option<Reliable>,
}

/// How often and how long a message is sent again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reliable {
    pub(crate) retries: u32,
    pub(crate) interval: Duration,
    pub(crate) persist: Option<Duration>,
}

impl Agreement {
    /// Whether it is in force at a moment.
    pub(crate) fn is_in_force(&self, now: Nanos) -> bool {
        self.is_agreed && self.start <= now && now < self.end
    }

    /// The party that has all these ids; 0 or 1.
    pub(crate) fn party_of(&self, side: &Side) -> Option<usize> {
        self.parties.iter().position(|party| side.ids.iter().all(|id| party.ids.contains(id)))
    }
}

impl Party {
    /// The binding of an action that this party sends, or receives.
    pub(crate) fn binding(&self, service: &ServiceName, action: &str, sends: bool) -> Option<&Binding> {
        self.bindings
            .iter()
            .find(|binding| binding.sends == sends && binding.service == *service && binding.action == action)
    }

    /// Whether it has any binding of this service.
    pub(crate) fn knows(&self, service: &ServiceName) -> bool {
        self.bindings.iter().any(|binding| binding.service == *service)
    }
}

/// All agreements by their ids, in the order of the ids.
pub(crate) type Agreements = BTreeMap<String, Arc<Agreement>>;

/// Most agreements of one folder.
const AGREEMENTS_MAX: usize = 10_000;

/// Reads all `*.xml` of a folder.
///
/// # Errors
/// The folder cannot be read, holds none, two have the same id, or one is not an agreement; the message names the file.
pub(crate) fn load(folder: &Path) -> Result<Agreements> {
    let shown = folder.display();
    let entries = fs::read_dir(folder).with_context(|| {
        format!("the folder `{shown}` of agreements cannot be read; give one of `*.xml` files with `--cpas DIR`")
    })?;
    let mut agreements = Agreements::new();
    for entry in entries {
        let path = entry.with_context(|| format!("the folder `{shown}` cannot be read"))?.path();
        if path.extension().is_none_or(|extension| extension != "xml") {
            continue;
        }
        let agreement = load_one(&path)?;
        if let Some(twin) = agreements.insert(agreement.id.clone(), Arc::new(agreement)) {
            bail!("two files in `{shown}` have the agreement `{}`, the second is `{}`", twin.id, path.display());
        }
        if agreements.len() > AGREEMENTS_MAX {
            bail!("the folder `{shown}` holds more than {AGREEMENTS_MAX} agreements");
        }
    }
    if agreements.is_empty() {
        bail!(
            "the folder `{shown}` holds no `*.xml`; make some with `system-messaging cpas --out {shown} --profile be --count 20`"
        );
    }
    Ok(agreements)
}

fn load_one(path: &Path) -> Result<Agreement> {
    let shown = path.display();
    let size = fs::metadata(path).with_context(|| format!("`{shown}` cannot be read"))?.len();
    if size > DOCUMENT_MAX as u64 {
        bail!("`{shown}` has {size} bytes; an agreement has at most {DOCUMENT_MAX}");
    }
    let bytes = fs::read(path).with_context(|| format!("`{shown}` cannot be read"))?;
    read(&bytes).with_context(|| format!("`{shown}` is not an agreement (CPA 2.0)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_whole_or_refused_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(format!("{:#}", load(folder.path()).unwrap_err()).contains("system-messaging cpas"));
        write_all(&folder.path().join("cpas"), Profile::Be, 3).unwrap();
        let cpas = folder.path().join("cpas");
        assert_eq!(load(&cpas).unwrap().len(), 3);
        fs::copy(cpas.join("cpa-be-01.xml"), cpas.join("twin.xml")).unwrap();
        assert!(format!("{:#}", load(&cpas).unwrap_err()).contains("two files"));
        fs::write(cpas.join("twin.xml"), "<html/>").unwrap();
        let message = format!("{:#}", load(&cpas).unwrap_err());
        assert!(message.contains("twin.xml` is not an agreement (CPA 2.0)") && message.contains("`html`"), "{message}");
        assert!(format!("{:#}", load(&folder.path().join("nowhere")).unwrap_err()).contains("--cpas DIR"));
    }
}
