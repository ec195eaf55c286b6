//! The same work at several loads, side by side.

use super::RuleInput;
use crate::Arg;
use crate::levels::{Family, Level};

pub(super) fn several<'a>(seen: &'a RuleInput<'_>) -> impl Iterator<Item = &'a Family> {
    seen.families.iter().filter(|family| family.loads().len() > 1)
}

pub(super) fn evidence(levels: &[&Level]) -> Vec<String> {
    levels.iter().map(|level| format!("load:{}", level.scope)).collect()
}

pub(super) fn load(family: &Family, load: f64) -> Arg {
    if family.is_users { Arg::Count(load) } else { Arg::PerSecond(load) }
}
