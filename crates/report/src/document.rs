//! The document: what a report says, before anybody decides how it looks.
//!
//! Every writer (HTML, Markdown, CSV) reads this and nothing else, so that all formats say the same.

pub(crate) mod folded;
mod names;
mod numbering;

pub(crate) use names::name_files;
pub use names::slug;
pub(crate) use numbering::letters;
pub use numbering::number_sections;

use judge::{Gravity, WireValidity};
use terms::{Severity, Verdict};

/// Figures and tables of a short report, those under figures too.
const SHORT: usize = 16;

/// A whole report in one language.
#[derive(Clone, Debug)]
pub struct Document {
    /// Language tag.
    pub language: &'static str,
    /// The title block.
    pub title: TitleBlock,
    pub sections: Vec<Section>,
    /// What a document on paper has around its chapters.
    pub frame: crate::frame::Frame,
}

/// What stands above everything else.
#[derive(Clone, Debug, Default)]
pub struct TitleBlock {
    /// Title of the report.
    pub title: String,
    /// The system tested.
    pub system: String,
    /// What the study is for.
    pub about: String,
    /// When it began, and the run's id, on one line.
    pub dateline: String,
    /// Marks that must be seen first: trial, aborted, killed.
    pub marks: Vec<Mark>,
    /// Name and value: run, date, version, status, hash. Pages that scroll have them last.
    pub facts: Vec<(String, String)>,
}

/// A mark on the title block.
#[derive(Clone, Debug)]
pub struct Mark {
    /// One word or two.
    pub word: String,
    /// The sentence beside it.
    pub text: String,
}

/// A chapter or a part of one.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Anchor within the page; letters, digits and `-` only.
    pub anchor: String,
    /// `5.2`; set by [`number_sections`].
    pub number: String,
    /// Depth, 2 for a chapter.
    pub level: u8,
    pub title: String,
    pub blocks: Vec<Block>,
    pub parts: Vec<Section>,
    /// Name of the block that it is, of a chapter; see [`crate::BLOCKS`].
    pub block: String,
    /// Whether it stands among the appendices and has a letter for a number.
    pub is_appendix: bool,
    /// Whether a reader of the web page opens it, and paper has its name alone. Such sections stand behind the others.
    pub is_folded: bool,
}

impl Section {
    /// A chapter or part without content yet.
    pub fn new(anchor: impl Into<String>, title: impl Into<String>) -> Self {
        Self { anchor: anchor.into(), title: title.into(), ..Self::default() }
    }

    /// Adds a paragraph.
    pub fn say(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph { text: text.into(), findings: Vec::new(), is_lead: false });
    }

    /// Adds a block.
    pub fn add(&mut self, block: Block) {
        self.blocks.push(block);
    }
}

/// One thing in a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// Sentences, with the ids of the findings that they rest on.
    Paragraph {
        text: String,
        /// Ids such as `F2`.
        findings: Vec<String>,
        /// Whether it opens the chapter.
        is_lead: bool,
    },
    /// The validity of the run, large.
    Validity {
        state: WireValidity,
        word: String,
        /// What it means for the verdicts.
        text: String,
        /// Reasons, gravest first.
        reasons: Vec<String>,
    },
    /// How many requirements of each verdict: verdict, word, count.
    VerdictCounts(Vec<(Verdict, String, usize)>),
    Table(Table),
    Figure(Box<Figure>),
    /// A table or figure of raw statistics: folded on a screen, its name and its file on paper ([`Document::on_paper`]).
    /// What is folded has no number.
    Folded(Box<Block>),
    /// Numbers that are among the tables of the report and on no page: of a drawing that was left out because another
    /// shows the same.
    Data(Box<Table>),
    /// A finding: what was seen, what it means.
    Finding {
        /// `F2`.
        id: String,
        /// Name of the rule.
        rule: String,
        /// How grave.
        gravity: Gravity,
        word: String,
        scope: String,
        /// What the data show.
        observation: String,
        /// What it means.
        assessment: String,
    },
    /// Something that the reader must not overlook, or that is missing with its reason.
    Note {
        /// What kind.
        kind: NoteKind,
        text: String,
    },
    /// Points one under another.
    Points(Vec<String>),
    /// Terms and what they mean here.
    Definitions(Vec<(String, String)>),
}

