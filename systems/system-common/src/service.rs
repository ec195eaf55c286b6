//! The frame of a service: flags in, a listening server with its own routes out, and a graceful end.

use std::future::Future;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{Response, StatusCode};
use axum::routing::get;
use serde_json::{Map, Value, json};
use thiserror::Error;
use tokio::net::{TcpListener, TcpSocket};
use tokio_rustls::TlsAcceptor;

use crate::access_log::AccessLog;
use crate::answers;
use crate::counters::Counters;
use crate::fault::{FaultError, Faults, Stall};
use crate::lifetime::Lifetime;
use crate::link::{Gate, Link};
use crate::observe::observe;
use crate::options::ServiceOptions;
use crate::shared::{About, CrashBy, Shared};
use crate::tls::TlsOptions;

/// Why a service does not start.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// A `--fault`.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// A flag or a variable.
    #[error("{0}")]
    Options(String),
    #[error("cannot listen on {address}: {source}; choose another with `--port`, or `--port 0` for a free one")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The file of the access log.
    #[error("cannot write the access log: {0}")]
    AccessLog(io::Error),
    /// The server itself.
    #[error("the server broke off: {0}")]
    Serve(io::Error),
}

/// What a module adds to the frame.
pub trait Module: Send + Sync + 'static {
    /// Whether it can work now; the text says why not.
    fn health(&self) -> impl Future<Output = Result<(), String>> + Send;
    /// Counters of its own, shown in `/counters` beside those of the frame.
    fn counters(&self) -> Map<String, Value>;
    /// What `/version` tells beside what the frame knows: short facts that hold for the life of the process.
    fn identity(&self) -> Map<String, Value> {
        Map::new()
    }
}

/// A service before it listens.
pub struct Service {
    shared: Arc<Shared>,
    lifetime: Lifetime,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
}

/// Longest time that calls in flight get to end after a signal.
const GRACE: Duration = Duration::from_secs(5);
/// Exit status of the fault `crash`: `EX_SOFTWARE` of sysexits.h.
pub const CRASH_STATUS: u8 = 70;

/// Two worker threads: a service shares a small machine with the others and with the load generator.
/// `blocking` is the most threads for work that blocks, such as one for each store connection.
///
/// # Errors
/// Threads cannot be started.
pub fn runtime(blocking: usize) -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(blocking.max(1))
        .enable_all()
        .build()
}

impl Service {
    /// Reads flags and environment, opens the access log, and starts what ends the process: watchers and the fault
    /// `crash`. `born` is the start of the process, from which stalls and the crash are counted.
    ///
    /// # Errors
    /// [`ServiceError`] for flags that cannot be.
    pub fn new(about: About, options: &ServiceOptions, born: Instant) -> Result<Self, ServiceError> {
        let faults = Faults::parse(&options.faults, about.faults)?;
        let instance = options.instance(about.module).map_err(ServiceError::Options)?;
        let nonce = options.nonce().map_err(ServiceError::Options)?;
        let lifetime = Lifetime::watch(options.exit_with_stdin).map_err(ServiceError::Options)?;
        let log = AccessLog::open(options.access_log.as_deref(), &instance).map_err(ServiceError::AccessLog)?;
        if let Some(age) = faults.crash_at.filter(|_| about.crash_by == CrashBy::Frame) {
            tokio::spawn(async move {
                tokio::time::sleep_until((born + age).into()).await;
                eprintln!("fault `crash`: ended at the age of {age:?}");
                std::process::exit(CRASH_STATUS.into());
            });
        }
        let shared = Shared {
            delay_at: about.delay_at,
            instance,
            nonce,
            faults,
            counters: Counters::new(about.routes),
            log,
            leaked: Mutex::new(Vec::new()),
            born,
            about,
        };
        let address = SocketAddr::new(options.bind, options.port);
        Ok(Self { shared: Arc::new(shared), lifetime, address, tls: None })
    }

    /// The same over TLS, if the flags ask for it.
    ///
    /// # Errors
    /// [`ServiceError::Options`] for files that cannot be used.
    pub fn over(mut self, tls: &TlsOptions) -> Result<Self, ServiceError> {
        self.tls = tls.acceptor().map_err(ServiceError::Options)?;
        Ok(self)
    }

    /// The faults that were asked for.
    pub fn faults(&self) -> &Faults {
        &self.shared.faults
    }

