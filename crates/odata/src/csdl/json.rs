//! CSDL in JSON, for a service of version 4.0, and the service document.

use serde::{Serialize, Serializer};

use super::{
    AGGREGATION, CAPABILITIES, Container, EntitySet, Model, VOCABULARIES, VOCABULARIES_AT,
    constraint, fraction_digits, restrictions,
};
use crate::edm::{Cardinality, EntityType, EnumType, Navigation, Property, Type};
use crate::parse::apply::TRANSFORMATIONS;

/// The description of the container and the types it leads to.
pub(super) fn schema(container: &Container) -> Json {
    let model = Model::of(container);
    let references = VOCABULARIES.map(|namespace| {
        let include = Json::object([("$Namespace", Json::text(namespace))]);
        let reference = Json::object([("$Include", Json::Array(vec![include]))]);
        (format!("{VOCABULARIES_AT}/{namespace}.json"), reference)
    });
    let entities = model
        .entities
        .iter()
        .map(|entity| (entity.name, entity_type(container, entity)));
    let enums = model.enums.iter().map(|of| (of.name, enum_type(of)));
    let sets = container
        .sets
        .iter()
        .map(|set| (set.name, entity_set(container, set)));
    let kind = ("$Kind", Json::text("EntityContainer"));
    let defaults = format!("@{AGGREGATION}.ApplySupportedDefaults");
    let defaults = (defaults.as_str(), supported_transformations());
    let in_container = Json::object([kind].into_iter().chain(sets).chain([defaults]));
    Json::object([
        ("$Version", Json::text("4.0")),
        ("$Reference", Json::Object(references.into())),
        (
            "$EntityContainer",
            Json::Text(container.qualified(container.name)),
        ),
        (
            container.namespace,
            Json::object(
                entities
                    .chain(enums)
                    .chain([(container.name, in_container)]),
            ),
        ),
    ])
}

/// The sets and their addresses.
pub(super) fn service_document(container: &Container, root: &str) -> Json {
    let sets = container.sets.iter().map(|set| {
        Json::object([
            ("name", Json::text(set.name)),
            ("kind", Json::text("EntitySet")),
            ("url", Json::text(set.url)),
        ])
    });
    Json::object([
        ("@odata.context", Json::Text(format!("{root}/$metadata"))),
        ("value", Json::Array(sets.collect())),
    ])
}

fn entity_type(container: &Container, entity: &EntityType) -> Json {
    let head = [
        ("$Kind", Json::text("EntityType")),
        ("$Key", Json::Array(vec![Json::text(entity.key)])),
    ];
    let properties = entity
        .properties
        .iter()
        .map(|of| (of.name, property(container, of)));
    let navigations = entity
        .navigations
        .iter()
        .map(|of| (of.name, navigation(container, entity, of)));
    Json::object(head.into_iter().chain(properties).chain(navigations))
}

fn property(container: &Container, property: &Property) -> Json {
    // A type that is not named is a string, also that of the items of a collection.
    let ty = match property.ty {
        Type::String => None,
        Type::Texts => Some(("$Collection", Json::True)),
        ty => Some(("$Type", Json::Text(container.type_name(ty)))),
    };
    let nullable = property.nullable.then_some(("$Nullable", Json::True));
    let digits =
        fraction_digits(property.ty).map(|digits| ("$Precision", Json::Int(digits.into())));
    Json::object([ty, nullable, digits].into_iter().flatten())
}

fn navigation(container: &Container, entity: &EntityType, navigation: &Navigation) -> Json {
    let many = navigation.cardinality == Cardinality::Many;
    let constraint = constraint(entity, navigation)
        .map(|(dependent, principal)| Json::object([(dependent, Json::text(principal))]));
    let members = [
        Some(("$Kind", Json::text("NavigationProperty"))),
        many.then_some(("$Collection", Json::True)),
        Some((
            "$Type",
            Json::Text(container.qualified(navigation.target.name)),
        )),
        (!many).then_some(("$Nullable", Json::True)),
        container
            .contains(navigation)
            .then_some(("$ContainsTarget", Json::True)),
        constraint.map(|constraint| ("$ReferentialConstraint", constraint)),
    ];
    Json::object(members.into_iter().flatten())
}

fn enum_type(of: &EnumType) -> Json {
    let kind = ("$Kind", Json::text("EnumType"));
    let members = of
        .members
        .iter()
        .zip(0..)
        .map(|(member, value)| (*member, Json::Int(value)));
    Json::object([kind].into_iter().chain(members))
}

fn entity_set(container: &Container, set: &EntitySet) -> Json {
    let bindings: Vec<(String, Json)> = container
        .bindings(set)
        .into_iter()
        .map(|(path, target)| (path, Json::text(target)))
        .collect();
    let mut members = vec![
        ("$Collection".to_owned(), Json::True),
        (
            "$Type".to_owned(),
            Json::Text(container.qualified(set.entity.name)),
        ),
    ];
    if !bindings.is_empty() {
        members.push((
            "$NavigationPropertyBinding".to_owned(),
            Json::Object(bindings),
        ));
    }
    members.extend(restrictions(set).map(|(restriction, property)| {
        (
            format!("@{CAPABILITIES}.{restriction}"),
            Json::object([(property, Json::False)]),
        )
    }));
    members.push((
        format!("@{AGGREGATION}.ApplySupported"),
        supported_transformations(),
    ));
    Json::Object(members)
}

fn supported_transformations() -> Json {
    let names = TRANSFORMATIONS.map(Json::text).into();
    Json::object([
        ("Transformations", Json::Array(names)),
        ("Rollup", Json::text("None")),
        ("From", Json::False),
    ])
}

/// The subset of JSON that is written here. Members are in insertion order, for which serde_json's tree needs
/// a feature that would change it everywhere.
pub(super) enum Json {
    True,
    False,
    Int(i64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The text, without white space.
    pub(super) fn written(&self) -> String {
        serde_json::to_string(self)
            .expect("every name is a text, and writing into memory does not fail")
    }

    fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    fn object<'a>(members: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        let members = members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Self::Object(members.collect())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::True => serializer.serialize_bool(true),
            Self::False => serializer.serialize_bool(false),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}
