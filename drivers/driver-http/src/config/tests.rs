mod bodies;

use super::*;
use crate::escape::is_json_literal;
use contract::{Name, Names, Piece, Place, Shape};
use testkit::{list, map, text};

struct Known;

impl Names for Known {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        match name {
            "shop.url" => Ok(Name::Text("http://127.0.0.1:8080".into())),
            "secret.P" => Ok(Name::Text("p\"w\\".into())),
            "serial" => Ok(Name::Slot(Piece::Serial)),
            other => Err(Mistake::at(place, "study::unknown-name", other)),
        }
    }
}

fn quoted(word: &str) -> Node {
    Node { place: Place::default(), shape: Shape::Text { text: word.into(), quoted: true } }
}

fn read(operation: &str, reuse: bool, entries: &[(&str, Node)]) -> Result<Exchange, Vec<&'static str>> {
    let settings = Settings { reuse, ..testkit::exchange(operation, entries) };
    let (mut mistakes, mut endpoints) = (Mistakes::default(), Vec::new());
    let mut context = BuildContext::new(&Known, env!("CARGO_MANIFEST_DIR"));
    let read = exchange(&settings, &mut endpoints, None, &mut context, &mut mistakes);
    if mistakes.is_empty() { Ok(read.unwrap()) } else { Err(mistakes.0.iter().map(|mistake| mistake.code).collect()) }
}

/// The codes of what is wrong with an exchange that has this key, too.
fn refused(operation: &str, more: (&str, Node)) -> Vec<&'static str> {
    read(operation, true, &[("url", text("http://a")), more]).map(|_| ()).unwrap_err()
}

/// The request with every slot filled in as `s`.
fn sent(operation: &str, entries: &[(&str, Node)]) -> String {
    let exchange = read(operation, true, entries).unwrap();
    let mut into = Vec::new();
    let mut fill = |_: u16, into: &mut Vec<u8>| {
        into.push(b's');
        true
    };
    exchange.request.render(&mut into, &mut crate::request::Scratch::default(), &mut fill).unwrap();
    let agent = concat!("User-Agent: loadproof/", env!("CARGO_PKG_VERSION"), "\r\n");
    String::from_utf8(into).unwrap().replace(agent, "").replace("\r\n", "|")
}

#[test]
fn a_plain_get_is_fixed_from_end_to_end() {
    let url = ("url", text("$(shop.url)/search?q=a b"));
    assert!(read("get", true, std::slice::from_ref(&url)).unwrap().request.as_fixed().is_some());
    assert_eq!(sent("get", &[url]), "GET /search?q=a%20b HTTP/1.1|Host: 127.0.0.1:8080|Accept: */*||");
}

#[test]
fn headers_of_the_study_take_the_place_of_ours() {
    let headers = map(&[("host", text("shop")), ("ACCEPT", text("")), ("x-n", text("$(serial)"))]);
    assert_eq!(
        sent("delete", &[("url", text("http://a/$(serial)")), ("headers", headers)]),
        "DELETE /s HTTP/1.1|host: shop|x-n: s||"
    );
}

#[test]
fn json_keeps_numbers_and_words_and_quotes_the_rest() {
    let json = map(&[
        ("n", text("-1.5e3")),
        ("yes", text("true")),
        ("none", text("null")),
        ("number in quotes", quoted("1")),
        ("slot", text("$(serial)")),
        ("secret", text("$(secret.P)")),
        ("octal", text("010")),
        ("list", list(&[text("1"), quoted(""), map(&[])])),
    ]);
    let body = r#"{"n":-1.5e3,"yes":true,"none":null,"number in quotes":"1","slot":"s","secret":"p\"w\\","octal":"010","list":[1,"",{}]}"#;
    let head = "POST / HTTP/1.1|Host: a|Accept: */*|Content-Type: application/json|";
    let expected = format!("{head}Content-Length: {}||{body}", body.len());
    assert_eq!(sent("post", &[("url", text("http://a")), ("json", json)]), expected);
}

#[test]
fn literals_are_those_of_json() {
    for word in ["0", "-0", "10", "1.5", "1e5", "1E+5", "1.0e-5", "true", "false"] {
        assert!(is_json_literal(word), "{word}");
    }
    for word in ["", "-", "01", ".5", "1.", "1e", "+1", "0x1", "1_0", "True", "yes", "1.2.3", "NaN", "--1"] {
        assert!(!is_json_literal(word), "{word}");
    }
}

