//! The chapters in order, with what is counted while they are written.

use crate::flow::{Flow, TURNED_PT, UPRIGHT_PT};
use crate::pages::pages;
use crate::picture::Picture;
use crate::styles::list;
use crate::text::{Look, bookmark, run};
use crate::xml::Xml;
use report::document::{Block, Document, Section, Table};
use std::collections::BTreeMap;

/// Deepest heading that has a style.
const LEVELS_MAX: u8 = 5;

/// A heading as the contents list has it.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    /// 1 for a chapter.
    pub level: u8,
    pub number: String,
    pub title: String,
    pub bookmark: String,
    /// Estimated, counted from the first page of the chapters.
    pub page: usize,
}

/// The chapters as they are written.
pub(crate) struct Body<'a> {
    pub document: &'a Document,
    pub xml: Xml,
    pub headings: Vec<Heading>,
    pub pictures: Vec<Picture>,
    pub flow: Flow,
    /// Whether the page is turned now.
    pub is_turned: bool,
    /// Whether it has ever been.
    pub has_turned: bool,
    /// Bookmarks of findings that have a card, by id; `true` once it is written.
    pub findings: BTreeMap<String, (String, bool)>,
    ids: usize,
}

impl<'a> Body<'a> {
    /// Writes all chapters.
    pub(crate) fn of(document: &'a Document) -> Self {
        let mut body = Self {
            document,
            xml: Xml::new(),
            headings: Vec::new(),
            pictures: Vec::new(),
            flow: Flow::new(),
            is_turned: false,
            has_turned: false,
            findings: BTreeMap::new(),
            ids: 0,
        };
        body.find_cards(&document.sections);
        let mut was_appendix = false;
        for (index, section) in document.sections.iter().enumerate() {
            // The appendices begin on a page of their own; the chapters do, after the contents.
            if index > 0 && section.is_appendix && !was_appendix {
                body.break_page();
            }
            was_appendix = section.is_appendix;
            body.section(section, 1, section.is_appendix);
        }
        body.turn(false);
        body
    }

    /// A number that nothing else in the document has.
    pub(crate) fn id(&mut self) -> usize {
        self.ids += 1;
        self.ids
    }

    /// Length of a line on this page, in points.
    pub(crate) fn line_pt(&self) -> f64 {
        if self.is_turned { TURNED_PT } else { UPRIGHT_PT }
    }

    fn find_cards(&mut self, sections: &[Section]) {
        for section in sections {
            for block in &section.blocks {
                if let Block::Finding { id, .. } = block {
                    let number = self.findings.len() + 1;
                    self.findings.entry(id.clone()).or_insert_with(|| (format!("finding_{number}"), false));
                }
            }
            self.find_cards(&section.parts);
        }
    }

    fn break_page(&mut self) {
        self.flow.next_page();
        self.xml.element("w:p", &[], |xml| {
            xml.element("w:pPr", &[], |xml| {
                xml.empty("w:pStyle", &[("w:val", "SectionEnd")]);
            });
            xml.element("w:r", &[], |xml| {
                xml.empty("w:br", &[("w:type", "page")]);
            });
        });
    }

    fn section(&mut self, section: &Section, level: u8, is_appendix: bool) {
        let opens_turned = matches!(section.blocks.first(), Some(Block::Table(table)) if needs_turning(table));
        if opens_turned || self.is_turned {
            self.turn(opens_turned);
        }
        self.heading(section, level, is_appendix);
        for block in &section.blocks {
            self.block(block);
        }
        for part in &section.parts {
            self.section(part, level + 1, is_appendix);
        }
    }

    fn heading(&mut self, section: &Section, level: u8, is_appendix: bool) {
        let level = level.min(LEVELS_MAX);
        let size = [18.0, 13.5, 11.5, 10.5, 10.0][usize::from(level - 1)];
        // A heading stays with what follows it.
        self.flow.keep(size * 1.5 + 70.0);
        self.flow.whole(size * 2.6);
        let id = self.id();
        let name = format!("_Toc{:08}", 26_000_000 + self.headings.len() + 1);
        let style = format!("Heading{level}");
        self.xml.element("w:p", &[], |xml| {
            xml.element("w:pPr", &[], |xml| {
                xml.empty("w:pStyle", &[("w:val", &style)]);
                list(xml, if is_appendix { "2" } else { "1" }, &(level - 1).to_string());
            });
            bookmark(xml, id, &name, |xml| run(xml, Look::PLAIN, &section.title));
        });
        self.headings.push(Heading {
            level,
            number: section.number.clone(),
            title: section.title.clone(),
            bookmark: name,
            page: self.flow.page,
        });
    }

    /// Ends the pages that stand as they do and begins others, where they must stand otherwise.
    pub(crate) fn turn(&mut self, is_turned: bool) {
        if self.is_turned == is_turned {
            return;
        }
        let (was, is_first) = (self.is_turned, !self.has_turned);
        self.has_turned = true;
        self.xml.element("w:p", &[], |xml| {
            xml.element("w:pPr", &[], |xml| {
                xml.empty("w:pStyle", &[("w:val", "SectionEnd")]);
                pages(xml, was, is_first);
            });
        });
        self.is_turned = is_turned;
        self.flow.turn(is_turned);
    }
}

/// Whether a table is too wide for an upright page.
pub(crate) fn needs_turning(table: &Table) -> bool {
    report::paper::fit(table, UPRIGHT_PT, TURNED_PT).is_turned
}
