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
    #[error("the live page cannot be served at {address}: {why}; leave out the port to get a free one")]
    Bind {
        address: SocketAddr,
        /// No `source`: whoever prints the chain of causes would print it a second time.
        why: io::Error,
    },
    /// The system gives no thread, or no randomness.
    #[error("the live page cannot be started")]
    System(#[from] io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    /// As the command prints it: a message, then the messages of its causes.
    #[test]
    fn no_cause_is_told_twice() {
        let why = || io::Error::other("the reason");
        for error in
            [LiveError::Bind { address: SocketAddr::from(([127, 0, 0, 1], 80)), why: why() }, LiveError::from(why())]
        {
            let (mut told, mut cause) = (error.to_string(), error.source());
            while let Some(next) = cause {
                told += &format!(": {next}");
                cause = next.source();
            }
            assert_eq!(told.matches("the reason").count(), 1, "{told}");
        }
    }
}
