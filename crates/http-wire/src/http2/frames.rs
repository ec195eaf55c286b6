//! Frames that bring nothing, counted: what the library leaves without a bound.
//!
//! A server can send PING, SETTINGS, WINDOW_UPDATE, PRIORITY, resets, heads of exchanges that are long over and frames
//! that nobody knows for as long as it likes. Each is small and soon forgotten, so the library takes them all; together
//! they keep a load thread busy for good. Here each costs one of a stock, which exchanges and data fill up again.

/// Frames that a connection may bring beyond what its exchanges account for, and the most that is ever in stock: a ping
/// a second for almost three hours.
const STOCK: u32 = 10_000;
/// For each exchange: 16 interim heads, the head, trailers, continuations, and a server's housekeeping beside them.
const PER_EXCHANGE: u32 = 64;
/// One more for so many bytes of data, in either direction: a server may answer each frame of a large request with two
/// updates of its windows, and measure its path with pings.
const BYTES_EACH: u64 = 256;
/// A frame's header (RFC 9113, section 4.1).
const HEADER_BYTES: usize = 9;
const DATA: u8 = 0;

/// The server sent too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// Follows the frames of one direction of a connection.
#[derive(Debug)]
pub(super) struct Frames {
    header: [u8; HEADER_BYTES],
    /// Bytes of the header that have come.
    have: usize,
    /// Bytes of the frame's content that are still to come.
    left: usize,
    stock: u32,
    /// Bytes of data that have not filled the stock yet.
    data: u64,
}

impl Frames {
    pub(super) fn new() -> Self {
        Self { header: [0; HEADER_BYTES], have: 0, left: 0, stock: STOCK, data: 0 }
    }

    /// An exchange begins.
    pub(super) fn exchange(&mut self) {
        self.stock = (self.stock + PER_EXCHANGE).min(STOCK);
    }

    /// So many bytes of data pass, in either direction.
    pub(super) fn data(&mut self, bytes: u64) {
        self.data += bytes;
        let more = u32::try_from(self.data / BYTES_EACH).unwrap_or(STOCK);
        self.data %= BYTES_EACH;
        self.stock = self.stock.saturating_add(more).min(STOCK);
    }

    /// Takes what the server sent, however it is split. How many frames began in it.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Result<u32, TooMany> {
        let mut begun = 0;
        loop {
            let skipped = bytes.len().min(self.left);
            self.left -= skipped;
            bytes = &bytes[skipped..];
            if bytes.is_empty() {
                return Ok(begun);
            }
            let taken = bytes.len().min(HEADER_BYTES - self.have);
            self.header[self.have..self.have + taken].copy_from_slice(&bytes[..taken]);
            self.have += taken;
            bytes = &bytes[taken..];
            if self.have < HEADER_BYTES {
                return Ok(begun);
            }
            self.have = 0;
            begun += 1;
            let [a, b, c, kind, ..] = self.header;
            self.left = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
            if kind == DATA && self.left > 0 {
                self.data(self.left as u64);
            } else {
                self.stock = self.stock.checked_sub(1).ok_or(TooMany)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(kind: u8, length: usize) -> Vec<u8> {
        let length_bytes = (length as u32).to_be_bytes();
        let header = [length_bytes[1], length_bytes[2], length_bytes[3], kind, 0, 0, 0, 0, 1];
        [&header[..], &vec![7; length]].concat()
    }

    #[test]
    fn frames_that_bring_nothing_use_the_stock_up_and_exchanges_and_data_fill_it() {
        for (kind, length) in [(6, 8), (4, 0), (8, 4), (2, 5), (3, 4), (1, 1), (9, 100), (0xbb, 50), (DATA, 0)] {
            let one = frame(kind, length);
            let taken = |more: &dyn Fn(&mut Frames)| {
                let mut frames = Frames::new();
                (0..STOCK).for_each(|_| assert_eq!(frames.feed(&one), Ok(1)));
                more(&mut frames);
                (0..).take_while(|_| frames.feed(&one).is_ok()).count() as u32
            };
            assert_eq!(taken(&|_| {}), 0, "{kind}");
            assert_eq!(taken(&|frames| frames.exchange()), PER_EXCHANGE, "{kind}");
            let data = frame(DATA, BYTES_EACH as usize * 3);
            assert_eq!(taken(&|frames| assert_eq!(frames.feed(&data), Ok(1))), 3, "{kind}");
            assert_eq!(taken(&|frames| frames.data(BYTES_EACH * 5 + 1)), 5, "{kind}");
        }
    }

    #[test]
    fn a_server_that_answers_each_exchange_with_housekeeping_goes_on_for_ever() {
        let mut frames = Frames::new();
        let answer = [frame(8, 4), frame(6, 8), frame(1, 20), frame(DATA, 100), frame(DATA, 0), frame(1, 5)].concat();
        for _ in 0..100_000 {
            frames.exchange();
            assert_eq!(frames.feed(&answer), Ok(6));
        }
        assert_eq!(frames.stock, STOCK - 5);
    }

    proptest! {
        #[test]
        fn however_split_the_count_is_the_same(
            made in proptest::collection::vec((0u8..12, 0usize..40), 0..20),
            piece in 1usize..30,
        ) {
            let bytes: Vec<u8> = made.iter().flat_map(|&(kind, length)| frame(kind, length)).collect();
            let (mut whole, mut parts) = (Frames::new(), Frames::new());
            prop_assert_eq!(whole.feed(&bytes), Ok(made.len() as u32));
            prop_assert!(bytes.chunks(piece).all(|part| parts.feed(part).is_ok()));
            let empty = made.iter().filter(|&&(kind, length)| kind != DATA || length == 0).count() as u32;
            prop_assert!(STOCK - whole.stock <= empty);
            prop_assert_eq!((whole.stock, whole.left, whole.have), (parts.stock, parts.left, parts.have));
        }
    }
}
