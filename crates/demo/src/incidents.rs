//! Some thousands of incidents over two years, and their comments.

use serde_json::{Value, json};
use std::io;

use crate::calendar::{Calendar, DAYS};
use crate::dice::{Dice, rounded};
use crate::folder::Folder;
use crate::plant::{AREAS, Plant, User};
use crate::types;

pub(crate) const INCIDENTS: usize = 4_200;

/// The groups that follow up incidents of each type, by position.
const FOLLOW_UP: [&[usize]; 4] = [&[13, 19], &[12, 8, 4], &[10, 11], &[13, 16]];

/// The groups that report incidents.
const REPORTING: [usize; 9] = [2, 4, 5, 6, 7, 8, 12, 15, 23];

const REPLIES: [&str; 8] = [
    "Thanks, I will look at it tomorrow morning.",
    "Takk! Flott at dere reagerte raskt.",
    "Agreed. Added to the tier 2 board.",
    "Teil eingebaut, läuft wieder.",
    "Done, standard updated and trained on all three shifts.",
    "Hva gjør vi med delene som alt er sendt?",
    "Root cause found and written on the A3.",
    "Zrobione, proszę sprawdzić na zmianie nocnej.",
];

/// Writes `incidents.jsonl` and `incident_comments.jsonl`.
pub(crate) fn write(folder: &Folder, plant: &Plant, calendar: Calendar) -> io::Result<()> {
    let mut dice = Dice::new(3);
    let mut days: Vec<i32> = (0..INCIDENTS)
        .map(|_| reported_day(&mut dice, calendar))
        .collect();
    days.sort_unstable();
    let mut comments = Vec::new();
    let mut incidents = Vec::with_capacity(INCIDENTS);
    for (id, day) in (1..).zip(days) {
        incidents.push(incident(id, day, plant, calendar, &mut dice, &mut comments));
    }
    folder.lines("incidents", incidents)?;
    folder.lines("incident_comments", comments)
}

/// The number of incidents: fewer on weekends, and a slow decrease over time.
fn reported_day(dice: &mut Dice, calendar: Calendar) -> i32 {
    loop {
        let day = i32::try_from(dice.between(0, i64::from(DAYS) - 1)).unwrap_or(0);
        let weekend = if calendar.weekday(day) >= 5 { 45 } else { 100 };
        let learned = 100 - u32::try_from(day * 25 / DAYS).unwrap_or(0);
        if dice.chance(weekend) && dice.chance(learned) {
            return day;
        }
    }
}

/// Status history of an incident.
struct StatusHistory {
    status: &'static str,
    /// Day of the resolution.
    resolved: Option<i32>,
    /// Day of the last change.
    touched: i32,
}

fn status_history(day: i32, dice: &mut Dice) -> StatusHistory {
    let age = DAYS - 1 - day;
    // Most are closed within two weeks; every fifth takes longer.
    let slow = if dice.chance(20) { 90 } else { 14 };
    let takes = i32::try_from(dice.between(0, slow)).unwrap_or(0);
    if takes > age {
        let status = if dice.chance(45) { "New" } else { "InProgress" };
        return StatusHistory {
            status,
            resolved: None,
            touched: day + takes.min(age) / 2,
        };
    }
    match dice.between(0, 99) {
        0..=4 => StatusHistory {
            status: "Rejected",
            resolved: None,
            touched: day + takes,
        },
        5..=6 => StatusHistory {
            status: "InProgress",
            resolved: None,
            touched: day + takes,
        },
        _ => StatusHistory {
            status: "Resolved",
            resolved: Some(day + takes),
            touched: day + takes,
        },
    }
}

