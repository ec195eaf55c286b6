//! A profile of the author's own, written out.

use super::{localized, some_list, some_map};
use crate::model::{BlockChoice, Fold, ReportProfile};
use crate::sections::profile::{FOLD_PARTS, FOLD_WHOLE};
use crate::syntax::emit::{list, map, text};
use contract::Node;

fn fold(fold: &Fold) -> Option<Node> {
    match fold {
        Fold::Nothing => None,
        Fold::Whole => Some(text(FOLD_WHOLE)),
        Fold::Parts => Some(text(FOLD_PARTS)),
        Fold::These(parts) => some_list(parts.iter().map(|part| text(part.as_str())).collect()),
    }
}

fn choices(all: &[BlockChoice]) -> Vec<Node> {
    let members = all.iter().map(|choice| {
        map([
            ("block", Some(text(choice.name.as_str())).filter(|_| choice.of.is_empty())),
            ("parts", some_list(choice.parts.iter().map(|part| text(part.as_str())).collect())),
            ("title", choice.title.as_ref().map(localized)),
            ("fold", fold(&choice.fold)),
            ("of", some_list(choices(&choice.of))),
        ])
    });
    members.collect()
}

/// A profile of the author's own, whole: its file does not lie in the run folder.
pub(super) fn profile(profile: &ReportProfile) -> Node {
    let demands = profile.conformance.iter().map(|demand| {
        let places =
            |places: &[crate::DemandPlace]| some_list(places.iter().map(|place| text(place.to_string())).collect());
        map([
            ("id", Some(text(demand.id.as_str()))),
            ("asks", Some(localized(&demand.asks))),
            ("at", places(&demand.at)),
            ("needs", places(&demand.needs)),
            ("why_not", demand.why_not.as_ref().map(localized)),
        ])
    });
    map([
        ("name", Some(text(profile.name.as_str()))),
        ("about", profile.about.as_ref().map(localized)),
        ("blocks", Some(list(choices(&profile.blocks)))),
        ("appendices", some_list(choices(&profile.appendices))),
        ("terms", some_map(profile.terms.iter().map(|(key, value)| (key.clone(), Some(localized(value)))).collect())),
        ("conformance", some_list(demands.collect())),
    ])
}
