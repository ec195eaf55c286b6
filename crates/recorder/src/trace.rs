//! Trace ids in the form of W3C Trace Context, by which an exchange is found in whatever traces the system.
//!
//! Source: "Trace Context", W3C Recommendation of 23 November 2021, section 3.2 (`traceparent`).

use std::fmt;
use std::num::{NonZeroU64, NonZeroU128};
use terms::seed;

/// What the study says of the traces that its requests begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traces {
    /// Whether drivers send `traceparent` with their requests.
    pub are_sent: bool,
    /// Tells this run from others, so that no two runs have an id in common.
    pub run: u64,
    /// Whether all exchanges of an iteration are of one trace, instead of each having its own.
    pub per_iteration: bool,
    /// Share of the traces that the system is told to record, 0 to 1.
    pub sampled: f64,
}

impl Default for Traces {
    fn default() -> Self {
        Self { are_sent: false, run: 0, per_iteration: false, sampled: 1.0 }
    }
}

/// The id of a trace, never zero: `4bf92f3577b34da6a3ce929d0e0e4736`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TraceId(NonZeroU128);

impl TraceId {
    /// The id of these 128 bits; none of zero, which the standard forbids.
    pub fn new(bits: u128) -> Option<Self> {
        NonZeroU128::new(bits).map(Self)
    }

    /// Its 128 bits.
    pub fn bits(self) -> u128 {
        self.0.get()
    }

    /// The id that is written like this, in 32 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten().and_then(Self::new)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The half of an id that is its own; the other half is that of all ids of a thread.
pub(crate) type OwnHalf = NonZeroU64;

/// What an exchange sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) trace: OwnHalf,
    pub(crate) parent: NonZeroU64,
    pub(crate) is_sampled: bool,
}

/// Makes the ids of one thread.
///
/// The first half of an id is a hash of the run and of whose ids these are, the second one a permutation of 0, 1, 2 …:
/// within a thread no id comes twice, and two threads or runs meet only where 64 bits of a hash are equal by chance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker {
    first_half: OwnHalf,
    next: u64,
}

impl Maker {
    /// For what `whose` tells from all others of the run.
    pub(crate) fn new(run: u64, whose: [u64; 2]) -> Self {
        let first_half = whose.into_iter().fold(seed::hash(run, 0x7472_6163_6573), seed::hash);
        Self { first_half: not_zero(first_half), next: 0 }
    }

    /// A number that this thread has not given yet, with which ids are made.
    fn take(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The own half of a trace that begins.
    pub(crate) fn begin(&mut self) -> OwnHalf {
        loop {
            // One number of all 64-bit numbers becomes zero.
            let number = self.take();
            if let Some(own) = OwnHalf::new(seed::hash(self.first_half.get(), number)) {
                return own;
            }
        }
    }

    /// The id of what sends a request.
    pub(crate) fn parent(&mut self) -> NonZeroU64 {
        let number = self.take();
        not_zero(seed::hash(!self.first_half.get(), number))
    }

    /// The whole id.
    pub(crate) fn id(&self, own: OwnHalf) -> TraceId {
        let bits = NonZeroU128::from(own) | u128::from(self.first_half.get()) << 64;
        TraceId(bits)
    }

    /// Appends the value of the header. Allocates nothing but the room for it.
    pub(crate) fn write(&self, sent: Sent, into: &mut Vec<u8>) {
        into.extend_from_slice(b"00-");
        hex(self.first_half.get(), into);
        hex(sent.trace.get(), into);
        into.push(b'-');
        hex(sent.parent.get(), into);
        into.extend_from_slice(if sent.is_sampled { b"-01" } else { b"-00" });
    }
}

fn not_zero(bits: u64) -> NonZeroU64 {
    NonZeroU64::new(bits).unwrap_or(NonZeroU64::MIN)
}

fn hex(bits: u64, into: &mut Vec<u8>) {
    let digit = |place: u32| b"0123456789abcdef"[(bits >> (4 * place) & 15) as usize];
    into.extend((0..16).rev().map(digit));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_header_has_the_form_of_the_standard() {
        let maker = Maker { first_half: not_zero(0x4bf9_2f35_77b3_4da6), next: 0 };
        let (trace, parent) = (not_zero(0xa3ce_929d_0e0e_4736), not_zero(0x00f0_67aa_0ba9_02b7));
        let mut text = Vec::new();
        maker.write(Sent { trace, parent, is_sampled: true }, &mut text);
        // The example of the standard, section 3.2.1.
        assert_eq!(text, b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        text.clear();
        maker.write(Sent { trace, parent, is_sampled: false }, &mut text);
        assert_eq!(text, b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
        let id = maker.id(trace);
        assert_eq!(id.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(TraceId::parse(&id.to_string()), Some(id));
        assert_eq!(TraceId::new(id.bits()), Some(id));
        for wrong in ["", "0", "00000000000000000000000000000000", "+bf92f3577b34da6a3ce929d0e0e4736", "é"] {
            assert_eq!(TraceId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn no_two_threads_or_runs_have_an_id_in_common() {
        let (mut traces, mut parents) = (HashSet::new(), HashSet::new());
        for run in [1, 2] {
            for thread in 0..8 {
                for born in [0, 5_000_000_000] {
                    let mut maker = Maker::new(run, [thread, born]);
                    for _ in 0..5000 {
                        let own = maker.begin();
                        assert!(traces.insert(maker.id(own)));
                        assert!(parents.insert(maker.parent()));
                    }
                }
            }
        }
        assert_eq!((traces.len(), parents.len()), (160_000, 160_000));
    }

    #[test]
    fn both_halves_of_an_id_are_spread_evenly() {
        // Samplers look at the last bytes, stores at the first: 10 000 expected in each sixteenth, five standard
        // deviations are 484.
        let (mut first, mut last) = ([0u32; 16], [0u32; 16]);
        for thread in 0..1600 {
            let mut maker = Maker::new(9, [thread, 0]);
            for _ in 0..100 {
                let own = maker.begin();
                let id = maker.id(own).bits();
                last[(id & 15) as usize] += 1;
                first[(id >> 60 & 15) as usize] += 1;
            }
        }
        assert!(last.iter().all(|count| count.abs_diff(10_000) < 484), "{last:?}");
        // Of these there are 1600, each counted a hundred times: 100 expected in each, five standard deviations are 48.
        assert!(first.iter().all(|count| (count / 100).abs_diff(100) < 48), "{first:?}");
    }
}
