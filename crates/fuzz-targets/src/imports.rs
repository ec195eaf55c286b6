//! Logs of other tools.

/// Bytes as every kind of file that can be imported.
pub(crate) fn files(data: &[u8]) {
    import::fuzz::files(data);
}
