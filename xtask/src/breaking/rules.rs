//! The rules of compatibility: one row for each kind of change that breaks a client. Section 9 of
//! spec/DECISIONS.md says what may change: properties, words, error codes and operations may be added.

use super::document::{Node, Operation};
use super::schema::Schema;
use super::{operation_rules as operation, schema_rules as schema};

/// Which way the values of a schema go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    /// From the client to the service: whatever was accepted must still be.
    Request,
    /// From the service to the client: nothing may come that could not come before.
    Response,
}

/// One change that breaks: what it is about, after the name of the node, and what was and is.
pub(super) type Break = (String, String);

/// What a rule compares: the old and the new state of a node.
pub(super) enum Find {
    Document(fn(Node<'_>, Node<'_>) -> Vec<Break>),
    Operation(fn(&Operation<'_>, &Operation<'_>) -> Vec<Break>),
    Parameter(fn(Node<'_>, Node<'_>) -> Vec<Break>),
    /// A request body, or a response.
    Content(fn(Node<'_>, Node<'_>) -> Vec<Break>),
    Response(fn(Node<'_>, Node<'_>) -> Vec<Break>),
    /// A schema whose values go this way, or either way.
    Schema(
        Option<Direction>,
        fn(&Schema<'_>, &Schema<'_>) -> Vec<Break>,
    ),
}

pub(super) struct Rule {
    /// The name in messages and in spec/breaking.toml.
    pub(super) name: &'static str,
    pub(super) find: Find,
}

const fn rule(name: &'static str, find: Find) -> Rule {
    Rule { name, find }
}

const REQUEST: Option<Direction> = Some(Direction::Request);
const RESPONSE: Option<Direction> = Some(Direction::Response);

/// Every rule. The tests have a case for each, and for the change back.
#[rustfmt::skip]
pub(super) static RULES: [Rule; 37] = [
    rule("operation-removed", Find::Document(operation::removed)),
    // Generated clients name types after schemas, and methods after operation ids.
    rule("schema-removed", Find::Document(operation::schema_removed)),
    rule("scope-removed", Find::Document(operation::scope_removed)),
    rule("token-address-changed", Find::Document(operation::token_address)),
    rule("operation-renamed", Find::Operation(operation::renamed)),
    rule("sdk-method-renamed", Find::Operation(operation::sdk_method)),
    rule("scope-refused", Find::Operation(operation::scope_refused)),
    rule("error-code-removed", Find::Operation(operation::error_code)),
    // An unknown query parameter is ignored, so the list would silently be another one.
    rule("parameter-removed", Find::Operation(operation::parameter_removed)),
    rule("parameter-required", Find::Operation(operation::parameter_required)),
    rule("body-removed", Find::Operation(operation::body_removed)),
    rule("body-required", Find::Operation(operation::body_required)),
    rule("status-removed", Find::Operation(operation::status_removed)),
    rule("status-added", Find::Operation(operation::status_added)),
    rule("parameter-renamed", Find::Parameter(operation::parameter_renamed)),
    rule("parameter-keyword", Find::Parameter(operation::parameter_keyword)),
    rule("media-type-removed", Find::Content(operation::media_type)),
    rule("header-removed", Find::Response(operation::header_removed)),
    rule("header-optional", Find::Response(operation::header_optional)),
    rule("type-narrowed", Find::Schema(REQUEST, schema::type_narrowed)),
    rule("type-widened", Find::Schema(RESPONSE, schema::type_widened)),
    rule("null-refused", Find::Schema(REQUEST, schema::null_refused)),
    rule("null-added", Find::Schema(RESPONSE, schema::null_added)),
    // An unknown property of a body is ignored, so a removed one would silently be lost.
    rule("property-removed", Find::Schema(None, schema::property_removed)),
    rule("property-required", Find::Schema(REQUEST, schema::property_required)),
    rule("property-optional", Find::Schema(RESPONSE, schema::property_optional)),
    rule("word-removed", Find::Schema(None, schema::word_removed)),
    rule("words-closed", Find::Schema(REQUEST, schema::words_closed)),
    rule("words-opened", Find::Schema(RESPONSE, schema::words_opened)),
    rule("bound-narrowed", Find::Schema(REQUEST, schema::bound_narrowed)),
    rule("bound-widened", Find::Schema(RESPONSE, schema::bound_widened)),
    rule("pattern-narrowed", Find::Schema(REQUEST, schema::pattern_narrowed)),
    rule("pattern-widened", Find::Schema(RESPONSE, schema::pattern_widened)),
    rule("default-changed", Find::Schema(REQUEST, schema::default_changed)),
    // What absent and null mean in an update.
    rule("patch-changed", Find::Schema(REQUEST, schema::patch_changed)),
    // Alternatives are not compared with each other's meaning: a person decides.
    rule("alternatives-changed", Find::Schema(None, schema::alternatives)),
    // A keyword that no rule knows: a person decides.
    rule("keyword-changed", Find::Schema(None, schema::keyword_changed)),
];
