//! The parts of the package and how they name each other.

use crate::body::Body;
use crate::package::PackagePart;
use crate::pages::pages;
use crate::styles::{self, W, region};
use crate::text::{Look, page_of_pages, run, tab};
use crate::xml::Xml;
use report::document::Document;

const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
/// Beginning of media types of word processing.
const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.";

/// Parts beside the text: id, kind, target, media type without its beginning.
const BESIDE: [(&str, &str, &str, &str); 8] = [
    ("rIdStyles", "styles", "styles.xml", "styles+xml"),
    ("rIdSettings", "settings", "settings.xml", "settings+xml"),
    ("rIdFonts", "fontTable", "fontTable.xml", "fontTable+xml"),
    ("rIdNumbering", "numbering", "numbering.xml", "numbering+xml"),
    ("rIdHeader", "header", "header-upright.xml", "header+xml"),
    ("rIdHeaderTurned", "header", "header-turned.xml", "header+xml"),
    ("rIdFooter", "footer", "footer-upright.xml", "footer+xml"),
    ("rIdFooterTurned", "footer", "footer-turned.xml", "footer+xml"),
];

/// Every part of the document.
pub(crate) fn parts(document: &Document, body: Body<'_>) -> Vec<PackagePart> {
    let xml = |path: &str, text: String| PackagePart { path: path.into(), bytes: text.into_bytes() };
    let mut parts = vec![
        xml("[Content_Types].xml", content_types()),
        xml("_rels/.rels", package_relations()),
        xml("docProps/core.xml", core_properties(document)),
        xml("docProps/app.xml", app_properties(document)),
        xml("word/document.xml", text(document, &body)),
        xml("word/_rels/document.xml.rels", relations(body.pictures.len())),
        xml("word/styles.xml", styles::styles(document.language)),
        xml("word/settings.xml", styles::settings(document.language)),
        xml("word/fontTable.xml", styles::fonts()),
        xml("word/numbering.xml", styles::numbering()),
    ];
    for (suffix, right) in [("upright", "9638"), ("turned", "14570")] {
        parts.push(xml(&format!("word/header-{suffix}.xml"), header(document, right)));
        parts.push(xml(&format!("word/footer-{suffix}.xml"), footer(document, right)));
    }
    for (index, picture) in body.pictures.into_iter().enumerate() {
        let number = index + 1;
        parts.push(PackagePart { path: format!("word/media/figure{number}.png"), bytes: picture.png });
        parts.push(PackagePart { path: format!("word/media/figure{number}.svg"), bytes: picture.svg });
    }
    parts
}

fn text(document: &Document, body: &Body<'_>) -> String {
    let spaces = [
        ("xmlns:w", W),
        ("xmlns:r", R),
        ("xmlns:wp", "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"),
        ("xmlns:a", "http://schemas.openxmlformats.org/drawingml/2006/main"),
        ("xmlns:pic", "http://schemas.openxmlformats.org/drawingml/2006/picture"),
        ("xmlns:asvg", "http://schemas.microsoft.com/office/drawing/2016/SVG/main"),
    ];
    Xml::part("w:document", &spaces, |xml| {
        xml.element("w:body", &[], |xml| {
            crate::title::title(xml, document);
            crate::contents::contents(xml, body);
            xml.append(&body.xml);
            pages(xml, false, !body.has_turned);
        });
    })
}

fn running(name: &'static str, style: &'static str, right: &str, inner: impl FnOnce(&mut Xml)) -> String {
    Xml::part(name, &[("xmlns:w", W), ("xmlns:r", R)], |xml| {
        xml.element("w:p", &[], |xml| {
            xml.element("w:pPr", &[], |xml| {
                xml.empty("w:pStyle", &[("w:val", style)]);
                xml.element("w:tabs", &[], |xml| {
                    xml.empty("w:tab", &[("w:val", "right"), ("w:pos", right)]);
                });
            });
            inner(xml);
        });
    })
}

/// Longest title in a header; the whole one is on the first page.
const HEADER_CHARS: usize = 70;

fn header(document: &Document, right: &str) -> String {
    running("w:hdr", "Header", right, |xml| {
        run(xml, Look::PLAIN, &shortened(&document.title.title));
        tab(xml);
        run(xml, Look::PLAIN, &shortened(document.frame.field("organisation").unwrap_or_default()));
    })
}

fn footer(document: &Document, right: &str) -> String {
    let frame = &document.frame;
    let known = [frame.field("version"), frame.field("status"), Some(frame.run.as_str())];
    let known: Vec<&str> = known.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    running("w:ftr", "Footer", right, |xml| {
        run(xml, Look::PLAIN, &shortened(&known.join(" · ")));
        tab(xml);
        page_of_pages(xml, &frame.words.page);
    })
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= HEADER_CHARS {
        return text.to_owned();
    }
    text.chars().take(HEADER_CHARS - 1).chain(['…']).collect()
}

