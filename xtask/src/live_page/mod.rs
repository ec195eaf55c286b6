//! The live page in real browsers: two processes of Chromium look at one run of loadproof at a target of ours.
//!
//! One opens the page as the run begins, with what it takes to end the run, the other later and without. Each has a way to
//! the page of its own, which is cut and mended. A plain reader that is never cut reads all that is sent; what a page has is
//! held against that, and against `result.json` at the end. In between both are left open, and their memory is looked at.
//! Nothing is added to the page: it is asked for what it has and shows.

pub(crate) mod browser;
mod checks;
mod flat;
mod frames;
mod hostile;
mod looks;
mod open;
mod options;
mod relay;
mod results;
mod run;
mod stages;
pub(crate) mod witness;

pub use options::Options;

use crate::child::Server;
use crate::schema::built;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use browser::Browser;
use checks::Checks;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is asked of the page.
const PROBE: &str = include_str!("probe.js");
/// Seconds of load beyond those in which the page is left open: for everything else.
const SPARE: u32 = 900;
/// Calls in a hundred that the target fails.
const FAILED: &str = "2%";

/// What it all is done with.
struct Lab {
    loadproof: PathBuf,
    chromium: PathBuf,
    target: Server,
    scratch: PathBuf,
}

/// A function of the probe, as an expression.
fn probe(call: &str) -> String {
    format!("({}).{call}", PROBE.trim())
}

impl Lab {
    /// The study of a steady load at the target.
    fn study(&self, title: &str, rate: u32, seconds: u32) -> String {
        let title = serde_json::Value::from(title);
        let base = self.target.url();
        let base = base.trim_end_matches('/');
        format!(
            "study: {title}\n\
             system: {{ name: echo, url: \"{base}\", identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
             watch: {{ host: {{}} }}\n\
             exchanges:\n  look: {{ http.get: {{ url: $(echo.url)/ }}, check: [ status = 200 ] }}\n\
             scenarios:\n  steady: {{ load: {{ arrivals: {rate}/s, hold: {seconds}s }}, run: [look] }}\n\
             requirements:\n  fast: p99(look.response) < 500ms\n  right: share(look.failed) <= 5%\n"
        )
    }

    /// A browser with a profile of its own.
    fn browser(&self, name: &str, way: &relay::Relay) -> Result<Browser> {
        Browser::start(&self.chromium, &self.scratch.join(name), Some(way.address().ip()))
    }
}

/// Makes all checks and prints them; whether all hold.
///
/// # Errors
/// A program that is missing or does not start, a browser that cannot be driven, a folder that cannot be written.
pub fn run(tree: &Tree, options: &Options) -> Result<bool> {
    let (profile, flag) = if options.is_dev { ("debug", "") } else { ("release", "--release ") };
    let program = |name: &str, package: &str| {
        let path = built(tree, profile, name);
        ensure!(path.exists(), "`{}` is missing; type `cargo build {flag}-p {package}`", path.display());
        Ok(path)
    };
    let loadproof = program("loadproof", "cli")?;
    let echo = program("target-echo", "target-echo")?;
    let chromium = browser::program(options.chromium.as_deref())?;
    let out = options.out.clone().unwrap_or_else(|| tree.path("target/live-page"));
    std::fs::create_dir_all(&out).with_context(|| format!("`{}` cannot be made", out.display()))?;
    let scratch = std::env::temp_dir().join(format!("loadproof-live-page-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let alive = format!("{}s", options.seconds + 2 * SPARE);
    let arguments = ["--service", "3ms", "--errors", FAILED, "--port", "0", "--exit-after", &alive];
    let lab = Lab { loadproof, chromium, target: Server::start(&echo, &arguments, None)?, scratch: scratch.clone() };
    let mut checks = Checks::default();
    let made = all(&mut checks, &lab, options, &out);
    if made.is_err() || !checks.is_right() {
        println!("what the runs left behind is in {}", scratch.display());
    } else {
        let _ = std::fs::remove_dir_all(&scratch);
    }
    made?;
    println!("pictures are in {}", out.display());
    Ok(checks.conclude())
}

fn all(checks: &mut Checks, lab: &Lab, options: &Options, out: &Path) -> Result<()> {
    let (file, folder) = (lab.scratch.join("study.yaml"), lab.scratch.join("run"));
    std::fs::write(&file, lab.study("The live page", options.rate, options.seconds + SPARE))?;
    let [file, shown] = [&file, &folder].map(|path| path.display().to_string());
    let run = run::Run::start(&lab.loadproof, &["run", &file, "--live", "--out", &shown])?;
    println!("a run at {}/s, and its page at http://{}/", options.rate, run.address);
    let way = |last: u8| relay::Relay::start(std::net::IpAddr::from([127, 0, 0, last]), run.address);
    let (first_way, second_way) = (way(2)?, way(3)?);
    let witness = witness::Witness::start(run.address);
    let first = lab.browser("first", &first_way)?;
    let mut stages = stages::Stages::begin(checks, run, witness, first, first_way, options.rate)?;
    looks::on_all_screens(stages.checks, &mut stages.first.browser, "live", out)?;
    stages.second(lab.browser("second", &second_way)?, second_way)?;
    stages.reconnected()?;
    stages.left_open(Duration::from_secs(options.seconds.into()))?;
    let mut first = stages.over(&folder)?;
    looks::on_all_screens(checks, &mut first, "over", out)?;
    hostile::names(checks, lab, &mut first, out)
}
