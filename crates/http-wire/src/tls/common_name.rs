//! The common name of a certificate's subject.

/// Object identifier 2.5.4.3 with its tag and length, as it stands before each common name (RFC 5280, appendix A.1).
const COMMON_NAME: [u8; 5] = [0x06, 0x03, 0x55, 0x04, 0x03];

/// The common name in a subject, if it has exactly one, of at most 127 bytes: none that is a host name is longer, and
/// of two nobody knows which is meant.
pub(super) fn common_name(subject: &[u8]) -> Option<&[u8]> {
    let mut found = subject.windows(COMMON_NAME.len()).enumerate().filter(|(_, window)| *window == COMMON_NAME);
    let (at, _) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    // A text: its kind, its length, itself. Kinds of one byte a letter are UTF8String, PrintableString and IA5String.
    let (&[kind, length], text) = subject.get(at + COMMON_NAME.len()..)?.split_first_chunk::<2>()?;
    let is_text = matches!(kind, 0x0c | 0x13 | 0x16) && length < 0x80;
    text.get(..usize::from(length)).filter(|text| is_text && !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_name_is_found_and_of_two_none() {
        // `openssl req -x509 -subj /C=NL/CN=localhost`, the subject without its outer tag.
        let one =
            b"\x31\x0b\x30\x09\x06\x03\x55\x04\x06\x13\x02NL\x31\x12\x30\x10\x06\x03\x55\x04\x03\x0c\x09localhost";
        assert_eq!(common_name(one), Some(b"localhost".as_slice()));
        assert_eq!(common_name(&[&one[..], &one[..]].concat()), None);
        assert_eq!(common_name(&one[..one.len() - 1]), None, "cut off");
        assert_eq!(common_name(b""), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(before: Vec<u8>, after: Vec<u8>) {
            let _ = common_name(&[&before[..], &COMMON_NAME, &after].concat());
        }
    }
}
