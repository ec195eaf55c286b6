//! What stands in a chapter, but for tables.

use crate::body::{Body, needs_turning};
use crate::text::{Look, bookmark, field, hex, link, paragraph, run, say};
use crate::xml::Xml;
use judge::{Gravity, WireValidity};
use report::document::{Block, Figure, NoteKind};
use terms::Verdict;

/// English metric units a point.
const EMU_PT: f64 = 12_700.0;
/// No drawing is higher than this, so that it fits a page with its caption.
const DRAWING_PT_MAX: f64 = 560.0;
/// Part of a line that a drawing is wide, so that three figures fit a page.
const DRAWING_PART: f64 = 0.72;

impl Body<'_> {
    /// Writes a block.
    pub(crate) fn block(&mut self, block: &Block) {
        let is_wide = matches!(block, Block::Table(table) if needs_turning(table));
        if !matches!(block, Block::Data(_)) {
            self.turn(is_wide);
        }
        match block {
            Block::Paragraph { text, findings, is_lead } => self.sentences(text, findings, *is_lead),
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

    fn count(&mut self, text: &str, size_pt: f64, after_pt: f64) {
        let line = self.line_pt();
        self.flow.lines(text, size_pt, line, after_pt);
    }

    fn sentences(&mut self, text: &str, findings: &[String], is_lead: bool) {
        let (style, size) = if is_lead { ("Lead", 11.5) } else { ("Normal", 10.0) };
        self.count(text, size, 6.0);
        let links = self.links(findings);
        paragraph(&mut self.xml, style, |xml| {
            run(xml, Look::PLAIN, text);
            xml.append(&links);
        });
    }

    /// Ids of findings in brackets, each leading to its card where the document has one.
    fn links(&self, findings: &[String]) -> Xml {
        let mut xml = Xml::new();
        for (index, id) in findings.iter().enumerate() {
            run(&mut xml, Look::PLAIN, if index == 0 { " (" } else { ", " });
            match self.findings.get(id) {
                Some((name, _)) => link(&mut xml, name, id),
                None => run(&mut xml, Look::PLAIN, id),
            }
        }
        if !findings.is_empty() {
            run(&mut xml, Look::PLAIN, ")");
        }
        xml
    }

    fn validity(&mut self, state: WireValidity, word: &str, text: &str, reasons: &[String]) {
        let (style, sign) = match state {
            WireValidity::Valid => ("PanelGood", "✓"),
            WireValidity::Questionable => ("PanelDoubt", "!"),
            WireValidity::Invalid => ("PanelBad", "✗"),
        };
        self.count(word, 13.0, 3.0);
        self.count(text, 10.0, 6.0);
        paragraph(&mut self.xml, style, |xml| run(xml, Look::BOLD.size(13.0), &format!("{sign} {word}")));
        say(&mut self.xml, style, text);
        for reason in reasons {
            self.count(reason, 10.0, 3.0);
            say(&mut self.xml, style, &format!("• {reason}"));
        }
        self.flow.whole(6.0);
        say(&mut self.xml, "Normal", "");
    }

    fn verdict_counts(&mut self, counts: &[(Verdict, String, usize)]) {
        self.count("", 12.0, 16.0);
        paragraph(&mut self.xml, "Tally", |xml| {
            for (index, (verdict, word, count)) in counts.iter().enumerate() {
                if index > 0 {
                    run(xml, Look::PLAIN, "     ");
                }
                let look =
                    if *count == 0 { Look::PLAIN.colour(hex("ink-3")) } else { Look::PLAIN.colour(hue(*verdict)) };
                run(xml, look, &format!("{} {count} {word}", report::frame::glyph(*verdict)));
            }
        });
    }

    fn note(&mut self, kind: NoteKind, text: &str) {
        let (style, sign) = match kind {
            NoteKind::OnPage => ("Reading", ""),
            NoteKind::Reading => ("NoteReading", ""),
            NoteKind::Missing => ("NoteMissing", ""),
            NoteKind::Warning => ("NoteWarning", "⚠ "),
            NoteKind::Comment => ("NoteComment", ""),
        };
        self.count(text, 10.0, 6.0);
        say(&mut self.xml, style, &format!("{sign}{text}"));
    }

    fn points(&mut self, points: &[String]) {
        for point in points {
            self.count(point, 10.0, 3.0);
            say(&mut self.xml, "ListBullet", point);
        }
    }

    fn definitions(&mut self, terms: &[(String, String)]) {
        for (term, meaning) in terms {
            self.count(&format!("{term}: {meaning}"), 10.0, 4.0);
            paragraph(&mut self.xml, "Definition", |xml| {
                run(xml, Look::BOLD, &format!("{term}: "));
                run(xml, Look::PLAIN, meaning);
            });
        }
    }

    fn finding(&mut self, id: &str, gravity: Gravity, [word, rule, scope]: [&str; 3], [seen, means]: [&str; 2]) {
        let style = match gravity {
            Gravity::Blocker => "PanelBad",
            Gravity::Warning => "PanelDoubt",
            Gravity::Notice | Gravity::Info => "PanelInfo",
        };
        let number = self.id();
        let target = match self.findings.get_mut(id) {
            Some((name, is_written)) if !*is_written => {
                *is_written = true;
                name.clone()
            }
            _ => format!("again_{number}"),
        };
        self.count(seen, 10.0, 16.0);
        self.count(means, 10.0, 12.0);
        // What belongs together stays on one page.
        self.xml.element("w:p", &[], |xml| {
            xml.element("w:pPr", &[], |xml| {
                xml.empty("w:pStyle", &[("w:val", style)]).empty("w:keepNext", &[]);
            });
            bookmark(xml, number, &target, |xml| run(xml, Look::BOLD, id));
            run(xml, Look::BOLD, &format!("  {word}  "));
            run(xml, Look::CODE.size(8.5), rule);
            run(xml, Look::PLAIN.colour(hex("ink-2")).size(8.5), "  ");
            run(xml, Look::CODE.colour(hex("ink-2")).size(8.5), scope);
        });
        say(&mut self.xml, style, seen);
        if !means.is_empty() {
            say(&mut self.xml, style, means);
        }
        say(&mut self.xml, "SectionEnd", "");
        say(&mut self.xml, "Reading", "");
    }

    fn figure(&mut self, figure: &Figure) {
        let words = &self.document.frame.words;
        self.drawing(figure);
        let caption = if figure.subject.is_empty() || figure.subject == figure.caption {
            figure.caption.clone()
        } else {
            format!("{} — {}", figure.subject, figure.caption)
        };
        self.count(&caption, 9.0, 8.0);
        caption_of(&mut self.xml, "FigureCaption", (&words.figure, "Figure"), &figure.number, &caption);
        let links = self.links(&figure.findings);
        let none = Xml::new();
        let says = [(&words.observation, &figure.observation, &none), (&words.assessment, &figure.assessment, &links)];
        for (word, text, links) in says {
            self.count(&format!("{word}. {text}"), 10.0, 3.0);
            paragraph(&mut self.xml, "Says", |xml| {
                run(xml, Look::BOLD, &format!("{word}. "));
                run(xml, Look::PLAIN, text);
                xml.append(links);
            });
        }
        if !figure.reading.is_empty() {
            self.count(&figure.reading, 8.5, 6.0);
            say(&mut self.xml, "Reading", &figure.reading);
        }
        self.count("", 8.5, 8.0);
        paragraph(&mut self.xml, "Reading", |xml| {
            run(xml, Look::PLAIN, &format!("{}: ", words.numbers));
            run(xml, Look::CODE, &format!("tables/{}.csv", figure.data.name));
        });
    }

    fn drawing(&mut self, figure: &Figure) {
        let Some(picture) = crate::picture::picture(&figure.svg) else { return };
        let (width, height) = (f64::from(picture.size.0), f64::from(picture.size.1));
        let scale = (self.line_pt() * DRAWING_PART / width).min(DRAWING_PT_MAX / height);
        // Caption and observation stay with the drawing.
        self.flow.keep(height * scale + 60.0);
        self.flow.whole(height * scale + 12.0);
        let number = self.pictures.len() + 1;
        self.pictures.push(picture);
        let words = &self.document.frame.words;
        let name = format!("{} {}", words.figure, figure.number);
        let alt = if figure.observation.is_empty() { &figure.caption } else { &figure.observation };
        let size = ((width * scale * EMU_PT) as i64, (height * scale * EMU_PT) as i64);
        paragraph(&mut self.xml, "Drawing", |xml| {
            xml.element("w:r", &[], |xml| inline(xml, number, size, [&name, &figure.subject, alt]));
        });
    }
}

fn hue(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => hex("met"),
        Verdict::NotMet => hex("not-met"),
        Verdict::CannotTell => hex("cannot-tell"),
    }
}

