use super::*;
use proptest::prelude::*;

mod dumps;
mod letters;
mod named;

fn kept(values: &[&str]) -> KeptOut {
    KeptOut::of(values.iter().map(|value| value.as_bytes()))
}

fn secret(values: &[&str]) -> KeptOut {
    KeptOut::default().with_secrets(values.iter().map(|value| value.as_bytes()))
}

const SECRET: &str = "s3cr3t/Välue+\"9\"&<x>";

fn each(text: &str, write: impl Fn(u8) -> String) -> String {
    text.bytes().map(write).collect()
}

fn units(text: &str, write: impl Fn(u16) -> String) -> String {
    text.encode_utf16().map(write).collect()
}

fn base64_of(bytes: &[u8], alphabet: &[u8; 64], pads: bool) -> String {
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0u32, |bits, (k, byte)| bits | u32::from(*byte) << (16 - 8 * k));
        for k in 0..=group.len() {
            out.push(char::from(alphabet[(bits >> (18 - 6 * k) & 63) as usize]));
        }
        if pads {
            out.push_str(&"=".repeat(3 - group.len()));
        }
    }
    out
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// How servers and libraries may write a text, by name.
fn spellings(text: &str) -> Vec<(&'static str, String)> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let percent = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let json = |unit: u16| match unit {
        0x22 => "\\\"".to_owned(),
        0x2f => "\\/".to_owned(),
        0x5c => "\\\\".to_owned(),
        0x20..0x7f => char::from(unit as u8).to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    let mut all = vec![
        ("plain", text.to_owned()),
        ("percent", each(text, percent)),
        ("percent, lower case", each(text, percent).replace("%2F", "%2f").replace("%C3", "%c3")),
        ("percent, every byte", each(text, |byte| format!("%{byte:02x}"))),
        ("form", each(text, percent).replace("%20", "+")),
        ("percent of percent", each(&each(text, percent), percent)),
        ("json", units(text, json)),
        ("json, all escaped", units(text, |unit| format!("\\u{unit:04X}"))),
        ("json in json", units(&units(text, json), json)),
        ("debug", text.escape_debug().to_string()),
        ("debug, braces", text.escape_unicode().to_string()),
        ("octets", each(text, |byte| format!("\\x{byte:02x}"))),
        ("xml", text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")),
        ("xml, decimal", text.chars().map(|c| format!("&#{};", u32::from(c))).collect()),
        ("xml, hexadecimal", text.chars().map(|c| format!("&#x{:X};", u32::from(c))).collect()),
        ("quoted printable", each(text, |b| if is_plain(b) { char::from(b).into() } else { format!("={b:02X}") })),
        ("hexadecimal", each(text, |byte| format!("{byte:02x}"))),
        ("hexadecimal, upper case", each(text, |byte| format!("{byte:02X}"))),
        ("hexadecimal, colons", each(text, |byte| format!("{byte:02x}:"))),
        ("hexadecimal, blanks", each(text, |byte| format!("{byte:02x} "))),
        ("hexadecimal, words", each(text, |byte| format!("0x{byte:02x}, "))),
        ("utf-8 as latin-1", text.bytes().map(char::from).collect()),
        ("list", each(text, |byte| format!("{byte}, "))),
        ("signed list", each(text, |byte| format!("{}, ", byte as i8))),
    ];
    for before in ["", "u", "us", "use", "user"] {
        for (alphabet, pads) in [(STANDARD, true), (STANDARD, false), (URL_SAFE, true), (URL_SAFE, false)] {
            all.push(("base64", base64_of(format!("{before}:{text}").as_bytes(), alphabet, pads)));
            all.push(("base64 of a middle", base64_of(format!("{before}:{text}:more").as_bytes(), alphabet, pads)));
        }
    }
    let wrapped = base64_of(text.as_bytes(), STANDARD, true);
    all.push((
        "base64, wrapped",
        wrapped.as_bytes().chunks(7).map(String::from_utf8_lossy).collect::<Vec<_>>().join("\r\n"),
    ));
    all.push(("base64 in a form", each(&base64_of(format!("me:{text}").as_bytes(), STANDARD, true), percent)));
    all.push((
        "hexadecimal of base64",
        each(&base64_of(text.as_bytes(), STANDARD, true), |byte| format!("{byte:02x}")),
    ));
    all
}

/// Length of the longest piece that two texts share.
fn longest_common(one: &[u8], other: &[u8]) -> usize {
    let mut before = vec![0; other.len() + 1];
    let mut longest = 0;
    for a in one {
        let mut row = vec![0; other.len() + 1];
        for (at, b) in other.iter().enumerate() {
            if a == b {
                row[at + 1] = before[at] + 1;
                longest = longest.max(row[at + 1]);
            }
        }
        before = row;
    }
    longest
}

#[test]
fn a_secret_goes_in_every_spelling() {
    for value in [SECRET, "hunter2-and-more", "kurz7!", "tüte mit blank"] {
        for (name, spelling) in spellings(value) {
            let cut = secret(&[value]).cut(&format!("before ({spelling}) after")).into_owned();
            assert!(cut.starts_with("before (") && cut.ends_with(") after"), "{name}: {spelling}: {cut}");
            let shared = longest_common(cut.as_bytes(), spelling.as_bytes());
            // Base64 of `user:` stays, and what few digits share a byte with it.
            assert!(cut.contains(MARK) && shared <= 12.max(spelling.len() / 3), "{name}: {spelling}: {cut}");
        }
    }
}

#[test]
fn pieces_of_a_secret_go_and_words_that_share_letters_with_it_stay() {
    let kept = secret(&["correct-horse-battery-staple"]);
    assert_eq!(kept.cut("correct-horse-bat"), MARK, "more than half of it");
    assert_eq!(kept.cut("horse-battery-staple!"), format!("{MARK}!"));
    assert_eq!(kept.cut("a correct horse, no battery"), "a correct horse, no battery");
    assert_eq!(kept.cut("found corre… and corre."), format!("found {MARK}… and corre."));
    let long = "0123456789abcdef".repeat(4096);
    assert_eq!(secret(&[&long]).cut(&format!("<{}>", &long[..40])), format!("<{MARK}>"));
}

#[test]
fn values_go_wherever_they_stand_and_the_longest_first() {
    let kept = kept(&["anna.smit", "anna.smit@example.org", "Bo Ek", ""]);
    assert_eq!(kept.cut("nothing here"), "nothing here");
    assert_eq!(
        kept.cut("{\"user\":\"anna.smit@example.org\",\"by\":\"anna.smit\"}xanna.smity"),
        "{\"user\":\"‹kept out›\",\"by\":\"‹kept out›\"}x‹kept out›y"
    );
    assert_eq!(kept.cut("/q?name=Bo%20Ek&also=Bo+Ek"), "/q?name=‹kept out›&also=‹kept out›");
    assert!(KeptOut::default().is_empty() && super::tests::kept(&[""]).is_empty());
}

#[test]
fn short_values_go_where_they_stand_alone() {
    let kept = kept(&["12", "al"]);
    assert_eq!(
        kept.cut("user 12, u12, 2012, 12.5, al, total, al7"),
        "user ‹kept out›, u‹kept out›, 2012, ‹kept out›.5, ‹kept out›, total, ‹kept out›7"
    );
    let text = "Some words of an ordinary sentence, 6d69 of which nothing is a code: AbCdEfGh, 2026-11-22T10:00:00Z.";
    assert_eq!(super::tests::kept(&["1", "7", "x", "42", "ab"]).cut(text), text);
    assert_eq!(secret(&["ab"]).cut("<dXNlcjphYg==>"), "<dXNlcj‹kept out›==>");
}

#[test]
fn a_value_whose_end_was_cut_off_goes_too() {
    let kept = kept(&["anna.smit@example.org"]);
    assert_eq!(kept.cut("found anna.smit@exa…"), "found ‹kept out›…");
    assert_eq!(kept.cut("found `anna.smit@exa…`; status 200"), "found `‹kept out›…`; status 200");
    assert_eq!(kept.cut("found anna.smit@exa"), "found anna.smit@exa", "nothing was cut off here");
    assert_eq!(kept.cut("found an…"), "found an…");
    let coded = base64_of(b"user:anna.smit@example.org", STANDARD, true);
    assert_eq!(kept.cut(&format!("{}…", &coded[..20])), format!("{}‹kept out›…", &coded[..6]));
}

#[test]
fn what_is_named_like_a_credential_goes_whatever_it_is() {
    let kept = KeptOut::default();
    for (text, expected) in [
        ("Authorization: Basic dXNlcjpwYXNz\r\nHost: a", "Authorization: ‹kept out›\r\nHost: a"),
        (
            "{\"Authorization\":[\"Basic dXNlcjpwYXNz\"],\"Host\":[\"a\"]}",
            "{\"Authorization\":[‹kept out›],\"Host\":[\"a\"]}",
        ),
        ("GET / HTTP/1.1\nX-Api-Key: 12 34\nAccept: a", "GET / HTTP/1.1\nX-Api-Key: ‹kept out›\nAccept: a"),
        ("set-cookie: sid=abc; path=/", "set-cookie: ‹kept out›"),
        ("/login?user=me&password=abc&x=1", "/login?user=me&password=‹kept out›&x=1"),
        (
            "{\"access_token\": \"abc\", \"token_type\": \"bearer\"}",
            "{\"access_token\": \"‹kept out›\", \"token_type\": \"bearer\"}",
        ),
        ("{\\\"client_secret\\\":\\\"abc\\\",\\\"a\\\":1}", "{\\\"client_secret\\\":\\\"‹kept out›\\\",\\\"a\\\":1}"),
        ("{&quot;password&quot;:&quot;abc&quot;}", "{&quot;password&quot;:&quot;‹kept out›&quot;}"),
        ("<wsse:Password Type=\"x\">abc</wsse:Password>", "<wsse:Password Type=\"x\">‹kept out›</wsse:Password>"),
        ("[\"Cookie\", \"a=b\"]", "[\"Cookie\", \"‹kept out›\"]"),
        ("{\"name\":\"X-Token\",\"value\":\"abc\"}", "{\"name\":\"X-Token\",\"value\":\"‹kept out›\"}"),
        ("sent Bearer abcdef0123456789.x here", "sent Bearer ‹kept out› here"),
        ("sent Basic dXNlcjpwYXNz here", "sent Basic ‹kept out› here"),
        (
            "postgres://lab:abc@db/lab and https://key@host/",
            "postgres://lab:‹kept out›@db/lab and https://‹kept out›@host/",
        ),
    ] {
        assert_eq!(kept.cut(text), expected);
        assert_eq!(kept.cut(&kept.cut(text)), expected, "a second time changes nothing");
    }
    for text in [
        "`json($.token) = x` does not hold",
        "nothing to capture as `token`; status 200",
        "Authorization: Bearer $(secret.KEY)",
        "postgres://lab:$(secret.DB)@$(db.address)/lab and postgres://lab@db/lab",
        "Basic authentication, Bearer authentication",
        "{\"token\":null,\"password\":\"\"}",
        "session_timeout: 30",
        "http://host/path?mail=a@b.org",
    ] {
        assert_eq!(kept.cut(text), text);
    }
    assert_eq!(kept.cut_values("token: x; http://a:b@c/"), "token: x; http://‹kept out›@c/");
    for name in ["Authorization", "X-Api-Key", "access_token", "SESSIONID", "dbPassword", "X-Amz-Signature", "sid"] {
        assert!(names::is_credential(name), "{name}");
    }
    for name in ["user", "token_type", "id", "author", "status", "max_sessions"] {
        assert!(!names::is_credential(name), "{name}");
    }
    assert!(names::mentions_credential("$.auth.access_token") && !names::mentions_credential("$.items[0].id"));
}

#[test]
fn what_was_captured_goes_and_clones_know_it() {
    let kept = KeptOut::default();
    let other = kept.clone();
    assert!(!other.has_captured());
    (0..3000).for_each(|number| kept.remember(format!("session-{number:08}-x").as_bytes()));
    assert_eq!(other.cut("<session-00002999-x>"), format!("<{MARK}>"));
    assert_eq!(other.cut_with("<abc-def-ghi>", &[b"abc-def-ghi"]), format!("<{MARK}>"));
    assert!(other.has_captured() && format!("{other:?}").len() < 60);
}

#[test]
fn values_go_to_another_process_and_come_back() {
    let kept = kept(&["anna@example.org"]).with_secrets([&b"hunter2-hunter2"[..]]);
    let bytes = [kept.to_bytes(), b"rest".to_vec()].concat();
    let mut stream = bytes.as_slice();
    let read = KeptOut::from_bytes(&mut stream).unwrap();
    assert_eq!((stream, read.cut("anna@example.org hunter2-h").as_ref()), (&b"rest"[..], "‹kept out› ‹kept out›"));
    for end in 0..bytes.len() - 4 {
        assert!(KeptOut::from_bytes(&mut &bytes[..end]).is_err());
    }
    assert!(KeptOut::from_bytes(&mut &[4, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255][..]).is_err());
}

#[test]
fn a_stream_sees_values_across_reads_and_lines() {
    let value = "correct-horse-battery";
    let text: String = (0..4000).map(|n| format!("{n} {value} and so on\nwrapped correct-horse\n-battery\n")).collect();
    for piece in [1000, 4096, 7] {
        let (mut stream, mut out) = (Stream::new(secret(&[value])), Vec::new());
        text.as_bytes().chunks(piece).for_each(|bytes| stream.push(bytes, &mut out));
        stream.finish(&mut out);
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("3999 ‹kept out› and so on") && !out.contains("horse"), "{piece}");
    }
    let (mut stream, mut out) = (Stream::new(secret(&[value])), Vec::new());
    stream.push(b"\xff whole\ncorrect-ho", &mut out);
    assert_eq!(out, b"");
    stream.settle(&mut out);
    assert_eq!(out, b"\xff whole\n");
    stream.push(b"rse-battery", &mut out);
    stream.finish(&mut out);
    assert_eq!(out, [b"\xff whole\n", MARK.as_bytes()].concat());
}

