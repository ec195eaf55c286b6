//! Books of iterations in one thread: a few rows a second.

use recorder::IterationRow;
use terms::{Books, Nanos};

/// Step and stream of an iteration.
pub(crate) type Place = (u32, u16);

/// Rows since the last drain.
#[derive(Debug, Default)]
pub(crate) struct IterationBooks {
    rows: Vec<IterationRow>,
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IterationEnd {
    Completed,
    Failed,
    Aborted,
}

impl IterationBooks {
    fn row(&mut self, (step, stream): Place, intended_s: i64, end_s: i64) -> &mut Books {
        let same =
            |row: &IterationRow| (row.step, row.stream, row.intended_s, row.end_s) == (step, stream, intended_s, end_s);
        // The newest rows are the ones that are added to.
        if let Some(index) = self.rows.iter().rposition(same) {
            return &mut self.rows[index].books;
        }
        self.rows.push(IterationRow { step, stream, intended_s, end_s, books: Books::default() });
        &mut self.rows.last_mut().expect("a row was just pushed").books
    }

    /// A start came due.
    pub(crate) fn intended(&mut self, place: Place, at: Nanos) {
        let second = at.second();
        self.row(place, second, second).intended += 1;
    }

    /// It was started.
    pub(crate) fn started(&mut self, place: Place, intended: Nanos) {
        let second = intended.second();
        self.row(place, second, second).started += 1;
    }

    /// It never was.
    pub(crate) fn dropped(&mut self, place: Place, intended: Nanos) {
        let second = intended.second();
        self.row(place, second, second).dropped += 1;
    }

    pub(crate) fn ended(&mut self, place: Place, intended: Nanos, at: Nanos, end: IterationEnd) {
        let books = self.row(place, intended.second(), at.second());
        match end {
            IterationEnd::Completed => books.completed += 1,
            IterationEnd::Failed => books.failed += 1,
            IterationEnd::Aborted => books.aborted += 1,
        }
    }

    /// Takes the rows.
    pub(crate) fn drain(&mut self) -> Vec<IterationRow> {
        std::mem::take(&mut self.rows)
    }
}
