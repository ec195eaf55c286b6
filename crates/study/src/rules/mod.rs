//! Rules as the study writes them: tokens, grammar, names, units. The result is [`crate::rule::Rule`].

mod draft;
mod parse;
mod resolve;
mod token;
mod units;

pub(crate) use draft::Draft;
pub(crate) use parse::parse;
pub(crate) use resolve::{ScenarioView, Where, World, resolve};

#[cfg(test)]
mod tests;