fn incident(
    id: i32,
    day: i32,
    plant: &Plant,
    calendar: Calendar,
    dice: &mut Dice,
    comments: &mut Vec<Value>,
) -> Value {
    let position = *dice.weighted(&[(0, 22), (1, 34), (2, 36), (3, 8)]);
    let kind = types::ids(position);
    let words = &types::TYPES[position];
    let machine = dice.pick(words.places);
    let title = dice.pick(words.titles).replace("{}", machine);
    let reporting = *dice.pick(&REPORTING);
    let following = *dice.pick(FOLLOW_UP[position]);
    let reporter = *dice.pick(&plant.members(reporting));
    let responsible: Option<&User> = match plant.members(following) {
        people if people.is_empty() || dice.chance(8) => None,
        people => Some(*dice.pick(&people)),
    };
    let minute = dice.between(0, 1439);
    let history = status_history(day, dice);
    let resolved = history.resolved.map(|day| calendar.at(day, minute + 35));
    // The trash contains incidents deleted in the last 30 days: a few duplicates and tests.
    let deleted = (day > DAYS - 60 && dice.chance(8)).then(|| {
        let back = i32::try_from(dice.between(1, 27)).unwrap_or(1);
        calendar.at((DAYS - back).max(history.touched + 1).min(DAYS - 1), minute)
    });
    let consequences: Vec<Value> = kind
        .consequences
        .iter()
        .filter(|_| dice.chance(55))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|(id, unit)| json!({"id": id, "amount": amount(unit, dice)}))
        .collect();
    let causes: Vec<Value> = if history.status == "Resolved" {
        let first = *dice.pick(&kind.causes);
        let second = *dice.pick(&kind.causes);
        let mut ids = vec![first];
        if second != first && dice.chance(30) {
            ids.push(second);
        }
        ids.into_iter().map(|id| json!({"id": id})).collect()
    } else {
        Vec::new()
    };
    let fields: Vec<Value> = kind
        .fields
        .iter()
        .map(|(id, label, kind)| json!({"id": id, "value": field_value(label, kind, dice)}))
        .collect();
    let written = if deleted.is_some() {
        0
    } else {
        discuss(
            id,
            words.remarks,
            (day, history.touched),
            minute,
            plant,
            calendar,
            dice,
            comments,
        )
    };
    let evaluated = resolved.is_some() && dice.chance(40);
    json!({
        "id": id, "incidentTypeId": position + 1, "title": title, "text": text(machine, dice), "status": history.status,
        "severity": dice.weighted(&[("None", 12), ("Low", 46), ("Medium", 32), ("High", 10)]),
        "reportedByGroupId": reporting + 1, "reportedByUserId": reporter.id, "followUpGroupId": following + 1,
        "responsibleUserId": responsible.map(|user| &user.id),
        "incidentDate": calendar.date(day).to_string(), "reportedDate": calendar.at(day, minute),
        "lastModified": calendar.at(history.touched, minute + 40), "resolvedDate": resolved,
        "dueDate": calendar.at(day + 21, 12 * 60),
        "evaluationStatus": evaluated.then(|| dice.weighted(&[("Good", 60), ("Medium", 30), ("Bad", 10)])),
        "evaluationText": evaluated.then_some("Effect checked after four weeks."),
        "isAnonymous": position == 0 && dice.chance(15),
        "areaId": dice.between(1, i64::try_from(AREAS.len()).unwrap_or(1)),
        "projectId": dice.chance(10).then(|| dice.between(1, 4)),
        "externalId": dice.chance(20).then(|| format!("SAP-{}", 400_000 + id)),
        "numberOfComments": written,
        "categories": [{"id": dice.pick(&kind.leaves)}], "causes": causes, "consequences": consequences, "customFields": fields,
        "deletedDate": deleted,
    })
}

fn amount(unit: &str, dice: &mut Dice) -> f64 {
    // Many small amounts and a few large ones.
    let size = if dice.chance(6) { 12.0 } else { 1.0 };
    match unit {
        "days" => rounded(size * dice.around(0.8, 0.5).abs(), 0),
        "NOK" => rounded(size * dice.around(4_200.0, 1_500.0).abs(), 0),
        "pcs" => rounded(size * dice.around(14.0, 8.0).abs(), 0),
        "min" => rounded(size * dice.around(42.0, 20.0).abs(), 0),
        _ => rounded(size * dice.around(3.0, 1.2).abs(), 1),
    }
}

fn field_value(label: &str, kind: &str, dice: &mut Dice) -> String {
    match (kind, label) {
        ("bool", _) => dice.chance(30).to_string(),
        ("number", _) => dice.between(5, 120).to_string(),
        (_, "Body part") => {
            (*dice.pick(&["Hand", "Finger", "Foot", "Eye", "Back", "Kne"])).to_owned()
        }
        (_, "Substance") => (*dice.pick(&[
            "Hydraulic oil HLP 46",
            "Coolant emulsion",
            "Paint thinner",
            "Spillolje",
        ]))
        .to_owned(),
        (_, "Order number") => format!("4500{:06}", dice.between(100_000, 899_999)),
        _ => format!("M-{:04}", dice.between(1_001, 1_480)),
    }
}

