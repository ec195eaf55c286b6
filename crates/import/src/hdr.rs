//! A histogram of HdrHistogram in its compressed form, version 2: times with their counts.
//!
//! The crate `hdrhistogram` reads the same, and takes as much memory as a stranger's four bytes say.
//!
//! Source: HdrHistogram 2.2, `AbstractHistogram.encodeIntoCompressedByteBuffer`, `ZigZagEncoding`.

use flate2::read::ZlibDecoder;
use std::io::Read;

/// Cookies of a histogram, plain and compressed; the lowest four bits of the last byte but one are a size of words.
const PLAIN: u32 = 0x1c84_9303;
const PACKED: u32 = 0x1c84_9304;
/// Bytes of counts: five digits of precision over all of 64 bits are fewer, each count in a byte or two.
const COUNTS_MAX: u32 = 4 << 20;
/// Different times in one histogram.
pub(crate) const TIMES_MAX: usize = 100_000;

/// Reads a histogram; times come in rising order, each the highest that its place stands for.
///
/// # Errors
/// A sentence with what is wrong.
pub(crate) fn read(packed: &[u8]) -> Result<Vec<(u64, u64)>, String> {
    let mut packed = packed;
    let cookie = u32_of(&mut packed)?;
    if cookie & !0xf0 != PACKED {
        return Err(match cookie & !0xf0 {
            0x1c84_9301 | 0x1c84_9302 | 0x1c84_9308 | 0x1c84_9309 => {
                "its histogram is of an older form than version 2; write it anew with HdrHistogram 2".into()
            }
            0x0c72_124e | 0x0c72_124f => {
                "its histogram holds numbers with decimals (DoubleHistogram), not times".to_owned()
            }
            _ => "it holds no histogram of HdrHistogram".into(),
        });
    }
    let length = u32_of(&mut packed)?;
    let mut plain = ZlibDecoder::new(packed.take(u64::from(length))).take(u64::from(COUNTS_MAX) + 40);
    if u32_of(&mut plain)? & !0xf0 != PLAIN {
        return Err("its histogram is packed, and what is inside is none".into());
    }
    let (length, offset, digits) = (u32_of(&mut plain)?, u32_of(&mut plain)?, u32_of(&mut plain)?);
    let (lowest, highest) = (u64_of(&mut plain)?, u64_of(&mut plain)?);
    let ratio = f64::from_bits(u64_of(&mut plain)?);
    if offset != 0 || ratio != 1.0 || digits > 5 || lowest == 0 || lowest > 1 << 40 || highest < lowest {
        return Err("its histogram has settings that no histogram of times has".into());
    }
    if length > COUNTS_MAX {
        return Err(format!("its histogram says that it has {length} bytes of counts, and {COUNTS_MAX} are the most"));
    }
    let mut counts = Vec::new();
    plain.take(u64::from(length)).read_to_end(&mut counts).map_err(|error| broken(&error))?;
    if counts.len() != length as usize {
        return Err("its histogram breaks off".into());
    }
    decoded(&counts, &Places::of(lowest, digits))
}

fn broken(error: &std::io::Error) -> String {
    format!("its histogram cannot be unpacked: {error}")
}

fn u32_of(reader: &mut impl Read) -> Result<u32, String> {
    let mut bytes = [0; 4];
    reader.read_exact(&mut bytes).map_err(|error| broken(&error))?;
    Ok(u32::from_be_bytes(bytes))
}

fn u64_of(reader: &mut impl Read) -> Result<u64, String> {
    let mut bytes = [0; 8];
    reader.read_exact(&mut bytes).map_err(|error| broken(&error))?;
    Ok(u64::from_be_bytes(bytes))
}

/// Which times the places of a histogram stand for.
struct Places {
    unit_bits: u32,
    half_bits: u32,
}

impl Places {
    fn of(lowest: u64, digits: u32) -> Self {
        // Twice ten to the digits, rounded up to a power of two, in two halves.
        let single = 2 * 10u64.pow(digits);
        Self { unit_bits: lowest.ilog2(), half_bits: single.next_power_of_two().ilog2() - 1 }
    }

