//! The real binary over TLS.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real servers in real time")]

use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use target_common::probe::{Client, Target};

type TlsClient = Client<StreamOwned<ClientConnection, TcpStream>>;

fn start(flags: &[&str]) -> Target {
    Target::start(env!("CARGO_BIN_EXE_target-echo"), &[&["--service", "1ms", "--exit-after", "120s"], flags].concat())
        .unwrap()
}

fn connect(target: &Target, authority: &Path, name: &str) -> TlsClient {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(target.address()).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    Client::over(StreamOwned::new(connection, stream))
}

#[test]
fn the_whole_of_it_works_under_a_certificate_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    let target = start(&["--bytes", "1000000", "--close-every", "5", "--tls-self-signed", authority.to_str().unwrap()]);
    for name in ["127.0.0.1", "localhost"] {
        let mut client = connect(&target, &authority, name);
        // Larger than what rustls holds at once, in both directions.
        let body: Vec<u8> = (0..900_000_u32).map(|i| (i % 251) as u8).collect();
        assert_eq!(client.post("/", &body).unwrap().body, body);
        assert_eq!(client.get("/").unwrap().body.len(), 1_000_000);
        let pipelined = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3);
        client.send(pipelined).unwrap();
        (0..3).for_each(|_| assert_eq!(client.reply(false).unwrap().body.len(), 1_000_000));
        // The fifth answer ended the connection, with a close_notify: without, this would be an error.
        assert_eq!(client.rest().unwrap(), b"");
        let protocol = client.stream().conn.alpn_protocol().map(<[u8]>::to_vec);
        assert_eq!(protocol.as_deref(), Some(&b"http/1.1"[..]));
    }
}

#[test]
fn a_client_that_does_not_trust_it_or_speaks_plainly_is_turned_away() {
    let folder = tempfile::tempdir().unwrap();
    let (authority, other) = (folder.path().join("ca.pem"), folder.path().join("other.pem"));
    let target = start(&["--tls-self-signed", authority.to_str().unwrap()]);
    let _other = start(&["--tls-self-signed", other.to_str().unwrap()]);
    assert!(connect(&target, &other, "localhost").get("/").is_err());
    let mut plain = target.connect().unwrap();
    assert!(plain.get("/").is_err(), "plain HTTP must not be answered on a TLS port");
    assert_eq!(connect(&target, &authority, "localhost").get("/").unwrap().status, 200);
}

#[test]
fn certificate_and_key_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let target = start(&["--tls-cert", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]);
    assert_eq!(connect(&target, &certificate, "localhost").get("/").unwrap().status, 200);
}
