//! TLS: trusted, not trusted, spoken badly, cut off.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{exchange, once, with};
use contract::{Node, Settings};
use driver_http::HTTP;
use rcgen::{BasicConstraints, CertificateParams, CertifiedKey, DnType, IsCa, KeyPair, generate_simple_self_signed};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use rustls_pki_types::PrivateKeyDer;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, body_is, map, nobody, ok, read_request, text};

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
fn server(config: Arc<ServerConfig>, serve: impl Fn(&mut TlsStream) -> usize + Send + Sync + 'static) -> Server {
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
    let settings = Settings { checks: vec![body_is("hello")], ..with("get", url(server), &[("tls", map(&tls))]) };
    Lab::with(HTTP, &[settings], Surroundings::at(folder))
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
    assert!(seen.note.starts_with("TLS: nobody who is trusted here signed"), "{}", seen.note);
    assert!(seen.note.contains("nothing of the request was sent"), "{}", seen.note);
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
    assert!(
        seen.note.starts_with("TLS: ") && seen.note.contains("not valid for 127.0.0.1, only for other.test; "),
        "{}",
        seen.note
    );
    for say_so in [("server_name", text("other.test")), ("insecure", text("true"))] {
        let seen = lab(folder.path(), &cert.pem(), &server, std::slice::from_ref(&say_so)).run(0);
        assert_eq!(seen.outcome, Outcome::Ok, "{say_so:?}: {}", seen.note);
    }
}

/// What `openssl req -x509` makes, and a server with it: an authority that signed itself.
fn own_authority(change: impl FnOnce(&mut CertificateParams)) -> (String, Arc<ServerConfig>) {
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.distinguished_name.push(DnType::CommonName, "127.0.0.1");
    change(&mut parameters);
    let key = KeyPair::generate().unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(rustls::ALL_VERSIONS).unwrap();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    (
        certificate.pem(),
        Arc::new(builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key).unwrap()),
    )
}

fn names(names: &[&str]) -> impl FnOnce(&mut CertificateParams) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    move |parameters| {
        parameters.subject_alt_names = CertificateParams::new(names).unwrap().subject_alt_names;
    }
}

#[test]
fn a_certificate_that_signed_itself_is_trusted_as_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for (what, (pem, config)) in [
        ("with names", own_authority(names(&["lab.test", "127.0.0.1"]))),
        ("with a common name only", own_authority(|_| {})),
        ("no authority, with a common name only", own_authority(|parameters| parameters.is_ca = IsCa::NoCa)),
    ] {
        let server = server(config, answering);
        let mut trusting = lab(folder.path(), &pem, &server, &[]);
        for _ in 0..3 {
            let seen = trusting.run(0);
            assert_eq!(seen.outcome, Outcome::Ok, "{what}: {}", seen.note);
        }
        drop(trusting);
        let (other, _) = own_authority(names(&["127.0.0.1"]));
        let seen = lab(folder.path(), &other, &server, &[]).run(0);
        assert_eq!(seen.outcome, Outcome::Fault, "{what}: another one with the same name");
        assert!(seen.note.contains("write `tls: { ca: FILE }`"), "{what}: {}", seen.note);
    }
}

#[test]
fn a_certificate_that_is_trusted_as_it_is_must_still_be_for_the_name_and_for_the_time() {
    let folder = tempfile::tempdir().unwrap();
    for (what, (pem, config), why) in [
        ("another name", own_authority(names(&["other.test"])), "not valid for 127.0.0.1, only for"),
        (
            "another common name",
            own_authority(|p| p.distinguished_name.push(DnType::CommonName, "other.test")),
            "names no host",
        ),
        ("a common name beside names", own_authority(names(&["other.test"])), "not valid for 127.0.0.1"),
        ("expired", own_authority(|p| p.not_after = rcgen::date_time_ymd(2020, 1, 1)), "has expired"),
        ("not yet valid", own_authority(|p| p.not_before = rcgen::date_time_ymd(2999, 1, 1)), "not valid yet"),
    ] {
        let server = server(config, answering);
        let seen = lab(folder.path(), &pem, &server, &[]).run(0);
        assert_eq!(seen.outcome, Outcome::Fault, "{what}: {}", seen.note);
        assert!(seen.note.starts_with("TLS: ") && seen.note.contains(why), "{what}: {}", seen.note);
    }
}

#[test]
fn a_server_of_tls_that_is_asked_without_it_is_told_as_that() {
    let (_, config) = config(rustls::ALL_VERSIONS);
    let server = server(config, answering);
    let seen = once(exchange("get", format!("http://{}/", server.address)));
    assert_eq!(seen.outcome, Outcome::Fault, "{}", seen.note);
    assert!(seen.note.contains("write `https://`"), "{}", seen.note);
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
    let nobody = exchange("get", format!("https://{}/", nobody()));
    std::fs::write(folder.path().join("ca.pem"), &pem).unwrap();
    let mut refused = Lab::with(HTTP, &[nobody], Surroundings::at(folder.path()));
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
            stream.write_all(ok(&request.text()).as_bytes()).unwrap();
        }
        0
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), &pem).unwrap();
    let more = [("tls", map(&[("ca", text("ca.pem"))])), ("body", text("x".repeat(3_000_000)))];
    let mut lab = Lab::with(HTTP, &[with("post", url(&server), &more)], Surroundings::at(folder.path()));
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
        assert_eq!((seen.outcome, seen.counters[0]), (Outcome::Ok, 1), "{}", seen.note);
    }
}
