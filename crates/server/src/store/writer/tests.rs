//! The writer over a connection that panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Writer;
use crate::store::connect::{Connect, Connection, Work};
use crate::store::{Dialect, EachRow, Session, StoreError, StoreOptions, Value, View};

/// Counts the connections that were opened.
#[derive(Default)]
struct Engine(AtomicUsize);

/// Does nothing; one that `panics` does where a part ends.
struct Fake {
    panics: bool,
    is_open: bool,
}

impl Connect for Engine {
    type Connection = Fake;

    const IN_PROCESS: bool = true;
    const MOST_PARTS: usize = 10;

    fn reader(&self, _: Work) -> Result<Fake, StoreError> {
        unreachable!("nobody reads")
    }

    fn writer(&self) -> Result<Fake, StoreError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Fake {
            panics: false,
            is_open: false,
        })
    }
}

impl Connection for Fake {
    fn begin_read(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn end_read(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn begin_write(&mut self) -> Result<(), StoreError> {
        self.is_open = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.is_open = false;
        Ok(())
    }

    fn roll_back(&mut self) -> Result<(), StoreError> {
        panic!("a connection that panicked was used again")
    }

    fn begin_part(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn end_part(&mut self, _: bool) -> Result<(), StoreError> {
        assert!(!self.panics, "the end of a part panics");
        Ok(())
    }

    fn is_in_transaction(&self) -> bool {
        self.is_open
    }
}

impl Session for Fake {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn query(&mut self, _: &str, _: &[Value<'_>], _: &mut EachRow<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn execute(&mut self, _: &str, _: &[Value<'_>]) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn append(&mut self, _: &str, _: &[&str], _: &[Value<'_>]) -> Result<(), StoreError> {
        Ok(())
    }

    fn view(&mut self) -> Result<Option<View>, StoreError> {
        Ok(None)
    }
}

#[tokio::test]
async fn a_panic_of_the_connection_ends_the_connection_and_not_the_writer() {
    let engine = Arc::new(Engine::default());
    let first = Fake {
        panics: true,
        is_open: false,
    };
    let writer = Writer::start(Arc::clone(&engine), first, &StoreOptions::default()).unwrap();
    let panicked: Result<(), StoreError> = writer.run(|_| Ok(())).await;
    assert!(
        matches!(&panicked, Err(StoreError::Uncertain(_))),
        "{panicked:?}"
    );
    let next: Result<i64, StoreError> = writer.run(|_| Ok(5)).await;
    assert!(matches!(next, Ok(5)), "{next:?}");
    assert_eq!(engine.0.load(Ordering::SeqCst), 1);
    writer.stop().await;
}
