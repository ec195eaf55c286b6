//! Writers that commit what waits as one group. Who handed a message in hears of it only after the commit.
//!
//! While one group is on its way to the disk the next one gathers, so a commit is shared by as many messages as come
//! within its time: the busier, the larger the groups. With [`Commit::Each`] every message pays for its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::Instant;

use super::apply::{Next, Outcome, Piece};
use super::{Mark, Receive, Redeliver, Session, Store, StoreError};
use crate::moment_now;

/// How commits are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Commit {
    /// What waits is committed together
    Group,
    /// One commit for each message
    Each,
}

/// Most pieces in a group: some hundred rows, a transaction of some milliseconds.
const GROUP_MAX: usize = 256;
/// Writers beside each other, where the store has more than one and commits are not shared.
const WRITERS_MAX: usize = 16;
/// How long a store that failed is left alone; requests in between are refused at once.
const PAUSE: Duration = Duration::from_millis(250);

/// What waits for a writer.
struct Order {
    piece: Piece,
    /// Nobody waits for marks.
    done: Option<oneshot::Sender<Result<Outcome, StoreError>>>,
}

/// Who hears what became of deliveries.
pub(crate) trait Settled: Send + Sync + 'static {
    /// The store knows that these deliveries are over.
    fn ended(&self, message_ids: &[String]);
    /// The store answers again; it may hold tasks that nobody knows of.
    fn is_back(&self);
}

/// Counts of the writers.
#[derive(Default)]
pub(crate) struct Commits {
    pub(crate) commits: AtomicU64,
    pub(crate) pieces: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) queued: AtomicU64,
}

/// The way to the writers.
pub(crate) struct Committer {
    orders: mpsc::UnboundedSender<Order>,
    pub(crate) counts: Arc<Commits>,
}

impl Committer {
    /// Starts the writers: threads, since SQLite blocks. `session` was opened before, so that a store that cannot be is
    /// found at the start.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(crate) fn start(
        store: &Store,
        session: Session,
        commit: Commit,
        writers: usize,
        server: &str,
        settled: &Arc<dyn Settled>,
    ) -> std::io::Result<Self> {
        // Unbounded, and yet bounded: requests by the pool, marks by the tasks in memory.
        let (orders, queue) = mpsc::unbounded_channel();
        let counts = Arc::new(Commits::default());
        let queue = Arc::new(Mutex::new(queue));
        let writers =
            if commit == Commit::Each && store.has_many_writers() { writers.clamp(1, WRITERS_MAX) } else { 1 };
        let mut session = Some(session);
        for number in 0..writers {
            let writer = Writer {
                store: store.clone(),
                session: session.take(),
                group_max: if commit == Commit::Group { GROUP_MAX } else { 1 },
                server: server.to_owned(),
                queue: Arc::clone(&queue),
                counts: Arc::clone(&counts),
                settled: Arc::clone(settled),
                kept: Vec::new(),
                failed: None,
            };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let run = move || runtime.block_on(writer.run());
            std::thread::Builder::new().name(format!("writer-{number}")).spawn(run)?;
        }
        Ok(Self { orders, counts })
    }

    /// Stores a message, and returns after the commit.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses.
    pub(crate) async fn receive(&self, receive: Receive) -> Result<Outcome, StoreError> {
        self.wait_for(Piece::Receive(Box::new(receive))).await
    }

    /// Puts a stored reply up for delivery again, and returns after the commit.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses.
    pub(crate) async fn redeliver(&self, redeliver: Redeliver) -> Result<Outcome, StoreError> {
        self.wait_for(Piece::Redeliver(redeliver)).await
    }

    async fn wait_for(&self, piece: Piece) -> Result<Outcome, StoreError> {
        let (done, waits) = oneshot::channel();
        self.send(Order { piece, done: Some(done) });
        waits.await.unwrap_or_else(|_| Err(StoreError::Unavailable("the writer ended".to_owned())))
    }

    /// Notes what came of a delivery. It is kept until the store takes it.
    pub(crate) fn mark(&self, mark: Mark) {
        self.send(Order { piece: Piece::Mark(mark), done: None });
    }

    fn send(&self, order: Order) {
        self.counts.queued.fetch_add(1, Relaxed);
        // Without a writer the process is ending; who waits hears it from the closed channel.
        let _ = self.orders.send(order);
    }
}

struct Writer {
    store: Store,
    session: Option<Session>,
    group_max: usize,
    server: String,
    queue: Arc<Mutex<mpsc::UnboundedReceiver<Order>>>,
    counts: Arc<Commits>,
    settled: Arc<dyn Settled>,
    /// Marks that the store has not taken yet.
    kept: Vec<Order>,
    failed: Option<Instant>,
}

impl Writer {
    async fn run(mut self) {
        while let Some(group) = self.gather().await {
            if !group.is_empty() {
                self.settle(group).await;
            }
        }
    }

