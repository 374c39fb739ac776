//! Compares the description of the import format with the lines and the tables.

use std::path::Path;

use serde::Deserialize;
use serde::de::value::Error;
use serde::de::{Error as _, Visitor};
use serde::forward_to_deserialize_any;

use obeya_store::table::{Column, FieldType, Presence, Table};
use obeya_store::tables::attachments::{AttachmentLine, AttachmentRow};
use obeya_store::tables::boards::{BoardLine, BoardRow};
use obeya_store::tables::comments::{CommentLine, CommentRow};
use obeya_store::tables::data_lists::{DataListLine, DataListRow};
use obeya_store::tables::improvements::{ImprovementLine, ImprovementRow};
use obeya_store::tables::incidents::{IncidentLine, IncidentRow};
use obeya_store::tables::names::{ImprovementCategoryLine, ImprovementCategoryRow};
use obeya_store::tables::organisation::{
    AreaLine, AreaRow, GroupLine, GroupRow, UserLine, UserRow,
};
use obeya_store::tables::projects::{ProjectLine, ProjectRow};
use obeya_store::tables::task_comments::{TaskCommentLine, TaskCommentRow};
use obeya_store::tables::tasks::{TaskLine, TaskRow};

use super::{datasources, store, types, values};

/// The description, in the crate of the CLI.
const DOCUMENT: &str = "../cli/docs/import-format.md";
/// Set to add rows for plain fields of declared tables, and to take out fields that are gone.
const WRITE: &str = "OBEYA_WRITE_IMPORT_FORMAT";

/// A file, the fields of its line in their order, and the declaration of its table if it has one.
struct File {
    name: &'static str,
    fields: Vec<&'static str>,
    table: Option<&'static Table>,
}

fn file<T: Deserialize<'static>>(name: &'static str, table: Option<&'static Table>) -> File {
    File {
        name,
        fields: fields::<T>(),
        table,
    }
}

fn files() -> Vec<File> {
    vec![
        file::<store::StoreLine>("store", None),
        file::<ProjectLine>("projects", Some(&ProjectRow::TABLE)),
        file::<AreaLine>("areas", Some(&AreaRow::TABLE)),
        file::<GroupLine>("groups", Some(&GroupRow::TABLE)),
        file::<UserLine>("users", Some(&UserRow::TABLE)),
        file::<BoardLine>("boards", Some(&BoardRow::TABLE)),
        file::<DataListLine>("data_lists", Some(&DataListRow::TABLE)),
        file::<types::TypeLine>("incident_types", None),
        file::<IncidentLine>("incidents", Some(&IncidentRow::TABLE)),
        file::<CommentLine>("incident_comments", Some(&CommentRow::TABLE)),
        file::<ImprovementCategoryLine>(
            "improvement_categories",
            Some(&ImprovementCategoryRow::TABLE),
        ),
        file::<ImprovementLine>("improvements", Some(&ImprovementRow::TABLE)),
        file::<TaskLine>("tasks", Some(&TaskRow::TABLE)),
        file::<TaskCommentLine>("task_comments", Some(&TaskCommentRow::TABLE)),
        file::<AttachmentLine>("attachments", Some(&AttachmentRow::TABLE)),
        file::<datasources::DatasourceLine>("datasources", None),
        file::<values::ValueLine>("datasource_values", None),
    ]
}

/// The names that a struct asks its deserializer for.
fn fields<T: Deserialize<'static>>() -> Vec<&'static str> {
    struct Names<'a>(&'a mut Vec<&'static str>);

    impl<'de> serde::Deserializer<'de> for Names<'_> {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(Error::custom("not a struct"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Error> {
            self.0.extend(fields);
            Err(Error::custom("only its names are asked for"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    let mut names = Vec::new();
    let _ = T::deserialize(Names(&mut names));
    names
}

/// A row of the description.
struct Row {
    fields: Vec<String>,
    holds: String,
    note: String,
}

impl Row {
    fn parse(line: &str) -> Self {
        let cells: Vec<&str> = line
            .trim_matches('|')
            .splitn(3, '|')
            .map(str::trim)
            .collect();
        let [fields, holds, note] = cells[..] else {
            panic!("{DOCUMENT}: a row of three cells is expected, not {line}");
        };
        Self {
            fields: fields
                .split(", ")
                .map(|name| name.trim_matches('`').to_owned())
                .collect(),
            holds: holds.to_owned(),
            note: note.to_owned(),
        }
    }

    fn is_derived(&self) -> bool {
        self.fields == ["*derived*"]
    }

    fn names(&self, field: &str) -> bool {
        let in_note = || self.is_derived() && self.note.contains(&format!("`{field}`"));
        self.fields.iter().any(|name| name == field) || in_note()
    }

    fn print(&self) -> String {
        if self.is_derived() {
            return format!("| *derived* | | {} |\n", self.note);
        }
        let space = if self.note.is_empty() { "" } else { " " };
        let fields = self.fields.join("`, `");
        format!("| `{fields}` | {} |{space}{} |\n", self.holds, self.note)
    }
}

/// The field of a column in a line.
fn field(column: &Column) -> String {
    let mut parts = column.name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        name + &part[..1].to_ascii_uppercase() + &part[1..]
    })
}

