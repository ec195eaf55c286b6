//! For the fuzz targets alone: the parsers of this crate.

/// A text of `/proc`.
pub fn proc(text: &str) {
    crate::server::parsed(text);
}

/// Rows of what MariaDB counts: cells parted by tabs, a row a line.
pub fn status(bytes: &[u8]) {
    for (_, _, value) in crate::mariadb::status(bytes) {
        assert!(value.is_finite(), "{value}");
    }
}
