//! The receiver: sessions, streams, and bundles on their way to the store.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::bundle::{Rows, Wrong};
use crate::queue::Queue;
use crate::stream::{Refusal, Streams};

/// Sessions at once; the one that was quiet for longest makes way.
const SESSIONS_MAX: usize = 10_000;

/// Characters of a stream's id in what is answered.
const NAME_SHOWN: usize = 300;

/// Why a call is refused, each with a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Another user or password.
    Stranger(String),
    Expired(String),
    Unknown(String),
    Malformed(String),
    Different(String),
}

impl Refused {
    pub(crate) fn why(self) -> String {
        match self {
            Self::Stranger(why)
            | Self::Expired(why)
            | Self::Unknown(why)
            | Self::Malformed(why)
            | Self::Different(why) => why,
        }
    }
}

/// What clients ask for.
pub(crate) struct Receiver {
    user: String,
    password: String,
    /// A session that was quiet for so long is no longer known.
    lasts: Duration,
    sessions: Mutex<HashMap<String, Instant>>,
    /// Numbers that nobody can guess are for systems that hold something.
    next: AtomicU64,
    pub(crate) streams: Streams,
    pub(crate) queue: Queue,
    pub(crate) sign_ins: AtomicU64,
    pub(crate) refused: AtomicU64,
    /// What every bundle takes longer, on purpose.
    delay: Duration,
}

impl Receiver {
    pub(crate) fn new(user: &str, password: &str, lasts: Duration, queue: usize, delay: Duration) -> Self {
        Self {
            user: user.to_owned(),
            password: password.to_owned(),
            lasts,
            sessions: Mutex::default(),
            next: AtomicU64::new(1),
            streams: Streams::default(),
            queue: Queue::new(queue),
            sign_ins: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            delay,
        }
    }

    /// Whether it is that user.
    pub(crate) fn knows(&self, user: &str, password: &str) -> bool {
        (user, password) == (self.user.as_str(), self.password.as_str())
    }

    /// A new session.
    ///
    /// # Errors
    /// Another user or password.
    pub(crate) fn sign_in(&self, user: &str, password: &str) -> Result<String, String> {
        if !self.knows(user, password) {
            self.refused.fetch_add(1, Relaxed);
            return Err("user or password is wrong".to_owned());
        }
        let id = format!("session-{}-{}", std::process::id(), self.next.fetch_add(1, Relaxed));
        let mut sessions = self.sessions();
        if sessions.len() >= SESSIONS_MAX
            && let Some(quiet) = sessions.iter().min_by_key(|(_, since)| **since).map(|(id, _)| id.clone())
        {
            sessions.remove(&quiet);
        }
        sessions.insert(id.clone(), Instant::now());
        self.sign_ins.fetch_add(1, Relaxed);
        Ok(id)
    }

    pub(crate) fn sign_out(&self, session: &str) {
        self.sessions().remove(session);
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<String, Instant>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that a session is not quiet.
    fn touch(&self, session: &str) -> Result<(), Refused> {
        let mut sessions = self.sessions();
        let now = Instant::now();
        match sessions.get_mut(session) {
            Some(since) if now.duration_since(*since) < self.lasts => {
                *since = now;
                Ok(())
            }
            _ => {
                sessions.remove(session);
                self.refused.fetch_add(1, Relaxed);
                Err(Refused::Expired("the session is not known, or was quiet for too long".to_owned()))
            }
        }
    }

    /// Defines a stream.
    ///
    /// # Errors
    /// A session that is not known; a definition that is not one, or another than before.
    pub(crate) fn define(&self, session: &str, definition: &str) -> Result<String, Refused> {
        self.touch(session)?;
        self.streams.define(definition).map_err(|refusal| {
            self.refused.fetch_add(1, Relaxed);
            match refusal {
                Refusal::Malformed(why) => Refused::Malformed(why),
                Refusal::Different => Refused::Different("the stream is defined otherwise already".to_owned()),
            }
        })
    }

    /// The id of a stream that is defined.
    ///
    /// # Errors
    /// A session that is not known; a stream that is not defined.
    pub(crate) fn find(&self, session: &str, id: &str) -> Result<String, Refused> {
        self.touch(session)?;
        self.streams.get(id).map(|stream| stream.id.clone()).ok_or_else(|| {
            self.refused.fetch_add(1, Relaxed);
            unknown(id)
        })
    }

    /// A stream takes no more events until it is defined again; whether it was defined.
    ///
    /// # Errors
    /// A session that is not known.
    pub(crate) fn delete(&self, session: &str, id: &str) -> Result<bool, Refused> {
        self.touch(session)?;
        Ok(self.streams.delete(id))
    }

    /// Takes a bundle in, which is cut into events by what is given; waits while the queue is full.
    ///
    /// # Errors
    /// A session that is not known, a stream that is not defined, values that do not fit.
    pub(crate) fn publish(
        &self,
        session: &str,
        cut: impl FnOnce(&Streams) -> Result<Rows, Wrong>,
    ) -> Result<(), Refused> {
        self.touch(session)?;
        if !self.delay.is_zero() {
            std::thread::sleep(self.delay);
        }
        let rows = cut(&self.streams).map_err(|wrong| {
            self.refused.fetch_add(1, Relaxed);
            match wrong {
                Wrong::Unknown(id) => unknown(&id),
                Wrong::Malformed(why) => Refused::Malformed(why),
            }
        })?;
        if self.queue.push(rows) { Ok(()) } else { Err(Refused::Expired("the server is about to end".to_owned())) }
    }
}

fn unknown(id: &str) -> Refused {
    let id: String = id.chars().take(NAME_SHOWN).collect();
    Refused::Unknown(format!("no stream `{}` is defined", id.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Lists;

    #[test]
    fn a_session_ends_by_being_quiet_or_signing_out() {
        let receiver = Receiver::new("admin", "secret", Duration::from_millis(30), 10, Duration::ZERO);
        assert!(receiver.sign_in("admin", "other").is_err());
        let session = receiver.sign_in("admin", "secret").unwrap();
        let definition = r#"{"name":"n","version":"1","payloadData":[{"name":"n","type":"BOOL"}]}"#;
        assert_eq!(receiver.define(&session, definition), Ok("n:1".to_owned()));
        std::thread::sleep(Duration::from_millis(60));
        assert!(matches!(
            receiver.publish(&session, |streams| Rows::of(&Lists::default(), streams)),
            Err(Refused::Expired(_))
        ));
        let session = receiver.sign_in("admin", "secret").unwrap();
        receiver.sign_out(&session);
        assert!(matches!(receiver.define(&session, definition), Err(Refused::Expired(_))));
        assert!(matches!(receiver.find(&session, "n:1"), Err(Refused::Expired(_))));
        assert!(matches!(receiver.delete(&session, "n:1"), Err(Refused::Expired(_))));
        assert_eq!((receiver.sign_ins.load(Relaxed), receiver.refused.load(Relaxed)), (2, 5));
    }
}
