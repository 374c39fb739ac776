//! From a map and the whole table to how each column is read: the order of its dates and the sign before its
//! decimals. What a column leaves open is a problem that the user must decide; nothing is read from it.

use std::collections::BTreeMap;

use super::cell::{Cell, Row};
use super::dates::{self, DateOrder};
use super::fields::{Field, Kind, Resource};
use super::header::Header;
use super::map::{Column, Map};
use super::numbers::{self, Decimal};

/// A column that is read.
#[derive(Debug)]
pub(crate) struct Reading {
    /// Its index in a row.
    pub(crate) at: usize,
    pub(crate) header: String,
    pub(crate) field: &'static Field,
    pub(crate) dates: Option<DateOrder>,
    pub(crate) decimal: Decimal,
    pub(crate) factor: Option<f64>,
    pub(crate) words: BTreeMap<String, String>,
    /// Whether every moment of a workbook in it is a midnight, which then means the day.
    pub(crate) is_days: bool,
}

/// How a table is read.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) columns: Vec<Reading>,
    /// Decisions that were made, for the user to check.
    pub(crate) notes: Vec<String>,
    /// What the user has to decide first.
    pub(crate) problems: Vec<String>,
}

/// Plans the columns of a map.
pub(crate) fn plan(
    resource: Resource,
    map: &Map,
    header: &Header,
    rows: &[Row],
    through_api: bool,
) -> Plan {
    let mut plan = Plan::default();
    for name in map.columns.keys() {
        if !header.names.contains(name) {
            let found = header.names.join(", ");
            plan.problems.push(format!(
                "the map has the column \"{name}\", but line {} has only: {found}",
                header.line
            ));
        }
    }
    let mut filled: Vec<&str> = map.set.keys().map(String::as_str).collect();
    for (at, name) in header.names.iter().enumerate() {
        let Some(column) = map.columns.get(name) else {
            continue;
        };
        // Maps were checked: a field without a name is a column that is left out.
        let Some(field) = resource.field(&column.field) else {
            continue;
        };
        if filled.contains(&field.name) {
            plan.problems.push(format!(
                "the field {} has two sources, \"{name}\" and another column or constant; expected one",
                field.name
            ));
        }
        filled.push(field.name);
        if field.written(through_api).is_none() {
            plan.problems.push(format!(
                "the column \"{name}\" is {}, which cannot be written through the interface: give the column the field \"\" in the map, or import with --db",
                field.name
            ));
        }
        read(&mut plan, map, at, name, column, field, rows);
    }
    let missing: Vec<&str> = resource
        .fields()
        .iter()
        .filter(|field| field.is_required(through_api) && !filled.contains(&field.name))
        .map(|field| field.name)
        .collect();
    if !missing.is_empty() {
        plan.problems.push(format!(
            "no column is {}, which {} must have: name one in the map, or give a value for all of them, such as --set {}=…",
            missing.join(", "),
            resource.name(),
            missing[0]
        ));
    }
    plan
}

fn read(
    plan: &mut Plan,
    map: &Map,
    at: usize,
    name: &str,
    column: &Column,
    field: &'static Field,
    rows: &[Row],
) {
    let cells = || rows.iter().filter_map(move |row| row.cells.get(at));
    let texts = || {
        cells().filter_map(|cell| match cell {
            Cell::Text(text) => Some(column.words.get(text).unwrap_or(text).as_str()),
            _ => None,
        })
    };
    let mut reading = Reading {
        at,
        header: name.to_owned(),
        field,
        dates: column.dates.or(map.dates),
        decimal: column.decimal.or(map.decimal).unwrap_or(Decimal::Point),
        factor: column.factor,
        words: column.words.clone(),
        is_days: cells().all(|cell| match cell {
            Cell::Moment(moment) => moment.time() == jiff::civil::Time::midnight(),
            _ => true,
        }),
    };
    if matches!(field.kind, Kind::Instant) && map.tz.is_none() {
        let is_local = |written: dates::Written| written.time.is_some() && written.offset.is_none();
        let has_local = |text| dates::parse(text, Some(DateOrder::Dmy)).is_some_and(is_local);
        if !reading.is_days || texts().any(has_local) {
            plan.notes.push(format!("\"{name}\": local times are read as UTC; --tz Europe/Oslo, or the same in the map, names another zone"));
        }
    }
    match field.kind {
        Kind::Day | Kind::Instant if reading.dates.is_none() => match dates::find(texts()) {
            dates::Found::Order(order) => {
                plan.notes.push(format!("\"{name}\": dates are {order}, as some can be nothing else"));
                reading.dates = Some(order);
            }
            dates::Found::NoMatter => {}
            dates::Found::Ambiguous(text) => plan.problems.push(format!(
                "\"{name}\": found dates such as {text}, in which either number may be the day; expected --dates dmy or --dates mdy, or the same in the map"
            )),
            dates::Found::Contradiction(dmy, mdy) => plan.problems.push(format!(
                "\"{name}\": found {dmy}, where the day comes first, and {mdy}, where the month does; expected one order: --dates leaves the lines of the other one out"
            )),
        },
        Kind::Number | Kind::Whole => {
            let percents = texts().filter(|text| numbers::is_percent(text)).count();
            if percents > 0 && reading.factor.is_none() {
                plan.notes.push(format!(
                    "\"{name}\": {percents} percentages are read as fractions (85 % is 0.85); factor = 100 in the map keeps the numbers before the signs"
                ));
            }
            if column.decimal.or(map.decimal).is_none() {
                match numbers::find(texts()) {
                    numbers::Found::Sign(sign) => reading.decimal = sign,
                    numbers::Found::Ambiguous(text) => plan.problems.push(format!(
                        "\"{name}\": found numbers such as {text}, which may have thousands or decimals; expected --decimal comma or --decimal point, or the same in the map"
                    )),
                    numbers::Found::Contradiction(comma, point) => plan.problems.push(format!(
                        "\"{name}\": found {comma}, which has a decimal comma, and {point}, which has a decimal point; expected one of them: --decimal leaves the lines of the other one out"
                    )),
                }
            }
        }
        _ => {}
    }
    plan.columns.push(reading);
}

