//! A change as a bar in a table's cell: to the right more, to the left less, its interval of rounding as a whisker. A bar
//! that is longer than the cell ends in an arrowhead.

use crate::svg::c;
use judge::comparison::RowChange;

/// Size in units of the drawing.
const SIZE: (f64, f64) = (96.0, 14.0);

/// A bar; `most` is the change that fills half the cell. Decoration of the number beside it.
pub(crate) fn change_bar(change: RowChange, most: f64, hue: &str) -> String {
    let (width, height) = SIZE;
    let middle = width / 2.0;
    let place = |value: f64| middle + (value / most.max(1e-9)).clamp(-1.0, 1.0) * (middle - 2.0);
    let (from, to) = (middle.min(place(change.value)), middle.max(place(change.value)));
    let whisker = if change.high - change.low > 0.002 * most {
        format!(
            "<path d=\"M{0} {2}L{1} {2}\" class=\"k-ink\"/>",
            c(place(change.low)),
            c(place(change.high)),
            c(height / 2.0)
        )
    } else {
        String::new()
    };
    let head = if change.value.abs() > most {
        let (tip, back) = if change.value > 0.0 { (width, width - 9.0) } else { (0.0, 9.0) };
        format!("<path d=\"M{0} 0V{1}L{2} {3}Z\" class=\"f-{hue}\"/>", c(back), c(height), c(tip), c(height / 2.0))
    } else {
        String::new()
    };
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {} {}\" aria-hidden=\"true\"><rect x=\"{}\" y=\"2\" width=\"{}\" height=\"{}\" \
         class=\"f-{hue}\"/>{head}{whisker}<path d=\"M{} 0V{}\" class=\"k-ink-3\"/></svg>",
        c(width),
        c(height),
        c(from),
        c((to - from).max(0.6)),
        c(height - 4.0),
        c(middle),
        c(height)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_goes_right_less_goes_left_and_neither_leaves_the_cell() {
        let bar = |value: f64| change_bar(RowChange { value, low: value, high: value }, 0.5, "not-met");
        assert!(bar(0.5).contains("<rect x=\"48\" y=\"2\" width=\"46\""), "{}", bar(0.5));
        assert!(bar(-0.25).contains("<rect x=\"25\" y=\"2\" width=\"23\""), "{}", bar(-0.25));
        assert!(bar(30.0).contains("width=\"46\""), "what is beyond the scale fills it");
    }

    #[test]
    fn a_bar_that_is_cut_ends_in_an_arrowhead() {
        let bar = |value: f64| change_bar(RowChange { value, low: value, high: value }, 0.5, "not-met");
        assert!(bar(30.0).contains("L96 7Z") && bar(-30.0).contains("L0 7Z"), "{}", bar(30.0));
        assert!(!bar(0.5).contains('Z') && !bar(-0.5).contains('Z'));
    }

    #[test]
    fn rounding_that_leaves_much_open_has_a_whisker() {
        let change = RowChange { value: 0.58, low: 0.53, high: 0.64 };
        assert!(change_bar(change, 1.0, "met").contains("k-ink\""));
    }
}
