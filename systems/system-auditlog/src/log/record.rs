//! Records as they lie in files and travel: each in a frame with its length and a checksum.
//!
//! `[length u32][checksum u32][offset u64][length of the key u16][key][value]`, numbers with their highest byte first.
//! The length counts what stands behind the checksum, which is a CRC-32 of just that.

use terms::seed::hash;
use thiserror::Error;

/// Bytes of a frame before its offset.
pub(crate) const HEAD: usize = 8;
/// Bytes between head and key.
const NUMBERS: usize = 10;
/// Longest key in bytes.
pub(crate) const KEY_MAX: usize = 128;
/// Largest value in bytes; a registration has some 200.
pub(crate) const VALUE_MAX: usize = 16 << 10;
/// Largest frame in bytes.
pub(crate) const FRAME_MAX: usize = HEAD + NUMBERS + KEY_MAX + VALUE_MAX;

/// A key and a value, as a producer sends them and a consumer gets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// Its number within its partition, from 0; what a producer says here is not looked at.
    pub(crate) offset: u64,
    /// Decides the partition.
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
}

/// Bytes that are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Broken {
    #[error("a record ends in the middle")]
    Cut,
    #[error("a record has a length that none can have")]
    Length,
    #[error("a record does not have its checksum")]
    Checksum,
}

/// Length of the whole frame whose head this is.
pub(crate) fn frame_length(head: [u8; 4]) -> Result<usize, Broken> {
    let length = u32::from_be_bytes(head) as usize;
    if (NUMBERS..=FRAME_MAX - HEAD).contains(&length) { Ok(HEAD + length) } else { Err(Broken::Length) }
}

/// Reads the frame at the start of `bytes`; the rest comes back with it, and `None` stands for the end.
///
/// # Errors
/// What stands there is not a whole frame.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<(Record<'_>, &[u8])>, Broken> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let head = bytes.first_chunk::<4>().ok_or(Broken::Cut)?;
    let length = frame_length(*head)?;
    let (frame, rest) = bytes.split_at_checked(length).ok_or(Broken::Cut)?;
    let (sum, content) = frame[4..].split_first_chunk::<4>().ok_or(Broken::Length)?;
    if crc32fast::hash(content) != u32::from_be_bytes(*sum) {
        return Err(Broken::Checksum);
    }
    let (offset, content) = content.split_first_chunk::<8>().ok_or(Broken::Length)?;
    let (key, content) = content.split_first_chunk::<2>().ok_or(Broken::Length)?;
    let key = usize::from(u16::from_be_bytes(*key));
    let (key, value) = content.split_at_checked(key).filter(|(key, _)| key.len() <= KEY_MAX).ok_or(Broken::Length)?;
    if value.len() > VALUE_MAX {
        return Err(Broken::Length);
    }
    Ok(Some((Record { offset: u64::from_be_bytes(*offset), key, value }, rest)))
}

/// Appends a frame. Key and value must be within [`KEY_MAX`] and [`VALUE_MAX`].
pub(crate) fn write(record: Record<'_>, out: &mut Vec<u8>) {
    debug_assert!(record.key.len() <= KEY_MAX && record.value.len() <= VALUE_MAX, "whoever calls has looked");
    let start = out.len();
    let length = (NUMBERS + record.key.len() + record.value.len()) as u32;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&record.offset.to_be_bytes());
    out.extend_from_slice(&(record.key.len() as u16).to_be_bytes());
    out.extend_from_slice(record.key);
    out.extend_from_slice(record.value);
    let sum = crc32fast::hash(&out[start + HEAD..]);
    out[start + 4..start + HEAD].copy_from_slice(&sum.to_be_bytes());
}

/// Which of `count` partitions a key belongs to: FNV-1a, whose low bits alone are poor, and a mix behind it.
pub(crate) fn partition_of(key: &[u8], count: usize) -> usize {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    let sum = key.iter().fold(0xCBF2_9CE4_8422_2325, step);
    (hash(sum, 0) % count.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_written_is_read_and_no_changed_bit_is_taken() {
        let mut bytes = Vec::new();
        let first = Record { offset: 7, key: b"0101000001", value: b"one" };
        let second = Record { offset: 8, key: b"", value: b"" };
        write(first, &mut bytes);
        write(second, &mut bytes);
        let (found, rest) = read(&bytes).unwrap().unwrap();
        assert_eq!(found, first);
        let (found, rest) = read(rest).unwrap().unwrap();
        assert_eq!((found, read(rest)), (second, Ok(None)));
        let end = HEAD + NUMBERS + 13;
        for place in 0..end {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                assert!(read(&changed).is_err(), "byte {place}, bit {bit}");
            }
        }
        for length in 1..end {
            assert!(read(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn keys_are_spread_evenly_and_always_in_the_same_way() {
        let mut counts = [0u32; 12];
        for number in 0..12_000u32 {
            let key = format!("{:02}{:02}{:06}", number % 28 + 1, number % 12 + 1, number * 7);
            counts[partition_of(key.as_bytes(), 12)] += 1;
        }
        // Mean 1000, standard deviation 30.
        assert!(counts.iter().all(|count| (880..1120).contains(count)), "{counts:?}");
        assert_eq!(partition_of(b"0101000001", 12), partition_of(b"0101000001", 12));
        assert_eq!(partition_of(b"x", 1), 0);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut rest = &bytes[..];
            while let Ok(Some((record, behind))) = read(rest) {
                prop_assert!(record.key.len() <= KEY_MAX && behind.len() < rest.len());
                rest = behind;
            }
        }
    }
}
