//! An analyzer: queries over all rows of an exported table, each a job. The one that is asked deals ranges of rows out to
//! itself and its peers, whose engines aggregate them, and merges what they find. One without an engine only does that.

mod duckdb;
mod engine;
mod jobs;
mod merge;
mod parts;
mod peers;
mod queries;
mod spark;
mod tables;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::{get, post};
use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use system_common::server::Guard;
use system_common::{
    About, CrashBy, DelayAt, FaultKind, Module, Service, ServiceOptions, json as json_answer, lasting, text,
};

use engine::{Engine, Launch};
use jobs::Analyzer;
use parts::{Part, Segments};
use peers::Peers;
use tables::{Database, Tables};
use tokio::runtime::Handle;

use crate::store::{Jdbc, Reading};

const ROUTES: &[&str] = &["POST /jobs", "GET /jobs/{job}", "POST /parts", "GET /metrics"];
/// Longest question.
const QUESTION_MAX: usize = 16 << 10;

#[derive(Args, Clone, Debug)]
pub(crate) struct AnalyzeOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// Folder that the receiver exports tables to
    #[arg(long, value_name = "DIR", required_unless_present = "tables", conflicts_with = "tables")]
    segments: Option<PathBuf>,
    /// Database of the store, `mysql://…` or `postgres://…`, whose tables Spark reads instead of segments
    #[arg(long, value_name = "URL")]
    tables: Option<String>,
    /// What aggregates rows
    #[arg(long, value_enum, default_value_t = EngineKind::Duckdb)]
    engine: EngineKind,
    /// Analyzers that take a share of each query, with commas; this one may be among them
    #[arg(long, value_name = "URLS", default_value = "", value_parser = Addresses::read)]
    peers: Addresses,
    /// Threads of DuckDB
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Master of Spark: `local[N]` with N threads, or that of a cluster
    #[arg(long, value_name = "URL", default_value = "local[1]")]
    master: String,
    /// Longest time for a share of a query; then the job has failed
    #[arg(long, default_value = "10m", value_parser = lasting)]
    within: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineKind {
    Duckdb,
    Spark,
    /// Nothing: it deals queries out to its peers and merges what they find
    None,
}

/// What `--peers` holds.
#[derive(Clone, Debug, Default)]
struct Addresses(Vec<Authority>);

impl Addresses {
    fn read(text: &str) -> Result<Self, String> {
        peers::listed(text).map(Self)
    }

    /// Without this analyzer itself.
    fn others(&self, own: &ServiceOptions) -> Vec<Authority> {
        let here = [own.bind.to_string(), "127.0.0.1".to_owned(), "localhost".to_owned()];
        let is_other =
            |peer: &&Authority| peer.port_u16() != Some(own.port) || !here.iter().any(|host| host == peer.host());
        self.0.iter().filter(is_other).cloned().collect()
    }
}

/// Runs it to its end.
///
/// # Errors
/// An engine that is missing or does not start; a port that is taken.
pub(crate) async fn run(options: &AnalyzeOptions, born: Instant) -> Result<()> {
    if options.tables.is_some() && options.engine == EngineKind::Duckdb {
        bail!("DuckDB reads segments; choose `--engine spark` for `--tables`, or name the folder of `--segments`");
    }
    let launch = match options.engine {
        EngineKind::Duckdb => duckdb::find().map(|program| Some(Launch::DuckDb { program, threads: options.threads })),
        EngineKind::Spark => spark::find().map(|python| Some(Launch::Spark { python, master: options.master.clone() })),
        EngineKind::None => Ok(None),
    };
    let launch = launch.map_err(|why| anyhow!(why))?;
    // The engine's version is what a reader of a report asks for. It lives as long as the process.
    let own = env!("CARGO_PKG_VERSION");
    let version = match launch.as_ref().and_then(Launch::told_version) {
        Some(engine) => Box::leak(format!("{own} with {engine}").into_boxed_str()),
        None => own,
    };
    let about = About {
        program: "system-analytics",
        module: "analyze",
        version,
        routes: ROUTES,
        faults: &[FaultKind::Delay, FaultKind::Crash],
        crash_by: CrashBy::Frame,
        delay_at: DelayAt::Entry,
    };
    let service = Service::new(about, &options.service, born)?;
    let peers = Peers::new(options.peers.others(&options.service));
    let engine = match launch {
        None if peers.addresses.is_empty() => bail!("an analyzer without an engine has nobody to ask; name `--peers`"),
        None => None,
        Some(launch) => {
            let guard = Guard::start()?;
            let starting = tokio::task::spawn_blocking(move || Engine::start(launch, Some(guard)));
            let lifetime = service.lifetime();
            tokio::select! {
                engine = starting => {
                    Some(engine.context("the start of the engine broke off")?.map_err(|why| anyhow!(why))?)
                }
                // The guard ends what was started.
                _ = lifetime.ended() => return Ok(()),
            }
        }
    };
    let tables = tables(options).await?;
    let analyzer = Arc::new(Analyzer::new(tables, engine.clone(), peers, options.within));
    let served = service.serve(routes(analyzer.clone()), analyzer).await;
    if let Some(engine) = engine {
        let _ = tokio::task::spawn_blocking(move || engine.end()).await;
    }
    Ok(served?)
}

