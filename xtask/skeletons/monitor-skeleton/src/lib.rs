//! Pressure stall information of the machine, from `/proc/pressure`.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period, on the machine that it watches. `skeleton: {}` in a study.
//!
//! # Ideas
//! What the kernel counts is given as a share of the *real* time between two samples: a sample that came late is still
//! right. The first sample therefore has no value. The parser takes a text, so it is tested with texts of real machines.
//!
//! # Not here
//! Control groups.
#![forbid(unsafe_code)]

mod monitor;

use contract::{
    Across, BuildContext, FactKind, Keys, MetricKind, Mistake, Mistakes, Monitor, MonitorKind, MonitorSettings,
    suggestion,
};
use terms::Unit;

/// What it measures.
pub const METRICS: &[MetricKind] = &[MetricKind::gauge("stalled", Unit::Share).of("the time").across(Across::Max)];

const AVAILABLE: &str = "available";
const MISSING: &str = "not available";

contract::facts! {
    SUPPORT =
        FactKind::new("pressure stall information").with_values(&[("available", AVAILABLE), ("missing", MISSING)]);
}

/// `skeleton`, as the registry lists it.
pub const SKELETON: MonitorKind = MonitorKind {
    name: "skeleton",
    metrics: METRICS,
    watches: contract::Watches::Machine,
    facts: FACTS,
    messages: contract::messages!(),
    keys: &["resource"],
    named: None,
    over_ssh: false,
    build,
};

const RESOURCES: [&str; 3] = ["cpu", "memory", "io"];

fn build(settings: &MonitorSettings, _: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let resource = keys.take("resource").map_or(Ok("cpu"), |node| {
        let text = node.as_text("`resource`")?;
        let known = RESOURCES.into_iter().find(|known| *known == text);
        known.ok_or_else(|| {
            let mistake = Mistake::at(node.place, "study::unknown-word", format!("there is no resource `{text}`"));
            let mistake = mistake.hint(format!("possible are {}", RESOURCES.join(", ")));
            match suggestion(text, RESOURCES) {
                Some(near) => mistake.label(format!("did you mean `{near}`?")),
                None => mistake,
            }
        })
    });
    let resource = mistakes.keep(resource);
    keys.finish(&mut mistakes);
    mistakes.into_result()?;
    Ok(Box::new(monitor::Pressure::new(&settings.name, resource.unwrap_or("cpu"))))
}
