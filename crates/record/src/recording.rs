//! The thread that owns the writer, so that no other thread ever waits for a disk.

use crate::entry::{Opened, opened};
use crate::{ClockPair, Entry, EventRow, Head, Observed, RecordError, Writer};
use clock::Clock;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use terms::Nanos;

/// Entries that may wait. Each thread sends about one a second, so this is minutes of a stalled disk.
const WAITING_MAX: usize = 4096;
/// Time between two syncs: what a kill or a power cut may cost.
const SYNC_EVERY: Nanos = Nanos::SECOND;
/// Time between two pairs of the run's clock and the wall clock.
const CLOCK_EVERY: Nanos = Nanos::from_secs(10);

/// How many of them may be of other processes: what this one sees of itself always finds a place beside them.
const IN_TURN_MAX: usize = WAITING_MAX / 2;

enum Message {
    Entry(Box<Entry>),
    /// Of another process.
    InTurn(Box<Entry>),
    Head(Box<Head>),
    /// Heads before and after, and the study.
    Study(Box<(Head, String, Head)>),
    /// Everything that stands before it in the queue is to be on the disk.
    Sync(SyncSender<()>),
    Stop,
}

/// What handles and the thread share.
#[derive(Default)]
struct Link {
    is_failed: AtomicBool,
    lost: AtomicU64,
    failure: Mutex<Option<RecordError>>,
    /// Entries of other processes in the queue, and a sign that it has fewer.
    in_turn: Mutex<usize>,
    has_room: Condvar,
}

impl Link {
    fn failure(&self) -> MutexGuard<'_, Option<RecordError>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for an entry of another process, and takes it.
    fn enter(&self) {
        let waiting = self.in_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |waiting: &mut usize| *waiting >= IN_TURN_MAX;
        *self.has_room.wait_while(waiting, is_full).unwrap_or_else(PoisonError::into_inner) += 1;
    }

    /// An entry of another process has left the queue, or never came into it.
    fn leave(&self) {
        let mut waiting = self.in_turn.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(1);
        self.has_room.notify_one();
    }

    /// The first failure is the one that is told.
    fn fail(&self, error: RecordError) {
        self.failure().get_or_insert(error);
        self.is_failed.store(true, Ordering::Release);
    }
}

/// Where entries are sent; copies go to every thread.
#[derive(Clone)]
pub struct Handle {
    sender: SyncSender<Message>,
    link: Arc<Link>,
    /// In simulated time an hour of entries comes at once, and no one's pacing suffers from waiting.
    may_wait: bool,
}

impl Handle {
    /// Hands an entry to the recording thread. Never waits in real time: when too many wait already, the entry is lost,
    /// counted, and the recording has failed. With a simulated clock it waits for its place instead.
    pub fn send(&self, entry: Entry) {
        let message = Message::Entry(Box::new(entry));
        let is_sent = if self.may_wait {
            self.sender.send(message).is_ok()
        } else {
            match self.sender.try_send(message) {
                Ok(()) => true,
                Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
            }
        };
        self.note(is_sent);
    }

    /// As [`Handle::send`], but waits for a place: for what another process has recorded, which waits there, too. Not for a
    /// thread that drives load.
    pub fn send_in_turn(&self, entry: Entry) {
        self.link.enter();
        let is_sent = self.sender.send(Message::InTurn(Box::new(entry))).is_ok();
        if !is_sent {
            self.link.leave();
        }
        self.note(is_sent);
    }

    fn note(&self, is_sent: bool) {
        if !is_sent {
            self.link.lost.fetch_add(1, Ordering::Relaxed);
            self.link.is_failed.store(true, Ordering::Release);
        }
    }

    /// Replaces `run.json` while the run goes on: when a search adds steps. Waits for a place in the queue, so it is not
    /// for a thread that drives load.
    pub fn update_head(&self, head: &Head) {
        if self.sender.send(Message::Head(Box::new(head.clone()))).is_err() {
            self.link.fail(RecordError::Thread);
        }
    }

    /// Replaces the study and `run.json` while the run goes on, as [`Writer::update_study`]. Waits for a place in the queue.
    pub fn update_study(&self, before: &Head, study: &str, after: &Head) {
        let all = Box::new((before.clone(), study.to_owned(), after.clone()));
        if self.sender.send(Message::Study(all)).is_err() {
            self.link.fail(RecordError::Thread);
        }
    }

    /// Waits until everything that was sent before can be read from the folder. Not for a thread that drives load.
    pub fn sync(&self) {
        let (done, is_done) = sync_channel(1);
        if self.sender.send(Message::Sync(done)).is_err() || is_done.recv().is_err() {
            self.link.fail(RecordError::Thread);
        }
    }

    /// Whether the record can no longer be trusted to be whole, so that the run should stop.
    pub fn is_failed(&self) -> bool {
        self.link.is_failed.load(Ordering::Acquire)
    }
}

/// A run being recorded.
pub struct Recording {
    handle: Handle,
    clock: Clock,
    thread: JoinHandle<Writer>,
}

