//! Erases a user: removes the user, and its id and names from every record. The records stay; where the user
//! stood there is nothing.
//!
//! Records that showed the user are stamped, so that copies learn of it. An incident that the user reported
//! in confidence is not: a stamp, or a figure in the result, would tell who reported it. Texts that somebody
//! wrote are not searched, except in the audit log, whose entries with the user lose their text. A name that
//! was stored without an id is removed if the caller says so: it may be that of another person.

use std::collections::BTreeMap;

use super::audit::{self, Change, Origin};
use super::engine::{Session, StoreError, Value, present};
use super::users::{self, Counts};
use super::{idempotency_records, search, stamp, values};

/// The operation of its entry in the audit log.
pub const ERASE: &str = "eraseUser";

/// Lists that the user has changed last.
const DATA_LISTS: &str = "UPDATE data_lists SET last_modified = ?2, last_modified_by_user_id = NULL WHERE last_modified_by_user_id = ?1";

/// What removes the user from records, whose number is not reported.
const UNCOUNTED: [&str; 10] = [
    // The place is where the reporter was.
    "UPDATE incidents SET reported_by_user_id = NULL, reported_by = NULL, latitude = NULL, longitude = NULL, accuracy_in_meters = NULL
        WHERE reported_by_user_id = ?1",
    "UPDATE incidents SET last_modified_by_user_id = NULL WHERE last_modified_by_user_id = ?1",
    "UPDATE incidents SET responsible_user_id = NULL WHERE responsible_user_id = ?1",
    "UPDATE incident_custom_fields SET value = NULL, data_list_value = NULL
        WHERE value = ?1 AND custom_field_id IN (SELECT id FROM type_custom_fields WHERE lower(type) = 'user')",
    "UPDATE improvements SET suggested_by_user_id = NULL, suggested_by = NULL WHERE suggested_by_user_id = ?1",
    "UPDATE improvements SET responsible_user_id = NULL WHERE responsible_user_id = ?1",
    "UPDATE improvements SET last_modified_by_user_id = NULL WHERE last_modified_by_user_id = ?1",
    "UPDATE tasks SET responsible_user_id = NULL WHERE responsible_user_id = ?1",
    "UPDATE tasks SET last_modified_by_user_id = NULL WHERE last_modified_by_user_id = ?1",
    "UPDATE attachments SET created_by_user_id = NULL WHERE created_by_user_id = ?1",
];

/// The same from records whose number is reported. The user goes last: others refer to it.
const COUNTED: [(&str, &str); 6] = [
    (
        "comments",
        "UPDATE incident_comments SET commented_by_user_id = NULL, commented_by = NULL WHERE commented_by_user_id = ?1",
    ),
    (
        "taskComments",
        "UPDATE task_comments SET commented_by_user_id = NULL, commented_by = NULL WHERE commented_by_user_id = ?1",
    ),
    (
        "boardLines",
        "UPDATE board_lines SET responsible_user_id = NULL WHERE responsible_user_id = ?1",
    ),
    (
        "memberships",
        "DELETE FROM group_members WHERE user_id = ?1",
    ),
    (
        "projectMembers",
        "DELETE FROM project_members WHERE user_id = ?1",
    ),
    ("users", "DELETE FROM users WHERE id = ?1"),
];

/// The same for a name (?1 or ?2) that was stored without an id.
const STAMPED_BY_NAME: [&str; 2] = [
    "UPDATE incidents SET last_modified = ?3
        WHERE is_anonymous = 0 AND reported_by_user_id IS NULL AND reported_by IN (?1, ?2)
            OR id IN (SELECT incident_id FROM incident_comments WHERE commented_by_user_id IS NULL AND commented_by IN (?1, ?2))",
    "UPDATE improvements SET last_modified = ?3 WHERE suggested_by_user_id IS NULL AND suggested_by IN (?1, ?2)",
];

/// What removes such a name. The number of anonymous incidents is not reported.
const COUNTED_BY_NAME: [&str; 4] = [
    "UPDATE incidents SET reported_by = NULL, latitude = NULL, longitude = NULL, accuracy_in_meters = NULL
        WHERE is_anonymous = 0 AND reported_by_user_id IS NULL AND reported_by IN (?1, ?2)",
    "UPDATE incident_comments SET commented_by = NULL WHERE commented_by_user_id IS NULL AND commented_by IN (?1, ?2)",
    "UPDATE task_comments SET commented_by = NULL WHERE commented_by_user_id IS NULL AND commented_by IN (?1, ?2)",
    "UPDATE improvements SET suggested_by = NULL WHERE suggested_by_user_id IS NULL AND suggested_by IN (?1, ?2)",
];
const UNCOUNTED_BY_NAME: &str = "UPDATE incidents SET reported_by = NULL, latitude = NULL, longitude = NULL, accuracy_in_meters = NULL
    WHERE is_anonymous = 1 AND reported_by_user_id IS NULL AND reported_by IN (?1, ?2)";

/// The columns of a value that an element can name, by the property.
const VALUE_COLUMNS: [(&str, &str); 9] = [
    ("dimension", "dimension"),
    ("dimension2", "dimension2"),
    ("dimension3", "dimension3"),
    ("dimension4", "dimension4"),
    ("description", "description"),
    ("externalId", "external_id"),
    ("areaId", "area_id"),
    ("assetId", "asset_id"),
    ("projectId", "project_id"),
];

