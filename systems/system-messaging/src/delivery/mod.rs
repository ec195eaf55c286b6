//! Sends what is to be sent: workers on kept connections, tries again as the agreement says, notes what came of it.

mod client;
mod queue;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::body::Bytes;
use axum::http::Uri;
use terms::Nanos;

use crate::agreement::{Agreements, Channel, Party};
use crate::counters::{Count, MessageCounters};
use crate::moment_now;
use crate::store::{Committer, LoadedTask, Mark, Next, Session, Status, Store};
use crate::wire::{envelope, mime};

pub(crate) use client::Client;
pub(crate) use queue::{Queue, Task};

/// What all workers share.
pub(crate) struct Delivery {
    pub(crate) queue: Arc<Queue>,
    pub(crate) committer: Arc<Committer>,
    pub(crate) counters: Arc<MessageCounters>,
    pub(crate) agreements: Arc<Agreements>,
    pub(crate) client: Client,
    /// In place of every endpoint of the agreements.
    pub(crate) pong_to: Option<Uri>,
}

/// Attempts after the first, and the time between them, where an agreement says nothing: as the reliable profile here.
const RETRIES: (u32, Duration) = (3, Duration::from_secs(2));
/// Pause after a store could not be asked for tasks.
const LOAD_PAUSE: Duration = Duration::from_millis(500);
/// Longest text about a failure that is stored.
const ERROR_MAX: usize = 500;

impl Delivery {
    /// Starts workers, and the loader of what the store still holds.
    pub(crate) fn start(self: &Arc<Self>, workers: usize, store: Store) {
        for _ in 0..workers {
            let delivery = Arc::clone(self);
            tokio::spawn(async move {
                loop {
                    let task = delivery.queue.next().await;
                    delivery.attempt(task).await;
                }
            });
        }
        let delivery = Arc::clone(self);
        tokio::spawn(async move { delivery.load(&store).await });
    }

    /// Brings tasks of the store into memory whenever it has some that memory lacks.
    async fn load(&self, store: &Store) {
        let mut session: Option<Session> = None;
        loop {
            let held = self.queue.to_load().await;
            let found = match &mut session {
                Some(session) => session.load_tasks(&held).await,
                none => match store.connect().await {
                    Ok(fresh) => none.insert(fresh).load_tasks(&held).await,
                    Err(error) => Err(error),
                },
            };
            match found {
                Ok((tasks, is_more)) => {
                    self.queue.loaded(tasks.into_iter().filter_map(|task| self.task_of(task)).collect(), is_more);
                }
                Err(_) => {
                    session = None;
                    self.queue.loaded(Vec::new(), true);
                    tokio::time::sleep(LOAD_PAUSE).await;
                }
            }
        }
    }

    /// A stored task; `None` if its agreement is gone, so that it stays where it is.
    fn task_of(&self, loaded: LoadedTask) -> Option<Task> {
        let agreement = self.agreements.get(&loaded.cpa_id)?;
        let is_receiver = |party: &&Party| party.ids.iter().any(|id| id.value == loaded.to_party_id);
        let place = agreement.parties.iter().position(|party| is_receiver(&party))?;
        let (to, from) = (&agreement.parties[place], &agreement.parties[1 - place]);
        let mut channels = std::iter::once(&to.default).chain(to.bindings.iter().map(|binding| &binding.channel));
        let channel = channels.find(|channel| channel.id == loaded.channel).unwrap_or(&to.default);
        let needs_ack = envelope::read(&loaded.content).is_ok_and(|envelope| envelope.ack_requested.is_some());
        let task = Task {
            due: loaded.due,
            attempts: loaded.retries,
            needs_ack,
            ..self.task(loaded.message_id, loaded.cpa_id, loaded.content, channel, &from.default)
        };
        Some(Task { time_to_live: loaded.time_to_live, delivered: end_of(&loaded.action), ..task })
    }

    /// A task that is due now. `to` is the channel of the party that gets it, `from` that of the one that sends.
    pub(crate) fn task(
        &self,
        message_id: String,
        cpa_id: String,
        content: Bytes,
        to: &Channel,
        from: &Channel,
    ) -> Task {
        let (retries_max, interval) = from.reliable.map_or(RETRIES, |reliable| (reliable.retries, reliable.interval));
        Task {
            message_id,
            cpa_id,
            uri: self.pong_to.as_ref().map_or_else(|| to.endpoint.clone(), Uri::to_string),
            content,
            time_to_live: None,
            due: moment_now(),
            attempts: 0,
            retries_max,
            interval,
            needs_ack: false,
            delivered: Count::PongsDelivered,
        }
    }

