//! Requests at the lab's listeners that closed no leg.

use super::{RuleInput, finding};
use crate::Scope;
use crate::findings::declare::{Count, declare};
use crate::{Finding, Gravity};
use std::collections::BTreeSet;
use terms::Nanos;

declare! {
    /// A listener of the lab took requests that closed no leg: they named a message of this run but were not expected,
    /// came after their scenario was over, named no message of this run, could not be read, or were meant for no
    /// driver; with the first as an example. A warning unless all of them came from strangers.
    UnclaimedRequests = "UNCLAIMED" {
        example: String,
        listener: String,
        nobodys: Count,
        ours: Count,
        too_late: Count,
        unknown: Count,
        unreadable: Count,
    }
}

/// Monitor of the lab's listeners.
const LISTENERS: &str = "listeners";
/// What came, of which an example is shown, by the kind of its event.
const TOLD: [&str; 5] = ["reply_unasked", "reply_too_late", "reply_unknown", "reply_unreadable", "request_unclaimed"];
/// Characters of an example: enough for what it is and for the ids of what it is about, with which it begins.
const EXAMPLE_CHARS: usize = 400;

/// UNCLAIMED: requests at a listener that no exchange claims, with an example.
pub(super) fn unclaimed(seen: &RuleInput<'_>) -> Vec<Finding> {
    let evidence = seen.index.evidence;
    let told = |listener: &str, kind: &str| {
        let is_it = |event: &&record::EventRow| event.kind == kind && event.subject == listener;
        evidence.events.iter().filter(is_it).count() as u64
    };
    let mut names: BTreeSet<&str> =
        evidence.events.iter().filter(|it| TOLD.contains(&it.kind.as_str())).map(|it| it.subject.as_str()).collect();
    names.extend(monitored(seen));
    let mut findings = Vec::new();
    for listener in names {
        // What came after the last sample is in the events alone, of which only the first are kept.
        let count = |metric: &str, kind: &str| counted(seen, listener, metric).max(told(listener, kind));
        let ours = count("unasked", "reply_unasked") + counted(seen, listener, "unmatched");
        let too_late = count("too_late", "reply_too_late");
        let unknown = count("unknown", "reply_unknown");
        let unreadable = count("unreadable", "reply_unreadable");
        let nobodys = count("unclaimed", "request_unclaimed");
        if ours + too_late + unknown + unreadable + nobodys == 0 {
            continue;
        }
        let is_example = |event: &&record::EventRow| event.subject == listener && TOLD.contains(&event.kind.as_str());
        let example = evidence.events.iter().find(is_example).map_or("none", |event| event.text.as_str());
        let severity = if ours + too_late + unreadable > 0 { Gravity::Warning } else { Gravity::Notice };
        let args = UnclaimedRequests {
            example: example.chars().take(EXAMPLE_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect(),
            listener: listener.to_owned(),
            nobodys: Count(nobodys as f64),
            ours: Count(ours as f64),
            too_late: Count(too_late as f64),
            unknown: Count(unknown as f64),
            unreadable: Count(unreadable as f64),
        };
        let evidence = vec![format!("events:{listener}")];
        findings.push(Finding { evidence, ..finding(severity, &Scope::named(listener), args) });
    }
    findings
}

/// Names of the listeners that were watched.
fn monitored<'a>(seen: &RuleInput<'a>) -> impl Iterator<Item = &'a str> {
    let own = seen.index.head().monitors.iter().filter(|monitor| monitor.kind == LISTENERS);
    own.flat_map(|monitor| monitor.instances.iter().map(String::as_str))
}

/// The last value of a listener's counter, which begins at zero with the run.
fn counted(seen: &RuleInput<'_>, listener: &str, metric: &str) -> u64 {
    let monitors = seen.index.head().monitors.iter().enumerate();
    let mut own = monitors.filter(|(_, monitor)| monitor.kind == LISTENERS);
    let place = own
        .find_map(|(number, monitor)| Some((number, monitor.metrics.iter().position(|known| known.name == metric)?)));
    let samples = place.map_or_else(Vec::new, |place| seen.index.samples(place, Nanos(i64::MIN)..Nanos::MAX));
    let own = samples.into_iter().filter(|(instance, _)| *instance == listener);
    own.flat_map(|(_, points)| points).filter_map(|(_, value)| value).fold(0.0, f64::max) as u64
}
