//! What stands in a chapter, but for tables.

use crate::letters::{Run, Type, lines};
use crate::sheet::{Heading, LEADING, MARGIN, Role, Set, Shape, is_wide};
use judge::{Gravity, WireValidity};
use report::document::{Block, Figure, NoteKind, Section};
use report::fonts;
use resvg::usvg::{self, fontdb};
use std::sync::{Arc, LazyLock};
use terms::Verdict;

/// Size of running text in points.
const TEXT: f32 = 9.0;
/// No drawing is higher than this, so that it fits a sheet with its caption.
const DRAWING_MAX: f32 = 560.0;
/// Part of a line that a drawing is wide, so that three figures fit a sheet. Its smallest text is then 4.6 points high: the
/// drawing is made of curves, and can be enlarged on a screen.
const DRAWING_PART: f32 = 0.72;
/// Room for the beginning of a paragraph or of a table on a turned sheet.
const AHEAD: f32 = 70.0;
/// Room between the bar of a panel and its text.
const PANEL_INDENT: f32 = 12.0;

/// Only our own letters, whatever is installed: the same document everywhere.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut database = fontdb::Database::new();
    for file in fonts::FILES {
        database.load_font_data(file.to_vec());
    }
    database.set_sans_serif_family(fonts::SANS);
    database.set_serif_family(fonts::SANS);
    database.set_monospace_family(fonts::MONO);
    Arc::new(database)
});

/// A drawing, read; `None` when it is none.
pub(crate) fn read(svg: &str) -> Option<usvg::Tree> {
    let options = usvg::Options {
        font_family: fonts::SANS.to_owned(),
        fontdb: FONTS.clone(),
        // A drawing names no file; what it shows is within it.
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_string: Box::new(|_, _| None),
            ..usvg::ImageHrefResolver::default()
        },
        ..usvg::Options::default()
    };
    let known = |c: char| if c.is_control() || crate::letters::is_known(c) { c } else { '\u{fffd}' };
    usvg::Tree::from_str(&report::frame::printable(svg).chars().map(known).collect::<String>(), &options).ok()
}

