//! Tests and scripts of requests, in their simple forms.

use super::Reader;
use crate::draft::{Capture, Exchange};
use crate::read::json_path;
use crate::text::{literal, short};
use crate::value::Value;

impl Reader<'_, '_> {
    /// Tests in their simple forms; every other line that does something is reported.
    pub(super) fn test(&mut self, script: &str, exchange: &mut Exchange) {
        let mut parsed: Vec<String> = vec!["pm.response.json()".to_owned(), "JSON.parse(responseBody)".to_owned()];
        for line in statements(script) {
            let line = line.as_str();
            let is_frame = line.is_empty()
                || line.starts_with("//")
                || line.starts_with("pm.test(") && line.ends_with('{')
                || ["});", "})", "}", ");", "};"].contains(&line)
                || line.starts_with("console.")
                || line.starts_with("pm.response.to.be.ok")
                || line.starts_with("pm.response.to.be.success");
            if is_frame {
                continue;
            }
            if let Some((left, right)) = line.trim_end_matches(';').split_once('=')
                && parsed.iter().any(|it| it == right.trim())
            {
                parsed.push(left.split_whitespace().last().unwrap_or_default().to_owned());
                continue;
            }
            if let Some((name, value)) = set_line(line)
                && let Some(own) = self.known.get(&name).cloned()
                && let Some(path) = path_of(&value, &parsed)
            {
                exchange.captures.push(Capture {
                    name: own,
                    from: format!("json({path})"),
                    pick: None,
                    optional: false,
                });
                continue;
            }
            match check_of(line, &parsed) {
                Some(check) if !exchange.checks.contains(&check) => exchange.checks.push(check),
                Some(_) => {}
                None => self.build.lose(
                    short(line, 100),
                    "this line of a test cannot be carried over exactly",
                    "write it under `check` or `capture`: `status = …`, `json($.…) = …`, `body contains …`",
                ),
            }
        }
    }
}

pub(super) fn script_of(item: &Value, listen: &str) -> String {
    let mut text = String::new();
    for event in item.get("event").map_or(&[][..], Value::list) {
        if event.text_of("listen") == listen {
            match event.at(&["script", "exec"]) {
                Some(Value::Text(script)) => text += script,
                Some(lines) => lines.list().iter().for_each(|line| {
                    text += line.text().unwrap_or_default();
                    text.push('\n');
                }),
                None => {}
            }
        }
    }
    text
}

/// A script in lines of one statement: also where a whole test stands on one line, or several statements do.
pub(super) fn statements(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in script.lines().map(str::trim) {
        let mut rest = line;
        // `pm.test('ok', function () { …; });`, also without an end, which is on a later line.
        if rest.starts_with("pm.test(")
            && let Some(at) = body_of(rest)
        {
            rest = rest[at..].trim();
            let is_closed = depth_of(line) == 0;
            if let Some(inner) = rest.trim_end_matches([';', ' ']).strip_suffix(')').filter(|_| is_closed) {
                rest = inner.trim_end().strip_suffix('}').unwrap_or(inner).trim();
            }
        }
        found.extend(pieces(rest));
    }
    found
}

/// Where the body of the function of a `pm.test(` begins.
fn body_of(line: &str) -> Option<usize> {
    let mut before = ' ';
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => continue,
            None if ['"', '\'', '`'].contains(&c) => quote = Some(c),
            // Behind `function ()` or `=>`; an object has something else before it.
            None if c == '{' && [')', '>'].contains(&before) => return Some(at + 1),
            None => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    None
}

/// How many brackets a line leaves open.
fn depth_of(line: &str) -> i64 {
    let (mut depth, mut quote) = (0, None);
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' | '`' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            },
        }
    }
    depth
}

/// Statements of one line: what stands between `;` outside of brackets and texts.
fn pieces(line: &str) -> Vec<String> {
    if line.starts_with("//") {
        return Vec::new();
    }
    let (mut found, mut open, mut depth, mut quote) = (Vec::new(), String::new(), 0i64, None);
    let mut is_escaped = false;
    for c in line.chars() {
        open.push(c);
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' | '`' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ';' if depth <= 0 => found.push(std::mem::take(&mut open)),
                _ => {}
            },
        }
    }
    found.push(open);
    found.into_iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}

/// `pm.environment.set("token", jsonData.token);`
pub(super) fn set_line(line: &str) -> Option<(String, String)> {
    let line = line.trim().trim_end_matches(';');
    let starts = [
        "pm.environment.set(",
        "pm.collectionVariables.set(",
        "pm.globals.set(",
        "pm.variables.set(",
        "postman.setEnvironmentVariable(",
        "postman.setGlobalVariable(",
    ];
    let inner = starts.iter().find_map(|start| line.strip_prefix(start))?.strip_suffix(')')?;
    let (name, value) = inner.split_once(',')?;
    let name = name.trim();
    let is_quoted = name.len() > 2 && name.starts_with(['"', '\'']) && name.ends_with(['"', '\'']);
    is_quoted.then(|| (name[1..name.len() - 1].to_owned(), value.trim().to_owned()))
}

