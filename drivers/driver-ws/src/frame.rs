//! Frames (RFC 6455, section 5): heads read and written, payloads masked.

use crate::close::{MESSAGE_TOO_BIG, PROTOCOL_ERROR};

/// Most bytes in a control frame's payload.
pub(crate) const CONTROL_BYTES_MAX: usize = 125;
/// Longest head of a frame that is sent: two bytes, eight of length, four of the mask.
pub(crate) const SENT_HEAD_MAX: usize = 14;
/// The first of the reserved bits: the message that begins here is compressed.
const COMPRESSED: u8 = 0x40;
/// Longest head of a frame that comes, since a server masks nothing.
const HEAD_MAX: usize = 10;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    /// It goes on with the message begun before it.
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

impl Opcode {
    fn of(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Continuation,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            _ => return None,
        })
    }

    fn number(self) -> u8 {
        match self {
            Self::Continuation => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    pub(crate) fn is_control(self) -> bool {
        self.number() >= 8
    }
}

/// How a server breaks the protocol: the code that its connection is closed with, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) code: u16,
    /// What it sent, as the end of *the server sent …*.
    pub(crate) what: &'static str,
}

impl Violation {
    pub(crate) fn protocol(what: &'static str) -> Self {
        Self { code: PROTOCOL_ERROR, what }
    }
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) opcode: Opcode,
    /// Whether its message ends with it.
    pub(crate) is_final: bool,
    /// Whether its message, which begins with it, is compressed (RFC 7692, section 6).
    pub(crate) is_compressed: bool,
    /// Length of its payload in bytes.
    pub(crate) length: u64,
}

/// Reads the heads of a server's frames, however their bytes are split.
#[derive(Debug, Default)]
pub(crate) struct HeadReader {
    bytes: [u8; HEAD_MAX],
    count: u8,
}

impl HeadReader {
    /// Takes bytes of a head, on a connection that agreed on compression or not. Returns how many belong to it, and the
    /// head once it is whole. What breaks the protocol is told by the byte that does.
    ///
    /// # Errors
    /// How the head breaks the protocol.
    pub(crate) fn feed(&mut self, bytes: &[u8], has_compression: bool) -> Result<(usize, Option<Head>), Violation> {
        let mut used = 0;
        for &byte in bytes {
            self.bytes[usize::from(self.count)] = byte;
            (self.count, used) = (self.count + 1, used + 1);
            if let Some(head) = self.read(has_compression)? {
                self.count = 0;
                return Ok((used, Some(head)));
            }
        }
        Ok((used, None))
    }

    /// Whether a part of a head has come.
    pub(crate) fn has_begun(&self) -> bool {
        self.count > 0
    }

    fn read(&self, has_compression: bool) -> Result<Option<Head>, Violation> {
        let first = self.bytes[0];
        let is_compressed = has_compression && first & COMPRESSED != 0;
        let reserved = if has_compression { 0x30 } else { 0x70 };
        if first & reserved != 0 {
            return Err(Violation::protocol("a frame with a reserved bit set, which no extension was agreed on for"));
        }
        let opcode = Opcode::of(first & 0x0f).ok_or(Violation::protocol("a frame with a reserved opcode"))?;
        let is_final = first & 0x80 != 0;
        if opcode.is_control() && !is_final {
            return Err(Violation::protocol("a fragment of a control frame"));
        }
        if is_compressed && !matches!(opcode, Opcode::Text | Opcode::Binary) {
            return Err(Violation::protocol(if opcode.is_control() {
                "a control frame with the bit of compression"
            } else {
                "a continuation with the bit of compression, which is that of a message's first frame"
            }));
        }
        if self.count < 2 {
            return Ok(None);
        }
        let second = self.bytes[1];
        if second & 0x80 != 0 {
            return Err(Violation::protocol("a masked frame"));
        }
        if opcode.is_control() && usize::from(second) > CONTROL_BYTES_MAX {
            return Err(Violation::protocol("a control frame of more than 125 bytes"));
        }
        let [_, _, long @ ..] = &self.bytes;
        let (length, least) = match (second, self.count) {
            (126, 4..) => (u64::from(u16::from_be_bytes([long[0], long[1]])), 126),
            (127, 10..) => (u64::from_be_bytes(*long), 1 << 16),
            (126 | 127, _) => return Ok(None),
            (short, _) => (u64::from(short), 0),
        };
        if length < least {
            return Err(Violation::protocol("a length written in more bytes than it needs"));
        }
        if length > i64::MAX as u64 {
            return Err(Violation { code: MESSAGE_TOO_BIG, what: "a frame of more than 2^63 bytes" });
        }
        Ok(Some(Head { opcode, is_final, is_compressed, length }))
    }
}

