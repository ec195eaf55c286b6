//! For tests only: every parser that reads strangers' bytes, as one function over bytes with what must hold of it.
//!
//! # Place in the pipeline
//! Beside it, on top of everything that parses. Nothing that is shipped depends on it.
//!
//! # Ideas
//! A target feeds bytes to a real parser and asserts properties: no panic, bounds kept, the same result however the bytes
//! are split, what is printed reads back as it was. The same functions are run in two ways. `cargo fuzz` searches for
//! bytes that break them, through the wrappers in `fuzz/`. `cargo test` replays the seeds in `fuzz/corpus` and every
//! input that ever broke one, in `fuzz/found`, with the stable compiler and within seconds.
//! A parser that is private to its crate is reached through that crate's feature `fuzz`.
//!
//! # Not here
//! The wrappers themselves, which need a C++ compiler, are in `fuzz/`, a workspace of its own. Tests with known answers
//! stand beside the parsers.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a target that cannot go on has found something")]

mod answers;
mod browser;
mod callbacks;
mod converted;
mod events;
mod evidence;
mod http2;
mod imports;
mod messages;
mod reports;
mod scripts;
mod studies;
mod texts;
mod watched;
mod websocket;
mod written;

/// A parser under test.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name: that of its wrapper, and of its folders of inputs.
    pub name: &'static str,
    /// Feeds it bytes; panics where a property does not hold.
    pub run: fn(&[u8]),
}

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}

/// All of them.
pub const TARGETS: &[Target] = &[
    target("study", studies::study),
    target("rules", studies::rules),
    target("variables", studies::variables),
    target("quantities", studies::quantities),
    target("script", scripts::script),
    target("tables_of_data", studies::data),
    target("profile", studies::profile),
    target("written_report", written::report),
    target("from_har", converted::har),
    target("from_openapi", converted::openapi),
    target("from_postman", converted::postman),
    target("from_curl", converted::curl),
    target("from_jmeter", converted::jmeter),
    target("from_k6", converted::k6),
    target("checks", answers::checks),
    target("xpath", answers::xpath),
    target("http1", answers::http1),
    target("http2", http2::exchange),
    target("ws_frames", websocket::frames),
    target("ws_opening", websocket::opening),
    target("websub_callback", callbacks::request),
    target("websub_links", callbacks::links),
    target("sse_stream", events::stream),
    target("locations", browser::locations),
    target("cookies", browser::cookies),
    target("codings", browser::codings),
    target("addresses", answers::addresses),
    target("identity", answers::identity),
    target("commands", answers::commands),
    target("segments", evidence::segments),
    target("tables", evidence::tables),
    target("head", evidence::head),
    target("manifest", evidence::manifest),
    target("histograms", evidence::histograms),
    target("envelope", messages::envelope),
    target("multipart", messages::multipart),
    target("agreement", messages::agreement),
    target("signature", messages::signature),
    target("proc", watched::proc),
    target("remote_answer", watched::remote_answer),
    target("perf_data", watched::perf_data),
    target("jstat", watched::jstat),
    target("sql_status", watched::sql_status),
    target("access_log", watched::access_log),
    target("cgroup", watched::cgroup),
    target("imported_files", imports::files),
    target("metrics_page", watched::metrics_page),
    target("receiver_answers", export::fuzz::answer),
    target("reports", reports::reports),
    target("kept_out", texts::kept_out),
];

/// Runs a target by its name.
///
/// # Panics
/// Where the bytes break a property, and for a name that no target has.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("no target is called `{name}`")).run)(data);
}

/// Seeds of the forms that no editor writes: target, name and bytes, made from a run of our own.
///
/// `cargo run -p fuzz-targets --example seeds` puts them into `fuzz/corpus` when a form has changed.
pub fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut seeds = evidence::seeds();
    seeds.push(("signature", "signed".into(), driver_ebms::fuzz::signed()));
    seeds
}

/// Bytes as the text that a parser of texts is handed.
fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// The first line, and what follows it.
fn first_line(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|byte| *byte == b'\n') {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, &[]),
    }
}
