//! What a server of event streams sends.

/// A stream of events.
pub(crate) fn stream(data: &[u8]) {
    driver_sse::fuzz::stream(data);
}
