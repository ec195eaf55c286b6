//! A server that ran already and is started anew by somebody else.
//!
//! Alone in its binary: a test beside it that starts a process holds, between fork and exec, a copy of every socket
//! of this one, so that a dropped listener seems to listen for a moment longer.
#![allow(clippy::unwrap_used, reason = "a test")]

use clock::Clock;
use contract::{Node, Place};
use launch::{Options, start_instances};
use std::net::TcpListener;
use study::Instance;
use terms::Nanos;

#[test]
fn a_server_that_runs_already_and_comes_back_was_restarted() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let adopted = Instance {
        name: "target".to_owned(),
        place: Place::default(),
        start: None,
        url: Some(Node::text_at(Place::default(), format!("http://{address}"))),
        ports: Vec::new(),
        replicas: 1,
        written: study::Written::default(),
        needs: Vec::new(),
        ready: None,
        stop: Nanos::from_secs(10),
        identity: "/version".to_owned(),
        expect: Vec::new(),
        contains: None,
        signs: study::Signs::default(),
        tls: None,
        proxy: None,
        ready_within: None,
        faults: Vec::new(),
        env: Vec::new(),
        cores: Vec::new(),
    };
    let options = Options::new(
        folder.path().to_owned(),
        folder.path().join("scratch"),
        folder.path().join("log"),
        Clock::system(),
    );
    let resolve = |_: &Instance, _: &launch::PerReplica<'_>, node: &Node| Ok(node.as_text("a text")?.to_owned());
    let mut launched = start_instances(&[adopted], folder.path(), &resolve, &options).unwrap();
    assert_eq!(launched.check(), []);
    drop(listener);
    let again = TcpListener::bind(address).unwrap();
    let events = launched.check();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(
        (events[0].kind, events[0].text.as_str()),
        (
            "restart",
            format!("`target` listens on port {} with a new socket: it was restarted", address.port()).as_str()
        )
    );
    assert_eq!(launched.check(), []);
    drop(again);
    assert_eq!(launched.check(), [], "once may be an accident of reading");
    assert_eq!(launched.check()[0].kind, "gone");
    assert_eq!(launched.check(), []);
}
