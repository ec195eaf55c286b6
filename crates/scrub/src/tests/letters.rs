//! Letters that were set apart, drawn otherwise, or written in base32.

use super::super::*;
use super::secret;

const SECRET: &str = "Zq7-kEy/9f8e7d+6c";

fn between(what: &str) -> String {
    SECRET.chars().flat_map(|c| [c.to_string(), what.to_owned()]).collect()
}

#[test]
fn what_nobody_sees_between_letters_hides_nothing() {
    let kept = secret(&[SECRET]);
    for what in [
        "\0",
        "\\u0000",
        "\\0",
        "\\u{0}",
        "\u{200b}",
        "\u{200d}",
        "\u{202c}",
        "\u{2060}",
        "\u{2069}",
        "\u{feff}",
        "\u{ad}",
        "\u{34f}",
        "\u{180e}",
        "\u{fe0f}",
        "\u{e0100}",
        "&#8203;",
        "%E2%80%8D",
    ] {
        let cut = kept.cut(&format!("<{}>", between(what))).replace(what, "");
        assert_eq!(cut, format!("<{MARK}>"), "{what:?}");
    }
    let full = |c: char| char::from_u32(u32::from(c) - 0x21 + 0xff01).unwrap();
    assert_eq!(kept.cut(&SECRET.chars().map(full).collect::<String>()), MARK);
    let words = "a\u{200b}b \u{feff}Text ｆｕｌｌ";
    assert_eq!(kept.cut(words), words);
}

#[test]
fn a_secret_goes_in_utf_16() {
    for value in [SECRET, "tüte-mit-Ä-und-ß"] {
        let little: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = value.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            let cut = secret(&[value]).cut_bytes(&bytes, &[]).into_owned();
            assert_eq!(String::from_utf8_lossy(&cut).replace('\0', ""), MARK, "{value}");
        }
    }
    // `powershell -EncodedCommand`: UTF-16 in base64.
    let wide: Vec<u8> = format!("x {SECRET} y").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let coded = super::base64_of(&wide, super::STANDARD, true);
    let cut = secret(&[SECRET]).cut(&coded).into_owned();
    assert!(cut.contains(MARK) && cut.len() < 36, "{cut}");
}

fn base32(bytes: &[u8], digits: &[u8; 32]) -> String {
    let bit = |at: usize| bytes.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
    let digit = |at: usize| char::from(digits[(0..5).fold(0, |value, k| value << 1 | usize::from(bit(5 * at + k)))]);
    let text: String = (0..(8 * bytes.len()).div_ceil(5)).map(digit).collect();
    let pads = (8 - text.len() % 8) % 8;
    text + &"=".repeat(pads)
}

#[test]
fn a_secret_goes_in_base32() {
    const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    // RFC 4648, section 10.
    assert_eq!(base32(b"fooba", DIGITS), "MZXW6YTB");
    assert_eq!(base32(b"foobar", DIGITS), "MZXW6YTBOI======");
    for before in ["", "u", "us", "use", "user", "user:"] {
        let text = base32(format!("{before}{SECRET} and more").as_bytes(), DIGITS);
        for written in [text.clone(), text.to_ascii_lowercase(), format!("{}\n{}", &text[..16], &text[16..])] {
            let cut = secret(&[SECRET]).cut(&written).into_owned();
            assert!(cut.contains(MARK) && cut.len() < written.len() - 12, "{before}: {written}: {cut}");
        }
    }
    let cut = secret(&["kurz7!"]).cut("(NN2XE6RXEE======)").into_owned();
    assert_eq!(cut, format!("({MARK}======)"));
}

/// One code within another, in both orders.
#[test]
fn a_secret_goes_where_codes_are_nested() {
    const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    type Code = (&'static str, fn(&[u8]) -> Vec<u8>);
    let codes: [Code; 9] = [
        ("base64", |bytes| super::base64_of(bytes, super::STANDARD, true).into_bytes()),
        ("base64url", |bytes| super::base64_of(bytes, super::URL_SAFE, false).into_bytes()),
        ("base32", |bytes| base32(bytes, DIGITS).into_bytes()),
        ("base32, small", |bytes| base32(bytes, DIGITS).to_ascii_lowercase().into_bytes()),
        ("hexadecimal", |bytes| bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()),
        ("octets", |bytes| bytes.iter().flat_map(|byte| format!("\\x{byte:02x}").into_bytes()).collect()),
        ("percent", |bytes| bytes.iter().flat_map(|byte| format!("%{byte:02X}").into_bytes()).collect()),
        ("utf-16", |bytes| bytes.iter().flat_map(|byte| [*byte, 0]).collect()),
        ("joiners", |bytes| bytes.iter().flat_map(|byte| [&[*byte][..], "\u{200d}".as_bytes()].concat()).collect()),
    ];
    let kept = secret(&[SECRET]);
    let mut stayed = Vec::new();
    for (outer, over) in codes {
        for (inner, under) in codes {
            let written = over(&under(SECRET.as_bytes()));
            let cut = kept.cut_bytes(&[b"<", &written[..], b">"].concat(), &[]).into_owned();
            if !String::from_utf8_lossy(&cut).contains(MARK) || cut.len() > written.len() / 4 + 24 {
                stayed.push(format!("{inner} in {outer}: {}", String::from_utf8_lossy(&cut)));
            }
        }
    }
    assert!(stayed.is_empty(), "{stayed:#?}");
}
