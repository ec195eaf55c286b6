//! A whole conversation in each way in which a server knows who is there, and what is heard by whoever listens.

use crate::{PASSWORDS, kept, password, server};
use broker::{Identity, Lends, Login, Meeting, Needed, Server, offer, take_up};
use run::nodes::{Inbox, Link};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testkit::nats::{Authority, Listener, Nats, Operator, as_deployed};

const ORDER: &str = "row-of-the-study-299";
const ANSWER: &str = "ticket-Heron-2290-q";

/// A frame in more than one piece, with this text at its beginning and its end.
fn long(text: &str) -> Vec<u8> {
    [text.as_bytes(), &vec![b' '; 600 << 10], text.as_bytes()].concat()
}

fn next(from: &mut Box<dyn Inbox>) -> Vec<u8> {
    from.next().unwrap().expect("one more")
}

/// A node offers itself, a run calls it, both speak; then the conductor is gone, and whoever takes the run up hears all of
/// it again, is heard by the node, and has the server forget it.
fn converse(node: &Server, run: &Server) {
    let node = node.clone();
    let node = std::thread::spawn(move || {
        let Link { mut to, mut from } = offer(&node, &Lends::Load(Some(0)), || ()).unwrap().link;
        assert_eq!(next(&mut from), long(ORDER));
        to.send(&long(ANSWER)).unwrap();
        assert_eq!(next(&mut from), b"one more order");
        to.send(b"done").unwrap();
        assert_eq!(from.next().unwrap(), None, "the other end says that it goes");
    });
    let meeting = Meeting::open(run.clone()).unwrap();
    let mut called = meeting.call("a-run", Needed::load(1), Duration::from_secs(60), &AtomicBool::new(false)).unwrap();
    called.links[0].to.send(&long(ORDER)).unwrap();
    assert_eq!(next(&mut called.links[0].from), long(ANSWER));
    let mut left = take_up(run, "a-run", 1).unwrap();
    assert_eq!(next(&mut left.nodes[0].orders), long(ORDER));
    assert_eq!(left.nodes[0].orders.next().unwrap(), None);
    let link = &mut left.nodes[0].link;
    assert_eq!(next(&mut link.from), long(ANSWER));
    link.to.send(b"one more order").unwrap();
    assert_eq!(next(&mut link.from), b"done");
    drop(called);
    node.join().unwrap();
    left.forget();
    let gone = take_up(run, "a-run", 1).err().unwrap();
    assert!(gone.contains("keeps nothing of the run `a-run`"), "{gone}");
}

#[test]
fn passwords_lead_through_with_the_rights_of_the_deployed_configuration_alone() {
    let authority = Authority::create();
    let nats = as_deployed(&authority.server(), PASSWORDS);
    let way = Listener::before(nats.port());
    let kept = kept(&[("ca.pem", &authority.pem)]);
    let of = |name: &str, of_name: &str| Server {
        login: password(name, of_name),
        authorities: Some(kept.path().join("ca.pem")),
        ..server(&format!("tls://127.0.0.1:{}", way.port()))
    };
    converse(&of("node", PASSWORDS[0]), &of("run", PASSWORDS[1]));
    let log = nats.log();
    assert!(log.contains("Server is ready") && !log.contains("Violation"), "somebody asked for more: {log}");
    assert!(way.heard().len() > 2 << 20, "nothing was heard");
    for hidden in PASSWORDS.iter().chain(&[ORDER, ANSWER]) {
        assert!(!way.has_heard(hidden), "{hidden}");
    }
}

#[test]
fn without_encryption_it_is_heard_but_not_what_a_key_keeps() {
    let (node, run) = (nkeys::KeyPair::new_user(), nkeys::KeyPair::new_user());
    let users = [&node, &run].map(|user| format!("{{ nkey: {} }}", user.public_key())).join(", ");
    let nats = Nats::configured(&format!("authorization {{ users: [ {users} ] }}\njetstream {{}}\n"), &[], &[]);
    let way = Listener::before(nats.port());
    let [node, run] = [node, run].map(|user| user.seed().unwrap());
    let of = |seed: &str| Server {
        login: Login::Seed(seed.to_owned()),
        ..server(&format!("nats://127.0.0.1:{}", way.port()))
    };
    converse(&of(&node), &of(&run));
    assert!(way.has_heard(ORDER) && way.has_heard(ANSWER), "nothing was heard");
    assert!(!way.has_heard(&node) && !way.has_heard(&run));
}

#[test]
fn a_node_that_says_something_after_the_end_is_not_kept_by_it() {
    let nats = Nats::start();
    let side = server(&nats.url());
    let node = std::thread::spawn({
        let side = side.clone();
        move || {
            let Link { mut to, mut from } = offer(&side, &Lends::Load(None), || ()).unwrap().link;
            to.send(b"here").unwrap();
            // Either is the end: the other one has said that it goes, or the server has forgotten the run.
            assert!(!matches!(from.next(), Ok(Some(_))));
            std::iter::repeat_with(|| to.send(b"too late")).find_map(Result::err).unwrap().to_string()
        }
    });
    let meeting = Meeting::open(side).unwrap();
    let mut called = meeting.call("a-run", Needed::load(1), Duration::from_secs(60), &AtomicBool::new(false)).unwrap();
    assert_eq!(next(&mut called.links[0].from), b"here");
    called.forget();
    let why = node.join().unwrap();
    assert!(why.contains("has left the run"), "{why}");
}

#[test]
fn credentials_of_an_account_lead_through() {
    let (authority, operator) = (Authority::create(), Operator::create());
    let certified = authority.server();
    let config = format!("{}tls {{ cert_file: tls.crt, key_file: tls.key }}\njetstream {{}}\n", operator.config);
    let nats = Nats::configured(&config, &[("tls.crt", &certified.certificate), ("tls.key", &certified.key)], &[]);
    let kept = kept(&[("ca.pem", &authority.pem)]);
    let of = |name: &str| Server {
        login: Login::of_file(&operator.user(name).0).unwrap(),
        authorities: Some(kept.path().join("ca.pem")),
        ..server(&format!("tls://127.0.0.1:{}", nats.port()))
    };
    converse(&of("node"), &of("run"));
}

#[test]
fn a_certificate_leads_through_to_a_server_that_asks_for_one() {
    let authority = Authority::create();
    let (certified, client) = (authority.server(), authority.certify("load node", false));
    let config = "tls { cert_file: tls.crt, key_file: tls.key, ca_file: ca.pem, verify: true }\njetstream {}\n";
    let own = [("tls.crt", certified.certificate.as_str()), ("tls.key", &certified.key), ("ca.pem", &authority.pem)];
    let nats = Nats::configured(config, &own, &[]);
    let kept = kept(&[("ca.pem", &authority.pem), ("tls.crt", &client.certificate), ("tls.key", &client.key)]);
    let file = |name: &str| kept.path().join(name);
    let side = Server {
        authorities: Some(file("ca.pem")),
        identity: Some(Identity { certificate: file("tls.crt"), key: file("tls.key") }),
        ..server(&format!("tls://127.0.0.1:{}", nats.port()))
    };
    converse(&side, &side);
}
