//! Before the chapters: title page, history of the document, what is known of the run, contents.

use crate::letters::{Run, Type, lines, width};
use crate::sheet::{Goal, Heading, LEADING, MARGIN, Role, Set, Shape};
use report::document::{Cell, Column, Row, Section, Table};

/// Headings down to this level are in the contents.
const LEVEL_MAX: u16 = 2;

/// More headings than this would take a second sheet.
pub(crate) const ENTRIES_MAX: usize = 44;

/// Size of a line of the contents in points.
const ENTRY: f32 = 9.0;

/// No heading takes more lines in the contents; the whole one stands over its chapter.
const LINES_MAX: usize = 3;

impl Set<'_> {
    /// Sets all of it.
    pub(crate) fn front(&mut self) {
        self.title();
        let frame = &self.document.frame;
        // One page where they fit beside each other.
        if !frame.fields.is_empty() {
            self.facts(&frame.words.run, &frame.run_facts);
        }
        self.history();
        self.skip(10.0);
        if !frame.words.footer.is_empty() {
            self.paragraph(Role::Paragraph, &[Run::new(&frame.words.footer, Type::Regular, 8.0, "ink-2")], 0.0);
        }
        if !self.document.is_short() {
            self.contents();
        }
    }

    fn title(&mut self) {
        let (title, frame) = (&self.document.title, &self.document.frame);
        if let Some(organisation) = frame.field("organisation") {
            self.paragraph(Role::Paragraph, &[Run::new(organisation, Type::Bold, 12.0, "accent")], 0.0);
        }
        self.y = self.y.max(84.0);
        let name = if title.title.trim().is_empty() { "loadproof" } else { &title.title };
        self.paragraph(Role::Title, &[Run::new(name, Type::Bold, 28.0, "ink")], 6.0);
        let kind = capital(&frame.words.kind);
        for (text, size, hue, after) in
            [(&title.system, 15.0, "ink-2", 14.0), (&kind, 10.0, "ink-2", 8.0), (&title.about, 11.0, "ink", 8.0)]
        {
            if !text.is_empty() {
                self.paragraph(Role::Paragraph, &[Run::new(text.as_str(), Type::Regular, size, hue)], after);
            }
        }
        for mark in &title.marks {
            self.panel(
                "limit",
                "not-met-ground",
                &[vec![
                    Run::new(format!("⚠ {}: ", mark.word), Type::Bold, 10.0, "ink"),
                    Run::new(&mark.text, Type::Regular, 10.0, "ink"),
                ]],
            );
        }
        self.y += 6.0;
        let stated: Vec<(String, String)> =
            frame.fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
        // Without anything stated the run is what tells this document from another.
        self.facts("", if stated.is_empty() { &frame.run_facts } else { &stated });
    }

    /// Names and values, one a row.
    fn facts(&mut self, heading: &str, facts: &[(String, String)]) {
        if facts.is_empty() {
            return;
        }
        self.front_heading(heading);
        let rows = facts.iter().map(|(name, value)| Row::new(vec![Cell::text(name), Cell::text(value)])).collect();
        let table = Table { columns: vec![Column::default(), Column::default()], rows, ..Table::default() };
        self.plain_table(&table, &[0.3, 0.7], &self.document.frame.words.run);
        self.y += 8.0;
    }

    fn history(&mut self) {
        let frame = &self.document.frame;
        if frame.history.is_empty() {
            return;
        }
        self.front_heading(&frame.words.history);
        let row = |version: &report::frame::Version| {
            let cells = [&version.version, &version.date, &version.author, &version.changes];
            Row::new(cells.into_iter().map(Cell::text).collect())
        };
        let table = Table {
            columns: frame.words.history_columns.iter().map(Column::text).collect(),
            rows: frame.history.iter().map(row).collect(),
            ..Table::default()
        };
        self.plain_table(&table, &[0.12, 0.22, 0.22, 0.44], &frame.words.history);
    }

    fn front_heading(&mut self, text: &str) {
        if !text.is_empty() {
            self.skip(14.0);
            self.paragraph(Role::Paragraph, &[Run::new(text, Type::Bold, 13.5, "ink")], 5.0);
        }
    }

    fn contents(&mut self) {
        let mut listed = Vec::new();
        let mut count = 0;
        list(&self.document.sections, 1, &mut count, &mut listed);
        if listed.len() > ENTRIES_MAX {
            // Chapters alone, on one sheet; bookmarks have all.
            listed.retain(|(_, heading)| heading.level == 1);
        }
        if listed.is_empty() {
            return;
        }
        let is_flat = listed.iter().all(|(_, heading)| heading.level == 1);
        // Beside the facts of the run, where it fits there.
        let needed = 40.0 + listed.len() as f32 * (ENTRY * LEADING + if is_flat { 0.0 } else { 4.0 });
        if self.room() < needed {
            self.next_sheet(false);
        } else {
            self.skip(14.0);
        }
        let words = &self.document.frame.words;
        self.paragraph(Role::Paragraph, &[Run::new(&words.contents, Type::Bold, 13.5, "ink")], 6.0);
        self.within(Role::Contents, |set| {
            for (index, heading) in &listed {
                set.entry(*index, heading, is_flat);
            }
        });
    }

    fn entry(&mut self, index: usize, heading: &Heading, is_flat: bool) {
        let is_chapter = heading.level == 1;
        let face = if is_chapter && !is_flat { Type::Bold } else { Type::Regular };
        let (from, indent) = if is_chapter { (0.0, 24.0) } else { (24.0, 56.0) };
        let (size, right) = (ENTRY, MARGIN + self.length());
        let text = Run::new(&heading.title, face, size, "ink");
        let mut set = lines(std::slice::from_ref(&text), self.length() - indent - 36.0);
        set.truncate(LINES_MAX);
        self.need(size * LEADING * set.len() as f32 + 5.0);
        if is_chapter && !is_flat {
            self.skip(4.0);
        }
        let top = self.y;
        self.within(Role::Entry, |sheet| {
            sheet.within(Role::Link, |sheet| {
                let height = size * LEADING * set.len() as f32;
                let frame = [MARGIN + from, top, sheet.length() - from, height];
                sheet.area(Goal::Heading(index), frame, &format!("{} {}", heading.number, heading.title));
                let number = Run::new(format!("{} ", heading.number), face, size, "ink");
                sheet.put(Shape::Text { x: MARGIN + from, y: top + size * 1.06, run: number }, true);
                for line in &set {
                    sheet.line(line, MARGIN + indent, sheet.y, true);
                    sheet.y += size * LEADING;
                }
                let base = sheet.y - size * LEADING + size * 1.06;
                let end = MARGIN + indent + set.last().map_or(0.0, |line| line.width) + 5.0;
                let dots = ((right - 26.0 - end) / width(" .", Type::Regular, size)).floor().max(0.0) as usize;
                let dots = Run::new(" .".repeat(dots), Type::Regular, size, "ink-3");
                let from = right - 24.0 - width(&dots.text, Type::Regular, size);
                sheet.put(Shape::Text { x: from, y: base, run: dots }, false);
                let run = Run::new(" ", face, size, "ink");
                sheet.put(Shape::PageOf { heading: index, x: right, y: base, run }, true);
            });
        });
    }
}

/// Headings of the contents with their numbers among all headings.
fn list(sections: &[Section], level: u16, count: &mut usize, listed: &mut Vec<(usize, Heading)>) {
    for section in sections {
        if level <= LEVEL_MAX {
            let heading =
                Heading { level, number: section.number.clone(), title: section.title.clone(), place: (0, 0.0) };
            listed.push((*count, heading));
        }
        *count += 1;
        list(&section.parts, level + 1, count, listed);
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
