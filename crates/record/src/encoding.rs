//! The few forms that every row is made of.
//!
//! | Form | Bytes |
//! | --- | --- |
//! | whole number | base 128, least significant group first, high bit set while more follow; at most 10 bytes |
//! | signed number | zigzag (0, -1, 1, -2, … become 0, 1, 2, 3, …), then as above |
//! | floating point | 8 bytes, least significant first |
//! | text | length in bytes as a whole number, then UTF-8; at most 64 KiB |
//! | perhaps a number | one byte 0 or 1, then the number if it is 1 |
//! | histogram | number of buckets; for each bucket the distance of its index from the one before, and its count; then, unless there are none, least and greatest time and the sum |

use terms::{Buckets, Nanos, SparseHistogram};

/// Longer texts are cut when they are written: a record is not a place for documents.
pub(crate) const TEXT_BYTES_MAX: usize = 64 * 1024;

pub(crate) fn put_u64(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn put_i64(out: &mut Vec<u8>, value: i64) {
    put_u64(out, ((value << 1) ^ (value >> 63)) as u64);
}

pub(crate) fn put_f64(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    put_u64(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn put_histogram(out: &mut Vec<u8>, histogram: &SparseHistogram) {
    put_u64(out, histogram.buckets.len() as u64);
    let mut before = 0;
    for &(index, count) in &histogram.buckets {
        debug_assert!(index >= before, "buckets come in order");
        put_u64(out, u64::from(index.wrapping_sub(before)));
        put_u64(out, count);
        before = index;
    }
    if !histogram.buckets.is_empty() {
        put_i64(out, histogram.min.0);
        put_i64(out, histogram.max.0);
        put_f64(out, histogram.sum_ns);
    }
}

/// What is left of a block. Every `take` returns `None` where the bytes are not what they should be.
pub struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.bytes(1).map(|byte| byte[0])
    }

    /// Four in five of all bytes of a long run pass here, most of them numbers below 128.
    #[inline]
    pub(crate) fn u64(&mut self) -> Option<u64> {
        match self.0 {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.0 = rest;
                Some((*byte).into())
            }
            _ => self.long_u64(),
        }
    }

    /// Written for a compiler that optimises little.
    fn long_u64(&mut self) -> Option<u64> {
        let bytes = self.0;
        let (mut value, mut group) = (0u64, 0);
        while group < 10 && group < bytes.len() {
            let byte = bytes[group];
            let bits = (byte & 0x7f) as u64;
            // The tenth group holds the one bit that is left of 64.
            if group == 9 && bits > 1 {
                return None;
            }
            value |= bits << (7 * group);
            group += 1;
            if byte < 0x80 {
                self.0 = &bytes[group..];
                return Some(value);
            }
        }
        None
    }

    /// A whole number that fits a smaller type.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.u64()?).ok()
    }

    pub(crate) fn i64(&mut self) -> Option<i64> {
        let value = self.u64()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    pub(crate) fn nanos(&mut self) -> Option<Nanos> {
        self.i64().map(Nanos)
    }

    pub(crate) fn f64(&mut self) -> Option<f64> {
        self.bytes(8)?.try_into().ok().map(f64::from_le_bytes)
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let length: usize = self.small()?;
        if length > TEXT_BYTES_MAX {
            return None;
        }
        std::str::from_utf8(self.bytes(length)?).ok().map(str::to_owned)
    }

    pub(crate) fn histogram(&mut self) -> Option<SparseHistogram> {
        let length: usize = self.small()?;
        // Each bucket takes two bytes at least, so a lying length cannot make us reserve more than the block has.
        if length > Buckets::LEN || length > self.0.len() / 2 {
            return None;
        }
        let (mut buckets, mut before) = (Vec::with_capacity(length), 0u32);
        for number in 0..length {
            let (distance, count) = (self.small::<u32>()?, self.u64()?);
            let index = before.checked_add(distance)?;
            if count == 0 || (number > 0 && distance == 0) {
                return None;
            }
            buckets.push((index, count));
            before = index;
        }
        if before as usize >= Buckets::LEN {
            return None;
        }
        if length == 0 {
            return Some(SparseHistogram::default());
        }
        let (min, max, sum_ns) = (self.nanos()?, self.nanos()?, self.f64()?);
        Some(SparseHistogram { buckets, min, max, sum_ns })
    }
}

/// A histogram that keeps what its type promises: indexes in range and ascending, no count of zero.
pub(crate) fn checked(histogram: SparseHistogram) -> Option<SparseHistogram> {
    let buckets = &histogram.buckets;
    let in_range = buckets.last().is_none_or(|&(index, _)| (index as usize) < Buckets::LEN);
    let ascending = buckets.windows(2).all(|pair| pair[0].0 < pair[1].0);
    (in_range && ascending && buckets.iter().all(|&(_, count)| count > 0)).then_some(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_have_the_bytes_that_the_table_says() {
        let mut out = Vec::new();
        put_u64(&mut out, 300);
        put_i64(&mut out, -2);
        // 300 = 0b10_0101100, the worked example of the Protocol Buffers encoding guide; -2 is 3 in zigzag.
        assert_eq!(out, [0b1010_1100, 0b10, 3]);
    }

    #[test]
    fn a_number_of_eleven_bytes_or_more_than_64_bits_is_refused() {
        assert_eq!(Input(&[0xff; 11]).u64(), None);
        assert_eq!(Input(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]).u64(), None);
        assert_eq!(Input(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).u64(), Some(u64::MAX));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        for (text, length) in [
            ("é".repeat(TEXT_BYTES_MAX), TEXT_BYTES_MAX),
            (format!("a{}", "é".repeat(TEXT_BYTES_MAX)), TEXT_BYTES_MAX - 1),
        ] {
            let mut out = Vec::new();
            put_text(&mut out, &text);
            assert_eq!(Input(&out).text().map(|text| text.len()), Some(length));
        }
    }

    #[test]
    fn a_histogram_out_of_order_or_out_of_range_is_refused() {
        for buckets in [vec![(5, 1), (5, 1)], vec![(0, 0)], vec![(Buckets::LEN as u32, 1)]] {
            let mut out = Vec::new();
            put_histogram(&mut out, &SparseHistogram { buckets, ..SparseHistogram::default() });
            assert_eq!(Input(&out).histogram(), None);
        }
    }

    proptest! {
        #[test]
        fn numbers_round_trip(whole: u64, signed: i64, bits: u64) {
            let mut out = Vec::new();
            put_u64(&mut out, whole);
            put_i64(&mut out, signed);
            put_f64(&mut out, f64::from_bits(bits));
            let mut input = Input(&out);
            prop_assert_eq!(input.u64(), Some(whole));
            prop_assert_eq!(input.i64(), Some(signed));
            prop_assert_eq!(input.f64().map(f64::to_bits), Some(bits));
            prop_assert!(input.is_empty());
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for taker in 0..4 {
                let mut input = Input(&bytes);
                while !input.is_empty() {
                    let is_read = match taker {
                        0 => input.u64().is_some(),
                        1 => input.text().is_some(),
                        2 => input.histogram().is_some(),
                        _ => input.flag().is_some(),
                    };
                    if !is_read {
                        break;
                    }
                }
            }
        }
    }
}
