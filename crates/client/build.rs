//! Generates the properties that query options may name, their entity types, the columns of each record and
//! the changes of those that can be edited, from `spec/openapi.yaml`; and the blocking methods from the
//! asynchronous ones.

#[cfg(feature = "blocking")]
#[path = "build/blocking.rs"]
mod blocking;

fn main() {
    let (out, spec) = obeya_codegen::build::places();
    obeya_codegen::build::fields(&out, &spec);
    obeya_codegen::build::entity_types(&out, &spec);
    obeya_codegen::build::columns(&out, &spec);
    obeya_codegen::build::edits(&out, &spec);
    #[cfg(feature = "blocking")]
    blocking::write(std::path::Path::new("src"), std::path::Path::new(&out));
}
