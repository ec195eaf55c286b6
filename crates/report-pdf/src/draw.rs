//! Sheets to a PDF: everything that is content gets its tag, everything else is marked as decoration.

use crate::PdfError;
use crate::letters::{Run, Type, glyph, width};
use crate::sheet::{Goal, Kid, MARGIN, Role, Set, Shape, Sheet};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::configure::{Accessibility, ConfigurationBuilder, PdfVersion};
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, ListNumbering, SpanTag, TableHeaderScope, Tag, TagGroup, TagKind,
    TagTree,
};
use krilla::text::{Font, GlyphId, KrillaGlyph};
use krilla::{Data, SerializeSettings};
use krilla_svg::{SurfaceExt as _, SvgSettings};
use report::document::Document;
use std::collections::BTreeMap;
use std::num::NonZeroU16;

/// Longest title in a header.
const HEADER_CHARS: usize = 70;

/// Writes the document; with the check of PDF/UA-1 or without.
pub(crate) fn drawn(document: &Document, set: &Set<'_>, is_checked: bool) -> Result<Vec<u8>, PdfError> {
    let refused = |error: String| PdfError::Refused(error);
    let mut configuration = ConfigurationBuilder::new().with_version(PdfVersion::Pdf17);
    if is_checked {
        configuration = configuration.with_accessibility_validator(Accessibility::UA1);
    }
    let configuration = configuration.finish().map_err(|error| refused(format!("{error:?}")))?;
    let settings = SerializeSettings { configuration, enable_tagging: true, ..SerializeSettings::default() };
    let mut pdf = krilla::Document::new_with(settings);
    let fonts = report::fonts::FILES
        .map(|file| Font::new(Data::from(file.to_vec()), 0).expect("invariant: the fonts travel with the program"));
    let mut pen = Pen { set, fonts, identifiers: BTreeMap::new() };
    for number in 0..set.sheets.len() {
        pen.sheet(&mut pdf, number)?;
    }
    pdf.set_metadata(metadata(document));
    pdf.set_outline(outline(set));
    let mut tree = TagTree::new().with_lang(Some(region(document.language).to_owned()));
    for root in &set.roots {
        if let Some(group) = pen.group(*root) {
            tree.push(group);
        }
    }
    pdf.set_tag_tree(tree);
    pdf.finish().map_err(|error| refused(format!("{error:?}")))
}

/// Region that a language is written for.
fn region(language: &str) -> &'static str {
    match language {
        "nl" => "nl-NL",
        "da" => "da-DK",
        _ => "en-GB",
    }
}

fn metadata(document: &Document) -> Metadata {
    let frame = &document.frame;
    let title = if document.title.title.trim().is_empty() { "loadproof" } else { &document.title.title };
    let author = frame.field("organisation").filter(|name| !name.is_empty()).unwrap_or(&frame.program);
    let mut metadata = Metadata::new()
        .title(report::frame::printable(title))
        .language(region(document.language).to_owned())
        .authors(vec![report::frame::printable(author)])
        .creator(frame.program.clone())
        .description(report::frame::printable(&document.title.about));
    if let Some(date) = date(&frame.measured) {
        metadata = metadata.creation_date(date);
    }
    metadata
}

/// `2026-11-21T10:00:00Z` as a date; of anything else nothing.
fn date(text: &str) -> Option<DateTime> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u16>().ok();
    let small = |from: usize| number(from, from + 2).and_then(|number| u8::try_from(number).ok());
    Some(
        DateTime::new(number(0, 4)?)
            .month(small(5)?)
            .day(small(8)?)
            .hour(small(11)?)
            .minute(small(14)?)
            .second(small(17)?)
            .utc_offset_hour(0)
            .utc_offset_minute(0),
    )
}

/// Bookmarks: the headings, each under the last one above it.
fn outline(set: &Set<'_>) -> Outline {
    let mut outline = Outline::new();
    let mut index = 0;
    while index < set.headings.len() {
        let (node, next) = branch(set, index);
        outline.push_child(node);
        index = next;
    }
    outline
}

fn branch(set: &Set<'_>, index: usize) -> (OutlineNode, usize) {
    let heading = &set.headings[index];
    let text = report::frame::printable(&format!("{} {}", heading.number, heading.title));
    let mut node = OutlineNode::new(text, destination(heading.place));
    let mut next = index + 1;
    while set.headings.get(next).is_some_and(|other| other.level > heading.level) {
        let (child, after) = branch(set, next);
        node.push_child(child);
        next = after;
    }
    (node, next)
}

