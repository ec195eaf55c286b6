//! Other analyzers, which are asked for parts.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::uri::{Authority, Scheme};
use axum::http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::parts::{Found, Part};

/// Longest time until a connection is there.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Largest answer.
const ANSWER_MAX: usize = 256 << 20;

/// Connections to peers.
pub(crate) struct Peers {
    client: Client<HttpConnector, Full<Bytes>>,
    pub(crate) addresses: Vec<Authority>,
}

/// `URL,URL` as the value of a flag.
///
/// # Errors
/// Anything else, with what to write.
pub(crate) fn listed(text: &str) -> Result<Vec<Authority>, String> {
    text.split(',').map(str::trim).filter(|url| !url.is_empty()).map(address).collect()
}

fn address(url: &str) -> Result<Authority, String> {
    let authority = url.strip_prefix("http://").unwrap_or(url).trim_end_matches('/');
    system_common::authority(authority).map_err(|_| {
        format!(
            "`{}` is not the address of an analyzer; write `http://HOST:PORT`, several with commas",
            url.escape_debug()
        )
    })
}

impl Peers {
    pub(crate) fn new(addresses: Vec<Authority>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_MAX));
        // A part that may have begun is not asked for again.
        let client = Client::builder(TokioExecutor::new()).retry_canceled_requests(false).build(connector);
        Self { client, addresses }
    }

    /// Asks a peer for a part.
    ///
    /// # Errors
    /// Why there is no answer that could be one, with the peer's address.
    pub(crate) async fn ask(&self, peer: &Authority, part: &Part, within: Duration) -> Result<Found, String> {
        let fails = |why: String| format!("the analyzer at {peer} {why}");
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(peer.clone()).path_and_query("/parts").build();
        let body = serde_json::to_vec(part).map_err(|error| fails(error.to_string()))?;
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri.map_err(|error| fails(error.to_string()))?;
        let exchange = async {
            let broken = |error: &dyn std::error::Error| fails(format!("did not answer: {}", causes(error)));
            let response = self.client.request(request).await.map_err(|error| broken(&error))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), ANSWER_MAX).collect().await;
            let body = body.map_err(|error| fails(format!("broke off its answer: {}", causes(&*error))))?.to_bytes();
            if !status.is_success() {
                let why: String = String::from_utf8_lossy(&body).trim().chars().take(500).collect();
                return Err(fails(format!("failed: {why}")));
            }
            Found::received(&body).map_err(|error| fails(format!("answered with something else: {error}")))
        };
        tokio::time::timeout(within, exchange)
            .await
            .unwrap_or_else(|_| Err(fails(format!("did not answer within {within:?}"))))
    }
}

/// An error with what lies behind it.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_urls_with_ports() {
        let read = |text: &str| listed(text).map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(read("http://127.0.0.1:1,127.0.0.1:2/"), Ok(vec!["127.0.0.1:1".into(), "127.0.0.1:2".into()]));
        assert_eq!(read(""), Ok(vec![]));
        for wrong in ["http://a", "https://a:1", "a:1 b:2", "http://u@a:1"] {
            assert!(read(wrong).unwrap_err().contains("write `http://HOST:PORT`"), "{wrong}");
        }
    }
}
