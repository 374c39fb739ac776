//! Bulk transfer: [`import`] of a folder into a database, [`export`] of a database into a folder, and
//! [`migrate`] of a whole database into another one, on any engine. Nothing here knows HTTP.

pub mod export;
pub mod import;
mod jsonl;
pub mod migrate;
