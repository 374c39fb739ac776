//! The entity model as tools read it: CSDL (the description behind `$metadata`), the service document, and
//! the context addresses that answers carry.
//!
//! Everything is derived from the entity model and nothing from a request. Only what a query can reach is
//! described: no operations, and no types that the sets and their navigations do not lead to. Nothing here is
//! sent.
//!
//! ```
//! use obeya_odata::csdl::{Container, EntitySet};
//! use obeya_odata::edm::{Column, EntityType, Property, Type};
//!
//! static AREA: EntityType = EntityType {
//!     name: "Area",
//!     table: "areas",
//!     key: "id",
//!     properties: &[Property { name: "id", ty: Type::Int32, nullable: false, column: Column::Name("id") }],
//!     navigations: &[],
//!     search: None,
//! };
//! static PLANT: Container = Container {
//!     namespace: "Plant",
//!     name: "Service",
//!     sets: &[EntitySet { name: "areas", entity: &AREA, url: "areas" }],
//! };
//!
//! assert!(PLANT.xml().contains(r#"<EntitySet Name="areas" EntityType="Plant.Area">"#));
//! assert_eq!(
//!     PLANT.service_document("http://plant.example"),
//!     r#"{"@odata.context":"http://plant.example/$metadata","value":[{"name":"areas","kind":"EntitySet","url":"areas"}]}"#
//! );
//! ```

mod context;
mod json;
mod xml;

pub use context::{list_context, record_context, whole_record_context};

use std::collections::{BTreeSet, VecDeque};

use crate::edm::{Cardinality, Column, EntityType, EnumType, Navigation, Property, Type};

/// The vocabulary of the annotations that describe the capabilities of a set.
const CAPABILITIES: &str = "Org.OData.Capabilities.V1";
/// The vocabulary of the annotations that describe `$apply`.
const AGGREGATION: &str = "Org.OData.Aggregation.V1";
const VOCABULARIES: [&str; 2] = [CAPABILITIES, AGGREGATION];
/// The address of the vocabularies at OASIS: each has the name of its namespace and the extension of its
/// format.
const VOCABULARIES_AT: &str = "https://oasis-tcs.github.io/odata-vocabularies/vocabularies";
/// Fractional digits of a second: values are stored in ticks of 100 ns. The default of CSDL is no digits.
const FRACTION_DIGITS: u8 = 7;

/// A service: its sets of entities and the names they are described under.
#[derive(Debug)]
pub struct Container {
    /// The namespace of all types, such as `Obeya`: identifiers with dots between them.
    pub namespace: &'static str,
    /// The name of the container in that namespace, such as `Service`.
    pub name: &'static str,
    /// The sets, in the order they are listed.
    pub sets: &'static [EntitySet],
}

/// A set of entities that can be read under its own address.
#[derive(Debug)]
pub struct EntitySet {
    /// The name, an identifier such as `groups`. Tools append it to the address of the service, and keys to
    /// that.
    pub name: &'static str,
    /// The type of the set's entities.
    pub entity: &'static EntityType,
    /// The address, relative to that of the service. It is the name unless the set is listed somewhere else
    /// as well.
    pub url: &'static str,
}

impl Container {
    /// The description in XML: CSDL 4.0, media type `application/xml`.
    #[must_use]
    pub fn xml(&self) -> String {
        xml::write(self)
    }

    /// The description in JSON: CSDL JSON of OData 4.01 for a service of 4.0, media type `application/json`.
    #[must_use]
    pub fn json(&self) -> String {
        json::schema(self).written()
    }

    /// The service document in JSON. `root` is the absolute address of the service, without a slash at its
    /// end.
    #[must_use]
    pub fn service_document(&self, root: &str) -> String {
        json::service_document(self, root).written()
    }