#[test]
fn forms_and_texts_and_empty_bodies() {
    let url = ("url", text("http://a"));
    let form = map(&[("a b", text("ü&$(serial)")), ("c", list(&[text("1"), text("2")])), ("d", text(""))]);
    let head = "POST / HTTP/1.1|Host: a|Accept: */*|";
    assert_eq!(
        sent("post", &[url.clone(), ("form", form)]),
        format!("{head}Content-Type: application/x-www-form-urlencoded|Content-Length: 25||a+b=%C3%BC%26s&c=1&c=2&d=")
    );
    assert_eq!(sent("post", &[url.clone(), ("body", text("n=$(serial)"))]), format!("{head}Content-Length: 3||n=s"));
    assert_eq!(sent("post", &[url]), format!("{head}Content-Length: 0||"));
}

#[test]
fn authorization_is_encoded() {
    let url = ("url", text("http://a"));
    let head = "GET / HTTP/1.1|Host: a|Accept: */*|";
    // RFC 7617, section 2.
    let basic = text("Aladdin:open sesame");
    let expected = format!("{head}Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==||");
    assert_eq!(sent("get", &[url.clone(), ("basic", basic)]), expected);
    // A template is encoded as a whole; here it renders to `s`.
    let slots = ("basic", text("$(serial):$(serial)"));
    assert_eq!(sent("get", &[url.clone(), slots]), format!("{head}Authorization: Basic cw==||"));
    let bearer = ("bearer", text("t-$(serial)"));
    assert_eq!(sent("get", &[url, bearer]), format!("{head}Authorization: Bearer t-s||"));
}

#[test]
fn without_reuse_the_server_is_told() {
    let exchange = read("get", false, &[("url", text("http://a"))]).unwrap();
    let request = String::from_utf8_lossy(exchange.request.as_fixed().unwrap()).into_owned();
    assert!(request.contains("\r\nConnection: close\r\n"));
}

#[test]
fn mistakes_come_all_at_once() {
    let entries = [
        ("url", text("$(nobody)/x")),
        ("heders", map(&[])),
        ("headers", map(&[("a b", text("x")), ("content-length", text("3")), ("x", quoted("a\r\nb"))])),
        ("keep", text("10")),
        ("basic", text("nobody")),
        ("bearer", text("t")),
        ("body", text("a")),
        ("json", text("b")),
        ("tls", map(&[("ca", text("no-such.pem")), ("insecure", text("yes")), ("server_name", text("a b"))])),
    ];
    let mut codes = read("post", true, &entries).map(|_| ()).unwrap_err();
    codes.sort_unstable();
    let expected = [
        "http::bad-ca",
        "http::bad-header",
        "http::bad-server-name",
        "http::two-authorizations",
        "http::two-bodies",
        "study::missing-unit",
        "study::unknown-key",
        "study::unknown-name",
        "study::wrong-type",
    ];
    assert_eq!(
        {
            codes.dedup();
            codes
        },
        expected
    );
}

#[test]
fn what_cannot_be_is_refused() {
    assert_eq!(refused("head", ("body", text("x"))), ["http::body-not-possible"]);
    assert_eq!(refused("get", ("tls", map(&[("insecure", text("true"))]))), ["http::tls-without-https"]);
    assert_eq!(refused("get", ("basic", text("nobody"))), ["http::bad-basic"]);
    assert_eq!(refused("get", ("keep", text("2GiB"))), ["study::out-of-range"]);
    assert_eq!(refused("post", ("form", text("a=b"))), ["study::wrong-type"]);
    assert_eq!(refused("post", ("file", text("no-such.txt"))), ["study::unreadable-file"]);
    let deep = (0..100).fold(text("1"), |inner, _| list(&[inner]));
    assert_eq!(refused("post", ("json", deep)), ["http::bad-json"]);
}

#[test]
fn one_address_is_one_endpoint() {
    let mut endpoints = Vec::new();
    let endpoint = |port, tls| Endpoint {
        host: "a".into(),
        port,
        tls,
        http2: None,
        idle: None,
        all_addresses: false,
        proxy: None,
    };
    assert_eq!(index_of(endpoint(1, None), &mut endpoints), 0);
    assert_eq!(index_of(endpoint(2, None), &mut endpoints), 1);
    assert_eq!(index_of(endpoint(1, None), &mut endpoints), 0);
    assert_eq!(index_of(endpoint(1, Some(TlsSettings::default())), &mut endpoints), 2);
}
