//! Scripts that a study's author wrote.

use crate::{first_line, text};
use contract::{Place, Script};
use script::{Program, bounds};
use std::sync::Arc;

/// A line that the function `f` is given, and the script.
pub(crate) fn script(data: &[u8]) {
    let (argument, rest) = first_line(data);
    let program = match Program::new("s", &text(rest), 3, &[]) {
        Ok(program) => Arc::new(program),
        Err(mistake) => {
            assert_eq!(mistake.code, "study::bad-script");
            assert!(mistake.place.is_some_and(|place| place.file == 3 && place.line > 0 && place.column > 0));
            return;
        }
    };
    let Ok(function) = program.function("f", 1, Place::default()) else { return };
    let call = || {
        let mut value = Vec::new();
        function.call(&[argument.to_vec()], &mut value).map(|()| value)
    };
    let (first, second) = (call(), call());
    match &first {
        // A list within a list may be as long in brackets as a text is in letters.
        Ok(value) => assert!(value.len() <= 16 * bounds::STRING_BYTES_MAX),
        Err(trouble) => assert!(trouble.text.starts_with("script `s.f`"), "{}", trouble.text),
    }
    // How many steps fit into the time differs from call to call.
    let is_late = |ended: &Result<Vec<u8>, _>| {
        ended.as_ref().is_err_and(|trouble: &contract::Trouble| trouble.text.contains("takes longer"))
    };
    assert!(first == second || is_late(&first) || is_late(&second), "{first:?}, then {second:?}");
}
