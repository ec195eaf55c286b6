//! A comparison as a page by itself: what changed most, then the chapter that a report has of it.

use crate::compare_headline::sentence;
use crate::document::{Block, Document, Section, TitleBlock, number_sections};
use crate::frame::Frame;
use crate::messages::{Messages, say};
use crate::number::clean;
use crate::{html_page, sections};
use judge::comparison::{Comparison, History};

/// A comparison as one HTML page in a language: circumstances, the matrix of changes, forests, and level shifts.
pub fn compare_html(comparison: &Comparison, histories: &[History], language: &str) -> String {
    let m = Messages::of(language);
    let mut sections: Vec<Section> =
        sections::comparison(&m, std::slice::from_ref(comparison), histories).into_iter().collect();
    sections.iter_mut().for_each(sections::leave_out_unassessed);
    number_sections(&mut sections, &say!(m, "page-table"));
    let headline = |pair| Block::Paragraph { text: sentence(&m, pair), findings: Vec::new(), is_lead: true };
    if let Some(first) = sections.first_mut() {
        first.blocks.splice(0..0, comparison.pairs.iter().map(headline));
    }
    let mut facts = vec![(say!(m, "comparison-base"), clean(&comparison.base.label))];
    facts.extend(comparison.pairs.iter().map(|pair| (say!(m, "col-other"), clean(&pair.other.label))));
    let title = TitleBlock { title: say!(m, "comparison-runs"), facts, ..TitleBlock::default() };
    let document = Document { language: m.language, title, sections, frame: Frame::default() };
    html_page::page(&document, &m, (env!("CARGO_PKG_VERSION"), &comparison.base.label))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared::tests::row;
    use judge::comparison::{Pair, Side};

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