    /// The highest time of a place; `None` beyond what 63 bits hold.
    fn high(&self, place: u64) -> Option<u64> {
        let half = 1u64 << self.half_bits;
        let bucket = (place >> self.half_bits).saturating_sub(1);
        let within = if place < half { place } else { (place & (half - 1)) + half };
        let shift = u32::try_from(bucket).ok()?.checked_add(self.unit_bits)?;
        if shift >= 63 || within.leading_zeros() <= shift {
            return None;
        }
        let high = (within << shift) + (1u64 << shift) - 1;
        (high < 1 << 62).then_some(high)
    }
}

/// Counts as zigzag numbers in groups of seven bits; a negative one stands for so many places without any.
fn decoded(counts: &[u8], places: &Places) -> Result<Vec<(u64, u64)>, String> {
    let (mut times, mut place, mut rest) = (Vec::new(), 0u64, counts);
    while !rest.is_empty() {
        let (number, used) = zigzag(rest).ok_or("its histogram breaks off within a count")?;
        rest = &rest[used..];
        if number < 0 {
            place = place.checked_add(number.unsigned_abs()).ok_or("its histogram has more places than can be")?;
            continue;
        }
        if number > 0 {
            if times.len() >= TIMES_MAX {
                return Err(format!("its histogram has more than {TIMES_MAX} different times"));
            }
            let time = places.high(place).ok_or("its histogram has times that are longer than can be")?;
            times.push((time, number.unsigned_abs()));
        }
        place += 1;
    }
    Ok(times)
}

/// A number, and how many bytes it takes: nine at most, the last of them with all its bits.
fn zigzag(bytes: &[u8]) -> Option<(i64, usize)> {
    let mut value = 0u64;
    for (number, &byte) in bytes.iter().take(9).enumerate() {
        let is_last = number == 8;
        let bits = if is_last { u64::from(byte) } else { u64::from(byte & 0x7f) };
        value |= bits << (7 * number);
        if is_last || byte & 0x80 == 0 {
            return Some(((value >> 1) as i64 ^ -((value & 1) as i64), number + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
    use proptest::prelude::*;

    fn packed(lowest: u64, digits: u8, times: &[(u64, u64)]) -> (Vec<u8>, Vec<(u64, u64)>) {
        let mut histogram = Histogram::<u64>::new_with_bounds(lowest, 1 << 41, digits).unwrap();
        times.iter().for_each(|(time, count)| histogram.record_n(*time, *count).unwrap());
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
        let expected = histogram
            .iter_recorded()
            .map(|step| (histogram.highest_equivalent(step.value_iterated_to()), step.count_since_last_iteration()));
        (bytes, expected.collect())
    }

    /// Source: the table of bucket bounds in the analysis (three digits: 12496 stands for up to 12503, two: 12543).
    #[test]
    fn places_are_those_of_the_reference() {
        let of = |digits, time| read(&packed(1, digits, &[(time, 3)]).0).unwrap();
        assert_eq!(of(3, 12_496), [(12_503, 3)]);
        assert_eq!(of(2, 12_496), [(12_543, 3)]);
        assert_eq!(of(3, 100_000_000), [(100_007_935, 3)]);
        assert_eq!(of(3, 1000), [(1000, 3)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

        /// The crate `hdrhistogram` writes what this reads.
        #[test]
        fn what_the_crate_writes_reads_back(
            lowest in 1u64..5000, digits in 0u8..=3,
            times in prop::collection::vec((0u64..1 << 40, 1u64..1 << 40), 0..40),
        ) {
            let (bytes, expected) = packed(lowest, digits, &times);
            prop_assert_eq!(read(&bytes).unwrap(), expected);
        }

        #[test]
        fn damaged_ones_are_refused_or_read(at in 0usize..200, with in any::<u8>(), cut in 0usize..200) {
            let (mut bytes, _) = packed(1, 3, &[(5, 7), (90_000, 2)]);
            if let Some(byte) = bytes.get_mut(at) { *byte = with; }
            let end = bytes.len().saturating_sub(cut % 7);
            let _ = read(&bytes[..end]);
        }

        #[test]
        fn counts_of_any_bytes_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decoded(&bytes, &Places::of(1, 3));
        }
    }

    #[test]
    fn what_is_of_another_form_says_so() {
        assert!(read(&0x1c84_9301u32.to_be_bytes()).unwrap_err().contains("older form"));
        assert!(read(b"no histogram").unwrap_err().contains("no histogram"));
        assert!(read(&[]).unwrap_err().contains("cannot be unpacked"));
    }
}
