//! Functions that a study's author wrote: values in, a value out, the same for the same values, and never without end.
//!
//! # Place in the pipeline
//! Below `study`, which compiles the scripts of a study and puts calls of them into templates and checks. Whoever fills
//! in a template calls them through [`contract::Script`] and knows no language.
//!
//! # Ideas
//! The language is Rhai ([decision 24]). A script sees nothing but its arguments: no file, no network, no clock, no
//! random number and nothing of the call before, so that its value follows from them alone.
//! A [`Program`] is the checked text, and is shared by all threads. The engine is not: every thread makes one for itself,
//! with the compiled texts, when the first template that calls a script is built there. Where a study has no script, none
//! is ever made.
//! Every bound is in [`bounds`], with its reason. Beyond one the call has no value, and says which bound it was; a script
//! can neither catch that nor go on.
//!
//! # Example
//! ```
//! use contract::{Place, Script};
//! use std::sync::Arc;
//!
//! let text = "fn initials(name) { let all = \"\"; for part in name.split(' ') { all += part[0]; } all }";
//! let program = Arc::new(script::Program::new("names", text, 0, &[]).unwrap());
//! let initials = program.function("initials", 1, Place::default()).unwrap();
//! let mut value = Vec::new();
//! initials.call(&[b"Ada Lovelace".to_vec()], &mut value).unwrap();
//! assert_eq!(value, b"AL");
//! ```
//!
//! # Not here
//! Where a script may stand in a study, and what its mistakes look like beside all others, is `study`'s.
//!
//! [decision 24]: ../../../docs/decisions/0024-scripting.md
#![forbid(unsafe_code)]

pub mod bounds;
mod call;
mod calls;
mod engine;
mod library;
mod program;
mod values;

pub use library::Native;
pub use program::Program;
