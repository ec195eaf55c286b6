//! The background jobs: `POST /import`, `POST /roll-over`, `GET /jobs/{id}`.
//!
//! A job is started by a call that returns at once; its state is asked for. It works on the same tables as the other
//! modules, with locks and connections of its own, and one of a kind at a time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use axum::routing::{get, post};
use serde_json::{Map, Value, json};
use system_common::{Lifetime, Module, json as json_answer};
use terms::Quantity;

use super::check_out::{Ids, now};
use super::{Opened, Refusal, answered, parameters};
use crate::data::{Catalogue, INSTANCES_MAX};
use crate::store::{self, Canceller, Session};

/// Routes of this module.
pub(crate) const ROUTES: &[&str] = &["POST /import", "POST /roll-over", "GET /jobs/{id}"];

/// Jobs that are remembered; the oldest is forgotten first.
const JOBS_MAX: usize = 1000;
/// Longest pause that can be asked for.
const PAUSE_MAX: Duration = Duration::from_secs(3600);
/// How often a pause looks whether it is to end.
const LOOK: Duration = Duration::from_millis(20);

pub(crate) struct Jobs {
    opened: Opened,
    lifetime: Lifetime,
    ids: Ids,
    list: Mutex<Vec<Arc<Job>>>,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq)]
enum Order {
    /// Brings instances in, so many in a transaction.
    Import { first: u64, rows: u64, batch: u64, pause: Duration },
    /// Moves all holdings into a year, in one transaction.
    RollOver { year: String, pause: Duration },
}

impl Order {
    fn kind(&self) -> &'static str {
        match self {
            Self::Import { .. } => "import",
            Self::RollOver { .. } => "roll-over",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    Running,
    Done,
    Failed(String),
}

struct Job {
    id: String,
    order: Order,
    started: String,
    phase: Mutex<Phase>,
    /// Instances brought in, or holdings moved, so far.
    rows: AtomicU64,
    /// Transactions committed.
    transactions: AtomicU64,
    is_cancelled: AtomicBool,
    /// What breaks off the statement in hand.
    canceller: Mutex<Option<Canceller>>,
}

/// Recovers a poisoned lock: what is behind these is whole between any two steps.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Job {
    fn to_json(&self) -> Value {
        let (state, error) = match &*lock(&self.phase) {
            Phase::Running => ("running", None),
            Phase::Done => ("done", None),
            Phase::Failed(why) => ("failed", Some(why.clone())),
        };
        let mut all = json!({
            "id": self.id,
            "kind": self.order.kind(),
            "state": state,
            "rows": self.rows.load(Relaxed),
            "transactions": self.transactions.load(Relaxed),
            "started": self.started,
        });
        if let Some(error) = error {
            all["error"] = error.into();
        }
        all
    }

    fn is_running(&self) -> bool {
        *lock(&self.phase) == Phase::Running
    }

    fn check(&self) -> Result<(), Refusal> {
        match self.is_cancelled.load(Relaxed) {
            true => Err(Refusal(StatusCode::INTERNAL_SERVER_ERROR, "cancelled, since the process ends".to_owned())),
            false => Ok(()),
        }
    }

