//! The document as one HTML file that asks nobody for anything.
//!
//! No address outside the page is mentioned, the policy in its head forbids any request, and script and style are only
//! those whose hashes stand there. Every text is escaped, by the template or here; the drawings are ours.

use crate::document::{Block, Cell, CellKind, Document, Figure, Row, Section, Table, folded};
use crate::marks::glyph;
use crate::messages::{Messages, say};
use crate::palette;
use crate::svg::escape;
use askama::Template;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use judge::{Gravity, WireValidity};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeSet;

const STYLE: &str = include_str!("../assets/style.css");
pub(crate) const SCRIPT: &str = include_str!("../assets/script.js");

/// Rows of plotted numbers in the page; all are in the CSV.
const DATA_ROWS: usize = 30;
/// Cells of plotted numbers in the page: a table of many series has fewer rows.
const DATA_CELLS: usize = 300;
/// Fewest rows of plotted numbers, however many series there are.
const DATA_ROWS_LEAST: usize = 6;
/// Rows of any other table.
pub(crate) const TABLE_ROWS: usize = 500;

/// Words around the content.
struct Words {
    skip: String,
    brand: String,
    theme: String,
    contents: String,
    hint: String,
    /// On the button that undoes a zoom.
    whole: String,
    footer: String,
    figure: String,
    observation: String,
    assessment: String,
    numbers: String,
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    doc: &'a Document,
    messages: &'a Messages,
    words: Words,
    version: &'a str,
    policy: String,
    style: String,
    script: &'static str,
    /// Findings appear in several chapters; only the first carries the anchor.
    anchored: RefCell<BTreeSet<String>>,
    /// Ids of the findings that have a card.
    cards: BTreeSet<String>,
}

#[derive(Template)]
#[template(path = "section.html")]
struct SectionView<'a> {
    section: &'a Section,
    page: &'a Page<'a>,
    words: &'a Words,
}

#[derive(Template)]
#[template(path = "table.html")]
struct TableView<'a> {
    table: &'a Table,
    rows: Vec<&'a Row>,
    thinned: String,
    is_data: bool,
}

/// Writes the page of a run; `run` stands at the foot of every printed page.
pub(crate) fn page(doc: &Document, messages: &Messages, about: (&str, &str)) -> String {
    written(doc, messages, about, "page-footer")
}

/// The same of several runs, of which there is a file of JSON beside the page.
pub(crate) fn page_of_runs(doc: &Document, messages: &Messages, about: (&str, &str)) -> String {
    written(doc, messages, about, "page-footer-runs")
}

fn written(doc: &Document, messages: &Messages, (version, run): (&str, &str), footer: &str) -> String {
    let style = style(run);
    let policy = policy(&style);
    let page = Page {
        doc,
        messages,
        words: Words { footer: say!(messages, footer), ..words(messages) },
        version,
        policy,
        style,
        script: SCRIPT,
        anchored: RefCell::default(),
        cards: cards(&doc.sections),
    };
    let html = page.render().expect("invariant: rendering to memory cannot fail");
    // Whatever came through unseen: no control and no direction override reaches a reader.
    crate::number::bounded(&html, usize::MAX)
}

/// The style of a page in light, in dark and on paper; `run` stands at the foot of every printed page.
pub(crate) fn style(run: &str) -> String {
    let (light, dark) = palette::variables();
    format!(
        ":root{{color-scheme:light;{light}}}:root[data-theme=dark]{{color-scheme:dark;{dark}}}\
         @media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\
         @media print{{:root,:root[data-theme=dark]{{color-scheme:light;{light}}}}}{}{STYLE}{}",
        palette::figure_rules(),
        printed_foot(run)
    )
}

/// The policy of a page: it asks nobody for anything, and has this style and [`SCRIPT`] alone.
pub(crate) fn policy(style: &str) -> String {
    format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(SCRIPT)
    )
}

/// Ids of the findings that have a card somewhere.
fn cards(sections: &[Section]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for section in sections {
        let ids = section.blocks.iter().filter_map(|block| match block {
            Block::Finding { id, .. } => Some(escape(id)),
            _ => None,
        });
        found.extend(ids);
        found.append(&mut cards(&section.parts));
    }
    found
}

/// The run's id and the number of the page, in the margin of the paper. Only plain characters reach the style sheet.
fn printed_foot(run: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let run: String = run.chars().filter(is_plain).take(80).collect();
    let set = "font:7.5pt system-ui,sans-serif;color:#5f6e7c";
    format!(
        "@page{{@bottom-left{{content:\"{run}\";{set}}}@bottom-right{{content:counter(page) \" / \" counter(pages);{set}}}}}"
    )
}

fn words(m: &Messages) -> Words {
    Words {
        skip: say!(m, "page-skip"),
        brand: say!(m, "page-brand"),
        theme: say!(m, "page-theme"),
        contents: say!(m, "page-contents"),
        hint: say!(m, "page-hint"),
        whole: say!(m, "page-whole"),
        footer: say!(m, "page-footer"),
        figure: say!(m, "page-figure"),
        observation: say!(m, "page-observation"),
        assessment: say!(m, "page-assessment"),
        numbers: say!(m, "page-numbers"),
    }
}

