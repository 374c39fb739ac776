//! Datasources with over 100,000 values: trends, shift patterns, seasons, and the special causes a control
//! chart should find.

use std::io::{self, Write};

use serde_json::json;

use crate::calendar::{Calendar, DAYS};
use crate::dice::{Dice, rounded};
use crate::folder::Folder;

/// Datasources by position; ids are the position plus one.
pub(crate) const OEE: usize = 0;
const SCRAP: usize = 1;
const DOWNTIME: usize = 2;
const UNITS: usize = 3;
/// The datasource that the demo pulls: a value for each hour and meter.
pub(crate) const ENERGY: usize = 4;
const DELIVERY: usize = 5;
const ABSENCE: usize = 6;
const SAFETY_WALKS: usize = 7;

/// Title, description, unit of time.
const DATASOURCES: [(&str, &str, &str); 8] = [
    (
        "OEE",
        "Overall equipment effectiveness of each line and shift, %",
        "Shift",
    ),
    ("Vrak / scrap", "Scrapped parts of all parts, %", "Shift"),
    ("Downtime", "Unplanned stops, minutes", "Shift"),
    ("Units produced", "Good parts", "Shift"),
    ("Energi", "Electricity of each meter, kWh", "Hour"),
    (
        "Leveringspresisjon",
        "Orders delivered on the day confirmed, %",
        "Day",
    ),
    ("Absence", "People absent, % of those planned", "Day"),
    ("Safety walks", "Walks done", "Week"),
];

/// Lines, with the id of their area and the units produced in a good shift.
const LINES: [(&str, u32, f64); 6] = [
    ("Line 1", 2, 420.0),
    ("Line 2", 2, 410.0),
    ("Line 3", 3, 305.0),
    ("Line 4", 3, 298.0),
    ("Linje 5", 6, 180.0),
    ("Linje 6", 6, 176.0),
];

/// Shifts, with the minute at which they begin and the difference of their OEE from the day's.
const SHIFTS: [(&str, i64, f64); 3] = [
    ("Day", 360, 0.8),
    ("Evening", 840, 0.0),
    ("Night", 1320, -2.6),
];

/// Meters, with the id of their area, their base load, and the additional load of production and of cold.
const METERS: [(&str, u32, f64, f64, f64); 3] = [
    ("Foundry", 1, 310.0, 640.0, 40.0),
    ("Machining", 2, 90.0, 260.0, 60.0),
    ("Kontorbygg Øst", 12, 14.0, 22.0, 55.0),
];

const REASONS: [&str; 6] = [
    "Changeover",
    "Breakdown",
    "Material missing",
    "Setting",
    "Rengjøring",
    "Quality check",
];

/// Special causes: first day, last day, line, points of OEE, description.
const SPECIAL: [(i32, i32, usize, f64, &str); 4] = [
    (143, 147, 0, -9.0, "New operators after holidays"),
    (
        402,
        411,
        2,
        -17.0,
        "Gearbox of the conveyor broken, run on spare drive",
    ),
    (566, 569, 4, -12.0, "Bad batch of gaskets from supplier"),
    (655, 657, 1, -14.0, "Strømbrudd og omstart av PLS"),
];

/// The first day of the quick changeover on line 3, and its gain.
const CHANGEOVER: (i32, f64) = (480, 4.5);

/// Writes `datasources.jsonl` and `datasource_values.csv`; returns the number of values.
pub(crate) fn write(folder: &Folder, calendar: Calendar) -> io::Result<u32> {
    folder.lines(
        "datasources",
        DATASOURCES.iter().enumerate().map(|(position, (title, description, unit))| {
            json!({
                "id": position + 1, "title": title, "description": description, "unitOfTime": unit,
                "objectSource": "DataSource", "primaryInputSource": if position == ENERGY { "API" } else { "Manual" },
                "elements": elements(position),
            })
        }),
    )?;
    folder.file("datasource_values.csv", |out| {
        writeln!(
            out,
            "id,dataSourceId,valueDate,registrationDate,value,areaId,dimension,dimension2,dimension3,description"
        )?;
        let mut out = ValuesFile { out, rows: 0 };
        lines(&mut out, calendar)?;
        energy(&mut out, calendar)?;
        office(&mut out, calendar)?;
        Ok(out.rows)
    })
}

fn elements(position: usize) -> serde_json::Value {
    let element = |n: u32, label: &str| {
        let column = if n == 1 {
            "dimension".to_owned()
        } else {
            format!("dimension{n}")
        };
        json!({"id": format!("d{n}"), "label": label, "type": "text", "isMandatory": n == 1, "sourceColumn": column})
    };
    match position {
        OEE | SCRAP | UNITS => json!([element(1, "Line"), element(2, "Shift")]),
        DOWNTIME => json!([
            element(1, "Line"),
            element(2, "Shift"),
            element(3, "Reason")
        ]),
        ENERGY => json!([element(1, "Meter")]),
        DELIVERY => json!([element(1, "Region")]),
        _ => json!([element(1, "Department")]),
    }
}

