use crate::build::Build;
pub(crate) fn read(_source: &str, _build: &mut Build<'_>) -> Result<(), String> { Err("nothing".to_owned()) }
