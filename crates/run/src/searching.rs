//! Searches: when an attempt is over, what was recorded is judged, and the next load follows.

mod taking_up;

use crate::error::RunError;
use crate::head;
use crate::observer::{News, Observer};
use crate::prepare::Prepared;
use crate::recorded::Record;
use clock::Clock;
use judge::Evidence;
use judge::searches::{ATTEMPT, Attempt, AttemptResult, Outcome, SearchResult, Standing};
use record::{Ending, Head, Run};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use study::{Study, Tried, Trying};
use terms::{EndReason, Nanos};

/// Behind the end of an attempt, so that its last second is whole in all that was recorded.
const BEHIND: Nanos = Nanos(1_200_000_000);

/// Looks at an attempt whose record is not whole yet.
const LOOKS_MAX: u32 = 5;

/// What attempts are judged and recorded with.
pub(crate) struct Searching<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) record: &'a Record,
    pub(crate) clock: &'a Clock,
    pub(crate) observer: &'a dyn Observer,
    /// The attempts of this run so far by the name of their search, each as it was judged when it was over: a run of many
    /// attempts is not judged as a whole behind each.
    pub(crate) judged: RefCell<BTreeMap<String, Vec<Attempt>>>,
}

/// Where the load pauses for a decision, counted in scenarios of the plan: behind the next attempt, else at the end.
pub(crate) fn pause(prepared: &Prepared, done: usize) -> usize {
    let plan = &prepared.plan.scenarios;
    let is_attempt = |number: u16| prepared.study.scenarios[usize::from(number)].point.is_some();
    let next = plan.iter().skip(done).position(|scenario| is_attempt(scenario.number));
    next.map_or(plan.len(), |next| done + next + 1)
}

impl Searching<'_> {
    /// Judges the attempt that is just over, the scenario before `done`, and adds the next to `prepared` and `head` unless
    /// its search is over. Nothing where that scenario was not an attempt.
    ///
    /// # Errors
    /// A record that cannot be read; an attempt that cannot be made of the study.
    pub(crate) fn go_on(
        &self,
        prepared: &Prepared,
        done: usize,
        head: &mut Head,
    ) -> Result<Option<Prepared>, RunError> {
        let number = prepared.plan.scenarios.get(done.wrapping_sub(1)).map(|scenario| usize::from(scenario.number));
        let Some(scenario) = number.and_then(|number| prepared.study.scenarios.get(number)) else { return Ok(None) };
        let Some(point) = &scenario.point else { return Ok(None) };
        self.clock.sleep_until(self.clock.now() + BEHIND);
        self.record.sync();
        let mut judged = self.judge(&prepared.study, &scenario.name)?;
        for _ in 0..LOOKS_MAX {
            if judged.is_some() {
                break;
            }
            // The last rows of a busy machine come late.
            self.clock.sleep_until(self.clock.now() + BEHIND);
            self.record.sync();
            judged = self.judge(&prepared.study, &scenario.name)?;
        }
        let Some(judged) = judged else {
            return Err(RunError::refused(format!("`{}` has no whole record", scenario.name)));
        };
        let attempt = judged.result.clone();
        let found = {
            let mut all = self.judged.borrow_mut();
            let own = all.entry(point.search.name.clone()).or_default();
            own.push(judged);
            judge::searches::standing(&point.search, head, own)
        };
        if let Some(failure) = self.record.failure() {
            return Err(failure.into());
        }
        let text = told(&found, &attempt);
        self.observer.hear(News::Attempt(&format!(
            "{} {}: {}",
            point.search.name,
            point.number,
            shown(&found, &attempt, &text)
        )));
        self.record.entries.event(self.clock.now(), ATTEMPT, &scenario.name, &text);
        let Standing::Next(next) = found.standing else { return Ok(None) };
        let extended = prepared.with_attempts(&tried(&prepared.study, Some((&point.search.name, next))))?;
        if extended.plan.scenarios.len() == prepared.plan.scenarios.len() {
            // A study that is run again from the folder of a run has its attempts, and no search.
            return Ok(None);
        }
        let before = head.clone();
        head::extend(head, &extended);
        self.record.update_study(&before, &extended.study.effective, head);
        Ok(Some(extended))
    }

    /// What became of an attempt, as what is in the folder shows it; nothing where its record is not whole yet.
    fn judge(&self, study: &Study, scenario: &str) -> Result<Option<Attempt>, RunError> {
        let mut run = Run::open(self.folder)?;
        // It goes on, so it was not killed; what lies behind the last whole second is left out all the same.
        if let Some(ending) = run.head.ending.take() {
            let reason = EndReason::Completed.name().into();
            run.head.ending = Some(Ending { reason, is_killed: false, text: String::new(), ..ending });
        }
        let evidence = Evidence::read_scenario(&run, scenario)?;
        Ok(judge::searches::attempt(&evidence, study, scenario))
    }
}

