//! HTTP/1.1 and HTTP/2 over TCP and TLS: requests from a study, checks and captures on their answers, and jobs.
//!
//! # Place in the pipeline
//! Two drivers: `drive` calls them through `contract`, `registry.rs` lists its public items, [`HTTP`] and [`JOB`].
//!
//! # Ideas
//! A request is compiled into fixed bytes and slots; one without slots is handed to the kernel as it is. A body is counted
//! as it passes and kept only if a check or capture looks into it. Whatever goes wrong ends as exactly one outcome. Sent a
//! second time is only what met the closing of a kept connection, once, and counted. A redirect is followed within its exchange, and the cookies of a user are kept where captured
//! values are. A job is an exchange of several such exchanges on one connection: one that starts it, and one at a
//! time that asks for it.
//!
//! # Example
//! ```
//! let operations: Vec<_> = driver_http::HTTP.exchanges.iter().map(|kind| kind.name).collect();
//! assert_eq!(operations, ["get", "post", "put", "delete", "patch", "head", "options"]);
//! ```
//!
//! # Not here
//! Sending and reading are the client's, in `http-wire`. HTTP/3 is not spoken.
#![forbid(unsafe_code)]

mod common;
mod config;
mod cookies;
mod driver;
mod endpoint;
mod escape;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod job;
mod redirect;
mod request;
mod session;

use contract::{Closes, DriverKind, ExchangeKind, Leg, LegKind, Work};

/// The driver: `http.get`, `http.post`, `http.put`, `http.delete`, `http.patch`, `http.head`, `http.options`.
///
/// Each has one leg, `answer`, from the intended start to the last byte of the answer; for each redirect that it follows
/// there is a leg `redirect` beside it, from when its request goes out to the last byte of the answer that redirects.
pub const HTTP: DriverKind = DriverKind {
    name: "http",
    exchanges: &[
        operation("get"),
        operation("post"),
        operation("put"),
        operation("delete"),
        operation("patch"),
        operation("head"),
        operation("options"),
    ],
    counters: COUNTERS,
    features: &[],
    messages: &[
        ("en", concat!(include_str!("../messages/en.ftl"), include_str!("../messages/http.en.ftl"))),
        ("nl", concat!(include_str!("../messages/nl.ftl"), include_str!("../messages/http.nl.ftl"))),
        ("da", concat!(include_str!("../messages/da.ftl"), include_str!("../messages/http.da.ftl"))),
    ],
    build: driver::build,
};

/// The driver `job`: work that goes on behind the answer. `job.http` starts it by one request and asks for it until it is
/// done.
///
/// Its one leg, `answer`, runs from the intended start to the answer that says so; it is seen up to one `every` late.
pub const JOB: DriverKind = DriverKind {
    name: "job",
    exchanges: &[ExchangeKind {
        name: "http",
        work: Work::Job,
        legs: &[ANSWER],
        keys: config::job::KEYS,
        words: config::WORDS,
    }],
    counters: job::COUNTERS,
    features: &[],
    messages: job::MESSAGES,
    build: job::build,
};

/// What the client counts, and redirects that were followed.
const COUNTERS: &[&str] = &{
    let mut names = ["redirects"; http_wire::Counted::NAMES.len() + 1];
    let (client, _) = names.split_at_mut(http_wire::Counted::NAMES.len());
    client.copy_from_slice(&http_wire::Counted::NAMES);
    names
};
/// The number of `redirects` among them.
const REDIRECTS: u8 = http_wire::Counted::NAMES.len() as u8;

const ANSWER: LegKind = LegKind { name: "answer", closes: Closes::Here };
const LEGS: &[LegKind] = &[ANSWER, LegKind { name: "redirect", closes: Closes::Beside }];
/// The number of `redirect` among them.
const REDIRECT: Leg = 1;

const fn operation(name: &'static str) -> ExchangeKind {
    ExchangeKind { name, work: Work::Exchange, legs: LEGS, keys: config::KEYS, words: config::WORDS }
}
