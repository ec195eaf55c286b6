//! Fields of a form (`application/x-www-form-urlencoded`), as requests to a hub and its questions have them.

/// Appends `name=value`, with `&` before all but the first.
pub(crate) fn field(into: &mut Vec<u8>, name: &str, value: &[u8]) {
    if into.last().is_some_and(|last| *last != b'?') {
        into.push(b'&');
    }
    into.extend_from_slice(name.as_bytes());
    into.push(b'=');
    encode(value, into);
}

/// Appends it so that it may stand in a form, or in the query of a URL.
pub(crate) fn encode(value: &[u8], into: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in value {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(byte);
        } else {
            into.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// The value of the first field of that name; what is not an encoding stays as it is.
pub(crate) fn value(form: &str, name: &str) -> Option<Vec<u8>> {
    let mut fields = form.split('&').map(|field| field.split_once('=').unwrap_or((field, "")));
    fields.find(|(found, _)| decode(found) == name.as_bytes()).map(|(_, value)| decode(value))
}

fn decode(text: &str) -> Vec<u8> {
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let pair = after.first_chunk::<2>().filter(|_| byte == b'%');
        let encoded = pair.and_then(|pair| Some((nibble(pair[0])? << 4) | nibble(pair[1])?));
        match encoded {
            Some(encoded) => {
                decoded.push(encoded);
                rest = &after[2..];
            }
            None => decoded.push(if byte == b'+' { b' ' } else { byte }),
        }
    }
    decoded
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_found_by_their_names() {
        let form = "a=1&hub.topic=http%3A%2F%2Fh%2Ft%3Fx%3D1&hub.topic=2&empty=&b+c=d%20e+f&bare&%zz=%";
        let found = |name| value(form, name).map(|value| String::from_utf8(value).unwrap());
        assert_eq!(found("hub.topic").as_deref(), Some("http://h/t?x=1"), "the first of two");
        assert_eq!(found("empty").as_deref(), Some(""));
        assert_eq!(found("b c").as_deref(), Some("d e f"));
        assert_eq!(found("bare").as_deref(), Some(""));
        assert_eq!(found("%zz").as_deref(), Some("%"), "what is not an encoding stands for itself");
        assert_eq!(found("c"), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(name in "[a-z.]{1,8}", value_of: Vec<u8>) {
            let mut form = Vec::new();
            field(&mut form, "before", b"x");
            field(&mut form, &name, &value_of);
            let form = String::from_utf8(form).unwrap();
            prop_assume!(name != "before");
            prop_assert_eq!(value(&form, &name), Some(value_of));
        }

        #[test]
        fn any_query_is_read(query in "\\PC{0,60}") {
            let _ = value(&query, "hub.mode");
        }
    }
}
