//! What stands in a text of Markdown and is not printed: front matter, comments, words that were struck through.

use std::borrow::Cow;

/// Beginning and end of a comment.
const COMMENT: (&str, &str) = ("<!--", "-->");

/// A text without its front matter and its comments; what is left keeps its lines. A comment without an end is read, and
/// so is one within code.
pub(super) fn printed(text: &str) -> Cow<'_, str> {
    let mut at = front_matter(text).unwrap_or(0);
    if at == 0 && !text.contains(COMMENT.0) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    blank(&mut out, &text[..at]);
    // Beyond the last end none is looked for again and again.
    let last_end = text.rfind(COMMENT.1).unwrap_or(0);
    let mut fence = None;
    let mut line_end = at;
    while at < text.len() {
        if at >= line_end {
            line_end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        }
        let line = &text[at..line_end];
        let mark = line.trim_start().get(..3).filter(|mark| ["```", "~~~"].contains(mark));
        let comment = comment(line).filter(|from| fence.is_none() && mark.is_none() && at + from + 2 <= last_end);
        let Some(from) = comment else {
            if fence.is_none() || fence == mark {
                fence = if fence.is_none() { mark } else { None };
            }
            out.push_str(line);
            at = line_end;
            continue;
        };
        out.push_str(&line[..from]);
        // `<!-->` is a whole one.
        let content = at + from + 2;
        let end = text[content..].find(COMMENT.1).map_or(text.len(), |end| content + end + COMMENT.1.len());
        blank(&mut out, &text[at + from..end]);
        at = end;
    }
    Cow::Owned(out)
}

/// The lines of a text, without their words.
fn blank(out: &mut String, text: &str) {
    out.extend(text.bytes().filter(|byte| *byte == b'\n').map(char::from));
}

/// Where the first comment of a line begins that is not within code.
fn comment(line: &str) -> Option<usize> {
    let (mut is_code, mut from) = (false, 0);
    line.match_indices(COMMENT.0).map(|(at, _)| at).find(|at| {
        is_code ^= line[from..*at].matches('`').count() % 2 == 1;
        from = *at;
        !is_code
    })
}

/// How long the front matter at the beginning of a text is: lines between two of dashes that all look like YAML, the first
/// of them a key with its value.
fn front_matter(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let mut length = lines.next().filter(|line| line.trim_end() == "---")?.len();
    let is_key = |line: &str| {
        let key = line.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with(char::is_whitespace));
        key.is_some_and(|(key, _)| {
            !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\''))
        })
    };
    for (number, line) in lines.enumerate() {
        length += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if number > 0 && ["---", "..."].contains(&line.trim_end()) {
            return Some(length);
        }
        let goes_on = line.trim().is_empty() || line.starts_with([' ', '\t', '#', '-', ']', '}']);
        if !(is_key(line) || (number > 0 && goes_on)) {
            return None;
        }
    }
    None
}

/// A text without what is between `~~`. Digits on both sides do not become one number.
pub(super) fn unstruck(text: &str) -> Cow<'_, str> {
    const MARK: &str = "~~";
    if !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(from) = rest.find(MARK) {
        let inner = &rest[from + MARK.len()..];
        let is_open = !inner.starts_with(['~', '`']) && !inner.starts_with(char::is_whitespace);
        let is_escaped = rest[..from].ends_with(['\\', '~', '`']);
        // Within, a mark behind a blank begins and does not end.
        let end = inner.find(MARK).filter(|end| *end > 0 && !inner[..*end].ends_with(char::is_whitespace));
        let Some(end) = end.filter(|_| is_open && !is_escaped) else {
            out.push_str(&rest[..from + MARK.len()]);
            rest = inner;
            continue;
        };
        out.push_str(&rest[..from]);
        rest = &inner[end + MARK.len()..];
        if out.ends_with(is_digit) && rest.starts_with(is_digit) {
            out.push_str("; ");
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_not_printed_and_lines_stay() {
        for (text, expected) in [
            ("a <!-- b --> c", "a  c"),
            ("a\n<!-- b\n\nc -->\nd", "a\n\n\n\nd"),
            ("<!---->a<!-->b<!-- c", "ab<!-- c"),
            ("95<!-- x -->2<!-- y -->", "952"),
            ("```\n<!-- a\n```\nb\n-->", "```\n<!-- a\n```\nb\n-->"),
            ("~~~\n```\n<!-- a -->\n~~~\n<!-- b -->c", "~~~\n```\n<!-- a -->\n~~~\nc"),
            ("`<!--` a <!-- b --> c", "`<!--` a  c"),
            ("no comment --> here", "no comment --> here"),
        ] {
            assert_eq!(printed(text), expected);
        }
        // Each looked for its end, or for that of its line, up to the end of the text, which would take minutes.
        for text in ["<!-- ".repeat(400_000), "<!---->".repeat(400_000), "`<!--".repeat(400_001)] {
            printed(&text);
        }
    }

    #[test]
    fn front_matter_is_not_printed() {
        let text = "---\ntitle: Load test\ntags:\n  - a\n- b\n# c\n\n---\nWords.\n";
        assert_eq!(printed(text), "\n\n\n\n\n\n\n\nWords.\n");
        for text in [
            "---\n\nkey: value\n---\nA rule above and below.",
            "---\nWords: so many, and\nmore words.\n---\n",
            "---\nThe result: 5 ms\n---\n",
            "---\nkey: value\n",
            "Words.\n---\nkey: value\n---\n",
        ] {
            assert_eq!(printed(text), text);
        }
    }

    #[test]
    fn what_is_struck_through_is_not_printed() {
        for (text, expected) in [
            ("It took ~~500~~ 120 ms.", "It took  120 ms."),
            ("1~~0~~200 and ~~a b~~c", "1; 200 and c"),
            ("~~5 ms and ~~6 ms", "~~5 ms and ~~6 ms"),
            ("a ~~ b ~~ c", "a ~~ b ~~ c"),
            ("~5 ms to ~6 ms", "~5 ms to ~6 ms"),
            ("`~~a~~` and \\~~b~~", "`~~a~~` and \\~~b~~"),
            ("~~one~~ and ~~two~~", " and "),
            ("~~not ended", "~~not ended"),
        ] {
            assert_eq!(unstruck(text), expected);
        }
        unstruck(&"~~ ".repeat(400_000));
    }
}
