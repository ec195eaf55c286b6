//! Out of descriptors, in a process of its own.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

#[path = "all/peers.rs"]
mod peers;

use driver_sse::SSE;
use peers::{HEAD, listen, sending};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use terms::Outcome;
use testkit::Lab;

#[test]
fn no_descriptor_left_is_no_resource() {
    let server = sending(HEAD);
    let mut lab = Lab::new(SSE, &[listen(server.url(), &[])]);
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(3), ..before }).unwrap();
    let outcome = lab.connect(0, 0);
    setrlimit(Resource::Nofile, before).unwrap();
    assert_eq!((outcome, server.accepted()), (Outcome::NoResource, 0));
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
}
