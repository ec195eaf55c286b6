//! All mistakes of a study, shown at their places in the user's text.

use crate::SourceFile;
use contract::{Mistake, Mistakes, Place};
use scrub::KeptOut;
use std::borrow::Cow;
use std::fmt;

/// A study that cannot be used, with everything that is wrong with it.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The files read so far; `Place::file` is the index.
    pub files: Vec<SourceFile>,
    /// The mistakes, in order of place.
    pub mistakes: Mistakes,
}

/// Longest part of a line that is shown; longer lines are cut around the mistake.
const SHOWN_MAX: usize = 140;

/// A longer line is not scanned completely.
const LINE_BYTES_MAX: usize = 4096;

impl Rejected {
    /// The mistakes as data: `{"schema": "loadproof/mistakes/1", "mistakes": [{code, message, file, line, column,
    /// length, label, hint}]}`.
    pub fn to_json(&self) -> serde_json::Value {
        let mistakes: Vec<_> = self.mistakes.0.iter().map(|mistake| self.json_of(mistake)).collect();
        serde_json::json!({ "schema": "loadproof/mistakes/1", "mistakes": mistakes })
    }

    /// The mistakes as they are shown to a person, with how many they are and what they came to.
    pub fn told(&self, what: &str) -> String {
        let mut told: String =
            self.mistakes.0.iter().map(|mistake| show("error", mistake, &self.files) + "\n").collect();
        let count = self.mistakes.0.len();
        told += &format!("{count} mistake{}; {what}", if count == 1 { "" } else { "s" });
        told
    }

    /// The same with everything cut out that is kept out: a message may quote a value, and the study may hold one.
    pub(crate) fn without(mut self, kept_out: &KeptOut) -> Self {
        let clean = |text: &mut String| {
            if let Cow::Owned(cut) = kept_out.cut_values(text) {
                *text = cut;
            }
        };
        self.files.iter_mut().for_each(|file| clean(&mut file.text));
        for mistake in &mut self.mistakes.0 {
            clean(&mut mistake.message);
            mistake.label.iter_mut().chain(&mut mistake.hint).for_each(clean);
        }
        self
    }

    fn json_of(&self, mistake: &Mistake) -> serde_json::Value {
        let file = mistake.place.and_then(|place| self.files.get(usize::from(place.file)));
        serde_json::json!({
            "code": mistake.code,
            "message": mistake.message,
            "file": file.map(|file| &file.name),
            "line": mistake.place.map(|place| place.line),
            "column": mistake.place.map(|place| place.column),
            "length": mistake.place.map(|place| place.length),
            "label": mistake.label,
            "hint": mistake.hint,
        })
    }
}

/// Writes mistakes or warnings as plain text, readable without colour; `word` is `error` or `warning`.
pub fn show(word: &str, mistake: &Mistake, files: &[SourceFile]) -> String {
    let mut out = format!("{word}[{}]: {}\n", mistake.code, mistake.message);
    let place = mistake.place.and_then(|place| Some((place, files.get(usize::from(place.file))?)));
    match place {
        Some((place, file)) => show_place(&mut out, mistake, place, file),
        None => {
            if let Some(label) = &mistake.label {
                out.push_str(&format!("  = {label}\n"));
            }
        }
    }
    if let Some(hint) = &mistake.hint {
        out.push('\n');
        for (number, line) in hint.lines().enumerate() {
            out.push_str(if number == 0 { "hint: " } else { "      " });
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

fn show_place(out: &mut String, mistake: &Mistake, place: Place, file: &SourceFile) {
    let Place { line, column, length, .. } = place;
    out.push_str(&format!("  --> {}:{line}:{column}\n", file.name));
    let Some(text) = file.text.lines().nth(line.saturating_sub(1) as usize) else { return };
    let (shown, before, marked) = cut(text, column.saturating_sub(1) as usize, length as usize);
    let margin = line.to_string();
    let blank = " ".repeat(margin.len());
    let label = mistake.label.as_ref().map_or(String::new(), |label| format!(" {label}"));
    out.push_str(&format!(
        "{blank} |\n{margin} | {shown}\n{blank} | {}{}{label}\n",
        " ".repeat(before),
        "^".repeat(marked)
    ));
}

/// The part of a line around a mistake, with the mark's start and length in it. Tabs and control characters become
/// one cell each, so that the mark is below what it marks.
fn cut(line: &str, at: usize, length: usize) -> (String, usize, usize) {
    // Of a line of megabytes only what is near the mark is looked at.
    let far = line.len() > LINE_BYTES_MAX;
    let passed = if far { at.saturating_sub(SHOWN_MAX) } else { 0 };
    let at = at - passed;
    let cells: Vec<char> = line
        .chars()
        .skip(passed)
        .take(LINE_BYTES_MAX)
        .map(|c| {
            if c == '\t' {
                ' '
            } else if c.is_control() {
                '·'
            } else {
                c
            }
        })
        .collect();
    let at = at.min(cells.len());
    let marked = length.clamp(1, (cells.len() - at).max(1)).min(SHOWN_MAX / 2);
    if cells.len() <= SHOWN_MAX {
        return (cells.iter().collect::<String>().trim_end().to_owned(), at, marked);
    }
    let start = at.saturating_sub(SHOWN_MAX / 3);
    let end = (start + SHOWN_MAX).min(cells.len());
    let mut shown: String = cells[start..end].iter().collect();
    let lead = if start + passed > 0 { "… " } else { "" };
    shown.insert_str(0, lead);
    if end < cells.len() {
        shown.push_str(" …");
    }
    (shown, at - start + lead.chars().count(), marked)
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told("nothing was started"))
    }
}

impl std::error::Error for Rejected {}
