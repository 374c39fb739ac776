//! One declaration of a table: who sets each column, its type, and what it refers to. The macro generates the
//! row and its reader, the statements, the line of an import and an export, the columns that a migration
//! copies, and the changes that a body may make.
//!
//! | group | the column is set by |
//! |---|---|
//! | `key` | the table |
//! | `rule` | the domain |
//! | `body` | the caller of a write, as it is |
//! | `stamp` | the write |
//! | `given` | an import, or a separate statement; the insert of a write leaves it at its default |
//! | `required` | as `given`, and each line must have it |
//!
//! Columns are in the order of the line. `also` is a field of the line that is no column of this table,
//! `derived` one that is accepted and not stored. `body required` and `rule required` are a `body` and a
//! `rule` that each line must have. `as` declares another type for the field in the line; the import and the
//! export then convert it. Statements are composed once: a session finds a prefetched one by its text.

use obeya_model::{Date, Patch, Timestamp};

use super::engine::{Row, StoreError, Value, present};
use super::variant::Variant;
use super::wire::{date, timestamp};
use obeya_rules::enums::VariantSet;

/// A table.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Every column, in the order of its statements.
    pub columns: &'static [Column],
    /// Number of columns of the primary key, which come first.
    pub keys: usize,
}

/// A column of a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub column_type: ColumnType,
    /// Who sets it.
    pub set_by: SetBy,
    /// The table whose `id` it holds.
    pub refers_to: Option<&'static str>,
    /// Its field in a line.
    pub field: Option<LineField>,
}

/// The field of a column in a line, as `crates/cli/docs/import-format.md` describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineField {
    /// Its type.
    pub field_type: FieldType,
    /// Whether a line may leave it out.
    pub presence: Presence,
}

/// The type of a field in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// A type of the import format.
    Plain(&'static str),
    /// The name of a variant of a closed enum.
    OneOf(&'static [&'static str]),
    /// Another type, which the import and the export convert.
    Converted,
}

/// Whether a line may leave a field out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Each line must have it.
    Required,
    /// Left out, it has its type's empty value.
    Default,
    /// Left out, it is unknown: NULL.
    Optional,
}

/// The type of a column, besides NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// An integer: a number, instant, date or boolean.
    Int,
    /// A double.
    Real,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
}

/// Who sets a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// The store: it belongs to the primary key.
    Key,
    /// A rule.
    Rule,
    /// The body of a request.
    Body,
    /// The store: the stamp of the last change.
    Stamp,
    /// An import, or a separate statement: `insert` and `update` leave it out (`given`, `required`).
    Given,
}

/// The statements over one table, all values bound in the order of its columns.
#[derive(Debug)]
pub struct Statements {
    /// `SELECT` of every column by the key.
    pub find: String,
    /// `id, … FROM table`, for queries over many rows.
    pub columns_from: String,
    /// `INSERT` of the columns that a write sets; returns the key.
    pub insert: String,
    /// `UPDATE` of the columns that a write sets, the key bound first.
    pub update: String,
    /// `INSERT … ON CONFLICT` of every column.
    pub upsert: String,
}

impl Table {
    /// The names of its columns.
    pub fn names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.name).collect()
    }

    /// The columns of its primary key.
    pub fn key(&self) -> &'static [Column] {
        &self.columns[..self.keys]
    }

    /// The columns that a write sets.
    fn written(&self) -> impl Iterator<Item = &'static Column> {
        self.columns
            .iter()
            .filter(|column| column.set_by.is_written())
    }

    /// The texts of its statements.
    pub fn statements(&self) -> Statements {
        let all = self.names();
        let (key, others) = all.split_at(self.keys);
        let written: Vec<&str> = self.written().map(|column| column.name).collect();
        let by_key = assignments(key, 1).join(" AND ");
        let changes: Vec<String> = others
            .iter()
            .map(|name| format!("{name} = excluded.{name}"))
            .collect();
        let (name, columns, key_names) = (self.name, all.join(", "), key.join(", "));
        Statements {
            find: format!("SELECT {columns} FROM {name} WHERE {by_key}"),
            columns_from: format!("{columns} FROM {name}"),
            insert: format!(
                "INSERT INTO {name} ({}) VALUES ({}) RETURNING {key_names}",
                written.join(", "),
                placeholders(written.len())
            ),
            update: format!(
                "UPDATE {name} SET {} WHERE {by_key}",
                assignments(&written, self.keys + 1).join(", ")
            ),
            upsert: format!(
                "INSERT INTO {name} ({columns}) VALUES ({}) ON CONFLICT ({key_names}) DO UPDATE SET {}",
                placeholders(all.len()),
                changes.join(", ")
            ),
        }
    }
}

