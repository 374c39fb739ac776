//! The schema, one file of statements for each version; a file that was released is never edited again.

/// Version 1 first.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("0001_domain.sql"),
    include_str!("0002_auth.sql"),
    include_str!("0003_secrets.sql"),
    include_str!("0004_comment_parts.sql"),
];