    /// The fault `stall`, for a program that carries it out itself: the frame then answers all the time.
    pub fn take_stall(&mut self) -> Option<Stall> {
        Arc::get_mut(&mut self.shared).and_then(|shared| shared.faults.stall.take())
    }

    /// When the process is to end; for work before [`Service::serve`].
    pub fn lifetime(&self) -> Lifetime {
        self.lifetime.clone()
    }

    /// Listens, prints `listening on ADDRESS:PORT`, and serves until the end of the process's lifetime; calls in flight
    /// then get five seconds.
    ///
    /// # Errors
    /// The address is taken, or the server breaks off.
    pub async fn serve<M: Module>(self, routes: Router, module: Arc<M>) -> Result<(), ServiceError> {
        let address = self.address;
        let listen = |source| ServiceError::Listen { address, source };
        let listener = bound_to(address).map_err(listen)?;
        let bound = listener.local_addr().map_err(listen)?;
        // A closed pipe is no reason not to serve.
        let _ = writeln!(io::stdout(), "listening on {bound}").and_then(|()| io::stdout().flush());

        let layer = axum::middleware::from_fn_with_state(Arc::clone(&self.shared), observe);
        let own = own_routes(&self.shared, module).fallback_service(routes.layer(layer));
        let (first, second) = (self.lifetime.clone(), self.lifetime.clone());
        let server = axum::serve(Gate::new(listener, self.tls), own.into_make_service_with_connect_info::<Link>())
            .with_graceful_shutdown(async move {
                first.ended().await;
            });
        let grace = async move {
            second.ended().await;
            tokio::time::sleep(GRACE).await;
        };
        let shared = self.shared;
        // The server knows nothing of connections that were upgraded; they are calls in flight until they end.
        let counted = Arc::clone(&shared);
        let all = async move {
            let served = server.await;
            counted.counters.idle().await;
            served
        };
        let served = tokio::select! {
            served = all => served.map_err(ServiceError::Serve),
            () = grace => Ok(()),
        };
        let _ = tokio::task::spawn_blocking(move || shared.log.close()).await;
        served
    }
}

/// Connections that may wait to be accepted: thousands that open within a second are not turned away by the kernel.
const BACKLOG: u32 = 4096;

fn bound_to(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// `/health`, `/version` and `/counters`: outside of counters, log and faults, so that watching changes nothing.
fn own_routes<M: Module>(shared: &Arc<Shared>, module: Arc<M>) -> Router {
    let (about, identity) = (Arc::clone(shared), Arc::clone(&module));
    let version = move || std::future::ready(answers::json(StatusCode::OK, about.version(&*identity).to_string()));
    let (counted, counting) = (Arc::clone(shared), Arc::clone(&module));
    let counters =
        move || std::future::ready(answers::json(StatusCode::OK, counted.all_counters(&*counting).to_string()));
    let health = move || {
        let module = Arc::clone(&module);
        async move { health(&*module).await }
    };
    Router::new().route("/health", get(health)).route("/version", get(version)).route("/counters", get(counters))
}

async fn health<M: Module>(module: &M) -> Response<Body> {
    match module.health().await {
        Ok(()) => answers::json(StatusCode::OK, json!({ "status": "ok" }).to_string()),
        Err(why) => answers::text(StatusCode::SERVICE_UNAVAILABLE, why + "\n"),
    }
}

impl Shared {
    /// What the frame knows comes last: a module must not pass for another.
    fn version<M: Module>(&self, module: &M) -> Value {
        let mut all = module.identity();
        let own = json!({
            "name": self.about.program,
            "module": self.about.module,
            "instance": self.instance,
            "version": self.about.version,
            "pid": std::process::id(),
            "nonce": self.nonce,
        });
        all.extend(own.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        Value::Object(all)
    }

    fn all_counters<M: Module>(&self, module: &M) -> Value {
        let mut all = self.counters.to_json();
        all.insert("instance".to_owned(), self.instance.clone().into());
        all.insert("age_ms".to_owned(), u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX).into());
        if self.log.is_on() {
            let (written, lost) = self.log.counts();
            all.insert("access_log".to_owned(), json!({ "written": written, "lost": lost }));
        }
        all.extend(module.counters());
        Value::Object(all)
    }
}
