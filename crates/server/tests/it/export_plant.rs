//! A random plant: every field filled or omitted, and difficult texts. Small, and different each time.

use std::fmt::Write as _;

use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::import_folder::Folder;

/// Texts with what JSON, lines, CSV and SQL treat in a way of their own.
const TEXTS: [&str; 12] = [
    "plain",
    "",
    " spaces at both ends ",
    "quote \" and ' and back\\slash \\u0041",
    "two\nlines\r\nand a tab\t",
    "a,b;c",
    "Støperi, 名前 🏭",
    "right\u{202e}left\u{200f}",
    "line\u{2028}separator\u{2029}",
    "\u{1}\u{1f}\u{7f}\u{80}",
    "\u{10ffff}\u{feff}\u{fffd}",
    "e\u{301} and é",
];

/// The records, as lines of an import.
pub struct Plant {
    rng: Rng,
    folder: Folder,
}

/// An object that gets some of its fields.
struct Line<'r> {
    rng: &'r mut Rng,
    fields: Map<String, Value>,
}

impl Line<'_> {
    fn set(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// In about half of the lines.
    fn may(&mut self, name: &str, value: impl FnOnce(&mut Rng) -> Value) -> &mut Self {
        match self.rng.u8(..4) {
            0 => self.set(name, Value::Null),
            1 => self,
            _ => {
                let value = value(self.rng);
                self.set(name, value)
            }
        }
    }

    fn texts(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            self.may(name, |rng| text(rng).into());
        }
        self
    }

    fn instants(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            self.may(name, |rng| instant(rng).into());
        }
        self
    }

    fn numbers(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            self.may(name, real);
        }
        self
    }

    fn ints(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            self.may(name, |rng| rng.i32(..).into());
        }
        self
    }

    fn flags(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            self.may(name, |rng| rng.bool().into());
        }
        self
    }

    fn word(&mut self, name: &str, words: &[&str]) -> &mut Self {
        self.may(name, |rng| words[rng.usize(..words.len())].into())
    }

    fn one_of(&mut self, name: &str, ids: &[i32]) -> &mut Self {
        self.may(name, |rng| ids[rng.usize(..ids.len())].into())
    }

    fn user(&mut self, name: &str) -> &mut Self {
        self.may(name, |rng| USERS[rng.usize(..USERS.len())].into())
    }

    fn end(&mut self) -> Value {
        Value::Object(std::mem::take(&mut self.fields))
    }
}

fn text(rng: &mut Rng) -> String {
    let mut text = TEXTS[rng.usize(..TEXTS.len())].to_owned();
    if rng.bool() {
        text.push_str(TEXTS[rng.usize(..TEXTS.len())]);
    }
    text
}

/// Up to now, to the tick, in any century.
fn instant(rng: &mut Rng) -> String {
    let year = rng.i32(1..2025);
    let (month, day, hour) = (rng.u8(1..13), rng.u8(1..29), rng.u8(..24));
    let fraction = [0, 1, 5_000_000, 1_234_567][rng.usize(..4)];
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:59:00.{fraction:07}Z")
}

fn real(rng: &mut Rng) -> Value {
    let edges = [
        0.0,
        -0.0,
        0.1,
        -1.5,
        1e308,
        5e-324,
        123_456_789_012_345_680.0,
        0.300_000_000_000_000_04,
        1e21,
        -1e-7,
    ];
    match rng.bool() {
        true => edges[rng.usize(..edges.len())].into(),
        false => ((rng.f64() - 0.5) * 10f64.powi(rng.i32(-20..20))).into(),
    }
}

/// Ids of users, in the order of their code points.
const USERS: [&str; 4] = ["A", "a b", "u-1", "ø"];
const AREAS: [i32; 3] = [-5, 0, 2_147_483_647];
const PROJECTS: [i32; 2] = [1, 8];
const GROUPS: [i32; 4] = [-1, 1, 2, 300];
const DATASOURCES: [i32; 3] = [3, 4, 5];

impl Plant {
    /// A folder with this many incidents, and the rest in proportion.
    pub fn write(seed: u64, incidents: i32) -> Folder {
        let mut plant = Plant {
            rng: Rng::with_seed(seed),
            folder: Folder::empty(),
        };
        plant.organisation();
        plant.types();
        plant.incidents(incidents);
        plant.improvements(incidents / 2);
        plant.tasks(incidents);
        plant.task_comments(incidents);
        plant.attachments(incidents);
        plant.values(incidents * 3);
        plant.folder
    }

