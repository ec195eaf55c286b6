//! One way for frames: a subject of a run's stream, and who lives at its other end.

use crate::connection::Connection;
use crate::pieces::{LAST, MORE, NUMBERED, Place, Sequence, deleted, joined};
use async_nats::HeaderMap;
use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use clock::Clock;
use futures_util::StreamExt;
use run::nodes::{Inbox, Link, Outbox};
use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use terms::Nanos;
use tokio::time::timeout;

/// Bytes of a frame in one message: servers take a megabyte unless they are told otherwise.
const PIECE_BYTES: usize = 512 << 10;
/// How long a message may take to be kept, with all attempts: a server that is started again takes seconds.
pub(crate) const KEEPING: Duration = Duration::from_secs(60);
/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(5);
/// Pieces that are sent again behind a connection that broke, and their bytes.
const RECENT_MAX: usize = 64;
const RECENT_BYTES_MAX: usize = 8 << 20;
/// Messages of all nodes before the last that was heard that are asked for again behind a connection that broke: a server
/// that was killed may have lost the newest, and keeps them again in another order.
const LOOK_BACK: u64 = 1024;
/// Between two signs of life.
pub(crate) const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// Silence after which the other end is taken for lost, while the server can be reached.
const SILENCE: Duration = Duration::from_secs(20);

/// What is reported about a server that refuses, before what it says itself.
pub(crate) const NOT_HANDED: &str = "the NATS server does not hand over this run's messages";

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

/// Where one end sends to the other of the way between whoever conducts `run` and the node of that number.
pub(crate) fn subject(run: &str, end: End, node: u16) -> String {
    format!("loadproof.run.{run}.{}.{node}", end.word())
}

/// The messages of a subject from a place in the run's stream on, as many as there are and will be.
async fn messages_from(
    at: &Connection,
    context: &Context,
    run: &str,
    subject: &str,
    first: u64,
) -> std::result::Result<Ordered, String> {
    let deliver_policy = match first {
        0 | 1 => DeliverPolicy::All,
        start_sequence => DeliverPolicy::ByStartSequence { start_sequence },
    };
    let config = OrderedConfig { filter_subject: subject.to_owned(), deliver_policy, ..OrderedConfig::default() };
    let stream = context.get_stream(stream_name(run)).await.map_err(|error| at.why(NOT_HANDED, &error))?;
    let consumer = stream.create_consumer(config).await.map_err(|error| at.why(NOT_HANDED, &error))?;
    consumer.messages().await.map_err(|error| at.why(NOT_HANDED, &error))
}

/// Subjects that a run's stream keeps.
pub(crate) fn kept_subjects(run: &str) -> Vec<String> {
    [End::Conductor, End::Node].map(|end| format!("loadproof.run.{run}.{}.*", end.word())).to_vec()
}

/// This end of the way between whoever conducts `run` and the node of that number.
///
/// # Errors
/// A stream that does not exist.
pub(crate) fn link(at: &Connection, run: &str, node: u16, end: End) -> std::result::Result<Link, String> {
    link_as(at, run, node, end, None)
}

/// The same for whoever takes the place of a conductor that has died: everything that the node ever said is heard again
/// from its beginning, and what is ordered is numbered under a name of its own. When it goes, it does so silently: nodes
/// then go on as they did.
///
/// # Errors
/// As [`link`].
pub(crate) fn link_again(at: &Connection, run: &str, node: u16) -> std::result::Result<Link, String> {
    let own = at.client.new_inbox().replace('.', "-");
    link_as(at, run, node, End::Conductor, Some(own))
}

