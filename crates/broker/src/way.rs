//! One way for frames: a subject of a run's stream, and who lives at its other end.

use crate::connection::Connection;
use async_nats::HeaderMap;
use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use clock::Clock;
use futures_util::StreamExt;
use run::nodes::{Inbox, Link, Outbox};
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use terms::Nanos;
use tokio::time::timeout;

/// Bytes of a frame in one message: servers take a megabyte unless they are told otherwise.
const PIECE_BYTES: usize = 512 << 10;
/// How long a message may take to be kept, with all attempts: a server that is started again takes seconds.
const KEEPING: Duration = Duration::from_secs(60);
/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(5);
/// Between two signs of life.
const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// Silence after which the other end is taken for lost, while the server can be reached.
const SILENCE: Duration = Duration::from_secs(20);
/// A larger frame is none of ours.
const FRAME_BYTES_MAX: usize = 64 << 20;

/// The last piece of a frame, and every other.
const LAST: u8 = 0;
const MORE: u8 = 1;

/// What a sign of life says, and what the last one does.
const ALIVE: &str = "alive";
const GONE: &str = "gone";

/// The ends of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Conductor,
    Node,
}

impl End {
    /// The subjects on which this end sends.
    fn word(self) -> &'static str {
        match self {
            Self::Conductor => "order",
            Self::Node => "told",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Conductor => Self::Node,
            Self::Node => Self::Conductor,
        }
    }
}

/// Name of a run's stream.
pub(crate) fn stream_name(run: &str) -> String {
    format!("loadproof-{run}")
}

/// Subjects that a run's stream keeps.
pub(crate) fn kept_subjects(run: &str) -> Vec<String> {
    [End::Conductor, End::Node].map(|end| format!("loadproof.run.{run}.{}.*", end.word())).to_vec()
}

/// This end of the way between whoever conducts `run` and the node of that number.
///
/// # Errors
/// A stream that is not there.
pub(crate) fn link(at: &Connection, run: &str, node: u16, end: End) -> std::result::Result<Link, String> {
    let subject = |of: End| format!("loadproof.run.{run}.{}.{node}", of.word());
    let life = |of: End| format!("loadproof.alive.{run}.{}.{node}", of.word());
    let context = at.jetstream();
    let config = OrderedConfig {
        filter_subject: subject(end.other()),
        deliver_policy: DeliverPolicy::All,
        ..OrderedConfig::default()
    };
    let (messages, signs) = at.wait(async {
        let stream = context.get_stream(stream_name(run)).await.map_err(|error| error.to_string())?;
        let consumer = stream.create_consumer(config).await.map_err(|error| error.to_string())?;
        let messages = consumer.messages().await.map_err(|error| error.to_string())?;
        let signs = at.client.subscribe(life(end.other())).await.map_err(|error| error.to_string())?;
        Ok::<_, String>((messages, signs))
    })?;
    let heard = Arc::new(Heard::default());
    at.spawn(listen(signs, heard.clone()));
    let is_over = Arc::new(AtomicBool::new(false));
    at.spawn(show_life(at.client.clone(), life(end), is_over.clone()));
    let to =
        Way { at: at.clone(), context, subject: subject(end), life: life(end), number: 0, is_over, is_dead: false };
    Ok(Link {
        to: Box::new(to),
        from: Box::new(Ear { at: at.clone(), messages: Some(Box::new(messages)), heard, frame: Vec::new() }),
    })
}

/// Where frames go.
struct Way {
    at: Connection,
    context: Context,
    subject: String,
    life: String,
    /// Pieces so far: the server keeps one of each number.
    number: u64,
    is_over: Arc<AtomicBool>,
    /// A message could not be kept, so what follows it would be misunderstood.
    is_dead: bool,
}