/// The file of values that is being written.
struct ValuesFile<W> {
    out: W,
    rows: u32,
}

/// Coordinates of a value.
struct Row<'a> {
    datasource: usize,
    at: &'a str,
    area: u32,
    dimensions: [&'a str; 3],
    why: &'a str,
}

impl<W: Write> ValuesFile<W> {
    fn row(&mut self, row: &Row<'_>, value: f64) -> io::Result<()> {
        self.rows += 1;
        let Row {
            datasource,
            at,
            area,
            dimensions: [first, second, third],
            why,
        } = row;
        // The only text with a comma is the reason of a special cause.
        let quote = if why.is_empty() { "" } else { "\"" };
        writeln!(
            self.out,
            "{},{},{at},{at},{value},{area},{first},{second},{third},{quote}{why}{quote}",
            self.rows,
            datasource + 1
        )?;
        Ok(())
    }
}

/// The output of every line in every shift: OEE first, the other values are derived from it.
fn lines(out: &mut ValuesFile<impl Write>, calendar: Calendar) -> io::Result<()> {
    let mut dice = Dice::new(5);
    let mut scrap = Vec::new();
    let mut stops = Vec::new();
    let mut units = Vec::new();
    for day in 0..DAYS {
        for (shift, (shift_name, begins, offset)) in SHIFTS.iter().enumerate() {
            // No production on Sundays; Monday mornings start slowly.
            if calendar.weekday(day) == 6 {
                continue;
            }
            let monday = if calendar.weekday(day) == 0 && shift == 0 {
                -3.5
            } else {
                0.0
            };
            let at = calendar.at(day, *begins);
            for (line, (line_name, area, full)) in LINES.iter().enumerate() {
                let trend = 7.0 * f64::from(day) / f64::from(DAYS);
                let step = if line == 2 && day >= CHANGEOVER.0 {
                    CHANGEOVER.1
                } else {
                    0.0
                };
                let special = SPECIAL
                    .iter()
                    .find(|(from, to, at, ..)| *at == line && (*from..=*to).contains(&day));
                let hit = special.map_or(0.0, |(.., points, _)| *points);
                let base = 64.0 - 1.3 * f64::from(u32::try_from(line).unwrap_or(0));
                let oee = (base + trend + step + offset + monday + hit + dice.around(0.0, 2.4))
                    .clamp(15.0, 94.0);
                let why = special.map_or("", |(.., why)| *why);
                let row = |datasource, third| Row {
                    datasource,
                    at: &at,
                    area: *area,
                    dimensions: [line_name, shift_name, third],
                    why,
                };
                out.row(&row(OEE, ""), rounded(oee, 2))?;
                let reason = *dice.pick(&REASONS);
                scrap.push((
                    at.clone(),
                    line,
                    shift,
                    rounded(
                        (3.4 - oee / 30.0 - hit / 8.0 + dice.around(0.4, 0.35)).max(0.0),
                        2,
                    ),
                ));
                stops.push((
                    at.clone(),
                    line,
                    shift,
                    reason,
                    rounded(((85.0 - oee) * 1.9 + dice.around(0.0, 7.0)).max(0.0), 0),
                ));
                units.push((
                    at.clone(),
                    line,
                    shift,
                    rounded((full * oee / 72.0).max(0.0), 0),
                ));
            }
        }
    }
    // One datasource after the other, in the order of the table.
    for (at, line, shift, value) in &scrap {
        let dimensions = [LINES[*line].0, SHIFTS[*shift].0, ""];
        out.row(
            &Row {
                datasource: SCRAP,
                at,
                area: LINES[*line].1,
                dimensions,
                why: "",
            },
            *value,
        )?;
    }
    for (at, line, shift, reason, value) in &stops {
        let dimensions = [LINES[*line].0, SHIFTS[*shift].0, *reason];
        out.row(
            &Row {
                datasource: DOWNTIME,
                at,
                area: LINES[*line].1,
                dimensions,
                why: "",
            },
            *value,
        )?;
    }
    for (at, line, shift, value) in &units {
        let dimensions = [LINES[*line].0, SHIFTS[*shift].0, ""];
        out.row(
            &Row {
                datasource: UNITS,
                at,
                area: LINES[*line].1,
                dimensions,
                why: "",
            },
            *value,
        )?;
    }
    Ok(())
}

