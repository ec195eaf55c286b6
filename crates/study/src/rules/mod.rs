//! Rules as the study writes them: tokens, grammar, names, units. The result is [`crate::model::rule::Rule`].

mod change;
mod draft;
mod falls;
mod parse;
mod places;
mod resolve;
mod statistic;
mod token;
mod units;
mod waits;

pub(crate) use draft::{Draft, DraftClause, DraftPlace, Sum};
pub(crate) use parse::{parse, parse_sum};
pub(crate) use resolve::figures::FIGURES;
pub(crate) use resolve::{ScenarioView, Where, World, resolve};
pub(crate) use statistic::one_statistic;

#[cfg(test)]
mod tests;
