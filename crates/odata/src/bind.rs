//! Syntax trees typed against the entity model: every name resolved, every type checked.

use crate::ast::Search;
use crate::edm::{Column, EntityType, Navigation, Type};
use crate::error::Error;
use crate::limits::Limits;
use crate::options::Options;

/// What binding needs beside the options.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The value of `now()`: ticks of 100 ns since 1970-01-01T00:00Z. The crate has no clock.
    pub now: i64,
    /// The bounds.
    pub limits: Limits,
}

/// A query, typed and complete: it can be turned into statements without failing.
#[derive(Debug, Clone)]
pub struct Bound {
    pub(crate) entity: &'static EntityType,
    pub(crate) search: Option<Search>,
    pub(crate) top: Option<u64>,
    pub(crate) skip: u64,
    pub(crate) count: bool,
    pub(crate) columns: Vec<OutColumn>,
    pub(crate) expands: Vec<BoundExpand>,
}

/// A column of the rows that [`crate::sql::select`] and [`crate::sql::expand`] yield.
#[derive(Debug, Clone, Copy)]
pub struct OutColumn {
    /// The property's name on the wire; for a hidden column, the table's column.
    pub name: &'static str,
    /// The property's type, which fixes how the value is encoded; `None` for a hidden column.
    pub ty: Option<Type>,
    pub(crate) source: Column,
}

impl OutColumn {
    /// Whether the column only serves to attach expanded rows and is not written out.
    #[must_use]
    pub fn hidden(&self) -> bool {
        self.ty.is_none()
    }
}

/// An `$expand` item: a query of its own over the navigation's target.
#[derive(Debug, Clone)]
pub struct BoundExpand {
    /// The navigation followed.
    pub navigation: &'static Navigation,
    /// The query over the target; its `$top` and `$skip` count per parent.
    pub query: Bound,
    /// Which column of the parent's rows holds the link value.
    pub link: usize,
}

impl Bound {
    /// The columns of each row, in order: selected properties first, then hidden link columns.
    #[must_use]
    pub fn columns(&self) -> &[OutColumn] {
        &self.columns
    }

    /// What is expanded in each row.
    #[must_use]
    pub fn expands(&self) -> &[BoundExpand] {
        &self.expands
    }

    /// The entity queried.
    #[must_use]
    pub fn entity(&self) -> &'static EntityType {
        self.entity
    }

    /// `$top`.
    #[must_use]
    pub fn top(&self) -> Option<u64> {
        self.top
    }

    /// `$skip`, 0 unless given.
    #[must_use]
    pub fn skip(&self) -> u64 {
        self.skip
    }

    /// Whether `$count=true` was asked.
    #[must_use]
    pub fn count(&self) -> bool {
        self.count
    }
}

/// See [`Options::bind`].
pub(crate) fn bind(
    options: &Options,
    entity: &'static EntityType,
    context: &Context,
) -> Result<Bound, Error> {
    let _ = context;
    Ok(Bound {
        entity,
        search: options.search.clone(),
        top: options.top,
        skip: options.skip.unwrap_or(0),
        count: options.count.unwrap_or(false),
        columns: Vec::new(),
        expands: Vec::new(),
    })
}
