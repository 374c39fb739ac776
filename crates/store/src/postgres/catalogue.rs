//! The objects of the schema in use, as PostgreSQL lists them.

use crate::schema::catalogue::{Catalogue, PARTITIONED, constants};
use crate::{Session, StoreError};

/// Tables, views and their columns, in order.
const COLUMNS: &str = "SELECT c.relname::text, c.relkind::text, a.attname::text,
        CASE format_type(a.atttypid, a.atttypmod) WHEN 'bigint' THEN 'integer' WHEN 'double precision' THEN 'real'
            ELSE format_type(a.atttypid, a.atttypmod) END
        || CASE WHEN a.attcollation <> 0 AND l.collname <> 'C' THEN ' collate ' || l.collname ELSE '' END
        || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
        || CASE WHEN d.adbin IS NULL THEN ''
            ELSE CASE a.attgenerated WHEN '' THEN ' default ' ELSE ' generated ' END
                || regexp_replace(pg_get_expr(d.adbin, d.adrelid), '::[a-z]+$', '') END
        || CASE WHEN a.attidentity <> '' THEN ' sequence' ELSE '' END
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
    LEFT JOIN pg_catalog.pg_collation AS l ON l.oid = a.attcollation
    WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND c.relkind IN ('r', 'p', 'v')
        AND c.relname NOT LIKE 'obeya\\_%'
    ORDER BY c.relname, a.attnum";

/// Primary keys, foreign keys and conditions.
const CONSTRAINTS: &str = "SELECT t.relname::text, o.contype::text,
        (SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest(o.conkey) WITH ORDINALITY AS k (number, place)
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid = o.conrelid AND a.attnum = k.number),
        f.relname::text,
        (SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest(o.confkey) WITH ORDINALITY AS k (number, place)
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid = o.confrelid AND a.attnum = k.number),
        CASE o.confdeltype WHEN 'c' THEN ' on delete cascade' WHEN 'n' THEN ' on delete set null'
            WHEN 'r' THEN ' on delete restrict' WHEN 'd' THEN ' on delete set default' ELSE '' END
        || CASE WHEN o.condeferred THEN ' deferred' ELSE '' END,
        CASE WHEN o.contype = 'c' THEN pg_get_constraintdef(o.oid) END
    FROM pg_catalog.pg_constraint AS o
    JOIN pg_catalog.pg_class AS t ON t.oid = o.conrelid AND t.relname NOT LIKE 'obeya\\_%'
    LEFT JOIN pg_catalog.pg_class AS f ON f.oid = o.confrelid
    WHERE t.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND o.contype IN ('p', 'f', 'c')
    ORDER BY o.oid";

/// Indexes except those of primary keys. The text includes the order of NULL unless NULL is first.
const INDEXES: &str = "SELECT i.relname::text,
        CASE WHEN x.indisunique THEN 'unique ' ELSE '' END || t.relname || ' ('
        || (SELECT string_agg(pg_get_indexdef(x.indexrelid, k, true)
                || CASE WHEN m.amname <> 'btree' THEN '' WHEN x.indoption[k - 1] & 1 = 1 THEN ' desc'
                    WHEN x.indoption[k - 1] & 2 = 0 AND NOT coalesce(a.attnotnull, false) THEN ' nulls last' ELSE '' END,
                ', ' ORDER BY k)
            FROM generate_series(1, x.indnkeyatts::int) AS k
            LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = x.indkey[k - 1])
        || ')' || CASE m.amname WHEN 'btree' THEN '' ELSE ' using ' || m.amname END
        || coalesce(' where ' || regexp_replace(pg_get_expr(x.indpred, x.indrelid), '^\\((.*)\\)$', '\\1'), '')
        || CASE WHEN x.indisvalid THEN '' ELSE ' invalid' END
    FROM pg_catalog.pg_index AS x
    JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
    JOIN pg_catalog.pg_class AS t ON t.oid = x.indrelid AND t.relname NOT LIKE 'obeya\\_%'
    JOIN pg_catalog.pg_am AS m ON m.oid = i.relam
    WHERE t.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND NOT x.indisprimary";

