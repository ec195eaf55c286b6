//! Requests to the hub behind the gateway, each with a good token: subscriptions, and what is published.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderName, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use system_common::text;
use tokio::net::TcpStream;

use super::{Gateway, REQUEST_ID, within_patience};
use crate::hub::SCHEME_HEADER;
use crate::traffic::Refused;

/// Most bytes that pass, either way.
const BODY_BYTES_MAX: usize = 16 << 20;
/// Headers that go on to the hub. The host is the gateway's, which is where a subscriber finds the hub.
const PASSED: [HeaderName; 3] = [header::CONTENT_TYPE, header::LINK, header::HOST];
/// Headers that come back.
const ANSWERED: [HeaderName; 2] = [header::CONTENT_TYPE, header::LOCATION];

impl Gateway {
    pub(super) async fn at_hub(&self, request: Request) -> Result<Response<Body>, Box<Response<Body>>> {
        self.check_token(request.headers())?;
        let Some(hub) = &self.hub else {
            return Err(Box::new(text(StatusCode::NOT_FOUND, "this gateway has no hub; start it with `--hub`\n")));
        };
        let correlation = self.correlation(request.headers());
        let (mut head, body) = request.into_parts();
        let too_large = |_| Box::new(text(StatusCode::PAYLOAD_TOO_LARGE, "a request has at most 16 MiB\n"));
        let body = to_bytes(body, BODY_BYTES_MAX).await.map_err(too_large)?;
        let path = head.uri.path_and_query().map_or("/hub", |path| path.as_str()).to_owned();
        let mut passed = axum::http::Request::post(path).header(REQUEST_ID, correlation);
        passed = passed.header(SCHEME_HEADER, if self.is_tls { "https" } else { "http" });
        for name in PASSED {
            if let Some(value) = head.headers.remove(&name) {
                passed = passed.header(name, value);
            }
        }
        let asked = async {
            let passed = passed.body(Full::new(body)).map_err(|error| error.to_string())?;
            let told = |error: hyper::Error| error.to_string();
            let stream = TcpStream::connect(hub.as_str()).await.map_err(|error| error.to_string())?;
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(told)?;
            // Ends with its sender; what broke is told by the request.
            tokio::spawn(async move { _ = connection.await });
            let (head, body) = sender.send_request(passed).await.map_err(told)?.into_parts();
            let body = Limited::new(body, BODY_BYTES_MAX).collect().await.map_err(|error| error.to_string())?;
            let mut answer = Response::new(Body::from(body.to_bytes()));
            *answer.status_mut() = head.status;
            for name in ANSWERED {
                if let Some(value) = head.headers.get(&name) {
                    answer.headers_mut().insert(name, value.clone());
                }
            }
            Ok(answer)
        };
        within_patience(asked).await.map_err(|why| {
            self.traffic.refuse(Refused::Backend);
            Box::new(text(StatusCode::BAD_GATEWAY, format!("the hub at {hub} does not answer: {why}\n")))
        })
    }
}
