//! The hub: who is asked, who gets what, what is signed, tried again, and ended; by a subscriber of plain sockets.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use ring::hmac;
use testkit::program::Process;

use crate::subscriber::{Subscriber, hub, line, post, publish, subscribe};
use crate::support::{start, tokens};

#[test]
fn content_comes_signed_to_whoever_confirmed_and_says_where_it_is_from() {
    let (hub, _folder) = hub("--signature sha384 --lease 10m");
    let subscriber = Subscriber::new(|_| 200);
    let question = subscribe(&hub, &subscriber, "&hub.secret=s%26t&hub.lease_seconds=60&unknown=x");
    assert!(question.line.starts_with("GET /c?a=1&hub.mode=subscribe&hub.topic=orders&"), "{question:?}");
    assert_eq!(question.field("hub.lease_seconds"), Some("60"));
    publish(&hub, "hello");
    let content = subscriber.next();
    assert_eq!((content.line.as_str(), content.body.as_slice()), ("POST /c?a=1 HTTP/1.1", b"hello".as_slice()));
    assert_eq!(content.header("content-type"), Some("text/x"));
    assert_eq!(content.header("link"), Some("<http://h/hub>; rel=\"hub\", <orders>; rel=\"self\""));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA384, b"s&t"), b"hello");
    let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(content.header("x-hub-signature"), Some(format!("sha384={hex}").as_str()));

    let topic = hub.get("/topics/orders");
    assert_eq!((topic.status, topic.body.as_str()), (200, "hello"));
    let link = topic.header("link").unwrap();
    assert!(link.contains("/hub>; rel=\"hub\"") && link.contains("/topics/orders>; rel=\"self\""), "{link}");
}

#[test]
fn a_topic_may_leave_its_links_to_what_was_published() {
    let (hub, _folder) = hub("--no-links");
    let page = "<head><link rel=hub href=/hub></head>";
    assert_eq!(post(&hub.address, "/publish/page", "Content-Type: text/html\r\n", page).0, 202);
    let topic = hub.get("/topics/page");
    assert_eq!(
        (topic.body.as_str(), topic.header("content-type"), topic.header("link")),
        (page, Some("text/html"), None)
    );
}

#[test]
fn an_unsubscription_and_an_answer_of_410_end_it() {
    let (hub, _folder) = hub("");
    let (stays, gone) = (Subscriber::new(|_| 200), Subscriber::new(|_| 410));
    subscribe(&hub, &stays, "");
    subscribe(&hub, &gone, "");
    publish(&hub, "1");
    assert_eq!((stays.next().body, gone.next().body), (b"1".to_vec(), b"1".to_vec()));
    hub.counters_until(|counters| counters["deliveries"]["gone"] == 1 && counters["subscriptions"]["active"] == 1);
    publish(&hub, "2");
    assert_eq!(stays.next().body, b"2");
    assert!(gone.nothing_comes());
    assert_eq!(post(&hub.address, "/hub", "", &stays.form("unsubscribe", "")).0, 202);
    assert_eq!(stays.next().field("hub.mode"), Some("unsubscribe"));
    hub.counters_until(|counters| counters["subscriptions"]["unsubscribed"] == 1);
    publish(&hub, "3");
    assert!(stays.nothing_comes());
}

#[test]
fn a_delivery_that_fails_is_tried_again() {
    let (hub, _folder) = hub("");
    let subscriber = Subscriber::new(|number| if number == 0 { 500 } else { 204 });
    subscribe(&hub, &subscriber, "");
    publish(&hub, "x");
    assert_eq!((subscriber.next().body, subscriber.next().body), (b"x".to_vec(), b"x".to_vec()));
    let counters = hub.counters_until(|counters| counters["deliveries"]["delivered"] == 1);
    let of = |key: &str| counters["deliveries"][key].as_u64().unwrap();
    assert_eq!((of("attempted"), of("failed"), of("retried")), (2, 1, 1));
}

