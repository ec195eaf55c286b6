//! What goes over the wire: envelopes of SOAP 1.1 with a header of WS-Security, faults, moments.

mod fault;
mod moment;
mod read;
mod register;
mod write;

pub(crate) use fault::{Fault, FaultCounts};
pub(crate) use read::{Envelope, Question, SKEW, question};
pub(crate) use register::{registered, registrations};
pub(crate) use write::{Linking, envelope, list};

use system_common::xml::Bounds;

/// Namespace of SOAP 1.1.
pub(crate) const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// Namespace of the header of WS-Security 1.0.
pub(crate) const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
/// Namespace of its time stamps.
pub(crate) const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
/// Namespace of the header of Den Gode Webservice 1.0.
pub(crate) const MEDCOM: &str = "http://www.medcom.dk/dgws/2006/04/dgws-1.0.xsd";
/// Namespace of assertions of SAML 2.0.
pub(crate) const SAML: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
/// Namespace of signatures.
pub(crate) const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
/// Namespace of the asking for tokens, WS-Trust 1.3.
pub(crate) const WST: &str = "http://docs.oasis-open.org/ws-sx/ws-trust/200512";
/// Namespace of lookups.
pub(crate) const MINLOG: &str = "http://nsi.dk/minlog/2012/05/24/";

/// Namespace of registrations: our own, since that of the system that this one stands for is not published.
pub(crate) const REGISTRATION: &str = "urn:loadproof:auditlog:registration:1";

/// Largest request in bytes; one with an assertion has some 4 kB.
pub(crate) const REQUEST_MAX: usize = 64 << 10;
/// Largest registration: a thousand entries of some 500 bytes, and the same again for white space.
pub(crate) const REGISTER_BOUNDS: Bounds = Bounds { bytes: 1 << 20, elements: 16_384 };
/// Content type of every envelope.
pub(crate) const TEXT_XML: &str = "text/xml; charset=utf-8";

pub(crate) use moment::read as read_moment;
