//! Texts from outside, fit to be sent and shown.

/// A text of at most so many characters. Whatever it holds, a page shows it as text; what turns the direction of writing or
/// is not a character to be seen is replaced, so that a name looks like what it is.
pub(crate) fn short(text: &str, most: usize) -> String {
    let is_unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}' | '\u{61c}' | '\u{feff}')
    };
    let mut shown: String = text.chars().take(most).map(|c| if is_unseen(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_seen() {
        assert_eq!(short("a\u{202e}b\nc<script>", 40), "a\u{fffd}b\u{fffd}c<script>");
        assert_eq!(short(&"é".repeat(10_000), 3), "ééé…");
        assert_eq!(short("abc", 3), "abc");
    }
}
