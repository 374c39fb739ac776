//! The lists of v1: a page of whole records with the number of all matches, or an array of all records.
//!
//! A record has the same bytes as the answer to a write of it; a test compares the two. The first row of the
//! page is found by its position, then the page is read in batches by keyset within one snapshot, so that a
//! reader holds a bounded number of rows. The buffer of the answer (`http/answer_buffer.rs`) bounds what
//! waits for the client, because the texts of a record may have any length.

use obeya_odata::sql::{self, Predicate, Scope};
use obeya_odata::{Bound, OptionName, Options, Parameters};

use super::error::ReadError;
use super::list::keys_of;
use super::outcome::ReadOutcome;
use super::page_parameters::{self, PAGE_NAMES};
use super::parent::Parent;
use super::record::RecordForm;
use super::request::ReadRequest;
use super::row_encoder::RowEncoder;
use super::row_query::RowQuery;
use super::sink::Sink;
use super::{count, count_statement, json, rows};
use crate::text::{int32, quoted};
use obeya_store::engine::Session;

/// The most records in a batch.
const BATCH_RECORDS: u64 = 500;
/// The most bytes in a batch; a batch that exceeds them is read again with fewer records.
const BATCH_BYTES: usize = 2 << 20;
/// The target size of a batch whose records are long, in bytes.
const TARGET_BYTES: u64 = 1 << 20;
/// The number of records for which memory is reserved for an array. Lists without pages have dozens of
/// records, or some thousands.
const EXPECTED_ARRAY: u32 = 1_000;
const TICKS_PER_DAY: i64 = 864_000_000_000;

/// A prepared page of records, or array of them.
pub struct Records {
    form: &'static RecordForm,
    query: Bound,
    keys: Bound,
    parameters: Parameters,
    predicates: Vec<Predicate>,
    parent: Option<Parent>,
    /// `None` reads all records.
    page: Option<RequestedPage>,
}

/// The requested page.
#[derive(Debug, Clone, Copy)]
struct RequestedPage {
    /// The page number, from 1.
    number: u32,
    /// The most records of the page.
    size: u32,
}

impl RequestedPage {
    /// The page of the two parameters of these names.
    fn of(parameters: &Parameters, names: [&str; 2]) -> Result<Self, ReadError> {
        let (number, size) = page_parameters::page(parameters, names)?;
        Ok(Self { number, size })
    }
}

impl Records {
    /// Prepares the page that a request asks for.
    pub fn page(request: &ReadRequest<'_>, form: &'static RecordForm) -> Result<Self, ReadError> {
        let mut records = Self::filtered(request, form)?;
        records.page = Some(RequestedPage::of(&records.parameters, PAGE_NAMES)?);
        Ok(records)
    }

    /// Prepares the page that a request asks for by `Page` and `Count`, without query options.
    pub fn counted_page(
        request: &ReadRequest<'_>,
        form: &'static RecordForm,
    ) -> Result<Self, ReadError> {
        let mut records = Self::all(request, form, &[])?;
        let names = ["Page", "Count"];
        records.page = Some(RequestedPage::of(&records.parameters, names)?);
        Ok(records)
    }

    /// Prepares the records that match `$filter`, in the order of `$orderby`, as an array.
    pub fn filtered(
        request: &ReadRequest<'_>,
        form: &'static RecordForm,
    ) -> Result<Self, ReadError> {
        Self::all(request, form, &[OptionName::Filter, OptionName::OrderBy])
    }

    /// Prepares all records, as an array, with the options in `offered`.
    pub fn all(
        request: &ReadRequest<'_>,
        form: &'static RecordForm,
        offered: &[OptionName],
    ) -> Result<Self, ReadError> {
        let (options, parameters) = request.options(offered)?;
        Self::prepare(request, form, options, parameters)
    }

    /// Prepares all records as an array, by these keys (`$orderby=…`) and the id.
    pub fn in_order(
        request: &ReadRequest<'_>,
        form: &'static RecordForm,
        keys: &str,
    ) -> Result<Self, ReadError> {
        let (mut options, parameters) = request.options(&[])?;
        let (ordered, _) = Options::parse(keys, &[OptionName::OrderBy], &request.limits)?;
        options.orderby = ordered.orderby;
        Self::prepare(request, form, options, parameters)
    }

