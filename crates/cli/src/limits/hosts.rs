//! Whom a study talks to: names that mean no address, and proxies that are set and not taken.

use crate::conduct;
use crate::exit::Failed;
use crate::prepare::Prepared;
use std::collections::BTreeSet;
use std::net::{IpAddr, ToSocketAddrs};
use study::Places;

/// Variables by which other programs are told of a proxy.
const PROXIES: [&str; 6] = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// Hosts and ports of all exchanges. Instances that are not started yet stand on placeholders of this machine.
fn all(prepared: &Prepared) -> Result<BTreeSet<(String, u16)>, Failed> {
    let study = &prepared.study;
    let places = Places::placeholders(study);
    let mut all = BTreeSet::new();
    for part in study.scenarios.iter().flat_map(|scenario| &scenario.parts) {
        let names = study::names(study, &prepared.secrets, &prepared.tables, Some(part), &places);
        let destinations = conduct::setup(prepared, &names, 1)?
            .destinations()
            .map_err(|mistakes| study::Rejected { files: study.files.clone(), mistakes })?;
        all.extend(destinations.into_iter().map(|(_, destination)| (destination.host, destination.port)));
    }
    Ok(all)
}

/// A sentence for each host that has no address.
pub(crate) fn unknown(prepared: &Prepared) -> Result<Vec<String>, Failed> {
    let told = |(host, port): (String, u16)| {
        if host.parse::<IpAddr>().is_ok() {
            return None;
        }
        let why = match (host.as_str(), port).to_socket_addrs() {
            Ok(mut addresses) => addresses.next().map_or(Some("it has no address".to_owned()), |_| None)?,
            Err(error) => error.to_string(),
        };
        Some(format!(
            "the host `{host}` cannot be resolved: {why}; look with `getent hosts {host}`, and correct the name in the \
             study, or add it to `/etc/hosts` or the name server of this machine"
        ))
    };
    let hosts = all(prepared)?;
    // One name, one sentence, however many ports.
    let names: BTreeSet<String> = hosts.into_iter().filter_map(told).collect();
    Ok(names.into_iter().collect())
}

/// # Errors
/// When any host has no address: no call could be sent.
pub(crate) fn refuse_unknown(prepared: &Prepared) -> Result<(), Failed> {
    let unknown = unknown(prepared)?;
    if unknown.is_empty() { Ok(()) } else { Err(Failed::because(unknown.join("\n"))) }
}

/// A warning where a proxy is set and a host elsewhere is asked.
pub(super) fn proxy(prepared: &Prepared) -> Result<Option<String>, Failed> {
    let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let Some(name) = PROXIES.iter().find(is_set) else { return Ok(None) };
    let is_here = |host: &str| host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let elsewhere = all(prepared)?.into_iter().find(|(host, _)| !is_here(host));
    Ok(elsewhere.map(|(host, port)| {
        format!(
            "`{name}` is set, and loadproof takes no proxy: it connects to {host}:{port} directly, so that no proxy is \
             measured; where only the proxy can reach that host, run loadproof on the other side of it"
        )
    }))
}
