//! Servers of HTTP/2: a real one, whose paths say how it behaves, and one that sends whatever bytes it is told to.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use http::{HeaderMap, Request, Response};
use rustls::ServerConfig;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use testkit::Server;
use tokio::io::{AsyncRead, AsyncWrite};

/// A server by the library's other half, in a thread of its own.
pub struct Http2Server {
    pub address: SocketAddr,
    /// Connections accepted.
    accepted: Arc<AtomicUsize>,
    /// Requests accepted.
    requests: Arc<AtomicUsize>,
}

impl Http2Server {
    /// Without TLS; allows so many streams at a time.
    pub fn start(streams: u32) -> Self {
        Self::serve(streams, None)
    }

    /// With TLS.
    pub fn tls(config: Arc<ServerConfig>) -> Self {
        Self::serve(100, Some(config))
    }

    fn serve(streams: u32, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (accepted, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (connections, count) = (accepted.clone(), requests.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let local = tokio::task::LocalSet::new();
            local.block_on(&runtime, async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                loop {
                    let Ok((stream, _)) = listener.accept().await else { return };
                    stream.set_nodelay(true).unwrap();
                    connections.fetch_add(1, Ordering::SeqCst);
                    let (tls, count) = (tls.clone(), count.clone());
                    tokio::task::spawn_local(async move {
                        match tls {
                            None => connection(stream, streams, &count).await,
                            Some(config) => {
                                let Ok(stream) = tokio_rustls::TlsAcceptor::from(config).accept(stream).await else {
                                    return;
                                };
                                connection(stream, streams, &count).await;
                            }
                        }
                    });
                }
            });
        });
        Self { address, accepted, requests }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

async fn connection(io: impl AsyncRead + AsyncWrite + Unpin, streams: u32, count: &AtomicUsize) {
    let mut builder = h2::server::Builder::new();
    let Ok(mut connection) = builder.max_concurrent_streams(streams).handshake(io).await else { return };
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        count.fetch_add(1, Ordering::SeqCst);
        match request.uri().path() {
            "/goaway" => {
                respond.send_response(Response::new(()), true).unwrap();
                connection.graceful_shutdown();
            }
            "/abrupt" => connection.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM),
            "/close" => {
                // The head and a part of the body leave before the connection ends under them.
                let mut body = respond.send_response(Response::new(()), false).unwrap();
                body.send_data(Bytes::from_static(b"half"), false).unwrap();
                let _ = tokio::time::timeout(Duration::from_millis(50), connection.accept()).await;
                return;
            }
            _ => {
                tokio::task::spawn_local(answer(request, respond));
            }
        }
    }
}

