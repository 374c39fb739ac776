//! Writes the closed sets of words of the specification.

use obeya_codegen::build;

fn main() {
    let (out, spec) = build::places();
    build::words(&out, &spec);
}