/// A caption with a number that the document counts: `Table 4. What it shows`. Fields count by the English word, so
/// that the language of the caption does not matter to them.
pub(crate) fn caption_of(xml: &mut Xml, style: &str, (word, series): (&str, &str), number: &str, text: &str) {
    paragraph(xml, style, |xml| {
        if !number.is_empty() {
            run(xml, Look::PLAIN, &format!("{word}\u{a0}"));
            field(xml, Look::PLAIN, &format!("SEQ {series} \\* ARABIC"), number);
            run(xml, Look::PLAIN, ". ");
        }
        run(xml, Look::PLAIN, text);
    });
}

/// A drawing in the line: pixels, with the vector beside them for programs that can.
fn inline(xml: &mut Xml, number: usize, (width, height): (i64, i64), [name, title, alt]: [&str; 3]) {
    let (id, cx, cy) = (number.to_string(), width.to_string(), height.to_string());
    let still = [("distT", "0"), ("distB", "0"), ("distL", "0"), ("distR", "0")];
    let named = [("id", id.as_str()), ("name", name), ("descr", alt), ("title", title)];
    xml.element("w:drawing", &[], |xml| {
        xml.element("wp:inline", &still, |xml| {
            xml.empty("wp:extent", &[("cx", &cx), ("cy", &cy)]);
            xml.empty("wp:docPr", &named);
            xml.element("wp:cNvGraphicFramePr", &[], |xml| {
                xml.empty("a:graphicFrameLocks", &[("noChangeAspect", "1")]);
            });
            xml.element("a:graphic", &[], |xml| {
                let uri = "http://schemas.openxmlformats.org/drawingml/2006/picture";
                xml.element("a:graphicData", &[("uri", uri)], |xml| {
                    xml.element("pic:pic", &[], |xml| {
                        xml.element("pic:nvPicPr", &[], |xml| {
                            xml.empty("pic:cNvPr", &named).empty("pic:cNvPicPr", &[]);
                        });
                        fill(xml, number);
                        xml.element("pic:spPr", &[], |xml| {
                            xml.element("a:xfrm", &[], |xml| {
                                xml.empty("a:off", &[("x", "0"), ("y", "0")]);
                                xml.empty("a:ext", &[("cx", &cx), ("cy", &cy)]);
                            });
                            xml.element("a:prstGeom", &[("prst", "rect")], |xml| {
                                xml.empty("a:avLst", &[]);
                            });
                        });
                    });
                });
            });
        });
    });
}

fn fill(xml: &mut Xml, number: usize) {
    xml.element("pic:blipFill", &[], |xml| {
        xml.element("a:blip", &[("r:embed", &format!("rIdPng{number}"))], |xml| {
            xml.element("a:extLst", &[], |xml| {
                xml.element("a:ext", &[("uri", "{96DAC541-7B7A-43D3-8B79-37D633B846F1}")], |xml| {
                    xml.empty("asvg:svgBlip", &[("r:embed", &format!("rIdSvg{number}"))]);
                });
            });
        });
        xml.element("a:stretch", &[], |xml| {
            xml.empty("a:fillRect", &[]);
        });
    });
}
