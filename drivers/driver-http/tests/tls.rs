//! TLS: trusted, not trusted, spoken badly, cut off.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

mod common;

use common::{Lab, Server, check, exchange, map, ok, read_request, text, with};
use contract::{Compare, Node, Probe, Settings};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use rustls_pki_types::PrivateKeyDer;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use terms::{Nanos, Outcome};

type TlsStream = StreamOwned<ServerConnection, TcpStream>;

/// A certificate for `lab.test` and 127.0.0.1, and a server's configuration with it.
fn config(versions: &[&'static SupportedProtocolVersion]) -> (String, Arc<ServerConfig>) {
    let names = vec!["lab.test".to_owned(), "127.0.0.1".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap();
    let config = builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap();
    (cert.pem(), Arc::new(config))
}

/// A TLS server; `serve` gets each connection after its handshake began.
fn server(config: Arc<ServerConfig>, serve: impl Fn(&mut TlsStream) -> usize + Send + 'static) -> Server {
    Server::start(move |_, stream| {
        let connection = ServerConnection::new(config.clone()).unwrap();
        serve(&mut StreamOwned::new(connection, stream))
    })
}

fn answering(stream: &mut TlsStream) -> usize {
    let mut requests = 0;
    while read_request(stream).is_some() && stream.write_all(ok("hello").as_bytes()).is_ok() {
        requests += 1;
    }
    requests
}

fn url(server: &Server) -> String {
    format!("https://{}/", server.address)
}

/// A session that trusts `pem`, with further settings of `tls`.
fn lab(folder: &Path, pem: &str, server: &Server, more: &[(&str, Node)]) -> Lab {
    std::fs::write(folder.join("ca.pem"), pem).unwrap();
    let mut tls = vec![("ca", text("ca.pem"))];
    tls.extend_from_slice(more);
    let is_hello = check(Probe::Body, Compare::Equal, "hello");
    let settings = Settings { checks: vec![is_hello], ..with("get", url(server), &[("tls", map(&tls))]) };
    Lab::with(&[settings], &[], folder, None, clock::Clock::system())
}

#[test]
fn a_trusted_certificate_serves_many_exchanges() {
    for versions in [&[&rustls::version::TLS13][..], &[&rustls::version::TLS12]] {
        let (pem, config) = config(versions);
        let server = server(config, answering);
        let folder = tempfile::tempdir().unwrap();
        let mut lab = lab(folder.path(), &pem, &server, &[]);
        for _ in 0..5 {
            let seen = lab.run(0);
            assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 5), "{}", seen.note);
        }
        drop(lab);
        assert_eq!((server.results.recv(), server.accepted()), (Ok(5), 1));
    }
}

#[test]
fn another_name_can_be_expected() {
    let (pem, config) = config(rustls::ALL_VERSIONS);
    let server = server(config, answering);
    let folder = tempfile::tempdir().unwrap();
    let mut known = lab(folder.path(), &pem, &server, &[("server_name", text("lab.test"))]);
    assert_eq!(known.run(0).outcome, Outcome::Ok);
    drop(known);
    let mut other = lab(folder.path(), &pem, &server, &[("server_name", text("other.test"))]);
    let seen = other.run(0);
    assert_eq!(seen.outcome, Outcome::Fault);
    assert!(seen.note.starts_with("TLS: ") && seen.note.contains("other.test"), "{}", seen.note);
}

#[test]
fn a_certificate_that_nobody_trusts_is_a_fault_unless_any_will_do() {
    let (_, server_config) = config(rustls::ALL_VERSIONS);
    let (other_pem, _) = config(rustls::ALL_VERSIONS);
    let server = server(server_config, answering);
    let folder = tempfile::tempdir().unwrap();
    let seen = lab(folder.path(), &other_pem, &server, &[]).run(0);
    assert_eq!(seen.outcome, Outcome::Fault);
    assert!(seen.note.starts_with("TLS: invalid peer certificate"), "{}", seen.note);
    let seen = lab(folder.path(), &other_pem, &server, &[("insecure", text("true"))]).run(0);
    assert_eq!(seen.outcome, Outcome::Ok, "{}", seen.note);
}

