//! Checks of an exchange, but for the forms that are not carried out yet.

use crate::not_yet;
use contract::{Check, Mistake, Names, Place, read_check};

/// Reads one check of the study.
pub(crate) fn check(text: &str, place: Place, names: &dyn Names) -> Result<Check, Mistake> {
    let check = read_check(text, place, names)?;
    let is_reverse = check.expected.as_fixed() == Some(b"reverse(sent)");
    match not_yet::mistake("reverse(sent)", place).filter(|_| is_reverse) {
        Some(mistake) => Err(mistake),
        None => Ok(check),
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
        let code = |text| check(text, Place::default(), &Nothing).err().map(|mistake| mistake.code);
        assert_eq!(code("body = reverse(sent)"), Some("study::not-yet"));
        assert_eq!(code("body = sent"), None);
    }
}
