//! `obeya erase-user`: the dry run, the erasure, and a user that is not there.

use serde_json::{Value, json};

use crate::binary::{database, run};
use crate::import::write_lines;

#[test]
fn a_user_is_counted_then_erased_and_then_unknown() {
    let (_folder, db) = database();
    let plant = tempfile::tempdir().expect("a folder");
    let user = json!({"id": "u-1", "userName": "zeno", "displayName": "Zeno Zorn"});
    write_lines(plant.path(), "users.jsonl", [user]);
    let idea =
        json!({"id": 1, "status": "Suggested", "title": "Light", "suggestedByUserId": "u-1"});
    let named =
        json!({"id": 2, "status": "Suggested", "title": "Shelf", "suggestedBy": "Zeno Zorn"});
    write_lines(plant.path(), "improvements.jsonl", [idea, named]);
    run(["import", plant.path().to_str().expect("UTF-8"), "--db", &db]).success();

    let erase = ["erase-user", "u-1", "--db", &db, "--json"];
    let counted = run(erase.iter().chain(&["--dry-run"])).success();
    let mut counted: Value = serde_json::from_str(&counted).expect("JSON");
    assert_eq!(counted["counts"]["users"], 1);
    assert_eq!(counted["counts"]["improvements"], 1);
    assert_eq!(counted["dryRun"], true);
    let with_names = run(erase.iter().chain(&["--dry-run", "--names"])).success();
    let with_names: Value = serde_json::from_str(&with_names).expect("JSON");
    assert_eq!(with_names["counts"]["names"], 1);
    let erased: Value = serde_json::from_str(&run(erase).success()).expect("JSON");
    counted["dryRun"] = json!(false);
    assert_eq!(erased, counted);
    assert_eq!(
        run(erase).failure(1),
        "error: the user was not erased\n  because: there is no user `u-1`\n"
    );
    let verified = run(["audit", "--db", &db, "--verify"]).success();
    assert!(
        verified.contains("entries        2, from 1 to 2"),
        "{verified}"
    );
    let table = run(["audit", "--db", &db, "--record", "users"]).success();
    assert_eq!(table.lines().count(), 1, "only the heading: {table}");
}
