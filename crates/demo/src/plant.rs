//! The plant itself: areas, groups, people, projects, boards and data lists.
//!
//! The records are listed here. Other parts of the demo refer to them by position; ids are the position plus
//! one.

use serde_json::{Value, json};
use std::io;

use crate::calendar::{Calendar, DAYS};
use crate::dice::Dice;
use crate::folder::Folder;

/// The areas: name and description.
pub(crate) const AREAS: [(&str, &str); 12] = [
    ("Foundry", "Melting, casting and shake-out"),
    ("Machining hall A", "Lines 1 and 2: housings"),
    ("Machining hall B", "Lines 3 and 4: shafts and gears"),
    ("Heat treatment", "Hardening and tempering furnaces"),
    ("Surface treatment", "Blasting, washing, painting"),
    ("Assembly", "Lines 5 and 6: final assembly"),
    ("Test bench", "Run-in and leak test"),
    ("Goods receipt", "Gate 1 and incoming inspection"),
    ("Finished goods store", "High-bay racking and dispatch"),
    ("Tool room", "Tool setting and regrinding"),
    ("Utilities", "Compressed air, cooling water, energy"),
    ("Kontorbygg Øst", "Planning, purchasing, HR"),
];

/// A group: name, type, the position of its parent, description.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    kind: &'static str,
    parent: Option<usize>,
    description: &'static str,
}

const fn group(
    name: &'static str,
    kind: &'static str,
    parent: Option<usize>,
    description: &'static str,
) -> Group {
    Group {
        name,
        kind,
        parent,
        description,
    }
}

/// The tree of groups.
pub(crate) const GROUPS: [Group; 24] = [
    group("Fjordvik Gear", "BUSINESSUNIT", None, "The whole plant"),
    group(
        "Production",
        "GENERAL",
        Some(0),
        "Everything that touches the product",
    ),
    group("Casting", "GENERAL", Some(1), "Foundry crew, three shifts"),
    group("Machining", "GENERAL", Some(1), "Halls A and B"),
    group("Machining day shift", "GENERAL", Some(3), "06:00 to 14:00"),
    group(
        "Machining evening shift",
        "GENERAL",
        Some(3),
        "14:00 to 22:00",
    ),
    group(
        "Machining night shift",
        "GENERAL",
        Some(3),
        "22:00 to 06:00",
    ),
    group(
        "Heat and surface",
        "GENERAL",
        Some(1),
        "Hardening, blasting, painting",
    ),
    group(
        "Assembly and test",
        "GENERAL",
        Some(1),
        "Lines 5 and 6, test bench",
    ),
    group(
        "Maintenance",
        "GENERAL",
        Some(0),
        "Mechanics, electricians, automation",
    ),
    group(
        "Electrical and automation",
        "GENERAL",
        Some(9),
        "Drives, PLCs, robots",
    ),
    group(
        "Mechanical",
        "GENERAL",
        Some(9),
        "Hydraulics, bearings, cranes",
    ),
    group(
        "Quality",
        "GENERAL",
        Some(0),
        "Measuring room, complaints, suppliers",
    ),
    group(
        "Helse, miljø og sikkerhet",
        "GENERAL",
        Some(0),
        "HSE for the whole plant",
    ),
    group(
        "Supply chain",
        "GENERAL",
        Some(0),
        "Planning, purchasing, stores",
    ),
    group(
        "Stores and dispatch",
        "GENERAL",
        Some(14),
        "Goods in and goods out",
    ),
    group(
        "Continuous improvement",
        "GENERAL",
        Some(0),
        "Coaches and improvement leads",
    ),
    group("Engineering", "GENERAL", Some(0), "Product and process"),
    group("Leadership team", "CUSTOMIZED", Some(0), "Weekly obeya"),
    group(
        "Safety representatives",
        "CUSTOMIZED",
        Some(13),
        "Verneombud, one from each area",
    ),
    group("Project Nordlys", "PROJECT", Some(0), "New gear family"),
    group(
        "Project Zero Scrap",
        "PROJECT",
        Some(0),
        "Scrap below 1.5 %",
    ),
    group(
        "Project Energi 2030",
        "PROJECT",
        Some(0),
        "A third less energy for each gear",
    ),
    group(
        "Werk Süd",
        "BUSINESSUNIT",
        Some(0),
        "The assembly shop in Göppingen",
    ),
];

