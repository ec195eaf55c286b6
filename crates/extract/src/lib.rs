//! Checks and captures, compiled once and evaluated on every answer: status, header, JSONPath, XPath,
//! regex, body, size.
//!
//! # Place in the pipeline
//! Beside the drivers: whatever protocol has a status, headers and a body hands its answers here. Stands on `contract`
//! only, and knows no socket.
//!
//! # Ideas
//! [`Compiled::new`] finds all mistakes in the study's probes before anything is sent. [`Compiled::needs_body`] and
//! [`Compiled::needs_headers`] say what a driver has to keep, so that a check of the status alone costs a comparison.
//! An [`Answer`] parses its body as JSON or XML at most once, however many checks and captures look into it, and not at
//! all where none does.
//! Answers are hostile input, and so are paths: JSON and XML are read within bounds of depth and memory, document types
//! never; a path takes a bounded number of steps whatever it is and whatever it meets ([RFC 9535] and XPath 1.0 by hand,
//! because no library counts them and is right); patterns run in linear time and bounded memory. What is beyond a bound is the study's fault, and says so. A script of the
//! study's is a lookup like the others: it is given parts of the answer, and its value is what was found.
//!
//! [RFC 9535]: https://www.rfc-editor.org/rfc/rfc9535
//!
//! # Example
//! ```
//! use contract::{BuildContext, Check, Compare, Mistake, Name, Names, Place, Probe, Template};
//! use extract::{Answer, Compiled};
//!
//! struct NoNames;
//! impl Names for NoNames {
//!     fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
//!         Err(Mistake::at(place, "study::unknown-name", format!("`{name}` is not known")))
//!     }
//! }
//! let check = Check {
//!     probe: Probe::Json("$.total".into()),
//!     compare: Compare::AtLeast,
//!     expected: Template::fixed(b"1".as_slice()),
//!     text: "json($.total) >= 1".into(),
//!     place: Place::default(),
//! };
//! let mut context = BuildContext::new(&NoNames, ".");
//! let compiled = Compiled::new(&[check], &[], &mut context).unwrap();
//! let mut answer = Answer::new(200, &(), br#"{"total":3}"#, 11);
//! assert!(compiled.evaluate(&mut answer, &mut |_, _| true).is_ok());
//! ```
//!
//! # Not here
//! The grammar of checks is in `contract`, which prefixes of namespaces there are in `study`; decompression is the drivers'.
#![forbid(unsafe_code)]

mod answer;
mod compare;
mod compiled;
mod json;
mod namespaces;
mod path;
mod probe;
mod sent;
mod several;
mod xml;
mod xpath;

pub use answer::{Answer, Headers};
pub use compare::holds;
pub use compiled::{Compiled, FailedCapture, FailedCheck, Render};
pub use sent::sent;
pub use several::{length, member};

#[cfg(test)]
mod tests;
