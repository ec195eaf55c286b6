//! One transaction: what was received with its replies and tasks, and what became of deliveries.
//!
//! Statements take many rows at once, in chunks of powers of two, so that a handful of prepared statements serves
//! groups of any size.

use std::collections::HashSet;

use axum::body::Bytes;
use terms::Nanos;

use super::{Attachment, Param, Row, Session, Status, StoreError, TaskRow};

/// A message that came in, with all that belongs into its transaction.
#[derive(Clone, Debug)]
pub(crate) struct Receive {
    pub(crate) inbound: Row,
    pub(crate) attachments: Vec<Attachment>,
    /// Replies, and for those that are to be sent now the task.
    pub(crate) replies: Vec<(Row, Option<TaskRow>)>,
    /// A message that must be known, or nothing is stored.
    pub(crate) must_exist: Option<String>,
    /// A message of ours that it acknowledges.
    pub(crate) acknowledges: Option<String>,
}

/// A stored reply that is to be sent again.
#[derive(Clone, Debug)]
pub(crate) struct Redeliver {
    pub(crate) task: TaskRow,
}

/// What came of an attempt to send.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) message_id: String,
    pub(crate) at: Nanos,
    pub(crate) uri: String,
    /// Nothing, if it went well.
    pub(crate) error: Option<String>,
    pub(crate) next: Next,
}

/// What follows from an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Next {
    /// The message ends with this status; its task goes.
    End(Status),
    /// It is tried again.
    Again {
        due: Nanos,
        /// How often it was tried.
        retries: u32,
    },
    /// Somebody else ended it meanwhile.
    Nothing,
}

/// One piece of work in a group.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Receive(Box<Receive>),
    Redeliver(Redeliver),
    Mark(Mark),
}

/// A reply that was stored with an earlier copy of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredReply {
    pub(crate) message_id: String,
    pub(crate) cpa_id: String,
    pub(crate) action: String,
    pub(crate) content: Bytes,
}

/// What became of a piece.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// It is stored.
    Stored,
    /// The message was there already; nothing was stored.
    Duplicate(Vec<StoredReply>),
    /// The message that it refers to is not known; nothing was stored.
    UnknownReference,
}

impl Session {
    /// Does all pieces in one transaction. After an error none is done, but for [`StoreError::Unavailable`], where a
    /// commit may have happened that could not be told.
    pub(super) async fn apply(
        &mut self,
        pieces: &[Piece],
        server: &str,
        now: Nanos,
    ) -> Result<Vec<Outcome>, StoreError> {
        self.begin().await?;
        match self.work(pieces, server, now).await {
            Ok(outcomes) => self.commit().await.map(|()| outcomes),
            Err(error) => {
                // A session whose transaction cannot be undone is thrown away by the caller.
                self.roll_back().await?;
                Err(error)
            }
        }
    }

    async fn work(&mut self, pieces: &[Piece], server: &str, now: Nanos) -> Result<Vec<Outcome>, StoreError> {
        let mut known = self.stored_ids(pieces).await?;
        let mut sorted = Sorted::default();
        let mut outcomes = Vec::with_capacity(pieces.len());
        for piece in pieces {
            outcomes.push(sorted.take(piece, &mut known));
        }
        self.insert_messages(&sorted.messages).await?;
        self.insert_attachments(&sorted.attachments).await?;
        self.redelivered(&sorted.redelivered, now).await?;
        self.insert_tasks(&sorted.tasks, server).await?;
        self.ended(Status::Delivered, &sorted.acknowledged, now).await?;
        self.marked(&sorted.marks, now).await?;
        for (piece, outcome) in pieces.iter().zip(&mut outcomes) {
            if let (Piece::Receive(receive), Outcome::Duplicate(replies)) = (piece, outcome) {
                *replies = self.replies_to(&receive.inbound.message_id).await?;
            }
        }
        Ok(outcomes)
    }

    /// Which of the ids in question are in the store.
    async fn stored_ids(&mut self, pieces: &[Piece]) -> Result<HashSet<String>, StoreError> {
        let mut asked: Vec<&str> = Vec::new();
        for piece in pieces {
            if let Piece::Receive(receive) = piece {
                asked.push(&receive.inbound.message_id);
                asked.extend(receive.must_exist.as_deref());
            }
        }
        let mut known = HashSet::new();
        for chunk in chunks(&asked) {
            let sql = format!("SELECT message_id FROM message WHERE message_id IN ({})", marks(chunk.len()));
            let ids = chunk.iter().map(|id| Param::text(id)).collect();
            known.extend(self.rows(&sql, ids).await?.into_iter().flatten().filter_map(Param::into_text));
        }
        Ok(known)
    }

