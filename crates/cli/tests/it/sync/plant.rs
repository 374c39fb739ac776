//! A plant with records in every table, a service on it, and a client with all scopes.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use obeya::Client;
use obeya_testkit::Serving;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::binary::{Done, database, done, obeya, run, serve_new};
use crate::credentials::{ALL, Credentials};
use crate::import::write_lines;

/// The reporter of every anonymous incident, who must not appear in any copy but as a user.
pub const WHISTLER: &str = "Astrid Whistler";

/// The id of a user.
pub const QUOTED: &str = "o'neil \"x\"";

/// A service and its client.
pub struct Plant {
    pub folder: TempDir,
    pub serving: Serving,
    pub credentials: Credentials,
    pub db: String,
}

impl Plant {
    /// With this many incidents and values.
    pub fn new(incidents: i32, values: i32) -> Self {
        let (folder, db) = database();
        write(folder.path(), incidents, values);
        import(&folder.path().join("plant"), &db, "fail");
        let credentials = Credentials::add(&db, &ALL);
        let serving = serve_new(&db, &["--log", "off"]);
        Plant {
            folder,
            serving,
            credentials,
            db,
        }
    }

    pub fn client(&self) -> Client {
        self.credentials.client(&self.serving.url)
    }

    /// The command that updates a copy.
    pub fn command(&self, to: &str, more: &[&str]) -> Command {
        self.command_at(&self.serving.url, to, more)
    }

    /// The same, with another URL of the service.
    pub fn command_at(&self, url: &str, to: &str, more: &[&str]) -> Command {
        let mut command = obeya();
        command
            .args(["sync", "--to", to, "--url", url])
            .args(["--client-id", &self.credentials.id])
            .args(more)
            .env("OBEYA_CLIENT_SECRET", &self.credentials.secret);
        command
    }

    pub fn sync(&self, to: &str, more: &[&str]) -> Done {
        done(&mut self.command(to, more))
    }

