//! The gateway: logs users in, checks tokens, and forwards each call to the module that has its route.

mod upstream;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri};
use axum::routing::{get, post, put};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use system_common::{Claims, Module, TokenKey, json as json_answer, text};

use upstream::{Call, Upstream};

/// Routes of the gateway.
pub(crate) const ROUTES: &[&str] = &[
    "POST /authn/login",
    "GET /source-storage/source-records",
    "GET /holdings-storage/holdings",
    "GET /search/instances",
    "POST /check-out",
    "PUT /holdings/{uuid}",
];

/// What a gateway is told on the command line.
pub(crate) struct Settings {
    pub(crate) records: Vec<Authority>,
    pub(crate) holdings: Vec<Authority>,
    /// How many times the work of the others the first replica of each module gets.
    pub(crate) skew: f64,
    pub(crate) tenant: String,
    pub(crate) user: String,
    pub(crate) password: String,
    pub(crate) upstream_timeout: Duration,
    pub(crate) token_lifetime: Duration,
}

pub(crate) struct Gateway {
    settings: Settings,
    key: TokenKey,
    records: Upstream,
    holdings: Upstream,
    logins: AtomicU64,
    correlations: AtomicU64,
}

/// Largest body of a request; the largest that a module takes.
const BODY_MAX: usize = 64 << 10;
/// The two headers of every call, and the one that joins the logs.
const TENANT: &str = "x-okapi-tenant";
const TOKEN: &str = "x-okapi-token";
const REQUEST_ID: &str = "x-request-id";

impl Gateway {
    /// Tokens are signed with `INVENTORY_TOKEN_KEY`, so that several gateways can accept each other's; else with a
    /// random key, and end with the process.
    pub(crate) fn new(settings: Settings) -> Result<Arc<Self>> {
        let key = match std::env::var("INVENTORY_TOKEN_KEY") {
            Ok(secret) if !secret.is_empty() => TokenKey::new(secret.as_bytes()),
            _ => TokenKey::random().context("no random key for tokens")?,
        };
        Ok(Arc::new(Self {
            records: Upstream::new(&settings.records, settings.upstream_timeout, settings.skew),
            holdings: Upstream::new(&settings.holdings, settings.upstream_timeout, settings.skew),
            key,
            logins: AtomicU64::new(0),
            correlations: AtomicU64::new(0),
            settings,
        }))
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/authn/login", post(log_in))
            .route("/source-storage/source-records", get(to_records))
            .route("/holdings-storage/holdings", get(to_holdings))
            .route("/search/instances", get(to_records))
            .route("/check-out", post(to_holdings))
            .route("/holdings/{uuid}", put(to_holdings))
            .fallback(no_route)
            .layer(DefaultBodyLimit::max(BODY_MAX))
            .with_state(Arc::clone(self))
    }
}

impl Module for Gateway {
    /// The gateway itself: a module that is down has a health of its own.
    async fn health(&self) -> Result<(), String> {
        Ok(())
    }

    fn counters(&self) -> Map<String, Value> {
        let mut all = Map::new();
        all.insert("logins".to_owned(), self.logins.load(Relaxed).into());
        let upstream = json!({ "records": self.records.counters(), "holdings": self.holdings.counters() });
        all.insert("upstream".to_owned(), upstream);
        all
    }
}

async fn no_route() -> Response<Body> {
    text(StatusCode::NOT_FOUND, "no module has this route\n")
}

async fn to_records(
    State(gateway): State<Arc<Gateway>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    gateway.forward(&gateway.records, method, uri, &headers, body).await
}

async fn to_holdings(
    State(gateway): State<Arc<Gateway>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    gateway.forward(&gateway.holdings, method, uri, &headers, body).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    username: String,
    password: String,
}

async fn log_in(State(gateway): State<Arc<Gateway>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    gateway.log_in(&headers, &body).unwrap_or_else(|refusal| *refusal)
}

/// A refusal is an answer already; boxed, because it is large and rare.
type Refused = Box<Response<Body>>;

fn refuse(status: StatusCode, why: impl Into<String>) -> Refused {
    Box::new(text(status, why.into() + "\n"))
}

impl Gateway {
    fn log_in(&self, headers: &HeaderMap, body: &[u8]) -> Result<Response<Body>, Refused> {
        self.check_tenant(headers, &self.settings.tenant)?;
        let credentials: Credentials = serde_json::from_slice(body).map_err(|error| {
            let possible = "{\"username\": TEXT, \"password\": TEXT}";
            refuse(StatusCode::BAD_REQUEST, format!("the body cannot be read: {error}; possible is `{possible}`"))
        })?;
        let Settings { user, password, tenant, token_lifetime, .. } = &self.settings;
        if credentials.username != *user || credentials.password != *password {
            return Err(refuse(StatusCode::UNAUTHORIZED, "user name or password is wrong"));
        }
        let now = now_s();
        let exp = now.saturating_add(token_lifetime.as_secs().max(1));
        let claims = Claims { sub: user.clone(), tenant: tenant.clone(), iat: now, exp };
        let token = self.key.issue(&claims);
        let body = json!({ "okapiToken": token, "tenant": tenant, "expires": exp }).to_string();
        let mut answer = json_answer(StatusCode::CREATED, body);
        let value = HeaderValue::try_from(token).expect("invariant: a token is base64url and dots");
        answer.headers_mut().insert(TOKEN, value);
        self.logins.fetch_add(1, Relaxed);
        Ok(answer)
    }

    /// A missing tenant is the token's; another one than the token's is refused.
    fn check_tenant(&self, headers: &HeaderMap, tenant: &str) -> Result<(), Refused> {
        match headers.get(TENANT) {
            Some(given) if given.as_bytes() != tenant.as_bytes() => {
                Err(refuse(StatusCode::FORBIDDEN, format!("`{TENANT}` is not the tenant of this user")))
            }
            _ => Ok(()),
        }
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<Claims, Refused> {
        let token = headers.get(TOKEN).ok_or_else(|| {
            refuse(StatusCode::UNAUTHORIZED, format!("`{TOKEN}` is missing; log in at `POST /authn/login`"))
        })?;
        let token = token.to_str().unwrap_or_default();
        let claims =
            self.key.verify(token, now_s()).map_err(|error| refuse(StatusCode::UNAUTHORIZED, error.to_string()))?;
        self.check_tenant(headers, &claims.tenant)?;
        Ok(claims)
    }

    async fn forward(
        &self,
        upstream: &Upstream,
        method: Method,
        uri: Uri,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Response<Body> {
        let claims = match self.check_token(headers) {
            Ok(claims) => claims,
            Err(refusal) => return *refusal,
        };
        let call = Call { method, uri, headers: self.onward(headers, &claims), body };
        upstream.send(call).await
    }

    /// The headers that a module gets: who asks, what kind the body is, and an id that joins the logs.
    fn onward(&self, headers: &HeaderMap, claims: &Claims) -> HeaderMap {
        let mut onward = HeaderMap::with_capacity(4);
        for name in ["content-type", TOKEN, REQUEST_ID] {
            if let Some(value) = headers.get(name) {
                onward.insert(name, value.clone());
            }
        }
        if let Ok(tenant) = HeaderValue::from_str(&claims.tenant) {
            onward.insert(TENANT, tenant);
        }
        if !onward.contains_key(REQUEST_ID) {
            let number = self.correlations.fetch_add(1, Relaxed);
            let id = format!("gateway-{}-{number}", std::process::id());
            onward.extend(HeaderValue::try_from(id).map(|id| (axum::http::HeaderName::from_static(REQUEST_ID), id)));
        }
        onward
    }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