    /// Work of an application between its statements: locks and connection are held meanwhile. Blocks.
    fn pause(&self, pause: Duration) -> Result<(), Refusal> {
        let until = std::time::Instant::now() + pause;
        loop {
            self.check()?;
            let left = until.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// To be called on the connection before its work.
    fn hold(&self, session: &mut Session) {
        *lock(&self.canceller) = Some(session.canceller());
    }
}

impl Jobs {
    pub(crate) fn new(opened: Opened, lifetime: Lifetime) -> Arc<Self> {
        Arc::new(Self { opened, lifetime, ids: Ids::new(), list: Mutex::new(Vec::new()) })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/import", post(start_import))
            .route("/roll-over", post(start_roll_over))
            .route("/jobs/{id}", get(show))
            .with_state(Arc::clone(self))
    }
}

impl Module for Jobs {
    async fn health(&self) -> Result<(), String> {
        self.opened.health().await
    }

    fn counters(&self) -> Map<String, Value> {
        let mut all = self.opened.counters();
        let list = lock(&self.list);
        let of = |kind: &str| {
            let mine = || list.iter().filter(|job| job.order.kind() == kind);
            let in_state = |wanted: fn(&Phase) -> bool| mine().filter(|job| wanted(&lock(&job.phase))).count();
            json!({
                "started": mine().count(),
                "running": in_state(|phase| *phase == Phase::Running),
                "done": in_state(|phase| *phase == Phase::Done),
                "failed": in_state(|phase| matches!(phase, Phase::Failed(_))),
                "rows": mine().map(|job| job.rows.load(Relaxed)).sum::<u64>(),
            })
        };
        all.insert("jobs".to_owned(), json!({ "import": of("import"), "roll-over": of("roll-over") }));
        all
    }
}

async fn start_import(State(jobs): State<Arc<Jobs>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    answered(jobs.start(&headers, import_order(&uri)))
}

async fn start_roll_over(State(jobs): State<Arc<Jobs>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    answered(jobs.start(&headers, roll_over_order(&uri)))
}

async fn show(State(jobs): State<Arc<Jobs>>, Path(id): Path<String>) -> Response<Body> {
    let found = lock(&jobs.list).iter().find(|job| job.id == id).map(Arc::clone);
    let found = found.ok_or_else(|| Refusal::not_found("there is no job with this id"));
    answered(found.map(|job| json_answer(StatusCode::OK, job.to_json().to_string())))
}

/// Takes one parameter out of the list.
fn take(parameters: &mut Vec<(String, String)>, wanted: &str) -> Option<String> {
    let place = parameters.iter().position(|(name, _)| name == wanted)?;
    Some(parameters.swap_remove(place).1)
}

fn whole(
    parameters: &mut Vec<(String, String)>,
    name: &str,
    least: u64,
    default: u64,
    most: u64,
) -> Result<u64, Refusal> {
    let Some(text) = take(parameters, name) else { return Ok(default) };
    text.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        Refusal::bad(format!("`{name}` cannot be `{text}`; possible are whole numbers from {least} to {most}"))
    })
}

fn pause(parameters: &mut Vec<(String, String)>) -> Result<Duration, Refusal> {
    let Some(text) = take(parameters, "pause") else { return Ok(Duration::ZERO) };
    let read = Quantity::parse(&text).ok().and_then(|quantity| quantity.nanos()).filter(|nanos| nanos.0 >= 0);
    read.map(|nanos| nanos.to_std()).filter(|pause| *pause <= PAUSE_MAX).ok_or_else(|| {
        Refusal::bad(format!("`pause` cannot be `{text}`; possible are durations up to 1h, such as `200ms`"))
    })
}

fn import_order(uri: &Uri) -> Result<Order, Refusal> {
    let mut found = parameters(uri, &["rows", "first", "batch", "pause"])?;
    Ok(Order::Import {
        first: whole(&mut found, "first", 0, 0, INSTANCES_MAX)?,
        rows: whole(&mut found, "rows", 1, 10_000, INSTANCES_MAX)?,
        batch: whole(&mut found, "batch", 1, 1000, 10_000)?,
        pause: pause(&mut found)?,
    })
}

fn roll_over_order(uri: &Uri) -> Result<Order, Refusal> {
    let mut found = parameters(uri, &["year", "pause"])?;
    let year = take(&mut found, "year").unwrap_or_else(|| "FY2027".to_owned());
    if year.len() > 16 || year.is_empty() || !year.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Refusal::bad(format!("`year` cannot be `{year}`; possible are up to 16 letters and digits")));
    }
    Ok(Order::RollOver { year, pause: pause(&mut found)? })
}

impl Jobs {
    fn start(self: &Arc<Self>, headers: &HeaderMap, order: Result<Order, Refusal>) -> Result<Response<Body>, Refusal> {
        self.opened.check_tenant(headers)?;
        let job = self.enlist(order?)?;
        let body = job.to_json().to_string();
        let mut answer = json_answer(StatusCode::ACCEPTED, body);
        if let Ok(place) = HeaderValue::try_from(format!("/jobs/{}", job.id)) {
            answer.headers_mut().insert(header::LOCATION, place);
        }
        let (jobs, watched) = (Arc::clone(self), Arc::clone(&job));
        tokio::spawn(async move { jobs.carry_out(&job).await });
        let lifetime = self.lifetime.clone();
        tokio::spawn(async move {
            lifetime.ended().await;
            watched.is_cancelled.store(true, Relaxed);
            let canceller = lock(&watched.canceller).take();
            if let Some(canceller) = canceller {
                let _ = tokio::task::spawn_blocking(move || canceller.cancel()).await;
            }
        });
        Ok(answer)
    }

