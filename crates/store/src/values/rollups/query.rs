//! The queries for rollups, and for the values that none has.

use obeya_odata::sql::{Days, Dialect, MovedHours};

use super::{DAY, HOUR, IS_READ};

/// The columns of a rollup `r` after its key.
const COLUMNS_OF_ROLLUP: &str =
    "r.row_count AS row_count, r.value_count AS value_count, r.total AS total,
            r.least AS least, r.greatest AS greatest";

/// The columns of an hourly rollup `v`, with its start.
const COLUMNS_OF_HOUR: &str = "v.hour, v.row_count, v.value_count, v.total, v.least, v.greatest";

/// The query for every value once: in the rollup of its hour, or as a row of its own, for
/// [`sql::Rollup`](obeya_odata::sql::Rollup).
///
/// No view of the schema: on PostgreSQL one would follow `datasource_values` when an operator renames it, to
/// put a table with partitions in its place. CROSS JOIN fixes the order of the loops on SQLite.
pub fn by_hour(dialect: &dyn Dialect) -> String {
    format!(
        "SELECT d.id AS datasource_id, r.hour AS value_date, {COLUMNS_OF_ROLLUP}
            FROM datasources AS d CROSS JOIN value_rollups AS r
            WHERE {IS_READ} AND r.datasource_id = d.id AND r.is_stale = 0
        UNION ALL {}",
        of_values(dialect)
    )
}

/// The query for every value once: in the rollup of its day unless that is split, in that of its hour, or as
/// a row of its own. An hour that is moved is in three rows: with its day, against that, and by itself.
pub fn by_day(dialect: &dyn Dialect, days: &Days) -> String {
    let (hint, is_whole, is_read_as_hours) = match days.split("r.day", dialect) {
        None => (
            dialect.index_hint("value_day_rollups_stale"),
            "r.is_stale = 0".to_owned(),
            "r.is_stale = 1".to_owned(),
        ),
        Some(split) => (
            String::new(),
            format!("r.is_stale = 0 AND NOT {split}"),
            format!("(r.is_stale = 1 OR {split})"),
        ),
    };
    let extent = days.extent("r.day");
    let of_day = format!(
        "v.datasource_id = r.datasource_id AND v.hour >= r.day AND v.hour < r.day + {DAY} AND v.is_stale = 0"
    );
    let hours = dialect.nested_loop(
        (
            &format!("datasources AS d CROSS JOIN value_day_rollups AS r{hint}"),
            &format!("{IS_READ} AND r.datasource_id = d.id AND {is_read_as_hours}{extent}"),
        ),
        ("value_rollups", &of_day),
        COLUMNS_OF_HOUR,
    );
    // The upper bound holds for every rollup. PostgreSQL estimates that a lower bound it does not know
    // selects a third of the table, and may scan it; that a range selects one row in 200.
    let of_later_days = "v.datasource_id = d.id AND v.hour >= d.days_rolled_up_until
            AND v.hour < d.rolled_up_until AND v.is_stale = 0";
    let later_hours = dialect.nested_loop(
        ("datasources AS d", IS_READ),
        ("value_rollups", of_later_days),
        COLUMNS_OF_HOUR,
    );
    let (day, moved) = match days.moved("r.day", dialect) {
        None => ("r.day".to_owned(), String::new()),
        Some((moved, is_moved)) => {
            let day = format!("r.day + {}", moved.anchor);
            let of_days = format!("{is_whole} AND {is_moved}{extent}");
            let moved = moved_hours(dialect, moved, &of_days);
            (day, format!("UNION ALL {moved}"))
        }
    };
    format!(
        "SELECT d.id AS datasource_id, {day} AS value_date, {COLUMNS_OF_ROLLUP}
            FROM datasources AS d CROSS JOIN value_day_rollups AS r
            WHERE {IS_READ} AND r.datasource_id = d.id AND {is_whole}{extent}
        {moved}
        UNION ALL SELECT d.id, {COLUMNS_OF_HOUR} FROM {hours}
        UNION ALL SELECT d.id, {COLUMNS_OF_HOUR} FROM {later_hours}
        UNION ALL {}",
        of_values(dialect)
    )
}

/// The query for the hours that are moved from the days `r` that meet a condition: each against its day, with
/// negative numbers, and by itself.
fn moved_hours(dialect: &dyn Dialect, moved: &MovedHours, of_days: &str) -> String {
    let MovedHours { hours, anchor } = moved;
    let of_hour = format!(
        "v.datasource_id = r.datasource_id AND v.hour >= r.day + {} AND v.hour < r.day + {}",
        hours.start, hours.end
    );
    let hours = dialect.nested_loop(
        (
            "datasources AS d CROSS JOIN value_day_rollups AS r",
            &format!("{IS_READ} AND r.datasource_id = d.id AND {of_days}"),
        ),
        ("value_rollups", &of_hour),
        COLUMNS_OF_HOUR,
    );
    format!(
        "SELECT v.id, CASE s.sign WHEN 1 THEN v.hour ELSE v.day + {anchor} END, s.sign * v.row_count,
            s.sign * v.value_count, CASE s.sign WHEN 1 THEN v.total ELSE {} END, v.least, v.greatest
            FROM (SELECT d.id, r.day, {COLUMNS_OF_HOUR} FROM {hours}) AS v
            CROSS JOIN (SELECT 1 AS sign UNION ALL SELECT -1) AS s",
        dialect.negated_partial_sum("v.total")
    )
}

/// The query for the values that are read from the table.
fn of_values(dialect: &dyn Dialect) -> String {
    let value = format!(
        "1, CASE WHEN v.value IS NULL THEN 0 ELSE 1 END, {}, v.value + 0.0, v.value + 0.0",
        dialect.exact("v.value")
    );
    // The date is that of the hour, so that a condition on it chooses among the stale rollups.
    let hint = dialect.index_hint("value_rollups_stale");
    let of_hour = format!(
        "v.datasource_id = r.datasource_id AND v.value_date >= r.hour AND v.value_date < r.hour + {HOUR}"
    );
    let of_stale_hours = dialect.nested_loop(
        (
            &format!("datasources AS d CROSS JOIN value_rollups AS r{hint}"),
            &format!("{IS_READ} AND r.datasource_id = d.id AND r.is_stale = 1"),
        ),
        ("datasource_values", &of_hour),
        "v.value",
    );
    // The upper bound holds for every value; it is there for the estimate, as in `by_day`.
    format!(
        "SELECT d.id, r.hour, {value}
            FROM {of_stale_hours}
        UNION ALL SELECT d.id, v.value_date, {value}
            FROM datasources AS d CROSS JOIN datasource_values AS v
            WHERE v.datasource_id = d.id AND v.value_date >= CASE
                WHEN {IS_READ} THEN d.rolled_up_until ELSE {} END AND v.value_date < {}",
        -i64::MAX,
        i64::MAX
    )
}
