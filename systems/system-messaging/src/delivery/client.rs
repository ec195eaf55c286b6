//! Posts envelopes over kept connections.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Method, Request, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// Longest time for one attempt, from the connection to the end of the answer.
const ATTEMPT_MAX: Duration = Duration::from_secs(10);
/// Largest answer that is read: an acknowledgment has some thousand bytes.
const ANSWER_MAX: usize = 256 << 10;
/// How long an idle connection is kept. Most servers close theirs later than this.
const IDLE_MAX: Duration = Duration::from_secs(4);

/// A client of HTTP/1.1.
pub(crate) struct Client {
    inner: hyper_util::client::legacy::Client<HttpConnector, Full<Bytes>>,
}

impl Client {
    /// Keeps as many connections as there are workers.
    pub(crate) fn new(workers: usize) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let inner = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(workers)
            .pool_idle_timeout(IDLE_MAX)
            .pool_timer(hyper_util::rt::TokioTimer::new())
            .build(connector);
        Self { inner }
    }

    /// Posts an envelope; content type and body of an answer that takes it (any 2xx), else why it was not taken.
    ///
    /// # Errors
    /// A text for the log of deliveries.
    pub(crate) async fn post(&self, uri: &str, envelope: Bytes) -> Result<(String, Bytes), String> {
        let uri: Uri = uri.parse().map_err(|_| format!("`{uri}` is not an address"))?;
        let mut request = Request::new(Full::new(envelope));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri;
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/xml; charset=UTF-8"));
        headers.insert("soapaction", header::HeaderValue::from_static("\"ebXML\""));
        match tokio::time::timeout(ATTEMPT_MAX, self.exchange(request)).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no answer within {ATTEMPT_MAX:?}")),
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<(String, Bytes), String> {
        let response = self.inner.request(request).await.map_err(|error| chain(&error))?;
        let status = response.status();
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.unwrap_or_default().to_owned();
        // Read to its end, so that the connection can be used again.
        let body = Limited::new(response.into_body(), ANSWER_MAX).collect().await.map_err(|error| error.to_string())?;
        if status.is_success() { Ok((kind, body.to_bytes())) } else { Err(format!("answered with status {status}")) }
    }
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
