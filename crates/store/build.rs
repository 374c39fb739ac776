//! Writes the entities of the specification, where the service reads each property of a record, and the list
//! of the files of the schema.

use std::collections::BTreeSet;
use std::path::Path;

use obeya_codegen::build;

fn main() {
    let (out, spec) = build::places();
    build::entities(&out, &spec);
    migrations(&out);
}

/// Lists the files of the schema of each engine, which have the same names, in the order of their versions.
fn migrations(out: &Path) {
    let [sqlite, postgres] = ["sqlite", "postgres"].map(|engine| {
        let folder = format!("src/schema/{engine}");
        println!("cargo::rerun-if-changed={folder}");
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        names
            .filter(|name| name.ends_with(".sql"))
            .collect::<BTreeSet<String>>()
    });
    for file in sqlite.symmetric_difference(&postgres) {
        println!("cargo::error=src/schema: {file} is there for one engine and not for the other");
    }
    let list = |constant: &str, engine: &str, files: &BTreeSet<String>| {
        let files = files.iter().map(|file| {
            format!(
                "    Migration {{\n        file: \"{file}\",\n        sql: include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \
                 \"/src/schema/{engine}/{file}\")),\n    }},\n"
            )
        });
        let files: String = files.collect();
        format!("pub(super) const {constant}: &[Migration] = &[\n{files}];\n")
    };
    let text = list("SQLITE", "sqlite", &sqlite) + &list("POSTGRES", "postgres", &postgres);
    if let Err(error) = build::write_if_changed(&out.join("migrations.rs"), &text) {
        println!("cargo::error=cannot write migrations.rs: {error}");
    }
}
