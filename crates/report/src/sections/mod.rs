//! The chapters of a report, one file each, in the order in which they are read.

mod books;
mod definitions;
mod environment;
mod generator;
mod glance;
mod inventory;
mod methods;
mod results;
mod summary;
mod system;
mod threats;
mod times;
mod title;
mod verdicts;

use crate::document::{Document, number_sections};
use crate::input::Context;

pub(crate) use verdicts::{limit_cell, measured_cell};

/// The whole document.
pub(crate) fn document(cx: &Context<'_>) -> Document {
    let mut sections = vec![summary::summary(cx), books::load(cx), definitions::definitions(cx)];
    sections.extend(results::results(cx));
    sections.push(system::system(cx));
    sections.push(generator::generator(cx));
    sections.push(threats::threats(cx));
    sections.push(environment::environment(cx));
    sections.push(methods::methods(cx));
    sections.push(inventory::inventory(cx));
    number_sections(&mut sections);
    Document { language: cx.m.language, title: title::title(cx), sections }
}
