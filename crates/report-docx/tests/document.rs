//! The file as a program for text would read it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../report/tests/all/fixture/mod.rs"]
mod fixture;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use report::document::{Block, Cell, Column, Document, Figure, Row, Section, Table, TitleBlock, number_sections};
use report::frame::{Field, Frame, Version, Words};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

/// Path and bytes of every part.
fn parts(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut found = BTreeMap::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).unwrap();
        let name = file.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        assert!(found.insert(name.clone(), bytes).is_none(), "{name} stands twice");
    }
    found
}

/// An element: its name and attributes.
type Element = (String, BTreeMap<String, String>);

/// Elements of a part in their order; fails where it is not well-formed.
fn elements(xml: &[u8]) -> Vec<Element> {
    let text = std::str::from_utf8(xml).unwrap();
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    let mut depth = 0_usize;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                depth += 1;
                found.push(element(&start));
            }
            Event::Empty(start) => found.push(element(&start)),
            Event::End(_) => depth -= 1,
            Event::Text(text) => {
                let text = text.xml10_content();
                assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "a control in {text}");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    found
}

fn element(start: &BytesStart<'_>) -> Element {
    let text = |bytes: &str| bytes.to_owned();
    let attribute = |found: Result<quick_xml::events::attributes::Attribute<'_>, _>| {
        let found: quick_xml::events::attributes::Attribute<'_> = found.unwrap();
        let value = found.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap().into_owned();
        (text(found.key.as_ref()), value)
    };
    (text(start.name().as_ref()), start.attributes().map(attribute).collect())
}

fn count(elements: &[Element], name: &str) -> usize {
    elements.iter().filter(|(found, _)| found == name).count()
}

/// Values of an attribute in all elements of a name.
fn values<'a>(elements: &'a [Element], name: &str, attribute: &str) -> Vec<&'a str> {
    let of_name = elements.iter().filter(|(found, _)| found == name);
    of_name.filter_map(|(_, attributes)| attributes.get(attribute)).map(String::as_str).collect()
}

fn body(document: &Document) -> (String, Vec<Element>) {
    let parts = parts(&report_docx::docx(document));
    let text = String::from_utf8(parts["word/document.xml"].clone()).unwrap();
    let elements = elements(text.as_bytes());
    (text, elements)
}

/// The run that all formats are tried with, in a language, with a stated history.
fn fixed(language: &str) -> Document {
    let fixture = fixture::fixture();
    let mut document = report::document(&fixture.input(), language).on_paper();
    document.frame.history.push(Version {
        version: "1.0".into(),
        date: "20 November 2026".into(),
        author: "A. Tester <x>".into(),
        changes: "first issue & more".into(),
    });
    document
}

/// A document with one chapter.
fn small(blocks: Vec<Block>) -> Document {
    let mut sections = vec![Section { blocks, ..Section::new("one", "Chapter") }];
    number_sections(&mut sections, "Table");
    let words = Words {
        table: "Table".into(),
        figure: "Figure".into(),
        page: "Page {page} of {pages}".into(),
        thinned: "One row of {stride}; all are in {file}.".into(),
        ..Words::default()
    };
    let frame = Frame { words, ..Frame::default() };
    Document { language: "en", title: TitleBlock { title: "Title".into(), ..TitleBlock::default() }, sections, frame }
}

fn table(columns: usize, rows: usize, text: &str) -> Table {
    Table {
        name: "rows".into(),
        caption: "Rows".into(),
        columns: (0..columns).map(|column| Column::text(format!("column {column}"))).collect(),
        rows: (0..rows).map(|_| Row::new((0..columns).map(|_| Cell::text(text)).collect())).collect(),
        notes: Vec::new(),
    }
}

fn blocks<'a>(sections: &'a [Section], found: &mut Vec<&'a Block>, headings: &mut Vec<&'a str>) {
    for section in sections {
        headings.push(&section.title);
        found.extend(&section.blocks);
        blocks(&section.parts, found, headings);
    }
}

/// The whole run in English: drawing its figures is most of the time that the tests take.
static WHOLE: std::sync::LazyLock<(Document, BTreeMap<String, Vec<u8>>)> = std::sync::LazyLock::new(|| {
    let document = fixed("en");
    let parts = parts(&report_docx::docx(&document));
    (document, parts)
});

/// The first chapter in a language.
fn beginning(language: &str) -> Document {
    let mut document = fixed(language);
    document.sections.truncate(1);
    document
}

