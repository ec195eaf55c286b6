//! Scripts of a study: where they may be called, and what is reported about slips.

use super::fakes::{archived, load, load_in, rejected};
use crate::names::places::Places;
use crate::{Options, names};
use contract::{Names, Piece, Place, Probe, compile_template};
use std::path::Path;

const SIGN: &str =
    "fn make(text, key) { hex(hmac_sha256(key, text.to_upper())) }\nfn is_even(n) { parse_int(n) % 2 == 0 }\n";

fn study(keys: &str) -> String {
    let script = SIGN.replace('\n', "\n    ");
    format!(
        "study: S\nvars: {{ who: anna }}\nsystem: {{ name: x, url: \"http://127.0.0.1:1\", identity: {{ expect: {{ a: b }} }} }}\n\
         scripts:\n  sign: |\n    {script}\n\
         exchanges: {{ a: {{ http.get: {{ url: \"http://127.0.0.1:1/\" }}, capture: {{ id: json($.id) }}, {keys} }} }}\n\
         scenarios: {{ s: {{ load: {{ users: 1, hold: 1m }}, run: [a] }} }}\n"
    )
}

#[test]
fn what_is_known_is_worked_out_once_and_the_rest_for_each_exchange() {
    let (study, secrets) = load(&study("check: [ \"script(sign.is_even, json($.n))\" ]")).unwrap();
    assert!(study.warnings.is_empty(), "{:?}", study.warnings);
    let places = Places::placeholders(&study);
    let resolver = names::names(&study, &secrets, &[], None, &places);
    let template = |text: &str| compile_template(text, Place::default(), &resolver).unwrap();
    let fixed = template("<$(sign.make('abc', who))> $(upper(sign.make('abc', 'k')))");
    // HMAC-SHA-256 of "ABC" under "anna" and "k", by Python's `hmac`.
    let expected = "<92c8d1b834810be2a68e1fffc4226d01664fbb1fd4afc1f253a897533d69f5d2> 07EFE052A8EB79F411F1A56FF0B64D908D7F11E6F3529277815071C2D284BB71";
    assert_eq!(String::from_utf8_lossy(fixed.as_fixed().unwrap()), expected);
    for text in ["$(sign.make(id, who))", "$(sign.make('n=$(serial)', who))", "$(sign.is_even(random(1, 6)))"] {
        let pieces = template(text).pieces;
        assert!(matches!(pieces.as_slice(), [Piece::Script(call)] if !call.arguments.is_empty()), "{text}: {pieces:?}");
    }
    let nested = template("$(base64(sign.make(id, who)))").pieces;
    let [Piece::Call(call)] = nested.as_slice() else { panic!("{nested:?}") };
    assert!(matches!(call.arguments[0].pieces[0], Piece::Script(_)));
    let check = &study.exchanges[0].settings.checks[0];
    assert!(matches!(&check.probe, Probe::Script(probe) if probe.script.name() == "sign.is_even"));
    assert_eq!(check.expected.as_fixed(), Some(&b"true"[..]));
}

