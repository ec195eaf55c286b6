//! `wss://`: trusted, not trusted, and cut off.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{ANSWER, agreed, body_is, ends, numbered, talk_of};
use contract::{Node, Settings};
use driver_ws::WS;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::PrivateKeyDer;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use terms::Outcome;
use testkit::{Lab, Server, Surroundings, map, text};
use tungstenite::Message;

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
    let more = [("tls", map(&tls)), ("max_message", text("2MB"))];
    let settings = numbered(format!("wss://{}/", server.address), &more);
    let settings = Settings { checks: vec![body_is("sent")], timeout: terms::Nanos::from_secs(15), ..settings };
    let value = "x".repeat(1_000_000);
    Lab::with(WS, &[settings], Surroundings { base: folder.into(), ..Surroundings::rows(&[value.as_bytes()]) })
}

#[test]
fn a_trusted_certificate_carries_many_messages() {
    let (pem, server) = server(|stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        let mut count = 0;
        while let Ok(message) = socket.read() {
            if matches!(message, Message::Text(_)) {
                let _ = socket.send(message);
                count += 1;
            }
        }
        count
    });
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path(), Some(&pem), &server);
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    let seen = talk_of(&mut lab, 5);
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Ok, 5)], "{}", seen.note);
    lab.disconnect(0);
    assert_eq!((server.results.recv(), server.accepted()), (Ok(5), 1));
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
        let request = testkit::read_request(&mut stream).unwrap();
        let key = request.head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
        stream.write_all(agreed(key).as_bytes()).unwrap();
        let _ = stream.read(&mut [0; 100]);
        stream.sock.shutdown(std::net::Shutdown::Write).unwrap();
        std::io::copy(&mut stream.sock, &mut std::io::sink()).map_or(0, |count| usize::from(count > 0))
    });
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path(), Some(&pem), &server);
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    let seen = talk_of(&mut lab, 1);
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Reset, 1)]);
    assert!(seen.note.contains("without TLS's closing message"), "{}", seen.note);
}
