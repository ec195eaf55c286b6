//! Messages compressed and inflated (RFC 7692, section 7.2), each by itself: nothing of one is kept for the next, so one
//! compressor and one decompressor serve all connections of a thread.

use crate::close::{BAD_DATA, MESSAGE_TOO_BIG};
use crate::frame::Violation;
use miniz_oxide::deflate::core::CompressorOxide;
use miniz_oxide::deflate::stream::deflate;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use miniz_oxide::{DataFormat, MZFlush};

/// What ends a compressed message and is left out of it: the length of an empty block without compression, whose head is
/// the last thing in the message.
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];
/// The same again, and a last empty block behind it. It is read as that where the message had ended with a block, and as
/// something else where it had ended within one.
const PROBE: [u8; 9] = [0, 0, 0xff, 0xff, 1, 0, 0, 0xff, 0xff];
/// The fastest that is not none: what a message costs is mostly what the compressor's tables do, whatever the level.
const LEVEL: u8 = 1;
/// There may be more to come, and what was made stands in one piece, so that no distance reaches before the message.
const FLAGS: u32 = TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
/// Memory for what a message inflates to grows from here, twice as much at a time.
const CONTENT_BYTES_FIRST: usize = 4096;
/// A buffer that grew larger is given back to the system, as with [`http_wire::Spare`].
const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Most bytes of a compressed message whose content may have so many. Codes of the standard's own take nine bits for a
/// byte at most, and the rest is for blocks that are flushed one by one; a server that sends empty ones without end meets
/// it.
pub(crate) fn compressed_max(message_max: u64) -> u64 {
    message_max + message_max / 8 + 1024
}

/// Makes messages of a load thread small.
#[derive(Default)]
pub(crate) struct Deflater {
    /// Some 300 KiB, and none where no study asks for it.
    compressor: Option<Box<CompressorOxide>>,
    /// As long as any payload was so far; what a message takes of it is its own.
    payload: Vec<u8>,
}

impl Deflater {
    /// Takes the memory that the first message would.
    pub(crate) fn warm_up(&mut self) {
        self.deflate(b"");
    }

    /// The payload of a frame whose message this is.
    pub(crate) fn deflate(&mut self, message: &[u8]) -> &[u8] {
        let compressor = self.compressor.get_or_insert_with(|| {
            let mut compressor = Box::<CompressorOxide>::default();
            compressor.set_format_and_level(DataFormat::Raw, LEVEL);
            compressor
        });
        // As much as any message becomes.
        let mut room = message.len() + message.len() / 8 + 128;
        if self.payload.len() > KEPT_BYTES_MAX {
            self.payload = Vec::new();
        }
        loop {
            if self.payload.len() < room {
                self.payload.resize(room, 0);
            }
            compressor.reset();
            let made = deflate(compressor, message, &mut self.payload, MZFlush::Sync);
            let payload = made.bytes_written;
            if made.bytes_consumed == message.len() && payload < self.payload.len() {
                let payload = &self.payload[..payload];
                return payload.strip_suffix(&TAIL).expect("invariant: what is flushed ends with an empty block");
            }
            room *= 2;
        }
    }
}

/// Makes messages of a load thread what they were.
#[derive(Default)]
pub(crate) struct Inflater {
    /// Some 10 KiB, and none where no study asks for it.
    decompressor: Option<Box<DecompressorOxide>>,
    /// As long as any content was so far; what a message takes of it is its own.
    content: Vec<u8>,
}

impl Inflater {
    /// Takes the memory that the first message would.
    pub(crate) fn warm_up(&mut self) {
        let _ = self.inflate(&[0], CONTENT_BYTES_FIRST as u64);
    }

    /// Gives back what a long message took.
    pub(crate) fn let_go(&mut self) {
        if self.content.len() > KEPT_BYTES_MAX {
            self.content = Vec::new();
        }
    }

    /// The content of a message with this payload, of at most `most` bytes.
    ///
    /// # Errors
    /// It would be longer, which ends it there; it is not Deflate's; or it ends within a block.
    pub(crate) fn inflate(&mut self, payload: &[u8], most: u64) -> Result<&[u8], Violation> {
        let decompressor = self.decompressor.get_or_insert_with(Box::default);
        decompressor.init();
        let most = usize::try_from(most).unwrap_or(usize::MAX - 1);
        let mut run = Run { decompressor, content: &mut self.content, length: 0, most };
        // A last block that ends with the message needs nothing behind it, though its sender should have put a byte there
        // (section 7.2.3.4): browsers take it, too.
        let is_ended = run.take(payload)?;
        let length = run.length;
        if is_ended || (run.take(&PROBE) == Ok(true) && run.length == length) {
            return Ok(&self.content[..length]);
        }
        Err(Violation { code: BAD_DATA, what: "a compressed message that ends in the middle of a block" })
    }
}

/// A message while it is inflated.
struct Run<'a> {
    decompressor: &'a mut DecompressorOxide,
    content: &'a mut Vec<u8>,
    /// How much of it is this message's.
    length: usize,
    most: usize,
}

impl Run<'_> {
    /// Inflates all of `bytes`, and says whether a last block ended with the last of them. Behind one another may begin.
    fn take(&mut self, bytes: &[u8]) -> Result<bool, Violation> {
        let mut rest = bytes;
        loop {
            // One byte beyond what is allowed is enough to know.
            let room = self.content.len().min(self.most + 1);
            if self.length == room {
                let room = (2 * room).max(CONTENT_BYTES_FIRST).min(self.most + 1);
                self.content.reserve_exact(room - self.content.len());
                self.content.resize(room, 0);
            }
            let room = self.content.len().min(self.most + 1);
            let (status, used, made) =
                decompress(self.decompressor, rest, &mut self.content[..room], self.length, FLAGS);
            rest = &rest[used..];
            self.length += made;
            if self.length > self.most {
                return Err(Violation {
                    code: MESSAGE_TOO_BIG,
                    what: "a message that inflates to more than `max_message`",
                });
            }
            match status {
                TINFLStatus::Done if rest.is_empty() => return Ok(true),
                TINFLStatus::Done => self.decompressor.init(),
                TINFLStatus::NeedsMoreInput => return Ok(false),
                TINFLStatus::HasMoreOutput => {}
                _ => return Err(Violation { code: BAD_DATA, what: "a compressed message that cannot be inflated" }),
            }
        }
    }
}

#[cfg(test)]
mod tests;