impl Recording {
    /// Starts the thread. It folds and writes what is sent, shows it to `observer`, syncs once a second, and records a
    /// pair of the run's clock and the wall clock now, every 10 s, and at the end.
    ///
    /// With a simulated clock it syncs when nothing has come for a second of real time, and at the end; pairs are then
    /// recorded only at start and end, so that equal simulations leave equal records.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        writer: Writer,
        clock: Clock,
        observer: Box<dyn FnMut(&Observed) + Send>,
    ) -> Result<Self, RecordError> {
        let path = writer.path().to_owned();
        let (sender, receiver) = sync_channel(WAITING_MAX);
        let link = Arc::new(Link::default());
        let handle = Handle { sender, link: Arc::clone(&link), may_wait: clock.is_simulated() };
        let now = clock.now();
        let mut keeper =
            Keeper { writer, clock: clock.clone(), observer, link, next_sync: now + SYNC_EVERY, next_clock: now };
        keeper.pair_clocks();
        let thread = std::thread::Builder::new().name("record".to_owned());
        let thread = thread.spawn(move || keeper.run(&receiver));
        let thread = thread.map_err(RecordError::io("start the thread that writes", &path))?;
        Ok(Self { handle, clock, thread })
    }

    /// Where entries are sent.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// What went wrong first: the disk's refusal, or entries that were lost.
    pub fn failure(&self) -> Option<RecordError> {
        self.handle.link.failure().clone().or_else(|| self.lost())
    }

    fn lost(&self) -> Option<RecordError> {
        let lost = self.handle.link.lost.load(Ordering::Relaxed);
        (lost > 0).then_some(RecordError::Lost { lost })
    }

    /// Writes what still waits, ends the record with `head`, and seals it. Call it when every sender has stopped: what
    /// is sent later is lost.
    ///
    /// # Errors
    /// As [`Writer::finish`]; and [`RecordError::Lost`] when entries were lost: the run is then sealed all the same, and
    /// has an event `lost` that says so.
    pub fn finish(self, head: &Head) -> Result<PathBuf, RecordError> {
        // Should the thread be gone, joining it tells.
        drop(self.handle.sender.send(Message::Stop));
        let lost = self.lost();
        let mut writer = self.thread.join().map_err(|_| RecordError::Thread)?;
        if let Some(error) = &lost {
            let (at, text) = (self.clock.now(), error.to_string());
            let event = EventRow { at, kind: "lost".to_owned(), subject: "generator".to_owned(), text };
            drop(writer.add(&Observed::Event(event)));
        }
        // A writer that has failed refuses both, and says so again when it is finished.
        drop(writer.add_clock(ClockPair { at: self.clock.now(), wall: self.clock.wall() }));
        let path = writer.finish(head)?;
        match lost {
            Some(error) => Err(error),
            None => Ok(path),
        }
    }
}

/// The thread's state.
struct Keeper {
    writer: Writer,
    clock: Clock,
    observer: Box<dyn FnMut(&Observed) + Send>,
    link: Arc<Link>,
    next_sync: Nanos,
    next_clock: Nanos,
}

impl Keeper {
    fn run(mut self, receiver: &Receiver<Message>) -> Writer {
        loop {
            match receiver.recv_timeout(self.wait().to_std()) {
                Ok(Message::Entry(entry)) => self.keep(*entry),
                Ok(Message::InTurn(entry)) => {
                    self.link.leave();
                    self.keep(*entry);
                }
                Ok(Message::Head(head)) => {
                    let result = self.writer.update_head(&head);
                    self.check(result);
                }
                Ok(Message::Study(all)) => {
                    let (before, study, after) = *all;
                    let result = self.writer.update_study(&before, &study, &after);
                    self.check(result);
                }
                Ok(Message::Sync(done)) => {
                    self.sync();
                    let _ = done.send(());
                }
                Err(RecvTimeoutError::Timeout) => self.sync(),
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            }
            if !self.clock.is_simulated() && self.clock.now() >= self.next_sync {
                self.pair_clocks();
                self.sync();
            }
        }
        // What was sent before the stop and by other threads stands behind it in the queue.
        while let Ok(message) = receiver.try_recv() {
            if let Message::Entry(entry) | Message::InTurn(entry) = message {
                self.keep(*entry);
            }
        }
        self.sync();
        self.writer
    }

    /// How long to wait for an entry before the next sync is due.
    fn wait(&self) -> Nanos {
        if self.clock.is_simulated() { SYNC_EVERY } else { (self.next_sync - self.clock.now()).or_zero() }
    }

    fn keep(&mut self, entry: Entry) {
        let result = match opened(entry) {
            Opened::Observed(seen) => {
                let result = self.writer.add(&seen);
                (self.observer)(&seen);
                result
            }
            Opened::Clock(pair) => self.writer.add_clock(pair),
        };
        self.check(result);
    }

    fn pair_clocks(&mut self) {
        let at = self.clock.now();
        if at < self.next_clock {
            return;
        }
        self.next_clock = at + CLOCK_EVERY;
        let result = self.writer.add_clock(ClockPair { at, wall: self.clock.wall() });
        self.check(result);
    }

    fn sync(&mut self) {
        let result = self.writer.sync();
        self.check(result);
        self.next_sync = self.clock.now() + SYNC_EVERY;
    }

    fn check(&self, result: Result<(), RecordError>) {
        if let Err(error) = result {
            self.link.fail(error);
        }
    }
}
