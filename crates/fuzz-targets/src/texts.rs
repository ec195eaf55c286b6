//! Texts that may hold secrets, from whatever writes them.

use crate::first_line;
use scrub::{KeptOut, MARK, Stream};
use std::fmt::Write;

/// Shorter values are left where they stand within a word.
const SECRET_MIN: usize = 6;

/// A secret and a value of a data set in the first two lines, a text behind them: what remains of it never holds the
/// secret, as it is or in hexadecimal digits, however the text comes in pieces.
pub(crate) fn kept_out(data: &[u8]) {
    let (secret, rest) = first_line(data);
    let (value, text) = first_line(rest);
    let kept_out = KeptOut::of([value]).with_secrets([secret]);
    // The mark must not make a secret of what stands beside it.
    let may_be_in_mark = secret.iter().any(|byte| MARK.as_bytes().contains(byte));
    let is_gone = |written: &[u8]| {
        let holds = |piece: &[u8]| written.windows(piece.len()).any(|window| window == piece);
        assert!(may_be_in_mark || secret.len() < SECRET_MIN || !holds(secret), "the secret stays");
    };
    is_gone(&kept_out.cut_bytes(text, &[]));
    is_gone(kept_out.cut(&String::from_utf8_lossy(text)).as_bytes());

    let (mut stream, mut written) = (Stream::new(kept_out.clone()), Vec::new());
    for piece in text.chunks(1 + text.len() / 3) {
        stream.push(piece, &mut written);
    }
    stream.finish(&mut written);
    is_gone(&written);

    let mut digits = String::new();
    secret.iter().for_each(|byte| write!(digits, "{byte:02x}").expect("a text takes all"));
    let coded = [text, b"\n(", digits.as_bytes(), b")\n"].concat();
    let cut = kept_out.cut_bytes(&coded, &[]);
    let stays = cut.ends_with(&[digits.as_bytes(), b")\n"].concat());
    assert!(secret.len() < SECRET_MIN || !stays, "the secret stays in hexadecimal digits");
}
