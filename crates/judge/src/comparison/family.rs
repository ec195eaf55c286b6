//! All rows of a comparison together: which claims of a difference stand when so many are looked at.

use super::rows::reason;
use super::{Row, RowVerdict};
use crate::judgement::Arg;
use stats::compare::{FALSE_CLAIMS, benjamini_hochberg};

/// Takes back each *different* that one row in so many may show by chance alone, though nothing differs.
///
/// All rows with an interval are one family. Rows that are different without one, since their parts lie far apart, are
/// left as they are: that happens by chance in less than one of a hundred.
pub(super) fn judge_together(rows: &mut [Row]) {
    let members: Vec<(usize, f64)> =
        rows.iter().map(|row| row.chance).enumerate().filter_map(|(at, p)| Some((at, p?))).collect();
    let chances: Vec<f64> = members.iter().map(|(_, chance)| *chance).collect();
    let Ok(adjusted) = benjamini_hochberg(&chances) else { return };
    for ((at, _), adjusted) in members.into_iter().zip(adjusted) {
        let row = &mut rows[at];
        if row.verdict == RowVerdict::Different && adjusted > FALSE_CLAIMS {
            row.verdict = RowVerdict::CannotTell;
            row.reason = reason("compared_family", [("rows", Arg::Count(chances.len() as f64))]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::{blank, reason};
    use super::*;

    fn row(number: usize, chance: Option<f64>) -> Row {
        let mut row = blank(number.to_string(), "mean", "ping", &crate::Scope::run(), "ms");
        row.chance = chance;
        if chance.is_none_or(|chance| chance <= 0.05) {
            row.verdict = RowVerdict::Different;
            row.reason = reason("compared_outside", []);
        }
        row
    }

    fn standing(chances: &[Option<f64>]) -> Vec<bool> {
        let mut rows: Vec<Row> = chances.iter().enumerate().map(|(number, chance)| row(number, *chance)).collect();
        judge_together(&mut rows);
        rows.iter().map(|row| row.verdict == RowVerdict::Different).collect()
    }

    #[test]
    fn one_of_many_is_taken_back_and_several_support_each_other() {
        let mut chances = vec![Some(0.5); 20];
        chances[0] = Some(0.04);
        assert!(!standing(&chances)[0]);
        chances[0] = Some(0.002);
        assert!(standing(&chances)[0]);
        // Alone, 0.01 would not stand among twenty; four of them do.
        chances[..4].fill(Some(0.01));
        assert_eq!(standing(&chances)[..5], [true, true, true, true, false]);
    }

    #[test]
    fn a_row_alone_and_one_without_an_interval_stay() {
        assert_eq!(standing(&[Some(0.04), None]), [true, true]);
        assert_eq!(standing(&[None, None, None]), [true, true, true]);
    }
}
