//! `POST /ebms`: one message from its request to its commit.

mod check;
mod reply;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::routing::post;
use http_body_util::{BodyExt, Limited};
use serde_json::{Map, Value, json};
use system_common::{Module, Shares, text};
use tokio::sync::Semaphore;

use crate::agreement::Agreements;
use crate::counters::{Count, MessageCounters};
use crate::delivery::{Delivery, Task};
use crate::moment_now;
use crate::store::{
    Attachment, Committer, Outcome, Receive, Redeliver, Session, Store, StoreError, StoredReply, TaskRow,
};
use crate::wire::envelope::{self, Code, Envelope, Fault, Flaw};
use crate::wire::mime::{self, Package};
use crate::wire::write;
use check::{Parties, check};
use reply::{Reply, Writer};

/// Routes of this module.
pub(crate) const ROUTES: &[&str] = &["POST /ebms"];
/// Largest message, payloads included.
const BODY_MAX: usize = 16 << 20;
/// Longest time for a body to arrive.
const BODY_WAIT: Duration = Duration::from_secs(30);
/// Longest time that the store is asked for health.
const HEALTH_WAIT: Duration = Duration::from_secs(2);

/// What a handler is made of.
pub(crate) struct Settings {
    /// Our party's id; without it whichever party a message is to.
    pub(crate) own: Option<String>,
    /// Messages worked on at once.
    pub(crate) pool: usize,
    /// Longest time to wait for a place among them, and then for the store.
    pub(crate) wait_max: Duration,
    /// Spent with a place held (fault `delay`).
    pub(crate) delay: Duration,
    /// Whose acknowledgments are withheld at first.
    pub(crate) withheld: Shares,
    /// Business messages are answered by business messages.
    pub(crate) replies: bool,
}

/// The message service.
pub(crate) struct Handler {
    settings: Settings,
    agreements: Arc<Agreements>,
    store: Store,
    committer: Arc<Committer>,
    counters: Arc<MessageCounters>,
    delivery: Arc<Delivery>,
    writer: Writer,
    pool: Semaphore,
    waiting: AtomicU64,
    waits: AtomicU64,
    wait_ns: AtomicU64,
    acks: AtomicU64,
    health: tokio::sync::Mutex<Option<Session>>,
}

