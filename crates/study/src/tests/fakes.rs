//! A small driver and two monitors, so that studies can be read without the real ones.

use crate::{Block, Options, Registry, Rejected, SecretSource, Secrets, Study, load_text};
use contract::{
    Across, BuildContext, Cancel, Closes, Driver, DriverKind, ExchangeKind, Facts, Failure, Interest, Keys, Kind,
    LegKind, MetricKind, Mistake, Mistakes, Monitor, MonitorKind, MonitorSettings, Recorder, Samples, Session,
    Settings, Slot, Task, Work,
};
use std::path::Path;
use terms::{Nanos, Unit};

struct Http;

impl Driver for Http {
    fn session(&self, _slot: Slot) -> Box<dyn Session> {
        Box::new(Silent)
    }
}

struct Silent;

impl Session for Silent {
    fn begin(&mut self, _task: &Task, _recorder: &mut Recorder) -> Interest {
        Interest::Idle
    }
    fn ready(&mut self, _recorder: &mut Recorder) -> Interest {
        Interest::Idle
    }
    fn cancel(&mut self, _why: Cancel, _recorder: &mut Recorder) {}
}

fn build_http(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    for settings in all {
        let name = format!("exchange `{}`", settings.exchange);
        let mut keys = Keys::of(&settings.node, name, &mut mistakes);
        if let Some(url) = keys.need("url", &mut mistakes) {
            mistakes.keep(context.compile(url, "`url`"));
        }
        if let Some(body) = keys.take("body") {
            mistakes.keep(context.file(body, "`body`", true));
        }
        keys.take("headers");
        keys.take("file");
        keys.take("json");
        if let Some(node) = keys.take("version").filter(|node| !["1.1", "2"].contains(&node.text().unwrap_or_default()))
        {
            mistakes.push(Mistake::at(node.place, "study::unknown-word", "no such version"));
        }
        keys.finish(&mut mistakes);
    }
    mistakes.into_result().map(|()| Box::new(Http) as Box<dyn Driver>)
}

const ANSWER: &[LegKind] = &[LegKind { name: "answer", closes: Closes::Here }];
const KEYS: &[&str] = &["url", "headers", "body", "json", "file", "version"];

const fn operation(name: &'static str, work: Work) -> ExchangeKind {
    ExchangeKind { name, work, legs: ANSWER, keys: KEYS, words: &[("version", &["1.1", "2"])] }
}

const MESSAGES: &[LegKind] = &[
    LegKind { name: "event", closes: Closes::Matched },
    LegKind { name: "connect", closes: Closes::Opening },
    LegKind { name: "gap", closes: Closes::Beside },
];

const fn messages(name: &'static str, work: Work) -> ExchangeKind {
    ExchangeKind { legs: MESSAGES, ..operation(name, work) }
}

const OPERATIONS: &[ExchangeKind] = &[
    operation("get", Work::Exchange),
    operation("post", Work::Exchange),
    operation("put", Work::Exchange),
    operation("delete", Work::Exchange),
    operation("listen", Work::Held),
    messages("feed", Work::Held),
    messages("fan", Work::FanOut),
];

struct Still;

impl Monitor for Still {
    fn facts(&mut self, _out: &mut Facts) {}
    fn sample(&mut self, _at: Nanos, _out: &mut Samples) -> Result<(), Failure> {
        Ok(())
    }
}

fn build_still(settings: &MonitorSettings, _context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    keys.take("disks");
    keys.take("values");
    keys.finish(&mut mistakes);
    mistakes.into_result().map(|()| Box::new(Still) as Box<dyn Monitor>)
}

const fn metric(name: &'static str, unit: Unit, kind: Kind) -> MetricKind {
    MetricKind { name, unit, of: None, kind, across: Across::Sum, ceiling: None, role: None }
}

const HOST: &[MetricKind] = &[
    metric("cpu", Unit::Share, Kind::Gauge),
    metric("memory", Unit::Bytes, Kind::Gauge),
    metric("switches", Unit::Count, Kind::Counter),
];
const ACCESS: &[MetricKind] = &[metric("duration", Unit::Time, Kind::Distribution)];

pub(crate) const DRIVERS: &[DriverKind] = &[DriverKind {
    name: "http",
    exchanges: OPERATIONS,
    counters: &[],
    features: &[],
    messages: &[],
    build: build_http,
}];
pub(crate) const MONITORS: &[MonitorKind] = &[
    MonitorKind {
        name: "host",
        metrics: HOST,
        watches: contract::Watches::Machine,
        facts: &[],
        messages: &[],
        keys: &["disks", "values"],
        named: Some("values"),
        over_ssh: true,
        build: build_still,
    },
    MonitorKind {
        name: "access_log",
        metrics: ACCESS,
        watches: contract::Watches::Instances,
        facts: &[],
        messages: &[],
        keys: &["disks"],
        named: None,
        over_ssh: false,
        build: build_still,
    },
];
/// Some of the blocks that reports have: with parts and without.
pub(crate) const BLOCKS: &[Block] = &[
    Block { name: "summary", parts: &["key-findings"], about: "verdicts" },
    Block { name: "introduction", parts: &["purpose"], about: "purpose" },
    Block { name: "setup", parts: &["system", "hardware"], about: "what was tested" },
    Block { name: "load", parts: &[], about: "planned and achieved" },
    Block { name: "results", parts: &["verdicts", "times", "table"], about: "a chapter for each scenario" },
    Block { name: "threats", parts: &[], about: "threats to validity" },
    Block { name: "environment", parts: &[], about: "instances and facts" },
    Block { name: "methods", parts: &[], about: "methods" },
    Block { name: "conformance", parts: &[], about: "what a profile demands" },
];
pub(crate) const REGISTRY: Registry<'static> = Registry { drivers: DRIVERS, monitors: MONITORS, blocks: BLOCKS };

/// Reads a text in a folder.
pub(crate) fn load_in(base: &Path, text: &str, options: &Options) -> Result<(Study, Secrets), Rejected> {
    load_text("study.yaml", text, base, &REGISTRY, options)
}

/// Reads a text that names no files.
pub(crate) fn load(text: &str) -> Result<(Study, Secrets), Rejected> {
    load_in(Path::new("/nonexistent"), text, &Options::default())
}

/// A study that must be right.
pub(crate) fn study(text: &str) -> Study {
    match load(text) {
        Ok((study, _)) => study,
        Err(rejected) => panic!("{rejected}"),
    }
}

/// The mistakes of a study that must be wrong.
pub(crate) fn rejected(text: &str) -> Rejected {
    load(text).err().unwrap_or_else(|| panic!("the study was accepted:\n{text}"))
}

/// Options of a study that is judged from its archive.
pub(crate) fn archived() -> Options {
    Options { secrets: SecretSource::Ignore, ..Options::default() }
}
