//! HTTP/2 over TLS: agreed by ALPN, or not.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::http2::Http2Server;
use crate::common::{once, with};
use contract::{Node, Settings};
use driver_http::HTTP;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use rustls_pki_types::PrivateKeyDer;
use std::io::Write;
use std::sync::Arc;
use terms::Outcome;
use testkit::{Lab, Server, map, ok, read_request, text};

fn config(versions: &[&'static SupportedProtocolVersion], protocols: &[&str]) -> Arc<ServerConfig> {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap();
    let mut config = builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    Arc::new(config)
}

fn secure(url: String, insecure: &str, more: &[(&str, Node)]) -> Settings {
    let tls = map(&[("insecure", text(insecure))]);
    with("get", url.replace("http://", "https://"), &[&[("version", text("2")), ("tls", tls)], more].concat())
}

#[test]
fn both_versions_of_tls_carry_http2() {
    for version in [&rustls::version::TLS13, &rustls::version::TLS12] {
        let server = Http2Server::tls(config(&[version], &["h2", "http/1.1"]));
        let exchanges = [secure(server.url("/"), "true", &[]), secure(server.url("/large/3000000"), "true", &[])];
        let mut lab = Lab::new(HTTP, &exchanges);
        for number in 0..20 {
            let seen = lab.run(0);
            assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 5), "{}", seen.note);
            assert_eq!(seen.counts(), [i64::from(number == 0), 0, 0]);
        }
        assert_eq!(lab.run(1).bytes, 3_000_000);
        assert_eq!(server.accepted(), 1);
    }
}

#[test]
fn a_large_request_over_tls_goes_out_in_parts() {
    let server = Http2Server::tls(config(&[&rustls::version::TLS13], &["h2"]));
    let url = server.url("/echo").replace("http://", "https://");
    let more =
        [("version", text("2")), ("tls", map(&[("insecure", text("true"))])), ("body", text("x".repeat(6_000_000)))];
    let seen = once(with("post", url, &more));
    assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 7), "{}", seen.note);
}

#[test]
fn a_server_without_http2_is_a_fault_that_says_so() {
    let only_http1 = Http2Server::tls(config(&[&rustls::version::TLS13], &["http/1.1"]));
    let seen = once(secure(only_http1.url("/"), "true", &[]));
    assert_eq!(seen.outcome, Outcome::Fault);
    assert!(
        seen.note.starts_with("TLS: the server does not speak HTTP/2, it knows no protocol `h2` (ALPN)"),
        "{}",
        seen.note
    );
    // A server that knows nothing of ALPN goes on in silence.
    let config = config(&[&rustls::version::TLS13], &[]);
    let silent = Server::start(move |_, stream| {
        let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
        usize::from(read_request(&mut stream).is_some() && stream.write_all(ok("a").as_bytes()).is_ok())
    });
    let seen = once(secure(silent.url(), "true", &[]));
    assert_eq!(seen.outcome, Outcome::Fault);
    let begins = "the server does not speak HTTP/2: by ALPN it chose nothing; write `version: 1.1`";
    assert!(seen.note.starts_with(begins), "{}", seen.note);
    assert_eq!(silent.results.recv(), Ok(0), "nothing was sent to it");
}

#[test]
fn a_certificate_that_is_not_trusted_is_a_fault() {
    let server = Http2Server::tls(config(&[&rustls::version::TLS13], &["h2"]));
    let tls = map(&[("server_name", text("lab.test")), ("insecure", text("false"))]);
    let url = server.url("/").replace("http://", "https://");
    let own = once(with("get", url, &[("version", text("2")), ("tls", tls)]));
    assert_eq!(own.outcome, Outcome::Fault);
    assert!(
        own.note
            .starts_with("TLS: nobody who is trusted here signed the server's certificate; write `tls: { ca: FILE }`"),
        "{}",
        own.note
    );
}
