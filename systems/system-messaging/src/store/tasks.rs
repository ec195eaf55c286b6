//! Deliveries that a store still holds: after a start, after an outage, or when memory was full.

use std::collections::HashSet;

use axum::body::Bytes;
use terms::Nanos;

use super::{Param, Session, StoreError};
use crate::wire::moment;

/// A task with its message.
#[derive(Clone, Debug)]
pub(crate) struct LoadedTask {
    pub(crate) message_id: String,
    pub(crate) cpa_id: String,
    pub(crate) channel: String,
    pub(crate) time_to_live: Option<Nanos>,
    pub(crate) due: Nanos,
    pub(crate) retries: u32,
    pub(crate) to_party_id: String,
    pub(crate) action: String,
    pub(crate) content: Bytes,
}

/// Most messages whose content is read at once.
const CONTENTS_MAX: usize = 256;

impl Session {
    /// The oldest tasks but for those in `held`, at most 256, and whether there may be more.
    ///
    /// # Errors
    /// The store fails.
    pub(crate) async fn load_tasks(&mut self, held: &HashSet<String>) -> Result<(Vec<LoadedTask>, bool), StoreError> {
        // All that are held may come first, so as many more are asked for.
        let most = held.len() + CONTENTS_MAX;
        let sql = "SELECT message_id FROM delivery_task ORDER BY time_stamp LIMIT ?";
        let rows = self.rows(sql, vec![Param::Int(most as i64)]).await?;
        let is_cut = rows.len() == most;
        let ids = rows.into_iter().flatten().filter_map(Param::into_text).filter(|id| !held.contains(id));
        let mut tasks = Vec::new();
        for id in ids.take(CONTENTS_MAX) {
            tasks.extend(self.load_task(&id).await?);
        }
        let is_cut = is_cut || tasks.len() == CONTENTS_MAX;
        Ok((tasks, is_cut))
    }

    async fn load_task(&mut self, id: &str) -> Result<Option<LoadedTask>, StoreError> {
        let sql = "SELECT t.cpa_id, t.channel, CAST(t.time_to_live AS CHAR), CAST(t.time_stamp AS CHAR), t.retries, \
                   m.to_party_id, m.action, m.content \
                   FROM delivery_task t JOIN message m ON m.message_id = t.message_id WHERE t.message_id = ?";
        let Some(row) = self.rows(sql, vec![Param::text(id)]).await?.pop() else { return Ok(None) };
        let mut columns = row.into_iter();
        let mut text = || columns.next().and_then(Param::into_text);
        let (cpa_id, channel, time_to_live, due, retries, to_party_id, action) =
            (text(), text(), text(), text(), text(), text(), text());
        Ok(Some(LoadedTask {
            message_id: id.to_owned(),
            cpa_id: cpa_id.unwrap_or_default(),
            channel: channel.unwrap_or_default(),
            time_to_live: time_to_live.and_then(|text| moment::from_store(&text)),
            due: due.and_then(|text| moment::from_store(&text)).unwrap_or_default(),
            retries: retries.and_then(|text| text.parse().ok()).unwrap_or(0),
            to_party_id: to_party_id.unwrap_or_default(),
            action: action.unwrap_or_default(),
            content: columns.next().map(Param::into_bytes).unwrap_or_default(),
        }))
    }
}
