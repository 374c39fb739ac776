//! Writes what the service takes from the spec: the operations, and the spec itself in both notations, each
//! with one server. Its address and that of the token endpoint are the placeholders of src/spec.rs.

use obeya_codegen::build;
use serde_json::json;

const ADDRESS: &str = "{base_url}";
const TOKEN_URL: &str = "{token_url}";
/// The token endpoint, as the spec names it in either notation.
const TOKEN_URL_POINTER: &str =
    "/components/securitySchemes/oauth2/flows/clientCredentials/tokenUrl";
const TOKEN_URL_LINE: &str = "\n          tokenUrl: ";
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
    if let Some(url) = json.pointer_mut(TOKEN_URL_POINTER) {
        *url = TOKEN_URL.into();
    }
    // The block of the servers ends at the next line that is not indented.
    let head = yaml.find("\nservers:\n").map_or(0, |at| at + 1);
    let rest = yaml[head..].find("\n\n").map_or(head, |at| head + at);
    let servers = format!("servers:\n  - url: \"{ADDRESS}\"\n    description: {DESCRIPTION}");
    let yaml = format!("{}{servers}{}", &yaml[..head], &yaml[rest..]);
    let yaml = match yaml.split_once(TOKEN_URL_LINE) {
        Some((before, after)) => {
            let after = after.find('\n').map_or("", |end| &after[end..]);
            format!("{before}{TOKEN_URL_LINE}\"{TOKEN_URL}\"{after}")
        }
        None => yaml,
    };
    for (name, content) in [("openapi.json", json.to_string()), ("openapi.yaml", yaml)] {
        if let Err(error) = build::write_if_changed(&out.join(name), &content) {
            println!("cargo::error=cannot write {name}: {error}");
        }
    }
}
