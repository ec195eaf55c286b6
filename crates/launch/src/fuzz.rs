//! For the fuzz targets alone: the parsers of this crate, with what must hold of them.

use crate::address::Address;
use crate::ask::Answer;
use crate::log::{last_lines, printable};
use crate::{identity as who, words};

/// An identity, and the last lines of an instance's output.
pub fn identity(bytes: &[u8]) {
    let is_shown = |text: &str| !text.chars().any(char::is_control);
    let answer = Answer { status: 200, body: bytes.to_vec(), ..Answer::default() };
    let _ = who::check_contained(&answer, "shop", false);
    match who::read(&answer, "/version") {
        Ok(identity) => {
            assert!(identity.iter().all(|(name, value)| is_shown(name) && is_shown(value)), "{identity:?}");
            let _ = who::check_expected(&identity, &[("name".to_owned(), "shop".to_owned())]);
            let _ = who::check_nonce(&identity, "n0");
            let _ = who::check_pid(&identity, |pid| pid == 1);
            assert_eq!(who::changed(&identity, &identity), None);
        }
        Err(wrong) => assert!(is_shown(&wrong.found), "{}", wrong.found),
    }
    for is_cut in [false, true] {
        let lines = last_lines(bytes, is_cut);
        assert!(lines.iter().all(|line| is_shown(line)), "{lines:?}");
    }
}

/// The address of an instance.
pub fn address(text: &str) {
    if let Ok(url) = Address::parse(text) {
        let again = Address::parse(&url.to_string()).expect("a printed address reads again");
        assert_eq!(again.to_string(), url.to_string());
        let _ = url.is_loopback();
    }
}

/// Reads any text as the command of an instance.
pub fn command(text: &str) {
    match words::split(text) {
        Ok(words) => {
            assert!(!words.is_empty());
            assert!(words.iter().map(String::len).sum::<usize>() <= text.len());
        }
        Err(why) => assert!(!why.is_empty()),
    }
    let _ = printable(text);
}
