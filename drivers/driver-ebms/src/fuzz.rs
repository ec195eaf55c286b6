//! For the fuzz targets alone: what reads strangers' bytes, with what must hold of it.

use crate::agreement::{Signing, from_document};
use crate::envelope::read::Soap;
use crate::id::Id;
use crate::mime::{self, BodyPart};
use crate::moment;
use crate::signature::check;
use crate::xml::{DEPTH_MAX, ELEMENTS_MAX, Element, attribute_into, escape_into};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A document and, where it is one, a message.
pub fn envelope(bytes: &[u8]) {
    if let Ok(root) = Element::read(bytes) {
        let (elements, depth, text) = measured(&root);
        assert!(elements <= ELEMENTS_MAX && depth <= DEPTH_MAX, "{elements} elements, {depth} deep");
        // Names of namespaces stand once in the document and at every element in the tree; texts are never longer.
        assert!(text <= bytes.len(), "{text} bytes of text from {} bytes", bytes.len());
    }
    if let Ok(Soap::Message(message)) = Soap::read(bytes) {
        let _ = message.refers_to.as_deref().and_then(Id::read);
        let _ = message.has_failed();
        let _ = message.time_to_live.as_deref().map(moment::moment);
    }
    printed(bytes);
}

/// Elements, levels, and bytes of text in all.
fn measured(element: &Element) -> (usize, usize, usize) {
    let of_children = element.children.iter().map(measured);
    of_children.fold((1, 1, element.text.len()), |(elements, depth, text), child| {
        (elements + child.0, depth.max(child.1 + 1), text + child.2)
    })
}

/// Whatever a value holds, the document that it is written into reads back with it.
fn printed(bytes: &[u8]) {
    let mut document = b"<a b=\"".to_vec();
    attribute_into(bytes, &mut document);
    document.extend_from_slice(b"\">");
    escape_into(bytes, &mut document);
    document.extend_from_slice(b"</a>");
    if document.len() > crate::xml::DOCUMENT_BYTES_MAX {
        return;
    }
    let root = Element::read(&document).expect("what is written is a document");
    let is_known =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let meant: String =
        String::from_utf8_lossy(bytes).chars().map(|c| if is_known(c) { c } else { '\u{fffd}' }).collect();
    assert_eq!(root.text, meant, "the text of an element");
    assert_eq!(root.attributes[0].value, meant, "the value of an attribute");
}

/// A body of that content type, taken apart; and parts put together.
pub fn multipart(content_type: &[u8], body: &[u8]) {
    if let Ok(opened) = mime::open(content_type, body) {
        let parts: usize = opened.parts.iter().map(|part| part.content.len()).sum();
        assert!(opened.envelope.len() + parts <= body.len(), "parts are longer than their body");
        assert!(opened.parts.len() <= 100);
    }
    // A boundary that no body holds by chance; a fuzzer that finds it has changed the question.
    let boundary = "bnd-7c1e5f0a";
    if mime::find(body, boundary.as_bytes()).is_some() {
        return;
    }
    let mut written = Vec::new();
    mime::begin(boundary, &mut written);
    written.extend_from_slice(body);
    mime::part(boundary, "p@x", "application/xml", &mut written);
    written.extend_from_slice(body);
    mime::end(boundary, &mut written);
    let opened = mime::open(mime::content_type(boundary).as_bytes(), &written).expect("what is written reads back");
    assert_eq!(opened.envelope, Cow::Borrowed(body));
    assert_eq!(opened.parts.len(), 1);
    assert_eq!((mime::bare(opened.parts[0].id), &opened.parts[0].content[..]), (b"p@x".as_slice(), body));
}

/// An agreement; where it is none, a duration or a moment.
pub fn agreement(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = (moment::duration(text), moment::moment(text));
    }
    let Ok(root) = Element::read(bytes) else { return };
    let Ok((agreement, ..)) = from_document(&root, "cpa.xml") else { return };
    for side in [0, 1] {
        for action in ["Ping", "Pong", "Acknowledgment", "MessageError"] {
            let _ = agreement.signal(side, action);
        }
        let actions: Vec<String> = agreement.parties[side].actions.iter().map(|action| action.name.clone()).collect();
        for action in actions.iter().take(20) {
            let _ = agreement.message(side, None, action);
        }
    }
}

/// The certificate that some messages are said to be signed with.
static CERTIFICATE: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| {
    use rustls_pki_types::pem::PemObject;
    let pem = include_bytes!("../tests/keys/rsa.pem");
    rustls_pki_types::CertificateDer::from_pem_slice(pem).ok().map(|found| found.as_ref().to_vec())
});

/// A signed envelope with one part.
pub fn signature(bytes: &[u8]) {
    // As the driver does: bounds are looked at first.
    if Element::read(bytes).is_err() {
        return;
    }
    let parts = [
        BodyPart { id: b"<p@x>", content: Cow::Borrowed(b"part") },
        BodyPart { id: b"<x@x>", content: Cow::Borrowed(b"<a> <b c='d'/></a>") },
    ];
    for certificate in [None, CERTIFICATE.clone()] {
        let by = Signing { certificate, ..Signing::default() };
        if let Err(why) = check(bytes, &parts, &["cid:p@x".to_owned()], &by) {
            assert!(!why.is_empty());
        }
    }
}

/// A signed envelope over one part, to begin a search with.
pub fn signed() -> Vec<u8> {
    use crate::signature::Signer;
    use contract::{BuildContext, Mistake, Mistakes, Name, Names, Node, Place, Shape};
    struct NoNames;
    impl Names for NoNames {
        fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
            Err(Mistake::at(place, "study::unknown-name", name.to_owned()))
        }
    }
    let word = |word: &str| Node::text_at(Place::default(), word);
    let entries = [("certificate", "rsa.pem"), ("key", "rsa.key.pem")].map(|(key, value)| (word(key), word(value)));
    let node = Node { place: Place::default(), shape: Shape::Map(entries.into()) };
    let keys = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keys");
    let mut mistakes = Mistakes::default();
    let signer =
        Signer::read(&node, &BuildContext::new(&NoNames, keys), &mut mistakes).expect("the tests' keys can be read");
    let head = "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" \
                xmlns:eb=\"http://www.oasis-open.org/committees/ebxml-msg/schema/msg-header-2_0.xsd\"><soap:Header><eb:x>é &amp; ü</eb:x>";
    let tail = "</soap:Header><soap:Body/></soap:Envelope>";
    let algorithms = signer.algorithms(&Signing::default()).expect("algorithms of its own");
    let plain = format!("{head}{tail}");
    let signature = signer.sign(algorithms, plain.as_bytes(), [("p@x", b"part".as_slice())].into_iter());
    let signature = signature.expect("an envelope of our own can be signed");
    [head.as_bytes(), &signature, tail.as_bytes()].concat()
}
