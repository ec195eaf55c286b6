//! The text of a metrics page, line by line: Prometheus text exposition 0.0.4 and OpenMetrics 1.0.
//!
//! Source: Prometheus, `content/docs/instrumenting/exposition_formats.md`; OpenMetrics 1.0,
//! `specification/OpenMetrics.md`. Names in quotes within the braces are those of Prometheus 3.

use std::borrow::Cow;

/// Longest line. Labels are identifiers, not documents.
pub(crate) const LINE_MAX: usize = 16 * 1024;
/// Labels of one series.
pub(crate) const LABELS_MAX: usize = 64;

/// A line that says something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line<'a> {
    Sample(Sample<'a>),
    /// `# TYPE name counter`
    Type {
        name: &'a str,
        kind: &'a str,
    },
    /// `# HELP name …`
    Help {
        name: &'a str,
        text: &'a str,
    },
    /// `# EOF`, the last line of OpenMetrics.
    End,
    /// Empty, or a comment.
    Nothing,
}

/// One series at this moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub(crate) value: f64,
}

impl Sample<'_> {
    /// The value of a label; empty where it has none, which is the same to Prometheus.
    pub(crate) fn label(&self, name: &str) -> &str {
        self.labels.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_ref())
    }
}

/// Reads a line; `None` for one that is neither a sample nor a comment.
pub(crate) fn line(text: &str) -> Option<Line<'_>> {
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.len() > LINE_MAX {
        return None;
    }
    let trimmed = text.trim_start_matches([' ', '\t']);
    match trimmed.strip_prefix('#') {
        Some(comment) => Some(comment_of(comment)),
        None if trimmed.is_empty() => Some(Line::Nothing),
        None => sample(trimmed).map(Line::Sample),
    }
}

fn comment_of(comment: &str) -> Line<'_> {
    let mut words = comment.trim_start_matches([' ', '\t']).splitn(3, [' ', '\t']);
    match (words.next(), words.next().map(unquoted), words.next().unwrap_or_default()) {
        (Some("EOF"), None, _) => Line::End,
        (Some("TYPE"), Some(name), kind) => Line::Type { name, kind: kind.trim() },
        (Some("HELP"), Some(name), text) => Line::Help { name, text },
        _ => Line::Nothing,
    }
}

fn unquoted(name: &str) -> &str {
    name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(name)
}

fn sample(text: &str) -> Option<Sample<'_>> {
    let end = text.find(|c: char| !is_name_sign(c)).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut name = Cow::Borrowed(name);
    let mut labels = Vec::new();
    rest = rest.trim_start_matches([' ', '\t']);
    if let Some(inside) = rest.strip_prefix('{') {
        let (quoted, after) = braces(inside, &mut labels)?;
        if let Some(quoted) = quoted {
            if !name.is_empty() {
                return None;
            }
            name = quoted;
        }
        rest = after;
    }
    if name.is_empty() {
        return None;
    }
    // A moment and, after a `#`, an example may follow; neither is used: a sample is stamped when it is read.
    let rest = rest.split('#').next().unwrap_or_default();
    let mut words = rest.split_ascii_whitespace();
    let value = number(words.next()?)?;
    if words.next().is_some_and(|moment| number(moment).is_none()) || words.next().is_some() {
        return None;
    }
    Some(Sample { name, labels, value })
}

fn is_name_sign(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == ':'
}

/// Labels up to the closing brace; returns a metric's name that stands among them, and what follows.
fn braces<'a>(
    mut rest: &'a str,
    labels: &mut Vec<(Cow<'a, str>, Cow<'a, str>)>,
) -> Option<(Option<Cow<'a, str>>, &'a str)> {
    let blank = [' ', '\t'];
    let mut metric = None;
    loop {
        rest = rest.trim_start_matches(blank);
        if let Some(after) = rest.strip_prefix('}') {
            return Some((metric, after));
        }
        let (name, after) = match rest.strip_prefix('"') {
            Some(inside) => quoted(inside)?,
            None => {
                let end = rest.find(|c: char| !is_name_sign(c)).filter(|end| *end > 0)?;
                (Cow::Borrowed(&rest[..end]), &rest[end..])
            }
        };
        rest = after.trim_start_matches(blank);
        match rest.strip_prefix('=') {
            Some(after) => {
                let (value, after) = quoted(after.trim_start_matches(blank).strip_prefix('"')?)?;
                if labels.len() == LABELS_MAX {
                    return None;
                }
                labels.push((name, value));
                rest = after.trim_start_matches(blank);
            }
            // A name alone is that of the metric, and is in quotes.
            None if metric.is_none() && matches!(rest.chars().next(), Some(',' | '}')) => metric = Some(name),
            None => return None,
        }
        rest = match rest.strip_prefix(',') {
            Some(after) => after,
            None if rest.starts_with('}') => rest,
            None => return None,
        };
    }
}

/// A text up to its closing quote, `\\`, `\"` and `\n` resolved; and what follows.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut made: Option<String> = None;
    let mut from = 0;
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => {
                let value = match made {
                    None => Cow::Borrowed(&text[..at]),
                    Some(made) => Cow::Owned(made + &text[from..at]),
                };
                return Some((value, &text[at + 1..]));
            }
            '\\' => {
                let (next, escaped) = signs.next()?;
                let made = made.get_or_insert_with(String::new);
                made.push_str(&text[from..at]);
                match escaped {
                    'n' => made.push('\n'),
                    '\\' | '"' => made.push(escaped),
                    // What Prometheus does not know stays as it is.
                    other => made.extend(['\\', other]),
                }
                from = next + escaped.len_utf8();
            }
            _ => {}
        }
    }
    None
}

