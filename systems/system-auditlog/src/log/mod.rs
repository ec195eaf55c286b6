//! The logs that registrations go through: a Kafka, through librdkafka, or an embedded log in place of it.
//!
//! The embedded one has topics in partitions, producers and groups of consumers; in files, over HTTP. It stands in for a broker
//! on a machine that has none, with what the study needs to go wrong in the same way: records keyed to partitions and in order
//! there, acknowledged once written, read by groups that deal partitions by range, with offsets that are committed when the
//! work is done. Not here: replicas, several machines, transactions, retention.

mod client;
mod group;
mod groups;
mod kafka;
mod member;
mod metrics;
mod partition;
mod place;
mod reader;
mod record;
mod service;
mod topics;
mod writer;

pub(crate) use place::{Place, place};
pub(crate) use reader::{Item, Reader, Sink, Source, Status};
pub(crate) use record::{KEY_MAX, Record, VALUE_MAX, write as write_record};
pub(crate) use service::{LogService, ROUTES, Settings};
pub(crate) use writer::Writer;

/// Most partitions of one topic.
pub(crate) const PARTITIONS_MAX: u32 = 256;
/// The topic unless something else is asked for.
pub(crate) const TOPIC: &str = "registrations";

/// Letters, digits, `.`, `-` and `_`, not with a sign in front: what can be the name of a file and stand in an address.
pub(crate) fn name(text: &str) -> Result<String, String> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let begins_well = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins_well && text.len() <= 64 && text.bytes().all(is_good) {
        Ok(text.to_owned())
    } else {
        let shown: String = text.chars().take(64).collect();
        Err(format!("`{shown}` cannot be a name here; write 1 to 64 letters, digits, `.`, `-` or `_`"))
    }
}
