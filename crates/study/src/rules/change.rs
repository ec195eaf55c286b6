//! `change(statistic, base, other)`: two scenarios that the rule compares, and where that can be asked.

use super::draft::{Draft, DraftChange, DraftClause, Sum};
use super::resolve::Resolver;
use super::statistic::one_statistic;
use super::units::{self, Measured};
use crate::model::rule::{Change, Clause, Comparison, Function, Scope, Subject, What, Window};
use contract::{Mistake, Mistakes};
use terms::{Phase, Unit};

/// A rule that compares two scenarios compares whole holds, as a comparison does.
pub(super) fn check_frame(draft: &Draft, mistakes: &mut Mistakes) {
    if draft.changes().next().is_none() {
        return;
    }
    if let Some((window, place)) = draft.window
        && window != (Window { part: None, phase: Some(Phase::Hold) })
    {
        mistakes.push(
            Mistake::at(place, "study::rule-not-here", "`change` compares holds as a whole")
                .label("remove `in …`")
                .hint("write a separate requirement for another window"),
        );
    }
    let is_possible = |scope: &Scope| matches!(scope, Scope::Exchange | Scope::Scenario);
    if let Some((_, place)) = draft.per.iter().find(|(scope, _)| !is_possible(scope)) {
        mistakes.push(
            Mistake::at(*place, "study::rule-not-here", "`change` compares all repetitions and instances together")
                .label("`per exchange` is possible here, or nothing"),
        );
    }
}

/// An abort rule has seen one scenario for some seconds, and has nothing to compare it with. Says whether it is one.
pub(super) fn refuse(clause: &DraftClause, mistakes: &mut Mistakes) -> bool {
    let DraftClause::Change(change) = clause else { return false };
    mistakes.push(
        Mistake::at(change.place, "study::rule-not-here", "`change` cannot stop a run")
            .label("make it a requirement")
            .hint("it compares scenarios that have ended; an abort rule looks at the last seconds of a load: `p95(x.response) > 2s for 30s`"),
    );
    true
}

impl Resolver<'_> {
    pub(super) fn change(&self, draft: &DraftChange, mistakes: &mut Mistakes) -> Option<Clause> {
        let sides = [&draft.base, &draft.other].map(|side| mistakes.keep(self.world.find(side)));
        let (limit, place) = &draft.limit;
        let measured = (Measured::of(Unit::Share), units::of_number(limit));
        mistakes.keep(units::compare(&measured.0, &measured.1, &Sum::Number(limit.clone(), *place)))?;
        if limit.value <= -1.0 {
            mistakes.push(
                Mistake::at(*place, "study::out-of-range", "nothing falls by 100% or more of itself")
                    .label("write `-10%`, for example"),
            );
            return None;
        }
        let [Some(base), Some(other)] = sides else { return None };
        self.check_sides(draft, base, other, mistakes)?;
        let inner = as_draft(draft);
        let of_base = one_statistic(&inner, draft.of.place, base, self.world, mistakes)?;
        let of = one_statistic(&inner, draft.of.place, other, self.world, mistakes)?;
        let (function, subject) = (of.statistic.function, &of.statistic.series.subject);
        if function == Function::Share && matches!(subject, Subject::Exchanges { what: What::Failed, .. }) {
            mistakes.push(
                Mistake::at(
                    draft.of.place,
                    "study::wrong-series",
                    "a share of failures has no relative change: the base's may be 0",
                )
                .label("demand the share itself: `share(x.failed) <= 0.1%`")
                .hint("`compare` shows how two such shares differ, in percentage points"),
            );
            return None;
        }
        Some(Clause::Change(Box::new(Change {
            base_part: of_base.statistic.series.part,
            of,
            base,
            other,
            operator: draft.operator,
            limit: limit.value,
        })))
    }

    fn check_sides(&self, draft: &DraftChange, base: usize, other: usize, mistakes: &mut Mistakes) -> Option<()> {
        let (name, place) = (&self.world.scenarios[other].name, &draft.other.place);
        if base == other {
            mistakes.push(
                Mistake::at(*place, "study::conflict", format!("`{name}` is compared with itself"))
                    .label("name another scenario"),
            );
            return None;
        }
        if other != self.own {
            let own = &self.world.scenarios[self.own].name;
            mistakes.push(
                Mistake::at(
                    *place,
                    "study::conflict",
                    format!("this change is judged in `{name}`, the rule in `{own}`"),
                )
                .label(format!("leave `scenarios` out, or name `{name}` alone"))
                .hint("a change is judged in its second scenario; one rule cannot judge changes in several"),
            );
            return None;
        }
        Some(())
    }
}

/// The statistic as a rule without a limit.
fn as_draft(draft: &DraftChange) -> Draft {
    let sums = vec![Sum::Call(draft.of.clone())];
    Draft {
        text: draft.text.clone(),
        place: draft.of.place,
        clauses: vec![DraftClause::Compare { sums, operators: Vec::<Comparison>::new() }],
        window: None,
        per: Vec::new(),
        sliding: None,
    }
}
