//! The commands on the first screen of README.md that need no compiler: run as they are written there, in a
//! system that has nothing but the files of a release.
//!
//! It does not know how that system was made.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use super::platform::Platform;
use crate::process;

const README: &str = include_str!("../../../README.md");

/// The folder of the system in which they run.
const PLACE: &str = "root/first-screen";

/// The platform of the files that README.md names.
const SHOWN: [&str; 2] = ["x86_64-unknown-linux-gnu", "amd64"];

/// Runs the commands in the folder below `root`, beside these files, and prints how long each took. `inside`
/// makes a command of the system from its words.
pub(super) fn walk(
    root: &Path,
    platform: &Platform,
    inside: impl Fn(&[&str]) -> Command,
    files: [&Path; 2],
) -> Result<()> {
    let place = root.join(PLACE);
    fs::create_dir_all(&place)?;
    for file in files {
        let name = file.file_name().context("a file has a name")?;
        fs::copy(file, place.join(name)).with_context(|| file.display().to_string())?;
    }
    let started = Instant::now();
    for shown in commands(README)? {
        let command = for_platform(shown, platform);
        let script = format!("cd /{PLACE} && {command}");
        process::run(inside(&["sh", "-c", &script]).stdout(Stdio::null()))
            .with_context(|| format!("README.md: {command}"))?;
        let seconds = started.elapsed().as_secs_f64();
        println!("README.md: {seconds:.1} s after the first command: {command}");
    }
    fs::remove_dir_all(&place)?;
    Ok(())
}

/// The command with the names that the files of a platform have.
fn for_platform(shown: &str, platform: &Platform) -> String {
    let [triple, architecture] = SHOWN;
    shown
        .replace(triple, &platform.triple)
        .replace(architecture, platform.architecture)
}

/// The commands for the files of a release: the second block of commands on the first screen.
fn commands(readme: &str) -> Result<Vec<&str>> {
    let block = blocks(readme).into_iter().nth(1);
    block.context("README.md has no second block of commands below `## Try it`")
}

/// The blocks of commands on the first screen, without their prompts.
fn blocks(readme: &str) -> Vec<Vec<&str>> {
    let section = readme
        .split("\n## ")
        .find(|part| part.starts_with("Try it\n"));
    let blocks = section.unwrap_or_default().split("```console\n").skip(1);
    let lines = blocks.map(|rest| rest.split("```").next().unwrap_or_default().lines());
    lines
        .map(|lines| lines.filter_map(|line| line.strip_prefix("$ ")).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that need a compiler. The tests of the command line run the demo; those of the Python package
    /// install the folder by pip and run its demo.
    const FROM_A_CHECKOUT: [&str; 2] = [
        "cargo run --release -- demo",
        "python3 -m venv .venv && .venv/bin/pip install './bindings/python[report]' && .venv/bin/python -m obeya demo",
    ];

    #[test]
    fn the_first_screen_shows_no_command_that_nothing_runs() {
        let [checkout, release] = &blocks(README)[..] else {
            panic!("{:?}", blocks(README));
        };
        assert_eq!(checkout, &FROM_A_CHECKOUT);
        assert_eq!(release, &commands(README).expect("a block"));
        assert!(release.len() > 1);
    }

    /// Other names are not beside the commands when they are run.
    #[test]
    fn the_files_have_the_names_of_this_version() {
        let version = env!("CARGO_PKG_VERSION");
        let all = commands(README).expect("a block").join("\n");
        for name in [
            format!("obeya-{version}-x86_64-unknown-linux-gnu.tar.gz"),
            format!("obeya_{version}_amd64.deb"),
        ] {
            assert!(all.contains(&name), "README.md: expected {name} in\n{all}");
        }
    }

    #[test]
    fn files_of_another_platform_have_its_names() {
        let platform = Platform {
            triple: "aarch64-unknown-linux-gnu".to_owned(),
            architecture: "arm64",
            is_foreign: true,
        };
        let all = commands(README).expect("a block");
        let all: Vec<String> = all.iter().map(|it| for_platform(it, &platform)).collect();
        let all = all.join("\n");
        for name in SHOWN {
            assert!(!all.contains(name), "{all}");
        }
        let version = env!("CARGO_PKG_VERSION");
        assert!(all.contains(&format!("obeya-{version}-aarch64-unknown-linux-gnu.tar.gz")));
        assert!(all.contains(&format!("obeya_{version}_arm64.deb")));
    }

    #[test]
    fn commands_are_read_without_their_prompts() {
        let readme = "# A\n\n## Try it\n\n```console\n$ a\nsays\n$ b\n```\n\n```console\n$ c\n```\n\n## Run\n\n```console\n$ d\n```\n";
        assert_eq!(blocks(readme), [vec!["a", "b"], vec!["c"]]);
        assert_eq!(commands(readme).expect("a block"), ["c"]);
        assert!(commands("# A\n").is_err());
    }
}
