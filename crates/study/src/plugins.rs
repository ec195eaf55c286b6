//! Lets every driver and monitor read its settings once, against stand-ins, and collects what they find wrong.

use crate::model::{Instance, LoadPart, Study, Watch};
use crate::names::places::{InstancePlace, Places};
use crate::sections::exchange;
use crate::{Registry, Rejected, Secrets, names};
use contract::{BuildContext, Mistakes, MonitorSettings, Names, Settings, Table, Watched};
use std::sync::Arc;

/// Builds every driver and monitor once for the study, and again for each combination of overridden variables.
///
/// # Errors
/// All mistakes of all of them.
pub fn check_plugins(
    study: &Study,
    registry: &Registry<'_>,
    tables: &[Arc<Table>],
    places: &Places,
    secrets: &Secrets,
) -> Result<(), Rejected> {
    let mut mistakes = Mistakes::default();
    check(study, registry, tables, places, secrets, &mut mistakes);
    mistakes.into_result().map_err(|mistakes| Rejected { files: study.files.clone(), mistakes })
}

/// The settings of all exchanges with their checks compiled against these names, in the study's order: what a driver
/// is built from. Those in [`Study::exchanges`] were compiled against stand-ins.
///
/// # Errors
/// A name that is not known, at its place.
pub fn settings(study: &Study, names: &dyn Names) -> Result<Vec<Settings>, Rejected> {
    let mut mistakes = Mistakes::default();
    let found = compiled(study, names, &mut mistakes);
    mistakes.into_result().map_err(|mistakes| Rejected { files: study.files.clone(), mistakes })?;
    Ok(found)
}

fn compiled(study: &Study, names: &dyn Names, mistakes: &mut Mistakes) -> Vec<Settings> {
    study.exchanges.iter().map(|exchange| exchange::compile(exchange, names, mistakes)).collect()
}

pub(crate) fn check(
    study: &Study,
    registry: &Registry<'_>,
    tables: &[Arc<Table>],
    places: &Places,
    secrets: &Secrets,
    mistakes: &mut Mistakes,
) {
    let parts = study.scenarios.iter().flat_map(|scenario| &scenario.parts);
    let mut bound: Vec<&LoadPart> = Vec::new();
    for part in parts.filter(|part| !part.set.is_empty()) {
        if bound.iter().all(|known| known.set != part.set) {
            bound.push(part);
        }
    }
    for part in std::iter::once(None).chain(bound.into_iter().map(Some)) {
        let names = names::names(study, secrets, tables, part, places);
        let all = compiled(study, &names, mistakes);
        for kind in registry.drivers {
            let is_own = |settings: &&Settings| study.exchanges[usize::from(settings.number)].driver == kind.name;
            let own: Vec<Settings> = all.iter().filter(is_own).cloned().collect();
            if own.is_empty() {
                continue;
            }
            if let Err(found) = (kind.build)(&own, &mut BuildContext::new(&names, &study.base)) {
                mistakes.extend(found);
            }
        }
        for watch in &study.watch {
            let Some(kind) = registry.monitors.iter().find(|kind| kind.name == watch.kind) else { continue };
            if let Err(found) =
                (kind.build)(&monitor_settings(study, watch, places), &mut BuildContext::new(&names, &study.base))
            {
                mistakes.extend(found);
            }
        }
    }
}

/// A monitor's settings with instances that have no process yet.
fn monitor_settings(study: &Study, watch: &Watch, places: &Places) -> MonitorSettings {
    let is_watched = |instance: &&Instance| watch.of.is_empty() || watch.of.contains(&instance.name);
    let instances = study.system.instances.iter().filter(is_watched);
    let instances = instances.filter_map(|instance| places.instance(&instance.name)).flat_map(watched).collect();
    MonitorSettings { name: watch.name.clone(), node: watch.node.clone(), instances, every: watch.every }
}

/// `lookup.1`, `lookup.2` …; an instance without replicas keeps its name.
fn watched(place: &InstancePlace) -> Vec<Watched> {
    let is_one = place.replicas.len() == 1;
    let named = |index: usize| if is_one { place.name.clone() } else { format!("{}.{}", place.name, index + 1) };
    let replicas = place.replicas.iter().enumerate();
    replicas.map(|(index, replica)| Watched { name: named(index), pid: None, url: Some(replica.url.clone()) }).collect()
}
