//! The entity model: the names that a query option may use, and their tables and columns.
//!
//! It is plain data, meant to be written as `static` items that refer to each other (cycles are fine). Every
//! identifier in a statement comes from here and never from a request. The module must not read options or
//! write SQL.
//!
//! ```
//! use obeya_odata::edm::{Cardinality, Column, EntityType, Navigation, Property, Type};
//!
//! static BOARD: EntityType = EntityType {
//!     name: "Board",
//!     table: "boards",
//!     key: "id",
//!     properties: &[
//!         Property { name: "id", ty: Type::Int32, nullable: false, column: Column::Name("id") },
//!         Property { name: "title", ty: Type::String, nullable: true, column: Column::Expr("trim({t}.title)") },
//!     ],
//!     navigations: &[Navigation { name: "next", target: &BOARD, cardinality: Cardinality::One, from: "next_id", to: "id" }],
//!     search: None,
//! };
//!
//! // For a test of the model: what is wrong with it.
//! assert!(BOARD.check().is_empty());
//! ```

/// A primitive type of a property, with the encoding its values have in the database.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Type {
    /// `Edm.Boolean`, stored as INTEGER 0 or 1.
    Boolean,
    /// `Edm.Int32`, stored as INTEGER.
    Int32,
    /// `Edm.Int64`, stored as INTEGER.
    Int64,
    /// `Edm.Double`, stored as REAL.
    Double,
    /// `Edm.String`, stored as TEXT and compared by code point.
    String,
    /// `Edm.Date`, stored as INTEGER days since 1970-01-01.
    Date,
    /// `Edm.DateTimeOffset`, stored as INTEGER ticks of 100 ns since 1970-01-01T00:00Z.
    DateTimeOffset,
    /// `Edm.TimeOfDay`, stored as INTEGER ticks of 100 ns since midnight.
    TimeOfDay,
    /// `Edm.Duration`, stored as INTEGER ticks of 100 ns.
    Duration,
    /// `Edm.Guid`, stored as TEXT in lower case.
    Guid,
    /// An enumeration, stored as TEXT: the member's name.
    Enum(&'static EnumType),
    /// `Collection(Edm.String)`, stored as TEXT: the JSON array of its texts, which is written as it is. It
    /// can be selected, and no expression can name it.
    Texts,
}

impl Type {
    /// The name used in messages and by `cast`, such as `Edm.Int32` or the enumeration's own name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "Edm.Boolean",
            Self::Int32 => "Edm.Int32",
            Self::Int64 => "Edm.Int64",
            Self::Double => "Edm.Double",
            Self::String => "Edm.String",
            Self::Date => "Edm.Date",
            Self::DateTimeOffset => "Edm.DateTimeOffset",
            Self::TimeOfDay => "Edm.TimeOfDay",
            Self::Duration => "Edm.Duration",
            Self::Guid => "Edm.Guid",
            Self::Enum(of) => of.name,
            Self::Texts => "Collection(Edm.String)",
        }
    }
}

/// Enumerations are the same type when they have the same name; comparing members would follow the whole
/// model.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Enum(a), Self::Enum(b)) => a.name == b.name,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl Eq for Type {}

/// An enumeration: values are the members' names, compared as strings.
#[derive(Debug)]
pub struct EnumType {
    /// The name without a namespace, such as `Severity`.
    pub name: &'static str,
    /// The members' names as they go on the wire.
    pub members: &'static [&'static str],
}

/// The source of a property's value in its table.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Column {
    /// A column of the entity's table.
    Name(&'static str),
    /// A SQL expression over the row, with `{t}` standing for the table's alias, such as
    /// `CASE WHEN {t}.is_anonymous = 1 THEN NULL ELSE {t}.reported_by END`.
    Expr(&'static str),
    /// A column of the entity's table with texts that an index finds by their parts.
    Indexed(&'static str, PartIndex),
}

impl Column {
    /// Whether both say the same.
    pub(crate) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Name(a), Self::Name(b))
            | (Self::Expr(a), Self::Expr(b))
            | (Self::Indexed(a, _), Self::Indexed(b, _)) => a == b,
            _ => false,
        }
    }
}

