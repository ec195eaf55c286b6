//! Bearer tokens: made beforehand, as a study's data, and checked by the gateway.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use system_common::{Claims, PublicTokenKey, TokenError, TokenKey};

/// Variable with the key that signs tokens, or with the public key of whoever signs them.
const KEY_VARIABLE: &str = "STREAMING_TOKEN_KEY";
/// The key if there is none: tokens that were written to a file must fit a gateway that is started later.
const KEY_DEFAULT: &str = "secret";

/// What tokens are checked with: their method is not the bearer's choice.
#[derive(Clone)]
pub(crate) enum Key {
    /// HS256.
    Shared(TokenKey),
    /// RS256.
    Public(PublicTokenKey),
}

impl Key {
    /// The key of the environment: a public key in PEM, a shared secret, else `secret`.
    ///
    /// # Errors
    /// PEM that is not a public RSA key.
    pub(crate) fn of_environment() -> Result<Self> {
        let key = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty());
        Self::read(key.as_deref().unwrap_or(KEY_DEFAULT))
    }

    fn read(key: &str) -> Result<Self> {
        if !key.trim_start().starts_with("-----BEGIN ") {
            return Ok(Self::Shared(TokenKey::new(key.as_bytes())));
        }
        PublicTokenKey::from_pem(key).map(Self::Public).with_context(|| {
            format!("${KEY_VARIABLE} is not a public RSA key; `openssl pkey -in PRIVATE.pem -pubout` writes one")
        })
    }

    fn verify(&self, token: &str, now_s: u64) -> Result<Claims, TokenError> {
        match self {
            Self::Shared(key) => key.verify(token, now_s),
            Self::Public(key) => key.verify(token, now_s),
        }
    }
}

/// Writes so many tokens, a row each under the heading `token`.
///
/// # Errors
/// The file cannot be written, or the key cannot sign.
pub(crate) fn write(path: &Path, count: u64, tenant: &str, lifetime: Duration) -> Result<()> {
    let Key::Shared(key) = Key::of_environment()? else {
        bail!(
            "only whoever has the private key signs such tokens; a study makes them: `$(jwt(secret.KEY, claims, 'RS256'))`"
        );
    };
    let iat = now_s();
    let exp = iat.saturating_add(lifetime.as_secs().max(1));
    let written = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "token")?;
        for number in 1..=count {
            let claims = Claims { sub: format!("subscriber-{number}"), tenant: tenant.to_owned(), iat, exp };
            writeln!(file, "{}", key.issue(&claims))?;
        }
        file.flush()
    };
    written().with_context(|| format!("`{}` cannot be written", path.display()))
}

/// Why a request is refused by its token.
pub(crate) type Refusal = (StatusCode, String);

/// Checks `authorization: Bearer TOKEN`: 401 without a good token, 403 for a good one of another tenant.
pub(crate) fn check(headers: &HeaderMap, key: &Key, tenant: &str) -> Result<(), Refusal> {
    let unauthorized = |why: String| (StatusCode::UNAUTHORIZED, why);
    let given = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    let (scheme, token) = given.split_at_checked("Bearer ".len()).unwrap_or_default();
    if !scheme.eq_ignore_ascii_case(b"Bearer ") {
        return Err(unauthorized("`authorization: Bearer TOKEN` is missing; `tokens` writes some".to_owned()));
    }
    let token = std::str::from_utf8(token).unwrap_or_default().trim();
    let claims = key.verify(token, now_s()).map_err(|error| unauthorized(error.to_string()))?;
    match claims.tenant == tenant {
        true => Ok(()),
        false => Err((StatusCode::FORBIDDEN, format!("this gateway is of tenant `{tenant}`, the token is not"))),
    }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(value: &str) -> Option<StatusCode> {
        let headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap())]);
        check(&headers, &Key::Shared(TokenKey::new(b"key")), "lab").err().map(|(status, _)| status)
    }

    #[test]
    fn a_public_key_accepts_what_its_private_one_signed_and_no_shared_secret() {
        const PUBLIC: &str = include_str!("../../system-common/testdata/rsa-public.pem");
        let signed = include_str!("../../system-common/testdata/rsa-token.txt").trim();
        let key = Key::read(PUBLIC).unwrap();
        let refused = |token: &str| {
            let value = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value)]);
            check(&headers, &key, "lab").unwrap_err()
        };
        // It is good, and of 1970.
        assert_eq!(refused(signed), (StatusCode::UNAUTHORIZED, TokenError::Expired.to_string()));
        let claims = Claims { sub: "a".into(), tenant: "lab".into(), iat: 0, exp: u64::MAX };
        let shared = TokenKey::new(PUBLIC.as_bytes()).issue(&claims);
        assert_eq!(refused(&shared), (StatusCode::UNAUTHORIZED, TokenError::BadSignature.to_string()));
        let why = Key::read("-----BEGIN PRIVATE KEY-----").err().unwrap().to_string();
        assert!(why.contains("`openssl pkey -in PRIVATE.pem -pubout`"), "{why}");
        assert!(matches!(Key::read("secret"), Ok(Key::Shared(_))));
    }

    #[test]
    fn only_a_good_token_of_the_tenant_passes() {
        let issue = |key: &[u8], tenant: &str, exp| {
            TokenKey::new(key).issue(&Claims { sub: "a".into(), tenant: tenant.into(), iat: 0, exp })
        };
        let good = issue(b"key", "lab", u64::MAX);
        assert_eq!(status(&format!("Bearer {good}")), None);
        assert_eq!(status(&format!("bearer {good}")), None);
        for bad in [issue(b"other", "lab", u64::MAX), issue(b"key", "lab", 1), "x".to_owned(), String::new()] {
            assert_eq!(status(&format!("Bearer {bad}")), Some(StatusCode::UNAUTHORIZED), "{bad}");
        }
        assert_eq!(status(&good), Some(StatusCode::UNAUTHORIZED));
        assert_eq!(status(&format!("Bearer {}", issue(b"key", "b", u64::MAX))), Some(StatusCode::FORBIDDEN));
    }
}