#[test]
fn every_part_is_well_formed_known_and_referred_to() {
    let parts = &WHOLE.1;
    let types = elements(&parts["[Content_Types].xml"]);
    let extensions = values(&types, "Default", "Extension");
    let overrides: BTreeSet<_> = values(&types, "Override", "PartName").into_iter().collect();
    for (path, bytes) in parts {
        let extension = path.rsplit('.').next().unwrap();
        assert!(extensions.contains(&extension), "{path} has no media type");
        let is_special = path.contains("_rels/") || path.starts_with('[');
        if extension == "xml" && !is_special {
            assert!(overrides.contains(format!("/{path}").as_str()), "{path} has no media type of its own");
        }
        if extension != "png" {
            elements(bytes);
        }
    }
    for path in &overrides {
        assert!(parts.contains_key(path.trim_start_matches('/')), "{path} is missing");
    }
    let relations = elements(&parts["word/_rels/document.xml.rels"]);
    let ids = values(&relations, "Relationship", "Id");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    for target in values(&relations, "Relationship", "Target") {
        assert!(parts.contains_key(&format!("word/{target}")), "{target} is missing");
    }
    let text = elements(&parts["word/document.xml"]);
    let used = text.iter().flat_map(|(_, attributes)| attributes.iter());
    for (_, id) in used.filter(|(name, _)| matches!(name.as_str(), "r:embed" | "r:id")) {
        assert!(ids.contains(&id.as_str()), "{id} is not a relationship");
    }
}

#[test]
fn ids_are_unique_links_have_targets_and_styles_exist() {
    let parts = &WHOLE.1;
    let text = elements(&parts["word/document.xml"]);
    for (name, attribute) in [("wp:docPr", "id"), ("w:bookmarkStart", "w:id"), ("w:bookmarkStart", "w:name")] {
        let found = values(&text, name, attribute);
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "{name} {attribute}");
        assert!(!found.is_empty());
    }
    let names = values(&text, "w:bookmarkStart", "w:name");
    assert!(names.iter().all(|name| name.len() <= 40), "Word cuts longer names");
    for target in values(&text, "w:hyperlink", "w:anchor") {
        assert!(names.contains(&target), "{target} leads nowhere");
    }
    let styles = elements(&parts["word/styles.xml"]);
    let known = values(&styles, "w:style", "w:styleId");
    for kind in ["w:pStyle", "w:rStyle", "w:tblStyle"] {
        for style in values(&text, kind, "w:val") {
            assert!(known.contains(&style), "{style} is not a style");
        }
    }
}

/// S1.E13: one figure of that report had no number. Each has a field that counts, so that the program numbers them.
#[test]
fn headings_captions_tables_and_figures_stand_once() {
    let (document, parts) = &*WHOLE;
    let (mut all, mut headings) = (Vec::new(), Vec::new());
    blocks(&document.sections, &mut all, &mut headings);
    let tables: Vec<&Table> =
        all.iter().filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None }).collect();
    let figures = document.figures();
    assert!(tables.len() > 10 && figures.len() > 10, "the run is worth the test");
    let text = String::from_utf8(parts["word/document.xml"].clone()).unwrap();
    let elements = elements(text.as_bytes());
    let styles = values(&elements, "w:pStyle", "w:val");
    assert_eq!(styles.iter().filter(|style| style.starts_with("Heading")).count(), headings.len());
    assert_eq!(text.matches(" SEQ Table \\* ARABIC ").count(), tables.len());
    assert_eq!(text.matches(" SEQ Figure \\* ARABIC ").count(), figures.len());
    // Fields, run and history are tables of the title, without a number.
    assert_eq!(count(&elements, "w:tbl"), tables.len() + 3);
    assert_eq!(values(&elements, "w:tblCaption", "w:val").len(), tables.len() + 3);
    assert_eq!(count(&elements, "w:drawing"), figures.len());
    let alternatives = values(&elements, "wp:docPr", "descr");
    for (figure, alternative) in figures.iter().zip(&alternatives) {
        assert_eq!(*alternative, report::frame::printable(&figure.observation).replace('\n', " "));
        assert!(!alternative.is_empty());
    }
    assert_eq!(text.matches(" TOC \\o &quot;1-2&quot;").count(), 1);
    let listed = styles.iter().filter(|style| matches!(**style, "TOC1" | "TOC2")).count();
    let parts: usize = document.sections.iter().map(|section| section.parts.len() + 1).sum();
    assert_eq!(listed, parts);
    assert_eq!(text.matches(" PAGEREF ").count(), parts);
}

#[test]
fn rows_of_heads_are_repeated_and_no_row_is_split() {
    let (_, elements) = body(&small(vec![Block::Table(table(3, 200, "a"))]));
    assert_eq!(count(&elements, "w:tblHeader"), 1);
    // One of the facts of the run is missing: nothing is known of it.
    assert_eq!(count(&elements, "w:tr"), 201);
    assert_eq!(count(&elements, "w:cantSplit"), 201);
    let (text, elements) = body(&small(vec![Block::Table(table(1, 1200, "a"))]));
    assert_eq!(count(&elements, "w:tr"), 401);
    assert!(text.contains("One row of 3; all are in tables/rows.csv."));
}

