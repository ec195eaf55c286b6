//! How many units an exchange carried, where its answer says so.

/// The number under which a session hands it to [`crate::Recorder::capture`]: no capture of a study or driver has it.
pub const UNITS_SLOT: u8 = u8::MAX;
/// More units than any answer tells of; a second's sum of them stays far within 64 bits.
pub const UNITS_MAX: u64 = 1_000_000_000_000;

/// A whole number of units, from 0 to [`UNITS_MAX`], as an answer has it: `12`, ` 12 `, `12.0`, `1.2e1`. `None` of anything
/// else.
pub fn units_of(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let found = match is_plain {
        true => text.parse().ok()?,
        false => whole(text.parse().ok()?)?,
    };
    (found <= UNITS_MAX).then_some(found)
}

fn whole(number: f64) -> Option<u64> {
    let is_whole = number.is_finite() && number.fract() == 0.0 && (0.0..=UNITS_MAX as f64).contains(&number);
    is_whole.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_units_and_nothing_else_is() {
        for (text, units) in [("0", 0), ("12", 12), (" 12\n", 12), ("007", 7), ("12.0", 12), ("1.2e3", 1200), ("-0", 0)]
        {
            assert_eq!(units_of(text.as_bytes()), Some(units), "{text}");
        }
        assert_eq!(units_of(b"1000000000000"), Some(UNITS_MAX));
        let wrong =
            ["", " ", "-1", "1.5", "12 rows", "0x10", "NaN", "inf", "1000000000001", "99999999999999999999", "1e300"];
        for text in wrong {
            assert_eq!(units_of(text.as_bytes()), None, "{text}");
        }
        assert_eq!(units_of(b"\xff"), None);
    }
}
