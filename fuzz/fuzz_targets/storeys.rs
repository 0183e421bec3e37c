//! libFuzzer on this target: see the crate.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| namiji_fuzz::sequences::storeys::run(data));
