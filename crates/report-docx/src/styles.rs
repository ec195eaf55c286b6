//! Styles and lists: how everything looks, in one place that the reader can change.

use crate::text::{half, hex};
use crate::xml::Xml;

/// Name space of word processing.
pub(crate) const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
/// Letters of the text: what every machine has, or something of the same widths.
const SANS: &str = "Arial";
const MONO: &str = "Consolas";
/// What stands in for them where they are missing, of the same widths or nearly so, with their kind.
const STAND_INS: [(&str, &str, &str, &str); 2] =
    [(SANS, "Liberation Sans", "swiss", "variable"), (MONO, "Liberation Mono", "modern", "fixed")];

/// A style of paragraphs.
#[derive(Clone, Copy)]
struct Style {
    id: &'static str,
    name: &'static str,
    size_pt: f64,
    colour: &'static str,
    is_bold: bool,
    /// Points before and after.
    space: (f64, f64),
    /// Twentieths of a point from the left, and of the first line.
    indent: (i32, i32),
    keeps_next: bool,
    /// Level of the outline, of headings.
    outline: Option<u8>,
    /// Colour of a bar on the left.
    bar: &'static str,
    /// Colour of the ground.
    ground: &'static str,
    is_right: bool,
}

const BASE: Style = Style {
    id: "",
    name: "",
    size_pt: 10.0,
    colour: "ink",
    is_bold: false,
    space: (0.0, 6.0),
    indent: (0, 0),
    keeps_next: false,
    outline: None,
    bar: "",
    ground: "",
    is_right: false,
};

const fn heading(id: &'static str, name: &'static str, level: u8, size_pt: f64, before: f64) -> Style {
    Style { id, name, size_pt, is_bold: true, space: (before, 6.0), keeps_next: true, outline: Some(level), ..BASE }
}

const fn contents(id: &'static str, name: &'static str, is_bold: bool, before: f64, indent: i32) -> Style {
    Style { id, name, size_pt: 9.5, is_bold, space: (before, 1.0), indent: (indent, 0), ..BASE }
}

const fn panel(id: &'static str, name: &'static str, bar: &'static str, ground: &'static str) -> Style {
    Style { id, name, bar, ground, indent: (170, 0), space: (3.0, 3.0), ..BASE }
}

const STYLES: [Style; 36] = [
    heading("Heading1", "heading 1", 0, 18.0, 24.0),
    heading("Heading2", "heading 2", 1, 13.5, 16.0),
    heading("Heading3", "heading 3", 2, 11.5, 12.0),
    heading("Heading4", "heading 4", 3, 10.5, 10.0),
    heading("Heading5", "heading 5", 4, 10.0, 8.0),
    Style { id: "Title", name: "Title", size_pt: 28.0, is_bold: true, space: (150.0, 10.0), ..BASE },
    Style { id: "Subtitle", name: "Subtitle", size_pt: 15.0, colour: "ink-2", space: (0.0, 18.0), ..BASE },
    Style { id: "Organisation", name: "Organisation", size_pt: 12.0, is_bold: true, colour: "accent", ..BASE },
    Style {
        id: "FrontHeading",
        name: "Front Heading",
        size_pt: 13.5,
        is_bold: true,
        space: (20.0, 6.0),
        keeps_next: true,
        ..BASE
    },
    Style {
        id: "TOCHeading",
        name: "TOC Heading",
        size_pt: 18.0,
        is_bold: true,
        space: (0.0, 10.0),
        keeps_next: true,
        ..BASE
    },
    contents("TOC1", "toc 1", true, 5.0, 0),
    contents("TOC2", "toc 2", false, 0.0, 454),
    contents("TOC3", "toc 3", false, 0.0, 1021),
    Style { id: "Caption", name: "caption", size_pt: 9.0, is_bold: true, space: (10.0, 4.0), keeps_next: true, ..BASE },
    Style {
        id: "FigureCaption",
        name: "Figure Caption",
        size_pt: 9.0,
        is_bold: true,
        space: (2.0, 6.0),
        keeps_next: true,
        ..BASE
    },
    Style { id: "Drawing", name: "Drawing", space: (10.0, 0.0), keeps_next: true, ..BASE },
    Style { id: "Lead", name: "Lead", size_pt: 11.5, space: (0.0, 8.0), ..BASE },
    Style { id: "Says", name: "Says", space: (0.0, 3.0), indent: (0, 0), ..BASE },
    Style { id: "Reading", name: "Reading", size_pt: 8.5, colour: "ink-2", ..BASE },
    Style { id: "ListBullet", name: "List Bullet", space: (0.0, 3.0), ..BASE },
    Style { id: "TableNote", name: "Table Note", size_pt: 8.0, colour: "ink-2", space: (2.0, 2.0), ..BASE },
    Style { id: "TableText", name: "Table Text", size_pt: 9.0, space: (1.5, 1.5), ..BASE },
    Style { id: "TableNumber", name: "Table Number", size_pt: 9.0, space: (1.5, 1.5), is_right: true, ..BASE },
    Style { id: "Tally", name: "Tally", size_pt: 12.0, is_bold: true, space: (6.0, 10.0), ..BASE },
    Style { id: "Definition", name: "Definition", indent: (284, -284), space: (0.0, 4.0), ..BASE },
    panel("NoteReading", "Note Reading", "rule", ""),
    panel("NoteMissing", "Note Missing", "grey", ""),
    panel("NoteWarning", "Note Warning", "limit", "not-met-ground"),
    panel("NoteComment", "Note Comment", "accent", "raised"),
    panel("PanelGood", "Panel Good", "met", "met-ground"),
    panel("PanelBad", "Panel Bad", "not-met", "not-met-ground"),
    panel("PanelDoubt", "Panel Doubt", "cannot-tell", "cannot-tell-ground"),
    panel("PanelInfo", "Panel Info", "accent", "raised"),
    Style { id: "Header", name: "header", size_pt: 8.0, colour: "ink-3", space: (0.0, 0.0), ..BASE },
    Style { id: "Footer", name: "footer", size_pt: 8.0, colour: "ink-3", space: (0.0, 0.0), ..BASE },
    Style { id: "SectionEnd", name: "Section End", size_pt: 1.0, space: (0.0, 0.0), ..BASE },
];

