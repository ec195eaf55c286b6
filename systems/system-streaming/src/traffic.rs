//! What passes through a process: held connections and their messages, counted, and hit by faults.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Response, StatusCode};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};
use system_common::{Faults, Lifetime, MessageFaults, Stall, text};
use tokio::sync::Semaphore;

/// Content of a message that the fault `wrong_every` hit.
pub(crate) const WRONG: &str = r#"{"fault":"wrong"}"#;

/// Connections and messages of one process.
pub(crate) struct Traffic {
    faults: MessageFaults,
    /// Added to each message on its way to a client.
    delay: Duration,
    stall: Option<Stall>,
    born: Instant,
    lifetime: Lifetime,
    /// Whose turn it is to take processor time (fault `cost`); fair, first come first served.
    turn: Semaphore,
    /// Connections that are open or being opened, held against the limit.
    taken: AtomicU64,
    opened: AtomicU64,
    /// By [`End`].
    ended: [AtomicU64; 3],
    /// By [`Refused`].
    refused: [AtomicU64; 3],
    /// Of WebSockets.
    pub(crate) messages: Flow,
    /// Of event streams.
    pub(crate) events: Flow,
}

/// Messages of one protocol.
#[derive(Default)]
pub(crate) struct Flow {
    /// Number of the last message on its way to a client, over all connections; faults go by it.
    number: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
    dropped: AtomicU64,
    doubled: AtomicU64,
    wrong: AtomicU64,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As the protocol has it, by either side. An event stream has no other end than that its reader goes.
    Closed,
    /// It broke, or what came was against the protocol, or the backend broke off.
    Lost,
    /// By the fault `cut_after`.
    Cut,
}

/// Why a connection was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The fault `connections`.
    Limit,
    /// It had none that passes: missing, wrong, too old, or of another tenant.
    Token,
    /// The backend could not be reached or said no.
    Backend,
}

/// What becomes of a message on its way to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Passed,
    Dropped,
    Doubled,
    /// Passed on with [`WRONG`] as its content.
    Wrong,
}

/// Why work on a connection is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The fault `cut_after`.
    Cut,
    /// The process is to end.
    End,
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Cut => Self::Cut,
            Stop::End => Self::Closed,
        }
    }
}

impl Traffic {
    /// With the faults of a service that was started at `born`.
    pub(crate) fn new(faults: &Faults, born: Instant, lifetime: Lifetime) -> Arc<Self> {
        Arc::new(Self {
            faults: faults.messages.clone(),
            delay: faults.delay,
            stall: faults.stall,
            born,
            lifetime,
            turn: Semaphore::new(1),
            taken: AtomicU64::new(0),
            opened: AtomicU64::new(0),
            ended: Default::default(),
            refused: Default::default(),
            messages: Flow::default(),
            events: Flow::default(),
        })
    }

    /// Whether nothing is passed on (fault `mute`).
    pub(crate) fn is_mute(&self) -> bool {
        self.faults.mute
    }

    /// A place for a connection; or the refusal, if there is none.
    pub(crate) fn admit(self: &Arc<Self>) -> Result<Connection, Box<Response<Body>>> {
        let most = self.faults.connections.unwrap_or(u64::MAX);
        match self.taken.fetch_update(Relaxed, Relaxed, |taken| (taken < most).then_some(taken + 1)) {
            Ok(_) => Ok(Connection { traffic: Arc::clone(self), end: None }),
            Err(_) => {
                self.refuse(Refused::Limit);
                let why = format!("fault `connections`: {most} connections are open, which is all there may be\n");
                Err(Box::new(text(StatusCode::SERVICE_UNAVAILABLE, why)))
            }
        }
    }

    pub(crate) fn refuse(&self, why: Refused) {
        self.refused[why as usize].fetch_add(1, Relaxed);
    }