fn text(machine: &str, dice: &mut Dice) -> String {
    let seen = dice.pick(&[
        "Seen on the morning round",
        "Oppdaget ved skiftbytte",
        "Reported by the operator",
        "Found during 5S audit",
        "Beim Rüsten bemerkt",
        "Stopped by the andon cord",
    ]);
    let done = dice.pick(&[
        "Made safe at once.",
        "Line restarted after 20 minutes.",
        "Parts sorted and marked.",
        "Vedlikehold er varslet.",
        "Container exchanged.",
        "Needs a permanent countermeasure.",
    ]);
    format!("{seen} at {machine}. {done}")
}

/// Adds the comments of one incident; returns their number.
#[expect(
    clippy::too_many_arguments,
    reason = "an incident's coordinates; a struct for one call would only rename them"
)]
fn discuss(
    incident: i32,
    remarks: &[&str],
    (day, until): (i32, i32),
    minute: i64,
    plant: &Plant,
    calendar: Calendar,
    dice: &mut Dice,
    comments: &mut Vec<Value>,
) -> usize {
    let count = *dice.weighted(&[(0, 25), (1, 22), (2, 22), (3, 14), (4, 9), (6, 6), (9, 2)]);
    let first = comments.len();
    for n in 0..count {
        let parent = (n > 0 && dice.chance(60)).then(|| first + n - 1);
        let level = parent.map_or(0, |parent| {
            comments[parent]["level"].as_u64().unwrap_or(0) + 1
        });
        let text = if parent.is_some() {
            dice.pick(&REPLIES)
        } else {
            dice.pick(remarks)
        };
        let author = dice.pick(&plant.users);
        let on =
            day + (until - day) * i32::try_from(n).unwrap_or(0) / i32::try_from(count).unwrap_or(1);
        comments.push(json!({
            "id": comments.len() + 1, "incidentId": incident, "text": text,
            "commentDate": calendar.at(on, minute + 20 + i64::try_from(n).unwrap_or(0)),
            "commentedByUserId": author.id, "parentId": parent.map(|parent| parent + 1), "level": level,
        }));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn everything() -> (Vec<Value>, Vec<Value>) {
        let calendar = Calendar::ending(date(2026, 3, 1));
        let (plant, mut dice, mut comments) = (Plant::new(), Dice::new(3), Vec::new());
        let incidents = (1..=1_500)
            .map(|id| {
                let day = reported_day(&mut dice, calendar);
                incident(id, day, &plant, calendar, &mut dice, &mut comments)
            })
            .collect();
        (incidents, comments)
    }

    #[test]
    fn only_resolved_incidents_have_a_resolution_and_nothing_lies_in_the_future() {
        let (incidents, comments) = everything();
        for line in &incidents {
            assert_eq!(
                line["status"] == "Resolved",
                !line["resolvedDate"].is_null(),
                "{line}"
            );
            for field in [
                "reportedDate",
                "lastModified",
                "resolvedDate",
                "deletedDate",
            ] {
                assert!(
                    line[field].as_str().is_none_or(|at| at < "2026-03-02"),
                    "{field} of {line}"
                );
            }
        }
        assert!(
            comments
                .iter()
                .all(|line| line["commentDate"].as_str().unwrap() < "2026-03-02")
        );
    }

    #[test]
    fn some_lie_in_the_trash_and_were_deleted_within_its_thirty_days() {
        let (incidents, _) = everything();
        let deleted: Vec<_> = incidents
            .iter()
            .filter_map(|line| line["deletedDate"].as_str())
            .collect();
        assert!(!deleted.is_empty());
        assert!(deleted.iter().all(|at| *at > "2026-01-31"), "{deleted:?}");
    }

    #[test]
    fn replies_stand_one_level_below_the_comment_they_answer() {
        let (_, comments) = everything();
        for line in &comments {
            let level = line["parentId"].as_u64().map_or(0, |parent| {
                comments[usize::try_from(parent).unwrap() - 1]["level"]
                    .as_u64()
                    .unwrap()
                    + 1
            });
            assert_eq!(line["level"], level);
        }
    }
}
