//! Servers that cannot be used: each is told apart, with something to type, and nothing secret is shown.

use crate::{PASSWORDS, kept, password, server};
use broker::{Identity, Lends, Login, Meeting, Needed, Server, offer};
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testkit::nats::{Authority, Certified, Nats, Operator, as_deployed};

const WRONG: &str = "wrong-Weasel-1207-z";

/// Node and run are refused alike, with each of these words and none of what is hidden.
fn assert_refused(server: &Server, words: &[&str], hidden: &[&str]) {
    let run = Meeting::open(server.clone()).err().expect("a run is let in");
    let node = offer(server, &Lends::Load(None), || ()).err().expect("a node is let in");
    for said in [run, node] {
        words.iter().for_each(|word| assert!(said.contains(word), "`{word}` is not in: {said}"));
        let hidden = hidden.iter().chain(&PASSWORDS).chain([&WRONG]);
        hidden.for_each(|hidden| assert!(!said.contains(hidden), "{said}"));
        assert!(said.lines().count() == 1 && said.chars().count() < 600, "{said}");
    }
}

#[test]
fn a_server_that_is_not_trusted_is_named_with_the_file_that_is_wanted() {
    let (authority, other) = (Authority::create(), Authority::create());
    let kept = kept(&[("ca.pem", &authority.pem), ("other.pem", &other.pem)]);
    let nats = as_deployed(&authority.server(), PASSWORDS);
    let of = |url: &str, file: Option<&str>| Server {
        login: password("run", PASSWORDS[1]),
        authorities: file.map(|name| kept.path().join(name)),
        ..server(&format!("{url}:{}", nats.port()))
    };
    assert_refused(&of("tls://127.0.0.1", Some("other.pem")), &["other.pem", "signed by", "`--nats-ca FILE`"], &[]);
    assert_refused(&of("tls://127.0.0.1", None), &["nobody who is trusted here", "`--nats-ca FILE`"], &[]);
    assert_refused(&of("nats://127.0.0.1", None), &["is encrypted", "`--nats-ca FILE`"], &[]);
    let by_name = of("tls://localhost", Some("ca.pem"));
    assert_refused(&by_name, &["is for other names", "127.0.0.1", "`--nats`"], &[]);
    let expired = as_deployed(&authority.certify("127.0.0.1", true), PASSWORDS);
    let late = Server {
        authorities: Some(kept.path().join("ca.pem")),
        ..server(&format!("tls://127.0.0.1:{}", expired.port()))
    };
    assert_refused(&late, &["has expired", "new one", "`date`"], &[]);
}

#[test]
fn a_user_who_is_not_let_in_is_told_what_is_missing() {
    let authority = Authority::create();
    let kept = kept(&[("ca.pem", &authority.pem)]);
    let nats = as_deployed(&authority.server(), PASSWORDS);
    let of = |login: Login| Server {
        login,
        authorities: Some(kept.path().join("ca.pem")),
        ..server(&format!("tls://127.0.0.1:{}", nats.port()))
    };
    assert_refused(&of(Login::Nobody), &["asks who is there", "`--nats-creds FILE`", "`LOADPROOF_NATS_PASSWORD`"], &[]);
    for (name, given) in [("run", WRONG), ("stranger", PASSWORDS[1]), ("run", "")] {
        assert_refused(&of(password(name, given)), &["does not let in the user", "`users`"], &[]);
    }
}

#[test]
fn credentials_of_somebody_else_are_refused() {
    let (operator, other) = (Operator::create(), Operator::create());
    let (creds, seed) = other.user("stranger");
    let stranger = nkeys::KeyPair::new_user().seed().unwrap();
    let by_token = Nats::configured(&format!("{}jetstream {{}}\n", operator.config), &[], &[]);
    let known = nkeys::KeyPair::new_user().public_key();
    let config = format!("authorization {{ users: [ {{ nkey: {known} }} ] }}\njetstream {{}}\n");
    let by_key = Nats::configured(&config, &[], &[]);
    for (nats, text, words) in [
        (&by_token, &creds, &["does not let in the user", "`nsc generate creds`"][..]),
        (&by_key, &stranger, &["does not know the key", "`--nats-creds`", "public key"]),
    ] {
        let side = Server { login: Login::of_file(text).unwrap(), ..server(&nats.url()) };
        assert_refused(&side, words, &[&seed, &stranger]);
    }
}

