//! The title block.

use crate::date::in_words;
use crate::document::{Mark, TitleBlock};
use crate::input::Context;
use crate::messages::say;
use crate::number::{bounded, clean, ended};
use judge::Arg;
use sha2::{Digest, Sha256};
use terms::EndReason;

/// Fields of the title page that stand elsewhere on it.
const ELSEWHERE: [&str; 1] = ["title"];

/// Title, system, marks and facts.
pub(crate) fn title(cx: &Context<'_>) -> TitleBlock {
    let head = cx.input.head;
    let study = cx.input.study;
    let page = |name: &str| {
        let text = study?.report.title_page.iter().find(|(known, _)| known == name)?;
        Some(clean(text.1.in_language(cx.m.language)))
    };
    let own_title =
        study.map(|study| study.title.in_language(cx.m.language).to_owned()).filter(|title| !title.is_empty());
    let title = page("title").or(own_title).unwrap_or_else(|| head.study.clone());
    let about = study.and_then(|study| study.about.as_ref()).map(|about| about.in_language(cx.m.language));
    TitleBlock {
        title: clean(&title),
        system: clean(&head.system),
        about: ended(&bounded(about.unwrap_or_default(), 1200)),
        dateline: format!("{} · {}", in_words(&head.started, cx.m.language), clean(&head.id)),
        marks: marks(cx),
        facts: facts(cx),
    }
}

/// What must be seen before anything else.
pub(crate) fn marks(cx: &Context<'_>) -> Vec<Mark> {
    let (head, state) = (cx.input.head, &cx.input.state);
    let mut marks = Vec::new();
    let mut mark = |word: String, text: String| marks.push(Mark { word, text });
    if let Some(trial) = &head.trial {
        let text = say!(
            cx.m,
            "mark-trial-text",
            asked = Arg::Seconds(trial.asked_s).given(),
            factor = Arg::Share(trial.factor)
        );
        mark(say!(cx.m, "mark-trial"), text);
    }
    let ending = head.ending.as_ref().map_or_else(String::new, |end| crate::run_words::ending(&cx.m, &end.text));
    if state.was_killed || head.ending.is_none() {
        mark(say!(cx.m, "mark-killed"), say!(cx.m, "mark-killed-text"));
    } else {
        match cx.input.judgement.end_reason {
            EndReason::Completed => {}
            EndReason::Aborted => mark(say!(cx.m, "mark-aborted"), say!(cx.m, "mark-aborted-text", text = &ending)),
            EndReason::Interrupted => {
                mark(say!(cx.m, "mark-interrupted"), say!(cx.m, "mark-interrupted-text", text = &ending));
            }
            EndReason::Generator => {
                mark(say!(cx.m, "mark-generator"), say!(cx.m, "mark-generator-text", text = &ending))
            }
            EndReason::Target => mark(say!(cx.m, "mark-target"), say!(cx.m, "mark-target-text", text = &ending)),
        }
    }
    if !state.altered.is_empty() {
        let files = state.altered.join(", ");
        mark(say!(cx.m, "mark-altered"), say!(cx.m, "mark-altered-text", files = &files));
    }
    if !state.damage.is_empty() {
        let damage = state.damage.join(" ");
        mark(say!(cx.m, "mark-torn"), say!(cx.m, "mark-torn-text", damage = &damage));
    }
    marks
}

fn facts(cx: &Context<'_>) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut fact = |name: String, value: String| facts.push((name, clean(&value)));
    if let Some(study) = cx.input.study {
        for (name, text) in study.report.title_page.iter().filter(|(name, _)| !ELSEWHERE.contains(&name.as_str())) {
            let text = text.in_language(cx.m.language);
            let text = if name == "date" { in_words(text, cx.m.language) } else { text.to_owned() };
            fact(say!(cx.m, "title-field", field = name), text);
        }
    }
    for entry in cx.input.study.map(|study| study.report.history.as_slice()).unwrap_or_default() {
        fact(say!(cx.m, "title-field", field = "history"), version(cx, entry));
    }
    facts.extend(run_facts(cx));
    facts
}

/// What is known of the run whatever its author stated.
pub(crate) fn run_facts(cx: &Context<'_>) -> Vec<(String, String)> {
    let head = cx.input.head;
    let mut facts = Vec::new();
    let mut fact = |name: String, value: String| facts.push((name, clean(&value)));
    let name = cx.input.study.map(|study| study.title.in_language(cx.m.language).to_owned());
    fact(say!(cx.m, "title-study"), name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| head.study.clone()));
    fact(say!(cx.m, "title-run"), head.id.clone());
    fact(say!(cx.m, "title-started"), in_words(&head.started, cx.m.language));
    let ended = head.ending.as_ref().map(|ending| in_words(&ending.ended, cx.m.language));
    fact(say!(cx.m, "title-ended"), ended.unwrap_or_else(|| say!(cx.m, "title-no-end")));
    fact(say!(cx.m, "title-made-by"), format!("loadproof {}", head.version));
    fact(say!(cx.m, "title-study-hash"), short_hash(&head.study_sha256));
    fact(say!(cx.m, "title-fingerprint"), short_hash(&fingerprint(head)));
    facts
}

/// `1.0, 1 November 2026, A. Tester: first issue`.
fn version(cx: &Context<'_>, entry: &study::HistoryEntry) -> String {
    let author = entry.author.as_ref().map(|text| text.in_language(cx.m.language)).unwrap_or_default();
    let changes = entry.changes.as_ref().map(|text| text.in_language(cx.m.language)).unwrap_or_default();
    let date = in_words(&entry.date, cx.m.language);
    let parts: Vec<&str> =
        [&entry.version, date.as_str(), author].into_iter().filter(|part| !part.is_empty()).collect();
    let head = parts.join(", ");
    if changes.is_empty() { head } else { format!("{head}: {changes}") }
}

/// One hash over the study, the seed and every data set: two runs that agree in it were asked for the same.
pub(super) fn fingerprint(head: &record::Head) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("study {}\nseed {}\n", head.study_sha256, head.seed));
    for set in &head.data {
        hash.update(format!("data {} {}\n", set.name, set.sha256));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Enough of a hash to compare by eye; the whole stands in the data inventory.
fn short_hash(hash: &str) -> String {
    if hash.is_empty() { crate::number::MISSING.to_owned() } else { hash.chars().take(16).collect() }
}
