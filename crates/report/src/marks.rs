//! Marks and colours of verdicts: a mark says without colour what the colour says.

use judge::comparison::RowVerdict;
use terms::Verdict;

/// Mark of a verdict about a requirement.
pub(crate) fn glyph(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => "✓",
        Verdict::NotMet => "✗",
        Verdict::CannotTell => "?",
    }
}

/// Its colour in the palette.
pub(crate) fn hue(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => "met",
        Verdict::NotMet => "not-met",
        Verdict::CannotTell => "cannot-tell",
    }
}

/// Mark of what a row of a comparison proves.
pub(crate) fn row_mark(verdict: RowVerdict) -> &'static str {
    match verdict {
        RowVerdict::Different => "≠",
        RowVerdict::Equivalent => "=",
        RowVerdict::CannotTell => "?",
        RowVerdict::NotComparable => "×",
    }
}

/// Its colour in the palette: what differs is meant to be seen.
pub(crate) fn row_hue(verdict: RowVerdict) -> &'static str {
    match verdict {
        RowVerdict::Different => "not-met",
        RowVerdict::Equivalent => "met",
        RowVerdict::CannotTell => "cannot-tell",
        RowVerdict::NotComparable => "grey",
    }
}
