use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Element, String> {
    Element::read(text.as_bytes()).map_err(|Unreadable(why)| why)
}

fn why(text: &str) -> String {
    read(text).unwrap_err()
}

#[test]
fn names_are_resolved_and_text_is_joined() {
    let read = read(
        "\u{feff}<?xml version='1.0' encoding='utf-8'?>\n<!-- a --><a:x xmlns:a='urn:1' xmlns='urn:2' a:b='1' b='&quot;2&#10;'>\
         t&lt;<y/>&#x41;<![CDATA[<&]]><a:y> z </a:y></a:x>\n<?end?>",
    )
    .unwrap();
    assert!(read.is("urn:1", "x"));
    assert_eq!((read.attribute("urn:1", "b"), read.attribute("urn:9", "b")), (Some("1"), Some("\"2\n")));
    assert_eq!(read.text, "t<A<&");
    assert_eq!(read.child("y").unwrap().trimmed(), "z");
    assert!(read.foreign("urn:2", "y").is_some());
}

#[test]
fn what_a_document_could_ask_of_its_reader_is_refused() {
    for (text, part) in [
        ("<!DOCTYPE a><a/>", "document type"),
        ("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>", "document type"),
        ("<!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><a>&c;</a>", "document type"),
        ("<a>&nbsp;</a>", "`&nbsp;` is not one of XML's own"),
        ("<a b='&c;'/>", "value is malformed"),
        ("<?xml version='1.0' encoding='UTF-16'?><a/>", "encoding is `UTF-16`"),
        ("<a>\u{1}</a>", "U+0001"),
        ("<a>&#0;</a>", ""),
        ("<a>&#x8;</a>", "U+0008"),
        ("<a b='&#x8;'/>", "U+0008"),
        ("<a></b>", ""),
        ("<a>", "breaks off"),
        ("", "no element"),
        ("a<a/>", "text outside"),
        ("<a/><a/>", "after its end"),
        ("</a>", ""),
        ("<a:b/>", "prefix `a` is not declared"),
        ("<a xmlns:b='u' xmlns:c='u' b:d='1' c:d='2'/>", "stands twice"),
        ("<a b='1' b='2'/>", ""),
    ] {
        let found = why(text);
        assert!(found.contains(part), "{text}: {found}");
    }
    assert!(Element::read(b"<a>\xff</a>").unwrap_err().0.contains("not UTF-8 from byte 3 on"));
}

#[test]
fn size_depth_and_numbers_are_bounded() {
    let deep = |levels: usize| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
    assert!(read(&deep(DEPTH_MAX)).is_ok());
    assert!(why(&deep(DEPTH_MAX + 1)).contains("deeper than 64"));
    assert!(why(&"<a>".repeat(500_000)).contains("deeper than 64"));
    assert!(why(&format!("<a>{}</a>", "<b/>".repeat(ELEMENTS_MAX))).contains("more than 50000 elements"));
    let attributes = |count: usize| format!("<a{}/>", (0..count).map(|n| format!(" b{n}='1'")).collect::<String>());
    assert!(read(&attributes(ATTRIBUTES_MAX)).is_ok());
    assert!(why(&attributes(ATTRIBUTES_MAX + 1)).contains("more than 64 attributes"));
    assert!(why(&format!("<a>{}</a>", " ".repeat(DOCUMENT_BYTES_MAX))).contains("at most 2097152"));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(text in "\\PC*", value in any::<String>()) {
        let mut document = b"<a b=\"".to_vec();
        attribute_into(value.as_bytes(), &mut document);
        document.extend_from_slice(b"\">");
        escape_into(text.as_bytes(), &mut document);
        document.extend_from_slice(b"</a>");
        let read = Element::read(&document).unwrap();
        let kept = |text: &str| text.chars().map(|c| if super::read::is_character(c) { c } else { '\u{fffd}' }).collect::<String>();
        prop_assert_eq!(&read.text, &kept(&text));
        prop_assert_eq!(read.attribute("", "b").map(str::to_owned), Some(kept(&value)));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[<>/a-c&;:='\" !\\[\\]-]{0,80}") {
        let _ = Element::read(&bytes);
        let _ = Element::read(text.as_bytes());
        let mut document = b"<a>".to_vec();
        escape_into(&bytes, &mut document);
        document.extend_from_slice(b"</a>");
        prop_assert!(Element::read(&document).is_ok(), "no bytes break the document they are written into");
    }
}
