//! Mutants of the Python package, by cosmic-ray, in a copy of the repository: those in the changed lines,
//! with the tests of their module.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::changes::{Changes, PACKAGE};
use super::cosmic_ray::{Line, TIMEOUT, outcome, settings_of, timeout_after};
use super::{Outcome, folder, run_until};
use crate::process::{command, root, run as run_command};
use crate::{revision, venv};

const TOOL: &str = "cosmic-ray==8.7.0";
/// Apart from the tests, which have other versions of what it needs.
const TOOL_VENV: &str = "target/mutants/venv";
/// The folder of the package.
const PROJECT: &str = "bindings/python";
/// Tests the mutants in the changed lines, module by module.
pub(super) fn run(changes: &Changes, base: &str, end: Instant) -> Result<Outcome> {
    let mut sum = Outcome::default();
    if changes.python.is_empty() {
        return Ok(sum);
    }
    let copy = copy()?;
    for (number, module) in changes.python.iter().enumerate() {
        let found = test(&copy, module, number, base, end)?;
        sum.killed += found.killed;
        sum.survivors.extend(found.survivors);
        sum.untested += found.untested;
    }
    Ok(sum)
}

/// A copy of the repository, as tests read examples and documents beside the package. It has the extension
/// that is installed in the environment of the tests.
fn copy() -> Result<PathBuf> {
    let find = "import importlib.util; print(importlib.util.find_spec('obeya._obeya').origin)";
    let found = command(venv::interpreter()?).args(["-c", find]).output()?;
    if !found.status.success() {
        bail!("the package is not installed in target/venv; run `cargo xtask python` first");
    }
    let extension = PathBuf::from(String::from_utf8(found.stdout)?.trim());
    let repository = folder().join("copy");
    if repository.exists() {
        fs::remove_dir_all(&repository)?;
    }
    for file in revision::files()?.lines() {
        if !root().join(file).exists() {
            continue;
        }
        let to = repository.join(file);
        fs::create_dir_all(to.parent().context("a folder")?)?;
        fs::copy(root().join(file), &to).with_context(|| format!("copy of {file}"))?;
    }
    let copy = repository.join(PROJECT);
    let name = extension.file_name().context("a file")?;
    fs::copy(&extension, copy.join("python/obeya").join(name))?;
    Ok(copy)
}

/// The mutants of one module.
fn test(copy: &Path, module: &str, number: usize, base: &str, end: Instant) -> Result<Outcome> {
    let name = module.strip_prefix(PACKAGE).unwrap_or(module);
    let all = names_of_tests(&copy.join("tests"))?;
    let settings = folder().join(format!("{number}.toml"));
    let session = folder().join(format!("{number}.sqlite"));
    if session.exists() {
        fs::remove_file(&session)?;
    }
    let python = venv::interpreter()?;
    let tests = tests_of(name, &all).join(" ");
    let write_settings = |timeout: Duration| -> Result<()> {
        let python = python.display().to_string();
        let table = settings_of(name, &python, &tests, base, timeout);
        let text = toml::to_string(&BTreeMap::from([("cosmic-ray", table)]))?;
        Ok(fs::write(&settings, text)?)
    };
    write_settings(TIMEOUT)?;
    let tool = |part: &str| -> Result<Command> {
        let mut tool = command(tool(part)?);
        tool.current_dir(copy)
            .env("PYTHONPATH", copy.join("python"))
            .env("PYTHONDONTWRITEBYTECODE", "1");
        Ok(tool)
    };
    run_command(tool("cosmic-ray")?.arg("init").arg(&settings).arg(&session))?;
    // Reads the changes where their history is.
    let mut filter = tool("cr-filter-git")?;
    filter.current_dir(root().join(PROJECT));
    run_command(filter.arg("--config").arg(&settings).arg(&session))?;
    let mut filter = tool("cr-filter-operators")?;
    run_command(filter.arg(&session).arg(&settings))?;
    if !is_started(&session, &mut tool("cosmic-ray")?)? {
        return Ok(Outcome::default());
    }
    let begun = Instant::now();
    if begun < end {
        run_command(tool("cosmic-ray")?.arg("baseline").arg(&settings))
            .with_context(|| format!("the tests of {name} without any change"))?;
        write_settings(timeout_after(begun.elapsed()))?;
        let mut exec = tool("cosmic-ray")?;
        exec.arg("exec").arg(&settings).arg(&session);
        if run_until(&mut exec, end)? == Some(false) {
            bail!("`cosmic-ray exec` failed for {name}");
        }
    }
    let source = fs::read_to_string(root().join(module))?;
    outcome(&dump(&session, &mut tool("cosmic-ray")?)?, module, &source)
}

