//! The revision to compare with, its files and what was changed since, from Git.

use std::process::Output;

use anyhow::{Context as _, Result, bail};

use crate::process::command;

/// The tag of the last release before the working tree, or why there is none.
pub(crate) fn last_tag() -> Result<Result<String, &'static str>> {
    let inside = git(&["rev-parse", "--git-dir"])?;
    if !inside.status.success() {
        return Ok(Err("this folder has no Git history"));
    }
    let tags = succeed(&[
        "tag",
        "--list",
        "v[0-9]*",
        "--merged",
        "HEAD",
        "--sort=-version:refname",
    ])?;
    Ok(latest(&tags).ok_or("there is no tag of a release (`v1.2.3`) yet"))
}

/// The first release among tags that are sorted in descending order; a pre-release promises nothing.
fn latest(tags: &str) -> Option<String> {
    let mut releases = tags.lines().filter(|tag| !tag.contains('-'));
    releases.next().map(str::to_owned)
}

/// The commit that a revision names.
pub(crate) fn commit(revision: &str) -> Result<String> {
    let commit = format!("{revision}^{{commit}}");
    let output = git(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &commit,
    ])?;
    if !output.status.success() {
        bail!(
            "found no revision `{revision}` in this repository, expected a tag, branch or commit"
        );
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// A file as it was at a commit.
pub(crate) fn file(commit: &str, path: &str) -> Result<String> {
    succeed(&["show", &format!("{commit}:{path}")])
}

/// The commit that the working tree and a revision have in common.
pub(crate) fn merge_base(revision: &str) -> Result<String> {
    Ok(succeed(&["merge-base", revision, "HEAD"])?
        .trim()
        .to_owned())
}

/// The names of the files that the working tree has otherwise than a commit, one a line, without those that
/// are gone.
pub(crate) fn changed_files(commit: &str) -> Result<String> {
    succeed(&[
        "diff",
        "--name-only",
        "--no-renames",
        "--diff-filter=d",
        commit,
    ])
}

/// The names of the files that Git knows or would add, one a line. Some of them may be gone.
pub(crate) fn files() -> Result<String> {
    succeed(&["ls-files", "--cached", "--others", "--exclude-standard"])
}

/// The changes of these files since a commit.
pub(crate) fn diff(commit: &str, files: &[String]) -> Result<String> {
    let options = ["diff", "--no-color", "--no-ext-diff", commit, "--"];
    let files = files.iter().map(String::as_str);
    succeed(&options.into_iter().chain(files).collect::<Vec<_>>())
}

fn succeed(arguments: &[&str]) -> Result<String> {
    let output = git(arguments)?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`git {}` failed: {}", arguments.join(" "), stderr.trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn git(arguments: &[&str]) -> Result<Output> {
    command("git")
        .args(arguments)
        .output()
        .context("cannot start git")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pre_release_is_no_base() {
        assert_eq!(
            latest("v1.1.0-rc.1\nv1.0.0\nv0.9.0\n").as_deref(),
            Some("v1.0.0")
        );
        assert_eq!(latest("v1.0.0-rc.1\n"), None);
        assert_eq!(latest(""), None);
    }

    #[test]
    fn the_files_are_those_of_the_repository() {
        let files = files().expect("read");
        assert!(files.lines().any(|name| name == "xtask/src/revision.rs"));
        assert!(!files.lines().any(|name| name.starts_with("target/")));
    }

    #[test]
    fn an_unknown_revision_is_named() {
        let error = commit("no-such-revision").expect_err("unknown");
        assert!(error.to_string().contains("`no-such-revision`"), "{error}");
    }
}
