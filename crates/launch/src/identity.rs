//! Whether what answers is what the study means.

use crate::ask::Answer;
use crate::log::printable;
use serde_json::Value;
use std::collections::BTreeMap;
use study::{Signs, shown_fingerprint};

/// What an answer told about itself: scalar fields by name, nested ones left out, made printable. The bound on an
/// answer's bytes bounds their number too.
pub(crate) type Identity = BTreeMap<String, String>;

/// Why an answer is not the one meant: what was expected, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) expected: String,
    pub(crate) found: String,
}

/// Reads the fields of an identity.
///
/// # Errors
/// When the status is not 2xx or the body is not JSON object.
pub(crate) fn read(answer: &Answer, path: &str) -> Result<Identity, Wrong> {
    let wrong = |found: String| Wrong { expected: "its identity should be a JSON object".to_owned(), found };
    if !answer.is_success() {
        return Err(wrong(format!("the answer has status {}", answer.status)));
    }
    let Ok(Value::Object(fields)) = serde_json::from_slice(&answer.body) else {
        return Err(wrong(format!(
            "{}; a text is looked for with `identity: {{ path: {path}, contains: \"…\" }}`",
            beginning(answer)
        )));
    };
    let text = |value: Value| match value {
        Value::String(text) => Some(printable(&text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    Ok(fields.into_iter().filter_map(|(name, value)| Some((printable(&name), text(value)?))).collect())
}

/// Looks for a text in an answer that need not be JSON.
///
/// # Errors
/// A status other than 2xx, or an answer without it.
pub(crate) fn check_contained(answer: &Answer, text: &str, is_any_status: bool) -> Result<(), Wrong> {
    let wrong = |found| Wrong { expected: format!("its identity should contain `{}`", printable(text)), found };
    if !is_any_status && !answer.is_success() {
        return Err(wrong(format!("the answer has status {}", answer.status)));
    }
    if holds(&answer.body, text) { Ok(()) } else { Err(wrong(beginning(answer))) }
}

/// Compares what else of the answer tells who it is; `text` stands in the header, if one is named.
///
/// # Errors
/// The first sign that differs.
pub(crate) fn check_signs(answer: &Answer, signs: &Signs, text: Option<&str>) -> Result<(), Wrong> {
    if let Some(expected) = &signs.fingerprint
        && answer.fingerprint.as_ref() != Some(expected)
    {
        let found = match &answer.fingerprint {
            Some(found) => format!("it is `{}`", shown_fingerprint(found)),
            None => "it shows none, as it does not speak TLS".to_owned(),
        };
        let expected = format!("the fingerprint of its certificate should be `{}`", shown_fingerprint(expected));
        return Err(Wrong { expected, found });
    }
    if let Some(status) = signs.status.filter(|status| *status != answer.status) {
        let expected = format!("its answer should have status {status}");
        return Err(Wrong { expected, found: format!("it has {}", answer.status) });
    }
    let Some(name) = &signs.header else { return Ok(()) };
    let expected = match text {
        Some(text) => format!("its header `{name}` should contain `{}`", printable(text)),
        None => format!("its answer should have a header `{name}`"),
    };
    match &answer.header {
        None => Err(Wrong { expected, found: format!("it has none; its status is {}", answer.status) }),
        Some(found) if text.is_some_and(|text| !holds(found, text)) => {
            let found: String = String::from_utf8_lossy(found).chars().take(100).collect();
            Err(Wrong { expected, found: format!("it is `{}`", printable(&found)) })
        }
        Some(_) => Ok(()),
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    !text.is_empty() && bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn beginning(answer: &Answer) -> String {
    let start: Vec<u8> = answer.body.iter().copied().take(60).collect();
    if start.is_empty() {
        return "the answer is empty".to_owned();
    }
    format!("the answer begins with `{}`", printable(&String::from_utf8_lossy(&start)))
}

/// Compares the fields that the study expects.
///
/// # Errors
/// The first field that is missing or differs.
pub(crate) fn check_expected(identity: &Identity, expect: &[(String, String)]) -> Result<(), Wrong> {
    for (name, value) in expect {
        let found = match identity.get(name) {
            Some(found) if found == value => continue,
            Some(found) => format!("it is `{found}`"),
            None => match identity.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>() {
                names if names.is_empty() => "the identity has no fields".to_owned(),
                names => format!("the identity has only {}", names.join(", ")),
            },
        };
        return Err(Wrong { expected: format!("`{name}` should be `{value}`"), found });
    }
    Ok(())
}

/// Compares the nonce that the process was given. `false` when the identity tells none, which alone proves nothing
/// either way.
///
/// # Errors
/// A nonce that is another one.
pub(crate) fn check_nonce(identity: &Identity, nonce: &str) -> Result<bool, Wrong> {
    match identity.get("nonce").filter(|found| !found.is_empty()) {
        None => Ok(false),
        Some(found) if found == nonce => Ok(true),
        Some(found) => Err(Wrong {
            expected: "it should tell the nonce of the process that was started".to_owned(),
            found: format!("it tells `{found}`, so another process answers"),
        }),
    }
}

/// Compares the process id, if one is told, with those of the tree that was started.
///
/// # Errors
/// An id outside the tree.
pub(crate) fn check_pid(identity: &Identity, is_ours: impl Fn(u32) -> bool) -> Result<(), Wrong> {
    match identity.get("pid") {
        Some(found) if !found.parse().is_ok_and(is_ours) => Err(Wrong {
            expected: "the process that was started should answer".to_owned(),
            found: format!("process {found} does"),
        }),
        _ => Ok(()),
    }
}

/// The first sign that another process answers than at the start, although it tells what is expected.
pub(crate) fn changed(before: &Identity, after: &Identity) -> Option<String> {
    ["nonce", "pid", "started", "start_time", "boot_id"].iter().find_map(|&name| {
        let (old, new) = (before.get(name)?, after.get(name)?);
        (old != new).then(|| format!("`{name}` was `{old}` at the start and is `{new}` now"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status, body: body.as_bytes().to_vec(), ..Answer::default() }
    }

    fn identity(body: &str) -> Identity {
        read(&answer(200, body), "/version").unwrap()
    }

    fn expect(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.to_owned(), value.to_owned())]
    }

    #[test]
    fn expected_fields_are_compared_as_text() {
        let shop = identity(r#"{"name": "shop", "major": 2, "parts": ["a"]}"#);
        assert_eq!(check_expected(&shop, &expect("major", "2")), Ok(()));
        let wrong = check_expected(&shop, &expect("name", "stock")).unwrap_err();
        assert_eq!((wrong.expected.as_str(), wrong.found.as_str()), ("`name` should be `stock`", "it is `shop`"));
        let wrong = check_expected(&shop, &expect("release", "7")).unwrap_err();
        assert_eq!(wrong.found, "the identity has only `major`, `name`");
    }

    #[test]
    fn another_nonce_or_process_is_refused_and_none_is_no_proof() {
        let shop = identity(r#"{"nonce": "abc", "pid": 7}"#);
        assert_eq!(check_nonce(&shop, "abc"), Ok(true));
        assert!(check_nonce(&shop, "xyz").unwrap_err().found.contains("`abc`"));
        assert_eq!(check_nonce(&identity("{}"), "abc"), Ok(false));
        assert_eq!(check_nonce(&identity(r#"{"nonce": ""}"#), "abc"), Ok(false));
        assert_eq!(check_pid(&shop, |pid| pid == 7), Ok(()));
        assert!(check_pid(&shop, |pid| pid == 8).is_err());
        assert!(check_pid(&identity(r#"{"pid": "x"}"#), |_| true).is_err());
    }

    #[test]
    fn what_is_no_json_object_is_shown_in_part() {
        assert_eq!(read(&answer(404, "{}"), "/").unwrap_err().found, "the answer has status 404");
        let found = read(&answer(200, "[1]"), "/v").unwrap_err().found;
        assert_eq!(
            found,
            "the answer begins with `[1]`; a text is looked for with `identity: { path: /v, contains: \"…\" }`"
        );
        assert!(read(&answer(200, ""), "/").unwrap_err().found.starts_with("the answer is empty"));
        let page = "<html>".repeat(50);
        assert!(read(&answer(200, &page), "/").unwrap_err().found.len() < 160);
    }

    #[test]
    fn a_text_is_found_in_an_answer_that_is_no_json() {
        assert_eq!(check_contained(&answer(200, "shop 1.2\n"), "shop 1.2", false), Ok(()));
        let wrong = check_contained(&answer(200, "stock 7"), "shop", false).unwrap_err();
        assert_eq!(wrong.expected, "its identity should contain `shop`");
        assert_eq!(wrong.found, "the answer begins with `stock 7`");
        assert!(check_contained(&answer(500, "shop"), "shop", false).is_err());
        assert!(
            check_contained(&answer(200, "shop"), "", false).is_err(),
            "nothing is in everything and proves nothing"
        );
    }

    #[test]
    fn a_restart_shows_in_what_changes() {
        let (before, after) = (identity(r#"{"name":"a","pid":7}"#), identity(r#"{"name":"a","pid":9}"#));
        assert_eq!(changed(&before, &after).unwrap(), "`pid` was `7` at the start and is `9` now");
        assert_eq!(changed(&before, &before), None);
        assert_eq!(changed(&before, &identity("{}")), None);
    }

    proptest! {
        #[test]
        fn no_body_makes_it_panic(body in "\\PC{0,80}") {
            let _ = read(&answer(200, &body), "/");
        }
    }
}
