//! Whom a study talks to: names that mean no address, and proxies that are set and not taken.

use super::proxies;
use crate::conduct;
use crate::exit::Failed;
use crate::prepare::Prepared;
use std::collections::BTreeSet;
use std::net::{IpAddr, ToSocketAddrs};
use study::Places;

/// Hosts and ports of all exchanges, and whether TLS is spoken there. Instances that are not started yet stand on placeholders of this machine.
fn all(prepared: &Prepared) -> Result<BTreeSet<(String, u16, bool)>, Failed> {
    let study = &prepared.study;
    let places = Places::placeholders(study);
    let mut all = BTreeSet::new();
    for part in study.scenarios.iter().flat_map(|scenario| &scenario.parts) {
        let names = study::names(study, &prepared.secrets, &prepared.tables, Some(part), &places);
        let destinations = conduct::setup(prepared, &names, 1)?
            .destinations()
            .map_err(|mistakes| study::Rejected { files: study.files.clone(), mistakes })?;
        all.extend(destinations.into_iter().map(|(_, to)| (to.host, to.port, to.is_tls)));
    }
    Ok(all)
}

/// A sentence for each host that has no address.
pub(crate) fn unknown(prepared: &Prepared) -> Result<Vec<String>, Failed> {
    let told = |(host, port, _): (String, u16, bool)| {
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

/// A warning where a proxy is set and a host elsewhere is asked that other programs would ask by way of it.
pub(super) fn proxy(prepared: &Prepared) -> Result<Option<String>, Failed> {
    Ok(proxies::passed_by(&all(prepared)?, &|name| std::env::var(name).ok()))
}
