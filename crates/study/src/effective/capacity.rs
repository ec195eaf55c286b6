//! `compare` and `capacity` as the effective study has them.

use super::{some_list, some_map};
use crate::model::{Capacity, Compare, CompareSide, Need, Study, Volume, VolumeFrom};
use crate::sections::capacity::HEALTHIEST_WORD;
use crate::syntax::emit::{list, map, text};
use contract::Node;

pub(super) fn compare(compare: &Compare, study: &Study) -> Node {
    let side = |side: &CompareSide| {
        text(match side {
            CompareSide::Scenario(number) => study.scenarios[*number].name.clone(),
            CompareSide::Step { scenario, step } => format!("{}/{step}", study.scenarios[*scenario].name),
            CompareSide::Run(id) => id.clone(),
        })
    };
    map([
        ("of", Some(list(compare.of.iter().map(|of| text(of.text.as_str()))))),
        ("base", Some(side(&compare.base))),
        ("against", Some(list(compare.against.iter().map(side)))),
        ("band", Some(text(format!("{}%", compare.band * 100.0)))),
    ])
}

pub(super) fn capacity(study: &Study) -> Option<Node> {
    let Capacity { healthiest, volumes, ratios } = &study.capacity;
    let volume = |volume: &Volume| {
        let from = match &volume.from {
            VolumeFrom::Scenario(one) => study.scenarios[one.scenario].name.as_str(),
            VolumeFrom::Healthiest(_) => HEALTHIEST_WORD,
        };
        map([
            ("of", Some(text(volume.text.as_str()))),
            ("from", Some(text(from))),
            ("hours", Some(text(volume.hours.to_string()))),
            ("days", Some(text(volume.days.to_string()))),
            ("peak_factor", Some(text(volume.peak_factor.to_string()))),
        ])
    };
    let healthiest = healthiest.as_ref().map(|healthiest| {
        let by = healthiest.by.iter().flatten().next();
        let need = |need: &Need| match need {
            Need::Requirement(name) => text(name.as_str()),
            Need::Rule { text: rule, .. } => text(rule.as_str()),
        };
        map([
            ("by", by.map(|by| text(by.formula.text.as_str()))),
            ("needs", some_list(healthiest.needs.iter().map(need).collect())),
        ])
    });
    let volumes = volumes.iter().map(|one| (one.name.clone(), Some(volume(one)))).collect();
    let ratios = ratios.iter().map(|one| (one.name.clone(), Some(text(one.of.text.as_str())))).collect();
    let (volumes, ratios) = (some_map(volumes), some_map(ratios));
    let has_any = healthiest.is_some() || volumes.is_some() || ratios.is_some();
    has_any.then(|| map([("healthiest", healthiest), ("volumes", volumes), ("ratios", ratios)]))
}
