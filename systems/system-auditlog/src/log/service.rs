//! The log as a service: what producers and members of groups ask over HTTP, and a page of metrics.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use ring::rand::{SecureRandom, SystemRandom};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use system_common::{Lifetime, Module, json as json_answer, text};
use tempfile::TempDir;
use tokio::sync::watch;

use super::group::{Joined, Joining, Limits, Refusal};
use super::groups::Groups;
use super::topics::{TopicError, Topics};
use super::{metrics, name};
use crate::web::whole;

/// Routes of a log.
pub(crate) const ROUTES: &[&str] = &[
    "POST /topics/{topic}/records",
    "POST /topics/{topic}/fetch",
    "POST /groups/{group}/join",
    "POST /groups/{group}/beat",
    "POST /groups/{group}/commit",
    "POST /groups/{group}/leave",
    "GET /metrics",
];

/// Largest batch that is taken.
const BATCH_MAX: usize = 8 << 20;
/// Largest question in JSON.
const QUESTION_MAX: usize = 64 << 10;
/// Most bytes that one answer holds.
const FETCH_MAX: usize = 4 << 20;
/// Longest wait of a reader for something new.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// So long a member that joins is kept waiting; it asks again then, which shows that it is alive.
const JOIN_WAIT: Duration = Duration::from_secs(1);
/// From one look at groups to the next.
const TICK: Duration = Duration::from_millis(50);

/// What a log is told on the command line.
pub(crate) struct Settings {
    /// Where it keeps its files; without it they go with the process.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) topics: Vec<String>,
    pub(crate) partitions: u32,
    /// Most bytes of all files.
    pub(crate) most: u64,
    /// A member that is silent for so long is left out.
    pub(crate) session: Duration,
    /// So long a rebalance waits for members that are at work.
    pub(crate) rebalance: Duration,
}

/// A running log.
pub(crate) struct LogService {
    pub(super) topics: Topics,
    pub(super) groups: Groups,
    /// Drawn when the log was made, kept with it.
    identity: String,
    limits: Limits,
    born: Instant,
    /// Told whenever a group has been dealt anew.
    dealt: watch::Sender<u64>,
    batches: AtomicU64,
    records: AtomicU64,
    fetches: AtomicU64,
    /// Files of a log that is not kept.
    _scratch: Option<TempDir>,
}

impl LogService {
    /// Opens the files, and makes what is missing. Blocks.
    ///
    /// # Errors
    /// Files that cannot be used.
    pub(crate) fn open(settings: &Settings) -> Result<Arc<Self>> {
        let scratch = match &settings.folder {
            Some(_) => None,
            None => Some(TempDir::with_prefix("auditlog-").context("cannot create a folder for the log")?),
        };
        let folder = settings.folder.as_deref().or(scratch.as_ref().map(TempDir::path)).unwrap_or_else(|| ".".as_ref());
        let topics = Topics::open(folder, &settings.topics, settings.partitions as usize, settings.most)?;
        let groups = Groups::open(folder, &topics)?;
        let identity = identity(folder)?;
        Ok(Arc::new(Self {
            topics,
            groups,
            identity,
            limits: Limits { session: settings.session, rebalance: settings.rebalance },
            born: Instant::now(),
            dealt: watch::Sender::new(0),
            batches: AtomicU64::new(0),
            records: AtomicU64::new(0),
            fetches: AtomicU64::new(0),
            _scratch: scratch,
        }))
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/topics/{topic}/records", post(produce))
            .route("/topics/{topic}/fetch", post(fetch))
            .route("/groups/{group}/join", post(join))
            .route("/groups/{group}/beat", post(beat))
            .route("/groups/{group}/commit", post(commit))
            .route("/groups/{group}/leave", post(leave))
            .route("/metrics", get(page))
            .with_state(Arc::clone(self))
    }

