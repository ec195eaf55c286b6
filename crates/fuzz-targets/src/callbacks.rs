//! Requests that come to the callbacks of subscribers.

/// A hub's question, a refusal, content.
pub(crate) fn request(data: &[u8]) {
    driver_websub::fuzz::request(data);
}
