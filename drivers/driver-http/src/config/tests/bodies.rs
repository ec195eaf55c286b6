//! Forms with files, and files.

use super::*;

#[test]
fn a_form_with_files_is_written_as_browsers_write_it() {
    let file = |entries: &[(&str, Node)]| map(entries);
    let photo = ("photo", file(&[("file", text("tests/files/pixel.png")), ("name", text("$(serial)\".png"))]));
    let parts = map(&[
        ("title \"1\"", text("a & $(serial)")),
        ("tag", list(&[text("x"), text("y")])),
        photo,
        ("plan", map(&[("json", map(&[("n", text("1")), ("who", text("$(serial)"))]))])),
        ("note", file(&[("file", text("tests/files/note.txt")), ("type", text("text/plain; charset=utf-8"))])),
        ("script", file(&[("file", text("tests/files/note.txt")), ("fill", text("false")), ("type", text(""))])),
    ]);
    let exchange = read("post", true, &[("url", text("http://a")), ("multipart", parts)]).unwrap();
    let mut into = Vec::new();
    let mut fill = |_: u16, into: &mut Vec<u8>| {
        into.push(b's');
        true
    };
    exchange.request.render(&mut into, &mut crate::request::Scratch::default(), &mut fill).unwrap();
    let pixel = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/pixel.png")).unwrap();
    assert!(std::str::from_utf8(&pixel).is_err(), "it is bytes, not text");
    let at = into.windows(pixel.len()).position(|window| window == pixel).expect("every byte of the file is sent");
    into.splice(at..at + pixel.len(), *b"<pixel>");
    let sent = String::from_utf8(into).unwrap();
    let (head, body) = sent.split_once("\r\n\r\n").unwrap();
    let boundary = "loadproof-0000000000000000-0";
    assert!(head.contains(&format!("Content-Type: multipart/form-data; boundary={boundary}\r\n")), "{head}");
    assert!(head.ends_with(&format!("Content-Length: {}", body.len() + pixel.len() - "<pixel>".len())), "{head}");
    let part = |head: &str, content: &str| format!("--{boundary}|Content-Disposition: form-data; {head}||{content}|");
    let expected = [
        part("name=\"title %221%22\"", "a & s"),
        part("name=\"tag\"", "x"),
        part("name=\"tag\"", "y"),
        part("name=\"photo\"; filename=\"s%22.png\"|Content-Type: image/png", "<pixel>"),
        part("name=\"plan\"|Content-Type: application/json", r#"{"n":1,"who":"s"}"#),
        part("name=\"note\"; filename=\"note.txt\"|Content-Type: text/plain; charset=utf-8", "for s\n"),
        part("name=\"script\"; filename=\"note.txt\"", "for $(serial)\n"),
        format!("--{boundary}--|"),
    ];
    assert_eq!(body.replace("\r\n", "|"), expected.concat());
}

#[test]
fn a_boundary_stands_in_no_part() {
    let parts = map(&[("a", text("loadproof-0000000000000000-0")), ("b", text("loadproof-0000000000000000-1"))]);
    let sent = sent("post", &[("url", text("http://a")), ("multipart", parts)]);
    assert!(sent.contains("boundary=loadproof-0000000000000000-2|"), "{sent}");
    assert!(sent.ends_with("--loadproof-0000000000000000-2--|"), "{sent}");
}

#[test]
fn parts_that_cannot_be_sent_say_what_to_write() {
    for (part, code) in [
        (map(&[]), "http::bad-part"),
        (map(&[("fil", text("x"))]), "http::bad-part"),
        (map(&[("value", text("x")), ("json", text("1"))]), "http::bad-part"),
        (map(&[("value", text("x")), ("name", text("x.txt"))]), "http::bad-part"),
        (map(&[("file", text("no/such.png"))]), "study::unreadable-file"),
        (map(&[("file", text("tests/files/pixel.png")), ("kind", text("x"))]), "study::unknown-key"),
        (map(&[("value", text("x")), ("type", quoted("a\r\nb: c"))]), "http::bad-header"),
    ] {
        assert_eq!(refused("post", ("multipart", map(&[("a", part.clone())]))), [code], "{part:?}");
    }
    assert_eq!(refused("post", ("multipart", text("a"))), ["study::wrong-type"]);
    assert_eq!(refused("head", ("multipart", map(&[]))), ["http::body-not-possible"]);
}

#[test]
fn a_file_is_filled_in_if_it_is_a_text() {
    let body = |file: Node| {
        let sent = sent("post", &[("url", text("http://a")), ("file", file)]);
        sent.split_once("||").unwrap().1.to_owned()
    };
    assert_eq!(body(text("tests/files/note.txt")), "for s\n");
    assert_eq!(body(map(&[("path", text("tests/files/note.txt")), ("fill", text("false"))])), "for $(serial)\n");
    let pixel = read("post", true, &[("url", text("http://a")), ("file", text("tests/files/pixel.png"))]).unwrap();
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/pixel.png")).unwrap();
    assert!(pixel.request.as_fixed().unwrap().ends_with(&bytes));
}