async fn answer(request: Request<RecvStream>, mut respond: SendResponse<Bytes>) {
    let path = request.uri().path().to_owned();
    let number = |text: &str| path.strip_prefix(text).and_then(|number| number.parse::<usize>().ok());
    let mut response = Response::new(());
    match path.as_str() {
        "/refuse" => return respond.send_reset(Reason::REFUSED_STREAM),
        "/reset" => return respond.send_reset(Reason::INTERNAL_ERROR),
        "/not-here" => return respond.send_reset(Reason::HTTP_1_1_REQUIRED),
        "/never" => return std::future::pending().await,
        "/slow" => tokio::time::sleep(Duration::from_millis(100)).await,
        "/early" => {
            *response.status_mut() = http::StatusCode::PAYLOAD_TOO_LARGE;
            respond.send_response(response, true).unwrap();
            return;
        }
        "/jobs" => {
            *response.status_mut() = http::StatusCode::ACCEPTED;
            response.headers_mut().insert("location", "/status/200".parse().unwrap());
        }
        "/set" => _ = response.headers_mut().insert("set-cookie", "theme=dark".parse().unwrap()),
        "/sent/on" => {
            *response.status_mut() = http::StatusCode::FOUND;
            response.headers_mut().insert("location", "../seen".parse().unwrap());
        }
        "/wide" => {
            for field in 0..100 {
                response.headers_mut().insert(
                    http::HeaderName::from_bytes(format!("x-{field}").as_bytes()).unwrap(),
                    "x".repeat(1000).parse().unwrap(),
                );
            }
        }
        _ => {}
    }
    if let Some(status) = number("/status/") {
        *response.status_mut() = http::StatusCode::from_u16(status as u16).unwrap();
    }
    for (name, value) in [("x-token", "t-1"), ("x-method", request.method().as_str())] {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    let seen = format!("{} {:?}", request.uri(), request.headers());
    let is_head = request.method() == http::Method::HEAD;
    if is_head {
        response.headers_mut().insert("content-length", "1000".parse().unwrap());
        respond.send_response(response, true).unwrap();
        return;
    }
    let mut received = 0;
    let mut body = request.into_body();
    if path == "/echo" {
        while let Some(Ok(piece)) = body.data().await {
            received += piece.len();
            let _ = body.flow_control().release_capacity(piece.len());
        }
    }
    let mut send = respond.send_response(response, false).unwrap();
    match path.as_str() {
        "/echo" => drop(send.send_data(received.to_string().into(), true)),
        "/seen" => drop(send.send_data(seen.into(), true)),
        "/cut" => {
            send.send_data(Bytes::from_static(b"half"), false).unwrap();
            // Later than the data, which a reset would overtake.
            tokio::time::sleep(Duration::from_millis(50)).await;
            send.send_reset(Reason::INTERNAL_ERROR);
        }
        "/trailers" => {
            send.send_data(Bytes::from_static(b"hello"), false).unwrap();
            send.send_trailers(HeaderMap::from_iter([(http::HeaderName::from_static("x-sum"), "1".parse().unwrap())]))
                .unwrap();
        }
        _ if let Some(pieces) = number("/crumbs/") => {
            for _ in 0..pieces {
                send.send_data(Bytes::from_static(b"0123456789"), false).unwrap();
            }
            send.send_data(Bytes::new(), true).unwrap();
        }
        _ if let Some(length) = number("/large/") => {
            let block = Bytes::from(vec![b'x'; 1_000_000]);
            for _ in 0..length / block.len() {
                send.reserve_capacity(block.len());
                let mut left = block.clone();
                while !left.is_empty() {
                    let Some(Ok(room)) = std::future::poll_fn(|cx| send.poll_capacity(cx)).await else { return };
                    send.send_data(left.split_to(room.min(left.len())), false).unwrap();
                    send.reserve_capacity(left.len());
                }
            }
            send.send_data(Bytes::new(), true).unwrap();
        }
        _ => drop(send.send_data(Bytes::from_static(b"hello"), true)),
    }
}

/// A frame (RFC 9113, section 4.1).
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend_from_slice(&[kind, flags]);
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const CONTINUATION: u8 = 9;
/// The flag END_STREAM, ACK of SETTINGS and PING, and the flag END_HEADERS.
pub const END: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// The server's half of the greeting.
pub fn greeting() -> Vec<u8> {
    [frame(SETTINGS, 0, 0, &[]), frame(SETTINGS, ACK, 0, &[])].concat()
}

/// Reads frames until a HEADERS frame came; its stream. `None` at the end.
pub fn read_request(stream: &mut TcpStream, is_first: bool) -> Option<u32> {
    if is_first {
        stream.read_exact(&mut [0; 24]).ok()?;
    }
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        stream.read_exact(&mut vec![0; length]).ok()?;
        if head[3] == HEADERS {
            return Some(u32::from_be_bytes([head[5], head[6], head[7], head[8]]));
        }
    }
}

/// A server that greets, reads one request, sends these bytes for it, and closes once the client has closed or 200 ms
/// have passed.
pub fn sending(bytes: impl Into<Vec<u8>>) -> Server {
    let bytes = bytes.into();
    Server::start(move |_, mut stream| {
        if read_request(&mut stream, true).is_none() {
            return 0;
        }
        let _ = stream.write_all(&greeting());
        let _ = stream.write_all(&bytes);
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let mut rest = [0; 65536];
        let mut count = 0;
        while let Ok(read @ 1..) = stream.read(&mut rest) {
            count += read;
        }
        count
    })
}
