//! What a person sees of an audit.

use crate::output::{self, output};
use crate::words::wrapped;
use audit::{Audit, Finding, Weight};
use std::io::IsTerminal;

/// Width without a terminal.
const PLAIN_WIDTH: usize = 110;
/// Narrowest that is written for.
const WIDTH_MIN: usize = 40;

/// Shows what was found on standard output.
pub(crate) fn show(name: &str, audit: &Audit) {
    let is_terminal = std::io::stdout().is_terminal();
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let width = size.filter(|&width| is_terminal && width >= WIDTH_MIN).unwrap_or(PLAIN_WIDTH);
    let has_colours = is_terminal && std::env::var_os("NO_COLOR").is_none();
    for line in lines(name, audit, width, has_colours) {
        output(&line, true);
    }
}

/// All lines, of at most this width.
fn lines(name: &str, audit: &Audit, width: usize, has_colours: bool) -> Vec<String> {
    let paint = |code: &str, text: &str| {
        let text = output::plain(text);
        if has_colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text }
    };
    let mut lines = Vec::new();
    for finding in &audit.findings {
        let code = match finding.weight {
            Weight::Contradiction => "31",
            Weight::Question => "33",
            Weight::Remark => "36",
        };
        let head = format!("{} [{}]: {}", finding.weight.word(), finding.code, finding.says);
        lines.extend(wrapped(&head, width).iter().map(|line| paint(code, line)));
        lines.extend(details(finding, width).iter().map(|line| paint("0", line)));
        lines.push(String::new());
    }
    let count = |weight| audit.findings.iter().filter(|finding| finding.weight == weight).count();
    let read = format!(
        "{name}: {}, {} read{}",
        counted(audit.paragraphs, "paragraph"),
        counted(audit.tables, "table"),
        if audit.left_out > 0 {
            format!(
                "; {} left out: beyond a bound, or limits that no figure was held against",
                counted(audit.left_out, "piece")
            )
        } else {
            String::new()
        }
    );
    let found = if audit.findings.is_empty() {
        "nothing found that cannot be true".to_owned()
    } else {
        let parts =
            [Weight::Contradiction, Weight::Question, Weight::Remark].map(|weight| (count(weight), weight.word()));
        let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| counted(*count, word));
        parts.collect::<Vec<_>>().join(", ")
    };
    lines.extend(wrapped(&read, width).iter().map(|line| paint("2", line)));
    lines.extend(wrapped(&found, width).iter().map(|line| paint("1", line)));
    lines
}

/// Places with their words, the arithmetic, and what would be right.
fn details(finding: &Finding, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut part = |mark: &str, text: &str| {
        for (at, line) in wrapped(text, width.saturating_sub(mark.chars().count() + 2)).iter().enumerate() {
            let lead = if at == 0 { mark.to_owned() } else { " ".repeat(mark.chars().count()) };
            lines.push(format!("  {lead}{line}"));
        }
    };
    for quote in &finding.quotes {
        let page = quote.place.page.map_or_else(String::new, |page| format!("page {page}, "));
        let section =
            if quote.place.section.is_empty() { String::new() } else { format!(" ({})", quote.place.section) };
        part("", &format!("{page}line {}{section}: “{}”", quote.place.line, quote.text));
    }
    part("= ", &finding.arithmetic);
    part("→ ", &finding.remedy);
    lines
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_shown_within_the_width() {
        let report = b"# Volume\n\nThe year has 260 * 24 * 60 * 200 = 4 billion messages.\n";
        let audit = audit::audit("report.md", report).unwrap();
        let shown = lines("report.md", &audit, 60, false);
        assert!(shown.iter().all(|line| line.chars().count() <= 60), "{shown:#?}");
        let text = shown.join("\n");
        assert!(text.starts_with("contradiction [ARITH]: "), "{text}");
        assert!(text.contains("line 3 (Volume): “The year has"), "{text}");
        assert!(text.ends_with("report.md: 1 paragraph, 0 tables read\n1 contradiction"), "{text}");
        let silent = audit::audit("report.md", b"All went well.").unwrap();
        assert_eq!(
            lines("r", &silent, 60, false).last().map(String::as_str),
            Some("nothing found that cannot be true")
        );
    }
}
