//! Instances that only a proxy can reach: their names are known to nobody here.
#![allow(clippy::unwrap_used, reason = "a test")]

use clock::Clock;
use contract::{Mistake, Node, Place, Shape};
use launch::{LaunchError, Launched, Options, PerReplica, start_instances};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::PrivateKeyDer;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use study::{Instance, Places, Signs};
use terms::Nanos;
use testkit::{Server, nobody, ok, read_request};

const IDENTITY: &str = r#"{"name": "shop"}"#;

fn text(text: &str) -> Node {
    Node::text_at(Place::default(), text)
}

fn map(entries: &[(&str, &str)]) -> Node {
    let entries = entries.iter().map(|(key, value)| (text(key), text(value))).collect();
    Node { place: Place::default(), shape: Shape::Map(entries) }
}

/// One that runs already, somewhere.
fn shop(url: &str, proxy: Node) -> Instance {
    Instance {
        name: "shop".to_owned(),
        place: Place::default(),
        start: None,
        url: Some(text(url)),
        ports: Vec::new(),
        replicas: 1,
        written: study::Written::default(),
        needs: Vec::new(),
        ready: Some("/health".to_owned()),
        stop: Nanos::from_secs(10),
        identity: "/version".to_owned(),
        expect: vec![("name".to_owned(), "shop".to_owned())],
        contains: None,
        signs: Signs::default(),
        tls: None,
        proxy: Some(proxy),
        ready_within: Some(Nanos::from_millis(300)),
        faults: Vec::new(),
        env: Vec::new(),
        cores: Vec::new(),
    }
}

fn launch(instance: Instance) -> Result<Launched, LaunchError> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let resolve = |_: &Instance, _: &PerReplica<'_>, node: &Node| -> Result<String, Mistake> {
        Ok(node.as_text("a text")?.replace("$(secret.PROXY)", "hidden"))
    };
    let options = Options::new(folder.to_owned(), folder.join("scratch"), folder.join("log"), Clock::system());
    start_instances(&[instance], folder, &resolve, &options)
}

/// A proxy that answers for everybody, and the heads of what it was asked.
fn proxy() -> (Server, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let told = asked.clone();
    let server = Server::start(move |_, mut stream| {
        let Some(request) = read_request(&mut stream) else { return 0 };
        told.lock().unwrap().push(request.head);
        stream.write_all(ok(IDENTITY).as_bytes()).unwrap();
        1
    });
    (server, asked)
}

#[test]
fn readiness_and_identity_are_asked_by_way_of_the_proxy() {
    let (server, asked) = proxy();
    let by = map(&[("url", &format!("http://{}", server.address)), ("basic", "me:$(secret.PROXY)")]);
    let launched = launch(shop("http://shop.invalid:8080", by)).unwrap();
    assert!(launched.started().next().unwrap().is_identified);
    let asked = asked.lock().unwrap();
    let lines: Vec<&str> = asked.iter().filter_map(|head| head.lines().next()).collect();
    let expected = ["GET http://shop.invalid:8080/health HTTP/1.1", "GET http://shop.invalid:8080/version HTTP/1.1"];
    assert_eq!(lines, expected);
    // `me:hidden` in base64.
    assert!(asked.iter().all(|head| head.contains("Proxy-Authorization: Basic bWU6aGlkZGVu\r\n")), "{asked:?}");
}

#[test]
fn one_that_speaks_tls_is_asked_through_a_tunnel() {
    let made = rcgen::generate_simple_self_signed(vec!["shop.invalid".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pem = folder.path().join("shop.pem");
    std::fs::write(&pem, made.cert.pem()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(builder.with_single_cert(vec![made.cert.der().clone()], key).unwrap());
    // Proxy and target in one: behind the tunnel it greets as the target would.
    let server = Server::start(move |_, mut stream| {
        let Some(request) = read_request(&mut stream) else { return 0 };
        assert!(request.head.starts_with("CONNECT shop.invalid:443 HTTP/1.1\r\n"), "{}", request.head);
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
        let Some(request) = read_request(&mut stream) else { return 0 };
        assert!(request.head.starts_with("GET /"), "{}", request.head);
        let _ = stream.write_all(ok(IDENTITY).as_bytes());
        1
    });
    let by = text(&format!("http://{}", server.address));
    let tls = Some(map(&[("ca", &pem.to_string_lossy())]));
    let launched = launch(Instance { tls, ..shop("https://shop.invalid", by) }).unwrap();
    assert!(launched.started().next().unwrap().is_identified);
}

#[test]
fn a_proxy_that_is_not_there_is_named() {
    let gone = nobody();
    let why = launch(shop("http://shop.invalid", text(&format!("http://{gone}")))).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains(&format!("the proxy http://{gone}: ")), "{why}");
    assert!(!why.contains("the host `shop.invalid` is not known"), "{why}");
}

#[test]
fn a_mistake_in_it_is_found_before_the_start_or_when_its_names_are_known() {
    let found = |proxy: Node| {
        let instance = shop("http://127.0.0.1:1", proxy);
        launch::check(&[instance], Path::new("."), &Places::default()).err().map(|mistakes| mistakes.0[0].code)
    };
    assert_eq!(found(text("proxy.example:3128")), Some("http::bad-proxy"));
    assert_eq!(found(map(&[("basic", "a:b")])), Some("study::missing-key"));
    assert_eq!(found(map(&[("url", "http://p:1"), ("basic", "a:$(secret.PROXY)")])), None);
    let why = launch(shop("http://127.0.0.1:1", map(&[("url", "http://p:1"), ("basic", "$(secret.PROXY)")])));
    let why = why.map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("`basic` is not `user:password`") && !why.contains("hidden"), "{why}");
}