#[cfg(test)]
mod tests {
    use super::super::{header, read_csv};
    use super::*;

    fn planned(text: &str, map: &str, through_api: bool) -> Plan {
        let table = read_csv::read(text.as_bytes(), Some(b';')).unwrap();
        let header = header::find(&table, Resource::Values, Some(1), &[]).unwrap();
        let map = format!("resource = \"values\"\n{map}");
        let map = Map::parse(&map, Resource::Values).unwrap();
        plan(
            Resource::Values,
            &map,
            &header,
            &table.rows[1..],
            through_api,
        )
    }

    const MAP: &str = "[set]\ndataSource = \"1\"\n[columns]\nD = \"valueDate\"\nV = \"value\"\n";

    #[test]
    fn order_and_sign_come_from_the_whole_column() {
        let plan = planned("D;V\n01/02/2026;1,234\n31/01/2026;0,5\n", MAP, false);
        assert_eq!(plan.problems, Vec::<String>::new());
        let of = |at: usize| (plan.columns[at].dates, plan.columns[at].decimal);
        assert_eq!(of(0), (Some(DateOrder::Dmy), Decimal::Point));
        assert_eq!(of(1), (None, Decimal::Comma));
    }

    #[test]
    fn what_is_ambiguous_must_be_decided() {
        let plan = planned("D;V\n01/02/2026;1,234\n", MAP, false);
        assert_eq!(plan.problems.len(), 2, "{:?}", plan.problems);
        assert!(
            plan.problems[0].contains("01/02/2026") && plan.problems[0].contains("--dates dmy")
        );
        assert!(plan.problems[1].contains("1,234") && plan.problems[1].contains("--decimal comma"));
        let decided = format!("dates = \"mdy\"\ndecimal = \"point\"\n{MAP}");
        let plan = planned("D;V\n01/02/2026;1,234\n", &decided, false);
        assert_eq!(plan.problems, Vec::<String>::new());
        assert_eq!(plan.columns[0].dates, Some(DateOrder::Mdy));
    }

    #[test]
    fn a_field_that_is_missing_or_has_two_sources_is_a_problem() {
        let plan = planned(
            "D;V\n",
            "[columns]\nD = \"valueDate\"\nX = \"value\"\n",
            false,
        );
        assert!(
            plan.problems[0].contains("the column \"X\", but line 1 has only: D, V"),
            "{:?}",
            plan.problems
        );
        assert!(
            plan.problems[1].contains("no column is dataSource, value"),
            "{:?}",
            plan.problems
        );
        let twice = "[columns]\nD = \"valueDate\"\nV = \"valueDate\"\n";
        let plan = planned("D;V\n", twice, false);
        assert!(
            plan.problems[0].contains("valueDate has two sources"),
            "{:?}",
            plan.problems
        );
    }

    #[test]
    fn percentages_are_noted() {
        let plan = planned("D;V\n2026-01-02;85 %\n2026-01-02;7 %\n", MAP, false);
        assert!(plan.notes[0].contains("2 percentages"), "{:?}", plan.notes);
    }
}
