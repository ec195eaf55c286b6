//! A run that was judged and made into a report.

use crate::common::{Run, check_catalogue};
use judge::Judgement;
use report::document::{Block, Document, Section, Table};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// What the judge says of a run, the report in English, and `result.json`.
pub(crate) struct Reported {
    pub(crate) judgement: Judgement,
    pub(crate) document: Document,
    pub(crate) result: Value,
    /// The merged times, which `result.json` has the usual percentiles of.
    pub(crate) views: judge::views::Views,
}

impl Reported {
    pub(crate) fn of(run: &Run) -> Self {
        let (views, judgement) = judge::judge(&run.evidence(), &run.study);
        check_catalogue(&judgement);
        // The whole report: what a shorter one leaves out must be right, too.
        let mut study = run.study.clone();
        study.report.profile = "full".to_owned();
        let input = report::Input {
            head: &run.evidence.head,
            study: Some(&study),
            views: &views,
            judgement: &judgement,
            state: report::EvidenceState::default(),
            plugins: study::Registry { drivers: &[], monitors: &[], blocks: report::BLOCKS },
        };
        let document = report::document(&input, "en");
        let result = serde_json::from_str(&report::result_json(&input)).unwrap();
        Self { judgement, document, result, views }
    }

    /// The only step of that name in a scenario, as `result.json` has it.
    pub(crate) fn step(&self, scenario: &str, step: &str) -> Value {
        let scenarios = self.result["scenarios"].as_array().unwrap();
        let scenario = scenarios.iter().find(|known| known["id"] == scenario).unwrap();
        let steps: Vec<&Value> =
            scenario["steps"].as_array().unwrap().iter().filter(|known| known["id"] == step).collect();
        assert_eq!(steps.len(), 1, "{scenario:#}");
        steps[0].clone()
    }

    /// The first table of that kind.
    pub(crate) fn table(&self, is_wanted: impl Fn(&Table) -> bool) -> Table {
        let tables = self.document.tables();
        let found = tables.iter().find(|table| is_wanted(table));
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        (*found.unwrap_or_else(|| panic!("no such table among {names:?}"))).clone()
    }

    /// What stands in the cells of all tables, without space that does not break.
    pub(crate) fn cells(&self) -> BTreeSet<String> {
        let tables = self.document.tables();
        let cells = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
        cells.map(|cell| cell.text.clone()).collect()
    }

    /// All sentences: paragraphs, notes, findings, captions, observations and assessments.
    pub(crate) fn text(&self) -> String {
        let mut sections: Vec<&Section> = self.document.sections.iter().collect();
        let mut text = String::new();
        let mut add = |words: &str| {
            text.push_str(words);
            text.push('\n');
        };
        while let Some(section) = sections.pop() {
            sections.extend(&section.parts);
            for block in &section.blocks {
                match block {
                    Block::Paragraph { text, .. } | Block::Note { text, .. } => add(text),
                    Block::Finding { observation, assessment, .. } => {
                        add(observation);
                        add(assessment);
                    }
                    Block::Figure(figure) => {
                        [&figure.caption, &figure.observation, &figure.assessment].iter().for_each(|words| add(words));
                    }
                    Block::Table(table) => table.notes.iter().for_each(|note| add(note)),
                    _ => (),
                }
            }
        }
        text
    }
}

/// Place of the column with this title.
pub(crate) fn column(table: &Table, title: &str) -> usize {
    let found = table.columns.iter().position(|column| column.title == title);
    found.unwrap_or_else(|| panic!("no `{title}` in {:?}", table.columns))
}

/// The same number but for the order in which it was added up.
pub(crate) fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// Messages of a language: key, or `key.attribute`, and its pattern.
pub(crate) fn messages(language: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../report/messages/{language}.ftl"));
    let (mut found, mut key): (Vec<(String, String)>, _) = (Vec::new(), String::new());
    for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
        let pattern = line.split_once('=').map_or("", |(_, pattern)| pattern).to_owned();
        let name = |line: &str| line.split([' ', '=']).next().unwrap().to_owned();
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            key = name(line);
            found.push((key.clone(), pattern));
        } else if let Some(attribute) = line.trim_start().strip_prefix('.').filter(|_| line.starts_with(' ')) {
            found.push((format!("{key}.{}", name(attribute)), pattern));
        } else if let Some((_, before)) = found.last_mut() {
            before.push('\n');
            before.push_str(line);
        }
    }
    found
}
