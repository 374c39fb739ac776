//! The search index: one document of terms for each record, replaced whenever its texts change.
//!
//! The terms follow the rules of the query language, so that documents and queries are folded and cut alike
//! on every engine.

use obeya_odata::search::document;
use sha2::{Digest as _, Sha256};

use super::bulk;
use super::engine::present;
use super::{RecordId, Row, Session, StoreError, Value};

/// An index, the table of its records, and the columns whose texts it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchIndex {
    /// The name of the index.
    pub name: &'static str,
    /// The table.
    pub table: &'static str,
    /// SQL for the number of a record of the table in the index.
    pub key: &'static str,
    /// The columns, in the order of the terms.
    pub columns: &'static [&'static str],
}

impl SearchIndex {
    /// The id of the record with this number in the index.
    ///
    /// # Errors
    /// The engine fails.
    pub fn record(&self, session: &mut dyn Session, number: i64) -> Result<RecordId, StoreError> {
        if self.key == NUMBER_OF_USER {
            let sql = "SELECT user_id FROM user_numbers WHERE number = ?1";
            let id = session.first(sql, &[number.into()], |row| row.string(0))?;
            if let Some(id) = id.flatten() {
                return Ok(id.into());
            }
        }
        Ok(number.into())
    }
}

/// The index over the parts of comments' texts.
pub const PARTS_INDEX: &str = "comments_parts";

/// The number of a user, whose id is a text.
const NUMBER_OF_USER: &str = "(SELECT n.number FROM user_numbers AS n WHERE n.user_id = users.id)";

/// The indexes over the terms of texts.
#[rustfmt::skip]
pub const INDEXES: [SearchIndex; 9] = [
    SearchIndex { name: "areas_search", table: "areas", key: "id", columns: &["name", "description"] },
    SearchIndex { name: "boards_search", table: "boards", key: "id", columns: &["name", "description"] },
    SearchIndex { name: "comments_search", table: "incident_comments", key: "id", columns: &["text"] },
    SearchIndex { name: "groups_search", table: "groups", key: "id", columns: &["name", "description"] },
    SearchIndex { name: "incident_types_search", table: "incident_types", key: "id", columns: &["title", "description"] },
    SearchIndex { name: "incidents_search", table: "incidents", key: "id", columns: &["title", "text"] },
    SearchIndex { name: "task_comments_search", table: "task_comments", key: "id", columns: &["text"] },
    SearchIndex { name: "tasks_search", table: "tasks", key: "id", columns: &["title", "description"] },
    SearchIndex { name: "users_search", table: "users", key: NUMBER_OF_USER, columns: &["display_name", "first_name", "last_name", "user_name", "email"] },
];

/// Indexes an area by its name and description.
///
/// # Errors
/// The engine fails, here and below.
pub fn put_area(
    session: &mut dyn Session,
    id: i32,
    name: &str,
    description: Option<&str>,
) -> Result<(), StoreError> {
    let texts = [Some(name), description];
    put(session, "areas_search", id, &texts)
}

/// Indexes a group by its name and description.
pub fn put_group(
    session: &mut dyn Session,
    id: i32,
    name: Option<&str>,
    description: Option<&str>,
) -> Result<(), StoreError> {
    let texts = [name, description];
    put(session, "groups_search", id, &texts)
}

/// Removes a group from its index.
pub fn remove_group(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    session.execute_deferred("DELETE FROM groups_search WHERE rowid = ?1", &[id.into()])
}

/// Indexes a board by its name and description.
pub fn put_board(
    session: &mut dyn Session,
    id: i32,
    name: Option<&str>,
    description: Option<&str>,
) -> Result<(), StoreError> {
    let texts = [name, description];
    put(session, "boards_search", id, &texts)
}

/// Indexes a comment by its text.
pub fn put_comment(session: &mut dyn Session, id: i32, text: &str) -> Result<(), StoreError> {
    put(session, "comments_search", id, &[Some(text)])
}

