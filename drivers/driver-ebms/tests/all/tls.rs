//! Two-way TLS: who the lab is, and who it talks to.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::ACCEPTED;
use crate::common::{Messages, exchange, folder, lab};
use contract::{Node, Settings};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::PrivateKeyDer;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use terms::{Nanos, Outcome};
use testkit::{Recorded, Server, map, read_request, text};

fn certificate(folder: &Path, name: &str) -> CertifiedKey<rcgen::KeyPair> {
    let made = generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(folder.join(format!("{name}.pem")), made.cert.pem()).unwrap();
    std::fs::write(folder.join(format!("{name}.key.pem")), made.signing_key.serialize_pem()).unwrap();
    made
}

/// A server that takes messages from `client` alone.
fn server(folder: &Path, client: &CertifiedKey<rcgen::KeyPair>) -> Server {
    let own = certificate(folder, "server");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(client.cert.der().clone()).unwrap();
    let clients = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone()).build().unwrap();
    let key = PrivateKeyDer::Pkcs8(own.signing_key.serialize_der().into());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config =
        builder.with_client_cert_verifier(clients).with_single_cert(vec![own.cert.der().clone()], key).unwrap();
    let config = Arc::new(config);
    Server::start(move |_, stream| {
        let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
        while read_request(&mut stream).is_some() && stream.write_all(ACCEPTED.as_bytes()).is_ok() {}
        0
    })
}

fn ping(folder: &Path, url: &str, tls: &[(&str, Node)]) -> Recorded {
    let within = [("reply".to_owned(), Nanos::from_millis(50))].into();
    let settings = Settings { within, ..exchange("ping", url, &[("tls", map(tls))]) };
    let mut lab = lab(&[settings], folder);
    let is_two_way = lab.features().iter().any(|it| it.name == "two-way TLS" && it.is_exercised);
    assert_eq!(is_two_way, tls.iter().any(|(key, _)| *key == "certificate"));
    lab.run_on(0, |_| {})
}

#[test]
fn a_client_that_is_known_is_let_in_and_no_other() {
    let folder = folder(&[]);
    let client = certificate(folder.path(), "client");
    let server = server(folder.path(), &client);
    let url = format!("https://{}/ebms", server.address);
    let ca = ("ca", text("server.pem"));
    let as_client = |name: &str| {
        let certificate = ("certificate", text(format!("{name}.pem")));
        ping(folder.path(), &url, &[ca.clone(), certificate, ("key", text(format!("{name}.key.pem")))])
    };
    let seen = as_client("client");
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(Outcome::Missing)), "{seen:?}");
    certificate(folder.path(), "stranger");
    let seen = as_client("stranger");
    assert!(matches!(seen.leg(0), Some(Outcome::Fault | Outcome::Reset)), "{seen:?}");
    let seen = ping(folder.path(), &url, &[ca]);
    assert!(matches!(seen.leg(0), Some(Outcome::Fault | Outcome::Reset)), "{seen:?}");
    let seen = ping(folder.path(), &url, &[("ca", text("client.pem"))]);
    assert_eq!(seen.legs, [(0, Outcome::Fault, 1)], "the server is not trusted, so nothing was sent: {seen:?}");
}