/// Region that a language is written for, as programs for text want it.
pub(crate) fn region(language: &str) -> &'static str {
    match language {
        "nl" => "nl-NL",
        "da" => "da-DK",
        _ => "en-GB",
    }
}

/// `word/styles.xml`.
pub(crate) fn styles(language: &str) -> String {
    Xml::part("w:styles", &[("xmlns:w", W)], |xml| {
        defaults(xml, language);
        let normal = [("w:type", "paragraph"), ("w:default", "1"), ("w:styleId", "Normal")];
        xml.element("w:style", &normal, |xml| {
            xml.empty("w:name", &[("w:val", "Normal")]).empty("w:qFormat", &[]);
        });
        let font = [("w:type", "character"), ("w:default", "1"), ("w:styleId", "DefaultParagraphFont")];
        xml.element("w:style", &font, |xml| {
            xml.empty("w:name", &[("w:val", "Default Paragraph Font")]);
        });
        STYLES.iter().for_each(|each| style(xml, each));
        code(xml);
        table_styles(xml);
    })
}

fn defaults(xml: &mut Xml, language: &str) {
    xml.element("w:docDefaults", &[], |xml| {
        xml.element("w:rPrDefault", &[], |xml| {
            xml.element("w:rPr", &[], |xml| {
                let fonts = [("w:ascii", SANS), ("w:hAnsi", SANS), ("w:cs", SANS), ("w:eastAsia", SANS)];
                xml.empty("w:rFonts", &fonts);
                xml.empty("w:color", &[("w:val", hex("ink"))]);
                xml.empty("w:sz", &[("w:val", "20")]).empty("w:szCs", &[("w:val", "20")]);
                let region = region(language);
                xml.empty("w:lang", &[("w:val", region), ("w:eastAsia", region), ("w:bidi", "ar-SA")]);
            });
        });
        xml.element("w:pPrDefault", &[], |xml| {
            xml.element("w:pPr", &[], |xml| {
                xml.empty("w:spacing", &[("w:after", "120"), ("w:line", "264"), ("w:lineRule", "auto")]);
            });
        });
    });
}

