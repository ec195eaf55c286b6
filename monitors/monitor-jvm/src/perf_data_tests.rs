//! Files made here byte by byte, of both versions and both byte orders, whole, torn and hostile.

use super::*;
use proptest::prelude::*;

/// One entry to be written.
enum Entry<'a> {
    Number(&'a str, i64),
    Text(&'a str, &'a str),
}

fn four(value: usize, is_little: bool) -> [u8; 4] {
    let value = value as i32;
    if is_little { value.to_le_bytes() } else { value.to_be_bytes() }
}

fn eight(value: i64, is_little: bool) -> [u8; 8] {
    if is_little { value.to_le_bytes() } else { value.to_be_bytes() }
}

fn written(entry: &Entry<'_>, major: u8, is_little: bool) -> Vec<u8> {
    let (name, vector, kind) = match entry {
        Entry::Number(name, _) => (*name, 0, b'J'),
        Entry::Text(name, text) => (*name, text.len() + 1, b'B'),
    };
    let head = if major == 1 { 16 } else { 20 };
    let name_end = head + name.len() + 1;
    // Version 2 aligns the value; version 1 puts a number last and a text right behind the name.
    let data = match (major, entry) {
        (1, Entry::Text(..)) => name_end,
        _ => name_end.next_multiple_of(8),
    };
    let size = if vector == 0 { 8 } else { vector };
    let length = (data + size).next_multiple_of(if major == 1 && vector == 0 { 1 } else { 8 });
    let mut bytes = Vec::new();
    bytes.extend(four(length, is_little));
    bytes.extend(four(if major == 1 { name.len() + 1 } else { head }, is_little));
    bytes.extend(four(vector, is_little));
    bytes.extend([kind, 1, 1, 3]);
    if major == 2 {
        bytes.extend(four(data, is_little));
    }
    bytes.extend(name.bytes());
    bytes.resize(data, 0);
    match entry {
        Entry::Number(_, value) => bytes.extend(eight(*value, is_little)),
        Entry::Text(_, text) => bytes.extend(text.bytes()),
    }
    bytes.resize(length, 0);
    bytes
}

