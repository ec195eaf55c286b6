//! The same work at several loads, side by side.

use super::{Seen, finding};
use crate::levels::{Family, Level, is_same};
use crate::{Arg, Finding, Gravity};
use stats::trend::mann_kendall;
use std::collections::{BTreeMap, BTreeSet};

/// Spread of the times, as coefficient of variation, up to which they count as the same at every load.
const FLAT_SPREAD: f64 = 0.05;
/// Loads that a statement about all of them needs.
const FLAT_LOADS: usize = 3;
/// A trend with this p or less is one.
const TREND_P: f64 = 0.05;
/// A class of failures with more than this share of an exchange's calls belongs to the regime.
const CLASS_SHARE: f64 = 0.01;
/// It is not there at a load where no exchange has more than this share of it; between the two nothing is said.
const CLASS_ABSENT: f64 = 0.001;

fn several<'a>(seen: &'a Seen<'_>) -> impl Iterator<Item = &'a Family> {
    seen.families.iter().filter(|family| family.loads().len() > 1)
}

fn evidence(levels: &[&Level]) -> Vec<String> {
    levels.iter().map(|level| format!("load:{}", level.scope)).collect()
}

fn load(family: &Family, load: f64) -> Arg {
    if family.is_users { Arg::Count(load) } else { Arg::PerSecond(load) }
}

/// NONMONO: a load held although a lower one did not.
pub(super) fn not_monotone(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen) {
        let Some(failed) = family.levels.iter().find(|level| level.held == Some(false)) else { continue };
        // The same load, once held and once failed, is no higher one.
        let is_higher = |level: &&Level| level.load > failed.load && !is_same(level.load, failed.load);
        let held = family.levels.iter().filter(|level| level.held == Some(true)).filter(is_higher);
        for held in held {
            let args = [
                ("failed", load(family, failed.load)),
                ("held", load(family, held.load)),
                ("where", Arg::Text(held.scope.clone())),
            ];
            let mut found = finding("NONMONO", Gravity::Warning, &failed.scope, args);
            found.evidence = evidence(&[failed, held]);
            findings.push(found);
        }
    }
    findings
}

/// NOT-REACHED: no load failed, so the highest that held is a lower bound.
pub(super) fn not_reached(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen) {
        let has_failed = family.levels.iter().any(|level| level.held == Some(false));
        let Some(highest) = family.levels.iter().rev().find(|level| level.held == Some(true)).filter(|_| !has_failed)
        else {
            continue;
        };
        let args = [
            ("load", load(family, highest.load)),
            ("loads", Arg::Count(family.loads().len() as f64)),
            ("throughput", Arg::PerSecond(highest.throughput_per_s)),
        ];
        findings.push(finding("NOT-REACHED", Gravity::Info, &highest.scope, args));
    }
    findings
}

/// FLAT-R: the time of an iteration does not depend on the load.
pub(super) fn flat_times(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen).filter(|family| family.loads().len() >= FLAT_LOADS) {
        let times: Vec<f64> = family.levels.iter().filter_map(|level| level.time_ms).collect();
        let Ok(variance) = stats::mean::variance(&times) else { continue };
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let spread = variance.sqrt() / mean;
        let has_trend = mann_kendall(&times).is_ok_and(|test| test.p <= TREND_P);
        if times.len() < family.levels.len() || mean <= 0.0 || spread > FLAT_SPREAD || has_trend {
            continue;
        }
        let (Some(lowest), Some(highest)) = (family.levels.first(), family.levels.last()) else { continue };
        let args = [
            ("from", load(family, lowest.load)),
            ("mean", Arg::Milliseconds(mean)),
            ("spread", Arg::Share(spread)),
            ("to", load(family, highest.load)),
        ];
        let mut found = finding("FLAT-R", Gravity::Info, &family.name(), args);
        found.evidence = evidence(&family.levels.iter().collect::<Vec<_>>());
        findings.push(found);
    }
    findings
}

/// REGIME: between two loads something else changed as well, so no curve may be laid through both.
pub(super) fn regime(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen) {
        let mut said: BTreeSet<(&str, String)> = BTreeSet::new();
        for (kind, what, scope) in
            lost(seen, family).into_iter().chain(configured(seen, family)).chain(classes(seen, family))
        {
            if said.insert((kind, what.clone())) {
                let args = [("kind", Arg::Text(kind.into())), ("what", Arg::Text(what))];
                findings.push(finding("REGIME", Gravity::Warning, &scope, args));
            }
        }
    }
    findings
}

