//! `change(statistic, base, other)`: always a whole clause.

use super::{CHANGE, CHANGE_LOOKS, Parser};
use crate::model::rule::Comparison;
use crate::rules::draft::{DraftChange, DraftPlace, Sum};
use crate::rules::token::What;
use contract::{Mistake, Place};
use terms::Quantity;

impl Parser<'_> {
    /// `change(statistic, base, other)`, a comparison, and a share that may be below zero.
    pub(super) fn change(&mut self) -> Result<DraftChange, Mistake> {
        let place = self.next().place;
        self.need("(")?;
        let first = self.at;
        let (token, is_call) = (self.peek(), self.peek_second().what == What::Symbol("("));
        if token.what != What::Word || !is_call || token.text == CHANGE {
            return Err(
                Mistake::at(token.place, "study::rule-syntax", "`change` takes a statistic first").label(CHANGE_LOOKS)
            );
        }
        let of = Box::new(self.call()?);
        let text = super::written(&self.tokens[first..self.at]);
        self.need(",")?;
        let base = self.scenario()?;
        self.need(",")?;
        let other = self.scenario()?;
        self.need(")")?;
        let at = self.peek().place;
        let operator = self.comparison().ok_or_else(|| self.expected("a comparison (`<`, `<=`, `>`, `>=`)"))?;
        if operator == Comparison::Equal {
            return Err(Mistake::at(at, "study::rule-syntax", "an estimated change is never exactly equal to a limit")
                .label("write `<=` or `>=`")
                .hint("two clauses demand that little changed: `change(…) <= 5% and change(…) >= -5%`"));
        }
        Ok(DraftChange { place, of, text, base, other, operator, limit: self.signed()? })
    }

    /// A scenario's name, or a step of a grid.
    fn scenario(&mut self) -> Result<DraftPlace, Mistake> {
        let token = self.word("the name of a scenario")?;
        let place = self.place((token.text.clone(), token.place))?;
        if self.is_symbol("/") {
            return Err(Mistake::at(token.place, "study::rule-syntax", "`change` compares whole scenarios")
                .label("name the scenario alone")
                .hint(
                    "a part of a mix is named in the statistic: `change(p95(part/x.response), base, other) <= 10%`",
                ));
        }
        Ok(place)
    }

    /// A number that may be negative.
    fn signed(&mut self) -> Result<(Quantity, Place), Mistake> {
        if !self.eat("-") {
            return self.constant();
        }
        match self.value()? {
            Sum::Number(quantity, place) => Ok((Quantity { value: -quantity.value, ..quantity }, place)),
            other => Err(Mistake::at(other.place(), "study::rule-syntax", "the limit of a change is a number")
                .label("write `10%` or `-10%`")),
        }
    }
}
