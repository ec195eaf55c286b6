//! Values for parameters and bodies: examples of the document, else the smallest that its schema allows.

use crate::value::Value;

/// References in a row, and schemas within each other.
const DEPTH_MAX: usize = 12;
/// Values that one schema may come to; a few kilobytes of references to one another would otherwise fill the memory.
const VALUES_MAX: usize = 2000;

/// The document, in which references are looked up. Those to other files lead nowhere.
pub(super) struct Document<'r> {
    pub(super) root: &'r Value,
}

impl Document<'_> {
    /// What a `$ref` leads to; a value without one is itself.
    pub(super) fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        let mut value = value;
        for _ in 0..DEPTH_MAX {
            let Some(reference) = value.get("$ref").and_then(Value::text) else { return value };
            let Some(path) = reference.strip_prefix("#/") else { return value };
            let mut found = self.root;
            for part in path.split('/') {
                let part = crate::urls::decoded(part, false).replace("~1", "/").replace("~0", "~");
                let index = part.parse::<usize>().ok();
                match found.get(&part).or(index.and_then(|index| found.list().get(index))) {
                    Some(next) => found = next,
                    None => return value,
                }
            }
            value = found;
        }
        value
    }

    /// What the document itself gives for a parameter.
    pub(super) fn of_parameter(&self, parameter: &Value) -> Option<Value> {
        let of_schema = |schema: &Value| {
            let schema = self.resolved(schema);
            let first = schema.get("examples").and_then(|all| all.list().first());
            let only = schema.get("enum").and_then(|all| all.list().first());
            schema.get("example").or(first).or(schema.get("default")).or(schema.get("const")).or(only).cloned()
        };
        let own = parameter.get("example").or(parameter.get("x-example")).cloned();
        own.or_else(|| self.of_examples(parameter)).or_else(|| parameter.get("schema").and_then(of_schema)).or_else(
            || {
                // Of version 2 the parameter is its own schema.
                parameter.get("default").or(parameter.get("enum").and_then(|all| all.list().first())).cloned()
            },
        )
    }

    fn of_examples(&self, of: &Value) -> Option<Value> {
        let (_, first) = of.get("examples")?.map().first()?;
        self.resolved(first).get("value").cloned()
    }

    /// What the document itself gives for a body.
    pub(super) fn of_media(&self, media: &Value) -> Option<Value> {
        let own = media.get("example").cloned().or_else(|| self.of_examples(media));
        own.or_else(|| {
            let schema = self.resolved(media.get("schema")?);
            schema.get("example").or(schema.get("examples").and_then(|all| all.list().first())).cloned()
        })
    }

    /// The smallest value that fits a schema.
    pub(super) fn made(&self, schema: &Value) -> Value {
        let mut count = 0;
        self.value(schema, 0, &mut count)
    }

    fn value(&self, schema: &Value, depth: usize, count: &mut usize) -> Value {
        *count += 1;
        let schema = self.resolved(schema);
        if depth > DEPTH_MAX || *count > VALUES_MAX {
            return Value::Null;
        }
        let first = |key: &str| schema.get(key).and_then(|all| all.list().first());
        if let Some(given) = schema
            .get("example")
            .or(first("examples"))
            .or(schema.get("default"))
            .or(schema.get("const"))
            .or(first("enum"))
        {
            return given.clone();
        }
        if let Some(all) = schema.get("allOf") {
            let mut entries: Vec<(String, Value)> = Vec::new();
            let mut other = None;
            for part in all.list().iter().chain(schema.get("properties").map(|_| schema)) {
                // The schema itself comes last, without what it is made of.
                let made = if std::ptr::eq(part, schema) {
                    self.object(schema, depth, count)
                } else {
                    self.value(part, depth + 1, count)
                };
                match made {
                    Value::Map(more) => {
                        for (key, value) in more {
                            entries.retain(|(other, _)| *other != key);
                            entries.push((key, value));
                        }
                    }
                    value => other = Some(value),
                }
            }
            return if entries.is_empty() { other.unwrap_or(Value::Map(entries)) } else { Value::Map(entries) };
        }
        if let Some(one) = first("oneOf").or(first("anyOf")) {
            return self.value(one, depth + 1, count);
        }
        let kind = match schema.get("type") {
            Some(Value::Text(kind)) => kind.as_str(),
            Some(kinds) => kinds.list().iter().filter_map(Value::text).find(|kind| *kind != "null").unwrap_or_default(),
            None if schema.get("properties").is_some() => "object",
            None if schema.get("items").is_some() => "array",
            None => "",
        };
        match kind {
            "object" => self.object(schema, depth, count),
            "array" => {
                let wanted = schema.get("minItems").and_then(Value::number).unwrap_or(1.0).clamp(1.0, 20.0) as usize;
                let member = schema.get("items").map_or(Value::Null, |items| self.value(items, depth + 1, count));
                if member == Value::Null { Value::List(Vec::new()) } else { Value::List(vec![member; wanted]) }
            }
            "integer" | "number" => number(schema, kind == "integer"),
            "boolean" => Value::Bool(true),
            "null" => Value::Null,
            _ => Value::Text(text(schema)),
        }
    }

    fn object(&self, schema: &Value, depth: usize, count: &mut usize) -> Value {
        let required: Vec<&str> =
            schema.get("required").map_or(&[][..], Value::list).iter().filter_map(Value::text).collect();
        let mut entries = Vec::new();
        for (name, of) in schema.get("properties").map_or(&[][..], Value::map) {
            let of_it = self.resolved(of);
            let has_example = of_it.get("example").is_some() || of_it.get("default").is_some();
            let is_read_only = of_it.get("readOnly").is_some_and(Value::is_true);
            // Without any that is required, all that is simple is written: an empty body says nothing.
            let is_simple = required.is_empty() && depth < 3;
            if (required.contains(&name.as_str()) || has_example || is_simple) && !is_read_only && *count < VALUES_MAX {
                let value = self.value(of, depth + 1, count);
                if value != Value::Null || required.contains(&name.as_str()) {
                    entries.push((name.clone(), value));
                }
            }
        }
        Value::Map(entries)
    }
}

