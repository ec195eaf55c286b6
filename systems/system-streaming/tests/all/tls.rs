//! TLS on both sides: services that speak it, and callbacks that a hub asks over it.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, StreamOwned};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tempfile::TempDir;
use testkit::program::{PATIENCE, Process};
use tungstenite::http::Uri;
use tungstenite::{ClientRequestBuilder, Message};

use crate::subscriber::{Subscriber, hub, line, post, publish, subscribe};
use crate::support::{command, start, tokens};

/// An authority and a certificate for 127.0.0.1, as the command writes them.
fn certificates() -> TempDir {
    certificates_for("")
}

fn certificates_for(flags: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("certificates --into {}/made {flags}", folder.path().display());
    assert!(command(&line).status().unwrap().success());
    folder
}

/// The flags of a service that has them.
fn flags(folder: &TempDir) -> String {
    let made = folder.path().join("made");
    format!("--tls-cert {0}/certificate.pem --tls-key {0}/key.pem", made.display())
}

fn pem(folder: &TempDir, name: &str) -> Vec<CertificateDer<'static>> {
    let path = folder.path().join("made").join(name);
    CertificateDer::pem_file_iter(path).unwrap().collect::<Result<_, _>>().unwrap()
}

fn server_config(folder: &TempDir) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::from_pem_file(folder.path().join("made/key.pem")).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    Arc::new(builder.with_single_cert(pem(folder, "certificate.pem"), key).unwrap())
}

/// A connection that trusts the authority in the folder, before its handshake.
fn connect(process: &Process, folder: &TempDir) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(pem(folder, "ca.pem"));
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(builder.with_root_certificates(roots).with_no_client_auth());
    let stream = TcpStream::connect(&process.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    StreamOwned::new(ClientConnection::new(config, ServerName::try_from("127.0.0.1").unwrap()).unwrap(), stream)
}

