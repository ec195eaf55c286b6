//! The document's text, `result.json`, the terminal's lines and one drawing of each kind, as they were last read by a
//! person. Read a changed snapshot as you would read code.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use report::document::{Block, Document, Section, Table};
use std::fmt::Write as _;

fn table(text: &mut String, table: &Table, rows: usize) {
    let head: Vec<_> =
        table.columns.iter().map(|column| format!("{} {}", column.title, column.unit).trim().to_owned()).collect();
    let _ = writeln!(text, "table {} — {}\n  | {}", table.name, table.caption, head.join(" | "));
    for row in table.rows.iter().take(rows) {
        let cells: Vec<_> =
            row.cells.iter().map(|cell| format!("{} {}", cell.text, cell.detail).trim().to_owned()).collect();
        let _ = writeln!(text, "  | {}", cells.join(" | "));
    }
    for note in &table.notes {
        let _ = writeln!(text, "  * {note}");
    }
}

fn section(text: &mut String, part: &Section) {
    let _ = writeln!(text, "\n{} {} {}", "#".repeat(part.level.into()), part.number, part.title);
    for block in &part.blocks {
        if matches!(block, Block::Folded(_)) {
            text.push_str("folded: ");
        }
        match block.inner() {
            Block::Paragraph { text: said, .. } => {
                let _ = writeln!(text, "{said}");
            }
            Block::Table(found) => table(text, found, 40),
            Block::Figure(figure) => {
                let _ = writeln!(
                    text,
                    "figure {} {} — {}\n  shows: {}\n  seen: {}\n  means: {} {:?}\n  reading: {}",
                    figure.number,
                    figure.anchor,
                    figure.subject,
                    figure.caption,
                    figure.observation,
                    figure.assessment,
                    figure.findings,
                    figure.reading
                );
                table(text, &figure.data, 3);
            }
            Block::Points(points) => points.iter().for_each(|point| {
                let _ = writeln!(text, "- {point}");
            }),
            Block::Definitions(terms) => terms.iter().for_each(|(term, meaning)| {
                let _ = writeln!(text, "{term}: {meaning}");
            }),
            other => {
                let _ = writeln!(text, "{other:?}");
            }
        }
    }
    part.parts.iter().for_each(|part| section(text, part));
}

fn plain(document: &Document) -> String {
    let mut text = format!("{:#?}\n", document.title);
    document.sections.iter().for_each(|part| section(&mut text, part));
    text
}

#[test]
fn the_document() {
    let fixture = crate::fixture::fixture();
    insta::assert_snapshot!("document", plain(&report::document(&fixture.input(), "en")));
}

#[test]
fn the_document_of_a_killed_run_begins_so() {
    let fixture = crate::fixture::killed();
    let text = plain(&report::document(&fixture.input(), "en"));
    let begin: Vec<_> = text.lines().take_while(|line| !line.starts_with("table")).collect();
    insta::assert_snapshot!("killed", begin.join("\n"));
}

#[test]
fn result_json() {
    let fixture = crate::fixture::fixture();
    insta::assert_snapshot!("result", report::result_json(&fixture.input()));
}

#[test]
fn the_last_screen() {
    let fixture = crate::fixture::fixture();
    let lines: Vec<_> = report::verdict_lines(&fixture.input()).iter().map(|line| format!("{line:?}")).collect();
    insta::assert_snapshot!("lines", lines.join("\n"));
}

/// One figure of each kind, a tag a line.
#[test]
fn drawings() {
    let fixture = crate::fixture::fixture();
    let document = report::document(&fixture.input(), "en");
    let wanted = [
        "fig-verdicts",
        "fig-plan-0",
        "fig-throughput-0",
        "fig-over-time-0-0",
        "fig-heat-0-1",
        "fig-curve-0-0",
        "fig-ecdf-0-1",
        "fig-histogram-0-0",
        "fig-errors-0",
        "fig-topology",
        "fig-host-parts-0-0",
        "fig-host-disk-read-0",
        "fig-host-rest-0",
        "fig-process-cpu-0",
        "fig-process-rest-0",
    ];
    let mut sections: Vec<_> = document.sections.iter().collect();
    let mut seen = Vec::new();
    while let Some(part) = sections.pop() {
        sections.extend(&part.parts);
        for block in &part.blocks {
            let Block::Figure(figure) = block.inner() else { continue };
            if wanted.contains(&figure.anchor.as_str()) {
                seen.push(figure.anchor.clone());
                insta::assert_snapshot!(figure.anchor.clone(), figure.svg.replace("><", ">\n<"));
            }
        }
    }
    seen.sort();
    let mut wanted = wanted.map(str::to_owned).to_vec();
    wanted.sort();
    assert_eq!(seen, wanted);
}
