//! Hundreds of improvements, from the first idea to the evaluation.

use serde_json::{Value, json};
use std::io;

use crate::calendar::{Calendar, DAYS};
use crate::dice::{Dice, rounded};
use crate::folder::Folder;
use crate::plant::Plant;

const IMPROVEMENTS: usize = 640;

const CATEGORIES: [&str; 6] = [
    "Safety",
    "Quality",
    "Delivery",
    "Kostnad",
    "Arbeidsmiljø",
    "Energy",
];

const TITLES: [&str; 24] = [
    "Shadow board for gauges at the measuring room",
    "Skinne for jekketralle ved linje 5",
    "Quick clamp instead of six bolts on press P3",
    "Absaugung an Schleifmaschine S11 verlegen",
    "Colour code for coolant concentrations",
    "Kanban for cutting inserts",
    "Vannlås med sensor på vaskeanlegget",
    "LED light above test bench 2",
    "Shut off furnace O-2 over the weekend by timer",
    "One-page standard for changeover on line 3",
    "Trinnløs vogn for girhus, ingen løft over 15 kg",
    "Poka-yoke for the gasket: pin in the fixture",
    "Compressed air: find and mend leaks each quarter",
    "Andon lamp visible from the crane",
    "Messprogramm für Zahnprofil zusammenfassen",
    "Merkede gangveier mellom hall A og B",
    "Return boxes from Göppingen in place of cardboard",
    "Torque values on the screen at assembly",
    "Spare drives for the hobbing machines in stock",
    "Felles morgenmøte for tre skift, 7 minutter",
    "Label printer at goods receipt",
    "Wózek na narzędzia przy linii 4",
    "Preheat housings to shorten the press-in",
    "Opplæringsvideo: bytte av slipeskive",
];

const TEXTS: [&str; 6] = [
    "Today we look for it twice a shift. A fixed place with an outline costs little.",
    "Vi bruker ti minutter hver gang. Med dette går det på ett.",
    "Same fault three times this quarter; the check sheet does not catch it.",
    "Idee aus dem Morgenrundgang, mit Instandhaltung besprochen.",
    "Tested on the evening shift for a week: no stops.",
    "Needs a drawing change; engineering has agreed in principle.",
];

const TEAMS: [usize; 10] = [2, 4, 5, 6, 7, 8, 12, 15, 16, 23];

/// Stages, and the field that holds the day each was entered.
const STAGES: [(&str, &str); 5] = [
    ("Suggested", "suggestionDate"),
    ("Planned", "plannedDate"),
    ("InProgress", "inProgressDate"),
    ("Implemented", "implementedDate"),
    ("Evaluated", "evaluatedDate"),
];

/// Writes `improvements.jsonl`; the id of the newest improvement that is implemented and not yet evaluated.
pub(crate) fn write(folder: &Folder, plant: &Plant, calendar: Calendar) -> io::Result<i32> {
    let mut dice = Dice::new(4);
    let lines: Vec<Value> = (1..=IMPROVEMENTS)
        .map(|id| improvement(id, plant, calendar, &mut dice))
        .collect();
    let implemented = lines
        .iter()
        .rfind(|line| line["status"] == "Implemented")
        .and_then(|line| i32::try_from(line["id"].as_i64()?).ok());
    folder.lines("improvements", lines)?;
    implemented.ok_or_else(|| io::Error::other("no improvement waits for its evaluation"))
}