    /// One attempt, and what follows from it.
    async fn attempt(&self, mut task: Task) {
        let now = moment_now();
        if task.time_to_live.is_some_and(|until| until <= now) {
            return self.end(&task, Status::Expired, Some("its time to live is over".to_owned()));
        }
        if task.attempts > task.retries_max {
            let why = format!("not acknowledged after {} attempts", task.attempts);
            return self.end(&task, Status::Expired, Some(why));
        }
        if task.attempts > 0 {
            self.counters.add(&task.cpa_id, Count::Retries);
        }
        task.attempts += 1;
        match self.client.post(&task.uri, task.content.clone()).await {
            Ok((kind, body)) => match said(&kind, body, &task.message_id) {
                Said::Refused(why) => {
                    self.counters.add(&task.cpa_id, Count::ErrorsReceived);
                    // The other side has seen it and will not have it: to send it again would be of no use.
                    self.end(&task, Status::DeliveryFailed, Some(why));
                }
                Said::Acknowledged if task.needs_ack && self.queue.acknowledged(&task.message_id) => {
                    self.counters.add(&task.cpa_id, Count::AcksReceived);
                    self.end(&task, Status::Delivered, None);
                }
                _ if task.needs_ack => self.try_again(task, None),
                _ => self.end(&task, Status::Delivered, None),
            },
            Err(why) => {
                self.counters.add(&task.cpa_id, Count::AttemptsFailed);
                if task.attempts > task.retries_max {
                    return self.end(&task, Status::DeliveryFailed, Some(why));
                }
                self.try_again(task, Some(why));
            }
        }
    }

    /// Puts a task back until its interval has passed. Sent and not acknowledged is not a failure, but no end either.
    fn try_again(&self, mut task: Task, error: Option<String>) {
        if !self.queue.holds(&task.message_id) {
            // The acknowledgment was faster than the answer of HTTP.
            return self.note(&task, error, Next::Nothing);
        }
        task.due = Nanos(moment_now().0.saturating_add(Nanos::from(task.interval).0));
        self.note(&task, error, Next::Again { due: task.due, retries: task.attempts });
        self.queue.again(task);
    }

    fn end(&self, task: &Task, status: Status, error: Option<String>) {
        let count = match status {
            Status::Delivered => task.delivered,
            Status::Expired => Count::Expired,
            _ => Count::DeliveryFailed,
        };
        self.counters.add(&task.cpa_id, count);
        self.note(task, error, Next::End(status));
    }

    fn note(&self, task: &Task, error: Option<String>, next: Next) {
        self.committer.mark(Mark {
            message_id: task.message_id.clone(),
            at: moment_now(),
            uri: task.uri.chars().take(ERROR_MAX).collect(),
            error: error.map(|text| text.chars().take(ERROR_MAX).collect()),
            next,
        });
    }
}

/// What counts the end of a message with this action.
pub(crate) fn end_of(action: &str) -> Count {
    match action {
        "Pong" => Count::PongsDelivered,
        "Acknowledgment" => Count::AcksDelivered,
        "MessageError" => Count::ErrorsDelivered,
        _ => Count::RepliesDelivered,
    }
}

/// What an answer on the same connection says of a message.
#[derive(Debug, PartialEq)]
enum Said {
    Nothing,
    Acknowledged,
    Refused(String),
}

/// Reads the signal in an answer, which may be the envelope alone or the first of several parts.
fn said(kind: &str, body: Bytes, message_id: &str) -> Said {
    if body.is_empty() {
        return Said::Nothing;
    }
    let envelope = mime::open(kind, body.clone()).map_or(body, |package| package.envelope);
    let Ok(envelope) = envelope::read(&envelope) else { return Said::Nothing };
    match envelope.error_codes {
        Some(codes) if envelope.ref_to.as_deref() == Some(message_id) => {
            Said::Refused(format!("refused with {}", codes.join(", ")))
        }
        _ if envelope.acknowledges.as_deref() == Some(message_id) => Said::Acknowledged,
        _ => Said::Nothing,
    }
}

/// Reads `--pong-to`.
///
/// # Errors
/// It is not an address of HTTP.
pub(crate) fn read_uri(text: &str) -> Result<Uri, String> {
    let wrong = || format!("`{text}` is not an address; write for example `http://127.0.0.1:8081/pong`");
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https")) && uri.authority().is_some();
    if is_http { Ok(uri) } else { Err(wrong()) }
}
