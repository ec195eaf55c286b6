//! What a WebSocket server sends: the answer that opens a connection, and frames.

/// Frames of a server.
pub(crate) fn frames(data: &[u8]) {
    driver_ws::fuzz::frames(data);
}

/// The answer to an opening handshake.
pub(crate) fn opening(data: &[u8]) {
    driver_ws::fuzz::opening(data);
}
