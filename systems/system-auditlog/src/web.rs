//! Requests and answers of all services here: bodies within bounds of size and time, envelopes, faults.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use system_common::text;
use system_common::xml::Bounds;

use crate::moment_now;
use crate::soap::{Envelope, Fault, TEXT_XML};
use crate::token::Guard;

/// Longest time for the body of a request, of which the largest has some hundred kB.
const BODY_WAIT: Duration = Duration::from_secs(10);

/// Head and whole body of a request of at most `most` bytes; what is announced as larger is not read at all. Else the
/// answer to give.
pub(crate) async fn whole(request: Request, most: usize) -> Result<(HeaderMap, Bytes), Box<Response<Body>>> {
    let (head, body) = request.into_parts();
    let refusal = |status, why: String| Err(Box::new(text(status, why)));
    let too_large = || refusal(StatusCode::PAYLOAD_TOO_LARGE, format!("a request has at most {most} bytes\n"));
    let announced = head.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > most as u64) {
        return too_large();
    }
    match tokio::time::timeout(BODY_WAIT, Limited::new(body, most).collect()).await {
        Ok(Ok(collected)) => Ok((head.headers, collected.to_bytes())),
        Ok(Err(error)) if error.is::<LengthLimitError>() => too_large(),
        Ok(Err(_)) => refusal(StatusCode::BAD_REQUEST, "the body ended before its announced length\n".to_owned()),
        Err(_) => refusal(StatusCode::REQUEST_TIMEOUT, format!("the body did not come within {BODY_WAIT:?}\n")),
    }
}

/// An envelope.
pub(crate) fn soap(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(TEXT_XML));
    response
}

/// A fault, which SOAP 1.1 sends with status 500.
pub(crate) fn faulty(fault: &Fault) -> Response<Body> {
    soap(StatusCode::INTERNAL_SERVER_ERROR, fault.envelope())
}

/// Whether a request says that it is SOAP 1.1: XML, with a `SOAPAction`, which may be empty.
///
/// # Errors
/// The fault to answer with.
pub(crate) fn require_soap(headers: &HeaderMap) -> Result<(), Fault> {
    let kind = headers.get(header::CONTENT_TYPE).map_or(&[][..], HeaderValue::as_bytes);
    if !kind.get(..8).is_some_and(|kind| kind.eq_ignore_ascii_case(b"text/xml")) {
        return Err(Fault::syntax("the content type is not `text/xml`"));
    }
    if !headers.contains_key("soapaction") {
        return Err(Fault::syntax("the header `SOAPAction` is missing; it may be empty, `\"\"`"));
    }
    Ok(())
}

/// A call of somebody who may call.
pub(crate) struct Call {
    pub(crate) envelope: Envelope,
    /// Ids of the flow and of the message.
    pub(crate) linking: [String; 2],
}

/// Reads a call and checks who is calling. That comes before what is asked: a stranger learns nothing of the interface.
///
/// # Errors
/// The fault to answer with.
pub(crate) fn admit(guard: &Guard, headers: &HeaderMap, body: &[u8], bounds: Bounds) -> Result<Call, Fault> {
    require_soap(headers)?;
    let envelope = Envelope::read_within(body, bounds)?;
    let now = moment_now();
    guard.check(body, envelope.security()?, now)?;
    envelope.check_age(now)?;
    let (flow, message) = envelope.linking()?;
    let linking = [flow.to_owned(), message.to_owned()];
    Ok(Call { envelope, linking })
}
