//! A server for the tests of `launch`: tells its nonce or lies, fails, is slow, hands its port to a child. `testkit` has
//! servers within the test's process only, and what is started must be a program.
#![allow(clippy::disallowed_methods, reason = "a program of its own, outside the run's clock")]

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A forgotten server ends by itself.
const LIFE_MAX: Duration = Duration::from_secs(60);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1));
    let number = |name: &str| value(name).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    if let Some(message) = value("--fail") {
        eprintln!("{message}");
        std::process::exit(3);
    }
    let nonce = value("--nonce").cloned().or_else(|| std::env::var("LOADPROOF_NONCE").ok()).unwrap_or_default();
    let name = value("--name").cloned().unwrap_or_else(|| "shop".to_owned());
    let faults: Vec<_> = arguments.windows(2).filter(|two| two[0] == "--fault").map(|two| two[1].clone()).collect();
    let identity = format!(
        "{{\"name\":\"{name}\",\"nonce\":\"{nonce}\",\"pid\":{},\"faults\":\"{}\",\"title\":\"{}\"}}",
        std::process::id(),
        faults.join(" "),
        std::env::var("TITLE").unwrap_or_default()
    );
    let port = number("--port") as u16;
    let listener = match TcpListener::bind(("127.0.0.1", port)) {
        Ok(listener) => listener,
        Err(error) => {
            eprintln!("cannot listen on {port}: {error}");
            std::process::exit(4);
        }
    };
    println!("listening on {port}");
    listener.set_nonblocking(true).expect("a listener can be made non-blocking");
    let identity = match value("--tells") {
        Some(text) => text.clone(),
        None if arguments.iter().any(|word| word == "--mute") => String::new(),
        None => identity,
    };
    let tls = value("--certificate").zip(value("--key")).map(|(certificate, key)| tls(certificate, key));
    serve(&listener, &identity, tls.as_ref(), number("--ready-after-ms"));
}

fn tls(certificate: &str, key: &str) -> Arc<ServerConfig> {
    let certificate = CertificateDer::from_pem_file(certificate).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(key).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("TLS");
    Arc::new(builder.with_no_client_auth().with_single_cert(vec![certificate], key).expect("they belong together"))
}

/// Answers one request a connection, until time is over or the process that started it is gone.
fn serve(listener: &TcpListener, identity: &str, tls: Option<&Arc<ServerConfig>>, ready_after_ms: u64) {
    let parent = std::os::unix::process::parent_id();
    let begun = Instant::now();
    while begun.elapsed() < LIFE_MAX && std::os::unix::process::parent_id() == parent {
        match listener.accept() {
            Ok((stream, _)) => {
                let is_ready = begun.elapsed() >= Duration::from_millis(ready_after_ms);
                let _ = take(stream, identity, is_ready, tls);
            }
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn take(stream: TcpStream, identity: &str, is_ready: bool, tls: Option<&Arc<ServerConfig>>) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    let Some(config) = tls else { return answer(stream, identity, is_ready) };
    let connection = ServerConnection::new(config.clone()).map_err(std::io::Error::other)?;
    answer(StreamOwned::new(connection, stream), identity, is_ready)
}

fn answer(mut stream: impl Read + Write, identity: &str, is_ready: bool) -> std::io::Result<()> {
    let mut request = [0u8; 1024];
    let count = stream.read(&mut request)?;
    let line = String::from_utf8_lossy(&request[..count]);
    let path = line.split(' ').nth(1).unwrap_or_default();
    if path == "/exit" {
        eprintln!("told to exit");
        std::process::exit(7);
    }
    let (status, body) = match path {
        "/version" if !identity.is_empty() => ("200 OK", identity),
        "/health" if is_ready => ("200 OK", "ok"),
        "/health" => ("503 Starting", "starting"),
        _ => ("404 Not Found", "nothing here"),
    };
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}
