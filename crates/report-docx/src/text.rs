//! Paragraphs, runs and fields.

use crate::xml::Xml;

/// How a run of text looks, beyond its paragraph's style.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    pub is_bold: bool,
    /// A name or a sample.
    pub is_code: bool,
    /// `rrggbb`
    pub colour: Option<&'static str>,
    /// In points.
    pub size_pt: Option<f64>,
}

impl Look {
    pub(crate) const PLAIN: Self = Self { is_bold: false, is_code: false, colour: None, size_pt: None };
    pub(crate) const BOLD: Self = Self { is_bold: true, ..Self::PLAIN };
    pub(crate) const CODE: Self = Self { is_code: true, ..Self::PLAIN };

    pub(crate) const fn colour(mut self, colour: &'static str) -> Self {
        self.colour = Some(colour);
        self
    }

    pub(crate) const fn size(mut self, size_pt: f64) -> Self {
        self.size_pt = Some(size_pt);
        self
    }
}

/// A colour of the palette as Word writes it.
pub(crate) fn hex(name: &str) -> &'static str {
    report::frame::colour(name).trim_start_matches('#')
}

/// Half points.
pub(crate) fn half(size_pt: f64) -> String {
    format!("{}", (size_pt * 2.0).round() as i64)
}

/// A paragraph in a style.
pub(crate) fn paragraph(xml: &mut Xml, style: &str, inner: impl FnOnce(&mut Xml)) {
    xml.element("w:p", &[], |xml| {
        xml.element("w:pPr", &[], |xml| {
            xml.empty("w:pStyle", &[("w:val", style)]);
        });
        inner(xml);
    });
}

/// A paragraph of plain text.
pub(crate) fn say(xml: &mut Xml, style: &str, text: &str) {
    paragraph(xml, style, |xml| run(xml, Look::PLAIN, text));
}

/// A run of text.
pub(crate) fn run(xml: &mut Xml, look: Look, text: &str) {
    if text.is_empty() {
        return;
    }
    xml.element("w:r", &[], |xml| {
        properties(xml, look);
        xml.element("w:t", &[("xml:space", "preserve")], |xml| {
            xml.text(text);
        });
    });
}

fn properties(xml: &mut Xml, look: Look) {
    if !look.is_bold && !look.is_code && look.colour.is_none() && look.size_pt.is_none() {
        return;
    }
    xml.element("w:rPr", &[], |xml| {
        if look.is_code {
            xml.empty("w:rStyle", &[("w:val", "Code")]);
        }
        if look.is_bold {
            xml.empty("w:b", &[]);
        }
        if let Some(colour) = look.colour {
            xml.empty("w:color", &[("w:val", colour)]);
        }
        if let Some(size) = look.size_pt {
            xml.empty("w:sz", &[("w:val", &half(size))]);
            xml.empty("w:szCs", &[("w:val", &half(size))]);
        }
    });
}

pub(crate) fn tab(xml: &mut Xml) {
    xml.element("w:r", &[], |xml| {
        xml.empty("w:tab", &[]);
    });
}

/// A field with what it shows until it is brought up to date.
pub(crate) fn field(xml: &mut Xml, look: Look, instruction: &str, shown: &str) {
    field_begin(xml, instruction);
    run(xml, look, shown);
    field_end(xml);
}

/// Begin of a field whose result spans several runs or paragraphs.
pub(crate) fn field_begin(xml: &mut Xml, instruction: &str) {
    let mark = |xml: &mut Xml, kind: &str| {
        xml.element("w:r", &[], |xml| {
            xml.empty("w:fldChar", &[("w:fldCharType", kind)]);
        });
    };
    mark(xml, "begin");
    xml.element("w:r", &[], |xml| {
        xml.element("w:instrText", &[("xml:space", "preserve")], |xml| {
            xml.text(&format!(" {instruction} "));
        });
    });
    mark(xml, "separate");
}

pub(crate) fn field_end(xml: &mut Xml) {
    xml.element("w:r", &[], |xml| {
        xml.empty("w:fldChar", &[("w:fldCharType", "end")]);
    });
}

/// A text that leads to a bookmark of this document.
pub(crate) fn link(xml: &mut Xml, bookmark: &str, text: &str) {
    xml.element("w:hyperlink", &[("w:anchor", bookmark), ("w:history", "1")], |xml| {
        run(xml, Look::PLAIN.colour(hex("accent")), text);
    });
}

/// A bookmark about something; `id` must be unique in the document.
pub(crate) fn bookmark(xml: &mut Xml, id: usize, name: &str, inner: impl FnOnce(&mut Xml)) {
    let id = id.to_string();
    xml.empty("w:bookmarkStart", &[("w:id", &id), ("w:name", name)]);
    inner(xml);
    xml.empty("w:bookmarkEnd", &[("w:id", &id)]);
}

/// A page of the document: `Page {page} of {pages}` with fields in the places.
pub(crate) fn page_of_pages(xml: &mut Xml, words: &str) {
    let words = if words.contains("{page}") { words } else { "{page} / {pages}" };
    let (before, rest) = words.split_once("{page}").unwrap_or(("", words));
    let (between, after) = rest.split_once("{pages}").unwrap_or((rest, ""));
    run(xml, Look::PLAIN, before);
    field(xml, Look::PLAIN, "PAGE", "1");
    run(xml, Look::PLAIN, between);
    if rest.contains("{pages}") {
        field(xml, Look::PLAIN, "NUMPAGES", "1");
    }
    run(xml, Look::PLAIN, after);
}
