//! A client of a log: what producers and members of groups ask, with a limit of time on each.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::uri::{Authority, Scheme};
use axum::http::{Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

/// Longest time until a connection is there.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// Longest time for an answer, beside what a reader is willing to wait.
const ANSWER_WAIT: Duration = Duration::from_secs(10);
/// Largest answer: what can be fetched at once, with room for what stands around it.
const ANSWER_MAX: usize = 8 << 20;

/// Why a log did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum LogError {
    /// The group is being dealt anew, or has left this member out.
    #[error("the member has to join again: {0}")]
    Rejoin(String),
    /// What was asked cannot be.
    #[error("the log at {address} refused: {why}")]
    Refused {
        /// Of the log.
        address: Authority,
        /// In its own words.
        why: String,
    },
    /// Nothing, or no answer, came back; whether it was done is not known.
    #[error("the log at {address} did not answer: {why}")]
    Unanswered {
        /// Of the log.
        address: Authority,
        /// What broke.
        why: String,
    },
}

/// What a member was dealt.
#[derive(Debug, Deserialize)]
pub(crate) struct Dealt {
    pub(crate) generation: u64,
    /// Where to begin in each partition.
    pub(crate) from: BTreeMap<u32, u64>,
    /// Whose offsets these are: a log that is made anew has another one.
    pub(crate) log: String,
    session_ms: u64,
}

impl Dealt {
    /// How often to show that one is alive: several times before it would be missed.
    pub(crate) fn beat_every(&self) -> Duration {
        Duration::from_millis((self.session_ms / 12).clamp(20, 1000))
    }
}

/// Connections to a log.
pub(crate) struct Log {
    client: Client<HttpConnector, Full<Bytes>>,
    address: Authority,
}

#[derive(Deserialize)]
struct Produced {
    records: u64,
}

impl Log {
    pub(crate) fn new(address: Authority) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_MAX));
        let client = Client::builder(TokioExecutor::new()).retry_canceled_requests(false).build(connector);
        Self { client, address }
    }

    /// Where it is.
    pub(crate) fn address(&self) -> &Authority {
        &self.address
    }

    fn refused(&self, why: impl Into<String>) -> LogError {
        LogError::Refused { address: self.address.clone(), why: why.into() }
    }

    fn unanswered(&self, why: impl Into<String>) -> LogError {
        LogError::Unanswered { address: self.address.clone(), why: why.into() }
    }

    async fn ask(&self, path: &str, body: Bytes, wait: Duration) -> Result<(StatusCode, Bytes), LogError> {
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(self.address.clone()).path_and_query(path).build();
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri.map_err(|error| self.refused(error.to_string()))?;
        let exchange = async {
            let response = self.client.request(request).await.map_err(|error| self.unanswered(error.to_string()))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), ANSWER_MAX).collect().await;
            Ok((status, body.map_err(|error| self.unanswered(error.to_string()))?.to_bytes()))
        };
        let (status, body) = tokio::time::timeout(ANSWER_WAIT + wait, exchange)
            .await
            .unwrap_or_else(|_| Err(self.unanswered(format!("nothing came within {:?}", ANSWER_WAIT + wait))))?;
        if status.is_success() {
            return Ok((status, body));
        }
        let why: String = String::from_utf8_lossy(&body).trim().chars().take(300).collect();
        Err(match status {
            StatusCode::CONFLICT | StatusCode::GONE => LogError::Rejoin(why),
            // It has not been done, or it is not known whether: a full disk, a fault, a process that ends.
            status if status.is_server_error() => self.unanswered(format!("status {status}: {why}")),
            _ => self.refused(why),
        })
    }

    async fn ask_json(&self, path: &str, question: &Value) -> Result<(StatusCode, Bytes), LogError> {
        self.ask(path, Bytes::from(question.to_string()), Duration::ZERO).await
    }

    /// Appends the records of `frames`; when this returns, they are written.
    ///
    /// # Errors
    /// They are not, or it is not known.
    pub(crate) async fn produce(&self, topic: &str, frames: Bytes, count: u64) -> Result<(), LogError> {
        let (_, body) = self.ask(&format!("/topics/{topic}/records"), frames, Duration::ZERO).await?;
        match serde_json::from_slice::<Produced>(&body) {
            Ok(produced) if produced.records == count => Ok(()),
            _ => Err(self.unanswered("what it says of the records cannot be understood")),
        }
    }

    /// Records from offsets on, in sections by partition; waits for something new, and may then come back with nothing.
    ///
    /// # Errors
    /// No such topic or offset, or no answer.
    pub(crate) async fn fetch(
        &self,
        topic: &str,
        from: &BTreeMap<u32, u64>,
        most: usize,
        wait: Duration,
    ) -> Result<Bytes, LogError> {
        let question = json!({ "from": from, "most": most, "wait_ms": wait.as_millis() as u64 });
        let body = Bytes::from(question.to_string());
        Ok(self.ask(&format!("/topics/{topic}/fetch"), body, wait).await?.1)
    }

    /// Joins a group; `None` if others have not joined yet, and one has to ask again.
    ///
    /// # Errors
    /// The group cannot be joined, or no answer.
    pub(crate) async fn join(&self, group: &str, question: &Value) -> Result<Option<Dealt>, LogError> {
        let (status, body) = self.ask_json(&format!("/groups/{group}/join"), question).await?;
        if status == StatusCode::ACCEPTED {
            return Ok(None);
        }
        serde_json::from_slice(&body).map(Some).map_err(|error| self.unanswered(error.to_string()))
    }

    /// Shows that a member is alive.
    ///
    /// # Errors
    /// It has to join again, or no answer.
    pub(crate) async fn beat(&self, group: &str, member: &str, generation: u64) -> Result<(), LogError> {
        let question = json!({ "member": member, "generation": generation });
        self.ask_json(&format!("/groups/{group}/beat"), &question).await.map(drop)
    }

    /// Says how far a member has read.
    ///
    /// # Errors
    /// It is no longer the member's to say, or no answer.
    pub(crate) async fn commit(
        &self,
        group: &str,
        member: &str,
        generation: u64,
        offsets: &BTreeMap<u32, u64>,
    ) -> Result<(), LogError> {
        let question = json!({ "member": member, "generation": generation, "offsets": offsets });
        self.ask_json(&format!("/groups/{group}/commit"), &question).await.map(drop)
    }

    /// Leaves a group.
    ///
    /// # Errors
    /// No answer.
    pub(crate) async fn leave(&self, group: &str, member: &str, instance: u64) -> Result<(), LogError> {
        let question = json!({ "member": member, "instance": instance });
        self.ask_json(&format!("/groups/{group}/leave"), &question).await.map(drop)
    }
}
