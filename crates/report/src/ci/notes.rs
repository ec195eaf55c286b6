//! Notes at the study's lines: one for each requirement that is not met or undecided, and one for the validity.

use crate::input::{Context, Input};
use crate::messages::say;
use crate::number::{bounded, clean};
use crate::verdict_words::{Judged, by_requirement, limit_of, measured_of, places, reason_of};
use std::collections::BTreeMap;
use terms::{Severity, Validity, Verdict};

/// Longest text of a note, in characters: a server shows a few lines of it.
const TEXT_CHARS: usize = 1000;

/// Where something stands in a study file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyPlace {
    /// The file, as the build server calls it: relative to the top of what it checked out.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// Places of a study, for its notes.
#[derive(Clone, Debug, Default)]
pub struct StudyPlaces {
    /// Of the study itself; `None` where no file of the repository is known.
    pub study: Option<StudyPlace>,
    /// Of requirements, by their names.
    pub requirements: BTreeMap<String, StudyPlace>,
}

/// How grave a note is, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A mandatory requirement is not met.
    Error,
    /// A mandatory requirement is undecided, or the measurement is not valid.
    Warning,
    /// Another requirement is not met or undecided.
    Notice,
}

/// What a build server shows at a line of the study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub level: Level,
    /// What it is about, the same in every run: `requirement:fast`, `validity`.
    pub about: String,
    /// `fast: not met`
    pub title: String,
    /// Value, limit and reason, one line.
    pub text: String,
    pub place: Option<StudyPlace>,
}

/// The notes of a run, gravest first, in a language of [`crate::LANGUAGES`].
pub fn notes(input: &Input<'_>, language: &str, at: &StudyPlaces) -> Vec<Note> {
    let cx = Context::new(input, language);
    let mut all: Vec<Note> = validity(&cx, at).into_iter().collect();
    let judged = by_requirement(cx.input.study, cx.told_requirements());
    all.extend(judged.iter().filter_map(|one| requirement(&cx, one, at)));
    all.sort_by_key(|note| note.level);
    all
}

fn validity(cx: &Context<'_>, at: &StudyPlaces) -> Option<Note> {
    let judgement = cx.input.judgement;
    (judgement.validity != Validity::Valid).then(|| {
        let mut signs: Vec<_> = cx.bad_signs().collect();
        // Where nothing answered, whatever else is wrong with the run hardly matters, and a note is short.
        signs.sort_by_key(|sign| sign.code != "unanswered");
        let reasons: Vec<String> = signs.into_iter().map(|sign| cx.sign_sentence(sign)).collect();
        let word = say!(cx.m, "validity-word", validity = judgement.validity.name());
        Note {
            level: Level::Warning,
            about: "validity".to_owned(),
            title: say!(cx.m, "build-validity", word = &word),
            text: bounded(&reasons.join(" "), TEXT_CHARS),
            place: at.study.clone(),
        }
    })
}

/// The note of a requirement, by the verdict that speaks for it; `None` where it is met, and where it is undecided because
/// the whole run is void, which its own note says.
fn requirement(cx: &Context<'_>, one: &Judged<'_>, at: &StudyPlaces) -> Option<Note> {
    let worst = *one.worst.first()?;
    let level = match (worst.verdict, worst.severity) {
        (Verdict::Met, _) => return None,
        (Verdict::CannotTell, _) if worst.reason.code == "run_invalid" => return None,
        (Verdict::NotMet, Severity::Must) => Level::Error,
        (Verdict::CannotTell, Severity::Must) => Level::Warning,
        _ => Level::Notice,
    };
    let word = say!(cx.m, "verdict-word", verdict = worst.verdict.name());
    let (measured, limit) = (measured_of(cx, &one.worst), limit_of(cx, &one.worst));
    let interval = if measured.detail.is_empty() { String::new() } else { format!(" ({})", measured.detail) };
    let figures = format!("{}{interval}", measured.text);
    let text = say!(
        cx.m,
        "build-note",
        place = &places(cx, &one.worst),
        rule = &clean(&worst.rule),
        measured = &figures,
        limit = &limit.text,
        why = &reason_of(cx, &one.worst)
    );
    Some(Note {
        level,
        about: format!("requirement:{}", worst.id),
        title: format!("{}: {word}", clean(&worst.id)),
        text: bounded(&text, TEXT_CHARS),
        place: at.requirements.get(&worst.id).or(at.study.as_ref()).cloned(),
    })
}
