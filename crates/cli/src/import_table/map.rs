//! The map of a table: which column is which field, and how its cells are read. Read from and written as
//! TOML; the guess of a run is written as a map to keep and to correct.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::dates::DateOrder;
use super::fields::Resource;
use super::numbers::Decimal;

/// A map.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Map {
    /// What the rows are: incidents, improvements, values, users or groups.
    pub(crate) resource: String,
    /// The sheet of a workbook.
    #[serde(default)]
    pub(crate) sheet: Option<String>,
    /// The separator of a CSV file.
    #[serde(default)]
    pub(crate) separator: Option<String>,
    /// The line of the header.
    #[serde(default)]
    pub(crate) header_row: Option<u64>,
    /// The order of dates, for columns without their own.
    #[serde(default)]
    pub(crate) dates: Option<DateOrder>,
    /// The sign before decimals, likewise.
    #[serde(default)]
    pub(crate) decimal: Option<Decimal>,
    /// The zone of local times.
    #[serde(default)]
    pub(crate) tz: Option<String>,
    /// Fields with the same value in every record.
    #[serde(default)]
    pub(crate) set: BTreeMap<String, String>,
    /// The columns by their headers.
    #[serde(default)]
    pub(crate) columns: BTreeMap<String, Column>,
}

/// A column in a map.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "Written")]
pub(crate) struct Column {
    /// The field; empty for a column that is not imported.
    pub(crate) field: String,
    pub(crate) dates: Option<DateOrder>,
    pub(crate) decimal: Option<Decimal>,
    /// Each number is multiplied by it.
    pub(crate) factor: Option<f64>,
    /// What a cell means that is written like this.
    pub(crate) words: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Field(String),
    Column(Table),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    field: String,
    #[serde(default)]
    dates: Option<DateOrder>,
    #[serde(default)]
    decimal: Option<Decimal>,
    #[serde(default)]
    factor: Option<f64>,
    #[serde(default)]
    words: BTreeMap<String, String>,
}

impl From<Written> for Column {
    fn from(written: Written) -> Self {
        match written {
            Written::Field(field) => Self {
                field,
                ..Self::default()
            },
            Written::Column(table) => Self {
                field: table.field,
                dates: table.dates,
                decimal: table.decimal,
                factor: table.factor,
                words: table.words,
            },
        }
    }
}

impl Map {
    /// Reads a map, and checks that its fields exist.
    pub(crate) fn parse(text: &str, resource: Resource) -> Result<Self> {
        let map: Self = toml::from_str(text).context("the map is not valid")?;
        if map.resource != resource.name() {
            bail!(
                "the map is of {}, expected one of {}",
                map.resource,
                resource.name()
            );
        }
        let fields = map.columns.values().map(|column| &column.field);
        for field in fields
            .filter(|field| !field.is_empty())
            .chain(map.set.keys())
        {
            check_field(resource, field)?;
        }
        Ok(map)
    }

    /// The map as TOML. `headers` are in the order of the table.
    pub(crate) fn to_toml(&self, headers: &[String], file: &str) -> String {
        let mut out = String::new();
        // Writing to memory cannot fail.
        let _ = write!(
            out,
            "# How obeya import-table reads {file}: correct it and run the command again with --map.\n\
             # docs/import-table.md describes it. A column with \"\" is not imported.\n\
             resource = {}\n",
            quoted(&self.resource)
        );
        let texts = [
            ("sheet", self.sheet.clone()),
            ("separator", self.separator.clone()),
            ("dates", self.dates.map(|order| order.to_string())),
            ("decimal", self.decimal.map(|sign| sign.to_string())),
            ("tz", self.tz.clone()),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                let _ = writeln!(out, "{name} = {}", quoted(&text));
            }
        }
        if let Some(row) = self.header_row {
            let _ = writeln!(out, "header_row = {row}");
        }
        if !self.set.is_empty() {
            out.push_str("\n[set]\n");
            for (field, value) in &self.set {
                let _ = writeln!(out, "{} = {}", quoted(field), quoted(value));
            }
        }
        out.push_str("\n[columns]\n");
        for header in headers.iter().filter(|header| !header.is_empty()) {
            if let Some(column) = self.columns.get(header) {
                let _ = writeln!(out, "{} = {}", quoted(header), column.to_toml());
            }
        }
        out
    }
}

impl Column {
    fn to_toml(&self) -> String {
        let mut parts = vec![format!("field = {}", quoted(&self.field))];
        parts.extend(self.dates.map(|order| format!("dates = \"{order}\"")));
        parts.extend(self.decimal.map(|sign| format!("decimal = \"{sign}\"")));
        parts.extend(self.factor.map(|factor| format!("factor = {factor:?}")));
        if !self.words.is_empty() {
            let word =
                |(from, to): (&String, &String)| format!("{} = {}", quoted(from), quoted(to));
            let words: Vec<String> = self.words.iter().map(word).collect();
            parts.push(format!("words = {{ {} }}", words.join(", ")));
        }
        match parts.len() {
            1 => quoted(&self.field),
            _ => format!("{{ {} }}", parts.join(", ")),
        }
    }
}

/// Refuses a field that records of this kind do not have.
pub(crate) fn check_field(resource: Resource, name: &str) -> Result<()> {
    if resource.field(name).is_none() {
        let names: Vec<&str> = resource.fields().iter().map(|field| field.name).collect();
        bail!(
            "found the field \"{name}\", expected one that {} have: {}",
            resource.name(),
            names.join(", ")
        );
    }
    Ok(())
}

/// A basic string of TOML: JSON escapes the same characters in the same way, but for one.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_was_written_is_read_back() {
        let mut map = Map {
            resource: "incidents".to_owned(),
            sheet: Some("Ark \"1\"".to_owned()),
            header_row: Some(4),
            dates: Some(DateOrder::Dmy),
            decimal: Some(Decimal::Comma),
            tz: Some("Europe/Oslo".to_owned()),
            ..Map::default()
        };
        map.set
            .insert("incidentType".to_owned(), "Near miss".to_owned());
        let headers = ["Dato", "Alvor\\\u{7f}", "Annet", ""].map(str::to_owned);
        let severity = Column {
            field: "severity".to_owned(),
            factor: Some(100.0),
            words: BTreeMap::from([("Kjempe \"stor\"".to_owned(), "High".to_owned())]),
            ..Column::default()
        };
        let columns = [
            Column {
                field: "incidentDate".to_owned(),
                dates: Some(DateOrder::Excel1904),
                ..Column::default()
            },
            severity,
            Column::default(),
        ];
        map.columns = headers.iter().cloned().zip(columns).collect();
        let text = map.to_toml(&headers, "avvik.xlsx");
        assert_eq!(
            Map::parse(&text, Resource::Incidents).unwrap(),
            map,
            "{text}"
        );
    }

    #[test]
    fn mistakes_in_a_map_are_named() {
        let error = |text: &str| format!("{:#}", Map::parse(text, Resource::Values).unwrap_err());
        assert!(error("resource = \"users\"").contains("of users, expected one of values"));
        let unknown = error("resource = \"values\"\n[columns]\n\"A\" = \"valeu\"\n");
        assert!(
            unknown.starts_with(
                "found the field \"valeu\", expected one that values have: dataSource, valueDate"
            ),
            "{unknown}"
        );
        assert!(
            error("resource = \"values\"\n[set]\nx = \"1\"\n").contains("found the field \"x\"")
        );
        assert!(error("resource = \"values\"\nheader = 3\n").contains("header"));
    }
}
