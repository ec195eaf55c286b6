//! What a load needs of descriptors and ports, held against what this machine gives.

use super::hosts;
use super::ports::{self, Ports};
use crate::descriptors::{self, SESSIONS_MAX, bound};
use crate::error::RunError;
use crate::numbers::grouped;
use crate::prepare::Prepared;
use crate::rates::{greatest, often};
use contract::Destination;
use plan::{LoadPlan, PartPlan, ScenarioPlan};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use terms::Nanos;

/// What one scenario needs towards one address.
#[derive(Clone, Debug, Default, PartialEq)]
struct Need {
    /// Connections that are sure to be open at once: those of users, who keep theirs, and held ones.
    certain: u64,
    /// Connections that the study allows at once; those without a bound are not in it.
    allowed: u64,
    /// New connections a second at the greatest planned rate, of exchanges that keep none.
    opened_per_s: f64,
}

/// Looks whether this machine can hold the connections of every scenario. Returns what may run out, a sentence each.
///
/// # Errors
/// When connections that are needed for sure, of users and held ones, are more than descriptors or ports.
pub fn connections(prepared: &Prepared) -> Result<Vec<String>, RunError> {
    let descriptors = descriptors::allowed();
    let left = descriptors::connections(descriptors);
    let ports = Ports::look();
    let (mut told, mut impossible) = (Vec::from_iter(hosts::proxy(prepared)?), Vec::new());
    for scenario in prepared.plan.scenarios.iter().filter(|scenario| scenario.repetition == 1) {
        let needs = needs(prepared, scenario)?;
        let sum = |of: fn(&Need) -> u64| needs.values().map(of).sum::<u64>();
        if sum(|need| need.certain) > left {
            impossible.push(too_few_descriptors(&scenario.name, sum(|need| need.certain), descriptors, true));
        } else if left == 0 {
            impossible.push(no_descriptors(&scenario.name, descriptors));
        } else if sum(|need| need.allowed) > left {
            told.push(too_few_descriptors(&scenario.name, sum(|need| need.allowed), descriptors, false));
        } else {
            told.extend(few_descriptors(prepared, scenario, descriptors));
        }
        for ((host, port), need) in &needs {
            let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
            let towards = Towards { scenario: &scenario.name, host, port: *port, is_loopback, need };
            let Some(ports) = &ports else { continue };
            if need.certain > ports.free_towards(host, *port, is_loopback) {
                impossible.push(towards.too_few_ports(ports));
            } else {
                told.extend(towards.warnings(ports, scenario.length));
            }
        }
    }
    if impossible.is_empty() { Ok(told) } else { Err(RunError::refused(impossible.join("\n\n"))) }
}

/// Needs by address. Instances that are not started yet stand on placeholders of this machine, as in `check`.
fn needs(prepared: &Prepared, scenario: &ScenarioPlan) -> Result<BTreeMap<(String, u16), Need>, RunError> {
    let study = &prepared.study;
    let own = &study.scenarios[usize::from(scenario.number)];
    let mut needs = BTreeMap::<(String, u16), Need>::new();
    for (index, (part, own)) in scenario.parts.iter().zip(&own.parts).enumerate() {
        let destinations = hosts::destinations(prepared, own)?;
        let often = often(study.exchanges.len(), part);
        let rate = greatest(&prepared.plan, scenario, index);
        let (mut links, mut kept) = (BTreeSet::new(), BTreeSet::new());
        let all = u64::from(study::connections_of(&part.run));
        let at_once = at_once(part, &destinations);
        for (driver, destination) in destinations {
            let number = usize::from(destination.exchange);
            let (Some(often), Some(exchange)) = (often.get(number), study.exchanges.get(number)) else { continue };
            if *often == 0.0 {
                continue;
            }
            let need = needs.entry((destination.host, destination.port)).or_default();
            let (link, keeps) = ((driver, destination.link), exchange.settings.reuse);
            let (iterations, sharing) = (u64::from(bound(part).unwrap_or(0)), u64::from(destination.sharing.max(1)));
            // Slots that share a connection share it whether or not they ask there.
            let bound = (iterations * at_once.get(&link).unwrap_or(&1)).min((iterations * all).div_ceil(sharing));
            if links.insert(link) {
                need.allowed += bound;
            }
            if keeps && !matches!(part.load, LoadPlan::Open { .. }) && kept.insert(link) {
                need.certain += bound;
            }
            if !keeps {
                need.opened_per_s += rate * often;
            }
        }
    }
    Ok(needs)
}

/// How many connections one iteration of a part uses at a time, for the links of which it is more than one.
fn at_once(part: &PartPlan, destinations: &[(usize, Destination)]) -> BTreeMap<(usize, u16), u64> {
    let mut most = BTreeMap::new();
    for (_, parallel) in study::parallels_of(&part.run) {
        let mut calls = BTreeMap::<_, u64>::new();
        for call in &parallel.calls {
            for (driver, to) in destinations.iter().filter(|(_, to)| to.exchange == *call) {
                *calls.entry((*driver, to.link)).or_default() += 1;
            }
        }
        for (link, calls) in calls {
            let known = most.entry(link).or_insert(1);
            *known = calls.min(u64::from(parallel.at_once)).max(*known);
        }
    }
    most
}

