//! Chores of the repository: checks that crates, documents and code agree; skeletons of plug-ins; generated pages; the
//! bench of the engine; the live page in real browsers.
//!
//! # Place in the pipeline
//! Outside it. `cargo xtask …` is for those who work on loadproof; no crate of ours is compiled for it.
//!
//! # Ideas
//! Documents are checked, not trusted: the table in `ARCHITECTURE.md` *is* the order of the crates, and [`tidy`]
//! compares manifests with it. What a page repeats from code (thresholds, the schema) is generated or compared.
//! Sources are read as text, so that every check works while a crate does not compile.
//! A skeleton is a crate of this workspace that is compiled and tested with it; [`skeleton`] copies it under a name.
//!
//! # Not here
//! What the checks say about measured figures: nothing. Those are the business of `e2e`.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "chores time child processes; nothing here is part of a run")]

pub mod bench;
mod child;
pub mod constants;
pub mod coverage;
pub mod live_page;
pub mod omission;
pub mod pages;
pub mod rules;
pub mod schema;
pub mod sections;
pub mod skeleton;
pub mod tidy;
pub mod tree;
