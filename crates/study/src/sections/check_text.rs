//! Checks of an exchange, except for those that only a held connection has.

use contract::{Check, Mistake, Names, Place, read_check};

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
    Ok(check)
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
        assert_eq!(code("xpath(//a) = b"), None);
    }
}