/// The bits of `tgtype` are those of `catalog/pg_trigger.h`.
const TRIGGERS: &str = "SELECT g.tgname::text, t.relname
        || CASE WHEN g.tgtype & 2 = 2 THEN ' before' WHEN g.tgtype & 64 = 64 THEN ' instead of' ELSE ' after' END
        || CASE WHEN g.tgtype & 4 = 4 THEN ' insert' ELSE '' END || CASE WHEN g.tgtype & 8 = 8 THEN ' delete' ELSE '' END
        || CASE WHEN g.tgtype & 16 = 16 THEN ' update' ELSE '' END
        || CASE WHEN g.tgtype & 1 = 1 THEN ' for each row ' ELSE ' for each statement ' END || p.proname
        || CASE WHEN g.tgenabled = 'D' THEN ' disabled' ELSE '' END
    FROM pg_catalog.pg_trigger AS g
    JOIN pg_catalog.pg_class AS t ON t.oid = g.tgrelid
    JOIN pg_catalog.pg_proc AS p ON p.oid = g.tgfoid
    WHERE t.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND NOT g.tgisinternal";

/// Functions by their arguments and result: their bodies may be replaced. Those of the query language are
/// created again at any start, see [`super::migrate`].
const FUNCTIONS: &str = "SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
        pg_get_function_result(p.oid) || CASE WHEN p.prosecdef THEN ' security definer' ELSE '' END
    FROM pg_catalog.pg_proc AS p
    WHERE p.pronamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND p.prokind = 'f' AND p.proname NOT LIKE 'odata\\_%'";

/// Reads the catalogue; changes nothing.
///
/// # Errors
/// Errors of the server.
pub(super) fn read(session: &mut dyn Session) -> Result<Catalogue, StoreError> {
    let mut catalogue = Catalogue::new();
    columns(session, &mut catalogue)?;
    constraints(session, &mut catalogue)?;
    for (kind, sql) in [
        ("index", INDEXES),
        ("trigger", TRIGGERS),
        ("function", FUNCTIONS),
    ] {
        let objects = session.all(sql, &[], |row| {
            Ok((text(row.string(0)?), text(row.string(1)?)))
        })?;
        let objects = objects
            .into_iter()
            .map(|(name, definition)| (format!("{kind} {name}"), definition));
        catalogue.extend(objects);
    }
    Ok(catalogue)
}

fn columns(session: &mut dyn Session, catalogue: &mut Catalogue) -> Result<(), StoreError> {
    let columns = session.all(COLUMNS, &[], |row| {
        let (table, kind) = (text(row.string(0)?), text(row.string(1)?));
        Ok((table, kind, text(row.string(2)?), text(row.string(3)?)))
    })?;
    for (table, kind, column, definition) in columns {
        let object = if kind == "v" { "view" } else { "table" };
        let names = catalogue.entry(format!("{object} {table}")).or_default();
        if !names.is_empty() {
            names.push_str(", ");
        }
        names.push_str(&column);
        if object == "table" {
            catalogue.insert(format!("column {table}.{column}"), definition);
        }
        if kind == "p" {
            catalogue.insert(format!("{PARTITIONED}{table}"), String::new());
        }
    }
    Ok(())
}

fn constraints(session: &mut dyn Session, catalogue: &mut Catalogue) -> Result<(), StoreError> {
    let constraints = session.all(CONSTRAINTS, &[], |row| {
        let (table, kind, columns) = (
            text(row.string(0)?),
            text(row.string(1)?),
            text(row.string(2)?),
        );
        let other = format!(
            "{} ({}){}",
            text(row.string(3)?),
            text(row.string(4)?),
            text(row.string(5)?)
        );
        Ok((table, kind, columns, other, text(row.string(6)?)))
    })?;
    for (table, kind, columns, other, condition) in constraints {
        let (object, definition) = match kind.as_str() {
            "p" => (format!("primary key {table}"), columns),
            "f" => (format!("foreign key {table} ({columns})"), other),
            _ => (format!("check {table} ({columns})"), constants(&condition)),
        };
        // The schema's own constraint was created with the table, before any other on the same columns.
        catalogue.entry(object).or_insert(definition);
    }
    Ok(())
}

fn text(value: Option<String>) -> String {
    value.unwrap_or_default()
}