/// Projects: name, and the position of the responsible group.
pub(crate) const PROJECTS: [(&str, usize); 4] = [
    ("Nordlys", 20),
    ("Zero Scrap", 21),
    ("Energi 2030", 22),
    ("SMED på linje 3", 4),
];

/// Milestones of each project.
const MILESTONES: [&str; 3] = ["Pilot line chosen", "Trial finished", "Handed over"];

/// Data lists: name, description and items.
const DATA_LISTS: [(&str, &str, &[&str]); 2] = [
    (
        "Shifts",
        "Shifts of all lines",
        &["Early", "Late", "Night", "Weekend"],
    ),
    (
        "Reasons of downtime",
        "What stops a line",
        &[
            "Breakdown",
            "Changeover",
            "No material",
            "No operator",
            "Planned stop",
        ],
    ),
];

const GIVEN: [&str; 32] = [
    "Ingrid",
    "Øyvind",
    "Åse",
    "Bjørn",
    "Kjersti",
    "Lars",
    "Marit",
    "Sindre",
    "Katarzyna",
    "Paweł",
    "Zofia",
    "Tomasz",
    "Jürgen",
    "Heike",
    "Günther",
    "Anneliese",
    "Nguyễn",
    "Linh",
    "Amina",
    "Yusuf",
    "Fatma",
    "Emre",
    "Oluwaseun",
    "Chiamaka",
    "Jūratė",
    "Darius",
    "Mehwish",
    "Arjun",
    "Siobhán",
    "Noël",
    "Inês",
    "Håkon",
];

const FAMILY: [&str; 31] = [
    "Sæther",
    "Ødegård",
    "Bakke",
    "Åsheim",
    "Lindström",
    "Haugen",
    "Kowalski",
    "Wójcik",
    "Zieliński",
    "Müller",
    "Schröder",
    "Weiß",
    "Trần",
    "Phạm",
    "Hassan",
    "Yılmaz",
    "Çelik",
    "Adeyemi",
    "Okafor",
    "Kazlauskas",
    "Petrauskienė",
    "Khan",
    "Sharma",
    "O’Brien",
    "Lefèvre",
    "Gonçalves",
    "Nygård",
    "Strømme",
    "Bjørnstad",
    "Vik",
    "Solberg",
];

/// A person who works at the plant.
pub(crate) struct User {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Positions in [`GROUPS`]; the first is the team the person belongs to.
    pub(crate) groups: Vec<usize>,
}

/// The groups with members of their own, by position.
const TEAMS: [usize; 15] = [2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 23];
/// The groups whose members come from several teams.
const ACROSS: [usize; 5] = [18, 19, 20, 21, 22];

/// The facts about the plant that other parts of the demo need.
pub(crate) struct Plant {
    pub(crate) users: Vec<User>,
}

impl Plant {
    /// Generates the people.
    pub(crate) fn new() -> Self {
        let mut dice = Dice::new(1);
        let users = (0..96)
            .map(|n| {
                let mut groups = vec![TEAMS[n % TEAMS.len()]];
                if dice.chance(25) {
                    groups.push(*dice.pick(&ACROSS));
                }
                // 32 and 31 have no common divisor: no two of the first 992 people share both names.
                let name = format!("{} {}", GIVEN[n % GIVEN.len()], FAMILY[n % FAMILY.len()]);
                User {
                    id: dice.guid(),
                    name,
                    groups,
                }
            })
            .collect();
        Self { users }
    }

    /// People whose team is this group.
    pub(crate) fn members(&self, group: usize) -> Vec<&User> {
        self.users
            .iter()
            .filter(|user| user.groups.contains(&group))
            .collect()
    }

