//! Requests that come to the callbacks of subscribers.

/// A hub's question, a refusal, content.
pub(crate) fn request(data: &[u8]) {
    driver_websub::fuzz::request(data);
}

/// What a topic says of its hub.
pub(crate) fn links(data: &[u8]) {
    driver_websub::fuzz::links(data);
}
