//! The words that records are found by: one document of tokens for each record, replaced whenever its texts change.
//!
//! The tokens are made by the query language's own rule, so that what is written and what is asked for are cut alike on every engine.

use obeya_odata::search::document;

use super::{Session, StoreError};

/// Makes an area found by its name and description.
///
/// # Errors
/// What the engine says, here and below.
pub fn put_area(
    session: &mut dyn Session,
    id: i32,
    name: &str,
    description: Option<&str>,
) -> Result<(), StoreError> {
    let texts = [Some(name), description];
    put(
        session,
        "DELETE FROM areas_search WHERE rowid = ?1",
        "INSERT INTO areas_search (rowid, document) VALUES (?1, ?2)",
        id,
        &texts,
    )
}

/// Makes a group found by its name and description.
pub fn put_group(
    session: &mut dyn Session,
    id: i32,
    name: Option<&str>,
    description: Option<&str>,
) -> Result<(), StoreError> {
    let texts = [name, description];
    put(
        session,
        "DELETE FROM groups_search WHERE rowid = ?1",
        "INSERT INTO groups_search (rowid, document) VALUES (?1, ?2)",
        id,
        &texts,
    )
}

/// Makes a board found by its name and description.
pub fn put_board(
    session: &mut dyn Session,
    id: i32,
    name: Option<&str>,
    description: Option<&str>,
) -> Result<(), StoreError> {
    let texts = [name, description];
    put(
        session,
        "DELETE FROM boards_search WHERE rowid = ?1",
        "INSERT INTO boards_search (rowid, document) VALUES (?1, ?2)",
        id,
        &texts,
    )
}

/// Makes a comment found by its text.
pub fn put_comment(session: &mut dyn Session, id: i32, text: &str) -> Result<(), StoreError> {
    put(
        session,
        "DELETE FROM comments_search WHERE rowid = ?1",
        "INSERT INTO comments_search (rowid, document) VALUES (?1, ?2)",
        id,
        &[Some(text)],
    )
}

/// Puts the indexes of comments into one piece each, which halves what a search costs: many writes leave them in many, and every search looks into each. It
/// writes both anew, so it is for after many writes.
pub fn settle_comments(session: &mut dyn Session) -> Result<(), StoreError> {
    session.execute(
        "INSERT INTO comments_search (comments_search) VALUES ('optimize')",
        &[],
    )?;
    session.execute(
        "INSERT INTO comments_parts (comments_parts) VALUES ('optimize')",
        &[],
    )?;
    Ok(())
}

/// Makes an incident found by its title and text.
pub fn put_incident(
    session: &mut dyn Session,
    id: i32,
    title: &str,
    text: Option<&str>,
) -> Result<(), StoreError> {
    put(
        session,
        "DELETE FROM incidents_search WHERE rowid = ?1",
        "INSERT INTO incidents_search (rowid, document) VALUES (?1, ?2)",
        id,
        &[Some(title), text],
    )
}

fn put(
    session: &mut dyn Session,
    delete: &str,
    insert: &str,
    id: i32,
    texts: &[Option<&str>],
) -> Result<(), StoreError> {
    let mut words = String::new();
    for text in texts.iter().flatten() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&document(text));
    }
    session.execute(delete, &[id.into()])?;
    session.execute(insert, &[id.into(), (&words).into()])?;
    Ok(())
}
