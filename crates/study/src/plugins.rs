//! Lets every driver and monitor read its settings once, against stand-ins, and collects what they find wrong.

use crate::model::rule::{Clause, Subject};
use crate::model::{Exchange, Instance, LoadPart, Scenario, Study, Watch};
use crate::names::places::{InstancePlace, Places};
use crate::sections::exchange;
use crate::{Registry, Rejected, Secrets, names};
use contract::{
    BuildContext, Carrier, LegLeftOut, Mistake, Mistakes, MonitorSettings, Names, Place, Settings, Table, Watched,
};
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
    let one = |exchange: &Exchange| {
        let mut settings = exchange::compile(exchange, names, mistakes);
        // How many units it carried is looked for as a capture is, after the others.
        settings.captures.extend(exchange.carries.iter().filter_map(|carries| carries.said.clone()));
        settings
    };
    study.exchanges.iter().map(one).collect()
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
            match (kind.build)(&own, &mut BuildContext::new(&names, &study.base)) {
                Ok(driver) if part.is_none() => rules_of_no_leg(study, &driver.legs_left_out(), mistakes),
                Ok(_) => {}
                Err(found) => mistakes.extend(found),
            }
        }
        for watch in &study.watch {
            let Some(kind) = registry.monitors.iter().find(|kind| kind.name == watch.kind) else { continue };
            let carrier = watch.carrier().map(|name| Carrier { name: name.to_owned(), is_here: false });
            let mut context = BuildContext::new(&names, &study.base).with_carrier(carrier);
            if let Err(found) = (kind.build)(&monitor_settings(study, watch, places), &mut context) {
                mistakes.extend(found);
            }
        }
    }
}

/// Rules on legs that none of their exchanges has as it is set: there would be nothing to judge. A rule that stands in
/// several scenarios is told once.
fn rules_of_no_leg(study: &Study, left_out: &[LegLeftOut], mistakes: &mut Mistakes) {
    if left_out.is_empty() {
        return;
    }
    let aborts: Vec<_> = study.scenarios.iter().flat_map(Scenario::aborts).collect();
    let rules = study.requirements.iter().flat_map(|requirement| &requirement.applies).map(|applies| &applies.rule);
    let mut told: Vec<Place> = Vec::new();
    let others = study.capacity.rules().chain(study.search_rates());
    for series in rules.chain(&aborts).chain(others).flat_map(|rule| &rule.clauses).flat_map(Clause::series) {
        let Subject::Exchanges { exchanges, leg: Some(leg), .. } = &series.subject else { continue };
        let of = |number: &u16| left_out.iter().find(|left| (left.exchange, left.leg) == (*number, *leg));
        let Some(all) = exchanges.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
        let Some(first) = all.first().filter(|_| !told.contains(&series.place)) else { continue };
        told.push(series.place);
        let exchange = &study.exchanges[usize::from(first.exchange)];
        let name = exchange.legs.get(usize::from(*leg)).map_or("", |leg| leg.name);
        let what = format!("`{}` {}, so it has no leg `{name}`", exchange.name, first.why);
        mistakes.push(
            Mistake::at(series.place, "study::wrong-series", what)
                .label("there would be nothing to judge")
                .hint(first.hint),
        );
    }
}

/// A monitor's settings with instances that have no process yet.
fn monitor_settings(study: &Study, watch: &Watch, places: &Places) -> MonitorSettings {
    let is_watched = |instance: &&Instance| watch.of.is_empty() || watch.of.contains(&instance.name);
    let instances = study.system.instances.iter().filter(is_watched);
    let placed =
        |instance: &Instance| Some(watched(places.instance(&instance.name)?, instance.written.replicas.is_some()));
    let instances = instances.filter_map(placed).flatten().collect();
    let (name, node, on) = (watch.name.clone(), watch.node.clone(), watch.machine());
    MonitorSettings { name, node, instances, on: on.map(|on| on.within(&study.base)), every: watch.every }
}

/// `lookup.1`, `lookup.2` …; an instance without replicas keeps its name.
fn watched(place: &InstancePlace, is_numbered: bool) -> Vec<Watched> {
    let is_one = place.replicas.len() == 1 && !is_numbered;
    let named = |index: usize| if is_one { place.name.clone() } else { format!("{}.{}", place.name, index + 1) };
    let replicas = place.replicas.iter().enumerate();
    replicas.map(|(index, replica)| Watched { name: named(index), pid: None, url: Some(replica.url.clone()) }).collect()
}
