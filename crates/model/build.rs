//! Generates every type of the interface from `spec/openapi.yaml`.

fn main() {
    let (out, spec) = obeya_codegen::build::places();
    obeya_codegen::build::model(&out, &spec);
}
