use super::*;
use contract::{
    BuildContext, Capture, Check, Compare, Mistake, Mistakes, Name, Names, Piece, Place, Probe, Script, ScriptArgument,
    ScriptProbe, Template, Trouble, Which,
};
use proptest::prelude::*;

mod xml;

struct NoNames;

impl Names for NoNames {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        Err(Mistake::at(place, "study::unknown-name", name))
    }
}

const HERE: Place = Place { file: 0, line: 3, column: 5, length: 1 };

fn check(probe: Probe, compare: Compare, expected: &str) -> Check {
    let expected = Template::fixed(expected.as_bytes());
    Check { text: format!("{probe:?} {compare:?}"), probe, compare, expected, place: HERE }
}

fn capture(slot: u8, probe: Probe) -> Capture {
    Capture { name: format!("c{slot}"), slot, probe, pick: Which::First, is_optional: false, place: HERE }
}

fn compile(checks: &[Check], captures: &[Capture]) -> Result<Compiled, Mistakes> {
    Compiled::new(checks, captures, &mut BuildContext::new(&NoNames, "."))
}

fn xpath(path: &str) -> Probe {
    Probe::Xpath { path: path.into(), is_xml: false }
}

fn json(path: &str) -> Probe {
    Probe::Json(path.into())
}

const HEADERS: &[(&str, &[u8])] =
    &[("X-Okapi-Token", b" t1 "), ("Content-Type", b"application/json"), ("x-okapi-token", b"t2")];

struct Fixed;

impl Headers for Fixed {
    fn header(&self, name: &str) -> Option<&[u8]> {
        HEADERS.header(name)
    }

    fn header_at(&self, name: &str, number: usize) -> Option<&[u8]> {
        HEADERS.header_at(name, number)
    }
}

fn evaluate(probe: Probe, compare: Compare, expected: &str, body: &str) -> Result<(), FailedCheck> {
    let compiled = compile(&[check(probe, compare, expected)], &[]).unwrap();
    let mut answer = Answer::new(200, &Fixed, body.as_bytes(), body.len() as u64);
    compiled.evaluate(&mut answer, &mut |_, _| true)
}

/// Joins what it is given; refuses an empty text, and breaks down over `!`.
struct Joined;

impl Script for Joined {
    fn name(&self) -> &str {
        "text.joined"
    }

    fn call(&self, arguments: &[Vec<u8>], into: &mut Vec<u8>) -> Result<(), Trouble> {
        let broken = arguments.iter().any(|argument| argument == b"!");
        if broken || arguments.iter().any(Vec::is_empty) {
            let text = if broken { "it broke" } else { "it is empty" };
            return Err(Trouble { text: text.into(), is_refused: !broken });
        }
        into.extend(arguments.join(&b"+"[..]));
        Ok(())
    }
}

fn joined(arguments: Vec<ScriptArgument>) -> Probe {
    Probe::Script(ScriptProbe { script: std::sync::Arc::new(Joined), arguments })
}

