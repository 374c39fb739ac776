//! `datasource_values.jsonl` or `.csv`, which may have millions of lines.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use obeya_model::Timestamp;
use obeya_model::bounds::schemas::datasource_value_input as bounds;

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, leaves_ids, length, refer};
use super::{csv, decode};
use crate::jsonl::values::ValueLine;
use obeya_store::engine::Value;
use obeya_store::values::{COLUMNS, changed, given, rollups};

/// Values that are buffered and sorted by date, the order of the table: a file in another order would
/// otherwise touch a page for each line.
const BATCH: usize = 100_000;
/// Values in one bulk insert: the list of bound values stays small compared with the buffered lines.
const PIECE: usize = 10_000;

/// Ids in one lookup: a round trip to a server costs more than the rows it finds.
const LOOKUP_BATCH: usize = 1_000;

/// The fields of a line and their types, required ones first.
pub(super) const FIELDS: [(&str, &str); 14] = [
    ("id", "an int32"),
    ("dataSourceId", "an int32"),
    ("value", "a number"),
    ("valueDate", "a date-time"),
    ("registrationDate", "a date-time"),
    ("areaId", "an int32"),
    ("assetId", "an int32"),
    ("projectId", "an int32"),
    ("description", "text"),
    ("dimension", "text"),
    ("dimension2", "text"),
    ("dimension3", "text"),
    ("dimension4", "text"),
    ("externalId", "text"),
];

/// How many of [`FIELDS`] are required.
pub(super) const REQUIRED: usize = 4;

/// Reads the values.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut values = Values::default();
    let file = source.name.as_str();
    let read = if source.is_csv {
        csv::each(source, run.progress, |location, line| {
            values.take(run, location, line)
        })
    } else {
        source.each_line(run.progress, |location, line| {
            values.take(run, location, decode::json(location, line)?)
        })
    };
    // An error of an earlier line comes first.
    values.resolve_pending(run, file)?;
    read?;
    values.flush(run)?;
    values.count(run)
}

#[derive(Default)]
struct Values {
    seen: SeenIds<i32>,
    /// Lines not yet compared with the database, and their numbers.
    pending: Vec<(u64, ValueLine)>,
    /// Values to write, each with the stamp of its registration.
    waiting: Vec<(i64, ValueLine)>,
    /// The dates of values that were removed for those, by datasource: their rollups are to be marked.
    removed: BTreeMap<i32, Vec<i64>>,
    /// The largest id of all lines.
    largest: i32,
    /// How many values each datasource gained.
    gained: HashMap<i32, i64>,
}

impl Values {
    fn take(
        &mut self,
        run: &mut Run<'_>,
        location: Location<'_>,
        line: ValueLine,
    ) -> Result<(), ImportError> {
        if !run.known.any_values {
            return self.resolve(run, location, line, None);
        }
        self.pending.push((location.line, line));
        if self.pending.len() == LOOKUP_BATCH {
            self.resolve_pending(run, location.file)?;
        }
        Ok(())
    }

    /// Decides what to do with the pending lines.
    fn resolve_pending(&mut self, run: &mut Run<'_>, file: &str) -> Result<(), ImportError> {
        let stored = self.stored(run)?;
        for (line, value) in std::mem::take(&mut self.pending) {
            let location = Location { file, line };
            let stored = stored.get(&value.id.into()).copied();
            self.resolve(run, location, value, stored)?;
        }
        Ok(())
    }

