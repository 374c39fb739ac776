//! PostgreSQL, and servers that speak its protocol.

use std::collections::BTreeSet;
use std::error::Error;
use std::pin::pin;

use anyhow::{Result, bail};
use bytes::BytesMut;
use tokio::runtime::Handle;
use tokio_postgres::Client;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::sql::{self, SqlEngine, quoted};
use crate::sync::row::{CellValue, ColumnSpec, TableRow};
use crate::sync::state::State;
use obeya::tables::Kind;

/// The advisory lock of the process that writes a copy, held for the lifetime of its connection.
const WRITER_LOCK: i64 = 0x0be7_a5c0;

/// Microseconds and days from 1970 to 2000, PostgreSQL's epoch.
const EPOCH_MICROS: i64 = 946_684_800_000_000;
const EPOCH_DAYS: i32 = 10_957;

/// A connection.
pub(in crate::sync) struct Postgres {
    client: Client,
    runtime: Handle,
}

impl Postgres {
    /// Connects.
    ///
    /// # Errors
    /// When another run is writing the copy, or no connection can be made.
    pub(in crate::sync) async fn open(url: &str) -> Result<Self> {
        let client = obeya_server::connect_postgres(url).await?;
        // The server releases a lock some moments after the process that held it ends.
        client.batch_execute("SET lock_timeout = '3s'").await?;
        match client
            .execute("SELECT pg_advisory_lock($1)", &[&WRITER_LOCK])
            .await
        {
            Ok(_) => client.batch_execute("SET lock_timeout = 0").await?,
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                bail!("another sync is writing it");
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Postgres {
            client,
            runtime: Handle::current(),
        })
    }

    /// Reads the stored state without changing the database.
    pub(in crate::sync) async fn read_state(url: &str) -> Result<Option<State>> {
        let client = obeya_server::connect_postgres(url).await?;
        let found = "SELECT to_regclass('obeya_sync') IS NOT NULL";
        if !client.query_one(found, &[]).await?.get::<_, bool>(0) {
            return Ok(None);
        }
        let row = client.query_opt(sql::SELECT_STATE, &[]).await?;
        row.map(|row| State::parse(row.get(0))).transpose()
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::task::block_in_place(|| self.runtime.block_on(work))
    }
}

impl SqlEngine for Postgres {
    const BEGIN: &'static str = "BEGIN";

    fn type_of(kind: Kind) -> &'static str {
        match kind {
            Kind::Int => "integer",
            Kind::Long => "bigint",
            Kind::Number => "double precision",
            Kind::Bool => "boolean",
            Kind::Text | Kind::DictionaryText | Kind::Texts | Kind::Row(_) | Kind::List(_) => {
                "text"
            }
            Kind::Instant => "timestamp with time zone",
            Kind::Day => "date",
        }
    }

    fn month_of(column: &str) -> String {
        // The year 0 of the interface is 1 BC in PostgreSQL.
        format!(
            "CASE WHEN {column} < TIMESTAMPTZ '0001-01-01 00:00:00Z' THEN '0000' ELSE to_char({column} AT TIME ZONE 'UTC', 'FMYYYY') END \
             || to_char({column} AT TIME ZONE 'UTC', '-MM')"
        )
    }

    fn run(&mut self, sql: &str) -> Result<()> {
        Ok(self.wait(self.client.batch_execute(sql))?)
    }

    fn execute(&mut self, sql: &str, binds: &[CellValue]) -> Result<u64> {
        Ok(self.wait(self.client.execute_raw(&dollar_placeholders(sql), binds))?)
    }

    fn pairs(&mut self, sql: &str, binds: &[CellValue]) -> Result<Vec<(String, i64)>> {
        let binds: Vec<&(dyn ToSql + Sync)> = binds.iter().map(|bind| bind as _).collect();
        let rows = self.wait(self.client.query(&dollar_placeholders(sql), &binds))?;
        let pair = |row: tokio_postgres::Row| Ok((row.try_get(0)?, row.try_get(1)?));
        rows.into_iter().map(pair).collect()
    }

    fn append(&mut self, table: &str, columns: &[ColumnSpec], rows: &[TableRow]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
        let types: Vec<Type> = columns
            .iter()
            .map(|column| postgres_type(column.kind))
            .collect();
        let sql = format!("COPY {table} ({}) FROM STDIN BINARY", names.join(", "));
        self.wait(async {
            let sink = self.client.copy_in(&sql).await?;
            let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
            for row in rows {
                writer.as_mut().write_raw(row.iter()).await?;
            }
            writer.finish().await?;
            Ok(())
        })
    }

    fn tables(&mut self) -> Result<BTreeSet<String>> {
        let sql = "SELECT table_name::text, 0::bigint FROM information_schema.tables WHERE table_schema = current_schema()";
        let pairs = self.pairs(sql, &[])?;
        Ok(pairs.into_iter().map(|(name, _)| name).collect())
    }

    fn columns(&mut self, table: &str) -> Result<BTreeSet<String>> {
        let sql = "SELECT column_name::text, 0::bigint FROM information_schema.columns \
                   WHERE table_schema = current_schema() AND table_name::text = ?1";
        let pairs = self.pairs(sql, &[CellValue::Text(table.to_owned())])?;
        Ok(pairs.into_iter().map(|(name, _)| name).collect())
    }
}

fn postgres_type(kind: Kind) -> Type {
    match kind {
        Kind::Int => Type::INT4,
        Kind::Long => Type::INT8,
        Kind::Number => Type::FLOAT8,
        Kind::Bool => Type::BOOL,
        Kind::Text | Kind::DictionaryText | Kind::Texts | Kind::Row(_) | Kind::List(_) => {
            Type::TEXT
        }
        Kind::Instant => Type::TIMESTAMPTZ,
        Kind::Day => Type::DATE,
    }
}

/// `?1` → `$1`. Our statements contain no other question marks.
fn dollar_placeholders(sql: &str) -> String {
    sql.replace('?', "$")
}

impl ToSql for CellValue {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            CellValue::Null => Ok(IsNull::Yes),
            CellValue::Int(number) => number.to_sql(of, out),
            CellValue::Long(number) => number.to_sql(of, out),
            CellValue::Number(number) => number.to_sql(of, out),
            CellValue::Bool(value) => value.to_sql(of, out),
            CellValue::Text(text) => text.to_sql(of, out),
            // Microseconds, rounded down.
            CellValue::Instant(instant) => {
                let micros = instant.ticks().div_euclid(10) - EPOCH_MICROS;
                micros.to_sql(&Type::INT8, out)
            }
            CellValue::Day(day) => (day - EPOCH_DAYS).to_sql(&Type::INT4, out),
        }
    }

    fn accepts(of: &Type) -> bool {
        [
            Type::INT4,
            Type::INT8,
            Type::FLOAT8,
            Type::BOOL,
            Type::TEXT,
            Type::TIMESTAMPTZ,
            Type::DATE,
        ]
        .contains(of)
    }

    to_sql_checked!();
}