/// What a remark is for, which sets its colour and its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// How to read what follows.
    Reading,
    /// Something is missing.
    Missing,
    /// Changes how figures are to be read.
    Warning,
    /// Written by the study's author.
    Comment,
    /// What paper leaves to the web page.
    OnPage,
}

impl NoteKind {
    /// Name of its style.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Missing => "missing",
            Self::Warning => "warning",
            Self::Comment => "comment",
            Self::OnPage => "reading",
        }
    }
}

/// A table of any format: columns with their alignment, rows of cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Name of its CSV file, and its anchor.
    pub name: String,
    /// What it shows.
    pub caption: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Remarks under the table.
    pub notes: Vec<String>,
}

/// A column's heading, and how its cells are set.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Heading, without unit.
    pub title: String,
    /// Unit of all its numbers; empty for none.
    pub unit: String,
    /// Whether it holds numbers, set flush right.
    pub is_number: bool,
}

impl Column {
    /// A column of text.
    pub fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// A column of counts that has a word of the catalogue as its title, which begins as other titles do.
    pub(crate) fn count_of(word: &str) -> Self {
        let mut rest = word.chars();
        let title = rest.next().map(|first| first.to_uppercase().chain(rest).collect::<String>());
        Self::number(title.unwrap_or_default(), "")
    }

    /// A column of numbers with their unit; empty for none.
    pub fn number(title: impl Into<String>, unit: &str) -> Self {
        Self { title: title.into(), unit: unit.to_owned(), is_number: true }
    }
}

/// A row of cells, perhaps set apart.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Cells, one a column.
    pub cells: Vec<Cell>,
    /// Where its point stands in the figure above, in units of the figure's width; for the crosshair.
    pub x: Option<f64>,
    /// Whether it is a sum or otherwise stands out.
    pub is_strong: bool,
}

impl Row {
    /// A plain row.
    pub fn new(cells: Vec<Cell>) -> Self {
        Self { cells, ..Self::default() }
    }
}

/// What a cell shows, as a text or as something that formats draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// What is printed.
    pub text: String,
    /// A second line, smaller: an interval, a sentence.
    pub detail: String,
    /// What the second line is, so that the CSV has it in columns of its own.
    pub detail_kind: Detail,
    /// The number unrounded, for the CSV.
    pub raw: Option<f64>,
    /// Unit of [`Self::raw`] where the rows of a column differ in it; else empty.
    pub unit: String,
    /// Whether the true value is at least what is printed.
    pub is_lower_bound: bool,
    /// How it is set.
    pub kind: CellKind,
    /// A drawing as small as a word, before the text; formats that cannot show it lose nothing but the picture.
    pub spark: String,
    /// Where more of it is, an address of the web; formats that cannot have one lose nothing but that.
    pub link: Option<String>,
}

/// How a cell is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellKind {
    #[default]
    Text,
    /// As a name from the study or a sample from the wire.
    Code,
    /// Not there; the reason stands in a note.
    Missing,
    Verdict(Verdict),
    Validity(WireValidity),
    Severity(Severity),
}

/// What a second line holds: numbers keep all their digits in the CSV.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Detail {
    /// A name or a sentence.
    #[default]
    Text,
    /// Both ends of the value's interval.
    Interval(f64, f64),
    /// The greatest of the values whose mean is above.
    Greatest(f64),
    /// The limit that a requirement sets on the value.
    Limit(f64),
    Severity,
}

impl Cell {
    /// A cell of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A name from outside.
    pub fn code(text: impl Into<String>) -> Self {
        Self { text: crate::number::clean(&text.into()), kind: CellKind::Code, ..Self::default() }
    }

