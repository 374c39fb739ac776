//! A change as JSON: `{"before":{…},"after":{…}}` with the changed properties. A new record has no `before`,
//! a deleted one no `after`.
//!
//! The properties that tell who reported an incident are never part of it, for any incident: one that is open
//! today may be made anonymous tomorrow.

use serde::Serialize;

use crate::Value;
use crate::table::{Column, ColumnType, FieldType, SetBy, Table};
use crate::tables::attachments::AttachmentRow;
use crate::tables::incidents::IncidentRow;
use crate::texts;
use crate::wire;

/// The changed properties of a record.
#[derive(Debug, Default)]
pub struct Diff {
    /// The members of each object, without braces, in UTF-8.
    before: Vec<u8>,
    after: Vec<u8>,
}

/// How the value of a column is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As it is.
    Plain,
    /// An integer of ticks as a date-time.
    Instant,
    /// An integer of days as a date.
    Date,
    /// 0 or 1 as a boolean.
    Flag,
    /// A text that is JSON.
    Json,
}

impl Diff {
    /// Adds what differs between two rows of a table, or what one row has that is not NULL. Leaves out the
    /// key, the stamp of the change, who reported, and what a new row has by default.
    #[must_use]
    pub fn rows(
        self,
        table: &Table,
        before: Option<&[Value<'_>]>,
        after: Option<&[Value<'_>]>,
    ) -> Self {
        let reporter: &[&str] = match table.name {
            name if name == IncidentRow::TABLE.name => &IncidentRow::REPORTER,
            // Who attached a file to an incident may have reported it.
            name if name == AttachmentRow::TABLE.name => &[AttachmentRow::CREATOR],
            _ => &[],
        };
        let columns = table.columns.iter().map(|column| {
            let is_recorded = match column.set_by {
                SetBy::Key | SetBy::Stamp => false,
                SetBy::Given => before.is_some(),
                SetBy::Rule | SetBy::Body => !reporter.contains(&column.name),
            };
            is_recorded.then(|| (column.name, form(column)))
        });
        self.cells(columns, before, after)
    }

    /// The same for columns that are named with their form; `None` leaves a column out.
    #[must_use]
    pub(crate) fn cells<'a>(
        mut self,
        columns: impl Iterator<Item = Option<(&'a str, Form)>>,
        before: Option<&[Value<'_>]>,
        after: Option<&[Value<'_>]>,
    ) -> Self {
        for (at, column) in columns.enumerate() {
            let Some((name, form)) = column else { continue };
            let old = before.and_then(|cells| cells.get(at));
            let new = after.and_then(|cells| cells.get(at));
            let is_change = before.is_some() && after.is_some();
            if is_change && old == new {
                continue;
            }
            for (members, value) in [(&mut self.before, old), (&mut self.after, new)] {
                if let Some(value) = value
                    && (is_change || *value != Value::Null)
                {
                    begin(members, name);
                    write_value(members, *value, form);
                }
            }
        }
        self
    }

    /// Adds a property that is no column, as it was and as it is; `None` where the record did not exist.
    #[must_use]
    pub fn property<T: Serialize + ?Sized>(
        mut self,
        name: &str,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Self {
        for (members, value) in [(&mut self.before, before), (&mut self.after, after)] {
            if let Some(value) = value {
                begin(members, name);
                write_json(members, value);
            }
        }
        self
    }

    /// The JSON.
    pub(super) fn finish(self) -> String {
        let (before, after) = (self.before.as_slice(), self.after.as_slice());
        let json = match (before.is_empty(), after.is_empty()) {
            (true, _) => [b"{\"after\":{", after, b"}}"].concat(),
            (false, true) => [b"{\"before\":{", before, b"}}"].concat(),
            (false, false) => [b"{\"before\":{", before, b"},\"after\":{", after, b"}}"].concat(),
        };
        String::from_utf8(json).expect("names of columns and JSON are UTF-8")
    }
}

/// Bytes for the members of an ordinary record.
const MEMBERS: usize = 384;

/// Begins a member: a comma and its name, which is that of the column in the case of the wire.
fn begin(members: &mut Vec<u8>, column: &str) {
    if members.is_empty() {
        members.reserve(MEMBERS);
    } else {
        members.push(b',');
    }
    members.push(b'"');
    let mut begins_word = false;
    for byte in column.bytes() {
        match (byte, begins_word) {
            (b'_', _) => begins_word = true,
            (_, true) => {
                members.push(byte.to_ascii_uppercase());
                begins_word = false;
            }
            (_, false) => members.push(byte),
        }
    }
    members.extend_from_slice(b"\":");
}

/// The form of a declared column. An integer whose field an import converts is an instant.
fn form(column: &Column) -> Form {
    match column.field.map(|field| field.field_type) {
        Some(FieldType::Plain("timestamp")) => Form::Instant,
        Some(FieldType::Converted) if column.column_type == ColumnType::Int => Form::Instant,
        Some(FieldType::Plain("date")) => Form::Date,
        Some(FieldType::Plain("boolean")) => Form::Flag,
        Some(FieldType::Plain(texts::FIELD)) => Form::Json,
        _ => Form::Plain,
    }
}

fn write_value(out: &mut Vec<u8>, value: Value<'_>, form: Form) {
    let date = |days: i64| wire::date(i32::try_from(days).ok()?).ok();
    match (value, form) {
        (Value::Null, _) => out.extend_from_slice(b"null"),
        (Value::Int(value), Form::Flag) => write_json(out, &(value != 0)),
        (Value::Int(ticks), Form::Instant) => match wire::timestamp(ticks) {
            Ok(instant) => write_json(out, &instant),
            Err(_) => write_json(out, &ticks),
        },
        (Value::Int(value), Form::Date) => match date(value) {
            Some(date) => write_json(out, &date),
            None => write_json(out, &value),
        },
        (Value::Int(value), Form::Plain | Form::Json) => write_json(out, &value),
        (Value::Real(value), _) => write_json(out, &value),
        (Value::Text(text), Form::Json) => out.extend_from_slice(text.as_bytes()),
        (Value::Text(text), _) => write_json(out, text),
        // No column of bytes has a field in a line: the change has the digest of a content.
        (Value::Bytes(bytes), _) => write_json(out, &bytes.len()),
    }
}

/// Adds compact JSON.
pub(super) fn write_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Memory takes all bytes, and every value here is made of texts, numbers and maps with text keys.
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "{written:?}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Variant;
    use obeya_rules::enums::{IncidentStatus, Severity};

    fn incident() -> IncidentRow {
        IncidentRow {
            id: 17,
            title: "A \"crack\"".to_owned(),
            severity: Variant::from_enum(Severity::Low),
            reported_by_user_id: Some("u-117".to_owned()),
            reported_by: Some("Tomas Berg".to_owned()),
            // 2025-06-02T08:00:00Z.
            reported_date: 17_488_512_000_000_000,
            last_modified: 5,
            ..IncidentRow::default()
        }
    }

    /// Also what is written in the documentation of the log.
    #[test]
    fn a_change_has_what_changed_in_the_words_of_the_wire() {
        let before = incident();
        let after = IncidentRow {
            status: Variant::from_enum(IncidentStatus::Resolved),
            resolved_date: wire::timestamp(17_488_512_000_000_001).ok(),
            is_anonymous: true,
            reported_by_user_id: None,
            reported_by: None,
            last_modified: 6,
            ..before.clone()
        };
        let diff = Diff::default().rows(
            &IncidentRow::TABLE,
            Some(&before.cells()),
            Some(&after.cells()),
        );
        assert_eq!(
            diff.finish(),
            "{\"before\":{\"status\":\"New\",\"resolvedDate\":null,\"isAnonymous\":false},\
             \"after\":{\"status\":\"Resolved\",\"resolvedDate\":\"2025-06-02T08:00:00.0000001Z\",\"isAnonymous\":true}}"
        );
    }

    #[test]
    fn a_new_record_has_no_before_and_never_its_reporter() {
        let diff = Diff::default()
            .rows(&IncidentRow::TABLE, None, Some(&incident().cells()))
            .property("categories", None, Some(&[31]))
            .finish();
        for part in [
            "{\"after\":{\"incidentTypeId\":0,\"title\":\"A \\\"crack\\\"\"",
            "\"incidentDate\":\"1970-01-01\"",
            "\"reportedDate\":\"2025-06-02T08:00:00Z\"",
            "\"categories\":[31]}}",
        ] {
            assert!(diff.contains(part), "{part}: {diff}");
        }
        for part in ["u-117", "Tomas", "lastModified", "null", "\"id\""] {
            assert!(!diff.contains(part), "{part}: {diff}");
        }
    }
}
