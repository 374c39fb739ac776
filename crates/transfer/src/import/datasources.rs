//! `datasources.jsonl`: datasources and what the dimensions of their values mean.

use std::collections::{HashMap, HashSet};

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, upsert};
use crate::jsonl::datasources::{DatasourceLine, Element, ElementId};
use obeya_store::engine::present;

/// Reads `datasources.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let columns = [
        "title",
        "description",
        "object_source",
        "unit_of_time",
        "primary_input_source",
    ];
    let sql = upsert("datasources", &["id"], &columns);
    let mut seen = SeenIds::default();
    run.each(source, |run, location, line: DatasourceLine| {
        let exists = run.known.datasources.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        run.known.datasources.insert(line.id);
        run.execute(
            &sql,
            &[
                line.id.into(),
                line.title.as_deref().into(),
                line.description.as_deref().into(),
                line.object_source.as_deref().into(),
                line.unit_of_time.as_deref().into(),
                line.primary_input_source.as_deref().into(),
            ],
        )?;
        let mut before = HashMap::new();
        if action == LineAction::Replace {
            let sql = "SELECT id, number FROM datasource_elements WHERE datasource_id = ?1";
            let stored = run.session.all(sql, &[line.id.into()], |row| {
                Ok((present(row.string(0)?)?, present(row.int32(1)?)?))
            })?;
            before.extend(stored);
            run.execute("DELETE FROM datasource_elements WHERE datasource_id = ?1", &[line.id.into()])?;
        }
        let elements = line.elements.unwrap_or_default();
        let ids = identified(location, &elements, &before)?;
        for (order, (element, (number, key))) in (1_i64..).zip(elements.iter().zip(ids)) {
            run.execute(
                "INSERT INTO datasource_elements \
                 (datasource_id, id, label, type, is_mandatory, source_column, data_list_id, sort_order, number) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                &[
                    line.id.into(),
                    (&key).into(),
                    element.label.as_deref().into(),
                    element.kind.as_str().into(),
                    element.is_mandatory.into(),
                    element.source_column.as_deref().into(),
                    element.data_list_id.into(),
                    order.into(),
                    number.into(),
                ],
            )?;
        }
        Ok(())
    })
}

/// The number and the key of each element. An element with only a key keeps the number that its key has in
/// the database (`before`). A new key that is a positive int32 is its own number; any other gets the smallest
/// number that no element has or had before. An upgrade of an old database numbers its elements by the same
/// rule.
fn identified(
    location: Location<'_>,
    elements: &[Element],
    before: &HashMap<String, i32>,
) -> Result<Vec<(i32, String)>, ImportError> {
    let (mut numbers, mut keys) = (HashSet::new(), HashSet::new());
    let mut ids = Vec::with_capacity(elements.len());
    for (position, element) in elements.iter().enumerate() {
        let fault = |field: &str, found: &str, expected: &str| {
            location.field_error(&format!("elements[{position}].{field}"), found, expected)
        };
        let (number, key) = match (&element.id, &element.key) {
            (ElementId::Number(number), Some(key)) => (Some(*number), key.clone()),
            (ElementId::Number(number), None) => (Some(*number), number.to_string()),
            (ElementId::Key(key), None) => (None, key.clone()),
            (ElementId::Key(_), Some(_)) => {
                return Err(fault(
                    "key",
                    "a key and an `id` that is text",
                    "a number as `id`, or no key",
                ));
            }
        };
        if let Some(number) = number
            && !numbers.insert(number)
        {
            return Err(fault("id", &format!("{number} twice"), "each id once"));
        }
        if !keys.insert(key.clone()) {
            let field = if element.key.is_some() { "key" } else { "id" };
            return Err(fault(
                field,
                &format!("\"{key}\" twice"),
                &format!("each {field} once"),
            ));
        }
        ids.push((number, key));
    }
    let known = |key: &String| before.get(key).copied();
    let written = |key: &String| {
        let number = key.parse().ok().filter(|number: &i32| *number > 0);
        number.filter(|number| number.to_string() == *key)
    };
    for own in [&known as &dyn Fn(&String) -> Option<i32>, &written] {
        for (number, key) in ids.iter_mut().filter(|(number, _)| number.is_none()) {
            *number = own(key).filter(|number| numbers.insert(*number));
        }
    }
    numbers.extend(before.values());
    let mut free = (1..=i32::MAX).filter(|number| !numbers.contains(number));
    let ids = ids.into_iter().map(|(number, key)| {
        // A line has far fewer elements than there are numbers.
        (number.or_else(|| free.next()).unwrap_or(i32::MAX), key)
    });
    Ok(ids.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(elements: &str) -> Result<Vec<(i32, String)>, String> {
        let location = Location {
            file: "datasources.jsonl",
            line: 1,
        };
        let elements: Vec<Element> = serde_json::from_str(elements).expect("elements");
        let ids = identified(location, &elements, &HashMap::new());
        ids.map_err(|fault| fault.to_string())
    }

    #[test]
    fn the_last_number_leaves_the_smaller_ones() {
        let elements = r#"[{"id":2147483647,"key":"a","type":"text"},{"id":"2147483648","type":"text"},{"id":"01","type":"text"},{"id":"-1","type":"text"}]"#;
        let expected = [(i32::MAX, "a"), (1, "2147483648"), (2, "01"), (3, "-1")];
        assert_eq!(
            of(elements).expect("numbers"),
            expected.map(|(number, key)| (number, key.to_owned()))
        );
    }

    #[test]
    fn an_id_and_a_key_occur_once() {
        for (elements, fault) in [
            (
                r#"[{"id":"a","type":"text"},{"id":"a","type":"text"}]"#,
                r#"elements[1].id: found "a" twice, expected each id once"#,
            ),
            (
                r#"[{"id":3,"type":"text"},{"id":3,"key":"a","type":"text"}]"#,
                "elements[1].id: found 3 twice, expected each id once",
            ),
            (
                r#"[{"id":3,"type":"text"},{"id":4,"key":"3","type":"text"}]"#,
                r#"elements[1].key: found "3" twice, expected each key once"#,
            ),
            (
                r#"[{"id":"a","key":"b","type":"text"}]"#,
                "elements[0].key: found a key and an `id` that is text, expected a number as `id`, or no key",
            ),
        ] {
            let found = of(elements).expect_err(elements);
            assert!(found.ends_with(fault), "{found}");
        }
    }
}
