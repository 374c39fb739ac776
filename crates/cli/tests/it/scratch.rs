//! Databases on PostgreSQL with the schema in them.

use obeya_server::store::{Store, StoreOptions};
use obeya_testkit::postgres::Scratch;

/// A database with the schema and nothing else.
pub fn with_schema() -> Scratch {
    Scratch::with_schema(async |url: String| {
        let store = Store::open(&url, &StoreOptions::default()).await;
        store.expect("the schema").close().await;
    })
}
