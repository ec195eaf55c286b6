//! `report`: the title page and what to print.

use crate::keys::{Form, Key, Reader, key};
use crate::model::ReportSettings;
use crate::{not_yet, read};
use contract::{Mistakes, Node};

pub(crate) const PROFILES: [&str; 5] = ["full", "management", "nsp", "grid", "comparison"];
pub(crate) const LANGUAGES: [&str; 3] = ["en", "nl", "da"];
pub(crate) const FORMATS: [&str; 6] = ["html", "md", "docx", "pdf", "junit", "json"];
/// Texts of the title page.
pub(crate) const TITLE_PAGE: [&str; 10] =
    ["title", "organisation", "address", "contact", "version", "status", "date", "readers", "distribution", "changes"];

/// Keys of `report`.
pub(crate) static REPORT: [Key; 19] = [
    key("profile", Form::Words(&PROFILES), "which chapters; full"),
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
    key("history", Form::Free, "history of the document"),
    key("comments", Form::MapOf(&Form::Localized), "place → comment, marked as the author's"),
    key("expectations", Form::Some(&Form::Localized), "what the author expected; outside the verdict"),
    key("links", Form::MapOf(&Form::Text), "links by name"),
    key("keep_out", Form::Free, "columns with personal data"),
    key("sections", Form::Free, "a choice of sections"),
];

/// Reads `report`; without it, the defaults.
pub(crate) fn read(node: Option<&Node>, mistakes: &mut Mistakes) -> ReportSettings {
    let mut settings = ReportSettings {
        profile: "full".into(),
        languages: vec!["en".into()],
        formats: vec!["html".into()],
        ..ReportSettings::default()
    };
    let Some(node) = node else { return settings };
    let mut keys = Reader::of(node, &REPORT, "`report`", mistakes);
    if let Some(node) = keys.take("profile")
        && let Some(profile) = read::word(node, "`profile`", &PROFILES, mistakes)
    {
        not_yet::refuse(&format!("profile {profile}"), node.place, mistakes);
        settings.profile = profile.to_owned();
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
                    contract::Mistake::at(node.place, "study::empty", format!("`{word}` is empty"))
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
    for word in ["history", "keep_out", "sections"] {
        if let Some(node) = keys.take(word) {
            not_yet::refuse(word, node.place, mistakes);
        }
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
