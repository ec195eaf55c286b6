//! Credentials written in the study itself, in plain text, instead of `$(secret.X)`: reported by `check`, and kept out of
//! everything that is written.

use crate::model::{Study, lists_of};
use crate::names::secrets::Secrets;
use contract::{Check, Mistake, Node, Place, Probe, Shape};
use scrub::KeptOut;
use scrub::MARK;
use scrub::names::{is_credential, mentions_credential, passwords_in, written_in};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// A shorter secret occurs in many texts by chance: the archived study keeps its letters.
const TOLD_MIN: usize = 8;
/// A secret shorter than this is also a piece of other words: it is cut out only where it stands alone.
const SHORT: usize = 4;

/// Keys of drivers whose value is a credential.
const OWN_KEYS: [&str; 2] = ["basic", "bearer"];
/// Words of [`is_credential`] that name something else outside of headers, such as what a message is signed with.
const OTHERS: [&str; 3] = ["signature", "session", "cookie"];

/// Stands for the name of a password in an address.
const ADDRESS: &str = "the address";

/// A credential that is written out.
struct Written {
    /// The key it belongs to.
    name: String,
    place: Place,
    /// Where in the scalar.
    range: Range<usize>,
    value: String,
}

impl Study {
    /// Which captures are credentials, by their numbers: those of which the study says so, and those that are named like
    /// one or come from what is named like one, unless the study says that they are none.
    pub fn credentials(&self) -> Vec<bool> {
        let comes_from_one = |name: &String| {
            let all = self.exchanges.iter().flat_map(|exchange| &exchange.settings.captures);
            all.filter(|capture| capture.name == *name).any(|capture| match &capture.probe {
                Probe::Header(text) | Probe::Json(text) | Probe::Xpath { path: text, .. } | Probe::Regex(text) => {
                    mentions_credential(text)
                }
                Probe::HeaderPart { name, pattern } => mentions_credential(name) || mentions_credential(pattern),
                _ => false,
            })
        };
        let is_one = |name: &String| {
            let said = self.secret_captures.get(name).copied();
            said.unwrap_or_else(|| is_credential(name) || comes_from_one(name))
        };
        let mut found: Vec<bool> = self.captures.iter().map(is_one).collect();
        // What a list keeps secret its members do.
        let parts = self.scenarios.iter().flat_map(|scenario| &scenario.parts);
        for members in parts.flat_map(|part| lists_of(&part.run)) {
            if found.get(usize::from(members.list)) == Some(&true) {
                found.iter_mut().skip(usize::from(members.member)).take(1).for_each(|is_one| *is_one = true);
            }
        }
        found
    }
}

/// The values that are written out, in the forms in which they may be repeated.
pub(crate) fn values(study: &Study) -> Vec<String> {
    let mut all = Vec::new();
    for written in find(study) {
        // `Basic …`, `Bearer …`: the scheme says nothing. Of `user:password` the password is repeated alone, too.
        let bare = written.value.split_once(' ').map_or(written.value.as_str(), |(_, rest)| rest.trim());
        if written.name == "basic" || written.name == ADDRESS {
            all.extend(bare.split_once(':').map(|(_, password)| password.to_owned()));
        }
        all.push(bare.to_owned());
    }
    all.extend(stated(study).map(|(_, value)| value.to_owned()));
    all.retain(|value| !value.is_empty());
    all
}

/// Facts that are credentials, by their names.
fn stated(study: &Study) -> impl Iterator<Item = (&str, &str)> {
    let all = study.system.stated.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    all.filter(|(name, value)| is_written(name, value))
}

