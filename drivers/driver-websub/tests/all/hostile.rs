//! Whatever comes to a callback: nothing panics, and nothing closes the leg of another subscriber.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{at, call, due, hub, lab, subscribed, topic};
use contract::{Reply, RequestHead};
use proptest::prelude::*;
use terms::Nanos;
use testkit::text;

#[test]
fn callbacks_of_others_are_not_claimed() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), 1);
    let callback = subscribed(&mut lab, &server, 0);
    let claims = |path: &str| {
        let head = RequestHead { method: "POST", path, headers: &[], at: Nanos::ZERO };
        lab.replies.claims(&head)
    };
    assert!(claims(&callback) && claims(&format!("/behind{callback}?x=/y")));
    // Another subscriber's key with this one's token, and the other way round.
    let (head, last) = callback.split_at(callback.len() - 1);
    let other = if last == "0" { '1' } else { '0' };
    assert!(!claims(&format!("{head}{other}")) && !claims(head) && !claims("/") && !claims(""));
    assert!(!claims(&callback.to_uppercase()));
}

#[test]
fn methods_that_no_hub_uses_are_refused() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), 1);
    let callback = subscribed(&mut lab, &server, 0);
    for method in ["PUT", "HEAD", "DELETE", "OPTIONS", "get"] {
        let (reply, answer) = call(&mut lab, method, &callback, &[], b"").unwrap();
        assert_eq!((reply, answer.status), (Reply::Unreadable, 405), "{method}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn no_request_panics_or_closes_the_leg_of_another(
        requests in proptest::collection::vec(
            (
                "GET|POST|PUT|\\PC{0,4}",
                "|\\?hub.mode=(subscribe|denied|unsubscribe)(&hub.topic=(orders|x))?(&hub.challenge=\\PC{0,5})?(&hub.lease_seconds=(-?[0-9]{1,20}|x))?|\\PC{0,20}",
                "x-hub-signature|content-type|\\PC{0,5}",
                proptest::collection::vec(any::<u8>(), 0..40),
                prop_oneof![Just(b"0 hello".to_vec()), proptest::collection::vec(any::<u8>(), 0..40)],
            ),
            1..40,
        ),
    ) {
        let server = hub(202);
        let mut lab = lab(topic(at(&server), &[("secret", text("s"))]), 2);
        let callbacks = [0, 1].map(|slot| subscribed(&mut lab, &server, slot));
        (0..2).for_each(|slot| due(&mut lab, slot, 0));
        for (method, query, header, value, body) in &requests {
            let path = format!("{}{query}", callbacks[1]);
            let headers = [(header.as_str(), value.as_slice())];
            let Some((reply, answer)) = call(&mut lab, method, &path, &headers, body) else { continue };
            prop_assert!((200..500).contains(&answer.status));
            if let Reply::Match { key, .. } | Reply::Handshake { key } = reply {
                // The lowest bits are those of the subscriber: its event 0 has its own number, 1.
                prop_assert_eq!(key & 0xf_ffff, 1);
            }
        }
    }
}
