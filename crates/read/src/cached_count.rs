//! The number of a list's rows, remembered for as long as nothing is written.
//!
//! Counting reads every row that matches, whatever the page holds, and costs as much as the page or more.
//! What is remembered belongs to one view of the data, so it is never wrong, only unused: a write by whatever
//! process gives the next reader another view. The rows themselves are never remembered.

use std::sync::{Mutex, MutexGuard, PoisonError};

use obeya_odata::sql::Statement;

use super::count;
use obeya_store::engine::{Session, StoreError, View};

/// Views remembered at most: those of the readers that are in use at one time.
const MAX_VIEWS: usize = 16;

/// A statement for a number of rows, and what it gave.
#[derive(Debug)]
pub(super) struct CachedCount {
    statement: Statement,
    /// The latest last.
    known: Mutex<Vec<(View, i64)>>,
}

impl CachedCount {
    /// Nothing counted yet.
    pub(super) fn new(statement: Statement) -> Self {
        Self {
            statement,
            known: Mutex::default(),
        }
    }

    /// The number of rows.
    pub(super) fn get(&self, session: &mut dyn Session) -> Result<i64, StoreError> {
        let view = session.view()?;
        if let Some(count) = view.and_then(|view| self.remembered(view)) {
            return Ok(count);
        }
        let count = count(session, &self.statement)?;
        if let Some(view) = view {
            self.remember(view, count);
        }
        Ok(count)
    }

    fn remembered(&self, view: View) -> Option<i64> {
        let known = self.lock();
        let found = known.iter().find(|(known, _)| *known == view);
        found.map(|(_, count)| *count)
    }

    fn remember(&self, view: View, count: i64) {
        let mut known = self.lock();
        // A reader never goes back to an earlier view.
        known.retain(|(known, _)| known.reader != view.reader);
        if known.len() >= MAX_VIEWS {
            known.remove(0);
        }
        known.push((view, count));
    }

    /// The list is whole after every change, so a panic elsewhere leaves nothing to mend.
    fn lock(&self) -> MutexGuard<'_, Vec<(View, i64)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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
