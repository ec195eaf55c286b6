//! Names of the language, made of whatever a source calls its things.

use std::collections::BTreeSet;

/// Longest name that is made; the language allows 64, and a number may follow.
const LENGTH_MAX: usize = 48;

/// Words that `study` allows as names, and that would read as if they meant something where the writer puts them.
const MISLEADING: [&str; 34] = [
    "host",
    "if",
    "while",
    "then",
    "else",
    "transaction",
    "parallel",
    "most",
    "message",
    "listeners",
    "url",
    "json",
    "body",
    "status",
    "header",
    "regex",
    "xpath",
    "size",
    "script",
    "idle",
    "hold",
    "ramp",
    "drain",
    "recovery",
    "share",
    "count",
    "rate",
    "mean",
    "alive",
    "met",
    "broken",
    "any",
    "not",
    "as",
];

/// Names that were given already. One set for all kinds of things: what stands in `$(…)` and what rules name can then
/// never be taken for one another.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// A name like `wanted` that nothing has yet. `kind` is put behind a word of the language, and alone where nothing
    /// of `wanted` can stand in a name.
    pub(crate) fn give(&mut self, wanted: &str, kind: &str) -> String {
        let mut base = plain(wanted);
        if base.is_empty() {
            base = kind.to_owned();
        } else if study::is_reserved(&base) || MISLEADING.contains(&base.as_str()) {
            base = format!("{base}_{kind}");
        }
        let mut name = base.clone();
        let mut number = 2;
        while !self.0.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }

    /// A name for a server, whose address is the variable with `_url` behind it.
    pub(crate) fn give_server(&mut self, wanted: &str) -> String {
        let plain = plain(wanted);
        let base = plain.strip_suffix("_url").filter(|base| !base.is_empty()).unwrap_or(&plain);
        loop {
            let name = self.give(base, "site");
            if self.0.insert(format!("{name}_url")) {
                return name;
            }
        }
    }
}

/// Small letters, digits and `_`, beginning with a letter: `GET /Users/{id}` is `get_users_id`.
pub(crate) fn plain(text: &str) -> String {
    let mut made = String::new();
    let mut before = ' ';
    for c in text.chars() {
        let is_hump = c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
        if c.is_ascii_alphanumeric() {
            if is_hump && !made.ends_with('_') {
                made.push('_');
            }
            made.push(c.to_ascii_lowercase());
        } else if !made.is_empty() && !made.ends_with('_') && c != '\'' {
            made.push('_');
        }
        before = c;
        if made.len() >= LENGTH_MAX {
            break;
        }
    }
    let trimmed = made.trim_end_matches('_');
    if trimmed.starts_with(|c: char| c.is_ascii_digit()) { format!("n{trimmed}") } else { trimmed.to_owned() }
}

/// Capital letters for a secret: `API_KEY`.
pub(crate) fn loud(text: &str) -> String {
    plain(text).to_ascii_uppercase()
}

/// A name for a request without one of its own, of its method and path: the last two parts that are words.
pub(crate) fn of_request(method: &str, path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_word = |part: &&str| {
        let letters = part.chars().filter(|c| c.is_ascii_alphabetic()).count();
        let digits = part.chars().filter(char::is_ascii_digit).count();
        !part.is_empty() && !part.contains("$(") && letters >= digits.max(1) && part.len() <= 40
    };
    let parts: Vec<&str> = path.split('/').filter(is_word).collect();
    let last: Vec<&str> = parts.iter().rev().take(2).rev().map(|part| part.split('.').next().unwrap_or(part)).collect();
    let words = if last.is_empty() { "home".to_owned() } else { last.join("_") };
    if method.eq_ignore_ascii_case("get") { words } else { format!("{}_{words}", method.to_ascii_lowercase()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_anything() {
        for (text, name) in [
            ("GET /Users/{id}", "get_users_id"),
            ("listPets", "list_pets"),
            ("2nd step: \"pay\"", "n2nd_step_pay"),
            ("HTTPServer", "httpserver"),
            ("čaj", "aj"),
            ("-- ", ""),
        ] {
            assert_eq!(plain(text), name, "{text}");
        }
        let mut names = Names::default();
        assert_eq!(names.give("run", "call"), "run_call");
        assert_eq!(names.give("pay", "call"), "pay");
        assert_eq!(names.give("Pay!", "call"), "pay_2");
        assert_eq!(names.give("日本", "call"), "call");
        assert_eq!(of_request("POST", "/api/v1/users/550e8400-e29b/orders?x=1"), "post_users_orders");
        assert_eq!(of_request("GET", "/"), "home");
    }
}
