//! The closed enums, which the specification lists and the schema checks.

use std::collections::BTreeSet;

use obeya_odata::edm::{Column, Property, Type};

use super::with_store;
use crate::{StoreError, entities, present};
use obeya_rules::enums::{
    BoardType, Evaluation, GroupType, IncidentStatus, MemberRole, Priority, Severity, Stage,
    StoredImprovementStatus, TaskStatus, UserType, VariantSet,
};

/// Every column with an enum of the specification, and the names it may contain.
fn declared() -> Vec<(&'static str, &'static str, &'static [&'static str])> {
    vec![
        ("groups", "type", GroupType::NAMES),
        ("group_members", "role", MemberRole::NAMES),
        ("project_members", "role", MemberRole::NAMES),
        ("boards", "board_type", BoardType::NAMES),
        ("incidents", "status", IncidentStatus::NAMES),
        ("incidents", "severity", Severity::NAMES),
        ("incidents", "evaluation_status", Evaluation::NAMES),
        ("improvements", "status", StoredImprovementStatus::NAMES),
        ("improvements", "archived_from", Stage::NAMES),
        ("improvements", "priority_status", Priority::NAMES),
        ("improvements", "evaluation_status", Evaluation::NAMES),
        ("tasks", "status", TaskStatus::NAMES),
        ("users", "type", UserType::NAMES),
    ]
}

/// Columns with enums of the store, which no response includes.
const OWN: [(&str, &str); 2] = [("board_lines", "axis"), ("type_translations", "kind")];

/// The names in each `CHECK (column IN ('…'))` of a table.
fn checks(sql: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for check in sql.split("CHECK (").skip(1) {
        let Some((column, rest)) = check.split_once(" IN ('") else {
            continue;
        };
        let Some((names, _)) = rest.split_once("')") else {
            continue;
        };
        if column
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter == '_')
        {
            let names = names.split("', '").map(str::to_owned).collect();
            found.push((column.to_owned(), names));
        }
    }
    found
}

#[tokio::test]
async fn the_checks_of_the_schema_list_the_words_of_the_specification() {
    let mut faults = Vec::new();
    let mut declared = declared();
    let tables = with_store(|session| {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL";
        session.all(sql, &[], |row| {
            Ok((present(row.string(0)?)?, present(row.string(1)?)?))
        })
    });
    for (table, sql) in tables.await {
        for (column, names) in checks(&sql) {
            if OWN.contains(&(table.as_str(), column.as_str())) {
                continue;
            }
            let at = declared
                .iter()
                .position(|(of, name, _)| *of == table && *name == column);
            match at.map(|at| declared.swap_remove(at)) {
                Some((_, _, expected)) if names == expected => {}
                Some((_, _, expected)) => faults.push(format!(
                    "{table}.{column}: the specification lists {expected:?} and the CHECK {names:?}; \
                     edit spec/openapi.yaml, or add a migration in crates/store/src/schema"
                )),
                None => faults.push(format!(
                    "{table}.{column}: a CHECK lists names that no enum is compared with; \
                     add the column to crates/store/src/facts/enums.rs"
                )),
            }
        }
    }
    for (table, column, _) in declared {
        faults.push(format!(
            "{table}.{column}: no CHECK in crates/store/src/schema lists its names"
        ));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The stored columns that an expression reads, each with its words.
fn read_by(expression: &str) -> Vec<(&'static str, &'static [&'static str])> {
    let columns = declared().into_iter().map(|(_, name, words)| (name, words));
    let mut read: Vec<_> = columns
        .filter(|(name, _)| expression.contains(&format!("{{t}}.{name}")))
        .collect();
    read.dedup();
    read
}

#[tokio::test]
async fn a_computed_enum_has_a_word_for_each_stored_one_and_no_others() {
    let properties = entities::all().into_iter().flat_map(|entity| {
        let with_entity = |property: &'static Property| (entity.name, property);
        entity.properties.iter().map(with_entity)
    });
    let mut compared = 0;
    for (entity, property) in properties {
        let Type::Enum(described) = property.ty else {
            continue;
        };
        let expression = match property.column {
            // The word is stored as it is shown; its CHECK is compared above.
            Column::Name(_) => continue,
            Column::Expr(expression) => expression,
            _ => panic!("{entity}.{}: no words to compare", property.name),
        };
        let [(column, words)] = read_by(expression)[..] else {
            panic!(
                "{entity}.{}: `{expression}` reads no single enum",
                property.name
            );
        };
        let sql = format!(
            "SELECT {} FROM (SELECT ?1 AS {column}) AS t",
            expression.replace("{t}", "t")
        );
        let shown = with_store(move |session| {
            let show = |word: &&str| session.first(&sql, &[(*word).into()], |row| row.string(0));
            words
                .iter()
                .map(show)
                .collect::<Result<Vec<_>, StoreError>>()
        });
        let shown: BTreeSet<_> = shown.await.into_iter().flatten().collect();
        let described: BTreeSet<_> = described
            .members
            .iter()
            .map(|word| Some((*word).to_owned()))
            .collect();
        assert_eq!(
            shown, described,
            "{entity}.{}: edit the expression in crates/store/src/entities, or spec/openapi.yaml",
            property.name
        );
        compared += 1;
    }
    assert!(compared > 0);
}
