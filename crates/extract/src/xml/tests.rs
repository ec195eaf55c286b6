use super::*;
use proptest::prelude::*;

fn read(body: &[u8]) -> Result<Vec<String>, String> {
    let lent = Lent::read(body, None).map_err(|why| why.0.into_owned())?;
    let tree = lent.over(body);
    Ok((1..tree.len()).map(|number| line(tree, number)).collect())
}

/// A node on one line.
fn line(tree: Tree<'_>, number: u32) -> String {
    let (name, value) = (tree.name(number), tree.value(number));
    match tree.kind(number) {
        Kind::Root => "/".to_owned(),
        Kind::Element => format!("<{name} {{{}}}", tree.namespace(number)),
        Kind::Attribute => format!("@{name} {{{}}}={value}", tree.namespace(number)),
        Kind::Text => format!("\"{value}"),
        Kind::Comment => format!("!{value}"),
        Kind::Instruction => format!("?{name} {value}"),
    }
}

fn why(body: &str) -> String {
    read(body.as_bytes()).expect_err(body)
}

#[test]
fn a_document_is_its_nodes_in_order() {
    let body = "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\r\n<!--b--><?p  d d?>\n\
                <a xmlns='urn:d' xmlns:p='urn:p' x='1&#10;2\n3 &lt;' p:y=\"'\" xml:lang='nl'>\
                one<![CDATA[<two>]]>&amp;&#x20AC;\r\nthree<p:b/>\r<c xmlns=''>x</c ></a>\n<!--e\r\n-->";
    let expected = [
        "!b",
        "?p d d",
        "<a {urn:d}",
        "@x {}=1\n2 3 <",
        "@p:y {urn:p}='",
        "@xml:lang {http://www.w3.org/XML/1998/namespace}=nl",
        "\"one<two>&€\nthree",
        "<p:b {urn:p}",
        "\"\n",
        "<c {}",
        "\"x",
        "!e\n",
    ];
    assert_eq!(read(body.as_bytes()).unwrap(), expected);
}

#[test]
fn encodings_come_to_the_same() {
    let body = |encoding: &str| format!("<?xml version=\"1.0\"{encoding}?><a b='é'>ü€</a>");
    let wide = |text: &str, mark: bool, to: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let mark = if mark { "\u{feff}" } else { "" };
        format!("{mark}{text}").encode_utf16().flat_map(to).collect()
    };
    let expected = read(body("").as_bytes()).unwrap();
    assert_eq!(expected, ["<a {}", "@b {}=é", "\"ü€"]);
    let utf16 = body(" encoding=\"UTF-16\"");
    for bytes in [
        body(" encoding='utf-8'").into_bytes(),
        format!("\u{feff}{}", body("")).into_bytes(),
        wide(&utf16, true, u16::to_be_bytes),
        wide(&utf16, true, u16::to_le_bytes),
        wide(&utf16, false, u16::to_be_bytes),
        wide(&utf16, false, u16::to_le_bytes),
    ] {
        assert_eq!(read(&bytes).as_ref(), Ok(&expected));
    }
    let latin: Vec<u8> = b"<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xe9'>\xfc&#8364;</a>".to_vec();
    assert_eq!(read(&latin), Ok(expected));
    assert!(why("<?xml version='1.0' encoding='EBCDIC'?><a/>").contains("`EBCDIC`; read are UTF-8, UTF-16"));
    assert_eq!(read(b"<a>\xff</a>"), Err("it is not UTF-8 from byte 4 on".into()));
}