    fn file<I>(&mut self, name: &str, ids: I, mut line: impl FnMut(&mut Line<'_>, I::Item) -> Value)
    where
        I: IntoIterator,
    {
        let mut lines = String::new();
        let mut ids: Vec<_> = ids.into_iter().collect();
        self.rng.shuffle(&mut ids);
        for id in ids {
            let mut empty = Line {
                rng: &mut self.rng,
                fields: Map::new(),
            };
            writeln!(lines, "{}", line(&mut empty, id)).expect("a String takes all");
        }
        self.folder.write(name, lines);
    }

    fn organisation(&mut self) {
        self.file(
            "projects.jsonl",
            (0..).zip(PROJECTS),
            |line, (place, id)| {
                let name = text(line.rng);
                let milestones = part(line, place * 10..place * 10 + 3, |line, id| {
                    let name = format!("m{}", text(line.rng));
                    line.set("id", id)
                        .set("name", name)
                        .instants(&["plannedDate", "actualDate"])
                        .end()
                });
                let members: Vec<Value> = USERS
                    .iter()
                    .filter(|_| line.rng.bool())
                    .map(|user| json!({"userId": user, "role": "Viewer"}))
                    .collect();
                line.set("id", id)
                    .set("name", name)
                    .set("milestones", milestones)
                    .set("members", members)
                    .may("projectNumber", |rng| format!("{id} {}", text(rng)).into())
                    .texts(&[
                        "status",
                        "externalId",
                        "description",
                        "customerNumber",
                        "customerName",
                    ])
                    .instants(&[
                        "createdDate",
                        "startDate",
                        "endDate",
                        "estimatedStartDate",
                        "estimatedEndDate",
                    ])
                    .end()
            },
        );
        self.file("areas.jsonl", AREAS, |line, id| {
            let name = text(line.rng);
            line.set("id", id)
                .set("name", name)
                .texts(&["description"])
                .end()
        });
        self.file("groups.jsonl", GROUPS, |line, id| {
            let kinds = ["GENERAL", "BUSINESSUNIT", "PROJECT", "CUSTOMIZED"];
            let kind = kinds[line.rng.usize(..4)];
            let below: Vec<i32> = GROUPS.into_iter().filter(|other| *other < id).collect();
            if !below.is_empty() {
                line.one_of("parentId", &below);
            }
            line.set("id", id)
                .set("type", kind)
                .texts(&["name", "description", "externalId", "externalName"])
                .flags(&["isSystemGroup", "isMember"])
                .ints(&["level", "sortOrder", "businessUnitId", "projectId"])
                .end()
        });
        self.file("users.jsonl", USERS, |line, id| {
            let (user, display) = (text(line.rng), text(line.rng));
            line.may("groups", |rng| {
                json!(GROUPS.iter().filter(|_| rng.bool()).collect::<Vec<_>>())
            });
            line.set("id", id)
                .set("userName", user)
                .set("displayName", display)
                .texts(&["email"])
                .end()
        });
        self.file("boards.jsonl", 0..6, |line, id| {
            for field in ["rows", "columns"] {
                let rows: Vec<Value> = (0..line.rng.i32(0..4))
                    .map(|id| row(line.rng, id))
                    .collect();
                line.set(field, rows);
            }
            line.set("id", id)
                .texts(&["name", "description"])
                .word(
                    "boardType",
                    &["Weekly", "Kanban", "SmartActionList", "Yearly"],
                )
                .flags(&["isPublic", "isMember"])
                .one_of("groupId", &GROUPS)
                .ints(&["businessUnitId", "projectId"])
                .end()
        });
    }

    /// Two types; the ids of the parts of the second are those of the first and 100.
    fn types(&mut self) {
        let lists = [(9, "Machines"), (10, "of no field")];
        self.file("data_lists.jsonl", lists, |line, (id, name)| {
            let items = part(line, id * 10..id * 10 + 4, |line, id| {
                let identifier = format!("{id}{}", text(line.rng));
                line.set("id", id)
                    .set("identifier", identifier)
                    .ints(&["sortOrder"])
                    .texts(&["name"])
                    .end()
            });
            line.set("id", id)
                .set("name", name)
                .set("items", items)
                .texts(&["description"])
                .instants(&["lastModified"])
                .user("lastModifiedByUserId")
                .end()
        });
        self.file("incident_types.jsonl", [1, 2], |line, id| {
            let from = id * 100;
            let ids = move |count: i32| (from..from + count).rev();
            let named = |line: &mut Line<'_>, id: i32, more: &[&str]| {
                let title = text(line.rng);
                line.set("id", id).set("title", title).texts(more).end()
            };
            let nested = |line: &mut Line<'_>, id: i32| {
                if id > from {
                    line.may("parentId", |_| (id - 1).into());
                }
                let order = line.rng.i32(-3..3);
                line.set("sortOrder", order);
                named(line, id, &["description"])
            };
            let categories = part(line, ids(4), nested);
            let causes = part(line, ids(3), |line, id| {
                line.may("sortOrder", |rng| rng.i32(..).into());
                named(line, id, &["description"])
            });
            let consequences = part(line, ids(3), |line, id| named(line, id, &["unit"]));
            let fields = part(line, ids(3), |line, id| {
                let label = text(line.rng);
                line.set("id", id).set("label", label).set("type", "text");
                line.may("sortOrder", |rng| rng.i32(..).into());
                // The first draws from a list.
                if id == from {
                    line.set("dataListId", 9);
                }
                line.flags(&["isMandatory"]).end()
            });
            let mut translations = Map::new();
            for tag in ["nb", "nb-NO", "de"] {
                let words = part(line, ids(2), |line, id| {
                    line.set("id", id).texts(&["title", "description"]).end()
                });
                let labels = part(line, ids(2), |line, id| {
                    line.set("id", id).texts(&["label"]).end()
                });
                line.texts(&["title", "description"])
                    .set("categories", words.clone())
                    .set("causes", words.clone())
                    .set("consequences", words)
                    .set("customFields", labels);
                translations.insert(tag.to_owned(), line.end());
            }
            line.set("categories", categories)
                .set("causes", causes)
                .set("consequences", consequences)
                .set("customFields", fields)
                .set("translations", translations);
            named(line, id, &["description"])
        });
    }