/// Reports where a credential is written out, where the text of a secret is in the study, and which secret is short.
pub(crate) fn warn(study: &mut Study, secrets: &Secrets) {
    let mut warnings = Vec::new();
    for Written { name, place, .. } in find(study) {
        warnings.push(
            Mistake::at(place, "study::written-secret", format!("the value of `{name}` is written out"))
                .label("write `$(secret.NAME)` in its place")
                .hint("and set `NAME` in the environment, or name its file: `secrets: { NAME: { file: … } }`\nwhat stands here is kept out of everything that loadproof writes"),
        );
    }
    for (name, _) in stated(study) {
        warnings.push(
            Mistake::nowhere("study::written-secret", format!("the value of `stated: {name}` is written out"))
                .hint("a fact says what the system is: leave the credential out; it is kept out of everything that loadproof writes"),
        );
    }
    for (name, value) in secrets.named().filter(|(_, value)| !value.is_empty() && value.len() < SHORT) {
        let text = format!("the secret `{name}` has {} characters", value.chars().count());
        warnings.push(
            Mistake::nowhere("study::short-secret", text)
                .hint("so short a text also occurs inside words and numbers: it is kept out only where it stands alone; use a longer one"),
        );
    }
    study.warnings.extend(warnings);
}

/// Takes what is written out from the study that is archived, and puts the names of secrets in the place of their
/// values.
pub(crate) fn replace(whole: &mut Node, study: &Study, secrets: &Secrets) {
    let mut places: HashMap<Place, Vec<Range<usize>>> = HashMap::new();
    for written in find(study) {
        places.entry(written.place).or_default().push(written.range);
    }
    let named: Vec<(String, &str)> = secrets
        .named()
        .filter(|(_, value)| value.len() >= TOLD_MIN)
        .map(|(name, value)| (format!("$(secret.{name})"), value))
        .collect();
    let told: Vec<String> = values(study)
        .into_iter()
        .filter(|value| value.len() >= TOLD_MIN && !is_word(value))
        .chain(named.iter().map(|(_, value)| (*value).to_owned()))
        .collect();
    let elsewhere = KeptOut::of(told.iter().map(String::as_bytes));
    replace_in(whole, &places, &named, &elsewhere);
    let Shape::Map(entries) = &mut whole.shape else { return };
    let sections = entries.iter_mut().filter_map(|(key, value)| match key.text() {
        Some("vars" | "assume") => Some(value),
        Some("system") => {
            entries_of(value)?.iter_mut().find(|(key, _)| key.text() == Some("stated")).map(|stated| &mut stated.1)
        }
        _ => None,
    });
    for (key, value) in sections.filter_map(entries_of).flatten() {
        let value = match &mut value.shape {
            Shape::Map(entries) => {
                entries.iter_mut().find(|(key, _)| key.text() == Some("value")).map(|(_, value)| value)
            }
            _ => Some(value),
        };
        if let (Some(name), Some(Shape::Text { text, .. })) = (key.text(), value.map(|value| &mut value.shape))
            && is_written(name, text)
        {
            *text = MARK.to_owned();
        }
    }
}

fn entries_of(node: &mut Node) -> Option<&mut Vec<(Node, Node)>> {
    match &mut node.shape {
        Shape::Map(entries) => Some(entries),
        _ => None,
    }
}

/// Whether it may occur in a study with another meaning, such as the `postgres` of an address.
fn is_word(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(&byte))
}

fn replace_in(
    node: &mut Node,
    places: &HashMap<Place, Vec<Range<usize>>>,
    named: &[(String, &str)],
    elsewhere: &KeptOut,
) {
    match &mut node.shape {
        Shape::List(members) => members.iter_mut().for_each(|member| replace_in(member, places, named, elsewhere)),
        Shape::Map(entries) => {
            entries.iter_mut().for_each(|(_, value)| replace_in(value, places, named, elsewhere));
        }
        Shape::Text { text, .. } => {
            // From the end, so that what comes before keeps its place. A node that was made here has no place.
            let mut ranges = match node.place == Place::default() {
                true => Vec::new(),
                false => places.get(&node.place).cloned().unwrap_or_default(),
            };
            ranges.sort_by_key(|range| std::cmp::Reverse(range.start));
            for range in ranges {
                if text.get(range.clone()).is_some() {
                    text.replace_range(range, MARK);
                }
            }
            for range in passwords_in(text).into_iter().rev() {
                text.replace_range(range, MARK);
            }
            for (name, value) in named {
                if text.contains(value) {
                    *text = text.replace(value, name);
                }
            }
            // The same value may stand in another place as well, and there encoded.
            if !elsewhere.is_empty()
                && let Cow::Owned(cut) = elsewhere.cut_values(text)
            {
                *text = cut;
            }
        }
    }
}