#[test]
fn what_is_not_well_formed_is_refused_with_its_place() {
    for (body, expected) in [
        ("", "it is empty"),
        (" \n ", "it is empty"),
        ("{\"a\":1}", "it begins with `{`, not with `<`"),
        ("<a>\n <b></a>", "at line 2, character 5: "),
        ("<a>", "breaks off"),
        ("<a><b/>", "breaks off"),
        ("<!--only-->", "it has no element"),
        ("<a/><b/>", "at line 1, character 5: a second element stands behind the first"),
        ("<a/>text", "text outside of the element"),
        ("<a/><![CDATA[ ]]>", "text outside of the element"),
        ("<a/>&amp;", "a reference outside of the element"),
        ("<a>&nbsp;</a>", "the entity `&nbsp;` is not one of XML's own five"),
        ("<a>&#0;</a>", "`&#0;` refers to no character"),
        ("<a>&#xD800;</a>", "refers to no character"),
        ("<a>&#+65;</a>", "refers to no character"),
        ("<a>& b</a>", ""),
        ("<a>]]></a>", "`]]>` stands in a text"),
        ("<a>\u{1}</a>", "the character U+0001 may not stand in XML"),
        ("<a b='<'/>", "`<` stands in an attribute's value"),
        ("<a b=c/>", "no quotation marks"),
        ("<a b/>", "an attribute has no `=`"),
        ("<a b='1'c='2'/>", "white space is missing before an attribute"),
        ("<a b='1' b='2'/>", "the attribute `b` stands there twice"),
        ("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", "the attribute `b` stands there twice"),
        ("<a xmlns:p='u' xmlns:p='v'/>", "the prefix `p` is declared twice"),
        ("<p:a/>", "the prefix `p` is not declared"),
        ("<a p:b='1'/>", "the prefix `p` is not declared"),
        ("<a><b xmlns:p='u'/><p:c/></a>", "the prefix `p` is not declared"),
        ("<a xmlns:p=''/>", "cannot be declared like this"),
        ("<a xmlns:xml='u'/>", "cannot be declared like this"),
        ("<a xmlns:xmlns='u'/>", "cannot be declared like this"),
        ("<a:b:c xmlns:a='u'/>", "is not a name"),
        ("<1/>", "is not a name"),
        ("<a><?xml version='1.0'?></a>", "the XML declaration stands behind the beginning"),
        ("<?xml encoding='utf-8'?><a/>", "the XML declaration is malformed"),
        ("<?xml version='2.0'?><a/>", "its version of XML is `2.0`"),
        ("<a><!-- -- --></a>", ""),
        ("<a><?XML x?></a>", "cannot be the target"),
    ] {
        assert!(why(body).contains(expected), "{body}: {}", why(body));
    }
}

#[test]
fn nothing_is_done_that_a_document_asks_for() {
    let laughs = "<?xml version=\"1.0\"?>\n<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n<l>&b;</l>";
    let refused = "at line 2, character 1: it has a document type (`<!DOCTYPE`), which is never read: entities are \
                   declared there";
    assert_eq!(why(laughs), refused);
    let outside = "<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/a.dtd\"><a/>";
    assert!(why(outside).contains("document type"));
}

#[test]
fn every_bound_holds() {
    let nested = |levels: usize| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
    assert!(read(nested(DEPTH_MAX).as_bytes()).is_ok());
    assert!(why(&nested(DEPTH_MAX + 1)).contains("nested deeper than 256 levels"));
    assert!(why(&"<a>".repeat(100_000)).contains("nested deeper"));
    let wide = |count: usize| format!("<a>{}</a>", "<b/>".repeat(count));
    // The root and its element are nodes as well.
    assert!(Lent::read(wide(NODES_MAX - 2).as_bytes(), None).is_ok());
    assert!(why(&wide(NODES_MAX - 1)).contains("more than 500000 nodes"));
    let attributes =
        |count: usize| format!("<a{}/>", (0..count).map(|number| format!(" b{number}='1'")).collect::<String>());
    assert!(read(attributes(ATTRIBUTES_MAX).as_bytes()).is_ok());
    assert!(why(&attributes(ATTRIBUTES_MAX + 1)).contains("more than 128 attributes"));
    let spaces = |count: usize| {
        let one = |number| format!("<b xmlns='urn:{number}'/>");
        format!("<a>{}</a>", (0..count).map(one).collect::<String>())
    };
    assert!(read(spaces(NAMESPACES_MAX).as_bytes()).is_ok());
    assert!(why(&spaces(NAMESPACES_MAX + 1)).contains("more than 128 namespaces"));
    let within = |levels: usize| format!("{}{}", "<a xmlns='urn:a'>".repeat(levels), "</a>".repeat(levels));
    assert!(read(within(NAMESPACES_MAX).as_bytes()).is_ok());
    assert!(why(&within(NAMESPACES_MAX + 1)).contains("more than 128 declarations of namespaces are in force"));
    assert!(why(&format!("<{}/>", "a".repeat(NAME_BYTES_MAX + 1))).contains("is not a name"));
    let large = format!("<a>{}</a>", "x".repeat(XML_BYTES_MAX));
    assert!(why(&large).contains("at most 16777216 are read"));
    // In ISO-8859-1 each of these is a byte, and two in UTF-8.
    let mut latin = b"<?xml version='1.0' encoding='latin1'?><a>".to_vec();
    latin.resize(XML_BYTES_MAX / 2 + 100, 0xe9);
    latin.extend(b"</a>");
    assert!(read(&latin).unwrap_err().starts_with("as UTF-8 it has"));
}

