//! What goes over the wire: MIME packages, envelopes, moments.

pub(crate) mod envelope;
pub(crate) mod mime;
pub(crate) mod moment;
pub(crate) mod write;

/// Namespace of SOAP 1.1.
pub(crate) const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// Namespace of the header of ebXML Messaging 2.0.
pub(crate) const EB: &str = "http://www.oasis-open.org/committees/ebxml-msg/schema/msg-header-2_0.xsd";
/// Namespace of links.
pub(crate) const XLINK: &str = "http://www.w3.org/1999/xlink";
/// Namespace of signatures.
pub(crate) const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";
/// The service of all signals.
pub(crate) const SIGNAL_SERVICE: &str = "urn:oasis:names:tc:ebxml-msg:service";
/// Who is to acknowledge: the message service of the receiving party.
pub(crate) const TO_PARTY: &str = "urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH";
/// Who could acknowledge on the way.
pub(crate) const NEXT_MSH: &str = "urn:oasis:names:tc:ebxml-msg:actor:nextMSH";
/// Whoever is next, which is the receiver.
pub(crate) const SOAP_NEXT: &str = "http://schemas.xmlsoap.org/soap/actor/next";
/// Where error codes come from.
pub(crate) const ERROR_CONTEXT: &str = "urn:oasis:names:tc:ebxml-msg:service:errors";