fn file(entries: &[Entry<'_>], major: u8, is_little: bool) -> Vec<u8> {
    let body: Vec<u8> = entries.iter().flat_map(|entry| written(entry, major, is_little)).collect();
    let start = if major == 1 { 24 } else { 32 };
    let mut bytes = vec![0xCA, 0xFE, 0xC0, 0xC0, u8::from(is_little), major, 0, u8::from(major == 2)];
    bytes.extend(four(start + body.len(), is_little));
    bytes.extend(four(0, is_little));
    bytes.extend(eight(77, is_little));
    if major == 2 {
        bytes.extend(four(start, is_little));
        bytes.extend(four(entries.len(), is_little));
    }
    bytes.extend(body);
    // The rest of the mapping is zero.
    bytes.resize(bytes.len() + 100, 0);
    bytes
}

const ENTRIES: &[Entry<'_>] = &[
    Entry::Number("sun.gc.collector.0.invocations", 34),
    Entry::Text("sun.gc.collector.0.name", "Serial young collection pauses"),
    Entry::Number("sun.gc.generation.0.space.0.used", 10_858_376),
    Entry::Text("empty", ""),
    Entry::Number("negative", -1),
];

fn read(bytes: &[u8]) -> Result<Table, Unreadable> {
    whole(|most| Ok(bytes[..bytes.len().min(most)].to_vec()))
}

#[test]
fn both_versions_in_both_byte_orders() {
    for (major, is_little) in [(1, false), (1, true), (2, false), (2, true)] {
        let table = read(&file(ENTRIES, major, is_little)).unwrap();
        assert_eq!(table.number("sun.gc.collector.0.invocations"), Some(34), "version {major}");
        assert_eq!(table.text("sun.gc.collector.0.name"), Some("Serial young collection pauses"));
        assert_eq!(table.number("sun.gc.generation.0.space.0.used"), Some(10_858_376));
        assert_eq!((table.text("empty"), table.number("negative")), (Some(""), Some(-1)));
        assert_eq!(table.number("sun.gc.collector.0.name"), None, "a text is not a number");
        assert_eq!(table.0.len(), 5);
    }
    let old = read(&file(&[Entry::Number("hotspot.gc.collector.0.time", 5)], 1, false)).unwrap();
    assert_eq!(old.number("sun.gc.collector.0.time"), Some(5));
}

#[test]
fn the_first_bytes_of_a_real_file() {
    // The first 64 bytes of an OpenJDK 17 on x86-64, cut after the name of the first entry begins: 182 entries are
    // promised, so it is torn, not unknown.
    let bytes = [
        0xca, 0xfe, 0xc0, 0xc0, 0x01, 0x02, 0x00, 0x01, 0x38, 0x2f, 0, 0, 0, 0, 0, 0, 0x21, 0xdc, 0x12, 0x07, 0, 0, 0,
        0, 0x20, 0, 0, 0, 0xb6, 0, 0, 0, 0x38, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 4, 2, 0x30, 0, 0, 0, 0x73,
        0x75, 0x6e, 0x2e, 0x72, 0x74, 0x2e, 0x5f, 0x73, 0x79, 0x6e, 0x63,
    ];
    let head = prologue(&bytes).unwrap();
    assert_eq!((head.major, head.is_little, head.first, head.entries), (2, true, 32, Some(0xb6)));
    assert_eq!((head.used, head.changed), (0x2f38, 0x0712_dc21));
    assert!(matches!(read(&bytes), Err(Unreadable::Torn(_))));
}

#[test]
fn what_is_no_perf_data_says_what_it_is() {
    let good = file(ENTRIES, 2, true);
    let changed = |at: usize, to: u8| {
        let mut bytes = good.clone();
        bytes[at] = to;
        read(&bytes)
    };
    assert_eq!(changed(7, 0), Err(Unreadable::NotReady));
    assert!(matches!(changed(0, b'x'), Err(Unreadable::Unknown(what)) if what.contains("does not begin")));
    assert!(matches!(changed(4, 2), Err(Unreadable::Unknown(what)) if what.contains("byte order 2")));
    assert!(matches!(changed(5, 3), Err(Unreadable::Unknown(what)) if what.contains("version 3.0")));
    assert_eq!(read(&[0; 64]), Err(Unreadable::NotReady));
    assert!(matches!(read(&good[..20]), Err(Unreadable::Torn(_))));
    assert!(matches!(read(&[]), Err(Unreadable::Torn(_))));
    let failing = whole(|_| Err(std::io::Error::other("gone")));
    assert_eq!(failing, Err(Unreadable::Unknown("gone".into())));
}

#[test]
fn a_file_that_changes_while_it_is_read_is_read_again() {
    let (before, after) = (file(&ENTRIES[..2], 2, true), file(ENTRIES, 2, true));
    let mut reads = 0;
    // The list grows between the first reading and the look back at its prologue.
    let table = whole(|most| {
        reads += 1;
        let bytes = if reads == 1 { &before } else { &after };
        Ok(bytes[..bytes.len().min(most)].to_vec())
    });
    assert_eq!((table.unwrap().0.len(), reads), (5, 4), "read, looked, read, looked");
    // More entries than are there yet: the number was written before the entry.
    let mut promised = before.clone();
    promised[28] = 3;
    assert!(matches!(read(&promised), Err(Unreadable::Torn(what)) if what.contains("entry 2")));
    // A file that never stands still ends after so many attempts.
    let mut step = 0u8;
    let never = whole(|most| {
        step += 1;
        let mut bytes = after.clone();
        bytes[16] = step;
        bytes.truncate(most.max(PROLOGUE));
        Ok(bytes)
    });
    assert!(matches!(never, Err(Unreadable::Torn(_))) && usize::from(step) == 2 * ATTEMPTS);
}

#[test]
fn impossible_lengths_and_places_are_torn() {
    let good = file(ENTRIES, 2, true);
    for (at, value) in [(32, 0), (32, 4), (32, -8), (32, i32::MAX), (36, 4000), (48, 4000), (48, -1), (24, -4)] {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&i32::to_le_bytes(value));
        assert!(read(&bytes).is_err(), "{value} at {at}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
    }

    #[test]
    fn no_damage_makes_it_panic(major in 1u8..=2, is_little: bool, harm in prop::collection::vec((0usize..600, any::<u8>()), 1..8)) {
        let mut bytes = file(ENTRIES, major, is_little);
        for (at, to) in harm {
            let at = at % bytes.len();
            bytes[at] = to;
        }
        let _ = read(&bytes);
    }

    #[test]
    fn what_is_written_is_read(numbers in prop::collection::vec(any::<i64>(), 0..40), major in 1u8..=2, is_little: bool) {
        let names: Vec<String> = (0..numbers.len()).map(|number| format!("a.{number}")).collect();
        let entries: Vec<Entry<'_>> =
            names.iter().zip(&numbers).map(|(name, value)| Entry::Number(name, *value)).collect();
        let table = read(&file(&entries, major, is_little)).unwrap();
        for (name, value) in names.iter().zip(&numbers) {
            prop_assert_eq!(table.number(name), Some(*value));
        }
    }
}