#[test]
fn what_is_written_out_is_never_much_longer_than_the_body() {
    let references = format!("<a>{}</a>", "&#9;\r".repeat(10_000));
    let languages = format!("<a>{}</a>", "<b xml:lang='&#9;'/>".repeat(10_000));
    for body in [references, languages] {
        let lent = Lent::read(body.as_bytes(), None).unwrap_or_else(|why| panic!("{why:?}"));
        assert!(lent.0.as_ref().unwrap().made.len() <= body.len());
    }
}

/// Pieces that documents are made of, whole and broken.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<a>",
        "</a>",
        "<b x='1'>",
        "</b>",
        "<c/>",
        "<p:d/>",
        "<a xmlns:p='u'>",
        "<a xmlns='v'>",
        "<p:e p:x='2' x=\"3\">",
        "</p:e>",
        "text",
        " ",
        "\n",
        "\r\n",
        "&amp;",
        "&#65;",
        "&x;",
        "<![CDATA[<]]>",
        "<!--c-->",
        "<?p d?>",
        "]]",
        ">",
        "<",
        "&",
        "'",
        "é",
        "\t",
        "<a x='a&lt;\n b'>",
        "<?xml version='1.0'?>",
        "xml:lang='x'",
        "<f xml:lang='en'/>",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| format!("<r>{}</r>", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// What is read here, another reader reads as the same nodes, and what that refuses is refused.
    #[test]
    fn another_reader_agrees(body in pieces()) {
        let other = roxmltree::Document::parse(&body);
        match read(body.as_bytes()) {
            Ok(found) => {
                let other = other.map_err(|error| TestCaseError::fail(format!("{body}: {error}")))?;
                prop_assert_eq!(found, of_other(&other));
            }
            // It takes ends of lines and instructions for what they are not; whatever else it reads is read here.
            Err(why) => prop_assert!(other.is_err() || is_stricter(&why), "{}: {}", body, why),
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = read(&bytes);
    }
}

fn is_stricter(why: &str) -> bool {
    why.contains("the XML declaration stands behind") || why.contains("target of an instruction")
}

fn of_other(document: &roxmltree::Document<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for node in document.descendants().skip(1) {
        let named = |name: &str, prefix: Option<&str>| match prefix.filter(|prefix| !prefix.is_empty()) {
            Some(prefix) => format!("{prefix}:{name}"),
            None => name.to_owned(),
        };
        if node.is_element() {
            let whole = &document.input_text()[node.range()];
            let end = whole.find([' ', '>', '/', '\n', '\r']).unwrap_or(whole.len());
            lines.push(format!("<{} {{{}}}", &whole[1..end], node.tag_name().namespace().unwrap_or("")));
            for attribute in node.attributes() {
                let uri = attribute.namespace().unwrap_or("");
                let prefix = match uri {
                    "" => None,
                    XML_URI => Some("xml"),
                    _ => Some("p"),
                };
                lines.push(format!("@{} {{{uri}}}={}", named(attribute.name(), prefix), attribute.value()));
            }
        } else if node.is_text() {
            lines.push(format!("\"{}", node.text().unwrap_or("")));
        } else if node.is_comment() {
            lines.push(format!("!{}", node.text().unwrap_or("")));
        } else if let Some(instruction) = node.pi() {
            lines.push(format!("?{} {}", instruction.target, instruction.value.unwrap_or("")));
        }
    }
    lines
}
