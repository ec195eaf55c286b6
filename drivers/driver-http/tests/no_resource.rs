//! Out of descriptors: the generator's own trouble, never the target's. In a process of its own, since it takes all of
//! them.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

#[path = "all/common/mod.rs"]
mod common;

use common::{Lab, Server, exchange, ok};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use terms::Outcome;

#[test]
fn no_descriptor_left_is_no_resource() {
    let server = Server::answering(ok("a"));
    let mut lab = Lab::new(&[exchange("get", server.url())]);
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(3), ..before }).unwrap();
    let seen = lab.run(0);
    setrlimit(Resource::Nofile, before).unwrap();
    assert_eq!(seen.outcome, Outcome::NoResource, "{}", seen.note);
    assert_eq!(server.accepted(), 0);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
}
