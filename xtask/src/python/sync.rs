//! Derives `obeya/_sync` from `obeya/_async`: the same methods without an event loop. They are written once,
//! for asyncio, because removing keywords is safer than deciding where to insert them.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::process::root;

/// The files that both have.
const FILES: [&str; 14] = [
    "areas.py",
    "boards.py",
    "client.py",
    "comments.py",
    "data_lists.py",
    "datasources.py",
    "groups.py",
    "improvements.py",
    "incidents.py",
    "lists.py",
    "projects.py",
    "tasks.py",
    "users.py",
    "values.py",
];

/// The replacements, applied in this order. Names of classes lose their `Async`.
const WORDS: [(&str, &str); 9] = [
    ("async ", ""),
    ("await ", ""),
    ("Awaitable[_T]", "_T"),
    ("Awaitable, ", ""),
    ("__aiter__", "__iter__"),
    ("__aenter__", "__enter__"),
    ("__aexit__", "__exit__"),
    ("Async", ""),
    ("_async", "_sync"),
];

/// The generated files. `classes` are those of the originals that are about to be written, by path.
///
/// # Errors
/// A file that cannot be read, or in which something of asyncio is left after the replacements.
pub(crate) fn outputs(classes: &[(String, String)]) -> Result<Vec<(String, String)>> {
    let package = "bindings/python/python/obeya";
    FILES
        .into_iter()
        .map(|name| {
            let path = format!("{package}/_async/{name}");
            let text = match classes.iter().find(|(class, _)| *class == path) {
                Some((_, text)) => text.clone(),
                None => fs::read_to_string(root().join(path)).with_context(|| name.to_owned())?,
            };
            let made = module(name, &text).with_context(|| name.to_owned())?;
            Ok((format!("{package}/_sync/{name}"), made))
        })
        .collect()
}

fn module(name: &str, text: &str) -> Result<String> {
    let mut out = text.to_owned();
    for (word, instead) in WORDS {
        out = out.replace(word, instead);
    }
    if let Some(line) = out
        .lines()
        .find(|line| line.contains("async") || line.contains("await"))
    {
        bail!("found `{line}`, which has no form without asyncio: see xtask/src/python/sync.rs");
    }
    Ok(format!(
        "# Written by `cargo xtask regen` from ../_async/{name}; edit that.\n# fmt: off\n{out}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_asyncio_needs_is_left_out() {
        let text = "\
from collections.abc import AsyncIterator, Awaitable, Callable
from obeya._async.lists import AsyncRecords

class AsyncThings(AsyncRecords[_T]):
    async def __aiter__(self) -> AsyncIterator[_T]:
        async for page in self.pages():
            yield await answer(page)

    async def tagged(self, call: Callable[[Self], Awaitable[_T]]) -> _T: ...
";
        let wanted = "\
# Written by `cargo xtask regen` from ../_async/things.py; edit that.
# fmt: off
from collections.abc import Iterator, Callable
from obeya._sync.lists import Records

class Things(Records[_T]):
    def __iter__(self) -> Iterator[_T]:
        for page in self.pages():
            yield answer(page)

    def tagged(self, call: Callable[[Self], _T]) -> _T: ...
";
        assert_eq!(module("things.py", text).expect("it has a form"), wanted);
    }

    #[test]
    fn what_has_no_other_form_is_named() {
        let error = module("things.py", "import asyncio\n").expect_err("it needs a loop");
        assert!(error.to_string().contains("`import asyncio`"), "{error}");
    }
}
