//! Checks and captures of an exchange, except for the forms that are not supported yet.

use crate::syntax::not_yet;
use contract::{Check, Mistake, Names, Place, Probe, Which, read_capture, read_check};

/// Reads one check of the study. `knows_sent`: what was sent may be compared with, as on a held connection.
pub(crate) fn check(text: &str, place: Place, names: &dyn Names, knows_sent: bool) -> Result<Check, Mistake> {
    let check = read_check(text, place, names)?;
    let is_reverse = check.expected.as_fixed() == Some(b"reverse(sent)") && !text.trim_end().ends_with(['"', '\'']);
    if is_reverse && !knows_sent {
        return Err(Mistake::at(
            place,
            "study::bad-check",
            "only messages on a held connection are compared with what was sent",
        )
        .label("write what the answer must be; in quotation marks `'reverse(sent)'` is a text"));
    }
    without_xpath(&check.probe, place).map(|()| check)
}

/// Reads where a capture of the study looks, and which of the values there it takes.
pub(crate) fn capture(text: &str, place: Place) -> Result<(Probe, Which), Mistake> {
    let (probe, pick) = read_capture(text, place)?;
    without_xpath(&probe, place).map(|()| (probe, pick))
}

fn without_xpath(probe: &Probe, place: Place) -> Result<(), Mistake> {
    match not_yet::mistake("xpath(…)", place).filter(|_| matches!(probe, Probe::Xpath(_))) {
        Some(mistake) => Err(mistake),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Name;

    struct Nothing;

    impl Names for Nothing {
        fn resolve(&self, _: &str, place: Place) -> Result<Name, Mistake> {
            Err(Mistake::at(place, "study::unknown-name", "unknown"))
        }
    }

    #[test]
    fn what_is_not_carried_out_yet_is_said() {
        let code = |text| check(text, Place::default(), &Nothing, false).err().map(|mistake| mistake.code);
        assert_eq!(code("body = reverse(sent)"), Some("study::bad-check"));
        assert!(check("body = reverse(sent)", Place::default(), &Nothing, true).is_ok());
        assert_eq!(code("body = 'reverse(sent)'"), None);
        assert_eq!(code("body = sent"), None);
        assert_eq!(code("xpath(//a) = b"), Some("study::not-yet"));
        let mistake = capture("xpath(//a)", Place::default()).unwrap_err();
        assert_eq!(mistake.code, "study::not-yet");
        assert!(mistake.message.contains("`xpath(…)` is part of the language"), "{}", mistake.message);
    }
}
