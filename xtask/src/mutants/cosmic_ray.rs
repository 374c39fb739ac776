//! The settings that cosmic-ray reads and the results that it writes. Starts nothing.

use std::time::Duration;

use anyhow::{Result, bail};
use serde::Deserialize;

use super::Outcome;

/// The longest that tests may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(900);

/// What cosmic-ray made, and how it ended.
pub(super) type Line = (Item, Option<Ended>);

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    mutations: Vec<Mutation>,
}

#[derive(Debug, Deserialize)]
struct Mutation {
    operator_name: String,
    /// Line, from 1, and column.
    start_pos: (usize, usize),
    definition_name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Ended {
    worker_outcome: String,
    test_outcome: Option<String>,
}

/// How long the tests of a mutant may take if they took so long without it: a loop without an end is
/// noticed too.
pub(super) fn timeout_after(baseline: Duration) -> Duration {
    (4 * baseline + Duration::from_secs(10)).min(TIMEOUT)
}

/// The settings of a session: its module by its path in the package, and the tests it runs.
pub(super) fn settings_of(
    name: &str,
    python: &str,
    tests: &str,
    base: &str,
    timeout: Duration,
) -> toml::Table {
    let mut settings = toml::Table::new();
    let module = format!("python/obeya/{name}");
    settings.insert("module-path".to_owned(), vec![module].into());
    settings.insert("timeout".to_owned(), timeout.as_secs_f64().into());
    settings.insert(
        "excluded-modules".to_owned(),
        toml::Value::Array(Vec::new()),
    );
    let command = format!(
        "{python} -m pytest -x -q -p no:cacheprovider -c pyproject.toml --rootdir . {tests}"
    );
    settings.insert("test-command".to_owned(), command.into());
    let local = toml::Table::from_iter([("name".to_owned(), toml::Value::from("local"))]);
    settings.insert("distributor".to_owned(), local.into());
    let branch = toml::Table::from_iter([("branch".to_owned(), toml::Value::from(base))]);
    // Nearly all of them are in annotations, which are not evaluated.
    let unions = vec!["core/ReplaceBinaryOperator_BitOr_.*"];
    let unions = toml::Table::from_iter([("exclude-operators".to_owned(), unions.into())]);
    let filters = toml::Table::from_iter([
        ("git-filter".to_owned(), toml::Value::from(branch)),
        ("operators-filter".to_owned(), toml::Value::from(unions)),
    ]);
    settings.insert("filters".to_owned(), filters.into());
    settings
}

/// The mutants of a session, counted.
pub(super) fn outcome(lines: &[Line], module: &str, source: &str) -> Result<Outcome> {
    let mut found = Outcome::default();
    for (item, ended) in lines {
        let Some(ended) = ended else {
            found.untested += 1;
            continue;
        };
        match (ended.worker_outcome.as_str(), ended.test_outcome.as_deref()) {
            // Outside of the changed lines.
            ("skipped", _) => {}
            ("normal", Some("survived")) => {
                for mutation in &item.mutations {
                    found.survivors.push(mutation.name(module, source));
                }
            }
            ("normal", Some("killed" | "incompetent")) | ("exception" | "abnormal", _) => {
                found.killed += 1;
            }
            (worker, test) => bail!("cosmic-ray ended a mutant with {worker} and {test:?}"),
        }
    }
    Ok(found)
}

impl Mutation {
    /// Without its line number, which changes with every edit above it.
    fn name(&self, module: &str, source: &str) -> String {
        let line = source.lines().nth(self.start_pos.0 - 1).unwrap_or_default();
        let place = self.definition_name.as_deref().unwrap_or("the module");
        let operator = &self.operator_name;
        format!("{module}: {operator} in {place}: {}", line.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As cosmic-ray 8 writes it, without what is not read.
    const DUMP: &str = r#"
        [{"job_id": "4", "mutations": [{"module_path": "m.py", "operator_name": "core/ReplaceBinaryOperator_Add_Sub",
            "start_pos": [3, 17], "end_pos": [3, 18], "definition_name": "f"}]},
            {"worker_outcome": "normal", "output": "", "test_outcome": "survived"}]
        [{"mutations": [{"module_path": "m.py", "operator_name": "x", "start_pos": [1, 0], "definition_name": null}]},
            {"worker_outcome": "normal", "test_outcome": "killed"}]
        [{"mutations": []}, {"worker_outcome": "skipped", "test_outcome": null}]
        [{"mutations": []}, null]"#;

    fn lines() -> Vec<Line> {
        let lines = serde_json::Deserializer::from_str(DUMP).into_iter();
        lines.map(|line| line.expect("a line")).collect()
    }

    #[test]
    fn outcomes_are_counted_and_survivors_named_by_their_text() {
        let source = "def f(a):\n    if a > 1:\n        return a + 1\n";
        let expected = Outcome {
            killed: 1,
            survivors: vec![
                "p/m.py: core/ReplaceBinaryOperator_Add_Sub in f: return a + 1".to_owned(),
            ],
            untested: 1,
        };
        assert_eq!(outcome(&lines(), "p/m.py", source).expect("read"), expected);
        let mut broken = lines();
        broken[0].1.as_mut().expect("ended").worker_outcome = "gone".to_owned();
        assert!(outcome(&broken, "p/m.py", source).is_err());
    }

    #[test]
    fn settings_are_those_of_the_tool() {
        let settings = settings_of("_tidy.py", "python", "tests/test_tidy.py", "abc", TIMEOUT);
        let text = toml::to_string(&settings).expect("TOML");
        for line in [
            "module-path = [\"python/obeya/_tidy.py\"]",
            "branch = \"abc\"",
            "exclude-operators = [\"core/ReplaceBinaryOperator_BitOr_.*\"]",
            "name = \"local\"",
            "rootdir . tests/test_tidy.py\"",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn a_mutant_has_the_time_of_a_few_runs() {
        let after = |seconds| timeout_after(Duration::from_secs(seconds)).as_secs();
        assert_eq!((after(5), after(600)), (30, 900));
    }
}
