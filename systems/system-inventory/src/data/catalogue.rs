//! Ids by arithmetic.

use terms::seed::hash;

/// All instances of one seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Catalogue {
    seed: u64,
}

/// One instance of the collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// Its number, from 0.
    pub(crate) number: u64,
    /// Its id, as text.
    pub(crate) uuid: String,
    /// The id that people read: `in` and eleven digits; the number, counted from 1.
    pub(crate) hrid: String,
}

/// Kinds of things with ids of their own; the numbers are part of every store ever built.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Instance = 1,
    Record = 2,
    Snapshot = 3,
    Holding = 4,
    /// Of places, types and sources: one small set for all.
    Reference = 5,
}

impl Catalogue {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Instance number `number`; the same for every size of the collection.
    pub(crate) fn instance(&self, number: u64) -> Instance {
        Instance { number, uuid: self.uuid(Kind::Instance, number), hrid: format!("in{:011}", number + 1) }
    }

    /// The id of a thing. Different kinds and numbers give different ids, but for chance (122 bits).
    pub(crate) fn uuid(&self, kind: Kind, number: u64) -> String {
        let key = self.key(kind as u64);
        uuid_text(hash(key, number), hash(!key, number))
    }

    /// A seed for draws about one instance; `purpose` keeps draws for different ends apart.
    pub(crate) fn key(&self, purpose: u64) -> u64 {
        hash(self.seed, purpose)
    }
}

/// 128 bits as a random UUID: version 4, variant 1 (RFC 9562, section 5.4).
pub(crate) fn uuid_text(high: u64, low: u64) -> String {
    let high = high & !0xF000 | 0x4000;
    let low = low & (u64::MAX >> 2) | 1 << 63;
    let (a, b, c) = (high >> 32, high >> 16 & 0xFFFF, high & 0xFFFF);
    format!("{a:08x}-{b:04x}-{c:04x}-{:04x}-{:012x}", low >> 48, low & 0xFFFF_FFFF_FFFF)
}

/// Whether a text is a UUID in its usual form; any version, either case.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_the_same_for_ever() {
        // The committed data file of the study was written with these; a change here makes it miss every record.
        let catalogue = Catalogue::new(1);
        let instance = catalogue.instance(0);
        assert_eq!(instance.hrid, "in00000000001");
        assert_eq!(catalogue.instance(99_999).hrid, "in00000100000");
        assert_eq!(instance.uuid, FIRST);
        assert_ne!(Catalogue::new(2).instance(0).uuid, instance.uuid);
    }

    /// Computed a second time outside of this program, from SplitMix64 and RFC 9562.
    const FIRST: &str = "e810ce84-67d5-478c-852e-7699b076ef8f";

    #[test]
    fn ids_are_uuids_and_differ() {
        let catalogue = Catalogue::new(7);
        let mut seen = HashSet::new();
        for kind in [Kind::Instance, Kind::Record, Kind::Snapshot, Kind::Holding, Kind::Reference] {
            for number in 0..20_000 {
                let uuid = catalogue.uuid(kind, number);
                assert!(is_uuid(&uuid), "{uuid}");
                assert_eq!(&uuid[14..15], "4");
                assert!(matches!(&uuid[19..20], "8" | "9" | "a" | "b"), "{uuid}");
                assert!(seen.insert(uuid));
            }
        }
    }

    #[test]
    fn what_is_no_uuid_is_told() {
        assert!(is_uuid("2B94C631-fca9-4892-a730-03ee529ffe2a"));
        for text in [
            "",
            "x",
            "2b94c631fca94892a73003ee529ffe2a",
            "2b94c631-fca9-4892-a730-03ee529ffe2g",
            "é".repeat(18).as_str(),
        ] {
            assert!(!is_uuid(text), "{text}");
        }
    }
}
