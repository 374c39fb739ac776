//! Unchanged datasources cost one conditional request each.

use obeya::model::DatasourceValueInput;
use obeya_testkit::postgres::connect;

use super::copy::{Copy, assert_same};
use super::lesser::{NO_TAGS, lesser};
use super::plant::Plant;
use super::wire::{FIELDS, tables};
use crate::binary::done;

const VALUES: &str = "listDatasourceValuesV1";

/// The answers with values, and those that said that nothing changed, since the ones given.
fn answers(plant: &Plant, (read, spared): (u64, u64)) -> (u64, u64) {
    let count = |class| plant.answered(VALUES, class);
    (count("2xx") - read, count("3xx") - spared)
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_read_where_they_changed_and_nowhere_else() {
    let plant = Plant::new(4, 300);
    let client = plant.client();
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        plant.sync(&to, &[]).success();
        let before = answers(&plant, (0, 0));
        let out = plant.sync(&to, &[]).success();
        assert!(out.contains("is up to date"), "{out}");
        assert_eq!(answers(&plant, before), (0, 3), "{to}: not one is read");

        // One more; one fewer; none.
        let date = "2025-02-01T00:00:00Z".parse().expect("an instant");
        let value = DatasourceValueInput::new(1.5, date);
        let datasources = client.datasources();
        let value = datasources.create_value(13, &value).await.expect("created");
        let old = datasources.values(14).page(1).await.expect("read");
        let old = old.values.first().expect("a value").id;
        datasources.delete_value(14, old).await.expect("deleted");
        let before = answers(&plant, (0, 0));
        plant.sync(&to, &[]).success();
        let (read, spared) = answers(&plant, before);
        assert!(read >= 2 && spared >= 1, "{to}: {read} and {spared}");
        let service = tables(&client, FIELDS).await;
        assert_same(&copy.tables().await, &service, &to);
        let before = answers(&plant, (0, 0));
        plant.sync(&to, &[]).success();
        assert_eq!(answers(&plant, before), (0, 3), "{to}: not one is read");

        // As many as before, and the newest is the same.
        datasources
            .delete_value(13, value.id)
            .await
            .expect("deleted");
        plant.sync(&to, &[]).success();
        let service = tables(&client, FIELDS).await;
        assert_same(&copy.tables().await, &service, &to);

        let before = answers(&plant, (0, 0));
        plant.sync(&to, &["--full"]).success();
        let (read, _) = answers(&plant, before);
        assert!(read >= 6, "{to}: {read} answers are not everything anew");
        assert_same(&copy.tables().await, &service, &to);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_copy_has_lost_comes_back_though_the_service_did_not_change() {
    let plant = Plant::new(4, 300);
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    let to = copy.to();
    plant.sync(&to, &[]).success();
    let spoilt = rusqlite::Connection::open(plant.file("copy.db")).expect("a database");
    let sql = "DELETE FROM datasource_values WHERE id IN (7, 10)";
    assert_eq!(spoilt.execute(sql, []).expect("deleted"), 2);
    drop(spoilt);
    plant.sync(&to, &[]).success();
    let service = tables(&plant.client(), FIELDS).await;
    assert_same(&copy.tables().await, &service, &to);
}

/// Neither a month nor a datasource of which the copy has nothing left is among those that are counted.
#[tokio::test(flavor = "multi_thread")]
async fn whole_months_that_a_copy_has_lost_come_back() {
    let plant = Plant::new(4, 300);
    let copies = Copy::all(plant.folder.path());
    let sql = "DELETE FROM datasource_values
        WHERE datasource_id = 14 OR value_date >= '2025-03-01' AND value_date < '2025-04-01'";
    for copy in &copies {
        plant.sync(&copy.to(), &[]).success();
        match copy {
            Copy::Folder(path) => {
                let values = path.join("values");
                std::fs::remove_file(values.join("datasource=12/2025-03.parquet"))
                    .expect("removed");
                std::fs::remove_dir_all(values.join("datasource=14")).expect("removed");
            }
            // Its log says which files it has.
            Copy::Bucket(_) => {}
            Copy::Sqlite(path) => {
                let spoilt = rusqlite::Connection::open(path).expect("a database");
                assert!(spoilt.execute(sql, []).expect("deleted") > 60);
            }
            Copy::Postgres(scratch) => {
                let spoilt = connect(scratch.url()).await;
                assert!(spoilt.execute(sql, &[]).await.expect("deleted") > 60);
            }
        }
    }
    let service = tables(&plant.client(), FIELDS).await;
    for copy in &copies {
        let to = copy.to();
        let out = plant.sync(&to, &[]).success();
        assert!(out.contains("is up to date"), "{to}: {out}");
        assert_same(&copy.tables().await, &service, &to);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_without_tags_is_asked_for_the_newest_value_each_time() {
    let plant = Plant::new(4, 300);
    let client = plant.client();
    let proxy = lesser(&plant.serving.url, NO_TAGS);
    let url = proxy.url();
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        let sync = || done(&mut plant.command_at(&url, &to, &[])).success();
        sync();
        let before = answers(&plant, (0, 0));
        sync();
        assert_eq!(answers(&plant, before), (3, 0), "{to}");
        let datasources = client.datasources();
        let old = datasources.values(12).page(1).await.expect("read");
        let old = old.values.first().expect("a value").id;
        datasources.delete_value(12, old).await.expect("deleted");
        sync();
        let service = tables(&client, FIELDS).await;
        assert_same(&copy.tables().await, &service, &to);
    }
}
