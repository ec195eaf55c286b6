//! Conversions in the author's texts.

use super::stated::in_texts;
use super::{RuleInput, finding, written};
use crate::Scope;
use crate::findings::declare::{Number, declare};
use crate::{Finding, Gravity};

declare! {
    /// Two quantities of one kind that the author's text joins by `=` or `≈` and that are not equal: `360 samples/min =
    /// 3/s` is 6/s: the seed of this rule counted two requests without saying so. A kB may have 1000 or 1024 bytes.
    /// Only direct equations are checked: whether two numbers in one sentence, or one in brackets after another, were
    /// meant to be the same is unknown. No rule can see whether a number without an equation has the right unit
    /// (requests or iterations); in the report, units come from the data.
    WrongUnit = "UNIT" {
        computed: Number,
        first: String,
        second: String,
        unit: String,
    }
}

/// UNIT: two quantities of an author's text that are said to be equal and are not.
pub(super) fn units(seen: &RuleInput<'_>) -> Vec<Finding> {
    in_texts(seen, written::units, |place, wrong| {
        let args =
            WrongUnit { computed: Number(wrong.computed), first: wrong.first, second: wrong.second, unit: wrong.unit };
        finding(Gravity::Warning, &Scope::named(place), args)
    })
}
