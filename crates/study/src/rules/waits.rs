//! What a wait can be ended by: states of what is watched, and nothing else.

use super::draft::{Draft, DraftClause, DraftSeries};
use super::resolve::ScenarioView;
use crate::model::rule::State;
use crate::model::{BACKLOG, Wait};
use contract::{Mistake, Mistakes};
use terms::Phase;

/// A wait ends by what is watched alone: nothing is sent in it.
pub(super) fn check(draft: &Draft, wait: Wait, scenario: &ScenarioView, mistakes: &mut Mistakes) {
    let name = wait.name();
    let mut refuse = |place, what: &str, label: &str| {
        mistakes.push(Mistake::at(place, "study::rule-not-here", what).label(label).hint(format!(
            "`{name}` ends by `settled(metric)` or `drained(metric)`: `{name}: {{ until: settled(host.cpu), at_most: 5m }}`"
        )));
    };
    if let Some((_, place)) = draft.sliding {
        refuse(place, "`for` belongs to abort rules", "remove `for …`");
    }
    if let Some((_, place)) = draft.per.first() {
        refuse(*place, "`per` belongs to requirements", "remove `per …`");
    }
    if let Some((_, place)) = draft.window {
        refuse(place, "`in` belongs to requirements: a wait looks at what is watched now", "remove `in …`");
    }
    let has_baseline = wait == Wait::Idle || scenario.phases.contains(&Phase::Idle);
    for clause in &draft.clauses {
        match clause {
            DraftClause::State { state: State::Drained, .. } => {}
            DraftClause::State { state: State::Settled, .. } if has_baseline => {}
            DraftClause::State { state: State::Settled, .. } => refuse(
                draft.place,
                "`settled` compares with the idle phase, and the scenario has none",
                "add `idle: 1m` to the scenario",
            ),
            _ => refuse(
                draft.place,
                &format!("`{name}` does not wait for this"),
                "write `settled(metric)` or `drained(metric)`",
            ),
        }
    }
}

/// A leg that is counted is waited for until nothing of it is outstanding, and for nothing else.
pub(super) fn counted(state: State, series: &DraftSeries, wait: Wait) -> Option<Mistake> {
    let words: Vec<&str> = series.segments.iter().map(|(word, _)| word.as_str()).collect();
    let leg = words.iter().take(2).copied().collect::<Vec<_>>().join(".");
    if state == State::Drained && matches!(words[..], [_, _] | [_, _, BACKLOG]) {
        return None;
    }
    let what = format!("`{}` does not wait for this of a leg that is counted", wait.name());
    let mistake = Mistake::at(series.place, "study::rule-not-here", what).label(format!("write `drained({leg})`"));
    Some(mistake.hint("it ends when everything accepted is through, by the count that closes the leg"))
}