/// Begins a frame in an empty buffer: leaves room for its head. Its payload follows.
pub(crate) fn begin(frame: &mut Vec<u8>) {
    frame.clear();
    frame.resize(SENT_HEAD_MAX, 0);
}

/// Writes the head of a whole message or control frame before the payload that follows [`begin`], and masks that.
/// Returns where the frame begins in its buffer.
pub(crate) fn finish(frame: &mut [u8], opcode: Opcode, is_compressed: bool, mask: [u8; 4]) -> usize {
    let (room, payload) = frame.split_at_mut(SENT_HEAD_MAX);
    let length = payload.len();
    let start = SENT_HEAD_MAX
        - 4
        - if length < 126 {
            2
        } else if length < 1 << 16 {
            4
        } else {
            10
        };
    let head = &mut room[start..];
    head[0] = 0x80 | if is_compressed { COMPRESSED } else { 0 } | opcode.number();
    match head.len() {
        6 => head[1] = 0x80 | length as u8,
        8 => {
            head[1] = 0x80 | 126;
            head[2..4].copy_from_slice(&(length as u16).to_be_bytes());
        }
        _ => {
            head[1] = 0x80 | 127;
            head[2..10].copy_from_slice(&(length as u64).to_be_bytes());
        }
    }
    let end = head.len();
    head[end - 4..].copy_from_slice(&mask);
    apply_mask(payload, mask);
    start
}

