//! `report`: the title page and what to print.

use crate::model::{Block, HistoryEntry, KeptColumn, ReportSettings};
use crate::sections::profile;
use crate::sections::profile::PROFILE;
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::{not_yet, read};
use contract::{LANGUAGES, Mistake, Mistakes, Node};

pub(crate) const PROFILES: [&str; 10] =
    ["standard", "summary", "full", "management", "comparison", "folio", "digikoppeling", "nsp", "grid", "bulk"];
/// Formats that reports are written in, [`PAPERS`] last.
pub const FORMATS: [&str; 7] = ["html", "md", "junit", "json", "csv", PAPERS[0], PAPERS[1]];
/// Those of them that are one document with everything in it, each written by a part of its own.
pub const PAPERS: [&str; 2] = ["docx", "pdf"];
/// Texts of the title page.
pub(crate) const TITLE_PAGE: [&str; 10] =
    ["title", "organisation", "address", "contact", "version", "status", "date", "readers", "distribution", "changes"];

/// Keys of `report`.
pub(crate) static REPORT: [Key; 19] = [
    key(
        "profile",
        Form::Any(&[Form::CarriedOut("profile", &PROFILES), Form::File(&profile::ENDINGS), Form::Table(&PROFILE)]),
        "which chapters: a name, or a YAML file beside the study; standard",
    ),
    key("languages", Form::Some(&Form::Words(&LANGUAGES)), "one report in each; en"),
    key("formats", Form::Some(&Form::Words(&FORMATS)), "one file in each; html"),
    key("title", Form::Localized, "title of the report, when it is not that of the study"),
    key("organisation", Form::Localized, "on the title page"),
    key("address", Form::Localized, "on the title page"),
    key("contact", Form::Localized, "on the title page"),
    key("version", Form::Localized, "version of the report; quote it: \"1.1\""),
    key("status", Form::Localized, "such as final"),
    key("date", Form::Localized, "date of the report"),
    key("readers", Form::Localized, "whom it is written for"),
    key("distribution", Form::Localized, "who receives it"),
    key("changes", Form::Localized, "what changed since the last report"),
    key("history", Form::Some(&Form::Table(&HISTORY)), "earlier versions of the document"),
    key("comments", Form::MapOf(&Form::Localized), "place → comment, marked as the author's"),
    key("expectations", Form::Some(&Form::Localized), "what the author expected; outside the verdict"),
    key("links", Form::MapOf(&Form::Text), "links by name"),
    key(
        "keep_out",
        Form::Some(&Form::Text),
        "columns of data sets, `DATASET.COLUMN`, whose values nothing written shows",
    ),
    key("sections", Form::Some(&Form::Text), "which of the profile's blocks; all"),
];

/// Keys of a version in the document's history.
static HISTORY: [Key; 4] = [
    required("version", Form::Text, "quote it: \"1.1\""),
    key("date", Form::Text, "2026-11-21"),
    key("author", Form::Localized, "who wrote it"),
    key("changes", Form::Localized, "what changed"),
];

/// A profile by its name, or the content of its file.
fn profile(node: &Node, blocks: &[Block], settings: &mut ReportSettings, mistakes: &mut Mistakes) {
    if node.map().is_some() {
        let own = profile::read(node, "own", blocks, mistakes);
        settings.profile = own.name.clone();
        settings.own_profile = Some(own);
        return;
    }
    // A file that could not be read has been said so where it was looked for.
    if node.text().is_some_and(profile::is_file) {
        return;
    }
    let before = mistakes.0.len();
    if let Some(name) = read::word(node, "`profile`", &PROFILES, mistakes) {
        not_yet::refuse(&format!("profile {name}"), node.place, mistakes);
        settings.profile = name.to_owned();
    } else if let Some(mistake) = mistakes.0.get_mut(before)
        && let Some(hint) = &mut mistake.hint
    {
        hint.push_str("; or a file beside the study, `my-profile.yaml`");
    }
}

