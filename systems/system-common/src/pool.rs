//! A bounded pool of connections to a store: a call waits until one is free, and the waiting is counted.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Why work on the store did not come back.
#[derive(Debug, Error)]
pub enum PoolError {
    /// The work panicked; its connection is back in the pool.
    #[error("the work on the store broke off")]
    BrokeOff,
}

/// Connections to one store. Work runs on threads that may block; there are as many as connections.
pub struct Pool<C> {
    free: Mutex<Vec<C>>,
    /// As many permits as connections: who holds one finds a connection in `free`. Fair, first come first served.
    permits: Arc<Semaphore>,
    delay: Duration,
    size: usize,
    taken: AtomicU64,
    times: Times,
}

/// What waiting has cost.
#[derive(Default)]
struct Times {
    waiting: AtomicUsize,
    waits: AtomicU64,
    wait_ns: AtomicU64,
    wait_ns_max: AtomicU64,
}

/// State and history of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PoolStatistics {
    /// Connections in all.
    pub size: usize,
    /// Connections at work now.
    pub busy: usize,
    /// Calls that wait for one now.
    pub waiting: usize,
    /// Connections handed out since the start.
    pub taken: u64,
    /// Calls that found none free.
    pub waits: u64,
    /// Time that calls waited, all together, in milliseconds; calls that gave up count too.
    pub wait_ms: f64,
    /// Longest wait, in milliseconds.
    pub wait_ms_max: f64,
}

impl<C: Send + 'static> Pool<C> {
    /// Opens `size` connections. `delay` is spent in each piece of work while it holds its connection, as a slow query
    /// would (fault `delay`).
    ///
    /// # Errors
    /// Whatever `open` fails with.
    pub fn open<E>(size: usize, delay: Duration, open: impl Fn() -> Result<C, E>) -> Result<Arc<Self>, E> {
        let free = (0..size).map(|_| open()).collect::<Result<Vec<_>, E>>()?;
        Ok(Arc::new(Self {
            free: Mutex::new(free),
            permits: Arc::new(Semaphore::new(size)),
            delay,
            size,
            taken: AtomicU64::new(0),
            times: Times::default(),
        }))
    }

    /// Waits for a connection and does the work on it. Work that has begun is finished even if the caller goes away.
    ///
    /// # Errors
    /// [`PoolError::BrokeOff`] if the work panics. Waiting has no limit here: limits are the caller's.
    pub async fn run<T, F>(self: &Arc<Self>, work: F) -> Result<T, PoolError>
    where
        T: Send + 'static,
        F: FnOnce(&mut C) -> T + Send + 'static,
    {
        let mut lease = self.lease().await;
        let delay = self.delay;
        let run = move || {
            if !delay.is_zero() {
                std::thread::sleep(delay);
            }
            work(lease.connection())
        };
        tokio::task::spawn_blocking(run).await.map_err(|_| PoolError::BrokeOff)
    }

    async fn lease(self: &Arc<Self>) -> Lease<C> {
        let permits = Arc::clone(&self.permits);
        let permit = match Arc::clone(&permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let _waiting = Waiting::begin(&self.times);
                permits.acquire_owned().await.expect("invariant: the semaphore is never closed")
            }
        };
        self.taken.fetch_add(1, Relaxed);
        let connection = lock(&self.free).pop();
        Lease { connection, pool: Arc::clone(self), _permit: permit }
    }

    /// State and history.
    pub fn statistics(&self) -> PoolStatistics {
        PoolStatistics {
            size: self.size,
            busy: self.size.saturating_sub(self.permits.available_permits()),
            waiting: self.times.waiting.load(Relaxed),
            taken: self.taken.load(Relaxed),
            waits: self.times.waits.load(Relaxed),
            wait_ms: self.times.wait_ns.load(Relaxed) as f64 / 1e6,
            wait_ms_max: self.times.wait_ns_max.load(Relaxed) as f64 / 1e6,
        }
    }
}

/// Recovers a poisoned lock: a list of connections is whole between any two steps.
fn lock<C>(free: &Mutex<Vec<C>>) -> MutexGuard<'_, Vec<C>> {
    free.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection on loan; it goes back when this is dropped, also by a panic.
struct Lease<C> {
    connection: Option<C>,
    pool: Arc<Pool<C>>,
    // Dropped after `drop` below has run, so a permit never comes free before its connection.
    _permit: OwnedSemaphorePermit,
}

impl<C> Lease<C> {
    fn connection(&mut self) -> &mut C {
        self.connection.as_mut().expect("invariant: there are as many permits as connections")
    }
}

impl<C> Drop for Lease<C> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            lock(&self.pool.free).push(connection);
        }
    }
}

/// Times one wait; a caller that gives up drops it and is counted too.
struct Waiting<'a> {
    times: &'a Times,
    since: Instant,
}

impl<'a> Waiting<'a> {
    fn begin(times: &'a Times) -> Self {
        times.waiting.fetch_add(1, Relaxed);
        times.waits.fetch_add(1, Relaxed);
        Self { times, since: Instant::now() }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let waited_ns = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.times.waiting.fetch_sub(1, Relaxed);
        self.times.wait_ns.fetch_add(waited_ns, Relaxed);
        self.times.wait_ns_max.fetch_max(waited_ns, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;
    use std::sync::mpsc;

    fn pool(size: usize) -> Arc<Pool<Connection>> {
        Pool::open(size, Duration::ZERO, Connection::open_in_memory).unwrap()
    }

    #[tokio::test]
    async fn at_most_size_works_at_a_time_and_the_rest_waits() {
        let pool = pool(2);
        let mut gates = Vec::new();
        let mut works = Vec::new();
        for _ in 0..5 {
            let (open, gate) = mpsc::channel::<()>();
            gates.push(open);
            let pool = Arc::clone(&pool);
            works.push(tokio::spawn(async move { pool.run(move |_| gate.recv().is_ok()).await }));
        }
        while pool.statistics().waiting < 3 {
            tokio::task::yield_now().await;
        }
        let full = pool.statistics();
        assert_eq!((full.busy, full.waiting, full.waits, full.taken), (2, 3, 3, 2));
        works.pop().unwrap().abort();
        gates.iter().for_each(|gate| gate.send(()).unwrap());
        for work in works {
            assert!(work.await.unwrap().unwrap());
        }
        let after = pool.statistics();
        assert_eq!((after.busy, after.waiting, after.waits), (0, 0, 3), "one gave up: {after:?}");
        assert!(after.wait_ms > 0.0 && after.wait_ms_max <= after.wait_ms);
    }

    #[tokio::test]
    async fn a_panic_gives_the_connection_back_without_its_transaction() {
        let pool = pool(1);
        pool.run(|c| c.execute_batch("CREATE TABLE t (x)").unwrap()).await.unwrap();
        let broken = pool.run(|c| {
            let transaction = c.transaction().unwrap();
            transaction.execute("INSERT INTO t VALUES (1)", []).unwrap();
            panic!("on purpose");
        });
        assert!(matches!(broken.await, Err::<(), _>(PoolError::BrokeOff)));
        let count = pool.run(|c| c.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, u32>(0)).unwrap());
        assert_eq!(count.await.unwrap(), 0);
    }
}