    fn prepare(
        request: &ReadRequest<'_>,
        form: &'static RecordForm,
        mut options: Options,
        parameters: Parameters,
    ) -> Result<Self, ReadError> {
        let limits = &request.limits;
        let fixed = |text: &str, name| Ok::<_, ReadError>(Options::parse(text, &[name], limits)?.0);
        let query = {
            let mut options = options.clone();
            if let Some((parts, _)) = form.parts {
                options.expand = fixed(parts, OptionName::Expand)?.expand;
            }
            request.bind(&options, form.entity)?
        };
        // Only the position of the last row before a page is read.
        let key = format!("$select={}", form.entity.key);
        options.select = fixed(&key, OptionName::Select)?.select;
        let keys = request.bind(&options, form.entity)?;
        Ok(Self {
            form,
            query,
            keys,
            parameters,
            predicates: Vec::new(),
            parent: None,
            page: None,
        })
    }

    /// Requires that this record exists.
    pub fn under(mut self, parent: Parent) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Adds a condition.
    pub fn only(mut self, predicate: Predicate) -> Self {
        self.predicates.push(predicate);
        self
    }

    /// Selects rows with this id in a column, if the parameter is given.
    pub fn with_id(self, name: &str, column: &str) -> Result<Self, ReadError> {
        let Some(text) = page_parameters::single(&self.parameters, name)? else {
            return Ok(self);
        };
        let id = int32(text).ok_or_else(|| {
            let found = quoted(text);
            ReadError::parameter(
                name,
                format!("found {found}, expected an integer of 32 bits"),
            )
        })?;
        Ok(self.only(Predicate::new(
            format!("{{t}}.{column} = ?"),
            [sql::Value::Int(id.into())],
        )))
    }

    /// Selects rows whose instant is between the two parameters, as far as they are given.
    pub fn in_period(self, names: [&str; 2], column: &str) -> Result<Self, ReadError> {
        let (from, to) = self.period(names)?;
        Ok(self.between(from, to, column))
    }

    /// The same for a column of dates. A date counts as its first instant.
    pub fn in_period_of_days(self, names: [&str; 2], column: &str) -> Result<Self, ReadError> {
        let (from, to) = self.period(names)?;
        let from = from.map(|ticks| ticks.div_euclid(TICKS_PER_DAY));
        let to = to.map(|ticks| -(-ticks).div_euclid(TICKS_PER_DAY));
        Ok(self.between(from, to, column))
    }

    fn period(&self, names: [&str; 2]) -> Result<(Option<i64>, Option<i64>), ReadError> {
        page_parameters::period(&self.parameters, names, page_parameters::list_instant)
    }

    fn between(mut self, from: Option<i64>, to: Option<i64>, column: &str) -> Self {
        for (bound, sign) in [(from, '>'), (to, '<')] {
            if let Some(bound) = bound {
                let sql = format!("{{t}}.{column} {sign} ?");
                self = self.only(Predicate::new(sql, [sql::Value::Int(bound)]));
            }
        }
        self
    }

    /// The most records of the page, or the expected number of an array.
    pub(super) fn max_records(&self) -> u32 {
        self.page.map_or(EXPECTED_ARRAY, |page| page.size)
    }

    /// Reads the records, piece by piece.
    pub(super) fn run(
        &self,
        session: &mut dyn Session,
        sink: &mut dyn Sink,
    ) -> Result<ReadOutcome, ReadError> {
        if let Some(parent) = &self.parent {
            parent.check(session)?;
        }
        let mut out = Vec::new();
        let mut before = 0;
        let mut total = u64::MAX;
        if let Some(page) = self.page {
            let dialect = session.dialect().of_queries();
            let counted = count(
                session,
                &count_statement(&self.query, dialect, &self.scope()),
            )?;
            out.extend_from_slice(b"{\"total\":");
            json::int(&mut out, counted);
            out.extend_from_slice(b",\"page\":");
            json::int(&mut out, page.number.into());
            out.extend_from_slice(b",\"values\":");
            before = u64::from(page.number - 1) * u64::from(page.size);
            total = counted.unsigned_abs();
        }
        out.push(b'[');
        if before < total && !self.rows(session, before, &mut out, sink)? {
            return Ok(ReadOutcome::Complete);
        }
        out.push(b']');
        if self.page.is_some() {
            out.push(b'}');
        }
        sink.last(out);
        Ok(ReadOutcome::Complete)
    }

