//! What was stated before: the messages of a subject that the server keeps now.

use crate::connection::Connection;
use crate::pieces::{Place, Sequence, deleted, joined};
use crate::way::{ALIVE_EVERY, End, KEEPING, NOT_HANDED, stream_name, subject};
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use clock::Clock;
use futures_util::StreamExt;
use run::nodes::Inbox;
use std::io::{Error, Result};
use std::time::Duration;
use terms::Nanos;
use tokio::time::timeout;

/// What whoever conducted a run had ordered a node so far, as the server keeps it.
///
/// # Errors
/// A stream that does not exist.
pub(crate) fn ordered(at: &Connection, run: &str, node: u16) -> std::result::Result<Box<dyn Inbox>, String> {
    let subject = subject(run, End::Conductor, node);
    let context = at.jetstream();
    let config = OrderedConfig {
        filter_subject: subject.clone(),
        deliver_policy: DeliverPolicy::All,
        ..OrderedConfig::default()
    };
    let (messages, count) = at.wait(async {
        let stream = context.get_stream(stream_name(run)).await.map_err(|error| at.why(NOT_HANDED, &error))?;
        let mut consumer = stream.create_consumer(config).await.map_err(|error| at.why(NOT_HANDED, &error))?;
        let count = consumer.info().await.map_err(|error| at.why(NOT_HANDED, &error))?.num_pending;
        let messages = consumer.messages().await.map_err(|error| at.why(NOT_HANDED, &error))?;
        Ok::<_, String>((messages, count))
    })?;
    let (messages, sequence) = (Some(Box::new(messages)), Sequence::of(subject));
    Ok(Box::new(Past { at: at.clone(), messages, left: count, sequence, frame: Vec::new() }))
}

/// Frames of the past.
struct Past {
    at: Connection,
    /// None when it is dropped.
    messages: Option<Box<Ordered>>,
    /// Messages that are still to come.
    left: u64,
    sequence: Sequence,
    frame: Vec<u8>,
}

impl Past {
    async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        let began = Clock::system();
        while self.left > 0 {
            let Some(messages) = &mut self.messages else { return Ok(None) };
            match timeout(ALIVE_EVERY, messages.next()).await {
                Ok(Some(Ok(message))) => {
                    self.left -= 1;
                    match self.sequence.place_of(message.headers.as_ref()) {
                        Place::Next => return Ok(Some(message.payload.to_vec())),
                        Place::Again => {}
                        Place::Behind => return Err(self.sequence.gone()),
                    }
                }
                Ok(None) => return Err(deleted()),
                Ok(Some(Err(_))) => tokio::time::sleep(Duration::from_millis(200)).await,
                Err(_) => {}
            }
            if began.now() > Nanos::from(KEEPING) {
                return Err(Error::other(format!("the NATS server did not answer within {} s", KEEPING.as_secs())));
            }
        }
        Ok(None)
    }
}

impl Inbox for Past {
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

impl Drop for Past {
    fn drop(&mut self) {
        self.at.drop_within(self.messages.take());
    }
}