/// `jsonData.data[0].id` as a path, where `jsonData` is the answer.
fn path_of(text: &str, parsed: &[String]) -> Option<String> {
    let root = parsed.iter().filter(|root| text.starts_with(root.as_str())).max_by_key(|root| root.len())?;
    let rest = &text[root.len()..];
    (rest.is_empty() || rest.starts_with(['.', '['])).then(|| json_path(&format!("${rest}"))).flatten()
}

fn check_of(line: &str, parsed: &[String]) -> Option<String> {
    let line = line.trim_end_matches(';');
    // One line: `pm.test("…", () => pm.response.to.have.status(200))`.
    let line = match line.rsplit_once("=> ") {
        Some((start, rest)) if start.trim_start().starts_with("pm.test(") => {
            rest.trim_matches(['{', '}', ' ', ';']).strip_suffix(')').unwrap_or(rest).trim_end_matches([';', ' '])
        }
        _ => line,
    };
    let number = |text: &str| text.trim().parse::<u16>().ok().filter(|status| (100..=999).contains(status));
    let between = |start: &str| line.strip_prefix(start).and_then(|rest| rest.strip_suffix(')'));
    for start in
        ["pm.response.to.have.status(", "pm.expect(pm.response.code).to.equal(", "pm.expect(pm.response.code).to.eql("]
    {
        if let Some(status) = between(start).and_then(number) {
            return Some(format!("status = {status}"));
        }
    }
    if line.starts_with("tests[")
        && let Some(status) = line.split_once("responseCode.code === ").and_then(|(_, rest)| number(rest))
    {
        return Some(format!("status = {status}"));
    }
    let text = |value: &str| -> Option<String> {
        let value = value.trim();
        let quoted = value.len() >= 2
            && (value.starts_with('"') && value.ends_with('"') || value.starts_with('\'') && value.ends_with('\''));
        let plain = if quoted { &value[1..value.len() - 1] } else { value };
        let is_fit = quoted || value.parse::<f64>().is_ok() || value == "true" || value == "false";
        (is_fit && !plain.contains('\\')).then(|| crate::read::expected(&literal(plain))).flatten()
    };
    for start in ["pm.expect(pm.response.text()).to.include(", "pm.expect(pm.response.text()).to.contain("] {
        if let Some(value) = between(start).and_then(text) {
            return Some(format!("body contains {value}"));
        }
    }
    let inner = line.strip_prefix("pm.expect(")?;
    for sign in [").to.eql(", ").to.equal(", ").to.be.equal(", ").to.eq("] {
        if let Some((left, right)) = inner.split_once(sign)
            && let (Some(path), Some(value)) = (path_of(left.trim(), parsed), right.strip_suffix(')').and_then(text))
        {
            return Some(format!("json({path}) = {value}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_tests_are_checks_and_all_else_is_not() {
        let parsed = ["jsonData".to_owned(), "pm.response.json()".to_owned()];
        for (line, check) in [
            ("pm.response.to.have.status(201);", "status = 201"),
            ("pm.test(\"ok\", () => pm.response.to.have.status(200));", "status = 200"),
            ("pm.expect(jsonData.data[0].id).to.eql(5);", "json($.data[0].id) = \"5\""),
            ("pm.expect(pm.response.text()).to.include('welcome');", "body contains \"welcome\""),
        ] {
            assert_eq!(check_of(line, &parsed).as_deref(), Some(check), "{line}");
        }
        for line in
            ["pm.expect(a).to.be.above(5);", "pm.expect(jsonData.a).to.eql(b);", "pm.response.to.have.header('X');"]
        {
            assert_eq!(check_of(line, &parsed), None, "{line}");
        }
        assert_eq!(
            set_line("pm.environment.set('t', jsonData.token);"),
            Some(("t".to_owned(), "jsonData.token".to_owned()))
        );
    }

    #[test]
    fn a_test_on_one_line_is_read_as_one_on_three() {
        let inner = "pm.response.to.have.status(201);";
        for script in [
            "pm.test('ok', function () { pm.response.to.have.status(201); });",
            "pm.test(\"a; b {\", function(){pm.response.to.have.status(201);});",
            "pm.test('ok', () => { pm.response.to.have.status(201); })",
            "pm.test('ok', function () { pm.response.to.have.status(201);\n});",
        ] {
            let found: Vec<String> = statements(script).into_iter().filter(|line| line != "});").collect();
            assert_eq!(found, [inner], "{script}");
        }
        assert_eq!(
            statements("const a = pm.response.json(); pm.environment.set('t', a.t); // kept"),
            ["const a = pm.response.json();", "pm.environment.set('t', a.t);", "// kept"]
        );
        assert_eq!(statements("for (let i = 0; i < 3; i++) {"), ["for (let i = 0; i < 3; i++) {"]);
        assert_eq!(
            statements("pm.test('x', () => pm.expect(f({ a: 1 })).to.eql(2));"),
            ["pm.test('x', () => pm.expect(f({ a: 1 })).to.eql(2));"]
        );
    }
}