fn style(xml: &mut Xml, style: &Style) {
    xml.element("w:style", &[("w:type", "paragraph"), ("w:styleId", style.id)], |xml| {
        xml.empty("w:name", &[("w:val", style.name)]);
        xml.empty("w:basedOn", &[("w:val", "Normal")]);
        if style.outline.is_some() {
            xml.empty("w:next", &[("w:val", "Normal")]);
        }
        xml.empty("w:qFormat", &[]);
        xml.element("w:pPr", &[], |xml| layout(xml, style));
        xml.element("w:rPr", &[], |xml| {
            if style.is_bold {
                xml.empty("w:b", &[]);
            }
            xml.empty("w:color", &[("w:val", hex(style.colour))]);
            xml.empty("w:sz", &[("w:val", &half(style.size_pt))]);
            xml.empty("w:szCs", &[("w:val", &half(style.size_pt))]);
        });
    });
}

/// Properties of a paragraph, in the order that the schema asks for.
fn layout(xml: &mut Xml, style: &Style) {
    if style.keeps_next {
        xml.empty("w:keepNext", &[]).empty("w:keepLines", &[]);
    }
    if style.id == "ListBullet" {
        list(xml, "3", "0");
    }
    if !style.bar.is_empty() {
        xml.element("w:pBdr", &[], |xml| {
            let bar = [("w:val", "single"), ("w:sz", "24"), ("w:space", "8"), ("w:color", hex(style.bar))];
            xml.empty("w:left", &bar);
        });
    }
    if !style.ground.is_empty() {
        xml.empty("w:shd", &[("w:val", "clear"), ("w:color", "auto"), ("w:fill", hex(style.ground))]);
    }
    if style.id.starts_with("TOC") && style.outline.is_none() && style.id != "TOCHeading" {
        let number = (style.indent.0 + if style.id == "TOC1" { 454 } else { 567 }).to_string();
        xml.element("w:tabs", &[], |xml| {
            xml.empty("w:tab", &[("w:val", "left"), ("w:pos", &number)]);
            xml.empty("w:tab", &[("w:val", "right"), ("w:leader", "dot"), ("w:pos", "9638")]);
        });
    }
    let twips = |points: f64| format!("{}", (points * 20.0).round() as i64);
    xml.empty("w:spacing", &[("w:before", &twips(style.space.0)), ("w:after", &twips(style.space.1))]);
    let (left, first) = style.indent;
    if left > 0 && first < 0 {
        xml.empty("w:ind", &[("w:left", &left.to_string()), ("w:hanging", &(-first).to_string())]);
    } else if left > 0 {
        xml.empty("w:ind", &[("w:left", &left.to_string())]);
    }
    if style.is_right {
        xml.empty("w:jc", &[("w:val", "right")]);
    }
    if let Some(level) = style.outline {
        xml.empty("w:outlineLvl", &[("w:val", &level.to_string())]);
    }
}

/// The list that a paragraph is in.
pub(crate) fn list(xml: &mut Xml, list: &str, level: &str) {
    xml.element("w:numPr", &[], |xml| {
        xml.empty("w:ilvl", &[("w:val", level)]).empty("w:numId", &[("w:val", list)]);
    });
}

fn code(xml: &mut Xml) {
    xml.element("w:style", &[("w:type", "character"), ("w:styleId", "Code")], |xml| {
        xml.empty("w:name", &[("w:val", "Code")]).empty("w:qFormat", &[]);
        xml.element("w:rPr", &[], |xml| {
            let fonts = [("w:ascii", MONO), ("w:hAnsi", MONO), ("w:cs", MONO)];
            xml.empty("w:rFonts", &fonts).empty("w:noProof", &[]);
        });
    });
}