/// A number as Go reads them, as far as pages have them: `1`, `-1.5e3`, `NaN`, `+Inf`.
fn number(text: &str) -> Option<f64> {
    let plain = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_word = ["nan", "inf", "infinity"].iter().any(|word| plain.eq_ignore_ascii_case(word));
    let is_number = plain.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    (is_word || is_number).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample_of(text: &str) -> (String, Vec<(String, String)>, f64) {
        let Some(Line::Sample(sample)) = line(text) else { panic!("`{text}` is not a sample: {:?}", line(text)) };
        let labels = sample.labels.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned()));
        (sample.name.into_owned(), labels.collect(), sample.value)
    }

    /// Lines of the examples in the documentation of both formats.
    #[test]
    fn lines_of_both_formats() {
        let label = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        for (text, name, labels, value) in [
            (
                r#"http_requests_total{method="post",code="200"} 1027 1395066363000"#,
                "http_requests_total",
                vec![label("method", "post"), label("code", "200")],
                1027.0,
            ),
            (
                r#"msdos_file_access_time_seconds{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9"#,
                "msdos_file_access_time_seconds",
                vec![label("path", r"C:\DIR\FILE.TXT"), label("error", "Cannot find file:\n\"FILE.TXT\"")],
                1.458255915e9,
            ),
            ("metric_without_timestamp_and_labels 12.47", "metric_without_timestamp_and_labels", vec![], 12.47),
            (
                r#"something_weird{problem="division by zero"} +Inf -3982045"#,
                "something_weird",
                vec![label("problem", "division by zero")],
                f64::INFINITY,
            ),
            (
                r#"http_request_duration_seconds_bucket{le="0.05"} 24054"#,
                "http_request_duration_seconds_bucket",
                vec![label("le", "0.05")],
                24054.0,
            ),
            (
                r#"foo_bucket{le="10.0"} 17 1520879607.789 # {trace_id="oHg5SJYRHA0"} 9.8 1520879607.789"#,
                "foo_bucket",
                vec![label("le", "10.0")],
                17.0,
            ),
            ("  a { b = \"c\" , } -1.5e3  ", "a", vec![label("b", "c")], -1500.0),
            (r#"{"my.metric","a.b"="c"} 3"#, "my.metric", vec![label("a.b", "c")], 3.0),
            ("a{} 0x", "", vec![], 0.0),
        ] {
            if name.is_empty() {
                assert_eq!(line(text), None, "{text}");
                continue;
            }
            assert_eq!(sample_of(text), (name.to_owned(), labels, value), "{text}");
        }
        assert!(sample_of("a NaN").2.is_nan());
        assert_eq!(
            line("# TYPE http_requests_total counter"),
            Some(Line::Type { name: "http_requests_total", kind: "counter" })
        );
        assert_eq!(line("# HELP a b c d"), Some(Line::Help { name: "a", text: "b c d" }));
        assert_eq!(
            (line("# EOF"), line("#anything"), line(""), line(" \t")),
            (Some(Line::End), Some(Line::Nothing), Some(Line::Nothing), Some(Line::Nothing))
        );
    }

    #[test]
    fn what_is_no_line_is_none() {
        for text in [
            "<html>",
            "a",
            "a b",
            "1a 2",
            "a{ 1",
            "a{b} 1",
            "a{b=c} 1",
            "a{b=\"c} 1",
            "a{b=\"c\" d=\"e\"} 1",
            "a 1 2 3",
            "a 1 x",
            "a{b=\"c\\",
            "{} 1",
            "a{\"b\"} 1",
            "a 1_000",
            "a inf1",
            "é 1",
        ] {
            assert_eq!(line(text), None, "{text}");
        }
        let many: String = (0..=LABELS_MAX).map(|number| format!("l{number}=\"x\",")).collect();
        assert_eq!(line(&format!("a{{{many}}} 1")), None, "too many labels");
        assert_eq!(line(&format!("a{{b=\"{}\"}} 1", "x".repeat(LINE_MAX))), None, "too long");
    }

    fn written(name: &str, labels: &[(String, String)], value: f64) -> String {
        let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        if labels.is_empty() { format!("{name} {value}") } else { format!("{name}{{{}}} {value}", labels.join(",")) }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            name in "[a-zA-Z_:][a-zA-Z0-9_:]{0,10}",
            labels in prop::collection::vec(("[a-zA-Z_][a-zA-Z0-9_]{0,6}", "\\PC{0,10}|[\"\\\\\n,{}=# ]{0,8}"), 0..5),
            value in any::<f64>(),
        ) {
            let text = written(&name, &labels, value);
            let (found, found_labels, found_value) = sample_of(&text);
            prop_assert_eq!((found, found_labels), (name, labels));
            prop_assert!(found_value == value || (found_value.is_nan() && value.is_nan()));
        }

        #[test]
        fn no_line_makes_it_panic(text in "[a-z#{}\",=\\\\ \t0-9.+\\-eNIé]{0,60}") {
            let _ = line(&text);
        }
    }
}
