//! Whatever a script does, its call ends, within bounds of steps, memory and depth, and says which it was.

use crate::call;
use proptest::prelude::*;
use script::{Program, bounds};

/// Each with what is reported about it.
const HOSTILE: &[(&str, &str)] = &[
    ("fn f() { loop { } }", "steps; does it end?"),
    ("fn f() { while true { let x = 1; } }", "steps; does it end?"),
    ("fn f() { for n in 0..1000000000000 { } 1 }", "steps; does it end?"),
    ("fn f() { try { loop { } } catch { } 1 }", "steps; does it end?"),
    ("fn f() { f() }", "call each other more than 32 deep"),
    ("fn f() { g() } fn g() { f() }", "call each other more than 32 deep"),
    ("fn f() { try { f() } catch { f() } }", "call each other more than 32 deep"),
    ("fn f() { let x = \"ab\"; loop { x += x; } }", "string too large"),
    ("fn f() { let x = \"ab\"; loop { x = `${x}${x}`; } }", "string too large"),
    ("fn f() { let x = \"a\"; x.pad(1000000000, 'b'); x }", "string too large"),
    ("fn f() { let x = \"a\"; x.pad(1000000000, \"bc\"); x }", "string too large"),
    ("fn f() { let x = \"a\"; loop { x.replace(\"a\", \"aaaaaaaa\"); } }", "string too large"),
    ("fn f() { let x = \"a\"; x.pad(1000000, 'a'); let y = x; x.replace(\"a\", y); x }", "string too large"),
    ("fn f() { let x = \"a\"; x.pad(1000000, 'a'); let y = x; x.replace('a', y); x }", "string too large"),
    ("fn f() { let x = []; x.pad(1000000000, 0); x }", "too large"),
    ("fn f() { blob(1000000000, 1) }", "too large"),
    ("fn f() { let x = [1, 2]; loop { x += x; } }", "too large"),
    ("fn f() { let x = [1, 2]; loop { x.push(x); } }", "too large"),
    ("fn f() { let x = [\"abcdefgh\"]; loop { x.push(x[0] + x[0]); x[0] = x[x.len() - 1]; } }", "too large"),
    ("fn f() { let x = #{}; let n = 0; loop { x[`k${n}`] = x; n += 1; } }", "too large"),
    ("fn f() { let x = []; loop { x = [x]; } }", ""),
    ("fn f() { let x = #{}; loop { x = #{ a: x }; } }", ""),
    ("fn f() { let x = []; loop { x = [[[[[[[[[x]]]]]]]]]; } }", ""),
    ("fn f() { let x = #{}; loop { x = #{a:#{a:#{a:#{a:#{a:#{a:#{a:#{a:x}}}}}}}}; } }", ""),
    (
        "fn f() { let x = []; let y = []; loop { y = x; x = [[[[[[[[[x]]]]]]]]]; if x == y { break; } x.to_string(); to_json(x); } }",
        "",
    ),
    ("fn f() { let all = []; loop { all.push(\"0123456789\".to_blob()); } }", "too large"),
    ("fn f() { let x = []; x.pad(9999, \"x\"); loop { x.sort(); x.reverse(); x.dedup(); x.pad(9999, \"x\"); } }", ""),
    ("fn f() { let x = \"a\"; x.pad(1000000, 'a'); loop { x.index_of(\"b\"); x.to_upper(); x.split(\"b\"); } }", ""),
    ("fn f() { let x = \"a\"; x.pad(1000000, 'a'); loop { let y = x.sub_string(1); } }", ""),
];

/// As the threads of the command have it.
fn on_a_large_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(bounds::STACK_BYTES).spawn(work).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn every_hostile_script_ends_with_what_bounded_it() {
    on_a_large_stack(hostile_scripts);
}

