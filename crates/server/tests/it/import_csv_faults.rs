//! Errors of an import in CSV: the message, and nothing stored.

use crate::import_faults::refused_folder;
use crate::import_folder::{Folder, Target};

/// The plant with its values as this CSV.
async fn csv(target: &Target, content: &str, expected: &str) {
    let folder = Folder::plant();
    folder.remove("datasource_values.jsonl");
    folder.write("datasource_values.csv", content);
    refused_folder(
        target,
        &folder,
        &format!("datasource_values.csv, line {expected}"),
    )
    .await;
}

#[tokio::test]
async fn csv_that_does_not_fit() {
    let target = Target::new();
    let head = "id,dataSourceId,valueDate,value";
    csv(
        &target,
        &format!("{head}\n1,4,2025-05-01T00:00:00Z,abc\n"),
        "2, field value: found \"abc\", expected a number",
    )
    .await;
    csv(
        &target,
        &format!("{head}\n1,4,2025-05-01T00:00:00Z,1\n2,4,2025-05-32T00:00:00Z,1\n"),
        "3, field valueDate: found \"2025-05-32T00:00:00Z\", expected a date-time",
    )
    .await;
    csv(
        &target,
        &format!("{head}\n1,4,2025-05-01T00:00:00Z,NaN\n"),
        "2, field value: found NaN, expected a finite number",
    )
    .await;
    csv(
        &target,
        &format!("{head}\n,4,2025-05-01T00:00:00Z,1\n"),
        "2, field id: found nothing, expected an int32",
    )
    .await;
    csv(
        &target,
        &format!("{head}\n99999999999,4,2025-05-01T00:00:00Z,1\n"),
        "2, field id: found \"99999999999\", expected an int32",
    )
    .await;
    csv(
        &target,
        &format!("{head}\n1,4,2025-05-01T00:00:00Z\n"),
        "2: found 3 cells, expected 4, as in the header",
    )
    .await;
    csv(&target, &format!("{head}\n1,9,2025-05-01T00:00:00Z,1\n"), "2, field dataSourceId: found 9, expected the id of a datasource in the folder or in the database").await;
    csv(
        &target,
        "id,dataSourceId,valueDate\n1,4,2025-05-01T00:00:00Z\n",
        "1, field value: found a header without it, expected a header of field names",
    )
    .await;
    csv(&target,
        &format!("{head},dimesion\n"),
        "1, field dimesion: found an unknown field in the header, expected some of id, dataSourceId, value, valueDate, registrationDate, \
         areaId, assetId, projectId, description, dimension, dimension2, dimension3, dimension4, externalId",
    )
    .await;
    csv(
        &target,
        &format!(
            "{head},description\n1,4,2025-05-01T00:00:00Z,1,\"cold\n2,4,2025-05-02T00:00:00Z,1,\n"
        ),
        "2: found a quotation mark without its pair, expected quoted cells to be closed",
    )
    .await;
    csv(
        &target,
        &format!("{head},value\n"),
        "1, field value: found the field twice in the header, expected it once",
    )
    .await;
}

/// The reader of CSV would take the whole file for one cell.
#[tokio::test]
async fn a_quotation_mark_without_its_pair_in_a_long_file() {
    let target = Target::new();
    let line = "2,4,2025-05-02T00:00:00Z,1,cold\n";
    let lines = line.repeat((17 << 20) / line.len());
    csv(&target,
        &format!(
            "id,dataSourceId,valueDate,value,description\n1,4,2025-05-01T00:00:00Z,1,\"cold\n{lines}"
        ),
        "2: found a record that does not end: a quotation mark may lack its pair, expected records of at most 16 MiB",
    )
    .await;
    // The reader does not see it as quoted, so the error names the line that has it and not the last one.
    csv(&target,
        "id,dataSourceId,valueDate,value,description\n1,4,2025-05-01T00:00:00Z,1,5\" pipe\n2,4,2025-05-02T00:00:00Z,1,cold\n",
        "2: found a quotation mark without its pair, expected quoted cells to be closed",
    )
    .await;
}