fn destination((sheet, y): (usize, f32)) -> XyzDestination {
    XyzDestination::new(sheet, Point::from_xy(0.0, (y - 12.0).max(0.0)))
}

/// Draws sheets and remembers what was drawn.
struct Pen<'a> {
    set: &'a Set<'a>,
    fonts: [Font; 4],
    identifiers: BTreeMap<usize, Identifier>,
}

impl Pen<'_> {
    fn sheet(&mut self, pdf: &mut krilla::Document, number: usize) -> Result<(), PdfError> {
        let sheet = &self.set.sheets[number];
        let (width, height) = sheet.size();
        let size =
            PageSettings::from_wh(width, height).ok_or_else(|| PdfError::Refused("a sheet has no size".to_owned()))?;
        let mut page = pdf.start_page_with(size);
        let mut surface = page.surface();
        for thing in &sheet.things {
            let tag = match (&thing.number, &thing.shape) {
                (None, _) => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)),
                (Some(_), Shape::Drawing { .. }) => ContentTag::Other,
                (Some(_), _) => ContentTag::Span(SpanTag::empty()),
            };
            let identifier = surface.start_tagged(tag);
            self.shape(&mut surface, &thing.shape);
            surface.end_tagged();
            if let Some(number) = thing.number {
                self.identifiers.insert(number, identifier);
            }
        }
        if number > 0 {
            self.running(&mut surface, sheet, number);
        }
        surface.finish();
        for area in &sheet.areas {
            let place = match &area.goal {
                Goal::Heading(index) => self.set.headings.get(*index).map(|heading| heading.place),
                Goal::Finding(id) => self.set.findings.get(id).copied(),
            };
            let [x, y, width, height] = area.frame;
            let Some((place, frame)) = place.zip(Rect::from_xywh(x, y, width.max(1.0), height)) else { continue };
            let target = Target::Destination(destination(place).into());
            let link = Annotation::new_link(LinkAnnotation::new(frame, target), Some(area.text.clone()));
            self.identifiers.insert(area.number, page.add_tagged_annotation(link));
        }
        page.finish();
        Ok(())
    }

    fn shape(&self, surface: &mut Surface<'_>, shape: &Shape) {
        match shape {
            Shape::Text { x, y, run } => self.text(surface, (*x, *y), run),
            Shape::PageOf { heading, x, y, run } => {
                let page = self.set.headings.get(*heading).map_or(0, |heading| heading.place.0 + 1).to_string();
                let from = x - width(&page, run.face, run.size);
                self.text(surface, (from, *y), &Run { text: page, ..run.clone() });
            }
            Shape::Area([x, y, width, height], hue) => {
                let Some(frame) = Rect::from_xywh(*x, *y, *width, *height) else { return };
                let mut path = PathBuilder::new();
                path.push_rect(frame);
                if let Some(path) = path.finish() {
                    surface.set_fill(Some(paint(hue)));
                    surface.draw_path(&path);
                }
            }
            Shape::Drawing { x, y, width, tree } => {
                let height = tree.size().height() * width / tree.size().width().max(1.0);
                let Some(size) = Size::from_wh(*width, height) else { return };
                surface.push_transform(&Transform::from_translate(*x, *y));
                surface.draw_svg(tree, size, SvgSettings::default());
                surface.pop();
            }
        }
    }

    /// Letters from the left, font by font.
    fn text(&self, surface: &mut Surface<'_>, (mut x, y): (f32, f32), run: &Run) {
        surface.set_fill(Some(paint(run.hue)));
        let mut text = String::new();
        let mut glyphs: Vec<KrillaGlyph> = Vec::new();
        let mut font = None;
        for letter in run.text.chars() {
            let found = glyph(letter, run.face);
            if font.is_some_and(|font| font != found.font) {
                x += self.flush(surface, (x, y), (&mut text, &mut glyphs), font, run.size);
            }
            font = Some(found.font);
            let from = text.len();
            text.push(letter);
            let range = from..text.len();
            let id = GlyphId::new(u32::from(found.id));
            glyphs.push(KrillaGlyph::new(id, found.advance, 0.0, 0.0, 0.0, range, None));
        }
        self.flush(surface, (x, y), (&mut text, &mut glyphs), font, run.size);
    }

    fn flush(
        &self,
        surface: &mut Surface<'_>,
        (x, y): (f32, f32),
        (text, glyphs): (&mut String, &mut Vec<KrillaGlyph>),
        font: Option<usize>,
        size: f32,
    ) -> f32 {
        let Some(font) = font.filter(|_| !glyphs.is_empty()) else { return 0.0 };
        surface.draw_glyphs(Point::from_xy(x, y), glyphs, self.fonts[font].clone(), text, size, false);
        let width = glyphs.iter().map(|glyph| glyph.x_advance * size).sum();
        text.clear();
        glyphs.clear();
        width
    }

    /// What runs along the margins: title and organisation, version, run and page.
    fn running(&self, surface: &mut Surface<'_>, sheet: &Sheet, number: usize) {
        let (document, frame) = (self.set.document, &self.set.document.frame);
        let (wide, tall) = sheet.size();
        let known = [frame.field("version"), frame.field("status"), Some(frame.run.as_str())];
        let known: Vec<&str> = known.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        let words = if frame.words.page.contains("{page}") { frame.words.page.as_str() } else { "{page} / {pages}" };
        let page =
            words.replace("{pages}", &self.set.sheets.len().to_string()).replace("{page}", &(number + 1).to_string());
        let organisation = frame.field("organisation").unwrap_or_default();
        for (kind, y, left, right) in [
            (ArtifactType::Header, 40.0, document.title.title.as_str(), organisation),
            (ArtifactType::Footer, tall - 32.0, known.join(" · ").as_str(), page.as_str()),
        ] {
            surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(kind)));
            let small = |text: &str| Run::new(shortened(text), Type::Regular, 8.0, "ink-3");
            self.text(surface, (MARGIN, y), &small(left));
            let right = small(right);
            self.text(surface, (wide - MARGIN - width(&right.text, right.face, right.size), y), &right);
            surface.end_tagged();
        }
    }

    /// A part with all that stands in it; `None` for one without anything.
    fn group(&mut self, part: usize) -> Option<TagGroup> {
        let set = self.set;
        let part = &set.parts[part];
        let mut group = TagGroup::new(tag(&part.role));
        let mut is_empty = true;
        for kid in &part.kids {
            match kid {
                Kid::Tag(number) => {
                    if let Some(inner) = self.group(*number) {
                        group.push(inner);
                        is_empty = false;
                    }
                }
                Kid::Thing(number) | Kid::Area(number) => {
                    if let Some(identifier) = self.identifiers.remove(number) {
                        group.push(identifier);
                        is_empty = false;
                    }
                }
            }
        }
        (!is_empty).then_some(group)
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= HEADER_CHARS {
        return text.to_owned();
    }
    text.chars().take(HEADER_CHARS - 1).chain(['…']).collect()
}

