//! `https://`: trusted, not trusted, and cut off.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{EVENT, HEAD, ends, events, heard, listen};
use contract::{Node, Settings};
use driver_sse::SSE;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::PrivateKeyDer;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use terms::Outcome;
use testkit::{Lab, Server, Surroundings, map, text};

type TlsStream = StreamOwned<ServerConnection, TcpStream>;

/// A server with a certificate for 127.0.0.1, and that certificate.
fn server(serve: impl Fn(TlsStream) -> usize + Send + Sync + 'static) -> (String, Server) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap();
    let config = Arc::new(config);
    let serve = move |_, stream| serve(StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream));
    (cert.pem(), Server::start(serve))
}

fn lab(folder: &Path, pem: Option<&str>, server: &Server) -> Lab {
    let tls: Vec<(&str, Node)> = pem.iter().map(|_| ("ca", text("ca.pem"))).collect();
    std::fs::write(folder.join("ca.pem"), pem.unwrap_or_default()).unwrap();
    let settings = listen(format!("https://{}/", server.address), &[("tls", map(&tls)), ("max_event", text("2MB"))]);
    let settings = Settings { within: [("event".to_owned(), terms::Nanos::from_secs(15))].into(), ..settings };
    Lab::with(SSE, &[settings], Surroundings::at(folder))
}

#[test]
fn a_trusted_certificate_carries_a_stream() {
    let (pem, server) = server(|mut stream| {
        let taken = testkit::read_request(&mut stream).is_some();
        let large = format!("data: {}\n\n", "x".repeat(1_000_000));
        let _ = stream.write_all(format!("{HEAD}{}{large}{}", events(1..=3), events(4..=6)).as_bytes());
        let _ = stream.read(&mut [0; 100]);
        usize::from(taken)
    });
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path(), Some(&pem), &server);
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    let seen = heard(&mut lab, 7);
    assert_eq!(ends(&seen, EVENT), [(Outcome::Ok, 7)], "{}", seen.note);
    lab.disconnect(0);
    assert_eq!((server.results.recv(), server.accepted()), (Ok(1), 1));
}

#[test]
fn a_certificate_that_is_not_trusted_is_a_fault_and_nothing_is_asked() {
    let (_, server) = server(|mut stream| stream.read(&mut [0; 100]).unwrap_or_default());
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path(), None, &server);
    assert_eq!(lab.connect(0, 0), Outcome::Fault);
    assert!(lab.seen().note.starts_with("TLS: "));
    assert_eq!(server.results.recv(), Ok(0));
}

#[test]
fn a_connection_cut_off_without_tlss_closing_message_is_reset() {
    let (pem, server) = server(|mut stream| {
        let taken = testkit::read_request(&mut stream).is_some();
        let _ = stream.write_all(format!("{HEAD}{}", events(1..=1)).as_bytes());
        stream.sock.shutdown(std::net::Shutdown::Write).unwrap();
        let _ = std::io::copy(&mut stream.sock, &mut std::io::sink());
        usize::from(taken)
    });
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path(), Some(&pem), &server);
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    let seen = heard(&mut lab, 2);
    assert_eq!(ends(&seen, EVENT), [(Outcome::Ok, 1), (Outcome::Reset, 1)]);
    assert!(seen.note.contains("without TLS's closing message"), "{}", seen.note);
}
