//! Checks a value against the elements of its datasource: the mandatory ones are present, and each has its
//! type.
//!
//! Imported values are history and are not checked. This module collects the ids that values refer to; the
//! store looks up whether these records exist.

use std::collections::{BTreeSet, HashSet};

use super::enums::ElementKind;
use super::error::{Complaint, DomainError};
use super::value::{BATCH_COMPLAINTS, DatasourceValue, ValuePosition};

/// An element, and the part of a value that it describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its label, or its id where it has none.
    name: String,
    kind: ElementKind,
    is_mandatory: bool,
    column: Column,
}

/// The elements of a datasource, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elements(Vec<Element>);

/// The records that values refer to by their elements.
#[derive(Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields have the names of the contract")]
pub struct References {
    pub areas: BTreeSet<i32>,
    pub boards: BTreeSet<i32>,
    pub projects: BTreeSet<i32>,
    pub users: BTreeSet<String>,
}

/// The ones of them that exist.
#[derive(Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields have the names of the contract")]
pub struct Known {
    pub areas: HashSet<i32>,
    pub boards: HashSet<i32>,
    pub projects: HashSet<i32>,
    pub users: HashSet<String>,
}

/// A part of a value that may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Area,
    Asset,
    Project,
    Description,
    Dimension(usize),
    ExternalId,
}

/// A part of a value, filled.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell<'v> {
    Id(i32),
    Text(&'v str),
}

/// The record that a valid part of a value refers to.
enum Named<'v> {
    Nothing,
    Area(i32),
    Board(i32),
    Project(i32),
    User(std::borrow::Cow<'v, str>),
}

impl Element {
    /// From the stored element; `None` when it describes no part of a value. The part is the source column,
    /// in any letter case, or without one the part that belongs to the type.
    pub fn new(
        name: String,
        kind: ElementKind,
        is_mandatory: bool,
        source_column: Option<&str>,
    ) -> Option<Self> {
        let column = match source_column.filter(|name| !name.is_empty()) {
            Some(name) => Column::named(name),
            None => Column::of(kind),
        };
        Some(Self {
            name,
            kind,
            is_mandatory,
            column: column?,
        })
    }

    /// The record that the part refers to, if it is filled; the complaint if it does not fit.
    fn read<'v>(&self, value: &'v DatasourceValue) -> Result<Named<'v>, (&'static str, String)> {
        let Some(cell) = self.column.of_value(value) else {
            return if self.is_mandatory {
                let text = format!(
                    "expected a value for the element `{}`, found none",
                    self.name
                );
                Err(("element.missing", text))
            } else {
                Ok(Named::Nothing)
            };
        };
        self.kind.read(cell).map_err(|expected| {
            let text = format!(
                "expected {expected} for the element `{}`, found `{}`",
                self.name,
                cell.shortened()
            );
            ("element.type", text)
        })
    }
}

impl Elements {
    /// A datasource of these elements.
    pub fn new(elements: Vec<Element>) -> Self {
        Self(elements)
    }

    /// The records that the values refer to. What does not fit its type refers to none.
    pub fn references(&self, values: &[DatasourceValue]) -> References {
        let mut found = References::default();
        let naming: Vec<_> = self
            .0
            .iter()
            .filter(|one| one.kind.names_a_record())
            .collect();
        if naming.is_empty() {
            return found;
        }
        for value in values {
            for element in &naming {
                match element.read(value) {
                    Ok(Named::Area(id)) => drop(found.areas.insert(id)),
                    Ok(Named::Board(id)) => drop(found.boards.insert(id)),
                    Ok(Named::Project(id)) => drop(found.projects.insert(id)),
                    Ok(Named::User(id)) if !found.users.contains(id.as_ref()) => {
                        found.users.insert(id.into_owned());
                    }
                    Ok(Named::Nothing | Named::User(_)) | Err(_) => {}
                }
            }
        }
        found
    }

    /// Checks one value that is the whole body.
    pub fn check(&self, value: &DatasourceValue, known: &Known) -> Result<(), DomainError> {
        refused(self.complaints([(ValuePosition::Body, value)], known))
    }

    /// Checks the values of a batch.
    pub fn check_batch(
        &self,
        values: &[DatasourceValue],
        known: &Known,
    ) -> Result<(), DomainError> {
        let items = (0..).map(ValuePosition::Item).zip(values);
        refused(self.complaints(items, known)).map_err(DomainError::of_batch)
    }

    /// What is wrong, each with its code.
    fn complaints<'v>(
        &self,
        values: impl IntoIterator<Item = (ValuePosition, &'v DatasourceValue)>,
        known: &Known,
    ) -> Vec<(&'static str, Complaint)> {
        let mut complaints = Vec::new();
        if self.0.is_empty() {
            return complaints;
        }
        for (position, value) in values {
            for element in &self.0 {
                let outcome = element.read(value).and_then(|named| {
                    let missing = known.misses(&named);
                    missing.map_or(Ok(()), |what| Err(("reference.unknown", what)))
                });
                if let Err((code, text)) = outcome {
                    let field = position.field(element.column.name());
                    complaints.push((code, Complaint { field, text }));
                }
            }
            if complaints.len() >= BATCH_COMPLAINTS {
                complaints.truncate(BATCH_COMPLAINTS);
                break;
            }
        }
        complaints
    }
}