    async fn insert_messages(&mut self, rows: &[&Row]) -> Result<(), StoreError> {
        for chunk in chunks(rows) {
            let sql = insert(
                "message (time_stamp, cpa_id, conversation_id, message_id, ref_to_message_id, time_to_live, persist_time, \
                 from_party_id, from_role, to_party_id, to_role, service, action, content, status, status_time)",
                16,
                chunk.len(),
            );
            self.exec(&sql, chunk.iter().flat_map(|row| message(row)).collect()).await?;
        }
        Ok(())
    }

    async fn insert_attachments(&mut self, attachments: &[(&str, usize, &Attachment)]) -> Result<(), StoreError> {
        for (message_id, order, attachment) in attachments {
            let sql = "INSERT INTO attachment (message, `order`, content_id, content_type, content) \
                       SELECT id, ?, ?, ?, ? FROM message WHERE message_id = ?";
            let params = vec![
                Param::Int(*order as i64),
                Param::text(&attachment.content_id),
                Param::text(&attachment.content_type),
                Param::Bytes(attachment.content.clone()),
                Param::text(message_id),
            ];
            self.exec(sql, params).await?;
        }
        Ok(())
    }

    async fn insert_tasks(&mut self, tasks: &[&TaskRow], server: &str) -> Result<(), StoreError> {
        for chunk in chunks(tasks) {
            let columns = "delivery_task (cpa_id, channel, message_id, time_to_live, time_stamp, retries, server)";
            let params = chunk.iter().flat_map(|task| {
                [
                    Param::text(&task.cpa_id),
                    Param::text(&task.channel),
                    Param::text(&task.message_id),
                    Param::optional_moment(task.time_to_live),
                    Param::moment(task.due),
                    Param::Int(0),
                    Param::text(server),
                ]
            });
            self.exec(&insert(columns, 7, chunk.len()), params.collect()).await?;
        }
        Ok(())
    }

    /// Replies that are to be sent again get a fresh task; one that was still there is replaced.
    async fn redelivered(&mut self, ids: &[&str], now: Nanos) -> Result<(), StoreError> {
        self.delete_tasks(ids).await?;
        self.set_status(Status::Created, ids, now).await
    }

    /// Messages that reached their end.
    async fn ended(&mut self, status: Status, ids: &[&str], now: Nanos) -> Result<(), StoreError> {
        self.set_status(status, ids, now).await?;
        self.delete_tasks(ids).await
    }

    async fn set_status(&mut self, status: Status, ids: &[&str], now: Nanos) -> Result<(), StoreError> {
        for chunk in chunks(ids) {
            let places = marks(chunk.len());
            let sql = format!("UPDATE message SET status = ?, status_time = ? WHERE message_id IN ({places})");
            let mut params = vec![Param::Int(status as i64), Param::moment(now)];
            params.extend(chunk.iter().map(|id| Param::text(id)));
            self.exec(&sql, params).await?;
        }
        Ok(())
    }

    async fn delete_tasks(&mut self, ids: &[&str]) -> Result<(), StoreError> {
        for chunk in chunks(ids) {
            let sql = format!("DELETE FROM delivery_task WHERE message_id IN ({})", marks(chunk.len()));
            self.exec(&sql, chunk.iter().map(|id| Param::text(id)).collect()).await?;
        }
        Ok(())
    }

    async fn marked(&mut self, all: &[&Mark], now: Nanos) -> Result<(), StoreError> {
        for status in [Status::Delivered, Status::DeliveryFailed, Status::Expired] {
            let ids: Vec<&str> =
                all.iter().filter(|mark| mark.next == Next::End(status)).map(|mark| &*mark.message_id).collect();
            self.ended(status, &ids, now).await?;
        }
        for mark in all {
            if let Next::Again { due, retries } = mark.next {
                let sql = "UPDATE delivery_task SET time_stamp = ?, retries = ? WHERE message_id = ?";
                let params = vec![Param::moment(due), Param::Int(retries.into()), Param::text(&mark.message_id)];
                self.exec(sql, params).await?;
            }
        }
        for chunk in chunks(all) {
            let columns = "delivery_log (message_id, time_stamp, uri, status, error_message)";
            let params = chunk.iter().flat_map(|mark| {
                [
                    Param::text(&mark.message_id),
                    Param::moment(mark.at),
                    Param::text(&mark.uri),
                    Param::text(if mark.error.is_none() { "succeeded" } else { "failed" }),
                    Param::optional(mark.error.as_deref()),
                ]
            });
            self.exec(&insert(columns, 5, chunk.len()), params.collect()).await?;
        }
        Ok(())
    }

