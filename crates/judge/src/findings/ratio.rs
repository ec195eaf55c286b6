//! Factors in the author's texts.

use super::stated::{exact, in_texts};
use super::{RuleInput, finding, written};
use crate::Scope;
use crate::findings::declare::{Number, declare};
use crate::{Arg, Finding, Gravity};

declare! {
    /// A factor in the author's text between two numbers with units of one kind, that does not fit them: `500/s is five
    /// times the nominal 200/s` is 2.5 times. Only a factor directly between its two numbers is checked (`times`,
    /// `-fold`, `×`, in words up to ten, and the same in Dutch and Danish); either direction acquits it, and so does
    /// less than one in the factor's last place. A factor without both numbers beside it ("peak is five times nominal")
    /// cannot be checked, and most are like that: let [`capacity.ratios`](02-the-study-file.md) compute them, naming
    /// both operands.
    WrongFactor = "RATIO" {
        computed: Number,
        stated: Arg,
        words: String,
    }
}

/// RATIO: a factor between two numbers of an author's text that is not theirs.
pub(super) fn factors(seen: &RuleInput<'_>) -> Vec<Finding> {
    in_texts(seen, written::factors, |place, wrong| {
        let args = WrongFactor { computed: Number(wrong.computed), stated: exact(wrong.stated), words: wrong.words };
        finding(Gravity::Warning, &Scope::named(place), args)
    })
}
