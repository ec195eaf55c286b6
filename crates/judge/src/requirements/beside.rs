//! Rules that are asked of each step by itself, whatever they are split by: what the healthiest step must pass.

use super::scopes::default_window;
use super::{Before, has_change, judge_rule};
use crate::RequirementResult;
use crate::comparison::{Recorded, RunIndex};
use crate::rows::Index;
use crate::validity::Placed;
use study::rule::{Rule, Scope};
use study::{Applies, Study};
use terms::{Phase, Severity};

/// A judge of rules beside those of the requirements, which are judged by then.
pub(crate) struct Beside<'a> {
    study: &'a Study,
    index: &'a Index<'a>,
    signs: &'a [Placed],
    run: Option<RunIndex<'a>>,
    done: Vec<Option<Vec<RequirementResult>>>,
}

/// A verdict, and what it is about.
pub(crate) struct OfSteps {
    /// Numbers of the steps; `None`: all of its repetition, or of its scenario where it names none.
    pub(crate) steps: Option<Vec<u32>>,
    pub(crate) result: RequirementResult,
}

impl<'a> Beside<'a> {
    pub(crate) fn new(
        study: &'a Study,
        index: &'a Index<'a>,
        signs: &'a [Placed],
        results: &[RequirementResult],
    ) -> Self {
        let of = |name: &str| results.iter().filter(|result| result.id == name).cloned().collect();
        let done = study.requirements.iter().map(|requirement| Some(of(&requirement.name))).collect();
        let recorded = Recorded { evidence: index.evidence, study: &study.effective };
        let run = has_change(study).then(|| RunIndex::new(recorded));
        Self { study, index, signs, run, done }
    }

    /// Verdicts of a rule in a scenario, one or more for each of its holds. What looks at another window, such as all of
    /// the load, has them for each repetition.
    pub(crate) fn of_each_step(&self, name: &str, scenario: usize, rule: &Rule) -> Vec<OfSteps> {
        let window = rule.window.unwrap_or_else(|| default_window(rule));
        let is_of_holds = window.phase == Some(Phase::Hold);
        let applies = Applies { scenario, rule: split(rule, is_of_holds), severity: Severity::Must };
        let before = Before { study: self.study, run: self.run.as_ref(), done: &self.done };
        let found = judge_rule(name, &applies, self.index, self.signs, &before);
        found.into_iter().map(|(steps, result)| OfSteps { steps: is_of_holds.then_some(steps), result }).collect()
    }
}

/// The rule with a verdict for each step, or for each repetition.
fn split(rule: &Rule, by_step: bool) -> Rule {
    let is_kept = |scope: &Scope| !matches!(scope, Scope::Scenario | Scope::Step | Scope::Repetition);
    let first = if by_step { Scope::Step } else { Scope::Repetition };
    let per = std::iter::once(first).chain(rule.per.iter().copied().filter(is_kept)).collect();
    Rule { per, ..rule.clone() }
}