/// A structural property of an entity.
#[derive(Debug)]
pub struct Property {
    /// The name on the wire, matched exactly.
    pub name: &'static str,
    /// The type, which also fixes the encoding in the database.
    pub ty: Type,
    /// Whether the value may be null.
    pub nullable: bool,
    /// The source of the value.
    pub column: Column,
}

/// A property that a query reads as another of the same name, for example as one that is always null, because
/// its value may not be shown.
#[derive(Debug)]
pub struct ReplacedProperty {
    /// The name of the entity.
    pub entity: &'static str,
    /// What is read.
    pub by: Property,
}

/// How many entities a navigation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// At most one: usable in paths (`group/name`) and expanded to an object or null.
    One,
    /// Any number: usable with `any`, `all` and `$count`, and expanded to an array.
    Many,
}

/// A navigation property: a link from rows of one table to rows of another.
///
/// A many-to-many link is one whose target's table is a view with the parent's key.
#[derive(Debug)]
pub struct Navigation {
    /// The name on the wire, matched exactly.
    pub name: &'static str,
    /// The entity it leads to.
    pub target: &'static EntityType,
    /// How many it leads to.
    pub cardinality: Cardinality,
    /// The column of this entity's table that links.
    pub from: &'static str,
    /// The column of the target's table that equals `from`.
    pub to: &'static str,
}

/// The full-text index of an entity: a table whose rows have the terms of [`crate::search::document`].
#[derive(Debug, Clone, Copy)]
pub struct SearchIndex {
    /// The index's table.
    pub table: &'static str,
    /// The column of the entity's table that equals the index's `rowid`.
    pub column: &'static str,
}

/// A trigram index of one column's texts, for conditions such as `contains`: a table of the rows whose text
/// may contain a part. The dialect decides which parts it can search for; its rows are always filtered again,
/// so it may return too many, and must not leave out any.
#[derive(Debug, Clone, Copy)]
pub struct PartIndex {
    /// The index's table.
    pub table: &'static str,
    /// The column of the entity's table that equals the index's `rowid`.
    pub column: &'static str,
}

/// An entity type and its table or view. Every row of that table is visible to a query.
#[derive(Debug)]
pub struct EntityType {
    /// The name in messages, such as `Board`.
    pub name: &'static str,
    /// The table or view.
    pub table: &'static str,
    /// The name of the key property; it breaks ties in every ordering.
    pub key: &'static str,
    /// The structural properties, in the order they are written out.
    pub properties: &'static [Property],
    /// The navigation properties.
    pub navigations: &'static [Navigation],
    /// The full-text index, if `$search` is offered.
    pub search: Option<SearchIndex>,
}

impl EntityType {
    /// The property of that name.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&'static Property> {
        self.properties
            .iter()
            .find(|property| property.name == name)
    }

    /// The navigation of that name.
    #[must_use]
    pub fn navigation(&self, name: &str) -> Option<&'static Navigation> {
        self.navigations
            .iter()
            .find(|navigation| navigation.name == name)
    }

    /// The key property; `None` only when the model names a key it does not have, which [`EntityType::check`]
    /// reports.
    #[must_use]
    pub fn key_property(&self) -> Option<&'static Property> {
        self.property(self.key)
    }

    /// The faults of this entity's description, for a test of the model; empty if there are none.
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        let mut faults = Vec::new();
        match self.key_property() {
            None => faults.push(format!(
                "{}: the key `{}` is not a property",
                self.name, self.key
            )),
            Some(key) if key.nullable => {
                faults.push(format!("{}: the key `{}` is nullable", self.name, self.key));
            }
            Some(_) => {}
        }
        let names = self
            .properties
            .iter()
            .map(|p| p.name)
            .chain(self.navigations.iter().map(|n| n.name));
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            if !seen.insert(name) {
                faults.push(format!("{}: `{name}` is named twice", self.name));
            }
        }
        faults
    }
}
