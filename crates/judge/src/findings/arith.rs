//! Sums in the author's texts.

use super::stated::{exact, in_texts};
use super::{RuleInput, finding, written};
use crate::Scope;
use crate::findings::declare::declare;
use crate::{Arg, Finding, Gravity};

declare! {
    /// A sum in the author's own text (purpose, comments, expectations, assumptions) that does not give what is
    /// written, by more than `ROUNDED` and by one or more in its last place. `260*24*60*200 = 4 billion` is 74 880 000.
    /// Any reading that agrees acquits it: a separator or space may mark thousands, a point for decimals, *billion* for
    /// either of its two values, a percent sign for a hundredth, a unit of size or time after the result for a
    /// conversion; a product of 24 hours and 60 minutes counts minutes, though, and not seconds. Anything not fully
    /// understood is left alone: brackets, powers, a minus, a chain of sums.
    WrongSum = "ARITH" {
        computed: Arg,
        stated: String,
        sum: String,
    }
}

/// ARITH: a sum that an author's text carries out, and that does not come to what is written.
pub(super) fn arithmetic(seen: &RuleInput<'_>) -> Vec<Finding> {
    in_texts(seen, written::sums, |place, sum| {
        let stated = format!("{}{}", sum.stated, sum.stated_unit);
        let args = WrongSum { computed: exact(sum.computed), stated, sum: sum.text };
        finding(Gravity::Warning, &Scope::named(place), args)
    })
}
