//! Generates every type of the interface, and its bounds, from `spec/openapi.yaml`.

fn main() {
    let (out, spec) = obeya_codegen::build::places();
    obeya_codegen::build::model(&out, &spec);
    obeya_codegen::build::bounds(&out, &spec);
}