fn content_types() -> String {
    let space = "http://schemas.openxmlformats.org/package/2006/content-types";
    Xml::part("Types", &[("xmlns", space)], |xml| {
        let known = [
            ("rels", "application/vnd.openxmlformats-package.relationships+xml"),
            ("xml", "application/xml"),
            ("png", "image/png"),
            ("svg", "image/svg+xml"),
        ];
        for (extension, media) in known {
            xml.empty("Default", &[("Extension", extension), ("ContentType", media)]);
        }
        let mut one = |path: &str, media: &str| {
            xml.empty("Override", &[("PartName", path), ("ContentType", media)]);
        };
        one("/word/document.xml", &format!("{WORD}document.main+xml"));
        for (_, _, target, media) in BESIDE {
            one(&format!("/word/{target}"), &format!("{WORD}{media}"));
        }
        one("/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml");
        one("/docProps/app.xml", "application/vnd.openxmlformats-officedocument.extended-properties+xml");
    })
}

fn package_relations() -> String {
    Xml::part("Relationships", &[("xmlns", RELATIONS)], |xml| {
        let core = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";
        let office = format!("{R}/officeDocument");
        let extended = format!("{R}/extended-properties");
        relation(xml, "rId1", &office, "word/document.xml");
        relation(xml, "rId2", core, "docProps/core.xml");
        relation(xml, "rId3", &extended, "docProps/app.xml");
    })
}

fn relations(pictures: usize) -> String {
    Xml::part("Relationships", &[("xmlns", RELATIONS)], |xml| {
        for (id, kind, target, _) in BESIDE {
            relation(xml, id, &format!("{R}/{kind}"), target);
        }
        for number in 1..=pictures {
            let image = format!("{R}/image");
            relation(xml, &format!("rIdPng{number}"), &image, &format!("media/figure{number}.png"));
            relation(xml, &format!("rIdSvg{number}"), &image, &format!("media/figure{number}.svg"));
        }
    })
}

fn relation(xml: &mut Xml, id: &str, kind: &str, target: &str) {
    xml.empty("Relationship", &[("Id", id), ("Type", kind), ("Target", target)]);
}

/// Title, author and language as a file manager shows them. The date is that of the run: a report has no clock.
fn core_properties(document: &Document) -> String {
    let frame = &document.frame;
    let spaces = [
        ("xmlns:cp", "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"),
        ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
        ("xmlns:dcterms", "http://purl.org/dc/terms/"),
        ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
    ];
    Xml::part("cp:coreProperties", &spaces, |xml| {
        let mut say = |name: &'static str, text: &str| {
            if !text.is_empty() {
                xml.element(name, &[], |xml| {
                    xml.text(text);
                });
            }
        };
        say("dc:title", &document.title.title);
        say("dc:subject", &document.title.system);
        say("dc:creator", frame.field("organisation").filter(|name| !name.is_empty()).unwrap_or(&frame.program));
        say("dc:description", &document.title.about);
        say("dc:language", region(document.language));
        say("cp:version", frame.field("version").unwrap_or_default());
        say("cp:contentStatus", frame.field("status").unwrap_or_default());
        if is_date(&frame.measured) {
            for name in ["dcterms:created", "dcterms:modified"] {
                xml.element(name, &[("xsi:type", "dcterms:W3CDTF")], |xml| {
                    xml.text(&frame.measured);
                });
            }
        }
    })
}

/// Whether a text is a date as the properties take it, `2026-11-21T10:00:00Z`; programs refuse a document with another.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = b"0000-00-00T00:00:00";
    let fits = |(index, wanted): (usize, &u8)| match wanted {
        b'0' => bytes[index].is_ascii_digit(),
        other => bytes[index] == *other,
    };
    let tail = text.get(shape.len()..).unwrap_or_default();
    let fraction = tail.strip_suffix('Z').map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    bytes.len() > shape.len()
        && shape.iter().enumerate().all(fits)
        && fraction.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn app_properties(document: &Document) -> String {
    let space = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties";
    Xml::part("Properties", &[("xmlns", space)], |xml| {
        xml.element("Application", &[], |xml| {
            xml.text("loadproof");
        });
        let organisation = document.frame.field("organisation").unwrap_or_default();
        if !organisation.is_empty() {
            xml.element("Company", &[], |xml| {
                xml.text(organisation);
            });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_become_dates() {
        for (text, answer) in [
            ("2026-11-21T10:00:00Z", true),
            ("2026-11-21T10:00:00.123Z", true),
            ("2026-11-21T10:00:00+01:00", false),
            ("2026-11-21", false),
            ("yesterday, or so, perhaps", false),
            ("", false),
        ] {
            assert_eq!(is_date(text), answer, "{text}");
        }
    }
}