/// One request over TLS on a connection of its own, and the whole answer.
fn ask(process: &Process, folder: &TempDir, request: &str, body: &str) -> String {
    let mut stream = connect(process, folder);
    let head = format!("{request}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_gateway_serves_websockets_and_streams_over_tls_and_nothing_without() {
    let folder = certificates();
    let backend = start("backend --events 100/s");
    let gateway = start(&format!("gateway --backend {} {}", backend.address, flags(&folder)));
    let token = tokens("--count 1").remove(0);
    let uri: Uri = format!("wss://{}/echoapi/1.0.0", gateway.address).parse().unwrap();
    let request = ClientRequestBuilder::new(uri).with_header("authorization", format!("Bearer {token}"));
    let (mut socket, _) = tungstenite::client(request, connect(&gateway, &folder)).unwrap();
    // More than one record of TLS holds, both ways.
    for text in ["hello".to_owned(), "x".repeat(100_000) + "y"] {
        socket.send(Message::text(text.clone())).unwrap();
        let answer = socket.read().unwrap().into_text().unwrap();
        assert!(answer.chars().eq(text.chars().rev()), "{} bytes", answer.len());
    }
    socket.close(None).unwrap();

    let mut stream = connect(&gateway, &folder);
    let request = format!("GET /sse/1.0.0/events HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {token}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    while !text.contains("\"n\":3,") {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");

    // Neither a client without TLS nor one that trusts somebody else takes the service with it.
    let mut plain = TcpStream::connect(&gateway.address).unwrap();
    plain.set_read_timeout(Some(PATIENCE)).unwrap();
    plain.write_all(b"GET /version HTTP/1.1\r\nhost: t\r\n\r\n").unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP/"), "{said:?}");
    let stranger = certificates();
    assert!(connect(&gateway, &stranger).write_all(b"GET /version HTTP/1.1\r\nhost: t\r\n\r\n").is_err());
    assert!(ask(&gateway, &folder, "GET /version HTTP/1.1\r\nHost: t", "").contains("\"module\":\"gateway\""));
}

#[test]
fn who_says_nothing_in_the_handshake_holds_up_nobody() {
    let folder = certificates();
    let backend = start(&format!("backend {}", flags(&folder)));
    let silent: Vec<_> = (0..50).map(|_| TcpStream::connect(&backend.address).unwrap()).collect();
    assert!(ask(&backend, &folder, "GET /version HTTP/1.1\r\nHost: t", "").contains("\"module\":\"backend\""));
    drop(silent);
}

#[test]
fn a_hub_over_tls_names_itself_so() {
    let (folder, subscriber) = (certificates(), Subscriber::new(|_| 200));
    let (hub, _store) = hub(&flags(&folder));
    let subscribed = ask(&hub, &folder, "POST /hub HTTP/1.1\r\nHost: own:1", &subscriber.form("subscribe", ""));
    assert!(subscribed.starts_with("HTTP/1.1 202 "), "{subscribed}");
    assert!(subscriber.next().line.starts_with("GET /c?a=1&hub.mode=subscribe"));
    let active = || {
        let counters = ask(&hub, &folder, "GET /counters HTTP/1.1\r\nHost: t", "");
        counters.contains("\"active\":1")
    };
    testkit::program::wait_until("the subscription", active);
    let published = ask(&hub, &folder, "POST /publish/orders HTTP/1.1\r\nHost: own:1", "x");
    assert!(published.starts_with("HTTP/1.1 202 "), "{published}");
    let content = subscriber.next();
    assert_eq!(content.header("link"), Some("<https://own:1/hub>; rel=\"hub\", <orders>; rel=\"self\""));
    let topic = ask(&hub, &folder, "GET /topics/orders HTTP/1.1\r\nHost: own:1", "");
    assert!(topic.contains("<https://own:1/hub>; rel=\"hub\", <https://own:1/topics/orders>; rel=\"self\""), "{topic}");
}

/// Behind a gateway that speaks TLS a hub without it is at the gateway's address.
#[test]
fn a_hub_behind_a_gateway_over_tls_is_where_the_gateway_is() {
    let (folder, subscriber) = (certificates(), Subscriber::new(|_| 200));
    let (hub, _store) = hub("");
    let gateway = start(&format!("gateway --backend 127.0.0.1:1 --hub {} {}", hub.address, flags(&folder)));
    let token = tokens("--count 1").remove(0);
    let head = format!("POST /hub HTTP/1.1\r\nHost: own:1\r\nAuthorization: Bearer {token}");
    assert!(ask(&gateway, &folder, &head, &subscriber.form("subscribe", "")).starts_with("HTTP/1.1 202 "));
    subscriber.next();
    hub.counters_until(|counters| counters["subscriptions"]["active"] == 1);
    publish(&hub, "x");
    assert_eq!(subscriber.next().header("link"), Some("<https://own:1/hub>; rel=\"hub\", <orders>; rel=\"self\""));
}

#[test]
fn callbacks_over_tls_are_asked_and_get_content_where_their_authority_is_trusted() {
    let folder = certificates();
    let (hub, _store) = hub(&format!("--callback-ca {}/made/ca.pem", folder.path().display()));
    let subscriber = Subscriber::over(Some(server_config(&folder)), |_| 200);
    let question = subscribe(&hub, &subscriber, "&hub.secret=s");
    assert!(question.line.starts_with("GET /c?a=1&hub.mode=subscribe&hub.topic=orders&"), "{question:?}");
    for content in ["1", "2"] {
        publish(&hub, content);
        let delivery = subscriber.next();
        assert_eq!(delivery.body, content.as_bytes());
        assert!(delivery.header("x-hub-signature").is_some());
    }
    let counters = hub.counters_until(|counters| counters["deliveries"]["delivered"] == 2);
    assert_eq!((&counters["callbacks"]["untrusted"], &counters["deliveries"]["failed"]), (&0.into(), &0.into()));
}

#[test]
fn a_callback_with_a_wrong_certificate_gets_nothing_and_is_counted() {
    let trusted = certificates();
    let flags = format!("--callback-ca {}/made/ca.pem", trusted.path().display());
    // Of another authority, and of the right one for another host.
    let (stranger, elsewhere) = (certificates(), certificates_for("--host elsewhere.example"));
    for (wrong, flags) in
        [(&stranger, flags.clone()), (&elsewhere, format!("--callback-ca {}/made/ca.pem", elsewhere.path().display()))]
    {
        let (hub, _store) = hub(&flags);
        let subscriber = Subscriber::over(Some(server_config(wrong)), |_| 200);
        assert_eq!(post(&hub.address, "/hub", "", &subscriber.form("subscribe", "")).0, 202);
        let counters = hub.counters_until(|counters| counters["subscriptions"]["unverified"] == 1);
        assert_eq!((&counters["callbacks"]["untrusted"], &counters["subscriptions"]["active"]), (&1.into(), &0.into()));
        assert!(subscriber.nothing_comes());
    }
}

/// A subscription that stood when its hub trusted its callback, and does not any more: each attempt to deliver fails.
#[test]
fn a_delivery_to_a_callback_that_is_not_trusted_any_more_fails() {
    let (trusted, other) = (certificates(), certificates());
    let authority = |folder: &TempDir| format!("--callback-ca {}/made/ca.pem", folder.path().display());
    let (first, store) = hub(&authority(&trusted));
    let subscriber = Subscriber::over(Some(server_config(&trusted)), |_| 200);
    subscribe(&first, &subscriber, "");
    drop(first);
    let hub = start(&line(&store, &authority(&other)));
    publish(&hub, "x");
    // Each of four attempts, half a second, two and eight apart, of which two will do here.
    let counters = hub.counters_until(|counters| counters["deliveries"]["failed"] == 2);
    let of = |name: &str, key: &str| counters[name][key].as_u64().unwrap();
    assert_eq!((of("deliveries", "attempted"), of("deliveries", "delivered")), (2, 0));
    assert_eq!((of("callbacks", "untrusted"), of("subscriptions", "active")), (2, 1));
    assert!(subscriber.nothing_comes());
}

#[test]
fn files_that_are_not_there_are_named() {
    let store = tempfile::tempdir().unwrap();
    let refused = |flags: &str| {
        let told = command(&line(&store, flags)).output().unwrap();
        assert!(!told.status.success());
        String::from_utf8_lossy(&told.stderr).into_owned()
    };
    let nowhere = Path::new("/nowhere/at/all.pem");
    for flags in
        [format!("--callback-ca {}", nowhere.display()), format!("--tls-cert {0} --tls-key {0}", nowhere.display())]
    {
        let told = refused(&flags);
        assert!(told.contains("`/nowhere/at/all.pem` cannot be used"), "{told}");
    }
}
