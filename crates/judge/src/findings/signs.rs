//! What spoke against the generator.

use super::RuleInput;
use crate::{Gravity, Sign, WireValidity};

/// Signs of these codes that speak against the run.
pub(super) fn bad<'a>(seen: &'a RuleInput<'_>, codes: &'a [&str]) -> impl Iterator<Item = &'a Sign> {
    let signs = seen.signs.iter().map(|placed| &placed.sign);
    signs.filter(|sign| sign.state != WireValidity::Valid && codes.contains(&sign.code.as_str()))
}

pub(super) fn gravity(state: WireValidity) -> Gravity {
    if state == WireValidity::Invalid { Gravity::Blocker } else { Gravity::Warning }
}