#[test]
fn a_script_answers_for_parts_of_the_answer() {
    let fixed = |text: &str| ScriptArgument::Text(Template::fixed(text.as_bytes()));
    let slot = || ScriptArgument::Text(Template { pieces: vec![Piece::Serial] });
    let of = ScriptArgument::Of;
    let all = || vec![of(json("$.a")), of(Probe::Header("content-type".into())), fixed("x"), slot()];
    let look = |probe: Probe, expected: &str, body: &str, is_there: bool| {
        let compiled = compile(&[check(probe, Compare::Equal, expected)], &[]).unwrap();
        assert!(compiled.needs_body() && !compiled.has_captures());
        let mut answer = Answer::new(200, &Fixed, body.as_bytes(), body.len() as u64);
        compiled.evaluate(&mut answer, &mut |_, into| {
            into.push(b'7');
            is_there
        })
    };
    assert_eq!(look(joined(all()), "3+application/json+x+7", r#"{"a":3}"#, true), Ok(()));
    let failed = |found: Result<(), FailedCheck>| found.map_err(|failed| (failed.found, failed.is_study)).unwrap_err();
    for (body, found, is_study) in [
        (r#"{"a":4}"#, "4+application/json+x+7", false),
        ("{}", "nothing there", false),
        (r#"{"a":""}"#, "it is empty", false),
        (r#"{"a":"!"}"#, "it broke", true),
    ] {
        let seen = failed(look(joined(all()), "3+application/json+x+7", body, true));
        assert_eq!(seen, (found.to_owned(), is_study), "{body}");
    }
    let never = failed(look(joined(all()), "", r#"{"a":3}"#, false));
    assert_eq!(never, ("a value that the check needs was never captured".to_owned(), true));
    let compiled = compile(&[check(joined(vec![of(Probe::Header("x".into()))]), Compare::Equal, "")], &[]).unwrap();
    assert!(compiled.needs_headers() && !compiled.needs_body());
    // A body that was cut is not looked into by a script either.
    let compiled = compile(&[check(joined(vec![of(Probe::Body)]), Compare::Equal, "ab")], &[]).unwrap();
    let cut = compiled.evaluate(&mut Answer::new(200, &(), b"ab", 3), &mut |_, _| true).unwrap_err();
    assert!(cut.found.contains("larger than what is kept"), "{cut:?}");
    let refused = compile(&[], &[capture(0, joined(vec![]))]).err().unwrap();
    assert_eq!(refused.0[0].code, "study::bad-check");
}

#[test]
fn each_probe_finds_its_part() {
    let body = r#"{"total":3,"items":[{"id":"a"},{"id":"b"}],"big":9007199254740993,"none":null}"#;
    for (probe, expected) in [
        (Probe::Status, "200"),
        (Probe::Header("x-okapi-token".into()), "t1"),
        (Probe::HeaderPart { name: "content-type".into(), pattern: "/(js.n)".into() }, "json"),
        (Probe::HeaderPart { name: "Content-Type".into(), pattern: "^app".into() }, "app"),
        // The second header of that name is the one that the pattern finds.
        (Probe::HeaderPart { name: "x-okapi-token".into(), pattern: "t([2-9])".into() }, "2"),
        (json("$.total"), "3"),
        (json("$.items[1].id"), "b"),
        (json("$.items[?@.id=='b'].id"), "b"),
        (json("$.items[0]"), r#"{"id":"a"}"#),
        (json("$.none"), "null"),
        (Probe::Regex("\"id\":\"([a-z])\"".into()), "a"),
        (Probe::Regex("tot[a-z]+".into()), "total"),
        (Probe::Size, &body.len().to_string()),
        (Probe::Body, body),
    ] {
        assert_eq!(evaluate(probe.clone(), Compare::Equal, expected, body), Ok(()), "{probe:?}");
        assert!(evaluate(probe.clone(), Compare::NotEqual, expected, body).is_err(), "{probe:?}");
        assert!(evaluate(probe.clone(), Compare::Equal, "other", body).is_err(), "{probe:?}");
    }
}

#[test]
fn what_is_not_there_never_holds() {
    for probe in
        [json("$.absent"), Probe::Header("absent".into()), Probe::Regex("absent".into()), Probe::Regex("a(x)?".into())]
    {
        for compare in [Compare::Equal, Compare::NotEqual, Compare::Contains, Compare::Less] {
            let failed = evaluate(probe.clone(), compare, "", r#"{"a":1}"#).unwrap_err();
            assert_eq!(failed.found, "nothing there", "{probe:?} {compare:?}");
        }
    }
    assert!(evaluate(json("$"), Compare::NotEqual, "", "<html>").is_err(), "no JSON has no root");
}

#[test]
fn numbers_are_compared_as_numbers_and_whole_ones_exactly() {
    for (found, compare, expected, holds) in [
        ("10", Compare::Greater, "9", true),
        ("10", Compare::Less, "9", false),
        ("1.0", Compare::Equal, "1", true),
        ("1e2", Compare::Equal, "100", true),
        ("-0.5", Compare::AtMost, "-0.5", true),
        // 2^53 + 1 and 2^53 are the same floating-point number.
        ("9007199254740993", Compare::Equal, "9007199254740992", false),
        ("9007199254740993", Compare::Greater, "9007199254740992", true),
        ("inf", Compare::Greater, "1", false),
        ("nan", Compare::Equal, "nan", true),
        ("abc", Compare::Less, "abd", false),
        ("1e999", Compare::Greater, "1", false),
        ("", Compare::AtLeast, "0", false),
        ("-", Compare::AtLeast, "0", false),
    ] {
        assert_eq!(evaluate(Probe::Body, compare, expected, found).is_ok(), holds, "{found} {compare:?} {expected}");
    }
    assert_eq!(evaluate(Probe::Body, Compare::Less, "9", "soon").unwrap_err().found, "soon (no number)");
}

#[test]
fn contains_looks_everywhere() {
    for (found, expected, holds) in [
        ("aab", "ab", true),
        ("aaa", "ab", false),
        ("", "", true),
        ("", "a", false),
        ("xyz", "z", true),
        ("ab", "abc", false),
    ] {
        assert_eq!(evaluate(Probe::Body, Compare::Contains, expected, found).is_ok(), holds, "{expected} in {found}");
    }
}

#[test]
fn a_status_alone_needs_nothing_kept() {
    let compiled = compile(&[check(Probe::Status, Compare::Equal, "204")], &[]).unwrap();
    assert!(!compiled.needs_body() && !compiled.needs_headers() && compiled.has_status_check());
    let failed = compiled.evaluate(&mut Answer::new(500, &(), b"", 0), &mut |_, _| true).unwrap_err();
    assert!(failed.is_status);
    assert_eq!(failed.found, "500");
    let range =
        compile(&[check(Probe::Status, Compare::Less, "300"), check(Probe::Size, Compare::Equal, "0")], &[]).unwrap();
    assert!(!range.needs_body(), "the size is counted, not kept");
    assert!(range.evaluate(&mut Answer::new(299, &(), b"", 0), &mut |_, _| true).is_ok());
    assert!(range.evaluate(&mut Answer::new(300, &(), b"", 0), &mut |_, _| true).unwrap_err().is_status);
}

#[test]
fn all_mistakes_come_at_once_with_their_place() {
    let checks = [check(json("$.["), Compare::Equal, ""), check(xpath("//a["), Compare::Equal, "")];
    let captures = [capture(0, Probe::Regex("(".into())), capture(1, Probe::Regex("(?:x{1000}){1000}".into()))];
    let mistakes = compile(&checks, &captures).map(|_| ()).unwrap_err();
    let codes: Vec<_> = mistakes.0.iter().map(|mistake| mistake.code).collect();
    assert_eq!(codes, ["study::bad-json-path", "study::bad-xpath", "study::bad-pattern", "study::bad-pattern"]);
    assert!(mistakes.0.iter().all(|mistake| mistake.place == Some(HERE)));
    assert!(mistakes.0.iter().all(|mistake| !mistake.message.contains('\n')));
}

#[test]
fn the_expected_side_is_rendered_for_each_exchange() {
    let expected = Template { pieces: vec![Piece::Serial] };
    let with_slot = Check { expected, ..check(json("$.id"), Compare::Equal, "") };
    let mut context = BuildContext::new(&NoNames, ".");
    let compiled = Compiled::new(&[with_slot], &[], &mut context).unwrap();
    assert_eq!(context.into_templates().len(), 1);
    let body = br#"{"id":"7"}"#;
    let mut answer = Answer::new(200, &(), body, 10);
    let mut asked = Vec::new();
    let mut seven = |number: u16, into: &mut Vec<u8>| {
        asked.push(number);
        into.push(b'7');
        true
    };
    assert_eq!(compiled.evaluate(&mut answer, &mut seven), Ok(()));
    assert_eq!(asked, [0]);
    let failed = compiled.evaluate(&mut answer, &mut |_, _| false).unwrap_err();
    assert!(failed.is_study, "a capture that does not exist is the study's fault");
}

#[test]
fn an_optional_capture_may_find_nothing_and_null_is_nothing() {
    let optional = |path: &str| Capture { is_optional: true, ..capture(0, Probe::Json(path.into())) };
    let kept = |path: &str, body: &[u8]| {
        let compiled = compile(&[], &[optional(path)]).unwrap();
        let mut found = Some(b"before".to_vec());
        let mut answer = Answer::new(200, &(), body, body.len() as u64);
        compiled.capture(&mut answer, &mut |_, value| found = value.map(<[u8]>::to_vec)).unwrap();
        found.map(|found| String::from_utf8(found).unwrap())
    };
    assert_eq!(kept("$.next", br#"{"next":"/2"}"#).as_deref(), Some("/2"));
    assert_eq!(kept("$.next", br#"{"next":"null"}"#).as_deref(), Some("null"));
    for nothing in [&b"{}"[..], br#"{"next":null}"#, b"no json"] {
        assert_eq!(kept("$.next", nothing), None);
    }
    // What was not kept whole may well hold it.
    let compiled = compile(&[], &[optional("$.next")]).unwrap();
    assert!(compiled.capture(&mut Answer::new(200, &(), b"{", 9), &mut |_, _| {}).is_err());
}

#[test]
fn captures_are_kept_or_all_forgotten() {
    let captures = [capture(2, json("$.id")), capture(5, Probe::Header("x-okapi-token".into()))];
    let compiled = compile(&[], &captures).unwrap();
    let mut kept = Vec::new();
    let mut keep = |slot: u8, value: Option<&[u8]>| kept.push((slot, value.map(<[u8]>::to_vec)));
    assert_eq!(compiled.capture(&mut Answer::new(200, &Fixed, br#"{"id":4}"#, 8), &mut keep), Ok(()));
    assert_eq!(kept, [(2, Some(b"4".to_vec())), (5, Some(b"t1".to_vec()))]);
    let mut kept = Vec::new();
    let mut keep = |slot: u8, value: Option<&[u8]>| kept.push((slot, value.map(<[u8]>::to_vec)));
    let mut headless = Answer::new(200, &(), br#"{"id":4}"#, 8);
    let failed = compiled.capture(&mut headless, &mut keep).unwrap_err();
    assert_eq!((failed.name, &*failed.found, failed.is_study), ("c5", "nothing there", false));
    assert_eq!(kept[1..], [(2, None), (5, None)]);
}

#[test]
fn a_body_that_was_not_kept_whole_is_no_proof() {
    let compiled = compile(&[check(Probe::Body, Compare::Contains, "a")], &[capture(0, Probe::Body)]).unwrap();
    let mut answer = Answer::new(200, &(), b"aaaa", 5_000_000_000);
    let failed = compiled.evaluate(&mut answer, &mut |_, _| true).unwrap_err();
    assert_eq!(failed.found, "body larger than what is kept: 4 of 5000000000 bytes");
    let failed = compiled.capture(&mut answer, &mut |_, value| assert_eq!(value, None)).unwrap_err();
    assert_eq!((failed.name, failed.is_study), ("c0", false));
}

#[test]
fn deep_nesting_is_no_json() {
    let deep = "[".repeat(100_000);
    assert!(evaluate(json("$"), Compare::Contains, "", &deep).is_err());
    let closed = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    assert!(evaluate(json("$..*"), Compare::Contains, "", &closed).is_err());
}

#[test]
fn what_goes_beyond_a_bound_is_the_studys_fault() {
    // 3,000 lists, looked at from each of them twice over.
    let body = format!("[{}]", vec!["[0]"; 3000].join(","));
    let path = json("$..[?$..[?@.x]]");
    let failed = evaluate(path.clone(), Compare::Contains, "", &body).unwrap_err();
    assert_eq!((&*failed.found, failed.is_study), ("the path looked at more than 1000000 nodes", true));
    let compiled = compile(&[], &[capture(3, path)]).unwrap();
    let mut answer = Answer::new(200, &(), body.as_bytes(), body.len() as u64);
    let mut kept = Vec::new();
    let failed = compiled.capture(&mut answer, &mut |slot, value| kept.push((slot, value.is_some()))).unwrap_err();
    assert_eq!((failed.name, failed.is_study), ("c3", true));
    assert_eq!(kept, [(3, false)], "an older value is forgotten");
    let large = "a".repeat(16 * 1024 * 1024 + 1);
    assert!(evaluate(Probe::Regex("b".into()), Compare::Contains, "", &large).unwrap_err().is_study);
}

#[test]
fn a_path_or_pattern_beyond_its_bounds_is_refused_before_it_is_read() {
    let filters = format!("${}{}", "[?@".repeat(24), "]".repeat(24));
    let brackets = format!("$[?{}", "(".repeat(10_000));
    let code = |probe| compile(&[], &[capture(0, probe)]).map(|_| ()).unwrap_err().0.remove(0);
    for (probe, expected, bound) in [
        (json(&filters), "study::bad-json-path", "8 deep"),
        (json(&brackets), "study::bad-json-path", "at most 2000"),
        (Probe::Regex("(".repeat(60) + &")".repeat(60)), "study::bad-pattern", "50"),
        (Probe::Regex("a".repeat(10_001)), "study::bad-pattern", "at most 10000"),
    ] {
        let mistake = code(probe);
        assert_eq!(mistake.code, expected);
        assert!(mistake.message.contains(bound) && mistake.message.len() < 400, "{}", mistake.message);
        assert!(mistake.hint.is_some());
    }
}

proptest! {
    #[test]
    fn no_answer_makes_it_panic(status: u16, body: Vec<u8>, expected in ".{0,8}") {
        let probes = [Probe::Status, Probe::Body, Probe::Size, json("$..*"), Probe::Regex("(.)+".into())];
        for probe in probes {
            for compare in [Compare::Equal, Compare::Less, Compare::Contains] {
                let compiled = compile(&[check(probe.clone(), compare, &expected)], &[capture(0, probe.clone())]).unwrap();
                let mut answer = Answer::new(status, &Fixed, &body, body.len() as u64);
                let _ = compiled.evaluate(&mut answer, &mut |_, _| true);
                let _ = compiled.capture(&mut answer, &mut |_, _| ());
            }
        }
    }

    #[test]
    fn equal_and_not_equal_are_opposites(a in ".{0,6}", b in ".{0,6}") {
        let equal = evaluate(Probe::Body, Compare::Equal, &b, &a).is_ok();
        prop_assert_eq!(evaluate(Probe::Body, Compare::NotEqual, &b, &a).is_ok(), !equal);
    }

    #[test]
    fn whole_numbers_order_as_numbers(a: i64, b: i64) {
        let less = evaluate(Probe::Body, Compare::Less, &b.to_string(), &a.to_string()).is_ok();
        prop_assert_eq!(less, a < b);
    }
}

#[test]
fn a_number_of_units_is_a_whole_one() {
    let units = Capture { name: "rows".into(), ..capture(contract::UNITS_SLOT, Probe::Json("$.rows".into())) };
    let compiled = compile(&[], &[capture(0, Probe::Json("$.id".into())), units]).unwrap();
    let look = |body: &str| {
        let mut kept = Vec::new();
        let mut answer = Answer::new(200, &(), body.as_bytes(), body.len() as u64);
        let told = compiled.capture(&mut answer, &mut |slot, value| kept.push((slot, value.map(<[u8]>::to_vec))));
        (told.map_err(|failed| (failed.told(), failed.is_study)).err(), kept)
    };
    let (told, kept) = look(r#"{"id":7,"rows":0}"#);
    assert_eq!((told, kept), (None, vec![(0, Some(b"7".to_vec())), (contract::UNITS_SLOT, Some(b"0".to_vec()))]));
    for (body, why) in [
        (r#"{"id":7,"rows":1.5}"#, "no number of rows: found `1.5`, not a whole number from 0 to 1000000000000"),
        (r#"{"id":7,"rows":-3}"#, "no number of rows: found `-3`, not a whole number from 0 to 1000000000000"),
        (r#"{"id":7,"rows":"many"}"#, "no number of rows: found `many`, not a whole number from 0 to 1000000000000"),
        (r#"{"id":7}"#, "no number of rows: "),
    ] {
        let (told, kept) = look(body);
        let (told, is_study) = told.unwrap();
        assert!(told.starts_with(why) && !is_study, "{told}");
        assert_eq!(kept[kept.len() - 2..], [(0, None), (contract::UNITS_SLOT, None)], "and nothing is kept");
    }
}
