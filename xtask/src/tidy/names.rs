//! What judges, draws and checks knows no plug-in: neither its name nor a metric of it. They ask for roles and for typed
//! facts, and words come from the plug-ins themselves.

use crate::pages::CATALOGUE;
use crate::tree::Tree;
use crate::{constants, schema};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;

/// Folders of sources that know none.
const UNKNOWING: [&str; 3] = ["crates/judge/src/", "crates/report/src/", "xtask/src/"];
/// How the schema begins to tell of a monitor's metrics.
const METRICS: &str = "metrics: ";
/// Lists of the judge's own codes, some of which are words for what metrics are called, too.
const CODES: [&str; 4] = ["REASONS", "SIGNS", "LADDER", "REFUSALS"];

/// Names as the registry has them, by way of the published schema.
#[derive(Debug, Default)]
struct Names {
    plugins: BTreeSet<String>,
    metrics: BTreeSet<String>,
}

impl Names {
    fn of(schema: &str) -> Result<Self> {
        let schema: Value = serde_json::from_str(schema)?;
        let mut names = Self::default();
        let monitors = schema["properties"]["watch"]["properties"].as_object().context("the schema has no monitors")?;
        for (name, monitor) in monitors {
            let metrics = monitor["description"].as_str().and_then(|text| text.strip_prefix(METRICS));
            names.metrics.extend(metrics.unwrap_or_default().split(", ").map(str::to_owned));
            names.plugins.insert(name.clone());
        }
        let exchanges = &schema["properties"]["exchanges"]["additionalProperties"]["properties"];
        let operations = exchanges.as_object().context("the schema has no operations")?.keys();
        names.plugins.extend(operations.filter_map(|name| Some(name.split_once('.')?.0.to_owned())));
        Ok(names)
    }

    /// Whether a text in quotes is a name that only a plug-in has: `heap_used`, `host.cpu`; a plug-in's name or a plain
    /// word such as `used` only where something is compared with it.
    fn has(&self, literal: &str, is_compared: bool) -> bool {
        let is_series =
            |(monitor, metric): (&str, &str)| self.plugins.contains(monitor) && self.metrics.contains(metric);
        let is_metric = self.metrics.contains(literal);
        literal.split_once('.').is_some_and(is_series)
            || (is_metric && literal.contains('_'))
            || (is_compared && (is_metric || self.plugins.contains(literal)))
    }
}

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let names = Names::of(&tree.read(schema::PATH)?).with_context(|| format!("`{}`", schema::PATH))?;
    let catalogue = tree.read(CATALOGUE)?;
    let codes: BTreeSet<String> = CODES.iter().flat_map(|list| constants::codes(&catalogue, list)).collect();
    let mut problems = Vec::new();
    for path in tree.files(&["rs"]) {
        if UNKNOWING.iter().any(|folder| path.starts_with(folder)) && !path.ends_with("tests.rs") {
            problems.extend(named(&path, &tree.read(&path)?, &names, &codes));
        }
    }
    Ok(problems)
}

fn named(path: &str, text: &str, names: &Names, codes: &BTreeSet<String>) -> Vec<String> {
    let code = text.split_once("#[cfg(test)]\nmod tests {").map_or(text, |(code, _)| code);
    let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let of_line = |(number, line): (usize, &str)| {
        let pieces: Vec<&str> = line.split('"').collect();
        let is_own = |place: &usize| {
            let (before, literal) = (pieces[place - 1].trim_end(), pieces[*place]);
            let is_equal = before.ends_with("==") || before.ends_with("!=");
            let is_compared =
                before.ends_with("Some(") || is_equal && (before.contains(".name") || before.contains(".kind"));
            !codes.contains(literal) && names.has(literal, is_compared)
        };
        let told = |place: usize| {
            let literal = pieces[place];
            format!(
                "{path}:{}: `{literal}` is a plug-in's; ask for a role (`contract::Role`) or a typed fact",
                number + 1
            )
        };
        (1..pieces.len()).step_by(2).filter(is_own).map(told).collect::<Vec<_>>()
    };
    lines.flat_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{ "properties": {
        "watch": { "properties": { "host": { "description": "metrics: cpu, run_queue, heap_used" }, "odd": {} } },
        "exchanges": { "additionalProperties": { "properties": { "http.get": {}, "check": {} } } } } }"#;

    #[test]
    fn a_name_of_a_plug_in_is_found_and_a_code_of_the_judge_is_none() {
        let names = Names::of(SCHEMA).unwrap();
        let codes = BTreeSet::from(["run_queue".to_owned()]);
        let source = "f(\"heap_used\"); g(\"run_queue\"); h(\"cpu\");\n// \"host.cpu\"\nif metric.name == \"cpu\" {}\n\
                      Some(\"http\") => 1,\nlet x = \"host.cpu\";\n#[cfg(test)]\nmod tests { \"heap_used\" }";
        let found = named("a.rs", source, &names, &codes);
        let places: Vec<_> = found.iter().map(|problem| problem.split(" is").next().unwrap()).collect();
        assert_eq!(places, ["a.rs:1: `heap_used`", "a.rs:3: `cpu`", "a.rs:4: `http`", "a.rs:5: `host.cpu`"]);
        assert!(Names::of("{}").is_err());
    }
}
