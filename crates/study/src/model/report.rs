//! The title page, what to print, and the profile that it is printed by.

use super::Text;
use super::demand::Demand;

use contract::Place;

/// The title page and what to print.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSettings {
    /// Profile: its name.
    pub profile: String,
    /// The profile itself, when it came from a file beside the study.
    pub own_profile: Option<ReportProfile>,
    /// Blocks to print, when not all of the profile; in the profile's order.
    pub sections: Vec<String>,
    /// The document's history, oldest first as written.
    pub history: Vec<HistoryEntry>,
    pub languages: Vec<String>,
    pub formats: Vec<String>,
    /// `title organisation address contact version status date readers distribution changes …`, as written.
    pub title_page: Vec<(String, Text)>,
    /// Place → marked comment of the author.
    pub comments: Vec<(String, Text)>,
    /// What the author expected; outside the verdict.
    pub expectations: Vec<Text>,
    /// Links by name.
    pub links: Vec<(String, String)>,
    /// Columns of data sets whose values nothing that is written shows.
    pub keep_out: Vec<KeptColumn>,
}

impl ReportSettings {
    /// Another profile in place of the study's own, whole: a choice of sections was one of that.
    pub fn choose(&mut self, profile: ReportProfile) {
        self.profile.clone_from(&profile.name);
        self.own_profile = Some(profile);
        self.sections.clear();
    }
}

/// A column of a data set that is kept out of everything that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptColumn {
    /// Name of the data set.
    pub set: String,
    /// Name of the column.
    pub column: String,
    /// Where it is named.
    pub place: Place,
}

/// A version in the document's history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryEntry {
    pub version: String,
    /// Date, as written.
    pub date: String,
    /// Who wrote it.
    pub author: Option<Text>,
    /// What changed.
    pub changes: Option<Text>,
}

/// Which blocks a report has, with which titles, and what its readers demand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportProfile {
    pub name: String,
    /// Whom it is for.
    pub about: Option<Text>,
    /// Chapters in their order.
    pub blocks: Vec<BlockChoice>,
    /// Chapters after them, numbered with letters.
    pub appendices: Vec<BlockChoice>,
    /// Message → text that replaces it.
    pub terms: Vec<(String, Text)>,
    /// What the readers' own list demands.
    pub conformance: Vec<Demand>,
}

/// A block that a report can have: the crate that writes reports lists them, and profiles choose among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Name, as profiles write it.
    pub name: &'static str,
    /// Names of its parts that a profile can choose.
    pub parts: &'static [&'static str],
    /// What it holds.
    pub about: &'static str,
}

/// A block of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockChoice {
    /// Name of a [`Block`]; empty for a chapter of several blocks.
    pub name: String,
    /// Its parts to print, in this order; the usual ones when empty.
    pub parts: Vec<String>,
    /// Blocks that are the parts of this chapter; empty where it is one block itself.
    pub of: Vec<BlockChoice>,
    /// Heading, when it is not the usual one.
    pub title: Option<Text>,
    /// What of it a reader opens on the web page, and paper leaves to that.
    pub fold: Fold,
}

/// What of a block is folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    #[default]
    Nothing,
    Whole,
    /// Each of its parts, but not what stands before them.
    Parts,
    /// The parts of these names.
    These(Vec<String>),
}

impl BlockChoice {
    /// Its blocks: itself, or those of its chapter.
    pub fn single(&self) -> impl Iterator<Item = &Self> {
        let own = (!self.name.is_empty()).then_some(self);
        own.into_iter().chain(&self.of)
    }
}

impl ReportProfile {
    /// Every block of it, appendices last, without the chapters that only hold others.
    pub fn chosen(&self) -> impl Iterator<Item = &BlockChoice> {
        self.blocks.iter().chain(&self.appendices).flat_map(BlockChoice::single)
    }
}
