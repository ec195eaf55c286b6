//! Where values of attributes are written to: each protocol lays them out in its own way, and texts alike.

use crate::stream::Type;

/// Takes values, one after another.
pub(crate) trait Sink {
    /// A number of that type; `whole` is what it is as a whole one.
    fn number(&mut self, kind: Type, value: f64, whole: impl FnOnce() -> i64);

    fn bool(&mut self, value: bool);

    /// Begins a text of so many bytes: writes its length, and returns where they go.
    fn begin_text(&mut self, length: u32) -> &mut Vec<u8>;

    #[inline]
    fn text(&mut self, text: &[u8]) {
        self.begin_text(text.len() as u32).extend_from_slice(text);
    }

    /// A text with a number behind it.
    fn numbered(&mut self, before: &[u8], number: i64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut left = number.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if number < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        let digits = &digits[at..];
        let bytes = self.begin_text((before.len() + digits.len()) as u32);
        bytes.extend_from_slice(before);
        bytes.extend_from_slice(digits);
    }

    /// A text of so many bytes, which begins at a random place of these.
    fn signs(&mut self, signs: &[u8; 64], random: u64, length: u32) {
        let bytes = self.begin_text(length);
        let (mut left, mut from) = (length as usize, (random % 64) as usize);
        while left > 0 {
            let some = left.min(signs.len() - from);
            bytes.extend_from_slice(&signs[from..from + some]);
            (left, from) = (left - some, 0);
        }
    }
}