fn paint(hue: &str) -> Fill {
    let colour = report::frame::colour(hue);
    let channel = |from: usize| u8::from_str_radix(colour.get(from..from + 2).unwrap_or("00"), 16).unwrap_or(0);
    Fill {
        paint: rgb::Color::new(channel(1), channel(3), channel(5)).into(),
        opacity: NormalizedF32::ONE,
        rule: FillRule::NonZero,
    }
}

fn tag(role: &Role) -> TagKind {
    match role {
        Role::Title => Tag::Title.into(),
        Role::Heading(level, title) => {
            let level = NonZeroU16::new(*level).unwrap_or(NonZeroU16::MIN);
            Tag::Hn(level, Some(report::frame::printable(title))).into()
        }
        Role::Paragraph => Tag::P.into(),
        Role::List => Tag::L(ListNumbering::Disc).into(),
        Role::Point => Tag::LI.into(),
        Role::Sign => Tag::Lbl.into(),
        Role::Body => Tag::LBody.into(),
        Role::Table(about) => Tag::Table.with_summary(Some(report::frame::printable(about))).into(),
        Role::Caption => Tag::Caption.into(),
        Role::Head => Tag::THead.into(),
        Role::Rows => Tag::TBody.into(),
        Role::Row => Tag::TR.into(),
        Role::HeadCell => Tag::TH(TableHeaderScope::Column).into(),
        Role::RowCell => Tag::TH(TableHeaderScope::Row).into(),
        Role::Cell => Tag::TD.into(),
        Role::Figure(alt) => Tag::Figure(Some(alt.clone())).into(),
        Role::Contents => Tag::TOC.into(),
        Role::Entry => Tag::TOCI.into(),
        Role::Link => Tag::Link.into(),
        Role::Note => Tag::Note.into(),
    }
}
