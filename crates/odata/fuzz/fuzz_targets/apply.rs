//! `$apply`, from text to statements and back to text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use obeya_odata::OptionName;
use obeya_odata_fuzz::harness;

fuzz_target!(|text: &str| {
    harness::option(OptionName::Apply, text);
});