/// Everything that is written out.
fn find(study: &Study) -> Vec<Written> {
    let mut found = Vec::new();
    for variable in &study.variables {
        if is_written(&variable.name, &variable.written) {
            found.push(written(&variable.name, variable.place, &variable.written, 0..variable.written.len()));
        }
    }
    for exchange in &study.exchanges {
        find_in(&exchange.settings.node, "", false, &mut found);
        found.extend(exchange.settings.checks.iter().filter_map(expected));
    }
    for watch in &study.watch {
        find_in(&watch.node, "", false, &mut found);
    }
    for instance in &study.system.instances {
        for node in instance.start.iter().chain(&instance.url) {
            find_in(node, "", false, &mut found);
        }
        instance.env.iter().for_each(|(name, node)| find_in(node, name, false, &mut found));
    }
    found
}

fn find_in(node: &Node, name: &str, is_header: bool, found: &mut Vec<Written>) {
    match &node.shape {
        Shape::List(members) => members.iter().for_each(|member| find_in(member, name, is_header, found)),
        Shape::Map(entries) => entries.iter().for_each(|(key, value)| {
            find_in(value, key.text().unwrap_or_default(), name == "headers", found);
        }),
        Shape::Text { text, .. } if (is_header && is_credential(name) && is_plain(text)) || is_written(name, text) => {
            found.push(written(name, node.place, text, 0..text.len()));
        }
        Shape::Text { text, .. } => {
            for range in written_in(text) {
                let before = text[..range.start].trim_end_matches(|c: char| !c.is_alphanumeric());
                let from = before.rfind(|c: char| !c.is_alphanumeric() && !"-_".contains(c)).map_or(0, |at| at + 1);
                // What stands before the password in an address is its user.
                let before = before[from..].trim_start_matches("-");
                let name = if is_credential(before) { before } else { ADDRESS };
                if is_plain(&text[range.clone()]) {
                    found.push(written(name, node.place, text, range));
                }
            }
        }
    }
}

/// What a check of a credential compares with: `json($.token) = …`.
fn expected(check: &Check) -> Option<Written> {
    let (Probe::Header(looked)
    | Probe::HeaderPart { name: looked, .. }
    | Probe::Json(looked)
    | Probe::Xpath { path: looked, .. }) = &check.probe
    else {
        return None;
    };
    let name =
        looked.rsplit(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c)).find(|name| !name.is_empty())?;
    let value = std::str::from_utf8(check.expected.as_fixed()?).ok()?;
    let from = check.text.rfind(value)?;
    // A word says what kind of thing it is: `bearer`, `present`.
    let is_one = is_written(name, value) && !is_word(value);
    is_one.then(|| written(name, check.place, &check.text, from..from + value.len()))
}

fn written(name: &str, place: Place, text: &str, range: Range<usize>) -> Written {
    Written { name: name.to_owned(), place, value: text[range.clone()].to_owned(), range }
}

/// Whether a value under this name is a credential that is written out.
fn is_written(name: &str, text: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_one = is_credential(name) && !OTHERS.iter().any(|other| lower.contains(other));
    (is_one || OWN_KEYS.contains(&name)) && is_plain(text)
}

/// Whether it is a value rather than a combination of names.
fn is_plain(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains("$(") && !text.contains(MARK)
}
