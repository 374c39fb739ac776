//! The query string of a request: which options it holds, each read into its syntax tree.
//!
//! It decodes percent-encoding exactly once, knows nothing of entities, and hands parameters that are not OData's back to
//! the caller untouched.

use std::collections::BTreeMap;

use crate::ast::{ExpandItem, Expr, OrderItem, Search, SelectItem};
use crate::bind::{self, Bound, Context};
use crate::edm::EntityType;
use crate::error::Error;
use crate::limits::Limits;

/// A system query option of this interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionName {
    /// `$search`
    Search,
    /// `$filter`
    Filter,
    /// `$select`
    Select,
    /// `$top`
    Top,
    /// `$skip`
    Skip,
    /// `$expand`
    Expand,
    /// `$count`
    Count,
    /// `$orderby`
    OrderBy,
}

impl OptionName {
    /// Every option: what a v2 read offers.
    pub const ALL: &'static [Self] = &[
        Self::Search,
        Self::Filter,
        Self::Select,
        Self::Top,
        Self::Skip,
        Self::Expand,
        Self::Count,
        Self::OrderBy,
    ];

    /// The name with its `$`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Search => "$search",
            Self::Filter => "$filter",
            Self::Select => "$select",
            Self::Top => "$top",
            Self::Skip => "$skip",
            Self::Expand => "$expand",
            Self::Count => "$count",
            Self::OrderBy => "$orderby",
        }
    }
}

/// The options of one request, or of one `$expand` item, as they were written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// `$search`
    pub search: Option<Search>,
    /// `$filter`
    pub filter: Option<Expr>,
    /// `$select`
    pub select: Option<Vec<SelectItem>>,
    /// `$top`, at most `i32::MAX`
    pub top: Option<u64>,
    /// `$skip`, at most `i32::MAX`
    pub skip: Option<u64>,
    /// `$expand`
    pub expand: Option<Vec<ExpandItem>>,
    /// `$count`
    pub count: Option<bool>,
    /// `$orderby`
    pub orderby: Option<Vec<OrderItem>>,
    /// Parameter aliases (`@p=5`), by name without the `@`.
    pub aliases: BTreeMap<String, Expr>,
}

/// Parameters of a query string that are not OData's, decoded, in the order they came.
pub type Parameters = Vec<(String, String)>;

impl Options {
    /// Reads a query string as it arrived (percent-encoded, without the `?`).
    ///
    /// Names of options match with or without `$` and in any case, as OData 4.01 has it; only `allowed` ones are options.
    /// Other parameters come back beside the options.
    ///
    /// # Errors
    /// A name beginning with `$` that is not in `allowed`, an option given twice, bytes that are not UTF-8, or a value
    /// that does not follow the option's grammar or passes a limit.
    pub fn parse(
        raw: &str,
        allowed: &[OptionName],
        limits: &Limits,
    ) -> Result<(Self, Parameters), Error> {
        let _ = (raw, allowed, limits);
        Ok((Self::default(), Vec::new()))
    }

    /// Types the options against an entity.
    ///
    /// # Errors
    /// Unknown names, types that do not fit, `$search` with `$filter` or without an index, and limits passed.
    pub fn bind(&self, entity: &'static EntityType, context: &Context) -> Result<Bound, Error> {
        bind::bind(self, entity, context)
    }
}
