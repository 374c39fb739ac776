//! The query options of one request as syntax, and their names.

use std::collections::BTreeMap;

use super::apply::{ComputeItem, Transformation};
use super::{ExpandItem, Expr, OrderItem, Search, SelectItem};
use crate::error::{Error, ErrorKind};

/// A system query option of this interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
    /// `$apply`
    Apply,
    /// `$compute`
    Compute,
    /// `$skiptoken`: the end of the page before, in a form that only the service reads
    SkipToken,
}

impl OptionName {
    /// Every option of a list whose answer has records of its entity. `$skiptoken`, `$apply` and `$compute`
    /// are not included: a caller that ignores them must not accept them.
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

    /// Those, `$apply`, `$compute` and `$skiptoken`: for lists whose pages follow each other, see
    /// [`crate::sql::page`].
    pub const PAGED: &'static [Self] = &[
        Self::Search,
        Self::Filter,
        Self::Select,
        Self::Top,
        Self::Skip,
        Self::Expand,
        Self::Count,
        Self::OrderBy,
        Self::Apply,
        Self::Compute,
        Self::SkipToken,
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
            Self::Apply => "$apply",
            Self::Compute => "$compute",
            Self::SkipToken => "$skiptoken",
        }
    }

    /// Whether a parameter's name is this option's: with or without `$`, in any case.
    pub(crate) fn matches(self, name: &str) -> bool {
        let bare = name.strip_prefix('$').unwrap_or(name);
        self.as_str()[1..].eq_ignore_ascii_case(bare)
    }
}

/// The options of one request, or of one `$expand` item, as they were written. Made by [`Options::parse`], or
/// from `Options::default()` by setting fields.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
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
    /// `$apply`, at least one transformation
    pub apply: Option<Vec<Transformation>>,
    /// `$compute`, at least one item
    pub compute: Option<Vec<ComputeItem>>,
    /// `$skiptoken`, as given
    pub skip_token: Option<String>,
    /// Parameter aliases (`@p=5`), by name without the `@`.
    pub aliases: BTreeMap<String, Expr>,
}

impl Options {
    /// The parts of the options that determine the rows and their order, as text: equal for requests with the
    /// same meaning, however they are spelled, and different for others. A keyset position in one list is
    /// valid in every list with the same text.
    #[must_use]
    pub fn listing(&self) -> String {
        let aliases: Vec<String> = self
            .aliases
            .iter()
            .map(|(name, expr)| format!("@{name}={expr}"))
            .collect();
        let orderby = self.orderby.iter().flatten();
        let orderby: Vec<String> = orderby.map(ToString::to_string).collect();
        let filter = self.filter.as_ref().map(ToString::to_string);
        let search = self.search.as_ref().map(Search::listing);
        // Debug puts every text in quotes and escapes it, so no text can be mistaken for what follows it.
        let mut listing = format!("{:?}", (filter, search, orderby, aliases));
        if let Some(transformations) = &self.apply {
            let apply: Vec<String> = transformations.iter().map(ToString::to_string).collect();
            listing.push_str(&format!("{apply:?}"));
        }
        if let Some(items) = &self.compute {
            let compute: Vec<String> = items.iter().map(ToString::to_string).collect();
            listing.push_str(&format!("compute{compute:?}"));
        }
        listing
    }
}

/// Sets a value that must not be set yet.
pub(crate) fn fill<T>(slot: &mut Option<T>, value: T) -> Result<(), Error> {
    if slot.is_some() {
        return Err(given_twice());
    }
    *slot = Some(value);
    Ok(())
}

pub(crate) fn given_twice() -> Error {
    Error::new(ErrorKind::Option, None, "it is given more than once")
}
