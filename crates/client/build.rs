//! Generates the properties that query options may name, their entity types and the columns of each record
//! from `spec/openapi.yaml`.

fn main() {
    let (out, spec) = obeya_codegen::build::places();
    obeya_codegen::build::fields(&out, &spec);
    obeya_codegen::build::entity_types(&out, &spec);
    obeya_codegen::build::columns(&out, &spec);
}
