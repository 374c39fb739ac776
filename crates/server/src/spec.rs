//! Parts of the specification that the build embeds: the operations, and the document in both notations.

/// In place of the address of the service in both notations, as JSON, which YAML contains.
pub(crate) const ADDRESS: &str = "\"{base_url}\"";
/// In place of the address of the token endpoint, likewise.
pub(crate) const TOKEN_URL: &str = "\"{token_url}\"";
/// The specification as JSON.
pub(crate) const SPEC_JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));
/// The specification as YAML, otherwise as written by hand.
pub(crate) const SPEC_YAML: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.yaml"));

#[expect(
    dead_code,
    reason = "the generated table has more readers than the service"
)]
mod operations {
    //! Generated from the spec at build time.
    include!(concat!(env!("OUT_DIR"), "/operations.rs"));
}

pub(crate) use operations::Operation;
