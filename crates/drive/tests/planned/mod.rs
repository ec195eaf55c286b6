//! The plan of one scenario without a mix, as most tests want it; what differs, each sets itself.

use plan::{LoadPlan, LoadStep, PartPlan, ScenarioPlan};
use std::collections::{BTreeMap, BTreeSet};
use study::Item;
use terms::Nanos;

/// One part without a name: one hold of that length, and a drain of 31 s at most, as long as legs are awaited.
pub(crate) fn scenario(load: LoadPlan, length: Option<Nanos>, run: Vec<Item>) -> ScenarioPlan {
    let part = PartPlan {
        name: String::new(),
        after: Nanos::ZERO,
        load,
        load_steps: vec![LoadStep { step: 0, from: Some(Nanos::ZERO), from_count: None }],
        run,
        set_up: Vec::new(),
        clean_up: Vec::new(),
        salt: 0,
        streams: None,
    };
    ScenarioPlan {
        number: 0,
        repetition: 1,
        name: "planned".into(),
        steps: 0..=1,
        idle: None,
        parts: vec![part],
        length,
        at_most: None,
        drain: 1,
        drain_at_most: Nanos::from_secs(31),
        is_drain_automatic: true,
        recovery: None,
        gap: Nanos::ZERO,
        variables: BTreeMap::new(),
        nodes: None,
        until: BTreeSet::new(),
    }
}