fn link_as(at: &Connection, run: &str, node: u16, end: End, own: Option<String>) -> std::result::Result<Link, String> {
    let (own_subject, other) = (subject(run, end, node), subject(run, end.other(), node));
    let life = |of: End| format!("loadproof.alive.{run}.{}.{node}", of.word());
    let context = at.jetstream();
    let connects = at.connects();
    let (messages, signs) = at.wait(async {
        let messages = messages_from(at, &context, run, &other, 0).await?;
        let signs = at.client.subscribe(life(end.other())).await.map_err(|error| at.why(NOT_HANDED, &error))?;
        Ok::<_, String>((messages, signs))
    })?;
    let heard = Arc::new(Heard::default());
    at.spawn(listen(signs, heard.clone()));
    let is_over = Arc::new(AtomicBool::new(false));
    at.spawn(show_life(at.client.clone(), life(end), is_over.clone()));
    let says_gone = own.is_none();
    let name = own.map_or_else(|| own_subject.clone(), |own| format!("{own_subject}-{own}"));
    let to = Way {
        at: at.clone(),
        context: context.clone(),
        subject: own_subject,
        name,
        life: says_gone.then(|| life(end)),
        number: 0,
        recent: VecDeque::new(),
        connects: at.connects(),
        heard: heard.clone(),
        is_over,
        is_dead: false,
    };
    let from = Ear {
        at: at.clone(),
        context,
        run: run.to_owned(),
        messages: Some(Box::new(messages)),
        connects,
        last: 0,
        heard,
        sequence: Sequence::of(other.clone()),
        subject: other,
        again: None,
        frame: Vec::new(),
    };
    Ok(Link { to: Box::new(to), from: Box::new(from) })
}

/// Where frames go.
struct Way {
    at: Connection,
    context: Context,
    subject: String,
    /// What pieces are called, before their numbers.
    name: String,
    /// Where it says that it has gone, if it does.
    life: Option<String>,
    /// Pieces so far: the server keeps one of each number.
    number: u64,
    /// The newest pieces with their numbers. A server that was killed may have lost what it said it kept a moment ago.
    recent: VecDeque<(u64, bytes::Bytes)>,
    /// How often the connection had come about when they were sent.
    connects: u64,
    /// Of the other end.
    heard: Arc<Heard>,
    is_over: Arc<AtomicBool>,
    /// A message could not be kept, so what follows it would be misunderstood.
    is_dead: bool,
}

