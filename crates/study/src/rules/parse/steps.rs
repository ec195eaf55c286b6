//! `busy(rate: 200/s)`: one step of a grid, by the values of its variables.

use super::Parser;
use crate::rules::draft::{Bound, DraftPlace};
use crate::rules::token::{Token, What};
use contract::{Mistake, Place};

/// A grid has far fewer variables.
const VARIABLES_MAX: usize = 32;

impl Parser<'_> {
    /// A name, and the step of a grid that may follow it in brackets.
    pub(super) fn place(&mut self, (name, place): (String, Place)) -> Result<DraftPlace, Mistake> {
        let mut found = DraftPlace { name, place, step: Vec::new() };
        if !self.eat("(") {
            return Ok(found);
        }
        loop {
            let variable = self.word("the name of a variable")?;
            self.need(":")?;
            let (value, quantity) = self.bound_to()?;
            found.step.push(Bound { variable: variable.text.clone(), value, quantity, place: variable.place });
            if found.step.len() > VARIABLES_MAX {
                return Err(Mistake::at(variable.place, "study::too-large", "a step has fewer variables than this"));
            }
            if !self.eat(",") {
                break;
            }
        }
        let end = self.peek().place;
        self.need(")")?;
        let length = (end.column + end.length).saturating_sub(place.column).max(1);
        Ok(DraftPlace { place: Place { length, ..place }, ..found })
    }

    /// A value as it is written, up to the next comma or bracket.
    fn bound_to(&mut self) -> Result<(String, Option<terms::Quantity>), Mistake> {
        let first = self.at;
        while !matches!(self.peek().what, What::End | What::Symbol("," | "(" | ")")) {
            self.at += 1;
        }
        match &self.tokens[first..self.at] {
            [] => Err(self.expected("a value of the variable")),
            [Token { what: What::Number(quantity), text, .. }] => Ok((text.clone(), Some(quantity.clone()))),
            several => Ok((super::written(several), None)),
        }
    }
}
