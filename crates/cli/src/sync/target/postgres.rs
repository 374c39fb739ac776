//! PostgreSQL, and what speaks its protocol.

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

use super::sql::{self, Database, quoted};
use crate::sync::row::{Named, Row, Value};
use crate::sync::state::State;
use obeya::tables::Kind;

/// Held by whoever writes a copy, for as long as the connection lives.
const AT_WORK: i64 = 0x0be7_a5c0;

/// Microseconds from 1970 to 2000, where PostgreSQL's time begins, and the days.
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
    /// When another run is at it, or no connection can be made.
    pub(in crate::sync) async fn open(url: &str) -> Result<Self> {
        let client = obeya_server::connect_postgres(url).await?;
        // The server lets go of a lock some moments after the process that held it is gone.
        client.batch_execute("SET lock_timeout = '3s'").await?;
        match client
            .execute("SELECT pg_advisory_lock($1)", &[&AT_WORK])
            .await
        {
            Ok(_) => client.batch_execute("SET lock_timeout = 0").await?,
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                bail!("another sync is at work on it");
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Postgres {
            client,
            runtime: Handle::current(),
        })
    }

    /// Reads what a database says of itself, and changes nothing there.
    pub(in crate::sync) async fn peek(url: &str) -> Result<Option<State>> {
        let client = obeya_server::connect_postgres(url).await?;
        let found = "SELECT to_regclass('obeya_sync') IS NOT NULL";
        if !client.query_one(found, &[]).await?.get::<_, bool>(0) {
            return Ok(None);
        }
        let row = client.query_opt(sql::KEPT, &[]).await?;
        row.map(|row| State::parse(row.get(0))).transpose()
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::task::block_in_place(|| self.runtime.block_on(work))
    }
}

impl Database for Postgres {
    const BEGIN: &'static str = "BEGIN";

    fn type_of(kind: Kind) -> &'static str {
        match kind {
            Kind::Int => "integer",
            Kind::Number => "double precision",
            Kind::Bool => "boolean",
            Kind::Text | Kind::DictionaryText | Kind::Row(_) | Kind::List(_) => "text",
            Kind::Instant => "timestamp with time zone",
            Kind::Day => "date",
        }
    }

    fn month_of(column: &str) -> String {
        // What the interface calls the year 0 is 1 BC there.
        format!(
            "CASE WHEN {column} < TIMESTAMPTZ '0001-01-01 00:00:00Z' THEN '0000' ELSE to_char({column} AT TIME ZONE 'UTC', 'FMYYYY') END \
             || to_char({column} AT TIME ZONE 'UTC', '-MM')"
        )
    }

    fn run(&mut self, sql: &str) -> Result<()> {
        Ok(self.wait(self.client.batch_execute(sql))?)
    }

    fn execute(&mut self, sql: &str, binds: &[Value]) -> Result<u64> {
        Ok(self.wait(self.client.execute_raw(&numbered(sql), binds))?)
    }

    fn pairs(&mut self, sql: &str, binds: &[Value]) -> Result<Vec<(String, i64)>> {
        let binds: Vec<&(dyn ToSql + Sync)> = binds.iter().map(|bind| bind as _).collect();
        let rows = self.wait(self.client.query(&numbered(sql), &binds))?;
        let pair = |row: tokio_postgres::Row| Ok((row.try_get(0)?, row.try_get(1)?));
        rows.into_iter().map(pair).collect()
    }

    fn append(&mut self, table: &str, columns: &[Named], rows: &[Row]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
        let types: Vec<Type> = columns.iter().map(|column| of(column.kind)).collect();
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
        let pairs = self.pairs(sql, &[Value::Text(table.to_owned())])?;
        Ok(pairs.into_iter().map(|(name, _)| name).collect())
    }
}

fn of(kind: Kind) -> Type {
    match kind {
        Kind::Int => Type::INT4,
        Kind::Number => Type::FLOAT8,
        Kind::Bool => Type::BOOL,
        Kind::Text | Kind::DictionaryText | Kind::Row(_) | Kind::List(_) => Type::TEXT,
        Kind::Instant => Type::TIMESTAMPTZ,
        Kind::Day => Type::DATE,
    }
}

/// `?1` → `$1`. None of our statements has a question mark that is not one.
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

impl ToSql for Value {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Int(number) => number.to_sql(of, out),
            Value::Number(number) => number.to_sql(of, out),
            Value::Bool(value) => value.to_sql(of, out),
            Value::Text(text) => text.to_sql(of, out),
            // Microseconds; what is finer is cut off.
            Value::Instant(instant) => {
                let micros = instant.ticks().div_euclid(10) - EPOCH_MICROS;
                micros.to_sql(&Type::INT8, out)
            }
            Value::Day(day) => (day - EPOCH_DAYS).to_sql(&Type::INT4, out),
        }
    }

    fn accepts(of: &Type) -> bool {
        [
            Type::INT4,
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
