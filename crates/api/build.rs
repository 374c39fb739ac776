//! Generates the client from `spec/openapi.yaml`.

fn main() {
    let (out, spec) = obeya_codegen::build::places();
    obeya_codegen::build::api(&out, &spec);
}
