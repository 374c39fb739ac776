//! The schema: a folder of SQL for each engine, with one file for each version.
//!
//! A file that was released is never edited again: a database stores the checksum of each file that was
//! applied to it ([`applied`]), and a program with another file refuses it.

pub(super) mod applied;
pub(super) mod catalogue;

use sha2::{Digest as _, Sha256};

use super::{Session, StoreError, search};

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
        format!("{:x}", Sha256::digest(self.sql.replace("\r\n", "\n")))
    }
}

// The files of each engine, version 1 first. A file that is missing in one of the folders does not compile.
include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// The version that first had search tokens of incident types.
const TYPES_SEARCHED: i64 = 9;
/// The version that first had search tokens of users.
const USERS_SEARCHED: i64 = 19;

/// Does what the versions after `found`, up to `reached`, need besides their statements, which cannot cut
/// words; in the same transaction, once those have run.
pub(super) fn complete(
    session: &mut dyn Session,
    found: i64,
    reached: i64,
) -> Result<(), StoreError> {
    let is_new = |version: i64| (found + 1..=reached).contains(&version);
    if is_new(TYPES_SEARCHED) {
        search::fill_incident_types(session)?;
    }
    if is_new(USERS_SEARCHED) {
        search::fill_users(session)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use obeya_odata::sql::postgres::LONGEST_WORD;

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

    #[test]
    fn words_are_cut_where_the_query_language_cuts_them() {
        let cut = format!("left(word, {LONGEST_WORD})");
        assert!(POSTGRES[0].sql.contains(&cut), "{cut}");
    }
}
