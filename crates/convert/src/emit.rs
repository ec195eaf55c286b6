//! YAML as people write it.

use crate::value::Value;

/// Longest flow collection that stands on one line.
const LINE: usize = 110;

/// A text as a scalar: without quotes where that means the same.
pub(crate) fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Whether a text needs no quotes, also within `{ }`.
fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '_') || text.starts_with("$(");
    let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-./$()=+<>%* ;@~".contains(c);
    let is_word = ["true", "false", "null", "yes", "no", "on", "off"].contains(&text.to_ascii_lowercase().as_str());
    starts && !is_word && text.chars().all(is_fit) && !text.ends_with(' ') && text.len() <= 200 && !text.contains("  ")
}

/// A text in double quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut made = String::with_capacity(text.len() + 2);
    made.push('"');
    for c in text.chars() {
        match c {
            '"' => made.push_str("\\\""),
            '\\' => made.push_str("\\\\"),
            '\n' => made.push_str("\\n"),
            '\r' => made.push_str("\\r"),
            '\t' => made.push_str("\\t"),
            c if c.is_control()
                || ('\u{2028}'..='\u{202e}').contains(&c)
                || c == '\u{feff}'
                || c == '\u{ffff}'
                || c == '\u{fffe}' =>
            {
                let code = u32::from(c);
                made.push_str(&if code > 0xffff { format!("\\U{code:08x}") } else { format!("\\u{code:04x}") });
            }
            c => made.push(c),
        }
    }
    made.push('"');
    made
}

/// `{ a: b, c: d }`.
pub(crate) fn flow_map(entries: &[(String, String)]) -> String {
    if entries.is_empty() {
        return "{}".to_owned();
    }
    let entries: Vec<String> = entries.iter().map(|(key, value)| format!("{}: {value}", scalar(key))).collect();
    format!("{{ {} }}", entries.join(", "))
}

/// A value of JSON on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(is_true) => is_true.to_string(),
        Value::Number(text) => text.clone(),
        // A name alone and without quotes would be sent as a number where its value is one.
        Value::Text(text) if text.starts_with("$(") => quoted(text),
        Value::Text(text) => scalar(text),
        Value::List(members) if members.is_empty() => "[]".to_owned(),
        Value::List(members) => format!("[ {} ]", members.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            flow_map(&entries.iter().map(|(key, value)| (key.clone(), flow(value))).collect::<Vec<_>>())
        }
    }
}

/// A value of JSON behind its key: on the same line where it fits, else below, indented by so many blanks.
pub(crate) fn json(value: &Value, indent: usize) -> String {
    let line = flow(value);
    if line.len() + indent <= LINE || matches!(value, Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_))
    {
        return format!(" {line}\n");
    }
    let pad = " ".repeat(indent);
    let mut made = "\n".to_owned();
    match value {
        Value::Map(entries) => {
            for (key, value) in entries {
                let key = if key.len() > 500 { quoted(key) } else { scalar(key) };
                if key.len() > 1000 {
                    // YAML bounds the length of a key that stands alone.
                    return format!(" {line}\n");
                }
                made += &format!("{pad}{key}:{}", json(value, indent + 2));
            }
        }
        Value::List(members) => {
            for member in members {
                made += &format!("{pad}-{}", json(member, indent + 2));
            }
        }
        _ => {}
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_quotes_where_they_need_them() {
        assert_eq!(scalar("json($.a) >= 1"), "json($.a) >= 1");
        for text in ["", "no", "a: b", "1", "a, b", "x ", "#a", "a\n", "&a", "é", "- a", "{a}", "True"] {
            assert!(scalar(text).starts_with('"'), "{text}");
        }
        assert_eq!(quoted("a\"\\\n\u{1}"), "\"a\\\"\\\\\\n\\u0001\"");
    }

    #[test]
    fn values_stand_on_one_line_or_below_each_other() {
        let value = crate::json::parse("{\"a\": [1, \"$(x)\", \"1\"], \"b\": {}}").unwrap();
        assert_eq!(json(&value, 4), " { a: [ 1, \"$(x)\", \"1\" ], b: {} }\n");
        let long = crate::json::parse(&format!("{{\"a\": [{{\"b\": \"{}\"}}, {{}}]}}", "x".repeat(150))).unwrap();
        assert!(json(&long, 4).starts_with("\n    a:\n      -\n        b: xxx"));
    }
}