#[test]
fn a_server_that_asks_for_a_certificate_says_so() {
    let (authority, other) = (Authority::create(), Authority::create());
    let (Certified { certificate, key }, strange) = (authority.server(), other.certify("load node", false));
    let config = "tls { cert_file: tls.crt, key_file: tls.key, ca_file: ca.pem, verify: true }\njetstream {}\n";
    let files = [("tls.crt", certificate.as_str()), ("tls.key", &key), ("ca.pem", &authority.pem)];
    let nats = Nats::configured(config, &files, &[]);
    let kept =
        kept(&[("ca.pem", &authority.pem), ("strange.crt", &strange.certificate), ("strange.key", &strange.key)]);
    let file = |name: &str| kept.path().join(name);
    let none = Server { authorities: Some(file("ca.pem")), ..server(&format!("tls://127.0.0.1:{}", nats.port())) };
    assert_refused(&none, &["wants a certificate of this side", "`--nats-cert FILE --nats-key FILE`"], &[]);
    let identity = Some(Identity { certificate: file("strange.crt"), key: file("strange.key") });
    assert_refused(&Server { identity, ..none }, &["refuses the certificate in", "strange.crt", "`ca_file`"], &[]);
}

#[test]
fn servers_of_another_kind_are_told_from_one_that_is_not_there() {
    let authority = Authority::create();
    let kept = kept(&[("ca.pem", &authority.pem)]);
    let plain = Nats::start();
    let by_tls = Server {
        authorities: Some(kept.path().join("ca.pem")),
        ..server(&format!("tls://127.0.0.1:{}", plain.port()))
    };
    assert_refused(&by_tls, &["does not speak TLS", "`nats://`"], &[]);
    let away = "nats://127.0.0.1:1";
    assert_refused(&server(away), &["no NATS server can be used at", away, "`nats-server -js`", "`--nats`"], &[]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mute = format!("nats://127.0.0.1:{}", silent.local_addr().unwrap().port());
    // Once is enough: it takes as long as a connection may take.
    let said = Meeting::open(server(&mute)).err().unwrap();
    assert!(said.contains("does not answer") && said.contains(&mute), "{said}");
}

#[test]
fn a_server_that_keeps_no_messages_is_no_place_for_a_run() {
    let without = Nats::configured("max_payload: 1MB\n", &[], &[]);
    let account = "jetstream {}\naccounts { A { users: [ { user: run, password: p } ] } }\n";
    let for_others = Nats::configured(account, &[], &[]);
    for (nats, login) in [(&without, Login::Nobody), (&for_others, password("run", "p"))] {
        let said = Meeting::open(Server { login, ..server(&nats.url()) }).err().unwrap();
        assert!(said.contains("keeps no messages") && said.contains("`nats-server -js -sd FOLDER`"), "{said}");
    }
}

/// A server whose users may publish this and hear everything.
fn with_rights(publish: &str) -> Nats {
    Nats::configured(
        &format!(
            "jetstream {{}}\nauthorization {{ users: [\n\
             {{ user: narrow, password: {WRONG}, permissions: {{ publish: [{publish}], subscribe: [\">\"] }} }}\n\
             {{ user: free, password: {WRONG} }} ] }}\n"
        ),
        &[],
        &[],
    )
}

#[test]
fn a_user_without_the_rights_is_told_which_one_is_missing() {
    let side = |nats: &Nats, name: &str| Server { login: password(name, WRONG), ..server(&nats.url()) };
    let assert_told = |said: String, denied: &str| {
        assert!(said.contains(denied) && said.contains("deploy/nats/users.conf") && !said.contains(WRONG), "{said}");
    };
    let nats = with_rights("\"loadproof.*.call.*\"");
    assert_told(offer(&side(&nats, "narrow"), &Lends::Load(None), || ()).err().unwrap(), "loadproof.lab.offer");
    assert_told(Meeting::open(side(&nats, "narrow")).err().unwrap(), "$JS.API.INFO");
    let nats = with_rights("\"$JS.API.INFO\"");
    let meeting = Meeting::open(side(&nats, "narrow")).unwrap();
    let called = meeting.call("a-run", Needed::load(1), Duration::from_secs(60), &AtomicBool::new(false));
    assert_told(called.err().unwrap(), "$JS.API.STREAM.CREATE.loadproof-a-run");
    // One that may come, and may not say anything then.
    let nats = with_rights("\"loadproof.*.offer\", \"_INBOX.>\", \"$JS.API.>\"");
    let node = side(&nats, "narrow");
    let node = std::thread::spawn(move || {
        let mut link = offer(&node, &Lends::Load(None), || ()).unwrap().link;
        link.to.send(b"recorded").unwrap_err().to_string()
    });
    let meeting = Meeting::open(side(&nats, "free")).unwrap();
    let called = meeting.call("a-run", Needed::load(1), Duration::from_secs(60), &AtomicBool::new(false)).unwrap();
    assert_told(node.join().unwrap(), "loadproof.");
    called.forget();
}
