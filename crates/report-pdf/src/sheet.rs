//! Sheets: what stands where, and what it is.
//!
//! A tree beside the sheets says in which order everything is read and whether it is a heading, a cell or a figure. What
//! has no place in it (lines, grounds, heads that are repeated) is decoration, and no screen reader says it.

use crate::letters::{Line, Run, lines};
use report::document::{Document, Section, Table};
use std::collections::BTreeMap;

/// Sides of A4 in points.
pub(crate) const A4: (f32, f32) = (595.28, 841.89);
/// Margins: left and right, top, bottom.
pub(crate) const MARGIN: f32 = 51.0;
const TOP: f32 = 56.0;
const BOTTOM: f32 = 50.0;
/// Height of a line in units of its size.
pub(crate) const LEADING: f32 = 1.31;

/// What a part of the document is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    Title,
    /// Level, and its text.
    Heading(u16, String),
    Paragraph,
    /// A list, its points, their signs and their bodies.
    List,
    Point,
    Sign,
    Body,
    /// A table with what it shows.
    Table(String),
    Caption,
    Head,
    Rows,
    Row,
    HeadCell,
    /// A cell at the beginning of a row that names it.
    RowCell,
    Cell,
    /// A figure with its alternative text.
    Figure(String),
    Contents,
    Entry,
    Link,
    Note,
}

/// A part in the tree.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub role: Role,
    pub kids: Vec<Kid>,
}

/// What a part holds: other parts, and things on sheets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kid {
    Tag(usize),
    Thing(usize),
    /// The active area of a link.
    Area(usize),
}

/// A thing on a sheet.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    /// Its number, where it has a place in the tree.
    pub number: Option<usize>,
    pub shape: Shape,
}

/// What is drawn. Places are in points from the left and the top.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Letters on a base line.
    Text { x: f32, y: f32, run: Run },
    /// The page of a heading, ending at x.
    PageOf { heading: usize, x: f32, y: f32, run: Run },
    /// A filled area: left, top, width, height.
    Area([f32; 4], &'static str),
    /// A drawing, scaled to a width.
    Drawing { x: f32, y: f32, width: f32, tree: Box<resvg::usvg::Tree> },
}

/// Where a link leads.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    Heading(usize),
    Finding(String),
}

/// An area that leads somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    pub number: usize,
    pub frame: [f32; 4],
    pub goal: Goal,
    pub text: String,
}

/// A sheet of paper.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheet {
    pub is_turned: bool,
    pub things: Vec<Thing>,
    pub areas: Vec<Area>,
}

impl Sheet {
    /// Width and height in points.
    pub(crate) fn size(&self) -> (f32, f32) {
        if self.is_turned { (A4.1, A4.0) } else { A4 }
    }
}

/// A heading and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub level: u16,
    pub number: String,
    pub title: String,
    /// Number of the sheet, from 0, and how far down.
    pub place: (usize, f32),
}

/// The document, set.
pub(crate) struct Set<'a> {
    pub document: &'a Document,
    pub sheets: Vec<Sheet>,
    pub parts: Vec<Tag>,
    /// Parts that stand in none, in order.
    pub roots: Vec<usize>,
    pub headings: Vec<Heading>,
    /// Places of the findings' cards.
    pub findings: BTreeMap<String, (usize, f32)>,
    /// How far down the sheet is filled.
    pub y: f32,
    things: usize,
    open: Vec<usize>,
}

impl<'a> Set<'a> {
    /// Sets a whole document.
    pub(crate) fn of(document: &'a Document) -> Self {
        let mut set = Self {
            document,
            sheets: vec![Sheet::default()],
            parts: Vec::new(),
            roots: Vec::new(),
            headings: Vec::new(),
            findings: BTreeMap::new(),
            y: TOP,
            things: 0,
            open: Vec::new(),
        };
        set.front();
        set.next_sheet(false);
        document.sections.iter().for_each(|section| set.section(section, 1));
        set
    }

    fn section(&mut self, section: &Section, level: u16) {
        let opens_turned =
            matches!(section.blocks.first(), Some(report::document::Block::Table(table)) if is_wide(table));
        self.stand(opens_turned);
        self.heading(section, level);
        section.blocks.iter().for_each(|block| self.block(block));
        section.parts.iter().for_each(|part| self.section(part, level + 1));
    }

    // The tree.

    /// Does something within a new part.
    pub(crate) fn within(&mut self, role: Role, inner: impl FnOnce(&mut Self)) {
        let number = self.parts.len();
        self.parts.push(Tag { role, kids: Vec::new() });
        match self.open.last() {
            Some(parent) => self.parts[*parent].kids.push(Kid::Tag(number)),
            None => self.roots.push(number),
        }
        self.open.push(number);
        inner(self);
        self.open.pop();
    }

    /// Does something within a part that stands already.
    pub(crate) fn inside(&mut self, part: usize, inner: impl FnOnce(&mut Self)) {
        self.open.push(part);
        inner(self);
        self.open.pop();
    }

