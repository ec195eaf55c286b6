//! The token service: `POST /sts`, a name and a password in, an assertion out (WS-Trust 1.3).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Map, Value, json};
use system_common::Module;
use terms::Nanos;

use super::{Claim, Key, issue};
use crate::moment_now;
use crate::soap::{Envelope, Fault, REQUEST_MAX, WSSE, WST, envelope};
use crate::web::{faulty, require_soap, soap, whole};

/// Routes of the token service.
pub(crate) const ROUTES: &[&str] = &["POST /sts"];

/// What a token service is told on the command line.
pub(crate) struct Settings {
    pub(crate) user: String,
    pub(crate) password: String,
    /// Number of the organisation that assertions name.
    pub(crate) cvr: String,
    pub(crate) lifetime: Duration,
}

pub(crate) struct TokenService {
    settings: Settings,
    key: Key,
    issued: AtomicU64,
    refused: AtomicU64,
}

/// What is asked for; another kind of request is refused.
const ISSUE: &str = "http://docs.oasis-open.org/ws-sx/ws-trust/200512/Issue";

impl TokenService {
    pub(crate) fn new(settings: Settings, key: Key) -> Arc<Self> {
        Arc::new(Self { settings, key, issued: AtomicU64::new(0), refused: AtomicU64::new(0) })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new().route("/sts", post(give)).with_state(Arc::clone(self))
    }

    fn answer(&self, headers: &HeaderMap, body: &[u8]) -> Result<String, Fault> {
        require_soap(headers)?;
        let asked = Envelope::read(body)?;
        self.check_password(&asked)?;
        let request = asked.body()?;
        if !request.is(WST, "RequestSecurityToken") {
            return Err(Fault::syntax("the body is not a `wst:RequestSecurityToken`"));
        }
        if request.child(WST, "RequestType").is_some_and(|kind| kind.text() != ISSUE) {
            return Err(Fault::syntax(format!("`wst:RequestType` can only be `{ISSUE}`")));
        }
        let mut random = [0; 16];
        SystemRandom::new().fill(&mut random).map_err(|_| Fault::server("no randomness for an id"))?;
        let id = format!("_{:032x}", u128::from_be_bytes(random));
        let now = moment_now();
        let claim = Claim {
            id: &id,
            subject: &self.settings.user,
            cvr: &self.settings.cvr,
            from: now,
            until: now + Nanos::from(self.settings.lifetime),
        };
        let assertion = issue(&claim, &self.key).map_err(|error| Fault::server(error.to_string()))?;
        self.issued.fetch_add(1, Relaxed);
        Ok(envelope(None, assertion.len(), |out| {
            out.push_str("<wst:RequestSecurityTokenResponseCollection xmlns:wst=\"");
            out.push_str(WST);
            out.push_str("\"><wst:RequestSecurityTokenResponse><wst:RequestedSecurityToken>");
            out.push_str(&assertion);
            out.push_str("</wst:RequestedSecurityToken></wst:RequestSecurityTokenResponse>");
            out.push_str("</wst:RequestSecurityTokenResponseCollection>");
        }))
    }

    fn check_password(&self, asked: &Envelope) -> Result<(), Fault> {
        let user = asked.security()?.child(WSSE, "UsernameToken");
        let user = user.ok_or_else(|| Fault::missing("`wsse:UsernameToken` is missing in `wsse:Security`"))?;
        let text = |name: &str| user.child(WSSE, name).map_or("", |child| child.text());
        // Not a secret worth guarding against clocks: it stands in the study beside this service.
        if text("Username") == self.settings.user && text("Password") == self.settings.password {
            Ok(())
        } else {
            Err(Fault::password())
        }
    }
}

impl Module for TokenService {
    async fn health(&self) -> Result<(), String> {
        Ok(())
    }

    fn counters(&self) -> Map<String, Value> {
        let tokens = json!({ "issued": self.issued.load(Relaxed), "refused": self.refused.load(Relaxed) });
        [("tokens".to_owned(), tokens)].into_iter().collect()
    }
}

async fn give(State(service): State<Arc<TokenService>>, request: Request) -> Response<Body> {
    let (headers, body) = match whole(request, REQUEST_MAX).await {
        Ok(read) => read,
        Err(answer) => return *answer,
    };
    match service.answer(&headers, &body) {
        Ok(text) => soap(StatusCode::OK, text),
        Err(fault) => {
            service.refused.fetch_add(1, Relaxed);
            faulty(&fault)
        }
    }
}
