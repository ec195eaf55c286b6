//! A comparison as a page by itself: what changed most, then the chapter that a report has of it.

use crate::compare_headline::sentence;
use crate::document::{Block, Document, Section, TitleBlock, number_sections};
use crate::frame::Frame;
use crate::messages::{Messages, say};
use crate::number::clean;
use crate::{html_page, sections};
use judge::comparison::{Comparison, History, Side};

/// A comparison as one HTML page in a language: circumstances, the matrix of changes, forests, and level shifts.
pub fn compare_html(comparison: &Comparison, histories: &[History], language: &str) -> String {
    let m = Messages::of(language);
    let mut sections: Vec<Section> =
        sections::comparison(&m, std::slice::from_ref(comparison), histories).into_iter().collect();
    sections.iter_mut().for_each(sections::leave_out_unassessed);
    number_sections(&mut sections, &say!(m, "page-table"));
    if let Some(first) = sections.first_mut() {
        first.blocks.insert(0, headline(&m, comparison));
    }
    let mut facts = vec![(say!(m, "comparison-base"), named(&comparison.base))];
    facts.extend(comparison.pairs.iter().map(|pair| (say!(m, "col-other"), named(&pair.other))));
    let title = TitleBlock { title: say!(m, "comparison-runs"), facts, ..TitleBlock::default() };
    let document = Document { language: m.language, title, sections, frame: Frame::default() };
    html_page::page_of_runs(&document, &m, (env!("CARGO_PKG_VERSION"), &comparison.base.label))
}

/// What changed most against the base, with the side's name where there are several; what holds of several is one point.
fn headline(m: &Messages, comparison: &Comparison) -> Block {
    let mut said: Vec<(String, Vec<String>)> = Vec::new();
    for pair in &comparison.pairs {
        let (text, label) = (sentence(m, pair), clean(&pair.other.label));
        match said.iter_mut().find(|(known, _)| *known == text) {
            Some((_, labels)) => labels.push(label),
            None => said.push((text, vec![label])),
        }
    }
    match said.as_slice() {
        [(text, _)] => Block::Paragraph { text: text.clone(), findings: Vec::new(), is_lead: true },
        all => Block::Points(all.iter().map(|(text, labels)| format!("{}: {text}", labels.join(", "))).collect()),
    }
}

/// A side by its label, and by the ids of its runs where they are not the label.
fn named(side: &Side) -> String {
    let (label, runs) = (clean(&side.label), clean(&side.runs.join(" + ")));
    if label == runs || runs.is_empty() { label } else { format!("{label} · {runs}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared::tests::row;
    use judge::comparison::Pair;

    #[test]
    fn a_comparison_is_a_page_in_every_language() {
        let side = |label: &str| Side { label: label.into(), ..Side::default() };
        let pair = Pair { other: side("<b>after</b>"), differences: vec![], rows: vec![row()] };
        let comparison = Comparison { name: "runs".into(), band: 0.05, base: side("before"), pairs: vec![pair] };
        for language in crate::LANGUAGES {
            let page = compare_html(&comparison, &[], language);
            assert!(page.contains(&format!("<html lang=\"{language}\"")) && page.contains("58"), "{language}");
            assert!(!page.contains("<b>after"), "labels are hostile input");
        }
    }

    #[test]
    fn labels_of_runs_stay_text_and_the_page_is_the_same_each_time() {
        let mut hostile = crate::charts::forest_tests::comparison();
        hostile.base.label = "<script>alert(1)</script>\u{202e}".into();
        hostile.pairs[0].rows[0].subject = "\"><img src=x onerror=alert(1)>".into();
        let html = compare_html(&hostile, &[], "en");
        assert_eq!(html, compare_html(&hostile, &[], "en"));
        assert_eq!(html.matches("<script").count(), 1);
        assert!(!html.contains("<img") && !html.contains('\u{202e}'));
        assert!(html.contains("id=\"fig-forest-0-0\"") && !html.contains("[fig-") && !html.contains("[comparison"));
    }
}