/// What a policy compares a script or style with.
fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

impl Page<'_> {
    /// What paper has in the place of chapters that are folded; empty where none is.
    fn chapters_on_page(&self) -> String {
        folded::chapters_on_page(self.messages, &self.doc.sections).unwrap_or_default()
    }

    fn section(&self, section: &Section) -> String {
        let view = SectionView { section, page: self, words: &self.words };
        view.render().expect("invariant: rendering to memory cannot fail")
    }
}

impl SectionView<'_> {
    fn part(&self, section: &Section) -> String {
        self.page.section(section)
    }

    fn table(&self, table: &Table, is_data: bool) -> String {
        let (rows, stride) = thin(table, is_data);
        let thinned = if stride > 1 {
            let file = format!("tables/{}.csv", table.name);
            say!(self.page.messages, "table-thinned", stride = stride, file = &file)
        } else {
            String::new()
        };
        let view = TableView { table, rows, thinned, is_data };
        view.render().expect("invariant: rendering to memory cannot fail")
    }

    /// What stands on the fold.
    fn folded_title(&self, folded: &Block) -> String {
        match folded {
            Block::Table(table) => {
                say!(self.page.messages, "folded-title", what = &table.caption, rows = table.rows.len())
            }
            Block::Figure(figure) => figure.subject.clone(),
            _ => String::new(),
        }
    }

    /// What paper has in the place of blocks that are folded; empty where none is.
    fn blocks_on_page(&self) -> String {
        folded::blocks_on_page(self.page.messages, self.section).unwrap_or_default()
    }

    /// The same of parts.
    fn parts_on_page(&self) -> String {
        folded::parts_on_page(self.page.messages, self.section).unwrap_or_default()
    }

    fn state_name(&self, state: &WireValidity) -> &'static str {
        state_name(*state)
    }

    fn state_glyph(&self, state: &WireValidity) -> &'static str {
        match state {
            WireValidity::Valid => "✓",
            WireValidity::Questionable => "!",
            WireValidity::Invalid => "✗",
        }
    }

    fn gravity_name(&self, gravity: &Gravity) -> &'static str {
        match gravity {
            Gravity::Info => "info",
            Gravity::Notice => "notice",
            Gravity::Warning => "warning",
            Gravity::Blocker => "blocker",
        }
    }

    /// A finding's id, which leads to its card where the report has one.
    fn reference(&self, id: &str) -> String {
        let id = escape(id);
        if self.page.cards.contains(&id) { format!("<a href=\"#{id}\">{id}</a>") } else { id }
    }

    /// A sentence, in which names and commands stand in backticks.
    fn said(&self, text: &str) -> String {
        coded(&escape_all(text))
    }

    fn drawing(&self, figure: &Figure) -> String {
        crate::svg::lean(&figure.svg)
    }

    fn has_places(&self, figure: &Figure) -> bool {
        figure.data.rows.iter().any(|row| row.x.is_some())
    }

    fn is_first(&self, id: &str) -> bool {
        self.page.anchored.borrow_mut().insert(id.to_owned())
    }
}

/// At most so many rows, every n-th.
fn thin(table: &Table, is_data: bool) -> (Vec<&Row>, usize) {
    // Only a series can be thinned: where rows have no place on an axis each is a thing of its own.
    let is_series = is_data && table.rows.iter().any(|row| row.x.is_some());
    let most = if is_series {
        DATA_ROWS.min(DATA_CELLS / table.columns.len().max(1)).max(DATA_ROWS_LEAST)
    } else {
        TABLE_ROWS
    };
    let stride = table.rows.len().div_ceil(most).max(1);
    (table.rows.iter().step_by(stride).collect(), stride)
}

fn state_name(state: WireValidity) -> &'static str {
    match state {
        WireValidity::Valid => "valid",
        WireValidity::Questionable => "questionable",
        WireValidity::Invalid => "invalid",
    }
}

/// Longest name or rule that fits a third of a card.
const CODE_CHARS: usize = 18;
/// Tables of more columns are set smaller.
const WIDE_COLUMNS: usize = 7;
/// Tables of so many columns are cards in a narrow window.
const CARD_COLUMNS: usize = 3;
/// Texts from this length on need room in a narrow window.
const LONG_CHARS: usize = 36;
/// From so many rows on the head of a table stays in sight.
const HEAD_FOLLOWS: usize = 14;
/// Tables of more columns scroll sideways by themselves.
const COLUMNS_FREE: usize = 9;
/// Texts up to this length stay on one line.
const SHORT_CHARS: usize = 14;

