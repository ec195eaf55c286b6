//! Requests to callbacks, on connections that are kept: ten thousand deliveries take as many connections as go out at a
//! time, not ten thousand.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
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
    pub(super) authority: Authority,
    /// Path and query.
    pub(super) path: String,
}

impl Address {
    /// Of an absolute URL with `http://`.
    pub(super) fn of(url: &str) -> Option<Self> {
        let uri: axum::http::Uri = url.parse().ok()?;
        let authority = uri.authority().filter(|it| uri.scheme_str() == Some("http") && !it.as_str().contains('@'))?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Some(Self { authority: authority.clone(), path: path.to_owned() })
    }
}

struct Idle {
    sender: SendRequest<Full<Bytes>>,
    since: Instant,
}

/// Sends requests, so many at a time.
pub(super) struct Courier {
    idle: Mutex<HashMap<Authority, Vec<Idle>>>,
    window: Arc<Semaphore>,
}

impl Courier {
    pub(super) fn new(window: usize) -> Self {
        Self { idle: Mutex::default(), window: Arc::new(Semaphore::new(window)) }
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
    ) -> Result<(StatusCode, Bytes), String> {
        let sent = self.exchange(address, method, headers, body);
        tokio::time::timeout(PATIENCE, sent).await.unwrap_or_else(|_| Err(format!("it took longer than {PATIENCE:?}")))
    }

    async fn exchange(
        &self,
        address: &Address,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), String> {
        let told = |error: hyper::Error| error.to_string();
        let mut sender = match self.kept(&address.authority) {
            Some(sender) => sender,
            None => connect(&address.authority).await?,
        };
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = address.path.parse().map_err(|_| "its path cannot be sent".to_owned())?;
        *request.headers_mut() = headers;
        let host = HeaderValue::from_str(address.authority.as_str()).map_err(|error| error.to_string())?;
        request.headers_mut().insert(header::HOST, host);
        let (head, body) = sender.send_request(request).await.map_err(told)?.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.map_err(|error| error.to_string())?;
        if sender.ready().await.is_ok() {
            self.keep(&address.authority, sender);
        }
        Ok((head.status, body.to_bytes()))
    }

    /// A connection that is free, if there is one.
    fn kept(&self, authority: &Authority) -> Option<SendRequest<Full<Bytes>>> {
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.get_mut(authority)?;
        own.retain(|idle| idle.since.elapsed() < IDLE_MAX && !idle.sender.is_closed());
        own.pop().map(|idle| idle.sender)
    }

    fn keep(&self, authority: &Authority, sender: SendRequest<Full<Bytes>>) {
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Connections of all callbacks together are bounded by the window; places of those that are gone are given back.
        all.retain(|_, own| !own.is_empty());
        all.entry(authority.clone()).or_default().push(Idle { sender, since: Instant::now() });
    }
}

async fn connect(authority: &Authority) -> Result<SendRequest<Full<Bytes>>, String> {
    let place = match authority.port() {
        Some(_) => authority.as_str().to_owned(),
        None => format!("{authority}:80"),
    };
    let stream = TcpStream::connect(place).await.map_err(|error| error.to_string())?;
    // Without it small messages wait for the other side's delayed acknowledgement. A failure is harmless.
    let _ = stream.set_nodelay(true);
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    // Ends with its sender; what broke is told by the request.
    tokio::spawn(async move { _ = connection.await });
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_are_absolute_addresses() {
        let address = Address::of("http://127.0.0.1:8080/a?b=c").unwrap();
        assert_eq!((address.authority.as_str(), address.path.as_str()), ("127.0.0.1:8080", "/a?b=c"));
        assert_eq!(Address::of("http://h").unwrap().path, "/");
        for wrong in ["", "/a", "https://h/", "http://", "http://u:p@h/", "ftp://h/"] {
            assert_eq!(Address::of(wrong), None, "{wrong}");
        }
    }
}
