//! A stream of numbered events at a pace of its own, as the WHATWG has event streams.

use std::fmt::Write;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes};
use axum::extract::Query;
use axum::http::Uri;
use futures_util::StreamExt;
use futures_util::stream::{iter, unfold};
use serde::Deserialize;
use terms::{Quantity, Unit};

use crate::traffic::{Connection, End, Fate, Stop, Traffic, WRONG};

/// How often events come, and how large they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// Events a second.
    pub(crate) per_second: f64,
    /// Bytes of an event's data.
    pub(crate) bytes: usize,
}

/// Highest rate of one stream; timers are no finer.
const RATE_MAX: f64 = 1000.0;
/// Smallest event: number, time and the names around them.
const BYTES_MIN: f64 = 64.0;
/// Largest event.
const BYTES_MAX: f64 = 65_536.0;
/// When a reader should come back after a break.
const RETRY_MS: u32 = 2000;
/// Longest silence: then a comment tells everything on the way that the stream is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Most events that are written at once after the process was held up.
const AT_ONCE_MAX: usize = 64;

/// Reads a rate such as `10/s`.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    match Quantity::parse(text) {
        Ok(Quantity { value, unit: Unit::PerSecond }) if value > 0.0 && value <= RATE_MAX => Ok(value),
        _ => Err(format!("`{text}` is not a rate above zero, at most {RATE_MAX}/s; write for example `10/s`")),
    }
}

/// Reads a size such as `82` or `8kB`.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    match Quantity::parse(text) {
        Ok(Quantity { value, unit: Unit::Bytes | Unit::Count })
            if (BYTES_MIN..=BYTES_MAX).contains(&value) && value.fract() == 0.0 =>
        {
            Ok(value as usize)
        }
        _ => Err(format!(
            "`{text}` is not a whole number of bytes from {BYTES_MIN} to {BYTES_MAX}; write for example `82`"
        )),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    events: Option<String>,
    bytes: Option<String>,
}

impl Pace {
    /// The pace that a request asks for, `?events=5/s&bytes=500`; what it does not name stays.
    pub(crate) fn of_query(self, uri: &Uri) -> Result<Self, String> {
        let Query(Parameters { events, bytes: size }) = Query::try_from_uri(uri)
            .map_err(|_| "possible parameters are `events`, such as `10/s`, and `bytes`, such as `82`".to_owned())?;
        Ok(Self {
            per_second: events.map_or(Ok(self.per_second), |text| rate(&text))?,
            bytes: size.map_or(Ok(self.bytes), |text| bytes(&text))?,
        })
    }
}

/// One stream while it is written.
struct Feed {
    traffic: Arc<Traffic>,
    connection: Connection,
    pace: Pace,
    /// Number of the event before the next one.
    number: u64,
    /// Events since the start.
    count: u64,
    start: Instant,
    /// When something was written last.
    written: Instant,
    stop: Pin<Box<dyn Future<Output = Stop> + Send>>,
}

/// The body of a stream whose reader had the event `last`, or none for 0.
pub(crate) fn body(traffic: Arc<Traffic>, mut connection: Connection, pace: Pace, last: u64) -> Body {
    connection.open(End::Closed);
    let start = Instant::now();
    let stop = Box::pin(Arc::clone(&traffic).stop());
    let retry = (!traffic.is_mute()).then(|| Ok(Bytes::from(format!("retry: {RETRY_MS}\n\n"))));
    let first = iter(retry);
    let feed = Feed { traffic, connection, pace, number: last, count: 0, start, written: start, stop };
    let rest = unfold(Some(feed), async |feed| feed?.next().await);
    Body::from_stream(first.chain(rest))
}

/// What a body's stream comes to: a piece and the stream after it.
type Step = Option<(io::Result<Bytes>, Option<Feed>)>;

impl Feed {
    /// Waits for what is due and gives it. A stream that is cut ends with an error, which breaks its connection.
    async fn next(mut self) -> Step {
        loop {
            let now = Instant::now();
            let (due, alive) = (self.due(), self.written + KEEP_ALIVE);
            if !self.traffic.is_mute() && now >= due {
                let text = self.events().await;
                if !text.is_empty() {
                    self.written = Instant::now();
                    return Some((Ok(Bytes::from(text)), Some(self)));
                }
                continue;
            }
            if !self.traffic.is_mute() && now >= alive {
                self.written = now;
                return Some((Ok(Bytes::from_static(b": still here\n\n")), Some(self)));
            }
            // A mute stream is never due.
            let next = if self.traffic.is_mute() { now + KEEP_ALIVE } else { due.min(alive) };
            tokio::select! {
                () = tokio::time::sleep_until(next.into()) => {}
                stop = &mut self.stop => {
                    if stop == Stop::End {
                        return None;
                    }
                    self.connection.ends(End::Cut);
                    return Some((Err(io::Error::other("fault `cut_after`")), None));
                }
            }
        }
    }

    /// When the next event is due: on the grid from the start, so that being late once makes no later one late.
    fn due(&self) -> Instant {
        self.start + Duration::from_secs_f64(self.count as f64 / self.pace.per_second)
    }

    /// All events that are due, as they are written.
    async fn events(&mut self) -> String {
        let mut text = String::with_capacity(self.pace.bytes + 40);
        for _ in 0..AT_ONCE_MAX {
            if Instant::now() < self.due() {
                break;
            }
            self.number += 1;
            self.count += 1;
            let data = data(self.number, SystemTime::now(), self.pace.bytes);
            let fate = self.traffic.hand(&self.traffic.events).await;
            let (data, copies) = match fate {
                Fate::Passed => (data.as_str(), 1),
                Fate::Dropped => (data.as_str(), 0),
                Fate::Doubled => (data.as_str(), 2),
                Fate::Wrong => (WRONG, 1),
            };
            for _ in 0..copies {
                let _ = write!(text, "id: {}\ndata: {data}\n\n", self.number);
            }
        }
        text
    }
}

/// `{"n":1,"t":1795255200123456789,"p":"abc…"}`, so many bytes in all.
fn data(number: u64, now: SystemTime, bytes: usize) -> String {
    let nanos = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mut data = String::with_capacity(bytes);
    let _ = write!(data, "{{\"n\":{number},\"t\":{nanos},\"p\":\"");
    data.extend(('a'..='z').cycle().take(bytes.saturating_sub(data.len() + 2)));
    data.push_str("\"}");
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn an_event_is_json_of_its_size() {
        let now = UNIX_EPOCH + Duration::from_nanos(1_795_255_200_123_456_789);
        for (number, bytes) in [(1, 82), (99_999, 82), (u64::MAX, 64), (7, 8000)] {
            let text = data(number, now, bytes);
            assert_eq!(text.len(), bytes);
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((value["n"].as_u64(), value["t"].as_u64()), (Some(number), Some(1_795_255_200_123_456_789)));
        }
    }

    #[test]
    fn a_request_may_name_another_pace() {
        let pace = Pace { per_second: 10.0, bytes: 82 };
        let asked = |query: &str| pace.of_query(&format!("/events{query}").parse().unwrap());
        assert_eq!(asked(""), Ok(pace));
        assert_eq!(asked("?events=5/s"), Ok(Pace { per_second: 5.0, ..pace }));
        assert_eq!(asked("?bytes=8kB&events=30/m"), Ok(Pace { per_second: 0.5, bytes: 8000 }));
        assert!(asked("?events=5").unwrap_err().contains("write for example `10/s`"));
        assert!(asked("?bytes=63").unwrap_err().contains("from 64 to 65536"));
        assert!(asked("?speed=9").unwrap_err().contains("possible parameters are `events`"));
    }
}
