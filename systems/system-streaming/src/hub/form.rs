//! Fields of a form (`application/x-www-form-urlencoded`), and values made fit for a query.

/// Fields in their order; what is not an encoding stands for itself.
pub(super) fn read(form: &str) -> Vec<(String, String)> {
    let fields = form.split('&').filter(|field| !field.is_empty());
    fields.map(|field| field.split_once('=').unwrap_or((field, ""))).map(|(n, v)| (decode(n), decode(v))).collect()
}

/// The first of that name.
pub(super) fn first<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}

fn decode(text: &str) -> String {
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let encoded = (byte == b'%').then(|| Some((digit(0)? << 4 | digit(1)?) as u8)).flatten();
        match encoded {
            Some(encoded) => {
                decoded.push(encoded);
                rest = &after[2..];
            }
            None => decoded.push(if byte == b'+' { b' ' } else { byte }),
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Appends `name=value` to a path, after `?` or `&`.
pub(super) fn append(path: &mut String, name: &str, value: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    path.push(if path.contains('?') { '&' } else { '?' });
    path.push_str(name);
    path.push('=');
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            path.push('%');
            path.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_read() {
        let fields = read("hub.mode=subscribe&hub.callback=http%3A%2F%2Fh%2Fc%3Fa%3D1+2&x&&y=%zz%");
        assert_eq!(first(&fields, "hub.mode"), Some("subscribe"));
        assert_eq!(first(&fields, "hub.callback"), Some("http://h/c?a=1 2"));
        assert_eq!((first(&fields, "x"), first(&fields, "y"), first(&fields, "z")), (Some(""), Some("%zz%"), None));
    }

    proptest! {
        #[test]
        fn what_is_appended_is_read_again(value in "\\PC{0,30}", before in "/c|/c\\?a=1") {
            let mut path = before.clone();
            append(&mut path, "hub.topic", &value);
            let query = path.split_once('?').unwrap().1;
            let fields = read(query);
            prop_assert_eq!(first(&fields, "hub.topic"), Some(value.as_str()));
        }
    }
}