    /// Writes the rows after the first `before`. Returns false if the client no longer waits.
    fn rows(
        &self,
        session: &mut dyn Session,
        before: u64,
        out: &mut Vec<u8>,
        sink: &mut dyn Sink,
    ) -> Result<bool, ReadError> {
        let mut after = None;
        if before > 0 {
            after = self.position_of(session, before)?;
            if after.is_none() {
                return Ok(true);
            }
        }
        let encoder = self.encoder();
        let mut is_first = true;
        let mut left = self.page.map_or(u64::MAX, |page| page.size.into());
        let mut batch = BATCH_RECORDS;
        loop {
            let wanted = left.min(batch);
            let Some(page) = self.batch_statements(session, wanted, after.as_deref()) else {
                return Ok(true);
            };
            let size = usize::try_from(wanted).unwrap_or(usize::MAX);
            let end = out.len();
            if !is_first {
                out.push(b',');
            }
            let start = out.len();
            let rows = RowQuery {
                query: &self.query,
                encoder: &encoder,
                statements: &page.statements,
                keys: &page.keys,
                limit: size,
                read: size,
            };
            // A single record has no limit.
            let bytes = if wanted > 1 { BATCH_BYTES } else { usize::MAX };
            let Some(found) = rows::write_within(session, rows, bytes, out)? else {
                out.truncate(end);
                batch = wanted / 2;
                continue;
            };
            batch = next_batch(wanted, out.len() - start);
            if out.len() == start {
                out.truncate(end);
            }
            left -= wanted;
            if found.rows < size || left == 0 {
                return Ok(true);
            }
            let mut piece = std::mem::take(out);
            // The memory budget counts the length; spare capacity would be held uncounted.
            piece.shrink_to_fit();
            if sink.piece(piece).is_break() {
                return Ok(false);
            }
            after = Some(found.last);
            is_first = false;
        }
    }

    /// The position of row number `rows`; `None` if there are fewer.
    fn position_of(
        &self,
        session: &mut dyn Session,
        rows: u64,
    ) -> Result<Option<Vec<sql::Value>>, ReadError> {
        let scope = Scope {
            limit: Some(1),
            offset: rows - 1,
            ..self.scope()
        };
        let page = sql::page(&self.keys, session.dialect().of_queries(), &scope);
        Ok(keys_of(session, &page)?)
    }

    /// The statements for the next `rows` rows after a position.
    fn batch_statements(
        &self,
        session: &mut dyn Session,
        rows: u64,
        after: Option<&[sql::Value]>,
    ) -> Option<sql::Page> {
        let scope = Scope {
            limit: Some(rows),
            ..self.scope()
        };
        let dialect = session.dialect().of_queries();
        match after {
            None => Some(sql::page(&self.query, dialect, &scope)),
            Some(values) => sql::page_after(&self.query, dialect, &scope, values),
        }
    }

    fn encoder(&self) -> RowEncoder {
        let encoder = RowEncoder::of(&self.query);
        match self.form.parts {
            Some((_, member)) => encoder.with_expanded_after(&self.query, member),
            None => encoder,
        }
    }

    fn scope(&self) -> Scope<'static> {
        Scope {
            predicates: self.predicates.clone(),
            ..Scope::default()
        }
    }
}

/// The size of the next batch, from the size of the last one. At most twice as many records: after a short
/// record among long ones, a batch that is too large would be read again and again until it is small enough.
fn next_batch(records: u64, bytes: usize) -> u64 {
    let fitting = records.saturating_mul(TARGET_BYTES) / (bytes as u64).max(1);
    let max_records = records.saturating_mul(2).min(BATCH_RECORDS);
    fitting.clamp(1, max_records)
}

#[cfg(test)]
mod tests {
    use obeya_odata::{Context, Limits};

    use super::*;
    use obeya_store::entities::{IMPROVEMENT, INCIDENT};
    use obeya_store::{Store, StoreOptions, Value};

    static INCIDENTS: RecordForm = RecordForm {
        entity: &INCIDENT,
        parts: Some(("$expand=consequences,causes", "numberOfAttachments")),
    };
    static IMPROVEMENTS: RecordForm = RecordForm::of(&IMPROVEMENT);

