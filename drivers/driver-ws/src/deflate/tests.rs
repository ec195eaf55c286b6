use super::*;
use flate2::{Compress, Compression, FlushCompress};
use proptest::prelude::*;

/// The payload of a message, as one is.
fn deflated(message: &[u8]) -> Vec<u8> {
    Deflater::default().deflate(message).to_vec()
}

fn inflated(payload: &[u8], most: u64) -> Result<Vec<u8>, Violation> {
    Inflater::default().inflate(payload, most).map(<[u8]>::to_vec)
}

/// Code and reason of a message that is refused.
fn refused(payload: &[u8], most: u64) -> (u16, &'static str) {
    let Violation { code, what } = inflated(payload, most).unwrap_err();
    (code, what)
}

const MIDDLE: (u16, &str) = (BAD_DATA, "a compressed message that ends in the middle of a block");
const NOT_DEFLATE: (u16, &str) = (BAD_DATA, "a compressed message that cannot be inflated");
const TOO_MUCH: (u16, &str) = (MESSAGE_TOO_BIG, "a message that inflates to more than `max_message`");

/// `Hello` in RFC 7692, section 7.2.3.1.
const HELLO: &[u8] = &[0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00];

#[test]
fn the_examples_of_the_standard_are_read() {
    for (section, payload) in [
        ("7.2.3.1", HELLO),
        ("7.2.3.3, without compression", &[0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00]),
        ("7.2.3.4, a last block", &[0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00]),
        ("7.2.3.5, two blocks", &[0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00]),
        ("7.2.3.4 as some send it, without the byte at the end", &[0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]),
    ] {
        assert_eq!(inflated(payload, 5), Ok(b"Hello".to_vec()), "{section}");
        assert_eq!(refused(payload, 4), TOO_MUCH, "{section}");
    }
    // Section 7.2.3.6.
    assert_eq!(inflated(&[0x00], 0), Ok(Vec::new()));
    // Two streams, each with a last block: the second begins anew.
    let twice = [&[0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00][..], HELLO].concat();
    assert_eq!(inflated(&twice, 10), Ok(b"HelloHello".to_vec()));
}

/// The second `Hello` of section 7.2.3.2 points back into the first one, which was agreed not to be kept.
#[test]
fn nothing_of_one_message_is_kept_for_the_next() {
    let mut inflater = Inflater::default();
    assert_eq!(inflater.inflate(HELLO, 5), Ok(b"Hello".as_slice()));
    assert_eq!(inflater.inflate(&[0xf2, 0x00, 0x11, 0x00, 0x00], 5).unwrap_err().code, BAD_DATA);
    assert_eq!(inflater.inflate(HELLO, 5), Ok(b"Hello".as_slice()), "nor what was wrong with it");
    let mut deflater = Deflater::default();
    let (first, second) = (deflater.deflate(b"Hello").to_vec(), deflater.deflate(b"Hello").to_vec());
    assert_eq!((first, second), (HELLO.to_vec(), HELLO.to_vec()));
}

#[test]
fn an_empty_message_is_a_byte() {
    assert_eq!(deflated(b""), [0x00]);
}

#[test]
fn a_message_that_ends_in_the_middle_of_a_block_is_refused() {
    for payload in [
        &HELLO[..6],
        &HELLO[..3],
        // A block without compression whose content, or whose length, is cut off: what is put behind it is not content.
        &[0x00, 0x05, 0x00, 0xfa, 0xff, 0x48],
        &[0x00, 0x09, 0x00, 0xf6, 0xff],
        &[0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f],
        &[0x00, 0x0f, 0x00, 0xf0, 0xff, 0x48],
        &[0x00, 0x05, 0x00],
    ] {
        assert_eq!(refused(payload, 1000), MIDDLE, "{payload:x?}");
    }
    // Each cut of a long one, as far as it is one: the last byte alone may be missing where the block has ended.
    let text = (0..200).map(|number| format!("line {number} of {}\n", number * 7)).collect::<String>();
    let payload = deflated(text.as_bytes());
    assert_eq!(inflated(&payload, 10_000), Ok(text.into_bytes()));
    for end in 0..payload.len() {
        assert_eq!(refused(&payload[..end], 10_000), MIDDLE, "the first {end} of {} bytes", payload.len());
    }
}

#[test]
fn what_is_not_deflates_is_refused() {
    // A kind of block that there is not, a length that is not its complement's, codes that make no tree, a way back that
    // is too far.
    for payload in
        [&[0x06][..], &[0x00, 0x01, 0x00, 0x00, 0x00], &[0x04, 0xff, 0xff, 0xff, 0xff], &[0xf2, 0x00, 0x11, 0x00, 0x00]]
    {
        assert_eq!(refused(payload, 1000), NOT_DEFLATE, "{payload:x?}");
    }
    assert_eq!(refused(&[], 1000), MIDDLE);
}