/// RFC 6455, section 5.3. Masking a second time takes the mask off.
pub(crate) fn apply_mask(payload: &mut [u8], mask: [u8; 4]) {
    let wide = u64::from_ne_bytes(std::array::from_fn(|index| mask[index % 4]));
    let (blocks, rest) = payload.as_chunks_mut();
    for block in blocks {
        *block = (u64::from_ne_bytes(*block) ^ wide).to_ne_bytes();
    }
    rest.iter_mut().zip(mask.into_iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<Option<Head>, Violation> {
        HeadReader::default().feed(bytes, false).map(|(_, head)| head)
    }

    fn read_agreed(bytes: &[u8]) -> Result<Option<Head>, Violation> {
        HeadReader::default().feed(bytes, true).map(|(_, head)| head)
    }

    fn head(opcode: Opcode, length: u64) -> Result<Option<Head>, Violation> {
        Ok(Some(Head { opcode, is_final: true, is_compressed: false, length }))
    }

    fn text(length: u64) -> Head {
        Head { opcode: Opcode::Text, is_final: true, is_compressed: false, length }
    }

    /// The examples of RFC 6455, section 5.7.
    #[test]
    fn heads_are_read_as_the_standard_has_them() {
        assert_eq!(read(&[0x81, 0x05]), head(Opcode::Text, 5));
        assert_eq!(read(&[0x01, 0x03]), Ok(Some(Head { is_final: false, ..text(3) })));
        assert_eq!(read(&[0x80, 0x02]), head(Opcode::Continuation, 2));
        assert_eq!(read(&[0x89, 0x05]), head(Opcode::Ping, 5));
        assert_eq!(read(&[0x82, 0x7e, 0x01, 0x00]), head(Opcode::Binary, 256));
        assert_eq!(read(&[0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0]), head(Opcode::Binary, 65536));
        assert_eq!(read(&[0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0]), Ok(None));
    }

    #[test]
    fn a_head_that_breaks_the_protocol_is_refused_at_the_byte_that_does() {
        for (bytes, what) in [
            ([0xc1_u8].as_slice(), "reserved bit"),
            (&[0xa1], "reserved bit"),
            (&[0x91], "reserved bit"),
            (&[0x83], "reserved opcode"),
            (&[0x8b], "reserved opcode"),
            (&[0x08], "fragment of a control frame"),
            (&[0x81, 0x80], "masked"),
            (&[0x89, 0x7e], "more than 125"),
            (&[0x81, 0x7e, 0, 125], "more bytes than it needs"),
            (&[0x81, 0x7f, 0, 0, 0, 0, 0, 0, 255, 255], "more bytes than it needs"),
            (&[0x81, 0x7f, 128, 0, 0, 0, 0, 0, 0, 0], "2^63"),
        ] {
            let why = read(bytes).unwrap_err();
            assert!(why.what.contains(what), "{bytes:?}: {why:?}");
            assert_eq!(read(&bytes[..bytes.len() - 1]), Ok(None), "{bytes:?}");
        }
    }

    /// RFC 7692, sections 6.1 and 7.2.3.1.
    #[test]
    fn the_bit_of_compression_is_that_of_a_first_frame_where_it_was_agreed_on() {
        assert_eq!(read_agreed(&[0xc1, 0x07]), Ok(Some(Head { is_compressed: true, ..text(7) })));
        let first = Head { is_compressed: true, is_final: false, ..text(3) };
        assert_eq!(read_agreed(&[0x41, 0x03]), Ok(Some(first)));
        assert_eq!(read_agreed(&[0x81, 0x05]), head(Opcode::Text, 5), "a message may be as it is");
        for (bytes, what) in [
            ([0xc0_u8], "a continuation with the bit of compression"),
            ([0x40], "a continuation with the bit of compression"),
            ([0xc8], "a control frame with the bit of compression"),
            ([0xc9], "a control frame with the bit of compression"),
            ([0xca], "a control frame with the bit of compression"),
            ([0xe1], "a reserved bit"),
            ([0xd1], "a reserved bit"),
            ([0xa1], "a reserved bit"),
            ([0xc3], "a reserved opcode"),
        ] {
            let why = read_agreed(&bytes).unwrap_err();
            assert!(why.what.contains(what) && why.code == PROTOCOL_ERROR, "{bytes:x?}: {why:?}");
        }
    }

    /// The masked `Hello` of RFC 6455, section 5.7; compressed it has one bit more, and the payload of RFC 7692, section
    /// 7.2.3.1.
    #[test]
    fn a_frame_is_written_as_the_standard_has_it() {
        let mut frame = Vec::new();
        begin(&mut frame);
        frame.extend_from_slice(b"Hello");
        let start = finish(&mut frame, Opcode::Text, false, [0x37, 0xfa, 0x21, 0x3d]);
        assert_eq!(frame[start..], [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]);
        begin(&mut frame);
        frame.extend_from_slice(&[0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]);
        let start = finish(&mut frame, Opcode::Text, true, [0; 4]);
        assert_eq!(frame[start..], [0xc1, 0x87, 0, 0, 0, 0, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]);
    }

    /// The head that a server would have written for the same frame, without the mask.
    fn unmasked(frame: &[u8]) -> Vec<u8> {
        let mut head = frame.to_vec();
        head[1] &= 0x7f;
        head
    }

    proptest! {
        #[test]
        fn a_written_head_reads_back(length in prop_oneof![0usize..300, 65_000usize..66_500], mask: [u8; 4]) {
            let payload: Vec<u8> = (0..length).map(|index| index as u8).collect();
            let mut frame = Vec::new();
            begin(&mut frame);
            frame.extend_from_slice(&payload);
            let start = finish(&mut frame, Opcode::Binary, false, mask);
            prop_assert_eq!(read(&unmasked(&frame[start..])), head(Opcode::Binary, length as u64));
            let (head, masked) = frame[start..].split_at_mut(SENT_HEAD_MAX - start);
            prop_assert_eq!(&head[head.len() - 4..], mask);
            let by_hand: Vec<u8> = payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
            prop_assert_eq!(&*masked, by_hand.as_slice());
            apply_mask(masked, mask);
            prop_assert_eq!(&*masked, payload.as_slice());
        }
    }
}
