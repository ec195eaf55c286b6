//! The contents: a field that Word and LibreOffice bring up to date, filled with what it will say.
//!
//! Pages are estimates until then: only the reader's program knows its fonts.

use crate::body::{Body, Heading};
use crate::text::{Look, field, field_begin, field_end, run, say, tab};
use crate::xml::Xml;

/// Headings down to this level are in the list.
const LEVEL_MAX: u8 = 2;
/// Lines of the list on a page.
const LINES_A_PAGE: usize = 48;

/// Writes the list, of a report that is not short, and a page break after it.
pub(crate) fn contents(xml: &mut Xml, body: &Body<'_>) {
    let words = &body.document.frame.words;
    let listed: Vec<&Heading> = body.headings.iter().filter(|heading| heading.level <= LEVEL_MAX).collect();
    if body.document.is_short() {
        page_break(xml);
        return;
    }
    // After the title page.
    let before = 1 + (listed.len() + 3).div_ceil(LINES_A_PAGE);
    xml.element("w:sdt", &[], |xml| {
        xml.element("w:sdtPr", &[], |xml| {
            xml.element("w:docPartObj", &[], |xml| {
                xml.empty("w:docPartGallery", &[("w:val", "Table of Contents")]);
                xml.empty("w:docPartUnique", &[]);
            });
        });
        xml.element("w:sdtContent", &[], |xml| {
            page_break(xml);
            say(xml, "TOCHeading", &words.contents);
            let instruction = format!("TOC \\o \"1-{LEVEL_MAX}\" \\h \\z \\u");
            for (index, heading) in listed.iter().enumerate() {
                crate::text::paragraph(xml, &format!("TOC{}", heading.level), |xml| {
                    if index == 0 {
                        field_begin(xml, &instruction);
                    }
                    entry(xml, heading, before);
                });
            }
            crate::text::paragraph(xml, "SectionEnd", |xml| {
                if listed.is_empty() {
                    field_begin(xml, &instruction);
                }
                field_end(xml);
            });
        });
    });
    page_break(xml);
}

fn entry(xml: &mut Xml, heading: &Heading, before: usize) {
    xml.element("w:hyperlink", &[("w:anchor", &heading.bookmark), ("w:history", "1")], |xml| {
        run(xml, Look::PLAIN, &heading.number);
        tab(xml);
        run(xml, Look::PLAIN, &heading.title);
        tab(xml);
        let page = (heading.page + before).to_string();
        field(xml, Look::PLAIN, &format!("PAGEREF {} \\h", heading.bookmark), &page);
    });
}

fn page_break(xml: &mut Xml) {
    crate::text::paragraph(xml, "SectionEnd", |xml| {
        xml.element("w:r", &[], |xml| {
            xml.empty("w:br", &[("w:type", "page")]);
        });
    });
}
