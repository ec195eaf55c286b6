//! Buffers that nobody holds at the moment.

use std::cell::RefCell;

/// Buffers that no session holds at the moment: there are never more than exchanges in hand at once.
#[derive(Debug, Default)]
pub struct Spare(RefCell<Vec<Vec<u8>>>);

/// A buffer that grew larger is given back to the system rather than kept for the rest of the run.
const SPARE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Buffers beyond this number are given back as well.
const SPARE_COUNT_MAX: usize = 1024;

impl Spare {
    /// An empty buffer.
    #[inline]
    pub fn take(&self) -> Vec<u8> {
        self.0.borrow_mut().pop().unwrap_or_default()
    }

    /// Gives a buffer back.
    #[inline]
    pub fn give(&self, mut buffer: Vec<u8>) {
        let mut spare = self.0.borrow_mut();
        if buffer.capacity() > 0 && buffer.capacity() <= SPARE_BYTES_MAX && spare.len() < SPARE_COUNT_MAX {
            buffer.clear();
            spare.push(buffer);
        }
    }
}
