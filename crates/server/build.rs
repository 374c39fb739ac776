//! Writes what the service takes from the spec: the operations, the records, the words, and the spec itself in both notations;
//! and the list of the files of the schema.

use std::collections::BTreeSet;
use std::path::Path;

use obeya_codegen::build;

fn main() {
    let (out, spec) = build::places();
    build::operations(&out, &spec);
    build::entities(&out, &spec);
    migrations(&out);
    // A spec that can't be read was already reported, with its faults, by the lines above.
    let Ok(document) = obeya_codegen::read(&spec) else {
        return;
    };
    let Ok(yaml) = std::fs::read_to_string(&spec) else {
        return;
    };
    for (name, content) in [
        ("openapi.json", document.document().to_string()),
        ("openapi.yaml", yaml),
    ] {
        if let Err(error) = build::write_if_changed(&out.join(name), &content) {
            println!("cargo::error=cannot write {name}: {error}");
        }
    }
}

/// Lists the files of the schema of each engine, which have the same names, in the order of their versions.
fn migrations(out: &Path) {
    let [sqlite, postgres] = ["sqlite", "postgres"].map(|engine| {
        let folder = format!("src/store/schema/{engine}");
        println!("cargo::rerun-if-changed={folder}");
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        names
            .filter(|name| name.ends_with(".sql"))
            .collect::<BTreeSet<String>>()
    });
    for file in sqlite.symmetric_difference(&postgres) {
        println!(
            "cargo::error=src/store/schema: {file} is there for one engine and not for the other"
        );
    }
    let list = |constant: &str, engine: &str, files: &BTreeSet<String>| {
        let files = files.iter().map(|file| {
            format!(
                "    Migration {{\n        file: \"{file}\",\n        sql: include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \
                 \"/src/store/schema/{engine}/{file}\")),\n    }},\n"
            )
        });
        let files: String = files.collect();
        format!("pub(in crate::store) const {constant}: &[Migration] = &[\n{files}];\n")
    };
    let text = list("SQLITE", "sqlite", &sqlite) + &list("POSTGRES", "postgres", &postgres);
    if let Err(error) = build::write_if_changed(&out.join("migrations.rs"), &text) {
        println!("cargo::error=cannot write migrations.rs: {error}");
    }
}
