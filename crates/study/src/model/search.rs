//! Searches: which loads a scenario is carried out with until its limit is found.

use super::Study;
use super::requirement::Formula;
use super::rule::Rule;
use std::sync::Arc;
use terms::{Nanos, Quantity};

/// A search as the study writes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The scenario's name as it is written; those that are carried out have a number behind it.
    pub name: String,
    pub rule: SearchRule,
    /// The rate that tells how much was done, as written; `None`: iterations that succeeded.
    pub by: Option<String>,
}

/// How the next load follows from those before.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchRule {
    /// Bisection between a load that held and one that did not.
    Bracket(BracketRule),
    /// The steps of the NSP performance tests: throughput must grow with the users.
    Nsp(NspRule),
}

/// Bisection of one variable, by ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct BracketRule {
    /// The variable.
    pub vary: String,
    /// The lowest and highest values of interest, in one unit.
    pub from: Quantity,
    pub to: Quantity,
    /// How close the bounds are at its end, as a share of the lower one.
    pub width: f64,
    /// So many of at most so many attempts must pass for a load to hold.
    pub passes: (u32, u32),
    /// Requirements that must be met; all of severity *must* where none is named.
    pub accept: Vec<String>,
    /// Length of the hold of a last attempt at the load found.
    pub confirm: Option<Nanos>,
    /// Attempts in all, at most.
    pub most: u32,
}

/// Two variables whose product is the number of users.
#[derive(Clone, Debug, PartialEq)]
pub struct NspRule {
    /// Names, in the order of the phases.
    pub variables: [String; 2],
    pub first: [u32; 2],
    pub raise: [u32; 2],
    pub most: [u32; 2],
    /// Share of the users' growth that the throughput must show.
    pub target: f64,
}

/// A scenario's place in a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPoint {
    pub search: Arc<Search>,
    /// Which attempt it is, from 1.
    pub number: u32,
    /// Whether it confirms what was found, and is longer.
    pub is_confirming: bool,
    /// The rate by which its search goes, where that is one of its own.
    pub by: Option<Formula>,
}

/// The next attempt of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Trying {
    /// The search's variables, each with its value as it would be typed.
    pub values: Vec<(String, String)>,
    pub is_confirming: bool,
}

impl Study {
    /// The rates by which searches go, where those are their own, each in its attempts.
    pub fn search_rates(&self) -> impl Iterator<Item = &Rule> {
        let points = self.scenarios.iter().filter_map(|scenario| scenario.point.as_ref());
        points.filter_map(|point| point.by.as_ref()).map(|by| &by.rule)
    }
}

impl NspRule {
    /// Steps of both phases, if none misses its target before the last.
    pub fn most_attempts(&self) -> u32 {
        let steps = |which: usize| {
            self.most[which].saturating_sub(self.first[which]).checked_div(self.raise[which]).unwrap_or(0)
        };
        1 + steps(0) + steps(1)
    }
}

impl Search {
    /// Names of its variables.
    pub fn variables(&self) -> Vec<&str> {
        match &self.rule {
            SearchRule::Bracket(rule) => vec![rule.vary.as_str()],
            SearchRule::Nsp(rule) => rule.variables.iter().map(String::as_str).collect(),
        }
    }

    /// Attempts in all, at most.
    pub fn most_attempts(&self) -> u32 {
        match &self.rule {
            SearchRule::Bracket(rule) => rule.most,
            SearchRule::Nsp(rule) => rule.most_attempts(),
        }
    }

    /// How many attempts it takes usually: each bisection halves what is left.
    pub fn usual_attempts(&self) -> u32 {
        let SearchRule::Bracket(rule) = &self.rule else { return self.most_attempts().min(8) };
        let ratio = (rule.to.value / rule.from.value).ln() / rule.width.ln_1p();
        let loads = ratio.max(1.0).log2().ceil() as u32;
        (loads * rule.passes.0 + u32::from(rule.confirm.is_some())).clamp(1, rule.most)
    }
}
