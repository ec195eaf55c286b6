//! The history of requirements as lines of a terminal, in English, and as JSON.

use crate::charts::changed;
use crate::compared::said;
use crate::history_page::{HistoryInput, lead, state};
use crate::json_values::{number, optional};
use crate::messages::Messages;
use crate::number::{MISSING, clean};
use judge::archive::{Outcome, RequirementHistory, Search, Series, SeriesShift};
use serde_json::{Value, json};

/// Schema of [`history_json`].
pub const HISTORY_SCHEMA: &str = "loadproof/history/1";

/// One requirement in one scope and setting, every number written.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryLine {
    pub requirement: String,
    /// `nominal/hold`
    pub scope: String,
    /// Number of its setting, from 1, that of the newest run.
    pub setting: usize,
    pub unit: String,
    pub runs: usize,
    /// Newest value with its unit; `–` without one.
    pub last: String,
    /// The run that began the newest level; `–` without a change.
    pub since: String,
    /// `+20% (100 ms → 120 ms)`
    pub change: String,
    pub p: String,
    /// What it comes to, in a few words.
    pub state: String,
    /// Whether the newest change is one for the worse.
    pub is_worse: bool,
    /// Whether level shifts could be looked for.
    pub is_searched: bool,
}

/// All series as lines.
pub fn history_lines(history: &RequirementHistory) -> Vec<HistoryLine> {
    let m = Messages::of("en");
    history.series.iter().map(|series| line(&m, history, series)).collect()
}

/// The answer in one sentence.
pub fn history_lead(history: &RequirementHistory) -> String {
    lead(&Messages::of("en"), history)
}

fn line(m: &Messages, history: &RequirementHistory, series: &Series) -> HistoryLine {
    let value = |value: f64| m.numbers.in_unit(value, &series.unit);
    let missing = || MISSING.to_owned();
    let shift = series.last_shift();
    let change =
        |shift: &SeriesShift| format!("{} ({} → {})", changed(m, shift), value(shift.before), value(shift.after));
    HistoryLine {
        requirement: clean(&series.requirement),
        scope: clean(&series.scope),
        setting: series.setting + 1,
        unit: clean(&series.unit),
        runs: series.runs.len(),
        last: series.last().map_or_else(missing, value),
        since: shift.map_or_else(missing, |shift| clean(&history.runs[series.runs[shift.at]].id)),
        change: shift.map_or_else(missing, change),
        p: shift.map_or_else(missing, |shift| m.numbers.value(shift.p)),
        state: state(m, series),
        is_worse: shift.is_some_and(|shift| shift.tendency == judge::archive::Tendency::Worse),
        is_searched: series.search == Search::Done,
    }
}

/// The history for programs. Its names are stable; more fields may come.
pub fn history_json(input: &HistoryInput<'_>) -> String {
    let m = Messages::of("en");
    let history = input.history;
    let gate = history.gate.as_ref().map(|gate| {
        let name =
            |place: &usize| json!({ "id": history.series[*place].requirement, "scope": history.series[*place].scope });
        json!({
            "since": gate.since.name,
            "from": gate.since.from,
            "runs_after": gate.runs_after,
            "outcome": gate.outcome.name(),
            "more_runs_needed": match gate.outcome { Outcome::TooFew { more } => Some(more), _ => None },
            "worse": gate.worse.iter().map(name).collect::<Vec<_>>(),
            "untold": gate.untold.iter().map(name).collect::<Vec<_>>(),
        })
    });
    let run = |run: &judge::archive::RunEntry| {
        json!({
            "id": run.id,
            "folder": run.folder,
            "started": run.started,
            "apart": run.apart.map(judge::archive::Apart::name),
        })
    };
    let setting = |setting: &judge::archive::Setting| json!({ "runs": setting.runs, "differs": setting.differs.iter().map(|each| said(&m, each)).collect::<Vec<_>>() });
    let left_out = |(folder, reason): &(String, String)| json!({ "folder": folder, "reason": reason });
    let value = json!({
        "schema": HISTORY_SCHEMA,
        "study": input.study,
        "folder": input.folder,
        "gate": gate,
        "runs": history.runs.iter().map(run).collect::<Vec<_>>(),
        "settings": history.settings.iter().map(setting).collect::<Vec<_>>(),
        "requirements": history.series.iter().map(|series| requirement(history, series)).collect::<Vec<_>>(),
        "left_out": input.left_out.iter().map(left_out).collect::<Vec<_>>(),
        "not_read": input.not_read,
    });
    let mut text = serde_json::to_string_pretty(&value).expect("invariant: maps with text keys always serialise");
    text.push('\n');
    text
}

fn requirement(history: &RequirementHistory, series: &Series) -> Value {
    let (have, needed) = match series.search {
        Search::TooFew { have, needed } | Search::TooFewAfterBase { have, needed } => (Some(have), Some(needed)),
        Search::Done | Search::ByVerdict => (None, None),
    };
    let shift = |shift: &SeriesShift| {
        json!({
            "at": shift.at,
            "run": history.runs[series.runs[shift.at]].id,
            "before": number(shift.before),
            "after": number(shift.after),
            "change": optional(Some(shift.change()).filter(|change| change.is_finite())),
            "p": number(shift.p),
            "tendency": shift.tendency.name(),
            "is_after_base": shift.is_after_base,
            "is_undone": shift.is_undone,
        })
    };
    json!({
        "id": series.requirement,
        "scope": series.scope,
        "rule": series.rule,
        "measures": series.measures.text,
        "direction": series.measures.direction.name(),
        "severity": series.severity.name(),
        "unit": series.unit,
        "limit": optional(series.limit),
        "setting": series.setting,
        "is_current": series.is_current,
        "search": series.search.name(),
        "have": have,
        "needed": needed,
        "runs": series.runs,
        "values": series.values.iter().map(|value| optional(*value)).collect::<Vec<_>>(),
        "verdicts": series.verdicts.iter().map(|verdict| verdict.name()).collect::<Vec<_>>(),
        "shifts": series.shifts.iter().map(shift).collect::<Vec<_>>(),
    })
}
