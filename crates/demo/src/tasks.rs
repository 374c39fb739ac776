//! Tasks of boards, projects and incidents, some with parts.

use serde_json::{Value, json};
use std::io;

use crate::calendar::{Calendar, DAYS};
use crate::dice::Dice;
use crate::folder::Folder;
use crate::incidents::INCIDENTS;
use crate::plant::{PROJECTS, Plant};

const TITLES: [&str; 16] = [
    "Order a spare clamp",
    "Merke gangvei ved port 3",
    "Calibrate the gauge at station 4",
    "Prüfplan für Zahnprofil anpassen",
    "Oil the guides of press P3",
    "Oppdatere opplæringsplan for skift 2",
    "Ask the supplier for a quick exchange",
    "Clean the coolant filter",
    "Kontrolować momenty dokręcania",
    "Print the new changeover standard",
    "Bytte lyspærer i målerommet",
    "Walk the line with maintenance",
    "Rüstzeit messen, drei Schichten",
    "Replace the worn fixture",
    "Book the forklift course",
    "Move the scrap bin closer",
];

const TAGS: [&str; 5] = ["5S", "safety", "opplæring", "maintenance", "quick win"];

/// The colours of the notes on the boards; a part has none.
const COLORS: [&str; 4] = ["#F2C94C", "#6FCF97", "#56CCF2", "#EB5757"];

/// Tasks of a board, of a project, and parts of each fourth task of a board.
const PER_BOARD: usize = 8;
const PER_PROJECT: usize = 5;
const PARTS: usize = 2;

/// Writes `tasks.jsonl`.
pub(crate) fn write(folder: &Folder, plant: &Plant, calendar: Calendar) -> io::Result<()> {
    let mut dice = Dice::new(8);
    let mut tasks: Vec<Value> = Vec::new();
    let mut add = |place: Value, group: usize| {
        let id = tasks.len() + 1;
        tasks.push(task(id, place, group, plant, calendar, &mut dice));
        id
    };
    for board in plant.boards() {
        let group = board["groupId"].as_u64().unwrap_or(1) - 1;
        let group = usize::try_from(group).unwrap_or(0);
        let line = |axis: &str, nth: usize| {
            let lines = board[axis].as_array().map_or(&[][..], Vec::as_slice);
            let of = lines.len().max(1);
            lines.get(nth % of).map(|line| line["id"].clone())
        };
        for nth in 0..PER_BOARD {
            let place = json!({
                "boardId": board["id"], "rowCategoryId": line("rows", nth), "columnCategoryId": line("columns", nth / 2),
                "color": COLORS[nth % COLORS.len()],
            });
            let id = add(place, group);
            if nth % 4 == 0 {
                for _ in 0..PARTS {
                    add(json!({"parentId": id, "boardId": board["id"]}), group);
                }
            }
        }
    }
    for (project, (_, group)) in (1..).zip(PROJECTS) {
        for _ in 0..PER_PROJECT {
            add(json!({"projectId": project}), group);
        }
    }
    for incident in (1..=INCIDENTS).step_by(9) {
        add(json!({"incidentId": incident}), incident % 8);
    }
    folder.lines("tasks", tasks)
}

fn task(
    id: usize,
    place: Value,
    group: usize,
    plant: &Plant,
    calendar: Calendar,
    dice: &mut Dice,
) -> Value {
    let day = i32::try_from(dice.between(i64::from(DAYS) - 90, i64::from(DAYS) - 2)).unwrap_or(0);
    let people = plant.members(group);
    let responsible = (!people.is_empty() && dice.chance(85)).then(|| *dice.pick(&people));
    let is_due = dice.chance(80);
    let weeks = i32::try_from(dice.between(1, 6)).unwrap_or(1);
    let status = dice.weighted(&[("NotStarted", 45), ("Completed", 45), ("Blocked", 10)]);
    let tags: Vec<_> = TAGS.iter().filter(|_| dice.chance(15)).collect();
    let mut line = json!({
        "id": id, "title": TITLES[id % TITLES.len()], "status": status, "tags": tags,
        "responsibleUserId": responsible.map(|user| &user.id), "lastModifiedByUserId": responsible.map(|user| &user.id),
        "startDate": calendar.at(day, 7 * 60), "dueDate": is_due.then(|| calendar.at(day + 7 * weeks, 15 * 60)),
        "lastModified": calendar.at(day, 11 * 60),
    });
    if let (Some(line), Value::Object(place)) = (line.as_object_mut(), place) {
        line.extend(place);
    }
    line
}
