//! `incident_types.jsonl`: a type with its category tree, consequences, causes and custom fields, and
//! translations.

mod translations;
mod tree;

use std::collections::{HashMap, HashSet};

use crate::import::error::{ImportError, Location};
use crate::import::folder::Source;
use crate::import::ids::SeenIds;
use crate::import::run::{LineAction, Run, upsert};
use crate::jsonl::types::{Category, TypeLine};
use obeya_store::engine::StoreError;
use obeya_store::search;
use tree::Tree;

/// The parts of one type, as in its line.
#[derive(Default)]
struct Parts {
    categories: HashSet<i32>,
    consequences: HashSet<i32>,
    causes: HashSet<i32>,
    custom_fields: HashSet<i32>,
}

/// Reads `incident_types.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, line: TypeLine| {
        let exists = run.known.incident_types.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        run.known.incident_types.insert(line.id);
        let binds = [
            line.id.into(),
            (&line.title).into(),
            line.description.as_deref().into(),
        ];
        run.execute(
            &upsert("incident_types", &["id"], &["title", "description"]),
            &binds,
        )?;
        search::put_incident_type(
            run.session,
            line.id,
            &line.title,
            line.description.as_deref(),
        )?;
        let parts = parts(run, location, &line)?;
        if action == LineAction::Replace {
            drop_absent(run, location, line.id, &parts)?;
            run.execute(
                "DELETE FROM type_translations WHERE incident_type_id = ?1",
                &[line.id.into()],
            )?;
        }
        translations::write(run, location, &line, &parts)
    })
}

fn parts(run: &mut Run<'_>, location: Location<'_>, line: &TypeLine) -> Result<Parts, ImportError> {
    let mut parts = Parts::default();
    let mut tree = Tree::default();
    categories(
        run,
        location,
        line.id,
        None,
        "categories",
        &line.categories,
        &mut parts,
        &mut tree,
    )?;
    tree.check(location)?;
    let sql = upsert(
        "type_consequences",
        &["id"],
        &["incident_type_id", "title", "unit"],
    );
    for (n, part) in line.consequences.iter().enumerate() {
        claim(
            location,
            &format!("consequences[{n}].id"),
            part.id,
            &mut run.known.consequences,
            line.id,
            &mut parts.consequences,
        )?;
        run.execute(
            &sql,
            &[
                part.id.into(),
                line.id.into(),
                (&part.title).into(),
                part.unit.as_deref().into(),
            ],
        )?;
    }
    let sql = upsert(
        "type_causes",
        &["id"],
        &["incident_type_id", "title", "description", "sort_order"],
    );
    for (n, part) in line.causes.iter().enumerate() {
        claim(
            location,
            &format!("causes[{n}].id"),
            part.id,
            &mut run.known.causes,
            line.id,
            &mut parts.causes,
        )?;
        let binds = [
            part.id.into(),
            line.id.into(),
            (&part.title).into(),
            part.description.as_deref().into(),
            part.sort_order.into(),
        ];
        run.execute(&sql, &binds)?;
    }
    let columns = [
        "incident_type_id",
        "label",
        "type",
        "sort_order",
        "data_list_id",
        "is_mandatory",
    ];
    let sql = upsert("type_custom_fields", &["id"], &columns);
    for (n, part) in line.custom_fields.iter().enumerate() {
        claim(
            location,
            &format!("customFields[{n}].id"),
            part.id,
            &mut run.known.custom_fields,
            line.id,
            &mut parts.custom_fields,
        )?;
        run.execute(
            &sql,
            &[
                part.id.into(),
                line.id.into(),
                (&part.label).into(),
                (&part.kind).into(),
                part.sort_order.into(),
                part.data_list_id.into(),
                part.is_mandatory.into(),
            ],
        )?;
    }
    Ok(parts)
}