    /// Puts a job on the list; one of a kind at a time.
    fn enlist(&self, order: Order) -> Result<Arc<Job>, Refusal> {
        let mut list = lock(&self.list);
        if let Some(other) = list.iter().find(|job| job.order.kind() == order.kind() && job.is_running()) {
            let kind = order.kind();
            return Err(Refusal::conflict(format!("the {kind} `{}` still runs; one at a time", other.id)));
        }
        let job = Arc::new(Job {
            id: self.ids.next(),
            order,
            started: now(),
            phase: Mutex::new(Phase::Running),
            rows: AtomicU64::new(0),
            transactions: AtomicU64::new(0),
            is_cancelled: AtomicBool::new(self.lifetime.has_ended()),
            canceller: Mutex::new(None),
        });
        if list.len() >= JOBS_MAX {
            list.remove(0);
        }
        list.push(Arc::clone(&job));
        Ok(job)
    }

    async fn carry_out(&self, job: &Arc<Job>) {
        let done = match job.order.clone() {
            Order::Import { first, rows, batch, pause } => self.import(job, first..first + rows, batch, pause).await,
            Order::RollOver { year, pause } => self.roll_over(job, year, pause).await,
        };
        *lock(&job.canceller) = None;
        *lock(&job.phase) = match done {
            Ok(()) => Phase::Done,
            Err(Refusal(_, why)) => {
                eprintln!("the {} `{}` failed: {why}", job.order.kind(), job.id);
                Phase::Failed(why)
            }
        };
    }

    /// Batch after batch, each in a transaction and with a connection of its own: between two of them others get a turn.
    async fn import(
        &self,
        job: &Arc<Job>,
        numbers: std::ops::Range<u64>,
        batch: u64,
        pause: Duration,
    ) -> Result<(), Refusal> {
        let catalogue = Catalogue::new(self.opened.contents.seed);
        let end = numbers.end;
        for first in numbers.step_by(batch as usize) {
            job.check()?;
            let (tenant, job_here) = (self.opened.contents.tenant.clone(), Arc::clone(job));
            let work = move |session: &mut Session| {
                let items: Vec<_> = catalogue.batches(first..(first + batch).min(end), batch).flatten().collect();
                job_here.hold(session);
                let written = session.transaction(|session| -> Result<u64, Refusal> {
                    let written = store::import(session, &tenant, &items, &now())?;
                    job_here.pause(pause)?;
                    Ok(written)
                })?;
                job_here.rows.fetch_add(items.len() as u64, Relaxed);
                job_here.transactions.fetch_add(1, Relaxed);
                Ok(written)
            };
            let written = self.opened.run(work).await?;
            self.opened.count(0, written);
        }
        Ok(())
    }

    /// One long transaction: no other writer gets at the holdings before its end.
    async fn roll_over(&self, job: &Arc<Job>, year: String, pause: Duration) -> Result<(), Refusal> {
        let (tenant, job_here) = (self.opened.contents.tenant.clone(), Arc::clone(job));
        let work = move |session: &mut Session| {
            job_here.hold(session);
            session.transaction(|session| -> Result<u64, Refusal> {
                store::lock_holdings(session, &tenant)?;
                for part in 0..store::PARTS {
                    job_here.check()?;
                    job_here.rows.fetch_add(store::roll_over(session, &tenant, &year, part)?, Relaxed);
                    job_here.pause(pause)?;
                }
                Ok(job_here.rows.load(Relaxed))
            })
        };
        let written = self.opened.run(work).await.inspect_err(|_| job.rows.store(0, Relaxed))?;
        job.transactions.fetch_add(1, Relaxed);
        self.opened.count(0, written);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(query: &str) -> Uri {
        format!("/x?{query}").parse().unwrap()
    }

    #[test]
    fn settings_are_read_with_their_bounds() {
        let order = import_order(&uri("rows=5000&batch=500&pause=200ms&first=7")).unwrap();
        let pause = Duration::from_millis(200);
        assert_eq!(order, Order::Import { first: 7, rows: 5000, batch: 500, pause });
        assert_eq!(
            roll_over_order(&uri("")).unwrap(),
            Order::RollOver { year: "FY2027".into(), pause: Duration::ZERO }
        );
        let why = |query: &str| import_order(&uri(query)).unwrap_err().1;
        assert_eq!(why("rows=0"), "`rows` cannot be `0`; possible are whole numbers from 1 to 10000000");
        assert!(why("batch=10001").contains("from 1 to 10000"));
        assert!(why("pause=5").contains("possible are durations up to 1h"));
        assert!(why("pause=2h").contains("possible are durations up to 1h"));
        assert!(why("row=5").contains("unknown parameter `row`"));
        assert!(roll_over_order(&uri("year=';drop")).unwrap_err().1.contains("letters and digits"));
    }
}
