//! A Java server whose heap behaves as it is told: garbage, live data and a leak of set sizes, under a set collector.
//!
//! # Place in the pipeline
//! Outside it: what the monitor of Java virtual machines and the rules about heaps are tried against. It shares no code
//! with loadproof.
//!
//! # Ideas
//! The server is one file of Java ([`SOURCE`]) that the launcher carries, compiles into a folder of its own and starts
//! with the heap asked for. What is in it is known beforehand: `G` bytes of garbage a request, of which nothing is left
//! after a collection, and `L` bytes a request that never go. So with λ requests a second a young generation of `Y`
//! bytes is collected every `Y/((G + L)λ)` seconds at most, and what is live grows by `Lλ` a second.
//! The Java process reads the launcher's end of a pipe: when the launcher is gone, however that came, it ends.
//!
//! # Not here
//! What its machine counts: that is the monitor's. Response times of a theory: a collector's pauses have none.

#![allow(clippy::disallowed_methods, reason = "targets are real servers; they keep their own time")]

pub mod java;
pub mod launcher;
pub mod options;

pub use options::Options;

/// The server as Java source, which `java` compiles when it starts.
pub const SOURCE: &str = include_str!("../java/HeapServer.java");

/// Name of the server's class.
pub const CLASS: &str = "HeapServer";