/// Indexes new comments by their texts.
pub fn add_comments<'a>(
    session: &mut dyn Session,
    comments: impl Iterator<Item = (i32, &'a str)>,
) -> Result<(), StoreError> {
    let documents: Vec<(i32, String)> = comments
        .map(|(id, text)| (id, document_of(&[Some(text)])))
        .collect();
    let values: Vec<Value<'_>> = documents
        .iter()
        .flat_map(|(id, document)| [(*id).into(), document.into()])
        .collect();
    session.append("comments_search", &["rowid", "document"], &values)
}

/// Merges the segments of each index of comments, which halves the cost of a search: many writes leave many
/// segments, and a search reads all of them. It rewrites both indexes, so it is for after many writes. Does
/// nothing where an engine does not need it. (A comment in the released migration 0004 still calls it
/// `settle_comments`.)
pub fn merge_comment_indexes(session: &mut dyn Session) -> Result<(), StoreError> {
    let statements = session.capabilities().merge_comment_indexes();
    statements
        .iter()
        .try_for_each(|sql| session.execute_deferred(sql, &[]))
}

/// Indexes an incident by its title and text.
pub fn put_incident(
    session: &mut dyn Session,
    id: i32,
    title: &str,
    text: Option<&str>,
) -> Result<(), StoreError> {
    put(session, "incidents_search", id, &[Some(title), text])
}

/// Indexes an incident type by its title and description.
pub fn put_incident_type(
    session: &mut dyn Session,
    id: i32,
    title: &str,
    description: Option<&str>,
) -> Result<(), StoreError> {
    let texts = [Some(title), description];
    put(session, "incident_types_search", id, &texts)
}

/// Indexes a task by its title and description.
pub fn put_task(
    session: &mut dyn Session,
    id: i32,
    title: &str,
    description: Option<&str>,
) -> Result<(), StoreError> {
    put(session, "tasks_search", id, &[Some(title), description])
}

/// Removes a task and the comments on it from their indexes.
pub fn remove_task(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    session.execute_deferred(
        "DELETE FROM task_comments_search WHERE rowid IN (SELECT c.id FROM task_comments AS c WHERE c.task_id = ?1)",
        &[id.into()],
    )?;
    session.execute_deferred("DELETE FROM tasks_search WHERE rowid = ?1", &[id.into()])
}

/// Indexes a comment on a task by its text.
pub fn put_task_comment(session: &mut dyn Session, id: i32, text: &str) -> Result<(), StoreError> {
    put(session, "task_comments_search", id, &[Some(text)])
}

/// Indexes a user by the names and the e-mail address.
pub fn put_user(
    session: &mut dyn Session,
    id: &str,
    texts: &UserTexts<'_>,
) -> Result<(), StoreError> {
    put_document_of_user(session, id, &document_of(texts))
}

fn put_document_of_user(
    session: &mut dyn Session,
    id: &str,
    document: &str,
) -> Result<(), StoreError> {
    let number = number_of(id);
    let sql = "INSERT INTO user_numbers (number, user_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    session.execute_deferred(sql, &[number.into(), id.into()])?;
    put_document(session, "users_search", number, document)
}

/// Removes a user from its index, before the user goes.
pub fn remove_user(session: &mut dyn Session, id: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM users_search WHERE rowid = ?1";
    session.execute_deferred(sql, &[number_of(id).into()])
}

/// Display name, first name, last name, user name and e-mail address.
pub type UserTexts<'t> = [Option<&'t str>; 5];

/// The number of a user: 63 bits of the SHA-256 of the id. Among 100,000 users, two have the same one with a
/// probability below 10⁻⁹; the second would not be found.
fn number_of(id: &str) -> i64 {
    let digest = Sha256::digest(id);
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(bytes) & i64::MAX
}