impl TableView<'_> {
    fn said(&self, text: &str) -> String {
        coded(&escape_all(text))
    }

    /// Whether its head may follow the reader: a long table that fits a wide window, so that it need not scroll by itself.
    fn is_free(&self) -> bool {
        !self.is_data && self.rows.len() > HEAD_FOLLOWS && self.table.columns.len() <= COLUMNS_FREE
    }

    /// Whether a narrow window shows each row as a card: with so many columns the last ones would be out of sight.
    fn is_cards(&self) -> bool {
        !self.is_data && self.table.columns.len() >= CARD_COLUMNS
    }

    /// The classes of its element, ready to write.
    fn classes(&self) -> &'static str {
        match (self.is_data, self.table.columns.len() > WIDE_COLUMNS, self.is_cards()) {
            (true, _, _) => " class=\"d\"",
            (false, true, _) => " class=\"wide cards\"",
            (false, false, true) => " class=\"cards\"",
            (false, false, false) => "",
        }
    }

    /// Rows of plotted numbers. Like all rows they are without the closing tags that HTML lets one leave out.
    fn data_rows(&self) -> String {
        let mut html = String::new();
        for row in &self.rows {
            let place = row.x.map_or_else(String::new, |x| format!(" data-x=\"{}\"", crate::svg::c(x)));
            html.push_str(&format!("<tr{place}>"));
            for (column, cell) in row.cells.iter().enumerate() {
                html.push_str(&self.cell(cell, &column));
            }
            html.push('\n');
        }
        html
    }

    /// A cell, without its closing tag. Written by hand because tables are most of the page.
    fn cell(&self, cell: &Cell, column: &usize) -> String {
        let mut classes = Vec::new();
        // Plotted numbers are most cells of a page, so theirs is the style without a class.
        match (self.table.columns.get(*column).is_some_and(|column| column.is_number), self.is_data) {
            (true, false) => classes.push("n"),
            (false, true) => classes.push("t"),
            _ => {}
        }
        let length = cell.text.chars().count();
        if length > LONG_CHARS {
            classes.push("long");
        } else if length <= SHORT_CHARS && cell.kind == CellKind::Text && classes.is_empty() && !self.is_data {
            classes.push("s");
        }
        // On a card what is long takes the whole width.
        let is_long = |text: &str, most: usize| text.chars().count() > most;
        let is_rule = cell.kind == CellKind::Code && is_long(&cell.text, CODE_CHARS);
        if self.is_cards() && (is_rule || is_long(&cell.detail, LONG_CHARS)) {
            classes.push("row");
        }
        let text = match &cell.link {
            Some(link) => format!("<a href=\"{}\" rel=\"noreferrer\">{}</a>", attribute(link), escape_all(&cell.text)),
            None => escape_all(&cell.text),
        };
        let inner = match cell.kind {
            CellKind::Text => text,
            CellKind::Missing => {
                classes.push("missing");
                text
            }
            CellKind::Code => {
                classes.push("code");
                text
            }
            CellKind::Verdict(verdict) => {
                format!("<span class=\"pill {}\">{} {text}</span>", verdict.name(), glyph(verdict))
            }
            CellKind::Validity(state) => format!("<span class=\"pill {}\">{text}</span>", state_name(state)),
            CellKind::Severity(_) => text,
        };
        let detail = if cell.detail.is_empty() {
            String::new()
        } else {
            format!("<small>{}</small>", coded(&escape_all(&cell.detail)))
        };
        let class = if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
        // On a card each cell has its heading beside it.
        let heading = match self.table.columns.get(*column).filter(|_| self.is_cards()) {
            Some(column) => {
                let heading = [column.title.as_str(), column.unit.as_str()].join(" ");
                format!(" data-h=\"{}\"", escape(heading.trim()))
            }
            None => String::new(),
        };
        format!("<td{class}{heading}>{}{inner}{detail}", cell.spark)
    }
}

/// An address as the value of an attribute. The study has checked that it is one of the web.
fn attribute(link: &str) -> String {
    link.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escaped piecewise, because [`escape`] bounds what it is given and a cell may hold a longer sentence.
fn escape_all(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(300).map(|part| escape(&part.iter().collect::<String>())).collect()
}

/// What is in backticks, as code; as it is where they do not come in pairs, or with nothing between.
fn coded(escaped: &str) -> String {
    let parts: Vec<&str> = escaped.split('`').collect();
    if parts.len().is_multiple_of(2) || parts.iter().skip(1).step_by(2).any(|code| code.trim().is_empty()) {
        return escaped.to_owned();
    }
    let part = |(place, part): (usize, &&str)| {
        if place.is_multiple_of(2) { (*part).to_owned() } else { format!("<code>{part}</code>") }
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_backticks_is_code_and_stays_text() {
        for (text, expected) in [
            (
                "Give it an `idle` phase: `a` or `b`.",
                "Give it an <code>idle</code> phase: <code>a</code> or <code>b</code>.",
            ),
            ("`<script>`", "<code>&lt;script&gt;</code>"),
            ("a ` alone", "a ` alone"),
            ("`` is nothing", "`` is nothing"),
            ("none", "none"),
        ] {
            assert_eq!(coded(&escape_all(text)), expected);
        }
    }
}