/// Writes a level of the category tree and those below. `tree` collects the data of checks that need all
/// levels.
#[expect(
    clippy::too_many_arguments,
    reason = "what the recursion carries down; a struct for it would live in this function alone"
)]
fn categories(
    run: &mut Run<'_>,
    location: Location<'_>,
    owner: i32,
    above: Option<i32>,
    path: &str,
    level: &[Category],
    parts: &mut Parts,
    tree: &mut Tree,
) -> Result<(), ImportError> {
    let sql = upsert(
        "type_categories",
        &["id"],
        &[
            "incident_type_id",
            "parent_id",
            "title",
            "description",
            "sort_order",
        ],
    );
    for (n, part) in level.iter().enumerate() {
        let field = format!("{path}[{n}]");
        claim(
            location,
            &format!("{field}.id"),
            part.id,
            &mut run.known.categories,
            owner,
            &mut parts.categories,
        )?;
        match (above, part.parent_id) {
            (Some(above), Some(parent)) if above != parent => {
                return Err(location.field_error(
                    &format!("{field}.parentId"),
                    parent,
                    format_args!("{above}, the category it stands in"),
                ));
            }
            (None, Some(parent)) if parent == part.id => {
                return Err(location.field_error(
                    &format!("{field}.parentId"),
                    parent,
                    "the id of another category",
                ));
            }
            _ => {}
        }
        let parent = above.or(part.parent_id);
        tree.add(&field, part.id, parent);
        run.execute(
            &sql,
            &[
                part.id.into(),
                owner.into(),
                parent.into(),
                (&part.title).into(),
                part.description.as_deref().into(),
                part.sort_order.into(),
            ],
        )?;
        categories(
            run,
            location,
            owner,
            Some(part.id),
            &format!("{field}.children"),
            &part.children,
            parts,
            tree,
        )?;
    }
    Ok(())
}

/// Assigns a part to its type: an id belongs to one type only, and once.
fn claim(
    location: Location<'_>,
    field: &str,
    id: i32,
    owners: &mut HashMap<i32, i32>,
    owner: i32,
    here: &mut HashSet<i32>,
) -> Result<(), ImportError> {
    if !here.insert(id) {
        return Err(location.field_error(field, format_args!("{id} twice"), "each id once"));
    }
    match owners.insert(id, owner) {
        Some(other) if other != owner => Err(location.field_error(
            field,
            format_args!("{id}, which belongs to incident type {other}"),
            "an id no other type uses",
        )),
        _ => Ok(()),
    }
}

/// One kind of part: its table, its field in the line, the ids the line has, and the types of all ids.
type Kind<'a> = (
    &'static str,
    &'static str,
    &'a HashSet<i32>,
    &'a mut HashMap<i32, i32>,
);

/// Removes the parts that a replaced type no longer has.
fn drop_absent(
    run: &mut Run<'_>,
    location: Location<'_>,
    owner: i32,
    parts: &Parts,
) -> Result<(), ImportError> {
    let tables: [Kind<'_>; 4] = [
        (
            "type_categories",
            "categories",
            &parts.categories,
            &mut run.known.categories,
        ),
        (
            "type_consequences",
            "consequences",
            &parts.consequences,
            &mut run.known.consequences,
        ),
        (
            "type_causes",
            "causes",
            &parts.causes,
            &mut run.known.causes,
        ),
        (
            "type_custom_fields",
            "customFields",
            &parts.custom_fields,
            &mut run.known.custom_fields,
        ),
    ];
    for (table, field, kept, owners) in tables {
        let absent: Vec<i32> = owners
            .iter()
            .filter(|(id, of)| **of == owner && !kept.contains(id))
            .map(|(id, _)| *id)
            .collect();
        for id in absent {
            match run
                .session
                .execute(&format!("DELETE FROM {table} WHERE id = ?1"), &[id.into()])
            {
                Err(StoreError::Constraint(_)) => {
                    return Err(location.field_error(
                        field,
                        format_args!("none with id {id}, which incidents use"),
                        "the line to keep it",
                    ));
                }
                done => done?,
            };
            owners.remove(&id);
        }
    }
    Ok(())
}
