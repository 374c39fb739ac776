//! Tables through the service, as an API client.

use std::fmt::Write as _;

use obeya::Client;

use super::{Table, says};
use crate::binary::{Done, database, done, obeya, serve_existing};
use crate::credentials::{Credentials, import_plant};

/// A service on the plant of the specification.
struct Plant {
    _folder: tempfile::TempDir,
    db: String,
    serving: obeya_testkit::Serving,
    credentials: Credentials,
}

impl Plant {
    fn new() -> Self {
        let (folder, db) = database();
        let credentials = import_plant(&db);
        let serving = serve_existing(&db, &[]);
        Self {
            _folder: folder,
            db,
            serving,
            credentials,
        }
    }

    fn import(&self, table: &Table, resource: &str, more: &[&str]) -> Done {
        let mut command = obeya();
        let connect = [
            "--as-client",
            "--url",
            &self.serving.url,
            "--client-id",
            &self.credentials.id,
        ];
        command
            .args(table.arguments(resource, &[&connect, more].concat()))
            .env("OBEYA_CLIENT_SECRET", &self.credentials.secret);
        done(&mut command)
    }

    fn client(&self) -> Client {
        self.credentials.client(&self.serving.url)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn incidents_are_created_once_and_known_in_the_trash_too() {
    let plant = Plant::new();
    let table = Table::new(
        "incidents.csv",
        "Title,Date,Type,Category,Severity,Reported by,Created\n\
         Loose bolt,2026-03-02,Near miss,falling object,High,Ingrid Solheim,2026-03-02\n\
         Oil,2026-03-03,Quality deviation,Own process;Supplier,,,\n"
            .as_bytes(),
    );
    let tried = plant.import(&table, "incidents", &["--dry-run"]).success();
    says(
        &tried,
        &[
            "\"Created\" is not imported, as the service sets reportedDate itself",
            "2 records would be stored",
        ],
    );
    let listed = || async {
        let listed = plant
            .client()
            .incidents()
            .list()
            .filter("id gt 1205")
            .stream();
        listed.all().await.expect("incidents")
    };
    assert!(listed().await.is_empty());
    says(
        &plant.import(&table, "incidents", &[]).success(),
        &["2 records stored, 0 there already"],
    );
    let incidents = listed().await;
    assert_eq!(incidents.len(), 2);
    assert_eq!(incidents[0].title, "Loose bolt");
    assert_eq!(incidents[0].reported_by_user_id.as_deref(), Some("u-104"));
    let categories: Vec<i32> = incidents[1]
        .categories
        .iter()
        .map(|category| category.id)
        .collect();
    assert_eq!(categories, [31, 32]);

    plant
        .client()
        .incidents()
        .delete(incidents[0].id)
        .await
        .expect("deleted");
    says(
        &plant.import(&table, "incidents", &[]).success(),
        &["0 records stored, 2 there already"],
    );
    assert_eq!(listed().await.len(), 1);
    // The database knows them too.
    says(
        &table.import("incidents", &plant.db, &[]).success(),
        &["0 records stored, 2 there already"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_added_in_batches_and_refused_ones_are_lines() {
    let plant = Plant::new();
    let mut text = "Date;Value;Dimension\n".to_owned();
    for row in 0..10_500 {
        let shift = if row == 10_200 { "" } else { "early" };
        writeln!(
            text,
            "2026-01-01 {:02}:{:02};{row},5;{shift}",
            row / 60 % 24,
            row % 60
        )
        .expect("memory");
    }
    let table = Table::new("oee.csv", text.as_bytes());
    let set = ["--set", "dataSource=12"];
    let refused = plant.import(&table, "values", &set);
    assert_eq!(refused.code(), Some(1), "{}", refused.err());
    says(
        &refused.out(),
        &[
            "line 10202: found what the service refuses (element.missing)",
            "10\u{2009}000 records stored",
        ],
    );
    says(
        &refused.err(),
        &["the service refused 1 line, more than --allow-faults"],
    );
    let done = plant
        .import(&table, "values", &["--allow-faults", "1"])
        .success();
    says(
        &done,
        &["499 records stored, 10\u{2009}000 there already, 1 line left out"],
    );
    let again = plant
        .import(&table, "values", &["--allow-faults", "1"])
        .success();
    says(
        &again,
        &["0 records stored, 10\u{2009}499 there already, 1 line left out"],
    );
    let page = plant
        .client()
        .datasources()
        .values(12)
        .page_size(1)
        .page(1)
        .await
        .expect("a page");
    assert_eq!(page.count, 10_499 + 2);
}

#[test]
fn a_record_that_the_service_refuses_ends_the_import_and_it_continues_afterwards() {
    let plant = Plant::new();
    let table = Table::new(
        "incidents.csv",
        "Title,Date,Type,Category,Responsible,Team,Nr\n\
         A,2026-03-02,6,60,,,n-1\n\
         B,2026-03-02,6,60,tomas.berg,Assembly team,n-2\n\
         C,2026-03-02,6,60,,,n-3\n"
            .as_bytes(),
    );
    let refused = plant.import(&table, "incidents", &[]);
    assert_eq!(refused.code(), Some(1));
    says(
        &refused.out(),
        &[
            "line 3: found what the service refuses (responsible.not_member)",
            "1 record stored",
        ],
    );
    let done = plant
        .import(&table, "incidents", &["--allow-faults", "1"])
        .success();
    says(
        &done,
        &["1 record stored, 1 there already, 1 line left out"],
    );
}

#[test]
fn users_groups_and_improvements_are_created() {
    let plant = Plant::new();
    let groups = Table::new("groups.csv", b"Name,Parent\nTeam 3,Nordvik plant\n");
    says(
        &plant.import(&groups, "groups", &[]).success(),
        &["1 record stored"],
    );
    says(
        &plant.import(&groups, "groups", &[]).success(),
        &["0 records stored, 1 there already"],
    );
    let users = Table::new(
        "users.csv",
        b"User,First name,Last name,Email\nOla,Ola,Nordmann,ola@x.example\n",
    );
    says(
        &plant.import(&users, "users", &[]).success(),
        &["1 record stored"],
    );
    says(
        &plant.import(&users, "users", &[]).success(),
        &["0 records stored, 1 there already"],
    );
    let ideas = Table::new(
        "ideas.csv",
        b"Title,Suggested by,Category\nMore light,Ola Nordmann,Quality\n",
    );
    says(
        &plant.import(&ideas, "improvements", &[]).success(),
        &["1 record stored"],
    );
    says(
        &plant.import(&ideas, "improvements", &[]).success(),
        &["0 records stored, 1 there already"],
    );
}
