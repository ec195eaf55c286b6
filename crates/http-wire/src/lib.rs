//! What every driver over HTTP needs and none should write again: a non-blocking connection with TLS on it or not, answers
//! read incrementally and bounded, addresses and the sources of connections, what errors mean.
//!
//! # Place in the pipeline
//! Below the drivers, and below `launch`, which asks with it who answers. Knows no study beyond the settings `tls` and a URL, and no session.
//!
//! # Ideas
//! Nothing blocks and nothing allocates once warm. Reading gives the same result however the bytes are split. What may
//! be sent again is the driver's decision: here it can only be asked whether a byte has left this machine.
//!
//! # Example
//! ```
//! use http_wire::{Expecting, Parser};
//! let mut parser = Parser::new();
//! parser.begin(Expecting { keep: 16, ..Expecting::default() });
//! assert!(parser.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").is_ok());
//! assert_eq!((parser.is_done(), parser.status(), parser.body()), (true, 200, b"hi".as_slice()));
//! ```
//!
//! # Not here
//! Requests are the drivers' own; HTTP/2 is `driver-http`'s; the lab's listeners are servers, and not here either.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod connection;
mod note;
mod outcome;
mod sources;
mod spare;
mod target;
mod tls;
mod url;
mod wire;

pub use connection::{Connection, Received, TlsTarget, Trouble};
pub use note::{found, say, show, written_out};
pub use outcome::outcome_of;
pub use sources::Sources;
pub use spare::Spare;
pub use target::Target;
pub use tls::{TlsIdentity, TlsSettings, in_words};
pub use url::Url;
pub use wire::{AtEnd, EXCERPT_BYTES, Expecting, HEADERS_MAX, Malformed, Parser, RawHead};