impl SetBy {
    /// Whether a write sets the column.
    pub(crate) fn is_written(self) -> bool {
        matches!(self, SetBy::Rule | SetBy::Body | SetBy::Stamp)
    }
}

/// `name = ?n` for each name.
fn assignments(names: &[&str], first: usize) -> Vec<String> {
    let numbered = names.iter().zip(first..);
    numbered.map(|(name, n)| format!("{name} = ?{n}")).collect()
}

fn placeholders(count: usize) -> String {
    let placeholders: Vec<String> = (1..=count).map(|n| format!("?{n}")).collect();
    placeholders.join(", ")
}

/// A value of a column.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a column",
    note = "a column is an i32, i64, f64, bool, String, Timestamp, Date or Variant of a closed set, or an Option of one"
)]
pub trait Cell: Sized {
    /// The type of its column.
    const COLUMN_TYPE: ColumnType;
    /// The type of its field in a line.
    const FIELD_TYPE: FieldType;
    /// Whether a line may leave the field out.
    const PRESENCE: Presence;
    /// Its field in a line: what may be left out is an `Option`.
    type Line;

    /// Reads it from a column of a row.
    ///
    /// # Errors
    /// The column has another type.
    fn read(row: &dyn Row, column: usize) -> Result<Self, StoreError>;
    /// As a value of a statement.
    fn bind(&self) -> Value<'_>;
    /// As the field of a line.
    fn into_line(self) -> Self::Line;
    /// From the field of a line; `None` where it is left out and the column cannot be NULL.
    fn from_line(line: Self::Line) -> Option<Self>;
}

macro_rules! cells {
    ($($({$generic:ident: $bound:ident})? $ty:ty, $kind:ident, $holds:expr, |$row:ident, $at:ident| $read:expr, |$value:ident| $bind:expr;)+) => {$(
        impl$(<$generic: $bound>)? Cell for $ty {
            const COLUMN_TYPE: ColumnType = ColumnType::$kind;
            const FIELD_TYPE: FieldType = $holds;
            const PRESENCE: Presence = Presence::Default;
            type Line = Option<Self>;

            fn read($row: &dyn Row, $at: usize) -> Result<Self, StoreError> {
                present($read)
            }

            fn bind(&self) -> Value<'_> {
                let $value = self;
                $bind
            }

            fn into_line(self) -> Option<Self> {
                Some(self)
            }

            fn from_line(line: Option<Self>) -> Option<Self> {
                line
            }
        }

        impl$(<$generic: $bound>)? Cell for Option<$ty> {
            const COLUMN_TYPE: ColumnType = ColumnType::$kind;
            const FIELD_TYPE: FieldType = $holds;
            const PRESENCE: Presence = Presence::Optional;
            type Line = Self;

            fn read($row: &dyn Row, $at: usize) -> Result<Self, StoreError> {
                Ok($read)
            }

            fn bind(&self) -> Value<'_> {
                self.as_ref().map_or(Value::Null, Cell::bind)
            }

            fn into_line(self) -> Self {
                self
            }

            fn from_line(line: Self) -> Option<Self> {
                Some(line)
            }
        }
    )+};
}

cells! {
    i32, Int, FieldType::Plain("int32"), |row, at| row.int32(at)?, |value| (*value).into();
    i64, Int, FieldType::Plain("int64"), |row, at| row.int(at)?, |value| (*value).into();
    // Without a negative zero, as every engine stores it.
    f64, Real, FieldType::Plain("number"), |row, at| row.real(at)?.map(|value| value + 0.0), |value| (*value).into();
    String, Text, FieldType::Plain("string"), |row, at| row.string(at)?, |value| value.into();
    Timestamp, Int, FieldType::Plain("timestamp"), |row, at| row.int(at)?.map(timestamp).transpose()?, |value| value.ticks().into();
    Date, Int, FieldType::Plain("date"), |row, at| row.int32(at)?.map(date).transpose()?, |value| value.days().into();
    {S: VariantSet} Variant<S>, Text, FieldType::OneOf(S::NAMES), |row, at| row.text(at)?.map(Variant::from_column).transpose()?, |value| value.as_str().into();
}

