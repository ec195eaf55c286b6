//! A topic that is asked for its hub: what it names is where requests go, and by which name.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{PUBLISH, SUBSCRIBE, VERIFY, at, call, callback_of, deliver, due, ends, hub, lab};
use contract::{Node, Settings};
use driver_websub::WEBSUB;
use std::io::Write;
use terms::Outcome;
use testkit::{Lab, Server, Surroundings, mistakes, text};

/// A topic that names this hub, and itself as `http://lab/own`; by headers, or in the head of a page.
fn named(hub: String, by_header: bool) -> Server {
    Server::replying(move |_, _, stream| {
        let (headers, body) = match by_header {
            true => (format!("Link: <{hub}>; rel=\"hub\"\r\nLink: <http://lab/own>; rel=\"self\"\r\n"), String::new()),
            false => {
                let links = format!("<link rel=hub href=\"{hub}\"><link rel=self href=\"http://lab/own\">");
                ("Content-Type: text/html\r\n".to_owned(), format!("<html><head>{links}</head><body></body></html>"))
            }
        };
        let answer = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).is_ok()
    })
}

/// The same exchange without a hub, of this topic.
fn discovered(topic_at: &Server, more: &[(&str, Node)]) -> Settings {
    let of = [
        ("topic", text(format!("http://{}/feed", topic_at.address))),
        ("callback", text("pong")),
        ("body", text("$(serial) hello")),
        ("discover", text("yes")),
    ];
    testkit::exchange("topic", &[&of, more].concat())
}

fn is_published(lab: &mut Lab) -> bool {
    lab.until(|lab| ends(&lab.seen(), PUBLISH) == [(Outcome::Ok, 1)])
}

#[test]
fn subscriptions_and_events_go_to_the_hub_that_the_topic_names() {
    for by_header in [true, false] {
        let hub = hub(202);
        let topic = named(at(&hub), by_header);
        let mut lab = lab(discovered(&topic, &[]), 1);
        assert_eq!(topic.request().head.lines().next(), Some("GET /feed HTTP/1.1"));
        let told: Vec<_> = lab.notices().into_iter().map(|notice| notice.text).collect();
        assert_eq!(told, [format!("the topic names the hub {}, and itself `http://lab/own`", at(&hub))]);
        assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
        let request = hub.request();
        let form = String::from_utf8_lossy(&request.body).into_owned();
        assert!(form.contains("hub.topic=http%3A%2F%2Flab%2Fown"), "{form}");
        let callback = callback_of(&request);
        let query =
            format!("{callback}?hub.mode=subscribe&hub.topic=http://lab/own&hub.challenge=x&hub.lease_seconds=600");
        assert_eq!(call(&mut lab, "GET", &query, &[], b"").unwrap().1.body, b"x");
        due(&mut lab, 0, 0);
        assert!(is_published(&mut lab));
        let event = hub.request();
        assert!(
            event.head.starts_with("POST /hub?hub.mode=publish&hub.topic=http%3A%2F%2Flab%2Fown HTTP/1.1"),
            "{}",
            event.head
        );
        let link = format!("Link: <{}>; rel=\"hub\", <http://lab/own>; rel=\"self\"", at(&hub));
        assert!(event.head.lines().any(|line| line == link), "{}", event.head);
        assert_eq!(deliver(&mut lab, &callback, &[], &event.body), 204);
        lab.settle();
        assert_eq!(topic.accepted(), 1, "it is asked once");
    }
}

#[test]
fn a_question_of_the_name_that_was_asked_is_not_of_the_topics_own() {
    let hub = hub(202);
    let topic = named(at(&hub), true);
    let mut lab = lab(discovered(&topic, &[]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let callback = callback_of(&hub.request());
    let query = format!("{callback}?hub.mode=subscribe&hub.topic=http://{}/feed&hub.challenge=x", topic.address);
    assert_eq!(call(&mut lab, "GET", &query, &[], b"").unwrap().1.status, 404);
    lab.settle();
    let seen = lab.seen();
    assert_eq!((ends(&seen, SUBSCRIBE), ends(&seen, VERIFY)), (vec![(Outcome::Ok, 1)], vec![(Outcome::Wrong, 1)]));
}

#[test]
fn events_may_be_published_elsewhere() {
    let (hub, publisher) = (hub(202), hub(202));
    let topic = named(at(&hub), true);
    let mut lab = lab(discovered(&topic, &[("publish", text(format!("http://{}/publish", publisher.address)))]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    due(&mut lab, 0, 0);
    assert!(is_published(&mut lab));
    assert!(publisher.request().head.starts_with("POST /publish HTTP/1.1"));
}

#[test]
fn mistakes_of_discovery_say_what_to_write() {
    let exchange = |more: &[(&str, Node)]| {
        let of = [("callback", text("pong")), ("body", text("$(serial) hello"))];
        testkit::exchange("topic", &[&of, more].concat())
    };
    let (url, name) = (("topic", text("http://h/feed")), ("topic", text("orders")));
    let (yes, hub_at) = (("discover", text("yes")), ("hub", text("http://h/hub")));
    for (settings, code, label) in [
        (exchange(&[url.clone(), yes.clone(), hub_at.clone()]), "websub::two-hubs", "remove one of them"),
        (exchange(&[name.clone(), yes]), "websub::bad-url", "write `http://host:port/path`"),
        (exchange(&[url.clone(), ("discover", text("perhaps"))]), "study::wrong-type", "write `yes` or `no`"),
        (exchange(&[url, ("discover", text("no"))]), "study::missing-key", ""),
    ] {
        let found = mistakes(WEBSUB, settings, &Surroundings::default());
        let is_told =
            |it: &contract::Mistake| it.code == code && (label.is_empty() || it.label.as_deref() == Some(label));
        assert!(found.iter().any(is_told), "{code}: {found:?}");
    }
    assert!(mistakes(WEBSUB, exchange(&[name, hub_at, ("discover", text("no"))]), &Surroundings::default()).is_empty());
}
