//! Texts of the language: `$(name)` and what stands for itself.

/// A text of a source in which nothing is a name.
pub(crate) fn literal(text: &str) -> String {
    text.replace("$(", "$$(")
}

/// The length of the `$(…)` that a text begins with; brackets and quotes within it are looked over.
pub(crate) fn end_of_name(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    for (index, c) in text.char_indices() {
        match c {
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '\'' => quote = Some(c),
            '(' => depth += 1,
            ')' if depth == 1 => return Some(index + 1),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The expressions in `$(…)` of a text, without those of `$$(`.
pub(crate) fn names_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("$(").map(|start| start + at) {
        if text[..start].ends_with('$') {
            at = start + 2;
            continue;
        }
        match end_of_name(&text[start..]) {
            Some(length) => {
                found.push(&text[start + 2..start + length - 1]);
                at = start + length;
            }
            None => at = start + 2,
        }
    }
    found
}

/// The text without its `$(…)`.
pub(crate) fn without_names(text: &str) -> String {
    let mut made = text.to_owned();
    for name in names_in(text) {
        made = made.replacen(&format!("$({name})"), "", 1);
    }
    made
}

/// The words of an expression that may be names: `join(ids, ', ')` has `join` and `ids`.
pub(crate) fn words(expression: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    expression.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

/// At most so many characters of a text, on one line.
pub(crate) fn short(text: &str, length: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(length + 1).collect();
    if line.chars().count() > length { line.chars().take(length).chain(['…']).collect() } else { line }
}

/// Seconds as the language writes a time: `90s`, `5m`, `250ms`.
pub(crate) fn duration(seconds: f64) -> String {
    let millis = (seconds * 1000.0).round().clamp(0.0, 31_536_000_000.0) as u64;
    match millis {
        0 => "0s".to_owned(),
        _ if millis.is_multiple_of(3_600_000) => format!("{}h", millis / 3_600_000),
        _ if millis.is_multiple_of(60_000) => format!("{}m", millis / 60_000),
        _ if millis.is_multiple_of(1000) => format!("{}s", millis / 1000),
        _ => format!("{millis}ms"),
    }
}

/// A number a second as the language writes a rate: `5/s`, `12/m`, `0.25/s`.
pub(crate) fn rate(per_second: f64) -> String {
    let near = |number: f64| (number - number.round()).abs() < 1e-9 * number.abs().max(1.0);
    if near(per_second) {
        format!("{}/s", per_second.round())
    } else if near(per_second * 60.0) {
        format!("{}/m", (per_second * 60.0).round())
    } else {
        format!("{}/s", number(per_second, 4))
    }
}

/// A number with at most so many digits behind the point.
pub(crate) fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_those_that_stand_for_themselves_are_not() {
        assert_eq!(names_in("a $(x) $$(y) $(url(z)) $(jwt(k, ')')"), ["x", "url(z)"]);
        assert_eq!(literal("$(x)"), "$$(x)");
        assert_eq!(without_names("Bearer $(token)"), "Bearer ");
        assert_eq!(words("join(ids, ', ')").collect::<Vec<_>>(), ["join", "ids"]);
    }

    #[test]
    fn times_and_rates_are_written_as_people_do() {
        assert_eq!([duration(90.0), duration(300.0), duration(0.25), duration(7200.0)], ["90s", "5m", "250ms", "2h"]);
        assert_eq!([rate(5.0), rate(0.2), rate(1.0 / 3.0), rate(0.25)], ["5/s", "12/m", "20/m", "15/m"]);
        assert_eq!(rate(0.123), "0.123/s");
    }
}