#[test]
fn subscriptions_outlive_the_process_and_leases_end_them() {
    let (first, folder) = hub("");
    let (long, short) = (Subscriber::new(|_| 200), Subscriber::new(|_| 200));
    subscribe(&first, &long, "");
    subscribe(&first, &short, "&hub.lease_seconds=1");
    drop(first);
    let second = start(&line(&folder, ""));
    second.counters_until(|counters| counters["subscriptions"]["expired"] == 1);
    publish(&second, "x");
    assert_eq!(long.next().body, b"x");
    assert!(short.nothing_comes());
}

#[test]
fn what_is_no_request_is_refused_with_the_reason() {
    let (hub, _folder) = hub("");
    for (path, body, told) in [
        ("/hub", "", "`hub.topic` is missing"),
        ("/hub", "hub.mode=subscribe&hub.topic=t", "`hub.callback` is missing"),
        (
            "/hub",
            "hub.mode=subscribe&hub.topic=t&hub.callback=https%3A%2F%2Fh%2F",
            "start this hub with `--callback-ca FILE`",
        ),
        ("/hub", "hub.mode=x&hub.topic=t&hub.callback=http%3A%2F%2Fh%2F", "`hub.mode` is neither"),
        ("/hub", "hub.mode=subscribe&hub.topic=t&hub.callback=http%3A%2F%2Fh%2F&hub.lease_seconds=0", "not a number"),
        ("/hub", "hub.mode=subscribe&hub.topic=a%0Ab&hub.callback=http%3A%2F%2Fh%2F", "cannot stand in a header"),
        ("/hub?hub.mode=publish", "x", "no topic is named"),
        ("/publish", "x", "no topic is named"),
    ] {
        let (status, answer) = post(&hub.address, path, "", body);
        assert!(status == 400 && answer.contains(told), "{body}: {status} {answer}");
    }
    let long = format!("hub.mode=subscribe&hub.topic=t&hub.callback=http%3A%2F%2Fh%2F&hub.secret={}", "x".repeat(200));
    assert_eq!(post(&hub.address, "/hub", "", &long).0, 400);
}

#[test]
fn a_publisher_may_name_its_topic_in_the_path_or_a_link() {
    let (hub, _folder) = hub("");
    let subscriber = Subscriber::new(|_| 200);
    subscribe(&hub, &subscriber, "");
    let link = "Link: <http://h/hub>; rel=\"hub\", <orders>; rel=\"self\"\r\n";
    assert_eq!(post(&hub.address, "/publish", link, "1"), (202, "to 1 subscribers\n".to_owned()));
    assert_eq!(post(&hub.address, "/publish/orders", "", "2").0, 202);
    let mut bodies = [subscriber.next().body, subscriber.next().body];
    bodies.sort();
    assert_eq!(bodies, [b"1", b"2"]);
}

#[test]
fn faults_of_subscriptions_are_as_said() {
    let (hub, _folder) = hub("--fault deny_above=1 --fault refuse_above=1");
    let subscriber = Subscriber::new(|_| 200);
    subscribe(&hub, &subscriber, "");
    let other = Subscriber::new(|_| 200);
    assert_eq!(post(&hub.address, "/hub", "", &other.form("subscribe", "")).0, 503);
    assert_eq!(post(&hub.address, "/hub", "", &subscriber.form("subscribe", "")).0, 202, "who is there renews");
    drop(hub);
    let (hub, _folder) = crate::subscriber::hub("--fault deny_above=1");
    subscribe(&hub, &Subscriber::new(|_| 200), "");
    assert_eq!(post(&hub.address, "/hub", "", &other.form("subscribe", "")).0, 202);
    let told = other.next();
    assert_eq!((told.field("hub.mode"), told.field("hub.challenge")), (Some("denied"), None));
    hub.counters_until(|counters| counters["subscriptions"]["denied"] == 1 && counters["subscriptions"]["active"] == 1);
}