    /// Numbers something that stands in the part that is open.
    fn number(&mut self, kid: fn(usize) -> Kid) -> Option<usize> {
        let part = *self.open.last()?;
        let number = self.things;
        self.things += 1;
        self.parts[part].kids.push(kid(number));
        Some(number)
    }

    // The sheets.

    pub(crate) fn sheet(&mut self) -> &mut Sheet {
        self.sheets.last_mut().expect("invariant: there is a sheet from the beginning")
    }

    pub(crate) fn is_turned(&self) -> bool {
        self.sheets.last().is_some_and(|sheet| sheet.is_turned)
    }

    /// Length of a line in points.
    pub(crate) fn length(&self) -> f32 {
        (if self.is_turned() { A4.1 } else { A4.0 }) - 2.0 * MARGIN
    }

    /// How far down text may reach.
    fn floor(&self) -> f32 {
        (if self.is_turned() { A4.0 } else { A4.1 }) - BOTTOM
    }

    /// Room left on the sheet.
    pub(crate) fn room(&self) -> f32 {
        self.floor() - self.y
    }

    /// Room on an empty sheet.
    pub(crate) fn full(&self) -> f32 {
        self.floor() - TOP
    }

    fn is_fresh(&self) -> bool {
        self.y <= TOP
    }

    /// Begins a sheet.
    pub(crate) fn next_sheet(&mut self, is_turned: bool) {
        self.sheets.push(Sheet { is_turned, ..Sheet::default() });
        self.y = TOP;
    }

    /// Begins a sheet unless this one has so much room; an empty one has all there is.
    pub(crate) fn need(&mut self, height: f32) {
        if self.room() < height && !self.is_fresh() {
            let is_turned = self.is_turned();
            self.next_sheet(is_turned);
        }
    }

    /// Makes the sheet stand upright or turned.
    pub(crate) fn stand(&mut self, is_turned: bool) {
        if self.is_turned() == is_turned {
            return;
        }
        if self.is_fresh() {
            self.sheet().is_turned = is_turned;
        } else {
            self.next_sheet(is_turned);
        }
    }

    /// Leaves room, but not at the top of a sheet.
    pub(crate) fn skip(&mut self, height: f32) {
        if !self.is_fresh() {
            self.y += height;
        }
    }

    // Things.

    /// Draws a thing; it belongs to the part that is open, or is decoration.
    pub(crate) fn put(&mut self, shape: Shape, is_content: bool) {
        let number = if is_content { self.number(Kid::Thing) } else { None };
        self.sheet().things.push(Thing { number, shape });
    }

    /// Fills an area: left, top, width, height.
    pub(crate) fn fill(&mut self, frame: [f32; 4], hue: &'static str) {
        self.put(Shape::Area(frame, hue), false);
    }

    /// Draws a line of text with its top at y.
    pub(crate) fn line(&mut self, line: &Line, x: f32, y: f32, is_content: bool) {
        for (from, run) in &line.runs {
            let (x, base) = (x + from, y + line.size() * 1.06);
            match run.link.clone().filter(|_| is_content) {
                Some(finding) => self.link(Goal::Finding(finding), run, x, base),
                None => self.put(Shape::Text { x, y: base, run: run.clone() }, is_content),
            }
        }
    }

    /// Text that leads somewhere.
    pub(crate) fn link(&mut self, goal: Goal, run: &Run, x: f32, base: f32) {
        let width = crate::letters::width(&run.text, run.face, run.size);
        let frame = [x, base - run.size, width, run.size * 1.3];
        self.within(Role::Link, |set| {
            set.area(goal, frame, &run.text);
            set.put(Shape::Text { x, y: base, run: run.clone() }, true);
        });
    }

    /// An active area in the part that is open.
    pub(crate) fn area(&mut self, goal: Goal, frame: [f32; 4], text: &str) {
        if let Some(number) = self.number(Kid::Area) {
            self.sheet().areas.push(Area { number, frame, goal, text: text.to_owned() });
        }
    }

    /// A paragraph of a role, over sheets where it must; behind it some room.
    pub(crate) fn paragraph(&mut self, role: Role, runs: &[Run], after: f32) {
        self.within(role, |set| set.set_lines(runs, 0.0, ""));
        self.y += after;
    }

    /// Lines in the part that is open, indented; with a bar of a colour on their left.
    pub(crate) fn set_lines(&mut self, runs: &[Run], indent: f32, bar: &'static str) {
        for line in lines(runs, self.length() - indent) {
            let height = line.size() * LEADING;
            self.need(height);
            if !bar.is_empty() {
                self.fill([MARGIN, self.y, 2.5, height], bar);
            }
            self.line(&line, MARGIN + indent, self.y, true);
            self.y += height;
        }
    }
}

/// Whether a table is too wide for an upright sheet.
pub(crate) fn is_wide(table: &Table) -> bool {
    fit(table).is_turned
}

/// How a table stands.
pub(crate) fn fit(table: &Table) -> report::paper::Fit {
    let length = |side: f32| f64::from(side - 2.0 * MARGIN);
    report::paper::fit(table, length(A4.0), length(A4.1))
}