/// So many times 64 MiB of zeros, a thousandth of it on the wire.
fn bomb(times: usize) -> Vec<u8> {
    let (mut compress, mut block) = (Compress::new(Compression::best(), false), Vec::with_capacity(1 << 20));
    let zeros = vec![0; 1 << 26];
    let _ = compress.compress_vec(&zeros, &mut block, FlushCompress::Full).unwrap();
    assert_eq!(compress.total_in(), 1 << 26);
    let mut payload = block.repeat(times);
    payload.truncate(payload.len() - TAIL.len());
    payload
}

#[test]
fn a_bomb_takes_no_more_memory_than_a_message() {
    let bomb = bomb(16);
    assert!(bomb.len() < 1 << 21, "a gibibyte in {} bytes", bomb.len());
    for most in [1, 1000, 100_000, 1 << 20] {
        let mut inflater = Inflater::default();
        inflater.warm_up();
        let mut seen = None;
        let memory = allocation_counter::measure(|| seen = Some(inflater.inflate(&bomb, most).unwrap_err()));
        assert_eq!(seen.map(|violation| (violation.code, violation.what)), Some(TOO_MUCH));
        assert!(memory.bytes_max <= 2 * most.max(4096), "{most}: {memory:?}");
    }
    // A thousand bytes that would be a million.
    let small = deflated(&[0; 1_000_000]);
    assert!(small.len() < 10_000, "{}", small.len());
    assert_eq!(refused(&small, 999_999), TOO_MUCH);
    assert_eq!(inflated(&small, 1_000_000).map(|content| content.len()), Ok(1_000_000));
}

#[test]
fn a_message_allocates_nothing_once_warm() {
    let (mut deflater, mut inflater) = (Deflater::default(), Inflater::default());
    let message = b"a message of some length, and of some length ".repeat(100);
    let mut turn = |count: usize| {
        for _ in 0..count {
            let payload = deflater.deflate(&message);
            assert_eq!(inflater.inflate(payload, 1 << 20), Ok(message.as_slice()));
        }
    };
    turn(2);
    assert_eq!(allocation_counter::measure(|| turn(100)).count_total, 0);
}

#[test]
fn a_long_message_leaves_no_memory_behind() {
    let (mut deflater, mut inflater) = (Deflater::default(), Inflater::default());
    // No compressor makes this smaller.
    let mut state = 1u64;
    let message: Vec<u8> = (0..6_000_000)
        .map(|_| {
            state = terms::seed::hash(state, 1);
            state as u8
        })
        .collect();
    let payload = deflater.deflate(&message).to_vec();
    assert!(payload.len() as u64 <= compressed_max(message.len() as u64), "{}", payload.len());
    assert_eq!(inflater.inflate(&payload, 6_000_000), Ok(message.as_slice()));
    inflater.let_go();
    let _ = deflater.deflate(b"short");
    assert!(inflater.content.capacity() <= KEPT_BYTES_MAX && deflater.payload.capacity() <= KEPT_BYTES_MAX);
}

/// Bytes that repeat, and bytes that do not.
fn message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..2000),
        proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b')], 0..5000),
        (any::<u8>(), 0usize..300_000).prop_map(|(byte, count)| vec![byte; count]),
        ".{0,500}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #[test]
    fn what_is_compressed_inflates_to_what_it_was(messages in proptest::collection::vec(message(), 1..4)) {
        let (mut deflater, mut inflater) = (Deflater::default(), Inflater::default());
        for message in messages {
            let most = message.len() as u64;
            let payload = deflater.deflate(&message);
            prop_assert!(payload.len() as u64 <= compressed_max(most));
            prop_assert_eq!(inflater.inflate(payload, most), Ok(message.as_slice()));
            if most > 0 {
                let less = inflater.inflate(payload, most - 1).map_err(|violation| violation.code);
                prop_assert_eq!(less.map(<[u8]>::len), Err(MESSAGE_TOO_BIG));
            }
        }
    }

    #[test]
    fn any_bytes_end_within_bounds(payload in proptest::collection::vec(any::<u8>(), 0..300), most in 0u64..2000) {
        match inflated(&payload, most) {
            Ok(content) => prop_assert!(content.len() as u64 <= most),
            Err(violation) => prop_assert!([BAD_DATA, MESSAGE_TOO_BIG].contains(&violation.code)),
        }
    }
}
