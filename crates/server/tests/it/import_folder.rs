//! A small valid folder to import, for tests to read back or to damage.

use std::path::Path;
use std::sync::Arc;

use obeya_server::import::{ImportError, ImportOptions, ImportReport, OnConflict, import_dir};
use tempfile::TempDir;

use crate::support::{Database, sql};

/// Every file of the plant with its lines. Parents come after their children, because the order of lines does
/// not matter.
pub const PLANT: [(&str, &str); 13] = [
    (
        "areas.jsonl",
        r#"{"id":1,"name":"Støperi","description":"Casting and shake-out"}
{"id":2,"name":"Assembly"}"#,
    ),
    (
        "groups.jsonl",
        r#"{"id":2,"type":"GENERAL","name":"Mechanics","parentId":1,"level":1}
{"id":1,"type":"BUSINESSUNIT","name":"Plant","isSystemGroup":true,"level":0}"#,
    ),
    (
        "users.jsonl",
        r#"{"id":"u1","userName":"kari.vik","displayName":"Kari Vik","email":"kari@example.com","groups":[1,2]}
{"id":"u2","userName":"ola","displayName":"Ola Næss"}"#,
    ),
    ("projects.jsonl", r#"{"id":1,"name":"Nordlys"}"#),
    (
        "boards.jsonl",
        r#"{"id":7,"name":"Tavle","description":"Tier 1","boardType":"Weekly","isPublic":true,"groupId":2,"rows":[{"id":1,"name":"Safety","sortOrder":1,"responsibleUserId":"u1"}],"columns":[{"id":1,"name":"Monday","weekDay":"Monday"}]}"#,
    ),
    (
        "incident_types.jsonl",
        r#"{"id":3,"title":"Equipment failure","categories":[{"id":31,"title":"Hydraulics","sortOrder":1,"children":[{"id":32,"title":"Leak"}]}],"causes":[{"id":33,"title":"Wear"}],"consequences":[{"id":34,"title":"Downtime","unit":"min"}],"customFields":[{"id":35,"label":"Machine","type":"text"}],"translations":{"nb":{"title":"Utstyrsfeil","categories":[{"id":32,"title":"Lekkasje"}],"customFields":[{"id":35,"label":"Maskin"}]}}}
{"id":4,"title":"Environment","categories":[{"id":41,"title":"Spill"}]}"#,
    ),
    (
        "incidents.jsonl",
        r#"{"id":10,"incidentTypeId":3,"incidentType":"Equipment failure","title":"Lekkasje på linje 2","text":"Oil below the press","incidentDate":"2025-05-20","reportedDate":"2025-05-20T06:12:00.1234567Z","lastModified":"2025-05-21T10:00:00Z","status":"Resolved","severity":"High","resolvedDate":"2025-05-21T09:59:00Z","reportedByUserId":"u1","followUpGroupId":2,"responsibleUserId":"u1","areaId":1,"projectId":1,"externalId":"c100","categories":[{"id":32,"title":"Leak"}],"causes":[{"id":33}],"consequences":[{"id":34,"amount":12.5,"unit":"min"}],"customFields":[{"id":35,"value":"M-7"}]}
{"id":11,"incidentTypeId":4,"title":"Entered twice","incidentDate":"2025-05-25","categories":[{"id":41}],"deletedDate":"2025-05-28T12:00:00Z"}"#,
    ),
    (
        "incident_comments.jsonl",
        r#"{"id":101,"incidentId":10,"text":"Takk, ser på det","commentDate":"2025-05-20T08:00:00Z","commentedByUserId":"u1","parentId":100}
{"id":100,"incidentId":10,"text":"The seal is from the old batch","commentDate":"2025-05-20T07:00:00","commentedBy":"Night shift"}"#,
    ),
    (
        "improvements.jsonl",
        r#"{"id":5,"status":"Planned","title":"Shadow board","groupId":2,"categoryId":1,"category":"Safety","suggestedByUserId":"u2","suggestionDate":"2025-01-10T09:00:00Z","plannedDate":"2025-02-01T09:00:00Z","estimatedGainOfInvestment":1200.5,"lastModified":"2025-02-01T09:00:00Z"}
{"id":6,"status":"Archived","title":"Old idea","categoryId":1,"suggestionDate":"2024-01-10T09:00:00Z","plannedDate":"2024-02-01T09:00:00Z","archivedDate":"2024-06-01T09:00:00Z"}"#,
    ),
    (
        "tasks.jsonl",
        r#"{"id":21,"parentId":20,"title":"Drain the oil","incidentId":10,"responsibleUserId":"u1"}
{"id":20,"title":"New seal","status":"Blocked","incidentId":10,"boardId":7,"rowCategoryId":1,"tags":["oil"],"lastModified":"2025-05-21T10:00:00Z"}"#,
    ),
    (
        "task_comments.jsonl",
        r#"{"id":31,"taskId":20,"text":"Tank 3 is empty","commentDate":"2025-05-21T11:00:00Z","commentedByUserId":"u1","parentId":30}
{"id":30,"taskId":20,"text":"Where does the oil go?","commentDate":"2025-05-21T10:30:00","commentedBy":"Night shift"}"#,
    ),
    (
        "datasources.jsonl",
        r#"{"id":4,"title":"OEE","unitOfTime":"Shift","elements":[{"id":"d1","label":"Line","type":"text","isMandatory":true,"sourceColumn":"dimension"}]}"#,
    ),
    (
        "datasource_values.jsonl",
        r#"{"id":902,"dataSourceId":4,"value":71.25,"valueDate":"2025-05-02T06:00:00Z","dimension":"Line 3"}
{"id":901,"dataSourceId":4,"value":64,"valueDate":"2025-05-01T06:00:00","registrationDate":"2025-05-01T06:00:01.1234567Z","areaId":1,"description":"cold start"}"#,
    ),
];

/// A folder under a test's hand.
pub struct Folder {
    dir: TempDir,
}

impl Folder {
    pub fn empty() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a folder"),
        }
    }

    /// With every file of [`PLANT`].
    pub fn plant() -> Self {
        let folder = Self::empty();
        for (file, lines) in PLANT {
            folder.write(file, lines);
        }
        folder
    }

    pub fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(file), bytes).expect("written");
    }

    /// Writes the content of an attachment.
    pub fn write_content(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let folder = self.path().join("attachments");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), bytes).expect("written");
    }

    pub fn remove(&self, file: &str) {
        std::fs::remove_file(self.path().join(file)).expect("removed");
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub async fn import(
        &self,
        db: &str,
        on_conflict: OnConflict,
    ) -> Result<ImportReport, ImportError> {
        import_dir(
            self.path(),
            db,
            ImportOptions {
                on_conflict,
                ..ImportOptions::default()
            },
            Arc::new(()),
        )
        .await
    }
}

/// A separate database, opened for inspection.
pub struct Target {
    pub database: Database,
}

impl Target {
    pub fn new() -> Self {
        let database = Database::new();
        Self { database }
    }

    /// Its address.
    pub fn db(&self) -> &str {
        self.database.url()
    }

    /// The rows of every table that an import writes.
    pub async fn rows(&self) -> i64 {
        let counts = [
            "projects",
            "areas",
            "groups",
            "users",
            "group_members",
            "boards",
            "board_lines",
            "incident_types",
            "type_categories",
            "type_translations",
            "incidents",
            "incident_categories",
            "incident_comments",
            "improvements",
            "improvement_categories",
            "tasks",
            "task_comments",
            "attachments",
            "attachment_contents",
            "datasources",
            "datasource_elements",
            "datasource_values",
            "areas_search",
            "incidents_search",
        ]
        .map(|table| format!("(SELECT count(*) FROM {table})"));
        self.number(&format!("SELECT {}", counts.join(" + "))).await
    }

    /// The number that a statement returns.
    pub async fn number(&self, sql: &str) -> i64 {
        let store = self.database.open().await;
        let number = sql::number(&store, sql).await;
        store.close().await;
        number
    }
}
