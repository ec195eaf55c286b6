//! The chunked transfer coding (RFC 9112, section 7.1), with extensions and trailers, which are read over.

use super::Malformed;

/// Extensions of one chunk may be this long; nobody uses them, so more is an attack.
const EXTENSION_BYTES_MAX: u32 = 4 * 1024;
/// All trailers together.
const TRAILER_BYTES_MAX: u32 = 64 * 1024;
/// 15 hexadecimal digits are beyond any body and cannot overflow.
const SIZE_DIGITS_MAX: u8 = 15;

/// Where in the coding the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Size,
    Extension,
    SizeEnd,
    Data,
    DataReturn,
    DataEnd,
    LineStart,
    Line,
    LineEnd,
    LastEnd,
}

/// Decodes one body.
#[derive(Debug)]
pub(super) struct Chunked {
    at: At,
    left: u64,
    digits: u8,
    extension: u32,
    trailers: u32,
}

impl Default for Chunked {
    fn default() -> Self {
        Self { at: At::Size, left: 0, digits: 0, extension: 0, trailers: 0 }
    }
}

/// What one step took.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) used: usize,
    pub(super) is_data: bool,
    pub(super) is_done: bool,
}

impl Chunked {
    /// Takes a run of data, or one byte of the coding. `bytes` is not empty.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Step, Malformed> {
        if self.at == At::Data {
            let used = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.left -= used as u64;
            if self.left == 0 {
                self.at = At::DataReturn;
            }
            return Ok(Step { used, is_data: true, is_done: false });
        }
        let is_done = self.code(bytes[0])?;
        Ok(Step { used: 1, is_data: false, is_done })
    }

    /// Takes one byte of the coding; whether it was the last.
    fn code(&mut self, byte: u8) -> Result<bool, Malformed> {
        self.at = match (self.at, byte) {
            (At::Size, _) => self.size(byte)?,
            (At::Extension, b'\r') => At::SizeEnd,
            (At::Extension, b'\n') => return Err(Malformed("a chunk's size does not end with CR LF")),
            (At::Extension, _) => {
                self.extension += 1;
                if self.extension > EXTENSION_BYTES_MAX {
                    return Err(Malformed("a chunk's extension is longer than 4 KiB"));
                }
                At::Extension
            }
            (At::SizeEnd, b'\n') => self.size_ended(),
            (At::SizeEnd, _) => return Err(Malformed("a chunk's size does not end with CR LF")),
            (At::DataReturn, b'\r') => At::DataEnd,
            (At::DataEnd, b'\n') => At::Size,
            (At::DataReturn | At::DataEnd, _) => return Err(Malformed("a chunk is longer than its size")),
            (At::LineStart, b'\r') => At::LastEnd,
            (At::LastEnd, b'\n') => return Ok(true),
            (At::LastEnd, _) => return Err(Malformed("the chunks do not end with CR LF")),
            (At::Line, b'\r') => At::LineEnd,
            (At::LineEnd, b'\n') => At::LineStart,
            (At::LineStart | At::Line | At::LineEnd, _) => self.trailer(byte)?,
            (At::Data, _) => unreachable!("data is taken as a run"),
        };
        Ok(false)
    }

    fn size(&mut self, byte: u8) -> Result<At, Malformed> {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            b'\r' if self.digits > 0 => return Ok(At::SizeEnd),
            b';' | b' ' | b'\t' if self.digits > 0 => return Ok(At::Extension),
            _ => return Err(Malformed("a chunk's size is not a hexadecimal number")),
        };
        self.digits += 1;
        if self.digits > SIZE_DIGITS_MAX {
            return Err(Malformed("a chunk's size has more than 15 digits"));
        }
        self.left = self.left << 4 | u64::from(digit);
        Ok(At::Size)
    }

    fn size_ended(&mut self) -> At {
        self.digits = 0;
        self.extension = 0;
        if self.left == 0 { At::LineStart } else { At::Data }
    }

    fn trailer(&mut self, byte: u8) -> Result<At, Malformed> {
        if byte == b'\n' || self.at == At::LineEnd {
            return Err(Malformed("a trailer does not end with CR LF"));
        }
        self.trailers += 1;
        if self.trailers > TRAILER_BYTES_MAX {
            return Err(Malformed("its trailers are longer than 64 KiB"));
        }
        Ok(At::Line)
    }
}
