//! Reads the cells of a row as the fields of a record. Names stay names until `names` resolves them. A pure
//! function: what cannot be read is a fault of the line.

use jiff::tz::TimeZone;
use obeya_server::import::Named;
use serde_json::{Map as Object, Value};

use super::cell::{Cell, Row};
use super::columns::Reading;
use super::dates::{self, Written};
use super::faults::{Fault, one};
use super::fields::{Field, Kind, Resource};
use super::numbers;
use super::words::{NO, YES, normal};

/// A record whose names are not resolved yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    pub(crate) line: u64,
    /// Properties in the form of the wire.
    pub(crate) object: Object<String, Value>,
    pub(crate) names: Vec<NameIn>,
}

/// A name in a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NameIn {
    pub(crate) column: String,
    /// The property of the id.
    pub(crate) property: &'static str,
    pub(crate) named: Named,
    pub(crate) name: String,
    /// Whether the property is a list of objects with ids.
    pub(crate) is_list: bool,
    /// The property of the text itself, if nobody has the name.
    pub(crate) or_text: Option<&'static str>,
}

/// How rows are read.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) resource: Resource,
    pub(crate) columns: &'a [Reading],
    /// What is the same in every record.
    pub(crate) constants: Vec<Constant>,
    pub(crate) zone: TimeZone,
    pub(crate) through_api: bool,
}

/// A field with the same value in every record, read as a column whose cells are all equal.
#[derive(Debug)]
pub(crate) struct Constant {
    column: Reading,
    cell: Cell,
}

impl Constant {
    pub(crate) fn new(field: &'static Field, text: &str) -> Self {
        Self {
            column: Reading {
                at: 0,
                header: format!("--set {}", field.name),
                field,
                dates: None,
                decimal: numbers::Decimal::Point,
                factor: None,
                words: Default::default(),
                is_days: true,
            },
            cell: Cell::text(text),
        }
    }
}

