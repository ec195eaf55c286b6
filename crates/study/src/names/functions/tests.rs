use super::*;
use crate::Secrets;
use crate::model::Study;
use crate::names::names;
use crate::names::places::Places;
use proptest::prelude::*;

const STUDY: &str = "study: F
vars: { n: 3, who: \"a b\" }
system: { name: x, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }
exchanges: { a: { http.get: { url: x }, capture: { ids: \"json($.ids[*], all)\" } } }
scenarios: { s: { load: { users: 1, hold: 1m }, run: [a] } }
";

const LIST: &[u8] = br#"["a","b,c"]"#;

/// 2026-11-24 13:30:05 UTC.
const NOW: Nanos = Nanos::from_secs(1_795_527_005);

fn study() -> Study {
    crate::tests::fakes::study(STUDY)
}

fn template(text: &str) -> Result<Template, Mistake> {
    let (study, secrets) = (study(), Secrets::default());
    let places = Places::placeholders(&study);
    compile_template(text, Place::default(), &names(&study, &secrets, &[], None, &places))
}

/// A template filled in: captures are a list, the iteration is number 7.
fn filled(template: &Template, draw: u64) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    for piece in &template.pieces {
        match piece {
            Piece::Fixed(fixed) => value.extend_from_slice(fixed),
            Piece::Capture(_) => value.extend_from_slice(LIST),
            Piece::Serial => value.push(b'7'),
            Piece::Call(call) => {
                let arguments: Option<Vec<_>> = call.arguments.iter().map(|it| filled(it, draw)).collect();
                if !(call.function)(&arguments?, Given { draw, now: NOW }, &mut value) {
                    return None;
                }
            }
            other => panic!("{other:?}"),
        }
    }
    Some(value)
}

fn value(text: &str) -> String {
    let template = template(text).unwrap_or_else(|mistake| panic!("{text}: {}", mistake.message));
    String::from_utf8(filled(&template, 1).unwrap_or_else(|| panic!("{text} has no value"))).unwrap()
}

#[test]
fn values_are_those_of_the_standards() {
    for (text, expected) in [
        // RFC 4648, section 10; section 5 for the other alphabet.
        ("$(base64('foob'))", "Zm9vYg=="),
        ("$(base64url('??>'))", "Pz8-"),
        ("$(hex('foo'))", "666f6f"),
        ("$(url('a b/ü?&=~'))", "a%20b%2F%C3%BC%3F%26%3D~"),
        // FIPS 180-4, example 1.
        ("$(sha256('abc'))", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        // RFC 4231, test case 2.
        (
            "$(hmac_sha256('Jefe', 'what do ya want for nothing?'))",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            "$(hmac_sha512('Jefe', 'what do ya want for nothing?'))",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ),
        // The same digest, as bytes, in base64.
        (
            "$(base64(hmac_sha256('Jefe', 'what do ya want for nothing?')))",
            "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=",
        ),
        // The example of jwt.io.
        (
            r#"$(jwt('your-256-bit-secret', '{"sub":"1234567890","name":"John Doe","iat":1516239022}'))"#,
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        ),
        ("$(upper(who))-$(lower('ÄB'))", "A B-äb"),
        ("$(join(ids, '; ')) $(length(ids))", "a; b,c 2"),
        ("$(epoch()) $(epoch_ms(-1s)) $(epoch(+1d))", "1795527005 1795527004000 1795613405"),
        ("$(time('%Y-%m-%dT%H:%M:%SZ')) $(time('%d.%m.%Y', +1d))", "2026-11-24T13:30:05Z 25.11.2026"),
        ("$(url(time('%H:%M', '-30m')))", "13%3A00"),
        ("$(random(n, n))$(random(-2, -2))", "3-2"),
        ("$(hex(sha256('n=$(serial), a')))", &hex_of(&Sha256::digest(b"n=7, a"))),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn what_is_known_is_worked_out_once() {
    for text in ["$(sha256('abc'))", "$(base64(upper(who)))"] {
        assert!(template(text).unwrap().as_fixed().is_some(), "{text}");
    }
    for text in ["$(sha256(serial))", "$(random(1, 6))", "$(base64(time('%s')))"] {
        assert!(template(text).unwrap().as_fixed().is_none(), "{text}");
    }
}

/// Of OpenSSL 3, as in `system-common`, whose gateway has the public half: `openssl dgst -sha256 -sign` of the same text.
const PRIVATE: &str = include_str!("../../../testdata/rsa-private.pem");
const SIGNED: &str = include_str!("../../../testdata/rsa-token.txt");

#[test]
fn a_token_signed_with_rsa_is_that_of_openssl() {
    let claims = br#"{"sub":"perf","tenant":"lab","iat":1000,"exp":2000}"#;
    let made = |key: &[u8]| {
        let mut into = Vec::new();
        let signed = jwt(&[key.to_vec(), claims.to_vec(), b"RS256".to_vec()], Given { draw: 0, now: NOW }, &mut into);
        signed.then(|| String::from_utf8(into).unwrap())
    };
    for _ in 0..2 {
        assert_eq!(made(PRIVATE.as_bytes()).as_deref(), Some(SIGNED.trim()));
        assert_eq!(made(b"secret"), None);
        assert_eq!(made(PRIVATE.replace("MII", "MIJ").as_bytes()), None);
    }
}

#[test]
fn calls_that_cannot_be_say_what_to_write() {
    for (text, code, part) in [
        ("$(sha265('a'))", "study::unknown-function", "did you mean `sha256`?"),
        ("$(sha256())", "study::bad-call", "write `$(sha256(x))`"),
        ("$(random(6))", "study::bad-call", "write `$(random(1, 6))`"),
        ("$(random(6, 1))", "study::bad-call", ""),
        ("$(random('a', 1))", "study::bad-call", ""),
        ("$(time('%!'))", "study::bad-call", ""),
        ("$(epoch(5kB))", "study::bad-call", ""),
        ("$(jwt('k', 'no claims'))", "study::bad-call", ""),
        ("$(jwt('k', '{}', 'RS256'))", "study::bad-call", ""),
        ("$(upper(nobody))", "study::unknown-name", ""),
        ("$(random_text(1000000))", "study::bad-call", ""),
    ] {
        let mistake = template(text).unwrap_err();
        assert_eq!(mistake.code, code, "{text}: {}", mistake.message);
        assert!(mistake.label.unwrap_or_default().contains(part), "{text}");
    }
    let deep = (0..9).fold("who".to_owned(), |inner, _| format!("upper({inner})"));
    assert_eq!(template(&format!("$({deep})")).unwrap_err().code, "study::bad-call");
}

#[test]
fn a_value_that_an_answer_got_wrong_is_no_value() {
    // What is captured is a list, and no number.
    assert_eq!(filled(&template("$(random(1, ids))").unwrap(), 1), None);
}

#[test]
fn random_numbers_and_letters_are_as_likely_as_each_other() {
    let die = template("$(random(1, 6))").unwrap();
    let mut counts = [0u32; 7];
    for draw in 0..60_000 {
        let face = String::from_utf8(filled(&die, seed::hash(9, draw)).unwrap()).unwrap();
        counts[face.parse::<usize>().unwrap()] += 1;
    }
    // 10 000 of each expected, standard deviation 91.
    assert!(counts[1..].iter().all(|count| count.abs_diff(10_000) < 460), "{counts:?}");
    let words = template("$(random_text(12))").unwrap();
    let (one, other) = (filled(&words, 1).unwrap(), filled(&words, 2).unwrap());
    assert!(one.len() == 12 && one != other && one.iter().all(u8::is_ascii_alphanumeric));
}

#[test]
fn what_is_no_encoding_stays_as_it_is() {
    for (text, decoded) in
        [("4%2F0A", "4/0A"), ("100%", "100%"), ("%4", "%4"), ("%zz+%41", "%zz+A"), ("%25%32F", "%2F")]
    {
        let mut into = Vec::new();
        assert!(url_decode(text.as_bytes(), &mut into));
        assert_eq!(String::from_utf8(into).unwrap(), decoded);
    }
}

#[test]
fn a_text_is_written_as_xml_has_it() {
    for (text, written) in [
        ("a<b>&\"c\"'", "a&lt;b&gt;&amp;&quot;c&quot;&apos;"),
        ("é€\r\n\t", "é€&#13;&#10;&#9;"),
        ("\u{1}\u{fffe}x", "\u{fffd}\u{fffd}x"),
        ("", ""),
    ] {
        let mut into = Vec::new();
        assert!(xml(text.as_bytes(), &mut into));
        assert_eq!(String::from_utf8(into).unwrap(), written);
    }
}

proptest! {
    #[test]
    fn any_expression_is_read_or_refused(text in "[a-z0-9_(),'\" $.+-]{0,40}") {
        let _ = template(&format!("$({text})"));
    }

    #[test]
    fn what_is_encoded_for_an_address_reads_back(text in "\\PC{0,30}") {
        let mut encoded = Vec::new();
        url(text.as_bytes(), &mut encoded);
        prop_assert!(encoded.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(byte)));
        let mut decoded = Vec::new();
        url_decode(&encoded, &mut decoded);
        prop_assert_eq!(decoded, text.as_bytes());
    }
}
