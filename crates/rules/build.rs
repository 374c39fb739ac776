//! Writes the closed enums of the specification.

use obeya_codegen::build;

fn main() {
    let (out, spec) = build::places();
    build::closed_enums(&out, &spec);
}