    /// Writes areas, groups, users, projects, boards and data lists.
    pub(crate) fn write(&self, folder: &Folder, calendar: Calendar) -> io::Result<()> {
        folder.lines(
            "areas",
            (1..).zip(AREAS).map(|(id, (name, description))| json!({"id": id, "name": name, "description": description})),
        )?;
        folder.lines(
            "groups",
            GROUPS
                .iter()
                .enumerate()
                .map(|(position, group)| group_line(position, group)),
        )?;
        let users = self.users.iter().enumerate();
        folder.lines(
            "users",
            users.map(|(position, user)| user_line(position, user)),
        )?;
        let projects = (0..).zip(PROJECTS);
        let projects = projects.map(|(place, project)| self.project_line(place, project, calendar));
        folder.lines("projects", projects)?;
        folder.lines("boards", self.boards())?;
        folder.lines("data_lists", (1..).zip(DATA_LISTS).map(data_list_line))
    }

    /// A project of half a year, the next one 170 days later; the last one still runs.
    fn project_line(&self, place: i32, (name, owner): (&str, usize), calendar: Calendar) -> Value {
        let begin = 90 + place * 170;
        let end = begin + 182;
        let is_over = end < DAYS;
        let at = |day: i32| calendar.at(day, 8 * 60);
        let reached = |day: i32| (day < DAYS).then(|| at(day));
        let milestones = (0..).zip(MILESTONES).map(|(nth, name)| {
            let day = begin + 60 * (nth + 1);
            // The second is a week late.
            json!({"id": place * 10 + nth + 1, "name": name, "plannedDate": at(day), "actualDate": reached(day + if nth == 1 { 7 } else { 0 })})
        });
        let members = self.members(owner);
        let members = members.iter().take(6).enumerate().map(|(nth, user)| {
            json!({"userId": user.id, "role": if nth == 0 { "Owner" } else { "Member" }})
        });
        json!({
            "id": place + 1, "name": name, "projectNumber": format!("FV-{}", 101 + place),
            "status": if is_over { "Closed" } else { "Active" }, "createdDate": at(begin - 20),
            "startDate": at(begin), "endDate": is_over.then(|| at(end)),
            "estimatedStartDate": at(begin), "estimatedEndDate": at(end),
            "milestones": milestones.collect::<Vec<_>>(), "members": members.collect::<Vec<_>>(),
        })
    }

    pub(crate) fn boards(&self) -> Vec<Value> {
        let mut dice = Dice::new(2);
        let mut boards = Vec::new();
        let mut line = 0;
        for (position, group) in GROUPS.iter().enumerate() {
            for (kind, title) in board_titles(position) {
                let id = boards.len() + 1;
                let mut lines = |names: &[&str], days: bool| -> Vec<Value> {
                    names
                        .iter()
                        .enumerate()
                        .map(|(order, name)| {
                            line += 1;
                            let people = self.members(position);
                            let responsible = (!days && !people.is_empty()).then(|| *dice.pick(&people));
                            json!({"id": line, "name": name, "weekDay": days.then_some(*name), "isColumnCategory": false,
                                "style": null, "sortOrder": order + 1, "responsibleUserId": responsible.map(|user| &user.id)})
                        })
                        .collect()
                };
                let (rows, columns) = match *kind {
                    "Weekly" => (
                        lines(&["Safety", "Quality", "Delivery", "Cost", "People"], false),
                        lines(
                            &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
                            true,
                        ),
                    ),
                    "Kanban" => (
                        lines(&["Expedite", "Standard"], false),
                        lines(&["Idea", "Next", "Doing", "Done"], false),
                    ),
                    "Yearly" => (
                        lines(&["Breakthroughs", "Projects"], false),
                        lines(&["Q1", "Q2", "Q3", "Q4"], false),
                    ),
                    _ => (Vec::new(), lines(&["Open", "Due", "Closed"], false)),
                };
                boards.push(json!({
                    "id": id, "name": format!("{} – {title}", group.name), "description": group.description, "boardType": kind,
                    "businessUnitId": 1, "isPublic": position % 3 != 2, "groupId": position + 1,
                    "projectId": PROJECTS.iter().position(|(_, owner)| *owner == position).map(|project| project + 1),
                    "rows": rows, "columns": columns,
                }));
            }
        }
        boards
    }
}

