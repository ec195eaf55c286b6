//! Values in, values out: known answers.

use crate::call;
use contract::{Place, Script};
use proptest::prelude::*;
use script::Program;
use std::sync::Arc;

#[test]
fn a_function_computes_what_the_language_does_not() {
    for (text, arguments, expected) in [
        // Parameters of a query in their order, as signatures want them.
        (
            "fn f(query) { let parts = query.split('&'); parts.sort(); let all = \"\"; \
             for part in parts { if all != \"\" { all += \"&\"; } all += part; } all }",
            vec!["b=2&a=1&c=3"],
            "a=1&b=2&c=3",
        ),
        // FNV-1a of "foobar", from the reference code of its authors (isthe.com/chongo/tech/comp/fnv).
        (
            "fn f(text) { let h = 0x811c9dc5; \
             for byte in text.to_blob().to_array() { h = ((h ^ byte) * 16777619) & 0xffffffff; } h.to_hex() }",
            vec!["foobar"],
            "bf9cf968",
        ),
        // Luhn's check digit of the example in ISO/IEC 7812-1, annex B: 1 for 7992739871 is 3.
        (
            "fn f(number) { let sum = 0; let even = true; let at = number.len() - 1; \
             while at >= 0 { let digit = parse_int(number[at].to_string()); \
             if even { digit *= 2; if digit > 9 { digit -= 9; } } sum += digit; even = !even; at -= 1; } \
             (10 - sum % 10) % 10 }",
            vec!["7992739871"],
            "3",
        ),
        ("fn f(a, b) { parse_int(a) * parse_int(b) }", vec!["6", "7"], "42"),
        ("fn f(x) { parse_float(x) / 4.0 }", vec!["1"], "0.25"),
        ("fn f(x) { x == \"yes\" }", vec!["yes"], "true"),
        ("fn f() { [1, \"two\", #{ three: 3.5 }] }", vec![], r#"[1,"two",{"three":3.5}]"#),
        (
            "fn f(json) { let sum = 0; for item in parse_json(json).items { sum += item.price; } sum }",
            vec![r#"{"items":[{"price":3},{"price":39}]}"#],
            "42",
        ),
        ("fn f(json) { parse_json(json).a }", vec![r#"{"a":"\ud83d\ude00 \u00e9"}"#], "😀 é"),
        (
            "fn f(json) { to_json(parse_json(json)) }",
            vec![r#"{"b":[1,2.5,true],"a":"x\"y"}"#],
            r#"{"a":"x\"y","b":[1,2.5,true]}"#,
        ),
        // What is missing is `()`, which can be asked for.
        ("fn f(json) { let a = parse_json(json).a; if a == () { \"none\" } else { a } }", vec!["{}"], "none"),
        ("fn f(x) { helper(x) + \"!\" } private fn helper(x) { x.to_upper() }", vec!["ab"], "AB!"),
        ("fn f(x) { x.replace(\"a\", \"bb\"); x }", vec!["banana"], "bbbnbbnbb"),
        ("fn f(x) { [3, 1, 2].map(|n| n * 2).filter(|n| n > 2).len() }", vec!["x"], "2"),
    ] {
        let arguments: Vec<&[u8]> = arguments.iter().map(|argument: &&str| argument.as_bytes()).collect();
        assert_eq!(call(text, &arguments).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn bytes_that_are_no_text_are_a_blob_both_ways() {
    let program = Program::new("s", "fn f(x) { x.type_of() } fn g(x) { x }", 0, &[]).unwrap();
    let program = Arc::new(program);
    let bytes = vec![0xff, 0, 0x80];
    let of = |function: &str, argument: &[u8]| {
        let mut value = Vec::new();
        let function = program.function(function, 1, Place::default()).unwrap();
        function.call(&[argument.to_vec()], &mut value).unwrap();
        value
    };
    assert_eq!(of("f", &bytes), b"blob");
    assert_eq!(of("f", b"text"), b"string");
    assert_eq!(of("g", &bytes), bytes);
}

#[test]
fn what_a_script_says_comes_with_its_line() {
    for (text, argument, told, is_refused) in [
        ("fn f(x) {\n  throw \"no \" + x;\n}", "key", "script `s.f`, line 2: no key", true),
        (
            "fn f(x) {\n  parse_json(x)\n}",
            "<html>",
            "script `s.f`, line 2: this is not JSON: expected value at line 1 column 1",
            true,
        ),
        (
            "fn f(x) { g(x) }\nfn g(x) {\n  parse_int(x) / 0\n}",
            "1",
            "script `s.f`, line 3: division by zero: 1 / 0",
            false,
        ),
        ("fn f(x) { }", "x", "script `s.f`: it returns nothing; its last line, without `;`, is its value", false),
        ("fn f(x) { x[9] }", "ab", "string index 9 out of bounds", false),
    ] {
        let trouble = call(text, &[argument.as_bytes()]).unwrap_err();
        assert!(trouble.text.contains(told), "{text}: {}", trouble.text);
        assert_eq!(trouble.is_refused, is_refused, "{text}");
    }
    let long = call("fn f(x) { throw x }", &["é".repeat(1000).as_bytes()]).unwrap_err();
    assert!(long.text.chars().count() < 340 && long.text.ends_with('…'), "{}", long.text);
}

#[test]
fn nothing_of_one_call_is_left_for_the_next() {
    let text = "fn f(x) { let all = []; all.push(x); all.len() }";
    assert_eq!(call(text, &[b"a"]).unwrap(), call(text, &[b"a"]).unwrap());
    let program = Arc::new(Program::new("s", text, 0, &[]).unwrap());
    let function = Arc::new(program.function("f", 1, Place::default()).unwrap());
    let of = |function: &dyn Script| {
        let mut value = Vec::new();
        function.call(&[b"a".to_vec()], &mut value).unwrap();
        value
    };
    assert_eq!((of(&*function), of(&*function)), (b"1".to_vec(), b"1".to_vec()));
    let elsewhere = std::thread::spawn(move || of(&*function)).join().unwrap();
    assert_eq!(elsewhere, b"1", "another thread has an engine of its own");
}

proptest! {
    #[test]
    fn a_text_passes_through_as_it_is(text in "\\PC{0,40}") {
        prop_assert_eq!(call("fn f(x) { x }", &[text.as_bytes()]).unwrap(), text);
    }

    #[test]
    fn whole_numbers_of_json_stay_exact(number in any::<i64>()) {
        let json = format!("{{\"n\":{number}}}");
        prop_assert_eq!(call("fn f(x) { parse_json(x).n }", &[json.as_bytes()]).unwrap(), number.to_string());
    }

    #[test]
    fn replacing_is_that_of_the_standard_library(text in "[ab]{0,12}", find in "[ab]{0,2}", with in "[abc]{0,3}") {
        let found = call("fn f(x, a, b) { x.replace(a, b); x }", &[text.as_bytes(), find.as_bytes(), with.as_bytes()]);
        prop_assert_eq!(found.unwrap(), text.replace(&find, &with));
    }
}