    /// Looks after groups until the process ends: who is silent is left out, and a rebalance with all its members ends.
    pub(crate) async fn look_after(self: Arc<Self>, lifetime: Lifetime) {
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                _ = lifetime.ended() => return,
            }
            self.tick();
        }
    }

    fn tick(&self) {
        let now = self.born.elapsed();
        let mut dealt = false;
        for (name, group) in self.groups.lock().iter_mut() {
            if group.tick(now, Some(self.limits)) {
                dealt = true;
                self.note(name, group);
            }
        }
        if dealt {
            self.dealt.send_modify(|count| *count = count.wrapping_add(1));
        }
    }

    /// Writes a group down; a generation that is not known after a restart would let members of an old one pass.
    fn note(&self, name: &str, group: &super::group::Group) {
        if let Err(error) = self.groups.keep(name, group) {
            eprintln!("group `{name}` cannot be written down: {error}");
        }
    }

    /// Lets a member join; `None` if others have not joined yet.
    fn join(&self, name: &str, asked: &Join) -> Result<Joined, Refused> {
        let partitions = self.topics.ends(&asked.topic)?.len();
        let mut groups = self.groups.lock();
        let group = Groups::entry(&mut groups, name, &asked.topic, partitions)
            .map_err(|_| Refused(StatusCode::SERVICE_UNAVAILABLE, "there is no room for one more group".to_owned()))?;
        if group.topic != asked.topic {
            return Err(Refusal::OtherTopic(group.topic.clone()).into());
        }
        let (before, _) = group.kept();
        let who = Joining { member: &asked.member, host: &asked.host, instance: asked.instance };
        let joined = group.join(who, self.born.elapsed())?;
        if group.kept().0 != before {
            self.note(name, group);
            self.dealt.send_modify(|count| *count = count.wrapping_add(1));
        }
        Ok(joined)
    }

    fn commit(&self, name: &str, asked: &Commit) -> Result<(), Refused> {
        let unknown = || Refusal::Unknown(asked.member.clone());
        let topic = self.groups.lock().get(name).map(|group| group.topic.clone()).ok_or_else(unknown)?;
        let ends = self.topics.ends(&topic)?;
        let mut groups = self.groups.lock();
        let group = groups.get_mut(name).ok_or_else(unknown)?;
        group.commit(&asked.member, asked.generation, &asked.offsets, &ends, self.born.elapsed())?;
        let kept = self.groups.keep(name, group);
        kept.map_err(|error| Refused(StatusCode::INTERNAL_SERVER_ERROR, format!("not written down: {error}")))
    }
}

/// The identity of the log in a folder, drawn if there is none.
fn identity(folder: &std::path::Path) -> Result<String> {
    let path = folder.join("identity");
    let failed = || format!("cannot use `{}`", path.display());
    if path.exists() {
        let found = std::fs::read_to_string(&path).with_context(failed)?;
        return name(found.trim()).map_err(anyhow::Error::msg).with_context(failed);
    }
    let mut bytes = [0; 8];
    SystemRandom::new().fill(&mut bytes).map_err(|_| anyhow::anyhow!("no randomness for the identity of the log"))?;
    let drawn = format!("{:016x}", u64::from_be_bytes(bytes));
    std::fs::write(&path, &drawn).with_context(failed)?;
    Ok(drawn)
}

/// A status, and why.
struct Refused(StatusCode, String);

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal {
            Refusal::Unknown(_) => StatusCode::GONE,
            Refusal::Rebalance | Refusal::Fenced { .. } => StatusCode::CONFLICT,
            Refusal::NotYours(_) | Refusal::BeyondEnd { .. } | Refusal::OtherTopic(_) => StatusCode::BAD_REQUEST,
            Refusal::Full => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self(status, refusal.to_string())
    }
}

