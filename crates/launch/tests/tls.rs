//! Instances that speak TLS, and answers that are not JSON.
#![allow(clippy::unwrap_used, reason = "a test")]

use clock::Clock;
use contract::{Mistake, Node, Place, Shape};
use launch::{LaunchError, Launched, Options, PerReplica, start_instances};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use study::{Instance, Signs};
use terms::Nanos;
use testkit::Server;

const SERVER: &str = env!("CARGO_BIN_EXE_launch-test-server");

fn text(text: &str) -> Node {
    Node::text_at(Place::default(), text)
}

fn map(entries: &[(&str, &str)]) -> Node {
    let entries = entries.iter().map(|(key, value)| (text(key), text(value))).collect();
    Node { place: Place::default(), shape: Shape::Map(entries) }
}

/// The test server with these arguments.
fn started(arguments: &str) -> Instance {
    Instance {
        name: "shop".to_owned(),
        place: Place::default(),
        start: Some(text(&format!("launch-test-server --port $(port) {arguments}"))),
        url: None,
        ports: Vec::new(),
        replicas: 1,
        written: study::Written::default(),
        needs: Vec::new(),
        ready: Some("/health".to_owned()),
        stop: Nanos::from_secs(10),
        identity: "/version".to_owned(),
        expect: Vec::new(),
        contains: None,
        signs: Signs::default(),
        tls: None,
        proxy: None,
        ready_within: Some(Nanos::from_secs(30)),
        faults: Vec::new(),
        env: Vec::new(),
        cores: Vec::new(),
    }
}

/// The same server as one that runs already.
fn adopted(url: &str) -> Instance {
    Instance {
        start: None,
        url: Some(text(url)),
        ready: Some("/health".to_owned()),
        expect: vec![("name".to_owned(), "shop".to_owned())],
        ..started("")
    }
}

fn resolve(_: &Instance, per: &PerReplica<'_>, node: &Node) -> Result<String, Mistake> {
    let port = per.ports.first().map(|(_, port)| port.to_string()).unwrap_or_default();
    Ok(node.as_text("a text")?.replace("$(port)", &port))
}

fn launch(folder: &Path, instance: Instance) -> Result<Launched, LaunchError> {
    let programs = Path::new(SERVER).parent().unwrap().to_owned();
    let options = Options::new(programs, folder.join("scratch"), folder.join("log"), Clock::system());
    start_instances(&[instance], folder, &resolve, &options)
}

fn refused(folder: &Path, instance: Instance) -> String {
    launch(folder, instance).map(|_| ()).unwrap_err().to_string()
}

/// Writes what `openssl req -x509 -subj /CN=127.0.0.1` makes: an authority that signed itself, with a common name only.
/// The arguments that hand it to the test server.
fn certificate(folder: &Path) -> String {
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.distinguished_name.push(DnType::CommonName, "127.0.0.1");
    let key = KeyPair::generate().unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    std::fs::write(folder.join("shop.pem"), certificate.pem()).unwrap();
    std::fs::write(folder.join("shop.key"), key.serialize_pem()).unwrap();
    "--certificate shop.pem --key shop.key".to_owned()
}

#[test]
fn what_speaks_tls_is_started_asked_and_known_by_its_own_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = certificate(folder.path());
    let mut shop = started(&arguments);
    shop.tls = Some(map(&[("ca", "shop.pem")]));
    let shop = launch(folder.path(), shop).unwrap();
    let one = shop.started().next().unwrap();
    assert!(one.is_identified && one.placed.url.starts_with("https://127.0.0.1:"), "{one:?}");
    assert_eq!(one.identity["nonce"], one.nonce);

    // The same one as a stranger would meet it: trusted, trusted by nobody, trusted blindly, asked without TLS.
    let url = one.placed.url.clone();
    let trusting = Instance { tls: Some(map(&[("ca", "shop.pem")])), ..adopted(&url) };
    assert!(launch(folder.path(), trusting.clone()).unwrap().started().next().unwrap().is_identified);
    let blind = Instance { tls: Some(map(&[("insecure", "true")])), ..adopted(&url) };
    assert!(launch(folder.path(), blind).unwrap().started().next().unwrap().is_identified);
    let other = Instance { expect: vec![("name".to_owned(), "stock".to_owned())], ..trusting.clone() };
    assert!(refused(folder.path(), other).contains("`name` should be `stock`, but it is `shop`"));
    let mistrusting = Instance { ready: None, ..adopted(&url) };
    let why = refused(folder.path(), mistrusting);
    assert!(why.contains("TLS: ") && why.contains("tls: { ca: FILE }"), "{why}");
    let plain = Instance { ready: None, ..adopted(&url.replace("https", "http")) };
    let why = refused(folder.path(), plain);
    assert!(why.contains("it speaks TLS: write `https://` in `url`"), "{why}");
    let unread = Instance { tls: Some(map(&[("ca", "none.pem")])), ..adopted(&url) };
    assert!(refused(folder.path(), unread).contains("`none.pem` cannot be read"));
    let half = Instance { url: Some(text(&url.replace("https", "http"))), ..trusting };
    assert!(refused(folder.path(), half).contains("has `tls`, and its address begins with `http://`"));
}