#[test]
fn values_as_deep_as_there_can_be_fit_the_stack() {
    on_a_large_stack(|| {
        for (least, open, close) in [("[]", "[", "]"), ("#{}", "#{a:", "}")] {
            let (open, close) = (open.repeat(9), close.repeat(9));
            for then in ["x == y", "x.to_string().len()", "x.to_debug().len()", "to_json(x)", "x = 1; y = 2; 3"] {
                let build = format!("while n < 9900 {{ x = {open}x{close}; n += 9; }}");
                // How far it comes in its time differs from machine to machine; that it ends does not.
                let ended = call(&format!("fn f() {{ let x = {least}; let n = 0; {build} let y = x; {then} }}"), &[]);
                assert!(
                    ended.is_ok() || ended.is_err_and(|trouble| trouble.text.contains("longer than 1 s")),
                    "{then}"
                );
            }
        }
    });
}

fn hostile_scripts() {
    let mut others = Vec::new();
    for (text, told) in HOSTILE {
        let is_right = |trouble: &contract::Trouble| trouble.text.contains(told) && !trouble.is_refused;
        match call(text, &[]) {
            Err(trouble) if is_right(&trouble) => {}
            ended => others.push((text, ended)),
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn variables_are_bounded_at_once() {
    let many: String = (0..=bounds::VARIABLES_MAX).map(|number| format!("let v{number} = 1; ")).collect();
    let trouble = call(&format!("fn f() {{ {many} 1 }}"), &[]).unwrap_err();
    assert!(trouble.text.contains("more than 64 variables"), "{}", trouble.text);
}

#[test]
fn arguments_are_bounded() {
    let large = vec![b'a'; bounds::STRING_BYTES_MAX + 1];
    assert!(call("fn f(x) { 1 }", &[&large]).unwrap_err().text.contains("at most 1048576"));
    assert_eq!(call("fn f(x) { 1 }", &[&large[1..]]).unwrap(), "1");
    assert!(call("fn f(x) { 1 }", &[&[0xff; bounds::MEMBERS_MAX + 1]]).unwrap_err().text.contains("not UTF-8"));
    // JSON that is deep, or long.
    let deep = "[".repeat(100_000);
    assert!(call("fn f(x) { parse_json(x) }", &[deep.as_bytes()]).unwrap_err().text.contains("recursion limit"));
    let long = format!("[{}1]", "1,".repeat(bounds::MEMBERS_MAX + 1));
    assert!(call("fn f(x) { parse_json(x) }", &[long.as_bytes()]).unwrap_err().text.contains("too large"));
}

/// Pieces that scripts are put together from: each is a statement over `x`, `list` and `map`.
const PIECES: &[&str] = &[
    "x += x;",
    "x = x + list.len();",
    "x.replace(\"a\", x);",
    "x.pad(100000, 'a');",
    "list += list;",
    "list.push(x);",
    "list.push(list);",
    "list = [list, list];",
    "list.push(map);",
    "map.a = map;",
    "map[x] = list;",
    "x = to_json(list);",
    "list = parse_json(to_json([map]));",
    "for y in list { x += \"ab\"; }",
    "x = g(x);",
    "list = list.map(|y| [y]);",
    "list.sort();",
    "x = list.to_string();",
    "if x.len() > 10 { x = \"a\"; }",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_loop_of_any_steps_ends(pieces in proptest::collection::vec(0..PIECES.len(), 1..6)) {
        let body: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let text = format!(
            "fn g(x) {{ if x.len() > 5 {{ x }} else {{ g(x + \"a\") }} }}\n\
             fn f(x) {{ let list = [1]; let map = #{{}}; loop {{ {body} }} }}"
        );
        let trouble = call(&text, &[b"a"]).unwrap_err();
        prop_assert!(trouble.text.starts_with("script `s."), "{}", trouble.text);
    }

    #[test]
    fn any_text_is_a_script_or_a_mistake(text in "(fn f\\(x\\) \\{ )?[\\PC\n]{0,60}( \\})?") {
        if let Err(mistake) = Program::new("s", &text, 0, &[]) {
            prop_assert_eq!(mistake.code, "study::bad-script");
        }
    }
}