/// Where rows are read.
async fn tables(options: &AnalyzeOptions) -> Result<Tables> {
    if let Some(url) = options.tables.clone() {
        let (jdbc, runtime) = (Jdbc::of(&url)?, Handle::current());
        let reading = tokio::task::spawn_blocking(move || Reading::open(&url, &runtime)).await;
        let reading = reading.context("the way to the database broke off")?.context("the store cannot be read")?;
        return Ok(Tables::Database(Database::new(reading, jdbc)));
    }
    let folder = options.segments.clone().unwrap_or_default();
    let folder = std::path::absolute(&folder)
        .with_context(|| format!("`{}` cannot be the path of a folder", folder.display()))?;
    Ok(Tables::Segments(Segments::of(folder)))
}

impl Module for Analyzer {
    async fn health(&self) -> Result<(), String> {
        self.engine.as_ref().and_then(|engine| engine.trouble()).map_or(Ok(()), Err)
    }

    fn counters(&self) -> Map<String, Json> {
        let counters = json!({
            "jobs_done": self.done.jobs.load(Relaxed),
            "jobs_failed": self.done.failed.load(Relaxed),
            "jobs_open": self.open(),
            "parts": self.done.parts.load(Relaxed),
            "rows": self.done.rows.load(Relaxed),
            "busy_ms": self.done.busy_us.load(Relaxed) / 1000,
            "engine_restarts": self.restarts(),
        });
        let Json::Object(counters) = counters else { return Map::new() };
        counters
    }

    fn identity(&self) -> Map<String, Json> {
        let mut identity = json!({ "analyzers": self.analyzers() });
        if let Some(engine) = &self.engine {
            identity["engine"] = engine.name().into();
            identity["engine_version"] = engine.version().into();
            identity["engine_pid"] = engine.pid().into();
        }
        let Json::Object(identity) = identity else { return Map::new() };
        identity
    }
}

impl Analyzer {
    fn restarts(&self) -> u64 {
        self.engine.as_ref().map_or(0, |engine| engine.restarts.load(Relaxed))
    }
}

fn routes(analyzer: Arc<Analyzer>) -> Router {
    Router::new()
        .route("/jobs", post(begin))
        .route("/jobs/{job}", get(state))
        .route("/parts", post(part))
        .route("/metrics", get(metrics))
        .layer(DefaultBodyLimit::max(QUESTION_MAX))
        .with_state(analyzer)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    query: String,
}

async fn begin(State(analyzer): State<Arc<Analyzer>>, body: Bytes) -> Response<Body> {
    let question: Question = match serde_json::from_slice(&body) {
        Ok(question) => question,
        Err(error) => {
            return text(
                StatusCode::BAD_REQUEST,
                format!("the question cannot be read: {error}; send `{{\"query\":\"metro_power\"}}`\n"),
            );
        }
    };
    let query = match queries::find(&question.query) {
        Ok(query) => query,
        Err(why) => return text(StatusCode::NOT_FOUND, why + "\n"),
    };
    match analyzer.begin(query) {
        Ok(job) => {
            let mut answer = json_answer(StatusCode::ACCEPTED, json!({ "id": job, "state": "running" }).to_string());
            let place = HeaderValue::from_str(&format!("/jobs/{job}"));
            answer.headers_mut().extend(place.map(|place| (header::LOCATION, place)));
            answer
        }
        Err(why) => text(StatusCode::SERVICE_UNAVAILABLE, why + "\n"),
    }
}

async fn state(State(analyzer): State<Arc<Analyzer>>, Path(job): Path<String>) -> Response<Body> {
    match job.parse().ok().and_then(|job| analyzer.state(job)) {
        Some(state) => json_answer(StatusCode::OK, state.to_string()),
        None => {
            let job = job.chars().take(100).collect::<String>();
            text(StatusCode::NOT_FOUND, format!("the job `{}` does not exist\n", job.escape_debug()))
        }
    }
}

/// A share of a peer's query.
async fn part(State(analyzer): State<Arc<Analyzer>>, body: Bytes) -> Response<Body> {
    let part: Part = match serde_json::from_slice(&body) {
        Ok(part) => part,
        Err(error) => return text(StatusCode::BAD_REQUEST, format!("the part cannot be read: {error}\n")),
    };
    let query = match queries::find(&part.query) {
        Ok(query) => query,
        Err(why) => return text(StatusCode::NOT_FOUND, why + "\n"),
    };
    match analyzer.own(query, part).await {
        Ok(found) => json_answer(StatusCode::OK, found.text()),
        Err(why) => text(StatusCode::INTERNAL_SERVER_ERROR, why + "\n"),
    }
}

/// A page in the text format of Prometheus.
async fn metrics(State(analyzer): State<Arc<Analyzer>>) -> Response<Body> {
    let jobs::Done { jobs, failed, parts, rows, busy_us } = &analyzer.done;
    let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Relaxed) as f64;
    let lines = [
        ("analytics_jobs_done_total", "counter", "Jobs with a result", count(jobs)),
        ("analytics_jobs_failed_total", "counter", "Jobs that failed", count(failed)),
        ("analytics_jobs_open", "gauge", "Jobs that wait or run", analyzer.open() as f64),
        ("analytics_parts_total", "counter", "Shares of queries that the engine carried out", count(parts)),
        ("analytics_part_rows_total", "counter", "Rows of these shares", count(rows)),
        ("analytics_part_seconds_total", "counter", "How long they took", count(busy_us) / 1e6),
        (
            "analytics_engine_restarts_total",
            "counter",
            "Starts of the engine after it had ended",
            analyzer.restarts() as f64,
        ),
    ];
    let mut page = String::new();
    for (name, kind, help, value) in lines {
        let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
    }
    text(StatusCode::OK, page)
}
