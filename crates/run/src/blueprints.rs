//! What the drivers of a scenario's part are handed.

use crate::descriptors;
use crate::prepare::Prepared;
use contract::{DriverKind, Names, Settings};
use drive::{Blueprint, DriverUse};
use recorder::{Shared, Traces};
use study::{Registry, Rejected, Study};

/// The drivers that a study uses, in the order in which the engine numbers them.
pub(crate) fn used(study: &Study, registry: Registry<'static>) -> impl Iterator<Item = &'static DriverKind> {
    let is_used = |name: &str| study.exchanges.iter().any(|exchange| exchange.driver == name);
    registry.drivers.iter().filter(move |driver| is_used(driver.name))
}

/// The blueprint of a part without listeners.
pub(crate) fn blueprint<'a>(
    prepared: &Prepared,
    names: &'a (dyn Names + Sync),
    workers: u16,
) -> Result<Blueprint<'a>, Rejected> {
    let study = &prepared.study;
    let all = study::settings(study, names)?;
    let own = |kind: &DriverKind| {
        let of = |(exchange, _): &(&study::Exchange, &Settings)| exchange.driver == kind.name;
        study.exchanges.iter().zip(&all).filter(of).map(|(_, settings)| settings.clone()).collect()
    };
    Ok(Blueprint {
        drivers: used(study, prepared.registry).map(|kind| DriverUse { kind: *kind, settings: own(kind) }).collect(),
        names,
        base: study.base.clone(),
        shared: Shared {
            templates: Vec::new(),
            tables: prepared.tables.clone(),
            kept_out: prepared.kept_out.clone(),
            secret_captures: study.credentials(),
            captures: study.captures.len() as u8,
            seed: study.seed,
            node: 0,
            traces: traces(study),
            is_looked_at: false,
        },
        layout: prepared.layout.clone(),
        workers,
        mailbox: None,
        nonce: 0,
        sessions_max: descriptors::sessions_max(&prepared.plan),
    })
}

/// What is known of the study's traces; of which run they are, whoever conducts it says.
fn traces(study: &Study) -> Traces {
    let unsent = Traces::default();
    study.traces.as_ref().map_or(unsent, |traces| Traces {
        are_sent: true,
        per_iteration: traces.per_iteration,
        sampled: traces.sampled,
        ..unsent
    })
}
