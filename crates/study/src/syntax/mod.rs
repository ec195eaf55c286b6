//! The language itself: YAML, texts with `$(…)`, tables of keys, and how mistakes in it are shown.

pub(crate) mod arithmetic;
pub(crate) mod codes;
pub(crate) mod emit;
pub(crate) mod grid;
pub(crate) mod include;
pub(crate) mod keys;
pub(crate) mod not_yet;
pub(crate) mod read;
pub(crate) mod rejected;
pub(crate) mod search;
pub(crate) mod text;
pub(crate) mod yaml;
