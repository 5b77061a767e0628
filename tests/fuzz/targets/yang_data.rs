//! `fuzz::yang::data` behind the guard, as in a session, fed by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(xml) = fuzz::guard::passed(data) {
        fuzz::yang::data(xml.as_bytes());
    }
});