    /// Which of the pending values the database has: datasource and date by id.
    fn stored(&self, run: &mut Run<'_>) -> Result<HashMap<i64, (i64, i64)>, ImportError> {
        let mut stored = HashMap::new();
        if self.pending.is_empty() {
            return Ok(stored);
        }
        // Always the same number of placeholders, so that it is one prepared statement.
        let placeholders: Vec<String> = (1..=LOOKUP_BATCH).map(|n| format!("?{n}")).collect();
        let sql = format!(
            "SELECT id, datasource_id, value_date FROM datasource_values WHERE id IN ({})",
            placeholders.join(", ")
        );
        let mut ids = vec![Value::Null; LOOKUP_BATCH];
        for (id, (_, line)) in ids.iter_mut().zip(&self.pending) {
            *id = line.id.into();
        }
        run.session.query(&sql, &ids, &mut |row| {
            let [id, datasource, date] =
                [row.int(0)?, row.int(1)?, row.int(2)?].map(Option::unwrap_or_default);
            stored.insert(id, (datasource, date));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(stored)
    }

    fn resolve(
        &mut self,
        run: &mut Run<'_>,
        location: Location<'_>,
        line: ValueLine,
        stored: Option<(i64, i64)>,
    ) -> Result<(), ImportError> {
        let action = run.action(location, &mut self.seen, &line.id, stored.is_some())?;
        if action == LineAction::Skip {
            return Ok(());
        }
        check(run, location, &line)?;
        if let Some((datasource, date)) = stored {
            let sql = "DELETE FROM datasource_values WHERE datasource_id = ?1 AND value_date = ?2 AND id = ?3";
            run.execute(sql, &[datasource.into(), date.into(), line.id.into()])?;
            let datasource = i32::try_from(datasource).unwrap_or_default();
            self.removed.entry(datasource).or_default().push(date);
            *self.gained.entry(datasource).or_default() -= 1;
        }
        let date = line.value_date.ticks();
        let requested = line.registration_date;
        let registered =
            run.stamps
                .assign(location, "registrationDate", action, requested, date)?;
        *self.gained.entry(line.data_source_id).or_default() += 1;
        self.largest = self.largest.max(line.id);
        self.waiting.push((registered, line));
        if self.waiting.len() == BATCH {
            self.flush(run)?;
        }
        Ok(())
    }

    fn flush(&mut self, run: &mut Run<'_>) -> Result<(), ImportError> {
        self.waiting.sort_by_cached_key(|(_, line)| {
            (line.data_source_id, line.value_date.ticks(), line.id)
        });
        let mut values = Vec::with_capacity(PIECE.min(self.waiting.len()) * COLUMNS.len());
        for piece in self.waiting.chunks(PIECE) {
            values.clear();
            values.extend(piece.iter().flat_map(columns));
            run.session.append("datasource_values", &COLUMNS, &values)?;
        }
        let mut dates = std::mem::take(&mut self.removed);
        for (_, line) in &self.waiting {
            let of_datasource = dates.entry(line.data_source_id).or_default();
            of_datasource.push(line.value_date.ticks());
        }
        for (datasource, dates) in dates {
            rollups::mark_dates(run.session, datasource, dates.into_iter())?;
        }
        self.waiting.clear();
        Ok(())
    }

    /// Updates the counts of the datasources and the counters by which readers notice changed values.
    fn count(&self, run: &mut Run<'_>) -> Result<(), ImportError> {
        let now = Timestamp::now().ticks();
        for (datasource, gained) in &self.gained {
            changed(run.session, *datasource, *gained, now)?;
        }
        if self.largest > 0 {
            given(run.session, self.largest)?;
        }
        Ok(())
    }
}

/// The values of a line for [`COLUMNS`].
fn columns((registered, line): &(i64, ValueLine)) -> [Value<'_>; COLUMNS.len()] {
    [
        line.data_source_id.into(),
        line.value_date.ticks().into(),
        line.id.into(),
        line.value.into(),
        (*registered).into(),
        line.area_id.into(),
        line.asset_id.into(),
        line.project_id.into(),
        line.description.as_deref().into(),
        line.dimension.as_deref().into(),
        line.dimension2.as_deref().into(),
        line.dimension3.as_deref().into(),
        line.dimension4.as_deref().into(),
        line.external_id.as_deref().into(),
    ]
}

fn check(run: &Run<'_>, location: Location<'_>, line: &ValueLine) -> Result<(), ImportError> {
    leaves_ids(location, "id", line.id, "values")?;
    refer(
        location,
        "dataSourceId",
        Some(line.data_source_id),
        &run.known.datasources,
        "a datasource",
    )?;
    if !line.value.is_finite() {
        return Err(location.field_error("value", line.value, "a finite number"));
    }
    let texts = [
        (
            "description",
            &line.description,
            bounds::description::LENGTH,
        ),
        ("externalId", &line.external_id, bounds::external_id::LENGTH),
        ("dimension", &line.dimension, bounds::dimension::LENGTH),
        ("dimension2", &line.dimension2, bounds::dimension2::LENGTH),
        ("dimension3", &line.dimension3, bounds::dimension3::LENGTH),
        ("dimension4", &line.dimension4, bounds::dimension4::LENGTH),
    ];
    texts
        .iter()
        .try_for_each(|(field, text, allowed)| length(location, field, text.as_deref(), allowed))
}
