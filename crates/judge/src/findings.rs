//! Rules that look for what a reader should know. Each is one function.

mod backlog;
mod compared;
mod generator;
mod levels;
mod load;
mod other_work;
mod over_time;
mod replies;
mod shape;
mod stated;
mod times;
mod unclaimed;
mod unexplained;
mod written;

pub use shape::{SHAPE_CALLS, SHAPE_STALLED, SHAPE_TAIL};

use crate::levels::Family;
use crate::little::Balance;
use crate::rows::Index;
use crate::validity::Placed;
use crate::{Arg, Args, Finding, Gravity, StepResult};

/// What a rule sees.
pub(crate) struct Seen<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) study: &'a study::Study,
    /// In the order of the evidence's steps, as `balances` are.
    pub(crate) steps: &'a [StepResult],
    pub(crate) balances: &'a [Option<Balance>],
    pub(crate) signs: &'a [Placed],
    /// The same work at several loads.
    pub(crate) families: &'a [Family],
    /// What limited each scenario.
    pub(crate) ladders: &'a [crate::bottleneck::Ladder],
    /// What the study compares.
    pub(crate) comparisons: &'a [crate::comparison::Comparison],
}

type RuleFn = fn(&Seen<'_>) -> Vec<Finding>;

/// Every rule; their names and arguments are in [`crate::catalogue::FINDINGS`].
const FUNCTIONS: &[RuleFn] = &[
    backlog::backlog,
    load::little,
    other_work::other_work,
    generator::saturated,
    generator::slipped,
    generator::dropped,
    generator::near_ceiling,
    times::closed_omission,
    times::mean_above_p90,
    times::censored,
    times::fast_errors,
    times::few,
    shape::uneven,
    replies::replies,
    unclaimed::refused,
    unclaimed::unclaimed,
    unexplained::unexplained,
    load::down,
    load::no_answer,
    over_time::all,
    levels::not_monotone,
    levels::not_reached,
    levels::flat_times,
    levels::regime,
    levels::twins,
    compared::significant,
    compared::no_base,
    compared::rounding,
    stated::unused,
    stated::arithmetic,
    stated::factors,
    stated::units,
    stated::inventory,
    shape::plain,
];

/// All findings, gravest first, numbered.
pub(crate) fn findings(seen: &Seen<'_>) -> Vec<Finding> {
    let findings: Vec<Finding> = FUNCTIONS.iter().flat_map(|rule| rule(seen)).collect();
    // What concerns all parts of a mix is found at each of them, and is said once.
    let mut said: Vec<Finding> = Vec::new();
    for finding in findings {
        if !said.contains(&finding) {
            said.push(finding);
        }
    }
    let mut findings = said;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for (number, finding) in findings.iter_mut().enumerate() {
        finding.id = format!("F{}", number + 1);
    }
    findings
}

pub(crate) fn finding<const N: usize>(rule: &str, severity: Gravity, scope: &str, args: [(&str, Arg); N]) -> Finding {
    let args: Args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
    let evidence = vec![format!("load:{scope}")];
    Finding { id: String::new(), rule: rule.into(), severity, scope: scope.into(), args, evidence }
}
