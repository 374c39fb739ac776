//! `$expand`: the linked entities to return, with their options.

use std::fmt;
use std::marker::PhantomData;

use super::clause::{Clause, List, Order, Select};
use super::merge;
use super::path::{Many, One, Path, Row};
use super::value::Filter;

/// The option `$expand` of the entity `R`. Its parts are links; the value joins them.
///
/// A link may be expanded only once, so parts with the same first link are merged:
/// `(incident().area(), incident().group())` is `incident($expand=area,group)`. Parts whose options differ
/// (two `$top`, or `$levels` for one of them) can't be, and the service refuses them.
#[derive(Debug)]
pub struct Expansion<R>(PhantomData<fn() -> R>);

impl<R> Expansion<R> {
    /// `*`: every link of the entity.
    #[must_use]
    pub fn all() -> Self {
        Self(PhantomData)
    }
}

impl<R> List for Expansion<R> {
    fn joined(parts: &[String]) -> String {
        merge::links(parts)
    }
}

impl<R> Clause<Expansion<R>> for Expansion<R> {
    fn text(self) -> Option<String> {
        Some("*".to_owned())
    }
}

/// The kind of an [`Expand`] whose link leads to at most one entity.
#[derive(Debug)]
pub enum ToOne {}

/// The kind of an [`Expand`] whose link leads to any number of entities.
#[derive(Debug)]
pub enum ToMany {}

/// A link of the entity `R` to the entity `E`, as a part of `$expand`, with options for the linked entities.
#[must_use = "a part of `$expand` does nothing until it is given to a query"]
pub struct Expand<R, E, N> {
    names: Vec<String>,
    options: Vec<(&'static str, String)>,
    is_typed: bool,
    kind: PhantomData<Kind<R, E, N>>,
}

/// The type parameters, as a type that is always `Send` and `Sync` and owns no value.
type Kind<R, E, N> = fn() -> (R, E, N);

impl<W: Row> One<W> {
    /// As a part of `$expand`, to add options to; without options, use the link itself.
    pub fn expand(&self) -> Expand<W::Root, W::Entity, ToOne> {
        Expand::new(&self.path)
    }
}

impl<W: Row> Many<W> {
    /// As a part of `$expand`, to add options to; without options, use the link itself.
    pub fn expand(&self) -> Expand<W::Root, W::Entity, ToMany> {
        Expand::new(&self.path)
    }
}

impl<R, E, N> Expand<R, E, N> {
    fn new(path: &Path<R>) -> Self {
        let names = path.segments().iter();
        Self {
            names: names.map(|segment| segment.name.clone()).collect(),
            options: Vec::new(),
            is_typed: true,
            kind: PhantomData,
        }
    }

    /// `$select` of the linked entity. A second call replaces the first, as with every option.
    pub fn select(self, properties: impl Clause<Select<E>>) -> Self {
        self.with("$select", properties.text())
    }

    /// `$expand` of the linked entity.
    pub fn expand(self, links: impl Clause<Expansion<E>>) -> Self {
        self.beside(links.is_typed()).with("$expand", links.text())
    }

    /// Accounts for an option that may have been given as text.
    fn beside(mut self, is_typed: bool) -> Self {
        self.is_typed &= is_typed;
        self
    }

    fn with(mut self, name: &'static str, value: Option<String>) -> Self {
        self.options.retain(|(given, _)| *given != name);
        self.options.extend(value.map(|value| (name, value)));
        self
    }
}

impl<R, N> Expand<R, R, N> {
    /// `$levels`: follows a link between entities of one type this many times; at least once.
    pub fn levels(self, levels: u32) -> Self {
        self.with("$levels", Some(levels.max(1).to_string()))
    }
}

impl<R, E> Expand<R, E, ToMany> {
    /// `$filter` of the linked entities.
    pub fn filter(self, condition: impl Clause<Filter<E>>) -> Self {
        self.beside(condition.is_typed())
            .with("$filter", condition.text())
    }

    /// `$orderby` of the linked entities.
    pub fn orderby(self, keys: impl Clause<Order<E>>) -> Self {
        self.beside(keys.is_typed()).with("$orderby", keys.text())
    }

    /// `$top`: at most this many of the linked entities, and at most 2,147,483,647.
    pub fn top(self, records: u32) -> Self {
        self.with("$top", Some(bounded(records)))
    }

    /// `$skip`: leaves out this many of the linked entities, at most 2,147,483,647.
    pub fn skip(self, records: u32) -> Self {
        self.with("$skip", Some(bounded(records)))
    }

    /// `$count`: whether to return the total number of matching linked entities.
    pub fn count(self, wanted: bool) -> Self {
        self.with("$count", Some(wanted.to_string()))
    }
}

/// These options are whole numbers of 31 bits.
fn bounded(records: u32) -> String {
    records.min(i32::MAX.unsigned_abs()).to_string()
}

impl<R, E, N> Clause<Expansion<R>> for Expand<R, E, N> {
    fn text(self) -> Option<String> {
        Some(self.to_string())
    }

    fn is_typed(&self) -> bool {
        self.is_typed
    }
}

impl<W: Row> Clause<Expansion<W::Root>> for One<W> {
    fn text(self) -> Option<String> {
        self.expand().text()
    }

    fn is_typed(&self) -> bool {
        true
    }
}

impl<W: Row> Clause<Expansion<W::Root>> for Many<W> {
    fn text(self) -> Option<String> {
        self.expand().text()
    }

    fn is_typed(&self) -> bool {
        true
    }
}

/// A link of a linked entity is written inside the other's options: `group($expand=parent)`.
impl<R, E, N> fmt::Display for Expand<R, E, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join("($expand="))?;
        for (index, (name, value)) in self.options.iter().enumerate() {
            f.write_str(if index == 0 { "(" } else { ";" })?;
            write!(f, "{name}={value}")?;
        }
        if !self.options.is_empty() {
            f.write_str(")")?;
        }
        f.write_str(&")".repeat(self.names.len().saturating_sub(1)))
    }
}

impl<R, E, N> fmt::Debug for Expand<R, E, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expand({self})")
    }
}

impl<R, E, N> Clone for Expand<R, E, N> {
    fn clone(&self) -> Self {
        Self {
            names: self.names.clone(),
            options: self.options.clone(),
            is_typed: self.is_typed,
            kind: PhantomData,
        }
    }
}
