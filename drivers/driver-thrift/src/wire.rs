//! Thrift's binary protocol, as far as calls and their replies need it: strict messages, structs, lists.
//!
//! Big-endian throughout. A message is its version and kind, name and number, then a struct; a struct is fields, each its
//! type and id before its value, and a stop.

/// Version 1 of the protocol, in the upper half of a message's first word.
const VERSION: u32 = 0x8001_0000;
pub(crate) const CALL: u8 = 1;
pub(crate) const REPLY: u8 = 2;
pub(crate) const EXCEPTION: u8 = 3;

/// Types of values.
pub(crate) mod kind {
    pub(crate) const STOP: u8 = 0;
    pub(crate) const BOOL: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const DOUBLE: u8 = 4;
    pub(crate) const I16: u8 = 6;
    pub(crate) const I32: u8 = 8;
    pub(crate) const I64: u8 = 10;
    pub(crate) const STRING: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
    pub(crate) const MAP: u8 = 13;
    pub(crate) const SET: u8 = 14;
    pub(crate) const LIST: u8 = 15;
}

/// Structs and lists within each other.
const DEPTH_MAX: usize = 16;
/// A text of a reply; a stack trace in an exception is shorter.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Name of a method.
const NAME_BYTES_MAX: usize = 256;

/// Begins a call.
pub(crate) fn begin(into: &mut Vec<u8>, method: &str, number: i32) {
    into.extend_from_slice(&(VERSION | u32::from(CALL)).to_be_bytes());
    text(into, method.as_bytes());
    into.extend_from_slice(&number.to_be_bytes());
}

/// A field's type and id.
pub(crate) fn field(into: &mut Vec<u8>, kind: u8, id: i16) {
    into.push(kind);
    into.extend_from_slice(&id.to_be_bytes());
}

/// A text with its length.
pub(crate) fn text(into: &mut Vec<u8>, bytes: &[u8]) {
    into.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    into.extend_from_slice(bytes);
}

/// A field that is a text.
pub(crate) fn text_field(into: &mut Vec<u8>, id: i16, bytes: &[u8]) {
    field(into, kind::STRING, id);
    text(into, bytes);
}

/// A field that is a list of so many values of a type, which are written already.
pub(crate) fn list_field(into: &mut Vec<u8>, id: i16, of: u8, count: u32, values: &[u8]) {
    field(into, kind::LIST, id);
    into.push(of);
    into.extend_from_slice(&count.to_be_bytes());
    into.extend_from_slice(values);
}

/// Ends a struct.
pub(crate) fn end(into: &mut Vec<u8>) {
    into.push(kind::STOP);
}

/// Why a reply cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It goes on.
    More,
    /// It is not the protocol; what was found wrong.
    Malformed(&'static str),
}

/// Reads values from the front.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Unread> {
        let taken = self.bytes.get(self.at..self.at.saturating_add(count)).ok_or(Unread::More)?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Unread> {
        self.take(N)?.try_into().map_err(|_| Unread::More)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Unread> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn i16(&mut self) -> Result<i16, Unread> {
        Ok(i16::from_be_bytes(self.array()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Unread> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// A length of at most so many bytes.
    fn bounded(&mut self, most: usize, what: &'static str) -> Result<usize, Unread> {
        let length = usize::try_from(self.i32()?).ok().filter(|length| *length <= most);
        length.ok_or(Unread::Malformed(what))
    }

    /// The length of a text.
    pub(crate) fn length(&mut self) -> Result<usize, Unread> {
        self.bounded(TEXT_BYTES_MAX, "a text has an impossible length")
    }

    pub(crate) fn text(&mut self) -> Result<&'a [u8], Unread> {
        let length = self.length()?;
        self.take(length)
    }

    /// Kind, method and number of a message.
    pub(crate) fn message(&mut self) -> Result<(u8, &'a [u8], i32), Unread> {
        let first = self.i32()? as u32;
        if first & 0xffff_0000 != VERSION {
            return Err(Unread::Malformed("it does not begin as a message of version 1 does"));
        }
        let length = self.bounded(NAME_BYTES_MAX, "the name of its method has an impossible length")?;
        Ok((first as u8, self.take(length)?, self.i32()?))
    }

    /// Type and id of the next field; none at the end of a struct.
    pub(crate) fn field(&mut self) -> Result<Option<(u8, i16)>, Unread> {
        match self.byte()? {
            kind::STOP => Ok(None),
            kind => Ok(Some((kind, self.i16()?))),
        }
    }

    /// Passes over a value.
    pub(crate) fn skip(&mut self, kind: u8) -> Result<(), Unread> {
        self.skip_within(kind, DEPTH_MAX)
    }

    fn skip_within(&mut self, kind: u8, depth: usize) -> Result<(), Unread> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(Unread::Malformed("its values lie too deep within each other"));
        };
        match kind {
            kind::BOOL | kind::BYTE => self.take(1).map(drop),
            kind::I16 => self.take(2).map(drop),
            kind::I32 => self.take(4).map(drop),
            kind::I64 | kind::DOUBLE => self.take(8).map(drop),
            kind::STRING => self.text().map(drop),
            kind::STRUCT => {
                while let Some((kind, _)) = self.field()? {
                    self.skip_within(kind, depth)?;
                }
                Ok(())
            }
            kind::MAP => {
                let (keys, values) = (self.byte()?, self.byte()?);
                (0..self.count()?).try_for_each(|_| {
                    self.skip_within(keys, depth)?;
                    self.skip_within(values, depth)
                })
            }
            kind::SET | kind::LIST => {
                let of = self.byte()?;
                (0..self.count()?).try_for_each(|_| self.skip_within(of, depth))
            }
            _ => Err(Unread::Malformed("a value has a type that there is not")),
        }
    }

    /// How many values follow. Each has a byte at least, so what does not exist yet is asked for once, not value by value.
    fn count(&mut self) -> Result<usize, Unread> {
        let count = usize::try_from(self.i32()?).ok().filter(|count| *count <= TEXT_BYTES_MAX);
        let count = count.ok_or(Unread::Malformed("a list has an impossible length"))?;
        if self.bytes.len() - self.at < count { Err(Unread::More) } else { Ok(count) }
    }
}
