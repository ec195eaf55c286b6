//! The one client of HTTP, for every driver over it and for `launch`: connections with TLS on them or not, HTTP/1.1 by
//! hand and HTTP/2 by the library `h2`, answers read incrementally and bounded, what errors mean and what is reported about them.
//!
//! # Place in the pipeline
//! Below the drivers, and below `launch`, which asks with it who answers. Knows no study beyond the settings `tls` and a
//! URL, and no session: whoever drives a client is its [`Host`].
//!
//! # Ideas
//! A [`Client`] carries out one exchange at a time, step by step as its sockets are ready. Nothing blocks (but
//! [`Client::carry_out`], for who wants just that), and nothing of HTTP/1.1 allocates once warm. Reading gives the same
//! result however the bytes are split. A kept connection that is found closed before a byte of the request has left this
//! machine is replaced. After that a request is sent once more at most, as RFC 9112, section 9.3.1 has it, where the
//! [`Call`] allows it, and that is counted.
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
//! Requests, but for those that open a held connection ([`Form`]), and what an answer means, are the drivers' own; the
//! lab's listeners are servers, and not here either.
#![forbid(unsafe_code)]

mod client;
mod connection;
mod http2;
mod note;
mod opening;
mod outcome;
mod proxy;
mod reconnect;
mod sources;
mod spare;
mod target;
mod tls;
mod url;
mod wire;

pub use client::{Call, Client, Counted, Failed, Host, Recorded, Shared, Step, Stood, Why};
pub use connection::{Connection, Received, TlsTarget, Trouble};
pub use http2::{ALPN, Http2, Unsendable, is_about_the_connection};
pub use note::{found, say, show, written_out};
pub use opening::{Endpoint, Form, Request, Unrenderable, is_token};
pub use outcome::outcome_of;
pub use proxy::ProxySettings;
pub use reconnect::{Away, Reconnect, Turnstile, WAIT_MOST};
use sources::Sources;
pub use spare::Spare;
pub use target::Target;
pub use tls::{Remedies, TlsIdentity, TlsSettings, in_words, in_words_with};
pub use url::Url;
pub use wire::{AtEnd, Body, EXCERPT_BYTES, Expecting, HEADERS_MAX, Malformed, Parser, Piece, RawHead};