/// Why a request is not accepted.
enum Refusal {
    Fault(Fault),
    TooLarge,
    TooSlow,
    Unavailable(String),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl Handler {
    pub(crate) fn new(settings: Settings, store: Store, delivery: Arc<Delivery>) -> Arc<Self> {
        let zero = || AtomicU64::new(0);
        Arc::new(Self {
            pool: Semaphore::new(settings.pool),
            settings,
            agreements: Arc::clone(&delivery.agreements),
            store,
            committer: Arc::clone(&delivery.committer),
            counters: Arc::clone(&delivery.counters),
            delivery,
            writer: Writer::new(),
            waiting: zero(),
            waits: zero(),
            wait_ns: zero(),
            acks: zero(),
            health: tokio::sync::Mutex::new(None),
        })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new().route("/ebms", post(receive)).with_state(Arc::clone(self))
    }

    async fn answer(self: Arc<Self>, request: Request) -> Response<Body> {
        match take(&self, request).await {
            Ok(None) => empty(StatusCode::NO_CONTENT),
            Ok(Some(envelope)) => xml(StatusCode::OK, envelope),
            Err(Refusal::Fault(fault)) => {
                self.counters.faults.fetch_add(1, Relaxed);
                xml(StatusCode::INTERNAL_SERVER_ERROR, write::fault(&fault).into())
            }
            Err(Refusal::TooLarge) => {
                text(StatusCode::PAYLOAD_TOO_LARGE, format!("a message has at most {BODY_MAX} bytes\n"))
            }
            Err(Refusal::TooSlow) => {
                text(StatusCode::REQUEST_TIMEOUT, format!("the message did not arrive within {BODY_WAIT:?}\n"))
            }
            Err(Refusal::Unavailable(why)) => {
                self.counters.unavailable.fetch_add(1, Relaxed);
                text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n"))
            }
        }
    }

    /// A place in the pool.
    async fn place(&self) -> Result<tokio::sync::SemaphorePermit<'_>, Refusal> {
        if let Ok(place) = self.pool.try_acquire() {
            return Ok(place);
        }
        let since = Instant::now();
        let _waiting = Waiting::begin(&self.waiting);
        self.waits.fetch_add(1, Relaxed);
        let place = tokio::time::timeout(self.settings.wait_max, self.pool.acquire()).await;
        self.wait_ns.fetch_add(u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX), Relaxed);
        match place {
            Ok(Ok(place)) => Ok(place),
            _ => Err(Refusal::Unavailable(format!("no place in the pool within {:?}", self.settings.wait_max))),
        }
    }

    async fn store(&self, envelope: &Envelope, package: &Package) -> Result<Option<Bytes>, Refusal> {
        let agreement = self.agreements.get(&envelope.cpa_id).ok_or_else(|| {
            let shown: String = envelope.cpa_id.chars().take(100).collect();
            Fault::client(format!("the agreement `{shown}` is not known here"))
        })?;
        self.counters.add(&agreement.id, Count::Received);
        let parties = Parties::of(agreement, envelope, self.settings.own.as_deref());
        let flaws = check(&parties, envelope, package, moment_now());
        if !flaws.is_empty() {
            return self.store_with(&parties, envelope, package, flaws).await;
        }
        match self.store_once(&parties, envelope, package, Vec::new()).await? {
            Stored::Done(answer) => Ok(answer),
            Stored::UnknownReference => {
                let location = "//eb:RefToMessageId";
                let flaw = Flaw::new(Code::ValueNotRecognized, location, "no message here has this id");
                self.store_with(&parties, envelope, package, vec![flaw]).await
            }
        }
    }

    /// Stores a message that is found wrong.
    async fn store_with(
        &self,
        parties: &Parties<'_>,
        envelope: &Envelope,
        package: &Package,
        flaws: Vec<Flaw>,
    ) -> Result<Option<Bytes>, Refusal> {
        match self.store_once(parties, envelope, package, flaws).await? {
            Stored::Done(answer) => Ok(answer),
            Stored::UnknownReference => Err(Refusal::Unavailable("the store contradicts itself".to_owned())),
        }
    }

    async fn store_once(
        &self,
        parties: &Parties<'_>,
        envelope: &Envelope,
        package: &Package,
        flaws: Vec<Flaw>,
    ) -> Result<Stored, Refusal> {
        let is_wrong = !flaws.is_empty();
        let mut replies = self.writer.replies(parties, envelope, flaws.clone(), self.settings.replies);
        let (answer, withheld) = self.route(parties, envelope, &mut replies);
        let receive = Receive {
            inbound: reply::inbound(parties, envelope, package, is_wrong, self.settings.replies),
            attachments: attachments(envelope, package, is_wrong),
            must_exist: if is_wrong { None } else { reply::must_exist(envelope) },
            acknowledges: if is_wrong { None } else { envelope.acknowledges.clone() },
            replies: replies.iter().map(|reply| (reply.row.clone(), reply.task.clone())).collect(),
        };
        let tasks: Vec<Task> = replies.iter().filter_map(|reply| self.task(parties, reply)).collect();
        tasks.iter().for_each(|task| self.delivery.queue.reserve(&task.message_id));
        let outcome = self.committer.receive(receive).await;
        if !matches!(outcome, Ok(Outcome::Stored)) {
            tasks.iter().for_each(|task| self.delivery.queue.give_up(&task.message_id));
        }
        match outcome? {
            Outcome::Stored => {
                tasks.into_iter().for_each(|task| self.delivery.queue.add(task));
                self.count(envelope, package, &replies, &flaws, withheld);
                Ok(Stored::Done(answer))
            }
            Outcome::Duplicate(stored) => self.again(parties, envelope, stored).await.map(Stored::Done),
            Outcome::UnknownReference => Ok(Stored::UnknownReference),
        }
    }

    /// Which reply is the answer on this connection, and which acknowledgment is withheld.
    fn route(&self, parties: &Parties<'_>, envelope: &Envelope, replies: &mut [Reply]) -> (Option<Bytes>, bool) {
        let ack = replies.iter_mut().find(|reply| reply.is_acknowledgment());
        if let Some(ack) = ack
            && self.settings.withheld.hit(self.acks.fetch_add(1, Relaxed)).is_some()
        {
            ack.task = None;
            return (None, true);
        }
        // One answer has place for one message: a signal before what business answers.
        let agreed = parties.channel(envelope).on_connection;
        let place = |is_signal: bool, is_agreed: bool| {
            replies.iter().position(|reply| reply.is_signal == is_signal).filter(|_| envelope.sync_reply && is_agreed)
        };
        let place = place(true, agreed.signals).or_else(|| place(false, agreed.business));
        if let Some(first) = place.and_then(|place| replies.get_mut(place)) {
            first.task = None;
            first.row.status = crate::store::Status::Delivered;
            return (Some(first.row.content.clone()), false);
        }
        (None, false)
    }

    fn task(&self, parties: &Parties<'_>, reply: &Reply) -> Option<Task> {
        let row = reply.task.as_ref()?;
        let (id, content) = (row.message_id.clone(), reply.row.content.clone());
        let task =
            self.delivery.task(id, row.cpa_id.clone(), content, reply.channel(parties), &parties.receiver().default);
        Some(Task { needs_ack: reply.needs_ack, delivered: reply.delivered(), ..task })
    }

    /// A duplicate: the stored acknowledgment, or the stored error, is sent again; anything else is only counted.
    async fn again(
        &self,
        parties: &Parties<'_>,
        envelope: &Envelope,
        stored: Vec<StoredReply>,
    ) -> Result<Option<Bytes>, Refusal> {
        let cpa_id = &envelope.cpa_id;
        self.counters.add(cpa_id, Count::Duplicates);
        // An id that was used under another agreement is not answered with what belongs to others.
        let mut answers = stored.into_iter().filter(|reply| reply.cpa_id == *cpa_id);
        let wanted = |reply: &StoredReply| matches!(reply.action.as_str(), "Acknowledgment" | "MessageError");
        let Some(reply) = answers.find(wanted).filter(|_| envelope.ack_requested.is_some()) else { return Ok(None) };
        self.counters.add(cpa_id, Count::Resends);
        if envelope.sync_reply && parties.channel(envelope).on_connection.signals {
            return Ok(Some(reply.content));
        }
        let channel = &parties.sender().default;
        let from = &parties.receiver().default;
        let task = self.delivery.task(reply.message_id.clone(), cpa_id.clone(), reply.content, channel, from);
        let task = Task { delivered: crate::delivery::end_of(&reply.action), ..task };
        let row = TaskRow {
            cpa_id: cpa_id.clone(),
            channel: channel.id.clone(),
            message_id: reply.message_id.clone(),
            time_to_live: None,
            due: task.due,
        };
        self.delivery.queue.reserve(&reply.message_id);
        match self.committer.redeliver(Redeliver { task: row }).await {
            Ok(_) => self.delivery.queue.add(task),
            Err(error) => {
                self.delivery.queue.give_up(&reply.message_id);
                return Err(error.into());
            }
        }
        Ok(None)
    }

    fn count(&self, envelope: &Envelope, package: &Package, replies: &[Reply], flaws: &[Flaw], withheld: bool) {
        let (counters, id) = (&self.counters, &envelope.cpa_id);
        counters.add(id, Count::Stored);
        for reply in replies {
            counters.add(id, reply.stored());
            // What is answered on the connection has no task.
            if reply.row.status == crate::store::Status::Delivered {
                counters.add(id, reply.delivered());
            }
        }
        if withheld {
            counters.add(id, Count::AcksWithheld);
        }
        if !flaws.is_empty() {
            if !replies.is_empty() {
                flaws.iter().for_each(|flaw| counters.add_code(id, flaw.code));
            }
            return;
        }
        match (envelope.service.is_signals(), envelope.action.as_str()) {
            (true, "Ping") => counters.add(id, Count::PingsStored),
            (true, "MessageError") => counters.add(id, Count::ErrorsReceived),
            (true, _) => {}
            (false, _) => {
                counters.add(id, Count::BusinessStored);
                counters.add_many(id, Count::PayloadsStored, package.payloads.len() as u64);
            }
        }
        if let Some(acknowledged) = &envelope.acknowledges {
            counters.add(id, Count::AcksReceived);
            if self.delivery.queue.acknowledged(acknowledged) {
                counters.add(id, Count::RepliesDelivered);
            }
        }
    }
}