fn improvement(id: usize, plant: &Plant, calendar: Calendar, dice: &mut Dice) -> Value {
    // Ideas come faster as people see that something becomes of them.
    let spread =
        i64::from(DAYS) * i64::try_from(id).unwrap_or(0) / i64::try_from(IMPROVEMENTS).unwrap_or(1);
    let suggested =
        i32::try_from((spread + dice.between(-20, 20)).clamp(0, i64::from(DAYS) - 2)).unwrap_or(0);
    let team = *dice.pick(&TEAMS);
    let people = plant.members(team);
    let author = dice.pick(&people);
    let responsible = (dice.chance(80)).then(|| *dice.pick(&people));
    let category = usize::try_from(dice.between(0, 5)).unwrap_or(0);

    let mut dates = serde_json::Map::new();
    let (mut stage, mut day) = (0, suggested);
    loop {
        dates.insert(
            STAGES[stage].1.to_owned(),
            json!(calendar.at(day, 9 * 60 + 10)),
        );
        let next = day + i32::try_from(dice.between(4, 45)).unwrap_or(4);
        // Not every suggestion is implemented; most of the started ones are finished.
        let goes_on = dice.chance(if stage == 0 { 72 } else { 94 });
        if stage + 1 == STAGES.len() || next >= DAYS || !goes_on {
            break;
        }
        (stage, day) = (stage + 1, next);
    }
    let age = DAYS - day;
    let mut status = STAGES[stage].0;
    if age > 120 && (stage == 0 || stage == 4) && dice.chance(55) {
        status = "Archived";
        day += i32::try_from(dice.between(60, 110)).unwrap_or(60);
        dates.insert("archivedDate".to_owned(), json!(calendar.at(day, 15 * 60)));
    } else if stage == 0 && dice.chance(12) {
        status = "Open";
        dates.clear();
    }

    let cost = rounded(dice.around(9_000.0, 4_000.0).abs(), 0);
    let gain = cost * rounded(dice.around(2.6, 1.1).abs(), 2);
    let known = stage >= 3;
    let mut line = json!({
        "id": id, "status": status, "title": TITLES[id % TITLES.len()], "text": dice.pick(&TEXTS),
        "priorityStatus": dice.weighted(&[
            ("LowEffortHighEffect", 30), ("HighEffortHighEffect", 22), ("LowEffortLowEffect", 18), ("HighEffortLowEffect", 6),
            ("NotPrioritized", 24),
        ]),
        "groupId": team + 1, "categoryId": category + 1, "category": CATEGORIES[category],
        "projectId": dice.chance(15).then(|| dice.between(1, 4)),
        "suggestedByUserId": author.id, "responsibleUserId": responsible.map(|user| &user.id),
        "lastModified": calendar.at(day, 15 * 60 + 5), "lastModifiedByUserId": author.id,
        "dueDate": calendar.at(suggested + 90, 12 * 60),
        "likeCount": dice.between(0, 14), "commentCount": dice.between(0, 9), "actionListCount": dice.between(0, 4), "attachmentCount": dice.between(0, 3),
        "estimatedCostOfInvestment": rounded(cost, 0), "estimatedGainOfInvestment": rounded(gain, 0),
        "estimatedCostOfInvestmentHours": dice.between(2, 60), "estimatedGainOfInvestmentHours": dice.between(5, 240),
        "costOfInvestment": known.then(|| rounded(cost * dice.around(1.1, 0.15), 0)),
        "gainOfInvestment": (stage == 4).then(|| rounded(gain * dice.around(0.9, 0.2), 0)),
        "costOfInvestmentHours": known.then(|| dice.between(2, 80)),
        "gainOfInvestmentHours": (stage == 4).then(|| dice.between(5, 260)),
        "evaluationStatus": (stage == 4).then(|| dice.weighted(&[("Good", 64), ("Medium", 27), ("Bad", 9)])),
        "evaluationText": (stage == 4).then_some("Checked on the gemba after three months."),
        "externalId": dice.chance(10).then(|| format!("KVP-{id:04}")),
    });
    if let Some(fields) = line.as_object_mut() {
        fields.append(&mut dates);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn dates_stand_in_the_order_of_the_stages_and_end_with_the_one_reached() {
        let (plant, calendar, mut dice) = (
            Plant::new(),
            Calendar::ending(date(2026, 3, 1)),
            Dice::new(4),
        );
        for id in 1..=IMPROVEMENTS {
            let line = improvement(id, &plant, calendar, &mut dice);
            let dates: Vec<_> = STAGES
                .iter()
                .map_while(|(_, field)| line[*field].as_str())
                .collect();
            assert!(dates.is_sorted(), "{line}");
            match line["status"].as_str().unwrap() {
                "Archived" => assert!(
                    line["archivedDate"].as_str().unwrap() > dates[dates.len() - 1],
                    "{line}"
                ),
                "Open" => assert!(dates.is_empty(), "{line}"),
                status => assert_eq!(STAGES[dates.len() - 1].0, status),
            }
            assert!(
                line["lastModified"].as_str().unwrap() < "2026-03-02",
                "{line}"
            );
        }
    }
}