    fn records(form: &'static RecordForm, query: &str) -> Records {
        let limits = Limits::default();
        let offered = [OptionName::Filter, OptionName::OrderBy];
        let (mut options, parameters) = Options::parse(query, &offered, &limits).unwrap();
        let bound = |options: &Options| {
            let context = Context { now: 0, limits };
            options.bind(form.entity, &context).unwrap()
        };
        let query = bound(&options);
        let key = Options::parse("$select=id", &[OptionName::Select], &limits).unwrap();
        options.select = key.0.select;
        Records {
            form,
            query,
            keys: bound(&options),
            parameters,
            predicates: Vec::new(),
            parent: None,
            page: None,
        }
    }

    /// The database's plans for the count, the position before the second page, its first batch and its
    /// second.
    async fn plans(records: Records) -> [String; 4] {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("plant.db").display());
        let store = Store::open(&url, &StoreOptions::default()).await.unwrap();
        let steps = store.read(move |session| {
            let dialect = session.dialect().of_queries();
            let position = Scope {
                limit: Some(1),
                offset: 999,
                ..records.scope()
            };
            let keys = sql::page(&records.keys, dialect, &position);
            let after = vec![sql::Value::Int(1); keys.keys.len()];
            let batch = records
                .batch_statements(session, BATCH_RECORDS, None)
                .unwrap();
            let next = records
                .batch_statements(session, BATCH_RECORDS, Some(&after))
                .unwrap();
            let counted = count_statement(&records.query, dialect, &records.scope());
            let mut plan = |statements: &[sql::Statement]| {
                let mut steps = Vec::new();
                for statement in statements {
                    let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
                    let binds = vec![Value::Null; statement.binds.len()];
                    steps.extend(session.all(&sql, &binds, |row| row.string(3))?);
                }
                Ok(steps.into_iter().flatten().collect::<Vec<_>>().join("\n"))
            };
            Ok::<_, obeya_store::StoreError>([
                plan(&[counted])?,
                plan(&keys.statements)?,
                plan(&batch.statements)?,
                plan(&next.statements)?,
            ])
        });
        steps.await.unwrap()
    }

    #[test]
    fn as_many_records_are_read_as_come_to_what_a_batch_is_to_be() {
        let kib = |records: u64, kib: usize| next_batch(records, kib << 10);
        assert_eq!((kib(500, 0), kib(500, 600), kib(400, 1)), (500, 500, 500));
        assert_eq!((kib(500, 2048), kib(50, 1024), kib(10, 512)), (250, 50, 20));
        assert_eq!((kib(1, 3000), kib(2, 3000)), (1, 1));
        // After a short record the next may be long.
        assert_eq!((kib(1, 1), kib(2, 1), kib(100, 1)), (2, 4, 200));
    }

    fn live(records: Records) -> Records {
        records.only(Predicate::new("{t}.deleted_date IS NULL", []))
    }

    #[tokio::test]
    async fn what_copies_ask_for_is_led_to_by_indexes_and_never_sorted() {
        for form in [&INCIDENTS, &IMPROVEMENTS] {
            let narrowed = |query: &str, names: [&str; 2]| {
                let records = records(form, query);
                let records = if std::ptr::eq(form, &raw const INCIDENTS) {
                    live(records)
                } else {
                    records
                };
                records.in_period(names, "last_modified").unwrap()
            };
            let by_stamp = "LastModifiedFrom=2026-01-01T00:00:00Z&$orderby=lastModified,id";
            let names = ["LastModifiedFrom", "LastModifiedTo"];
            for query in [by_stamp, "$filter=id gt 7", ""] {
                let plans = plans(narrowed(query, names)).await;
                eprintln!("{query}\n{}", plans.join("\n--\n"));
                for plan in &plans {
                    assert!(!plan.contains("TEMP B-TREE"), "{query}\n{plan}");
                    let by_index = plan.contains("_by_last_modified (last_modified");
                    assert_eq!(by_index, query == by_stamp, "{query}\n{plan}");
                }
                for plan in &plans[..2] {
                    assert!(!plan.contains("LEFT-JOIN"), "{query}\n{plan}");
                }
            }
        }
    }
}