enum Stored {
    Done(Option<Bytes>),
    UnknownReference,
}

/// Counts itself as waiting while it lives.
struct Waiting<'a>(&'a AtomicU64);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicU64) -> Self {
        count.fetch_add(1, Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

async fn receive(State(handler): State<Arc<Handler>>, request: Request) -> Response<Body> {
    handler.answer(request).await
}

/// Takes a message; an envelope comes back where the answer is synchronous.
async fn take(handler: &Arc<Handler>, request: Request) -> Result<Option<Bytes>, Refusal> {
    let (head, body) = request.into_parts();
    check_action(&head.headers)?;
    let kind = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.ok_or_else(|| Fault::client("the request has no content type"))?.to_owned();
    let body = read_body(&head.headers, body).await?;
    let _place = handler.place().await?;
    if !handler.settings.delay.is_zero() {
        tokio::time::sleep(handler.settings.delay).await;
    }
    let package = mime::open(&kind, body).map_err(|error| Fault::client(error.to_string()))?;
    let envelope = envelope::read(&package.envelope)?;
    // In a task of its own: neither a sender that goes away nor the limit of time may cut the way between a commit and
    // its deliveries. What is committed after the limit is a message that the sender does not know to be accepted; it
    // sends it again, and it is a duplicate then.
    let (own, wait_max) = (Arc::clone(handler), handler.settings.wait_max);
    let work = tokio::spawn(async move { own.store(&envelope, &package).await });
    match tokio::time::timeout(wait_max, work).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(Refusal::Unavailable("the work broke off".to_owned())),
        Err(_) => Err(Refusal::Unavailable(format!("the store took longer than {wait_max:?}"))),
    }
}

fn check_action(headers: &HeaderMap) -> Result<(), Fault> {
    match headers.get("soapaction").map(HeaderValue::as_bytes) {
        Some(b"\"ebXML\"") => Ok(()),
        Some(_) => Err(Fault::client("the header `SOAPAction` is not `\"ebXML\"`, with the quotes")),
        None => Err(Fault::client("the header `SOAPAction: \"ebXML\"` is missing")),
    }
}

/// The whole body. What is announced as too large is not read at all.
async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, Refusal> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > BODY_MAX as u64) {
        return Err(Refusal::TooLarge);
    }
    match tokio::time::timeout(BODY_WAIT, Limited::new(body, BODY_MAX).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(Refusal::TooLarge),
        Ok(Err(_)) => Err(Refusal::Fault(Fault::client("the body ended before its announced length"))),
        Err(_) => Err(Refusal::TooSlow),
    }
}