type Change = (&'static str, String, String);

/// Instances lost or restarted after the first of the levels had begun and before the last had ended.
fn lost(seen: &Seen<'_>, family: &Family) -> Vec<Change> {
    let steps = &seen.index.evidence.steps;
    let spans: Vec<_> =
        steps.iter().filter(|span| family.levels.iter().any(|level| level.step == span.number)).collect();
    let (Some(from), Some(to)) = (spans.iter().map(|span| span.from).min(), spans.iter().map(|span| span.to).max())
    else {
        return Vec::new();
    };
    let events = seen.index.evidence.events.iter();
    let changes =
        events.filter(|event| matches!(event.kind.as_str(), "gone" | "restart") && from <= event.at && event.at < to);
    changes.map(|event| ("instance", event.subject.clone(), family.name())).collect()
}

/// Variables that scenarios bind to different values and that an instance mentions: it was started anew with another one.
fn configured(seen: &Seen<'_>, family: &Family) -> Vec<Change> {
    let scenarios: Vec<_> = seen
        .study
        .scenarios
        .iter()
        .filter(|scenario| {
            family.scenarios.iter().any(|place| crate::requirements::scenario_of(place) == scenario.name)
        })
        .collect();
    let mut changes = Vec::new();
    for variable in &seen.study.variables {
        let value = |scenario: &study::Scenario| {
            let set = scenario.set.iter().find(|(name, _)| *name == variable.name);
            set.map_or_else(|| variable.value.clone(), |(_, value)| value.clone())
        };
        let values: BTreeSet<String> = scenarios.iter().map(|scenario| value(scenario)).collect();
        if values.len() > 1 && is_of_instances(seen.study, &variable.name) {
            changes.push(("configuration", variable.name.clone(), family.name()));
        }
    }
    changes
}

/// Whether an instance's command, faults or environment mention a variable.
fn is_of_instances(study: &study::Study, name: &str) -> bool {
    let word = format!("$({name})");
    study.system.instances.iter().any(|instance| {
        let pairs = instance.faults.iter().chain(&instance.env).map(|(_, node)| node);
        instance
            .start
            .iter()
            .chain(&instance.url)
            .chain(pairs)
            .any(|node| node.text().is_some_and(|text| text.contains(&word)))
    })
}

/// Classes of failures that some of the levels have and others have not.
fn classes(seen: &Seen<'_>, family: &Family) -> Vec<Change> {
    let mut of_level: Vec<(&Level, BTreeMap<&str, f64>)> = Vec::new();
    for level in &family.levels {
        let Some(step) = seen.steps.iter().find(|step| step.number == level.step) else { continue };
        // Of each class the greatest share that it has of one exchange's calls.
        let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
        for exchange in &step.exchanges {
            let calls = exchange.started.max(1) as f64;
            for (class, count) in
                exchange.legs.iter().filter(|leg| leg.outcome == "failed").flat_map(|leg| &leg.classes)
            {
                let share = shares.entry(class).or_default();
                *share = share.max(*count as f64 / calls);
            }
        }
        of_level.push((level, shares));
    }
    let share = |shares: &BTreeMap<&str, f64>, class: &str| shares.get(class).copied().unwrap_or(0.0);
    let all: BTreeSet<&str> = of_level.iter().flat_map(|(_, shares)| shares.keys().copied()).collect();
    let change = |class: &str| {
        let first = of_level.iter().find(|(_, shares)| share(shares, class) > CLASS_SHARE)?;
        let is_elsewhere_absent = of_level.iter().any(|(_, shares)| share(shares, class) <= CLASS_ABSENT);
        is_elsewhere_absent.then(|| ("errors", class.to_owned(), first.0.scope.clone()))
    };
    all.into_iter().filter_map(change).collect()
}

/// COPY-TWIN: two scenarios with the same figures to the last digit: one is a copy of the other.
pub(super) fn twins(seen: &Seen<'_>) -> Vec<Finding> {
    /// Calls below which equal figures are chance.
    const CALLS_MIN: u64 = 20;
    /// Figures that must agree.
    const FIGURES: usize = 3;
    let mut all: Vec<(String, &str, [f64; 4])> = Vec::new();
    let mut findings = Vec::new();
    for step in seen.steps.iter().filter(|step| step.phase == "hold") {
        for exchange in &step.exchanges {
            let Some(leg) = exchange.legs.iter().find(|leg| leg.outcome == "ok" && leg.count >= CALLS_MIN) else {
                continue;
            };
            let Some(times) = leg.response.as_ref().or(leg.service.as_ref()) else { continue };
            // Constant times are a simulation's, and equal without anybody's doing.
            if times.min == times.max {
                continue;
            }
            let figures = [times.min, times.mean, times.max, times.sd.unwrap_or(0.0)];
            let scope = format!("{}/{}/{}", step.scenario, step.id, exchange.id);
            let twin = all.iter().find(|(_, scenario, other)| {
                *scenario != step.scenario && other.iter().zip(&figures).filter(|(a, b)| a == b).count() >= FIGURES
            });
            if let Some((other, ..)) = twin {
                let args = [("mean", Arg::Milliseconds(times.mean)), ("other", Arg::Text(other.clone()))];
                findings.push(finding("COPY-TWIN", Gravity::Warning, &scope, args));
            }
            all.push((scope, &step.scenario, figures));
        }
    }
    findings
}