    /// A number as printed and as it is.
    pub fn number(text: impl Into<String>, raw: f64) -> Self {
        Self { text: text.into(), raw: raw.is_finite().then_some(raw), ..Self::default() }
    }

    /// The same with an address of the web where more of it is.
    pub(crate) fn linked(self, link: Option<String>) -> Self {
        Self { link, ..self }
    }

    /// Nothing to print.
    pub fn missing() -> Self {
        Self { text: crate::number::MISSING.to_owned(), kind: CellKind::Missing, ..Self::default() }
    }

    /// The same with the unit of its number, where the rows of its column differ in it.
    pub fn in_unit(mut self, unit: &str) -> Self {
        unit.clone_into(&mut self.unit);
        self
    }

    /// The same with a second line.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The same with a second line of a certain kind.
    pub fn with_detail_of(self, kind: Detail, detail: impl Into<String>) -> Self {
        Self { detail_kind: kind, ..self.with_detail(detail) }
    }

    /// The same as a lower bound: the true value is at least this.
    pub fn at_least(mut self) -> Self {
        self.text.insert_str(0, "≥\u{a0}");
        self.is_lower_bound = true;
        self
    }
}

/// A figure with all that belongs to it. There is none without an assessment.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Anchor; also names its data table.
    pub anchor: String,
    /// `7`; set by [`number_sections`].
    pub number: String,
    /// What is plotted.
    pub subject: String,
    /// What it shows: the finding, in a few words.
    pub caption: String,
    pub svg: String,
    /// What the data show.
    pub observation: String,
    /// What that means for the question of the study.
    pub assessment: String,
    /// How to read it, where that is not common knowledge.
    pub reading: String,
    /// Ids of findings that it bears on.
    pub findings: Vec<String>,
    /// Plotted numbers.
    pub data: Table,
    /// Figures of one group share their horizontal axis, and so a crosshair.
    pub group: String,
    /// Whether it shows nothing that bears on the question: no limit, no change, no difference. Only a report of everything
    /// has such figures open.
    pub is_plain: bool,
}

impl Document {
    /// All figures in order.
    pub fn figures(&self) -> Vec<&Figure> {
        let mut all = Vec::new();
        for section in &self.sections {
            collect_figures(section, &mut all);
        }
        all
    }

    /// Whether it is of a few pages, whose reader needs no list of contents.
    pub fn is_short(&self) -> bool {
        self.figures().len() + self.tables().len() <= SHORT
    }

    /// All tables in order, those under figures too.
    pub fn tables(&self) -> Vec<&Table> {
        tables_of(&self.sections)
    }

    /// That only one row of so many of a table is shown, and in which file all are.
    pub fn thinned(&self, table: &Table, stride: usize) -> String {
        let text = self.frame.words.thinned.replace("{stride}", &stride.to_string());
        text.replace("{file}", &format!("tables/{}.csv", table.name))
    }
}

/// All tables of these sections in order, those under figures too.
pub fn tables_of(sections: &[Section]) -> Vec<&Table> {
    let mut all = Vec::new();
    for section in sections {
        collect_tables(section, &mut all);
    }
    all
}

fn collect_figures<'a>(section: &'a Section, all: &mut Vec<&'a Figure>) {
    for block in &section.blocks {
        if let Block::Figure(figure) = block.inner() {
            all.push(figure);
        }
    }
    for part in &section.parts {
        collect_figures(part, all);
    }
}

fn collect_tables<'a>(section: &'a Section, all: &mut Vec<&'a Table>) {
    for block in &section.blocks {
        match block.inner() {
            Block::Table(table) => all.push(table),
            Block::Figure(figure) => all.push(&figure.data),
            Block::Data(table) => all.push(table),
            _ => {}
        }
    }
    for part in &section.parts {
        collect_tables(part, all);
    }
}
