//! Which numbers a source text compares with. Zero and one are none: whether there is anything at all, and whether a
//! share is the whole, is not a threshold. Neither is what only tells two computed numbers apart.

use std::collections::BTreeSet;

const OPERATORS: [&str; 6] = ["<", ">", "<=", ">=", "==", "!="];
/// What ends an operand where it stands by itself.
const ENDS: [&str; 12] = ["&&", "||", "{", "}", "=>", "=", "if", "else", "return", "let", "match", "while"];
/// Differences below this are rounding.
const ROUNDING: f64 = 1e-6;

/// A comparison with a number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comparison {
    /// Line, from 1.
    pub(super) line: usize,
    /// The number or constant.
    pub(super) threshold: String,
    /// Whether it is a float: what is counted is compared with whole numbers.
    pub(super) is_float: bool,
}

/// Names of the constants of a source text, and whether each is a float.
pub(super) fn constants(text: &str) -> impl Iterator<Item = (String, bool)> + '_ {
    let constant = |line: &str| {
        let (name, kind) = line.split_once("const ")?.1.split_once(':')?;
        Some((name.trim().to_owned(), kind.trim_start().starts_with("f64")))
    };
    text.lines().filter_map(constant)
}

/// Comparisons with numbers, and ranges between floats, in what is compiled for more than tests.
pub(super) fn comparisons(text: &str, floats: &BTreeSet<String>) -> Vec<Comparison> {
    let code = code(text);
    let lines = code.lines().enumerate();
    let tokens: Vec<(usize, &str)> =
        lines.flat_map(|(line, text)| text.split_whitespace().map(move |token| (line + 1, token))).collect();
    let mut found = Vec::new();
    for (at, (line, token)) in tokens.iter().enumerate() {
        if token.contains("..") {
            let ends = token.replace("..", " ");
            found.extend(thresholds(&ends, floats).filter(|it| it.1).map(|it| (*line, it)));
        }
        if OPERATORS.contains(token) {
            let before: Vec<&str> =
                tokens[..at].iter().rev().map(|it| it.1).take_while(|it| !ENDS.contains(it)).collect();
            let after: Vec<&str> = tokens[at + 1..].iter().map(|it| it.1).take_while(|it| !ENDS.contains(it)).collect();
            let before: String = before.into_iter().rev().collect::<Vec<_>>().join(" ").chars().rev().collect();
            // Read backwards, a bracket that opens is one that closes.
            let left: String = operand(before.chars(), [')', '(']).chars().rev().collect();
            let right = operand(after.join(" ").chars(), ['(', ')']);
            // How many things there are decides whether there is anything to be said of them.
            let is_length = [&left, &right].iter().any(|side| side.contains(".len()"));
            let both = [left, right];
            let thresholds = both.iter().flat_map(|side| thresholds(side, floats));
            found.extend(thresholds.filter(|it| it.1 || !is_length).map(|it| (*line, it)));
        }
    }
    let comparison = |(line, (threshold, is_float))| Comparison { line, threshold, is_float };
    found.into_iter().map(comparison).collect()
}

/// What of a text belongs to the operand that it begins with: up to a bracket that closes what the operand did not open,
/// or to what separates arguments and statements.
fn operand(text: impl Iterator<Item = char>, [open, close]: [char; 2]) -> String {
    let mut depth = 0;
    let is_inside = |c: &char| {
        depth += i32::from(*c == open) - i32::from(*c == close);
        depth >= 0 && !(depth == 0 && matches!(c, ',' | ';' | '|'))
    };
    text.take_while(is_inside).collect()
}

