//! Attempts that an earlier run carried out: a search that was stopped goes on behind them, and judges none of them anew.

use super::attempts::{Attempt, load_of};
use super::{AttemptResult, Outcome};
use crate::{Args, Reason};
use record::{AttemptHead, Head};
use study::Search;
use terms::{Validity, Verdict};

/// Those of a search, as far as they can be read. Of a file that was changed the first that cannot is the last.
pub(super) fn of(head: &Head, search: &Search) -> Vec<Attempt> {
    let own = head.taken_over.iter().filter(|attempt| attempt.search == search.name);
    own.map_while(|attempt| Some(Attempt { result: read(attempt, search)?, is_gone: false })).collect()
}

fn read(head: &AttemptHead, search: &Search) -> Option<AttemptResult> {
    let args: Args = serde_json::from_value(head.about.clone()).ok()?;
    let validity = [Validity::Valid, Validity::Questionable, Validity::Invalid];
    Some(AttemptResult {
        number: head.number,
        run: Some(head.run.clone()),
        scenario: head.scenario.clone(),
        load: load_of(search, &head.values)?,
        values: head.values.clone(),
        is_confirming: head.is_confirming,
        outcome: Outcome::from_text(&head.outcome)?,
        is_sure: head.is_sure,
        reason: Reason { code: head.reason.clone(), args },
        decided: match &head.decided {
            Some(decided) => Some(Outcome::from_text(decided)?),
            None => None,
        },
        is_degraded: head.is_degraded,
        must: head.must.as_deref().and_then(verdict),
        throughput_per_s: head.throughput_per_s,
        by_per_s: head.by_per_s,
        failed_share: head.failed_share,
        seconds: head.seconds,
        validity: validity.into_iter().find(|it| it.name() == head.validity)?,
        growth: None,
    })
}

/// A verdict by its name; what is none leaves the question open.
fn verdict(name: &str) -> Option<Verdict> {
    let all = [Verdict::Met, Verdict::NotMet, Verdict::CannotTell];
    Some(all.into_iter().find(|verdict| verdict.name() == name).unwrap_or(Verdict::CannotTell))
}

impl AttemptResult {
    /// The same for the head of a run that goes on behind it. `run` is the one that carried it out, unless an earlier one did.
    pub fn to_head(&self, search: &Search, run: &str) -> AttemptHead {
        AttemptHead {
            search: search.name.clone(),
            run: self.run.clone().unwrap_or_else(|| run.to_owned()),
            number: self.number,
            scenario: self.scenario.clone(),
            values: self.values.clone(),
            is_confirming: self.is_confirming,
            outcome: self.outcome.name().to_owned(),
            decided: self.decided.map(|decided| decided.name().to_owned()),
            is_sure: self.is_sure,
            reason: self.reason.code.clone(),
            about: serde_json::to_value(&self.reason.args).unwrap_or_default(),
            is_degraded: self.is_degraded,
            must: self.must.map(|verdict| verdict.name().to_owned()),
            throughput_per_s: self.throughput_per_s,
            by_per_s: self.by_per_s,
            failed_share: self.failed_share,
            seconds: self.seconds,
            validity: self.validity.name().to_owned(),
        }
    }
}
