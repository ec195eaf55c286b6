//! Checks and captures that look into XML.

use super::*;

const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";

/// Knows the prefixes of a study.
struct Prefixes(Vec<(String, String)>);

impl Names for Prefixes {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        NoNames.resolve(name, place)
    }

    fn namespaces(&self) -> &[(String, String)] {
        &self.0
    }
}

fn prefixes() -> Prefixes {
    Prefixes([("soap", SOAP), ("wsse", WSSE), ("l", "urn:log")].map(|(p, uri)| (p.to_owned(), uri.to_owned())).to_vec())
}

fn compile_checks(checks: &[&str]) -> Result<Compiled, Mistakes> {
    let names = prefixes();
    let checks: Vec<Check> = checks.iter().map(|text| contract::read_check(text, HERE, &names).unwrap()).collect();
    Compiled::new(&checks, &[], &mut BuildContext::new(&names, "."))
}

fn compile_captures(captures: &[&str]) -> Result<Compiled, Mistakes> {
    let of = |(slot, text): (u8, &&str)| {
        let (probe, pick) = contract::read_capture(text, HERE).unwrap();
        Capture { pick, ..capture(slot, probe) }
    };
    let captures: Vec<Capture> = (0..).zip(captures).map(of).collect();
    let names = prefixes();
    Compiled::new(&[], &captures, &mut BuildContext::new(&names, "."))
}

fn envelope() -> String {
    format!(
        "<?xml version='1.0'?><s:Envelope xmlns:s='{SOAP}'><s:Header><w:Security xmlns:w='{WSSE}'><w:BinarySecurityToken>\
         t&amp;1</w:BinarySecurityToken></w:Security></s:Header><s:Body><Answer xmlns='urn:log' id='7'><Entry n='1'>a</Entry>\
         <Entry n='2'>b<![CDATA[<>]]></Entry><Total>2</Total></Answer></s:Body></s:Envelope>"
    )
}

fn fault() -> String {
    format!(
        "<s:Envelope xmlns:s='{SOAP}'><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>no token</faultstring>\
         </s:Fault></s:Body></s:Envelope>"
    )
}

/// What the first of the checks that does not hold found.
fn failed(checks: &[&str], body: &[u8]) -> Option<(String, bool)> {
    let compiled = compile_checks(checks).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let mut answer = Answer::new(200, &(), body, body.len() as u64);
    let failed = compiled.evaluate(&mut answer, &mut |_, _| true).err();
    failed.map(|failed| (failed.found, failed.is_study))
}

fn captured(captures: &[&str], body: &[u8]) -> Result<Vec<String>, (String, bool)> {
    let compiled = compile_captures(captures).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let mut answer = Answer::new(200, &(), body, body.len() as u64).with_draw(5);
    let mut kept = Vec::new();
    let keep =
        &mut |_: u8, value: Option<&[u8]>| kept.extend(value.map(|value| String::from_utf8(value.to_vec()).unwrap()));
    match compiled.capture(&mut answer, keep) {
        Ok(()) => Ok(kept),
        Err(failed) => Err((failed.found.into_owned(), failed.is_study)),
    }
}

#[test]
fn checks_compare_as_those_of_json_do() {
    let body = envelope();
    for check in [
        "xpath(//l:Entry)",
        "xpath(//l:Entry) = a",
        "xpath(//l:Entry[2]) = 'b<>'",
        "xpath(//l:Entry[@n = 2]) contains <",
        "xpath(//l:Total) > 1",
        "xpath(//l:Total) <= 2.0",
        "xpath(//l:Answer/@id) != 8",
        "xpath(count(//l:Entry)) = 2",
        "xpath(count(//l:Entry) = //l:Total)",
        "xpath(not(//soap:Fault))",
        "xpath(not(//soap:Fault)) = true",
        "xpath(boolean(//soap:Fault)) = false",
        "xpath(string(//soap:Fault)) = \"\"",
        "xpath(string(//wsse:BinarySecurityToken)) = t&1",
        "xpath(//l:Entry, xml) contains >a</Entry>",
    ] {
        assert_eq!(failed(&[check], body.as_bytes()), None, "{check}");
    }
    for (check, found) in [
        ("xpath(//soap:Fault)", "nothing there"),
        ("xpath(//l:Entry) = b", "a"),
        ("xpath(//l:Entry) > 1", "a (no number)"),
        ("xpath(not(//l:Entry))", "false"),
        ("xpath(count(//l:Entry)) > 2", "2"),
        ("xpath(//l:None) != x", "nothing there"),
        ("xpath(number(//l:Entry)) > 1", "NaN (no number)"),
    ] {
        assert_eq!(failed(&[check], body.as_bytes()), Some((found.to_owned(), false)), "{check}");
    }
    let (found, _) = failed(&["xpath(//Entry)"], body.as_bytes()).unwrap();
    assert!(found.contains("`Entry` is asked for in no namespace, and is there in `urn:log`; declare that"), "{found}");
    let (found, _) = failed(&["xpath(//soap:Fault/soap:faultcode)"], fault().as_bytes()).unwrap();
    assert!(found.ends_with("and is there in none; write it without a prefix"), "{found}");
    assert_eq!(failed(&["xpath(//soap:Fault/faultcode) = s:Client"], fault().as_bytes()), None);
}

