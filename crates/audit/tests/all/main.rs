//! Short reports that have one defect each, beside reports as close as possible that have none. The figures are those of
//! published reports; the words are our own.

mod claimed;
mod derived;
mod messaging;
mod other_tables;
mod requirements;
mod searches;
mod sentences;
mod streaming;

use audit::{Audit, Finding, Weight};

/// Audits a text.
pub(crate) fn audited(text: &str) -> Audit {
    audit::audit("report.md", text.as_bytes()).expect("a report of this test is a text")
}

/// The codes of all that is found.
pub(crate) fn codes(text: &str) -> Vec<&'static str> {
    audited(text).findings.iter().map(|finding| finding.code).collect()
}

/// The only finding of a code.
pub(crate) fn the(code: &str, text: &str) -> Finding {
    let found: Vec<Finding> = audited(text).findings.into_iter().filter(|finding| finding.code == code).collect();
    assert_eq!(found.len(), 1, "{code}: {found:#?}");
    found.into_iter().next().expect("there is one")
}

#[test]
fn a_finding_has_place_arithmetic_and_remedy_in_json() {
    let text = "# Volume\n\nWords.\n\nA year is 260 * 24 * 60 * 200 = 4 billion messages.\n";
    let audit = audited(text);
    assert_eq!(audit.findings[0].weight, Weight::Contradiction);
    let json = audit::json("report.md", &audit);
    let finding = &json["findings"][0];
    assert_eq!(finding["quotes"][0]["line"], 5);
    assert_eq!(finding["quotes"][0]["section"], "Volume");
    assert!(finding["arithmetic"].as_str().unwrap().contains("74 880 000"), "{finding}");
    assert!(finding["remedy"].as_str().unwrap().contains("4 492 800 000"), "{finding}");
}

#[test]
fn texts_without_figures_are_silent() {
    for text in ["Words.", "# A\n\n- b\n- c\n", "| a | b |\n| - | - |\n| c | d |\n"] {
        assert_eq!(codes(text), Vec::<&str>::new(), "{text}");
    }
    assert!(audit::audit("report.md", b"").is_err());
    assert!(audit::audit("report.md", b"\xff\xfe\x00").is_err());
}

#[test]
fn what_markdown_does_not_print_claims_nothing() {
    let claim = "It is 2 * 2 = 5.";
    assert_eq!(codes(claim), ["ARITH"]);
    for text in [
        format!("Words.\n\n<!-- {claim} -->\n"),
        format!("---\ntitle: Report\ndescription: {claim}\n---\n\nWords.\n"),
        format!("Words. ~~{claim}~~ It is 4.\n"),
        format!("| Sum |\n|-|\n| ~~{claim}~~ 4 |\n"),
    ] {
        assert_eq!(codes(&text), Vec::<&str>::new(), "{text}");
    }
    let audit = audited(&format!("---\ntitle: Report\n---\n\n<!-- a\nb -->\n\n{claim}\n"));
    assert_eq!(audit.findings[0].quotes[0].place.line, 8);
}

proptest::proptest! {
    /// Whatever the bytes, they are read within bounds, and what is found quotes them.
    #[test]
    fn any_text_is_read(text in "[a-z0-9 ,.%=*/|#\t\n()+-]{0,400}") {
        if let Ok(audit) = audit::audit("report.md", text.as_bytes()) {
            for finding in audit.findings {
                assert!(!finding.quotes.is_empty() && !finding.arithmetic.is_empty());
            }
        }
    }
}
