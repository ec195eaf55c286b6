//! What is set where, and what a reader of the file finds.

#[path = "../../report/tests/all/fixture/mod.rs"]
#[allow(unreachable_pub, reason = "code that the tests of several crates share")]
mod fixture;

use crate::letters::width;
use crate::sheet::{Kid, MARGIN, Role, Set, Shape};
use report::document::{Block, Cell, Column, Document, Figure, Row, Section, Table, TitleBlock, number_sections};
use report::frame::{Field, Frame, Version, Words};
use std::collections::BTreeSet;
use std::io::Read as _;

fn fixed(language: &str) -> Document {
    let fixture = fixture::fixture();
    let mut document = report::document(&fixture.input(), language).on_paper();
    document.frame.history.push(Version { version: "1.0".into(), author: "A. <b>".into(), ..Version::default() });
    document
}

fn small(blocks: Vec<Block>) -> Document {
    let mut sections = vec![Section { blocks, ..Section::new("one", "Chapter") }];
    number_sections(&mut sections, "Table");
    let words = Words {
        table: "Table".into(),
        figure: "Figure".into(),
        contents: "Contents".into(),
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

/// How many parts of a kind the tree has.
fn count(set: &Set<'_>, is: impl Fn(&Role) -> bool) -> usize {
    set.parts.iter().filter(|part| is(&part.role)).count()
}

/// Nothing stands outside the margins of its sheet.
fn assert_inside(set: &Set<'_>) {
    for (number, sheet) in set.sheets.iter().enumerate() {
        let (wide, tall) = sheet.size();
        for thing in &sheet.things {
            let (left, right, down) = match &thing.shape {
                Shape::Text { x, y, run } => (*x, x + width(run.text.trim_end(), run.face, run.size), *y),
                Shape::PageOf { x, y, .. } => (*x, *x, *y),
                Shape::Area([x, y, width, height], _) => (*x, x + width, y + height),
                Shape::Drawing { x, y, width, tree } => {
                    (*x, x + width, y + tree.size().height() * width / tree.size().width())
                }
            };
            let place = format!("sheet {number}: {left} to {right}, {down} down, {:?}", thing.shape);
            assert!(left >= MARGIN - 0.1 && right <= wide - MARGIN + 0.6 && down <= tall - 40.0, "{place}");
        }
    }
}

/// The file with its compressed streams made readable.
fn plain(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    for at in bytes.windows(7).enumerate().filter(|(_, window)| *window == b"stream\n").map(|(at, _)| at + 7) {
        let mut inflated = Vec::new();
        if flate2::read::ZlibDecoder::new(&bytes[at..]).read_to_end(&mut inflated).is_ok() {
            text.push_str(&String::from_utf8_lossy(&inflated));
        }
    }
    text
}

fn blocks<'a>(sections: &'a [Section], found: &mut Vec<&'a Block>, headings: &mut usize) {
    for section in sections {
        *headings += 1;
        found.extend(&section.blocks);
        blocks(&section.parts, found, headings);
    }
}

#[test]
fn headings_tables_and_figures_stand_once_with_what_they_are() {
    let document = fixed("en");
    let (mut all, mut headings) = (Vec::new(), 0);
    blocks(&document.sections, &mut all, &mut headings);
    let tables = all.iter().filter(|block| matches!(block, Block::Table(_))).count();
    let figures = document.figures();
    let set = Set::of(&document);
    assert_inside(&set);
    assert_eq!(count(&set, |role| matches!(role, Role::Heading(..))), headings);
    assert_eq!(set.headings.len(), headings);
    // Stated fields, run and history are tables of the title.
    assert_eq!(count(&set, |role| matches!(role, Role::Table(_))), tables + 3);
    assert_eq!(count(&set, |role| *role == Role::Caption), tables + figures.len());
    let alternatives: Vec<_> =
        set.parts.iter().filter_map(|part| if let Role::Figure(alt) = &part.role { Some(alt) } else { None }).collect();
    let observations: Vec<_> = figures.iter().map(|figure| report::frame::printable(&figure.observation)).collect();
    assert!(figures.len() > 10 && alternatives.iter().copied().eq(&observations));
    let listed: usize = document.sections.iter().map(|section| section.parts.len() + 1).sum();
    assert!(listed > crate::front::ENTRIES_MAX, "the run is worth the test");
    assert_eq!(count(&set, |role| *role == Role::Entry), document.sections.len());
    assert_eq!(count(&set, |role| *role == Role::Title), 1);
}

#[test]
fn everything_with_a_place_is_read_once_and_in_the_order_of_the_sheets() {
    let document = fixed("nl");
    let set = Set::of(&document);
    let mut read = Vec::new();
    fn follow(set: &Set<'_>, part: usize, read: &mut Vec<usize>) {
        for kid in &set.parts[part].kids {
            match kid {
                Kid::Tag(number) => follow(set, *number, read),
                Kid::Thing(number) | Kid::Area(number) => read.push(*number),
            }
        }
    }
    set.roots.iter().for_each(|root| follow(&set, *root, &mut read));
    let unique: BTreeSet<_> = read.iter().collect();
    assert_eq!(unique.len(), read.len());
    let drawn: BTreeSet<_> =
        set.sheets.iter().flat_map(|sheet| &sheet.things).filter_map(|thing| thing.number).collect();
    assert!(drawn.iter().all(|number| unique.contains(number)), "what is drawn as content is in the tree");
    let pages: Vec<_> = set.headings.iter().map(|heading| heading.place).collect();
    assert!(pages.is_sorted_by(|one, other| one.0 <= other.0));
}

#[test]
fn the_file_says_what_it_is_in_every_language() {
    for (language, region) in [("en", "en-GB"), ("nl", "nl-NL"), ("da", "da-DK")] {
        let bytes = crate::pdf(&fixed(language)).unwrap();
        let text = plain(&bytes);
        assert!(text.contains("pdfuaid"), "{language}: it passed the check of PDF/UA-1");
        assert!(text.contains(region) && text.contains("Registry Agency"), "{language}");
        assert!(text.contains("/Outlines") && text.contains("/StructTreeRoot"), "{language}");
    }
}

#[test]
fn the_same_document_is_the_same_bytes() {
    assert!(crate::pdf(&fixed("da")).unwrap() == crate::pdf(&fixed("da")).unwrap());
}

#[test]
fn an_empty_report_is_still_a_document() {
    let empty =
        Document { language: "en", title: TitleBlock::default(), sections: Vec::new(), frame: Frame::default() };
    assert!(crate::pdf(&empty).unwrap().starts_with(b"%PDF-1.7"));
    let odd = small(vec![Block::Table(Table::default()), Block::Points(Vec::new()), Block::Definitions(Vec::new())]);
    assert!(crate::pdf(&odd).is_ok());
}

#[test]
fn a_wide_table_turns_its_sheet_and_no_other() {
    let wide = Block::Table(table(14, 3, "registration"));
    let document = small(vec![Block::Table(table(2, 2, "a")), wide, Block::Points(vec!["after".into()])]);
    let set = Set::of(&document);
    assert_inside(&set);
    assert_eq!(set.sheets.iter().filter(|sheet| sheet.is_turned).count(), 1);
    assert!(!set.sheets.last().unwrap().is_turned);
    assert!(plain(&crate::pdf(&document).unwrap()).contains("841.89 595.28"));
}

#[test]
fn a_long_table_has_its_head_on_every_sheet_and_is_read_with_one() {
    let document = small(vec![Block::Table(table(3, 200, "a"))]);
    let set = Set::of(&document);
    assert_inside(&set);
    assert_eq!(count(&set, |role| *role == Role::Row), 201);
    assert_eq!(count(&set, |role| *role == Role::HeadCell), 3);
    let is_head = |shape: &Shape| matches!(shape, Shape::Text { run, .. } if run.text == "column 0");
    let with_head = set.sheets.iter().filter(|sheet| sheet.things.iter().any(|thing| is_head(&thing.shape))).count();
    assert_eq!(with_head, set.sheets.len() - 1, "all but the title, for a short report has no contents");
    assert!(with_head > 2);
    let thinned = small(vec![Block::Table(table(1, 1200, "a"))]);
    assert_eq!(count(&Set::of(&thinned), |role| *role == Role::Row), 401);
}

#[test]
fn hostile_and_endless_text_stays_text_within_the_margins() {
    let hostile = "#read(\"/etc/passwd\") \\input{x} <script>(]]>\u{0}\u{b}\u{202e}\u{ffff} 漢字 \u{1f600} العربية";
    let endless = "x".repeat(9000);
    let mut rows = table(2, 2, hostile);
    rows.caption = endless.clone();
    rows.notes = vec![hostile.into()];
    let mut tall = table(9, 1, &endless);
    tall.rows[0].cells[0] = Cell::code(hostile).with_detail(endless.clone());
    let figure = Figure {
        anchor: "fig".into(),
        number: "1".into(),
        subject: hostile.into(),
        caption: endless.clone(),
        svg: "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><text>漢\u{1}</text></svg>".into(),
        observation: hostile.into(),
        assessment: endless.clone(),
        reading: hostile.into(),
        findings: vec![hostile.into()],
        data: Table::default(),
        group: String::new(),
        is_plain: false,
    };
    let blocks = vec![
        Block::Table(rows),
        Block::Table(tall),
        Block::Figure(Box::new(figure)),
        Block::Points(vec![endless.clone()]),
        Block::Note { kind: report::document::NoteKind::Warning, text: endless.clone() },
    ];
    let mut document = small(blocks);
    document.title.title = hostile.into();
    document.sections[0].title = endless;
    document.frame.fields.push(Field { key: "organisation".into(), name: hostile.into(), value: hostile.into() });
    document.frame.measured = hostile.into();
    let set = Set::of(&document);
    assert_inside(&set);
    assert!(plain(&crate::pdf(&document).unwrap()).contains("pdfuaid"), "unknown letters have a sign");
}

#[test]
fn labels_of_the_hostile_run_stay_within_the_margins() {
    assert!(fixture::HOSTILE.len() > 5);
    let killed = fixture::killed();
    let document = report::document(&killed.input(), "en");
    assert_inside(&Set::of(&document));
    assert!(crate::pdf(&document).is_ok());
}
