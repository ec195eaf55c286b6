//! The rules. Each looks at the whole report and adds what it finds; none fires unless the report's own words show that
//! its conditions hold.

mod claims;
mod columns_alike;
mod demands;
mod failures;
mod instances;
mod labels;
mod limits;
mod little;
mod multiples;
mod order;
mod precision;
mod prose;
mod quantiles;
mod requirement;
mod steps;
mod sums;
mod totals;

use crate::finding::Finding;
use crate::seen::Input;

/// Looks at a report and adds what it finds.
type Rule = fn(&Input<'_>, &mut Vec<Finding>);

/// All of them, in the order of the guide.
pub(crate) const RULES: &[Rule] = &[
    sums::sums,
    sums::units,
    sums::unused,
    sums::changes,
    multiples::shares,
    labels::factors,
    multiples::factors,
    labels::rows,
    labels::figures,
    totals::totals,
    totals::shares,
    failures::shares,
    totals::rates,
    order::order,
    order::means,
    prose::order,
    little::sentences,
    little::tables,
    little::streams,
    requirement::requirement,
    columns_alike::columns,
    columns_alike::machines,
    claims::greatest,
    claims::last,
    claims::after_failure,
    steps::flat,
    steps::gaps,
    steps::noise,
    instances::skew,
    instances::consumers,
    limits::products,
    limits::sizes,
    limits::levels,
    precision::percentages,
    precision::timeouts,
    precision::absence,
];