#[test]
fn a_gateway_passes_requests_with_a_good_token_on() {
    let (hub, _folder) = hub("");
    let gateway = start(&format!("gateway --backend 127.0.0.1:1 --hub {}", hub.address));
    let subscriber = Subscriber::new(|_| 200);
    let form = subscriber.form("subscribe", "");
    assert_eq!(post(&gateway.address, "/hub", "", &form).0, 401);
    let token = format!("Authorization: Bearer {}\r\n", tokens("--count 1").remove(0));
    assert_eq!(post(&gateway.address, "/hub", &token, &form), (202, "you will be asked\n".to_owned()));
    assert!(subscriber.next().line.starts_with("GET /c?a=1&hub.mode=subscribe"));
    hub.counters_until(|counters| counters["subscriptions"]["active"] == 1);
    let path = "/hub?hub.mode=publish&hub.topic=orders";
    assert_eq!(post(&gateway.address, path, &token, "x").0, 202);
    assert_eq!(subscriber.next().body, b"x");
    let without = start("gateway --backend 127.0.0.1:1");
    assert_eq!(post(&without.address, "/hub", &token, &form).0, 404);
}

#[test]
fn a_hub_may_send_subscribers_on_to_another_and_a_gateway_passes_that_on() {
    let (to, _folder) = hub("");
    let (from, _other) = hub(&format!("--redirect 307=http://{}/hub?a=b", to.address));
    let gateway = start(&format!("gateway --backend 127.0.0.1:1 --hub {}", from.address));
    let token = tokens("--count 1").remove(0);
    let form = Subscriber::new(|_| 200).form("subscribe", "");
    for (process, headers) in [(&from, Vec::new()), (&gateway, vec![("authorization", format!("Bearer {token}"))])] {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = process.call("POST", "/hub", &headers, &form);
        assert_eq!(
            (answer.status, answer.header("location")),
            (307, Some(format!("http://{}/hub?a=b", to.address).as_str()))
        );
    }
    // Content is published where it was.
    publish(&from, "x");
    let counters = from.counters();
    assert_eq!((&counters["subscriptions"]["redirected"], &counters["events"]["published"]), (&2.into(), &1.into()));
}

/// The subscriptions are in a MariaDB of its own: a hub that starts again has them, and one whose database died says so and
/// takes more as soon as it is back.
#[test]
fn subscriptions_are_kept_in_a_mariadb_too() {
    let folder = tempfile::tempdir().unwrap();
    let flags = format!("--data {}/data --buffer-pool 32MB --restart-after 1s", folder.path().display());
    let database = testkit::program::command(testkit::program::beside("system-mariadb"), &flags);
    let database = Process::from(database).with(folder);
    let store = format!("hub --store mysql://lab@127.0.0.1:{}/lab", database.json("/version")["sql_port"]);
    let (first, second) = (Subscriber::new(|_| 200), Subscriber::new(|_| 200));
    let hub = start(&store);
    subscribe(&hub, &first, "&hub.secret=%C3%A9");
    subscribe(&hub, &second, "");
    let gone = second.form("unsubscribe", "");
    assert_eq!(post(&hub.address, "/hub", "", &gone).0, 202);
    assert_eq!(second.next().field("hub.mode"), Some("unsubscribe"));
    hub.counters_until(|counters| counters["subscriptions"]["unsubscribed"] == 1);
    drop(hub);

    let hub = start(&store);
    publish(&hub, "x");
    let delivery = first.next();
    assert_eq!(delivery.body, b"x");
    assert!(delivery.header("x-hub-signature").is_some() && second.nothing_comes());
    testkit::program::signal(database.server_pid(), "KILL");
    testkit::program::wait_until("the loss", || {
        post(&hub.address, "/hub", "", &second.form("subscribe", ""));
        hub.get("/health").status != 200
    });
    testkit::program::wait_until("the database", || {
        post(&hub.address, "/hub", "", &second.form("subscribe", ""));
        hub.get("/health").status == 200
    });
}
