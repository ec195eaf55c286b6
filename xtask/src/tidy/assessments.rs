//! What a figure means is the judge's to say: in the report no function that chooses an assessment compares with a
//! number of its own. Zero is none: whether there is anything at all is no threshold.

use crate::tree::Tree;
use anyhow::Result;

/// Keys of assessments have this in them.
const KEY: &str = "-means";
const COMPARISONS: [&str; 4] = ["<", ">", "<=", ">="];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for path in tree.files(&["rs"]).into_iter().filter(|path| path.starts_with("crates/report/src/")) {
        problems.extend(thresholds(&path, &tree.read(&path)?));
    }
    Ok(problems)
}

/// Comparisons with numbers, in items that hold a key of an assessment. An item ends with a bracket that begins a line.
fn thresholds(path: &str, text: &str) -> Vec<String> {
    let (mut problems, mut found, mut has_key) = (Vec::new(), Vec::new(), false);
    let text = text.split_once("#[cfg(test)]\nmod tests {").map_or(text, |(code, _)| code);
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        has_key |= code.contains("\"fig-") && code.contains(KEY);
        found.extend(compared(code).map(|threshold| {
            let place = number + 1;
            format!(
                "{path}:{place}: an assessment depends on `{threshold}`; thresholds of figures stand in judge::assess"
            )
        }));
        if line.starts_with('}') {
            problems.extend(std::mem::take(&mut found).into_iter().filter(|_| has_key));
            has_key = false;
        }
    }
    problems
}

/// Numbers and constants that a line compares with.
fn compared(line: &str) -> impl Iterator<Item = &str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let sides = (0..words.len()).filter(|at| COMPARISONS.contains(&words[*at]));
    let sides = sides.map(|at| [at.checked_sub(1), Some(at + 1)]);
    // How many things there are decides whether there is a figure at all.
    let is_length =
        |side: &Option<usize>| side.and_then(|at| words.get(at)).is_some_and(|word| word.contains(".len()"));
    let sides: Vec<usize> = sides.filter(|sides| !sides.iter().any(is_length)).flatten().flatten().collect();
    let found = move |at: usize| {
        let word = words.get(at)?.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
        let last = word.rsplit("::").next()?;
        let is_number = last.parse::<f64>().is_ok_and(|number| number != 0.0);
        let is_constant =
            last.len() > 1 && last.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit());
        (is_number || (is_constant && !last.starts_with(|c: char| c.is_ascii_digit()))).then_some(last)
    };
    sides.into_iter().filter_map(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assessment_with_a_threshold_of_its_own_is_found() {
        let text =
            "fn assessment() {\n    let key = if part >= NEAR { \"fig-a-means-near\" } else { \"fig-a-means\" };\n}\n";
        assert_eq!(thresholds("a.rs", text).len(), 1);
        let number = text.replace("part >= NEAR", "1.5 < part");
        assert!(thresholds("a.rs", &number)[0].contains("`1.5`"));
        let other = "fn draw() {\n    if width > 3.0 {}\n}\nfn assessment() {\n    say!(m, \"fig-a-means\");\n}\n";
        assert_eq!(thresholds("a.rs", other), Vec::<String>::new(), "a threshold of a drawing is none");
        let zero = text.replace("part >= NEAR", "part > 0.0");
        assert_eq!(thresholds("a.rs", &zero), Vec::<String>::new());
    }
}
