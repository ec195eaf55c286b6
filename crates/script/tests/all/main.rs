//! Scripts as whoever fills in a template sees them.
#![allow(clippy::unwrap_used, reason = "a test")]

mod hostile;
mod mistakes;
mod values;

use contract::{Place, Script, Trouble};
use script::Program;
use std::sync::Arc;

/// The value of `f` in this text, and what is stated where it has none.
fn call(text: &str, arguments: &[&[u8]]) -> Result<String, Trouble> {
    let program = Program::new("s", text, 0, &[]).unwrap_or_else(|mistake| panic!("{text}: {mistake:?}"));
    let function = Arc::new(program).function("f", arguments.len(), Place::default()).unwrap();
    let arguments: Vec<Vec<u8>> = arguments.iter().map(|argument| argument.to_vec()).collect();
    let mut value = Vec::new();
    function.call(&arguments, &mut value)?;
    Ok(String::from_utf8_lossy(&value).into_owned())
}
