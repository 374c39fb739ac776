//! `obeya manual`: a page for each command, as `man` reads it.

use std::fs;

use crate::binary::{commands, run};

#[test]
fn every_command_has_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    run(["manual", &folder.path().display().to_string()]).success();
    let page = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    let first = page("obeya.1");
    // man(7): a page begins with its title and its section.
    assert!(first.contains(".TH obeya 1 "), "{first}");
    let commands = commands();
    // `help` is of clap itself.
    for command in commands.iter().filter(|name| *name != "help") {
        assert!(
            page(&format!("obeya-{command}.1")).contains(".SH NAME"),
            "{command}"
        );
    }
    // A hyphen in roff is `\-`.
    assert!(page("obeya-serve.1").contains("\\-\\-admin\\-listen"));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let error = run(["manual", &missing.display().to_string()]).failure(1);
    assert!(error.contains("missing"), "{error}");
}