/// Erases the user, at this time (ticks); `None` if there is no such user. `with_names`: also where only the
/// exact user name or display name is stored, without an id.
///
/// # Errors
/// The engine fails.
pub fn erase(
    session: &mut dyn Session,
    id: &str,
    with_names: bool,
    now: i64,
) -> Result<Option<Counts>, StoreError> {
    let user = session.first(
        "SELECT user_name, display_name FROM users WHERE id = ?1",
        &[id.into()],
        |row| Ok([present(row.string(0)?)?, present(row.string(1)?)?]),
    )?;
    let Some(names) = user else {
        return Ok(None);
    };
    let stamp = stamp::next(session, now, 0)?;
    let mut counts = users::stamp_records(session, id, stamp)?;
    let lists = session.execute(DATA_LISTS, &[id.into(), stamp.into()])?;
    counts.insert("dataLists", lists);
    let (values, texts_of_values) = erase_from_values(session, id, stamp)?;
    counts.insert("values", values);
    for sql in UNCOUNTED {
        session.execute_deferred(sql, &[id.into()])?;
    }
    search::remove_user(session, id)?;
    for (kind, sql) in COUNTED {
        counts.insert(kind, session.execute(sql, &[id.into()])?);
    }
    if with_names {
        counts.insert("names", erase_names(session, &names, stamp)?);
    }
    idempotency_records::erase(session, id)?;
    let texts = erase_from_audit(session, id, &names)?;
    counts.insert("auditTexts", texts + texts_of_values);
    // Without the id: the entry outlives the user.
    let change = Change::summary(&BTreeMap::from([("counts", &counts)]));
    audit::append(session, now, &Origin::default(), ERASE, &change)?;
    Ok(Some(counts))
}

/// Removes the names where they were stored without an id. Returns from how many records.
fn erase_names(
    session: &mut dyn Session,
    [user_name, display_name]: &[String; 2],
    stamp: i64,
) -> Result<u64, StoreError> {
    let names = [Value::from(user_name), display_name.into()];
    for sql in STAMPED_BY_NAME {
        session.execute_deferred(sql, &[names[0], names[1], stamp.into()])?;
    }
    let mut erased = 0;
    for sql in COUNTED_BY_NAME {
        erased += session.execute(sql, &names)?;
    }
    session.execute_deferred(UNCOUNTED_BY_NAME, &names)?;
    Ok(erased)
}

/// Removes the user from the values whose datasource has an element for users. Returns the numbers of values
/// and of audit entries that lost it.
fn erase_from_values(
    session: &mut dyn Session,
    id: &str,
    stamp: i64,
) -> Result<(u64, u64), StoreError> {
    let sql = "SELECT datasource_id, lower(source_column) FROM datasource_elements
        WHERE type = 'user' AND source_column IS NOT NULL ORDER BY datasource_id, id";
    let elements = session.all(sql, &[], |row| {
        Ok((present(row.int32(0)?)?, present(row.string(1)?)?))
    })?;
    let (mut erased, mut audit_texts) = (0, 0);
    for (datasource, property) in elements {
        let named = |(name, _): &&(&str, &str)| name.eq_ignore_ascii_case(&property);
        let Some((name, column)) = VALUE_COLUMNS.iter().find(named) else {
            continue;
        };
        // A numeric id may be in a column of numbers.
        let sql = format!(
            "UPDATE datasource_values SET {column} = NULL, registration_date = ?3
                WHERE datasource_id = ?1 AND CAST({column} AS TEXT) = ?2"
        );
        let binds = [datasource.into(), id.into(), stamp.into()];
        let changed = session.execute(&sql, &binds)?;
        if changed > 0 {
            values::changed(session, datasource, 0, stamp)?;
        }
        erased += changed;
        audit_texts += erase_number_from_audit(session, datasource, name, id)?;
    }
    Ok((erased, audit_texts))
}

/// Erases the texts of the audit entries of a datasource that have the id as a number in this property.
fn erase_number_from_audit(
    session: &mut dyn Session,
    datasource: i32,
    property: &str,
    id: &str,
) -> Result<u64, StoreError> {
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(0);
    }
    let sql = "UPDATE audit_entries SET change = NULL, salt = NULL WHERE record LIKE ?1
        AND (replace(change, ?2, '') <> change OR replace(change, ?3, '') <> change)";
    let records = format!("datasources/{datasource}/values/%");
    let number = format!("\"{property}\":{id}");
    let (inside, last) = (format!("{number},"), format!("{number}}}"));
    session.execute(
        sql,
        &[Value::from(&records), (&inside).into(), (&last).into()],
    )
}

/// Erases the texts of the audit entries with the id as a value, or with one of the names anywhere. Those of
/// retention stay: they have numbers and hashes only, and the verification of the chain needs them.
fn erase_from_audit(
    session: &mut dyn Session,
    id: &str,
    names: &[String; 2],
) -> Result<u64, StoreError> {
    // `replace` finds a text by its characters on both engines; an empty one is not found.
    let sql = "UPDATE audit_entries SET change = NULL, salt = NULL
        WHERE operation <> ?4
        AND (replace(change, ?1, '') <> change OR replace(change, ?2, '') <> change OR replace(change, ?3, '') <> change)";
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let id = quoted(id);
    let names = names.each_ref().map(|name| quoted(name));
    let [user_name, display_name] = names.each_ref().map(|name| &name[1..name.len() - 1]);
    session.execute(
        sql,
        &[
            Value::from(&id),
            user_name.into(),
            display_name.into(),
            audit::EXPIRE.into(),
        ],
    )
}
