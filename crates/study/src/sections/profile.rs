//! Profiles of the report: which blocks in which order, under which words, and what a reader's own list demands.
//!
//! A profile is a YAML map, built in by name or in a file beside the study. The archived study holds such a file's
//! content, because the report is made from the run folder alone.

use crate::model::{Block, BlockChoice, Demand, DemandPlace, Fold, ReportProfile};
use crate::syntax::include::Files;
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::{read, yaml};
use contract::{Mistake, Mistakes, Node, Place, Shape};
use std::path::Path;

/// Keys of a profile.
pub(crate) static PROFILE: [Key; 6] = [
    key("name", Form::Text, "its name"),
    key("about", Form::Localized, "whom it is for"),
    required("blocks", Form::List(&Form::Any(&[Form::Text, Form::Table(&CHOICE)])), "chapters in their order"),
    key("appendices", Form::List(&Form::Any(&[Form::Text, Form::Table(&CHOICE)])), "chapters after them, with letters"),
    key("terms", Form::MapOf(&Form::Localized), "message → text that replaces it"),
    key("conformance", Form::List(&Form::Table(&DEMAND)), "what a reader's own list demands"),
];

/// A block that is folded itself, and one whose parts are.
pub(crate) const FOLD_WHOLE: &str = "whole";
/// As [`FOLD_WHOLE`].
pub(crate) const FOLD_PARTS: &str = "parts";
const FOLD: Form = Form::Any(&[Form::Words(&[FOLD_WHOLE, FOLD_PARTS]), Form::List(&Form::Text)]);

/// Keys of a block that is more than its name.
static CHOICE: [Key; 5] = [
    key("block", Form::Text, "its name"),
    key("parts", Form::List(&Form::Text), "which of its parts, in this order; the usual ones"),
    key("title", Form::Localized, "heading, when it is not the usual one"),
    key("fold", FOLD, "what the web page folds and paper leaves out: `whole`, `parts`, or names of parts; nothing"),
    key(
        "of",
        Form::List(&Form::Any(&[Form::Text, Form::Table(&MEMBER)])),
        "instead of `block`: the blocks of a chapter",
    ),
];

/// Keys of a block within a chapter.
static MEMBER: [Key; 4] = [
    required("block", Form::Text, "its name"),
    key("parts", Form::List(&Form::Text), "which of its parts, in this order; the usual ones"),
    key("title", Form::Localized, "heading, when it is not the usual one"),
    key("fold", FOLD, "what the web page folds and paper leaves out: `whole`, `parts`, or names of parts; nothing"),
];

/// Keys of a demand.
static DEMAND: [Key; 5] = [
    required("id", Form::Text, "its number in the reader's list"),
    required("asks", Form::Localized, "what is demanded"),
    key("at", Form::Some(&Form::Text), "blocks of which any answers it, `results` or `results.times`"),
    key(
        "needs",
        Form::Some(&Form::Text),
        "what must all be there, `results.system#heap` for a figure or table by name",
    ),
    key("why_not", Form::Localized, "why no block answers it"),
];

/// Most of anything in a profile.
const ENTRIES_MAX: usize = 500;

/// Reads a profile from the text of a file. `name` appears in messages; `blocks` are those that it may name.
///
/// # Errors
/// Everything that is wrong with it, one sentence each.
pub fn profile_from_text(name: &str, text: &str, blocks: &[Block]) -> Result<ReportProfile, Vec<String>> {
    let mut mistakes = Mistakes::default();
    let node = yaml::parse(0, text, &mut mistakes);
    let profile = node.map(|node| read(&node, name, blocks, &mut mistakes));
    match (profile, mistakes.into_result()) {
        (Some(profile), Ok(())) => Ok(profile),
        (_, Err(mistakes)) => Err(mistakes.0.iter().map(|mistake| mistake.message.clone()).collect()),
        (None, Ok(())) => Err(vec![format!("`{name}` is empty")]),
    }
}

/// Puts the content of a profile's file in place of its name, so that mistakes in it have their places.
pub(crate) fn put_in(root: &mut Node, files: &mut Files, base: &Path, mistakes: &mut Mistakes) {
    let Some(report) = entry(root, "report") else { return };
    let Some(profile) = entry(report, "profile") else { return };
    let Some(file) = profile.text().filter(|text| is_file(text)).map(str::to_owned) else { return };
    let place = profile.place;
    let Some(mut node) = files.read_other(&base.join(&file), &file, place, mistakes) else { return };
    if let Shape::Map(entries) = &mut node.shape
        && !entries.iter().any(|(key, _)| key.text() == Some("name"))
    {
        let stem = Path::new(&file).file_stem().map_or(file.clone(), |stem| stem.to_string_lossy().into_owned());
        entries.push((Node::text_at(place, "name"), Node::text_at(place, stem)));
    }
    *profile = node;
}