/// A value for each hour and meter, with the working day, the cold, and a furnace that was left on over one
/// weekend.
fn energy(out: &mut ValuesFile<impl Write>, calendar: Calendar) -> io::Result<()> {
    let mut dice = Dice::new(6);
    for day in 0..DAYS {
        let weekday = calendar.weekday(day);
        let cold = calendar.cold(day);
        for hour in 0..24_u32 {
            let at = calendar.at(day, i64::from(hour) * 60);
            for (meter, (name, area, base, work, heat)) in METERS.iter().enumerate() {
                let office = meter == 2;
                let running = match (weekday, hour) {
                    (6, _) => 0.05,
                    (5, _) if office => 0.05,
                    (_, 7..=16) if office => 1.0,
                    _ if office => 0.1,
                    (0, 0..=5) => 0.4,
                    (_, 22..=23 | 0..=5) => 0.82,
                    _ => 1.0,
                };
                // The timer of the furnaces was installed on day 380: the load at rest falls by a third.
                let base = if meter == 0 && day >= 380 {
                    base * 0.68
                } else {
                    *base
                };
                let left_on = meter == 0 && (514..=515).contains(&day);
                let extra = if left_on { 420.0 } else { 0.0 };
                let value = base
                    + work * running
                    + heat * cold
                    + extra
                    + dice.around(0.0, 0.03 * (base + work * running));
                let why = if left_on {
                    "Ovn O-2 sto på hele helgen, ingen meldte fra"
                } else {
                    ""
                };
                let row = Row {
                    datasource: ENERGY,
                    at: &at,
                    area: *area,
                    dimensions: [name, "", ""],
                    why,
                };
                out.row(&row, rounded(value.max(0.0), 1))?;
            }
        }
    }
    Ok(())
}

/// Deliveries, absence and safety walks.
fn office(out: &mut ValuesFile<impl Write>, calendar: Calendar) -> io::Result<()> {
    let mut dice = Dice::new(7);
    let trend = |day: i32| f64::from(day) / f64::from(DAYS);
    for day in (0..DAYS).filter(|day| calendar.weekday(*day) < 5) {
        let at = calendar.at(day, 16 * 60);
        for region in ["Norden", "DACH", "Rest of world"] {
            let value = (91.0 + 4.0 * trend(day) + dice.around(0.0, 2.2)).min(100.0);
            out.row(
                &Row {
                    datasource: DELIVERY,
                    at: &at,
                    area: 9,
                    dimensions: [region, "", ""],
                    why: "",
                },
                rounded(value, 1),
            )?;
        }
    }
    for day in (0..DAYS).filter(|day| calendar.weekday(*day) < 5) {
        let at = calendar.at(day, 8 * 60);
        for department in [
            "Casting",
            "Machining",
            "Heat and surface",
            "Assembly and test",
            "Office",
        ] {
            let influenza = if (230..=244).contains(&day) { 5.5 } else { 0.0 };
            let value =
                (4.2 + 2.1 * calendar.cold(day) + influenza + dice.around(0.0, 1.0)).max(0.0);
            let why = if influenza > 0.0 { "Influensa" } else { "" };
            out.row(
                &Row {
                    datasource: ABSENCE,
                    at: &at,
                    area: 12,
                    dimensions: [department, "", ""],
                    why,
                },
                rounded(value, 1),
            )?;
        }
    }
    for day in (0..DAYS).filter(|day| calendar.weekday(*day) == 4) {
        let at = calendar.at(day, 12 * 60);
        let value = rounded(dice.around(3.0 + 4.0 * trend(day), 1.3).max(0.0), 0);
        out.row(
            &Row {
                datasource: SAFETY_WALKS,
                at: &at,
                area: 12,
                dimensions: ["Plant", "", ""],
                why: "",
            },
            value,
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn values_file(
        fill: impl FnOnce(&mut ValuesFile<Vec<u8>>, Calendar) -> io::Result<()>,
    ) -> (u32, String) {
        let mut out = ValuesFile {
            out: Vec::new(),
            rows: 0,
        };
        fill(&mut out, Calendar::ending(date(2026, 3, 1))).expect("memory takes it");
        (out.rows, String::from_utf8(out.out).expect("text"))
    }

    /// The mean of the rows whose line passes.
    fn mean(text: &str, pass: impl Fn(&[&str]) -> bool) -> f64 {
        let values: Vec<f64> = text
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|cells| pass(cells))
            .map(|cells| cells[4].parse().expect("a number"))
            .collect();
        values.iter().sum::<f64>() / f64::from(u32::try_from(values.len()).unwrap())
    }

    #[test]
    fn there_are_more_than_a_hundred_thousand_values() {
        let rows = [
            values_file(lines).0,
            values_file(energy).0,
            values_file(office).0,
        ];
        assert!(rows.iter().sum::<u32>() > 100_000, "{rows:?}");
    }

    #[test]
    fn oee_rises_over_the_years_sinks_at_night_and_falls_on_special_days() {
        let (_, text) = values_file(lines);
        let oee = |cells: &[&str]| cells[1] == "1";
        let early = mean(&text, |cells| oee(cells) && cells[2] < "2024-09");
        let late = mean(&text, |cells| oee(cells) && cells[2] > "2025-09");
        assert!(late > early + 3.0, "{early} to {late}");
        let shift = |name| mean(&text, |cells| oee(cells) && cells[7] == name);
        assert!(shift("Day") > shift("Night") + 2.0);
        let special = mean(&text, |cells| oee(cells) && cells[9].contains("Gearbox"));
        let usual = mean(&text, |cells| {
            oee(cells) && cells[6] == "Line 3" && cells[9].is_empty()
        });
        assert!(special < usual - 12.0, "{special} against {usual}");
    }

    #[test]
    fn the_two_runs_give_the_same_figures() {
        assert_eq!(values_file(energy).1, values_file(energy).1);
    }
}
