//! `fuzz::framing::framing`, fed by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::framing::framing(data));