    pub fn start_sync(&self, to: &str) -> Child {
        let mut command = self.command(to, &[]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("started")
    }

    /// How often the service has answered an operation with a status of this class.
    pub fn answered(&self, operation: &str, class: &str) -> u64 {
        let figures = ureq::get(format!("{}/metrics", self.serving.url)).call();
        let mut body = figures.expect("answered").into_body();
        let text = body.read_to_string().expect("text");
        let name =
            format!(r#"obeya_http_requests_total{{operation="{operation}",status="{class}"}} "#);
        let figure = text.lines().find_map(|line| line.strip_prefix(&name));
        figure.expect("a figure").parse().expect("a number")
    }

    pub fn file(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        path.to_str().expect("UTF-8").to_owned()
    }

    /// Imports one more file while the service runs.
    pub fn import_more(&self, file: &str, lines: &[Value]) {
        let folder = tempfile::tempdir().expect("a folder");
        write_lines(folder.path(), file, lines);
        import(folder.path(), &self.db, "replace");
    }

    /// Gives a comment on incident 1 the text `Edit` and this number.
    pub fn edit_comment(&self, number: i32) {
        let text = format!("Edit {number}");
        let edited =
            json!({"id": 2, "incidentId": 1, "text": text, "commentDate": "2026-03-02T00:00:01Z"});
        self.import_more("incident_comments.jsonl", &[edited]);
    }
}

fn import(folder: &Path, db: &str, on_conflict: &str) {
    let folder = folder.to_str().expect("UTF-8");
    run(["import", folder, "--db", db, "--on-conflict", on_conflict]).success();
}

fn write(folder: &Path, incidents: i32, values: i32) {
    let folder = folder.join("plant");
    std::fs::create_dir(&folder).expect("a folder");
    let put = |file: &str, lines: &[Value]| write_lines(&folder, file, lines);
    put(
        "areas.jsonl",
        &[
            json!({"id": 1, "name": "Støperi"}),
            json!({"id": 2, "name": "Press \"2\"", "description": "’s"}),
        ],
    );
    put(
        "projects.jsonl",
        &[
            json!({"id": 2, "name": "Ramp-up"}),
            json!({"id": 3, "name": "Line \"4\"", "projectNumber": "P-3", "customerName": "Ø", "startDate": "2026-01-02T00:00:00Z"}),
        ],
    );
    put(
        "data_lists.jsonl",
        &[
            json!({"id": 5, "name": "Suppliers", "items": [{"id": 71, "identifier": "S-2", "sortOrder": 2, "name": "Støle"}, {"id": 70, "identifier": "S-1", "sortOrder": 1}]}),
            json!({"id": 9, "name": "Nothing yet"}),
        ],
    );
    put(
        "groups.jsonl",
        &[
            json!({"id": 1, "type": "BUSINESSUNIT", "name": "Nordvik"}),
            json!({"id": 4, "type": "GENERAL", "name": "Assembly", "parentId": 1}),
        ],
    );
    put(
        "users.jsonl",
        &[
            json!({"id": "u-1", "userName": "ingrid", "displayName": "Ingrid", "groups": [1, 4]}),
            json!({"id": "u-9", "userName": "whistler", "displayName": WHISTLER, "groups": [1]}),
            json!({"id": "U-1", "userName": "ulf", "displayName": "Ulf", "email": "ulf@nordvik.example", "groups": [4]}),
            json!({"id": QUOTED, "userName": "oneil", "displayName": "O’Neil", "groups": [{"id": 4, "role": "Viewer"}]}),
            // In UTF-16 the second would come first.
            json!({"id": "\u{FF5E}", "userName": "wave", "displayName": "A screen", "type": "SCREEN"}),
            json!({"id": "\u{1F600}", "userName": "smile", "displayName": "A device", "type": "MOBILE", "groups": [1]}),
        ],
    );
    put(
        "boards.jsonl",
        &[
            json!({"id": 7, "name": "Daily", "boardType": "Weekly", "groupId": 4, "isPublic": true}),
            json!({"id": 8, "boardType": "Kanban"}),
        ],
    );
    put(
        "incident_types.jsonl",
        &[
            json!({"id": 3, "title": "Quality", "description": "A deviation",
            "customFields": [{"id": 61, "label": "Order number", "type": "text"}, {"id": 62, "label": "Machine no.", "type": "text"}, {"id": 65, "label": "Status", "type": "text"}],
            "categories": [{"id": 31, "title": "Own process"}, {"id": 32, "title": "Supplier"}],
            "consequences": [{"id": 51, "title": "Scrap", "unit": "pcs"}, {"id": 52, "title": "Downtime", "unit": "min"}],
            "causes": [{"id": 41, "title": "Worn fixture"}, {"id": 42, "title": "Haste"}]}),
            json!({"id": 6, "title": "Near miss", "customFields": [{"id": 63, "label": "order number", "type": "text"}], "categories": [{"id": 60, "title": "Falling object"}]}),
        ],
    );
    let all: Vec<Value> = (1..=incidents).map(incident).collect();
    put("incidents.jsonl", &all);
    let comments = (1..=incidents).filter(|id| id % 3 != 0).flat_map(|id| {
        let stamp = stamp(id);
        [
            json!({"id": 2 * id, "incidentId": id, "text": format!("Seen {id}"), "commentDate": stamp, "commentedByUserId": "u-1"}),
            json!({"id": 2 * id + 1, "incidentId": id, "text": "And so?", "commentDate": stamp, "commentedBy": "Guest", "parentId": 2 * id, "level": 1}),
        ]
    });
    put("incident_comments.jsonl", &comments.collect::<Vec<_>>());
    put(
        "tasks.jsonl",
        &[
            json!({"id": 501, "title": "Order; 'clamp'", "boardId": 7, "responsibleUserId": "U-1", "tags": ["b", "a", "say \"c\""], "dueDate": "2026-04-01T00:00:00.0000001Z", "lastModified": stamp(1)}),
            json!({"id": 502, "title": "Measure", "parentId": 501, "status": "Blocked", "color": "#aa0000", "lastModified": stamp(2)}),
            json!({"id": 503, "title": "Look after it", "incidentId": incidents.min(3), "tags": ["a"], "lastModified": stamp(3)}),
        ],
    );
    put(
        "task_comments.jsonl",
        &[
            json!({"id": 9001, "taskId": 501, "text": "When?", "commentDate": stamp(1), "commentedByUserId": "u-1"}),
            json!({"id": 9002, "taskId": 501, "text": "Soon", "commentDate": stamp(2), "commentedBy": "Guest", "parentId": 9001}),
            json!({"id": 9003, "taskId": 503, "text": "Seen", "commentDate": stamp(3), "commentedByUserId": QUOTED}),
        ],
    );
    let improvements = (1..=incidents / 2).map(|id| {
        json!({"id": id, "status": "Suggested", "title": format!("Idea {id}"), "lastModified": stamp(id), "suggestedByUserId": "u-1", "groupId": 4,
            "category": "Quality", "categoryId": 12, "costOfInvestment": f64::from(id) / 3.0})
    });
    put("improvements.jsonl", &improvements.collect::<Vec<_>>());
    put(
        "datasources.jsonl",
        &[
            json!({"id": 12, "title": "OEE", "unitOfTime": "Shift"}),
            json!({"id": 13, "title": "Nothing yet"}),
            json!({"id": 14}),
        ],
    );
    let all: Vec<Value> = (1..=values).map(value).collect();
    put("datasource_values.jsonl", &all);
}

/// Stamps a second and some ticks apart, so that nothing coarser tells them apart.
fn stamp(number: i32) -> String {
    let (minute, second) = (number / 60 % 60, number % 60);
    format!(
        "2026-03-02T0{}:{minute:02}:{second:02}.1234567Z",
        number / 3600 % 10
    )
}

fn incident(id: i32) -> Value {
    let is_quality = id % 2 == 0;
    let mut incident = json!({"id": id, "title": format!("Incident {id}"), "incidentDate": "2026-03-02", "reportedDate": stamp(id),
        "lastModified": stamp(id), "status": "New", "severity": "Low", "incidentTypeId": if is_quality { 3 } else { 6 },
        "areaId": 1 + id % 2, "categories": [{"id": if is_quality { 31 } else { 60 }}]});
    let more = if is_quality {
        json!({"text": "Crack; 'left' \u{1F527}\nflange", "reportedByUserId": "u-1", "followUpGroupId": 4, "responsibleUserId": "u-1",
            "consequences": [{"id": 51, "amount": f64::from(id) / 7.0}, {"id": 52}], "causes": [{"id": 41}],
            "customFields": [{"id": 61, "value": format!("M-{id}"), "registrationDate": stamp(id)}, {"id": 65, "value": "ready", "registrationDate": stamp(id)}]})
    } else {
        json!({"isAnonymous": true, "reportedByUserId": "u-9", "customFields": [{"id": 63, "value": "ø", "registrationDate": stamp(id)}]})
    };
    let (Some(incident), Value::Object(more)) = (incident.as_object_mut(), more) else {
        unreachable!("made above")
    };
    incident.extend(more);
    json!(incident)
}

/// Of two datasources, over nine months, some at the same instant.
fn value(number: i32) -> Value {
    let (month, day) = (1 + number / 3 % 9, 1 + number / 30 % 28);
    json!({"id": number, "dataSourceId": if number % 5 == 0 { 14 } else { 12 }, "value": f64::from(number) / 3.0,
        "valueDate": format!("2025-{month:02}-{day:02}T{:02}:00:00{}Z", number % 24, if number % 7 == 0 { ".9999999" } else { "" }),
        "registrationDate": stamp(number / 2), "dimension": if number % 2 == 0 { Some("Night") } else { None }, "areaId": number % 3})
}
