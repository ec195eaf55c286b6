//! SKEW: replicas of one instance that do not share alike.

use super::{Found, Hold, Series, Watched, arg, of_series, text};
use crate::evaluate::Kind;
use crate::findings::declare::{Share, declare};
use crate::{Arg, Finding, Gravity};
use contract::Role;
use std::collections::BTreeMap;

declare! {
    /// Replicas of one instance differ in processor time, otherwise in memory, throughout the hold.
    Skew = "SKEW" {
        greatest: Arg,
        group: String,
        high: String,
        least: Arg,
        low: String,
        off: Share,
        series: String,
    }
}

/// The highest replica is this part above the mean of all.
const SKEW_OFF: f64 = 0.25;
/// The hold is cut into this many batches of time.
const SKEW_BATCHES: usize = 12;
/// It is above the mean in at least this many batches.
const SKEW_AGREE: usize = 11;
/// Minimum difference between replicas, of a processor.
pub(crate) const SKEW_SHARE: f64 = 0.03;
/// The same in cores.
pub(crate) const SKEW_CORES: f64 = 0.05;
/// The same in bytes.
pub(crate) const SKEW_BYTES: f64 = 10e6;

/// SKEW, by processor time, else by memory. Who gets how many calls is not seen from here.
pub(super) fn skewed(watched: &Watched<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for hold in watched.windows() {
        for role in [Role::Processor, Role::Memory] {
            for ((_, group), replicas) in groups(watched, role) {
                let is_said = findings.iter().any(|finding| {
                    finding.scope == hold.shared && matches!(&finding.found, Found::Skew(found) if found.group == group)
                });
                if !is_said {
                    findings.extend(skew(hold, &group, &replicas));
                }
            }
        }
    }
    findings
}

/// Replicas by monitor and by the name before their number, `store` of `store.1` and `store.2`.
fn groups<'a>(watched: &'a Watched<'_>, role: Role) -> BTreeMap<(String, String), Vec<&'a Series<'a>>> {
    let mut groups: BTreeMap<(String, String), Vec<&Series<'_>>> = BTreeMap::new();
    for series in watched.series.iter().filter(|series| series.is_level_of(&[role])) {
        if let Some((name, number)) = series.instance.rsplit_once('.')
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            groups.entry((series.monitor.name.clone(), name.to_owned())).or_default().push(series);
        }
    }
    groups.retain(|_, replicas| replicas.len() > 1);
    groups
}

fn skew(hold: &Hold<'_>, group: &str, replicas: &[&Series<'_>]) -> Option<Finding> {
    let batches: Vec<Vec<f64>> = replicas.iter().filter_map(|series| batches(hold, series)).collect();
    if batches.len() != replicas.len() {
        return None;
    }
    let means: Vec<f64> = batches.iter().map(|batches| batches.iter().sum::<f64>() / SKEW_BATCHES as f64).collect();
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    let high = (0..means.len()).max_by(|a, b| means[*a].total_cmp(&means[*b]))?;
    let low = (0..means.len()).min_by(|a, b| means[*a].total_cmp(&means[*b]))?;
    let agree = (0..SKEW_BATCHES)
        .filter(|&batch| {
            let of_all = batches.iter().map(|batches| batches[batch]).sum::<f64>() / batches.len() as f64;
            batches[high][batch] > of_all
        })
        .count();
    let least = match replicas[high].kind() {
        Kind::Share => SKEW_SHARE,
        Kind::Cores => SKEW_CORES,
        _ => SKEW_BYTES,
    };
    let off = if mean > 0.0 { means[high] / mean - 1.0 } else { 0.0 };
    if off < SKEW_OFF || agree < SKEW_AGREE || means[high] - means[low] < least {
        return None;
    }
    let kind = replicas[high].kind();
    let args = Skew {
        greatest: arg(kind, means[high]),
        group: text(group),
        high: text(replicas[high].instance),
        least: arg(kind, means[low]),
        low: text(replicas[low].instance),
        off: Share(off),
        series: text(replicas[high].name()),
    };
    Some(of_series(Gravity::Notice, &hold.shared, replicas[high], args))
}

fn batches(hold: &Hold<'_>, series: &Series<'_>) -> Option<Vec<f64>> {
    let values = series.values(hold.span.from, hold.span.to);
    let mut means = stats::series::batch_means(&values, values.len() / SKEW_BATCHES);
    means.truncate(SKEW_BATCHES);
    (values.len() >= 2 * SKEW_BATCHES && means.len() == SKEW_BATCHES).then_some(means)
}