fn entry<'a>(node: &'a mut Node, name: &str) -> Option<&'a mut Node> {
    match &mut node.shape {
        Shape::Map(entries) => entries.iter_mut().find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value),
        _ => None,
    }
}

/// Whether a profile's name is that of a file.
pub(crate) fn is_file(text: &str) -> bool {
    ENDINGS.iter().any(|ending| text.ends_with(ending))
}

/// Of the file of a profile.
pub(crate) static ENDINGS: [&str; 2] = [".yaml", ".yml"];

/// Reads the map of a profile that may name any of `blocks`.
pub(crate) fn read(node: &Node, name: &str, blocks: &[Block], mistakes: &mut Mistakes) -> ReportProfile {
    let mut keys = Reader::of(node, &PROFILE, "a profile", mistakes);
    let own = keys.take("name").and_then(|node| mistakes.keep(node.as_text("`name`")));
    let mut profile = ReportProfile { name: own.unwrap_or(name).to_owned(), ..ReportProfile::default() };
    profile.about = keys.take("about").and_then(|node| read::localized(node, "`about`", mistakes));
    if let Some(node) = keys.need("blocks", mistakes) {
        profile.blocks = choices(node, "`blocks`", blocks, mistakes);
    }
    if let Some(node) = keys.take("appendices") {
        profile.appendices = choices(node, "`appendices`", blocks, mistakes);
    }
    for (key, value) in keys.take("terms").and_then(Node::map).unwrap_or_default().iter().take(ENTRIES_MAX) {
        let text = read::localized(value, "a term", mistakes);
        profile.terms.extend(text.map(|text| (key.text().unwrap_or_default().to_owned(), text)));
    }
    if let Some(node) = keys.take("conformance") {
        let demands = read::list(node, "`conformance`", mistakes).iter().take(ENTRIES_MAX);
        profile.conformance = demands.filter_map(|node| demand(node, blocks, mistakes)).collect();
    }
    keys.finish(mistakes);
    twice(&profile, node.place, blocks, mistakes);
    profile
}

fn choices(node: &Node, what: &str, blocks: &[Block], mistakes: &mut Mistakes) -> Vec<BlockChoice> {
    let members = read::list(node, what, mistakes).iter().take(ENTRIES_MAX);
    members.filter_map(|member| choice(member, blocks, mistakes)).collect()
}

/// A block, or a chapter made of several.
fn choice(node: &Node, blocks: &[Block], mistakes: &mut Mistakes) -> Option<BlockChoice> {
    let Some(entries) = node.map() else { return named(node, blocks, mistakes) };
    if entries.iter().all(|(key, _)| key.text() != Some("of")) {
        return member(node, blocks, mistakes);
    }
    let mut keys = Reader::of(node, &CHOICE, "a chapter", mistakes);
    for other in ["block", "parts", "fold"] {
        if let Some(node) = keys.take(other) {
            let text = format!("a chapter has `{other}` and `of`");
            mistakes.push(Mistake::at(node.place, "study::conflict", text).label("leave one of them out"));
        }
    }
    let title = keys.need("title", mistakes).and_then(|node| read::localized(node, "`title`", mistakes));
    let of = keys.take("of").map(|node| read::list(node, "`of`", mistakes)).unwrap_or_default();
    keys.finish(mistakes);
    let of: Vec<BlockChoice> = of.iter().take(ENTRIES_MAX).filter_map(|node| member(node, blocks, mistakes)).collect();
    Some(BlockChoice { title, of, ..BlockChoice::default() })
}

fn named(node: &Node, blocks: &[Block], mistakes: &mut Mistakes) -> Option<BlockChoice> {
    let found = block(node, blocks, mistakes)?;
    Some(BlockChoice { name: found.name.to_owned(), ..BlockChoice::default() })
}

/// One block, by its name or with keys.
fn member(node: &Node, blocks: &[Block], mistakes: &mut Mistakes) -> Option<BlockChoice> {
    if node.map().is_none() {
        return named(node, blocks, mistakes);
    }
    let mut keys = Reader::of(node, &MEMBER, "a block", mistakes);
    let found = keys.need("block", mistakes).and_then(|node| block(node, blocks, mistakes));
    let parts = keys.take("parts");
    let title = keys.take("title").and_then(|node| read::localized(node, "`title`", mistakes));
    let fold = keys.take("fold");
    keys.finish(mistakes);
    let found = found?;
    let parts = parts.map(|node| parts_of(node, found, mistakes)).unwrap_or_default();
    let fold = match fold {
        None => Fold::Nothing,
        Some(node) if node.text() == Some(FOLD_WHOLE) => Fold::Whole,
        Some(node) if node.text() == Some(FOLD_PARTS) => Fold::Parts,
        Some(node) => Fold::These(parts_of(node, found, mistakes)),
    };
    Some(BlockChoice { name: found.name.to_owned(), parts, title, fold, of: Vec::new() })
}

