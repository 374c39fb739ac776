//! GET /v1/Boards/{id}

use serde_json::json;

use crate::incidents_plant::plant;

#[tokio::test]
async fn a_board_has_its_lines_in_their_order() {
    let service = plant().await;
    let board = service.get("/v1/Boards/7").await.json();
    let expected = json!({
        "id": 7, "name": "Assembly daily", "description": "Where the team meets", "boardType": "Weekly", "isPublic": true, "groupId": 4,
        "groupName": "Assembly team",
        "rows": [
            {"id": 70, "name": "Safety", "weekDay": null, "isColumnCategory": false, "style": null, "sortOrder": 1,
             "responsibleUserId": "u-104", "responsibleUser": "ingrid.solheim"},
            {"id": 71, "name": "Delivery", "weekDay": null, "isColumnCategory": false, "style": null, "sortOrder": 2,
             "responsibleUserId": null, "responsibleUser": null},
            {"id": 69, "name": "Unplaced", "weekDay": null, "isColumnCategory": false, "style": null, "sortOrder": null,
             "responsibleUserId": null, "responsibleUser": null},
        ],
        "columns": [
            {"id": 75, "name": "Monday", "weekDay": "Monday", "isColumnCategory": true, "style": "background: #eef", "sortOrder": 1,
             "responsibleUserId": null, "responsibleUser": null},
        ],
    });
    assert_eq!(board, expected);
}

#[tokio::test]
async fn a_board_without_anything_has_every_field() {
    let service = plant().await;
    let board = service.get("/v1/boards/8").await.json();
    let expected = json!({
        "id": 8, "name": null, "description": null, "boardType": null, "isPublic": false, "groupId": null, "groupName": null, "rows": [], "columns": [],
    });
    assert_eq!(board, expected);
}

#[tokio::test]
async fn an_unknown_board_is_not_found() {
    let service = plant().await;
    service
        .get("/v1/Boards/99")
        .await
        .is_problem(404, "not_found");
    service
        .get("/v1/Boards/seven")
        .await
        .is_problem(400, "path.invalid");
}
