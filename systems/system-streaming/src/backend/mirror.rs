//! A WebSocket whose frames come back as they came, but for their masks. What a client has compressed it inflates itself, so
//! that compression costs this side nothing: a generator's cost can be measured beside that of messages as they are.

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_websockets::CloseCode;

use crate::traffic::{End, Fate, Traffic, WRONG};
use crate::websocket::MESSAGE_MAX;

/// What is read at once at least.
const READ_BYTES: usize = 8 * 1024;
/// First byte of a whole text, of a pong and of a close frame; and of all control frames the bit.
const TEXT: u8 = 0x81;
const PONG: u8 = 0x8a;
const CLOSE: u8 = 0x88;
const CONTROL: u8 = 0x08;
const FINAL: u8 = 0x80;

/// Reads frames and writes them again, those that came together at once; `bytes` is what the messages among them had.
pub(super) async fn repeat_all<S>(io: &mut S, traffic: &Traffic, bytes: &mut u64) -> End
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut read, mut written) = (BytesMut::new(), Vec::new());
    loop {
        let end = loop {
            let (first, payload) = match frame(&mut read) {
                Ok(Some(frame)) => frame,
                Ok(None) => break None,
                Err(code) => {
                    write(&mut written, CLOSE, &u16::from(code).to_be_bytes());
                    break Some(End::Lost);
                }
            };
            match first & 0x0f {
                0x08 => {
                    write(&mut written, CLOSE, &payload);
                    break Some(End::Closed);
                }
                0x09 => write(&mut written, PONG, &payload),
                control if control & CONTROL != 0 => {}
                // A part of a message is not a message yet.
                _ if first & FINAL == 0 => write(&mut written, first, &payload),
                _ => {
                    traffic.take(&traffic.messages).await;
                    let fate = traffic.hand(&traffic.messages).await;
                    let copies = match fate {
                        Fate::Passed | Fate::Wrong => 1,
                        Fate::Dropped => 0,
                        Fate::Doubled => 2,
                    };
                    let (first, payload) =
                        if fate == Fate::Wrong { (TEXT, WRONG.as_bytes()) } else { (first, &*payload) };
                    for _ in 0..copies {
                        *bytes += payload.len() as u64;
                        write(&mut written, first, payload);
                    }
                }
            }
        };
        if !written.is_empty() && io.write_all(&written).await.is_err() {
            return End::Lost;
        }
        written.clear();
        if let Some(end) = end {
            return end;
        }
        read.reserve(READ_BYTES);
        if !matches!(io.read_buf(&mut read).await, Ok(1..)) {
            return End::Lost;
        }
    }
}

/// Says goodbye with a code. Nothing that comes then is read.
pub(super) async fn goodbye<S: AsyncWrite + Unpin>(io: &mut S, code: CloseCode) {
    let mut frame = Vec::new();
    write(&mut frame, CLOSE, &u16::from(code).to_be_bytes());
    // Fails if the other side is gone already.
    let _ = io.write_all(&frame).await;
}

/// Takes the next frame if all of it is there: its first byte, and its payload without the mask.
///
/// # Errors
/// The code that ends the connection: it is not masked, or too long.
fn frame(read: &mut BytesMut) -> Result<Option<(u8, BytesMut)>, CloseCode> {
    let (first, second, rest) = match &read[..] {
        [first, second, rest @ ..] => (*first, *second, rest),
        _ => return Ok(None),
    };
    if second & 0x80 == 0 {
        return Err(CloseCode::PROTOCOL_ERROR);
    }
    let (head, length) = match (second & 0x7f, rest) {
        (126, [high, low, ..]) => (8, u64::from(u16::from_be_bytes([*high, *low]))),
        (127, [a, b, c, d, e, f, g, h, ..]) => (14, u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h])),
        (126 | 127, _) => return Ok(None),
        (short, _) => (6, u64::from(short)),
    };
    if length > MESSAGE_MAX as u64 {
        return Err(CloseCode::MESSAGE_TOO_BIG);
    }
    let length = length as usize;
    if read.len() < head + length {
        return Ok(None);
    }
    let mask = [read[head - 4], read[head - 3], read[head - 2], read[head - 1]];
    read.advance(head);
    let mut payload = read.split_to(length);
    payload.iter_mut().zip(mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    Ok(Some((first, payload)))
}

/// Appends a frame without a mask.
fn write(written: &mut Vec<u8>, first: u8, payload: &[u8]) {
    written.push(first);
    match payload.len() {
        short @ 0..126 => written.push(short as u8),
        medium @ 126..65536 => {
            written.push(126);
            written.extend_from_slice(&(medium as u16).to_be_bytes());
        }
        long => {
            written.push(127);
            written.extend_from_slice(&(long as u64).to_be_bytes());
        }
    }
    written.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The masked `Hello` of RFC 6455, section 5.7, byte by byte.
    #[test]
    fn a_frame_is_taken_when_all_of_it_is_there_and_written_without_its_mask() {
        let masked = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
        let mut read = BytesMut::new();
        for byte in &masked[..10] {
            read.extend_from_slice(&[*byte]);
            assert_eq!(frame(&mut read), Ok(None));
        }
        read.extend_from_slice(&masked[10..]);
        let (first, payload) = frame(&mut read).unwrap().unwrap();
        assert_eq!((first, &payload[..], read.len()), (0x81, b"Hello".as_slice(), 0));
        let mut written = Vec::new();
        write(&mut written, first, &payload);
        assert_eq!(written, [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]);
    }

    #[test]
    fn what_is_not_masked_or_too_long_ends_the_connection() {
        let ends = |bytes: &[u8]| frame(&mut BytesMut::from(bytes)).map_err(u16::from);
        assert_eq!(ends(&[0x81, 0x05, 0x48]), Err(1002));
        assert_eq!(ends(&[0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1]), Err(1009));
        assert_eq!(ends(&[0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0]), Ok(None));
    }
}