#[test]
fn a_script_of_a_file_has_its_mistakes_there_and_is_archived_with_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let inline = study("check: [ status = 200 ]");
    let (before, after) = (inline.find("  sign: |").unwrap(), inline.find("exchanges:").unwrap());
    let text = format!("{}  sign: {{ file: sign.rhai }}\n{}", &inline[..before], &inline[after..])
        .replace("/\" }", "/$(sign.make(id, who))\" }");
    let text = text
        .replace("run: [a]", "set_up: [ a: per node ], run: [a]")
        .replace("capture: { id", "capture: { other: json($.a), id");
    let missing = load_in(folder.path(), &text, &Options::default()).err().unwrap();
    assert_eq!(missing.mistakes.0[0].code, "study::unreadable-file", "{missing}");
    std::fs::write(folder.path().join("sign.rhai"), "fn make(text, key) {\n  txt\n}\n").unwrap();
    let wrong = load_in(folder.path(), &text, &Options::default()).err().unwrap().to_string();
    assert!(wrong.contains("sign.rhai:2"), "{wrong}");
    std::fs::write(folder.path().join("sign.rhai"), SIGN).unwrap();
    let text = text.replace("$(sign.make(id, who))", "$(sign.make('a', who))");
    let (study, _) = load_in(folder.path(), &text, &Options::default()).unwrap_or_else(|rejected| panic!("{rejected}"));
    let (again, _) = load_in(Path::new("/elsewhere"), &study.effective, &archived()).unwrap_or_else(|r| panic!("{r}"));
    assert_eq!(again.effective, study.effective);
    assert_eq!(again.scripts[0].text, study.scripts[0].text);
    assert!(again.scripts[0].program.is_none(), "nobody calls what is archived");
    // An archive is read even where its script is not understood any more.
    let newer = study.effective.replace("fn make", "function make");
    assert!(load_in(Path::new("/elsewhere"), &newer, &archived()).is_ok());
}

#[test]
fn slips_say_what_to_write() {
    for (keys, code, told) in [
        ("check: [ \"body = $(sgin.make('a', 'b'))\" ]", "study::unknown-function", "did you mean `sign.make`?"),
        ("check: [ \"body = $(sign.mkae('a', 'b'))\" ]", "study::unknown-function", "did you mean `sign.make`?"),
        ("check: [ \"body = $(sign.make('a'))\" ]", "study::bad-call", "write `sign.make(text, key)`"),
        ("check: [ \"body = $(sign.make('a', nobody))\" ]", "study::unknown-name", "nobody"),
        (
            "check: [ \"body = $(sign.is_even('x'))\" ]",
            "study::bad-call",
            "has no value: script `sign.is_even`, line 2",
        ),
        ("check: [ \"script(sign.is_even)\" ]", "study::bad-call", "write `sign.is_even(n)`"),
        ("check: [ \"script(sign.is_even, somewhere)\" ]", "study::bad-check", "a script is given"),
        ("check: [ \"script(other.f, body)\" ]", "study::unknown-function", "scripts are: sign"),
    ] {
        let found = rejected(&study(keys));
        assert!(found.mistakes.0.iter().any(|mistake| mistake.code == code), "{keys}: {found}");
        assert!(found.to_string().contains(told), "{keys}: {found}");
    }
    let none = rejected(&study("check: [ \"body = $(sign.make('a', 'b'))\" ]").replace("scripts:", "vars_of_no_use:"))
        .to_string();
    assert!(none.contains("declare it: `scripts: { sign: { file: sign.rhai } }`"), "{none}");
    let capture = rejected(&study("timeout: 1s").replace("json($.id)", "\"script(sign.is_even, body)\"")).to_string();
    assert!(capture.contains("write `$(NAME.FUNCTION(capture))`"), "{capture}");
    let taken = rejected(&study("timeout: 1s").replace("system: {", "data: { sign: { file: no.csv } }\nsystem: {"));
    assert!(taken.to_string().contains("`sign` is the name of a script and of a data set"), "{taken}");
    let (unused, _) = load(&study("timeout: 1s")).unwrap();
    assert!(unused.warnings[0].message.contains("nothing calls the script `sign`"), "{:?}", unused.warnings);
}

#[test]
fn an_archived_study_calls_no_script() {
    let text = study("check: [ \"body = $(sign.is_even('x'))\" ]");
    let (study, secrets) = load_in(Path::new("/nonexistent"), &text, &archived()).unwrap_or_else(|r| panic!("{r}"));
    let places = Places::placeholders(&study);
    let resolver = names::names(&study, &secrets, &[], None, &places);
    let script = resolver.script("sign.anything", 7, Place::default()).unwrap();
    assert!(script.call(&[], &mut Vec::new()).is_err());
}