/// Asks a server that greets as it should, and does this with each connection then.
fn greeted(serve: impl Fn(StreamOwned<ServerConnection, TcpStream>) + Send + Sync + 'static) -> String {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(builder.with_single_cert(vec![made.cert.der().clone()], key).unwrap());
    let server = Server::start(move |_, stream| {
        serve(StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream));
        0
    });
    let url = format!("https://{}", server.address);
    let blind = Instance { ready: None, tls: Some(map(&[("insecure", "true")])), ..adopted(&url) };
    refused(folder.path(), blind)
}

#[test]
fn who_speaks_tls_and_never_ends_is_given_up() {
    let why = greeted(|mut stream| while stream.read(&mut [0; 1024]).is_ok_and(|count| count > 0) {});
    assert!(why.ends_with("does not say who it is: no whole answer within 2s"), "{why}");
    let why = greeted(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    assert!(why.ends_with("does not say who it is: the answer is longer than 65536 bytes"), "{why}");
}

#[test]
fn a_wait_for_one_that_speaks_tls_says_what_was_seen_and_what_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let mut shop = started(&certificate(folder.path()));
    shop.ready_within = Some(Nanos::from_millis(300));
    let why = refused(folder.path(), shop);
    assert!(why.starts_with("`shop` was not ready within 300ms: `http://127.0.0.1:"), "{why}");
    for part in ["it speaks TLS", "`tls: { ca: FILE }` asks over TLS", "`ready_within: 30s`", "`ready: none`"] {
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[test]
fn a_text_is_an_identity_too() {
    let folder = tempfile::tempdir().unwrap();
    let shop = launch(folder.path(), started("--tells 'shop 1.2'")).unwrap();
    let url = shop.started().next().unwrap().placed.url.clone();
    let asking = |contains: &str| Instance { expect: Vec::new(), contains: Some(contains.to_owned()), ..adopted(&url) };
    assert!(launch(folder.path(), asking("shop 1.")).unwrap().started().next().unwrap().is_identified);
    let why = refused(folder.path(), asking("stock"));
    assert!(why.ends_with("its identity should contain `stock`, but the answer begins with `shop 1.2`"), "{why}");
    let why = refused(folder.path(), adopted(&url));
    assert!(why.contains("begins with `shop 1.2`") && why.contains("contains: \"…\" }`"), "{why}");
}

/// What a system without a page of its own can be known by.
#[test]
fn a_status_a_header_or_a_certificate_is_an_identity_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering("HTTP/1.1 401 Who\r\nServer: shop/2.1\r\nContent-Length: 2\r\n\r\nno");
    let asking = |status, header: Option<&str>, contains: Option<&str>| Instance {
        ready: None,
        expect: Vec::new(),
        contains: contains.map(str::to_owned),
        signs: Signs { status, header: header.map(str::to_owned), fingerprint: None },
        ..adopted(&server.url())
    };
    for (status, header, contains) in [
        (Some(401), None, None),
        (None, Some("server"), None),
        (None, Some("server"), Some("shop/2")),
        (Some(401), Some("server"), Some("shop/2")),
        (Some(401), None, Some("no")),
    ] {
        let asked = launch(folder.path(), asking(status, header, contains));
        assert!(asked.unwrap().started().next().unwrap().is_identified, "{status:?} {header:?} {contains:?}");
    }
    for (status, header, contains, why) in [
        (Some(200), None, None, "its answer should have status 200, but it has 401"),
        (None, Some("via"), None, "its answer should have a header `via`, but it has none; its status is 401"),
        (None, Some("server"), Some("stock"), "its header `server` should contain `stock`, but it is `shop/2.1`"),
        (None, None, Some("no"), "its identity should contain `no`, but the answer has status 401"),
    ] {
        let said = refused(folder.path(), asking(status, header, contains));
        assert!(said.ends_with(why), "{said}");
    }
}

#[test]
fn a_certificate_is_known_by_its_fingerprint() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = certificate(folder.path());
    let mut shop = started(&arguments);
    shop.tls = Some(map(&[("ca", "shop.pem")]));
    let shop = launch(folder.path(), shop).unwrap();
    let url = shop.started().next().unwrap().placed.url.clone();
    let pem = std::fs::read(folder.path().join("shop.pem")).unwrap();
    let fingerprint: [u8; 32] = Sha256::digest(CertificateDer::from_pem_slice(&pem).unwrap()).into();
    let asking = |fingerprint, url: &str| Instance {
        expect: Vec::new(),
        signs: Signs { fingerprint: Some(fingerprint), ..Signs::default() },
        tls: url.starts_with("https").then(|| map(&[("insecure", "true")])),
        ..adopted(url)
    };
    assert!(launch(folder.path(), asking(fingerprint, &url)).unwrap().started().next().unwrap().is_identified);
    let said = refused(folder.path(), asking([7; 32], &url));
    assert!(
        said.contains("should be `07:07:")
            && said.ends_with(&format!("it is `{}`", study::shown_fingerprint(&fingerprint))),
        "{said}"
    );
    let plain = Server::answering(testkit::ok("hello"));
    let mut plain = asking(fingerprint, plain.url().trim_end_matches('/'));
    plain.ready = None;
    assert!(refused(folder.path(), plain).ends_with("but it shows none, as it does not speak TLS"));
}