fn table_styles(xml: &mut Xml) {
    let normal = [("w:type", "table"), ("w:default", "1"), ("w:styleId", "TableNormal")];
    xml.element("w:style", &normal, |xml| {
        xml.empty("w:name", &[("w:val", "Normal Table")]);
        xml.element("w:tblPr", &[], |xml| {
            xml.empty("w:tblInd", &[("w:w", "0"), ("w:type", "dxa")]);
        });
    });
    xml.element("w:style", &[("w:type", "table"), ("w:styleId", "ReportTable")], |xml| {
        xml.empty("w:name", &[("w:val", "Report Table")]).empty("w:basedOn", &[("w:val", "TableNormal")]);
        xml.element("w:tblPr", &[], |xml| {
            xml.element("w:tblBorders", &[], |xml| {
                let line = |size: &'static str, colour: &'static str| {
                    [("w:val", "single"), ("w:sz", size), ("w:space", "0"), ("w:color", hex(colour))]
                };
                xml.empty("w:top", &line("8", "ink-2"));
                xml.empty("w:bottom", &line("8", "ink-2"));
                xml.empty("w:insideH", &line("4", "rule"));
            });
            xml.element("w:tblCellMar", &[], |xml| {
                xml.empty("w:left", &[("w:w", "80"), ("w:type", "dxa")]);
                xml.empty("w:right", &[("w:w", "80"), ("w:type", "dxa")]);
            });
        });
        xml.element("w:tblStylePr", &[("w:type", "firstRow")], |xml| {
            xml.element("w:rPr", &[], |xml| {
                xml.empty("w:b", &[]);
            });
            xml.element("w:tcPr", &[], |xml| {
                xml.empty("w:shd", &[("w:val", "clear"), ("w:color", "auto"), ("w:fill", hex("band"))]);
                xml.empty("w:vAlign", &[("w:val", "bottom")]);
            });
        });
    });
}

/// `word/numbering.xml`: chapters (list 1), appendices (list 2), points (list 3).
pub(crate) fn numbering() -> String {
    Xml::part("w:numbering", &[("xmlns:w", W)], |xml| {
        outline(xml, "1", "decimal");
        outline(xml, "2", "upperLetter");
        xml.element("w:abstractNum", &[("w:abstractNumId", "3")], |xml| {
            xml.empty("w:multiLevelType", &[("w:val", "hybridMultilevel")]);
            xml.element("w:lvl", &[("w:ilvl", "0")], |xml| {
                xml.empty("w:start", &[("w:val", "1")]).empty("w:numFmt", &[("w:val", "bullet")]);
                xml.empty("w:lvlText", &[("w:val", "•")]).empty("w:lvlJc", &[("w:val", "left")]);
                xml.element("w:pPr", &[], |xml| {
                    xml.empty("w:ind", &[("w:left", "284"), ("w:hanging", "227")]);
                });
            });
        });
        for list in ["1", "2", "3"] {
            xml.element("w:num", &[("w:numId", list)], |xml| {
                xml.empty("w:abstractNumId", &[("w:val", list)]);
            });
        }
    })
}

fn outline(xml: &mut Xml, id: &str, first: &str) {
    xml.element("w:abstractNum", &[("w:abstractNumId", id)], |xml| {
        xml.empty("w:multiLevelType", &[("w:val", "multilevel")]);
        for level in 0..5_usize {
            let format = if level == 0 { first } else { "decimal" };
            let text: Vec<String> = (1..=level + 1).map(|number| format!("%{number}")).collect();
            let hanging = (567 + 142 * level).to_string();
            xml.element("w:lvl", &[("w:ilvl", &level.to_string())], |xml| {
                xml.empty("w:start", &[("w:val", "1")]).empty("w:numFmt", &[("w:val", format)]);
                xml.empty("w:lvlText", &[("w:val", &text.join("."))]).empty("w:lvlJc", &[("w:val", "left")]);
                xml.element("w:pPr", &[], |xml| {
                    xml.empty("w:ind", &[("w:left", &hanging), ("w:hanging", &hanging)]);
                });
            });
        }
    });
}

/// `word/fontTable.xml`.
pub(crate) fn fonts() -> String {
    Xml::part("w:fonts", &[("xmlns:w", W)], |xml| {
        for (name, other, family, pitch) in STAND_INS {
            xml.element("w:font", &[("w:name", name)], |xml| {
                xml.empty("w:altName", &[("w:val", other)]);
                xml.empty("w:family", &[("w:val", family)]);
                xml.empty("w:pitch", &[("w:val", pitch)]);
            });
        }
    })
}

/// `word/settings.xml`.
pub(crate) fn settings(language: &str) -> String {
    Xml::part("w:settings", &[("xmlns:w", W)], |xml| {
        xml.empty("w:zoom", &[("w:percent", "100")]);
        xml.empty("w:defaultTabStop", &[("w:val", "567")]);
        xml.element("w:compat", &[], |xml| {
            let mode = [
                ("w:name", "compatibilityMode"),
                ("w:uri", "http://schemas.microsoft.com/office/word"),
                ("w:val", "15"),
            ];
            xml.empty("w:compatSetting", &mode);
        });
        xml.empty("w:themeFontLang", &[("w:val", region(language))]);
    })
}
