//! Statements over attachments and their contents. An attachment of a record in the trash is not found.

use super::engine::present;
use super::tables::attachments::AttachmentRow;
use super::{Session, StoreError};

/// The record that a file is attached to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// An incident.
    Incident(i32),
    /// A task.
    Task(i32),
}

impl Owner {
    /// The owner of a stored attachment.
    #[must_use]
    pub fn of(row: &AttachmentRow) -> Option<Self> {
        let incident = row.incident_id.map(Self::Incident);
        incident.or(row.task_id.map(Self::Task))
    }

    /// Its id.
    fn id(self) -> i32 {
        match self {
            Self::Incident(id) | Self::Task(id) => id,
        }
    }

    /// The column with its id.
    fn column(self) -> &'static str {
        match self {
            Self::Incident(_) => "incident_id",
            Self::Task(_) => "task_id",
        }
    }

    /// The view of attachments whose record is not in the trash.
    fn live(self) -> &'static str {
        match self {
            Self::Incident(_) => "live_incident_attachments",
            Self::Task(_) => "live_task_attachments",
        }
    }
}

/// The attachment of this record, unless it is in the trash.
///
/// # Errors
/// The engine fails, here and below.
pub fn find(
    session: &mut dyn Session,
    owner: Owner,
    id: i32,
) -> Result<Option<AttachmentRow>, StoreError> {
    let sql = format!(
        "SELECT {} WHERE id = ?1 AND {1} = ?2 AND id IN (SELECT l.id FROM {2} AS l WHERE l.id = ?1)",
        AttachmentRow::statements().columns_from,
        owner.column(),
        owner.live()
    );
    session.first(&sql, &[id.into(), owner.id().into()], AttachmentRow::read)
}

/// The attachments of tasks, by id.
pub fn of_tasks(
    session: &mut dyn Session,
    tasks: impl Iterator<Item = i32>,
) -> Result<Vec<AttachmentRow>, StoreError> {
    let columns = &AttachmentRow::statements().columns_from;
    let sql = format!("SELECT {columns} WHERE task_id = ?1 ORDER BY id");
    let mut found = Vec::new();
    for task in tasks {
        found.extend(session.all(&sql, &[task.into()], AttachmentRow::read)?);
    }
    Ok(found)
}

/// How many attachments the record has.
pub fn count(session: &mut dyn Session, owner: Owner) -> Result<i64, StoreError> {
    let column = owner.column();
    let sql = format!("SELECT count(*) FROM attachments WHERE {column} = ?1");
    present(
        session
            .first(&sql, &[owner.id().into()], |row| row.int(0))?
            .flatten(),
    )
}

/// The content of an attachment.
pub fn content(session: &mut dyn Session, id: i32) -> Result<Option<Vec<u8>>, StoreError> {
    let sql = "SELECT content FROM attachment_contents WHERE id = ?1";
    let content = session.first(sql, &[id.into()], |row| {
        Ok(row.bytes(0)?.map(<[u8]>::to_vec))
    })?;
    Ok(content.flatten())
}

/// Adds an attachment; its id.
pub fn insert(
    session: &mut dyn Session,
    row: &AttachmentRow,
    content: &[u8],
) -> Result<i32, StoreError> {
    // A write sets every column but the key.
    let written = &row.cells()[AttachmentRow::TABLE.keys..];
    let sql = &AttachmentRow::statements().insert;
    let id = present(session.first(sql, written, |row| row.int32(0))?.flatten())?;
    put_content(session, id, content)?;
    Ok(id)
}

/// Replaces the content of an attachment, whose row has its size and its digest.
pub fn put_content(session: &mut dyn Session, id: i32, content: &[u8]) -> Result<(), StoreError> {
    let sql = "INSERT INTO attachment_contents (id, content) VALUES (?1, ?2)
        ON CONFLICT (id) DO UPDATE SET content = excluded.content";
    session.execute_deferred(sql, &[id.into(), content.into()])
}

/// Forgets the imported number of the attachments of an incident: those that are here count.
pub fn forget_imported_number(session: &mut dyn Session, incident: i32) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE incidents SET number_of_attachments = 0 WHERE id = ?1",
        &[incident.into()],
    )
}

/// Forgets who attached files to an incident that was anonymous: one of them may have reported it.
pub fn forget_creators(session: &mut dyn Session, incident: i32) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE attachments SET created_by_user_id = NULL WHERE incident_id = ?1",
        &[incident.into()],
    )
}

/// Removes an attachment with its content.
pub fn delete(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    session.execute_deferred("DELETE FROM attachments WHERE id = ?1", &[id.into()])
}
