//! Whatever comes to the listener: refused, nobody's, or a reply, and never the wrong message's.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::{ACCEPTED, Message};
use crate::common::{exchange, folder, lab};
use contract::Reply;
use proptest::prelude::*;
use std::cell::RefCell;
use terms::Outcome;
use testkit::{Lab, Request, Server};

/// A lab with one Ping that waits, and that Ping.
fn waiting() -> (Lab, Request) {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[]));
    let mut lab = lab(&[exchange("ping", &peer.url(), &[])], folder.path());
    lab.carry_out(0);
    (lab, peer.request())
}

/// What a listener makes of a body, without telling the thread that waits.
fn handle(lab: &mut Lab, content_type: &str, body: &[u8]) -> (Reply, u16) {
    let headers = [("soapaction", b"\"ebXML\"".as_slice()), ("content-type", content_type.as_bytes())];
    let head = contract::RequestHead { method: "POST", path: "/", headers: &headers, at: lab.clock.now() };
    let mut answer = contract::Answer::default();
    let reply = lab.replies.handle(&head, body, &mut answer);
    (reply, answer.status)
}

thread_local! {
    static WAITING: RefCell<(Lab, Request)> = RefCell::new(waiting());
}

proptest! {
    #[test]
    fn a_mangled_pong_is_never_taken_for_another_messages(at in 0usize..2000, cut in 0usize..8, with in "\\PC{0,6}") {
        WAITING.with_borrow_mut(|(lab, request)| {
            let pong = request.signal("Pong");
            let at = (0..=at.min(pong.len())).rev().find(|at| pong.is_char_boundary(*at)).unwrap();
            let end = (at + cut).min(pong.len());
            let mangled = format!("{}{with}{}", &pong[..at], &pong[end..]);
            let (reply, status) = handle(lab, "text/xml", mangled.as_bytes());
            prop_assert!(status == 204 || status == 500 && reply == Reply::Unreadable);
            if let Reply::Match { leg, key, outcome, .. } = reply {
                // The key is part of the id; another key is another message, and its fingerprint would not fit.
                let id = format!("{key:032x}.000000000000feed.");
                prop_assert!(leg == 1 && mangled.contains(&id), "{mangled}");
                prop_assert!(matches!(outcome, Outcome::Ok | Outcome::Wrong | Outcome::Fault));
            }
            Ok(())
        })?;
    }

    #[test]
    fn any_bytes_are_refused_or_nobodys(
        content_type in "(text/xml|multipart/related; boundary=[a-c-]{1,3}|\\PC{0,20})",
        body in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        WAITING.with_borrow_mut(|(lab, _)| {
            let (reply, status) = handle(lab, &content_type, &body);
            prop_assert_eq!((reply, status), (Reply::Unreadable, 500));
            Ok(())
        })?;
    }
}

#[test]
fn what_is_no_post_is_told_so() {
    let (mut lab, request) = waiting();
    let headers = [("soapaction", b"ebXML".as_slice())];
    let head = contract::RequestHead { method: "GET", path: "/", headers: &headers, at: lab.clock.now() };
    assert!(lab.replies.claims(&head), "quotes are optional");
    let mut answer = contract::Answer::default();
    assert_eq!(lab.replies.handle(&head, request.signal("Pong").as_bytes(), &mut answer), Reply::Unreadable);
    assert_eq!(answer.status, 405);
    let other = [("soapaction", b"\"urn:other\"".as_slice())];
    assert!(!lab.replies.claims(&contract::RequestHead { headers: &other, ..head }));
}
