//! Before the chapters: title page, history of the document, what is known of the run.

use crate::text::{Look, hex, paragraph, run, say};
use crate::xml::Xml;
use report::document::Document;

/// Widths of a list of names and values, in twentieths of a point; together the line.
const NAMES: [&str; 2] = ["2835", "6803"];

/// The title page, with history and run.
pub(crate) fn title(xml: &mut Xml, document: &Document) {
    let (title, frame) = (&document.title, &document.frame);
    let organisation = frame.field("organisation").unwrap_or_default();
    paragraph(xml, "Organisation", |xml| run(xml, Look::PLAIN, organisation));
    say(xml, "Title", &title.title);
    if !title.system.is_empty() {
        say(xml, "Subtitle", &title.system);
    }
    if !frame.words.kind.is_empty() {
        paragraph(xml, "Normal", |xml| run(xml, Look::BOLD.colour(hex("ink-2")), &sentence(&frame.words.kind)));
    }
    if !title.about.is_empty() {
        say(xml, "Lead", &title.about);
    }
    for mark in &title.marks {
        paragraph(xml, "NoteWarning", |xml| {
            run(xml, Look::BOLD, &format!("⚠ {}: ", mark.word));
            run(xml, Look::PLAIN, &mark.text);
        });
    }
    say(xml, "Normal", "");
    // Without anything stated the run is what tells this document from another.
    let stated: Vec<(String, String)> =
        frame.fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
    facts(xml, if stated.is_empty() { &frame.run_facts } else { &stated }, &frame.words.run);
    if !stated.is_empty() {
        say(xml, "FrontHeading", &frame.words.run);
        facts(xml, &frame.run_facts, &frame.words.run);
    }
    history(xml, document);
    say(xml, "Reading", "");
    say(xml, "Reading", &frame.words.footer);
}

/// With a capital.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Names and values, one a row.
fn facts(xml: &mut Xml, facts: &[(String, String)], about: &str) {
    if facts.is_empty() {
        return;
    }
    frame_table(xml, &NAMES, about, |xml| {
        for (name, value) in facts {
            row(xml, &NAMES, false, [(name.as_str(), true), (value.as_str(), false)]);
        }
    });
}

fn history(xml: &mut Xml, document: &Document) {
    let frame = &document.frame;
    if frame.history.is_empty() {
        return;
    }
    const WIDTHS: [&str; 4] = ["1134", "2268", "2268", "3968"];
    say(xml, "FrontHeading", &frame.words.history);
    frame_table(xml, &WIDTHS, &frame.words.history, |xml| {
        let heads = frame.words.history_columns.each_ref().map(|head| (head.as_str(), true));
        row(xml, &WIDTHS, true, heads);
        for version in &frame.history {
            let cells = [&version.version, &version.date, &version.author, &version.changes];
            row(xml, &WIDTHS, false, cells.map(|cell| (cell.as_str(), false)));
        }
    });
}

fn frame_table(xml: &mut Xml, widths: &[&str], about: &str, rows: impl FnOnce(&mut Xml)) {
    xml.element("w:tbl", &[], |xml| {
        xml.element("w:tblPr", &[], |xml| {
            xml.empty("w:tblStyle", &[("w:val", "ReportTable")]);
            xml.empty("w:tblW", &[("w:w", "5000"), ("w:type", "pct")]);
            xml.empty("w:tblLayout", &[("w:type", "fixed")]);
            xml.empty("w:tblLook", &[("w:val", "0000"), ("w:firstRow", "0"), ("w:firstColumn", "0")]);
            xml.empty("w:tblCaption", &[("w:val", about)]);
        });
        xml.element("w:tblGrid", &[], |xml| {
            for width in widths {
                xml.empty("w:gridCol", &[("w:w", width)]);
            }
        });
        rows(xml);
    });
}

fn row<const N: usize>(xml: &mut Xml, widths: &[&str; N], is_head: bool, cells: [(&str, bool); N]) {
    xml.element("w:tr", &[], |xml| {
        xml.element("w:trPr", &[], |xml| {
            xml.empty("w:cantSplit", &[]);
            if is_head {
                xml.empty("w:tblHeader", &[]);
            }
        });
        for ((text, is_bold), width) in cells.into_iter().zip(widths) {
            xml.element("w:tc", &[], |xml| {
                xml.element("w:tcPr", &[], |xml| {
                    xml.empty("w:tcW", &[("w:w", width), ("w:type", "dxa")]);
                    if is_head {
                        xml.empty("w:shd", &[("w:val", "clear"), ("w:color", "auto"), ("w:fill", hex("band"))]);
                    }
                });
                paragraph(xml, "TableText", |xml| run(xml, Look { is_bold, ..Look::PLAIN }, text));
            });
        }
    });
}