/// Numbers and constants of an operand, each with whether it is a float.
fn thresholds<'a>(operand: &'a str, floats: &'a BTreeSet<String>) -> impl Iterator<Item = (String, bool)> + use<'a> {
    let words = operand.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':')));
    let threshold = |word: &str| {
        let name = word.rsplit("::").next().filter(|name| name.len() > 1 || name.parse::<u8>().is_ok())?;
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            let number: f64 = name.replace('_', "").parse().ok()?;
            let is_one = number != 0.0 && number != 1.0 && number > ROUNDING;
            return is_one.then(|| (name.to_owned(), name.contains(['.', 'e'])));
        }
        let is_constant = name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit());
        is_constant.then(|| (name.to_owned(), floats.contains(name)))
    };
    words.filter_map(threshold)
}

/// A source text without its tests, comments and texts in quotes, line by line as it was.
fn code(text: &str) -> String {
    let text = text.split_once("#[cfg(test)]\n").filter(|(_, rest)| is_tests(rest)).map_or(text, |(code, _)| code);
    let (mut code, mut rest) = (String::with_capacity(text.len()), text.chars().peekable());
    let (mut is_quoted, mut is_comment) = (false, false);
    while let Some(c) = rest.next() {
        match c {
            '\n' => {
                is_comment = false;
                code.push(c);
            }
            _ if is_comment => {}
            '\\' if is_quoted => drop(rest.next()),
            '"' => {
                is_quoted = !is_quoted;
                code.push(c);
            }
            _ if is_quoted => {}
            '/' if rest.peek() == Some(&'/') => is_comment = true,
            // A quotation mark as a character.
            '\'' if rest.peek() == Some(&'"') => drop(rest.next()),
            _ => code.push(c),
        }
    }
    code
}

fn is_tests(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.ends_with("mod tests {"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let floats = BTreeSet::from(["NEAR".to_owned()]);
        comparisons(text, &floats).into_iter().filter(|it| it.is_float).map(|it| it.threshold).collect()
    }

    #[test]
    fn numbers_and_constants_are_found_on_either_side_and_within_expressions() {
        assert_eq!(found("if part >= NEAR {"), ["NEAR"]);
        assert_eq!(found("if 1.5 < part {"), ["1.5"]);
        assert_eq!(found("uses.retain(|of| most(of) > 0.01);"), ["0.01"]);
        assert_eq!(found("last >= first * assess::NEAR && other"), ["NEAR"]);
        assert_eq!(found("let is_far = value\n    > limit * 1e3;"), ["1e3"]);
        assert_eq!(found("(a - b).abs() > (0.01 * a).max(0.05)"), ["0.01", "0.05"]);
        assert_eq!(found("(value * 0.5).abs() > other"), ["0.5"]);
        assert_eq!(found("(0.85..1.2).contains(tick)"), ["0.85", "1.2"]);
    }

    #[test]
    fn what_decides_nothing_is_not_found() {
        for none in [
            "if part > 0.0 && share < 1.0 {",
            "if (a - b).abs() < 1e-9 {",
            "if all.len() > 3 { draw(0.5) }",
            "(unit == Time).then_some(value * 1e3)",
            "// part > 0.5",
            "say(\"part > 0.5\")",
            "if a.0 > b.1 {",
            "let x = 0.5;\n    if x < y { z(0.3, 0.4) }",
            "fn a() {}\n#[cfg(test)]\npub(crate) mod tests {\n    assert!(a > 0.5);\n}",
        ] {
            assert_eq!(found(none), Vec::<String>::new(), "{none}");
        }
    }

    #[test]
    fn what_is_counted_is_compared_with_whole_numbers() {
        let found = comparisons("calls > 3 && all.len() > 5 && total >= MOST", &BTreeSet::new());
        let found: Vec<_> = found.iter().map(|it| (it.threshold.as_str(), it.is_float)).collect();
        assert_eq!(found, [("3", false), ("MOST", false)]);
    }

    #[test]
    fn only_floats_are_constants_of_interest() {
        let text = "/// A.\npub const A: f64 = 0.5;\nconst B: usize = 3;\n    const C: f64 = 1.0;\n";
        let found: Vec<_> = constants(text).collect();
        assert_eq!(found, [("A".into(), true), ("B".into(), false), ("C".into(), true)]);
    }
}
