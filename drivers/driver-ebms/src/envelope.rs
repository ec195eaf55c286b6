//! Envelopes of ebXML Messaging 2.0: written from fixed pieces, read with bounds.

pub(crate) mod read;
pub(crate) mod write;

/// SOAP 1.1.
pub(crate) const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// The headers of ebXML Messaging 2.0.
pub(crate) const EB: &str = "http://www.oasis-open.org/committees/ebxml-msg/schema/msg-header-2_0.xsd";
pub(crate) const XLINK: &str = "http://www.w3.org/1999/xlink";
/// XML signatures.
pub(crate) const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
/// Where acknowledgments come from: the party itself, whatever lies on the way.
pub(crate) const TO_PARTY: &str = "urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH";
/// Whose a request for a synchronous answer is: the next node's.
pub(crate) const NEXT: &str = "http://schemas.xmlsoap.org/soap/actor/next";
/// Version of the messaging service.
pub(crate) const VERSION: &str = "2.0";

#[cfg(test)]
mod tests;
