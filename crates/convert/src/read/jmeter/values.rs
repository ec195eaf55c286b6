//! `${…}` of JMeter in the words of the language.

use crate::build::Build;
use crate::text::{end_of_name, literal, short};
use std::collections::HashMap;

/// Functions within functions.
const DEPTH_MAX: usize = 8;

/// What each variable of the plan stands for: an expression, as in `$(…)`.
#[derive(Default)]
pub(crate) struct Values {
    known: HashMap<String, String>,
    /// What extractors set a variable to where the answer does not have its value.
    defaults: HashMap<String, String>,
}

impl Values {
    pub(super) fn set(&mut self, name: &str, expression: &str) {
        self.known.insert(name.to_owned(), expression.to_owned());
    }

    pub(super) fn set_default(&mut self, name: &str, text: &str) {
        self.defaults.insert(name.to_owned(), text.to_owned());
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.known.get(name).map(String::as_str)
    }

    /// A text of the plan as one of the study.
    pub(super) fn text(&mut self, text: &str, build: &mut Build<'_>) -> String {
        self.within(text, build, 0)
    }

    fn within(&mut self, text: &str, build: &mut Build<'_>, depth: usize) -> String {
        let mut made = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            made += &literal(&rest[..start]);
            let Some(end) = closing(&rest[start..]) else { break };
            let inner = &rest[start + 2..start + end - 1];
            made += &self.expression(inner, build, depth);
            rest = &rest[start + end..];
        }
        made + literal(rest).as_str()
    }

    fn expression(&mut self, inner: &str, build: &mut Build<'_>, depth: usize) -> String {
        if depth > DEPTH_MAX {
            return self.unknown(inner, build);
        }
        if inner.starts_with("__") {
            return self.function(inner, build, depth);
        }
        match self.known.get(inner.trim()) {
            Some(expression) => format!("$({expression})"),
            None => self.unknown(inner, build),
        }
    }

    /// A variable that nothing in the plan sets.
    fn unknown(&mut self, inner: &str, build: &mut Build<'_>) -> String {
        let name = build.var(&short(inner, 40), "unset", "the plan does not say what it is");
        build.lose(
            format!("`${{{}}}`", short(inner, 80)),
            "its value is not known; `unset` is in its place",
            format!("write it under `vars`, or set it: `--set {name}=…`"),
        );
        self.known.insert(inner.trim().to_owned(), name.clone());
        format!("$({name})")
    }

    fn function(&mut self, inner: &str, build: &mut Build<'_>, depth: usize) -> String {
        let (name, rest) = inner.split_once('(').unwrap_or((inner, ""));
        let arguments = arguments(rest.strip_suffix(')').unwrap_or(rest));
        let argument = |index: usize| arguments.get(index).map(|text| text.trim().to_owned()).unwrap_or_default();
        let whole = |text: &str| text.parse::<i64>().is_ok();
        match name.trim() {
            "__P" | "__property" => {
                let key = argument(0);
                if let Some(known) = self.known.get(&format!("__P({key})")) {
                    return format!("$({known})");
                }
                let default = argument(if name.trim() == "__P" { 1 } else { 2 });
                let is_given = arguments.len() > 1 && !default.is_empty();
                let value = if is_given { self.within(&default, build, depth + 1) } else { "1".to_owned() };
                let var = build.var(&key, &value, &format!("the property `{}`: --set NAME=…", short(&key, 40)));
                if !is_given {
                    build.lose(
                        format!("the property `{}`", short(&key, 60)),
                        "the plan gives it no value, for which JMeter takes 1",
                        format!("set it: `--set {var}=…`"),
                    );
                }
                self.known.insert(format!("__P({key})"), var.clone());
                format!("$({var})")
            }
            "__UUID" => "$(uuid)".to_owned(),
            "__threadNum" => "$(user.n)".to_owned(),
            "__counter" => "$(serial)".to_owned(),
            "__time" if argument(0).is_empty() => "$(epoch_ms())".to_owned(),
            "__time" if argument(0) == "/1000" => "$(epoch())".to_owned(),
            "__Random" if whole(&argument(0)) && whole(&argument(1)) => {
                format!("$(random({}, {}))", argument(0), argument(1))
            }
            "__RandomString" if argument(0).parse::<u32>().is_ok_and(|count| count > 0 && count < 60_000) => {
                let letters = argument(1);
                if !letters.is_empty() {
                    build.lose(
                        format!("the letters of {}", short(inner, 60)),
                        "random texts are of letters and digits",
                        "",
                    );
                }
                format!("$(random_text({}))", argument(0))
            }
            "__env" => {
                let value = format!(
                    "$(env.{}:-{})",
                    argument(0),
                    if argument(2).is_empty() { "unset".to_owned() } else { literal(&argument(2)) }
                );
                let is_name = argument(0).bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    && !argument(0).is_empty();
                if !is_name {
                    return self.unknown(inner, build);
                }
                let var = build.var(&argument(0), &value, "of the environment");
                format!("$({var})")
            }
            "__urlencode" | "__base64Encode" | "__uppercase" | "__lowercase" | "__urldecode" => {
                let to = match name.trim() {
                    "__urlencode" => "url",
                    "__urldecode" => "url_decode",
                    "__base64Encode" => "base64",
                    "__uppercase" => "upper",
                    _ => "lower",
                };
                let value = self.within(&argument(0), build, depth + 1);
                let is_one = value.starts_with("$(") && end_of_name(&value) == Some(value.len());
                match (is_one, value.contains('\'')) {
                    (true, _) => format!("$({to}({}))", &value[2..value.len() - 1]),
                    (false, false) => format!("$({to}('{value}'))"),
                    _ => self.unknown(inner, build),
                }
            }
            "__V" if self.known.contains_key(&argument(0)) => format!("$({})", self.known[&argument(0)]),
            _ => self.unknown(inner, build),
        }
    }

    /// `"${x}" == "y"`, also within `__jexl3` and `__groovy`, as a condition of the language.
    pub(super) fn condition(&mut self, text: &str, build: &mut Build<'_>) -> Option<String> {
        let mut text = text.trim();
        for function in ["${__jexl3(", "${__jexl2(", "${__jexl(", "${__groovy(", "${__javaScript("] {
            if let Some(inner) = text.strip_prefix(function) {
                text = inner.strip_suffix(")}")?.trim().trim_end_matches(',').trim();
            }
        }
        let (left, sign, right) = match (text.split_once("=="), text.split_once("!=")) {
            (Some((left, right)), None) => (left, "=", right),
            (None, Some((left, right))) => (left, "!=", right),
            _ => return None,
        };
        let (left, right) = (left.trim().trim_matches(['"', '\'']), right.trim());
        let right = right.trim_start_matches(['"', '\'']).trim_end_matches(['"', '\'']);
        let name = left.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).or_else(|| {
            let inner = left.strip_prefix("vars.get(")?.strip_suffix(')')?;
            Some(inner.trim_matches(['"', '\'']))
        })?;
        let is_plain =
            !name.contains(['{', '(', ' ']) && !right.contains(['&', '|', '$', '(', '"', '\'', '=', '<', '>']);
        let expression = self.known.get(name)?.clone();
        if !is_plain || expression.contains('(') {
            return None;
        }
        let _ = build;
        // Where JMeter has the default, nothing was captured.
        let is_default = self.defaults.get(name).is_some_and(|default| default == right);
        Some(if right.is_empty() || is_default {
            if sign == "=" { format!("not $({expression})") } else { format!("$({expression})") }
        } else {
            format!("$({expression}) {sign} {right}")
        })
    }
}

/// The length of the `${…}` that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (index, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(index + 1),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Arguments between commas that stand in no `${…}` and behind no backslash.
fn arguments(text: &str) -> Vec<String> {
    let (mut found, mut depth) = (vec![String::new()], 0usize);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                if let (Some(next), Some(last)) = (chars.next(), found.last_mut()) {
                    last.push(next);
                }
                continue;
            }
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = found.last_mut() {
            last.push(c);
        }
    }
    found
}
