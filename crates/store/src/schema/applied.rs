//! Which files of the schema were applied to a database, with their checksums: table `obeya_migrations`.

use super::Migration;
use crate::{Session, StoreError};

/// The name of the table, which each engine makes in its own SQL.
pub const TABLE: &str = "obeya_migrations";

/// Compares the files that were applied with those of this program; returns whether each of the first
/// `version` files is recorded.
///
/// # Errors
/// [`StoreError::Schema`] when a file differs from the applied one; and errors of the engine.
pub fn verify(
    session: &mut dyn Session,
    migrations: &[Migration],
    version: i64,
    place: &str,
) -> Result<bool, StoreError> {
    let sql = format!("SELECT version, file, checksum FROM {TABLE} ORDER BY version");
    let records = session.all(&sql, &[], |row| {
        let (file, checksum) = (row.string(1)?, row.string(2)?);
        Ok((
            row.int(0)?,
            file.unwrap_or_default(),
            checksum.unwrap_or_default(),
        ))
    })?;
    let mut recorded = 0;
    for (number, migration) in (1..=version).zip(migrations) {
        let of_version = records
            .iter()
            .find(|(version, ..)| *version == Some(number));
        let Some((_, file, found)) = of_version else {
            continue;
        };
        let expected = migration.checksum();
        if *found != expected {
            return Err(StoreError::Schema(format!(
                "{place} was made by another build: version {number} of its schema comes from the file {file} with \
                 the checksum {found}, expected {} with {expected}; nothing was changed",
                migration.file
            )));
        }
        recorded += 1;
    }
    Ok(recorded == version)
}

/// Records the files as applied, except those already recorded.
///
/// # Errors
/// Errors of the engine.
pub fn record(session: &mut dyn Session, migrations: &[Migration]) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO {TABLE} (version, file, checksum) VALUES (?1, ?2, ?3) ON CONFLICT (version) DO NOTHING"
    );
    for (version, migration) in (1_i64..).zip(migrations) {
        let checksum = migration.checksum();
        let binds = [version.into(), migration.file.into(), (&checksum).into()];
        session.execute(&sql, &binds)?;
    }
    Ok(())
}