fn described(holds: FieldType) -> Option<String> {
    match holds {
        FieldType::Plain(name) => Some(name.to_owned()),
        FieldType::OneOf([]) | FieldType::Converted => None,
        FieldType::OneOf([first @ .., last]) => {
            Some(format!("`{}` or `{last}`", first.join("`, `")))
        }
    }
}

/// Brings the rows of a file in line with its fields, and says what only a person can.
fn complete(file: &File, rows: &mut Vec<Row>) -> Vec<String> {
    let File {
        name: file,
        fields: names,
        table,
    } = file;
    let mut faults = Vec::new();
    for row in rows.iter_mut().filter(|row| !row.is_derived()) {
        row.fields.retain(|name| names.contains(&name.as_str()));
    }
    rows.retain(|row| !row.fields.is_empty());
    let columns = table.map_or(&[][..], |table| table.columns);
    for name in names {
        let column = columns.iter().find(|column| field(column) == *name);
        let of_column = column.and_then(|column| Some((column, column.field?)));
        let holds = of_column.and_then(|(_, field)| described(field.field_type));
        let row = rows.iter().find(|row| row.names(name));
        match (row, of_column, holds) {
            (Some(row), Some((_, field)), holds) => {
                let listed = |holds: &String| {
                    row.holds == *holds || row.holds.split(", ").any(|one| one == holds)
                };
                if let Some(holds) = holds.filter(|holds| !listed(holds)) {
                    faults.push(format!(
                        "{file}.jsonl, `{name}`: the table declares {holds}, and {DOCUMENT} says {}",
                        row.holds
                    ));
                }
                let (says, is_said) = match field.presence {
                    Presence::Required => ("required", row.note.starts_with("required")),
                    Presence::Default => ("… if left out", row.note.contains("if left out")),
                    Presence::Optional => ("not required", !row.note.starts_with("required")),
                };
                if !is_said {
                    faults.push(format!(
                        "{file}.jsonl, `{name}`: the table declares `{says}`, and {DOCUMENT} says `{}`",
                        row.note
                    ));
                }
            }
            (Some(_), None, _) => {}
            (None, Some((column, of_line)), Some(holds)) => {
                add(rows, name, column, of_line.presence, holds);
            }
            (None, ..) => faults.push(format!(
                "{file}.jsonl, `{name}`: add a row to {DOCUMENT}, or its name to the row *derived*"
            )),
        }
    }
    faults
}

/// Adds a plain field: to a row of its type, or in one of its own.
fn add(rows: &mut Vec<Row>, name: &str, column: &Column, presence: Presence, holds: String) {
    let mut note = match presence {
        Presence::Required => "required".to_owned(),
        Presence::Default => "its empty value if left out".to_owned(),
        Presence::Optional => String::new(),
    };
    if let Some(table) = column.refers_to {
        note = [&note, &format!("an id of {table}")]
            .map(String::as_str)
            .join(if note.is_empty() { "" } else { ", " });
    }
    let alike = rows
        .iter_mut()
        .find(|row| row.holds == holds && row.note == note && !row.is_derived());
    match alike {
        Some(row) => row.fields.push(name.to_owned()),
        None => {
            let at = rows.iter().position(Row::is_derived).unwrap_or(rows.len());
            rows.insert(
                at,
                Row {
                    fields: vec![name.to_owned()],
                    holds,
                    note,
                },
            );
        }
    }
}

/// The document with the rows it should have, and what is wrong with it besides.
fn completed(document: &str) -> (String, Vec<String>) {
    let (mut text, mut faults) = (String::new(), Vec::new());
    let mut files = files();
    let mut rest = document.split_inclusive('\n').peekable();
    let mut file = None;
    while let Some(line) = rest.next() {
        text.push_str(line);
        if let Some(title) = line.strip_prefix("## ") {
            let at = files
                .iter()
                .position(|file| title.starts_with(&format!("{}.jsonl", file.name)));
            file = at.map(|at| files.swap_remove(at));
        }
        if !line.starts_with("|---") {
            continue;
        }
        let Some(file) = file.take() else {
            continue;
        };
        let mut rows = Vec::new();
        while let Some(row) = rest.next_if(|line| line.starts_with('|')) {
            rows.push(Row::parse(row.trim_end()));
        }
        faults.extend(complete(&file, &mut rows));
        text.extend(rows.iter().map(Row::print));
    }
    faults.extend(
        files
            .iter()
            .map(|file| format!("{DOCUMENT} does not describe {}.jsonl", file.name)),
    );
    (text, faults)
}

#[test]
fn the_import_format_describes_every_field_of_a_line() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    let document = std::fs::read_to_string(&path).unwrap();
    let (text, faults) = completed(&document);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &text).unwrap();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        return;
    }
    let differing = document
        .lines()
        .zip(text.lines())
        .find(|(found, expected)| found != expected);
    let differing = differing.map(|(found, expected)| {
        format!("{DOCUMENT}: found {found}\nexpected {expected}\nset {WRITE} to write it")
    });
    let faults: Vec<String> = faults.into_iter().chain(differing).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