/// Whether there is any mutant to test.
fn is_started(session: &Path, tool: &mut Command) -> Result<bool> {
    let items = dump(session, tool)?;
    Ok(items.iter().any(|(_, ended)| ended.is_none()))
}

fn dump(session: &Path, tool: &mut Command) -> Result<Vec<Line>> {
    let output = tool.arg("dump").arg(session).output()?;
    if !output.status.success() {
        bail!(
            "`cosmic-ray dump` failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let text = String::from_utf8(output.stdout)?;
    let lines = text.lines().map(|line| {
        serde_json::from_str(line).with_context(|| format!("`cosmic-ray dump` wrote {line:?}"))
    });
    lines.collect()
}

/// The tests of a module: those named after it, or after its folder, else all. The package's own are those of
/// its `__init__.py`.
fn tests_of(module: &str, all: &[String]) -> Vec<String> {
    let path = module.strip_suffix(".py").unwrap_or(module);
    let parts: Vec<&str> = path
        .split('/')
        .map(|part| part.trim_start_matches('_'))
        .collect();
    let of = |name: &str| -> Vec<String> {
        let is_named = |test: &&String| {
            let file = test.rsplit('/').next().unwrap_or(test);
            file.strip_prefix("test_").is_some_and(|rest| {
                rest.strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with(['.', '_']))
            }) || test.starts_with(&format!("tests/{name}/"))
        };
        all.iter().filter(is_named).cloned().collect()
    };
    if module == "__init__.py" {
        return of("package");
    }
    // A part of a folder is tested with it: a chart by the tests of all charts.
    let folders = parts.iter().take(parts.len() - 1);
    let names = folders.chain(parts.last());
    let found = names.map(|name| of(name)).find(|found| !found.is_empty());
    found.unwrap_or_else(|| vec!["tests".to_owned()])
}

/// The files of tests, from the folder of the project.
fn names_of_tests(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            names.extend(names_of_tests(&path)?);
        } else if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && name.starts_with("test_")
            && name.ends_with(".py")
        {
            let nested = folder.file_name().filter(|name| *name != "tests");
            let nested = nested.map_or_else(String::new, |name| format!("{}/", name.display()));
            names.push(format!("tests/{nested}{name}"));
        }
    }
    names.sort();
    Ok(names)
}

/// A program of cosmic-ray, which is installed if it is missing.
fn tool(name: &str) -> Result<PathBuf> {
    let python = venv::interpreter_of(TOOL_VENV)?;
    let program = python
        .with_file_name(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    if !program.exists() {
        venv::install_into(&python, &[TOOL])?;
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_tested_by_the_tests_named_after_it_or_its_folder() {
        let all = [
            "tests/lean/test_xmr.py",
            "tests/test_package.py",
            "tests/test_report.py",
            "tests/test_report_data.py",
            "tests/test_tidy.py",
        ];
        let all = all.map(str::to_owned);
        assert_eq!(tests_of("_tidy.py", &all), ["tests/test_tidy.py"]);
        assert_eq!(tests_of("lean/_frame.py", &all), ["tests/lean/test_xmr.py"]);
        assert_eq!(
            tests_of("_report/_read.py", &all),
            ["tests/test_report.py", "tests/test_report_data.py"]
        );
        assert_eq!(tests_of("__init__.py", &all), ["tests/test_package.py"]);
        assert_eq!(tests_of("_rows.py", &all), ["tests"]);
    }

    #[test]
    fn the_tests_of_the_repository_are_found() {
        let names = names_of_tests(&root().join(PROJECT).join("tests")).expect("read");
        for name in ["tests/test_tidy.py", "tests/lean/test_xmr.py"] {
            assert!(names.iter().any(|found| found == name), "{name}");
        }
    }
}
