//! The environment variables of the program, its list of them, and the unit of systemd that sets some.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::binary::obeya;

/// Read without a flag, so that no help shows it.
const WITHOUT_FLAG: [&str; 2] = ["OBEYA_CLIENT_SECRET", "OBEYA_KEY_ENCRYPTION_KEY"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn file(path: &str) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn help(command: &[String]) -> String {
    let output = obeya().args(command).arg("--help").output();
    String::from_utf8(output.expect("started").stdout).expect("text")
}

/// Every command with all that precedes it, the program itself first.
fn commands() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut at = 0;
    while let Some(command) = found.get(at).cloned() {
        let help = help(&command);
        let listed = help
            .split_once("\nCommands:\n")
            .map_or("", |(_, list)| list);
        let names = listed.lines().take_while(|line| line.starts_with("  "));
        // A description that is wrapped is indented further.
        let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        for name in names.filter(|name| !name.is_empty() && *name != "help") {
            found.push([&command[..], &[name.to_owned()]].concat());
        }
        at += 1;
    }
    found
}

/// The variables of the program with the flag that each stands for and the commands that take it. Of a
/// command with parts, such as `pull values`, only the first word. Without the limits of `serve`, which have
/// a table of their own.
fn of_the_program() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let mut found = BTreeMap::<String, (String, BTreeSet<String>)>::new();
    for command in commands().iter().filter(|command| !command.is_empty()) {
        let (mut flag, mut is_limit) = (String::new(), false);
        for line in help(command).lines() {
            // A heading stands at the left margin.
            if line.ends_with(':') && !line.starts_with(' ') {
                is_limit = line == "Limits:";
            }
            if is_limit {
                continue;
            }
            let words = line.trim_start();
            if let Some(start) = words.find("--")
                && words.starts_with('-')
            {
                let name = words[start..].split(|letter| " <,".contains(letter));
                flag = name.into_iter().next().unwrap_or_default().to_owned();
            }
            let Some((_, variable)) = line.split_once("[env: ") else {
                continue;
            };
            let name = variable.split(['=', ']']).next().unwrap_or_default();
            let entry = found.entry(name.to_owned()).or_default();
            entry.0.clone_from(&flag);
            entry.1.insert(command[0].clone());
        }
    }
    found
}

/// The rows of the table in the documents: variable, flag, commands.
fn listed() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let text = file("docs/operations.md");
    let table = text.split_once("| variable | flag |").expect("a table").1;
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let code = |cell: &str| cell.trim_matches('`').to_owned();
        let of_the_program = cells[2].split(';').next().unwrap_or_default();
        let commands = of_the_program
            .split(',')
            .map(|command| code(command.trim()));
        (code(cells[0]), (code(cells[1]), commands.collect()))
    })
    .collect()
}

#[test]
fn the_list_of_environment_variables_is_that_of_the_program() {
    let mut listed = listed();
    for variable in WITHOUT_FLAG {
        let (flag, _) = listed.remove(variable).expect(variable);
        assert_eq!(flag, "", "{variable}");
    }
    let found = of_the_program();
    assert!(found.len() > 8, "{found:?}");
    assert_eq!(listed, found);
}

/// Programs read them by these names; a name in the documents that no source has is a mistake.
#[test]
fn the_clients_read_the_variables_that_the_list_gives_them() {
    let builder = file("crates/client/src/builder.rs");
    let text = file("docs/operations.md");
    let shared = text
        .lines()
        .filter(|line| line.contains("; Rust and Python |"));
    let names: BTreeSet<&str> = shared.filter_map(|row| row.split('`').nth(1)).collect();
    let read = builder.lines().filter_map(|line| {
        let (_, rest) = line.split_once("variable(\"")?;
        rest.split('"').next()
    });
    assert_eq!(names, read.collect());
}

/// The unit starts the program with its own options, and its file of settings sets what is read.
#[test]
fn the_unit_of_systemd_starts_this_program() {
    let unit = file("packaging/systemd/obeya.service");
    let start = "ExecStart=/usr/local/bin/obeya serve $OBEYA_SERVE_OPTIONS\n";
    assert!(unit.contains(start), "{unit}");
    let settings = file("packaging/systemd/obeya.env");
    let assignments = settings.lines().filter_map(|line| {
        let (name, value) = line.trim_start_matches('#').split_once('=')?;
        let is_name = |letter: char| letter.is_ascii_uppercase() || letter == '_';
        name.chars().all(is_name).then_some((name, value))
    });
    let mut options = 0;
    for (name, value) in assignments {
        if name == "OBEYA_SERVE_OPTIONS" {
            options += 1;
            let mut serve = obeya();
            // The database is not there, which is found only once the options are understood.
            serve.args(["serve", "--db", "sqlite:/nowhere/at/all.db"]);
            let output = serve.args(value.split(' ')).output().expect("started");
            let stderr = String::from_utf8(output.stderr).expect("text");
            assert!(stderr.contains("there is no database"), "{value}: {stderr}");
        } else if name.starts_with("OBEYA_") {
            assert!(listed().contains_key(name), "{name}");
            assert!(unit.contains(&format!("Environment={name}=")), "{name}");
        } else {
            assert_eq!(name, "PGPASSWORD");
        }
    }
    assert_eq!(options, 2);
}
