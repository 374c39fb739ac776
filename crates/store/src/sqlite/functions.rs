//! Registers the functions and aggregates of the query language that SQLite lacks or that differ in SQLite,
//! and the function that links the entries of the audit log.

use std::sync::Arc;

use obeya_odata::functions::{AGGREGATES, Accumulator, Aggregate, Arg, Out, SCALARS, Scalar};
use rusqlite::functions::{self, Context, FunctionFlags};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Error};

use super::budget::Budget;
use super::errors::{REFUSED, SPENT, store_error};
use crate::{StoreError, audit};

/// The most arguments of a function.
const MAX_ARGUMENTS: usize = 8;

/// Registers them on a connection; their work counts against its budget.
pub(super) fn register(connection: &Connection, budget: &Arc<Budget>) -> Result<(), StoreError> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    for scalar in SCALARS {
        let budget = Arc::clone(budget);
        connection
            .create_scalar_function(scalar.name, scalar.arity, flags, move |context| {
                call(scalar, context, &budget)
            })
            .map_err(store_error)?;
    }
    for aggregate in AGGREGATES {
        let function = Aggregation {
            aggregate,
            budget: Arc::clone(budget),
        };
        connection
            .create_aggregate_function(aggregate.name, 1, flags, function)
            .map_err(store_error)?;
    }
    connection
        .create_scalar_function("obeya_audit_hash", 2, flags, |context| {
            let text = |at| context.get_raw(at).as_str().map_err(Error::from);
            Ok(audit::hash(text(0)?, text(1)?))
        })
        .map_err(store_error)
}

fn call(
    scalar: &Scalar,
    context: &Context<'_>,
    budget: &Budget,
) -> rusqlite::Result<ToSqlOutput<'static>> {
    let mut work = 1;
    let mut arguments = [Arg::Null; MAX_ARGUMENTS];
    for (index, place) in arguments.iter_mut().take(context.len()).enumerate() {
        *place = argument(context.get_raw(index))?;
        if let Arg::Text(text) = place {
            work += text.len() as u64;
        }
    }
    if budget.is_spent_by(work * u64::from(scalar.weight)) {
        return Err(Error::UserFunctionError(SPENT.into()));
    }
    let out = (scalar.call)(&arguments[..context.len().min(MAX_ARGUMENTS)])
        .map_err(|error| refused(&error))?;
    Ok(ToSqlOutput::Owned(result(out)))
}

/// An aggregate function; its work counts against the budget of the connection.
struct Aggregation {
    aggregate: &'static Aggregate,
    budget: Arc<Budget>,
}

impl functions::Aggregate<Accumulator, Value> for Aggregation {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Accumulator> {
        Ok(self.aggregate.start())
    }

    fn step(&self, context: &mut Context<'_>, group: &mut Accumulator) -> rusqlite::Result<()> {
        if self.budget.is_spent_by(1) {
            return Err(Error::UserFunctionError(SPENT.into()));
        }
        let value = argument(context.get_raw(0))?;
        group.add(value).map_err(|error| refused(&error))
    }

    fn finalize(&self, _: &mut Context<'_>, group: Option<Accumulator>) -> rusqlite::Result<Value> {
        let group = group.unwrap_or_else(|| self.aggregate.start());
        group.finish().map(result).map_err(|error| refused(&error))
    }
}

fn argument(value: ValueRef<'_>) -> rusqlite::Result<Arg<'_>> {
    Ok(match value {
        ValueRef::Null | ValueRef::Blob(_) => Arg::Null,
        ValueRef::Integer(value) => Arg::Int(value),
        ValueRef::Real(value) => Arg::Real(value),
        ValueRef::Text(bytes) => {
            Arg::Text(std::str::from_utf8(bytes).map_err(|error| refused(&error))?)
        }
    })
}

fn result(out: Out) -> Value {
    match out {
        Out::Null => Value::Null,
        Out::Int(value) => Value::Integer(value),
        Out::Real(value) => Value::Real(value),
        Out::Text(value) => Value::Text(value),
    }
}

fn refused(error: &dyn std::fmt::Display) -> Error {
    Error::UserFunctionError(format!("{REFUSED}{error}").into())
}
