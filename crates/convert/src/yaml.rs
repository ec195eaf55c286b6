//! YAML to a [`Value`], bounded in depth and size; aliases are written out within the same bound.

use crate::value::Value;
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::HashMap;

const DEPTH_MAX: usize = 100;
const NODES_MAX: usize = 2_000_000;

enum Open {
    List(Vec<Value>),
    Map(Vec<(String, Value)>, Option<String>),
}

/// Reads the first document.
///
/// # Errors
/// What is wrong, with its line.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    let mut stack: Vec<(Open, usize, usize)> = Vec::new();
    let mut anchors: HashMap<usize, (Value, usize)> = HashMap::new();
    let (mut nodes, mut root) = (0usize, None);
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| format!("line {}: {}", error.marker().line(), error.info()))?;
        let line = span.start.line();
        let (value, anchor, size) = match event {
            Event::Scalar(text, style, anchor, _) => {
                nodes += 1;
                (scalar(&text, style == ScalarStyle::Plain), anchor, 1)
            }
            Event::SequenceStart(anchor, _) => {
                stack.push((Open::List(Vec::new()), anchor, nodes));
                nodes += 1;
                check(stack.len(), nodes, line)?;
                continue;
            }
            Event::MappingStart(anchor, _) => {
                stack.push((Open::Map(Vec::new(), None), anchor, nodes));
                nodes += 1;
                check(stack.len(), nodes, line)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some((open, anchor, before)) = stack.pop() else { continue };
                let value = match open {
                    Open::List(members) => Value::List(members),
                    Open::Map(entries, _) => Value::Map(entries),
                };
                (value, anchor, nodes - before)
            }
            Event::Alias(anchor) => {
                let (value, size) = anchors
                    .get(&anchor)
                    .cloned()
                    .ok_or_else(|| format!("line {line}: an alias inside its own anchor"))?;
                nodes = nodes.saturating_add(size);
                (value, 0, size)
            }
            Event::DocumentEnd if root.is_some() => break,
            _ => continue,
        };
        check(stack.len(), nodes, line)?;
        if anchor > 0 {
            anchors.insert(anchor, (value.clone(), size));
        }
        match stack.last_mut() {
            None => root = Some(value),
            Some((Open::List(members), ..)) => members.push(value),
            Some((Open::Map(entries, key), ..)) => match key.take() {
                Some(key) => entries.push((key, value)),
                None => *key = Some(value.scalar().unwrap_or_else(|| "null".to_owned())),
            },
        }
    }
    root.ok_or_else(|| "it is empty".to_owned())
}

fn check(depth: usize, nodes: usize, line: usize) -> Result<(), String> {
    if depth > DEPTH_MAX {
        return Err(format!("line {line}: more than {DEPTH_MAX} levels"));
    }
    if nodes > NODES_MAX {
        return Err(format!("line {line}: more than {NODES_MAX} parts, aliases written out"));
    }
    Ok(())
}

fn scalar(text: &str, is_plain: bool) -> Value {
    if !is_plain {
        return Value::Text(text.to_owned());
    }
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && text.parse::<f64>().is_ok();
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number => Value::Number(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_in_their_order() {
        let value = parse("b: &x [1, '1', yes]\na: *x\n200: {c: null}\n---\nother: 1\n").unwrap();
        let keys: Vec<&str> = value.map().iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["b", "a", "200"]);
        assert_eq!(value.get("a").unwrap().list()[1], Value::Text("1".to_owned()));
    }

    #[test]
    fn bombs_and_slips_are_refused() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let before = level - 1;
            bomb += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{before}"); 10].join(", "));
        }
        assert!(parse(&bomb).unwrap_err().contains("aliases written out"));
        assert!(parse(&"[".repeat(10_000)).is_err());
        assert!(parse("a: [1\nb: }").unwrap_err().starts_with("line "));
    }
}