/// Payloads of a business message, in the order of the manifest; none of a message that is wrong.
fn attachments(envelope: &Envelope, package: &Package, is_wrong: bool) -> Vec<Attachment> {
    if is_wrong {
        return Vec::new();
    }
    let named = envelope.references.iter().filter_map(|href| href.strip_prefix("cid:"));
    let part = |id: &str| package.payloads.iter().find(|part| part.content_id == id);
    let attachment = |part: &mime::BodyPart| Attachment {
        content_id: part.content_id.clone(),
        content_type: part.content_type.clone(),
        content: part.content.clone(),
    };
    named.filter_map(part).map(attachment).collect()
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn xml(status: StatusCode, envelope: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::from(envelope));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/xml; charset=UTF-8"));
    headers.insert("soapaction", HeaderValue::from_static("\"ebXML\""));
    response
}

impl Module for Handler {
    async fn health(&self) -> Result<(), String> {
        let ask = async {
            let mut health = self.health.lock().await;
            let mut session = match health.take() {
                Some(session) => session,
                None => self.store.connect().await?,
            };
            session.ask().await?;
            *health = Some(session);
            Ok::<_, StoreError>(())
        };
        match tokio::time::timeout(HEALTH_WAIT, ask).await {
            Ok(asked) => asked.map_err(|error| error.to_string()),
            Err(_) => Err(format!("the store does not answer within {HEALTH_WAIT:?}")),
        }
    }

    fn counters(&self) -> Map<String, Value> {
        let mut all = self.counters.to_json();
        let (ready, later, is_behind) = self.delivery.queue.backlog();
        let commits = &self.committer.counts;
        all.insert(
            "delivery".to_owned(),
            json!({ "backlog": ready + later, "ready": ready, "waiting": later, "more_in_store": is_behind }),
        );
        all.insert(
            "store".to_owned(),
            json!({
                "commits": commits.commits.load(Relaxed),
                "pieces": commits.pieces.load(Relaxed),
                "failures": commits.failures.load(Relaxed),
                "queue": commits.queued.load(Relaxed),
            }),
        );
        all.insert(
            "pool".to_owned(),
            json!({
                "size": self.settings.pool,
                "busy": self.settings.pool.saturating_sub(self.pool.available_permits()),
                "waiting": self.waiting.load(Relaxed),
                "waits": self.waits.load(Relaxed),
                "wait_ms": self.wait_ns.load(Relaxed) as f64 / 1e6,
            }),
        );
        all
    }

    fn identity(&self) -> Map<String, Value> {
        let mut all = Map::new();
        all.insert("store".to_owned(), self.store.to_string().into());
        all.insert("agreements".to_owned(), self.agreements.len().into());
        all
    }
}