    fn incidents(&mut self, count: i32) {
        self.file("incidents.jsonl", 1..=count, |line, id| {
            let kind = line.rng.i32(1..3);
            for field in ["categories", "causes"] {
                let ids = part(line, some(kind, 3), |line, id| line.set("id", id).end());
                line.set(field, ids);
            }
            let consequences = part(line, some(kind, 3), |line, id| {
                line.set("id", id).numbers(&["amount"]).end()
            });
            let fields = part(line, some(kind, 3), |line, id| {
                line.set("id", id)
                    .texts(&["value", "dataListValue"])
                    .instants(&["registrationDate"])
                    .end()
            });
            let title = format!("t{}", text(line.rng));
            let day = format!("{:04}-02-28", line.rng.i32(0..9999));
            line.set("id", id)
                .set("incidentTypeId", kind)
                .set("title", title)
                .set("incidentDate", day)
                .set("consequences", consequences)
                .set("customFields", fields)
                .texts(&["text", "reportedBy", "evaluationText", "externalId"])
                .word("status", &["New", "InProgress", "Resolved", "Rejected"])
                .word("severity", &["None", "Low", "Medium", "High"])
                .word("evaluationStatus", &["Medium", "Good", "Bad"])
                .one_of("projectId", &PROJECTS)
                .one_of("areaId", &AREAS)
                .one_of("reportedByGroupId", &GROUPS)
                .one_of("followUpGroupId", &GROUPS)
                .user("reportedByUserId")
                .user("responsibleUserId")
                .user("lastModifiedByUserId")
                .may("latitude", |rng| (rng.f64() * 180.0 - 90.0).into())
                .may("longitude", |rng| (rng.f64() * 360.0 - 180.0).into())
                .may("accuracyInMeters", |rng| (rng.f64() * 1e4).into())
                .flags(&["isAnonymous"])
                .ints(&["numberOfActions", "numberOfAttachments"])
                .instants(&[
                    "reportedDate",
                    "lastModified",
                    "resolvedDate",
                    "dueDate",
                    "deletedDate",
                    "statusModifiedDate",
                    "statusNewDate",
                    "statusInProgressDate",
                    "statusRejectedDate",
                    "archivedDate",
                ])
                .end()
        });
        // Each third comment answers the one before it, of the same incident.
        self.file("incident_comments.jsonl", 0..count * 3, |line, id| {
            let comment = text(line.rng);
            let at = instant(line.rng);
            if id % 3 != 0 {
                line.may("parentId", |_| (id - 1).into());
            }
            line.set("id", id)
                .set("incidentId", id / 3 + 1)
                .set("text", comment)
                .set("commentDate", at)
                .texts(&["commentedBy"])
                .user("commentedByUserId")
                .may("level", |rng| rng.i32(0..5).into())
                .end()
        });
    }

