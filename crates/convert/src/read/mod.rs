//! One reader for each format.

pub(crate) mod curl;
pub(crate) mod har;
pub(crate) mod jmeter;
pub(crate) mod k6;
mod nest;
pub(crate) mod openapi;
pub(crate) mod postman;
mod shell;
mod together;

pub(crate) use together::together;

use crate::draft::{Length, Load, Scenario, Step};

/// A load that harms nobody: one user, who waits a second from one iteration to the next.
pub(crate) fn gentle(name: String, run: Vec<Step>) -> Scenario {
    Scenario {
        name,
        notes: vec!["the source has no load: one user, to begin with".to_owned()],
        load: Load::Users { users: 1, ramp: 0.0, length: Length::Hold(60.0), pacing: 1.0 },
        set_up: Vec::new(),
        clean_up: Vec::new(),
        after: 0.0,
        run,
    }
}

/// A path of JSON that means the same in the language: names, numbers, `*`, and members anywhere below.
pub(crate) fn json_path(path: &str) -> Option<String> {
    static FORM: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
        let pattern = r#"^\$(\.\.?[A-Za-z_][A-Za-z0-9_]*|\.\*|\[(-?\d{1,9}|\*|'[^'\\\]\[]+'|"[^"\\\]\[]+")\])*$"#;
        regex::Regex::new(pattern).expect("a pattern that is tested")
    });
    let path = path.trim();
    (path.len() < 1000 && FORM.is_match(path)).then(|| path.to_owned())
}

/// A pattern that means the same in the language; `None` if it cannot be one.
pub(crate) fn pattern(text: &str) -> Option<String> {
    // Java and Perl know these, the language does not.
    let made = text
        .replace(r"\/", "/")
        .replace(r"\-", "-")
        .replace(r"\Z", r"\z")
        .replace("\\\"", "\"")
        .replace(r"\'", "'")
        .replace(r"\=", "=")
        .replace(r"\:", ":")
        .replace(r"\,", ",")
        .replace(r"\;", ";")
        .replace(r"\<", "<")
        .replace(r"\>", ">")
        .replace(r"\_", "_")
        .replace(r"\@", "@")
        .replace(r"\!", "!")
        .replace(r"\ ", " ");
    let is_closed = balanced(&made);
    let is_fit = is_closed
        && made.len() < 8000
        && !made.contains("$(")
        && !made.chars().any(char::is_control)
        && regex::bytes::RegexBuilder::new(&made).size_limit(1 << 20).nest_limit(40).build().is_ok();
    is_fit.then_some(made)
}

/// Whether the brackets of a pattern are closed as the language counts them, in which `regex(…)` ends.
fn balanced(pattern: &str) -> bool {
    let (mut depth, mut in_class, mut skip) = (0usize, false, false);
    for c in pattern.chars() {
        if skip {
            skip = false;
            continue;
        }
        match c {
            '\\' => skip = true,
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0 && !in_class && !skip
}

/// A text on the right of a comparison; `None` where it cannot stand there.
pub(crate) fn expected(text: &str) -> Option<String> {
    if text.len() > 1000 || text.chars().any(char::is_control) {
        return None;
    }
    match (text.contains('"'), text.contains('\'')) {
        (false, _) => Some(format!("\"{text}\"")),
        (true, false) => Some(format!("'{text}'")),
        (true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_patterns_that_mean_the_same_are_taken() {
        for path in ["$.a.b[0]", "$", "$..id", "$['a b'][*]", "$.items.*"] {
            assert!(json_path(path).is_some(), "{path}");
        }
        for path in ["a.b", "$.a[?(@.b == 1)]", "$.a.length()", "$.a[", "$[0:2]", "$.a-b"] {
            assert!(json_path(path).is_none(), "{path}");
        }
        assert_eq!(pattern(r"a\/(b)"), Some("a/(b)".to_owned()));
        for text in ["(?<=a)b", "(a", r"(a)\1", "a)"] {
            assert_eq!(pattern(text), None, "{text}");
        }
        assert_eq!(expected("it's"), Some("\"it's\"".to_owned()));
        assert_eq!(expected("\"'"), None);
    }
}
