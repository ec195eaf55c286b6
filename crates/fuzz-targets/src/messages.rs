//! What message services send: envelopes, parts, agreements, signatures.

use crate::first_line;

/// An envelope of ebXML Messaging, as anything that reads XML here sees it.
pub(crate) fn envelope(data: &[u8]) {
    driver_ebms::fuzz::envelope(data);
}

/// A content type in the first line, a body behind it.
pub(crate) fn multipart(data: &[u8]) {
    let (content_type, body) = first_line(data);
    driver_ebms::fuzz::multipart(content_type.trim_ascii_end(), body);
}

/// An agreement of two parties.
pub(crate) fn agreement(data: &[u8]) {
    driver_ebms::fuzz::agreement(data);
}

/// A signed envelope: what its signature covers is made canonical.
pub(crate) fn signature(data: &[u8]) {
    driver_ebms::fuzz::signature(data);
}
