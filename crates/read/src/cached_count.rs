//! The number of a list's rows, cached until something is written.
//!
//! Counting reads every row that matches, so it costs as much as the page or more. A cached number belongs to
//! one view of the data, so it is never wrong: a write by any process gives the next reader another view.
//! Rows are never cached.

use std::sync::{Mutex, MutexGuard, PoisonError};

use obeya_odata::sql::Statement;

use super::count;
use obeya_store::engine::{Session, StoreError, View};

/// The most views that are cached: those of the readers in use at one time.
const MAX_VIEWS: usize = 16;

/// A statement that counts rows, and its results by view.
#[derive(Debug)]
pub(super) struct CachedCount {
    statement: Statement,
    /// In the order of insertion.
    counts: Mutex<Vec<(View, i64)>>,
}

impl CachedCount {
    /// A count without results.
    pub(super) fn new(statement: Statement) -> Self {
        Self {
            statement,
            counts: Mutex::default(),
        }
    }

    /// The number of rows.
    pub(super) fn get(&self, session: &mut dyn Session) -> Result<i64, StoreError> {
        let view = session.view()?;
        if let Some(count) = view.and_then(|view| self.find(view)) {
            return Ok(count);
        }
        let count = count(session, &self.statement)?;
        if let Some(view) = view {
            self.insert(view, count);
        }
        Ok(count)
    }

    fn find(&self, view: View) -> Option<i64> {
        let counts = self.lock();
        let found = counts.iter().find(|(cached, _)| *cached == view);
        found.map(|(_, count)| *count)
    }

    fn insert(&self, view: View, count: i64) {
        let mut counts = self.lock();
        // A reader never goes back to an earlier view.
        counts.retain(|(cached, _)| cached.reader != view.reader);
        if counts.len() >= MAX_VIEWS {
            counts.remove(0);
        }
        counts.push((view, count));
    }

    /// Each change of the list is complete in itself, so a panic of another thread leaves it valid.
    fn lock(&self) -> MutexGuard<'_, Vec<(View, i64)>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use obeya_store::engine::{Capabilities, Dialect, EachRow, Row, Value};

    /// A reader of a table whose number of rows is set by hand.
    struct Reader {
        view: Option<View>,
        rows: i64,
        asked: usize,
    }

    struct Number(i64);

    impl Row for Number {
        fn int(&self, _: usize) -> Result<Option<i64>, StoreError> {
            Ok(Some(self.0))
        }
        fn real(&self, _: usize) -> Result<Option<f64>, StoreError> {
            Ok(None)
        }
        fn text(&self, _: usize) -> Result<Option<&str>, StoreError> {
            Ok(None)
        }
        fn value(&self, _: usize) -> Result<Value<'_>, StoreError> {
            Ok(Value::Int(self.0))
        }
    }

    impl Session for Reader {
        fn dialect(&self) -> Dialect {
            Dialect::Sqlite
        }
        fn capabilities(&self) -> &'static dyn Capabilities {
            obeya_store::testing::capabilities(self.dialect())
        }
        fn query(
            &mut self,
            _: &str,
            _: &[Value<'_>],
            each: &mut EachRow<'_>,
        ) -> Result<(), StoreError> {
            self.asked += 1;
            each(&Number(self.rows)).map(drop)
        }
        fn execute(&mut self, _: &str, _: &[Value<'_>]) -> Result<u64, StoreError> {
            Ok(0)
        }
        fn append(&mut self, _: &str, _: &[&str], _: &[Value<'_>]) -> Result<(), StoreError> {
            Ok(())
        }
        fn view(&mut self) -> Result<Option<View>, StoreError> {
            Ok(self.view)
        }
    }

    fn counted() -> CachedCount {
        CachedCount::new(Statement {
            sql: "SELECT count(*) FROM areas".into(),
            binds: Vec::new(),
        })
    }

    fn reader(reader: u64, version: i64, rows: i64) -> Reader {
        Reader {
            view: Some(View { reader, version }),
            rows,
            asked: 0,
        }
    }

    #[test]
    fn rows_are_counted_once_for_each_view() {
        let counted = counted();
        let mut first = reader(1, 7, 50);
        for _ in 0..3 {
            assert_eq!(counted.get(&mut first).unwrap(), 50);
        }
        assert_eq!(first.asked, 1);
        let mut other = reader(2, 7, 51);
        assert_eq!(counted.get(&mut other).unwrap(), 51);
        let mut later = reader(1, 8, 52);
        assert_eq!(counted.get(&mut later).unwrap(), 52);
        assert_eq!((other.asked, later.asked), (1, 1));
        assert_eq!(counted.lock().len(), 2);
    }

    #[test]
    fn without_a_view_nothing_is_remembered() {
        let counted = counted();
        let mut writer = Reader {
            view: None,
            ..reader(1, 7, 50)
        };
        for _ in 0..2 {
            assert_eq!(counted.get(&mut writer).unwrap(), 50);
        }
        assert_eq!(writer.asked, 2);
        assert!(counted.lock().is_empty());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let counted = counted();
        for number in 0..100 {
            counted.get(&mut reader(number, 1, 1)).unwrap();
        }
        assert_eq!(counted.lock().len(), MAX_VIEWS);
    }
}
