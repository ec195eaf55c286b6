//! Contents that came coded (RFC 9110, section 8.4): decoded for those who look into them. Time and size stay those of the
//! wire.

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::{self, Read};

/// More codings on one another are an attack or a defect.
const CODINGS_MAX: usize = 4;
/// What a decoder reads at once.
const BUFFER_BYTES: usize = 4096;

/// A body as its author meant it.
#[derive(Debug, PartialEq)]
pub(crate) struct Content<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Whether that is all of it.
    pub(crate) is_whole: bool,
}

/// Takes the codings off a body. `codings` are the values of `Content-Encoding`; `is_whole`, whether all of the body is
/// there; no more than `most` bytes are made of it, however small it is.
///
/// # Errors
/// One sentence, where it cannot be decoded.
pub(crate) fn decode<'a, 'c>(
    body: &'a [u8],
    is_whole: bool,
    codings: impl Iterator<Item = &'c [u8]>,
    most: usize,
) -> Result<Content<'a>, String> {
    let mut content = Content { bytes: Cow::Borrowed(body), is_whole };
    let codings = codings.flat_map(|value| value.split(|&byte| byte == b',')).map(<[u8]>::trim_ascii);
    let is_coding = |coding: &&[u8]| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity");
    let codings: Vec<&[u8]> = codings.filter(is_coding).take(CODINGS_MAX + 1).collect();
    if codings.len() > CODINGS_MAX {
        return Err(format!("the body has more than {CODINGS_MAX} content codings on one another"));
    }
    // They stand in the order in which they were applied. A HEAD request, or a status such as 204, has none to decode.
    for coding in codings.into_iter().rev().filter(|_| !body.is_empty()) {
        let name = String::from_utf8_lossy(coding).to_ascii_lowercase();
        content = one(&content, &name, most)?;
    }
    Ok(content)
}

fn one(content: &Content<'_>, name: &str, most: usize) -> Result<Content<'static>, String> {
    let bytes = &*content.bytes;
    let read = match name {
        "gzip" | "x-gzip" => all(MultiGzDecoder::new(bytes), most),
        // Some servers send what is inside the zlib format alone.
        "deflate" if is_zlib(bytes) => all(ZlibDecoder::new(bytes), most),
        "deflate" => all(DeflateDecoder::new(bytes), most),
        "br" => all(brotli_decompressor::Decompressor::new(bytes, BUFFER_BYTES), most),
        "zstd" => match ruzstd::decoding::StreamingDecoder::new(bytes) {
            Ok(decoder) => all(decoder, most),
            Err(error) => (Vec::new(), Some(io::Error::other(error.to_string()))),
        },
        _ => {
            return Err(format!(
                "the body is coded as `{}`, which cannot be looked into; gzip, deflate, br and zstd can",
                http_wire::written_out(&name.chars().take(40).collect::<String>())
            ));
        }
    };
    let (mut decoded, error) = read;
    let is_long = decoded.len() > most;
    decoded.truncate(most);
    match error {
        // Of a body that was cut off, what came before is as good as of any other.
        Some(error) if content.is_whole => Err(format!("the body is not {name}, as its head says: {error}")),
        error => Ok(Content { bytes: decoded.into(), is_whole: content.is_whole && error.is_none() && !is_long }),
    }
}

/// RFC 1950, section 2.2: the method, and a sum that is a multiple of 31.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [method, flags, ..] if method & 15 == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31))
}

/// What can be read, up to one byte more than is asked for, and what went wrong then.
fn all(decoder: impl Read, most: usize) -> (Vec<u8>, Option<io::Error>) {
    let mut decoded = Vec::new();
    let error = decoder.take(most as u64 + 1).read_to_end(&mut decoded).err();
    (decoded, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use std::io::Write;

    /// What `printf hello | brotli -c` prints.
    const BROTLI: &[u8] = b"\x0f\x02\x80hello\x03";
    /// What `printf hello | zstd -c` prints, with its sum at the end.
    const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x04\x58\x29\x00\x00hello\xa3\x6d\x9f\x88";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn raw(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decoded(body: &[u8], coding: &str, most: usize) -> Result<(Vec<u8>, bool), String> {
        let content = decode(body, true, std::iter::once(coding.as_bytes()), most)?;
        Ok((content.bytes.into_owned(), content.is_whole))
    }

    #[test]
    fn every_coding_of_browsers_is_read() {
        let hello = Ok((b"hello".to_vec(), true));
        for (coding, body) in [
            ("gzip", gzip(b"hello")),
            ("X-GZIP", gzip(b"hello")),
            ("deflate", zlib(b"hello")),
            ("deflate", raw(b"hello")),
            ("br", BROTLI.to_vec()),
            ("zstd", ZSTD.to_vec()),
            ("identity", b"hello".to_vec()),
            ("gzip, deflate", zlib(&gzip(b"hello"))),
        ] {
            assert_eq!(decoded(&body, coding, 100), hello, "{coding}");
        }
        assert_eq!(decoded(b"", "gzip", 100), Ok((Vec::new(), true)), "a HEAD request has no body");
    }

    #[test]
    fn a_bomb_is_no_larger_than_what_is_kept() {
        let bomb = gzip(&gzip(&vec![0; 50_000_000]));
        assert!(bomb.len() < 10_000, "{}", bomb.len());
        assert_eq!(decoded(&bomb, "gzip, gzip", 100_000), Ok((vec![0; 100_000], false)));
        assert!(decoded(b"x", "gzip,gzip,gzip,gzip,gzip", 9).unwrap_err().contains("more than 4"));
    }

    #[test]
    fn what_cannot_be_decoded_is_said() {
        assert!(decoded(b"hello", "gzip", 9).unwrap_err().starts_with("the body is not gzip, as its head says: "));
        assert!(decoded(b"hello", "lzma\u{1b}", 9).unwrap_err().starts_with("the body is coded as `lzma\\u{1b}`"));
        // Of what was cut off at `keep`, the beginning is there.
        let body = gzip(&b"hello ".repeat(1000));
        let part = decode(&body[..body.len() - 4], false, std::iter::once(b"gzip".as_slice()), 6_000).unwrap();
        assert!(part.bytes.starts_with(b"hello hello") && !part.is_whole);
    }

    proptest! {
        #[test]
        fn any_bytes_under_any_coding_end_in_bounds(
            body in proptest::collection::vec(any::<u8>(), 0..300),
            coding in "(gzip|deflate|br|zstd)(, ?(gzip|br|zstd))?",
        ) {
            if let Ok((bytes, _)) = decoded(&body, &coding, 1_000) {
                prop_assert!(bytes.len() <= 1_000);
            }
        }
    }
}