#[test]
fn hostile_texts_end_soon() {
    for unit in
        ["%25", "\\u005c", "&#38;", "=3D", "2525", "\\", "JTI1", "password=", "<token ", "\"cookie\",", "http://a:"]
    {
        let text = unit.repeat(64 * 1024 / unit.len());
        assert!(secret(&[SECRET]).cut(&text).len() <= 2 * text.len() + 100);
    }
}

/// Against looking for every value at every place.
#[test]
fn the_longest_value_at_a_place_is_found() {
    let letters = |mut number: u32, length: u32| {
        let letter = |_| {
            let letter = ["a", "b", "c"][number as usize % 3];
            number /= 3;
            letter
        };
        (0..length).map(letter).collect::<String>()
    };
    for values in [&["abca", "abcab", "abcc", "bcaa"][..], &["aaaa", "aaaaaa", "aaab"], &["cccc"]] {
        let all = Values::new(values.iter().map(|value| value.as_bytes()), Pieces::None);
        for text in (0..3u32.pow(8)).map(|number| letters(number, 8)) {
            let expected = values.iter().filter(|value| text.starts_with(**value)).map(|value| value.len()).max();
            assert_eq!(all.longest_at(text.as_bytes()), expected, "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_spelling_of_any_secret_stays(
        value in "[ -~äß€𝄞]{8,40}",
        before in "[ -~\n]{0,30}[ (<\\[{\n]",
        after in "[ )>\\]}\n][ -~\n]{0,30}",
    ) {
        let kept = secret(&[&value]);
        for (name, spelling) in spellings(&value) {
            let cut = kept.cut(&format!("{before}{spelling}{after}")).into_owned();
            prop_assert!(!cut.contains(&spelling), "{}: {}", name, cut);
            let around = longest_common(before.as_bytes(), spelling.as_bytes())
                .max(longest_common(after.as_bytes(), spelling.as_bytes()));
            let shared = longest_common(cut.as_bytes(), spelling.as_bytes());
            prop_assert!(shared <= around.max(10).max(spelling.len() / 3), "{}: {} in {}", name, spelling, cut);
        }
    }

    #[test]
    fn nothing_makes_it_panic(text in "\\PC{0,200}", value in "\\PC{1,20}") {
        let kept = kept(&[&value]).with_secrets([value.as_bytes()]);
        let cut = kept.cut(&text).into_owned();
        prop_assert!(!cut.contains(&value) || value.len() < 4 || MARK.contains(&value));
    }

    /// Passing over noise, and over what was looked at in another view, saves time and nothing else.
    #[test]
    fn what_is_passed_over_shows_nothing(
        values in prop::collection::vec("[!-~]{8,30}", 1..4),
        parts in prop::collection::vec((any::<prop::sample::Index>(), any::<[prop::sample::Index; 2]>(), 0..4u8), 1..6),
    ) {
        let kept = kept(&[&values[0]]).with_secrets(values[1..].iter().map(|value| value.as_bytes()));
        let mut text = String::new();
        for (value, spelled, kind) in &parts {
            let once = spelled[0].get(&spellings(value.get(&values[..]).as_str())).1.clone();
            text += &match kind {
                0 => once,
                1 => spelled[1].get(&spellings(&once)).1.clone(),
                2 => format!("{{\"at\":\"10:27:03+0000\",\"said\":\"{once}\\n\",\"q\":\"a%20b\"}}\n"),
                _ => format!("127.0.0.1 - [22/Nov/2026:10:27:31 +0000] \"GET /items/7?q={once}&n=1\" 200 31\r\n"),
            };
            text.push(' ');
        }
        let (quick, thorough) =
            [true, false].map(|skips| kept.search(text.as_bytes(), &[], true, skips)).into();
        let Some(thorough) = thorough else { return Ok(()) };
        for range in thorough {
            let is_gone = quick.iter().flatten().any(|quick| quick.start <= range.start && range.end <= quick.end);
            prop_assert!(is_gone || quick.is_none(), "{:?} of {}", &text[range], text);
        }
    }
}
