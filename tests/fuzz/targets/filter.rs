//! `fuzz::filter::filter`, fed by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::filter::filter(data));