/// NULL is false, and a line leaves out false.
impl Cell for bool {
    const COLUMN_TYPE: ColumnType = ColumnType::Int;
    const FIELD_TYPE: FieldType = FieldType::Plain("boolean");
    const PRESENCE: Presence = Presence::Default;
    type Line = Option<bool>;

    fn read(row: &dyn Row, column: usize) -> Result<Self, StoreError> {
        row.flag(column)
    }

    fn bind(&self) -> Value<'_> {
        (*self).into()
    }

    fn into_line(self) -> Option<bool> {
        self.then_some(true)
    }

    fn from_line(line: Option<bool>) -> Option<Self> {
        line
    }
}

/// A field of a line, which may be left out.
pub trait Field: Default {
    /// Whether a line is written without it.
    fn is_left_out(&self) -> bool;
}

impl<T> Field for Vec<T> {
    fn is_left_out(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Field for Option<T> {
    fn is_left_out(&self) -> bool {
        self.is_none()
    }
}

impl<T> Field for Patch<T> {
    fn is_left_out(&self) -> bool {
        self.is_absent()
    }
}

/// The change of a column by a body: `None` leaves it, `Some(None)` empties it, `Some(Some(…))` sets it.
pub(crate) trait IntoChange<T> {
    fn into_change(self) -> Option<T>;
}

impl<T> IntoChange<Option<T>> for Patch<T> {
    fn into_change(self) -> Option<Option<T>> {
        self.into_option()
    }
}

/// Of a new record everything is set; what is left out is empty.
impl<T> IntoChange<Option<T>> for Option<T> {
    fn into_change(self) -> Option<Option<T>> {
        Some(self)
    }
}

impl IntoChange<Option<String>> for String {
    fn into_change(self) -> Option<Option<String>> {
        Some(Some(self))
    }
}

/// A column that is never NULL stays where a body leaves it out.
macro_rules! unless_left_out {
    ($($ty:ty)+) => {$(
        impl IntoChange<$ty> for Option<$ty> {
            fn into_change(self) -> Option<$ty> {
                self
            }
        }
    )+};
}

unless_left_out! { bool String }

macro_rules! required {
    ($($ty:ty)+) => {$(
        impl IntoChange<$ty> for $ty {
            fn into_change(self) -> Option<$ty> {
                Some(self)
            }
        }
    )+};
}

// A body always has it, and the column is never NULL.
required! { i32 String Date }

/// The name of a column whose field is a raw identifier, such as `r#type`.
pub const fn column_name(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

/// The number of columns of the primary key.
pub const fn keys(columns: &[Column]) -> usize {
    let mut count = 0;
    while count < columns.len() && matches!(columns[count].set_by, SetBy::Key) {
        count += 1;
    }
    count
}

/// Declares a table: see the head of this file.
macro_rules! table {
    // One item after another: each adds to the columns, to the fields of the line and to what a body may set.
    (@next $head:tt [$($columns:tt)*] [$($line:tt)*] $body:tt key $name:ident: $ty:ty $(=> $of:ident)?, $($rest:tt)*) => {
        table! { @next $head
            [$($columns)* { Key $name $ty, [$($of)?] key }]
            [$($line)* pub $name: $ty,]
            $body $($rest)* }
    };
    (@next $head:tt [$($columns:tt)*] [$($line:tt)*] $body:tt required $name:ident: $ty:ty $(=> $of:ident)?, $($rest:tt)*) => {
        table! { @next $head
            [$($columns)* { Given $name $ty, [$($of)?] key }]
            [$($line)* pub $name: $ty,]
            $body $($rest)* }
    };
    (@next $head:tt [$($columns:tt)*] [$($line:tt)*] [$($body:tt)*] body required $name:ident: $ty:ty $(=> $of:ident)?, $($rest:tt)*) => {
        table! { @next $head
            [$($columns)* { Body $name $ty, [$($of)?] key }]
            [$($line)* pub $name: $ty,]
            [$($body)* { $name $ty }] $($rest)* }
    };
    (@next $head:tt [$($columns:tt)*] [$($line:tt)*] $body:tt rule required $name:ident: $ty:ty $(=> $of:ident)?, $($rest:tt)*) => {
        table! { @next $head
            [$($columns)* { Rule $name $ty, [$($of)?] key }]
            [$($line)* pub $name: $ty,]
            $body $($rest)* }
    };
    (@next $head:tt $columns:tt $line:tt $body:tt rule $($rest:tt)*) => {
        table! { @column Rule $head $columns $line $body $($rest)* }
    };
    (@next $head:tt $columns:tt $line:tt [$($body:tt)*] body $name:ident: $ty:ty $(=> $of:ident)?, $($rest:tt)*) => {
        table! { @column Body $head $columns $line [$($body)* { $name $ty }] $name: $ty $(=> $of)?, $($rest)* }
    };
    (@next $head:tt $columns:tt $line:tt $body:tt stamp $($rest:tt)*) => {
        table! { @column Stamp $head $columns $line $body $($rest)* }
    };
    (@next $head:tt $columns:tt $line:tt $body:tt given $($rest:tt)*) => {
        table! { @column Given $head $columns $line $body $($rest)* }
    };
    (@next $head:tt $columns:tt [$($line:tt)*] $body:tt also $(#[$attribute:meta])* $name:ident: $ty:ty, $($rest:tt)*) => {
        table! { @next $head $columns
            [$($line)*
                #[serde(default, skip_serializing_if = "crate::table::Field::is_left_out")]
                $(#[$attribute])*
                pub $name: $ty,
            ]
            $body $($rest)* }
    };
    (@next $head:tt $columns:tt [$($line:tt)*] $body:tt derived $name:ident = $wire:literal, $($rest:tt)*) => {
        table! { @next $head $columns
            [$($line)* #[serde(default, skip_serializing, rename = $wire)] pub $name: $crate::field::Derived,]
            $body $($rest)* }
    };
    (@column $role:ident $head:tt [$($columns:tt)*] [$($line:tt)*] $body:tt $name:ident: $ty:ty $(=> $of:ident)?, $($rest:tt)*) => {
        table! { @next $head
            [$($columns)* { $role $name $ty, [$($of)?] same }]
            [$($line)*
                #[serde(default, skip_serializing_if = "crate::table::Field::is_left_out")]
                pub $name: <$ty as $crate::table::Cell>::Line,
            ]
            $body $($rest)* }
    };
    (@column $role:ident $head:tt [$($columns:tt)*] [$($line:tt)*] $body:tt $name:ident: $ty:ty as $field:ty, $($rest:tt)*) => {
        table! { @next $head
            [$($columns)* { $role $name $ty, [] other }]
            [$($line)*
                #[serde(default, skip_serializing_if = "crate::table::Field::is_left_out")]
                pub $name: $field,
            ]
            $body $($rest)* }
    };
    (@next
        { [$($doc:tt)*] $table:ident $row:ident $file:ident [$($change:ident from $($from:ty)+)?] }
        [$({ $role:ident $name:ident $ty:ty, [$($of:ident)?] $mode:ident })+]
        [$($line:tt)*]
        $body:tt
    ) => {
        $($doc)*
        #[derive(Debug, Clone, Default, PartialEq)]
        #[allow(missing_docs, reason = "the fields are columns and have their names")]
        pub struct $row { $(pub $name: $ty,)+ }

        $($doc)*
        /// In a line of an import or an export: `crates/cli/docs/import-format.md` describes it.
        #[derive(Debug, Default, serde::Deserialize, serde::Serialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
        #[allow(missing_docs, reason = "the fields are columns and have their names")]
        pub struct $file { $($line)* }

        impl $row {
            /// The table and its columns.
            pub const TABLE: $crate::table::Table = {
                const COLUMNS: &[$crate::table::Column] = &[$($crate::table::Column {
                    name: $crate::table::column_name(stringify!($name)),
                    column_type: <$ty as $crate::table::Cell>::COLUMN_TYPE,
                    set_by: $crate::table::SetBy::$role,
                    refers_to: table!(@of $($of)?),
                    field: Some(table!(@field $mode $ty)),
                }),+];
                $crate::table::Table {
                    name: stringify!($table),
                    columns: COLUMNS,
                    keys: $crate::table::keys(COLUMNS),
                }
            };

            /// The texts of its statements, made once: a session recognises a statement by its text.
            pub fn statements() -> &'static $crate::table::Statements {
                static STATEMENTS: std::sync::LazyLock<$crate::table::Statements> =
                    std::sync::LazyLock::new(|| $row::TABLE.statements());
                &STATEMENTS
            }

            /// A row of every column, in the order of [`Self::TABLE`].
            pub fn read(row: &dyn $crate::Row) -> Result<Self, $crate::StoreError> {
                let mut columns = 0..;
                let mut next = || columns.next().unwrap_or_default();
                // The fields of a struct expression are evaluated in the order in which they are written.
                Ok(Self { $($name: $crate::table::Cell::read(row, next())?,)+ })
            }

            /// Every cell, in the order of [`Self::TABLE`].
            pub fn cells(&self) -> [$crate::Value<'_>; Self::TABLE.columns.len()] {
                [$($crate::table::Cell::bind(&self.$name)),+]
            }

            /// Its line, without the fields that are declared with `as`.
            #[allow(clippy::needless_update, reason = "a line may have fields that are no columns")]
            pub fn into_line(self) -> $file {
                $file { $($name: table!(@into $mode self.$name),)+ ..Default::default() }
            }

            /// The row of a line; columns that are declared with `as` are empty.
            pub fn from_line(line: $file) -> Self {
                Self { $($name: table!(@from $mode line.$name),)+ }
            }
        }

        table! { @change $row [$($change from $($from)+)?] $body }
    };
    (@of) => { None };
    (@of $of:ident) => { Some(stringify!($of)) };
    (@field key $ty:ty) => {
        $crate::table::LineField {
            field_type: <$ty as $crate::table::Cell>::FIELD_TYPE,
            presence: $crate::table::Presence::Required,
        }
    };
    (@field same $ty:ty) => {
        $crate::table::LineField {
            field_type: <$ty as $crate::table::Cell>::FIELD_TYPE,
            presence: <$ty as $crate::table::Cell>::PRESENCE,
        }
    };
    (@field other $ty:ty) => {
        $crate::table::LineField {
            field_type: $crate::table::FieldType::Converted,
            presence: $crate::table::Presence::Optional,
        }
    };
    (@into key $value:expr) => { $value };
    (@into same $value:expr) => { $crate::table::Cell::into_line($value) };
    (@into other $value:expr) => { Default::default() };
    (@from key $value:expr) => { $value };
    (@from same $value:expr) => { $crate::table::Cell::from_line($value).unwrap_or_default() };
    (@from other $value:expr) => { Default::default() };
    (@change $row:ident [] []) => {};
    (@change $row:ident [$change:ident from $($from:ty)+] [$({ $name:ident $ty:ty })+]) => {
        /// What a body sets as it is; `None` leaves a column.
        #[derive(Debug, Clone, Default, PartialEq)]
        #[allow(missing_docs, reason = "the fields are columns and have their names")]
        pub struct $change { $(pub $name: Option<$ty>,)+ }

        impl $row {
            /// The cells that a write sets.
            pub fn written(&self) -> impl Iterator<Item = $crate::Value<'_>> {
                let columns = Self::TABLE.columns.iter().zip(self.cells());
                columns.filter(|(column, _)| column.set_by.is_written()).map(|(_, cell)| cell)
            }

            /// Applies the changes of a body.
            pub fn apply(&mut self, change: $change) {
                $(if let Some(value) = change.$name {
                    self.$name = value;
                })+
            }
        }

        table! { @bodies $change [$($from)+] [$($name)+] }
    };
    (@bodies $change:ident [$($from:ty)+] $names:tt) => {
        $(table! { @body $change $from, $names })+
    };
    (@body $change:ident $from:ty, [$($name:ident)+]) => {
        impl From<$from> for $change {
            fn from(body: $from) -> Self {
                Self { $($name: $crate::table::IntoChange::into_change(body.$name),)+ }
            }
        }
    };
    // The declaration itself.
    ($(#[$doc:meta])* $table:ident: $row:ident, $line:ident $(, $change:ident from $($from:ty),+)? { $($items:tt)* }) => {
        table! { @next { [$(#[$doc])*] $table $row $line [$($change from $($from)+)?] } [] [] [] $($items)* }
    };
}

pub(crate) use table;