fn data_list_line((id, (name, description, items)): (usize, (&str, &str, &[&str]))) -> Value {
    let items = items.iter().enumerate().map(|(place, item)| {
        let order = place + 1;
        json!({"id": id * 100 + order, "sortOrder": order, "identifier": format!("{id}{order:02}"), "name": item})
    });
    json!({"id": id, "name": name, "description": description, "items": items.collect::<Vec<_>>()})
}

fn board_titles(group: usize) -> &'static [(&'static str, &'static str)] {
    match group {
        0 | 18 => &[
            ("Yearly", "strategy"),
            ("Weekly", "obeya"),
            ("SmartActionList", "actions"),
        ],
        20..=22 => &[("Kanban", "project"), ("SmartActionList", "actions")],
        1 | 3 => &[("Weekly", "tier 2")],
        _ if group.is_multiple_of(4) => &[("Weekly", "tier 1"), ("Kanban", "tavle")],
        _ => &[("Weekly", "tier 1")],
    }
}

fn group_line(position: usize, group: &Group) -> Value {
    let project = PROJECTS
        .iter()
        .position(|(_, owner)| *owner == position && group.kind == "PROJECT");
    json!({
        "id": position + 1, "type": group.kind, "name": group.name, "description": group.description,
        "parentId": group.parent.map(|parent| parent + 1), "isSystemGroup": position == 0, "level": level(group),
        "sortOrder": position, "businessUnitId": if position == 23 { 24 } else { 1 }, "projectId": project.map(|project| project + 1),
        "externalId": format!("HR-{:03}", 100 + position), "externalName": "HR",
    })
}

fn level(group: &Group) -> u32 {
    group.parent.map_or(0, |parent| 1 + level(&GROUPS[parent]))
}

fn user_line(position: usize, user: &User) -> Value {
    let mut groups: Vec<Value> = user.groups.iter().map(|group| json!(group + 1)).collect();
    // The first of each team leads it.
    if position < TEAMS.len() {
        groups[0] = json!({"id": user.groups[0] + 1, "role": "Owner"});
    }
    let login: String = user
        .name
        .to_lowercase()
        .chars()
        .map(plain)
        .filter(|c| *c != '\'')
        .collect();
    let (first, last) = user.name.split_once(' ').unwrap_or((&user.name, ""));
    let mut line = json!({
        "id": user.id, "userName": login, "displayName": user.name, "email": format!("{login}@fjordvik.example"),
        "firstName": first, "lastName": last, "businessUnitId": 1,
    });
    if position < TEAMS.len() {
        line["roles"] = json!(["Team leader"]);
    }
    line["groups"] = json!(groups);
    line
}

/// The ASCII letter for this one in a login.
fn plain(letter: char) -> char {
    match letter {
        'å' | 'ä' | 'á' | 'à' | 'ạ' | 'ầ' => 'a',
        'æ' | 'é' | 'è' | 'ë' | 'ê' | 'ė' | 'ễ' => 'e',
        'ø' | 'ö' | 'ó' => 'o',
        'ü' | 'ū' => 'u',
        'ı' => 'i',
        'ł' => 'l',
        'ń' => 'n',
        'ç' => 'c',
        'ß' => 's',
        ' ' => '.',
        '’' => '\'',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_group_has_an_earlier_parent_and_every_person_a_name_of_their_own() {
        for (position, group) in GROUPS.iter().enumerate() {
            assert!(
                group.parent.is_none_or(|parent| parent < position),
                "{}",
                group.name
            );
        }
        let plant = Plant::new();
        let names: HashSet<_> = plant.users.iter().map(|user| &user.name).collect();
        assert_eq!(names.len(), plant.users.len());
    }

    #[test]
    fn logins_are_plain_letters() {
        for (position, user) in Plant::new().users.iter().enumerate() {
            let login = user_line(position, user)["userName"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(
                login.chars().all(|c| c.is_ascii_alphabetic() || c == '.'),
                "{login}"
            );
        }
    }
}
