//! For the fuzz targets alone: the parser of event streams, with what must hold of it.

use crate::parser::{Block, Parser};
use crate::sequence::Sequence;
use http_wire::Spare;

/// Most bytes of an event.
const EVENT_MAX: u64 = 1000;

/// What has come of a stream: of each block its id and its event, comments, the time to wait, and whether an event was too
/// long.
type Seen = (Vec<(Option<Vec<u8>>, Option<(Vec<u8>, Vec<u8>)>)>, u32, Option<u32>, bool);

/// A stream of events. It means the same however it is split, and nothing grows beyond its bound.
pub fn stream(bytes: &[u8]) {
    let whole = read(bytes, bytes.len().max(1));
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(read(bytes, size), whole, "in pieces of {size} bytes");
    }
    let mut sequence = Sequence::default();
    for (id, event) in &whole.0 {
        assert!(id.as_ref().is_none_or(|id| !id.contains(&0) && is_one_line(id)));
        let Some((kind, data)) = event else { continue };
        assert!(is_one_line(kind) && !kind.is_empty() && !data.contains(&b'\r'));
        assert!(data.len() as u64 <= EVENT_MAX);
        let _ = extract::sent(data);
        if let Some(number) = std::str::from_utf8(data).ok().and_then(|text| text.parse().ok()) {
            sequence.place(number);
        }
    }
    assert!(sequence.holes() < u128::BITS);
}

fn is_one_line(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n'))
}

fn read(bytes: &[u8], size: usize) -> Seen {
    let (mut parser, spare, mut joined) = (Parser::new(EVENT_MAX), Spare::default(), Vec::new());
    let (mut seen, mut is_too_long) = (Vec::new(), false);
    'stream: for piece in bytes.chunks(size) {
        let mut rest = piece;
        while !rest.is_empty() {
            match parser.feed(rest, &spare, &mut joined) {
                Err(_) => {
                    is_too_long = true;
                    break 'stream;
                }
                Ok((used, block)) => {
                    assert!(used > 0 && used <= rest.len(), "it goes on");
                    rest = &rest[used..];
                    seen.extend(block.map(kept));
                }
            }
        }
    }
    // Of an event that is too long comments and the like may have come in another order.
    let (comments, retry) = (parser.take_comments(), parser.take_retry());
    if is_too_long { (seen, 0, None, true) } else { (seen, comments, retry, false) }
}

/// An event's kind and data.
type Kept = (Vec<u8>, Vec<u8>);

fn kept(block: Block<'_>) -> (Option<Vec<u8>>, Option<Kept>) {
    let event = block.event.map(|event| (event.kind.to_vec(), event.data.to_vec()));
    (block.id.map(<[u8]>::to_vec), event)
}
