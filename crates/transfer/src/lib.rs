//! Moving a plant: a folder into the database ([`import`]), the database into a folder ([`export`]), and a
//! whole database into another one, on whichever engines ([`migrate`]). Nothing here knows HTTP.

pub mod export;
pub mod import;
mod jsonl;
pub mod migrate;