impl Way {
    /// Has a piece kept; tries again while the server is away.
    async fn keep(&self, piece: Vec<u8>) -> std::result::Result<(), String> {
        let clock = Clock::system();
        let piece = bytes::Bytes::from(piece);
        loop {
            let mut headers = HeaderMap::new();
            headers.insert("Nats-Msg-Id", format!("{}-{}", self.subject, self.number));
            let sent = timeout(ATTEMPT, async {
                let kept = self.context.publish_with_headers(self.subject.clone(), headers, piece.clone()).await;
                kept.map_err(|error| error.to_string())?.await.map(drop).map_err(|error| error.to_string())
            });
            let why = match sent.await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(why)) => why,
                Err(_) => "no answer".to_owned(),
            };
            if clock.now() > Nanos::from(KEEPING) {
                return Err(format!("the NATS server did not keep a message within {} s: {why}", KEEPING.as_secs()));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

impl Outbox for Way {
    fn send(&mut self, frame: &[u8]) -> Result<()> {
        if self.is_dead {
            return Err(Error::other("the NATS server could not be reached"));
        }
        let mut pieces = frame.chunks(PIECE_BYTES).peekable();
        let mut is_empty = pieces.peek().is_none();
        while let Some(piece) = pieces.next().or(if std::mem::take(&mut is_empty) { Some(&[][..]) } else { None }) {
            let mut message = Vec::with_capacity(piece.len() + 1);
            message.push(if pieces.peek().is_some() { MORE } else { LAST });
            message.extend_from_slice(piece);
            let at = self.at.clone();
            at.wait(self.keep(message)).map_err(|why| {
                self.is_dead = true;
                Error::other(why)
            })?;
            self.number += 1;
        }
        Ok(())
    }
}

impl Drop for Way {
    /// Says that nothing more will come.
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        let (client, life) = (self.at.client.clone(), self.life.clone());
        self.at.wait(async move {
            let _ = timeout(ALIVE_EVERY, async {
                let _ = client.publish(life, GONE.into()).await;
                let _ = client.flush().await;
            })
            .await;
        });
    }
}

async fn show_life(client: async_nats::Client, subject: String, is_over: Arc<AtomicBool>) {
    while !is_over.load(Ordering::Acquire) {
        let _ = client.publish(subject.clone(), ALIVE.into()).await;
        tokio::time::sleep(ALIVE_EVERY).await;
    }
}

/// When the other end was last heard.
#[derive(Default)]
struct Heard {
    /// Signs and messages.
    count: AtomicU64,
    is_gone: AtomicBool,
}

async fn listen(mut signs: async_nats::Subscriber, heard: Arc<Heard>) {
    while let Some(sign) = signs.next().await {
        if sign.payload.as_ref() == GONE.as_bytes() {
            heard.is_gone.store(true, Ordering::Release);
        }
        heard.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Where frames come from.
struct Ear {
    at: Connection,
    /// None when it is dropped.
    messages: Option<Box<Ordered>>,
    heard: Arc<Heard>,
    /// Pieces of the frame in hand.
    frame: Vec<u8>,
}

impl Ear {
    /// The next piece; `None` when the other end has gone, and nothing that it said is left.
    async fn piece(&mut self) -> std::result::Result<Option<Vec<u8>>, String> {
        let (mut count, mut since) = (self.heard.count.load(Ordering::Relaxed), Clock::system());
        let mut away = Clock::system();
        loop {
            // What was said before the last sign of life may still be on its way.
            let was_gone = self.heard.is_gone.load(Ordering::Acquire);
            let Some(messages) = &mut self.messages else { return Ok(None) };
            match timeout(ALIVE_EVERY, messages.next()).await {
                Ok(Some(Ok(message))) => {
                    self.heard.count.fetch_add(1, Ordering::Relaxed);
                    return Ok(Some(message.payload.to_vec()));
                }
                // A server that is started again; the consumer is made anew.
                Ok(Some(Err(_))) => tokio::time::sleep(Duration::from_millis(200)).await,
                Ok(None) => return Err("the server has deleted the messages of this run".into()),
                Err(_) if was_gone => return Ok(None),
                Err(_) => {}
            }
            let now = self.heard.count.load(Ordering::Relaxed);
            // Without a server nobody can be heard, but not for ever.
            let is_away = self.at.client.connection_state() != State::Connected;
            if !is_away {
                away = Clock::system();
            } else if away.now() > Nanos::from(KEEPING + SILENCE) {
                return Err(format!("the NATS server could not be reached for {} s", (KEEPING + SILENCE).as_secs()));
            }
            if now != count || is_away {
                (count, since) = (now, Clock::system());
            } else if since.now() > Nanos::from(SILENCE) {
                return Err(format!("nothing was heard of it for {} s", SILENCE.as_secs()));
            }
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.at.drop_within(self.messages.take());
    }
}

impl Inbox for Ear {
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            let at = self.at.clone();
            let Some(piece) = at.wait(self.piece()).map_err(Error::other)? else { return Ok(None) };
            let Some((kind, piece)) = piece.split_first() else { return Err(ErrorKind::InvalidData.into()) };
            if self.frame.len() + piece.len() > FRAME_BYTES_MAX {
                return Err(Error::new(ErrorKind::InvalidData, "a message without end"));
            }
            self.frame.extend_from_slice(piece);
            if *kind == LAST {
                return Ok(Some(std::mem::take(&mut self.frame)));
            }
        }
    }
}
