//! The properties of every record, generated from the specification: names, types, order, and what may be
//! null.
//!
//! A property is read from the column of its own name in snake case. An exception is a field that is set by
//! hand: `wire::Improvement { group: column("group_name"), ..wire::Improvement::SAME }.properties()`.

// Some records are listed by statements of their own.
#![allow(dead_code, reason = "the specification has records that are no entity")]

use obeya_odata::edm::{Column, EnumType, Property, Type};

include!(concat!(env!("OUT_DIR"), "/entities.rs"));

/// The type of `type` of a user.
pub(super) const TYPE_OF_USER: Type = Type::Enum(&USER_TYPE);

/// Where a property is read from, and whether it may be null where the specification says otherwise.
#[derive(Clone, Copy)]
pub(super) struct Source {
    column: Column,
    is_nullable: Option<bool>,
}

/// Read from a column of the entity's table.
pub(super) const fn column(name: &'static str) -> Source {
    Source::of(Column::Name(name))
}

/// Computed from the row by an expression, which may give null.
pub(super) const fn computed(expression: &'static str) -> Source {
    Source::of(Column::Expr(expression)).nullable()
}

impl Source {
    pub(super) const fn of(column: Column) -> Self {
        Self {
            column,
            is_nullable: None,
        }
    }

    /// May be null here, although the specification promises a value.
    pub(super) const fn nullable(mut self) -> Self {
        self.is_nullable = Some(true);
        self
    }

    /// Never null here, although the specification allows it.
    pub(super) const fn never_null(mut self) -> Self {
        self.is_nullable = Some(false);
        self
    }

    const fn property(self, name: &'static str, ty: Type, nullable: bool) -> Property {
        Property {
            name,
            ty,
            nullable: match self.is_nullable {
                Some(exception) => exception,
                None => nullable,
            },
            column: self.column,
        }
    }
}
