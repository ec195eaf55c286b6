//! A server that does as a test tells it, byte by byte, and what it takes to answer HTTP/1.1.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// A server on a port of its own. Its threads end when their clients have left.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    /// What was returned for each connection, as they end.
    pub results: mpsc::Receiver<usize>,
    /// Every request as it came, of a server that answers HTTP.
    pub requests: mpsc::Receiver<Request>,
}

impl Server {
    /// Each connection is handed to `serve` on a thread of its own, with its number from 0.
    pub fn start(serve: impl Fn(usize, TcpStream) -> usize + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1:0", serve).unwrap()
    }

    /// The same on that address.
    ///
    /// # Errors
    /// An address that this machine does not have, such as one of IPv6.
    pub fn at(
        address: &str,
        serve: impl Fn(usize, TcpStream) -> usize + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (_, requests) = mpsc::channel();
        Self::open(address, serve, requests)
    }

    fn open(
        address: &str,
        serve: impl Fn(usize, TcpStream) -> usize + Send + Sync + 'static,
        requests: mpsc::Receiver<Request>,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let (accepted, serve) = (Arc::new(AtomicUsize::new(0)), Arc::new(serve));
        let (counter, (sender, results)) = (accepted.clone(), mpsc::channel());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // A test that takes all descriptors takes the server's, too, for a moment.
                let Ok(stream) = stream else {
                    std::thread::yield_now();
                    continue;
                };
                let number = counter.fetch_add(1, Ordering::SeqCst);
                stream.set_nodelay(true).unwrap();
                let (serve, sender) = (serve.clone(), sender.clone());
                // Nobody need ask what came of it.
                std::thread::spawn(move || _ = sender.send(serve(number, stream)));
            }
        });
        Ok(Self { address, accepted, results, requests })
    }

    /// Reads requests of HTTP/1.1 and lets `serve` answer each; it gets the number of the request, from 0, and says
    /// whether the connection stays. The result of a connection is how many were answered on it so.
    pub fn replying(serve: impl Fn(usize, &Request, &mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        let ((told, requests), count) = (mpsc::channel(), AtomicUsize::new(0));
        let serve = move |_, mut stream: TcpStream| {
            let mut answered = 0;
            while let Some(request) = read_request(&mut stream) {
                // Told before it is answered, so that whoever has the answer finds it.
                let _ = told.send(request.clone());
                if !serve(count.fetch_add(1, Ordering::SeqCst), &request, &mut stream) {
                    break;
                }
                answered += 1;
            }
            answered
        };
        Self::open("127.0.0.1:0", serve, requests).unwrap()
    }

    /// Answers every request of HTTP/1.1 with the same bytes, on connections that stay open.
    pub fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::replying(move |_, _, stream| stream.write_all(&answer).is_ok())
    }

    /// Reads one request of HTTP/1.1, sends these bytes and closes; the result of a connection is whether there was one.
    pub fn closing_after(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |_, mut stream| {
            let request = read_request(&mut stream);
            let _ = stream.write_all(&answer);
            usize::from(request.is_some())
        })
    }

    /// `http://ADDRESS/`
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Connections accepted so far.
    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// The next request, of a server that answers HTTP; panics when none comes for a minute.
    pub fn request(&self) -> Request {
        self.requests.recv_timeout(Duration::from_secs(60)).unwrap()
    }
}

/// An address where nobody listens, nor will: the port is held until the tests end, since one that was let go may be
/// another test's a moment later.
pub fn nobody() -> SocketAddr {
    let held = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    held.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let address = held.local_addr().unwrap().as_socket().unwrap();
    std::mem::forget(held);
    address
}

/// From now on the connection ends with a reset instead of a goodbye.
pub fn reset(stream: &TcpStream) {
    socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO)).unwrap();
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its first line and headers, with the empty line behind them.
    pub head: String,
    /// As many bytes as `Content-Length` says.
    pub body: Vec<u8>,
}

impl Request {
    /// Method, target and version.
    pub fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// One request of HTTP/1.1, head and body; `None` at the end of the connection.
pub fn read_request(stream: &mut impl Read) -> Option<Request> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    let mut body = vec![0; length.map_or(0, |value| value.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    Some(Request { head, body })
}

/// An answer of HTTP/1.1 with this body.
pub fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}