/// What was tried of all searches, with the next attempt of one behind its others.
fn tried(study: &Study, next: Option<(&str, Trying)>) -> Vec<Tried> {
    let mut all: Vec<Tried> = Vec::new();
    for scenario in &study.scenarios {
        let Some(point) = &scenario.point else { continue };
        let is_bound = |(name, _): &&(String, String)| point.search.variables().contains(&name.as_str());
        let values = scenario.set.iter().filter(is_bound).cloned().collect();
        let attempt = Trying { values, is_confirming: point.is_confirming };
        match all.iter_mut().find(|tried| tried.search == point.search.name) {
            Some(tried) => tried.attempts.push(attempt),
            None => {
                let earlier = point.number.saturating_sub(1);
                all.push(Tried { search: point.search.name.clone(), earlier, attempts: vec![attempt] });
            }
        }
    }
    if let Some((search, next)) = next
        && let Some(tried) = all.iter_mut().find(|tried| tried.search == search)
    {
        tried.attempts.push(next);
    }
    all
}

/// Why an attempt came out as it did, in a few words; the report says it in full. `growth` is how a search by steps rated it.
fn why(attempt: &AttemptResult, growth: Option<Growth>) -> String {
    if let ("measured", Some(Growth { percent, wanted, .. })) = (attempt.reason.code.as_str(), growth) {
        return format!("throughput grew by {percent}%, {wanted}% was wanted");
    }
    let args = &attempt.reason.args;
    let name = match args.get("requirement").or(args.get("instance")).or(args.get("rule")).or(args.get("leg")) {
        Some(judge::Arg::Text(name)) => name.as_str(),
        _ => "",
    };
    match attempt.reason.code.as_str() {
        "aborted" => format!("the abort rule `{name}` held"),
        "aborted_spoiled" => format!("`{name}` held of a disturbed measurement"),
        "met" => "every requirement is met".to_owned(),
        "not_met" => format!("{name} is not met"),
        "value_within" => format!("{name} is within its limit, but not proven"),
        "value_beyond" => format!("{name} is beyond its limit, but not proven"),
        "no_value" => format!("{name} cannot be told"),
        "degraded" => format!("replica {name} was lost"),
        "behind" => "answers fall behind the load".to_owned(),
        "left" => "iterations were cut off".to_owned(),
        "nothing_ok" => "nothing succeeded".to_owned(),
        "invalid" => "the measurement was disturbed".to_owned(),
        "no_rate" => "the rate cannot be told".to_owned(),
        "unrested" => format!("{name} was still busy with work from before"),
        code => code.replace('_', " "),
    }
}

/// By how many percent the throughput of a step grew, and by how many it had to.
#[derive(Clone, Copy)]
struct Growth {
    percent: i64,
    wanted: i64,
    is_enough: bool,
}

/// The same for the screen, where a step that was measured and grew too little has not passed.
fn shown(found: &SearchResult, attempt: &AttemptResult, text: &str) -> String {
    let has_missed = growth(found, attempt).is_some_and(|growth| !growth.is_enough);
    match text.strip_prefix(Outcome::Passed.name()).filter(|_| has_missed) {
        Some(rest) => format!("missed the target{rest}"),
        None => text.to_owned(),
    }
}

/// How a search by steps rated an attempt; nothing of its first, and of one that was not rated.
fn growth(found: &SearchResult, attempt: &AttemptResult) -> Option<Growth> {
    let step = found.attempts.iter().rfind(|known| known.number == attempt.number)?.growth?;
    Some(Growth { percent: step.actual_percent?, wanted: step.target_percent?, is_enough: step.is_met })
}

/// One line: what was tried, what became of it, what comes next.
fn told(found: &SearchResult, attempt: &AttemptResult) -> String {
    let values = |values: &[(String, String)]| {
        let pairs: Vec<String> = values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        pairs.join(", ")
    };
    let why = why(attempt, growth(found, attempt));
    let next = match &found.standing {
        Standing::Next(next) if next.is_confirming => format!("once more, longer, at {}", values(&next.values)),
        Standing::Next(next) => format!("next {}", values(&next.values)),
        Standing::Over(why) => format!("the search is over ({})", why.name().replace('_', " ")),
    };
    let (outcome, tried) = (attempt.outcome.name(), values(&attempt.values));
    format!("{outcome} at {tried} with {:.1}/s ({why}); {next}", attempt.rate_per_s())
}
