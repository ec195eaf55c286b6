//! Requests to callbacks, on connections that are kept: ten thousand deliveries take as many connections as go out at a
//! time, not ten thousand.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use system_common::TlsConnector;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Longest time that a callback may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// A connection that was not used for so long may be closed by the other side at any moment.
const IDLE_MAX: Duration = Duration::from_secs(15);
/// Most bytes of an answer that are read: a challenge is some tens.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Where a callback is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) server: Server,
    /// Path and query.
    pub(super) path: String,
}

/// Whom connections are kept to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Server {
    pub(super) is_tls: bool,
    pub(super) authority: Authority,
}

impl Address {
    /// Of an absolute URL with `http://` or `https://`.
    pub(super) fn of(url: &str) -> Option<Self> {
        let uri: axum::http::Uri = url.parse().ok()?;
        let is_tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return None,
        };
        let authority = uri.authority().filter(|it| !it.as_str().contains('@'))?.clone();
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Some(Self { server: Server { is_tls, authority }, path: path.to_owned() })
    }
}

/// Why a callback has not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) why: String,
    /// Whether its certificate is none that is trusted, or not its own.
    pub(super) is_untrusted: bool,
}

impl Trouble {
    fn other(error: impl ToString) -> Self {
        Self { why: error.to_string(), is_untrusted: false }
    }

    fn untrusted(error: impl ToString) -> Self {
        Self { is_untrusted: true, ..Self::other(error) }
    }
}

struct Idle {
    sender: SendRequest<Full<Bytes>>,
    since: Instant,
}

/// Sends requests, so many at a time.
pub(super) struct Courier {
    idle: Mutex<HashMap<Server, Vec<Idle>>>,
    window: Arc<Semaphore>,
    /// Knows whose certificates are good; `None` where there is nobody to be trusted.
    tls: Option<TlsConnector>,
}

impl Courier {
    pub(super) fn new(window: usize, tls: Option<TlsConnector>) -> Self {
        Self { idle: Mutex::default(), window: Arc::new(Semaphore::new(window)), tls }
    }

    /// Whether it can ask callbacks over TLS.
    pub(super) fn speaks_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// A place among those that go out at a time; first come, first served.
    pub(super) async fn place(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.window).acquire_owned().await.expect("invariant: the semaphore is never closed")
    }

    /// Carries out one request. The error says what went wrong.
    pub(super) async fn send(
        &self,
        address: &Address,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), Trouble> {
        let sent = self.exchange(address, method, headers, body);
        let late = |_| Err(Trouble::other(format!("it took longer than {PATIENCE:?}")));
        tokio::time::timeout(PATIENCE, sent).await.unwrap_or_else(late)
    }

    async fn exchange(
        &self,
        address: &Address,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), Trouble> {
        let mut sender = match self.kept(&address.server) {
            Some(sender) => sender,
            None => self.connect(&address.server).await?,
        };
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = address.path.parse().map_err(|_| Trouble::other("its path cannot be sent"))?;
        *request.headers_mut() = headers;
        let host = HeaderValue::from_str(address.server.authority.as_str()).map_err(Trouble::other)?;
        request.headers_mut().insert(header::HOST, host);
        let (head, body) = sender.send_request(request).await.map_err(Trouble::other)?.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.map_err(Trouble::other)?;
        if sender.ready().await.is_ok() {
            self.keep(&address.server, sender);
        }
        Ok((head.status, body.to_bytes()))
    }

    /// A connection that is free, if there is one.
    fn kept(&self, server: &Server) -> Option<SendRequest<Full<Bytes>>> {
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.get_mut(server)?;
        own.retain(|idle| idle.since.elapsed() < IDLE_MAX && !idle.sender.is_closed());
        own.pop().map(|idle| idle.sender)
    }

    fn keep(&self, server: &Server, sender: SendRequest<Full<Bytes>>) {
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Connections of all callbacks together are bounded by the window; places of those that are gone are given back.
        all.retain(|_, own| !own.is_empty());
        all.entry(server.clone()).or_default().push(Idle { sender, since: Instant::now() });
    }

    async fn connect(&self, server: &Server) -> Result<SendRequest<Full<Bytes>>, Trouble> {
        let authority = &server.authority;
        let place = match authority.port() {
            Some(_) => authority.as_str().to_owned(),
            None => format!("{authority}:{}", if server.is_tls { 443 } else { 80 }),
        };
        let stream = TcpStream::connect(place).await.map_err(Trouble::other)?;
        // Without it small messages wait for the other side's delayed acknowledgement. A failure is harmless.
        let _ = stream.set_nodelay(true);
        if !server.is_tls {
            return speak(stream).await;
        }
        let tls = self.tls.as_ref().ok_or_else(|| Trouble::untrusted("this hub trusts no certificate"))?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(Trouble::other)?;
        speak(tls.connect(name, stream).await.map_err(of_handshake)?).await
    }
}

/// Speaks HTTP on a connection.
async fn speak<S>(stream: S) -> Result<SendRequest<Full<Bytes>>, Trouble>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(Trouble::other)?;
    // Ends with its sender; what broke is told by the request.
    tokio::spawn(async move { _ = connection.await });
    Ok(sender)
}

/// What a handshake of TLS met: a certificate that is not good, or anything else.
fn of_handshake(error: io::Error) -> Trouble {
    let of_tls = error.get_ref().and_then(|inner| inner.downcast_ref());
    match of_tls {
        Some(rustls::Error::InvalidCertificate(_)) => Trouble::untrusted(error),
        _ => Trouble::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_are_absolute_addresses() {
        let address = Address::of("http://127.0.0.1:8080/a?b=c").unwrap();
        assert_eq!((address.server.authority.as_str(), address.path.as_str()), ("127.0.0.1:8080", "/a?b=c"));
        assert_eq!(Address::of("http://h").unwrap().path, "/");
        let is_tls = |url: &str| Address::of(url).unwrap().server.is_tls;
        assert!(is_tls("https://h/") && !is_tls("http://h/"));
        for wrong in ["", "/a", "http://", "https://", "http://u:p@h/", "ftp://h/"] {
            assert_eq!(Address::of(wrong), None, "{wrong}");
        }
    }
}