#[test]
fn a_column_of_small_drawings_is_left_out_and_no_other() {
    let mut drawn = table(3, 4, "a");
    drawn.rows[2].cells[1] = Cell { spark: "<svg/>".into(), ..Cell::default() };
    let (text, elements) = body(&small(vec![Block::Table(drawn)]));
    assert_eq!(count(&elements, "w:gridCol"), 2);
    assert_eq!(count(&elements, "w:tc"), 2 * 5, "two columns of a head and four rows");
    assert!(text.contains("column 0") && text.contains("column 2") && !text.contains("column 1"));
}

#[test]
fn a_wide_table_turns_its_page_and_no_other() {
    let wide = Block::Table(table(14, 3, "registration"));
    let (text, elements) =
        body(&small(vec![Block::Table(table(2, 2, "a")), wide, Block::Points(vec!["after".into()])]));
    let turned = values(&elements, "w:pgSz", "w:orient");
    assert_eq!((turned.len(), count(&elements, "w:pgSz")), (1, 3));
    assert_eq!(count(&elements, "w:titlePg"), 1, "only the first page has no header");
    let widths: Vec<i64> = values(&elements, "w:gridCol", "w:w").iter().map(|width| width.parse().unwrap()).collect();
    let wide: i64 = widths[2..].iter().sum();
    assert!((9_638..=14_570).contains(&wide), "{wide} twentieths of a point");
    assert!(text.find("column 13").unwrap() < text.find("landscape").unwrap());
    assert!(text.find("landscape").unwrap() < text.find("after").unwrap());
}

#[test]
fn language_title_and_author_are_told_to_programs() {
    for (language, region) in [("en", "en-GB"), ("nl", "nl-NL"), ("da", "da-DK")] {
        let document = beginning(language);
        let parts = parts(&report_docx::docx(&document));
        let styles = elements(&parts["word/styles.xml"]);
        assert_eq!(values(&styles, "w:lang", "w:val"), [region]);
        let core = String::from_utf8(parts["docProps/core.xml"].clone()).unwrap();
        assert!(core.contains(&format!("<dc:language>{region}</dc:language>")), "{core}");
        assert!(core.contains("<dc:title>") && core.contains("<dc:creator>Registry Agency</dc:creator>"), "{core}");
        let footer = String::from_utf8(parts["word/footer-upright.xml"].clone()).unwrap();
        assert!(footer.contains(" PAGE ") && footer.contains(" NUMPAGES "), "{footer}");
        let header = String::from_utf8(parts["word/header-turned.xml"].clone()).unwrap();
        assert!(header.contains("Registry Agency"), "{header}");
    }
}

#[test]
fn the_same_document_is_the_same_bytes() {
    assert!(report_docx::docx(&beginning("da")) == report_docx::docx(&beginning("da")));
}

#[test]
fn an_empty_report_is_still_a_document() {
    let empty =
        Document { language: "en", title: TitleBlock::default(), sections: Vec::new(), frame: Frame::default() };
    let (text, elements) = body(&empty);
    assert_eq!(count(&elements, "w:sectPr"), 1);
    let fields = |kind: &str| values(&elements, "w:fldChar", "w:fldCharType").iter().filter(|k| **k == kind).count();
    assert_eq!(fields("begin"), fields("end"));
    assert!(text.ends_with("</w:document>"));
    let (_, elements) = body(&small(vec![Block::Table(Table::default()), Block::Points(Vec::new())]));
    assert_eq!(count(&elements, "w:tbl"), 0, "a table without columns has only its caption");
}

#[test]
fn hostile_text_stays_text() {
    let hostile = "</w:t></w:r><script>alert(1)</script>]]>\u{0}\u{b}\u{202e}\u{ffff}&amp;\"'";
    let word = "x".repeat(3000);
    let mut rows = table(2, 2, hostile);
    rows.caption = hostile.into();
    rows.notes = vec![word.clone()];
    let figure = Figure {
        anchor: "fig".into(),
        number: "1".into(),
        subject: hostile.into(),
        caption: hostile.into(),
        svg: "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><text>\u{1}</text></svg>".into(),
        observation: hostile.into(),
        assessment: hostile.into(),
        reading: word.clone(),
        findings: vec![hostile.into()],
        data: Table::default(),
        group: String::new(),
        is_plain: false,
    };
    let mut document = small(vec![Block::Table(rows), Block::Figure(Box::new(figure))]);
    document.title.title = hostile.into();
    document.frame.fields.push(Field { key: "organisation".into(), name: hostile.into(), value: hostile.into() });
    document.frame.measured = hostile.into();
    document.sections[0].title = hostile.into();
    for (path, bytes) in parts(&report_docx::docx(&document)) {
        if path.ends_with(".png") {
            continue;
        }
        elements(&bytes);
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("<script"), "{path}");
        assert!(!text.contains('\u{0}') && !text.contains('\u{202e}') && !text.contains('\u{ffff}'), "{path}");
    }
}

#[test]
fn labels_of_the_hostile_run_reach_no_markup() {
    let text = std::str::from_utf8(&WHOLE.1["word/document.xml"]).unwrap();
    assert!(!text.contains("<script") && text.contains("&lt;script"));
    assert!(fixture::HOSTILE.len() > 5);
}
