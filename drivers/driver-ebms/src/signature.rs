//! XML signatures over the envelope and the payload, as the ebXML Message Service Specification 2.0 has them (section
//! 4.1.3): made for what is sent, checked on what comes.
//!
//! Signed is the canonical envelope without the signature itself and without what is meant for the next node on the way
//! (the request for a synchronous answer), and the bytes of every payload part. Canonical forms are made by a library.

mod algorithm;
mod check;
mod covered;
mod nodes;
mod sign;

pub(crate) use algorithm::Algorithms;
pub(crate) use check::check;
pub(crate) use sign::Signer;

const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const XPATH: &str = "http://www.w3.org/TR/1999/REC-xpath-19991116";
/// The next node on the way, by its other name.
const NEXT_NODE: &str = "urn:oasis:names:tc:ebxml-msg:actor:nextMSH";

#[cfg(test)]
mod tests;
