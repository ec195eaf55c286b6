//! On which page something will stand, estimated: a contents list must not be empty before a reader's program counts.

/// Height of the text on an upright and on a turned page, in points.
const HEIGHTS_PT: [f64; 2] = [700.0, 465.0];

/// Lengths of a line on an upright and on a turned page, in points: A4 with margins of two centimetres.
pub(crate) const UPRIGHT_PT: f64 = 481.9;
/// See [`UPRIGHT_PT`].
pub(crate) const TURNED_PT: f64 = 728.5;

/// Pages as they fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    /// Number of the page, from 1.
    pub(crate) page: usize,
    used_pt: f64,
    is_turned: bool,
}

impl Flow {
    pub(crate) fn new() -> Self {
        Self { page: 1, used_pt: 0.0, is_turned: false }
    }

    fn height(&self) -> f64 {
        HEIGHTS_PT[usize::from(self.is_turned)]
    }

    /// Begins a page, unless one has just begun.
    pub(crate) fn next_page(&mut self) {
        if self.used_pt > 0.0 {
            self.page += 1;
            self.used_pt = 0.0;
        }
    }

    /// Begins a page that stands upright or turned.
    pub(crate) fn turn(&mut self, is_turned: bool) {
        self.next_page();
        self.is_turned = is_turned;
    }

    /// Something that is not split.
    pub(crate) fn whole(&mut self, height_pt: f64) {
        if self.used_pt + height_pt > self.height() {
            self.next_page();
        }
        self.used_pt += height_pt;
    }

    /// Makes sure that so much fits on this page.
    pub(crate) fn keep(&mut self, height_pt: f64) {
        if self.used_pt + height_pt > self.height() {
            self.next_page();
        }
    }

    /// Lines of text on a line of a length.
    pub(crate) fn lines(&mut self, text: &str, size_pt: f64, length_pt: f64, after_pt: f64) {
        for _ in 0..line_count(text, size_pt, length_pt) {
            self.whole(size_pt * 1.3);
        }
        self.used_pt += after_pt;
    }
}

/// How many lines a text takes, by the width of an average letter.
pub(crate) fn line_count(text: &str, size_pt: f64, length_pt: f64) -> usize {
    let width = text.chars().count() as f64 * size_pt * 0.5;
    (width / length_pt.max(1.0)).ceil().max(1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_goes_to_the_next_page() {
        let mut flow = Flow::new();
        flow.whole(600.0);
        flow.whole(200.0);
        assert_eq!(flow.page, 2);
        flow.turn(true);
        flow.next_page();
        assert_eq!(flow.page, 3, "an empty page is not left");
        flow.whole(400.0);
        flow.whole(100.0);
        assert_eq!(flow.page, 4);
        assert_eq!(line_count("", 10.0, 480.0), 1);
        assert_eq!(line_count(&"a".repeat(200), 10.0, 500.0), 2);
    }
}