impl Set<'_> {
    /// Sets a block.
    pub(crate) fn block(&mut self, block: &Block) {
        if matches!(block, Block::Data(_)) {
            return;
        }
        self.stand(matches!(block, Block::Table(table) if is_wide(table)));
        match block {
            Block::Paragraph { text, findings, is_lead } => {
                let size = if *is_lead { 11.0 } else { TEXT };
                let mut runs = vec![Run::new(text, Type::Regular, size, "ink")];
                runs.extend(references(findings, size));
                self.paragraph(Role::Paragraph, &runs, 6.0);
            }
            Block::Validity { state, word, text, reasons } => self.validity(*state, word, text, reasons),
            Block::VerdictCounts(counts) => self.verdict_counts(counts),
            Block::Table(table) => self.table(table),
            Block::Figure(figure) => self.figure(figure),
            // [`Document::on_paper`] has left nothing folded.
            Block::Data(_) | Block::Folded(_) => {}
            Block::Finding { id, rule, gravity, word, scope, observation, assessment } => {
                self.finding(id, *gravity, [word, rule, scope], [observation, assessment]);
            }
            Block::Note { kind, text } => self.note(*kind, text),
            Block::Points(points) => self.points(points),
            Block::Definitions(terms) => self.definitions(terms),
        }
    }

    /// Sets a heading; it stays with what follows it.
    pub(crate) fn heading(&mut self, section: &Section, level: u16) {
        let (size, before) = match level {
            1 => (16.0, 20.0),
            2 => (12.0, 12.0),
            3 => (10.5, 10.0),
            _ => (10.0, 8.0),
        };
        let ahead = self.ahead(section);
        self.need((before + size * LEADING + ahead).min(self.full()));
        self.skip(before);
        let place = (self.sheets.len() - 1, self.y);
        let text = format!("{}\u{2002}{}", section.number, section.title);
        let role = Role::Heading(level.min(6), text.clone());
        self.paragraph(role, &[Run::new(text, Type::Bold, size, "ink")], size * 0.4);
        self.headings.push(Heading { level, number: section.number.clone(), title: section.title.clone(), place });
    }

    /// Room for the beginning of what stands under a heading, so that no heading ends a sheet.
    fn ahead(&self, section: &Section) -> f32 {
        match section.blocks.iter().find(|block| !matches!(block, Block::Data(_))) {
            Some(Block::Figure(figure)) => read(&figure.svg).map_or(AHEAD, |tree| self.drawing_height(&tree) + 90.0),
            Some(Block::Table(table)) if !is_wide(table) => self.beginning(table) + 6.0,
            Some(_) => AHEAD,
            None => section.parts.first().map_or(0.0, |part| 32.0 + self.ahead(part)),
        }
    }

    fn drawing_height(&self, tree: &usvg::Tree) -> f32 {
        (tree.size().height() * self.length() * DRAWING_PART / tree.size().width()).min(DRAWING_MAX)
    }

    fn validity(&mut self, state: WireValidity, word: &str, text: &str, reasons: &[String]) {
        let (sign, bar, ground) = state_marks(state);
        let mut paragraphs = vec![
            vec![Run::new(format!("{sign} {word}"), Type::Bold, 13.0, bar)],
            vec![Run::new(text, Type::Regular, TEXT, "ink")],
        ];
        paragraphs
            .extend(reasons.iter().map(|reason| vec![Run::new(format!("• {reason}"), Type::Regular, TEXT, "ink")]));
        self.panel(bar, ground, &paragraphs);
    }

    /// Paragraphs on a ground with a bar; a panel stays on one sheet where it can.
    pub(crate) fn panel(&mut self, bar: &'static str, ground: &'static str, paragraphs: &[Vec<Run>]) {
        let length = self.length() - 2.0 * PANEL_INDENT;
        let set: Vec<_> = paragraphs.iter().map(|runs| lines(runs, length)).collect();
        let height: f32 = set.iter().flatten().map(|line| line.size() * LEADING).sum::<f32>() + 14.0;
        if height <= self.full() {
            self.need(height);
        }
        self.strip(bar, ground, 6.0);
        for lines in &set {
            self.within(Role::Paragraph, |sheet| {
                for line in lines {
                    let height = line.size() * LEADING;
                    sheet.need(height + 4.0);
                    sheet.strip(bar, ground, height + 0.4);
                    sheet.y -= height + 0.4;
                    sheet.line(line, MARGIN + PANEL_INDENT, sheet.y, true);
                    sheet.y += height;
                }
            });
        }
        self.strip(bar, ground, 6.0);
        self.y += 8.0;
    }

    /// A strip of a panel's ground and bar.
    fn strip(&mut self, bar: &'static str, ground: &'static str, height: f32) {
        let frame = [MARGIN, self.y, self.length(), height];
        if !ground.is_empty() {
            self.fill(frame, ground);
        }
        self.fill([MARGIN, self.y, 3.0, height], bar);
        self.y += height;
    }

    fn verdict_counts(&mut self, counts: &[(Verdict, String, usize)]) {
        let mut runs = Vec::new();
        for (index, (verdict, word, count)) in counts.iter().enumerate() {
            if index > 0 {
                runs.push(Run::new("      ", Type::Bold, 12.0, "ink"));
            }
            let hue = if *count == 0 { "ink-3" } else { verdict_marks(*verdict).1 };
            runs.push(Run::new(
                format!("{}\u{a0}{count}\u{a0}{word}", report::frame::glyph(*verdict)),
                Type::Bold,
                12.0,
                hue,
            ));
        }
        self.skip(4.0);
        self.paragraph(Role::Paragraph, &runs, 8.0);
    }

    fn note(&mut self, kind: NoteKind, text: &str) {
        let (bar, ground, sign) = match kind {
            NoteKind::OnPage => {
                return self.paragraph(Role::Note, &[Run::new(text, Type::Regular, 7.5, "ink-2")], 6.0);
            }
            NoteKind::Reading => ("rule", "", ""),
            NoteKind::Missing => ("grey", "", ""),
            NoteKind::Warning => ("limit", "not-met-ground", "⚠ "),
            NoteKind::Comment => ("accent", "raised", ""),
        };
        self.panel(bar, ground, &[vec![Run::new(format!("{sign}{text}"), Type::Regular, TEXT, "ink")]]);
    }

    fn points(&mut self, points: &[String]) {
        if points.is_empty() {
            return;
        }
        self.within(Role::List, |set| {
            for point in points {
                set.need(TEXT * LEADING);
                let (top, sheet) = (set.y, set.sheets.len());
                set.within(Role::Point, |set| {
                    let sign = Run::new("• ", Type::Regular, TEXT, "ink");
                    set.within(Role::Sign, |set| {
                        let base = top + TEXT * 1.06;
                        set.put(Shape::Text { x: MARGIN + 4.0, y: base, run: sign.clone() }, true);
                    });
                    debug_assert_eq!(sheet, set.sheets.len(), "a sign stands beside its text");
                    let runs = [Run::new(point, Type::Regular, TEXT, "ink")];
                    set.within(Role::Body, |set| set.set_lines(&runs, 15.0, ""));
                });
                set.y += 3.0;
            }
        });
        self.y += 4.0;
    }

    fn definitions(&mut self, terms: &[(String, String)]) {
        for (term, meaning) in terms {
            let runs =
                [Run::new(format!("{term}: "), Type::Bold, TEXT, "ink"), Run::new(meaning, Type::Regular, TEXT, "ink")];
            self.paragraph(Role::Paragraph, &runs, 4.0);
        }
        self.y += 3.0;
    }

    fn finding(&mut self, id: &str, gravity: Gravity, [word, rule, scope]: [&str; 3], [seen, means]: [&str; 2]) {
        let (bar, ground) = match gravity {
            Gravity::Blocker => ("not-met", "not-met-ground"),
            Gravity::Warning => ("cannot-tell", "cannot-tell-ground"),
            Gravity::Notice | Gravity::Info => ("accent", "raised"),
        };
        let head = [
            Run::new(format!("{id}  {word}  "), Type::Bold, TEXT, "ink"),
            Run::new(format!("{rule}  "), Type::Code, 8.0, "ink"),
            Run::new(format!("{scope}  "), Type::Code, 8.0, "ink-2"),
        ];
        let seen = Run::new(seen, Type::Regular, TEXT, "ink");
        self.need(60.0);
        let before = (self.sheets.len(), self.y);
        // What a rule means stands on its first card; another place of it is a paragraph.
        if means.is_empty() {
            let runs: Vec<Run> = head.into_iter().chain([seen]).collect();
            self.paragraph(Role::Paragraph, &runs, 4.0);
        } else {
            let means = Run::new(means, Type::Regular, TEXT, "ink-2");
            self.panel(bar, ground, &[head.to_vec(), vec![seen], vec![means]]);
        }
        let sheet = self.sheets.len();
        let place = if sheet == before.0 { (sheet - 1, before.1) } else { (sheet - 1, 0.0) };
        self.findings.entry(id.to_owned()).or_insert(place);
    }

    fn figure(&mut self, figure: &Figure) {
        let words = &self.document.frame.words;
        let drawing = read(&figure.svg);
        let caption = if figure.subject.is_empty() || figure.subject == figure.caption {
            figure.caption.clone()
        } else {
            format!("{} — {}", figure.subject, figure.caption)
        };
        let number =
            if figure.number.is_empty() { String::new() } else { format!("{}\u{a0}{}. ", words.figure, figure.number) };
        let caption = [Run::new(format!("{number}{caption}"), Type::Bold, 8.5, "ink")];
        self.skip(8.0);
        if let Some(tree) = drawing {
            let (width, height) = (tree.size().width(), tree.size().height());
            let scale = self.drawing_height(&tree) / height;
            // Caption and observation stay with the drawing.
            self.need(height * scale + 62.0);
            let alt = if figure.observation.is_empty() { &figure.caption } else { &figure.observation };
            let alt = if alt.trim().is_empty() { &words.figure } else { alt };
            self.within(Role::Figure(report::frame::printable(alt)), |set| {
                let y = set.y;
                set.put(Shape::Drawing { x: MARGIN, y, width: width * scale, tree: Box::new(tree) }, true);
            });
            self.y += height * scale + 3.0;
        }
        self.paragraph(Role::Caption, &caption, 4.0);
        // One paragraph: what the data show, and what that means.
        let mut runs = vec![
            Run::new(format!("{}. ", words.observation), Type::Bold, TEXT, "ink"),
            Run::new(format!("{} ", figure.observation), Type::Regular, TEXT, "ink"),
            Run::new(format!("{}. ", words.assessment), Type::Bold, TEXT, "ink"),
            Run::new(&figure.assessment, Type::Regular, TEXT, "ink"),
        ];
        runs.extend(references(&figure.findings, TEXT));
        self.paragraph(Role::Paragraph, &runs, 2.5);
        let reading = if figure.reading.is_empty() { String::new() } else { format!("{} ", figure.reading) };
        let source = [
            Run::new(format!("{reading}{}: ", words.numbers), Type::Regular, 8.0, "ink-2"),
            Run::new(format!("tables/{}.csv", figure.data.name), Type::Code, 7.5, "ink-2"),
        ];
        self.paragraph(Role::Paragraph, &source, 8.0);
    }
}

