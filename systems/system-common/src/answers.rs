//! Answers in the two forms that modules give: JSON, and one line of text for what went wrong.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};

/// A JSON body that is already text.
pub fn json(status: StatusCode, body: String) -> Response<Body> {
    answer(status, "application/json", body)
}

/// One line of plain text, the form of all refusals.
pub fn text(status: StatusCode, body: impl Into<String>) -> Response<Body> {
    answer(status, "text/plain", body.into())
}

fn answer(status: StatusCode, kind: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
