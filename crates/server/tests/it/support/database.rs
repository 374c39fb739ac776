//! A separate database for a test, on the engine of the binary. It is removed when the test ends, in any way.

use obeya_server::store::{Dialect, Store, StoreOptions};
use obeya_testkit::postgres::Scratch;
use tempfile::TempDir;

/// A database: a file that is not there yet, or one on the server with the schema in it.
pub struct Database {
    url: String,
    _kept: Kept,
}

/// Resources that are only dropped when the test ends.
enum Kept {
    Folder { _folder: TempDir },
    Scratch { _scratch: Scratch },
    Nothing,
}

impl Database {
    /// On the engine of this binary.
    pub fn new() -> Self {
        Self::on(crate::ENGINE)
    }

    /// On an engine that the test names, where it is about both.
    pub fn on(engine: Dialect) -> Self {
        if engine == Dialect::Postgres {
            return Self::kept(Scratch::with_schema(make_schema));
        }
        Self::file()
    }

    /// On the engine of this binary, without a schema.
    pub fn empty() -> Self {
        if crate::ENGINE == Dialect::Postgres {
            return Self::kept(Scratch::empty());
        }
        Self::file()
    }

    /// At an address that is managed elsewhere.
    pub fn at(url: String) -> Self {
        Database {
            url,
            _kept: Kept::Nothing,
        }
    }

    fn kept(scratch: Scratch) -> Self {
        Database {
            url: scratch.url().to_owned(),
            _kept: Kept::Scratch { _scratch: scratch },
        }
    }

    fn file() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Database {
            url: format!("sqlite:{}", folder.path().join("plant.db").display()),
            _kept: Kept::Folder { _folder: folder },
        }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Opens it.
    pub async fn open(&self) -> Store {
        self.open_with(&StoreOptions::default()).await
    }

    /// Opens it, to be run in this way.
    pub async fn open_with(&self, options: &StoreOptions) -> Store {
        Store::open(&self.url, options).await.expect("a store")
    }
}

/// Writes the schema into an empty database.
async fn make_schema(url: String) {
    let store = Store::open(&url, &StoreOptions::default()).await;
    store.expect("the schema").close().await;
}
