//! For the fuzz targets alone: the parser of this crate.

use crate::choice::{Choice, Of, Page, SPLIT_MAX};

/// A page, with values of each kind chosen by the first of its names.
pub fn page(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let metric: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let choice = |of, by: Option<&str>| Choice {
        name: "x".into(),
        metric: metric.clone(),
        of,
        only: vec![("l".into(), vec!["a*".into(), String::new()])],
        by: by.map(str::to_owned),
    };
    let choices = [choice(Of::Gauge, None), choice(Of::Counter, Some("l")), choice(Of::Mean, Some("m"))];
    let page = Page::read(&text, &choices);
    assert!(page.series + page.not_understood <= text.split('\n').count());
    for found in &page.found {
        assert!(found.values.len() + found.seen.len() <= SPLIT_MAX);
    }
    let once_more = Page::read(&format!("{text}\n"), &choices);
    assert_eq!(once_more.series, page.series, "an empty line more says nothing");
}
