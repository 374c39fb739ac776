//! Bulk transfer: [`import`] of a folder into a database, [`export`] of a database into a folder, [`migrate`]
//! of a whole database into another one, on any engine, [`backup`] of it into one file, and [`check`] of what
//! it holds. Nothing here knows HTTP.

pub mod backup;
pub mod check;
pub mod export;
pub mod import;
mod jsonl;
pub mod migrate;
