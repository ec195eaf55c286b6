//! Bounds on what a table may become in memory, checked before the decoder allocates it.
//!
//! A few hundred bytes of Parquet can promise a page of two gigabytes, a dictionary of two thousand million values, a
//! list of as many, or a text that a million rows share. Tables come from strangers too, so each of these has a bound.

use bytes::Bytes;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use terms::Buckets;

/// A page, unpacked. Our own hold a mebibyte; one with long texts at most a row group, which is 16 MiB.
const PAGE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Values of a page, nulls and places of lists included: a row group of 16 MiB has fewer.
const PAGE_VALUES_MAX: usize = 2 * 1024 * 1024;
/// Rows that are decoded together.
pub(super) const BATCH_ROWS: usize = 1024;
/// The same for tables with lists, each of which may be as long as a histogram has buckets.
pub(super) const BATCH_ROWS_OF_LISTS: usize = 64;
/// Places of lists that one batch may decode: every list full, and what its first and last page hold besides.
const BATCH_VALUES_MAX: usize = BATCH_ROWS_OF_LISTS * Buckets::LEN + 2 * PAGE_VALUES_MAX;
fn too_much(what: impl Into<String>) -> ParquetError {
    ParquetError::General(what.into())
}

/// A file whose page headers are looked at before they are believed.
pub(super) struct Guarded(Arc<File>);

impl Guarded {
    pub(super) fn new(file: File) -> Self {
        Self(Arc::new(file))
    }
}

impl Length for Guarded {
    fn len(&self) -> u64 {
        Length::len(&*self.0)
    }
}

impl ChunkReader for Guarded {
    type T = Chunk;

    fn get_read(&self, start: u64) -> Result<Chunk> {
        // The last eight bytes are the file's own end; everything else that is read in this way is a page's header.
        let is_page = start.saturating_add(8) < Length::len(self);
        Ok(Chunk { file: Arc::clone(&self.0), place: start, is_unseen: is_page })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.saturating_add(length as u64) > Length::len(self) {
            return Err(ParquetError::EOF("a piece of it lies beyond its end".to_owned()));
        }
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }
}

/// Reads on from a place of the file.
pub(super) struct Chunk {
    file: Arc<File>,
    place: u64,
    is_unseen: bool,
}

impl Read for Chunk {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if std::mem::take(&mut self.is_unseen) {
            let mut header = [0; 16];
            let length = self.file.read_at(&mut header, self.place)?;
            if unpacked(&header[..length]).is_none_or(|bytes| bytes > PAGE_BYTES_MAX) {
                let what = format!("a page of it is damaged, or would take more than {PAGE_BYTES_MAX} bytes");
                return Err(std::io::Error::other(what));
            }
        }
        let read = self.file.read_at(buffer, self.place)?;
        self.place += read as u64;
        Ok(read)
    }
}

/// The unpacked length that a page's header states: its second field, behind the kind, in Thrift's compact form as every
/// writer of Parquet has it.
fn unpacked(header: &[u8]) -> Option<u64> {
    /// Field 1 more than the one before, a 32-bit number.
    const NEXT_I32: u8 = 0x15;
    let mut bytes = header.iter().copied();
    let mut number = || {
        (bytes.next()? == NEXT_I32).then_some(())?;
        let mut value = 0u64;
        for group in 0..5 {
            let byte = bytes.next()?;
            value |= u64::from(byte & 0x7f) << (7 * group);
            if byte & 0x80 == 0 {
                // Zigzag; a negative length is none.
                return (value & 1 == 0).then_some(value >> 1);
            }
        }
        None
    };
    number()?;
    number()
}

/// Pages of one column, counted.
pub(super) struct Pages {
    inner: Box<dyn PageReader>,
    /// Values that the batch may still decode.
    left: Arc<AtomicUsize>,
}

/// The budget of one column's batch.
pub(super) struct BatchBudget(Arc<AtomicUsize>);

impl BatchBudget {
    /// A new batch begins.
    pub(super) fn renew(&self) {
        self.0.store(BATCH_VALUES_MAX, Ordering::Relaxed);
    }
}

impl Pages {
    pub(super) fn new(inner: Box<dyn PageReader>) -> (Self, BatchBudget) {
        let left = Arc::new(AtomicUsize::new(BATCH_VALUES_MAX));
        (Self { inner, left: Arc::clone(&left) }, BatchBudget(left))
    }

    fn check(&self, page: &Page) -> Result<()> {
        let values = page.num_values() as usize;
        match page {
            // The shortest value is a whole byte.
            Page::DictionaryPage { buf, .. } if values > buf.len() => {
                Err(too_much("a dictionary of it promises more values than it has bytes"))
            }
            Page::DictionaryPage { .. } => Ok(()),
            _ if values > PAGE_VALUES_MAX => {
                Err(too_much(format!("a page of it holds more than {PAGE_VALUES_MAX} values")))
            }
            _ => {
                let left = self.left.load(Ordering::Relaxed);
                let left = left.checked_sub(values).ok_or_else(|| too_much("its lists are longer than any can be"))?;
                self.left.store(left, Ordering::Relaxed);
                Ok(())
            }
        }
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.inner.get_next_page()?;
        page.iter().try_for_each(|page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.inner.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_page_is_read_from_its_header() {
        // Kind 0, 300 bytes unpacked (600 in zigzag), 20 packed.
        assert_eq!(unpacked(&[0x15, 0, 0x15, 0xd8, 0x04, 0x15, 40]), Some(300));
        // A dictionary (kind 2) of 2,147,483,647 bytes.
        assert_eq!(unpacked(&[0x15, 4, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f]), Some(i32::MAX as u64));
        for wrong in [&[][..], &[0x15], &[0x15, 0, 0x25, 2], &[0x15, 0, 0x15, 1], &[0x15, 0, 0x15, 0xff, 0xff]] {
            assert_eq!(unpacked(wrong), None, "{wrong:?}");
        }
    }
}