fn number(schema: &Value, is_whole: bool) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::number);
    let is_open = schema.get("exclusiveMinimum").is_some_and(Value::is_true);
    let mut value = bound("minimum").map_or(1.0, |least| if is_open { least + 1.0 } else { least });
    if let Some(least) = bound("exclusiveMinimum") {
        value = value.max(least + 1.0);
    }
    if let Some(most) = bound("maximum").filter(|most| *most < value) {
        value = most;
    }
    if let Some(step) = bound("multipleOf").filter(|step| *step > 0.0) {
        value = (value / step).ceil() * step;
    }
    Value::Number(if is_whole || value.fract() == 0.0 { format!("{value:.0}") } else { value.to_string() })
}

fn text(schema: &Value) -> String {
    let made = match schema.text_of("format") {
        "date" => "2024-01-15",
        "date-time" => "2024-01-15T10:00:00Z",
        "time" => "10:00:00Z",
        "email" => "perf@example.org",
        "uuid" => "00000000-0000-4000-8000-000000000001",
        "uri" | "url" | "uri-reference" => "https://example.org/",
        "hostname" => "example.org",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "byte" => "dGV4dA==",
        _ => "text",
    };
    let bound = |key: &str| schema.get(key).and_then(Value::number).map(|length| length.clamp(0.0, 1000.0) as usize);
    let mut made = made.to_owned();
    if let Some(least) = bound("minLength") {
        while made.chars().count() < least {
            made.push('x');
        }
    }
    if let Some(most) = bound("maxLength").filter(|most| *most > 0) {
        made = made.chars().take(most).collect();
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Value {
        let root = crate::json::parse(text).unwrap();
        let document = Document { root: &root };
        document.made(root.get("s").unwrap())
    }

    #[test]
    fn the_smallest_value_of_a_schema_is_made() {
        let value = made(
            r##"{"s": {"allOf": [{"$ref": "#/a"}, {"properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}]},
            "a": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "format": "uuid"}, "more": {"type": "string"}}}}"##,
        );
        assert_eq!(value.map().len(), 2);
        assert_eq!(value.get("n"), Some(&Value::Number("3".to_owned())));
    }

    #[test]
    fn circles_and_many_references_come_to_an_end() {
        let value = made(
            r##"{"s": {"type": "object", "required": ["s", "t"], "properties": {"s": {"$ref": "#/s"}, "t": {"$ref": "#/s"}}}}"##,
        );
        assert!(matches!(value, Value::Map(_)));
        assert_eq!(made(r##"{"s": {"$ref": "#/s"}}"##), Value::Text("text".to_owned()));
        assert_eq!(made(r##"{"s": {"allOf": [{"$ref": "#/s"}]}}"##), Value::Null);
    }
}