impl From<TopicError> for Refused {
    fn from(error: TopicError) -> Self {
        let status = match error {
            TopicError::Unknown(_) => StatusCode::NOT_FOUND,
            TopicError::NoPartition { .. } | TopicError::BeyondEnd { .. } | TopicError::Broken(_) => {
                StatusCode::BAD_REQUEST
            }
            TopicError::Full(_) => StatusCode::INSUFFICIENT_STORAGE,
            TopicError::Io(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self(status, error.to_string())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response<Body> {
        text(self.0, self.1 + "\n")
    }
}

/// The answer to a request whose body did not come, or why something else was refused.
struct Turned(Box<Response<Body>>);

impl<T: Into<Refused>> From<T> for Turned {
    fn from(refused: T) -> Self {
        Self(Box::new(refused.into().into_response()))
    }
}

impl IntoResponse for Turned {
    fn into_response(self) -> Response<Body> {
        *self.0
    }
}

type Answer = Result<Response<Body>, Turned>;

/// The question of a request, and that its names can be.
async fn asked<T: DeserializeOwned>(request: Request, names: impl Fn(&T) -> Vec<&str>) -> Result<T, Turned> {
    let (_, body) = whole(request, QUESTION_MAX).await.map_err(Turned)?;
    let bad = |why: String| Refused(StatusCode::BAD_REQUEST, why);
    let asked: T =
        serde_json::from_slice(&body).map_err(|error| bad(format!("this is not what is asked here: {error}")))?;
    names(&asked).into_iter().try_for_each(|text| name(text).map(drop)).map_err(bad)?;
    Ok(asked)
}

/// Work on files, on a thread that may block.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Refused> + Send + 'static) -> Result<T, Refused> {
    let broke = |_| Refused(StatusCode::INTERNAL_SERVER_ERROR, "the work on the log broke off".to_owned());
    tokio::task::spawn_blocking(work).await.map_err(broke)?
}

async fn produce(State(log): State<Arc<LogService>>, Path(topic): Path<String>, request: Request) -> Answer {
    let (_, body) = whole(request, BATCH_MAX).await.map_err(Turned)?;
    let writing = Arc::clone(&log);
    let records = blocking(move || Ok(writing.topics.produce(&topic, &body)?)).await?;
    // An empty one only asks whether the log works.
    log.batches.fetch_add(u64::from(records > 0), Relaxed);
    log.records.fetch_add(records, Relaxed);
    Ok(json_answer(StatusCode::OK, json!({ "records": records }).to_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fetch {
    from: BTreeMap<u32, u64>,
    most: usize,
    wait_ms: u64,
}

async fn fetch(State(log): State<Arc<LogService>>, Path(topic): Path<String>, request: Request) -> Answer {
    let asked: Fetch = asked(request, |_| Vec::new()).await?;
    let (most, wait) = (asked.most.min(FETCH_MAX), Duration::from_millis(asked.wait_ms).min(WAIT_MAX));
    let until = Instant::now() + wait;
    let mut grown = log.topics.grown(&topic)?;
    let asked = Arc::new((topic, asked.from));
    log.fetches.fetch_add(1, Relaxed);
    loop {
        // Marked as seen before it is read: what comes in between is not slept through.
        grown.borrow_and_update();
        let (reading, wanted) = (Arc::clone(&log), Arc::clone(&asked));
        let found = blocking(move || Ok(reading.topics.fetch(&wanted.0, &wanted.1, most)?)).await?;
        let is_over = Instant::now() >= until;
        if !found.is_empty() || is_over || tokio::time::timeout_at(until.into(), grown.changed()).await.is_err() {
            let mut response = Response::new(Body::from(found));
            let kind = HeaderValue::from_static("application/octet-stream");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            return Ok(response);
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Join {
    topic: String,
    member: String,
    host: String,
    instance: u64,
}

async fn join(State(log): State<Arc<LogService>>, Path(group): Path<String>, request: Request) -> Answer {
    let asked: Join = asked(request, |asked: &Join| vec![&asked.member, &asked.host]).await?;
    name(&group).map_err(|why| Refused(StatusCode::BAD_REQUEST, why))?;
    let until = Instant::now() + JOIN_WAIT;
    let mut dealt = log.dealt.subscribe();
    loop {
        dealt.borrow_and_update();
        if let Joined::Dealt { generation, from } = log.join(&group, &asked)? {
            let session = log.limits.session.as_millis() as u64;
            let answer = json!({ "generation": generation, "from": from, "log": log.identity, "session_ms": session });
            return Ok(json_answer(StatusCode::OK, answer.to_string()));
        }
        if tokio::time::timeout_at(until.into(), dealt.changed()).await.is_err() {
            return Ok(json_answer(StatusCode::ACCEPTED, json!({}).to_string()));
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Beat {
    member: String,
    generation: u64,
}

async fn beat(State(log): State<Arc<LogService>>, Path(group): Path<String>, request: Request) -> Answer {
    let asked: Beat = asked(request, |asked: &Beat| vec![&asked.member]).await?;
    let now = log.born.elapsed();
    let mut groups = log.groups.lock();
    let group = groups.get_mut(&group).ok_or_else(|| Refusal::Unknown(asked.member.clone()))?;
    group.beat(&asked.member, asked.generation, now)?;
    Ok(done())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commit {
    member: String,
    generation: u64,
    offsets: BTreeMap<u32, u64>,
}

async fn commit(State(log): State<Arc<LogService>>, Path(group): Path<String>, request: Request) -> Answer {
    let asked: Commit = asked(request, |asked: &Commit| vec![&asked.member]).await?;
    blocking(move || log.commit(&group, &asked)).await?;
    Ok(done())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Leave {
    member: String,
    instance: u64,
}

async fn leave(State(log): State<Arc<LogService>>, Path(group): Path<String>, request: Request) -> Answer {
    let asked: Leave = asked(request, |asked: &Leave| vec![&asked.member]).await?;
    if let Some(group) = log.groups.lock().get_mut(&group) {
        group.leave(&asked.member, asked.instance, log.born.elapsed());
    }
    Ok(done())
}

fn done() -> Response<Body> {
    json_answer(StatusCode::OK, "{}".to_owned())
}

async fn page(State(log): State<Arc<LogService>>) -> Response<Body> {
    let mut response = text(StatusCode::OK, metrics::page(&log.topics, &log.groups));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

impl Module for LogService {
    async fn health(&self) -> Result<(), String> {
        Ok(())
    }

    fn identity(&self) -> Map<String, Value> {
        [("log".to_owned(), self.identity.clone().into())].into_iter().collect()
    }

    fn counters(&self) -> Map<String, Value> {
        let topics = self.topics.all().map(|(name, _)| {
            let ends = self.topics.ends(name).unwrap_or_default();
            (name.to_owned(), json!({ "records": ends.iter().sum::<u64>(), "ends": ends }))
        });
        let log = json!({
            "batches": self.batches.load(Relaxed),
            "records": self.records.load(Relaxed),
            "fetches": self.fetches.load(Relaxed),
            "bytes": self.topics.bytes(),
            "cut_bytes": self.topics.cut,
        });
        let mut all = Map::new();
        all.insert("topics".to_owned(), Value::Object(topics.collect()));
        all.insert("log".to_owned(), log);
        all.insert("groups".to_owned(), metrics::groups(&self.topics, &self.groups));
        all
    }
}