impl Reader<'_> {
    /// Reads a row. All faults of the line are given, not only the first.
    pub(crate) fn read(&self, row: &Row) -> Result<Draft, Vec<Fault>> {
        let mut draft = Draft {
            line: row.line,
            object: Object::new(),
            names: Vec::new(),
        };
        let mut faults = Vec::new();
        for Constant { column, cell } in &self.constants {
            self.cell(&mut draft, column, cell, &mut faults);
        }
        for column in self.columns {
            let cell = row.cells.get(column.at).unwrap_or(&Cell::Empty);
            let replaced = column.words.get(&cell.shown()).map(|word| Cell::text(word));
            self.cell(
                &mut draft,
                column,
                replaced.as_ref().unwrap_or(cell),
                &mut faults,
            );
        }
        self.complete(&mut draft);
        match faults.is_empty() {
            true => Ok(draft),
            false => Err(faults),
        }
    }

    fn cell(&self, draft: &mut Draft, column: &Reading, cell: &Cell, faults: &mut Vec<Fault>) {
        let field = column.field;
        let Some(property) = field.written(self.through_api) else {
            return;
        };
        let fault = |found: String, expected: &str| {
            Fault::cell(draft.line, &column.header, found, expected)
        };
        let quoted = || match cell {
            Cell::Text(text) => format!("\"{text}\""),
            Cell::Error(text) => format!("the error {text}"),
            cell => cell.shown(),
        };
        if cell.is_empty() {
            if field.is_required(self.through_api) {
                faults.push(fault("nothing".to_owned(), &expected(field.kind)));
            }
            return;
        }
        if let Cell::Error(_) = cell {
            faults.push(fault(quoted(), &expected(field.kind)));
            return;
        }
        let mut name = |named, is_list, or_text, text: &str| {
            draft.names.push(NameIn {
                column: column.header.clone(),
                property,
                named,
                name: text.to_owned(),
                is_list,
                or_text,
            });
        };
        let text = cell.shown();
        match field.kind {
            Kind::Name(named) => name(named, false, None, &text),
            Kind::Person(or_text) => name(
                Named::User,
                false,
                (!self.through_api).then_some(or_text),
                &text,
            ),
            Kind::Names(named) => text
                .split(';')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .for_each(|part| name(named, true, None, part)),
            kind => match self.value(column, kind, cell, &text) {
                Some(value) => {
                    draft.object.insert(property.to_owned(), value);
                }
                None => faults.push(fault(quoted(), &expected(kind))),
            },
        }
    }

    /// The value of a cell that is no name; `None` if it cannot be read.
    fn value(&self, column: &Reading, kind: Kind, cell: &Cell, text: &str) -> Option<Value> {
        let number = || {
            let number = match cell {
                Cell::Number(number) => Some(*number),
                Cell::Text(text) => numbers::parse(text, column.decimal),
                _ => None,
            }?;
            Some(number * column.factor.unwrap_or(1.0))
        };
        Some(match kind {
            Kind::Text(most) if text.chars().count() > most => return None,
            Kind::Text(_) => text.into(),
            Kind::Number => Value::from(number()?),
            Kind::Whole => {
                let number = number().filter(|number| number.fract() == 0.0)?;
                let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
                range
                    .contains(&number)
                    .then(|| Value::from(number as i32))?
            }
            Kind::Boolean => match cell {
                Cell::Boolean(yes) => Value::from(*yes),
                _ if YES.contains(&&*normal(text)) => Value::from(true),
                _ if NO.contains(&&*normal(text)) => Value::from(false),
                _ => return None,
            },
            Kind::Words(words) => {
                let written = normal(text);
                let means = |(word, others): &&(&str, &[&str])| {
                    normal(word) == written || others.contains(&&*written)
                };
                Value::from(words.iter().find(means)?.0)
            }
            Kind::Day => Value::from(
                self.written(column, cell)?
                    .day(&self.zone)
                    .ok()?
                    .to_string(),
            ),
            Kind::Instant => Value::from(
                self.written(column, cell)?
                    .instant(&self.zone)
                    .ok()?
                    .to_string(),
            ),
            Kind::Name(_) | Kind::Names(_) | Kind::Person(_) => return None,
        })
    }

    fn written(&self, column: &Reading, cell: &Cell) -> Option<Written> {
        match cell {
            Cell::Moment(moment) => Some(Written::of_workbook(*moment, column.is_days)),
            Cell::Text(text) => dates::parse(text, column.dates),
            Cell::Number(days) => match column.dates? {
                order @ (dates::DateOrder::Excel | dates::DateOrder::Excel1904) => {
                    dates::serial(*days, order)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What a record of the resource has although the table does not say it.
    fn complete(&self, draft: &mut Draft) {
        let object = &mut draft.object;
        match self.resource {
            Resource::Incidents => {
                object.entry("severity").or_insert_with(|| "None".into());
            }
            Resource::Groups => {
                object.entry("type").or_insert_with(|| "GENERAL".into());
            }
            Resource::Users => {
                object.entry("type").or_insert_with(|| "NORMAL".into());
                let part =
                    |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
                let name = format!("{} {}", part("firstName"), part("lastName"));
                let name = match name.trim() {
                    "" => part("userName").to_owned(),
                    name => name.to_owned(),
                };
                object.entry("displayName").or_insert_with(|| name.into());
            }
            Resource::Improvements | Resource::Values => {}
        }
    }
}

fn expected(kind: Kind) -> String {
    match kind {
        Kind::Text(most) if most < usize::MAX => format!("a text of at most {most} characters"),
        Kind::Text(_) => "a text".to_owned(),
        Kind::Day => "a day".to_owned(),
        Kind::Instant => "a day or a time".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Whole => "an integer".to_owned(),
        Kind::Boolean => "yes or no".to_owned(),
        Kind::Words(words) => {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            format!(
                "one of {} (or words = {{ … }} in the map)",
                words.join(", ")
            )
        }
        Kind::Name(named) | Kind::Names(named) => one(named).to_owned(),
        Kind::Person(_) => "a person".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dates::DateOrder;
    use super::super::numbers::Decimal;
    use super::*;

    fn column(resource: Resource, field: &str, at: usize) -> Reading {
        Reading {
            at,
            header: format!("H {field}"),
            field: resource.field(field).unwrap(),
            dates: Some(DateOrder::Dmy),
            decimal: Decimal::Comma,
            factor: None,
            words: Default::default(),
            is_days: true,
        }
    }

    fn read(
        resource: Resource,
        columns: &[Reading],
        cells: Vec<Cell>,
        through_api: bool,
    ) -> Result<Draft, Vec<Fault>> {
        let reader = Reader {
            resource,
            columns,
            constants: Vec::new(),
            zone: TimeZone::get("Europe/Oslo").unwrap(),
            through_api,
        };
        reader.read(&Row { line: 7, cells })
    }

    #[test]
    fn cells_become_properties_of_the_wire_and_names_stay_names() {
        let resource = Resource::Incidents;
        let names = [
            "title",
            "incidentDate",
            "severity",
            "isAnonymous",
            "dueDate",
            "followUpGroup",
            "categories",
            "reportedBy",
        ];
        let columns: Vec<Reading> = names
            .iter()
            .enumerate()
            .map(|(at, name)| column(resource, name, at))
            .collect();
        let cells = [
            "Pumpe",
            "3/2/2026",
            "Høy",
            "nei",
            "04.02.2026 12:00",
            "Team 3",
            "A; ;B",
            "Ola Nordmann",
        ];
        let draft = read(resource, &columns, cells.map(Cell::text).to_vec(), false).unwrap();
        assert_eq!(
            Value::from(draft.object),
            serde_json::json!({
                "title": "Pumpe", "incidentDate": "2026-02-03", "severity": "High", "isAnonymous": false,
                "dueDate": "2026-02-04T11:00:00Z",
            })
        );
        let names: Vec<_> = draft
            .names
            .iter()
            .map(|name| (name.property, &*name.name, name.is_list, name.or_text))
            .collect();
        assert_eq!(
            names,
            [
                ("followUpGroupId", "Team 3", false, None),
                ("categories", "A", true, None),
                ("categories", "B", true, None),
                (
                    "reportedByUserId",
                    "Ola Nordmann",
                    false,
                    Some("reportedBy")
                ),
            ]
        );
    }

    #[test]
    fn texts_are_as_long_as_their_characters_and_integers_have_32_bits() {
        let names = ["dimension", "asset"];
        let columns = [0, 1].map(|at| column(Resource::Values, names[at], at));
        let read = |text: &str, number: f64| {
            let cells = vec![Cell::text(text), Cell::Number(number)];
            read(Resource::Values, &columns, cells, false).map(|draft| Value::from(draft.object))
        };
        let most = "æ".repeat(100);
        let found = read(&most, 2_147_483_647.0).unwrap();
        assert_eq!(found["dimension"], Value::from(most));
        assert!(
            found
                .as_object()
                .unwrap()
                .values()
                .any(|value| *value == i32::MAX)
        );
        let faults = read("x", 2_147_483_648.0).unwrap_err();
        assert_eq!(
            (&*faults[0].found, &*faults[0].expected),
            ("2147483648", "an integer")
        );
    }

    #[test]
    fn every_fault_of_a_line_is_named() {
        let resource = Resource::Values;
        let names = ["valueDate", "value", "dimension", "asset"];
        let columns: Vec<Reading> = names
            .iter()
            .enumerate()
            .map(|(at, name)| column(resource, name, at))
            .collect();
        let cells = vec![
            Cell::Empty,
            Cell::Error("#N/A".to_owned()),
            Cell::Text("x".repeat(101)),
            Cell::Number(1.5),
        ];
        let faults = read(resource, &columns, cells, false).unwrap_err();
        let said: Vec<String> = faults
            .iter()
            .map(|fault| format!("{}: {}", fault.found, fault.expected))
            .collect();
        assert_eq!(
            said,
            [
                "nothing: a day or a time".to_owned(),
                "the error #N/A: a number".to_owned(),
                format!("\"{}\": a text of at most 100 characters", "x".repeat(101)),
                "1.5: an integer".to_owned(),
            ]
        );
        assert!(faults.iter().all(|fault| fault.line == 7));
        assert_eq!(faults[1].column.as_deref(), Some("H value"));
    }

    #[test]
    fn a_date_of_a_workbook_is_a_day_or_a_local_time_by_its_column() {
        let mut columns = [column(Resource::Values, "valueDate", 0)];
        let instant = |columns: &[Reading]| {
            let cell = Cell::Moment("2026-07-01T00:00:00".parse().unwrap());
            let draft = read(Resource::Values, columns, vec![cell], false).unwrap();
            draft.object["valueDate"].as_str().unwrap().to_owned()
        };
        assert_eq!(instant(&columns), "2026-07-01T00:00:00Z");
        columns[0].is_days = false;
        assert_eq!(instant(&columns), "2026-06-30T22:00:00Z");
    }

    #[test]
    fn words_of_the_map_and_factors_apply_before_and_after_reading() {
        let mut columns = [column(Resource::Values, "value", 0)];
        columns[0].factor = Some(100.0);
        columns[0].words.insert("n/a".to_owned(), "0,5".to_owned());
        let value = |cell| {
            read(Resource::Values, &columns, vec![cell], false)
                .unwrap()
                .object["value"]
                .clone()
        };
        assert_eq!(value(Cell::text("85 %")), Value::from(85.0));
        assert_eq!(value(Cell::text("n/a")), Value::from(50.0));
        assert_eq!(value(Cell::Number(0.25)), Value::from(25.0));
    }

    #[test]
    fn a_user_without_a_display_name_gets_the_name() {
        let columns = [
            column(Resource::Users, "userName", 0),
            column(Resource::Users, "firstName", 1),
            column(Resource::Users, "lastName", 2),
        ];
        let name = |cells: [&str; 3]| {
            let draft = read(
                Resource::Users,
                &columns,
                cells.map(Cell::text).to_vec(),
                false,
            )
            .unwrap();
            draft.object["displayName"].clone()
        };
        assert_eq!(name(["ola", "Ola", "Nordmann"]), "Ola Nordmann");
        assert_eq!(name(["ola", "", ""]), "ola");
    }
}
