//! Writes the entities of the specification: where the service reads each property of a record.

use obeya_codegen::build;

fn main() {
    let (out, spec) = build::places();
    build::entities(&out, &spec);
}
