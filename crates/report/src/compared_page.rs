//! A comparison of runs as a page of its own, for `loadproof compare`.

use crate::document::{Document, TitleBlock, number_sections};
use crate::html_page;
use crate::messages::{Messages, say};
use crate::number::clean;
use crate::sections;
use judge::comparison::{Comparison, History};

/// The page: circumstances, matrix, forests, and the history where there are enough runs. `version` is that of the
/// program that made it. Same input, same bytes.
pub fn comparison_html(comparison: &Comparison, histories: &[History], language: &str, version: &str) -> String {
    let document = document(comparison, histories, language);
    let label = clean(&comparison.base.label);
    html_page::page(&document, &Messages::of(document.language), (version, &label))
}

fn document(comparison: &Comparison, histories: &[History], language: &str) -> Document {
    let m = Messages::of(language);
    let mut sections: Vec<_> =
        sections::comparison(&m, std::slice::from_ref(comparison), histories).into_iter().collect();
    number_sections(&mut sections, &say!(m, "page-table"));
    let others: Vec<String> = comparison.pairs.iter().map(|pair| clean(&pair.other.label)).collect();
    let mut facts = vec![(say!(m, "comparison-base"), clean(&comparison.base.label))];
    facts.extend(others.iter().map(|other| (say!(m, "col-other"), other.clone())));
    let title = TitleBlock { title: say!(m, "comparison-runs"), facts, ..TitleBlock::default() };
    Document { language: m.language, title, sections }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::forest_tests::comparison;

    #[test]
    fn the_page_is_whole_in_every_language_and_the_same_each_time() {
        for language in crate::LANGUAGES {
            let html = comparison_html(&comparison(), &[], language, "1.2.3");
            assert_eq!(html, comparison_html(&comparison(), &[], language, "1.2.3"));
            assert!(html.contains(&format!("<html lang=\"{language}\"")) && html.contains("id=\"fig-forest-0-0\""));
            assert!(!html.contains("[comparison") && !html.contains("[fig-") && !html.contains("NaN"));
        }
    }

    #[test]
    fn labels_of_runs_stay_text() {
        let mut hostile = comparison();
        hostile.base.label = "<script>alert(1)</script>\u{202e}".into();
        hostile.pairs[0].rows[0].subject = "\"><img src=x onerror=alert(1)>".into();
        let html = comparison_html(&hostile, &[], "en", "1.2.3");
        assert_eq!(html.matches("<script").count(), 1);
        assert!(!html.contains("<img") && !html.contains('\u{202e}'));
    }
}
