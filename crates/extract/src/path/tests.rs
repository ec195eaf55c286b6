use super::*;
use proptest::prelude::*;
use serde_json::json;

/// The tests of <https://github.com/jsonpath-standard/jsonpath-compliance-test-suite>, commit 7be7c1f, without tags and
/// paths of results; its licence is beside it.
const COMPLIANCE: &str = include_str!("compliance.json");

#[test]
fn the_compliance_suite_of_the_standard_is_passed() {
    let cases: Vec<Value> = serde_json::from_str(COMPLIANCE).unwrap();
    assert!(cases.len() > 700);
    let mut wrong = Vec::new();
    for case in &cases {
        let (name, selector) = (&case["name"], case["selector"].as_str().unwrap());
        let path = Path::read(selector);
        let expected: Vec<&Value> = match case.get("results") {
            Some(results) => results.as_array().unwrap().iter().collect(),
            None => case.get("result").into_iter().collect(),
        };
        match path {
            Err(why) if expected.is_empty() => assert!(!why.why.is_empty()),
            Err(why) => wrong.push(format!("{name}: {selector}: {why:?}")),
            Ok(_) if expected.is_empty() => wrong.push(format!("{name}: {selector}: is read")),
            Ok(path) => {
                let document = &case["document"];
                let all = path.all(document).unwrap();
                let found = Value::Array(all.iter().map(|node| (*node).clone()).collect());
                // Members of an object have no order; this suite has a list of answers then, each of them right.
                if !expected.contains(&&found) {
                    wrong.push(format!("{name}: {selector}: {found} for {expected:?}"));
                }
                assert_eq!(path.first(document).unwrap(), all.first().copied(), "{selector}");
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// `[[[…]]]`, so many deep, around a value.
fn nested(depth: usize, inner: Value) -> Value {
    (0..depth).fold(inner, |inner, _| Value::Array(vec![inner]))
}

fn is_spent(path: &str, answer: &Value) -> bool {
    Path::read(path).unwrap().first(answer).is_err()
}

#[test]
fn a_path_that_costs_too_much_ends() {
    let deep = nested(60, json!([]));
    // No node is kept, so what has an answer has it at once.
    let first = |path: &str, answer| Path::read(path).unwrap().first(answer).map(|found| found.is_some());
    assert_eq!(first("$..*..*..*..*..*..*..*..*", &deep), Ok(true));
    assert!(is_spent("$..*..*..*..*..*..*..*.x", &deep));
    let wide = Value::Array((0..60_000).map(|number| json!([number])).collect());
    assert_eq!(first("$..[?@..[?@..*]]", &wide), Ok(false));
    let lists = nested(100, Value::Array((0..1000).map(|number| json!([[number]])).collect()));
    for path in ["$..[?@..[?@..x]]", "$..[?$..[?$..[?@.x]]]", "$..[?count($..*)<1]", "$..[?value($..x)==1]"] {
        assert!(is_spent(path, &lists), "{path}");
    }
    assert!(is_spent(&format!("$..[{}].x", vec!["*"; 900].join(",")), &wide));
    assert!(is_spent(&format!("$[{}].x", vec!["::-1"; 300].join(",")), &wide));
}

#[test]
fn comparing_and_matching_what_is_large_costs_steps_too() {
    let long = "x".repeat(400_000);
    let texts = Value::Array(vec![Value::String(long.clone()); 300]);
    assert!(is_spent("$[?@==$[0]&&@=='y']", &texts));
    assert!(is_spent("$[?length(@)<1]", &texts));
    assert!(is_spent("$[?search(@,'z')]", &texts));
    let lists = Value::Array(vec![Value::Array(vec![json!(0); 20_000]); 100]);
    assert!(is_spent("$[?@==$[0]&&@==1]", &lists));
    let patterns = Value::Array((0..100).map(|number| json!(format!("a{number}{{50}}"))).collect());
    assert!(is_spent("$[?match('b',@)]", &patterns));
    // The same pattern each time is compiled once.
    let same = json!({"is": "[a-z]+", "in": vec![json!("A"); 1000]});
    assert!(!is_spent("$.in[?match(@,$.is)]", &same));
}

#[test]
fn an_ordinary_path_is_far_from_the_bound() {
    let items: Vec<Value> = (0..20_000).map(|id| json!({"id": id, "tags": ["a", "b"], "of": {"n": id}})).collect();
    let answer = json!({"items": items, "total": 20_000});
    let first = |path: &str| Path::read(path).unwrap().first(&answer).unwrap().cloned();
    assert_eq!(first("$.total"), Some(json!(20_000)));
    assert_eq!(first("$.items[?@.id==19999].of.n"), Some(json!(19_999)));
    assert_eq!(first("$..n"), Some(json!(0)));
    assert_eq!(first("$..absent"), None);
    assert_eq!(first("$.items[?@.tags[?@=='c']]"), None);
}

#[test]
fn the_deepest_filters_on_the_deepest_answer_need_little_stack() {
    // Each filter reaches the bottom only, where the next one starts again at the top.
    let path = (0..FILTERS_DEEP_MAX).fold("@==2".to_owned(), |inner, _| format!("@==1&&$..[?{inner}]"));
    let path = format!("${}", path.strip_prefix("@==1&&$").unwrap());
    let answer = nested(127, json!(1));
    assert_eq!(Path::read(&path).unwrap().first(&answer), Ok(None));
}

#[test]
fn bounds_are_told_and_hold_before_anything_is_costly() {
    let why = |path: &str| Path::read(path).unwrap_err().why;
    let filters = |deep: usize| format!("${}{}", "[?@".repeat(deep), "]".repeat(deep));
    assert!(Path::read(&filters(FILTERS_DEEP_MAX)).is_ok());
    assert!(why(&filters(FILTERS_DEEP_MAX + 1)).contains("8 deep"));
    assert!(why(&filters(400)).contains("8 deep"));
    let brackets = |deep: usize| format!("$[?{}@{}]", "(".repeat(deep), ")".repeat(deep));
    assert!(Path::read(&brackets(BRACKETS_DEEP_MAX)).is_ok());
    assert!(why(&brackets(BRACKETS_DEEP_MAX + 1)).contains("16 deep"));
    assert!(why(&"[".repeat(10_000)).contains("at most 2000"));
    assert!(why(&format!("${}", "[?(@".repeat(400))).contains("deep"));
    assert!(why(&format!("$[?{}@.a{}]", "length(".repeat(200), ")".repeat(200))).contains("8 deep"));
    assert_eq!(Path::read("$.é[").unwrap_err().at, 4);
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in "\\$[\\[\\]().?@$*'\"a0:,!&|= <\\\\u-]{0,80}", answer in ".{0,20}") {
        if let Ok(path) = Path::read(&text) {
            let _ = path.first(&json!({"a": [1, {"a": answer}, [[0]]], "u": null}));
        }
    }
}