/// An open load without a bound, of which more may be open at once than this process may have descriptors, should the
/// target be slow for as long as a time-out lasts.
fn few_descriptors(prepared: &Prepared, scenario: &ScenarioPlan, descriptors: u64) -> Option<String> {
    let exchanges = &prepared.study.exchanges;
    let parts = scenario.parts.iter().enumerate().filter(|(_, part)| bound(part).is_none());
    let most = parts.map(|(index, part)| {
        let often = often(exchanges.len(), part).into_iter().zip(exchanges);
        let timeouts = often.filter(|(often, _)| *often > 0.0).map(|(_, exchange)| exchange.settings.timeout);
        let timeout = timeouts.max().unwrap_or_default();
        let connections = f64::from(study::connections_of(&scenario.parts[index].run));
        (greatest(&prepared.plan, scenario, index) * timeout.as_secs_f64() * connections).ceil() as u64
    });
    let most = most.sum::<u64>().min(SESSIONS_MAX);
    (most > descriptors::connections(descriptors)).then(|| {
        format!(
            "`{}` goes on starting when the target is slow: up to {} connections may then be in use at once (its rate \
             times its timeout), and {}; set `max_in_flight` or a shorter `timeout`, or {}",
            scenario.name,
            grouped(most),
            may_open(descriptors),
            raise(most + descriptors::KEPT)
        )
    })
}

fn no_descriptors(scenario: &str, descriptors: u64) -> String {
    format!(
        "`{scenario}` needs connections, and {}; {}",
        may_open(descriptors),
        raise(descriptors::KEPT + u64::from(u8::MAX) + 1)
    )
}

fn may_open(descriptors: u64) -> String {
    format!(
        "this process may open {} (its hard limit is {} descriptors, of which {} are kept for its own files)",
        grouped(descriptors::connections(descriptors)),
        grouped(descriptors),
        descriptors::KEPT
    )
}

fn raise(wanted: u64) -> String {
    format!(
        "type `ulimit -n {wanted}` as root, else `sudo prlimit --pid $$ --nofile={wanted}:{wanted}`, and start again in \
         the same shell"
    )
}

fn too_few_descriptors(scenario: &str, need: u64, descriptors: u64, is_certain: bool) -> String {
    let wanted = need + descriptors::KEPT;
    let what = if is_certain {
        "`{}` needs {} connections at once, and"
    } else {
        "`{}` may have {} connections in use at once (`max_in_flight`); what finds none voids the run, as"
    };
    let what = what.replacen("{}", scenario, 1).replacen("{}", &grouped(need), 1);
    format!("{what} {}; {}, or plan fewer connections", may_open(descriptors), raise(wanted))
}

/// One address with what a scenario needs of it.
struct Towards<'a> {
    scenario: &'a str,
    host: &'a str,
    port: u16,
    is_loopback: bool,
    need: &'a Need,
}

impl Towards<'_> {
    fn too_few_ports(&self, ports: &Ports) -> String {
        let free = ports.free_towards(self.host, self.port, self.is_loopback);
        let Need { certain, .. } = self.need;
        let most = grouped(u64::from(u16::MAX) - 1023);
        format!(
            "`{}` needs {} connections to {}:{} at once, but {} from here; type `{}`, or plan fewer \
             connections: from one address of this machine there are never more than {most} to one address",
            self.scenario,
            grouped(*certain),
            self.host,
            self.port,
            ports.describe(free),
            ports::WIDEN
        )
    }

    fn warnings(&self, ports: &Ports, length: Option<Nanos>) -> Vec<String> {
        let Self { scenario, host, port, is_loopback, need } = self;
        let free = ports.free_towards(host, *port, *is_loopback);
        let mut told = Vec::new();
        if need.allowed > free {
            told.push(format!(
                "`{scenario}` may have {} connections to {host}:{port} in use at once (`max_in_flight`), but {} from \
                 here; what finds none voids the run; type `{}`, or lower the bound",
                grouped(need.allowed),
                ports.describe(free),
                ports::WIDEN
            ));
        } else if *is_loopback && need.allowed > ports.size() {
            told.push(format!(
                "the {} connections of `{scenario}` to {host}:{port} are more than the {} ports of one address, so they \
                 will come from {} addresses of this machine, 127.0.0.1 and on",
                grouped(need.allowed),
                grouped(ports.size()),
                need.allowed.div_ceil(ports.size())
            ));
        }
        let rests_s = ports.rests_s(*is_loopback);
        let lasts_s = length.map_or(f64::INFINITY, Nanos::as_secs_f64);
        let resting = need.opened_per_s * rests_s.min(lasts_s);
        if resting > free as f64 {
            let reuse = if rests_s > 1.0 { " net.ipv4.tcp_tw_reuse=1" } else { "" };
            told.push(format!(
                "`{scenario}` opens {} new connections a second to {host}:{port} (`connection: {{ reuse: false }}`), and \
                 the port of each rests for {rests_s} s after it was closed (TIME-WAIT): up to {} ports, but {}; they run \
                 out after about {:.0} s, unless the target closes first. Keep connections (`connection: {{ reuse: true \
                 }}`), lower the rate, or type `{}{reuse}`",
                grouped(need.opened_per_s.round() as u64),
                grouped(resting.round() as u64),
                ports.describe(free),
                free as f64 / need.opened_per_s,
                ports::WIDEN
            ));
        }
        told
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
