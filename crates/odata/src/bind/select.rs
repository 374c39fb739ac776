//! `$select`: the properties to return.

use crate::ast::options::Options;
use crate::ast::{Segment, SelectItem};
use crate::bind::path::unknown;
use crate::bind::{BoundExpand, OutColumn, read_as};
use crate::edm::{Column, EntityType, Property, ReplacedProperty};
use crate::error::{Error, ErrorKind};

/// The result of one level's `$select`.
pub(crate) struct Selection {
    pub columns: Vec<OutColumn>,
    /// Paths such as `group/name` that narrow the properties of an expanded navigation.
    pub narrowed: Vec<Vec<Segment>>,
}

pub(crate) fn select(
    options: &Options,
    entity: &'static EntityType,
    replaced: &'static [ReplacedProperty],
) -> Result<Selection, Error> {
    let mut chosen: Vec<&str> = Vec::new();
    let mut narrowed = Vec::new();
    let mut everything = options.select.is_none();
    for item in options.select.iter().flatten() {
        match item {
            SelectItem::All => everything = true,
            SelectItem::Path(path) => match path.as_slice() {
                [only] if entity.property(&only.name).is_some() => chosen.push(&only.name),
                // The name of a navigation alone requests its link, which plain JSON does not have.
                [only] if entity.navigation(&only.name).is_some() => {}
                [first, _, ..] if entity.navigation(&first.name).is_some() => {
                    narrowed.push(path.clone());
                }
                [first, ..] => return Err(not_selectable(entity, first, path.len())),
                [] => {}
            },
        }
    }
    let columns = entity
        .properties
        .iter()
        .filter(|property| everything || chosen.contains(&property.name))
        .map(|property| OutColumn::visible(read_as(entity, property, replaced)))
        .collect();
    Ok(Selection { columns, narrowed })
}

fn not_selectable(entity: &EntityType, segment: &Segment, names: usize) -> Error {
    if names > 1 && entity.property(&segment.name).is_some() {
        let message = format!(
            "found `/` after `{}`, which is a plain property of {}",
            segment.name, entity.name
        );
        return Error::new(ErrorKind::Type, segment.at, message);
    }
    unknown(entity, segment, std::iter::empty())
}

/// A path into a navigation only makes sense where the navigation is expanded.
pub(crate) fn check_narrowed(
    narrowed: &[Vec<Segment>],
    expands: &[BoundExpand],
) -> Result<(), Error> {
    match narrowed.iter().find(|path| {
        !expands
            .iter()
            .any(|expand| expand.navigation.name == path[0].name)
    }) {
        None => Ok(()),
        Some(path) => {
            let message = format!(
                "found a path into `{0}`, which is not expanded; add `$expand={0}`",
                path[0].name
            );
            Err(Error::new(ErrorKind::Option, path[0].at, message))
        }
    }
}

/// A row needs at least one column, even if none is returned.
pub(crate) fn never_empty(columns: &mut Vec<OutColumn>, entity: &'static EntityType) {
    if columns.is_empty() {
        let source = entity
            .key_property()
            .map_or(Column::Expr("1"), |key| key.column);
        columns.push(OutColumn {
            name: entity.key,
            ty: None,
            source,
        });
    }
}

impl OutColumn {
    fn visible(property: &'static Property) -> Self {
        Self {
            name: property.name,
            ty: Some(property.ty),
            source: property.column,
        }
    }
}
