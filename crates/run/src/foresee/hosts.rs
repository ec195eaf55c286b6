//! Whom a study talks to: names that mean no address, and proxies that are set and not taken.

use super::proxies;
use crate::blueprints::blueprint;
use crate::error::RunError;
use crate::prepare::Prepared;
use clock::Clock;
use contract::Destination;
use std::collections::BTreeSet;
use std::net::{IpAddr, ToSocketAddrs};
use study::{LoadPart, Places};

/// Where the exchanges of a part go, each with the index of its driver. Instances that are not started yet stand on
/// placeholders of this machine.
pub(super) fn destinations(prepared: &Prepared, part: &LoadPart) -> Result<Vec<(usize, Destination)>, RunError> {
    let places = Places::placeholders(&prepared.study);
    let names = study::names(&prepared.study, &prepared.secrets, &prepared.tables, Some(part), &places);
    let found = blueprint(prepared, &names, 1)?.destinations();
    found.map_err(|mistakes| prepared.rejected(mistakes).into())
}

/// Hosts and ports of all exchanges, and whether TLS is spoken there.
fn all(prepared: &Prepared) -> Result<BTreeSet<(String, u16, bool)>, RunError> {
    let mut all = BTreeSet::new();
    for part in prepared.study.scenarios.iter().flat_map(|scenario| &scenario.parts) {
        all.extend(destinations(prepared, part)?.into_iter().map(|(_, to)| (to.host, to.port, to.is_tls)));
    }
    Ok(all)
}

/// What there is to correct about an unknown host of a study file, for [`unknown`].
pub const NAME_IN_STUDY: &str = "the name in the study";

/// A sentence for each host of the study that has no address, with what its author can correct: [`NAME_IN_STUDY`], unless
/// the study was made from something else, such as a command line.
///
/// # Errors
/// What a driver finds wrong with its settings.
pub fn unknown(prepared: &Prepared, to_correct: &str) -> Result<Vec<String>, RunError> {
    let told = |(host, port, _): (String, u16, bool)| {
        if host.parse::<IpAddr>().is_ok() {
            return None;
        }
        let why = match (host.as_str(), port).to_socket_addrs() {
            Ok(mut addresses) => addresses.next().map_or(Some("it has no address".to_owned()), |_| None)?,
            Err(error) => error.to_string(),
        };
        Some(format!(
            "the host `{host}` cannot be resolved: {why}; look with `getent hosts {host}`, and correct {to_correct}, or add \
             the host to `/etc/hosts` or to the DNS that this machine asks"
        ))
    };
    let hosts = all(prepared)?;
    // One name, one sentence, however many ports.
    let names: BTreeSet<String> = hosts.into_iter().filter_map(told).collect();
    Ok(names.into_iter().collect())
}

/// Of each name that exchanges are sent to, how long its lookup took now and what it found, as facts: while the load runs
/// no name is looked up. None for addresses.
pub(crate) fn looked_up(prepared: &Prepared, clock: &Clock) -> Vec<(String, String, String)> {
    let hosts = all(prepared).unwrap_or_default();
    let names: BTreeSet<(String, u16)> = hosts.into_iter().map(|(host, port, _)| (host, port)).collect();
    let mut seen = BTreeSet::new();
    let is_new = |(host, _): &(String, u16)| host.parse::<IpAddr>().is_err() && seen.insert(host.clone());
    let names: Vec<_> = names.into_iter().filter(is_new).collect();
    let fact = |(host, port): (String, u16)| {
        let began = clock.now();
        let found = (host.as_str(), port).to_socket_addrs().ok()?;
        let found: Vec<String> = found.map(|address| address.ip().to_string()).collect();
        let took = clock.now() - began;
        Some(("names".to_owned(), host, format!("{} (looked up in {took})", found.join(" "))))
    };
    names.into_iter().filter_map(fact).collect()
}

/// # Errors
/// When any host has no address: no call could be sent.
pub(crate) fn refuse_unknown(prepared: &Prepared) -> Result<(), RunError> {
    let unknown = unknown(prepared, NAME_IN_STUDY)?;
    if unknown.is_empty() { Ok(()) } else { Err(RunError::refused(unknown.join("\n"))) }
}

/// A warning where a proxy is set and a host elsewhere is asked that other programs would ask by way of it.
pub(super) fn proxy(prepared: &Prepared) -> Result<Option<String>, RunError> {
    Ok(proxies::passed_by(&all(prepared)?, &|name| std::env::var(name).ok()))
}
