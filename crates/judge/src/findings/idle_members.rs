//! IDLE-MEMBERS: members of a consumer group that have nothing to consume.

use super::{RuleInput, finding};
use crate::evidence::StepSpan;
use crate::findings::declare::{Count, Share, declare};
use crate::rows::Index;
use crate::{Finding, Gravity, Scope};
use contract::Role;
use record::MonitorHead;
use terms::Phase;

declare! {
    /// Members of a consumer group were never seen with a partition within the hold: a partition is consumed by one
    /// member of a group only, so members in excess do nothing. Given with the partitions of each host.
    IdleMembers = "IDLE-MEMBERS" {
        busiest: String,
        each: Count,
        hosts: Count,
        idle: Count,
        members: Count,
        partitions: Count,
        series: String,
        share: Share,
    }
}

/// One for each group and scenario: what is so in its first hold, and in all that follow, is stated once.
pub(super) fn idle(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (number, monitor) in seen.index.head().monitors.iter().enumerate() {
        let holds = seen.index.evidence.steps.iter().filter(|step| step.phase == Phase::Hold);
        let mut said: Vec<usize> = Vec::new();
        for step in holds {
            if said.contains(&step.scenario) {
                continue;
            }
            if let Some(found) = in_hold(seen.index, (number, monitor), step) {
                said.push(step.scenario);
                let scope = seen.steps.iter().find(|result| result.number == step.number);
                let scope = scope.map_or_else(Scope::run, |result| result.scope.clone());
                let mut finding = finding(Gravity::Warning, &scope, found);
                finding.evidence = vec![format!("watch:{}", monitor.name)];
                findings.push(finding);
            }
        }
    }
    findings
}

fn in_hold(index: &Index<'_>, (number, monitor): (usize, &MonitorHead), step: &StepSpan) -> Option<IdleMembers> {
    let of = |role: Role| Some(by_host(index, (number, monitor.metric_of(role)?), step));
    let (idle, members, assigned) = (of(Role::IdleMembers)?, of(Role::Members)?, of(Role::Assigned)?);
    // At the look at which the fewest were idle.
    let looks = idle.iter().map(|(_, values)| values.len()).min()?;
    let sum_at = |look: usize| idle.iter().map(|(_, values)| values[look]).sum::<f64>();
    let least = (0..looks).map(sum_at).reduce(f64::min).filter(|least| *least >= 1.0)?;
    let last = |values: &[(String, Vec<f64>)]| {
        let last = |(host, values): &(String, Vec<f64>)| Some((host.clone(), *values.last()?));
        values.iter().filter_map(last).collect::<Vec<_>>()
    };
    let (members, assigned) = (last(&members), last(&assigned));
    let partitions: f64 = assigned.iter().map(|(_, count)| count).sum();
    let hosts = members.iter().filter(|(_, count)| *count > 0.0).count();
    let (busiest, most) = assigned.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let all: f64 = members.iter().map(|(_, count)| count).sum();
    if partitions < 1.0 || hosts == 0 || least > all {
        return None;
    }
    Some(IdleMembers {
        busiest,
        each: Count((partitions / hosts as f64).floor().max(1.0)),
        hosts: Count(hosts as f64),
        idle: Count(least),
        members: Count(all),
        partitions: Count(partitions),
        series: monitor.name.clone(),
        share: Share(most / partitions),
    })
}

/// What was seen of each host within the hold.
fn by_host(index: &Index<'_>, metric: (usize, usize), step: &StepSpan) -> Vec<(String, Vec<f64>)> {
    let of = |(host, points): (&str, crate::row::Points)| {
        let values: Vec<f64> = points.into_iter().filter_map(|(_, value)| value).collect();
        (!values.is_empty()).then(|| (host.to_owned(), values))
    };
    index.samples(metric, step.from..step.to).into_iter().filter_map(of).collect()
}
