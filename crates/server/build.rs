//! Writes what the service takes from the spec: the operations, and the spec itself in both notations, each
//! with one server, whose address is `ADDRESS` of src/spec.rs.

use obeya_codegen::build;
use serde_json::json;

const ADDRESS: &str = "{base_url}";
const DESCRIPTION: &str = "This service.";

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
    let mut json = obeya_codegen::served(document.written());
    json["servers"] = json!([{"url": ADDRESS, "description": DESCRIPTION}]);
    // The block of the servers ends at the next line that is not indented.
    let head = yaml.find("\nservers:\n").map_or(0, |at| at + 1);
    let rest = yaml[head..].find("\n\n").map_or(head, |at| head + at);
    let servers = format!("servers:\n  - url: \"{ADDRESS}\"\n    description: {DESCRIPTION}");
    let yaml = format!("{}{servers}{}", &yaml[..head], &yaml[rest..]);
    for (name, content) in [("openapi.json", json.to_string()), ("openapi.yaml", yaml)] {
        if let Err(error) = build::write_if_changed(&out.join(name), &content) {
            println!("cargo::error=cannot write {name}: {error}");
        }
    }
}