/// Names of parts of a block.
fn parts_of(node: &Node, block: &Block, mistakes: &mut Mistakes) -> Vec<String> {
    let mut wanted = Vec::new();
    for part in read::members(node) {
        let Some(text) = mistakes.keep(part.as_text("a part")) else { continue };
        match block.parts.iter().find(|known| **known == text) {
            Some(known) => wanted.push((*known).to_owned()),
            None => mistakes.push(unknown_part(text, block.name, block.parts, part.place)),
        }
    }
    wanted
}

/// A block by its name.
pub(crate) fn block<'a>(node: &Node, blocks: &'a [Block], mistakes: &mut Mistakes) -> Option<&'a Block> {
    let text = mistakes.keep(node.as_text("a block"))?;
    let found = blocks.iter().find(|block| block.name == text);
    if found.is_none() {
        let known: Vec<String> = blocks.iter().map(|block| block.name.to_owned()).collect();
        mistakes.push(unknown(text, "block of a report", &known, node.place));
    }
    found
}

fn unknown_part(text: &str, block: &str, known: &[&str], place: Place) -> Mistake {
    if known.is_empty() {
        let text = format!("the block `{block}` has no parts, so `{text}` cannot be chosen");
        return Mistake::at(place, "study::unknown-name", text).label("leave `parts` out");
    }
    let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
    unknown(text, &format!("part of `{block}`"), &known, place)
}

fn unknown(text: &str, what: &str, known: &[String], place: Place) -> Mistake {
    let hint = format!("possible: {}", known.join(", "));
    read::unknown(text, what, known, place).hint(hint)
}

fn demand(node: &Node, blocks: &[Block], mistakes: &mut Mistakes) -> Option<Demand> {
    let mut keys = Reader::of(node, &DEMAND, "a demand", mistakes);
    let id = keys.need("id", mistakes).and_then(|node| mistakes.keep(node.as_text("`id`"))).map(str::to_owned);
    let asks = keys.need("asks", mistakes).and_then(|node| read::localized(node, "`asks`", mistakes));
    let mut places = |name| {
        let members = keys.take(name).map(read::members).unwrap_or_default();
        members.iter().take(ENTRIES_MAX).filter_map(|member| place_of(member, blocks, mistakes)).collect()
    };
    let (at, needs) = (places("at"), places("needs"));
    let why_not = keys.take("why_not").and_then(|node| read::localized(node, "`why_not`", mistakes));
    keys.finish(mistakes);
    Some(Demand { id: id?, asks: asks?, at, needs, why_not })
}

/// `results`, `results.times` or `results.times#times-table`: block, a part of it, what must be there.
fn place_of(node: &Node, blocks: &[Block], mistakes: &mut Mistakes) -> Option<DemandPlace> {
    let text = mistakes.keep(node.as_text("a place"))?;
    let (text, shows) = text.split_once('#').unwrap_or((text, ""));
    let shows = shows.split('|').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let (name, part) = text.split_once('.').map_or((text, None), |(name, part)| (name, Some(part)));
    let Block { name, parts, .. } = *block(&Node::text_at(node.place, name), blocks, mistakes)?;
    if let Some(part) = part
        && !parts.contains(&part)
    {
        mistakes.push(unknown_part(part, name, parts, node.place));
        return None;
    }
    Some(DemandPlace { block: name.to_owned(), part: part.map(str::to_owned), shows })
}

/// A block listed twice would give two chapters with the same anchors.
fn twice(profile: &ReportProfile, place: Place, blocks: &[Block], mistakes: &mut Mistakes) {
    let all: Vec<&str> = profile.chosen().map(|choice| choice.name.as_str()).collect();
    for (index, name) in all.iter().enumerate() {
        if all[..index].contains(name) {
            let text = format!("the block `{name}` is listed twice in the profile");
            mistakes.push(Mistake::at(place, "study::duplicate-name", text).label("name it once"));
        }
    }
    // Where every name was wrong, that has been said.
    if all.is_empty() && mistakes.is_empty() {
        let mistake = Mistake::at(place, "study::empty", "the profile has no blocks".to_owned());
        let known: Vec<&str> = blocks.iter().map(|block| block.name).collect();
        mistakes.push(mistake.hint(format!("possible: {}", known.join(", "))));
    }
}
