//! Names that somebody else has chosen, in every format of the report: they stay text.

// The run of the report's own tests.
#[path = "../../report/tests/all/fixture/mod.rs"]
mod fixture;

use crate::text;
use fixture::Fixture;
use quick_xml::events::Event;
use report::document::{Block, Section};
use std::cell::LazyCell;
use std::io::Read;
use study::ReportProfile;

/// Longer names are cut somewhere in every format; a few kilobytes of them show that as well as a megabyte.
const NAME_BYTES_MAX: usize = 4096;
/// Elements without content and without an end.
const VOID: [&str; 9] = ["meta", "br", "hr", "img", "input", "link", "col", "wbr", "source"];
/// Elements whose end may be left out, as the page does in long tables.
const ENDLESS: [&str; 6] = ["td", "th", "tr", "li", "dt", "dd"];

thread_local! {
    static FIXTURE: LazyCell<Fixture> = LazyCell::new(fixture::fixture);
}

fn base() -> Fixture {
    FIXTURE.with(|known| Fixture {
        head: known.head.clone(),
        study: known.study.clone(),
        views: known.views.clone(),
        judgement: known.judgement.clone(),
        state: known.state.clone(),
    })
}

/// Names, parted by the byte FF, which no text has.
pub(crate) fn reports(data: &[u8]) {
    let names: Vec<String> =
        data.split(|byte| *byte == 0xff).map(|name| text(&name[..name.len().min(NAME_BYTES_MAX)])).collect();
    let name = |number: usize| names[number % names.len()].clone();
    let mut fixture = base();
    fixture.head.study = name(0);
    fixture.head.system = name(1);
    fixture.head.id = name(2);
    fixture.head.facts.push((name(0), name(1), name(2)));
    fixture.head.instances[0].command = name(3);
    fixture.head.instances[0].name = name(4);
    fixture.head.instances[0].faults.push((name(5), name(6)));
    fixture.head.exchanges[0].name = name(7);
    fixture.head.scenarios[0].name = name(8);
    fixture.head.data[0].file = name(9);
    if let Some(ending) = &mut fixture.head.ending {
        ending.text = name(10);
    }
    fixture.study.title = study::Text(vec![(String::new(), name(11))]);
    fixture.judgement.findings[0].scope = name(3).into();
    fixture.judgement.requirements[0].id = name(4);
    fixture.judgement.requirements[0].rule = name(5);
    fixture.judgement.requirements[0].scope = name(6).into();
    fixture.views.notes[0].text = name(7);
    fixture.views.metrics[3].instance = name(8);
    fixture.state.altered = vec![name(9)];
    fixture.state.damage = vec![name(10)];
    for step in &mut fixture.views.steps {
        step.scenario_name = name(8);
        step.title = name(8);
        step.scope = format!("{}/{}", name(8), step.id).into();
        if let Some(exchange) = step.exchanges.first_mut() {
            exchange.name = name(7);
        }
    }
    written(&fixture);
}

/// A report by a profile of somebody's own.
pub(crate) fn with_profile(profile: ReportProfile) {
    let mut fixture = base();
    fixture.study.report.own_profile = Some(profile);
    let input = fixture.input();
    is_well_formed(&report::html(&input, "en"));
}

/// All formats, as whatever reads them would.
fn written(fixture: &Fixture) {
    let input = fixture.input();
    is_well_formed(&report::html(&input, "en"));
    let folder = tempfile::tempdir().unwrap();
    let wanted = report::WriteOptions { formats: &["md", "junit", "json", "csv"], language: "en", is_strict: false };
    for path in report::write(&input, folder.path(), &wanted).expect("a report can be written") {
        assert!(path.starts_with(folder.path()), "{}", path.display());
        let text = std::fs::read_to_string(&path).expect("what is written is text");
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("xml" | "svg") => is_xml(&text),
            Some("csv") => is_table(&text),
            Some("md") => has_no_controls(&text),
            _ => {}
        }
    }
    let mut document = report::document(&input, "en");
    document.sections.iter_mut().for_each(without_drawings);
    let bytes = report_docx::docx(&document);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("a Word file is a zip");
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).unwrap();
        if file.name().is_ok_and(|name| name.ends_with(".xml") || name.ends_with(".rels")) {
            let mut text = String::new();
            file.read_to_string(&mut text).expect("a part is text");
            is_xml(&text);
        }
    }
}

/// A Word file holds every drawing as pixels too, which takes a thousand times as long as all the rest.
fn without_drawings(section: &mut Section) {
    for block in &mut section.blocks {
        if let Block::Figure(figure) = block {
            figure.svg.clear();
        }
    }
    section.parts.iter_mut().for_each(without_drawings);
}

/// No sign that steers a terminal or turns the direction of reading.
fn has_no_controls(text: &str) {
    let is_bad = |c: char| {
        c.is_control() && c != '\n' && c != '\t'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let found = text.find(is_bad);
    assert!(
        found.is_none(),
        "a control stands at {found:?}: {:?}",
        found.map(|at| text[at..].chars().take(20).collect::<String>())
    );
}

fn is_xml(text: &str) {
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    loop {
        match reader.read_event().expect("what is written is XML") {
            Event::Eof => return,
            Event::Start(start) | Event::Empty(start) => {
                for attribute in start.attributes() {
                    attribute.expect("what is written has attributes of XML");
                }
            }
            _ => {}
        }
    }
}

/// Every row of a table has the cells of its head, and none is a formula.
fn is_table(text: &str) {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut columns = None;
    for record in reader.records() {
        let record = record.expect("what is written is CSV");
        assert_eq!(*columns.get_or_insert(record.len()), record.len(), "a row has more or fewer cells: {record:?}");
    }
}

/// The page: tags that open and close in their order, no script but its own, nothing that it would load.
pub(crate) fn is_well_formed(html: &str) {
    has_no_controls(html);
    assert_eq!(html.matches("<script").count(), 1, "scripts");
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix("!--") {
            rest = after.split_once("-->").expect("a comment ends").1;
            continue;
        }
        if rest.starts_with('!') || rest.starts_with('?') {
            rest = &rest[rest.find('>').expect("a declaration ends")..];
            continue;
        }
        let (tag, after) = split_tag(rest);
        rest = after;
        let is_end = tag.starts_with('/');
        let inner = tag.trim_start_matches('/');
        let name = inner.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        assert!(is_name, "`<{}` is not a tag", tag.chars().take(40).collect::<String>());
        if is_end {
            while open.last().is_some_and(|last| *last != name && ENDLESS.contains(last)) {
                open.pop();
            }
            assert_eq!(open.pop(), Some(name), "an end without a beginning");
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
            // What stands in these is not markup.
            if matches!(name, "script" | "style") {
                rest = &rest[rest.find(&format!("</{name}")).expect("it ends")..];
            }
        }
        for event in [" onload", " onerror", " onclick", " onmouseover"] {
            assert!(!unquoted(inner).contains(event), "`<{inner}>`");
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

/// A tag up to its end, quotes respected, and what follows.
fn split_tag(rest: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (None, '>') => return (&rest[..at], &rest[at + 1..]),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    panic!("a tag never ends: `<{}`", rest.chars().take(60).collect::<String>());
}

/// A tag without the values of its attributes.
fn unquoted(tag: &str) -> String {
    tag.split('"').step_by(2).collect()
}
