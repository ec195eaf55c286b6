//! Another hub, to which requests for subscriptions are sent on (`--redirect`).

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, Uri, header};
use system_common::text;

/// With which status, and to where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    status: StatusCode,
    to: HeaderValue,
}

/// `307=URL` or `308=URL`, as the value of a flag.
///
/// # Errors
/// Anything else, with what to write.
pub(super) fn redirect(text: &str) -> Result<Redirect, String> {
    let read = || {
        let (status, url) = text.split_once('=')?;
        let status = match status {
            "307" => StatusCode::TEMPORARY_REDIRECT,
            "308" => StatusCode::PERMANENT_REDIRECT,
            _ => return None,
        };
        let uri: Uri = url.parse().ok()?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        Some(Redirect { status, to: HeaderValue::try_from(url).ok().filter(|_| is_http)? })
    };
    read().ok_or_else(|| format!("`{text}` is not a redirect; write for example `307=http://127.0.0.1:8083/hub`"))
}

impl Redirect {
    /// The answer that sends a subscriber on.
    pub(super) fn answer(&self) -> Response<Body> {
        let mut answer = text(self.status, "another hub takes subscriptions\n");
        answer.headers_mut().insert(header::LOCATION, self.to.clone());
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_has_a_status_and_an_address() {
        let answer = redirect("308=https://h:1/hub?a=b").unwrap().answer();
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["location"]),
            (308, &"https://h:1/hub?a=b".parse().unwrap())
        );
        for wrong in ["", "307", "302=http://h/", "307=h/hub", "308=ftp://h/", "=http://h/"] {
            assert!(redirect(wrong).unwrap_err().contains("write for example `307=http://"), "{wrong}");
        }
    }
}
