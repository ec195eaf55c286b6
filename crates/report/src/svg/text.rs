//! Numbers and texts as they stand in a drawing, and how much room a text takes.

use crate::number::clean;

/// A coordinate with at most one decimal: finer than any screen, and the same text on every machine.
pub(crate) fn c(value: f64) -> String {
    let text = format!("{:.1}", if value.is_finite() { value } else { 0.0 });
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as it may stand in markup.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// Roughly how wide a text is; on the large side, so that labels never meet.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

/// A label that fits its place: cut with an ellipsis.
pub(crate) fn fit(text: &str, width: f64, size: f64) -> String {
    let room = (width / (size * 0.6)).floor().max(1.0) as usize;
    if text.chars().count() <= room {
        text.to_owned()
    } else {
        text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
    }
}