impl Way {
    /// Has a piece kept; tries again while the server is away. Behind a connection that broke, all recent pieces are sent
    /// again first: the server drops those that it has, and the other end those that it has heard.
    async fn keep(&mut self, piece: &bytes::Bytes) -> std::result::Result<(), String> {
        let clock = Clock::system();
        loop {
            let connects = self.at.connects();
            let mut why = None;
            if connects != self.connects {
                for (number, recent) in &self.recent {
                    why = self.publish(*number, recent).await.err();
                    if why.is_some() {
                        break;
                    }
                }
            }
            if why.is_none() {
                self.connects = connects;
                why = self.publish(self.number, piece).await.err();
            }
            let Some(why) = why else { return Ok(()) };
            if let Some(denied) = self.at.denied() {
                return Err(denied);
            }
            // It has said so, and has had the server forget the run: nobody would ever hear this.
            if self.heard.is_gone.load(Ordering::Acquire) {
                return Err(format!("the other end has left the run: {why}"));
            }
            if clock.now() > Nanos::from(KEEPING) {
                return Err(format!("the NATS server did not keep a message within {} s: {why}", KEEPING.as_secs()));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// One attempt.
    async fn publish(&self, number: u64, piece: &bytes::Bytes) -> std::result::Result<(), String> {
        let mut headers = HeaderMap::new();
        headers.insert(NUMBERED, format!("{}-{number}", self.name));
        let sent = timeout(ATTEMPT, async {
            let kept = self.context.publish_with_headers(self.subject.clone(), headers, piece.clone()).await;
            kept.map_err(|error| error.to_string())?.await.map(drop).map_err(|error| error.to_string())
        });
        sent.await.unwrap_or_else(|_| Err("no answer".to_owned()))
    }

    fn remember(&mut self, piece: bytes::Bytes) {
        self.recent.push_back((self.number, piece));
        let bytes = |recent: &VecDeque<(u64, bytes::Bytes)>| recent.iter().map(|(_, piece)| piece.len()).sum::<usize>();
        while self.recent.len() > RECENT_MAX || bytes(&self.recent) > RECENT_BYTES_MAX {
            self.recent.pop_front();
        }
        self.number += 1;
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
            let (at, message) = (self.at.clone(), bytes::Bytes::from(message));
            at.wait(self.keep(&message)).map_err(|why| {
                self.is_dead = true;
                Error::other(why)
            })?;
            self.remember(message);
        }
        Ok(())
    }
}

impl Drop for Way {
    /// Says that nothing more will come.
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        let Some(life) = self.life.take() else { return };
        let client = self.at.client.clone();
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
    context: Context,
    run: String,
    subject: String,
    /// None when it is dropped.
    messages: Option<Box<Ordered>>,
    /// How often the connection had come about when they were asked for.
    connects: u64,
    /// Place in the run's stream of the last that came.
    last: u64,
    heard: Arc<Heard>,
    sequence: Sequence,
    /// The number for which all messages were read once more.
    again: Option<u64>,
    /// Pieces of the frame in hand.
    frame: Vec<u8>,
}

impl Ear {
    /// A message is missing. A server that was killed may have lost what it had just kept, and got it again in another
    /// order: then it stands before the place up to which it was heard. So everything is read once more.
    ///
    /// # Errors
    /// Where that was done already.
    async fn once_more(&mut self) -> Result<()> {
        if self.again.replace(self.sequence.next()) == Some(self.sequence.next()) {
            return Err(self.sequence.gone());
        }
        self.ask_from(0).await.map_err(Error::other)
    }

    /// Asks for the messages from a place on, in place of those that were asked for before.
    async fn ask_from(&mut self, first: u64) -> std::result::Result<(), String> {
        let connects = self.at.connects();
        let asked = messages_from(&self.at, &self.context, &self.run, &self.subject, first);
        let messages = timeout(ATTEMPT, asked).await.unwrap_or_else(|_| Err("no answer".to_owned()))?;
        self.messages = Some(Box::new(messages));
        self.connects = connects;
        Ok(())
    }

    /// Asks again behind a connection that broke: a server that was started anew knows nothing of who was listening, and
    /// the client takes a minute of silence to notice. While it cannot be done, nothing is heard; the next look tries again.
    async fn ask_again(&mut self) {
        if self.connects != self.at.connects() {
            let _ = self.ask_from(self.last.saturating_sub(LOOK_BACK)).await;
        }
    }

    /// The next piece; `None` when the other end has gone, and nothing that it said is left.
    async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        let (mut count, mut since) = (self.heard.count.load(Ordering::Relaxed), Clock::system());
        let mut away = Clock::system();
        loop {
            // What was stated before the last sign of life may still be on its way.
            let was_gone = self.heard.is_gone.load(Ordering::Acquire);
            self.ask_again().await;
            let Some(messages) = &mut self.messages else { return Ok(None) };
            match timeout(ALIVE_EVERY, messages.next()).await {
                Ok(Some(Ok(message))) => {
                    self.heard.count.fetch_add(1, Ordering::Relaxed);
                    self.last = message.info().map_or(self.last, |info| info.stream_sequence);
                    match self.sequence.place_of(message.headers.as_ref()) {
                        Place::Next => return Ok(Some(message.payload.to_vec())),
                        Place::Again => {}
                        Place::Behind => self.once_more().await?,
                    }
                }
                // A server that is started again; the consumer is made anew.
                Ok(Some(Err(_))) => tokio::time::sleep(Duration::from_millis(200)).await,
                Ok(None) => return Err(deleted()),
                Err(_) if was_gone => return Ok(None),
                Err(_) => {}
            }
            let now = self.heard.count.load(Ordering::Relaxed);
            // Without a server nobody can be heard, but not for ever.
            let is_away = self.at.client.connection_state() != State::Connected;
            if !is_away {
                away = Clock::system();
            } else if away.now() > Nanos::from(KEEPING + SILENCE) {
                let away_s = (KEEPING + SILENCE).as_secs();
                return Err(Error::other(format!("the NATS server could not be reached for {away_s} s")));
            }
            if now != count || is_away {
                (count, since) = (now, Clock::system());
            } else if since.now() > Nanos::from(SILENCE) {
                let text = format!("nothing was heard of it for {} s", SILENCE.as_secs());
                return Err(Error::new(ErrorKind::TimedOut, text));
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
            let Some(piece) = at.wait(self.piece())? else { return Ok(None) };
            if let Some(frame) = joined(&mut self.frame, &piece)? {
                return Ok(Some(frame));
            }
        }
    }
}
