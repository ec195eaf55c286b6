//! Names of the study as labels: bounded, cut, and each made once.

use scrub::KeptOut;
use std::collections::HashMap;
use std::sync::Arc;

/// Longest value of a label, bytes. Longer names end in a digest, so that two of them stay two.
pub(crate) const VALUE_MAX: usize = 200;
/// Values that are remembered; there are more names only where something makes them up.
const KNOWN_MAX: usize = 20_000;
/// Stands for the values of series beyond the limit.
pub(crate) const OTHERS: &str = "(others)";

/// Labels of a series in order of their names; none is empty.
pub type Labels = Vec<(&'static str, Arc<str>)>;

/// Makes the values of labels.
pub(crate) struct Values {
    kept_out: KeptOut,
    known: HashMap<String, Arc<str>>,
}

impl Values {
    pub(crate) fn new(kept_out: KeptOut) -> Self {
        Self { kept_out, known: HashMap::new() }
    }

    /// A name as the value of a label.
    pub(crate) fn of(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let value: Arc<str> = bounded(&self.kept_out.cut(name)).into();
        if self.known.len() < KNOWN_MAX {
            self.known.insert(name.to_owned(), value.clone());
        }
        value
    }

    /// Labels in order, without empty ones: to Prometheus an empty label is none.
    pub(crate) fn labels(&mut self, of: &[(&'static str, &str)]) -> Labels {
        let mut labels: Labels = of.iter().map(|(name, value)| (*name, self.of(value))).collect();
        labels.retain(|(_, value)| !value.is_empty());
        labels.sort_unstable_by_key(|(name, _)| *name);
        labels
    }
}

/// Signs that no receiver shows go, what is too long is shortened.
fn bounded(text: &str) -> String {
    let plain: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    if plain.len() <= VALUE_MAX {
        return plain;
    }
    let end = (0..=VALUE_MAX - 20).rev().find(|end| plain.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…{:016x}", &plain[..end], fnv1a(plain.as_bytes()))
}

/// FNV-1a, 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_that_differ_stay_two_and_short_ones_stay_what_they_are() {
        let mut values = Values::new(KeptOut::default());
        let long = |end: char| format!("{}{end}", "ü".repeat(5000));
        let (one, two) = (values.of(&long('a')), values.of(&long('b')));
        assert!(one != two && one.len() <= VALUE_MAX && two.len() <= VALUE_MAX, "{one} {two}");
        assert_eq!(&*values.of("look \"up\" \\ ü\n\0"), "look \"up\" \\ ü  ");
    }

    #[test]
    fn the_digest_is_fnv_1a() {
        // Source: draft-eastlake-fnv, test vectors.
        assert_eq!(
            (fnv1a(b""), fnv1a(b"a"), fnv1a(b"foobar")),
            (0xcbf29ce484222325, 0xaf63dc4c8601ec8c, 0x85944171f73967e8)
        );
    }

    #[test]
    fn what_is_kept_out_is_in_no_label() {
        let kept_out = KeptOut::default().with_secrets([b"correct-horse-battery".as_slice()]);
        let value = Values::new(kept_out).of("as correct-horse-battery");
        assert!(!value.contains("horse"), "{value}");
    }
}
