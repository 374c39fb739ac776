//! The entities of these tests as a service describes them: what compiles must not be refused for its names
//! or types.

use super::super::Filter;
use super::{Group, parse_option};
use crate::ast::options::{OptionName, Options};
use crate::bind::Context;
use crate::edm::{Cardinality, Column, EntityType, EnumType, Navigation, Property, Type};
use crate::limits::Limits;

static GROUP: EntityType = EntityType {
    name: "Group",
    table: "groups",
    key: "b",
    properties: &[
        property("name", Type::String),
        property("level", Type::Int32),
        property("share", Type::Double),
        property("isMember", Type::Boolean),
        property("type", Type::Enum(&KIND)),
        property("made", Type::DateTimeOffset),
        property("day", Type::Date),
        property("starts", Type::TimeOfDay),
        property("lasts", Type::Duration),
        property("key", Type::Guid),
        property("b", Type::Int32),
    ],
    navigations: &[
        link("parent", &GROUP, Cardinality::One),
        link("boards", &BOARD, Cardinality::Many),
        link("children", &GROUP, Cardinality::Many),
    ],
    search: None,
};

static BOARD: EntityType = EntityType {
    name: "Board",
    table: "boards",
    key: "name",
    properties: &[
        property("name", Type::String),
        property("isPublic", Type::Boolean),
    ],
    navigations: &[link("group", &GROUP, Cardinality::One)],
    search: None,
};

static KIND: EnumType = EnumType {
    name: "Kind",
    members: &["GENERAL"],
};

const fn property(name: &'static str, ty: Type) -> Property {
    Property {
        name,
        ty,
        nullable: true,
        column: Column::Name(name),
    }
}

const fn link(
    name: &'static str,
    target: &'static EntityType,
    cardinality: Cardinality,
) -> Navigation {
    Navigation {
        name,
        target,
        cardinality,
        from: "b",
        to: "b",
    }
}

/// Binds options to the groups; accepts only errors that depend on values.
fn bound(options: &Options, text: &str) {
    let limits = Limits {
        nodes: 100_000,
        lambdas: 100,
        ..Limits::default()
    };
    let Err(error) = options.bind(&GROUP, &Context { now: 0, limits }) else {
        return;
    };
    assert!(
        ["odata.value", "odata.limit"].contains(&error.code()),
        "{text}: {error}"
    );
}

/// What compiles is a condition on groups.
pub(super) fn binds(filter: &Filter<Group>) {
    let options = Options {
        filter: Some(filter.expr().clone()),
        ..Options::default()
    };
    bound(&options, &filter.to_string());
}

/// What compiles is an option of groups, by its text.
pub(super) fn binds_as(name: OptionName, text: &str) {
    bound(&parse_option(name, text), text);
}
