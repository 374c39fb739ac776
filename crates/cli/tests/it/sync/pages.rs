//! Pages that end amid rows of one instant: the next page begins there, and no row is lost between them.

use obeya::model::DatasourceValueInput;
use serde_json::json;

use super::copy::{Copy, assert_same};
use super::plant::Plant;
use super::wire::{FIELDS, tables};

const SMALL: [&str; 2] = ["--page-size", "2"];

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_one_instant_on_several_pages_are_all_in_the_copy() {
    let plant = Plant::new(32, 30);
    let client = plant.client();
    let date = "2025-02-01T00:00:00.0000001Z".parse().expect("an instant");
    let values = [1.0, 2.0, 3.0, 4.0, 5.0].map(|value| DatasourceValueInput::new(value, date));
    client
        .datasources()
        .create_values(13, &values)
        .await
        .expect("created");
    let copies = Copy::all(plant.folder.path());
    let check = async |what: &str| {
        let service = tables(&client, FIELDS).await;
        for copy in &copies {
            let to = copy.to();
            let out = plant.sync(&to, &SMALL).success();
            assert!(out.contains("is up to date"), "{what}: {out}");
            assert_same(&copy.tables().await, &service, &format!("{to}: {what}"));
        }
    };
    check("values of one date").await;
    // 16 incidents and 16 improvements name her, and all get the stamp of this import: more pages than a run
    // has rounds.
    let renamed =
        json!({"id": "u-1", "userName": "ingrid", "displayName": "Ingrid N.", "groups": [1, 4]});
    plant.import_more("users.jsonl", &[renamed]);
    check("records of one stamp").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_has_as_many_rows_as_are_asked_for() {
    let plant = Plant::new(12, 30);
    let copies = [
        (plant.file("copy"), &[][..]),
        (plant.file("small"), &SMALL[..]),
    ];
    // How many answers each copy takes.
    let answers = |operation| {
        copies.each_ref().map(|(to, page_size)| {
            let before = plant.answered(operation, "2xx");
            plant.sync(to, page_size).success();
            plant.answered(operation, "2xx") - before
        })
    };
    // 24 values of one datasource and 6 of another: 15 pages of two, if none had a value of the page before
    // once more.
    let [plain, small] = answers("listDatasourceValuesV1");
    assert!(small >= plain + 13, "{small} and {plain}");
    // The lists without stamps are read by every run. There are three tasks and three of their comments, six
    // users, and one project, whose list has no pages.
    for (operation, pages) in [
        ("listTasks", 2),
        ("listTaskComments", 2),
        ("listUsersV2", 3),
        ("listProjects", 1),
    ] {
        assert_eq!(answers(operation), [1, pages], "{operation}");
    }
    let renamed =
        json!({"id": "u-1", "userName": "ingrid", "displayName": "Ingrid N.", "groups": [1, 4]});
    plant.import_more("users.jsonl", &[renamed]);
    // Six incidents changed: three pages in place of one.
    let [plain, small] = answers("listIncidentsV1");
    assert!(small >= plain + 2, "{small} and {plain}");
}
