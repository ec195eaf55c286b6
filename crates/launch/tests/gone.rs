//! What is asked at the end of a run: who is gone is not a stranger, and who answers otherwise is one.
//!
//! Alone in its binary, for the reason of `restart.rs`; one test after the other, for the same reason.
#![allow(clippy::unwrap_used, reason = "a test")]

use clock::Clock;
use contract::{Node, Place};
use launch::{Launched, Options, start_instances};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use study::Instance;
use terms::Nanos;

/// A server in this process that tells its name and can close its port, as those of `testkit` cannot: they listen until
/// the process ends.
struct Server {
    address: SocketAddr,
    name: Arc<Mutex<Option<&'static str>>>,
    thread: JoinHandle<()>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let name = Arc::new(Mutex::new(Some("shop")));
        let told = name.clone();
        let thread = std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let Some(name) = *told.lock().unwrap() else { return };
                let _ = stream.read(&mut [0; 4096]);
                let body = format!("{{\"name\": \"{name}\"}}");
                let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            }
        });
        Self { address, name, thread }
    }

    /// Closes the socket, and returns when it is closed.
    fn end(self) {
        *self.name.lock().unwrap() = None;
        drop(TcpStream::connect(self.address));
        self.thread.join().unwrap();
    }
}

fn adopted(server: &Server, folder: &Path) -> Launched {
    let instance = Instance {
        name: "shop".to_owned(),
        place: Place::default(),
        start: None,
        url: Some(Node::text_at(Place::default(), format!("http://{}", server.address))),
        ports: Vec::new(),
        replicas: 1,
        written: study::Written::default(),
        needs: Vec::new(),
        ready: None,
        stop: Nanos::from_secs(10),
        identity: "/version".to_owned(),
        expect: vec![("name".to_owned(), "shop".to_owned())],
        contains: None,
        signs: study::Signs::default(),
        ready_within: None,
        tls: None,
        proxy: None,
        faults: Vec::new(),
        env: Vec::new(),
        cores: Vec::new(),
    };
    let options = Options::new(folder.to_owned(), folder.join("scratch"), folder.join("log"), Clock::system());
    let resolve = |_: &Instance, _: &launch::PerReplica<'_>, node: &Node| Ok(node.as_text("a text")?.to_owned());
    start_instances(&[instance], folder, &resolve, &options).unwrap()
}

fn kinds(events: Vec<launch::Event>) -> Vec<&'static str> {
    events.into_iter().map(|event| event.kind).collect()
}

#[test]
fn who_is_gone_is_no_stranger_whoever_sees_it_first() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start();
    let mut launched = adopted(&server, folder.path());
    assert_eq!(kinds(launched.identify_again()), Vec::<&str>::new());
    server.end();
    // Nobody had looked: the question at the end finds it.
    let events = launched.identify_again();
    assert!(events[0].text.contains("no longer answered"), "{events:?}");
    assert_eq!(kinds(events), ["gone"]);

    // It was seen to be deaf before: it is told once, and not asked.
    let server = Server::start();
    let mut launched = adopted(&server, folder.path());
    server.end();
    let seen: Vec<_> = (0..3).flat_map(|_| kinds(launched.check())).collect();
    assert_eq!(seen, ["gone"]);
    assert_eq!(kinds(launched.identify_again()), Vec::<&str>::new());

    // Somebody else answers.
    let server = Server::start();
    let mut launched = adopted(&server, folder.path());
    *server.name.lock().unwrap() = Some("stock");
    assert_eq!(kinds(launched.identify_again()), ["identity"]);
    server.end();
}
