//! What can go wrong with the page, and what to do about it.

use std::io;
use std::net::SocketAddr;

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// It is served to this machine only.
    #[error(
        "the live page is served on loopback only, and `{address}` is not: write a port, or an address such as \
         `127.0.0.1:8080`; from another machine use a tunnel, such as `ssh -L 8080:127.0.0.1:8080 HOST`"
    )]
    NotLoopback { address: String },
    /// The port is taken, or may not be used.
    #[error("the live page cannot be served at {address}: {source}; leave out the port to get a free one")]
    Bind { address: SocketAddr, source: io::Error },
    /// The system gives no thread, or no randomness.
    #[error("the live page cannot be started: {0}")]
    System(#[from] io::Error),
}
