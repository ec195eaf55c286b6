//! A load, written out.

use super::duration;
use crate::model::{Extent, Load, Model, Profile, Spacing, Study, UserStage};
use crate::syntax::arithmetic::exact;
use crate::syntax::emit::{list, map, text};
use contract::Node;
use terms::{Quantity, Unit};

pub(super) fn load(load: &Load, study: &Study) -> Node {
    let (mut arrivals, mut spacing, mut users, mut pacing) = (None, None, None, None);
    let (mut connections, mut each, mut subscribers, mut publish) = (None, None, None, None);
    let is_profile;
    match &load.model {
        Model::Arrivals { profile, spacing: found } => {
            spacing = Some(text(if *found == Spacing::Poisson { "poisson" } else { "even" }));
            arrivals = Some(match profile {
                Profile::Constant(value) => rate(*value),
                Profile::Pieces(pieces) => list(pieces.iter().map(|piece| {
                    if piece.from == piece.to {
                        map([("rate", Some(rate(piece.to))), ("for", Some(duration(piece.length)))])
                    } else {
                        map([("to", Some(rate(piece.to))), ("over", Some(duration(piece.length)))])
                    }
                })),
            });
            is_profile = matches!(profile, Profile::Pieces(_));
        }
        Model::Users { count, pacing: found, stages } => {
            let number = |users: u32| Some(text(users.to_string()));
            let stage = |stage: &UserStage| match stage.is_hold() {
                true => map([("users", number(stage.to)), ("for", Some(duration(stage.length)))]),
                false => map([("to", number(stage.to)), ("over", Some(duration(stage.length)))]),
            };
            is_profile = !stages.is_empty();
            users = if is_profile { Some(list(stages.iter().map(stage))) } else { number(*count) };
            pacing = found.map(duration);
        }
        Model::Connections { count, each: found, .. } => {
            is_profile = false;
            connections = Some(text(count.to_string()));
            each = found.map(rate);
        }
        Model::Subscribers { count, publish: found } => {
            is_profile = false;
            subscribers = Some(text(count.to_string()));
            publish = Some(rate(*found));
        }
    }
    let ramp = load.ramp.as_ref().map(|ramp| {
        let by = ramp.by.map(|by| if arrivals.is_none() { text(exact(&Quantity::count(by))) } else { rate(by) });
        map([("over", Some(duration(ramp.over))), ("by", by)])
    });
    let streams = load.streams.map(|streams| {
        let of = study.data.get(usize::from(streams.data)).map(|set| text(set.name.as_str()));
        map([("of", of), ("first", Some(text(streams.count.to_string())))])
    });
    let hold = if matches!(load.hold, Extent::Time(_)) { "hold" } else { "count" };
    map([
        ("arrivals", arrivals),
        ("streams", streams),
        ("spacing", spacing),
        ("users", users),
        ("connections", connections),
        ("subscribers", subscribers),
        ("each", each),
        ("publish", publish),
        ("pacing", pacing),
        ("ramp", ramp),
        ("warm_up", load.warm_up.as_ref().map(extent)),
        (hold, (!is_profile).then(|| extent(&load.hold))),
        ("at_most", load.at_most.map(duration)),
        ("max_in_flight", load.max_in_flight.map(|max| text(max.to_string()))),
        ("nodes", load.nodes.map(|nodes| text(nodes.to_string()))),
    ])
}

pub(super) fn rate(value: f64) -> Node {
    text(exact(&Quantity { value, unit: Unit::PerSecond }))
}

fn extent(extent: &Extent) -> Node {
    match extent {
        Extent::Time(span) => duration(*span),
        Extent::Count(count) => text(count.to_string()),
    }
}
