//! `docs/limits.md` has the limits of `obeya serve` as the program itself names them.

use crate::binary::run;

/// Flag, environment variable and default of a limit; `none` where there is no default.
type Limit = [String; 3];

/// The flags below the heading `Limits` of the help.
fn of_program() -> Vec<Limit> {
    let help = run(["serve", "--help"]).success();
    let (_, limits) = help.split_once("\nLimits:\n").expect("a heading");
    let limits = limits.lines().take_while(|line| {
        // The next heading stands at the left margin.
        line.is_empty() || line.starts_with(' ')
    });
    let mut found: Vec<Limit> = Vec::new();
    for line in limits.map(str::trim) {
        let value = |name: &str| Some(line.strip_prefix(name)?.strip_suffix(']')?.to_owned());
        if line.starts_with("--") {
            found.push([line.replace(['<', '>'], ""), String::new(), "none".into()]);
        } else if let (Some(variable), Some(limit)) = (value("[env: "), found.last_mut()) {
            limit[1] = variable.split('=').next().unwrap_or("").to_owned();
        } else if let (Some(default), Some(limit)) = (value("[default: "), found.last_mut()) {
            limit[2] = default;
        }
    }
    found
}

/// The rows of the table in the document.
fn of_document() -> Vec<Limit> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/limits.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let rows = text.lines().filter(|line| line.starts_with("| `--"));
    let cells = rows.map(|row| {
        let mut cells = row
            .split('|')
            .map(|cell| cell.trim().replace(['`', ','], ""));
        cells.next();
        [cells.next(), cells.next(), cells.next()].map(Option::unwrap_or_default)
    });
    cells.collect()
}

#[test]
fn every_limit_has_a_flag_a_variable_and_a_row_in_the_table() {
    let program = of_program();
    assert!(program.len() >= 20, "{program:?}");
    for [flag, variable, _] in &program {
        let name = flag.split(' ').next().unwrap_or("");
        let name = name.trim_start_matches('-').replace('-', "_");
        assert_eq!(variable, &format!("OBEYA_{}", name.to_uppercase()));
    }
    assert_eq!(of_document(), program);
}