#[test]
fn a_certificate_for_another_name_is_a_fault_unless_the_study_says_so() {
    // Trusted, and for somebody else: 127.0.0.1 is asked for by a name that the certificate does not have.
    let names = vec!["other.test".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(rustls::ALL_VERSIONS).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap());
    let server = server(config, answering);
    let folder = tempfile::tempdir().unwrap();
    let seen = lab(folder.path(), &cert.pem(), &server, &[]).run(0);
    assert_eq!(seen.outcome, Outcome::Fault);
    assert!(seen.note.starts_with("TLS: ") && seen.note.contains("not valid for name"), "{}", seen.note);
    for say_so in [("server_name", text("other.test")), ("insecure", text("true"))] {
        let seen = lab(folder.path(), &cert.pem(), &server, std::slice::from_ref(&say_so)).run(0);
        assert_eq!(seen.outcome, Outcome::Ok, "{say_so:?}: {}", seen.note);
    }
}

#[test]
fn a_server_without_tls_is_a_fault() {
    let plain = Server::start(|_, mut stream| {
        let mut hello = [0; 64];
        let _ = stream.read(&mut hello);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        stream.read(&mut hello).unwrap_or_default()
    });
    let folder = tempfile::tempdir().unwrap();
    let (pem, _) = config(rustls::ALL_VERSIONS);
    assert_eq!(lab(folder.path(), &pem, &plain, &[]).run(0).outcome, Outcome::Fault);
}

#[test]
fn a_server_that_closes_during_the_handshake_is_a_reset() {
    let closing = Server::start(|_, mut stream| stream.read(&mut [0; 4096]).unwrap_or_default());
    let folder = tempfile::tempdir().unwrap();
    let (pem, _) = config(rustls::ALL_VERSIONS);
    assert_eq!(lab(folder.path(), &pem, &closing, &[]).run(0).outcome, Outcome::Reset);
    let nobody = exchange("get", format!("https://{}/", common::nobody()));
    std::fs::write(folder.path().join("ca.pem"), &pem).unwrap();
    let mut refused = Lab::with(&[nobody], &[], folder.path(), None, clock::Clock::system());
    assert_eq!(refused.run(0).outcome, Outcome::Refused);
}

#[test]
fn a_silent_server_is_a_timeout() {
    let silent = Server::start(|_, mut stream| {
        let mut bytes = [0; 4096];
        while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
        0
    });
    let folder = tempfile::tempdir().unwrap();
    let (pem, _) = config(rustls::ALL_VERSIONS);
    let mut lab = lab(folder.path(), &pem, &silent, &[]);
    lab.deadline = Nanos::from_millis(100);
    assert_eq!(lab.run(0).outcome, Outcome::Timeout);
}

#[test]
fn an_answer_that_ends_with_the_connection_must_end_properly() {
    for (says_goodbye, outcome) in [(true, Outcome::Ok), (false, Outcome::Partial)] {
        let (pem, config) = config(rustls::ALL_VERSIONS);
        let server = server(config, move |stream| {
            read_request(stream);
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello").unwrap();
            if says_goodbye {
                stream.conn.send_close_notify();
            }
            stream.flush().unwrap();
            0
        });
        let folder = tempfile::tempdir().unwrap();
        let seen = lab(folder.path(), &pem, &server, &[]).run(0);
        assert_eq!(seen.outcome, outcome, "{}", seen.note);
    }
}

#[test]
fn a_large_request_and_a_large_answer_pass() {
    let (pem, config) = config(rustls::ALL_VERSIONS);
    let server = server(config, |stream| {
        while let Some(request) = read_request(stream) {
            let body = &request[request.find("\r\n\r\n").unwrap() + 4..];
            stream.write_all(ok(body).as_bytes()).unwrap();
        }
        0
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), &pem).unwrap();
    let more = [("tls", map(&[("ca", text("ca.pem"))])), ("body", text("x".repeat(3_000_000)))];
    let mut lab = Lab::with(&[with("post", url(&server), &more)], &[], folder.path(), None, clock::Clock::system());
    for _ in 0..3 {
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 3_000_000), "{}", seen.note);
    }
    assert_eq!(server.accepted(), 1);
}

#[test]
fn a_connection_closed_while_idle_is_replaced() {
    let (pem, config) = config(rustls::ALL_VERSIONS);
    let server = server(config, |stream| {
        read_request(stream);
        stream.write_all(ok("hello").as_bytes()).unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
        0
    });
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path(), &pem, &server, &[]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    for _ in 0..3 {
        server.results.recv().unwrap();
        lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(20));
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts[0]), (Outcome::Ok, 1), "{}", seen.note);
    }
}