/// Ids of findings in brackets, each leading to its card.
fn references(findings: &[String], size: f32) -> Vec<Run> {
    let mut runs = Vec::new();
    for (index, id) in findings.iter().enumerate() {
        runs.push(Run::new(if index == 0 { " (" } else { ", " }, Type::Regular, size, "ink"));
        runs.push(Run::new(id, Type::Regular, size, "accent").leading_to(id));
    }
    if !findings.is_empty() {
        runs.push(Run::new(")", Type::Regular, size, "ink"));
    }
    runs
}

/// Sign, colour and ground of a validity.
pub(crate) fn state_marks(state: WireValidity) -> (&'static str, &'static str, &'static str) {
    match state {
        WireValidity::Valid => ("✓", "met", "met-ground"),
        WireValidity::Questionable => ("!", "cannot-tell", "cannot-tell-ground"),
        WireValidity::Invalid => ("✗", "not-met", "not-met-ground"),
    }
}

/// Sign, colour and ground of a verdict.
pub(crate) fn verdict_marks(verdict: Verdict) -> (&'static str, &'static str, &'static str) {
    let (hue, ground) = match verdict {
        Verdict::Met => ("met", "met-ground"),
        Verdict::NotMet => ("not-met", "not-met-ground"),
        Verdict::CannotTell => ("cannot-tell", "cannot-tell-ground"),
    };
    (report::frame::glyph(verdict), hue, ground)
}