    /// The next group: what was kept, and what waits. `None` at the end of the process.
    async fn gather(&mut self) -> Option<Vec<Order>> {
        let mut group = Vec::new();
        // A writer with nothing to do waits for the next order with the queue in its hand: whoever has kept marks goes on
        // without it.
        let queue = if self.kept.is_empty() {
            Some(self.queue.lock().await)
        } else {
            tokio::time::timeout(PAUSE, self.queue.lock()).await.ok()
        };
        let Some(mut queue) = queue else {
            let most = self.kept.len().min(self.group_max.max(64));
            return Some(self.kept.drain(..most).collect());
        };
        if self.kept.is_empty() {
            group.push(queue.recv().await?);
        } else {
            if let Ok(first) = tokio::time::timeout(PAUSE, queue.recv()).await {
                group.push(first?);
            }
            // Those kept do not count into the group, so that a new message is never held up by them for long.
            let most = self.kept.len().min(self.group_max.max(64));
            group.extend(self.kept.drain(..most));
        }
        while group.len() < self.group_max
            && let Ok(order) = queue.try_recv()
        {
            group.push(order);
        }
        Some(group)
    }

    async fn settle(&mut self, group: Vec<Order>) {
        let pieces: Vec<Piece> = group.iter().map(|order| order.piece.clone()).collect();
        match self.apply(&pieces).await {
            Ok(outcomes) => self.committed(group, outcomes),
            Err(StoreError::Refused(_) | StoreError::Contended(_)) if group.len() > 1 => {
                // One piece spoils the group: each on its own, so that only that one fails.
                for order in group {
                    Box::pin(self.settle(vec![order])).await;
                }
            }
            // Another writer was first, or in the way: the second look finds what it left.
            Err(StoreError::Refused(_) | StoreError::Contended(_)) => match self.apply(&pieces).await {
                Ok(outcomes) => self.committed(group, outcomes),
                Err(error) => self.refuse(group, &error),
            },
            Err(error) => self.refuse(group, &error),
        }
    }

    fn committed(&mut self, group: Vec<Order>, outcomes: Vec<Outcome>) {
        self.counts.commits.fetch_add(1, Relaxed);
        self.counts.pieces.fetch_add(group.len() as u64, Relaxed);
        self.counts.queued.fetch_sub(group.len() as u64, Relaxed);
        let mut ended = Vec::new();
        for (order, outcome) in group.into_iter().zip(outcomes) {
            match (order.piece, order.done) {
                (Piece::Mark(mark), _) => {
                    if !matches!(mark.next, Next::Again { .. }) {
                        ended.push(mark.message_id);
                    }
                }
                // Who does not wait any more has its answer from a limit of time.
                (_, Some(done)) => drop(done.send(Ok(outcome))),
                (_, None) => {}
            }
        }
        self.settled.ended(&ended);
    }

    fn refuse(&mut self, group: Vec<Order>, error: &StoreError) {
        self.counts.failures.fetch_add(1, Relaxed);
        let is_lasting = matches!(error, StoreError::Refused(_));
        for order in group {
            match (order.piece, order.done) {
                (Piece::Mark(mark), _) if is_lasting => {
                    eprintln!("warning: the mark of `{}` is lost: {error}", mark.message_id);
                    self.counts.queued.fetch_sub(1, Relaxed);
                    self.settled.ended(&[mark.message_id]);
                }
                (piece @ Piece::Mark(_), done) => self.kept.push(Order { piece, done }),
                (_, done) => {
                    self.counts.queued.fetch_sub(1, Relaxed);
                    if let Some(done) = done {
                        drop(done.send(Err(error.clone())));
                    }
                }
            }
        }
    }

    async fn apply(&mut self, pieces: &[Piece]) -> Result<Vec<Outcome>, StoreError> {
        if self.failed.is_some_and(|at| at.elapsed() < PAUSE) {
            return Err(StoreError::Unavailable("it failed just now".to_owned()));
        }
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.store.connect().await.inspect_err(|_| self.failed = Some(Instant::now()))?,
        };
        let result = session.apply(pieces, &self.server, moment_now()).await;
        match &result {
            Err(StoreError::Unavailable(why)) => {
                if self.failed.replace(Instant::now()).is_none() {
                    eprintln!("warning: the store broke off: {why}");
                }
            }
            Ok(_) | Err(StoreError::Refused(_) | StoreError::Contended(_)) => {
                self.session = Some(session);
                if self.failed.take().is_some() {
                    eprintln!("the store is back");
                    self.settled.is_back();
                }
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Status;

    struct Nobody;

    impl Settled for Nobody {
        fn ended(&self, _message_ids: &[String]) {}
        fn is_back(&self) {}
    }

    /// Of several writers one waits for orders, with the queue in its hand, and may do so for ever.
    #[tokio::test]
    async fn kept_marks_do_not_wait_for_a_writer_that_waits_for_orders() {
        let (_orders, queue) = mpsc::unbounded_channel();
        let queue = Arc::new(Mutex::new(queue));
        let mark = Mark {
            message_id: "pong".to_owned(),
            at: moment_now(),
            uri: String::new(),
            error: None,
            next: Next::End(Status::Delivered),
        };
        let mut writer = Writer {
            store: Store::Sqlite("unused".into()),
            session: None,
            group_max: 1,
            server: String::new(),
            queue: Arc::clone(&queue),
            counts: Arc::new(Commits::default()),
            settled: Arc::new(Nobody),
            kept: vec![Order { piece: Piece::Mark(mark), done: None }],
            failed: None,
        };
        let _in_another_hand = queue.lock().await;
        let group = writer.gather().await.expect("a group");
        assert_eq!((group.len(), writer.kept.len()), (1, 0));
    }
}
