//! The page at `/metrics`, for receivers that fetch.
//!
//! A server of its own and by hand: what asks is a stranger within the process that drives the load, so that connections,
//! bytes and time are bounded one by one, and no runtime with threads of its own starts beside the load.

use crate::openmetrics::{OPENMETRICS, TEXT, page};
use crate::pusher::Say;
use crate::snapshot::Snapshot;
use clock::Clock;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use terms::Nanos;

/// Connections at a time: a Prometheus, another one, and a person. Each costs the load a descriptor.
const CONNECTIONS_MAX: usize = 4;
/// Longest head of a request.
const HEAD_MAX: usize = 8 * 1024;
/// From the connection to the last byte of the page.
const PATIENCE: Nanos = Nanos::from_secs(5);
/// Between two looks at the time while a socket does nothing.
const LOOK: Nanos = Nanos::from_millis(200);

/// A page that is served.
pub(crate) struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
}

struct Shared {
    shown: String,
    clock: Clock,
    state: Mutex<State>,
    changed: Condvar,
    connections: AtomicUsize,
    is_over: AtomicBool,
}

#[derive(Default)]
struct State {
    snapshot: Option<Arc<Snapshot>>,
    /// Seconds on the page.
    seconds: u64,
    /// Those on it when it was last fetched.
    fetched: u64,
    times: u64,
    until: Nanos,
}

impl Server {
    /// Takes the port and serves.
    ///
    /// # Errors
    /// The port cannot be had.
    pub(crate) fn start(shown: &str, address: SocketAddr, clock: &Clock, say: Say) -> std::io::Result<Self> {
        let is_any = address.port() == 0;
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            // Of a port that the system chose, the one that it is.
            shown: if is_any { format!("scrape://{address}") } else { shown.to_owned() },
            clock: clock.clone(),
            state: Mutex::default(),
            changed: Condvar::new(),
            connections: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        });
        let own = shared.clone();
        std::thread::Builder::new().name("export-page".into()).spawn(move || serve(&listener, &own, &say))?;
        Ok(Self { shared, address })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What is on the page from now on.
    pub(crate) fn show(&self, snapshot: Arc<Snapshot>) {
        let mut state = self.shared.state();
        state.snapshot = Some(snapshot);
        state.seconds += 1;
    }

    /// The run is over: somebody who has fetched the page has until then to fetch it once more.
    pub(crate) fn end(&self, until: Nanos) {
        self.shared.state().until = until;
    }

    /// Waits for that, and says what became of the page.
    pub(crate) fn finish(&self) -> String {
        let mut state = self.shared.state();
        while state.times > 0 && state.fetched < state.seconds {
            let left = state.until - self.shared.clock.now();
            if left <= Nanos::ZERO {
                break;
            }
            let waited = self.shared.changed.wait_timeout(state, left.to_std());
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let (shown, lacking) = (&self.shared.shown, state.seconds - state.fetched);
        match state.times {
            0 => format!("export to {shown}: nobody has fetched the page"),
            times if lacking == 0 => format!("export to {shown}: fetched {times} times, the last time after the end"),
            times => format!(
                "export to {shown}: fetched {times} times, not after the end: the last {lacking} seconds are not in it"
            ),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // The thread waits for a connection: this one tells it.
        let _ = TcpStream::connect_timeout(&self.address, LOOK.to_std());
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>, say: &Say) {
    crate::exporter::yield_to_others();
    let mut is_told = false;
    for connection in listener.incoming() {
        if shared.is_over.load(Ordering::SeqCst) {
            return;
        }
        let connection = match connection {
            Ok(connection) => connection,
            Err(error) => {
                if !std::mem::replace(&mut is_told, true) {
                    say(&format!("export to {}: {error}; the run goes on", shared.shown));
                }
                // Out of descriptors, mostly: the load has them.
                shared.clock.sleep_until(shared.clock.now() + Nanos::SECOND);
                continue;
            }
        };
        if shared.connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS_MAX {
            shared.connections.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let own = shared.clone();
        let answered = move || {
            let _ = answer(connection, &own);
            own.connections.fetch_sub(1, Ordering::SeqCst);
        };
        if std::thread::Builder::new().name("export-page".into()).spawn(answered).is_err() {
            shared.connections.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn answer(mut connection: TcpStream, shared: &Shared) -> std::io::Result<()> {
    crate::exporter::yield_to_others();
    let until = shared.clock.now() + PATIENCE;
    connection.set_read_timeout(Some(LOOK.to_std()))?;
    connection.set_write_timeout(Some(LOOK.to_std()))?;
    let head = head(&mut connection, shared, until)?;
    let head = String::from_utf8_lossy(&head);
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split('?').next().unwrap_or_default();
    let plain = |status: &str, more: &str, text: &str| {
        let length = text.len();
        format!(
            "HTTP/1.1 {status}\r\n{more}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
        )
    };
    let (answer, seconds) = match (method, path) {
        ("GET" | "HEAD", "/metrics") => {
            let (snapshot, seconds) = {
                let state = shared.state();
                (state.snapshot.clone(), state.seconds)
            };
            let is_open = wants_openmetrics(&head);
            let body = page(snapshot.as_deref(), is_open);
            let (kind, length) = (if is_open { OPENMETRICS } else { TEXT }, body.len());
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            if method == "GET" { (head + &body, Some(seconds)) } else { (head, None) }
        }
        ("GET" | "HEAD", _) => (plain("404 Not Found", "", "the metrics are at /metrics\n"), None),
        _ => (plain("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "write GET /metrics\n"), None),
    };
    write_all(&mut connection, answer.as_bytes(), shared, until)?;
    if let Some(seconds) = seconds {
        let mut state = shared.state();
        (state.fetched, state.times) = (state.fetched.max(seconds), state.times + 1);
        shared.changed.notify_all();
    }
    Ok(())
}

/// Whether a request prefers OpenMetrics: it names it, and nobody who does so prefers the older format.
fn wants_openmetrics(head: &str) -> bool {
    let accepts =
        head.lines().filter_map(|line| line.split_once(':')).filter(|(name, _)| name.eq_ignore_ascii_case("accept"));
    accepts.into_iter().any(|(_, value)| value.to_ascii_lowercase().contains("application/openmetrics-text"))
}

fn head(connection: &mut TcpStream, shared: &Shared, until: Nanos) -> std::io::Result<Vec<u8>> {
    let (mut head, mut piece) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match connection.read(&mut piece) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => head.extend_from_slice(&piece[..read]),
            Err(error) if is_wait(&error) => {}
            Err(error) => return Err(error),
        }
        if head.len() > HEAD_MAX || shared.clock.now() > until {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    Ok(head)
}

fn write_all(connection: &mut TcpStream, mut bytes: &[u8], shared: &Shared, until: Nanos) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match connection.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if is_wait(&error) => {}
            Err(error) => return Err(error),
        }
        if shared.clock.now() > until {
            return Err(ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}

fn is_wait(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