    async fn replies_to(&mut self, message_id: &str) -> Result<Vec<StoredReply>, StoreError> {
        let sql = "SELECT message_id, cpa_id, action, content FROM message \
                   WHERE ref_to_message_id = ? AND status >= 10 ORDER BY id LIMIT 8";
        let rows = self.rows(sql, vec![Param::text(message_id)]).await?;
        let reply = |row: Vec<Param>| {
            let mut columns = row.into_iter();
            let mut text = || columns.next().and_then(Param::into_text).unwrap_or_default();
            let (message_id, cpa_id, action) = (text(), text(), text());
            StoredReply {
                message_id,
                cpa_id,
                action,
                content: columns.next().map(Param::into_bytes).unwrap_or_default(),
            }
        };
        Ok(rows.into_iter().map(reply).collect())
    }
}

/// The pieces of a group, sorted by table.
#[derive(Default)]
struct Sorted<'a> {
    messages: Vec<&'a Row>,
    attachments: Vec<(&'a str, usize, &'a Attachment)>,
    tasks: Vec<&'a TaskRow>,
    redelivered: Vec<&'a str>,
    acknowledged: Vec<&'a str>,
    marks: Vec<&'a Mark>,
}

impl<'a> Sorted<'a> {
    fn take(&mut self, piece: &'a Piece, known: &mut HashSet<String>) -> Outcome {
        match piece {
            Piece::Receive(receive) => return self.receive(receive, known),
            Piece::Redeliver(redeliver) => {
                let id = redeliver.task.message_id.as_str();
                // Two copies of one message in a group ask for the same reply twice.
                if !self.redelivered.contains(&id) {
                    self.redelivered.push(id);
                    self.tasks.push(&redeliver.task);
                }
            }
            Piece::Mark(mark) => self.marks.push(mark),
        }
        Outcome::Stored
    }

    fn receive(&mut self, receive: &'a Receive, known: &mut HashSet<String>) -> Outcome {
        let id = &receive.inbound.message_id;
        if known.contains(id) {
            return Outcome::Duplicate(Vec::new());
        }
        if receive.must_exist.as_ref().is_some_and(|id| !known.contains(id)) {
            return Outcome::UnknownReference;
        }
        known.insert(id.clone());
        self.messages.push(&receive.inbound);
        let numbered = receive.attachments.iter().enumerate();
        self.attachments.extend(numbered.map(|(order, attachment)| (id.as_str(), order, attachment)));
        for (row, task) in &receive.replies {
            known.insert(row.message_id.clone());
            self.messages.push(row);
            self.tasks.extend(task);
        }
        self.acknowledged.extend(receive.acknowledges.as_deref());
        Outcome::Stored
    }
}

/// Most rows of one statement.
const CHUNK_MAX: usize = 128;

/// Pieces whose lengths are powers of two, the largest first.
fn chunks<T>(mut all: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = (all.len().min(CHUNK_MAX) + 1).next_power_of_two() / 2;
        let (chunk, rest) = all.split_at_checked(size).filter(|(chunk, _)| !chunk.is_empty())?;
        all = rest;
        Some(chunk)
    })
}

/// `?, ?, ?`
fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

fn insert(columns: &str, width: usize, rows: usize) -> String {
    let row = format!("({})", marks(width));
    format!("INSERT INTO {columns} VALUES {}", vec![row; rows].join(", "))
}

fn message(row: &Row) -> [Param; 16] {
    [
        Param::moment(row.time_stamp),
        Param::text(&row.cpa_id),
        Param::text(&row.conversation_id),
        Param::text(&row.message_id),
        Param::optional(row.ref_to.as_deref()),
        Param::optional_moment(row.time_to_live),
        Param::optional_moment(row.persist_time),
        Param::text(&row.from_party_id),
        Param::optional(row.from_role.as_deref()),
        Param::text(&row.to_party_id),
        Param::optional(row.to_role.as_deref()),
        Param::text(&row.service),
        Param::text(&row.action),
        Param::Bytes(row.content.clone()),
        Param::Int(row.status as i64),
        Param::moment(row.time_stamp),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_powers_of_two_and_lose_nothing() {
        for count in 0..600usize {
            let all: Vec<usize> = (0..count).collect();
            let sizes: Vec<usize> = chunks(&all).map(<[usize]>::len).collect();
            assert!(sizes.iter().all(|size| size.is_power_of_two() && *size <= CHUNK_MAX), "{sizes:?}");
            assert_eq!(chunks(&all).flatten().copied().collect::<Vec<_>>(), all);
        }
        assert_eq!(chunks(&[0; 13]).map(<[i32]>::len).collect::<Vec<_>>(), [8, 4, 1]);
    }
}