    /// The set with the entities of a type, by its name; `None` for a type that is only reached over
    /// navigations.
    #[must_use]
    pub fn set_of(&self, entity: &EntityType) -> Option<&'static EntitySet> {
        self.sets.iter().find(|set| set.entity.name == entity.name)
    }

    /// The faults of this description, for a test of the model.
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        let model = Model::of(self);
        let mut faults: Vec<String> = model.entities.iter().flat_map(|of| of.check()).collect();
        let types = model.entities.iter().map(|entity| entity.name);
        let types = types.chain(model.enums.iter().map(|of| of.name));
        let mut seen = BTreeSet::new();
        for name in types.chain([self.name]) {
            if !seen.insert(name) {
                faults.push(format!("{}: `{name}` is named twice", self.namespace));
            }
        }
        let mut sets = BTreeSet::new();
        for set in self.sets {
            if !sets.insert(set.name) {
                faults.push(format!("{}: `{}` is named twice", self.name, set.name));
            }
        }
        let members = model.enums.iter().flat_map(|of| of.members);
        let properties = model.entities.iter().flat_map(|of| of.properties);
        let navigations = model.entities.iter().flat_map(|of| of.navigations);
        let names = seen
            .into_iter()
            .chain(self.namespace.split('.'))
            .chain(sets)
            .chain(members.copied())
            .chain(properties.map(|property| property.name))
            .chain(navigations.map(|navigation| navigation.name));
        faults.extend(
            names
                .filter(|name| !is_identifier(name))
                .map(|name| format!("`{name}` is no identifier")),
        );
        faults
    }

    /// The name of a type with its namespace.
    fn qualified(&self, name: &str) -> String {
        format!("{}.{name}", self.namespace)
    }

    /// The type of a property, as CSDL writes it.
    fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Enum(of) => self.qualified(of.name),
            primitive => primitive.name().to_owned(),
        }
    }

    /// Whether the target entities of a navigation have no set, so that they are only found inside their
    /// parent.
    fn contains(&self, navigation: &Navigation) -> bool {
        self.set_of(navigation.target).is_none()
    }

    /// The targets of the navigations of a set: path and name of the set, also of those inside contained
    /// entities.
    fn bindings(&self, set: &EntitySet) -> Vec<(String, &'static str)> {
        let mut found = Vec::new();
        self.bind(set.entity, "", &mut Vec::new(), &mut found);
        found
    }

    fn bind(
        &self,
        entity: &EntityType,
        prefix: &str,
        inside: &mut Vec<&'static str>,
        found: &mut Vec<(String, &'static str)>,
    ) {
        for navigation in entity.navigations {
            let path = format!("{prefix}{}", navigation.name);
            if let Some(target) = self.set_of(navigation.target) {
                found.push((path, target.name));
            } else if !inside.contains(&navigation.target.name) {
                inside.push(navigation.target.name);
                self.bind(navigation.target, &format!("{path}/"), inside, found);
                inside.pop();
            }
        }
    }
}

/// The types that a container's sets lead to, each once, in the order they are met.
struct Model {
    entities: Vec<&'static EntityType>,
    enums: Vec<&'static EnumType>,
}

impl Model {
    fn of(container: &Container) -> Self {
        let mut entities: Vec<&'static EntityType> = Vec::new();
        let mut next: VecDeque<_> = container.sets.iter().map(|set| set.entity).collect();
        while let Some(entity) = next.pop_front() {
            // Compared by address and not by name, so that `check` finds two of one name.
            if !entities.iter().any(|known| std::ptr::eq(*known, entity)) {
                entities.push(entity);
                next.extend(
                    entity
                        .navigations
                        .iter()
                        .map(|navigation| navigation.target),
                );
            }
        }
        let mut enums: Vec<&'static EnumType> = Vec::new();
        for property in entities.iter().flat_map(|entity| entity.properties) {
            if let Type::Enum(of) = property.ty
                && !enums.iter().any(|known| known.name == of.name)
            {
                enums.push(of);
            }
        }
        Self { entities, enums }
    }
}

/// The property with the key of the one target entity of a navigation, and that key: together they let a tool
/// join two tables.
fn constraint(
    entity: &EntityType,
    navigation: &Navigation,
) -> Option<(&'static str, &'static str)> {
    if navigation.cardinality != Cardinality::One {
        return None;
    }
    let held_in = |column: &str, properties: &'static [Property]| {
        let same =
            |property: &&Property| matches!(property.column, Column::Name(name) if name == column);
        properties.iter().find(same)
    };
    let dependent = held_in(navigation.from, entity.properties)?;
    let principal = held_in(navigation.to, navigation.target.properties)?;
    (dependent.ty == principal.ty).then_some((dependent.name, principal.name))
}

/// The digits a temporal type's seconds may have after the point; nothing for other types.
fn fraction_digits(ty: Type) -> Option<u8> {
    matches!(ty, Type::DateTimeOffset | Type::TimeOfDay | Type::Duration).then_some(FRACTION_DIGITS)
}

/// The capabilities that a set lacks, of those that readers assume: each annotation with its only property.
fn restrictions(set: &EntitySet) -> impl Iterator<Item = (&'static str, &'static str)> {
    let search = ("SearchRestrictions", "Searchable");
    [
        ("InsertRestrictions", "Insertable"),
        ("UpdateRestrictions", "Updatable"),
        ("DeleteRestrictions", "Deletable"),
    ]
    .into_iter()
    .chain(set.entity.search.is_none().then_some(search))
}

/// A simple identifier of CSDL, of the letters that every tool takes.
fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.len() <= 128
}
