//! What was changed since a revision, of the files whose code is tested. Reads Git, runs no tool.

use anyhow::Result;

use crate::revision;

/// The files of the package, from the root of the repository.
pub(super) const PACKAGE: &str = "bindings/python/python/obeya/";

/// The changed files, from the root of the repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Those of Rust crates, without tests, benchmarks and examples.
    pub(super) rust: Vec<String>,
    /// Those of the Python package, without what the generator writes. Of the two forms of the client the
    /// synchronous one counts: it is written from the other, and most tests use it.
    pub(super) python: Vec<String>,
}

impl Changes {
    /// The changes of the working tree since a commit.
    pub(super) fn since(commit: &str) -> Result<Self> {
        Ok(Self::of(&revision::changed_files(commit)?))
    }

    fn of(names: &str) -> Self {
        let mut changes = Self::default();
        for name in names.lines() {
            if is_rust(name) {
                changes.rust.push(name.to_owned());
            } else if is_python(name) {
                changes.python.push(name.to_owned());
            }
        }
        changes
    }
}

/// Whether it is the code of a crate. Files of unit tests are compiled for tests only, so nothing tests them.
fn is_rust(name: &str) -> bool {
    let in_source = name.contains("/src/")
        && ["crates/", "bindings/python/", "xtask/"]
            .iter()
            .any(|folder| name.starts_with(folder));
    let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
    name.ends_with(".rs") && in_source && !is_test && !name.contains("/generated")
}

fn is_python(name: &str) -> bool {
    const LEFT_OUT: [&str; 3] = ["_async/", "models.py", "types.py"];
    name.strip_prefix(PACKAGE).is_some_and(|module| {
        module.ends_with(".py") && !LEFT_OUT.iter().any(|start| module.starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_chosen_and_tests_and_generated_files_are_not() {
        let names = "CHANGELOG.md\n\
            bindings/python/python/obeya/_async/lists.py\n\
            bindings/python/python/obeya/_sync/lists.py\n\
            bindings/python/python/obeya/lean/_xmr.py\n\
            bindings/python/python/obeya/models.pyi\n\
            bindings/python/python/obeya/types.py\n\
            bindings/python/src/lib.rs\n\
            bindings/python/src/calls/generated.rs\n\
            bindings/python/tests/test_tidy.py\n\
            crates/client/build.rs\n\
            crates/client/src/prefetch.rs\n\
            crates/client/src/arrow/tests.rs\n\
            crates/client/tests/it/paging.rs\n\
            crates/store/src/postgres/tests/tls.rs\n\
            crates/odata/fuzz/fuzz_targets/filter.rs\n\
            xtask/src/main.rs\n";
        let expected = Changes {
            rust: vec![
                "bindings/python/src/lib.rs".to_owned(),
                "crates/client/src/prefetch.rs".to_owned(),
                "xtask/src/main.rs".to_owned(),
            ],
            python: vec![
                "bindings/python/python/obeya/_sync/lists.py".to_owned(),
                "bindings/python/python/obeya/lean/_xmr.py".to_owned(),
            ],
        };
        assert_eq!(Changes::of(names), expected);
    }
}