/// `data.column`; whether there is such a column is known when the files have been read.
fn column(node: &Node, mistakes: &mut Mistakes) -> Option<KeptColumn> {
    let text = mistakes.keep(node.as_text("a column that is kept out"))?;
    let Some((set, column)) = text.split_once('.').filter(|(set, column)| !set.is_empty() && !column.is_empty()) else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`{text}` names no column of a data set"))
                .label("write `DATASET.COLUMN`"),
        );
        return None;
    };
    Some(KeptColumn { set: set.to_owned(), column: column.to_owned(), place: node.place })
}

fn history(node: &Node, mistakes: &mut Mistakes) -> HistoryEntry {
    let mut keys = Reader::of(node, &HISTORY, "a version in `history`", mistakes);
    let text = |node: Option<&Node>, mistakes: &mut Mistakes| {
        node.and_then(|node| mistakes.keep(node.as_text("a text of `history`"))).unwrap_or_default().to_owned()
    };
    let version = keys.need("version", mistakes);
    let version = text(version, mistakes);
    let date = text(keys.take("date"), mistakes);
    let author = keys.take("author").and_then(|node| read::localized(node, "`author`", mistakes));
    let changes = keys.take("changes").and_then(|node| read::localized(node, "`changes`", mistakes));
    keys.finish(mistakes);
    HistoryEntry { version, date, author, changes }
}

/// Reads `report`; without it, the defaults. `blocks`: those that a report can have.
pub(crate) fn read(node: Option<&Node>, blocks: &[Block], mistakes: &mut Mistakes) -> ReportSettings {
    let mut settings = ReportSettings {
        profile: "standard".into(),
        languages: vec!["en".into()],
        formats: vec!["html".into()],
        ..ReportSettings::default()
    };
    let Some(node) = node else { return settings };
    let mut keys = Reader::of(node, &REPORT, "`report`", mistakes);
    if let Some(node) = keys.take("profile") {
        profile(node, blocks, &mut settings, mistakes);
    }
    if let Some(node) = keys.take("sections") {
        let names = read::members(node).into_iter().filter_map(|member| profile::block(member, blocks, mistakes));
        settings.sections = names.map(|block| block.name.to_owned()).collect();
    }
    if let Some(node) = keys.take("history") {
        settings.history = read::members(node).into_iter().map(|member| history(member, mistakes)).collect();
    }
    for (word, known, target) in
        [("languages", &LANGUAGES[..], &mut settings.languages), ("formats", &FORMATS[..], &mut settings.formats)]
    {
        if let Some(node) = keys.take(word) {
            target.clear();
            for member in read::members(node) {
                let Some(found) = read::word(member, &format!("`{word}`"), known, mistakes) else { continue };
                not_yet::refuse(&format!("{} {found}", word.trim_end_matches('s')), member.place, mistakes);
                target.push(found.to_owned());
            }
            if target.is_empty() && mistakes.is_empty() {
                mistakes.push(
                    Mistake::at(node.place, "study::empty", format!("`{word}` is empty"))
                        .label("name at least one, or leave the key out"),
                );
            }
        }
    }
    for word in TITLE_PAGE {
        if let Some(node) = keys.take(word) {
            let text = read::localized(node, &format!("`{word}`"), mistakes);
            settings.title_page.extend(text.map(|text| (word.to_owned(), text)));
        }
    }
    if let Some(node) = keys.take("keep_out") {
        settings.keep_out = read::members(node).into_iter().filter_map(|node| column(node, mistakes)).collect();
    }
    for (key, value) in keys.take("comments").and_then(Node::map).unwrap_or_default() {
        let text = read::localized(value, "a comment", mistakes);
        settings.comments.extend(text.map(|text| (key.text().unwrap_or_default().to_owned(), text)));
    }
    if let Some(node) = keys.take("expectations") {
        settings.expectations = read::texts(node, "an expectation", mistakes);
    }
    for (key, value) in keys.take("links").and_then(Node::map).unwrap_or_default() {
        let text = mistakes.keep(value.as_text("a link"));
        settings.links.extend(text.map(|text| (key.text().unwrap_or_default().to_owned(), text.to_owned())));
    }
    keys.finish(mistakes);
    settings
}