/// Fills all indexes of words from the texts of the records. They must be empty.
///
/// # Errors
/// The engine fails.
pub(super) fn rebuild_all(session: &mut dyn Session) -> Result<(), StoreError> {
    bulk::begin(session)?;
    let mut records = 0;
    for index in &INDEXES {
        records += rebuild(session, index)?;
    }
    merge_comment_indexes(session)?;
    bulk::end(session, records)
}

/// Records that are read at once: their texts have any length.
const BATCH: usize = 200;

/// Fills an index of words, which must be empty, from the texts of the records; returns how many there are.
///
/// # Errors
/// The engine fails.
pub fn rebuild(session: &mut dyn Session, index: &SearchIndex) -> Result<u64, StoreError> {
    let of_users = index.key == NUMBER_OF_USER;
    let (table, columns) = (index.table, index.columns.join(", "));
    let first = format!("SELECT id, {columns} FROM {table} ORDER BY id LIMIT {BATCH}");
    let next = format!("SELECT id, {columns} FROM {table} WHERE id > ?1 ORDER BY id LIMIT {BATCH}");
    let mut records = 0;
    let mut last: Option<RecordId> = None;
    loop {
        let (sql, binds) = match &last {
            None => (&first, vec![]),
            Some(last) => (&next, vec![last.into()]),
        };
        let read = session.all(sql, &binds, |row| {
            let id: RecordId = if of_users {
                present(row.string(0)?)?.into()
            } else {
                present(row.int(0)?)?.into()
            };
            Ok((id, document_of(&texts_of(row, index)?)))
        })?;
        let mut values: Vec<Value<'_>> = Vec::with_capacity(2 * read.len());
        for (id, document) in &read {
            match Value::from(id) {
                Value::Text(id) => put_document_of_user(session, id, document)?,
                number => values.extend([number, document.into()]),
            }
        }
        session.append(index.name, &["rowid", "document"], &values)?;
        records += read.len() as u64;
        match read.into_iter().nth(BATCH - 1) {
            Some((id, _)) => last = Some(id),
            None => return Ok(records),
        }
    }
}

/// The texts of a row after its first column.
fn texts_of<'r>(row: &'r dyn Row, index: &SearchIndex) -> Result<Vec<Option<&'r str>>, StoreError> {
    (1..=index.columns.len())
        .map(|column| row.text(column))
        .collect()
}

fn put(
    session: &mut dyn Session,
    table: &str,
    id: impl Into<i64>,
    texts: &[Option<&str>],
) -> Result<(), StoreError> {
    put_document(session, table, id.into(), &document_of(texts))
}

fn put_document(
    session: &mut dyn Session,
    table: &str,
    id: i64,
    document: &str,
) -> Result<(), StoreError> {
    let binds = [id.into(), document.into()];
    let insert = format!("INSERT INTO {table} (rowid, document) VALUES (?1, ?2)");
    if session.capabilities().search_tables_upsert() {
        return session.execute_deferred(
            &format!("{insert} ON CONFLICT (rowid) DO UPDATE SET document = excluded.document"),
            &binds,
        );
    }
    session.execute_deferred(
        &format!("DELETE FROM {table} WHERE rowid = ?1"),
        &[id.into()],
    )?;
    session.execute_deferred(&insert, &binds)
}

/// The terms of some texts, with spaces before, between and after them: a phrase with spaces around it is
/// then found by plain text search too.
pub fn document_of(texts: &[Option<&str>]) -> String {
    let mut terms = String::from(" ");
    for text in texts.iter().flatten() {
        let of_text = document(text);
        if !of_text.is_empty() {
            terms.push_str(&of_text);
            terms.push(' ');
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_single_spaces_around_every_term() {
        assert_eq!(
            document_of(&[Some("Near miss!"), None, Some("")]),
            " near miss "
        );
        assert_eq!(document_of(&[Some("a"), Some("b, c")]), " a b c ");
        assert_eq!(document_of(&[None]), " ");
    }
}
