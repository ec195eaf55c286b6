//! Over which server whoever conducted a run met its load nodes, so that what the server keeps can be collected later.

use serde::{Deserialize, Serialize};

/// Where the messages of a run with load nodes on other machines are kept. Has no secret: a password is not part of
/// `url`, and credentials are named by their file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MeetingHead {
    /// The server, without user and password.
    pub url: String,
    /// The user who was named by name; the password is nowhere in a run folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// File with the credentials of its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
    /// File with the certificates that vouch for the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorities: Option<String>,
    /// Files with the certificate of this side, and with its key, for a server that asks for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether the way to another machine may be without encryption.
    pub may_be_plain: bool,
    pub group: String,
    /// Name of the stream that keeps them.
    pub stream: String,
    /// Number of the process that conducted the run, on the machine of this name.
    pub pid: u32,
    pub host: String,
    /// Which boot of which machine, and which of its clocks: where it is the same, `clock_offset_ns` holds.
    pub clock: String,
    /// Added to the monotonic clock of that boot this is the run's clock, nanoseconds.
    pub clock_offset_ns: i64,
}