    fn improvements(&mut self, count: i32) {
        self.folder.write(
            "improvement_categories.jsonl",
            "{\"id\":1,\"title\":\"Safety\"}\n{\"id\":-3,\"title\":\"\"}\n",
        );
        let stages = [
            "Suggested",
            "Planned",
            "InProgress",
            "Implemented",
            "Evaluated",
            "Open",
            "Archived",
        ];
        self.file("improvements.jsonl", 1..=count, |line, id| {
            let status = stages[line.rng.usize(..stages.len())];
            if status == "Archived" {
                line.word("archivedFrom", &stages[..6]);
            }
            line.set("id", id)
                .set("status", status)
                .word(
                    "priorityStatus",
                    &["NotPrioritized", "HighEffortHighEffect"],
                )
                .word("evaluationStatus", &["Medium", "Good", "Bad"])
                .texts(&[
                    "title",
                    "text",
                    "externalId",
                    "evaluationText",
                    "suggestedBy",
                    "lastModifiedByUserId",
                ])
                .one_of("groupId", &GROUPS)
                .one_of("projectId", &PROJECTS)
                .one_of("categoryId", &[1, -3])
                .user("suggestedByUserId")
                .user("responsibleUserId")
                .instants(&[
                    "suggestionDate",
                    "plannedDate",
                    "inProgressDate",
                    "implementedDate",
                    "evaluatedDate",
                    "archivedDate",
                    "dueDate",
                    "lastModified",
                ])
                .ints(&[
                    "attachmentCount",
                    "actionListCount",
                    "commentCount",
                    "likeCount",
                ])
                .numbers(&[
                    "costOfInvestment",
                    "gainOfInvestment",
                    "costOfInvestmentHours",
                    "gainOfInvestmentHours",
                    "estimatedCostOfInvestment",
                    "estimatedGainOfInvestment",
                    "estimatedCostOfInvestmentHours",
                    "estimatedGainOfInvestmentHours",
                ])
                .end()
        });
    }

    /// Each third comment answers the one before it, on the same task.
    fn task_comments(&mut self, count: i32) {
        self.file("task_comments.jsonl", 0..count * 3, |line, id| {
            let comment = format!("c{}", text(line.rng));
            let at = instant(line.rng);
            if id % 3 != 0 {
                line.may("parentId", |_| (id - 1).into());
            }
            line.set("id", id)
                .set("taskId", id / 3)
                .set("text", comment)
                .set("commentDate", at)
                .texts(&["commentedBy"])
                .user("commentedByUserId")
                .may("level", |rng| rng.i32(0..5).into())
                .end()
        });
    }

    /// Each third task is a part of the one before it.
    fn attachments(&mut self, incidents: i32) {
        let mut contents = Vec::new();
        self.file("attachments.jsonl", 1..incidents, |line, id| {
            let (extension, content) = match line.rng.u8(..3) {
                0 => (
                    "txt",
                    text(line.rng).replace(char::is_control, "-").into_bytes(),
                ),
                1 => ("ZIP", [b"PK\x05\x06", &[0; 18][..]].concat()),
                _ => {
                    let pixels = (0..line.rng.usize(..3_000)).map(|_| line.rng.u8(..));
                    (
                        "jpeg",
                        [0xFF, 0xD8, 0xFF].into_iter().chain(pixels).collect(),
                    )
                }
            };
            // An empty text is no file.
            let content = match content.is_empty() {
                true => b"-".to_vec(),
                false => content,
            };
            contents.push((format!("{id}.{}", extension.to_lowercase()), content));
            match line.rng.bool() {
                true => line.set("incidentId", id),
                false => line.set("taskId", id),
            };
            line.set("id", id)
                .set("name", format!("Å {id}.a"))
                .set("fileExtension", extension)
                .may("fileId", |_| format!("f-{id}").into())
                .user("createdByUserId");
            let date = instant(line.rng);
            line.set("createdDate", date).end()
        });
        for (name, content) in contents {
            self.folder.write_content(&name, content);
        }
    }

