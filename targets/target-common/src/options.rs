//! How a server runs, apart from its service.

use crate::session::Session;

/// Makes the session of a new connection; an error ends that connection only.
pub type Sessions = Box<dyn Fn() -> std::io::Result<Box<dyn Session>>>;

/// How a [`Server`] runs, apart from its service.
pub struct ServerOptions {
    /// TCP port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// Told by `/version`, so that a run can check that it meets the target it started.
    pub nonce: String,
    /// The server ends by itself after so many nanoseconds.
    pub exit_after_ns: u64,
    /// The server polls instead of sleeping for so many nanoseconds before an answer is due.
    pub spin_ns: u64,
    /// A request that is not whole after so many nanoseconds is refused with 408.
    pub request_timeout_ns: u64,
    /// Requests kept for `/sequence`.
    pub sequence_limit: usize,
    /// What lies between socket and HTTP.
    pub sessions: Sessions,
}
