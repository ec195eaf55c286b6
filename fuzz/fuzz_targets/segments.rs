//! `segments` of `fuzz-targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: loadproof_fuzz::let_the_decoder_panic(), |data: &[u8]| fuzz_targets::run("segments", data));
