//! What the value of a rule is, and which way is worse, from the rule as it is written.
//!
//! Judgements of earlier versions have the rule's text alone, so the text is what is read; a text of several clauses, or
//! one whose limit is not a number, has no direction.

/// Longest text of what is measured, in characters.
const TEXT_MAX: usize = 1_000;
/// Most variables that are read of a study.
const VARS_MAX: usize = 1_000;

/// Which way a value gets worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<=`, `<`: higher is worse.
    AtMost,
    /// `>=`, `>`: lower is worse.
    AtLeast,
    /// Neither: equalities, states, several clauses. Such a requirement has verdicts and no trend.
    None,
}

impl Direction {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::AtMost => "at_most",
            Self::AtLeast => "at_least",
            Self::None => "none",
        }
    }

    fn turned(self) -> Self {
        match self {
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
            Self::None => Self::None,
        }
    }
}

/// What a rule measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// The rule without its limit: `p95(x.response) in hold`. Rules that differ in their limits alone measure the same.
    pub text: String,
    pub direction: Direction,
}

impl Measures {
    /// Reads a rule; variables of what it measures stand in the text as what they were in that run, since
    /// `share(x.response < $(slow))` is something else with another `slow`. White space counts once.
    pub fn of(rule: &str, vars: &[(String, String)]) -> Self {
        let rule = rule.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut found = Self::compared(&rule).unwrap_or(Self { text: rule, direction: Direction::None });
        for (name, value) in vars {
            if !found.text.contains("$(") {
                break;
            }
            let text = found.text.replace(&format!("$({name})"), value);
            found.text = text.chars().take(TEXT_MAX).collect();
        }
        found
    }

    /// A rule of one comparison with a limit that is one word.
    fn compared(rule: &str) -> Option<Self> {
        let outside = outside_brackets(rule);
        if outside.contains(" and ") {
            return None;
        }
        let (at, sign) = operators(&outside).next()?;
        if operators(&outside).count() != 1 {
            return None;
        }
        let direction = if sign.starts_with('<') { Direction::AtMost } else { Direction::AtLeast };
        let (left, right) = (rule[..at].trim(), rule[at + sign.len()..].trim());
        if is_limit(left) {
            return Some(Self { text: right.to_owned(), direction: direction.turned() });
        }
        let (limit, rest) = right.split_once(' ').unwrap_or((right, ""));
        let rest_goes_on = rest.starts_with(['+', '-', '*', '/']);
        if !is_limit(limit) || rest_goes_on {
            return None;
        }
        Some(Self { text: format!("{left} {rest}").trim().to_owned(), direction })
    }
}

/// The variables of an effective study with their values, as its text has them: we write it, a line each.
pub fn vars_of(study: &str) -> Vec<(String, String)> {
    let lines = study.lines().skip_while(|line| *line != "vars:").skip(1);
    let of = |line: &str| {
        let (name, value) = line.strip_prefix("  ")?.split_once(": ")?;
        Some((name.to_owned(), value.trim_matches('"').to_owned()))
    };
    lines.take_while(|line| line.starts_with(' ')).filter_map(of).take(VARS_MAX).collect()
}

/// A number with or without a unit, or a variable that holds one.
fn is_limit(word: &str) -> bool {
    let is_variable = word.starts_with("$(") && word.ends_with(')');
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    !word.contains(' ') && (is_variable || digits.starts_with(|first: char| first.is_ascii_digit() || first == '.'))
}

/// The text with what stands in brackets blanked out, byte by byte.
fn outside_brackets(text: &str) -> String {
    let mut depth = 0i32;
    let blank = |letter: char| {
        depth += i32::from(letter == '(');
        let shown = if depth > 0 { "_".repeat(letter.len_utf8()) } else { letter.to_string() };
        depth -= i32::from(letter == ')');
        shown
    };
    text.chars().map(blank).collect()
}

/// `<`, `<=`, `>`, `>=` with their places; an equality counts as one of them and has no direction.
fn operators(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let is_sign = |at: usize| matches!(bytes.get(at), Some(b'<' | b'>'));
    let equal = |at: usize| bytes.get(at) == Some(&b'=');
    (0..bytes.len()).filter_map(move |at| match () {
        () if is_sign(at) && equal(at + 1) => Some((at, &text[at..at + 2])),
        () if is_sign(at) => Some((at, &text[at..=at])),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_tells_what_it_measures_and_which_way_is_worse() {
        for (rule, text, direction) in [
            ("p95(x.response) <= 200ms", "p95(x.response)", Direction::AtMost),
            ("p95(x.response)  <  200ms in hold", "p95(x.response) in hold", Direction::AtMost),
            ("share(x.response < 2s) >= 95%", "share(x.response < 2s)", Direction::AtLeast),
            ("rate(x.ok) > $(least) per exchange", "rate(x.ok) per exchange", Direction::AtLeast),
            ("200ms >= p95(x.response)", "p95(x.response)", Direction::AtMost),
            ("change(mean(x.response), a, b) >= -5%", "change(mean(x.response), a, b)", Direction::AtLeast),
            ("count(x.ok) = count(y.ok)", "count(x.ok) = count(y.ok)", Direction::None),
            ("alive(gateway)", "alive(gateway)", Direction::None),
            ("steady(memory, growth: 5%)", "steady(memory, growth: 5%)", Direction::None),
            ("p95(x) <= 2s and share(x.ok) >= 1%", "p95(x) <= 2s and share(x.ok) >= 1%", Direction::None),
            ("1s <= p95(x) <= 2s", "1s <= p95(x) <= 2s", Direction::None),
            ("p95(x) <= 2 * p95(y)", "p95(x) <= 2 * p95(y)", Direction::None),
            ("p95(x) <= p95(y)", "p95(x) <= p95(y)", Direction::None),
            ("<= <= (((", "<= <= (((", Direction::None),
            ("", "", Direction::None),
        ] {
            assert_eq!(Measures::of(rule, &[]), Measures { text: text.into(), direction }, "{rule}");
        }
        let of = |rule: &str| Measures::of(rule, &[]);
        assert_eq!(of("p95(x) <= 2s"), of("p95(x) <= 300ms"));
        assert_ne!(of("p95(x) <= 2s"), of("p99(x) <= 2s"));
    }

    #[test]
    fn a_variable_of_what_is_measured_is_its_value_and_one_of_the_limit_is_none_of_it() {
        let vars = vars_of("study: A\nvars:\n  slow: 30ms\n  name: \"a b\"\nsystem:\n  x: 1\n");
        assert_eq!(vars, [("slow".to_owned(), "30ms".to_owned()), ("name".to_owned(), "a b".to_owned())]);
        assert_eq!(Measures::of("share(x.response < $(slow)) >= $(least)", &vars).text, "share(x.response < 30ms)");
        assert!(vars_of("study: A\n").is_empty() && vars_of("").is_empty());
    }
}
