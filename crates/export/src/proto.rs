//! Protocol Buffers, as far as two messages need them: their fields are written in order, and one answer is read.
//!
//! By hand, since the messages have a dozen fields between them, and a library with its generated code would be ten times
//! as much. Source: *Protocol Buffers, Encoding*.

/// A message as it is written.
#[derive(Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn tag(&mut self, field: u32, wire: u32) {
        self.varint(u64::from(field << 3 | wire));
    }

    /// `uint64`, `uint32`, `bool`, an enumeration, and `int64` that is not negative.
    pub(crate) fn number(&mut self, field: u32, value: u64) {
        self.tag(field, 0);
        self.varint(value);
    }

    /// `sint32`.
    pub(crate) fn signed(&mut self, field: u32, value: i32) {
        self.number(field, u64::from(zigzag(value)));
    }

    /// `fixed64` and `sfixed64`.
    pub(crate) fn fixed(&mut self, field: u32, value: u64) {
        self.tag(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// `double`.
    pub(crate) fn double(&mut self, field: u32, value: f64) {
        self.fixed(field, value.to_bits());
    }

    /// `string` and `bytes`.
    pub(crate) fn bytes(&mut self, field: u32, value: &[u8]) {
        self.tag(field, 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    /// A message within this one.
    pub(crate) fn message(&mut self, field: u32, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    /// `repeated uint64`, packed.
    pub(crate) fn packed(&mut self, field: u32, values: impl Iterator<Item = u64>) {
        let mut inner = Self::default();
        values.for_each(|value| inner.varint(value));
        self.bytes(field, &inner.0);
    }
}

fn zigzag(value: i32) -> u32 {
    (value << 1 ^ value >> 31) as u32
}

/// A field as it is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Field<'a> {
    Number(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message in order; `None` where it is none.
pub(crate) fn fields(mut bytes: &[u8]) -> Option<Vec<(u32, Field<'_>)>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = take_varint(&mut bytes)?;
        let field = match tag & 7 {
            0 => Field::Number(take_varint(&mut bytes)?),
            1 => Field::Fixed(u64::from_le_bytes(take(&mut bytes, 8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(take_varint(&mut bytes)?).ok()?;
                Field::Bytes(take(&mut bytes, length)?)
            }
            5 => Field::Fixed(u64::from(u32::from_le_bytes(take(&mut bytes, 4)?.try_into().ok()?))),
            _ => return None,
        };
        let number = u32::try_from(tag >> 3).ok().filter(|number| *number > 0)?;
        fields.push((number, field));
    }
    Some(fields)
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let byte = take(bytes, 1)?[0];
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_are_no_message(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            // A field has two bytes at least.
            prop_assert!(fields(&bytes).is_none_or(|fields| fields.len() * 2 <= bytes.len()));
        }
    }

    #[test]
    fn bytes_are_those_of_the_documentation() {
        // Source: Protocol Buffers, "Encoding": Test1 { a: 150 }, Test2 { b: "testing" }, Test3 { c { a: 150 } },
        // Test5 { f: [3, 270, 86942] }; ZigZag: 0, -1, 1, -2 and the ends.
        let mut message = Message::default();
        message.number(1, 150);
        assert_eq!(message.0, [0x08, 0x96, 0x01]);
        let mut message = Message::default();
        message.bytes(2, b"testing");
        assert_eq!(message.0, [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
        let mut message = Message::default();
        message.message(3, |inner| inner.number(1, 150));
        assert_eq!(message.0, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let mut message = Message::default();
        message.packed(6, [3, 270, 86942].into_iter());
        assert_eq!(message.0, [0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]);
        assert_eq!([0, -1, 1, -2, i32::MAX, i32::MIN].map(zigzag), [0, 1, 2, 3, u32::MAX - 1, u32::MAX]);
    }

    #[test]
    fn what_is_no_message_is_none() {
        assert_eq!(fields(&[0x08, 0x96, 0x01]), Some(vec![(1, Field::Number(150))]));
        assert_eq!(fields(b""), Some(vec![]));
        for bytes in [b"<html>".as_slice(), &[0x0a, 0xff], &[0x08], &[0x08; 1], &[0xff; 12], &[0x00, 0x00], b"OK"] {
            assert_eq!(fields(bytes), None, "{bytes:?}");
        }
    }
}