    /// Comes when a connection that was opened now is to end.
    pub(crate) async fn stop(self: Arc<Self>) -> Stop {
        let cut = async {
            match self.faults.cut_after {
                Some(age) => tokio::time::sleep(age).await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = cut => Stop::Cut,
            _ = self.lifetime.ended() => Stop::End,
        }
    }

    /// A message came from a client; returns when it may be worked on.
    pub(crate) async fn take(&self, flow: &Flow) {
        flow.received.fetch_add(1, Relaxed);
        self.wait_for_stall().await;
        self.spend().await;
    }

    /// A message is on its way to a client; returns when it may be written, and what is to be written. It is counted
    /// before that, so that a client which has it finds it counted.
    pub(crate) async fn hand(&self, flow: &Flow) -> Fate {
        self.wait_for_stall().await;
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        self.spend().await;
        let fate = self.fate(flow.number.fetch_add(1, Relaxed) + 1);
        let (counter, copies) = match fate {
            Fate::Passed => (None, 1),
            Fate::Dropped => (Some(&flow.dropped), 0),
            Fate::Doubled => (Some(&flow.doubled), 2),
            Fate::Wrong => (Some(&flow.wrong), 1),
        };
        if let Some(counter) = counter {
            counter.fetch_add(1, Relaxed);
        }
        flow.sent.fetch_add(copies, Relaxed);
        fate
    }

    /// By the number of the message, counted from 1; one that several faults meet is dropped, else wrong, else doubled.
    fn fate(&self, number: u64) -> Fate {
        let is_hit = |every: Option<u64>| every.is_some_and(|every| number.is_multiple_of(every));
        let MessageFaults { drop_every, wrong_every, double_every, .. } = self.faults;
        match () {
            () if is_hit(drop_every) => Fate::Dropped,
            () if is_hit(wrong_every) => Fate::Wrong,
            () if is_hit(double_every) => Fate::Doubled,
            () => Fate::Passed,
        }
    }

    async fn wait_for_stall(&self) {
        let Some(stall) = self.stall else { return };
        let wait = stall.wait(self.born.elapsed());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }

    /// Spends the processor time of one message (fault `cost`). One at a time, as on a machine of one core: the process
    /// carries `1 / cost` messages a second, and leaves the other cores to those who load it.
    async fn spend(&self) {
        if self.faults.cost.is_zero() {
            return;
        }
        let _turn = self.turn.acquire().await.expect("invariant: the semaphore is never closed");
        let until = processor_time() + self.faults.cost;
        while processor_time() < until {
            std::hint::spin_loop();
        }
    }

    /// Once all connections have ended, those opened are those closed, lost and cut.
    pub(crate) fn counters(&self) -> Map<String, Value> {
        let count = |counter: &AtomicU64| counter.load(Relaxed);
        let ended = |end: End| count(&self.ended[end as usize]);
        let refused = |why: Refused| count(&self.refused[why as usize]);
        // The ends first: a connection that is opened and ends meanwhile must not make the difference negative.
        let (closed, lost, cut) = (ended(End::Closed), ended(End::Lost), ended(End::Cut));
        let opened = count(&self.opened);
        let connections = json!({
            "open": opened.saturating_sub(closed + lost + cut),
            "opened": opened,
            "closed": closed,
            "lost": lost,
            "cut": cut,
            "refused": refused(Refused::Limit) + refused(Refused::Token) + refused(Refused::Backend),
            "refused_by_limit": refused(Refused::Limit),
            "refused_by_token": refused(Refused::Token),
            "refused_by_backend": refused(Refused::Backend),
        });
        [("connections", connections), ("messages", self.messages.to_json()), ("events", self.events.to_json())]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

impl Flow {
    fn to_json(&self) -> Value {
        let count = |counter: &AtomicU64| counter.load(Relaxed);
        json!({
            "in": count(&self.received),
            "out": count(&self.sent),
            "dropped": count(&self.dropped),
            "doubled": count(&self.doubled),
            "wrong": count(&self.wrong),
        })
    }
}

/// Processor time that this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// One connection of a client, from before it is opened to its end; dropping it counts the end.
pub(crate) struct Connection {
    traffic: Arc<Traffic>,
    /// `None` until it is open.
    end: Option<End>,
}

impl Connection {
    /// It is open now, and ends like this unless it is told otherwise.
    pub(crate) fn open(&mut self, end: End) {
        if self.end.is_none() {
            self.traffic.opened.fetch_add(1, Relaxed);
        }
        self.end = Some(end);
    }

    /// How it will have ended.
    pub(crate) fn ends(&mut self, end: End) {
        self.end = self.end.map(|_| end);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.traffic.taken.fetch_sub(1, Relaxed);
        if let Some(end) = self.end {
            self.traffic.ended[end as usize].fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn traffic(faults: &[&str]) -> Arc<Traffic> {
        let faults = Faults::parse(faults, system_common::FaultKind::ALL).unwrap();
        Traffic::new(&faults, Instant::now(), Lifetime::watch(false).unwrap())
    }

    #[tokio::test]
    async fn each_message_has_one_fate_and_is_counted() {
        let traffic = traffic(&["drop_every=10", "wrong_every=4", "double_every=5"]).await;
        let mut fates = [0; 4];
        for _ in 0..100 {
            fates[traffic.hand(&traffic.messages).await as usize] += 1;
        }
        // Of 1 to 100: 10 by 10; 25 by 4, of which 5 by 20 are dropped; 20 by 5, of which the even ones are by 10.
        assert_eq!(fates, [60, 10, 10, 20]);
        let counted = traffic.messages.to_json();
        assert_eq!(counted, json!({ "in": 0, "out": 100, "dropped": 10, "doubled": 10, "wrong": 20 }));
        assert_eq!(traffic.events.to_json()["out"], 0);
    }

    #[tokio::test]
    async fn the_books_of_connections_balance() {
        let traffic = traffic(&["connections=2"]).await;
        let mut first = traffic.admit().unwrap();
        let second = traffic.admit().unwrap();
        assert_eq!(traffic.admit().err().unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
        first.open(End::Lost);
        drop(second);
        let counted = traffic.counters();
        assert_eq!((&counted["connections"]["open"], &counted["connections"]["opened"]), (&1.into(), &1.into()));
        first.ends(End::Cut);
        drop(first);
        let counted = traffic.counters();
        let shown = ["open", "opened", "closed", "lost", "cut", "refused"].map(|name| &counted["connections"][name]);
        assert_eq!(shown, [0, 1, 0, 0, 1, 1]);
        assert!(traffic.admit().is_ok());
    }

    #[tokio::test]
    async fn cost_is_processor_time() {
        let traffic = traffic(&["cost=3ms"]).await;
        let before = processor_time();
        for _ in 0..5 {
            traffic.take(&traffic.messages).await;
        }
        assert!(processor_time() - before >= Duration::from_millis(15));
    }
}
