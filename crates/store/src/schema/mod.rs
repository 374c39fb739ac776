//! The schema: a folder of SQL for each engine, with one file for each version.
//!
//! A file that was released is never edited again: a database stores the checksum of each file that was
//! applied to it ([`applied`]), and a program with another file refuses it.

pub(super) mod applied;
pub(super) mod catalogue;

use super::{Session, StoreError, search, sha256};

/// One version of the schema, in the SQL of one engine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    /// The name of the file, which begins with the version.
    pub(super) file: &'static str,
    /// Its statements.
    pub(super) sql: &'static str,
}

impl Migration {
    /// The SHA-256 of the file, in hexadecimal. Line ends do not count, as a checkout may change them.
    pub(super) fn checksum(&self) -> String {
        sha256::hex(&[self.sql.replace("\r\n", "\n").as_bytes()])
    }
}

// The files of each engine, version 1 first. A file that is missing in one of the folders does not compile.
include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// The version whose indexes of words have other terms than those before.
const SEARCH_TERMS: i64 = 22;

/// Does what the versions after `found`, up to `reached`, need besides their statements, which cannot cut
/// words; in the same transaction, once those have run.
pub(super) fn complete(
    session: &mut dyn Session,
    found: i64,
    reached: i64,
) -> Result<(), StoreError> {
    if (found + 1..=reached).contains(&SEARCH_TERMS) {
        search::rebuild_all(session)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_begins_with_its_version() {
        for migrations in [SQLITE, POSTGRES] {
            for (version, migration) in (1..).zip(migrations) {
                let number = format!("{version:04}_");
                assert!(migration.file.starts_with(&number), "{}", migration.file);
            }
        }
    }

    #[test]
    fn line_ends_do_not_change_a_checksum() {
        let checksum = |sql| Migration { file: "f", sql }.checksum();
        assert_eq!(checksum("a;\nb;\n"), checksum("a;\r\nb;\r\n"));
        assert_ne!(checksum("a;\nb;\n"), checksum("a;\nc;\n"));
    }
}
