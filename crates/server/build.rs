//! Writes what the service takes from the spec: the operations, and the spec itself in both notations.

use obeya_codegen::build;

fn main() {
    let (out, spec) = build::places();
    build::operations(&out, &spec);
    // A spec that can't be read was already reported, with its faults, by the lines above.
    let Ok(document) = obeya_codegen::read(&spec) else {
        return;
    };
    let Ok(yaml) = std::fs::read_to_string(&spec) else {
        return;
    };
    for (name, content) in [
        (
            "openapi.json",
            obeya_codegen::served(document.document()).to_string(),
        ),
        ("openapi.yaml", yaml),
    ] {
        if let Err(error) = build::write_if_changed(&out.join(name), &content) {
            println!("cargo::error=cannot write {name}: {error}");
        }
    }
}