/// All complaints, under the code of the first: a caller who corrects a batch needs all of them at once.
fn refused(complaints: Vec<(&'static str, Complaint)>) -> Result<(), DomainError> {
    let Some((code, _)) = complaints.first() else {
        return Ok(());
    };
    Err(DomainError::Unprocessable {
        code,
        complaints: complaints.into_iter().map(|(_, one)| one).collect(),
    })
}

impl Known {
    /// The references to records that do not exist.
    fn misses(&self, named: &Named<'_>) -> Option<String> {
        let (noun, id, is_there): (_, &dyn std::fmt::Display, _) = match named {
            Named::Nothing => return None,
            Named::Area(id) => ("area", id, self.areas.contains(id)),
            Named::Board(id) => ("board", id, self.boards.contains(id)),
            Named::Project(id) => ("project", id, self.projects.contains(id)),
            Named::User(id) => {
                let is_there = self.users.contains(id.as_ref());
                return (!is_there).then(|| format!("there is no user `{}`", first_of(id)));
            }
        };
        (!is_there).then(|| format!("there is no {noun} {id}"))
    }
}

impl Column {
    /// By its property on the wire.
    fn named(name: &str) -> Option<Self> {
        const ALL: [Column; 9] = [
            Column::Area,
            Column::Asset,
            Column::Project,
            Column::Description,
            Column::Dimension(0),
            Column::Dimension(1),
            Column::Dimension(2),
            Column::Dimension(3),
            Column::ExternalId,
        ];
        ALL.into_iter()
            .find(|column| column.name().eq_ignore_ascii_case(name))
    }

    /// The part that belongs to this type in every datasource.
    fn of(kind: ElementKind) -> Option<Self> {
        match kind {
            ElementKind::Area => Some(Self::Area),
            ElementKind::Asset => Some(Self::Asset),
            ElementKind::Project => Some(Self::Project),
            ElementKind::Description => Some(Self::Description),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Area => "areaId",
            Self::Asset => "assetId",
            Self::Project => "projectId",
            Self::Description => "description",
            Self::Dimension(0) => "dimension",
            Self::Dimension(1) => "dimension2",
            Self::Dimension(2) => "dimension3",
            Self::Dimension(_) => "dimension4",
            Self::ExternalId => "externalId",
        }
    }

    /// The content of this part of the value; `None` if it is empty.
    fn of_value(self, value: &DatasourceValue) -> Option<Cell<'_>> {
        let text = match self {
            Self::Area => return value.area_id.map(Cell::Id),
            Self::Asset => return value.asset_id.map(Cell::Id),
            Self::Project => return value.project_id.map(Cell::Id),
            Self::Description => &value.description,
            Self::Dimension(index) => value.dimensions.get(index)?,
            Self::ExternalId => &value.external_id,
        };
        text.as_deref()
            .filter(|text| !text.is_empty())
            .map(Cell::Text)
    }
}

impl Cell<'_> {
    fn shortened(&self) -> String {
        match self {
            Cell::Id(id) => id.to_string(),
            Cell::Text(text) => first_of(text).to_owned(),
        }
    }

    fn id(self) -> Option<i32> {
        match self {
            Cell::Id(id) => Some(id),
            // `parse` alone would take a leading `+`.
            Cell::Text(text) if text.starts_with('+') => None,
            Cell::Text(text) => text.parse().ok(),
        }
    }
}

impl ElementKind {
    fn names_a_record(self) -> bool {
        matches!(self, Self::Area | Self::Board | Self::Project | Self::User)
    }

    /// The record that a filled part refers to; what is expected if it does not fit.
    fn read(self, cell: Cell<'_>) -> Result<Named<'_>, &'static str> {
        let id = |named: fn(i32) -> Named<'static>, expected| cell.id().map(named).ok_or(expected);
        match self {
            Self::Area => id(Named::Area, "the id of an area"),
            Self::Board => id(Named::Board, "the id of a board"),
            Self::Project => id(Named::Project, "the id of a project"),
            // Nothing here knows assets, so any will do.
            Self::Asset => id(|_| Named::Nothing, "the id of an asset"),
            Self::User => Ok(Named::User(match cell {
                Cell::Id(id) => id.to_string().into(),
                Cell::Text(text) => text.into(),
            })),
            Self::Bool => match cell {
                Cell::Text("true" | "false") => Ok(Named::Nothing),
                _ => Err("true or false"),
            },
            Self::Number => match cell {
                Cell::Text(text) if !is_number(text) => Err("a number"),
                _ => Ok(Named::Nothing),
            },
            // The entries of data lists are not stored, only the names of the lists; and a text is any text.
            Self::Description | Self::List | Self::Text => Ok(Named::Nothing),
        }
    }
}

/// Whether a text is a number as JSON writes it (RFC 8259, 6).
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

/// The first characters of a caller's text.
fn first_of(text: &str) -> &str {
    text.char_indices()
        .nth(40)
        .map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests;