#[test]
fn captures_take_the_first_any_or_all_of_what_is_there() {
    let body = envelope();
    let of = |text: &str| captured(&[text], body.as_bytes()).unwrap().pop().unwrap();
    assert_eq!(of("xpath(//wsse:BinarySecurityToken)"), "t&1");
    assert_eq!(of("xpath(//l:Entry/@n, all)"), r#"["1","2"]"#);
    assert_eq!(of("xpath(//l:Nothing, all)"), "[]");
    assert!(["1", "2"].contains(&of("xpath(//l:Entry/@n, any)").as_str()));
    assert_eq!(of("xpath(count(//l:Entry))"), "2");
    assert_eq!(of("xpath(//l:Entry, xml)"), "<Entry xmlns='urn:log' n='1'>a</Entry>");
    let all: Vec<String> = serde_json::from_str(&of("xpath(//l:Entry, all, xml)")).unwrap();
    assert!(all.len() == 2 && all[1].ends_with(" n='2'>b<![CDATA[<>]]></Entry>"), "{all:?}");
    assert_eq!(captured(&["xpath(//soap:Fault)"], body.as_bytes()), Err(("nothing there".into(), false)));
    let two = ["xpath(//l:Total)", "xpath(//l:Answer/@id)"];
    assert_eq!(captured(&two, body.as_bytes()), Ok(vec!["2".into(), "7".into()]));
}

#[test]
fn a_body_that_is_not_read_is_wrong_and_says_why() {
    let of = |body: &[u8]| failed(&["xpath(//a)"], body).unwrap();
    let bomb = b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>";
    let (found, is_study) = of(bomb);
    assert!(
        found.starts_with("the body cannot be read as XML: at line 1, character 1: it has a document type"),
        "{found}"
    );
    assert!(!is_study);
    assert_eq!(captured(&["xpath(//a)"], bomb), Err((found, false)));
    assert!(of(b"{}").0.ends_with("it begins with `{`, not with `<`"));
    assert!(of("<a>".repeat(10_000).as_bytes()).0.contains("nested deeper than 256 levels"));
    // What the expression costs is its own fault, as with JSONPath.
    let wide = format!("<r>{}</r>", "<a>x</a>".repeat(20_000));
    let (found, is_study) = failed(&["xpath(//a[preceding::a = 'y'])"], wide.as_bytes()).unwrap();
    assert_eq!((&*found, is_study), ("the expression took more than 1000000 steps on this body", true));
    let half = compile_checks(&["xpath(//a)"]).unwrap();
    let cut = half.evaluate(&mut Answer::new(200, &(), b"<a/>", 9), &mut |_, _| true).unwrap_err();
    assert_eq!(cut.found, "body larger than what is kept: 4 of 9 bytes");
}

#[test]
fn the_media_type_says_the_encoding() {
    struct Latin;
    impl Headers for Latin {
        fn header(&self, name: &str) -> Option<&[u8]> {
            (name == "content-type").then_some(b"text/xml; charset=ISO-8859-1")
        }
    }
    let compiled = compile_checks(&["xpath(/a) = \u{e9}"]).unwrap();
    assert!(compiled.needs_headers() && compiled.needs_body());
    let body = b"<a>\xe9</a>";
    assert_eq!(compiled.evaluate(&mut Answer::new(200, &Latin, body, 8), &mut |_, _| true), Ok(()));
    assert!(compiled.evaluate(&mut Answer::new(200, &(), body, 8), &mut |_, _| true).is_err());
}

#[test]
fn mistakes_say_what_to_write() {
    let of = |check: &str| compile_checks(&[check]).map(drop).unwrap_err().0.remove(0);
    let label = |mistake: &Mistake| mistake.label.clone().unwrap_or_default();
    for (check, code, message) in [
        (
            "xpath(//l:Entry[) = 1",
            "study::bad-xpath",
            "`//l:Entry[` is not an XPath: at character 11, it ends where a path",
        ),
        (
            "xpath(//zz:a)",
            "study::unknown-prefix",
            "`//zz:a` uses the prefix `zz` at character 3, which is not declared",
        ),
        ("xpath(count(//l:Entry))", "study::bad-check", "`xpath(count(//l:Entry))` holds for every XML"),
        ("xpath(string(//l:Entry))", "study::bad-check", "holds for every XML"),
        ("xpath(count(//a), xml) = 1", "study::bad-xpath", "has a value that is not a part of the body"),
    ] {
        let mistake = of(check);
        assert_eq!((mistake.code, mistake.place), (code, Some(HERE)), "{check}");
        assert!(mistake.message.contains(message), "{}", mistake.message);
    }
    let near = of("xpath(//wse:Security)");
    assert!(
        label(&near).starts_with("did you mean `wsse`? Else declare it: `namespaces: { wse: \"urn:…\" }`"),
        "{near:?}"
    );
    assert_eq!(near.hint.as_deref(), Some("declared are: soap, wsse, l"));
    let known = of("xpath(//saml:Assertion)");
    assert!(label(&known).contains("{ saml: \"urn:oasis:names:tc:SAML:2.0:assertion\" }"), "{known:?}");
    let picks = compile_captures(&["xpath(count(//a), any)"]).map(drop).unwrap_err().0.remove(0);
    assert_eq!(picks.code, "study::bad-capture");
    let none = compile(&[check(xpath("//soap:Body"), Compare::Contains, "")], &[]).map(drop).unwrap_err().0.remove(0);
    assert!(label(&none).starts_with("declare it at the top of the study: `namespaces: { soap:"), "{none:?}");
}

proptest! {
    #[test]
    fn no_body_makes_it_panic(body in "[<>/a-c:='\"&;#x0-9 \\[\\]!-]{0,60}") {
        let all = ["xpath(//*)", "xpath(//@*, all)", "xpath(//node(), any, xml)", "xpath(count(//node()))", "xpath(string(/))"];
        for capture in all {
            let _ = captured(&[capture], body.as_bytes());
        }
    }
}
