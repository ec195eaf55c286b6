//! Credentials by their name: schemes of HTTP, parts of headers, options of commands.

use super::super::*;

fn assert_cut(cases: &[(&str, &str)]) {
    let kept = KeptOut::default();
    for (text, expected) in cases {
        assert_eq!(kept.cut(text), *expected, "{text}");
        assert_eq!(kept.cut(&kept.cut(text)), *expected, "a second time changes nothing");
    }
}

#[test]
fn what_follows_a_scheme_goes_however_short_it_is() {
    assert_cut(&[
        ("sent Bearer Ech-Maple-aaaa here", "sent Bearer ‹kept out› here"),
        ("sent Bearer hunter here", "sent Bearer ‹kept out› here"),
        ("sent bearer k3y.", "sent bearer ‹kept out›."),
        ("sent Bearer 12|abcDEF, and more", "sent Bearer ‹kept out›, and more"),
        ("sent Basic RWNoLU1hcGxlLWJiYmI= here", "sent Basic ‹kept out› here"),
        ("sent Basic YTpi here", "sent Basic ‹kept out› here"),
        ("sent Negotiate YIIJvwYGKwYBBQUCoIIJ", "sent Negotiate ‹kept out›"),
    ]);
    for text in [
        "Bearer token, Bearer authentication, the bearer of 5 tokens is known",
        "Basic settings, basic auth, a basic level-1 test",
        "WWW-Authenticate: Bearer realm",
        "NTLM is off; they negotiate terms",
    ] {
        assert_cut(&[(text, text)]);
    }
}

#[test]
fn every_part_of_a_header_goes() {
    assert_cut(&[
        (
            "Authorization: Digest username=\"x\", realm=\"a b\", response=\"6629fae4\"\r\nHost: a",
            "Authorization: ‹kept out›\r\nHost: a",
        ),
        ("got Digest username=\"x\", response=\"6629fae4\"\nnext", "got Digest ‹kept out›\nnext"),
        ("Cookie: a=1; c=\"Ech-Maple-cccc\"; d=2\nnext", "Cookie: ‹kept out›\nnext"),
        ("{\"h\":\"Cookie: a=1; c=2\",\"n\":1}", "{\"h\":\"Cookie: ‹kept out›\",\"n\":1}"),
        ("{\"h\":\"Cookie: c=\\\"Ech-Maple-cccc\\\"; d=2\",\"n\":1}", "{\"h\":\"Cookie: ‹kept out›\",\"n\":1}"),
    ]);
}

#[test]
fn the_value_of_an_option_goes() {
    assert_cut(&[
        ("run --password hunter2 --port 80", "run --password ‹kept out› --port 80"),
        ("run --api-key 'a b c' x", "run --api-key '‹kept out›' x"),
        ("java -password hunter2", "java -password ‹kept out›"),
    ]);
    for text in [
        "usage: run --password <PASSWORD> [--token TOKEN]",
        "run --password-file /run/secrets/db --no-password x --token --port 80",
        "run --password $(secret.DB) x",
        "the multi-token approach",
    ] {
        let text = text.replace("[--token TOKEN]", "");
        assert_cut(&[(&text, &text)]);
    }
}

#[test]
fn the_value_of_a_field_goes_with_its_name_in_another_attribute() {
    assert_cut(&[
        (
            "<form><input type=\"hidden\" name=\"csrf\" value=\"Ech-Maple\"><b>x</b>",
            "<form><input type=\"hidden\" name=\"csrf\" value=\"‹kept out›\"><b>x</b>",
        ),
        (
            "<input value='Ech' class='a' name='_csrf_token'/>",
            "<input value='‹kept out›' class='a' name='_csrf_token'/>",
        ),
        ("<meta name=\"xsrf-token\"\n content=\"Ech=\">", "<meta name=\"xsrf-token\"\n content=\"‹kept out›\">"),
        ("<property NAME=\"db.password\" VALUE=\"a b\"/>", "<property NAME=\"db.password\" VALUE=\"‹kept out›\"/>"),
        ("<input name=\"csrf\" value=\"Ech-Ma", "<input name=\"csrf\" value=\"‹kept out›"),
        ("X-CSRF: Ech-Maple-aaaa\nnext", "X-CSRF: ‹kept out›\nnext"),
    ]);
    for text in [
        "<input name=\"csrf\" value=\"\"><input name=\"user\" value=\"eve\">",
        "<input name=\"user\" value=\"eve\"> csrf <input name=\"row\" value=\"7\">",
        "<input name=\"csrf_type\" value=\"cookieless\">",
        "<label for=\"csrf\"><input name=\"row\" value=\"7\">",
        "a < b, name=\"csrf\" > c value=\"d\"",
    ] {
        assert_cut(&[(text, text)]);
    }
}
