//! `fuzz::netconf::session`, fed by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::netconf::session(data));