    fn tasks(&mut self, count: i32) {
        self.file("tasks.jsonl", 0..count * 3, |line, id| {
            let title = format!("t{}", text(line.rng));
            // The incident of all three.
            let incident = id / 3;
            if incident > 0 {
                line.set("incidentId", incident);
            }
            if id % 3 == 2 {
                line.set("parentId", id - 1);
            }
            if line.rng.bool() {
                line.set("boardId", id % 6)
                    .ints(&["rowCategoryId", "columnCategoryId"]);
            }
            line.set("id", id)
                .set("title", title)
                .word("status", &["NotStarted", "Completed", "Blocked"])
                .one_of("projectId", &PROJECTS)
                .user("responsibleUserId")
                .user("lastModifiedByUserId")
                .instants(&["startDate", "dueDate", "lastModified"])
                .texts(&["description", "externalId", "color"])
                .may("tags", |rng| {
                    let tags = (0..rng.usize(..4)).map(|_| format!("t{}", text(rng)));
                    tags.collect::<Vec<_>>().into()
                })
                .end()
        });
    }

    fn values(&mut self, count: i32) {
        let kinds = [
            "area",
            "asset",
            "board",
            "bool",
            "description",
            "list",
            "number",
            "project",
            "text",
            "user",
        ];
        self.file("datasources.jsonl", DATASOURCES, |line, id| {
            let elements = part(line, 0..id - 3, |line, id| {
                let kind = kinds[line.rng.usize(..kinds.len())];
                let key = format!("{}{id}", text(&mut Rng::with_seed(7)));
                match line.rng.u8(..3) {
                    0 => line.set("id", key),
                    1 => line.set("id", id),
                    _ => line.set("id", id).set("key", key),
                }
                .set("type", kind)
                .texts(&["label", "sourceColumn"])
                .flags(&["isMandatory"])
                .ints(&["dataListId"])
                .end()
            });
            line.set("id", id)
                .set("elements", elements)
                .texts(&[
                    "title",
                    "description",
                    "objectSource",
                    "unitOfTime",
                    "primaryInputSource",
                ])
                .end()
        });
        self.file("datasource_values.jsonl", -2..count, |line, id| {
            let (value, at) = (real(line.rng), instant(line.rng));
            let datasource = DATASOURCES[line.rng.usize(..2)];
            line.set("id", id)
                .set("dataSourceId", datasource)
                .set("value", value)
                .set("valueDate", at)
                .instants(&["registrationDate"])
                .ints(&["areaId", "assetId", "projectId"])
                .texts(&[
                    "description",
                    "dimension",
                    "dimension2",
                    "dimension3",
                    "dimension4",
                    "externalId",
                ])
                .end()
        });
    }
}

/// The ids of some parts of a type.
fn some(kind: i32, count: i32) -> impl Iterator<Item = i32> {
    let mut rng = Rng::new();
    (kind * 100..kind * 100 + count).filter(move |_| rng.bool())
}

/// Objects within a line.
fn part<T>(
    line: &mut Line<'_>,
    ids: impl Iterator<Item = T>,
    mut each: impl FnMut(&mut Line<'_>, T) -> Value,
) -> Vec<Value> {
    ids.map(|id| {
        let mut inner = Line {
            rng: line.rng,
            fields: Map::new(),
        };
        each(&mut inner, id)
    })
    .collect()
}

fn row(rng: &mut Rng, id: i32) -> Value {
    let mut line = Line {
        rng,
        fields: Map::new(),
    };
    line.set("id", id)
        .texts(&["name", "weekDay", "style"])
        .flags(&["isColumnCategory"])
        .ints(&["sortOrder"])
        .user("responsibleUserId")
        .end()
}
