//! What is wrong with a script is found before anything starts.

use contract::{Mistake, Place};
use script::{Program, bounds};
use std::sync::Arc;

fn mistake(text: &str) -> Mistake {
    Program::new("sign", text, 7, &[]).err().unwrap_or_else(|| panic!("{text} is taken"))
}

#[test]
fn mistakes_have_their_line_and_what_to_write() {
    for (text, line, told) in [
        ("fn make(x) {\n  x +\n}", 3, "script `sign`: "),
        ("fn make(x) {\n  y\n}", 2, "y"),
        ("fn make(x) {\n\n  x.to_uper()\n}", 3, "did you mean `to_upper`?"),
        ("fn make(x) { hlper(x) }\nfn helper(x) { x }", 1, "did you mean `helper`?"),
        ("fn make(x) { if x { unheard_of(1); } x }", 1, "it calls `unheard_of`, which is not a function"),
        ("fn make(x) { [1].map(|n| unheard_of(n)) }", 1, "unheard_of"),
        ("fn make(x) {\n  print(x);\n  x }", 2, "a script shows nothing"),
        ("fn make(x) { timestamp() }", 1, "hand the time in"),
        ("fn make(x) { sleep(1); x }", 1, "`think` in `run`"),
        ("fn make(x) { rand() }", 1, "random(1, 6)"),
        ("fn make(x) { eval(\"1\") }", 1, "eval"),
        ("fn make(x) { let g = |n| n; loop { g = g.curry(g); } }", 1, "expecting name"),
        ("fn make(x) { import \"other\" as o; x }", 1, "import"),
        ("let key = 3;\nfn make(x) { x }", 1, "outside of functions"),
        ("fn make(x) { x }\nmake(1)", 2, "outside of functions"),
        ("fn make(x) {\n  x + \"$(secret.KEY)\"\n}", 2, "names are not filled in here"),
        ("", 1, "it has no function"),
        ("// nothing", 1, "it has no function"),
        ("private fn make(x) { x }", 1, "it has no function"),
    ] {
        let mistake = mistake(text);
        assert_eq!(mistake.code, "study::bad-script", "{text}");
        let place = mistake.place.unwrap();
        assert_eq!((place.file, place.line), (7, line), "{text}: {mistake:?}");
        let all =
            format!("{} {} {}", mistake.message, mistake.label.unwrap_or_default(), mistake.hint.unwrap_or_default());
        assert!(all.contains(told), "{text}: {all}");
    }
}

#[test]
fn a_text_is_bounded_in_length_and_depth() {
    assert!(mistake(&" ".repeat(bounds::TEXT_BYTES_MAX + 1)).message.contains("at most 262144"));
    for (open, close) in [("(", ")"), ("[", "]"), ("-", ""), ("!", ""), ("if true {", "}"), ("#{a:", "}")] {
        for depth in [200, 20_000] {
            mistake(&format!("fn f() {{ {}1{} }}", open.repeat(depth), close.repeat(depth)));
        }
    }
    let many: String = (0..=bounds::FUNCTIONS_MAX).map(|number| format!("fn f{number}() {{ 1 }}\n")).collect();
    mistake(&many);
}

#[test]
fn calls_from_a_study_are_held_against_what_is_there() {
    let program = Arc::new(Program::new("sign", "fn make(text, key) { text } fn make(text) { text }", 0, &[]).unwrap());
    let found = |name: &str, count| program.function(name, count, Place::default()).map(|_| ());
    assert_eq!((found("make", 1), found("make", 2)), (Ok(()), Ok(())));
    let mistake = found("make", 3).unwrap_err();
    assert_eq!(mistake.code, "study::bad-call");
    assert_eq!(mistake.label.as_deref(), Some("write `sign.make(text)`, `sign.make(text, key)`"));
    let mistake = found("mkae", 1).unwrap_err();
    assert_eq!(
        (mistake.code, mistake.label.as_deref()),
        ("study::unknown-function", Some("did you mean `sign.make`?"))
    );
}
