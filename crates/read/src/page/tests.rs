//! Seeking without a database, and a page whose client has gone away.

use obeya_odata::{Context, Limits};

use super::*;
use obeya_store::engine::{Capabilities, Dialect, EachRow, Value};

/// A datasource whose value at row n has the date n and the id n. It records the rows that each statement
/// skips.
#[derive(Default)]
struct Numbered {
    stepped: Vec<i64>,
}

struct Keys(i64);

impl Row for Keys {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        assert!(column < 2, "only the keys are asked for");
        Ok(Some(self.0))
    }
    fn real(&self, _: usize) -> Result<Option<f64>, StoreError> {
        Ok(None)
    }
    fn text(&self, _: usize) -> Result<Option<&str>, StoreError> {
        Ok(None)
    }
    fn value(&self, _: usize) -> Result<Value<'_>, StoreError> {
        Ok(Value::Null)
    }
}

impl Session for Numbered {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
    fn capabilities(&self) -> &'static dyn Capabilities {
        obeya_store::testing::capabilities(self.dialect())
    }
    fn query(
        &mut self,
        _: &str,
        binds: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError> {
        let numbers: Vec<i64> = binds
            .iter()
            .filter_map(|bind| match bind {
                Value::Int(number) => Some(*number),
                _ => None,
            })
            .collect();
        // The datasource, the position after which to look if there is one, the limit, and the offset.
        let (after, offset) = match numbers[..] {
            [1, 1, offset] => (0, offset),
            [1, date, id, 1, offset] if date == id => (date, offset),
            _ => panic!("{numbers:?}"),
        };
        self.stepped.push(offset + 1);
        each(&Keys(after + offset + 1)).map(drop)
    }
    fn execute(&mut self, _: &str, _: &[Value<'_>]) -> Result<u64, StoreError> {
        Ok(0)
    }
    fn append(&mut self, _: &str, _: &[&str], _: &[Value<'_>]) -> Result<(), StoreError> {
        Ok(())
    }
    fn view(&mut self) -> Result<Option<obeya_store::View>, StoreError> {
        Ok(None)
    }
}

fn page() -> ValuePage {
    let bound = |query: &str| {
        let limits = Limits::default();
        let (options, _) = Options::parse(query, &[OptionName::Select], &limits).unwrap();
        let context = Context { now: 0, limits };
        options.bind(&DATASOURCE_VALUE, &context).unwrap()
    };
    let page_parameters = PageParameters {
        from: None,
        to: None,
        page: 90,
        page_size: 10_000,
    };
    ValuePage {
        series: Arc::new(Series {
            datasource: 1,
            from: None,
            to: None,
            query: bound(""),
            readers: None,
        }),
        page_parameters,
        format: PageFormat::Json,
        keys: bound(KEY_COLUMNS),
        other_parameters: String::new(),
        in_order: true,
        filtered: false,
    }
}

fn listing() -> Listing {
    Listing {
        datasource: 1,
        version: 1,
        from: None,
        to: None,
        filter: None,
        asks_the_time: false,
    }
}

#[test]
fn a_far_page_is_walked_to_once() {
    let (page, caches) = (page(), ReadCaches::default());
    let listing = listing();
    let seek = |first: u64| {
        let mut rows = Numbered::default();
        let start = page.seek(&mut rows, Some(&caches.seek), &listing, None, first);
        let Ok(Start { position, .. }) = start else {
            panic!("the rows are there");
        };
        assert!(first - position.rows < MIN_STRIDE, "{first}: {position:?}");
        assert_eq!(
            position.after.map(|after| after.id.unsigned_abs()),
            (position.rows > 0).then_some(position.rows)
        );
        rows.stepped
    };
    let mut whole = vec![50_000; 17];
    whole.push(40_000);
    assert_eq!(seek(890_000), whole);
    assert!(seek(890_000).is_empty());
    // From the nearest position before.
    assert_eq!(seek(880_000), [30_000]);
    assert!(seek(890_999).is_empty());
    assert!(seek(0).is_empty());
}

/// Endless rows, which are counted.
#[derive(Default)]
struct Endless(u32);

struct Some1;

impl Row for Some1 {
    fn int(&self, _: usize) -> Result<Option<i64>, StoreError> {
        Ok(Some(1))
    }
    fn real(&self, _: usize) -> Result<Option<f64>, StoreError> {
        Ok(Some(1.0))
    }
    fn text(&self, _: usize) -> Result<Option<&str>, StoreError> {
        Ok(Some("1"))
    }
    fn value(&self, _: usize) -> Result<Value<'_>, StoreError> {
        Ok(Value::Int(1))
    }
}

impl Session for Endless {
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
        loop {
            self.0 += 1;
            if each(&Some1)?.is_break() {
                return Ok(());
            }
        }
    }
    fn execute(&mut self, _: &str, _: &[Value<'_>]) -> Result<u64, StoreError> {
        Ok(0)
    }
    fn append(&mut self, _: &str, _: &[&str], _: &[Value<'_>]) -> Result<(), StoreError> {
        Ok(())
    }
    fn view(&mut self) -> Result<Option<obeya_store::View>, StoreError> {
        Ok(None)
    }
}

/// A client that went away.
struct Gone;

impl Sink for Gone {
    fn piece(&mut self, _: Vec<u8>) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
    fn last(&mut self, _: Vec<u8>) {}
    fn is_wanted(&self) -> bool {
        false
    }
}

#[test]
fn a_page_that_nobody_waits_for_is_not_read_on() {
    let (page, caches) = (page(), ReadCaches::default());
    for format in [PageFormat::Json, PageFormat::Csv, PageFormat::Arrow] {
        let heading = PageHeader {
            page_size: 10_000,
            page: 90,
            count: 1_000_000,
        };
        let mut encoder = format.encoder(page.query(), 1, heading).unwrap();
        let mut session = Endless::default();
        let rows = PageOutput {
            encoder: encoder.as_mut(),
            out: &mut Vec::new(),
            sink: &mut Gone,
        };
        let listing = listing();
        let start = Start::BEGINNING;
        let is_wanted = page.rows(&mut session, Some(&caches.seek), &listing, start, 0, rows);
        assert!(!is_wanted.unwrap(), "{format:?}");
        assert!(
            session.0 <= ROWS_BETWEEN_CHECKS,
            "{format:?}: {} rows",
            session.0
        );
    }
}

#[test]
fn a_page_has_what_is_left_after_the_pages_before_it() {
    let rows = |count, page| {
        let page_size = 10;
        let heading = PageHeader {
            page_size,
            page,
            count,
        };
        heading.rows()
    };
    assert_eq!([1, 2, 3, 4].map(|page| rows(25, page)), [10, 10, 5, 0]);
    assert_eq!([1, 2, 3].map(|page| rows(20, page)), [10, 10, 0]);
    assert_eq!(rows(0, 1), 0);
    assert_eq!(rows(u64::MAX, u32::MAX), 10);
}

/// Values are ordered by date, then by id. A page is found by keyset only if the requested order is the same.
#[test]
fn another_key_after_the_date_is_another_order() {
    let in_order = |query: &str| {
        let limits = Limits::default();
        let options = Options::parse(query, &[OptionName::OrderBy], &limits);
        is_in_order(&options.unwrap().0)
    };
    for same in ["", "$orderby=valueDate", "$orderby=valueDate asc,id"] {
        assert!(in_order(same), "{same}");
    }
    for other in [
        "$orderby=valueDate,value",
        "$orderby=valueDate,dimension,id",
        "$orderby=valueDate,id desc",
        "$orderby=valueDate,id,value",
        "$orderby=valueDate desc",
        "$orderby=id",
        "$orderby=id,valueDate",
    ] {
        assert!(!in_order(other), "{other}");
    }
}
