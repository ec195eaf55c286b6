//! What a consumer's thread has for its session: records, and what happened to the consumer. Bounded: a thread that is
//! ahead waits, and then the client does, and then the broker.

use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};
use rustix::event::{EventfdFlags, eventfd};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use terms::Outcome;

/// Records that wait for their session, and bytes of them. One that is larger alone is let in alone.
const RECORDS_MAX: usize = 4096;
const BYTES_MAX: usize = 8 * 1024 * 1024;
/// Headers of a record that are looked at, and their bytes.
const HEADERS_MAX: usize = 64;
/// Things that happened to the consumer beside records. Of more the newest are left out.
const NEWS_MAX: usize = 256;
/// How often a thread that is ahead looks whether all is over.
const PAUSE: Duration = Duration::from_millis(100);

/// One record, as far as a study looks at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) partition: i32,
    pub(crate) offset: i64,
    /// Milliseconds since 1970; none where the record has none.
    pub(crate) timestamp: Option<i64>,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) value: Vec<u8>,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
}

impl Record {
    pub(crate) fn of(message: &BorrowedMessage<'_>) -> Self {
        let headers = message.headers().into_iter().flat_map(|headers| headers.iter()).take(HEADERS_MAX);
        Self {
            partition: message.partition(),
            offset: message.offset(),
            timestamp: message.timestamp().to_millis(),
            key: message.key().map(<[u8]>::to_vec),
            value: message.payload().unwrap_or_default().to_vec(),
            headers: headers.map(|it| (it.key.to_owned(), it.value.unwrap_or_default().to_vec())).collect(),
        }
    }

    fn bytes(&self) -> usize {
        let headers = self.headers.iter().map(|(name, value)| name.len() + value.len());
        self.value.len() + self.key.as_ref().map_or(0, Vec::len) + headers.sum::<usize>()
    }
}

/// What a consumer's thread says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// It reads these partitions from now on, beside those that it had.
    Assigned(Vec<i32>),
    /// It reads these no more.
    Revoked(Vec<i32>),
    /// No broker can be reached; the client goes on trying.
    Down(String),
    /// It is over, and why.
    Failed(Outcome, String),
    Record(Record),
}

#[derive(Debug, Default)]
struct Queue {
    news: VecDeque<News>,
    records: usize,
    bytes: usize,
    is_over: bool,
    /// Whether its thread has ended.
    is_left: bool,
}

/// Between one consumer's thread and its session.
#[derive(Debug)]
pub(crate) struct Inbox {
    queue: Mutex<Queue>,
    room: Condvar,
    bell: OwnedFd,
}

impl Inbox {
    /// # Errors
    /// No descriptor is left.
    pub(crate) fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Self { queue: Mutex::default(), room: Condvar::new(), bell })
    }

    /// What becomes readable when there is something new.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing that holds it can panic; what it holds is whole at any moment.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody takes anything any more.
    pub(crate) fn close(&self) {
        let mut queue = self.lock();
        (queue.is_over, queue.records, queue.bytes) = (true, 0, 0);
        queue.news.clear();
        self.room.notify_all();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Its thread has ended.
    pub(crate) fn leave(&self) {
        self.lock().is_left = true;
        self.room.notify_all();
    }

    /// Waits until its thread has ended, at most for so many pauses of a tenth of a second; how many are left.
    pub(crate) fn wait_until_left(&self, mut pauses: u32) -> u32 {
        let mut queue = self.lock();
        while !queue.is_left && pauses > 0 {
            let (next, waited) = self.room.wait_timeout(queue, PAUSE).unwrap_or_else(PoisonError::into_inner);
            queue = next;
            pauses -= u32::from(waited.timed_out());
        }
        pauses
    }

    /// Hands a record over, and waits for room where there is none.
    pub(crate) fn put(&self, record: Record) {
        let mut queue = self.lock();
        while !queue.is_over && queue.records > 0 && (queue.records >= RECORDS_MAX || queue.bytes >= BYTES_MAX) {
            queue = self.room.wait_timeout(queue, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
        }
        if queue.is_over {
            return;
        }
        queue.records += 1;
        queue.bytes += record.bytes();
        queue.news.push_back(News::Record(record));
        drop(queue);
        self.ring();
    }

    /// Says what happened.
    pub(crate) fn tell(&self, news: News) {
        let mut queue = self.lock();
        let others = queue.news.len() - queue.records;
        if queue.is_over || (others >= NEWS_MAX && !matches!(news, News::Failed(..))) {
            return;
        }
        queue.news.push_back(news);
        drop(queue);
        self.ring();
    }

    fn ring(&self) {
        // Full only after 2^64 rings.
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    /// What there is since; `into` is emptied first, and its memory is used in turn.
    pub(crate) fn take(&self, into: &mut VecDeque<News>) {
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.bell, &mut count);
        into.clear();
        let mut queue = self.lock();
        (queue.records, queue.bytes) = (0, 0);
        std::mem::swap(into, &mut queue.news);
        self.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_thread_that_is_ahead_waits_until_there_is_room() {
        let inbox = Arc::new(Inbox::new().unwrap());
        let own = inbox.clone();
        let ahead = std::thread::spawn(move || (0..3 * RECORDS_MAX).for_each(|_| own.put(Record::default())));
        let (mut taken, mut into) = (0, VecDeque::new());
        while taken < 3 * RECORDS_MAX {
            inbox.take(&mut into);
            assert!(into.len() <= RECORDS_MAX, "{}", into.len());
            taken += into.len();
        }
        ahead.join().unwrap();
    }

    #[test]
    fn one_that_nobody_takes_from_ends_its_thread() {
        let inbox = Arc::new(Inbox::new().unwrap());
        let own = inbox.clone();
        let ahead = std::thread::spawn(move || (0..2 * RECORDS_MAX).for_each(|_| own.put(Record::default())));
        inbox.close();
        ahead.join().unwrap();
        (0..3 * NEWS_MAX).for_each(|_| inbox.tell(News::Revoked(vec![1])));
        let mut into = VecDeque::new();
        inbox.take(&mut into);
        assert!(into.is_empty());
    }

    #[test]
    fn what_happens_without_end_is_bounded_and_why_it_is_over_is_said() {
        let inbox = Inbox::new().unwrap();
        (0..3 * NEWS_MAX).for_each(|_| inbox.tell(News::Revoked(vec![1])));
        inbox.tell(News::Failed(Outcome::Refused, "no".to_owned()));
        let mut into = VecDeque::new();
        inbox.take(&mut into);
        assert_eq!(into.len(), NEWS_MAX + 1);
        assert!(matches!(into.back(), Some(News::Failed(..))));
    }
}
